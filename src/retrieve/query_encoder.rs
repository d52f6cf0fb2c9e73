//! By what a question becomes a vector: by the model, or by a table that was fitted to what is searched.
//!
//! A table is asked where there is one for the namespace, it is of the model that made the namespace's vectors, and it
//! knows every word of the question; in all other cases the model is. What was done, and why, is told.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::encoder::{AsRead, Encoded};
use super::trace::milliseconds;
use crate::embed::Model;
use crate::embed::query_table::QueryTable;
use crate::error::{Error, Result};

/// What makes the vector of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum QueryEncoder {
    /// The table that `kb reindex --query-encoder` made, where there is one and it knows all words of the question
    #[default]
    Auto,
    /// The model
    Model,
    /// The table, also where it does not know all words
    Table,
}

/// Why it is the model that is asked.
pub(super) enum Otherwise {
    /// There is nothing to say about it.
    Plain,
    /// As it has to be, or as was asked.
    Told(String),
    /// Something is wrong with the table.
    Wrong(String),
}

/// Where the table of a model's vectors is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TableAt {
    /// In this file, if it is there: one namespace has vectors of the model.
    File(PathBuf),
    /// Several have, and each has a table of its own.
    Several,
}

/// The tables that were opened, each once.
#[derive(Clone, Default)]
pub(super) struct Tables(Arc<Mutex<HashMap<PathBuf, Option<Arc<QueryTable>>>>>);

impl Tables {
    /// The vector of a question by a table, or why the model is to be asked for it.
    ///
    /// # Errors
    /// Where a table was asked for and there is none that can be used.
    pub(super) fn encode(
        &self,
        choice: QueryEncoder,
        at: &TableAt,
        model: &Model,
        query: &str,
    ) -> Result<std::result::Result<Encoded, Otherwise>> {
        let start = Instant::now();
        let demanded = choice == QueryEncoder::Table;
        let refused = |told: String| {
            Err(Error::failed(told).hint(
            "make it with `kb reindex --query-encoder`, or ask with --query-encoder auto, which asks the model instead",
        ))
        };
        let path = match at {
            _ if choice == QueryEncoder::Model => return Ok(Err(Otherwise::Plain)),
            TableAt::File(path) => path,
            TableAt::Several if demanded => {
                return refused("each of these namespaces has a query encoder of its own".to_owned());
            }
            TableAt::Several => {
                return Ok(Err(Otherwise::Told("the model, as several namespaces are searched".to_owned())));
            }
        };
        let table = match self.opened(path) {
            Ok(Some(table)) => table,
            Ok(None) if demanded => return refused("there is no query encoder for this namespace".to_owned()),
            Ok(None) => return Ok(Err(Otherwise::Plain)),
            Err(error) if demanded => return Err(error),
            Err(error) => return Ok(Err(Otherwise::Wrong(format!("asked the model: {}", error.to_line())))),
        };
        if table.about().fingerprint != model.fingerprint {
            let told = format!("the query encoder was made for vectors of {}, not of these", table.about().model);
            return if demanded { refused(told) } else { Ok(Err(Otherwise::Told(format!("the model: {told}")))) };
        }
        if table.dimension() != model.habits.dimension {
            let told = format!(
                "the query encoder {} has vectors of {} numbers, and the model of {}",
                path.display(),
                table.dimension(),
                model.habits.dimension
            );
            return if demanded {
                refused(told)
            } else {
                Ok(Err(Otherwise::Wrong(format!("asked the model: {told}"))))
            };
        }
        let load_ms = milliseconds(start);
        let start = Instant::now();
        let encoded = table.encode(query);
        let parts = format!("{} of its words", crate::text::count(encoded.unknown, "part"));
        let told = match encoded.unknown {
            0 => "the table".to_owned(),
            _ => format!("the table, which does not know {parts}"),
        };
        Ok(match encoded.vector {
            Some(vector) if demanded || encoded.unknown == 0 => {
                // A model reads no more than what it was taught.
                let share = encoded.share.min(model.habits.languages.share(query));
                let read = AsRead { vector, share };
                Ok(Encoded { read, load_ms, encode_ms: milliseconds(start), told, wrong: None })
            }
            _ => Err(Otherwise::Told(format!("the model, because the table does not know {parts}"))),
        })
    }

    fn opened(&self, path: &Path) -> Result<Option<Arc<QueryTable>>> {
        // A lock that a panic has poisoned still guards a sound map: what is in it was put in whole.
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tables.get(path) {
            return Ok(known.clone());
        }
        let table = QueryTable::open(path)?.map(Arc::new);
        tables.insert(path.to_owned(), table.clone());
        Ok(table)
    }
}

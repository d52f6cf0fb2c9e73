//! Whether the model that makes the vectors can read the documents that are put in: otherwise their vectors say little, and
//! somebody should know before they search.

use serde::Serialize;

use super::Prepared;
use crate::embed::Embedder;
use crate::error::Result;
use crate::models::{Models, model_that_reads};
use crate::store::ChunkType;
use crate::text::{char_count, truncate};

/// So many of a document's passages are looked at, from its beginning to its end …
const SAMPLES: usize = 4;
/// … and so many characters of each.
const SAMPLE_CHARS: usize = 400;
/// Characters of text that the model cannot read, by which another one is chosen.
const UNREAD_CHARS: usize = 4000;
/// A document of which the model reads less is one that it does not know the language of.
const LEAST_SHARE: f32 = 0.5;
/// Less than this share of text that cannot be read is not worth telling.
const LEAST_TOLD: f32 = 0.1;

/// What the model cannot read of the documents that it has embedded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LanguagesReport {
    /// The model.
    pub model: String,
    /// Documents that were embedded.
    pub documents: usize,
    /// Those of whose text it reads less than half.
    pub documents_not_read: usize,
    /// The share of all their text that it does not read, from 0 to 1.
    pub share_not_read: f32,
    /// A model that reads it; `None` where none is known.
    pub better: Option<String>,
}

/// Looks at documents as they are embedded.
#[derive(Debug, Default)]
pub(super) struct LanguageSense {
    model: String,
    documents: usize,
    documents_not_read: usize,
    chars: f64,
    chars_read: f64,
    unread: String,
}

impl LanguageSense {
    /// Looks at a document that a model embeds.
    ///
    /// # Errors
    /// Where the engine has crashed.
    pub(super) fn look(&mut self, prepared: &Prepared, embedder: &Embedder) -> Result<()> {
        let parents: Vec<&str> = prepared
            .new
            .chunks
            .iter()
            .filter(|row| row.chunk_type == ChunkType::Parent)
            .map(|row| row.content.as_str())
            .collect();
        let step = parents.len().div_ceil(SAMPLES).max(1);
        let sample: Vec<String> = parents.iter().step_by(step).map(|text| truncate(text, SAMPLE_CHARS)).collect();
        let sample = sample.join("\n");
        let share = embedder.reads(&sample)?;
        let chars = parents.iter().map(|text| char_count(text)).sum::<usize>() as f64;
        self.model.clone_from(&embedder.model().name);
        self.documents += 1;
        self.chars += chars;
        self.chars_read += chars * f64::from(share);
        if share < LEAST_SHARE {
            self.documents_not_read += 1;
            if self.unread.len() < UNREAD_CHARS {
                self.unread.push_str(&sample);
            }
        }
        Ok(())
    }

    /// What it could not read; `None` where that is little.
    ///
    /// # Errors
    /// Where the list of models is damaged.
    pub(super) fn report(&self, models: &Models) -> Result<Option<LanguagesReport>> {
        if self.chars <= 0.0 || self.documents_not_read == 0 {
            return Ok(None);
        }
        let share_not_read = (1.0 - self.chars_read / self.chars) as f32;
        if share_not_read < LEAST_TOLD {
            return Ok(None);
        }
        Ok(Some(LanguagesReport {
            model: self.model.clone(),
            documents: self.documents,
            documents_not_read: self.documents_not_read,
            share_not_read,
            better: model_that_reads(&self.unread, models)?,
        }))
    }
}

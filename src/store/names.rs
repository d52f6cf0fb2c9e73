//! Other names for the same thing, as passages define them: looked up in the keyword index, by the terms of a field of
//! their own, in microseconds whatever the size of the store. They come with the passage and go with it.

use std::collections::HashMap;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::keyword::KeywordReader;
use super::rows::ChunkRow;
use super::store_error;
use crate::error::Result;
use crate::glossary::{definitions, key};

/// Between what a name is looked up by and the other name. No name has it.
const BETWEEN: char = '\u{1}';
/// So many other names of one are looked at in each part of the index.
const MOST_LOOKED_AT: usize = 64;
/// More passages than this that say the same are not counted.
const MOST_COUNTED: u64 = 100;

/// Another name for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherName {
    /// It, as a document writes it.
    pub name: String,
    /// How many passages say so, counted up to a hundred in each part of the index.
    pub passages: u64,
}

/// The terms by which the names that a passage defines are found, each by the other.
pub(super) fn name_entries(chunk: &ChunkRow) -> Vec<String> {
    let entry = |from: &str, to: &str| key(from).map(|key| format!("{key}{BETWEEN}{to}"));
    let both =
        |found: crate::glossary::Definition| [entry(&found.short, &found.long), entry(&found.long, &found.short)];
    definitions(&chunk.content, &chunk.context).into_iter().flat_map(both).flatten().collect()
}

impl KeywordReader {
    /// The other names for those with the given keys; those that have none are left out.
    pub(super) fn other_names(&self, keys: &[String]) -> Result<HashMap<String, Vec<OtherName>>> {
        let fail = |error: &(dyn std::error::Error + 'static)| store_error("read", &self.folder, error);
        let mut found: HashMap<String, Vec<OtherName>> = HashMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.names).map_err(|error| fail(&error))?;
            if index.terms().num_terms() == 0 {
                continue;
            }
            for key in keys {
                let (from, behind) = (format!("{key}{BETWEEN}"), format!("{key}\u{2}"));
                let range = index.terms().range().ge(from.as_bytes()).lt(behind.as_bytes());
                let mut terms = range.into_stream().map_err(|error| fail(&error))?;
                let mut looked_at = 0;
                while looked_at < MOST_LOOKED_AT && terms.advance() {
                    looked_at += 1;
                    let Some(name) = terms.key().get(from.len()..).and_then(|name| std::str::from_utf8(name).ok())
                    else {
                        continue;
                    };
                    let postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
                    let mut postings = postings.map_err(|error| fail(&error))?;
                    let mut passages = 0;
                    while postings.doc() != TERMINATED && passages < MOST_COUNTED {
                        // What was deleted stays in the segment until it is merged.
                        passages += u64::from(!segment.is_deleted(postings.doc()));
                        postings.advance();
                    }
                    if passages == 0 {
                        continue;
                    }
                    let others = found.entry(key.clone()).or_default();
                    match others.iter_mut().find(|other| other.name == name) {
                        Some(known) => known.passages += passages,
                        None => others.push(OtherName { name: name.to_owned(), passages }),
                    }
                }
            }
        }
        Ok(found)
    }
}

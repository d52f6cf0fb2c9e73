//! The words of the keyword index, and other names for the same thing as parent chunks define them.
//!
//! Names are terms of a field of their own: a look-up takes microseconds in a store of any size, and names come and go with
//! their parent chunks.

use std::collections::HashMap;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::keyword::{KeywordField, KeywordReader};
use super::rows::ParentChunk;
use super::store_error;
use crate::error::Result;
use crate::knowledge::names::{definitions, key};

/// The fields that parent chunks are found by.
const FIELDS: [KeywordField; 2] = [KeywordField::Content, KeywordField::Titles];

impl KeywordReader {
    /// How many parent chunks have a word in their text, and how many in their titles; the larger of the two.
    pub(super) fn parent_chunks_with(&self, word: &str) -> Result<u64> {
        let searcher = self.reader.searcher();
        let mut most = 0;
        for field in FIELDS {
            let term = tantivy::Term::from_field_text(self.field(field), word);
            most = most.max(searcher.doc_freq(&term).map_err(|error| store_error("search", &self.folder, &error))?);
        }
        Ok(most)
    }

    /// The words that begin with `start` and that `wanted` takes, each with the number of parent chunks that have it.
    pub(super) fn words_beginning(&self, start: char, wanted: &dyn Fn(&str) -> bool) -> Result<HashMap<String, u64>> {
        let fail = |error: &(dyn std::error::Error + 'static)| store_error("read", &self.folder, error);
        let (mut from, mut behind) = ([0; 4], [0; 4]);
        let from = start.encode_utf8(&mut from).as_bytes();
        let next = (start as u32 + 1..=char::MAX as u32).find_map(char::from_u32);
        let mut found: HashMap<String, u64> = HashMap::new();
        for field in FIELDS {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for segment in self.reader.searcher().segment_readers() {
                let index = segment.inverted_index(self.field(field)).map_err(|error| fail(&error))?;
                let mut range = index.terms().range().ge(from);
                if let Some(next) = next {
                    range = range.lt(next.encode_utf8(&mut behind).as_bytes());
                }
                let mut words = range.into_stream().map_err(|error| fail(&error))?;
                while words.advance() {
                    let Ok(word) = std::str::from_utf8(words.key()) else { continue };
                    if wanted(word) {
                        *counts.entry(word.to_owned()).or_default() += u64::from(words.value().doc_freq);
                    }
                }
            }
            for (word, count) in counts {
                let known = found.entry(word).or_default();
                *known = count.max(*known);
            }
        }
        Ok(found)
    }
}

/// Between what a name is looked up by and the other name. No name has it.
const BETWEEN: char = '\u{1}';
/// So many other names of one are looked at in each part of the index.
const MOST_LOOKED_AT: usize = 64;
/// More parent chunks than this that say the same are not counted.
const MOST_COUNTED: u64 = 100;

/// Another name for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherName {
    /// It, as a document writes it.
    pub name: String,
    /// How many parent chunks say so, counted up to a hundred in each part of the index.
    pub parent_chunks: u64,
}

/// The terms by which the names that a parent chunk defines are found, each by the other.
pub(super) fn name_entries(chunk: &ParentChunk) -> Vec<String> {
    let entry = |from: &str, to: &str| key(from).map(|key| format!("{key}{BETWEEN}{to}"));
    let both = |found: crate::knowledge::names::Definition| {
        [entry(&found.short, &found.long), entry(&found.long, &found.short)]
    };
    definitions(&chunk.content, &chunk.titles).into_iter().flat_map(both).flatten().collect()
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
                    let mut parent_chunks = 0;
                    while postings.doc() != TERMINATED && parent_chunks < MOST_COUNTED {
                        // What was deleted stays in the segment until it is merged.
                        parent_chunks += u64::from(!segment.is_deleted(postings.doc()));
                        postings.advance();
                    }
                    if parent_chunks == 0 {
                        continue;
                    }
                    let others = found.entry(key.clone()).or_default();
                    match others.iter_mut().find(|other| other.name == name) {
                        Some(known) => known.parent_chunks += parent_chunks,
                        None => others.push(OtherName { name: name.to_owned(), parent_chunks }),
                    }
                }
            }
        }
        Ok(found)
    }
}

//! The words that a keyword index knows.

use std::collections::HashMap;

use super::keyword::{KeywordField, KeywordReader};
use super::store_error;
use crate::error::Result;

/// The fields that passages are found by.
const FIELDS: [KeywordField; 2] = [KeywordField::Content, KeywordField::Context];

impl KeywordReader {
    /// How many passages have a word in their text, and how many in their titles; the larger of the two.
    pub(super) fn passages_with(&self, word: &str) -> Result<u64> {
        let searcher = self.reader.searcher();
        let mut most = 0;
        for field in FIELDS {
            let term = tantivy::Term::from_field_text(self.field(field), word);
            most = most.max(searcher.doc_freq(&term).map_err(|error| store_error("search", &self.folder, &error))?);
        }
        Ok(most)
    }

    /// The words that begin with `start` and that `wanted` takes, each with the number of passages that have it.
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

//! The vocabulary of the keyword index, and the synonyms that parent chunks define.
//!
//! Names are terms of their own field: finding one takes microseconds in a store of any size, and names come and go
//! with their parent chunks.

use std::collections::HashMap;

use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{InvertedIndexReader, SegmentReader, Term};

use super::index::{KeywordField, KeywordReader, alive};
use crate::error::Result;
use crate::knowledge::names::{Definition, definitions, key};
use crate::store::rows::ParentChunk;

/// The searched fields of parent chunks.
const FIELDS: [KeywordField; 2] = [KeywordField::Content, KeywordField::Titles];

impl KeywordReader {
    /// The number of parent chunks with a word in their text, or in their titles, whichever is larger.
    pub fn parent_chunks_with(&self, word: &str) -> Result<u64> {
        let mut most = 0;
        for field in FIELDS.map(|field| self.field(field)) {
            let mut with = 0;
            for segment in self.reader.searcher().segment_readers() {
                let index = segment.inverted_index(field).map_err(|error| self.failed(error))?;
                let info = index.get_term_info(&Term::from_field_text(field, word));
                if let Some(info) = info.map_err(|error| self.failed(error))? {
                    with += self.entries_of(segment, &index, &info)?;
                }
            }
            most = most.max(with);
        }
        Ok(most)
    }

    /// The number of entries of a segment with a word. It counts deleted ones too, unless all may be deleted.
    fn entries_of(&self, segment: &SegmentReader, index: &InvertedIndexReader, word: &TermInfo) -> Result<u64> {
        if word.doc_freq > segment.num_deleted_docs() {
            return Ok(u64::from(word.doc_freq));
        }
        let postings = index.read_postings_from_terminfo(word, IndexRecordOption::Basic);
        Ok(alive(segment, postings.map_err(|error| self.failed(error))?).count() as u64)
    }

    /// The indexed words that begin with `start` and that `wanted` accepts, each with its number of parent chunks.
    pub fn words_beginning(&self, start: char, wanted: &dyn Fn(&str) -> bool) -> Result<HashMap<String, u64>> {
        let failed = |error: std::io::Error| self.failed(error);
        let next = (start as u32 + 1..=char::MAX as u32).find_map(char::from_u32);
        let mut found: HashMap<String, u64> = HashMap::new();
        for field in FIELDS {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for segment in self.reader.searcher().segment_readers() {
                let index = segment.inverted_index(self.field(field)).map_err(|error| self.failed(error))?;
                let mut range = index.terms().range().ge(start.to_string());
                if let Some(next) = next {
                    range = range.lt(next.to_string());
                }
                let mut words = range.into_stream().map_err(failed)?;
                while words.advance() {
                    let Ok(word) = std::str::from_utf8(words.key()) else { continue };
                    if wanted(word) {
                        let with = self.entries_of(segment, &index, words.value())?;
                        *counts.entry(word.to_owned()).or_default() += with;
                    }
                }
            }
            for (word, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
                let known = found.entry(word).or_default();
                *known = count.max(*known);
            }
        }
        Ok(found)
    }

    /// The other names that parent chunks define for names with the given [`key`]s. Keys without other names are left
    /// out.
    pub fn other_names(&self, keys: &[String]) -> Result<HashMap<String, Vec<OtherName>>> {
        let failed = |error: std::io::Error| self.failed(error);
        let mut found: HashMap<String, Vec<OtherName>> = HashMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.names).map_err(|error| self.failed(error))?;
            for key in keys {
                let (from, behind) = (format!("{key}{BETWEEN}"), format!("{key}\u{2}"));
                let range = index.terms().range().ge(&from).lt(behind);
                let mut terms = range.into_stream().map_err(failed)?;
                for _ in 0..MOST_NAMES {
                    if !terms.advance() {
                        break;
                    }
                    let Ok(name) = std::str::from_utf8(&terms.key()[from.len()..]) else { continue };
                    let postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
                    let entries = alive(segment, postings.map_err(failed)?);
                    let parent_chunks = entries.take(MOST_COUNTED).count() as u64;
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

/// Separates the key of a name from the other name. No name contains it.
const BETWEEN: char = '\u{1}';
/// The maximum number of other names of a key that are read in each segment of the index.
const MOST_NAMES: usize = 64;
/// The highest count of parent chunks with the same definition, in each segment.
const MOST_COUNTED: usize = 100;

/// Another name of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherName {
    /// As a document writes it.
    pub name: String,
    /// The number of parent chunks that define it, counted up to a hundred in each segment of the index.
    pub parent_chunks: u64,
}

/// The terms for the names that a parent chunk defines: short by long and long by short.
pub(super) fn name_entries(chunk: &ParentChunk) -> Vec<String> {
    let entry = |from: &str, to: &str| key(from).map(|key| format!("{key}{BETWEEN}{to}"));
    let both = |found: Definition| [entry(&found.short, &found.long), entry(&found.long, &found.short)];
    definitions(&chunk.content, &chunk.titles).into_iter().flat_map(both).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keyword::writer::KeywordWriter;
    use crate::store::samples::namespace;

    #[test]
    fn words_of_deleted_parent_chunks_only_are_unknown() {
        let (_folder, namespace) = namespace();
        let texts = [("a:0", "pump"), ("a:1", "piston"), ("b:0", "pump"), ("b:1", "pump")];
        let parents = texts.map(|(id, text)| ParentChunk::sample(id, text));
        let reader = KeywordWriter::index_without(&namespace, &parents, &["a".into()]);
        let known = reader.words_beginning('p', &|_| true).unwrap();
        assert_eq!((reader.parent_chunks_with("piston").unwrap(), known.contains_key("piston")), (0, false));
        assert!(reader.parent_chunks_with("pump").unwrap() > 0 && known.contains_key("pump"));
    }
}

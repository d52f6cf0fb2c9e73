//! Recognises files that were renamed and changed between two ingests: what people did to their documents stays.

use std::collections::{HashMap, HashSet};

use super::cut_document::CutDocument;
use super::plan::{Existing, is_gone};
use super::prepare::done_by_hand;
use super::stored::read_at_once;
use crate::edits::as_the_source_says;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::{DocumentRow, NewDocument, Snapshot, Store};
use crate::text::sentences::sentences;
use crate::text::squeeze;

/// With more of them, a disk is missing rather than a few files renamed, and nothing is compared.
const MOST_COMPARED: usize = 256;

/// The documents that people have worked on and whose files are gone, by their sentences: these do not depend on how a
/// document was cut.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// The sources, with the numbers of their sentences.
    documents: Vec<(String, usize)>,
    /// The places in that list of the documents with a sentence.
    with_sentence: HashMap<blake3::Hash, Vec<usize>>,
}

impl Gone {
    /// # Errors
    /// If the store cannot be read.
    pub(super) async fn of(snapshot: &Snapshot, existing: &Existing, store: &Store) -> Result<Self> {
        let is_wanted = |row: &&DocumentRow| !done_by_hand(row).is_empty() && is_gone(row, store);
        let rows: Vec<DocumentRow> = existing.values().filter(is_wanted).take(MOST_COMPARED + 1).cloned().collect();
        let mut gone = Gone::default();
        if rows.len() > MOST_COMPARED {
            return Ok(gone);
        }
        for some in read_at_once(&rows) {
            let ids: Vec<DocId> = some.iter().map(|row| row.doc_id.clone()).collect();
            let mut parents = snapshot.parents_of_each(&ids).await?;
            for row in some {
                let parents = parents.remove(&row.doc_id).unwrap_or_default();
                let stored = NewDocument { document: row.clone(), sections: Vec::new(), parents };
                let parents = as_the_source_says(&stored);
                gone.add(&row.source, parents.iter().map(|parent| parent.content.as_str()));
            }
        }
        Ok(gone)
    }

    fn add<'t>(&mut self, source: &str, parents: impl Iterator<Item = &'t str>) {
        let (place, sentences) = (self.documents.len(), sentences_of(parents));
        self.documents.push((source.to_owned(), sentences.len()));
        sentences.into_iter().for_each(|sentence| self.with_sentence.entry(sentence).or_default().push(place));
    }

    /// The sources of those that have more than half of their sentences in common with a new document, and the document
    /// with them. The one with most comes first.
    pub(super) fn like(&self, document: &CutDocument) -> Vec<&str> {
        self.like_texts(document.parents.iter().map(|parent| parent.text.content.as_str()))
    }

    fn like_texts<'t>(&self, parents: impl Iterator<Item = &'t str>) -> Vec<&str> {
        if self.documents.is_empty() {
            return Vec::new();
        }
        let own = sentences_of(parents);
        let mut shared = vec![0usize; self.documents.len()];
        own.iter().filter_map(|sentence| self.with_sentence.get(sentence)).flatten().for_each(|&at| shared[at] += 1);
        let each = shared.into_iter().zip(&self.documents);
        let alike = each.filter(|(shared, (_, theirs))| 2 * shared > own.len().max(*theirs));
        let mut alike: Vec<(usize, &str)> = alike.map(|(shared, (source, _))| (shared, source.as_str())).collect();
        alike.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        alike.into_iter().map(|(_, source)| source).collect()
    }
}

/// The hashes of the sentences of some parent chunks, each once.
fn sentences_of<'t>(parents: impl Iterator<Item = &'t str>) -> HashSet<blake3::Hash> {
    let each = parents.flat_map(|text| sentences(text).into_iter().map(move |range| &text[range]));
    each.map(|sentence| blake3::hash(squeeze(sentence).as_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_recognised_by_more_than_half_of_its_sentences() {
        let mut gone = Gone::default();
        gone.add("a.md", ["Prime the pump. Open the valve. ", "Start the motor."].into_iter());
        gone.add("b.md", ["Prime the pump. Open the valve.\nStart the motor. Watch the gauge."].into_iter());
        let like = |text: &'static str| gone.like_texts([text].into_iter());
        assert_eq!(like("Prime the pump. Open the\nvalve. Start the motor. Close the valve."), ["a.md", "b.md"]);
        assert_eq!(like("Prime the pump. Open the valve. Start the motor. Watch the gauge. End."), ["b.md", "a.md"]);
        assert_eq!(like("Prime the pump. Open the valve."), ["a.md"], "half of the other one");
        assert_eq!(like("Prime the pump. One. Two. Three."), [""; 0]);
        assert_eq!(like(""), [""; 0]);
    }
}

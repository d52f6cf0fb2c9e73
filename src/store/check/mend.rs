//! A damaged document made as sound as the store alone allows. A pure function.

use serde::Serialize;

use super::edits;
use super::ids::{unique, without_parent};
use super::passages::{agrees, counts, missing, spans};
use super::vectors::{close, document_fault, fault, mean};
use crate::store::{ChunkType, NewDocument, children_by_parent};
use crate::text::count;

/// Something that a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mended {
    /// The document, section, chunk or index.
    pub id: String,
    /// What was done.
    pub what: String,
}

impl Mended {
    pub(super) fn new(id: &str, what: impl Into<String>) -> Self {
        Mended { id: id.to_owned(), what: what.into() }
    }
}

/// Mends what can be mended, and says what was done.
pub(super) fn mend(new: NewDocument, dimension: usize) -> (NewDocument, Vec<Mended>) {
    let mut done = Vec::new();
    let (mut new, several) = unique(new);
    for (id, times) in several {
        done.push(Mended::new(&id, format!("{} of the same id removed", count(times - 1, "row"))));
    }
    let orphans = without_parent(&new);
    new.chunks.retain(|row| {
        let stays = !orphans.contains(&row.chunk_id);
        if !stays {
            done.push(Mended::new(&row.chunk_id, "removed: its passage is not there"));
        }
        stays
    });
    mend_vectors(&mut new, dimension, &mut done);
    // Where passages are missing, the old numbers say so, and stay.
    if missing(&new).is_empty() {
        mend_spans(&mut new, &mut done);
        mend_counts(&mut new, &mut done);
        edits::mend(&mut new, &mut done);
    }
    (new, done)
}

fn mend_vectors(new: &mut NewDocument, dimension: usize, done: &mut Vec<Mended>) {
    if document_fault(&new.document, dimension).is_some() {
        (new.document.vector, new.document.vector_of) = (Vec::new(), None);
        done.push(Mended::new(&new.document.doc_id, "its vector removed; `kb ingest` makes a new one"));
    }
    for row in new.chunks.iter_mut().filter(|row| row.chunk_type == ChunkType::Child) {
        if fault(&row.vector, dimension).is_some() {
            row.vector.clear();
            done.push(Mended::new(&row.chunk_id, "its vector removed; `kb ingest` makes a new one"));
        }
    }
    let pieces = children_by_parent(&new.chunks);
    let wanted: Vec<Option<Vec<f32>>> = new
        .chunks
        .iter()
        .map(|row| match pieces.get(row.chunk_id.as_str()) {
            Some(own) => Some(mean(own)).filter(|mean| !close(&row.vector, mean)),
            None if row.chunk_type == ChunkType::Parent => fault(&row.vector, dimension).map(|_| Vec::new()),
            None => None,
        })
        .collect();
    for (row, vector) in new.chunks.iter_mut().zip(wanted) {
        if let Some(vector) = vector {
            row.vector = vector;
            done.push(Mended::new(&row.chunk_id, "its vector recomputed from its pieces"));
        }
    }
    let mut children = new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Child).peekable();
    let any = children.peek().is_some();
    let all = children.all(|row| !row.vector.is_empty());
    if any && new.document.embedded != all {
        new.document.embedded = all;
        let what =
            if all { "marked as having all vectors" } else { "marked as lacking vectors; `kb ingest` makes them" };
        done.push(Mended::new(&new.document.doc_id, what));
    }
}

fn mend_spans(new: &mut NewDocument, done: &mut Vec<Mended>) {
    let spans = spans(new);
    for (row, span) in new.sections.iter_mut().zip(spans) {
        if let Some(span) = span.filter(|span| !agrees(row.chunk_start, row.chunk_end, *span)) {
            (row.chunk_start, row.chunk_end) = span;
            done.push(Mended::new(&row.section_id, "its passages counted anew"));
        }
    }
}

fn mend_counts(new: &mut NewDocument, done: &mut Vec<Mended>) {
    let right = counts(new);
    let document = &mut new.document;
    if [document.sections, document.parents, document.children] != right {
        [document.sections, document.parents, document.children] = right;
        done.push(Mended::new(&document.doc_id, "its counts corrected"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::audit;
    use super::super::sample::{DIMENSION, document};
    use super::*;

    #[test]
    fn a_sound_document_stays_as_it_is() {
        assert!(audit(&document(), DIMENSION).is_empty());
        assert_eq!(mend(document(), DIMENSION), (document(), Vec::new()));
    }

    #[test]
    fn what_the_store_suffices_for_is_mended() {
        let mut new = document();
        new.chunks.push(new.chunks[1].clone());
        new.chunks[0].vector = vec![f32::NAN, 0.0];
        new.sections[1].chunk_start = 7;
        new.document.children = 12;
        assert_eq!(audit(&new, DIMENSION).len(), 4);
        let (mended, done) = mend(new, DIMENSION);
        assert_eq!(done.len(), 4, "{done:?}");
        assert!(audit(&mended, DIMENSION).is_empty());
        assert_eq!(mended, document());
    }

    #[test]
    fn a_vector_that_cannot_be_recomputed_is_left_to_the_next_ingest() {
        let mut new = document();
        new.chunks[1].vector = vec![0.0, 0.0];
        let (mended, done) = mend(new, DIMENSION);
        assert!(audit(&mended, DIMENSION).is_empty(), "{done:?}");
        assert_eq!((mended.document.embedded, mended.chunks[0].vector.as_slice()), (false, &[0.0, 1.0][..]));
    }

    #[test]
    fn a_damaged_vector_of_the_document_is_removed() {
        for vector in [Vec::new(), vec![f32::NAN, 0.0], vec![1.0]] {
            let mut new = document();
            (new.document.vector, new.document.vector_of) = (vector, Some("h".into()));
            assert_eq!(audit(&new, DIMENSION).len(), 1);
            assert_eq!(mend(new, DIMENSION).0, document());
        }
    }

    #[test]
    fn a_lost_passage_stays_lost_and_is_not_counted_away() {
        let mut new = document();
        new.chunks.remove(3);
        let (mended, _) = mend(new, DIMENSION);
        let left = audit(&mended, DIMENSION);
        assert_eq!((left.len(), left[0].id.as_str(), left[0].repairable), (1, "abc123:1", false));
    }
}

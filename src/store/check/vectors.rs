//! Checks vectors: each must have the right dimension and length 1. A parent chunk and its child chunks are embedded
//! together, so all of them have a vector or none.

use super::finding::{Finding, Part};
use crate::store::{DocumentRow, NewDocument, ParentChunk};

/// The tolerance of the length: the error of single precision is a ten-thousandth of this.
const TOLERANCE: f32 = 1e-3;

/// What is wrong with a vector; `None` if it is sound or empty.
pub(super) fn fault(vector: &[f32], dimension: usize) -> Option<String> {
    if vector.is_empty() {
        return None;
    }
    if vector.len() != dimension {
        return Some(format!("has a vector of {} numbers instead of {dimension}", vector.len()));
    }
    if vector.iter().any(|x| !x.is_finite()) {
        return Some("has a vector with invalid numbers".to_owned());
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    ((length - 1.0).abs() > TOLERANCE).then(|| format!("has a vector of length {length:.3} instead of 1"))
}

/// What is wrong with the vector of a document's summary.
pub(super) fn document_fault(row: &DocumentRow, dimension: usize) -> Option<String> {
    let missing = row.embedding_hash.is_some() && row.vector.is_empty();
    fault(&row.vector, dimension)
        .or_else(|| missing.then(|| "has no vector, but its row says that it has one".to_owned()))
}

/// Whether only some of a parent chunk and its child chunks have vectors.
pub(super) fn is_torn(parent: &ParentChunk) -> bool {
    let any = parent.chunks().any(|chunk| !chunk.vector.is_empty());
    any && !parent.has_vectors()
}

/// Wrong and missing vectors.
pub(super) fn check(new: &NewDocument, dimension: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |id: &str, what: String| findings.push(Finding::repairable(id, Part::Vectors, what));
    if let Some(what) = document_fault(&new.document, dimension) {
        say(&new.document.doc_id, what);
    }
    for row in new.chunks() {
        if let Some(what) = fault(&row.vector, dimension) {
            say(&row.chunk_id, what);
        }
    }
    // The model cannot read the text of a parent chunk without any vectors.
    for parent in new.parents.iter().filter(|parent| new.document.embedded && is_torn(parent)) {
        say(&parent.chunk_id, "has vectors only for a part of itself and its child chunks".to_owned());
    }
    let all = !new.parents.is_empty() && new.parents.iter().all(ParentChunk::has_vectors);
    if !new.document.embedded && all {
        say(&new.document.doc_id, "is marked as lacking vectors, but none is missing".to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DIMENSION, document};
    use super::*;

    #[test]
    fn vectors_need_the_right_dimension_and_length_one() {
        assert_eq!(fault(&[], 2), None);
        assert_eq!(fault(&[0.6, 0.8], 2), None);
        assert!(fault(&[1.0], 2).is_some_and(|what| what.contains("1 numbers instead of 2")));
        assert!(fault(&[f32::NAN, 0.0], 2).is_some());
        assert!(fault(&[1.0, 1.0], 2).is_some_and(|what| what.contains("1.414")));
    }

    #[test]
    fn vectors_may_be_missing_if_the_document_says_so() {
        let mut new = document();
        assert!(check(&new, DIMENSION).is_empty());
        new.parents[0].children[0].vector.clear();
        assert_eq!(check(&new, DIMENSION)[0].id, "abc123:0");
        new.document.embedded = false;
        assert!(check(&new, DIMENSION).is_empty());
        new.document.embedded = true;
        new.chunks_mut().for_each(|row| row.vector.clear());
        assert!(check(&new, DIMENSION).is_empty(), "the model does not read it");
        let mut all_there = document();
        all_there.document.embedded = false;
        assert_eq!(check(&all_there, DIMENSION)[0].id, "abc123");
    }
}

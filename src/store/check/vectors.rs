//! Vectors: of the right size and length 1, and a parent chunk's is the normalised mean of its child chunks'.

use super::finding::{Finding, Part};
use crate::store::NewDocument;

/// How far a length may be from 1, and a number from the one recomputed: single precision leaves a ten-thousandth of
/// this.
const TOLERANCE: f32 = 1e-3;

/// What is wrong with a vector by itself; nothing, where there is none.
pub(super) fn fault(vector: &[f32], dimension: usize) -> Option<String> {
    if vector.is_empty() {
        return None;
    }
    if vector.len() != dimension {
        return Some(format!("has a vector of {} numbers instead of {dimension}", vector.len()));
    }
    if vector.iter().any(|x| !x.is_finite()) {
        return Some("has a vector with numbers that are none".to_owned());
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    ((length - 1.0).abs() > TOLERANCE).then(|| format!("has a vector of length {length:.3} instead of 1"))
}

/// Whether a parent chunk's vector is the one it should have.
pub(super) fn close(vector: &[f32], wanted: &[f32]) -> bool {
    vector.len() == wanted.len() && vector.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= TOLERANCE)
}

/// Vectors that are wrong or missing.
pub(super) fn check(new: &NewDocument, dimension: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |id: &str, what: String| findings.push(Finding::repairable(id, Part::Vectors, what));
    if let Some(what) = fault(&new.document.vector, dimension) {
        say(&new.document.doc_id, what);
    }
    let mut child_chunks_without = 0;
    for row in new.chunks() {
        if let Some(what) = fault(&row.vector, dimension) {
            say(&row.chunk_id, what);
        }
    }
    for parent in &new.parents {
        let without = parent.children.iter().filter(|child| child.vector.is_empty());
        child_chunks_without += without.clone().count();
        // The model does not read a parent chunk of which no child chunk has a vector.
        if new.document.embedded && !parent.vector.is_empty() {
            without.for_each(|child| {
                say(&child.chunk_id, "has no vector, and others of its parent chunk have".to_owned())
            });
        }
    }
    for row in new.parents.iter().filter(|row| fault(&row.vector, dimension).is_none()) {
        let sound = row.children.iter().all(|child| fault(&child.vector, dimension).is_none());
        // Of child chunks that are wrong themselves, no mean can be expected.
        if !row.children.is_empty() && sound && !close(&row.vector, &row.mean_vector()) {
            let what = if row.vector.is_empty() {
                "has no vector, and its child chunks have"
            } else {
                "has a vector that is not the mean of its child chunks'"
            };
            say(&row.chunk_id, what.to_owned());
        }
    }
    let [_, _, children] = super::chunks::counts(new);
    if !new.document.embedded && children > 0 && child_chunks_without == 0 {
        say(&new.document.doc_id, "says that vectors are missing, and none is".to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DIMENSION, document};
    use super::*;

    #[test]
    fn a_vector_has_its_size_and_length_one() {
        assert_eq!(fault(&[], 2), None);
        assert_eq!(fault(&[0.6, 0.8], 2), None);
        assert!(fault(&[1.0], 2).is_some_and(|what| what.contains("1 numbers instead of 2")));
        assert!(fault(&[f32::NAN, 0.0], 2).is_some());
        assert!(fault(&[1.0, 1.0], 2).is_some_and(|what| what.contains("1.414")));
    }

    #[test]
    fn a_parent_chunk_has_the_mean_of_its_child_chunks() {
        let mut new = document();
        assert!(check(&new, DIMENSION).is_empty());
        new.parents[0].vector = vec![1.0, 0.0];
        assert_eq!(check(&new, DIMENSION)[0].id, "abc123:0");
    }

    #[test]
    fn vectors_may_be_missing_where_the_document_says_so() {
        let mut new = document();
        new.parents[0].children[0].vector.clear();
        new.parents[0].vector = new.parents[0].mean_vector();
        assert_eq!(check(&new, DIMENSION)[0].id, "abc123:0.0");
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

//! Checks vectors: each must have the right dimension and length 1. A parent chunk and its child chunks are embedded
//! together, so all of them have a vector or none.

use super::finding::{Faults, Finding, Fix, Part};
use crate::error::NextStep;
use crate::store::{DocumentRow, NewDocument, ParentChunk};

/// The tolerance of the length: the error of single precision is a ten-thousandth of this.
const TOLERANCE: f32 = 1e-3;

/// What is wrong with a vector; `None` if it is sound or empty.
fn fault(vector: &[f32], dimension: usize) -> Option<String> {
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
fn document_fault(row: &DocumentRow, dimension: usize) -> Option<String> {
    let missing = row.embedding_hash.is_some() && row.vector.is_empty();
    fault(&row.vector, dimension)
        .or_else(|| missing.then(|| "has no vector, but its row says that it has one".to_owned()))
}

/// Whether only some of a parent chunk and its child chunks have vectors.
fn is_torn(parent: &ParentChunk) -> bool {
    let any = parent.chunks().any(|chunk| !chunk.vector.is_empty());
    any && !parent.has_vectors()
}

/// Wrong and missing vectors. Removes the wrong ones, and corrects the mark of a document that has or lacks all.
pub(super) fn check(new: &mut NewDocument, dimension: usize) -> Faults {
    let mut faults = Faults::default();
    let all = !new.parents.is_empty() && new.parents.iter().all(ParentChunk::has_vectors);
    let document = &mut new.document;
    // As the vectors are stored: below, damaged ones are removed. The model cannot read the text of a parent chunk
    // without any vectors.
    let torn = new.parents.iter().filter(|parent| document.embedded && is_torn(parent));
    let what = "has vectors only for a part of itself and its child chunks";
    let torn = torn.map(|parent| Finding::repairable(&parent.chunk_id, Part::Vectors, what));
    let mut marks: Vec<Finding> = torn.collect();
    if !document.embedded && all {
        let what = "is marked as lacking vectors, but none is missing";
        marks.push(Finding::repairable(&document.doc_id, Part::Vectors, what));
    }
    let removed = format!("its vector removed; `{}` makes a new one", NextStep::MakeVectors);
    if let Some(what) = document_fault(document, dimension) {
        faults.repaired(&document.doc_id, Part::Vectors, what, &removed);
        (document.vector, document.embedding_hash) = (Vec::new(), None);
    }
    let mut lost = false;
    for parent in &mut new.parents {
        for chunk in parent.chunks_mut() {
            if let Some(what) = fault(&chunk.vector, dimension) {
                faults.repaired(&chunk.chunk_id, Part::Vectors, what, &removed);
                chunk.vector.clear();
                lost = true;
            }
        }
        lost |= is_torn(parent);
    }
    faults.findings.extend(marks);
    let embedded = (document.embedded || all) && !lost;
    if document.embedded != embedded {
        document.embedded = embedded;
        let what = match embedded {
            true => "marked as having all vectors".to_owned(),
            false => format!("marked as lacking vectors; `{}` makes them", NextStep::MakeVectors),
        };
        faults.fixes.push(Fix::new(&document.doc_id, what));
    }
    faults
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
        let findings = |new: &NewDocument| check(&mut new.clone(), DIMENSION).findings;
        let mut new = document();
        assert!(findings(&new).is_empty());
        new.parents[0].children[0].vector.clear();
        assert_eq!(findings(&new)[0].id, "abc123:0");
        new.document.embedded = false;
        assert!(findings(&new).is_empty());
        new.document.embedded = true;
        new.chunks_mut().for_each(|row| row.vector.clear());
        assert!(findings(&new).is_empty(), "the model does not read it");
        let mut all_there = document();
        all_there.document.embedded = false;
        assert_eq!(findings(&all_there)[0].id, "abc123");
    }
}

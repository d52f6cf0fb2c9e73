//! Repairs a damaged document as far as the store alone allows, and checks its edits. Pure functions.

use super::chunks::{StoredRows, agrees, counts, missing, spans};
use super::finding::{Finding, Fix, Part};
use super::vectors::{document_fault, fault, is_torn};
use crate::error::NextStep;
use crate::store::{Edit, NewDocument, ParentChunk};
use crate::text::count;

/// Repairs a document as far as possible, and returns what was done.
pub(super) fn repair_document(mut rows: StoredRows, dimension: usize) -> (NewDocument, Vec<Fix>) {
    let mut done = Vec::new();
    for (id, times) in rows.remove_duplicates() {
        done.push(Fix::new(&id, format!("{} of the same id removed", count(times - 1, "row"))));
    }
    let orphans = rows.orphans();
    let lost = rows.chunks.iter().filter(|row| orphans.contains(&row.chunk_id));
    done.extend(lost.map(|row| Fix::new(&row.chunk_id, "removed: its parent chunk does not exist")));
    let mut new = rows.into_document();
    repair_vectors(&mut new, dimension, &mut done);
    // If parent chunks are missing, the recorded numbers are the evidence, so they stay.
    if missing(&new).is_empty() {
        repair_spans(&mut new, &mut done);
        repair_counts(&mut new, &mut done);
        repair_edits(&mut new, &mut done);
    }
    (new, done)
}

fn repair_vectors(new: &mut NewDocument, dimension: usize, done: &mut Vec<Fix>) {
    let removed = |id: &str| Fix::new(id, format!("its vector removed; `{}` makes a new one", NextStep::MakeVectors));
    if document_fault(&new.document, dimension).is_some() {
        (new.document.vector, new.document.embedding_hash) = (Vec::new(), None);
        done.push(removed(&new.document.doc_id));
    }
    let mut lost = false;
    for parent in &mut new.parents {
        for chunk in parent.chunks_mut() {
            if fault(&chunk.vector, dimension).is_some() {
                chunk.vector.clear();
                lost = true;
                done.push(removed(&chunk.chunk_id));
            }
        }
        lost |= is_torn(parent);
    }
    let all = !new.parents.is_empty() && new.parents.iter().all(ParentChunk::has_vectors);
    let embedded = (new.document.embedded || all) && !lost;
    if new.document.embedded != embedded {
        new.document.embedded = embedded;
        let what = match embedded {
            true => "marked as having all vectors".to_owned(),
            false => format!("marked as lacking vectors; `{}` makes them", NextStep::MakeVectors),
        };
        done.push(Fix::new(&new.document.doc_id, what));
    }
}

fn repair_spans(new: &mut NewDocument, done: &mut Vec<Fix>) {
    let spans = spans(new);
    for (row, span) in new.sections.iter_mut().zip(spans) {
        if let Some(span) = span.filter(|span| !agrees(row.chunk_start, row.chunk_end, *span)) {
            (row.chunk_start, row.chunk_end) = span;
            done.push(Fix::new(&row.section_id, "its parent chunks counted again"));
        }
    }
}

fn repair_counts(new: &mut NewDocument, done: &mut Vec<Fix>) {
    let right = counts(new);
    let document = &mut new.document;
    if [document.sections, document.parents, document.children] != right {
        [document.sections, document.parents, document.children] = right;
        done.push(Fix::new(&document.doc_id, "its counts corrected"));
    }
}

/// What is wrong with an edit; `None` if it agrees with its parent chunk.
fn edit_fault(edit: &Edit, parents: &[ParentChunk]) -> Option<String> {
    let index = edit.parent_chunk?;
    let parent = parents.iter().find(|parent| parent.chunk_index == index);
    match (parent, &edit.content) {
        (Some(row), Some(content)) if row.content == *content => None,
        (None, None) => None,
        (Some(_), Some(_)) => Some(format!("does not match the text of its parent chunk {index}")),
        (Some(_), None) => Some(format!("its parent chunk {index} was deleted but exists")),
        (None, Some(_)) => Some(format!("its parent chunk {index} does not exist")),
    }
}

/// Whether the edited mark of a parent chunk is wrong.
fn is_mismarked(row: &ParentChunk, edits: &[Edit]) -> bool {
    row.edited != edits.iter().any(|edit| edit.parent_chunk == Some(row.chunk_index))
}

/// Edits that disagree with their parent chunks. None if parent chunks are missing, which another check reports.
pub(super) fn check_edits(new: &NewDocument) -> Vec<Finding> {
    if !missing(new).is_empty() {
        return Vec::new();
    }
    let edits = &new.document.edits;
    let faults = edits.iter().filter_map(|edit| {
        let what = format!("edit {}: {}", edit.number, edit_fault(edit, &new.parents)?);
        Some(Finding::repairable(&new.document.doc_id, Part::Edits, what))
    });
    let marks = new.parents.iter().filter(|row| is_mismarked(row, edits)).map(|row| {
        let what =
            if row.edited { "is marked as edited but was not" } else { "was edited but is not marked as edited" };
        Finding::repairable(&row.chunk_id, Part::Edits, what)
    });
    faults.chain(marks).collect()
}

/// Turns edits that disagree with their parent chunks into conflicts, so that no typed text is lost.
fn repair_edits(new: &mut NewDocument, done: &mut Vec<Fix>) {
    for edit in &mut new.document.edits {
        if edit_fault(edit, &new.parents).is_some() {
            edit.parent_chunk = None;
            let what = format!("edit {} kept aside as a conflict", edit.number);
            done.push(Fix::new(&new.document.doc_id, what));
        }
    }
    let edits = &new.document.edits;
    for row in new.parents.iter_mut().filter(|row| is_mismarked(row, edits)) {
        row.edited = !row.edited;
        done.push(Fix::new(&row.chunk_id, if row.edited { "marked as edited" } else { "marked as not edited" }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::survey::audit;
    use super::super::tests::{DIMENSION, document, rows};
    use super::*;

    #[test]
    fn a_sound_document_is_not_changed() {
        assert_eq!(audit(rows(), DIMENSION), (Vec::new(), document()));
        assert_eq!(repair_document(rows(), DIMENSION), (document(), Vec::new()));
    }

    #[test]
    fn a_damaged_vector_of_the_document_is_removed() {
        for vector in [Vec::new(), vec![f32::NAN, 0.0], vec![1.0]] {
            let mut new = rows();
            (new.document.vector, new.document.embedding_hash) = (vector, Some("h".into()));
            assert_eq!(audit(new.clone(), DIMENSION).0.len(), 1);
            assert_eq!(repair_document(new, DIMENSION).0, document());
        }
    }

    fn edited() -> NewDocument {
        let mut new = document();
        new.parents[0].edited = true;
        let edit =
            Edit { number: 1, parent_chunk: Some(0), content: Some(new.parents[0].content.clone()), ..Edit::default() };
        new.document.edits.push(edit);
        new
    }

    #[test]
    fn an_edit_must_agree_with_its_parent_chunk() {
        let mut new = edited();
        assert!(check_edits(&new).is_empty());
        new.document.edits[0].content = Some("Something else.".into());
        new.parents[1].edited = true;
        assert_eq!(check_edits(&new).len(), 2);
        let mut done = Vec::new();
        repair_edits(&mut new, &mut done);
        assert!(check_edits(&new).is_empty() && !done.is_empty());
        assert_eq!(
            (new.document.edits[0].parent_chunk, new.parents[0].edited, new.parents[1].edited),
            (None, false, false)
        );
    }

    #[test]
    fn a_deleted_parent_chunk_must_stay_deleted() {
        let mut new = edited();
        new.document.edits[0].content = None;
        assert_eq!(check_edits(&new)[0].what, "edit 1: its parent chunk 0 was deleted but exists");
    }
}

//! Finds what is wrong with a document, and repairs it as far as the store alone allows. Pure functions.

use super::chunks::{StoredRows, check, check_counts, check_ids, check_sections, missing};
use super::finding::{Faults, Finding, Fix, Part};
use super::vectors;
use crate::store::{Edit, NewDocument, ParentChunk};
use crate::text::count;

/// The repaired document of some rows, without duplicates and orphans, and what was wrong with it.
pub(super) fn audit(mut rows: StoredRows, dimension: usize) -> (NewDocument, Faults) {
    let mut duplicates = Faults::default();
    for (id, times) in rows.remove_duplicates() {
        let fix = format!("{} of the same id removed", count(times - 1, "row"));
        duplicates.repaired(&id, Part::Ids, format!("is the id of {}", count(times, "row")), fix);
    }
    let orphans = rows.orphans();
    let ids = check_ids(&rows, &orphans);
    let mut new = rows.into_document();
    // If parent chunks are missing, the recorded numbers are the evidence, so they stay.
    let is_complete = missing(&new).is_empty();
    let of_chunks = check(&new);
    let of_vectors = vectors::check(&mut new, dimension);
    let sections = check_sections(&mut new, is_complete);
    let (mut counts, mut edits) = (Faults::default(), Faults::default());
    if is_complete {
        counts = check_counts(&mut new);
        edits = check_edits(&mut new);
    }
    if !orphans.is_empty() {
        // They were counted too, and are reported already.
        counts.findings.clear();
    }
    let findings = [
        duplicates.findings,
        ids.findings,
        counts.findings,
        of_chunks,
        sections.findings,
        edits.findings,
        of_vectors.findings,
    ]
    .concat();
    let fixes = [duplicates.fixes, ids.fixes, of_vectors.fixes, sections.fixes, counts.fixes, edits.fixes].concat();
    (new, Faults { findings, fixes })
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

/// Edits that disagree with their parent chunks. They become conflicts, so that no typed text is lost.
fn check_edits(NewDocument { document, parents, .. }: &mut NewDocument) -> Faults {
    let mut faults = Faults::default();
    // As the edits are stored: below, some become conflicts.
    let mismarked = parents.iter().filter(|row| is_mismarked(row, &document.edits)).map(|row| {
        let what =
            if row.edited { "is marked as edited but was not" } else { "was edited but is not marked as edited" };
        Finding::repairable(&row.chunk_id, Part::Edits, what)
    });
    let mismarked: Vec<Finding> = mismarked.collect();
    for edit in &mut document.edits {
        if let Some(what) = edit_fault(edit, parents) {
            let fix = format!("edit {} kept aside as a conflict", edit.number);
            faults.repaired(&document.doc_id, Part::Edits, format!("edit {}: {what}", edit.number), fix);
            edit.parent_chunk = None;
        }
    }
    faults.findings.extend(mismarked);
    for row in parents.iter_mut().filter(|row| is_mismarked(row, &document.edits)) {
        row.edited = !row.edited;
        let fix = if row.edited { "marked as edited" } else { "marked as not edited" };
        faults.fixes.push(Fix::new(&row.chunk_id, fix));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DIMENSION, document, rows};
    use super::*;

    #[test]
    fn a_sound_document_is_not_changed() {
        assert_eq!(audit(rows(), DIMENSION), (document(), Faults::default()));
    }

    #[test]
    fn the_numbers_of_lost_parent_chunks_stay() {
        let mut lost = rows();
        lost.chunks.truncate(3);
        let (new, Faults { findings, fixes }) = audit(lost, DIMENSION);
        assert_eq!((findings[0].what.as_str(), findings.len(), fixes.len()), ("is missing", 1, 0));
        assert_eq!(new.document, document().document);
    }

    #[test]
    fn a_damaged_vector_of_the_document_is_removed() {
        for vector in [Vec::new(), vec![f32::NAN, 0.0], vec![1.0]] {
            let mut new = rows();
            (new.document.vector, new.document.embedding_hash) = (vector, Some("h".into()));
            let (new, faults) = audit(new, DIMENSION);
            assert_eq!((new, faults.findings.len()), (document(), 1));
        }
    }

    fn edited() -> NewDocument {
        let mut new = document();
        new.parents[0].edited = true;
        let content = Some(new.parents[0].content.to_string());
        let edit = Edit { number: 1, parent_chunk: Some(0), content, ..Edit::default() };
        new.document.edits.push(edit);
        new
    }

    #[test]
    fn an_edit_must_agree_with_its_parent_chunk() {
        let mut new = edited();
        assert_eq!(check_edits(&mut new), Faults::default());
        new.document.edits[0].content = Some("Something else.".into());
        new.parents[1].edited = true;
        let faults = check_edits(&mut new);
        assert_eq!((faults.findings.len(), faults.fixes.len()), (2, 3));
        assert_eq!(check_edits(&mut new), Faults::default());
        assert_eq!(
            (new.document.edits[0].parent_chunk, new.parents[0].edited, new.parents[1].edited),
            (None, false, false)
        );
    }

    #[test]
    fn a_deleted_parent_chunk_must_stay_deleted() {
        let mut new = edited();
        new.document.edits[0].content = None;
        assert_eq!(check_edits(&mut new).findings[0].what, "edit 1: its parent chunk 0 was deleted but exists");
    }
}

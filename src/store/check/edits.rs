//! Edits: each is what its passage says, and passages know whether they were edited.

use super::finding::{Finding, Part};
use super::mend::Mended;
use super::passages::missing;
use crate::store::{ChunkRow, ChunkType, Edit, NewDocument};

/// The parent at a place.
fn parent(chunks: &[ChunkRow], index: u32) -> Option<&ChunkRow> {
    chunks.iter().find(|row| row.chunk_type == ChunkType::Parent && row.chunk_index == index)
}

/// What is wrong with an edit; nothing, where its passage says what it says, or was deleted as it says.
fn fault(edit: &Edit, chunks: &[ChunkRow]) -> Option<String> {
    let index = edit.passage?;
    match (parent(chunks, index), &edit.content) {
        (Some(row), Some(content)) if row.content == *content => None,
        (None, None) => None,
        (Some(_), Some(_)) => Some(format!("its passage {index} says something else")),
        (Some(_), None) => Some(format!("its passage {index} was deleted and is there")),
        (None, Some(_)) => Some(format!("its passage {index} is not there")),
    }
}

fn is_edited(row: &ChunkRow, edits: &[Edit]) -> bool {
    edits.iter().any(|edit| edit.passage == Some(row.chunk_index))
}

/// Whether a parent's mark is wrong.
fn is_mismarked(row: &ChunkRow, edits: &[Edit]) -> bool {
    row.chunk_type == ChunkType::Parent && row.edited != is_edited(row, edits)
}

/// Edits that are not what their passages say. Where passages are missing, that is what is wrong.
pub(super) fn check(new: &NewDocument) -> Vec<Finding> {
    if !missing(new).is_empty() {
        return Vec::new();
    }
    let edits = &new.document.edits;
    let faults = edits.iter().filter_map(|edit| {
        let what = format!("edit {}: {}", edit.number, fault(edit, &new.chunks)?);
        Some(Finding::repairable(&new.document.doc_id, Part::Edits, what))
    });
    let marks = new.chunks.iter().filter(|row| is_mismarked(row, edits)).map(|row| {
        let what = if row.edited { "is marked as edited and was not" } else { "was edited and is not marked so" };
        Finding::repairable(&row.chunk_id, Part::Edits, what)
    });
    faults.chain(marks).collect()
}

/// Keeps edits aside as conflicts that are not what their passages say: somebody typed them.
pub(super) fn mend(new: &mut NewDocument, done: &mut Vec<Mended>) {
    for edit in &mut new.document.edits {
        if fault(edit, &new.chunks).is_some() {
            edit.passage = None;
            let what = format!("edit {} kept aside as a conflict", edit.number);
            done.push(Mended::new(&new.document.doc_id, what));
        }
    }
    let edits = &new.document.edits;
    for row in new.chunks.iter_mut().filter(|row| is_mismarked(row, edits)) {
        row.edited = !row.edited;
        done.push(Mended::new(&row.chunk_id, if row.edited { "marked as edited" } else { "marked as not edited" }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::document;
    use super::*;

    fn edited() -> NewDocument {
        let mut new = document();
        new.chunks[0].edited = true;
        let edit =
            Edit { number: 1, passage: Some(0), content: Some(new.chunks[0].content.clone()), ..Edit::default() };
        new.document.edits.push(edit);
        new
    }

    #[test]
    fn an_edit_must_be_what_its_passage_says() {
        let mut new = edited();
        assert!(check(&new).is_empty());
        new.document.edits[0].content = Some("Something else.".into());
        new.chunks[3].edited = true;
        assert_eq!(check(&new).len(), 2);
        let mut done = Vec::new();
        mend(&mut new, &mut done);
        assert!(check(&new).is_empty() && !done.is_empty());
        assert_eq!((new.document.edits[0].passage, new.chunks[0].edited, new.chunks[3].edited), (None, false, false));
    }

    #[test]
    fn a_deleted_passage_stays_away() {
        let mut new = edited();
        new.document.edits[0].content = None;
        assert_eq!(check(&new)[0].what, "edit 1: its passage 0 was deleted and is there");
    }
}

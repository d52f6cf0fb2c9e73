//! The layer below: passages as the source gave them.

use std::collections::BTreeMap;

use crate::store::{ChunkRow, ChunkType, NewDocument};

/// A passage of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its place in the document.
    pub index: u32,
    /// Its section.
    pub section_id: String,
    /// The titles above it.
    pub context: String,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// Its text.
    pub text: String,
}

/// The passages of a document as its source gave them, in order; deleted ones are among them.
pub fn passages(new: &NewDocument) -> Vec<Passage> {
    let mut all: BTreeMap<u32, Passage> = new
        .chunks
        .iter()
        .filter(|row| row.chunk_type == ChunkType::Parent)
        .map(|row| {
            let passage = Passage {
                index: row.chunk_index,
                section_id: row.section_id.clone(),
                context: row.context.clone(),
                page_start: row.page_start,
                page_end: row.page_end,
                text: row.content.clone(),
            };
            (row.chunk_index, passage)
        })
        .collect();
    for edit in &new.document.edits {
        let Some(index) = edit.passage else { continue };
        let passage = Passage {
            index,
            section_id: edit.section_id.clone(),
            context: edit.context.clone(),
            page_start: edit.page_start,
            page_end: edit.page_end,
            text: edit.original.clone(),
        };
        all.insert(index, passage);
    }
    all.into_values().collect()
}

/// The chunks of a document as its source gave them. An edited passage comes as a parent and one piece with all of
/// its text: how its pieces were cut is not stored.
pub fn as_the_source_says(new: &NewDocument) -> Vec<ChunkRow> {
    if new.document.edits.iter().all(|edit| edit.passage.is_none()) {
        return new.chunks.clone();
    }
    let mut chunks = Vec::with_capacity(new.chunks.len());
    for passage in passages(new) {
        if super::edit_of(&new.document.edits, passage.index).is_some() {
            let parent = super::passage::parent_row(&new.document.doc_id, &passage, "");
            let mut child = parent.clone();
            child.chunk_id = format!("{}.0", parent.chunk_id);
            child.parent_id = Some(parent.chunk_id.clone());
            child.chunk_type = ChunkType::Child;
            child.chunk_index = 0;
            chunks.extend([parent, child]);
        } else {
            chunks.extend(super::passage::rows_of(&new.chunks, passage.index).cloned());
        }
    }
    chunks
}

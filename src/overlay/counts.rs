//! The numbers that a document's row and its sections hold about its chunks.

use crate::store::{ChunkType, NewDocument};

/// Makes the counts of the document and the spans of its sections those of its chunks.
pub fn mend_counts(new: &mut NewDocument) {
    let of = |kind: ChunkType| new.chunks.iter().filter(move |row| row.chunk_type == kind);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    new.document.parents = number(of(ChunkType::Parent).count());
    new.document.children = number(of(ChunkType::Child).count());
    for section in &mut new.sections {
        let own = || of(ChunkType::Parent).filter(|row| row.section_id == section.section_id);
        let start = own().map(|row| row.chunk_index).min().unwrap_or(0);
        let end = own().map(|row| row.chunk_index.saturating_add(1)).max().unwrap_or(0);
        (section.chunk_start, section.chunk_end) = (start, end);
    }
}

//! A sound document for the unit tests of the check: a preamble and a section, two parent chunks, of two child chunks and one.

use super::chunks::StoredRows;
use crate::store::{Chunk, ChunkRow, DocumentRow, NewDocument, SectionRow};

pub(super) const DIMENSION: usize = 2;

fn section(path: &str, position: u32) -> SectionRow {
    SectionRow {
        section_id: format!("abc123#{path}").into(),
        doc_id: "abc123".into(),
        position,
        parent_id: None,
        level: position,
        path: path.into(),
        title: "t".into(),
        page_start: None,
        page_end: None,
        chunk_start: position,
        chunk_end: position + 1,
        provenance: "heading".into(),
        confidence: 1.0,
    }
}

fn chunk(id: &str, section: &str, content: &str, vector: [f32; 2]) -> ChunkRow {
    ChunkRow {
        doc_id: "abc123".into(),
        section_id: section.into(),
        parent_id: id.split_once('.').map(|(parent, _)| parent.into()),
        titles: "abc123".into(),
        chunk: Chunk { vector: vector.to_vec(), ..Chunk::sample(id, content) },
    }
}

pub(super) fn rows() -> StoredRows {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let document =
        DocumentRow { source: "a b.md".into(), sections: 1, parents: 2, children: 3, ..DocumentRow::sample("abc123") };
    StoredRows {
        document,
        sections: vec![section("0", 0), section("1", 1)],
        chunks: vec![
            chunk("abc123:0", "abc123#0", "One. Two.", [half, half]),
            chunk("abc123:0.0", "abc123#0", "One. ", [1.0, 0.0]),
            chunk("abc123:0.1", "abc123#0", "Two.", [0.0, 1.0]),
            chunk("abc123:1", "abc123#1", "Three.", [1.0, 0.0]),
            chunk("abc123:1.0", "abc123#1", "Three.", [1.0, 0.0]),
        ],
    }
}

pub(super) fn document() -> NewDocument {
    rows().nested()
}

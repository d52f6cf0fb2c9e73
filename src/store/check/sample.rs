//! A sound document for the unit tests of the check: a preamble and a section, two passages, of two pieces and one.

use crate::store::{ChunkRow, ChunkType, DocumentRow, NewDocument, SectionRow};

pub(super) const DIMENSION: usize = 2;

fn section(path: &str, position: u32) -> SectionRow {
    SectionRow {
        section_id: format!("abc123#{path}"),
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

fn chunk(id: &str, section: &str, index: u32, content: &str, vector: [f32; 2]) -> ChunkRow {
    let parent = id.split_once('.').map(|(parent, _)| parent.to_owned());
    ChunkRow {
        chunk_id: id.into(),
        doc_id: "abc123".into(),
        section_id: section.into(),
        chunk_type: if parent.is_some() { ChunkType::Child } else { ChunkType::Parent },
        parent_id: parent,
        chunk_index: index,
        content: content.into(),
        context: "t".into(),
        page_start: None,
        page_end: None,
        language: "en".into(),
        content_hash: "h".into(),
        updated_at: "now".into(),
        edited: false,
        metadata: Default::default(),
        vector: vector.to_vec(),
    }
}

pub(super) fn document() -> NewDocument {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    NewDocument {
        document: DocumentRow {
            doc_id: "abc123".into(),
            source: "a b.md".into(),
            title: "t".into(),
            format: "markdown".into(),
            content_hash: "h".into(),
            size: 1,
            mtime_ns: 0,
            language: "en".into(),
            pages: None,
            metadata: Default::default(),
            chunking: "{}".into(),
            engine: "e".into(),
            warnings: Vec::new(),
            toc_method: "heading".into(),
            sections: 1,
            parents: 2,
            children: 3,
            ingested_at: "now".into(),
            corrected_toc: None,
            structure_version: 1,
            embedded: true,
            edits: Vec::new(),
            time: None,
        },
        sections: vec![section("0", 0), section("1", 1)],
        chunks: vec![
            chunk("abc123:0", "abc123#0", 0, "One. Two.", [half, half]),
            chunk("abc123:0.0", "abc123#0", 0, "One. ", [1.0, 0.0]),
            chunk("abc123:0.1", "abc123#0", 1, "Two.", [0.0, 1.0]),
            chunk("abc123:1", "abc123#1", 1, "Three.", [1.0, 0.0]),
            chunk("abc123:1.0", "abc123#1", 0, "Three.", [1.0, 0.0]),
        ],
    }
}

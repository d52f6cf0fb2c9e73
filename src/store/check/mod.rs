//! Checks whether a namespace keeps its promises, and repairs it.
//!
//! A check reads one generation, takes no writer lock and changes nothing. It reads some documents at a time, so memory
//! holds these, all rows of documents and sections, and the ids of parent chunks. Pure functions check the rows of a
//! document. A repair publishes one generation with everything that can be repaired from the store alone.

mod chunks;
mod derived;
mod document;
mod finding;
mod history;
mod repair;
mod survey;
mod vectors;

use super::layout::Namespace;
use crate::error::Result;

#[cfg(test)]
pub(super) use finding::Part;
pub use finding::{Checked, Finding, Fix};
pub use repair::repair;

pub async fn check(namespace: &Namespace) -> Result<Checked> {
    Ok(survey::survey(namespace).await?.checked)
}

/// A sound document for the unit tests: a preamble and a section, two parent chunks with two child chunks and one.
#[cfg(test)]
mod tests {
    use super::chunks::StoredRows;
    use crate::store::{Chunk, ChunkRow, DocumentRow, NewDocument, SectionRow};

    pub(super) const DIMENSION: usize = 2;

    fn section(path: &str, position: u32) -> SectionRow {
        let row = SectionRow::sample("abc123", path, "t");
        SectionRow { position, chunk_start: position, chunk_end: position + 1, ..row }
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
        let document = DocumentRow {
            source: "a b.md".into(),
            sections: 1,
            parents: 2,
            children: 3,
            ..DocumentRow::sample("abc123")
        };
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
        rows().into_document()
    }
}

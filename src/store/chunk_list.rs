//! Lists chunks: first the keys that match a filter, then the rows that are shown.

use std::collections::HashMap;

use lancedb::expr::{col, contains, lit, lower};

use super::rows::{ChunkRow, ChunkType};
use super::scan::{Filter, Wanted, any_of};
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId, place_of};

const KEY_COLUMNS: Wanted = Wanted::Named(&["chunk_id", "section_id", "page_start", "updated_at"]);
/// Up to this number, rows are fetched by their ids; more rows by reading all that match the filter.
pub(super) const MOST_BY_ID: usize = 2000;

/// Which chunks are listed. `None` matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkFilter {
    pub doc_ids: Option<Vec<DocId>>,
    pub section_ids: Option<Vec<SectionId>>,
    pub chunk_type: Option<ChunkType>,
    /// A part of the content, in upper or lower case.
    pub text: Option<String>,
    /// Only those that a person changed.
    pub edited: bool,
}

impl ChunkFilter {
    /// The condition on rows; `None` if all are wanted.
    fn rows(&self) -> Option<Filter> {
        let conditions = [
            self.doc_ids.as_ref().map(|ids| any_of("doc_id", ids)),
            self.section_ids.as_ref().map(|ids| any_of("section_id", ids)),
            self.chunk_type.map(|chunk_type| col("chunk_type").eq(lit(chunk_type.name()))),
            self.text.as_ref().map(|text| contains(lower(col("content")), lit(text.to_lowercase()))),
            self.edited.then(|| col("edited")),
        ];
        conditions.into_iter().flatten().reduce(Filter::and)
    }
}

/// The fields that chunks are sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkKey {
    pub chunk_id: ChunkId,
    /// The numbers in its id: the place of its parent in the document, and of a child in the parent.
    pub place: Vec<u32>,
    pub section_id: SectionId,
    pub page_start: Option<u32>,
    pub updated_at: String,
}

impl Snapshot {
    /// The keys of the chunks that match a filter, in any order. So a list of a large store does not read the texts.
    pub async fn chunk_keys(&self, filter: &ChunkFilter) -> Result<Vec<ChunkKey>> {
        if filter.doc_ids.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let read = self.tables.read(&self.tables.chunks, filter.rows(), KEY_COLUMNS, |columns, row| {
            let chunk_id: ChunkId = columns.text("chunk_id", row)?.into();
            Ok(ChunkKey {
                place: place_of(&chunk_id),
                chunk_id,
                section_id: columns.text("section_id", row)?.into(),
                page_start: columns.optional_number("page_start", row)?,
                updated_at: columns.text("updated_at", row)?,
            })
        });
        read.await
    }

    /// The chunks with the given ids, all of which match the filter, without their vectors, in the order of `ids`.
    pub async fn chunks_in_order(&self, filter: &ChunkFilter, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        let rows = if ids.len() <= MOST_BY_ID {
            self.chunks_by_id(ids).await?
        } else {
            self.chunks_where(filter.rows()).await?
        };
        let mut rows: HashMap<ChunkId, ChunkRow> = rows.into_iter().map(|row| (row.chunk_id.clone(), row)).collect();
        Ok(ids.iter().filter_map(|id| rows.remove(id)).collect())
    }
}

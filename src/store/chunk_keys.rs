//! Chunks by what they are rather than by what they say: a filter, the few columns that order them, and the rows of a
//! page. A list of a large store reads its keys, not its text.

use std::collections::HashMap;

use super::convert;
use super::rows::{ChunkRow, ChunkType};
use super::snapshot::{CHUNK_COLUMNS, Snapshot, collect};
use super::tables::{CHUNKS, in_list};
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};

const KEY_COLUMNS: &[&str] =
    &["chunk_id", "doc_id", "section_id", "chunk_type", "parent_id", "chunk_index", "page_start", "updated_at"];
/// Up to so many rows are fetched by their ids, more of them by reading all that the filter lets through.
const MOST_BY_ID: usize = 2000;

/// Which chunks are wanted. What is `None` lets all through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkFilter {
    /// Those of this document.
    pub doc_id: Option<DocId>,
    /// Those of one of these sections.
    pub section_ids: Option<Vec<SectionId>>,
    /// Those of this level.
    pub chunk_type: Option<ChunkType>,
    /// Those whose content has this in it, whatever the case.
    pub text: Option<String>,
    /// Only those that a person changed.
    pub edited: bool,
}

impl ChunkFilter {
    /// As SQL; `None` where all are wanted.
    fn sql(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(doc_id) = &self.doc_id {
            parts.push(in_list("doc_id", std::slice::from_ref(doc_id)));
        }
        if let Some(section_ids) = &self.section_ids {
            parts.push(in_list("section_id", section_ids));
        }
        if let Some(chunk_type) = self.chunk_type {
            parts.push(format!("chunk_type = '{}'", chunk_type.name()));
        }
        if let Some(text) = &self.text {
            parts.push(format!("contains(lower(content), '{}')", text.to_lowercase().replace('\'', "''")));
        }
        if self.edited {
            parts.push("edited".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }
}

/// What chunks are ordered by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkKey {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// Its document.
    pub doc_id: DocId,
    /// Its section.
    pub section_id: SectionId,
    /// Its level.
    pub chunk_type: ChunkType,
    /// The parent of a child.
    pub parent_id: Option<ChunkId>,
    /// Its place: of a parent in the document, of a child in the parent.
    pub chunk_index: u32,
    /// The place of its parent in the document; its own, of a parent.
    pub parent_index: u32,
    /// First page.
    pub page_start: Option<u32>,
    /// When it was last written.
    pub updated_at: String,
}

impl Snapshot {
    /// The keys of the chunks that a filter lets through, in any order.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn chunk_keys(&self, filter: &ChunkFilter) -> Result<Vec<ChunkKey>> {
        let mut keys = self.keys(filter).await?;
        let places: HashMap<ChunkId, u32> =
            if filter.text.is_none() && !filter.edited && filter.chunk_type != Some(ChunkType::Child) {
                places(&keys)
            } else {
                // The parents of the children that are wanted are not among them.
                let parents =
                    ChunkFilter { chunk_type: Some(ChunkType::Parent), text: None, edited: false, ..filter.clone() };
                places(&self.keys(&parents).await?)
            };
        for key in &mut keys {
            if let Some(place) = key.parent_id.as_ref().and_then(|parent| places.get(parent)) {
                key.parent_index = *place;
            }
        }
        Ok(keys)
    }

    async fn keys(&self, filter: &ChunkFilter) -> Result<Vec<ChunkKey>> {
        let batches = self.tables.rows(&self.tables.chunks, filter.sql(), Some(KEY_COLUMNS)).await?;
        convert::map_rows(CHUNKS, &batches, |columns, row| {
            let chunk_index = columns.number("chunk_index", row)?;
            Ok(ChunkKey {
                chunk_id: columns.text("chunk_id", row)?.into(),
                doc_id: columns.text("doc_id", row)?.into(),
                section_id: columns.text("section_id", row)?.into(),
                chunk_type: ChunkType::from_name(&columns.text("chunk_type", row)?),
                parent_id: columns.optional_text("parent_id", row)?.map(Into::into),
                chunk_index,
                parent_index: chunk_index,
                page_start: columns.optional_number("page_start", row)?,
                updated_at: columns.text("updated_at", row)?,
            })
        })
    }

    /// The rows of some of the chunks that a filter lets through, without their vectors, in the order of `ids`.
    pub async fn chunks_in_order(&self, filter: &ChunkFilter, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        let mut rows: HashMap<ChunkId, ChunkRow> = HashMap::with_capacity(ids.len());
        let mut keep = |found: Vec<ChunkRow>| rows.extend(found.into_iter().map(|row| (row.chunk_id.clone(), row)));
        if ids.len() <= MOST_BY_ID {
            keep(self.chunks_by_id(ids).await?);
        } else {
            let batches = self.tables.rows(&self.tables.chunks, filter.sql(), Some(CHUNK_COLUMNS)).await?;
            keep(collect(&batches, convert::chunks_from_batch)?);
        }
        Ok(ids.iter().filter_map(|id| rows.remove(id)).collect())
    }
}

fn places(keys: &[ChunkKey]) -> HashMap<ChunkId, u32> {
    keys.iter()
        .filter(|key| key.chunk_type == ChunkType::Parent)
        .map(|key| (key.chunk_id.clone(), key.chunk_index))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_sql_whatever_is_typed() {
        assert_eq!(ChunkFilter::default().sql(), None);
        let filter = ChunkFilter {
            doc_id: Some("d".into()),
            section_ids: Some(vec!["d#1".into(), "d#1.1".into()]),
            chunk_type: Some(ChunkType::Child),
            text: Some("It's ÄRGER".into()),
            edited: true,
        };
        assert_eq!(
            filter.sql().unwrap(),
            "doc_id IN ('d') AND section_id IN ('d#1', 'd#1.1') AND chunk_type = 'child' \
             AND contains(lower(content), 'it''s ärger') AND edited"
        );
    }
}

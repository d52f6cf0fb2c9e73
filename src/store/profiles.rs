//! What documents are, and the vectors of that: what is searched before their passages are.

use std::collections::HashMap;

use super::convert::{self, map_rows};
use super::rows::{ChunkRow, SectionRow};
use super::snapshot::{CHUNK_COLUMNS, Snapshot, collect};
use super::tables::{DOCUMENTS, MOST_IN_LIST, Tables, in_list};
use crate::error::Result;

impl Tables {
    /// The vectors of some documents, or of all, by id; those without one are left out.
    pub(super) async fn document_vectors(&self, doc_ids: Option<&[String]>) -> Result<HashMap<String, Vec<f32>>> {
        let columns = ["doc_id", "vector"];
        let nothing = doc_ids.is_some_and(<[String]>::is_empty);
        if nothing || !self.has_column(&self.documents, "vector").await? {
            return Ok(HashMap::new());
        }
        let batches = match doc_ids {
            Some(ids) => self.rows_with(&self.documents, "doc_id", ids, Some(&columns)).await?,
            None => self.rows(&self.documents, None, Some(&columns)).await?,
        };
        let vectors = map_rows(DOCUMENTS, &batches, |columns, row| match columns.later("vector", row) {
            Some(_) => Ok(Some((columns.text("doc_id", row)?, columns.vector("vector", row)?))),
            None => Ok(None),
        })?;
        Ok(vectors.into_iter().flatten().collect())
    }
}

impl Snapshot {
    /// The vectors of all documents' summaries, by id; those without one are left out.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn document_vectors(&self) -> Result<HashMap<String, Vec<f32>>> {
        self.tables.document_vectors(None).await
    }

    /// The sections of some documents, in any order.
    pub async fn sections_of(&self, doc_ids: &[String]) -> Result<Vec<SectionRow>> {
        let batches = self.tables.rows_with(&self.tables.sections, "doc_id", doc_ids, None).await?;
        collect(&batches, convert::sections_from_batch)
    }

    /// The passages of some documents without their vectors, in any order.
    pub async fn passages_of(&self, doc_ids: &[String]) -> Result<Vec<ChunkRow>> {
        let mut rows = Vec::new();
        for ids in doc_ids.chunks(MOST_IN_LIST) {
            let filter = format!("{} AND chunk_type = 'parent'", in_list("doc_id", ids));
            let batches = self.tables.rows(&self.tables.chunks, Some(filter), Some(CHUNK_COLUMNS)).await?;
            rows.extend(collect(&batches, convert::chunks_from_batch)?);
        }
        Ok(rows)
    }
}

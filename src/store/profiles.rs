//! What documents are, and the vectors of that: what is searched before their passages are.

use std::collections::HashMap;

use lancedb::arrow::arrow_array::RecordBatch;

use super::convert::{self, map_rows};
use super::read_cache::Kept;
use super::rows::{ChunkRow, DocumentRow, SectionRow};
use super::snapshot::{CHUNK_COLUMNS, DOCUMENT_COLUMNS, Snapshot, collect};
use super::tables::{DOCUMENTS, MOST_IN_LIST, Tables, in_list};
use crate::error::Result;

impl Tables {
    /// The vectors of some documents, or of all, by id; those without one are left out.
    pub(super) async fn document_vectors(&self, doc_ids: Option<&[String]>) -> Result<HashMap<String, Vec<f32>>> {
        vectors_by_id(&self.document_vector_rows(doc_ids).await?)
    }

    /// The same, as they are read.
    async fn document_vector_rows(&self, doc_ids: Option<&[String]>) -> Result<Vec<RecordBatch>> {
        let columns = ["doc_id", "vector"];
        let nothing = doc_ids.is_some_and(<[String]>::is_empty);
        if nothing || !self.has_column(&self.documents, "vector").await? {
            return Ok(Vec::new());
        }
        match doc_ids {
            Some(ids) => self.rows_with(&self.documents, "doc_id", ids, Some(&columns)).await,
            None => self.rows(&self.documents, None, Some(&columns)).await,
        }
    }
}

fn vectors_by_id(batches: &[RecordBatch]) -> Result<HashMap<String, Vec<f32>>> {
    let vectors = map_rows(DOCUMENTS, batches, |columns, row| match columns.later("vector", row) {
        Some(_) => Ok(Some((columns.text("doc_id", row)?, columns.vector("vector", row)?))),
        None => Ok(None),
    })?;
    Ok(vectors.into_iter().flatten().collect())
}

impl Snapshot {
    /// The vectors of all documents' summaries, by id; those without one are left out.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn document_vectors(&self) -> Result<HashMap<String, Vec<f32>>> {
        vectors_by_id(&self.cached(Kept::DocumentVectors, self.tables.document_vector_rows(None)).await?)
    }

    /// All documents without their vectors, in any order, as the first reader of the generation has kept them.
    pub async fn documents_kept(&self) -> Result<Vec<DocumentRow>> {
        let rows = self.tables.rows(&self.tables.documents, None, Some(DOCUMENT_COLUMNS));
        collect(&self.cached(Kept::Documents, rows).await?, convert::documents_from_batch)
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

//! How documents are called, for whoever shows what was found in them.

use std::collections::HashMap;

use lancedb::arrow::arrow_array::RecordBatch;

use super::convert::map_rows;
use super::read_cache::Kept;
use super::snapshot::Snapshot;
use super::tables::DOCUMENTS;
use crate::error::Result;

const COLUMNS: &[&str] = &["doc_id", "source", "title", "format"];
/// Up to so many documents' names, of a hundred bytes or so each, are kept in memory.
const MOST_IN_MEMORY: usize = 50_000;

/// How a document is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentName {
    /// Its id.
    pub doc_id: String,
    /// Its source.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Its format.
    pub format: String,
}

impl Snapshot {
    /// The names of the documents with the given ids, in the order of those; ids that there are not are left out.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub async fn document_names(&self, ids: &[String]) -> Result<Vec<DocumentName>> {
        let read_all = async || {
            let few = self.count_documents().await? <= MOST_IN_MEMORY;
            if few { self.all_names().await.map(Some) } else { Ok(None) }
        };
        if let Some(all) = self.names.get_or_try_init(read_all).await? {
            return Ok(ids.iter().filter_map(|id| all.get(id).cloned()).collect());
        }
        let batches = self.tables.rows_with(&self.tables.documents, "doc_id", ids, Some(COLUMNS)).await?;
        let found = by_id(&batches)?;
        Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
    }

    async fn all_names(&self) -> Result<HashMap<String, DocumentName>> {
        let table = &self.tables.documents;
        by_id(&self.cached(Kept::DocumentNames, self.tables.rows(table, None, Some(COLUMNS))).await?)
    }
}

fn by_id(batches: &[RecordBatch]) -> Result<HashMap<String, DocumentName>> {
    let names = map_rows(DOCUMENTS, batches, |columns, row| {
        Ok(DocumentName {
            doc_id: columns.text("doc_id", row)?,
            source: columns.text("source", row)?,
            title: columns.text("title", row)?,
            format: columns.text("format", row)?,
        })
    })?;
    Ok(names.into_iter().map(|name| (name.doc_id.clone(), name)).collect())
}

//! The names of documents, from the read cache.

use std::collections::HashSet;

use lancedb::arrow::arrow_array::RecordBatch;
use serde::Deserialize;

use super::cached_fragments::{CachedFragment, Prepared};
use super::convert::{Columns, DOCUMENTS};
use super::rows::DocumentName;
use super::rows_by_id::{RowsById, with_order};
use super::scan::Wanted;
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::ids::DocId;

/// The name of the rows in the read cache.
const CACHE_NAME: &str = "names";
const DOC_ID: &str = "doc_id";
const COLUMNS: Wanted = Wanted::Named(&[DOC_ID, "source", "title", "parents", "children", "edits"]);
const PREPARED: Prepared = Prepared { batch: |batch| with_order(DOCUMENTS, &batch, DOC_ID), fragment: Ok };

/// The names in a batch of rows.
pub(super) struct DocumentNames {
    batch: RecordBatch,
    doc_ids: RowsById,
    deleted: HashSet<u32>,
    /// The address of the first row. Those of the others follow.
    first: u64,
}

impl DocumentNames {
    /// Those of a fragment.
    fn of(CachedFragment { written, rows, deleted, .. }: CachedFragment) -> Result<Vec<Self>> {
        let mut before = 0;
        let names = |batch: RecordBatch| {
            let own = before..before + batch.num_rows() as u32;
            before = own.end;
            let doc_ids = RowsById::read(&Columns { table: DOCUMENTS, batch: &batch }, DOC_ID)?;
            let deleted = deleted.iter().filter(|row| own.contains(row)).map(|row| row - own.start).collect();
            Ok(DocumentNames { batch, doc_ids, deleted, first: written.id << 32 | u64::from(own.start) })
        };
        rows.into_iter().map(names).collect()
    }

    /// The row of a document; `None` if it is not here.
    fn find(&self, id: &DocId) -> Option<u32> {
        self.doc_ids.rows_with(id).find(|row| !self.deleted.contains(row))
    }

    fn name(&self, row: u32) -> Result<DocumentName> {
        let (columns, row) = (Columns { table: DOCUMENTS, batch: &self.batch }, row as usize);
        Ok(DocumentName {
            doc_id: columns.text(DOC_ID, row)?.into(),
            source: columns.text("source", row)?,
            title: columns.text("title", row)?,
            parents: columns.number("parents", row)?,
            children: columns.number("children", row)?,
            edited: edited(&columns, row)?,
        })
    }
}

impl Snapshot {
    /// The names of all documents, by source.
    pub async fn all_document_names(&self) -> Result<Vec<DocumentName>> {
        let mut all = Vec::new();
        for names in self.names().await? {
            let rows = (0..names.batch.num_rows() as u32).filter(|row| !names.deleted.contains(row));
            all.extend(rows.map(|row| names.name(row)).collect::<Result<Vec<_>>>()?);
        }
        all.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(all)
    }

    /// The names of the documents with the given ids, in their order. Unknown ids are left out.
    pub async fn document_names(&self, ids: &[DocId]) -> Result<Vec<DocumentName>> {
        self.found(ids).await?.into_iter().map(|(names, row)| names.name(row)).collect()
    }

    /// The addresses of the rows of documents in their table. Unknown ids are left out.
    pub(super) async fn addresses_of(&self, ids: &[DocId]) -> Result<Vec<u64>> {
        let found = self.found(ids).await?.into_iter();
        Ok(found.map(|(names, row)| names.first + u64::from(row)).collect())
    }

    /// The names that a document is among, and its row there, for each known id.
    async fn found(&self, ids: &[DocId]) -> Result<Vec<(&DocumentNames, u32)>> {
        let all = self.names().await?;
        let find = |id| all.iter().find_map(|names| Some((names, names.find(id)?)));
        Ok(ids.iter().filter_map(find).collect())
    }

    async fn names(&self) -> Result<&[DocumentNames]> {
        let read = async || {
            let fragments = self
                .tables
                .cached_fragments(&self.cache, CACHE_NAME, &self.tables.documents, COLUMNS, PREPARED)
                .await?;
            let each = fragments.into_iter().map(DocumentNames::of).collect::<Result<Vec<_>>>()?;
            Ok(each.into_iter().flatten().collect())
        };
        self.names.get_or_try_init(read).await.map(Vec::as_slice)
    }
}

/// The indexes of the edited parent chunks, without the texts of the edits.
fn edited(columns: &Columns, row: usize) -> Result<Vec<u32>> {
    #[derive(Deserialize)]
    struct Edited {
        parent_chunk: Option<u32>,
    }
    let edits: Vec<Edited> = columns.json("edits", row)?;
    Ok(edits.into_iter().filter_map(|edit| edit.parent_chunk).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lance_table::format::Fragment;
    use lancedb::arrow::arrow_array::{ArrayRef, StringArray, UInt32Array};

    use super::*;
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, NewDocument};

    #[tokio::test]
    async fn names_are_found_by_id_but_not_those_of_deleted_documents() {
        let (_folder, namespace) = namespace();
        let new = |doc_id: &str, title: &str| {
            let mut new = NewDocument::sample(doc_id, &["text"]);
            new.document.title = title.to_owned();
            new
        };
        publish(&namespace, vec![new("cccccc", "C"), new("aaaaaa", "A"), new("bbbbbb", "B")]).await;
        let titles = async || -> Vec<String> {
            let snapshot = Snapshot::open(&namespace).await.unwrap();
            let ids = ["bbbbbb", "dddddd", "cccccc", "aaaaaa"].map(DocId::from);
            let found = snapshot.document_names(&ids).await.unwrap();
            assert_eq!(snapshot.all_document_names().await.unwrap().len(), found.len());
            let rows = snapshot.documents_by_id(&ids).await.unwrap();
            assert!(rows.iter().map(|row| &row.title).eq(found.iter().map(|name| &name.title)));
            assert_eq!(snapshot.documents_by_id(&ids[1..2]).await.unwrap(), []);
            found.into_iter().map(|name| name.title).collect()
        };
        assert_eq!(titles().await, ["B", "C", "A"]);
        let replaced = Change { remove: vec!["bbbbbb".into()], add: vec![new("bbbbbb", "new B")], ..Change::default() };
        publish(&namespace, replaced).await;
        assert_eq!(titles().await, ["new B", "C", "A"]);
        publish(&namespace, Change { remove: vec!["cccccc".into()], ..Change::default() }).await;
        assert_eq!(titles().await, ["new B", "A"]);
    }

    #[tokio::test]
    async fn a_read_cache_with_the_ids_of_other_rows_is_refused() {
        let (_folder, namespace) = namespace();
        let [a, b] = ["aaaaaa", "bbbbbb"].map(|doc_id| NewDocument::sample(doc_id, &["text"]));
        publish(&namespace, vec![a, b]).await;
        let found = async || Snapshot::open(&namespace).await.unwrap().documents_by_id(&["aaaaaa".into()]).await;
        assert_eq!(found().await.unwrap()[0].doc_id, DocId::from("aaaaaa"));
        let cache = Snapshot::open(&namespace).await.unwrap().cache.clone();
        for (fragment, rows) in cache.get(CACHE_NAME) {
            let (schema, mut columns) = (rows[0].schema(), rows[0].columns().to_vec());
            columns[schema.index_of(DOC_ID).unwrap()] = Arc::new(StringArray::from(vec!["bbbbbb", "aaaaaa"]));
            columns[schema.index_of("by_id").unwrap()] = Arc::new(UInt32Array::from(vec![1, 0]));
            cache.put(CACHE_NAME, &fragment, &[RecordBatch::try_new(schema, columns).unwrap()]).unwrap();
        }
        assert!(found().await.unwrap_err().message().contains("read cache"));
    }

    #[test]
    fn addresses_are_those_of_rows_in_all_batches_of_a_fragment() {
        let batch = |ids: &[&str]| {
            let ids: ArrayRef = Arc::new(StringArray::from(ids.to_vec()));
            with_order(DOCUMENTS, &RecordBatch::try_from_iter([(DOC_ID, ids)]).unwrap(), DOC_ID).unwrap()
        };
        let rows = vec![batch(&["cccccc", "aaaaaa"]), batch(&["bbbbbb", "aaaaaa"])];
        let (written, deleted) = (Fragment::new(7), [1, 2].into());
        let all = DocumentNames::of(CachedFragment { written, described: String::new(), rows, deleted }).unwrap();
        let address = |id: &str| {
            let id = DocId::from(id);
            all.iter().find_map(|names| names.find(&id).map(|row| names.first + u64::from(row)))
        };
        let found = ["aaaaaa", "bbbbbb", "cccccc"].map(address);
        assert_eq!(found, [Some(7 << 32 | 3), None, Some(7 << 32)], "without the deleted ones");
    }
}

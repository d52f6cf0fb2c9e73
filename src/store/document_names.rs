//! The names of documents, from the read cache.

use std::collections::HashSet;
use std::sync::Arc;

use lancedb::arrow::arrow_array::types::UInt32Type;
use lancedb::arrow::arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use rayon::prelude::*;
use serde::Deserialize;

use super::cached_batches::CachedBatch;
use super::cached_fragments::{CachedFragment, Prepared};
use super::convert::{Columns, DOCUMENTS};
use super::keys::{key_of, places_of};
use super::read_cache::damaged;
use super::rows::DocumentName;
use super::scan::Wanted;
use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::ids::DocId;

/// The name of the rows in the read cache.
const CACHE_NAME: &str = "names";
const DOC_ID: &str = "doc_id";
const COLUMNS: Wanted = Wanted::Named(&[DOC_ID, "source", "title", "parents", "children", "edits"]);
const PREPARED: Prepared = Prepared { batch: Ok, fragment: with_places, is_lazy: true };
/// A checksum of the id of a document, and where its row is.
const KEY: &str = "key";
const BATCH: &str = "batch";
const ROW_IN_BATCH: &str = "row_in_batch";
const ROW: &str = "row";

/// The names of the documents of a fragment.
pub(super) struct DocumentNames {
    /// In order. The other columns have the places of the same documents.
    keys: UInt32Array,
    batches: UInt32Array,
    rows_in_batches: UInt32Array,
    rows: UInt32Array,
    names: Vec<CachedBatch>,
    deleted: HashSet<u32>,
    fragment: u64,
}

impl DocumentNames {
    /// `None` for a fragment without rows.
    fn of(CachedFragment { written, mut rows, deleted, .. }: CachedFragment) -> Result<Option<Self>> {
        if rows.is_empty() {
            return Ok(None);
        }
        let places = rows.remove(0);
        let batch = places.get().ok_or_else(|| damaged("is damaged"))?;
        let column = |name| Columns { table: DOCUMENTS, batch }.primitives::<UInt32Type>(name).cloned();
        Ok(Some(DocumentNames {
            keys: column(KEY)?,
            batches: column(BATCH)?,
            rows_in_batches: column(ROW_IN_BATCH)?,
            rows: column(ROW)?,
            names: rows,
            deleted,
            fragment: written.id,
        }))
    }

    /// The name of a document and the address of its row; `None` if it is not here.
    ///
    /// # Errors
    /// If the read cache is damaged; the same below.
    fn find(&self, id: &DocId) -> Result<Option<(DocumentName, u64)>> {
        let alike = places_of(self.keys.values(), &key_of(id));
        for place in alike.filter(|place| !self.deleted.contains(&self.rows.value(*place))) {
            let names = self.names.get(self.batches.value(place) as usize).and_then(CachedBatch::get);
            let row = self.rows_in_batches.value(place) as usize;
            let names = names.filter(|names| row < names.num_rows()).ok_or_else(|| damaged("is damaged"))?;
            let name = name(&Columns { table: DOCUMENTS, batch: names }, row)?;
            if name.doc_id == *id {
                return Ok(Some((name, self.fragment << 32 | u64::from(self.rows.value(place)))));
            }
        }
        Ok(None)
    }

    fn all(&self) -> Result<Vec<DocumentName>> {
        let batches = self.names.par_iter().map(|batch| batch.get().ok_or_else(|| damaged("is damaged")));
        let batches = batches.collect::<Result<Vec<&RecordBatch>>>()?;
        let first_rows = batches.iter().scan(0, |next, batch| {
            let first = *next;
            *next += batch.num_rows() as u32;
            Some(first)
        });
        let batches: Vec<(u32, &RecordBatch)> = first_rows.zip(batches.iter().copied()).collect();
        let of_batch = |(first, batch): (u32, &RecordBatch)| {
            let columns = Columns { table: DOCUMENTS, batch };
            let rows = (0..batch.num_rows()).filter(|row| !self.deleted.contains(&(first + *row as u32)));
            rows.map(|row| name(&columns, row)).collect::<Result<Vec<DocumentName>>>()
        };
        Ok(batches.into_par_iter().map(of_batch).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The batches of a fragment, after one that says where each document is.
fn with_places(mut batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut places, mut before) = (Vec::new(), 0);
    for (batch, rows) in (0..).zip(&batches) {
        let ids = Columns { table: DOCUMENTS, batch: rows }.texts(DOC_ID)?;
        let each = (0..).zip(ids.iter().map(Option::unwrap_or_default));
        places.extend(each.map(|(row, id): (u32, &str)| [key_of(id), batch, row, before + row]));
        before += rows.num_rows() as u32;
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    places.sort_unstable();
    let columns = [KEY, BATCH, ROW_IN_BATCH, ROW].into_iter().enumerate().map(|(column, name)| {
        let numbers: ArrayRef = Arc::new(UInt32Array::from_iter_values(places.iter().map(|place| place[column])));
        (name, numbers)
    });
    let places = RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the places of documents: {error}")).caused_by(error))?;
    batches.insert(0, places);
    Ok(batches)
}

fn name(columns: &Columns, row: usize) -> Result<DocumentName> {
    Ok(DocumentName {
        doc_id: columns.text(DOC_ID, row)?.into(),
        source: columns.text("source", row)?,
        title: columns.text("title", row)?,
        parents: columns.number("parents", row)?,
        children: columns.number("children", row)?,
        edited: edited(columns, row)?,
    })
}

impl Snapshot {
    /// The names of all documents, by source.
    pub async fn all_document_names(&self) -> Result<Vec<DocumentName>> {
        let read = |each: &[DocumentNames]| each.par_iter().map(DocumentNames::all).collect::<Result<Vec<_>>>();
        let mut all: Vec<DocumentName> = self.with_names(read).await?.into_iter().flatten().collect();
        all.par_sort_by(|a, b| a.source.cmp(&b.source));
        Ok(all)
    }

    /// The names of the documents with the given ids, in their order. Unknown ids are left out.
    pub async fn document_names(&self, ids: &[DocId]) -> Result<Vec<DocumentName>> {
        Ok(self.found(ids).await?.into_iter().map(|(name, _)| name).collect())
    }

    /// The addresses of the rows of documents in their table. Unknown ids are left out.
    pub(super) async fn addresses_of(&self, ids: &[DocId]) -> Result<Vec<u64>> {
        Ok(self.found(ids).await?.into_iter().map(|(_, address)| address).collect())
    }

    async fn found(&self, ids: &[DocId]) -> Result<Vec<(DocumentName, u64)>> {
        let find = |each: &[DocumentNames], id| each.iter().map(|names| names.find(id)).find_map(Result::transpose);
        self.with_names(|each| ids.iter().filter_map(|id| find(each, id)).collect()).await
    }

    /// Reads the names. If the read cache turns out to be damaged, writes it again first.
    async fn with_names<T>(&self, read: impl Fn(&[DocumentNames]) -> Result<T>) -> Result<T> {
        let attempt = async || read(&self.names().await?);
        match attempt().await {
            Ok(read) => Ok(read),
            Err(_) => {
                self.names.lock().await.take();
                drop(self.cache.keep(CACHE_NAME, &[]));
                attempt().await
            }
        }
    }

    async fn names(&self) -> Result<Arc<[DocumentNames]>> {
        let mut kept = self.names.lock().await;
        if let Some(names) = &*kept {
            return Ok(names.clone());
        }
        let (cache, documents) = (&self.cache, &self.tables.documents);
        let fragments = self.tables.cached_fragments(cache, CACHE_NAME, documents, COLUMNS, PREPARED).await?;
        let each = fragments.into_iter().map(DocumentNames::of).filter_map(Result::transpose);
        let names: Arc<[DocumentNames]> = each.collect::<Result<_>>()?;
        *kept = Some(names.clone());
        Ok(names)
    }
}

/// The indexes of the edited parent chunks, without the texts of the edits.
fn edited(columns: &Columns, row: usize) -> Result<Vec<u32>> {
    #[derive(Deserialize)]
    struct Edited {
        parent_chunk: Option<u32>,
    }
    // Most documents have none.
    if columns.str("edits", row)? == "[]" {
        return Ok(Vec::new());
    }
    let edits: Vec<Edited> = columns.json("edits", row)?;
    Ok(edits.into_iter().filter_map(|edit| edit.parent_chunk).collect())
}

#[cfg(test)]
mod tests {
    use lance_table::format::Fragment;
    use lancedb::arrow::arrow_array::StringArray;

    use super::*;
    use crate::store::convert::documents_to_batch;
    use crate::store::layout::Namespace;
    use crate::store::read_cache::ReadCache;
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, DocumentRow, NewDocument};

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

    /// Replaces the files of the names of a namespace.
    async fn replace(namespace: &Namespace, by: impl Fn(Vec<RecordBatch>) -> Vec<RecordBatch>) {
        let (cache, snapshot) = (ReadCache::of(namespace), Snapshot::open(namespace).await.unwrap());
        let tables = &snapshot.tables;
        let read = tables.cached_fragments(&cache, CACHE_NAME, &tables.documents, COLUMNS, PREPARED);
        for fragment in read.await.unwrap() {
            cache.put(CACHE_NAME, &fragment.described, &by(fragment.batches().unwrap())).unwrap();
        }
    }

    async fn two_documents(namespace: &Namespace) {
        let [a, b] = ["aaaaaa", "bbbbbb"].map(|doc_id| NewDocument::sample(doc_id, &["text"]));
        publish(namespace, vec![a, b]).await;
    }

    #[tokio::test]
    async fn a_read_cache_with_the_ids_of_other_rows_is_refused() {
        let (_folder, namespace) = namespace();
        two_documents(&namespace).await;
        let found = async || Snapshot::open(&namespace).await.unwrap().documents_by_id(&["aaaaaa".into()]).await;
        assert_eq!(found().await.unwrap()[0].doc_id, DocId::from("aaaaaa"));
        replace(&namespace, |mut batches| {
            let names = batches.pop().unwrap();
            let mut columns = names.columns().to_vec();
            columns[names.schema().index_of(DOC_ID).unwrap()] = Arc::new(StringArray::from(vec!["bbbbbb", "aaaaaa"]));
            with_places(vec![RecordBatch::try_new(names.schema(), columns).unwrap()]).unwrap()
        })
        .await;
        assert!(found().await.unwrap_err().message().contains("read cache"));
    }

    #[tokio::test]
    async fn a_cache_that_names_missing_rows_is_written_again() {
        let (_folder, namespace) = namespace();
        two_documents(&namespace).await;
        for left in [1, 2] {
            replace(&namespace, |mut batches| {
                batches.truncate(left);
                batches.extend((left == 1).then(|| batches[0].slice(0, 1)));
                batches[1..].iter_mut().for_each(|batch| *batch = batch.slice(0, 1));
                batches
            })
            .await;
            let snapshot = Snapshot::open(&namespace).await.unwrap();
            let ids = ["bbbbbb", "aaaaaa"].map(DocId::from);
            assert_eq!(snapshot.document_names(&ids).await.unwrap().len(), 2);
            assert_eq!(snapshot.all_document_names().await.unwrap().len(), 2);
        }
    }

    #[test]
    fn addresses_are_those_of_rows_in_all_batches_of_a_fragment() {
        let batch = |ids: [&str; 2]| {
            let rows = ids.map(DocumentRow::sample);
            documents_to_batch(&rows.each_ref(), 2).unwrap()
        };
        let rows = with_places(vec![batch(["cccccc", "aaaaaa"]), batch(["bbbbbb", "aaaaaa"])]).unwrap();
        let rows = rows.into_iter().map(CachedBatch::from).collect();
        let (written, deleted) = (Fragment::new(7), [1, 2].into());
        let names = DocumentNames::of(CachedFragment { written, described: String::new(), rows, deleted });
        let names = names.unwrap().unwrap();
        let address = |id: &str| names.find(&id.into()).unwrap().map(|(_, address)| address);
        let found = ["aaaaaa", "bbbbbb", "cccccc"].map(address);
        assert_eq!(found, [Some(7 << 32 | 3), None, Some(7 << 32)], "without the deleted ones");
        assert_eq!(names.all().unwrap().len(), 2);
    }
}

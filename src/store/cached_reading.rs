//! Reads rows of a generation that are in the read cache, or found with its help.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lancedb::Table;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::expr::col;
use rayon::prelude::*;

use super::read_cache::{
    CachedFragment, CachedRows, DocumentNames, METADATA, METADATA_COLUMNS, NAMES, SectionsWithMetadata, WITH_METADATA,
    metadata, without_deleted,
};
use super::rows::DocumentName;
use super::scan::Wanted;
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::ids::{DocId, SectionId};
use crate::structure::normalise_title;

impl Snapshot {
    /// The rows of a table without those deleted since.
    pub(super) async fn cached(&self, name: &str, table: &Table, columns: Wanted<'_>) -> Result<Vec<RecordBatch>> {
        let fragments = self.tables.cached_fragments(&self.cache, table, CachedRows::as_read(name, columns)).await?;
        let rows = |fragment: &CachedFragment| Ok(without_deleted(fragment.batches()?, &fragment.deleted));
        Ok(fragments.iter().map(rows).collect::<Result<Vec<_>>>()?.concat())
    }

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

    /// The documents with this title or file name, with or without its ending; punctuation and case do not count. By
    /// source.
    pub async fn documents_called(&self, name: &str) -> Result<Vec<DocumentName>> {
        let name = normalise_title(name);
        if name.is_empty() {
            return Ok(Vec::new());
        }
        let called = |each: &[DocumentNames]| each.iter().map(|names| names.called(&name)).collect::<Result<Vec<_>>>();
        let mut found: Vec<DocumentName> = self.with_names(called).await?.into_iter().flatten().collect();
        found.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(found)
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
                drop(self.cache.keep(NAMES.name, &[]));
                attempt().await
            }
        }
    }

    async fn names(&self) -> Result<Arc<[DocumentNames]>> {
        let mut kept = self.names.lock().await;
        if let Some(names) = &*kept {
            return Ok(names.clone());
        }
        let fragments = self.tables.cached_fragments(&self.cache, &self.tables.documents, NAMES).await?;
        let each = fragments.into_iter().map(DocumentNames::of).filter_map(Result::transpose);
        let names: Arc<[DocumentNames]> = each.collect::<Result<_>>()?;
        *kept = Some(names.clone());
        Ok(names)
    }

    /// The metadata of all sections that have some, from the table.
    pub async fn section_metadata(&self) -> Result<Vec<(SectionId, BTreeMap<String, String>)>> {
        let stated = col(METADATA).is_not_null();
        self.tables.read(&self.tables.sections, Some(stated), METADATA_COLUMNS, metadata).await
    }

    /// The metadata of some sections, without those that have none, in any order.
    pub async fn metadata_of_sections(&self, ids: &[SectionId]) -> Result<Vec<(SectionId, BTreeMap<String, String>)>> {
        let read = async || {
            let fragments = self.tables.cached_fragments(&self.cache, &self.tables.sections, WITH_METADATA).await?;
            let each = fragments.into_iter().map(SectionsWithMetadata::of).filter_map(Result::transpose);
            each.collect::<Result<Vec<_>>>()
        };
        let all = self.sections_with_metadata.get_or_try_init(read).await?;
        let found = ids.iter().flat_map(|id| all.iter().flat_map(|sections| sections.find(id)));
        let addresses: Vec<u64> = Vec::from_iter(found.collect::<BTreeSet<u64>>());
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = self.tables.read_at(&self.tables.sections, &addresses, METADATA_COLUMNS, metadata).await?;
        found.retain(|(id, _)| ids.contains(id));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use lancedb::arrow::arrow_array::StringArray;

    use super::*;
    use crate::store::layout::Namespace;
    use crate::store::read_cache::{DOC_ID, ReadCache, with_places};
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, NewDocument, SectionRow};

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
    async fn documents_are_found_by_title_and_by_the_name_of_their_file() {
        let (_folder, namespace) = namespace();
        let new = |doc_id: &str, source: &str, title: &str| {
            let mut new = NewDocument::sample(doc_id, &["text"]);
            (new.document.source, new.document.title) = (source.into(), title.into());
            new
        };
        let documents = [new("b", "b/手册-v2.md", "泵站 Manual"), new("a", "a/travel-policy.docx", "Travel Policy")];
        publish(&namespace, Vec::from(documents)).await;
        publish(&namespace, vec![new("c", "c.md", "travel policy!"), new("d", "d.md", "Travel")]).await;
        publish(&namespace, Change { remove: vec!["d".into()], ..Change::default() }).await;
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        for (name, ids) in [
            ("TRAVEL POLICY", &["a", "c"][..]),
            ("travel_policy.docx", &["a"]),
            ("手册 v2", &["b"]),
            ("泵站manual", &["b"]),
            ("travel", &[]),
            ("--", &[]),
        ] {
            let found = snapshot.documents_called(name).await.unwrap();
            assert!(found.iter().map(|document| document.doc_id.as_str()).eq(ids.iter().copied()), "{name}: {found:?}");
        }
    }

    /// Replaces the files of the names of a namespace.
    async fn replace(namespace: &Namespace, by: impl Fn(Vec<RecordBatch>) -> Vec<RecordBatch>) {
        let (cache, snapshot) = (ReadCache::of(namespace), Snapshot::open(namespace).await.unwrap());
        let tables = &snapshot.tables;
        let read = tables.cached_fragments(&cache, &tables.documents, NAMES);
        for fragment in read.await.unwrap() {
            cache.put(NAMES.name, &fragment.described, &by(fragment.batches().unwrap())).unwrap();
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
    async fn a_cache_that_lacks_rows_is_written_again() {
        let (_folder, namespace) = namespace();
        two_documents(&namespace).await;
        // Only the places of ids; those of names too; places in place of names; one name of two.
        for (left, more) in [(1, false), (2, false), (2, true), (3, false)] {
            for reading in 0..3 {
                replace(&namespace, |mut batches| {
                    batches.truncate(left);
                    batches.extend(more.then(|| batches[0].clone()));
                    batches.iter_mut().skip(2).for_each(|batch| *batch = batch.slice(0, 1));
                    batches
                })
                .await;
                let snapshot = Snapshot::open(&namespace).await.unwrap();
                let found = match reading {
                    0 => snapshot.document_names(&["bbbbbb", "aaaaaa"].map(DocId::from)).await.unwrap(),
                    1 => snapshot.all_document_names().await.unwrap(),
                    _ => {
                        let [a, b] = ["aaaaaa.md", "bbbbbb"].map(async |name| snapshot.documents_called(name).await);
                        [b.await.unwrap(), a.await.unwrap()].concat()
                    }
                };
                assert_eq!(found.len(), 2, "{left} {more} {reading}");
            }
        }
    }

    #[tokio::test]
    async fn sections_with_metadata_are_found_among_those_without() {
        let (_folder, namespace) = namespace();
        let new = |doc_id: &str, author: Option<&str>| {
            let mut new = NewDocument::sample(doc_id, &["text"]);
            let mut second = SectionRow::sample(doc_id, "2", "Second");
            second.metadata.extend(author.map(|author| ("author".to_owned(), author.to_owned())));
            new.sections.extend([second, SectionRow::sample(doc_id, "3", "Third")]);
            new
        };
        let authors = async || -> Vec<String> {
            let snapshot = Snapshot::open(&namespace).await.unwrap();
            let ids: Vec<SectionId> = ["aaaaaa", "bbbbbb", "cccccc", "dddddd"]
                .iter()
                .flat_map(|doc_id| ["2", "3"].map(|path| SectionId::new(doc_id, path)))
                .collect();
            let found = snapshot.metadata_of_sections(&ids).await.unwrap();
            assert_eq!(snapshot.section_metadata().await.unwrap().len(), found.len());
            let mut authors: Vec<String> = found.into_iter().map(|(_, metadata)| metadata["author"].clone()).collect();
            authors.sort();
            authors
        };
        publish(&namespace, vec![new("cccccc", None), new("aaaaaa", None)]).await;
        assert_eq!(authors().await, [""; 0]);
        publish(&namespace, vec![new("bbbbbb", Some("Bo")), new("dddddd", Some("Di"))]).await;
        assert_eq!(authors().await, ["Bo", "Di"]);
        let change = Change {
            remove: vec!["bbbbbb".into(), "aaaaaa".into()],
            add: vec![new("aaaaaa", Some("Al"))],
            ..Change::default()
        };
        publish(&namespace, change).await;
        assert_eq!(authors().await, ["Al", "Di"]);
    }
}

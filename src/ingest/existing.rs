//! The documents that a namespace has before an ingest.

use std::collections::{HashMap, HashSet};

use super::plan::{is_below, is_gone};
use super::request::IngestRequest;
use super::scan::Candidate;
use super::source::read_consistent;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::{DocumentKey, DocumentRow, Snapshot, Store};

/// The documents of a namespace, with the rows of those that a run may change.
#[derive(Default)]
pub(super) struct Existing {
    /// All documents, in any order.
    pub keys: Vec<DocumentKey>,
    /// By source.
    rows: HashMap<String, DocumentRow>,
    /// The sources below the named folders that the run does not read. Those whose files are gone have a row.
    pub unread: Vec<String>,
}

impl Existing {
    pub async fn read(
        snapshot: &Snapshot,
        candidates: &[Candidate],
        request: &IngestRequest,
        store: &Store,
    ) -> Result<Self> {
        let keys = snapshot.document_keys().await?;
        let besides_files = request.sources_besides_files();
        let named = request.named_sources(store);
        let to_read = candidates.iter().map(|candidate| &candidate.source).chain(&besides_files);
        let to_read: HashSet<&str> = to_read.map(String::as_str).collect();
        let (read, others): (Vec<_>, Vec<_>) = keys.iter().partition(|key| to_read.contains(key.source.as_str()));
        let (unread, elsewhere): (Vec<_>, Vec<_>) = others.into_iter().partition(|key| is_below(&key.source, &named));
        let known: HashSet<&str> = read.iter().map(|key| key.source.as_str()).collect();
        let new = candidates.iter().filter(|candidate| !known.contains(candidate.source.as_str()));
        let same = of_the_same_files(elsewhere, new, request);
        let gone = unread.iter().copied().chain(same).filter(|key| is_gone(&key.source, store));
        let ids: Vec<DocId> = read.into_iter().chain(gone).map(|key| key.doc_id.clone()).collect();
        let unread = unread.iter().map(|key| key.source.clone()).collect();
        let rows = snapshot.stored_documents(&ids).await?;
        Ok(Existing { keys, rows: rows.into_iter().map(|row| (row.source.clone(), row)).collect(), unread })
    }

    /// The row of a source that the run may change.
    pub fn get(&self, source: &str) -> Option<&DocumentRow> {
        self.rows.get(source)
    }

    pub fn rows(&self) -> impl Iterator<Item = &DocumentRow> {
        self.rows.values()
    }
}

/// The documents with the bytes of a new file. Only new files with the size of a document are read for this.
fn of_the_same_files<'k, 'c>(
    documents: Vec<&'k DocumentKey>,
    new: impl Iterator<Item = &'c Candidate>,
    request: &IngestRequest,
) -> Vec<&'k DocumentKey> {
    let sizes: HashSet<u64> = documents.iter().map(|key| key.size).collect();
    // A file that cannot be read now does not count as moved.
    let hash = |file: &Candidate| {
        let has_known_size = sizes.contains(&std::fs::metadata(&file.path).ok()?.len());
        let read = || read_consistent(&file.path, &file.within, request.largest(file.format)).ok();
        has_known_size.then(read)?.map(|(bytes, _)| blake3::hash(&bytes).to_hex().to_string())
    };
    let hashes: HashSet<String> = new.filter_map(hash).collect();
    documents.into_iter().filter(|key| hashes.contains(&key.content_hash)).collect()
}

//! The documents that a namespace has before an ingest.

use std::collections::{HashMap, HashSet};

use super::plan::{is_below_one, is_gone};
use super::request::IngestRequest;
use super::scan::Candidate;
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
}

impl Existing {
    pub async fn read(
        snapshot: &Snapshot,
        candidates: &[Candidate],
        request: &IngestRequest,
        store: &Store,
    ) -> Result<Self> {
        let keys = snapshot.document_keys().await?;
        let rows = snapshot.documents_by_id(&may_change(&keys, candidates, request, store)).await?;
        Ok(Existing { keys, rows: rows.into_iter().map(|row| (row.source.clone(), row)).collect() })
    }

    /// The row of a source that the run may change.
    pub fn get(&self, source: &str) -> Option<&DocumentRow> {
        self.rows.get(source)
    }

    pub fn rows(&self) -> impl Iterator<Item = &DocumentRow> {
        self.rows.values()
    }
}

/// The documents of the sources that a run reads; those whose files are gone from the named folders; and those whose
/// files are gone from elsewhere and have the size of a new source, because that may be the same file under another
/// path.
fn may_change(keys: &[DocumentKey], candidates: &[Candidate], request: &IngestRequest, store: &Store) -> Vec<DocId> {
    let known: HashSet<&str> = keys.iter().map(|key| key.source.as_str()).collect();
    let others = request.sources_besides_files();
    let read: HashSet<&str> =
        candidates.iter().map(|candidate| &candidate.source).chain(&others).map(String::as_str).collect();
    let new = candidates.iter().filter(|candidate| !known.contains(candidate.source.as_str()));
    let sizes = new.filter_map(|candidate| Some(std::fs::metadata(&candidate.path).ok()?.len()));
    let sizes: HashSet<u64> = sizes.chain(request.standard_input.iter().map(|(_, bytes)| bytes.len() as u64)).collect();
    let named = request.named_sources(store);
    let is_wanted = |key: &&DocumentKey| {
        let may_be_gone = || sizes.contains(&key.size) || is_below_one(&key.source, &named);
        read.contains(key.source.as_str()) || (may_be_gone() && is_gone(&key.source, store))
    };
    keys.iter().filter(is_wanted).map(|key| key.doc_id.clone()).collect()
}

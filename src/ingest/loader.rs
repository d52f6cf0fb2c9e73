//! Reads and cuts files in loader threads. Does not cut again what the store has already.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::Receiver;

use super::cut_document::CutDocument;
use super::existing::Existing;
use super::plan::is_gone;
use super::prepare::{SourceFacts, corrected_toc};
use super::request::{IngestRequest, Progress};
use super::scan::Candidate;
use super::source::{may_be_empty, read_consistent, skip};
use super::web::is_file;
use super::worker::{CutOptions, Worker};
use super::worker_threads::in_worker_threads;
use crate::error::{Error, Result, Setting};
use crate::ids::DocId;
use crate::load::Format;
use crate::store::{DocumentRow, Store, file_name};

/// The outcome of loading a source.
pub(super) enum Loaded {
    /// The store has its bytes, under this source or under one whose file is gone.
    Known(SourceFacts, Box<DocumentRow>),
    /// It was cut. `before` is the stored document of this source, or the one with the same bytes whose file is gone.
    Cut { facts: SourceFacts, document: Box<CutDocument>, before: Option<Box<DocumentRow>> },
}

impl Loaded {
    /// The stored document of the source.
    pub(super) fn before(&self) -> Option<&DocumentRow> {
        match self {
            Loaded::Known(_, row) => Some(row),
            Loaded::Cut { before, .. } => before.as_deref(),
        }
    }
}

/// Loads the sources of a request.
pub(super) struct Loader {
    pub request: IngestRequest,
    store: Store,
    pub existing: Arc<Existing>,
    /// The sources of each content hash, of the rows that the run may change.
    sources_of: HashMap<String, BTreeSet<String>>,
    /// The documents that were found under another path.
    moved: Mutex<HashSet<DocId>>,
}

impl Loader {
    pub(super) fn new(request: IngestRequest, store: Store, existing: Arc<Existing>) -> Self {
        let mut sources_of: HashMap<String, BTreeSet<String>> = HashMap::new();
        for row in existing.rows() {
            sources_of.entry(row.content_hash.clone()).or_default().insert(row.source.clone());
        }
        Loader { request, store, existing, sources_of, moved: Mutex::default() }
    }

    /// Starts the threads that read files.
    pub(super) fn start(
        self: Arc<Self>,
        todo: Vec<Candidate>,
        progress: Arc<dyn Progress>,
    ) -> Receiver<(Candidate, Result<Loaded>)> {
        let reading = self.request.reading.clone();
        in_worker_threads(todo, &reading, move |candidate, worker| {
            let Candidate { path, source, format, within } = candidate;
            let bytes = read_consistent(path, within, self.request.largest(*format));
            let loaded = bytes.and_then(|(bytes, mtime_ns)| self.load(source, &bytes, mtime_ns, *format, worker));
            progress.file_read();
            loaded
        })
    }

    /// Reads and cuts bytes, unless the store has them.
    pub(super) fn load(
        &self,
        source: &str,
        bytes: &[u8],
        mtime_ns: i64,
        format: Option<Format>,
        worker: &mut Worker,
    ) -> Result<Loaded> {
        let content_hash = blake3::hash(bytes).to_hex().to_string();
        let (source, size) = (source.to_owned(), bytes.len() as u64);
        let facts = SourceFacts { source, content_hash, size, mtime_ns, ..SourceFacts::default() };
        let own = self.existing.get(&facts.source);
        let moved = if own.is_none() { self.moved_from(&facts) } else { None };
        let loaded = self.load_after(own.or(moved), facts, bytes, format, worker);
        if let (Err(_), Some(row)) = (&loaded, moved) {
            self.moved.lock().unwrap_or_else(PoisonError::into_inner).remove(&row.doc_id);
        }
        loaded
    }

    /// The same for a source whose document was `before`.
    fn load_after(
        &self,
        before: Option<&DocumentRow>,
        mut facts: SourceFacts,
        bytes: &[u8],
        format: Option<Format>,
        worker: &mut Worker,
    ) -> Result<Loaded> {
        let is_known = |row: &&DocumentRow| {
            row.content_hash == facts.content_hash
                && !self.request.must_read(row)
                // A file's name may give its format and its title.
                && file_name(&row.source) == file_name(&facts.source)
        };
        if let Some(row) = before.filter(is_known) {
            return Ok(Loaded::Known(facts, Box::new(row.clone())));
        }
        if bytes.is_empty() && format.is_none_or(|format| !may_be_empty(&facts.source, format)) {
            return Err(Error::failed("the file is empty").hint(format!("{}, or delete it", skip())));
        }
        // The file may be half written, or the disk was full.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if text.trim_ascii().is_empty() && before.is_some_and(|row| row.parents > 0) {
            let hint = format!("{}, or delete it and ingest with {}", skip(), Setting("prune"));
            return Err(Error::failed("the file is empty now; the text that it had is kept").hint(hint));
        }
        let before = before.cloned().map(Box::new);
        facts.corrected_toc = before.as_deref().map(corrected_toc).transpose()?.flatten();
        let chunking = self.request.chunking_of(before.as_deref());
        let how = CutOptions { source: &facts.source, chunking, corrected: facts.corrected_toc.as_deref() };
        let document = Box::new(worker.cut_file(bytes, format, how)?);
        Ok(Loaded::Cut { facts, document, before })
    }

    /// For a file, a document with these bytes whose own file is gone, if possible one of this name. Each document is
    /// found once.
    fn moved_from(&self, facts: &SourceFacts) -> Option<&DocumentRow> {
        if !is_file(&facts.source) {
            return None;
        }
        let rows = self.sources_of.get(&facts.content_hash)?.iter().filter_map(|source| self.existing.get(source));
        let mut rows: Vec<&DocumentRow> = rows.collect();
        rows.sort_by_key(|row| file_name(&row.source) != file_name(&facts.source));
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = rows.into_iter().filter(|row| is_gone(&row.source, &self.store));
        gone.find(|row| moved.insert(row.doc_id.clone()))
    }

    /// Whether a document was found under another path.
    pub(super) fn has_moved(&self, row: &DocumentRow) -> bool {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).contains(&row.doc_id)
    }
}

/// The error without the hint to skip the file.
pub(super) fn for_standard_input(error: Error) -> Error {
    let skip = skip();
    let Some(hint) = error.next_step().filter(|hint| hint.contains(&skip)).map(str::to_owned) else {
        return error;
    };
    error.hint(match hint.strip_suffix(&skip).and_then(|rest| rest.strip_suffix(", or ")) {
        Some(rest) => rest.to_owned(),
        None => format!("check the input, and that {} has the ending of its format", Setting("name")),
    })
}

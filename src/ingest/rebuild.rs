//! Rebuilds stored documents in place, from their sources or from the store.

use std::sync::Arc;

use serde::Serialize;

use super::contexts::{ContextWriter, wants_model_context};
use super::cut_document::CutDocument;
use super::indexer::Indexer;
use super::known_vectors::KnownVectors;
use super::plan::is_gone;
use super::prepare::{Prepared, SourceFacts, rows};
use super::request::Progress;
use super::source::{mtime_ns, read_consistent};
use super::vectors::LazyEmbedder;
use super::web::is_file;
use super::worker::{CutOptions, Reading, Worker};
use crate::chunk::ChunkConfig;
use crate::embed::EngineChoice;
use crate::error::Result;
use crate::llm::{LlmConfig, Unanswered};
use crate::load::{Format, OutlineEntry};
use crate::models::Models;
use crate::store::{DocumentRow, DocumentTime, LockTimeout, ModelRecord, Namespace, Snapshot, Store, Writer};

#[derive(Debug, Clone)]
pub struct RebuildOptions {
    pub reading: Reading,
    pub models: Models,
    pub engine: EngineChoice,
    /// The language model that writes chunk contexts; `None` keeps those of the store.
    pub llm: Option<LlmConfig>,
    /// Whether to ask again about parent chunks without an answer.
    pub unanswered: Unanswered,
    pub lock_timeout: LockTimeout,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SourceState {
    /// Unchanged: read and cut.
    Same(Box<CutDocument>),
    /// The file has other content.
    Changed,
    /// The file does not exist.
    Gone,
    /// It came from standard input or from the web.
    NoFile,
}

pub(super) fn unchanged_bytes(row: &DocumentRow, store: &Store) -> Result<Result<Vec<u8>, SourceState>> {
    if !is_file(&row.source) {
        return Ok(Err(SourceState::NoFile));
    }
    let path = store.source_path(&row.source);
    if is_gone(&row.source, store) {
        return Ok(Err(SourceState::Gone));
    }
    if std::fs::metadata(&path).is_ok_and(|facts| facts.len() != row.size) {
        return Ok(Err(SourceState::Changed));
    }
    let (bytes, _) = read_consistent(&path, &[], u64::MAX)?;
    let same = blake3::hash(&bytes).to_hex().as_str() == row.content_hash;
    Ok(if same { Ok(bytes) } else { Err(SourceState::Changed) })
}

/// How the file of a document changed since the ingest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stale {
    /// It has other content that was not ingested, or could not be.
    Changed,
    Gone,
    /// It cannot be read, and may have changed.
    Unreadable,
}

/// Whether a document is out of date. Reads the file if its modification time differs.
pub fn stale(row: &DocumentRow, store: &Store) -> Option<Stale> {
    if !is_file(&row.source) {
        return None;
    }
    let path = store.source_path(&row.source);
    let hash = || -> std::io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::fs::File::open(&path)?, &mut hasher)?;
        Ok(hasher.finalize())
    };
    match std::fs::metadata(&path) {
        Err(_) if is_gone(&row.source, store) => Some(Stale::Gone),
        Err(_) => Some(Stale::Unreadable),
        Ok(facts) if facts.is_dir() => Some(Stale::Gone),
        Ok(facts) if facts.len() != row.size || !facts.is_file() => Some(Stale::Changed),
        Ok(facts) if mtime_ns(&facts) == row.mtime_ns => None,
        Ok(_) => match hash() {
            Ok(hash) if hash.to_hex().as_str() == row.content_hash => None,
            Ok(_) => Some(Stale::Changed),
            Err(_) => Some(Stale::Unreadable),
        },
    }
}

/// Reads and cuts the source of a document, if it is unchanged since the ingest.
pub fn read_source(row: &DocumentRow, store: &Store, how: CutOptions<'_>, worker: &mut Worker) -> Result<SourceState> {
    match unchanged_bytes(row, store)? {
        Ok(bytes) => {
            let document = worker.cut_file(&bytes, Format::from_name(&row.format), how)?;
            Ok(SourceState::Same(Box::new(document)))
        }
        Err(other) => Ok(other),
    }
}

/// The rows, without vectors, of a stored document that was cut again with `chunking`.
pub fn rebuilt_rows(
    row: &DocumentRow,
    document: CutDocument,
    corrected_toc: Option<Vec<OutlineEntry>>,
    chunking: &ChunkConfig,
) -> Prepared {
    let facts = SourceFacts {
        corrected_toc,
        time: row.time.clone().filter(DocumentTime::is_given),
        metadata: row.metadata.clone(),
        ..SourceFacts::of(row)
    };
    let mut prepared = rows(document, &facts, chunking, &jiff::Timestamp::now().to_string());
    prepared.new.document.ingested_at = row.ingested_at.clone();
    prepared
}

/// A locked namespace that is being rebuilt.
pub struct Rebuilder {
    /// The namespace before the rebuild.
    pub snapshot: Snapshot,
    pub indexer: Indexer,
}

/// The numbers of a rebuilt document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuilt {
    /// Without the preamble.
    pub sections: u32,
    pub parents: u32,
    /// Edits that became conflicts.
    pub conflicts: usize,
}

impl Rebuilder {
    /// Locks an existing namespace. The history records `command`.
    pub async fn open(
        namespace: &Namespace,
        options: &RebuildOptions,
        command: &str,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        // Locked before it is read, so that the snapshot stays current.
        let writer = Writer::open_existing(namespace, &options.lock_timeout).await?;
        let snapshot = Snapshot::open(namespace).await?;
        let vectors = options.vectors(writer.model().clone());
        let mut indexer = Indexer::new(writer, vectors, command, progress);
        indexer.contexts = options.llm.clone().map(|llm| ContextWriter::new(llm, options.unanswered));
        Ok(Rebuilder { snapshot, indexer })
    }

    /// Replaces the sections and chunks of a document by [`rebuilt_rows`], and applies its edits. Keeps vectors as
    /// [`KnownVectors::of_contents`] does, or only those of equal texts if the context changes or a language model
    /// writes it. A document without vectors gets none.
    pub async fn put(&mut self, row: &DocumentRow, prepared: Prepared) -> Result<Rebuilt> {
        let parents = self.snapshot.parents_of(&row.doc_id).await?;
        let context = |row: &DocumentRow| row.chunking.context;
        // The context of a model is part of the embedded text.
        let by_content = context(row) == context(&prepared.new.document) && !wants_model_context(row);
        let known = if by_content { KnownVectors::of_contents(&parents) } else { KnownVectors::of_chunks(&parents) };
        let (prepared, rebased) = prepared.carrying(row, parents);
        let conflicts = rebased.conflicts;
        let document = &prepared.new.document;
        let rebuilt = Rebuilt { sections: document.sections, parents: document.parents, conflicts };
        self.indexer.put(prepared, known.and_of(row), row.embedded, "rebuilt", None).await?;
        Ok(rebuilt)
    }

    /// Publishes what waits, and returns the indexer with its counts. After an error, earlier batches stay published.
    pub async fn finish(self) -> Result<Indexer> {
        let Rebuilder { snapshot, mut indexer } = self;
        // An open snapshot would keep the replaced data on the disk.
        drop(snapshot);
        indexer.flush().await?;
        Ok(indexer)
    }
}

impl RebuildOptions {
    /// The embedding model of a record, loaded when it is needed.
    pub(super) fn vectors(&self, record: ModelRecord) -> LazyEmbedder {
        let (models, engine, jobs) = (self.models.clone(), self.engine.clone(), self.reading.jobs);
        LazyEmbedder::NotLoaded { models, record, engine, jobs }
    }
}

//! Rebuilds documents to find their sections again or to cut them differently. Reads their sources, or the store if a
//! source changed.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use tokio::sync::mpsc::Receiver;

use super::contexts::{ContextWriter, wants_model_context};
use super::known_vectors::KnownVectors;
use super::prepare::{Prepared, corrected_toc};
use super::profile::lacks_profile;
use super::rebuild::{RebuildOptions, Rebuilder, SourceState, read_source, rebuilt_rows, unchanged_bytes};
use super::request::{ContextsReport, Progress};
use super::stored::{bytes_of, read_rows, read_stored};
use super::worker::{CutOptions, Worker};
use super::worker_threads::in_worker_threads;
use crate::chunk::ChunkChange;
use crate::chunk::context::ContextKind;
use crate::edits::set_situating;
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::store::{DocumentRow, Namespace, NewDocument, Snapshot, Store};
use crate::structure::STRUCTURE_VERSION;

/// Which documents to rebuild, and how.
#[derive(Debug, Clone)]
pub struct ReindexRequest {
    /// Their ids; `None` means all.
    pub documents: Option<Vec<DocId>>,
    /// Find their sections again. Without this, a new context alone reads no source.
    pub structure: bool,
    /// Changes to how they are cut.
    pub chunks: ChunkChange,
    /// Include documents that need no rebuild.
    pub force: bool,
    /// Report what would happen, without writing.
    pub dry_run: bool,
}

impl ReindexRequest {
    fn is_due(&self, row: &DocumentRow) -> bool {
        let older = self.structure && (row.structure_version < STRUCTURE_VERSION || lacks_profile(row, true));
        self.force || older || row.chunking.with(&self.chunks) != row.chunking
    }

    /// The new context, if nothing else changes.
    fn only_context(&self) -> Option<ContextKind> {
        let is_alone = ChunkChange { context: None, ..self.chunks } == ChunkChange::default();
        self.chunks.context.filter(|_| is_alone && !self.structure)
    }
}

/// Where the text of a rebuilt document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFrom {
    /// Its file, which is unchanged since the ingest.
    Source,
    /// Its parent chunks: the file changed, is gone or never existed.
    Store,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReindexedDocument {
    pub doc_id: DocId,
    pub source: String,
    /// `None` for a document that failed.
    pub from: Option<TextFrom>,
    /// Whether it stayed as it was, because kb found fewer sections in the stored text than in the file.
    pub kept: bool,
    pub sections_before: u32,
    /// The same as before in a dry run and after a failure.
    pub sections: u32,
    pub parents: u32,
    /// Edits that conflict with the new text.
    pub edits_in_conflict: usize,
    /// Why it failed; then it is unchanged.
    pub reason: Option<String>,
    pub hint: Option<String>,
}

impl ReindexedDocument {
    fn unchanged(row: &DocumentRow, from: Option<TextFrom>) -> Self {
        ReindexedDocument {
            doc_id: row.doc_id.clone(),
            source: row.source.clone(),
            from,
            sections_before: row.sections,
            sections: row.sections,
            parents: row.parents,
            ..ReindexedDocument::default()
        }
    }
}

/// What a reindex did, or in a dry run would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReindexReport {
    pub dry_run: bool,
    /// The documents that needed a rebuild, in order of their sources.
    pub documents: Vec<ReindexedDocument>,
    /// Documents that needed none.
    pub current: usize,
    pub embedded: usize,
    /// Child chunks that kept their vectors.
    pub reused: usize,
    /// The generation published last; `None` if nothing was published.
    pub generation: Option<u64>,
    /// The chunk contexts of the language model; `None` if no document wants them.
    pub contexts: Option<ContextsReport>,
    pub seconds: f64,
}

impl ReindexReport {
    pub fn failed(&self) -> usize {
        self.documents.iter().filter(|document| document.reason.is_some()).count()
    }
}

/// Rebuilds the documents of the request. Documents that fail are in the report, not errors.
pub async fn reindex(
    request: &ReindexRequest,
    store: &Store,
    namespace: &str,
    options: &RebuildOptions,
    progress: Arc<dyn Progress>,
) -> Result<ReindexReport> {
    let started = Instant::now();
    let namespace = store.namespace(namespace)?;
    // Read before it is locked, so that nothing is created for a namespace that does not exist.
    let mut rows = Snapshot::open(&namespace).await?.documents().await?;
    let mut rebuilder = None;
    if !request.dry_run {
        let opened = Rebuilder::open(&namespace, options, "reindex", progress.clone()).await?;
        rows = opened.snapshot.documents().await?;
        rebuilder = Some(opened);
    }
    rows.retain(|row| request.documents.as_ref().is_none_or(|ids| ids.contains(&row.doc_id)));
    let (rows, current): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| request.is_due(row));
    let mut report = ReindexReport { dry_run: request.dry_run, current: current.len(), ..ReindexReport::default() };
    report.contexts = estimate(request, &rows, &namespace, options).await?;
    progress.begin(rows.len(), bytes_of(&rows));
    let outcome = async {
        match request.only_context() {
            Some(context) => {
                for row in rows {
                    let document = change_context(row, context, rebuilder.as_mut()).await?;
                    progress.file_read();
                    report.documents.push(document);
                }
            }
            None => {
                let mut sources = read_sources(rows, store, options, request, &progress);
                let mut worker = Worker::new(&options.reading);
                while let Some((row, now)) = sources.recv().await {
                    let document = match now {
                        Ok(now) => rebuild(&row, now, &request.chunks, rebuilder.as_mut(), &mut worker).await?,
                        Err(error) => Err(error),
                    };
                    report.documents.push(document.unwrap_or_else(|error| failed(&row, &error, &*progress)));
                }
            }
        }
        if let Some(rebuilder) = rebuilder {
            let indexer = rebuilder.finish().await?;
            report.embedded = indexer.embedded();
            report.reused = indexer.vectors.reused;
            report.generation = indexer.generation;
            report.contexts = indexer.contexts_report();
        }
        Ok(())
    };
    let outcome: Result<()> = outcome.await;
    progress.end();
    outcome?;
    report.documents.sort_by(|a, b| a.source.cmp(&b.source));
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Counts the requests to the language model for a dry run. The chunks of a new structure are not known yet, so it
/// counts the present ones.
async fn estimate(
    request: &ReindexRequest,
    rows: &[DocumentRow],
    namespace: &Namespace,
    options: &RebuildOptions,
) -> Result<Option<ContextsReport>> {
    let Some(configured) = options.llm.clone().filter(|_| request.dry_run) else { return Ok(None) };
    let mut writer = ContextWriter::new(configured, options.unanswered);
    let snapshot = Snapshot::open(namespace).await?;
    for row in rows {
        let document = DocumentRow { chunking: row.chunking.with(&request.chunks), ..row.clone() };
        if wants_model_context(&document) {
            writer.estimate(&read_rows(&snapshot, document).await?)?;
        }
    }
    Ok(writer.report())
}

/// Reads the sources of documents in several threads. A dry run only checks whether they changed; `None` means that
/// they did not.
fn read_sources(
    rows: Vec<DocumentRow>,
    store: &Store,
    options: &RebuildOptions,
    request: &ReindexRequest,
    progress: &Arc<dyn Progress>,
) -> Receiver<(DocumentRow, Result<Option<SourceState>>)> {
    let (store, progress) = (store.clone(), progress.clone());
    let (dry_run, chunks) = (request.dry_run, request.chunks);
    in_worker_threads(rows, &options.reading, move |row: &DocumentRow, worker| {
        let now = match dry_run {
            true => unchanged_bytes(row, &store).map(|bytes| bytes.err()),
            false => corrected_toc(row).and_then(|corrected| {
                let (chunking, corrected) = (row.chunking.with(&chunks), corrected.as_deref());
                read_source(row, &store, CutOptions { source: &row.source, chunking, corrected }, worker).map(Some)
            }),
        };
        progress.file_read();
        now
    })
}

fn failed(row: &DocumentRow, error: &Error, progress: &dyn Progress) -> ReindexedDocument {
    progress.failed(&row.source, error.message());
    ReindexedDocument {
        reason: Some(error.message().to_owned()),
        hint: error.next_step().map(str::to_owned),
        ..ReindexedDocument::unchanged(row, None)
    }
}

/// Rebuilds one document. The outer error is the store's and ends the run; the inner one is the document's.
async fn rebuild(
    row: &DocumentRow,
    now: Option<SourceState>,
    chunks: &ChunkChange,
    rebuilder: Option<&mut Rebuilder>,
    worker: &mut Worker,
) -> Result<Result<ReindexedDocument>> {
    let is_source = matches!(now, None | Some(SourceState::Same(_)));
    let from = Some(if is_source { TextFrom::Source } else { TextFrom::Store });
    let unchanged = ReindexedDocument::unchanged(row, from);
    let Some(rebuilder) = rebuilder else { return Ok(Ok(unchanged)) };
    let chunking = row.chunking.with(chunks);
    let cut = async {
        let corrected = corrected_toc(row)?;
        let how = CutOptions { source: &row.source, chunking, corrected: corrected.as_deref() };
        let document = match now {
            Some(SourceState::Same(document)) => *document,
            _ => read_stored(row, &rebuilder.snapshot, how, worker).await?,
        };
        Ok((document, corrected))
    };
    let (document, corrected) = match cut.await {
        Ok(cut) => cut,
        Err(error) => return Ok(Err(error)),
    };
    let prepared = rebuilt_rows(row, document, corrected, &chunking);
    if !is_source && prepared.new.document.sections < row.sections {
        // Fonts, positions and tags are not stored. Sections that were found by them would be lost.
        keep(DocumentRow { structure_version: STRUCTURE_VERSION, ..row.clone() }, rebuilder).await?;
        return Ok(Ok(ReindexedDocument { kept: true, ..unchanged }));
    }
    let rebuilt = rebuilder.put(row, prepared).await?;
    Ok(Ok(ReindexedDocument {
        sections: rebuilt.sections,
        parents: rebuilt.parents,
        edits_in_conflict: rebuilt.conflicts,
        ..unchanged
    }))
}

/// Keeps the sections and chunks of a document, with a new profile if it has an old one.
async fn keep(row: DocumentRow, rebuilder: &mut Rebuilder) -> Result<()> {
    if !lacks_profile(&row, true) {
        rebuilder.indexer.update(row, "kept");
        return Ok(());
    }
    let embed = row.embedded;
    let mut new = read_rows(&rebuilder.snapshot, row).await?;
    let known = KnownVectors::taken_from(&mut new);
    rebuilder.indexer.put(Prepared::of(new), known, embed, "kept", None).await
}

/// Gives one document another context, from the store alone.
async fn change_context(
    row: DocumentRow,
    context: ContextKind,
    rebuilder: Option<&mut Rebuilder>,
) -> Result<ReindexedDocument> {
    let outcome = ReindexedDocument::unchanged(&row, Some(TextFrom::Store));
    if let Some(rebuilder) = rebuilder {
        let embed = row.embedded;
        let stored = read_rows(&rebuilder.snapshot, row).await?;
        let (prepared, known) = with_context(stored.clone(), context);
        rebuilder.indexer.put(prepared, known, embed, "updated", Some(stored)).await?;
    }
    Ok(outcome)
}

/// A document in another context, and its vectors by the hashes of their texts.
fn with_context(mut new: NewDocument, context: ContextKind) -> (Prepared, KnownVectors) {
    let known = KnownVectors::taken_from(&mut new);
    if new.document.chunking.context != context {
        // The empty one of no context must not count as the model's.
        new.chunks_mut().for_each(|row| row.situating = None);
    }
    new.document.chunking.context = context;
    set_situating(&mut new);
    (Prepared::of(new), known)
}

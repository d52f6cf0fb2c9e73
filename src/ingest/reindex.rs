//! `kb reindex --structure`: documents whose sections an older version found are taken apart again.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::Progress;
use super::lines::{LineWriter, LinesReport};
use super::prepare::corrected_toc;
use super::profile::lacks_profile;
use super::rebuild::{RebuildOptions, Rebuilder, SourceNow, anew_with, look_at_source, read_source, read_stored};
use super::spread::spread;
use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::error::{Error, Result};
use crate::store::{DocumentRow, Namespace, Snapshot, Store};
use crate::structure::STRUCTURE_VERSION;

/// Which documents to rebuild.
#[derive(Debug, Clone)]
pub struct ReindexRequest {
    /// Only these, by id; all, where `None`.
    pub documents: Option<Vec<String>>,
    /// What stands in front of their chunks from now on; what did before, where `None`.
    pub context: Option<ContextKind>,
    /// Those too that this version's structure code made.
    pub force: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

/// Where the text of a rebuilt document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextFrom {
    /// Its file, which still is what was ingested.
    Source,
    /// The passages in the store: the file is gone or has changed, or there never was one.
    Store,
}

/// What happened to a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReindexedDocument {
    /// Its id.
    pub doc_id: String,
    /// Its source.
    pub source: String,
    /// Where its text came from; `None` where it failed.
    pub from: Option<TextFrom>,
    /// Whether it was left as it is, because the store's text shows fewer sections than its file did.
    pub kept: bool,
    /// How many sections it had.
    pub sections_before: u32,
    /// How many it has now; of a dry run and a failure, as before.
    pub sections: u32,
    /// How many passages it has now.
    pub parents: u32,
    /// Edits of its chunks that do not fit the new text any more.
    pub edits_in_conflict: usize,
    /// Why it failed; then it is as it was.
    pub error: Option<String>,
    /// The next step after a failure.
    pub hint: Option<String>,
}

impl ReindexedDocument {
    /// A document to which nothing has happened yet.
    pub(super) fn as_it_was(row: &DocumentRow) -> Self {
        ReindexedDocument {
            doc_id: row.doc_id.clone(),
            source: row.source.clone(),
            from: None,
            kept: false,
            sections_before: row.sections,
            sections: row.sections,
            parents: row.parents,
            edits_in_conflict: 0,
            error: None,
            hint: None,
        }
    }
}

/// What a reindex did, or with `dry_run` would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReindexReport {
    /// Whether nothing was written because it was only asked.
    pub dry_run: bool,
    /// The documents that were to be rebuilt, by source.
    pub documents: Vec<ReindexedDocument>,
    /// How many were left alone, because this version's structure code made them.
    pub current: usize,
    /// How many of those got a profile, because an earlier version put them in.
    pub profiled: usize,
    /// Child chunks embedded.
    pub embedded: usize,
    /// Child chunks that kept their vectors.
    pub reused: usize,
    /// The generation published last; `None` where nothing was published.
    pub generation: Option<u64>,
    /// What a language model was asked to say of passages, or would be; `None` where no document wants it.
    pub lines: Option<LinesReport>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

impl ReindexReport {
    /// How many failed.
    pub fn failed(&self) -> usize {
        self.documents.iter().filter(|document| document.error.is_some()).count()
    }

    /// Publishes what is still waiting, and says what was done.
    pub(super) async fn finish(&mut self, rebuilder: Option<Rebuilder>) -> Result<()> {
        if let Some(rebuilder) = rebuilder {
            let indexer = rebuilder.finish().await?;
            self.embedded = indexer.embedded;
            self.reused = indexer.reused;
            self.generation = indexer.generation;
            self.lines = indexer.lines_report();
        }
        Ok(())
    }

    /// The report of a run that began at `started` and is over.
    pub(super) fn ended(mut self, started: Instant) -> Self {
        self.documents.sort_by(|a, b| a.source.cmp(&b.source));
        self.seconds = started.elapsed().as_secs_f64();
        self
    }
}

/// The documents that a request names, and what rebuilds them, unless it only asks.
pub(super) async fn open(
    request: &ReindexRequest,
    namespace: &Namespace,
    options: &RebuildOptions,
    progress: &Arc<dyn Progress>,
) -> Result<(Vec<DocumentRow>, Option<Rebuilder>)> {
    // Read first, so that nothing is made where nothing is.
    let mut rows = Snapshot::open(namespace).await?.documents().await?;
    let mut rebuilder = None;
    if !request.dry_run {
        let opened = Rebuilder::open(namespace, options, "reindex", progress.clone()).await?;
        rows = opened.snapshot().documents().await?;
        rebuilder = Some(opened);
    }
    rows.retain(|row| request.documents.as_ref().is_none_or(|ids| ids.contains(&row.doc_id)));
    Ok((rows, rebuilder))
}

/// What the lines of a language model would cost, where that is all that is asked. How a document is cut after its
/// structure was found anew is not known before; it is estimated as it is.
pub(super) async fn estimated(
    request: &ReindexRequest,
    rows: &[DocumentRow],
    namespace: &Namespace,
    options: &RebuildOptions,
) -> Result<Option<LinesReport>> {
    let Some(configured) = options.llm.clone().filter(|_| request.dry_run) else { return Ok(None) };
    let mut writer = LineWriter::new(configured, options.unsaid);
    writer.estimate_stored(rows, request.context, &Snapshot::open(namespace).await?).await?;
    Ok(writer.report())
}

/// Rebuilds what the request names.
///
/// # Errors
/// Where the store refuses or the model fails. Documents that fail are in the report, not errors.
pub async fn reindex(
    request: &ReindexRequest,
    store: &Store,
    namespace: &str,
    options: &RebuildOptions,
    progress: Arc<dyn Progress>,
) -> Result<ReindexReport> {
    let started = Instant::now();
    let (rows, mut rebuilder) = open(request, &store.namespace(namespace)?, options, &progress).await?;
    let asked = rows.len();
    let is_older = |row: &DocumentRow| row.structure_version < STRUCTURE_VERSION;
    let is_elsewhere =
        |row: &DocumentRow| request.context.is_some_and(|context| ChunkConfig::of(&row.chunking).context != context);
    let (rows, current): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| request.force || is_older(row) || is_elsewhere(row));
    let undescribed: Vec<DocumentRow> = current.into_iter().filter(|row| lacks_profile(row, true)).collect();
    let (current, profiled) = (asked - rows.len(), undescribed.len());
    let lines = estimated(request, &rows, &store.namespace(namespace)?, options).await?;
    let mut report = ReindexReport { dry_run: request.dry_run, current, profiled, lines, ..ReindexReport::default() };
    if let Some(rebuilder) = &mut rebuilder {
        rebuilder.describe(undescribed).await?;
    }
    progress.begin(rows.len(), rows.iter().map(|row| row.size).sum());
    let outcome = rebuild_all(rows, request.context, store, options, rebuilder, &progress, &mut report).await;
    progress.end();
    outcome?;
    Ok(report.ended(started))
}

async fn rebuild_all(
    rows: Vec<DocumentRow>,
    context: Option<ContextKind>,
    store: &Store,
    options: &RebuildOptions,
    mut rebuilder: Option<Rebuilder>,
    progress: &Arc<dyn Progress>,
    report: &mut ReindexReport,
) -> Result<()> {
    let (store, load, dry_run, reading) = (store.clone(), options.load.clone(), report.dry_run, progress.clone());
    let mut sources = spread(rows, options.jobs, options.limits, move |row: &DocumentRow, worker| {
        let now = if dry_run {
            look_at_source(row, &store).map(|looked| looked.err())
        } else {
            read_source(row, &store, &load, worker).map(Some)
        };
        reading.file_read(&row.source);
        (row.clone(), now)
    });
    while let Some((row, now)) = sources.recv().await {
        let mut line = ReindexedDocument::as_it_was(&row);
        let outcome = match now {
            Ok(now) => rebuild(&row, now, context, rebuilder.as_mut(), &mut line).await?,
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            progress.failed(&row.source, error.message());
            line.error = Some(error.message().to_owned());
            line.hint = error.next_step().map(str::to_owned);
        }
        report.documents.push(line);
    }
    report.finish(rebuilder).await
}

/// Rebuilds one document. The outer error is the store's, which ends the run; the inner one is the document's.
async fn rebuild(
    row: &DocumentRow,
    now: Option<SourceNow>,
    context: Option<ContextKind>,
    rebuilder: Option<&mut Rebuilder>,
    line: &mut ReindexedDocument,
) -> Result<Result<(), Error>> {
    let is_source = matches!(now, None | Some(SourceNow::Same(_)));
    let Some(rebuilder) = rebuilder else {
        line.from = Some(if is_source { TextFrom::Source } else { TextFrom::Store });
        return Ok(Ok(()));
    };
    let corrected = match corrected_toc(row) {
        Ok(corrected) => corrected,
        Err(error) => return Ok(Err(error)),
    };
    let document = match now {
        Some(SourceNow::Same(document)) => *document,
        _ => match read_stored(row, rebuilder.snapshot()).await {
            Ok(document) => document,
            Err(error) => return Ok(Err(error)),
        },
    };
    let recorded = ChunkConfig::of(&row.chunking);
    let chunking = ChunkConfig { context: context.unwrap_or(recorded.context), ..recorded };
    let prepared = anew_with(row, &document, corrected, &chunking);
    line.from = Some(if is_source { TextFrom::Source } else { TextFrom::Store });
    if !is_source && prepared.new.document.sections < row.sections {
        // Fonts, positions and tags are not stored. What was found by them cannot be found again, and must not be
        // lost for that.
        rebuilder.update(DocumentRow { structure_version: STRUCTURE_VERSION, ..row.clone() });
        line.kept = true;
        return Ok(Ok(()));
    }
    let rebuilt = rebuilder.put(row, prepared).await?;
    line.sections = rebuilt.sections;
    line.parents = rebuilt.parents;
    line.edits_in_conflict = rebuilt.conflicts;
    Ok(Ok(()))
}

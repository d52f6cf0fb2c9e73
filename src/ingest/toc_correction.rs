//! Corrects the table of contents of a document, or drops its correction.

use std::sync::Arc;

use serde::Serialize;

use super::cut_document::CutDocument;
use super::rebuild::{RebuildOptions, Rebuilder, SourceState, read_source, rebuilt_rows};
use super::request::Progress;
use super::stored::read_stored;
use super::worker::{CutOptions, Worker};
use crate::edits::{TocLine, entries_of, parse_toc};
use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::load::OutlineEntry;
use crate::store::{DocumentRow, Namespace, SectionRow, Snapshot, Store};

/// The command in the history.
const COMMAND: &str = "toc";

/// Where the document is stored.
pub struct Place {
    pub store: Store,
    pub namespace: Namespace,
    pub options: RebuildOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is stored and applied.
    Stored,
    /// It changes nothing.
    Unchanged,
    /// It is dropped, and the sections are found without it.
    Reset,
    /// It is dropped. The source is missing, so the sections stay until it is ingested again.
    ResetLater,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrectionReport {
    pub doc_id: DocId,
    pub source: String,
    pub outcome: Outcome,
    pub sections: u32,
    pub parents: u32,
    /// Edits that conflict with the new parent chunks.
    pub edits_in_conflict: usize,
    pub embedded: usize,
    /// Child chunks that kept their vectors.
    pub reused: usize,
}

impl CorrectionReport {
    fn new(document: &DocumentRow, outcome: Outcome) -> Self {
        CorrectionReport {
            doc_id: document.doc_id.clone(),
            source: document.source.clone(),
            outcome,
            sections: document.sections,
            parents: document.parents,
            edits_in_conflict: 0,
            embedded: 0,
            reused: 0,
        }
    }
}

/// Gives a document the table of contents in `text`, in the form of [`editable_toc`](crate::edits::editable_toc).
/// `document` and `sections` are as they were when the text was written. After an error, which has the number of its
/// line, nothing is written.
pub async fn set_toc(
    place: &Place,
    document: &DocumentRow,
    sections: &[SectionRow],
    text: &str,
    progress: Arc<dyn Progress>,
) -> Result<CorrectionReport> {
    let lines = parse_toc(text, document.pages)?;
    if lines.is_empty() {
        return Err(Error::usage("the table of contents has no entries; nothing was changed")
            .hint(format!("`{}` drops a correction", NextStep::ResetContents(&document.doc_id))));
    }
    let entries: Vec<OutlineEntry> = lines.iter().map(|line| line.entry.clone()).collect();
    if entries == entries_of(sections) {
        return Ok(CorrectionReport::new(document, Outcome::Unchanged));
    }
    let cut = source_for_correction(place, document, &entries).await?;
    refuse_unknown(&lines, &cut, sections)?;
    rebuild(place, document, cut, Some(entries), Outcome::Stored, progress).await
}

/// Drops the correction of a document, and finds its sections without it.
pub async fn reset_toc(place: &Place, document: &DocumentRow, progress: Arc<dyn Progress>) -> Result<CorrectionReport> {
    if document.corrected_toc.is_none() {
        return Err(Error::not_found(format!("the table of contents of {} was never corrected", document.source)));
    }
    if let SourceState::Same(cut) = source_now(place, document, None).await? {
        return rebuild(place, document, *cut, None, Outcome::Reset, progress).await;
    }
    let mut rebuilder = Rebuilder::open(&place.namespace, &place.options, COMMAND, progress).await?;
    refuse_changed(&rebuilder, document).await?;
    rebuilder.indexer.update(DocumentRow { corrected_toc: None, ..document.clone() }, "kept");
    rebuilder.finish().await?;
    Ok(CorrectionReport::new(document, Outcome::ResetLater))
}

async fn source_now(place: &Place, document: &DocumentRow, corrected: Option<&[OutlineEntry]>) -> Result<SourceState> {
    let (document, store, reading) = (document.clone(), place.store.clone(), place.options.reading.clone());
    let corrected = corrected.map(<[OutlineEntry]>::to_vec);
    let read = move || {
        let how = cut_options(&document, corrected.as_deref());
        read_source(&document, &store, how, &mut Worker::new(&reading))
    };
    tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| Error::failed(format!("reading the source crashed: {error}")))?
}

fn cut_options<'a>(document: &'a DocumentRow, corrected: Option<&'a [OutlineEntry]>) -> CutOptions<'a> {
    CutOptions { source: &document.source, chunking: document.chunking, corrected }
}

/// Cuts the document again, with the corrected table of contents.
async fn source_for_correction(place: &Place, document: &DocumentRow, entries: &[OutlineEntry]) -> Result<CutDocument> {
    let source = &document.source;
    match source_now(place, document, Some(entries)).await? {
        SourceState::Same(cut) => Ok(*cut),
        // Without a file, only the store has the text.
        SourceState::NoFile => {
            let mut worker = Worker::new(&place.options.reading);
            let snapshot = Snapshot::open(&place.namespace).await?;
            read_stored(document, &snapshot, cut_options(document, Some(entries)), &mut worker).await
        }
        SourceState::Changed => Err(Error::failed(format!("{source} has changed since it was ingested"))
            .hint(format!("`{}` reads it again; then correct its table of contents", NextStep::Ingest(source)))),
        SourceState::Gone => Err(Error::failed(format!("{source} is gone, so its sections cannot be rebuilt"))
            .hint("restore the file, or ingest it from its new place; then correct its table of contents")),
    }
}

/// Refuses entries that are not in the text, except those that had no place before.
fn refuse_unknown(lines: &[TocLine], cut: &CutDocument, sections: &[SectionRow]) -> Result<()> {
    let led_nowhere = |entry: &OutlineEntry| {
        cut.pages.is_some()
            && entry.page.is_none()
            && sections.iter().any(|section| section.page_start.is_none() && section.title == entry.title)
    };
    let missing = cut.not_found.iter().filter_map(|&i| lines.get(i)).filter(|line| !led_nowhere(&line.entry));
    let unknown: Vec<String> = missing.map(|line| format!("line {}, {:?}", line.number, line.entry.title)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let hint = if cut.pages.is_some() {
        "give them a page, as in [p. 12], or write their titles as in the text"
    } else {
        "write the titles as in the text and in its order"
    };
    Err(Error::usage(format!("not found in the document after the preceding entry: {}", unknown.join("; "))).hint(hint))
}

async fn rebuild(
    place: &Place,
    document: &DocumentRow,
    cut: CutDocument,
    corrected: Option<Vec<OutlineEntry>>,
    outcome: Outcome,
    progress: Arc<dyn Progress>,
) -> Result<CorrectionReport> {
    progress.begin(1, document.size);
    let work = async {
        let mut rebuilder = Rebuilder::open(&place.namespace, &place.options, COMMAND, progress.clone()).await?;
        refuse_changed(&rebuilder, document).await?;
        let rebuilt = rebuilder.put(document, rebuilt_rows(document, cut, corrected, &document.chunking)).await?;
        let indexer = rebuilder.finish().await?;
        Ok(CorrectionReport {
            sections: rebuilt.sections,
            parents: rebuilt.parents,
            edits_in_conflict: rebuilt.conflicts,
            embedded: indexer.embedded(),
            reused: indexer.vectors.reused,
            ..CorrectionReport::new(document, outcome)
        })
    };
    let outcome = work.await;
    progress.end();
    outcome
}

/// Refuses a document that changed meanwhile: the namespace was not locked while the user edited.
async fn refuse_changed(rebuilder: &Rebuilder, document: &DocumentRow) -> Result<()> {
    let now = rebuilder.snapshot.documents_by_id(std::slice::from_ref(&document.doc_id)).await?;
    if now.first() == Some(document) {
        return Ok(());
    }
    Err(Error::failed(format!("{} has changed in the store meanwhile; nothing was written", document.source))
        .hint("run the command again"))
}

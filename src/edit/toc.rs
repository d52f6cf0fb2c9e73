//! A document's table of contents, corrected by a person or given back.

use std::sync::Arc;

use serde::Serialize;

use super::toc_text::{self, Line};
use crate::error::{Error, Result};
use crate::ingest::{Progress, RebuildOptions, Rebuilder, SourceNow, anew, read_source, read_stored};
use crate::load::worker::Worker;
use crate::load::{Document, OutlineEntry};
use crate::store::{DocumentRow, Namespace, SectionRow, Snapshot, Store};
use crate::structure::{PREAMBLE, not_found};

/// How the history calls what is done here.
const COMMAND: &str = "toc";

/// Where the document is.
pub struct Place {
    /// The store.
    pub store: Store,
    /// The namespace.
    pub namespace: Namespace,
    /// How its source is read and what is new in it embedded.
    pub options: RebuildOptions,
}

/// What is corrected.
pub struct Correction<'a> {
    /// The document, as it was when the text was made.
    pub document: &'a DocumentRow,
    /// Its sections, as they were then.
    pub sections: &'a [SectionRow],
}

/// What became of a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is stored, and the sections are those of it.
    Stored,
    /// It says what is there already.
    Unchanged,
    /// It is dropped, and the sections are those that are found without it.
    Reset,
    /// It is dropped; as the source is not at hand, the sections stay until it is ingested again.
    ResetLater,
}

/// What a correction did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrectionReport {
    /// The document's id.
    pub doc_id: String,
    /// The document's source.
    pub source: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Sections the document has now.
    pub sections: u32,
    /// Passages it has now.
    pub parents: u32,
    /// Edits of its chunks that do not fit the new passages any more.
    pub edits_in_conflict: usize,
    /// Child chunks embedded.
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

/// The text that [`set_toc`] takes, of a document as it is.
pub fn editable_toc(document: &DocumentRow, sections: &[SectionRow]) -> String {
    let titled: Vec<SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).cloned().collect();
    toc_text::write(document, &titled)
}

/// Gives a document the table of contents that `text` says, in the form of [`editable_toc`].
///
/// # Errors
/// Where a line of it is wrong or its title is not in the document, with the line; where the source is not what was
/// ingested; where the document changed meanwhile. Then nothing was written.
pub async fn set_toc(
    place: &Place,
    of: Correction<'_>,
    text: &str,
    progress: Arc<dyn Progress>,
) -> Result<CorrectionReport> {
    let document = of.document;
    let lines = toc_text::parse(text, document.pages)?;
    if lines.is_empty() {
        return Err(Error::usage("the table of contents has no entries; nothing was changed")
            .hint(format!("`kb toc {} --reset` drops a correction", document.doc_id)));
    }
    let entries: Vec<OutlineEntry> = lines.iter().map(|line| line.entry.clone()).collect();
    if entries == entries_of(of.sections) {
        return Ok(CorrectionReport::new(document, Outcome::Unchanged));
    }
    let parsed = source_for_correction(place, document).await?;
    refuse_unknown(&lines, &entries, &parsed, of.sections)?;
    rebuild(place, document, &parsed, Some(entries), Outcome::Stored, progress).await
}

/// Drops a document's correction: its sections are those that are found without it.
///
/// # Errors
/// Where it has none, or the store or the source cannot be read.
pub async fn reset_toc(place: &Place, document: &DocumentRow, progress: Arc<dyn Progress>) -> Result<CorrectionReport> {
    if document.corrected_toc.is_none() {
        return Err(Error::not_found(format!("the table of contents of {} was never corrected", document.source)));
    }
    if let SourceNow::Same(parsed) = source_now(place, document).await? {
        return rebuild(place, document, &parsed, None, Outcome::Reset, progress).await;
    }
    let mut rebuilder = Rebuilder::open(&place.namespace, &place.options, COMMAND, progress).await?;
    refuse_changed(&rebuilder, document).await?;
    rebuilder.update(DocumentRow { corrected_toc: None, ..document.clone() });
    rebuilder.finish().await?;
    Ok(CorrectionReport::new(document, Outcome::ResetLater))
}

fn entries_of(sections: &[SectionRow]) -> Vec<OutlineEntry> {
    sections
        .iter()
        .filter(|section| section.path != PREAMBLE)
        .map(|section| OutlineEntry {
            level: section.level,
            title: crate::text::squeeze(&section.title),
            page: section.page_start,
        })
        .collect()
}

async fn source_now(place: &Place, document: &DocumentRow) -> Result<SourceNow> {
    let (document, store, options) = (document.clone(), place.store.clone(), place.options.clone());
    tokio::task::spawn_blocking(move || read_source(&document, &store, &options.load, &mut Worker::new(options.limits)))
        .await
        .map_err(|error| Error::failed(format!("reading the source crashed: {error}")))?
}

/// The document whose text gets the new sections.
async fn source_for_correction(place: &Place, document: &DocumentRow) -> Result<Document> {
    let source = &document.source;
    match source_now(place, document).await? {
        SourceNow::Same(parsed) => Ok(*parsed),
        // What was piped in is only in the store.
        SourceNow::Piped => read_stored(document, &Snapshot::open(&place.namespace).await?).await,
        SourceNow::Changed => Err(Error::failed(format!("{source} has changed since it was ingested"))
            .hint(format!("ingest it again with `kb ingest {source}`, then correct its table of contents"))),
        SourceNow::Gone => Err(Error::failed(format!("{source} is gone, so its sections cannot be made anew"))
            .hint("put the file back, or ingest it from where it is now; then correct its table of contents")),
    }
}

/// Refuses entries that the text does not have. One that led nowhere before may go on doing so.
fn refuse_unknown(lines: &[Line], entries: &[OutlineEntry], parsed: &Document, sections: &[SectionRow]) -> Result<()> {
    let led_nowhere = |entry: &OutlineEntry| {
        parsed.pages.is_some()
            && entry.page.is_none()
            && sections.iter().any(|section| section.page_start.is_none() && section.title == entry.title)
    };
    let unknown: Vec<String> = not_found(parsed, entries)
        .into_iter()
        .filter(|&i| !led_nowhere(&entries[i]))
        .map(|i| format!("line {}, {:?}", lines[i].number, entries[i].title))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let hint = if parsed.pages.is_some() {
        "give them a page, as in [p. 12], or write their titles as they stand in the text"
    } else {
        "write the titles as they stand in the text, in the order of the text"
    };
    Err(Error::usage(format!("not found in the document behind the entry before: {}", unknown.join("; "))).hint(hint))
}

async fn rebuild(
    place: &Place,
    document: &DocumentRow,
    parsed: &Document,
    corrected: Option<Vec<OutlineEntry>>,
    outcome: Outcome,
    progress: Arc<dyn Progress>,
) -> Result<CorrectionReport> {
    progress.begin(1, document.size);
    let work = async {
        let mut rebuilder = Rebuilder::open(&place.namespace, &place.options, COMMAND, progress.clone()).await?;
        refuse_changed(&rebuilder, document).await?;
        let rebuilt = rebuilder.put(document, anew(document, parsed, corrected)).await?;
        let indexer = rebuilder.finish().await?;
        Ok(CorrectionReport {
            sections: rebuilt.sections,
            parents: rebuilt.parents,
            edits_in_conflict: rebuilt.conflicts,
            embedded: indexer.embedded,
            reused: indexer.reused,
            ..CorrectionReport::new(document, outcome)
        })
    };
    let outcome = work.await;
    progress.end();
    outcome
}

/// The namespace was not locked while somebody edited.
async fn refuse_changed(rebuilder: &Rebuilder, document: &DocumentRow) -> Result<()> {
    let now = rebuilder.snapshot().documents_by_id(std::slice::from_ref(&document.doc_id)).await?;
    if now.first() == Some(document) {
        return Ok(());
    }
    Err(Error::failed(format!("{} was changed in the store meanwhile; nothing was written", document.source))
        .hint("run the command again"))
}

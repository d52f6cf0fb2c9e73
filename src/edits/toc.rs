//! The table of contents of a document, corrected by a person or reset.

use std::sync::Arc;

use serde::Serialize;

use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::ingest::worker::{Cutting, Worker};
use crate::ingest::{
    CutDocument, Progress, RebuildOptions, Rebuilder, SourceNow, read_source, read_stored, rebuilt_rows,
};
use crate::load::OutlineEntry;
use crate::store::{DocumentRow, Namespace, SectionRow, Snapshot, Store};
use crate::structure::PREAMBLE;

/// The command in the history.
const COMMAND: &str = "toc";

/// Where the document is stored.
pub struct Place {
    pub store: Store,
    pub namespace: Namespace,
    pub options: RebuildOptions,
}

/// The document to correct, as it was when the text was written.
pub struct Correction<'a> {
    pub document: &'a DocumentRow,
    pub sections: &'a [SectionRow],
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

/// The table of contents of a document as a text that [`set_toc`] takes. An entry per line: two spaces (or a tab) per
/// level, the title, and in documents with pages the page.
///
/// ```text
/// # comment
/// Introduction  [p. 3]
///   Scope  [p. 3]
/// Operation  [p. 12]
/// ```
///
/// A title that begins with `#` or `\` has a `\` before it.
pub fn editable_toc(document: &DocumentRow, sections: &[SectionRow]) -> String {
    let (page, found) = if document.pages.is_some() {
        (
            ", then the page it begins on, as in [p. 12]",
            "An entry begins at the line of its page with its title; without such a line, at the top of the page.",
        )
    } else {
        ("", "An entry begins at the heading or line with its title, after the entry before it.")
    };
    let mut text =
        format!("# Table of contents of {} ({}, document {})\n#\n", document.title, document.source, document.doc_id);
    text.push_str(&HELP.replace("{PAGE}", page).replace("{FOUND}", found));
    text.push('\n');
    for section in sections.iter().filter(|section| section.path != PREAMBLE) {
        text.push_str(&"  ".repeat((section.level as usize).saturating_sub(1)));
        // White space in front of a title would read as its level.
        let title = crate::text::squeeze(&section.title);
        if title.starts_with(['#', '\\']) {
            text.push('\\');
        }
        text.push_str(&title);
        if let Some(page) = section.page_start {
            text.push_str(&format!("  [p. {page}]"));
        }
        text.push('\n');
    }
    text
}

/// Gives a document the table of contents in `text`, in the form of [`editable_toc`].
///
/// # Errors
/// If a line is wrong or its title is not in the document, with the line; if the source or the stored document has
/// changed. Then nothing was written.
pub async fn set_toc(
    place: &Place,
    of: Correction<'_>,
    text: &str,
    progress: Arc<dyn Progress>,
) -> Result<CorrectionReport> {
    let document = of.document;
    let lines = parse(text, document.pages)?;
    if lines.is_empty() {
        return Err(Error::usage("the table of contents has no entries; nothing was changed")
            .hint(format!("`{}` drops a correction", NextStep::ResetContents(&document.doc_id))));
    }
    let entries: Vec<OutlineEntry> = lines.iter().map(|line| line.entry.clone()).collect();
    if entries == entries_of(of.sections) {
        return Ok(CorrectionReport::new(document, Outcome::Unchanged));
    }
    let cut = source_for_correction(place, document, &entries).await?;
    refuse_unknown(&lines, &cut, of.sections)?;
    rebuild(place, document, cut, Some(entries), Outcome::Stored, progress).await
}

/// Drops the correction of a document, and finds its sections without it.
///
/// # Errors
/// If it has no correction, or the store or the source cannot be read.
pub async fn reset_toc(place: &Place, document: &DocumentRow, progress: Arc<dyn Progress>) -> Result<CorrectionReport> {
    if document.corrected_toc.is_none() {
        return Err(Error::not_found(format!("the table of contents of {} was never corrected", document.source)));
    }
    if let SourceNow::Same(cut) = source_now(place, document, None).await? {
        return rebuild(place, document, *cut, None, Outcome::Reset, progress).await;
    }
    let mut rebuilder = Rebuilder::open(&place.namespace, &place.options, COMMAND, progress).await?;
    refuse_changed(&rebuilder, document).await?;
    rebuilder.indexer.update(DocumentRow { corrected_toc: None, ..document.clone() }, "kept");
    rebuilder.finish().await?;
    Ok(CorrectionReport::new(document, Outcome::ResetLater))
}

pub fn entries_of(sections: &[SectionRow]) -> Vec<OutlineEntry> {
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

async fn source_now(place: &Place, document: &DocumentRow, corrected: Option<&[OutlineEntry]>) -> Result<SourceNow> {
    let (document, store, options) = (document.clone(), place.store.clone(), place.options.clone());
    let corrected = corrected.map(<[OutlineEntry]>::to_vec);
    let read = move || {
        let how = cutting(&document, corrected.as_deref());
        read_source(&document, &store, &options.load, how, &mut Worker::new(options.limits))
    };
    tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| Error::failed(format!("reading the source crashed: {error}")))?
}

fn cutting<'a>(document: &'a DocumentRow, corrected: Option<&'a [OutlineEntry]>) -> Cutting<'a> {
    Cutting { source: &document.source, chunking: document.chunking, corrected }
}

/// Cuts the document again, with the corrected table of contents.
async fn source_for_correction(place: &Place, document: &DocumentRow, entries: &[OutlineEntry]) -> Result<CutDocument> {
    let source = &document.source;
    match source_now(place, document, Some(entries)).await? {
        SourceNow::Same(cut) => Ok(*cut),
        // Without a file, only the store has the text.
        SourceNow::NoFile => {
            let mut worker = Worker::new(place.options.limits);
            let snapshot = Snapshot::open(&place.namespace).await?;
            read_stored(document, &snapshot, cutting(document, Some(entries)), &mut worker).await
        }
        SourceNow::Changed => Err(Error::failed(format!("{source} has changed since it was ingested"))
            .hint(format!("`{}` reads it again; then correct its table of contents", NextStep::Ingest(source)))),
        SourceNow::Gone => Err(Error::failed(format!("{source} is gone, so its sections cannot be rebuilt"))
            .hint("put the file back, or ingest it from where it is now; then correct its table of contents")),
    }
}

/// Refuses entries that are not in the text, except those that had no place before.
fn refuse_unknown(lines: &[Line], cut: &CutDocument, sections: &[SectionRow]) -> Result<()> {
    let led_nowhere = |entry: &OutlineEntry| {
        cut.pages.is_some()
            && entry.page.is_none()
            && sections.iter().any(|section| section.page_start.is_none() && section.title == entry.title)
    };
    let missing = cut.not_found.iter().filter_map(|&i| lines.get(i));
    let unknown: Vec<String> = missing
        .filter(|line| !led_nowhere(&line.entry))
        .map(|line| format!("line {}, {:?}", line.number, line.entry.title))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let hint = if cut.pages.is_some() {
        "give them a page, as in [p. 12], or write their titles as they stand in the text"
    } else {
        "write the titles as they stand in the text, in the order of the text"
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
            reused: indexer.reused(),
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

/// The explanation above the entries.
const HELP: &str = "\
# One line per entry: two spaces per level, then the title{PAGE}.
# {FOUND}
# Blank lines and lines that begin with # are ignored. Write \\ in front of a title that begins with #.
";

/// An entry and the number of its line, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    number: usize,
    entry: OutlineEntry,
}

/// The entries of an edited text, for the fuzzer.
///
/// # Errors
/// As [`parse`].
#[cfg(feature = "fuzzing")]
pub fn parse_toc(text: &str, pages: Option<u32>) -> Result<Vec<OutlineEntry>> {
    Ok(parse(text, pages)?.into_iter().map(|line| line.entry).collect())
}

/// The entries of an edited text, for a document with `pages` pages or without any.
///
/// # Errors
/// If a line is not an entry, with its number and what is wrong with it.
fn parse(text: &str, pages: Option<u32>) -> Result<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| Error::usage(format!("line {number}: {what}: {words:?}"));
        let deepest = lines.last().map_or(1, |line| line.entry.level + 1);
        let level = level(line)
            .ok_or_else(|| wrong("is indented by an odd number of spaces").hint("indent it by two spaces per level"))?;
        if level > deepest && lines.is_empty() {
            return Err(wrong("the first entry is indented").hint("begin it at the left edge"));
        }
        if level > deepest {
            return Err(wrong("is more than one level below the entry before it")
                .hint("indent it by two spaces more than that one at most"));
        }
        let (title, page) = match (pages, page(words)) {
            (Some(pages), Some((title, page))) => match page {
                Some(page) if (1..=pages).contains(&page) => (title, Some(page)),
                _ => {
                    return Err(
                        wrong(&format!("names no page of this document, which has {pages}")).hint("correct the number")
                    );
                }
            },
            _ => (words, None),
        };
        let title = title.strip_prefix('\\').unwrap_or(title);
        let title = crate::text::squeeze(title);
        if title.is_empty() {
            return Err(wrong("has no title").hint("give it one, or delete the line"));
        }
        lines.push(Line { number, entry: OutlineEntry { level, title, page } });
    }
    Ok(lines)
}

/// From 1; `None` for an odd number of spaces.
fn level(line: &str) -> Option<u32> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let columns: usize = indent.chars().map(|c| if c == '\t' { 2 } else { 1 }).sum();
    columns.is_multiple_of(2).then(|| u32::try_from(columns / 2).unwrap_or(u32::MAX).saturating_add(1))
}

/// Title and page of `Title  [p. 12]`; the page is `None` if it is not a number.
fn page(words: &str) -> Option<(&str, Option<u32>)> {
    let (title, number) = words.strip_suffix(']')?.rsplit_once("[p.")?;
    Some((title.trim_end(), number.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str, pages: Option<u32>) -> Vec<(u32, String, Option<u32>)> {
        let lines = parse(text, pages).unwrap();
        lines.into_iter().map(|line| (line.entry.level, line.entry.title, line.entry.page)).collect()
    }

    #[test]
    fn levels_titles_and_pages_are_read_and_comments_are_not() {
        let text = "# help\n\nOne  [p. 1]\n  Two [p.2]\n\tTabbed\n      \n    \\# of pumps  [p. 3]\nLast [draft]\r\n";
        let wanted = [
            (1, "One", Some(1)),
            (2, "Two", Some(2)),
            (2, "Tabbed", None),
            (3, "# of pumps", Some(3)),
            (1, "Last [draft]", None),
        ];
        assert_eq!(entries(text, Some(3)), wanted.map(|(level, title, page)| (level, title.to_owned(), page)));
        // A document without pages has no page numbers.
        assert_eq!(entries("One [p. 9]", None), [(1, "One [p. 9]".to_owned(), None)]);
    }

    #[test]
    fn white_space_around_a_title_does_not_change_its_level() {
        let text = crate::load::markdown::parse("# Rent\n\nThe landlord pays.");
        let config = crate::chunk::ChunkConfig::default();
        let mut new = crate::ingest::prepare(&text, &crate::ingest::SourceFacts::sample(), &config, "now").new;
        new.sections[0].title = " the landlord\u{2003}pays\n".into();
        let written = editable_toc(&new.document, &new.sections);
        let read: Vec<OutlineEntry> = parse(&written, None).unwrap().into_iter().map(|line| line.entry).collect();
        assert_eq!(read, entries_of(&new.sections));
    }

    #[test]
    fn a_bad_line_is_named_with_its_number() {
        for (text, line, what) in [
            ("# c\n  One", "line 2", "indented"),
            ("One\n Two", "line 2", "odd number"),
            ("One\n    Two", "line 2", "more than one level"),
            ("One\n\n[p. 2]", "line 3", "no title"),
            ("One [p. 4]", "line 1", "which has 3"),
            ("One [p. x]", "line 1", "names no page"),
        ] {
            let error = parse(text, Some(3)).unwrap_err();
            assert!(error.message().starts_with(line) && error.message().contains(what), "{text:?}: {error}");
            assert_eq!(error.kind().exit_code(), 2);
        }
    }
}

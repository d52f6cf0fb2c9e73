//! Documents: the list, single ones, and removed ones.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::grid::{Column, Grid};
use super::page::Page;
use super::style::{around, pages};
use crate::error::NextStep;
use crate::ingest::Stale;
use crate::knowledge::profile::{Profile, in_percent};
use crate::store::DocumentRow;
use crate::text::{count, printable};

#[derive(Debug, Clone)]
pub struct ListedDocument<'a> {
    pub namespace: &'a str,
    pub row: &'a DocumentRow,
    /// How its file has changed since the ingest.
    pub stale: Option<Stale>,
}

impl<'a> ListedDocument<'a> {
    fn json(&self) -> Value {
        let row = self.row;
        let modified = Timestamp::from_nanosecond(i128::from(row.mtime_ns)).ok().filter(|_| row.mtime_ns != 0);
        json!({
            "namespace": self.namespace,
            "doc_id": row.doc_id,
            "source": row.source,
            "title": row.title,
            "format": row.format,
            "language": row.language,
            "time": row.time,
            "metadata": row.metadata,
            "pages": row.pages,
            "sections": row.sections,
            "parents": row.parents,
            "children": row.children,
            "toc_method": row.toc_method,
            "toc_corrected": row.corrected_toc.is_some(),
            "edits": row.edits.len(),
            "profile": row.profile,
            "chunking": row.chunking,
            "context": row.chunking.context.name(),
            "embedded": row.embedded,
            "engine": row.engine,
            "structure_version": row.structure_version,
            "content_hash": row.content_hash,
            "bytes": row.size,
            "modified_at": modified,
            "ingested_at": row.ingested_at,
            "stale": self.stale,
            "warnings": row.warnings,
        })
    }

    /// How its file has changed, in words.
    fn stale(&self) -> &'static str {
        match self.stale {
            None => "",
            Some(Stale::Changed) => "stale: the file has changed since it was ingested",
            Some(Stale::Gone) => "stale: the file is gone",
            Some(Stale::Unreadable) => "stale: the file cannot be read",
        }
    }
}

fn page_of(documents: &[ListedDocument<'_>]) -> Page {
    Page::list("docs", "document", documents.iter().map(ListedDocument::json))
        .with_sources(documents.iter().map(|listed| &listed.row.source))
}

fn several(documents: &[ListedDocument<'_>]) -> bool {
    documents.windows(2).any(|two| two[0].namespace != two[1].namespace)
}

/// What `kb docs` shows.
pub fn document_list(documents: &[ListedDocument<'_>]) -> Page {
    let several = several(documents);
    let columns: &[Column<'_, ListedDocument<'_>>] = &[
        ("namespace", &|listed| listed.namespace.to_owned()),
        ("id", &|listed| listed.row.doc_id.to_string()),
        ("title", &|listed| listed.row.title.clone()),
        ("source", &|listed| format!("{}{}", listed.row.source, around(" (", listed.stale(), ")"))),
        ("pages", &|listed| listed.row.pages.map(|pages| pages.to_string()).unwrap_or_default()),
        ("sections", &|listed| listed.row.sections.to_string()),
        ("parent chunks", &|listed| listed.row.parents.to_string()),
    ];
    let columns = &columns[usize::from(!several)..];
    let mut page = page_of(documents);
    let numbers = [columns.len() - 3, columns.len() - 2, columns.len() - 1];
    page.grid(Grid::of(documents, &numbers, columns));
    page
}

/// What `kb docs DOC` shows.
pub fn documents(documents: &[ListedDocument<'_>]) -> Page {
    let mut page = page_of(documents);
    for listed in documents {
        page.gap();
        page.title(&listed.row.title);
        page.facts(facts(listed, several(documents)));
    }
    page
}

fn facts(listed: &ListedDocument<'_>, several: bool) -> Vec<(String, String)> {
    let row = listed.row;
    let (profile, metadata) = (row.profile.as_ref(), row.metadata.texts());
    let vectors = if row.embedded { String::new() } else { format!("missing; `{}` makes them", NextStep::MakeVectors) };
    [
        ("id", row.doc_id.to_string()),
        ("namespace", if several { listed.namespace.to_owned() } else { String::new() }),
        ("source", row.source.clone()),
        ("format", row.format.clone()),
        ("language", row.language.clone()),
        ("pages", row.pages.map(|pages| pages.to_string()).unwrap_or_default()),
        ("context", row.chunking.context.name().to_owned()),
        ("contents from", row.toc_method.clone()),
        ("sections", row.sections.to_string()),
        ("parent chunks", format!("{} (in {})", row.parents, count(row.children as usize, "child chunk"))),
        ("vectors", vectors),
        ("read by", row.engine.clone()),
        ("kinds", profile.map(kinds).unwrap_or_default()),
        ("topics", profile.map(|profile| profile.topics.join(", ")).unwrap_or_default()),
        ("summary", profile.map(|profile| profile.summary.clone()).unwrap_or_default()),
        ("time", row.time.as_ref().map(|time| format!("{} ({})", time.at, time.from)).unwrap_or_default()),
        ("ingested", row.ingested_at.clone()),
        ("file", listed.stale().to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .chain(metadata.into_iter().filter(|(name, _)| name != "title"))
    .chain(row.warnings.iter().map(|warning| ("warning".to_owned(), warning.clone())))
    .collect()
}

/// The kinds of a document's parent chunks: `procedure 44 %, theory 13 %`.
fn kinds(profile: &Profile) -> String {
    let shares = profile.kinds.iter().zip(in_percent(&profile.kinds));
    shares.map(|(share, percent)| format!("{} {percent}", share.kind.name())).collect::<Vec<String>>().join(", ")
}

/// What `kb open` shows.
pub fn opened(document: &DocumentRow, page: Option<u32>) -> Page {
    let json = json!({ "doc_id": document.doc_id, "source": document.source, "page": page });
    let mut shown = Page::new("open", &json).with_sources([&document.source]);
    shown.line(format!("opened {}{}", document.source, around(" (", &pages(page, page), ")")));
    shown
}

/// What `kb doc-set` shows: documents with their new metadata, and whether it changed.
pub fn described_documents(documents: &[(DocumentRow, bool)], dry_run: bool) -> Page {
    let json = documents.iter().map(|(row, changed)| {
        json!({
            "doc_id": row.doc_id,
            "source": row.source,
            "metadata": row.metadata,
            "changed": changed,
        })
    });
    let sources = documents.iter().map(|(row, _)| &row.source);
    let mut page =
        Page::new("doc_set", &json!({ "dry_run": dry_run })).with_items("document", json).with_sources(sources);
    for (row, changed) in documents {
        let verb = match (changed, dry_run) {
            (false, _) => "no change:",
            (true, true) => "would set",
            (true, false) => "set",
        };
        let fields: Vec<String> = row.metadata.texts().iter().map(|(name, text)| format!("{name}={text}")).collect();
        page.line(format!("{verb} {} ({}): {}", row.doc_id, row.source, printable(&fields.join("; "))));
    }
    page
}

/// What `kb remove` shows.
pub fn removed_documents(documents: &[DocumentRow], dry_run: bool) -> Page {
    let json = |row: &DocumentRow| json!({ "doc_id": row.doc_id, "source": row.source });
    let mut page = Page::new("remove", &json!({ "dry_run": dry_run }))
        .with_items("document", documents.iter().map(json))
        .with_sources(documents.iter().map(|row| &row.source));
    let verb = if dry_run { "would remove" } else { "removed" };
    for row in documents {
        page.line(format!("{verb} {} ({}, {})", row.doc_id, row.source, count(row.parents as usize, "parent chunk")));
    }
    page
}

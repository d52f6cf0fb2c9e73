//! Documents: the list, single ones, and removed ones.

use serde::Serialize;
use serde_json::json;

use super::format::values;
use super::page::{Grid, Page};
use super::style::{around, pages};
use crate::error::NextStep;
use crate::ingest::Stale;
use crate::knowledge::profile::{Profile, in_percent};
use crate::store::DocumentRow;
use crate::text::{count, printable};

/// A document, with its namespace if the command reads several.
#[derive(Debug, Clone, Serialize)]
pub struct ListedDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    #[serde(flatten)]
    pub row: &'a DocumentRow,
    /// The context of its parent chunks, as `kb ingest --context` names it.
    pub context: &'static str,
    /// What became of its file since it was ingested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Stale>,
}

impl<'a> ListedDocument<'a> {
    pub fn new(namespace: Option<&'a str>, row: &'a DocumentRow, stale: Option<Stale>) -> Self {
        ListedDocument { namespace, row, context: row.chunking.context.name(), stale }
    }

    /// What became of its file, in words.
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
    Page::new(documents).with_sources(documents.iter().map(|listed| &listed.row.source))
}

/// What `kb docs` shows.
pub fn document_list(documents: &[ListedDocument<'_>]) -> Page {
    let several = documents.iter().any(|listed| listed.namespace.is_some());
    let header = ["namespace", "id", "title", "source", "pages", "sections", "parent chunks"];
    let header = &header[usize::from(!several)..];
    let row = |listed: &ListedDocument<'_>| {
        let row = listed.row;
        let own = [
            row.doc_id.to_string(),
            row.title.clone(),
            format!("{}{}", row.source, around(" (", listed.stale(), ")")),
            row.pages.map(|pages| pages.to_string()).unwrap_or_default(),
            row.sections.to_string(),
            row.parents.to_string(),
        ];
        listed.namespace.iter().map(|name| (*name).to_owned()).chain(own).collect()
    };
    let mut page = page_of(documents);
    let numbers = [header.len() - 3, header.len() - 2, header.len() - 1];
    page.grid(Grid::new(header, &numbers, documents.iter().map(row).collect()));
    page
}

/// What `kb docs DOC` shows.
pub fn documents(documents: &[ListedDocument<'_>]) -> Page {
    let mut page = page_of(documents);
    for listed in documents {
        page.gap();
        page.title(&listed.row.title);
        page.facts(facts(listed));
    }
    page
}

fn facts(listed: &ListedDocument<'_>) -> Vec<(String, String)> {
    let row = listed.row;
    let (profile, metadata) = (row.profile.as_ref(), row.metadata.texts());
    let vectors = if row.embedded { String::new() } else { format!("none; `{}` makes them", NextStep::MakeVectors) };
    [
        ("id", row.doc_id.to_string()),
        ("namespace", listed.namespace.unwrap_or_default().to_owned()),
        ("source", row.source.clone()),
        ("format", row.format.clone()),
        ("language", row.language.clone()),
        ("pages", row.pages.map(|pages| pages.to_string()).unwrap_or_default()),
        ("context", listed.context.to_owned()),
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
    shares.map(|(share, percent)| format!("{} {percent}", share.kind)).collect::<Vec<String>>().join(", ")
}

/// What `kb open` shows.
pub fn opened(document: &DocumentRow, page: Option<u32>) -> Page {
    let json = json!({ "doc_id": document.doc_id, "source": document.source, "page": page });
    let mut shown = Page::new(&json).with_sources([&document.source]);
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
            "dry_run": dry_run,
        })
    });
    let sources = documents.iter().map(|(row, _)| &row.source);
    let mut page = Page::new(&values(json)).with_sources(sources);
    for (row, changed) in documents {
        let verb = match (changed, dry_run) {
            (false, _) => "unchanged",
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
    let json = |row: &DocumentRow| json!({ "doc_id": row.doc_id, "source": row.source, "dry_run": dry_run });
    let mut page = Page::new(&values(documents.iter().map(json))).with_sources(documents.iter().map(|row| &row.source));
    let verb = if dry_run { "would remove" } else { "removed" };
    for row in documents {
        page.line(format!("{verb} {} ({}, {})", row.doc_id, row.source, count(row.parents as usize, "parent chunk")));
    }
    page
}

//! Documents: the list, single ones, and removed ones.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::style::{DIM, TITLE, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::chunk::ChunkConfig;
use crate::profile::{Profile, Share, in_percent};
use crate::store::DocumentRow;
use crate::text::count;

/// A document, and where several namespaces are looked at, the one it is in.
#[derive(Debug, Clone, Serialize)]
pub struct ListedDocument<'a> {
    /// The namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<&'a str>,
    /// The document.
    #[serde(flatten)]
    pub row: &'a DocumentRow,
    /// What stands in front of its passages, as `kb ingest --context` names it.
    pub context: &'static str,
}

impl<'a> ListedDocument<'a> {
    /// A document of a namespace, which is named where several are looked at.
    pub fn new(namespace: Option<&'a str>, row: &'a DocumentRow) -> Self {
        ListedDocument { namespace, row, context: ChunkConfig::of(&row.chunking).context.name() }
    }
}

/// What `kb docs` shows.
pub struct DocumentList<'a>(pub &'a [ListedDocument<'a>]);

const HEADER: [&str; 7] = ["namespace", "id", "title", "source", "pages", "sections", "passages"];

impl DocumentList<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        self.0
            .iter()
            .map(|ListedDocument { namespace, row, .. }| {
                let own = [
                    row.doc_id.clone(),
                    row.title.clone(),
                    row.source.clone(),
                    row.pages.map(|pages| pages.to_string()).unwrap_or_default(),
                    row.sections.to_string(),
                    row.parents.to_string(),
                ];
                namespace.iter().map(|name| (*name).to_owned()).chain(own).collect()
            })
            .collect()
    }

    /// The header, without the namespace where there is only one.
    fn header(&self) -> &'static [&'static str] {
        let several = self.0.iter().any(|listed| listed.namespace.is_some());
        &HEADER[usize::from(!several)..]
    }
}

impl View for DocumentList<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let header = self.header();
        let numbers = [header.len() - 3, header.len() - 2, header.len() - 1];
        writeln!(out, "{}", grid(screen, header, &numbers, self.rows()))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{}", markdown_grid(self.header(), &self.rows()))
    }

    fn json(&self) -> Value {
        value(&self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|listed| listed.row.source.clone()).collect()
    }
}

/// Cells of a bar that stands for the whole document.
const WIDTH_OF_BARS: usize = 20;

/// What `kb docs DOC` shows.
pub struct DocumentView<'a>(pub &'a [ListedDocument<'a>]);

/// The kinds of a document's passages, in one line.
fn kinds(profile: &Profile) -> String {
    let told = profile.kinds.iter().zip(in_percent(&profile.kinds));
    told.map(|(share, percent)| format!("{} {percent}", share.kind)).collect::<Vec<String>>().join(", ")
}

/// The same as bars, a line each.
fn bars(profile: &Profile) -> Vec<String> {
    let bar = |(share, percent): (&Share, String)| {
        let full = (share.share * WIDTH_OF_BARS as f32).round() as usize;
        format!(
            "{}{} {:>5} {}",
            "█".repeat(full),
            "░".repeat(WIDTH_OF_BARS - full.min(WIDTH_OF_BARS)),
            percent,
            share.kind
        )
    };
    profile.kinds.iter().zip(in_percent(&profile.kinds)).map(bar).collect()
}

fn facts(listed: &ListedDocument<'_>) -> Vec<(String, String)> {
    let row = listed.row;
    let mut facts: Vec<(String, String)> = [
        ("id", row.doc_id.clone()),
        ("namespace", listed.namespace.unwrap_or_default().to_owned()),
        ("source", row.source.clone()),
        ("format", row.format.clone()),
        ("language", row.language.clone()),
        ("pages", row.pages.map(|pages| pages.to_string()).unwrap_or_default()),
        ("context", listed.context.to_owned()),
        ("contents from", row.toc_method.clone()),
        ("sections", row.sections.to_string()),
        ("passages", format!("{} (in {})", row.parents, count(row.children as usize, "piece"))),
        ("vectors", if row.embedded { String::new() } else { "none; `kb ingest` makes them".to_owned() }),
        ("read by", row.engine.clone()),
        ("kinds", row.profile.as_ref().map(kinds).unwrap_or_default()),
        ("topics", row.profile.as_ref().map(|profile| profile.topics.join(", ")).unwrap_or_default()),
        ("summary", row.profile.as_ref().map(|profile| profile.summary.clone()).unwrap_or_default()),
        ("time", row.time.as_ref().map(|time| format!("{} ({})", time.at, time.from)).unwrap_or_default()),
        ("ingested", row.ingested_at.clone()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let stated = row.metadata.iter().filter(|(name, _)| *name != "title");
    facts.extend(stated.map(|(name, value)| (name.clone(), value.clone())));
    facts.extend(row.warnings.iter().map(|warning| ("warning".to_owned(), warning.clone())));
    facts
}

impl View for DocumentView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for listed in self.0 {
            let row = listed.row;
            writeln!(out, "{}", paint(TITLE, &row.title))?;
            for (name, value) in facts(listed) {
                let lines = match &row.profile {
                    Some(profile) if name == "kinds" => bars(profile),
                    _ => vec![value],
                };
                for (i, line) in lines.iter().enumerate() {
                    let name = if i == 0 { name.as_str() } else { "" };
                    writeln!(out, "  {} {line}", paint(DIM, format!("{name:<14}")))?;
                }
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for listed in self.0 {
            writeln!(out, "# {}\n", listed.row.title)?;
            for (name, value) in facts(listed) {
                writeln!(out, "- {name}: {value}")?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(&self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|listed| listed.row.source.clone()).collect()
    }
}

/// What `kb remove` shows.
pub struct RemovedView<'a> {
    /// The documents.
    pub documents: &'a [&'a DocumentRow],
    /// Whether they are still there.
    pub dry_run: bool,
}

impl View for RemovedView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let verb = if self.dry_run { "would remove" } else { "removed" };
        for row in self.documents {
            writeln!(out, "{verb} {} ({}, {})", row.doc_id, row.source, count(row.parents as usize, "passage"))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        self.documents
            .iter()
            .map(|row| json!({ "doc_id": row.doc_id, "source": row.source, "dry_run": self.dry_run }))
            .collect()
    }

    fn paths(&self) -> Vec<String> {
        self.documents.iter().map(|row| row.source.clone()).collect()
    }
}

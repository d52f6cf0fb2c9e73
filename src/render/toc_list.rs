//! The tables of contents of all documents, one behind the other.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, TITLE, paint};
use super::toc::{json_entry, markdown_item, table_line};
use super::{Screen, View};
use crate::store::{DocumentRow, SectionRow};

/// What `kb toc` without a document shows.
pub struct TocListView<'a> {
    /// The documents.
    pub documents: &'a [DocumentRow],
    /// Sections of all of them, down to the level that was asked for, in the order of each document; without the one
    /// that is a whole document.
    pub sections: &'a [SectionRow],
    /// Whether to show where each entry came from and how sure it is; JSON always has both.
    pub provenance: bool,
}

impl TocListView<'_> {
    fn entries<'s>(&'s self, document: &'s DocumentRow) -> impl Iterator<Item = &'s SectionRow> {
        self.sections.iter().filter(|section| section.doc_id == document.doc_id)
    }
}

/// How far in the entries of a document are, counted from the highest of them that is shown.
fn depth(section: &SectionRow, entries: &[&SectionRow]) -> u32 {
    let top = entries.iter().map(|entry| entry.level).min().unwrap_or(1);
    section.level.saturating_sub(top) + 1
}

const NOTHING: &str = "no table of contents; its whole text is section 0";

impl View for TocListView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (i, document) in self.documents.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let origin = paint(DIM, format!("{}  {}", document.doc_id, document.source));
            writeln!(out, "{}  {origin}", paint(TITLE, &document.title))?;
            if document.sections == 0 {
                writeln!(out, "  {}", paint(DIM, NOTHING))?;
            }
            let entries: Vec<&SectionRow> = self.entries(document).collect();
            for section in &entries {
                let depth = depth(section, &entries);
                writeln!(out, "{}", table_line(section, depth, self.provenance, screen))?;
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, document) in self.documents.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            writeln!(out, "# {}\n\n`{}` · document `{}`\n", document.title, document.source, document.doc_id)?;
            if document.sections == 0 {
                writeln!(out, "({NOTHING})")?;
            }
            let entries: Vec<&SectionRow> = self.entries(document).collect();
            for section in &entries {
                writeln!(out, "{}", markdown_item(section, depth(section, &entries), self.provenance))?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        self.documents
            .iter()
            .map(|document| {
                let entries: Vec<Value> = self.entries(document).map(|entry| json_entry(entry, document)).collect();
                json!({
                    "doc_id": document.doc_id,
                    "title": document.title,
                    "source": document.source,
                    "pages": document.pages,
                    "sections": document.sections,
                    "entries": entries,
                })
            })
            .collect()
    }

    fn paths(&self) -> Vec<String> {
        self.sections.iter().map(|section| section.section_id.clone()).collect()
    }
}

//! A table of contents.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, PLACE, TITLE, paint};
use super::{Screen, View, pages};
use crate::store::{DocumentRow, SectionRow};

/// What `kb toc` shows.
pub struct TocView<'a> {
    /// The document.
    pub document: &'a DocumentRow,
    /// Its sections, down to the level that was asked for.
    pub sections: &'a [SectionRow],
    /// How many deeper ones are not shown.
    pub hidden: usize,
    /// Whether to show where each entry came from and how sure it is; JSON always has both.
    pub provenance: bool,
}

/// Columns that a title and a page may take together; beyond, the eye loses the line.
const WIDEST: usize = 100;

/// `  printed_contents 0.95`
const WIDEST_ORIGIN: usize = 23;

/// An entry as a line of a table.
pub(super) fn table_line(section: &SectionRow, provenance: bool, screen: Screen) -> String {
    let width =
        |text: &str| unicode_width::UnicodeWidthStr::width(anstream::adapter::strip_str(text).to_string().as_str());
    let path = format!("{}{}", "  ".repeat(section.level as usize), paint(DIM, &section.path));
    let place = pages(section.page_start, section.page_end);
    let origin = if provenance { format!("  {}", origin(section)) } else { String::new() };
    // All origins begin in the same column.
    let aside = if provenance { WIDEST_ORIGIN } else { 0 };
    let used = width(&path) + width(&section.title) + width(&place) + aside + 4;
    if place.is_empty() && !provenance {
        return format!("{path}  {}", section.title);
    }
    let gap = " ".repeat(screen.width.min(WIDEST).saturating_sub(used).max(1));
    format!("{path}  {}{gap}{}{}", section.title, paint(PLACE, place), paint(DIM, origin))
}

/// An entry as an item of a Markdown list.
pub(super) fn markdown_item(section: &SectionRow, provenance: bool) -> String {
    let indent = "  ".repeat((section.level as usize).saturating_sub(1));
    let place = pages(section.page_start, section.page_end);
    let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
    let origin = if provenance { format!(" — {}", origin(section)) } else { String::new() };
    format!("{indent}- `{}` {}{place}{origin}", section.path, section.title)
}

/// `typography 0.80`
fn origin(section: &SectionRow) -> String {
    format!("{} {:.2}", section.provenance, section.confidence)
}

/// An entry in JSON. A PDF's entry that leads nowhere has page -1, as in PyMuPDF and what reads its output; formats
/// without pages have none.
pub(super) fn json_entry(section: &SectionRow, document: &DocumentRow) -> Value {
    let page = match section.page_start {
        Some(page) => json!(page),
        None if document.pages.is_some() => json!(-1),
        None => Value::Null,
    };
    json!({
        "section_id": section.section_id,
        "path": section.path,
        "level": section.level,
        "title": section.title,
        "page": page,
        "page_end": section.page_end,
        "provenance": section.provenance,
        "confidence": section.confidence,
    })
}

impl View for TocView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let document = self.document;
        writeln!(out, "{}  {}", paint(TITLE, &document.title), paint(DIM, &document.doc_id))?;
        for section in self.sections {
            writeln!(out, "{}", table_line(section, self.provenance, screen))?;
        }
        if self.hidden > 0 {
            writeln!(out, "{}", paint(DIM, format!("  {} deeper entries; --max-level shows them", self.hidden)))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "# {}\n", self.document.title)?;
        writeln!(out, "`{}` · document `{}`\n", self.document.source, self.document.doc_id)?;
        for section in self.sections {
            writeln!(out, "{}", markdown_item(section, self.provenance))?;
        }
        if self.hidden > 0 {
            writeln!(out, "\n{} deeper entries are not shown; `--max-level` shows them.", self.hidden)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        self.sections.iter().map(|section| json_entry(section, self.document)).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.sections.iter().map(|section| section.section_id.clone()).collect()
    }
}

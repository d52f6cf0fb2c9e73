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
}

impl View for TocView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let document = self.document;
        writeln!(out, "{}  {}", paint(TITLE, &document.title), paint(DIM, &document.doc_id))?;
        let entry = |section: &SectionRow| {
            let indent = "  ".repeat(section.level as usize);
            (format!("{indent}{}", paint(DIM, &section.path)), section.title.clone())
        };
        let width =
            |text: &str| unicode_width::UnicodeWidthStr::width(anstream::adapter::strip_str(text).to_string().as_str());
        for section in self.sections {
            let (path, title) = entry(section);
            let place = pages(section.page_start, section.page_end);
            let used = width(&path) + width(&title) + width(&place) + 4;
            let gap = " ".repeat(screen.width.min(100).saturating_sub(used).max(1));
            writeln!(out, "{path}  {title}{gap}{}", paint(PLACE, place))?;
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
            let indent = "  ".repeat((section.level as usize).saturating_sub(1));
            let place = pages(section.page_start, section.page_end);
            let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
            writeln!(out, "{indent}- `{}` {}{place}", section.path, section.title)?;
        }
        if self.hidden > 0 {
            writeln!(out, "\n{} deeper entries are not shown; `--max-level` shows them.", self.hidden)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        // A PDF's entry that leads nowhere has page -1, as in PyMuPDF and what reads its output; formats without
        // pages have none.
        let page = |section: &SectionRow| match section.page_start {
            Some(page) => json!(page),
            None if self.document.pages.is_some() => json!(-1),
            None => Value::Null,
        };
        self.sections
            .iter()
            .map(|section| {
                json!({
                    "section_id": section.section_id,
                    "path": section.path,
                    "level": section.level,
                    "title": section.title,
                    "page": page(section),
                    "page_end": section.page_end,
                    "provenance": section.provenance,
                    "confidence": section.confidence,
                })
            })
            .collect()
    }

    fn paths(&self) -> Vec<String> {
        self.sections.iter().map(|section| section.section_id.clone()).collect()
    }
}

//! A table of contents.

use std::borrow::Cow;
use std::io::{Result, Write};

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

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

/// Columns that a title keeps, however narrow the screen.
const NARROWEST_TITLE: usize = 8;

/// An entry as a line of a table, so far in.
pub(super) fn table_line(section: &SectionRow, depth: u32, provenance: bool, screen: Screen) -> String {
    let indent = "  ".repeat(depth as usize);
    let path = format!("{indent}{}", paint(DIM, &section.path));
    let place = pages(section.page_start, section.page_end);
    if place.is_empty() && !provenance {
        return format!("{path}  {}", section.title);
    }
    let origin = if provenance { format!("  {}", origin(section)) } else { String::new() };
    // All origins begin in the same column.
    let aside = if provenance { WIDEST_ORIGIN } else { 0 };
    // Two columns between path and title, two at least between title and page, two at the edge.
    let used = indent.width() + section.path.width() + place.width() + aside + 6;
    let free = screen.width.min(WIDEST).saturating_sub(used).max(NARROWEST_TITLE);
    let title = cut(&section.title, free);
    let gap = " ".repeat(free - title.width().min(free) + 2);
    format!("{path}  {title}{gap}{}{}", paint(PLACE, place), paint(DIM, origin))
}

/// As much of `text` as fits into so many columns, with an ellipsis where that is not all.
fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fitting = text.graphemes(true).take_while(|piece| {
        used += piece.width();
        used <= columns
    });
    let end = fitting.map(str::len).sum();
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

/// An entry as an item of a Markdown list, so far in.
pub(super) fn markdown_item(section: &SectionRow, depth: u32, provenance: bool) -> String {
    let indent = "  ".repeat((depth as usize).saturating_sub(1));
    let place = pages(section.page_start, section.page_end);
    let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
    let origin = if provenance { format!(" — {}", origin(section)) } else { String::new() };
    format!("{indent}- `{}` {}{place}{origin}", section.path, section.title)
}

fn deeper(hidden: usize) -> String {
    format!("{hidden} deeper {}", if hidden == 1 { "entry" } else { "entries" })
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
            writeln!(out, "{}", table_line(section, section.level, self.provenance, screen))?;
        }
        if self.hidden > 0 {
            writeln!(out, "{}", paint(DIM, format!("  {}; --max-level shows them", deeper(self.hidden))))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "# {}\n", self.document.title)?;
        writeln!(out, "`{}` · document `{}`\n", self.document.source, self.document.doc_id)?;
        for section in self.sections {
            writeln!(out, "{}", markdown_item(section, section.level, self.provenance))?;
        }
        if self.hidden > 0 {
            let are = if self.hidden == 1 { "is" } else { "are" };
            writeln!(out, "\n{} {are} not shown; `--max-level` shows them.", deeper(self.hidden))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, title: &str, page: Option<u32>, provenance: bool, width: usize) -> String {
        let section = SectionRow {
            section_id: format!("d#{path}"),
            doc_id: "d".into(),
            position: 0,
            parent_id: None,
            level: path.split('.').count() as u32,
            path: path.into(),
            title: title.into(),
            page_start: page,
            page_end: page,
            chunk_start: 0,
            chunk_end: 0,
            provenance: "outline".into(),
            confidence: 1.0,
        };
        anstream::adapter::strip_str(&table_line(&section, section.level, provenance, Screen { width })).to_string()
    }

    #[test]
    fn titles_that_do_not_fit_are_cut_and_the_pages_stay_aligned() {
        for title in [
            "Pumps",
            "Pumps and motors of the second station, their bearings and seals",
            "启动水泵之前必须先灌水并检查阀门密封件和压力表以及电机",
        ] {
            for (path, provenance) in [("1", false), ("2.10", false), ("1", true)] {
                let line = line(path, title, Some(12), provenance, 60);
                let page = line.find("p. 12").unwrap();
                let end = line[..page].width() + "p. 12".width();
                assert_eq!(end, if provenance { 58 - WIDEST_ORIGIN } else { 58 }, "{line}");
                assert_eq!(line.contains('…'), title != "Pumps", "{line}");
                assert!(line[..page].ends_with("  "), "{line}");
            }
        }
        let long = "x".repeat(80);
        assert!(line("1", &long, None, false, 60).ends_with(&long), "no column to keep free");
    }
}

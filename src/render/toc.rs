//! Tables of contents.

use std::io::{Result, Write};

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::style::{DIM, PLACE, TITLE, around, cut, pages, paint};
use super::{Screen, View};
use crate::error::Setting;
use crate::store::{DocumentRow, SectionRow};

/// What `kb toc DOC` shows.
pub struct TocView<'a> {
    pub document: &'a DocumentRow,
    /// The sections down to the requested level.
    pub sections: &'a [SectionRow],
    /// The number of deeper sections.
    pub hidden: usize,
    /// Whether to show the origin and the confidence of each entry; JSON always has both.
    pub provenance: bool,
}

/// What `kb toc` shows: the tables of contents of all documents.
pub struct TocListView<'a> {
    pub documents: &'a [DocumentRow],
    /// The sections of all documents down to the requested level, in the order of each document. The section that is
    /// a whole document is left out.
    pub sections: &'a [SectionRow],
    /// Whether to show the origin and the confidence of each entry; JSON always has both.
    pub provenance: bool,
}

/// Columns that a title and a page may take together; beyond, the eye loses the line.
const WIDEST: usize = 100;

/// `  printed_contents 0.95`
const WIDEST_ORIGIN: usize = 23;

/// Columns that a title keeps, however narrow the screen.
const NARROWEST_TITLE: usize = 8;

/// An entry as a line of a table, indented by its depth.
fn table_line(section: &SectionRow, depth: u32, provenance: bool, screen: Screen) -> String {
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

/// An entry as an item of a Markdown list, indented by its depth.
fn markdown_item(section: &SectionRow, depth: u32, provenance: bool) -> String {
    let indent = "  ".repeat((depth as usize).saturating_sub(1));
    let place = around(" (", &pages(section.page_start, section.page_end), ")");
    let origin = if provenance { format!(" — {}", origin(section)) } else { String::new() };
    format!("{indent}- `{}` {}{place}{origin}", section.path, section.title)
}

/// How to see the deeper sections, if there are any.
fn deeper(hidden: usize) -> Option<String> {
    let entries = if hidden == 1 { "entry is" } else { "entries are" };
    (hidden > 0).then(|| format!("{hidden} deeper {entries} hidden; {} shows more", Setting("max_level")))
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

/// One document's table of contents. Entries of level `top` are not indented.
struct Contents<'a> {
    document: &'a DocumentRow,
    sections: Vec<&'a SectionRow>,
    top: u32,
    provenance: bool,
}

impl Contents<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let DocumentRow { title, doc_id, source, .. } = self.document;
        writeln!(out, "{}  {}", paint(TITLE, title), paint(DIM, format!("{doc_id}  {source}")))?;
        self.sections.iter().try_for_each(|section| {
            writeln!(out, "{}", table_line(section, self.depth(section), self.provenance, screen))
        })
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let DocumentRow { title, doc_id, source, .. } = self.document;
        writeln!(out, "# {title}\n\n`{source}` · document `{doc_id}`\n")?;
        self.sections
            .iter()
            .try_for_each(|section| writeln!(out, "{}", markdown_item(section, self.depth(section), self.provenance)))
    }

    fn depth(&self, section: &SectionRow) -> u32 {
        section.level.saturating_sub(self.top) + 1
    }
}

impl<'a> TocView<'a> {
    fn contents(&self) -> Contents<'a> {
        let sections = self.sections.iter().collect();
        Contents { document: self.document, sections, top: 1, provenance: self.provenance }
    }
}

impl View for TocView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.contents().table(screen, out)?;
        deeper(self.hidden).into_iter().try_for_each(|line| writeln!(out, "  {}", paint(DIM, line)))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        self.contents().markdown(out)?;
        deeper(self.hidden).into_iter().try_for_each(|line| writeln!(out, "\n{line}."))
    }

    fn json(&self) -> Value {
        self.sections.iter().map(|section| json_entry(section, self.document)).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.sections.iter().map(|section| section.section_id.to_string()).collect()
    }
}

/// A document without sections.
const NOTHING: &str = "no table of contents; its whole text is section 0";

impl<'a> TocListView<'a> {
    fn contents(&self) -> impl Iterator<Item = Contents<'a>> {
        let TocListView { documents, sections, provenance } = *self;
        documents.iter().map(move |document| {
            let sections: Vec<&SectionRow> = sections.iter().filter(|one| one.doc_id == document.doc_id).collect();
            let top = sections.iter().map(|entry| entry.level).min().unwrap_or(1);
            Contents { document, sections, top, provenance }
        })
    }
}

impl View for TocListView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (i, contents) in self.contents().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            contents.table(screen, out)?;
            if contents.document.sections == 0 {
                writeln!(out, "  {}", paint(DIM, NOTHING))?;
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, contents) in self.contents().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            contents.markdown(out)?;
            if contents.document.sections == 0 {
                writeln!(out, "({NOTHING})")?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let one = |contents: Contents<'_>| {
            let document = contents.document;
            let entries: Vec<Value> = contents.sections.iter().map(|entry| json_entry(entry, document)).collect();
            json!({
                "doc_id": document.doc_id,
                "title": document.title,
                "source": document.source,
                "pages": document.pages,
                "sections": document.sections,
                "entries": entries,
            })
        };
        self.contents().map(one).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.sections.iter().map(|section| section.section_id.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, title: &str, page: Option<u32>, provenance: bool, width: usize) -> String {
        let section = SectionRow {
            section_id: format!("d#{path}").into(),
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

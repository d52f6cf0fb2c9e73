//! Tables of contents.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::page::Page;
use super::style::{DIM, PLACE, TITLE, around, cut, pages, paint};
use crate::error::Setting;
use crate::search::SectionNames;
use crate::store::{DocumentRow, SectionRow};
use crate::structure::printed_number;

/// How tables of contents are shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// Whether to show the origin and the confidence of each entry; JSON always has both.
    pub provenance: bool,
    /// Columns of the screen.
    pub width: usize,
}

/// The most columns of a title and its page; a longer line is hard to follow.
const WIDEST: usize = 100;

/// `  printed_contents 0.95`
const WIDEST_ORIGIN: usize = 23;

/// The least columns of a title, even on a narrow screen.
const NARROWEST_TITLE: usize = 8;

/// An entry as a line of a table, indented by its depth.
fn table_line(section: &SectionRow, name: Option<&str>, depth: u32, Shown { provenance, width }: Shown) -> String {
    let indent = "  ".repeat(depth as usize);
    let path = name.map_or_else(String::new, |path| format!("{}  ", paint(DIM, path)));
    let path_width = name.map_or(0, |path| path.width() + 2);
    let place = pages(section.page_start, section.page_end);
    if place.is_empty() && !provenance {
        return format!("{indent}{path}{}", section.title);
    }
    let origin = if provenance { format!("  {}", origin(section)) } else { String::new() };
    // All origins begin in the same column.
    let aside = if provenance { WIDEST_ORIGIN } else { 0 };
    // At least two columns between title and page, and two at the edge.
    let used = indent.width() + path_width + place.width() + aside + 4;
    let free = width.min(WIDEST).saturating_sub(used).max(NARROWEST_TITLE);
    let title = cut(&section.title, free);
    let gap = " ".repeat(free - title.width().min(free) + 2);
    format!("{indent}{path}{title}{gap}{}{}", paint(PLACE, place), paint(DIM, origin))
}

/// An entry as an item of a Markdown list, indented by its depth.
fn markdown_item(section: &SectionRow, name: Option<&str>, depth: u32, provenance: bool) -> String {
    let indent = "  ".repeat((depth as usize).saturating_sub(1));
    let place = around(" (", &pages(section.page_start, section.page_end), ")");
    let origin = if provenance { format!(" — {}", origin(section)) } else { String::new() };
    let path = name.map_or_else(String::new, |path| format!("`{path}` "));
    format!("{indent}- {path}{}{place}{origin}", section.title)
}

/// `typography 0.80`
fn origin(section: &SectionRow) -> String {
    format!("{} {:.2}", section.provenance, section.confidence)
}

/// An entry in JSON. `chunk_first` and `chunk_last` count the parent chunks of the document from 0; both are null if
/// the section has no text of its own.
pub(super) fn json_entry(section: &SectionRow) -> Value {
    let last = section.chunk_end.checked_sub(1).filter(|last| *last >= section.chunk_start);
    json!({
        "section_id": section.section_id,
        "path": section.path,
        "number": printed_number(&section.title),
        "level": section.level,
        "title": section.title,
        "page_start": section.page_start,
        "page_end": section.page_end,
        "parent_id": section.parent_id,
        "chunk_first": last.map(|_| section.chunk_start),
        "chunk_last": last,
        "provenance": section.provenance,
        "confidence": section.confidence,
    })
}

/// Sections in their order as a tree: each has its subsections as `children`.
pub(super) fn json_entries(sections: &[SectionRow]) -> Vec<Value> {
    let listed: HashSet<&str> = sections.iter().map(|section| section.section_id.as_str()).collect();
    let mut below: HashMap<Option<&str>, Vec<&SectionRow>> = HashMap::new();
    for section in sections {
        // In a part of a table of contents, a parent may be missing.
        let parent = section.parent_id.as_deref().filter(|parent| listed.contains(parent));
        below.entry(parent).or_default().push(section);
    }
    entries_below(None, &below)
}

fn entries_below(parent: Option<&str>, below: &HashMap<Option<&str>, Vec<&SectionRow>>) -> Vec<Value> {
    let entry = |section: &&SectionRow| {
        let mut json = json_entry(section);
        json["children"] = entries_below(Some(section.section_id.as_str()), below).into();
        json
    };
    below.get(&parent).into_iter().flatten().map(entry).collect()
}

fn json_document(document: &DocumentRow) -> Value {
    json!({
        "doc_id": document.doc_id,
        "title": document.title,
        "source": document.source,
        "pages": document.pages,
        "sections": document.sections,
    })
}

/// A table of contents, or the part of it that is shown.
pub struct ListedSections<'a> {
    pub document: &'a DocumentRow,
    pub sections: &'a [SectionRow],
    /// Of all sections of the document.
    pub names: &'a SectionNames,
}

/// Adds a table of contents to a page. Entries of level `top` are not indented.
pub(super) fn add_contents(page: &mut Page, contents: &ListedSections<'_>, top: u32, shown: Shown) {
    let ListedSections { document, sections, names } = contents;
    let DocumentRow { title, doc_id, source, .. } = document;
    page.both(
        format!("{}  {}", paint(TITLE, title), paint(DIM, format!("{doc_id}  {source}"))),
        format!("# {title}\n\n`{source}` · document `{doc_id}`\n"),
    );
    for section in *sections {
        let (name, depth) = (names.shown(section), section.level.saturating_sub(top) + 1);
        let place = paint(PLACE, pages(section.page_start, section.page_end));
        let table = page.linked(&table_line(section, name, depth, shown), &place, source, section.page_start);
        page.both(table, markdown_item(section, name, depth, shown.provenance));
    }
}

/// What `kb toc DOC` shows: the sections down to the requested level; `hidden` ones are deeper.
pub fn toc(contents: &ListedSections<'_>, hidden: usize, shown: Shown) -> Page {
    let ListedSections { document, sections, .. } = contents;
    let ids = sections.iter().map(|section| &section.section_id);
    let mut page = Page::new("toc", &json!({ "document": json_document(document) }))
        .with_named("entries", "section", json_entries(sections))
        .with_lines("section", sections.iter().map(json_entry))
        .with_paths(ids);
    add_contents(&mut page, contents, 1, shown);
    if hidden > 0 {
        let entries = if hidden == 1 { "entry is" } else { "entries are" };
        let line = format!("{hidden} deeper {entries} hidden; {} shows more", Setting("max_level"));
        page.both(paint(DIM, format!("  {line}")), format!("\n{line}."));
    }
    page
}

/// A document without sections.
const NO_CONTENTS: &str = "no table of contents; its whole text is section 0";

/// What `kb toc` shows: all documents with their sections down to the requested level, each in its order. The section
/// that is a whole document is left out.
pub fn tables_of_contents(documents: &[ListedSections<'_>], shown: Shown) -> Page {
    let json = documents.iter().map(|ListedSections { document, sections, .. }| {
        let mut json = json_document(document);
        json["entries"] = json_entries(sections).into();
        json
    });
    let ids = documents.iter().flat_map(|contents| contents.sections).map(|section| &section.section_id);
    let mut page = Page::list("tocs", "document", json).with_paths(ids);
    for contents in documents {
        page.gap();
        let top = contents.sections.iter().map(|section| section.level).min().unwrap_or(1);
        add_contents(&mut page, contents, top, shown);
        if contents.document.sections == 0 {
            page.both(format!("  {}", paint(DIM, NO_CONTENTS)), format!("({NO_CONTENTS})"));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, title: &str, page: Option<u32>, provenance: bool, width: usize) -> String {
        let section = SectionRow::sample("d", path, title);
        let section = SectionRow { page_start: page, page_end: page, provenance: "outline".into(), ..section };
        let names = SectionNames::among([title]);
        let line = table_line(&section, names.shown(&section), section.level, Shown { provenance, width });
        anstream::adapter::strip_str(&line).to_string()
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
        assert!(
            line("3.2", "2.2 Setup", Some(4), false, 60).trim_start().starts_with("2.2 Setup"),
            "one number, the printed one"
        );
        assert!(line("3.2", "第二章 启动", None, false, 60).ends_with("  第二章 启动"));
        assert!(line("3.2", "A note", None, false, 60).ends_with("3.2  A note"));
        let long = "x".repeat(80);
        assert!(line("1", &long, None, false, 60).ends_with(&long), "no column to keep free");
    }
}

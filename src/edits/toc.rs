//! The table of contents of a document as a text that a person edits.

use crate::error::{Error, Result};
use crate::load::OutlineEntry;
use crate::store::{DocumentRow, SectionRow};

/// The table of contents of a document as a text that [`parse_toc`] takes. An entry per line: two spaces (or a tab) per
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
    let help = HELP.replace("{PAGE}", page).replace("{FOUND}", found);
    let line = |OutlineEntry { level, title, page }| {
        let indent = "  ".repeat((level as usize).saturating_sub(1));
        let escape = if title.starts_with(['#', '\\']) { "\\" } else { "" };
        let page = page.map_or_else(String::new, |page| format!("  [p. {page}]"));
        format!("{indent}{escape}{title}{page}\n")
    };
    let lines: String = entries_of(sections).into_iter().map(line).collect();
    let DocumentRow { title, source, doc_id, .. } = document;
    format!("# Table of contents of {title} ({source}, document {doc_id})\n#\n{help}\n{lines}")
}

pub fn entries_of(sections: &[SectionRow]) -> Vec<OutlineEntry> {
    let entry = |section: &SectionRow| OutlineEntry {
        level: section.level,
        // White space in front of a title would read as its level.
        title: crate::text::squeeze(&section.title),
        page: section.page_start,
    };
    sections.iter().filter(|section| !section.is_preamble()).map(entry).collect()
}

/// The explanation above the entries.
const HELP: &str = "\
# One line per entry: two spaces per level, then the title{PAGE}.
# {FOUND}
# Blank lines and lines that begin with # are ignored. Write \\ in front of a title that begins with #.
";

/// An entry and the number of its line, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TocLine {
    pub number: usize,
    pub entry: OutlineEntry,
}

/// The entries of an edited text, for a document with `pages` pages or without any. An error has the number of its
/// line.
pub fn parse_toc(text: &str, pages: Option<u32>) -> Result<Vec<TocLine>> {
    let mut lines: Vec<TocLine> = Vec::new();
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
                    let what = format!("names no page of this document, which has {pages}");
                    return Err(wrong(&what).hint("correct the number"));
                }
            },
            _ => (words, None),
        };
        let title = crate::text::squeeze(title.strip_prefix('\\').unwrap_or(title));
        if title.is_empty() {
            return Err(wrong("has no title").hint("give it one, or delete the line"));
        }
        lines.push(TocLine { number, entry: OutlineEntry { level, title, page } });
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

    /// The entries with their level and page, such as `2 Two, page 3`.
    fn entries(text: &str, pages: Option<u32>) -> Vec<String> {
        let page = |page: Option<u32>| page.map_or_else(String::new, |page| format!(", page {page}"));
        let entries = parse_toc(text, pages).unwrap().into_iter().map(|line| line.entry);
        entries.map(|entry| format!("{} {}{}", entry.level, entry.title, page(entry.page))).collect()
    }

    #[test]
    fn levels_titles_and_pages_are_read_and_comments_are_not() {
        let text = "# help\n\nOne  [p. 1]\n  Two [p.2]\n\tTabbed\n      \n    \\# of pumps  [p. 3]\nLast [draft]\r\n";
        let expected = ["1 One, page 1", "2 Two, page 2", "2 Tabbed", "3 # of pumps, page 3", "1 Last [draft]"];
        assert_eq!(entries(text, Some(3)), expected);
        assert_eq!(entries("One [p. 9]", None), ["1 One [p. 9]"], "a document without pages has no page numbers");
    }

    #[test]
    fn white_space_around_a_title_does_not_change_its_level() {
        let mut new = crate::edits::samples::stored("# Rent\n\nThe landlord pays.");
        new.sections[0].title = " the landlord\u{2003}pays\n".into();
        let written = editable_toc(&new.document, &new.sections);
        let read: Vec<OutlineEntry> = parse_toc(&written, None).unwrap().into_iter().map(|line| line.entry).collect();
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
            let error = parse_toc(text, Some(3)).unwrap_err();
            assert!(error.message().starts_with(line) && error.message().contains(what), "{text:?}: {error}");
            assert_eq!(error.kind().exit_code(), 2);
        }
    }
}

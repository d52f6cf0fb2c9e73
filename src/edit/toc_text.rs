//! A table of contents as text that a person edits, and back.
//!
//! ```text
//! # comment
//! Introduction  [p. 3]
//!   Scope  [p. 3]
//! Operation  [p. 12]
//! ```
//!
//! A line per entry: two spaces (or a tab) per level, the title, and in documents with pages the page. A title that
//! begins with `#` or `\` has a `\` in front.

use crate::error::{Error, Result};
use crate::load::OutlineEntry;
use crate::store::{DocumentRow, SectionRow};

/// What is explained above the entries.
const HELP: &str = "\
# One line per entry: two spaces per level, then the title{PAGE}.
# {FOUND}
# Lines that begin with # are left out, and so are blank ones. A title that begins with # is written with \\ in front.
";

/// An entry and the line that it stands on, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub number: usize,
    pub entry: OutlineEntry,
}

/// The text for a document's sections, without the preamble.
pub(super) fn write(document: &DocumentRow, sections: &[SectionRow]) -> String {
    let (page, found) = if document.pages.is_some() {
        (
            ", then the page it begins on, as in [p. 12]",
            "An entry begins at the line on its page that says its title; where none does, at the top of the page.",
        )
    } else {
        ("", "An entry begins at the heading or line that says its title, behind the entry before it.")
    };
    let mut text =
        format!("# Table of contents of {} ({}, document {})\n#\n", document.title, document.source, document.doc_id);
    text.push_str(&HELP.replace("{PAGE}", page).replace("{FOUND}", found));
    text.push('\n');
    for section in sections {
        text.push_str(&"  ".repeat((section.level as usize).saturating_sub(1)));
        if section.title.starts_with(['#', '\\']) {
            text.push('\\');
        }
        text.push_str(&section.title);
        if let Some(page) = section.page_start {
            text.push_str(&format!("  [p. {page}]"));
        }
        text.push('\n');
    }
    text
}

/// The entries of an edited text, for a document with `pages` pages or without any.
///
/// # Errors
/// Where a line is no entry, with its number and what is wrong with it.
pub(super) fn parse(text: &str, pages: Option<u32>) -> Result<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        let wrong = |what: String| Error::usage(format!("line {number}: {what}: {words:?}"));
        let deepest = lines.last().map_or(1, |line| line.entry.level + 1);
        let level = match level(line) {
            Some(level) if level <= deepest => level,
            Some(_) if lines.is_empty() => {
                return Err(wrong("the first entry is indented".into()).hint("begin it at the left edge"));
            }
            Some(_) => {
                return Err(wrong("is more than one level below the entry before it".into())
                    .hint("indent it by two spaces more than that one at most"));
            }
            None => {
                return Err(
                    wrong("is indented by an odd number of spaces".into()).hint("indent it by two spaces per level")
                );
            }
        };
        let (title, page) = match (pages, page(words)) {
            (Some(pages), Some((title, page))) => match page {
                Some(page) if (1..=pages).contains(&page) => (title, Some(page)),
                _ => {
                    return Err(
                        wrong(format!("names no page of this document, which has {pages}")).hint("correct the number")
                    );
                }
            },
            _ => (words, None),
        };
        let title = title.strip_prefix('\\').unwrap_or(title);
        let title = crate::text::squeeze(title);
        if title.is_empty() {
            return Err(wrong("has no title".into()).hint("give it one, or delete the line"));
        }
        lines.push(Line { number, entry: OutlineEntry { level, title, page } });
    }
    Ok(lines)
}

/// From 1; `None` where the spaces are odd.
fn level(line: &str) -> Option<u32> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let columns: usize = indent.chars().map(|c| if c == '\t' { 2 } else { 1 }).sum();
    columns.is_multiple_of(2).then(|| u32::try_from(columns / 2).unwrap_or(u32::MAX).saturating_add(1))
}

/// Title and page of `Title  [p. 12]`; the page is `None` where what stands there is no number.
fn page(words: &str) -> Option<(&str, Option<u32>)> {
    let (title, number) = words.strip_suffix(']')?.rsplit_once("[p.")?;
    Some((title.trim_end(), number.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str, pages: Option<u32>) -> Vec<(u32, String, Option<u32>)> {
        let lines = parse(text, pages).unwrap();
        lines.into_iter().map(|line| (line.entry.level, line.entry.title, line.entry.page)).collect()
    }

    #[test]
    fn levels_titles_and_pages_are_read_and_comments_are_not() {
        let text =
            "\u{feff}# help\n\nOne  [p. 1]\n  Two [p.2]\n\tTabbed\n      \n    \\# of pumps  [p. 3]\nLast [draft]\r\n";
        let wanted = [
            (1, "One", Some(1)),
            (2, "Two", Some(2)),
            (2, "Tabbed", None),
            (3, "# of pumps", Some(3)),
            (1, "Last [draft]", None),
        ];
        assert_eq!(entries(text, Some(3)), wanted.map(|(level, title, page)| (level, title.to_owned(), page)));
        // Without pages nothing is a page.
        assert_eq!(entries("One [p. 9]", None), [(1, "One [p. 9]".to_owned(), None)]);
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
            let error = parse(text, Some(3)).unwrap_err();
            assert!(error.message().starts_with(line) && error.message().contains(what), "{text:?}: {error}");
            assert_eq!(error.kind().exit_code(), 2);
        }
    }
}

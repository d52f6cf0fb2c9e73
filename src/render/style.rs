//! Styles, and how text is fitted to columns or put into Markdown.

use std::borrow::Cow;
use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::load::Format;

pub(super) const TITLE: Style = Style::new().bold();
/// Paths, ids and other asides.
pub(super) const DIM: Style = Style::new().dimmed();
/// Words that match.
pub(super) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
/// A page or a section.
pub(super) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(super) const ADDED: Style = AnsiColor::Green.on_default();
pub(super) const CHANGED: Style = AnsiColor::Yellow.on_default();

pub(super) fn paint(style: Style, text: impl Display) -> String {
    if style == Style::new() { text.to_string() } else { format!("{style}{text}{style:#}") }
}

/// `p. 4`, `pp. 4–6`, or nothing.
pub(super) fn pages(start: Option<u32>, end: Option<u32>) -> String {
    match (start, end) {
        (Some(start), Some(end)) if end > start => format!("pp. {start}–{end}"),
        (Some(start), _) => format!("p. {start}"),
        _ => String::new(),
    }
}

/// `text` between two marks, or nothing if it is empty.
pub(super) fn around(open: &str, text: &str, close: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{open}{text}{close}") }
}

/// The parts that have a number above zero: `2 added, 1 removed`.
pub(super) fn counted<'w>(parts: impl IntoIterator<Item = (usize, &'w str)>) -> String {
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, what)| format!("{number} {what}")).collect::<Vec<String>>().join(", ")
}

/// As much of `text` as fits into this many columns, with an ellipsis if that is not all.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fitting = text.graphemes(true).take_while(|grapheme| {
        used += grapheme.width();
        used <= columns
    });
    let end = fitting.map(str::len).sum();
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

/// `text` with the given byte ranges between two marks.
pub(super) fn marked(text: &str, ranges: &[(usize, usize)], open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len() + ranges.len() * (open.len() + close.len()));
    let mut done = 0;
    for &(start, end) in ranges {
        let (Some(before), Some(inside)) = (text.get(done..start), text.get(start..end)) else { continue };
        out.extend([before, open, inside, close]);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// Text of a document for a Markdown page. Lines of other formats must not become headings: `# ls` in a manual is a
/// command.
pub(super) fn as_markdown<'t>(text: &'t str, format: &str) -> Cow<'t, str> {
    if format == Format::Markdown.name() || !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let mut in_fence = false;
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        in_fence ^= words.starts_with("```") || words.starts_with("~~~");
        // A line that is indented further is code or continues a paragraph, and a fence would show the backslash.
        if words.starts_with('#') && indent < 4 && !in_fence {
            out.extend([&line[..indent], "\\", words]);
        } else {
            out.push_str(line);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_formats_do_not_become_headings() {
        let text = "As root:\n# chown newowner foo\n  ## twice\n    # far in\nC# is no\n```\n# code\n```\n#include\n";
        let escaped =
            "As root:\n\\# chown newowner foo\n  \\## twice\n    # far in\nC# is no\n```\n# code\n```\n\\#include\n";
        assert_eq!(as_markdown(text, "pdf"), escaped);
        assert_eq!(as_markdown(text, "markdown"), text);
    }

    #[test]
    fn text_is_cut_to_columns_not_to_characters() {
        assert_eq!(cut("pump house", 10), "pump house");
        assert_eq!(cut("pump house", 6), "pump…");
        assert_eq!(cut("启动水泵", 8), "启动水泵");
        assert_eq!(cut("启动水泵", 6), "启动…");
    }
}

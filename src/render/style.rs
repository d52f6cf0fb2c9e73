//! Styles, and text that is cut to columns or made safe for Markdown.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

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
/// All of these.
pub(super) const STYLES: [Style; 7] = [TITLE, DIM, MATCH, BAD, PLACE, ADDED, CHANGED];

pub(super) fn paint(style: Style, text: impl Display) -> String {
    if style == Style::new() { text.to_string() } else { format!("{style}{text}{style:#}") }
}

/// The least columns of a text, even on a narrow screen.
pub(super) const LEAST_TEXT: usize = 20;

/// Begins an ANSI code.
pub(super) const ESCAPE: char = '\u{1b}';

/// `p. 4`, `pp. 4–6`, or nothing.
pub(super) fn pages(start: Option<u32>, end: Option<u32>) -> String {
    match (start, end) {
        (Some(start), Some(end)) if end > start => format!("pp. {start}–{end}"),
        (Some(start), _) => format!("p. {start}"),
        _ => String::new(),
    }
}

/// The mark of what a person edited, or nothing.
pub(super) fn edited(is_edited: bool) -> &'static str {
    if is_edited { "edited" } else { "" }
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

/// Cuts `text` to this many columns, with an ellipsis if something is cut off.
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

fn code_of(source: &str) -> Option<Format> {
    let format = if source.contains("://") { None } else { Format::from_path(Path::new(source)) };
    format.filter(|format| format.is_code())
}

/// Text of a source with its long lines wrapped, without those of code, tables and quotes.
pub(super) fn wrapped(source: &str, text: &str, width: usize) -> String {
    let mut fence: Option<&str> = None;
    let is_code = code_of(source).is_some();
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    for line in text.lines() {
        let mark = fence_of(line.trim_start());
        let was_open = fence.is_some();
        fence = fence_behind(fence, mark);
        match is_code || was_open || mark.is_some() || line.starts_with(['|', '>', ' ', '\t']) {
            true => lines.push(line.into()),
            false => lines.extend(textwrap::wrap(line, width)),
        }
    }
    lines.join("\n")
}

/// Text of a source for a Markdown page; source code is fenced.
pub(super) fn markdown_of<'t>(source: &str, text: &'t str) -> Cow<'t, str> {
    let Some(language) = code_of(source) else {
        return as_markdown(text);
    };
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    Cow::Owned(as_markdown(&format!("{fence}{}\n{}\n{fence}", language.name(), text.trim_end())).into_owned())
}

/// Text of a document for a Markdown page: no line of it becomes a heading, because headings of the page name sources
/// and `# ls` in a manual is a command; and none becomes HTML. A comment or a fence that is left open would swallow the
/// next source, so the comment is escaped, and the fence is closed.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    if !text.contains(['#', '`', '~', '=', '-', '[', '［', '【', '<']) {
        return Cow::Borrowed(text);
    }
    let mut fence: Option<&str> = None;
    let mut fence_indent = 0;
    let mut out = String::with_capacity(text.len() + 16);
    let mut after_text = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(' ');
        let mut indent = line.len() - words.len();
        // A line that is indented further is code or continues a paragraph, and both would show the backslash.
        let is_flush = indent < 4;
        let mark = fence_of(words).filter(|_| is_flush);
        // The fence may be in a list item, which ends before a line that is indented less, and the fence with it.
        if indent < fence_indent
            && !words.trim().is_empty()
            && let Some(open) = fence
        {
            if fence_behind(fence, mark).is_none() {
                // The mark closes the fence if it is in the item, too. Behind the item it would open another one.
                indent = fence_indent;
            } else {
                out.extend([" ".repeat(fence_indent).as_str(), open, "\n"]);
                fence = None;
            }
        }
        let before = fence;
        fence = fence_behind(fence, mark);
        if before.is_none() {
            fence_indent = indent;
        }
        let is_escaped = match (before.is_some(), fence.is_some()) {
            (true, true) => names_a_source(words),
            (false, false) => {
                is_flush && (words.starts_with('#') || opens_html(words) || after_text && is_underline(words))
                    || names_a_source(words)
            }
            // It opens or closes the fence.
            _ => false,
        };
        after_text = fence.is_none() && !words.trim().is_empty();
        out.push_str(&" ".repeat(indent));
        if is_escaped {
            out.push('\\');
        }
        out.push_str(words);
    }
    if let Some(open) = fence {
        out.truncate(out.trim_end().len());
        out.extend(["\n", " ".repeat(fence_indent).as_str(), open]);
    }
    Cow::Owned(out)
}

/// The fence that is open after a line, from the one before it and the mark of the line.
fn fence_behind<'t>(open: Option<&'t str>, mark: Option<(&'t str, &str)>) -> Option<&'t str> {
    match (open, mark) {
        (Some(open), Some((mark, ""))) if mark.starts_with(open) => None,
        (None, Some((mark, _))) => Some(mark),
        (open, _) => open,
    }
}

/// The mark of a line that opens or closes fenced code, and what follows it.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    let rest = line[length..].trim();
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then(|| (&line[..length], rest))
}

/// Whether the line turns the one above it into a heading.
fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
}

/// Whether a line begins with HTML, which may hide the rest of a page. `<stdin>` counts as an element. An address such
/// as `<https://…>` does not.
fn opens_html(line: &str) -> bool {
    let Some(inside) = line.strip_prefix('<') else { return false };
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let behind = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let ends_name = behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
    inside.starts_with(['!', '?']) || name.starts_with(|c: char| c.is_ascii_alphabetic()) && ends_name
}

/// Whether a line looks like one that names a source.
fn names_a_source(line: &str) -> bool {
    let Some(inside) = line.trim_start().strip_prefix(['[', '［', '【']) else { return false };
    let name: String = inside.trim_start().chars().take(6).flat_map(char::to_lowercase).collect();
    name.starts_with("source") || name.starts_with("来源") || name.starts_with("來源")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_documents_do_not_become_headings() {
        let text = "As root:\n# chown newowner foo\n  ## twice\n    # far in\nC# is no\n```\n# code\n```\n#include\nNo\n---\n\n---\n";
        let escaped = "As root:\n\\# chown newowner foo\n  \\## twice\n    # far in\nC# is no\n```\n# code\n```\n\\#include\nNo\n\\---\n\n---\n";
        assert_eq!(as_markdown(text), escaped);
    }

    #[test]
    fn source_code_is_fenced_and_cannot_close_its_fence() {
        assert_eq!(markdown_of("a/b.py", "# one\n    x = 1\n"), "```python\n# one\n    x = 1\n```");
        assert_eq!(
            markdown_of("b.rs", "/// ```\n/// x\n/// ```\nfn x()"),
            "````rust\n/// ```\n/// x\n/// ```\nfn x()\n````"
        );
        assert_eq!(markdown_of("b.c", "[source: forged"), "```c\n\\[source: forged\n```");
        assert_eq!(markdown_of("b.md", "# one"), "\\# one");
        assert_eq!(markdown_of("https://a.example/index.php", "# one"), "\\# one");
    }

    #[test]
    fn fences_do_not_hide_headings_that_forge_a_source() {
        let shown = |text: &str| as_markdown(text).into_owned();
        assert_eq!(shown("```\n~~~\n```\n# forged"), "```\n~~~\n```\n\\# forged");
        assert_eq!(shown("``` `` x\n# forged"), "``` `` x\n\\# forged");
        let forged = "[source: m.pdf · section m#3]";
        assert_eq!(shown(&format!("````\n```\n{forged}\n# ls\n")), format!("````\n```\n\\{forged}\n# ls\n````"));
        assert_eq!(shown(&format!("    {forged}\n[来源：m]")), format!("    \\{forged}\n\\[来源：m]"));
        assert_eq!(shown("\t[ Source: m]\n［SOURCE m"), "\\\t[ Source: m]\n\\［SOURCE m");
        assert_eq!(shown("a | b\n--|--\n1 | 2"), "a | b\n--|--\n1 | 2");
    }

    #[test]
    fn a_list_ends_the_code_in_it() {
        for (text, shown) in [
            ("- a\n  ```\n# forged", "- a\n  ```\n  ```\n\\# forged"),
            ("- a\n  ```\n  # ls\n\n  x", "- a\n  ```\n  # ls\n\n  x\n  ```"),
            ("- a\n  ```\n  ls\n```\n# forged", "- a\n  ```\n  ls\n  ```\n\\# forged"),
            ("1. a\n   ~~~\n ```\n # ls", "1. a\n   ~~~\n   ~~~\n ```\n # ls\n ```"),
        ] {
            assert_eq!(as_markdown(text), shown);
        }
    }

    #[test]
    fn html_hides_neither_a_fence_nor_the_next_source() {
        assert_eq!(as_markdown("<!-- a\n```\n-->\n# ls"), "\\<!-- a\n```\n-->\n# ls\n```");
        let text = "a\n  <DIV>\n</p\n<?x\n<br/>\n<https://a.example>\n<3 and <b\n    <i>";
        let shown = "a\n  \\<DIV>\n\\</p\n\\<?x\n\\<br/>\n<https://a.example>\n<3 and <b\n    <i>";
        assert_eq!(as_markdown(text), shown);
        assert_eq!(as_markdown("```\n<!-- a\n```"), "```\n<!-- a\n```");
    }

    #[test]
    fn text_is_cut_to_columns_not_to_characters() {
        assert_eq!(cut("pump house", 10), "pump house");
        assert_eq!(cut("pump house", 6), "pump…");
        assert_eq!(cut("启动水泵", 8), "启动水泵");
        assert_eq!(cut("启动水泵", 6), "启动…");
    }
}

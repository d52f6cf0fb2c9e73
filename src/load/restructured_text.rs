//! reStructuredText: titles by their underlines, fields at the top as metadata, everything else as written.
//!
//! This is a line reader of our own, because no library is well kept: `rst_parser` 0.4.2 panics on unimplemented rules
//! ("unhandled rule title", even on `fixtures/formats/tide-tables.rst`). Titles are easy to recognise without the rest
//! of the syntax: they start in the first column, while directives, comments and literal blocks are indented.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::rst_tables;
use super::{Block, Document, Format};
use crate::text::{squeeze, tables};

/// An underline may be shorter than its title only from this length on (as in docutils).
const SHORTEST_SHORT_UNDERLINE: usize = 4;

/// The level of a title is the order in which its kind of underline first appears.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::RestructuredText, "lines");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let goes_on = before_indented(&lines);
    // The kinds of title lines so far, outermost first: the character, and whether there is an overline.
    let mut kinds: Vec<(char, bool)> = Vec::new();
    let mut block = Vec::new();
    let mut fields = Fields::default();
    let mut at = 0;
    while at < lines.len() {
        if may_begin_title(&lines, at)
            && let Some(title) = title_at(&lines[at..])
        {
            end_block(&mut block, &mut fields, &mut document);
            let level = kinds.iter().position(|&kind| kind == title.kind).unwrap_or_else(|| {
                kinds.push(title.kind);
                kinds.len() - 1
            });
            let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
            document.blocks.push(Block::heading(level, without_markup(title.text)));
            at += title.lines;
            continue;
        }
        // A blank line ends a block unless the next text is indented and so belongs to it.
        let line = lines[at];
        if line.is_empty() && !goes_on[at] {
            end_block(&mut block, &mut fields, &mut document);
        } else if !(line.is_empty() && block.is_empty()) {
            block.push(line);
        }
        at += 1;
    }
    end_block(&mut block, &mut fields, &mut document);
    document.metadata = fields.values.into_iter().map(|(name, values)| (name, squeeze(&values.join(" ")))).collect();
    document.title = document.only_top_heading();
    document
}

/// For each line, whether the next one with text is indented.
fn before_indented(lines: &[&str]) -> Vec<bool> {
    let mut all = vec![false; lines.len()];
    for next in (1..lines.len()).rev() {
        all[next - 1] = if lines[next].is_empty() { all[next] } else { indented(lines[next]) };
    }
    all
}

/// The fields before the text, which describe the document.
#[derive(Default)]
struct Fields {
    values: BTreeMap<String, Vec<String>>,
    /// Whether the text has begun: later fields are text.
    over: bool,
}

struct Title<'a> {
    text: &'a str,
    kind: (char, bool),
    /// In lines of the source.
    lines: usize,
}

fn title_at<'a>(lines: &[&'a str]) -> Option<Title<'a>> {
    let first = *lines.first()?;
    let second = *lines.get(1)?;
    if let Some(over) = line_character(first) {
        let text = second.trim_start();
        let is_title = lines.get(2) == Some(&first) && line_character(text).is_none() && fits(text, first);
        return is_title.then_some(Title { text, kind: (over, true), lines: 3 });
    }
    let under = line_character(second)?;
    let is_title = !indented(first) && !first.starts_with(".. ") && fits(first, second);
    is_title.then_some(Title { text: first, kind: (under, false), lines: 2 })
}

/// Whether a text may be the title above or below this line.
fn fits(text: &str, line: &str) -> bool {
    !text.is_empty() && (text.width() <= line.len() || line.len() >= SHORTEST_SHORT_UNDERLINE)
}

/// The character of a line that may be an underline.
fn line_character(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() > 1 && line.chars().all(|c| c == first)).then_some(first)
}

/// A title cannot begin inside a paragraph.
fn may_begin_title(lines: &[&str], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| lines[before]) else { return true };
    before.is_empty() || indented(before) || before.starts_with(".. ") || line_character(before).is_some()
}

fn indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

fn end_block(lines: &mut Vec<&str>, fields: &mut Fields, document: &mut Document) {
    let block = std::mem::take(lines);
    let Some(first) = block.first() else { return };
    if line_character(first).is_some_and(|_| block.len() == 1) || is_comment(&block) {
        return;
    }
    if !fields.over && field(first).is_some() && block.iter().all(|line| indented(line) || field(line).is_some()) {
        let mut key = String::new();
        for line in &block {
            let (name, value) = field(line).map_or((key, line.trim()), |(name, value)| (name, value));
            fields.values.entry(name.clone()).or_default().push(value.to_owned());
            key = name;
        }
        return;
    }
    fields.over = true;
    let table = rst_tables::rows(&block).and_then(tables::write);
    document.blocks.push(Block::paragraph(table.as_deref().unwrap_or(block.join("\n").trim_end())));
}

/// `:name: value` in the first column.
fn field(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let plain = !name.is_empty() && !name.starts_with(' ') && (value.is_empty() || value.starts_with(' '));
    plain.then(|| (name.to_lowercase(), value.trim()))
}

/// Comments and targets (`.. text`, `.. _place:`), but not directives, footnotes or substitutions.
fn is_comment(block: &[&str]) -> bool {
    let Some(rest) = block.first().and_then(|line| line.strip_prefix("..")) else { return false };
    let rest = rest.trim_start_matches(' ');
    let kept = rest.contains("::") || rest.starts_with(['[', '|']) || block[0].starts_with("...");
    // A target with an address is worth keeping.
    let target = rest.starts_with('_') && !rest.ends_with(':');
    !kept && !target
}

/// Removes inline markup: ``` ``code`` ```, `*emphasis*`, `` :role:`text <target>` ``, `` `link`_ ``.
fn without_markup(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    let mut parts = title.split('`');
    out.push_str(parts.next().unwrap_or_default());
    let mut quoted = true;
    for part in parts {
        if quoted {
            // Removes the role before the quotation.
            if let Some(start) = out.strip_suffix(':').and_then(start_of_role) {
                out.truncate(start);
            }
            out.push_str(part.split(" <").next().unwrap_or_default());
        } else {
            out.push_str(part.trim_start_matches('_'));
        }
        // ``code`` has empty parts around it.
        if !part.is_empty() {
            quoted = !quoted;
        }
    }
    let words = out.split_whitespace().map(|word| {
        let inner = word.trim_matches('*');
        if inner.is_empty() { word } else { inner }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Where the `:role` at the end of a text begins. Longer ones are not roles, which bounds the search.
fn start_of_role(text: &str) -> Option<usize> {
    const LONGEST: usize = 100;
    let behind = text.char_indices().rev().take(LONGEST).take_while(|(_, c)| *c != ' ').find(|(_, c)| *c == ':');
    behind.map(|(start, _)| start)
}

#[cfg(test)]
mod tests {
    use super::super::BlockKind;
    use super::*;

    fn headings(text: &str) -> Vec<(u8, String)> {
        parse(text).headings().map(|(level, title)| (level, title.to_owned())).collect()
    }

    #[test]
    fn levels_follow_the_order_of_first_appearance() {
        let text = "#####\n Top\n#####\n\nA\n=\n\nA1\n~~\n\nSub\n~~~\ntext\n\nB\n=\nC\n=====\n\n中文标题\n~~~~~~~~\n";
        let wanted = [(1, "Top"), (2, "A"), (3, "A1"), (3, "Sub"), (2, "B"), (2, "C"), (3, "中文标题")];
        let found = headings(&text.replace("A\n=\n", "A\n==\n").replace("B\n=\n", "B\n==\n"));
        assert_eq!(found, wanted.map(|(level, title)| (level, title.to_owned())));
        assert_eq!(parse(text).title.as_deref(), Some("Top"));
    }

    #[test]
    fn lookalikes_of_titles_are_text() {
        for text in [
            "::\n\n    Title\n    =====\n",
            ".. code-block:: rst\n\n   Title\n   =====\n\ntext\n",
            "para one\npara two\n--------\n",
            "a\n\n----\n\nb\n",
            "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n",
            "too wide\n--\n",
            ".. comment\n----\n",
        ] {
            assert_eq!(headings(text), [], "{text:?}");
        }
    }

    #[test]
    fn literal_blocks_stay_with_their_paragraph_and_comments_go() {
        let document =
            parse("See::\n\n    a\n\n    b\n\n.. a comment\n   of two lines\n\n.. _place:\n\n.. note:: Mind.\n\nx\n");
        assert_eq!(document.texts(), ["See::\n\n    a\n\n    b", ".. note:: Mind.", "x"]);
    }

    #[test]
    fn fields_at_the_top_are_metadata() {
        let document = parse("T\n=====\n\n:Author: Ann\n   Other\n:Date: 2026-01-02\n\ntext\n\n:not: metadata\n");
        assert_eq!(document.metadata["author"], "Ann Other");
        assert_eq!(document.metadata["date"], "2026-01-02");
        assert_eq!(document.blocks.len(), 3);
    }

    #[test]
    fn titles_lose_their_markup() {
        assert_eq!(without_markup("The ``kb toc`` *command*"), "The kb toc command");
        assert_eq!(without_markup("See :ref:`the guide <guide>` and `PyPI`_"), "See the guide and PyPI");
        assert_eq!(without_markup("2 * 3"), "2 * 3");
    }

    #[test]
    fn blank_lines_fields_and_roles_take_linear_time() {
        assert!(parse(&"\n".repeat(2_000_000)).blocks.is_empty());
        assert!(parse(&" \nx\n".repeat(200_000)).has_text());
        let fields = parse(&":tag: a\n".repeat(200_000));
        assert!(fields.metadata["tag"].starts_with("a a a"));
        let roles = parse(&format!("{}\n{}\n\ntext", ":a:`b` c".repeat(50_000), "=".repeat(400_000)));
        assert!(matches!(roles.blocks[0].kind, BlockKind::Heading(1)));
    }
}

//! Wraps lines between words at the width of a terminal. Without a terminal (`None`) a line has any length.

use anstyle::Style;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthStr;

use super::style::paint;

/// Between two parts of a line.
const GAP: &str = "  ";

/// The words between which a line may end. A path, an id or a flag is one word; a line may end between two Chinese
/// characters.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let bytes = line.as_bytes();
    let is_inside = |at: usize| {
        bytes[..at].last().is_some_and(u8::is_ascii_graphic) && bytes.get(at).is_some_and(u8::is_ascii_graphic)
    };
    let mut words = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in WordSeparator::UnicodeBreakProperties.find_words(line) {
        end += part.word.len() + part.whitespace.len();
        if !is_inside(end) {
            words.push(Word::from(&line[start..end]));
            start = end;
        }
    }
    Box::new(words.into_iter())
}

fn options(columns: usize) -> Options<'static> {
    Options::new(columns).word_separator(WordSeparator::Custom(words)).word_splitter(WordSplitter::NoHyphenation)
}

/// The lines of a text, wrapped; each goes on with the indent that it began with.
pub(super) fn lines(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return vec![text.to_owned()] };
    let wrapped = text.split('\n').flat_map(|line| {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        textwrap::wrap(text, options(columns).initial_indent(indent).subsequent_indent(indent))
    });
    wrapped.map(|line| line.into_owned()).collect()
}

/// A text behind `first`, its further lines behind `rest`.
pub(super) fn hanging(first: &str, rest: &str, text: &str, columns: Option<usize>) -> String {
    match columns {
        None => format!("{first}{text}"),
        Some(columns) => {
            textwrap::wrap(text, options(columns).initial_indent(first).subsequent_indent(rest)).join("\n")
        }
    }
}

/// Parts beside each other, without the empty ones. A part that does not fit begins a line; only one that is longer
/// than a line is divided.
pub(super) fn beside(parts: &[(Style, &str)], columns: Option<usize>) -> Vec<String> {
    let mut all: Vec<(usize, String)> = Vec::new();
    for (style, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
        let width = part.width();
        let fits = |used: usize| columns.is_none_or(|columns| used + GAP.len() + width <= columns);
        match all.last_mut() {
            Some((used, line)) if fits(*used) => {
                *used += GAP.len() + width;
                line.push_str(GAP);
                line.push_str(&paint(*style, part));
            }
            _ => all.extend(lines(part, columns).into_iter().map(|line| (line.width(), paint(*style, line)))),
        }
    }
    all.into_iter().map(|(_, line)| line).collect()
}

pub fn wrapped_at_words(text: &str, columns: usize) -> String {
    lines(text, Some(columns)).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_and_keep_their_indent() {
        assert_eq!(wrapped_at_words("  caused by: the disk is full\n", 16), "  caused by: the\n  disk is full\n");
        assert_eq!(
            wrapped_at_words("run `kb reindex --no-embed docs/a-b/c.md`", 20),
            "run `kb reindex\n--no-embed\ndocs/a-b/c.md`"
        );
        assert_eq!(wrapped_at_words("启动水泵之前必须灌水", 8), "启动水泵\n之前必须\n灌水");
        assert_eq!(hanging("a  ", "   ", "one two three", Some(10)), "a  one two\n   three");
        assert_eq!(lines("one two three", None), ["one two three"]);
    }

    #[test]
    fn a_part_that_fits_no_more_begins_a_line() {
        let plain = Style::new();
        let parts = [(plain, "docs/a.md"), (plain, ""), (plain, "p. 6"), (plain, "confidence ▰▰ 1.00")];
        assert_eq!(beside(&parts, Some(24)), ["docs/a.md  p. 6", "confidence ▰▰ 1.00"]);
        assert_eq!(beside(&parts, None), ["docs/a.md  p. 6  confidence ▰▰ 1.00"]);
        assert_eq!(beside(&[(plain, "one two three")], Some(8)), ["one two", "three"]);
    }
}

//! Sentence boundaries in English and Chinese text with arbitrary line breaks.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::han::ONE_TO_TEN;

/// The longest number of a list item, in bytes: `12.10.3`.
const LONGEST_NUMBER: usize = 8;
/// The longest run, in characters, of brackets, quotation marks, white space and signs outside of ASCII that the
/// library sees. Behind a full stop, it looks ahead from each of them to the next letter.
const LONGEST_RUN: usize = 100;

/// The sentences of `text` as byte ranges that cover the text without gaps. White space belongs to the sentence before
/// it.
///
/// The boundaries are those of Unicode (UAX #29), for `。` as well as `.`. A single line break is not a boundary,
/// because PDF text breaks lines at the edge of the page. A blank line and the start of a list item always are
/// boundaries. The number of an item (`2.`) belongs to the sentence after it.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let unwrapped = unwrap_lines(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    // The start of a number whose sentence follows.
    let mut number: Option<usize> = None;
    let in_piece = |piece: Range<usize>| {
        let bounds = unwrapped[piece.clone()].split_sentence_bound_indices();
        bounds.map(move |(at, sentence)| (piece.start + at, sentence))
    };
    for (start, sentence) in pieces(&unwrapped).into_iter().flat_map(in_piece) {
        let end = start + sentence.len();
        if is_item_number(sentence) && end < text.len() {
            number.get_or_insert(start);
            continue;
        }
        // The rest of a long run of spaces behind a number.
        if number.is_some() && sentence.trim().is_empty() && end < text.len() {
            continue;
        }
        if let Some(start) = number.take() {
            out.push(start..end);
            continue;
        }
        // Text without letters or digits (a line of dashes, a single space) belongs to the sentence before.
        if !sentence.chars().any(char::is_alphanumeric)
            && let Some(Range { end: last, .. }) = out.last_mut()
        {
            *last = end;
            continue;
        }
        out.push(start..end);
    }
    out
}

/// The text in pieces, cut where a run that may stand between two sentences becomes too long, and where it ends.
/// Without letters, the rest of the run belongs to the sentence before it.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut cuts = vec![0];
    let mut run = 0;
    for (at, c) in text.char_indices() {
        let goes_on = may_follow_a_stop(c);
        if goes_on && run == LONGEST_RUN || !goes_on && run > LONGEST_RUN {
            cuts.push(at);
        }
        run = if goes_on { run + 1 } else { 0 };
    }
    cuts.push(text.len());
    cuts.windows(2).map(|piece| piece[0]..piece[1]).collect()
}

/// Whether a character may stand between a full stop and the next sentence, or belongs to the character before it.
fn may_follow_a_stop(c: char) -> bool {
    match c {
        // A full stop begins a run, as `.` does.
        '\n' | '\u{2024}' | '\u{FE52}' | '\u{FF0E}' => false,
        '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '\u{FF9E}' | '\u{FF9F}' => true,
        _ => c.is_whitespace() || !c.is_ascii() && (!c.is_alphanumeric() || is_combining_mark(c)),
    }
}

/// Whether a sentence is only the number of a list item, whose text follows on the same line.
fn is_item_number(sentence: &str) -> bool {
    let number = sentence.trim_end();
    let digits = number.strip_suffix('.').unwrap_or_default();
    let is_number = (1..=LONGEST_NUMBER).contains(&digits.len()) && digits.starts_with(|c: char| c.is_ascii_digit());
    is_number && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !sentence.contains('\n')
}

/// Replaces line breaks inside paragraphs by spaces. Byte offsets do not change.
fn unwrap_lines(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, _) in text.match_indices('\n') {
        let before = &text[..at];
        let after = &text[at + 1..];
        let blank_line = after.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
            || before.trim_end_matches([' ', '\t', '\r']).ends_with('\n');
        if !blank_line && !starts_item(after) {
            bytes[at] = b' ';
        }
    }
    // ASCII bytes replaced ASCII bytes, so this is still UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Whether a line starts a list item: `- `, `* `, `• `, `3. `, `3) `, `(3)`, `一、`, a table row.
fn starts_item(line: &str) -> bool {
    // Trims no further than this line; otherwise long runs of blank lines would take quadratic time.
    let line = line.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
    let mut chars = line.chars();
    match chars.next() {
        Some('-' | '*' | '+' | '–') => chars.next().is_some_and(char::is_whitespace),
        Some('•' | '‣' | '◦' | '·' | '|' | '（') => true,
        Some('(') => chars.as_str().trim_start_matches(char::is_alphanumeric).starts_with(')'),
        Some(c) if c.is_ascii_digit() => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.starts_with(". ") || rest.starts_with(") ") || rest.starts_with('、')
        }
        Some(c) if ONE_TO_TEN.contains(c) => {
            chars.as_str().trim_start_matches(|c: char| ONE_TO_TEN.contains(c)).starts_with('、')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_at_punctuation_and_blank_lines_but_not_at_wrapped_ones() {
        assert_eq!(split("Open the valve. Then wait."), ["Open the valve. ", "Then wait."]);
        assert_eq!(split("先打开阀门。然后等待！"), ["先打开阀门。", "然后等待！"]);
        assert_eq!(split("Open the\nvalve now.\n\nNext part"), ["Open the\nvalve now.\n\n", "Next part"]);
    }

    #[test]
    fn the_number_of_an_item_stays_with_its_text() {
        assert_eq!(split("Do:\n1. open it\n2. close it").len(), 3, "items stand alone");
        assert_eq!(
            split("It is done.\n1. Open the valve.\n2. Wait."),
            ["It is done.\n", "1. Open the valve.\n", "2. Wait."]
        );
        assert_eq!(split("It is done. 2."), ["It is done. ", "2."], "nothing follows");
        assert_eq!(split("It is done.\n\n2.\n\nOpen it."), ["It is done.\n\n", "2.\n\n", "Open it."]);
        assert_eq!(split("1. 2. Go."), ["1. 2. Go."]);
    }

    #[test]
    fn a_long_run_of_brackets_costs_no_more_than_its_length() {
        for run in [")", " ", "\u{201D}", ") ", "\"\u{93E}"] {
            let text = format!("It is on.{} Then wait.", run.repeat(200_000));
            assert_eq!(split(&text).last(), Some(&"Then wait."), "{run:?}");
        }
        let text = format!("It is on{}．{} Then wait.", "(".repeat(LONGEST_RUN + 1), ")".repeat(200_000));
        assert_eq!(split(&text).concat(), text);
        let numbered = format!("It is done.\n2.{}Open it.", " ".repeat(LONGEST_RUN + 50));
        assert!(split(&numbered).last().unwrap().starts_with("2. "), "the number stays with its text");
    }

    proptest! {
        #[test]
        fn sentences_rebuild_the_text(text in "(\\PC|\n){0,120}") {
            let joined: String = sentences(&text).into_iter().map(|range| &text[range]).collect();
            prop_assert_eq!(joined, text);
        }
    }
}

//! The text of a filter as words, quoted texts and signs, and mistakes in it. Full-width signs count as the plain ones,
//! because Chinese keyboards type them.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::value::Comparison;
use crate::error::{Error, NextStep};
use crate::text::{printable, truncate};

/// An error shows so many columns of the filter on each side of the mistake.
const SHOWN: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// Its bytes in the filter.
    pub at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Word(String),
    Quoted(String),
    Sign(Comparison),
    Open,
    Close,
    Comma,
}

impl Kind {
    /// The token as an error message names it.
    pub fn name(&self) -> String {
        match self {
            Kind::Word(word) => format!("{:?}", truncate(word, 40)),
            Kind::Quoted(_) => "a quoted text".to_owned(),
            Kind::Sign(comparison) => comparison.sign().to_owned(),
            Kind::Open => "(".to_owned(),
            Kind::Close => ")".to_owned(),
            Kind::Comma => "a comma".to_owned(),
        }
    }
}

/// The keywords, in any case.
pub fn keyword(word: &str) -> Option<&'static str> {
    const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "contains", "exists"];
    KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(word))
}

pub fn tokens(text: &str) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = match (sign(&text[at..]), closing(c)) {
            (Some(sign), _) => sign,
            (None, Some(end)) => quoted(text, at, end)?,
            (None, None) => {
                let length = word_length(&text[at..]);
                (Kind::Word(text[at..at + length].to_owned()), length)
            }
        };
        tokens.push(Token { kind, at: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// A key or a value as a filter is written: in quotes where it would be read as something else without.
pub fn written(text: &str) -> String {
    // The comma, as in a list, would belong to the word after an unclosed brace.
    let bare = match tokens(&format!("{text},")).as_deref() {
        Ok([first, _]) => matches!(&first.kind, Kind::Word(word) if word == text) && keyword(text).is_none(),
        _ => false,
    };
    if bare { text.to_owned() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// The sign at the beginning of a text, and its length in bytes.
fn sign(text: &str) -> Option<(Kind, usize)> {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    const PLAIN: [(char, char); 7] =
        [('！', '!'), ('＝', '='), ('＜', '<'), ('＞', '>'), ('（', '('), ('）', ')'), ('，', ',')];
    let plain = |c: char| PLAIN.iter().find(|(wide, _)| *wide == c).map_or(c, |(_, plain)| *plain);
    let mut chars = text.chars().map(plain);
    let (kind, length) = match (chars.next()?, chars.next()) {
        ('!', Some('=')) => (Kind::Sign(NotEqual), 2),
        ('<', Some('=')) => (Kind::Sign(AtMost), 2),
        ('>', Some('=')) => (Kind::Sign(AtLeast), 2),
        ('≠', _) => (Kind::Sign(NotEqual), 1),
        ('≤', _) => (Kind::Sign(AtMost), 1),
        ('≥', _) => (Kind::Sign(AtLeast), 1),
        ('<', _) => (Kind::Sign(Less), 1),
        ('>', _) => (Kind::Sign(Greater), 1),
        ('=', _) => (Kind::Sign(Equal), 1),
        ('(', _) => (Kind::Open, 1),
        (')', _) => (Kind::Close, 1),
        (',', _) => (Kind::Comma, 1),
        _ => return None,
    };
    Some((kind, text.chars().take(length).map(char::len_utf8).sum()))
}

/// The mark that closes a quotation.
fn closing(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

/// A quoted text, and its length with the marks. A backslash escapes the closing mark and another backslash; before
/// anything else it stands for itself, as in the paths of Windows.
fn quoted(text: &str, start: usize, end: char) -> Result<(Kind, usize), Mistake> {
    let mut value = String::new();
    let mut chars = text[start..].char_indices().skip(1).peekable();
    while let Some((offset, c)) = chars.next() {
        let escaped = chars.peek().map(|(_, next)| *next).filter(|next| c == '\\' && (*next == end || *next == '\\'));
        match escaped {
            Some(escaped) => {
                value.push(escaped);
                chars.next();
            }
            None if c == end => return Ok((Kind::Quoted(value), offset + c.len_utf8())),
            None => value.push(c),
        }
    }
    Err(Mistake::new(start..text.len(), format!("{end} at the end of the quoted text"), "the end of the filter"))
}

/// The length of the word at the beginning: up to a space or a sign. Commas between braces belong to it, as in
/// `*.{md,txt}`.
fn word_length(text: &str) -> usize {
    let mut braces = 0usize;
    for (offset, c) in text.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            _ => {}
        }
        let ends = c.is_whitespace()
            || match sign(&text[offset..]) {
                Some((Kind::Comma, _)) => braces == 0,
                Some(_) => true,
                None => false,
            };
        if ends && offset > 0 {
            return offset;
        }
    }
    text.len()
}

/// Something in a filter that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    at: Range<usize>,
    expected: String,
    found: String,
}

impl Mistake {
    pub fn new(at: Range<usize>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Mistake { at, expected: expected.into(), found: found.into() }
    }

    /// The error, with the text and a mark under the mistake.
    pub fn error(self, text: &str) -> Error {
        let start = self.at.start.min(text.len());
        let place = text[..start].chars().count() + 1;
        Error::usage(format!("filter, character {place}: expected {}, found {}", self.expected, self.found))
            .hint(format!("`{}` shows what filters look like", NextStep::ShowFilters))
            .figure(figure(text, start..self.at.end.min(text.len())))
    }
}

/// The text around a place, with a line under it that marks the place.
fn figure(text: &str, at: Range<usize>) -> String {
    let columns = |c: char| c.width().unwrap_or(1);
    // The bytes of as many characters as there is room for.
    let fitting = |chars: &mut dyn Iterator<Item = char>| -> usize {
        let mut used = 0;
        let fits = |c: &char| {
            used += columns(*c);
            used <= SHOWN
        };
        chars.take_while(fits).map(char::len_utf8).sum()
    };
    let from = at.start - fitting(&mut text[..at.start].chars().rev());
    let to = at.start + fitting(&mut text[at.start..].chars());
    let left = if from > 0 { "…" } else { "" };
    let right = if to < text.len() { "…" } else { "" };
    // Characters that would move the cursor become spaces.
    let before = printable(&text[from..at.start]);
    let indent: usize = left.chars().chain(before.chars()).map(columns).sum();
    let marked: usize = text[at.start..at.end.min(to)].chars().map(columns).sum();
    let rest = printable(&text[at.start..to]);
    format!("  {left}{before}{rest}{right}\n  {}{}", " ".repeat(indent), "^".repeat(marked.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens_of(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_need_no_spaces_between_them() {
        let word = |text: &str| Kind::Word(text.to_owned());
        assert_eq!(tokens_of("a!=b"), [word("a"), Kind::Sign(Comparison::NotEqual), word("b")]);
        assert_eq!(tokens_of("页＞＝3"), [word("页"), Kind::Sign(Comparison::AtLeast), word("3")]);
        assert_eq!(tokens_of("（a，b）"), [Kind::Open, word("a"), Kind::Comma, word("b"), Kind::Close]);
        assert_eq!(tokens_of("*.{md,txt},x"), [word("*.{md,txt}"), Kind::Comma, word("x")]);
        assert_eq!(tokens_of("it's wow!"), [word("it's"), word("wow!")]);
    }

    #[test]
    fn quotes_keep_the_text_between_them() {
        let quoted = |text: &str| vec![Kind::Quoted(text.to_owned())];
        assert_eq!(tokens_of(r#""a = \"b\" \\ C:\x""#), quoted(r#"a = "b" \ C:\x"#));
        assert_eq!(tokens_of("“张三，李四”"), quoted("张三，李四"));
        assert_eq!(tokens_of("''"), quoted(""));
        assert!(tokens("a = \"b").is_err());
    }
}

//! A filter: tests of keys, joined by `and`, `or` and `not`; and its text as words, quoted texts and signs. Full-width
//! signs count as the plain ones, because Chinese keyboards type them.

use std::fmt;
use std::ops::Range;

use super::check::Test;

/// A condition on documents and chunks.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    Test(Test),
    Not(Box<Filter>),
    All(Vec<Filter>),
    Any(Vec<Filter>),
}

impl Filter {
    /// Joins filters by `and`; `None` for no filters.
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        let mut filters: Vec<Filter> = filters.into_iter().collect();
        if filters.len() > 1 { Some(Filter::All(filters)) } else { filters.pop() }
    }

    /// The conditions that it joins by `and`.
    pub fn conditions(&self) -> &[Filter] {
        match self {
            Filter::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    pub fn tests(&self) -> Vec<&Test> {
        match self {
            Filter::Test(test) => vec![test],
            Filter::Not(inner) => inner.tests(),
            Filter::All(parts) | Filter::Any(parts) => parts.iter().flat_map(Filter::tests).collect(),
        }
    }

    /// Decides by the verdict on each test; `None` if they leave it open.
    pub fn decide(&self, test: &dyn Fn(&Test) -> Option<bool>) -> Option<bool> {
        match self {
            Filter::Test(one) => test(one),
            Filter::Not(inner) => inner.decide(test).map(|holds| !holds),
            Filter::All(parts) => first_or_open(parts.iter().map(|part| part.decide(test)), false),
            Filter::Any(parts) => first_or_open(parts.iter().map(|part| part.decide(test)), true),
        }
    }
}

/// `wanted` if any verdict is that; otherwise the opposite, unless a verdict is open.
pub fn first_or_open(verdicts: impl Iterator<Item = Option<bool>>, wanted: bool) -> Option<bool> {
    let mut open = false;
    for verdict in verdicts {
        if verdict == Some(wanted) {
            return verdict;
        }
        open |= verdict.is_none();
    }
    (!open).then_some(!wanted)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = |part: &Filter| match part {
            Filter::All(_) | Filter::Any(_) => format!("({part})"),
            other => other.to_string(),
        };
        let joined = |parts: &[Filter], word: &str| parts.iter().map(nested).collect::<Vec<_>>().join(word);
        match self {
            Filter::Test(test) => f.write_str(&test.text),
            Filter::Not(inner) => write!(f, "not {}", nested(inner)),
            Filter::All(parts) => f.write_str(&joined(parts, " and ")),
            Filter::Any(parts) => f.write_str(&joined(parts, " or ")),
        }
    }
}

/// A part of the text of a filter, and its bytes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    Word(String),
    Quoted(String),
    /// A comparison, a parenthesis, a comma or a keyword.
    Sign(&'static str),
}

/// A quoted text begins at this byte and lacks this mark at its end.
pub struct Unclosed(pub usize, pub char);

/// Matched in upper or lower case.
pub const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "contains", "exists"];

/// The longer ones first.
const SIGNS: [&str; 9] = ["!=", "<=", ">=", "<", ">", "=", "(", ")", ","];
const SHORT_SIGNS: [(char, &str); 3] = [('≠', "!="), ('≤', "<="), ('≥', ">=")];

pub fn tokens(text: &str) -> Result<Vec<Token>, Unclosed> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (kind, length) = if let Some((sign, length)) = sign(rest) {
            (TokenKind::Sign(sign), length)
        } else if let Some(end) = closing(c) {
            quoted(rest, end).ok_or(Unclosed(at, end))?
        } else {
            let word = &rest[..word_length(rest)];
            let keyword = KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(word));
            (keyword.map_or_else(|| TokenKind::Word(word.to_owned()), TokenKind::Sign), word.len())
        };
        tokens.push(Token { kind, at: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// The sign at the beginning of a text, and its length in bytes.
fn sign(text: &str) -> Option<(&'static str, usize)> {
    let plain =
        |c: char| "！＝＜＞（），".chars().zip("!=<>(),".chars()).find(|(wide, _)| *wide == c).map_or(c, |(_, c)| c);
    if let Some((short, sign)) = SHORT_SIGNS.into_iter().find(|(short, _)| text.starts_with(*short)) {
        return Some((sign, short.len_utf8()));
    }
    let start: String = text.chars().take(2).map(plain).collect();
    let sign = SIGNS.into_iter().find(|sign| start.starts_with(sign))?;
    Some((sign, text.chars().take(sign.len()).map(char::len_utf8).sum()))
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

/// The quoted text at the beginning, and its length with the marks. A backslash escapes the closing mark and another
/// backslash; before anything else it stands for itself, as in the paths of Windows.
fn quoted(text: &str, end: char) -> Option<(TokenKind, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((offset, c)) = chars.next() {
        match chars.next_if(|(_, next)| c == '\\' && (*next == end || *next == '\\')) {
            Some((_, escaped)) => value.push(escaped),
            None if c == end => return Some((TokenKind::Quoted(value), offset + c.len_utf8())),
            None => value.push(c),
        }
    }
    None
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
        let sign = sign(&text[offset..]).map(|(sign, _)| sign);
        let ends = c.is_whitespace() || sign.is_some_and(|sign| sign != "," || braces == 0);
        if ends && offset > 0 {
            return offset;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens_of(text: &str) -> Vec<TokenKind> {
        tokens(text).unwrap_or_default().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_need_no_spaces_between_them() {
        let word = |text: &str| TokenKind::Word(text.to_owned());
        let sign = TokenKind::Sign;
        assert_eq!(tokens_of("a!=b"), [word("a"), sign("!="), word("b")]);
        assert_eq!(tokens_of("页＞＝3"), [word("页"), sign(">="), word("3")]);
        assert_eq!(tokens_of("（a，b）"), [sign("("), word("a"), sign(","), word("b"), sign(")")]);
        assert_eq!(tokens_of("*.{md,txt},x"), [word("*.{md,txt}"), sign(","), word("x")]);
        assert_eq!(tokens_of("it's wow!"), [word("it's"), word("wow!")]);
    }

    #[test]
    fn quotes_keep_the_text_between_them() {
        let quoted = |text: &str| vec![TokenKind::Quoted(text.to_owned())];
        assert_eq!(tokens_of(r#""a = \"b\" \\ C:\x""#), quoted(r#"a = "b" \ C:\x"#));
        assert_eq!(tokens_of("“张三，李四”"), quoted("张三，李四"));
        assert_eq!(tokens_of("''"), quoted(""));
        assert!(tokens("a = \"b").is_err());
    }
}

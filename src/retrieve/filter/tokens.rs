//! The text of a filter to words, quoted texts and signs. Full-width signs are taken for the others, because a Chinese
//! keyboard types them.

use std::ops::Range;

use super::parse::Mistake;
use super::syntax::Comparison;

/// A piece of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    /// Where it stands, in bytes.
    pub at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Word(String),
    Quoted(String),
    Sign(Comparison),
    Open,
    Close,
    Comma,
}

/// Cuts a filter into its pieces.
pub(super) fn cut(text: &str) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = match (sign(&text[at..]), closing(c)) {
            (Some((kind, length)), _) => (kind, length),
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

/// The sign that a text begins with, and its length.
fn sign(text: &str) -> Option<(Kind, usize)> {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    const SIGNS: [(&str, Kind); 19] = [
        ("!=", Kind::Sign(NotEqual)),
        ("！＝", Kind::Sign(NotEqual)),
        ("≠", Kind::Sign(NotEqual)),
        ("<=", Kind::Sign(AtMost)),
        ("＜＝", Kind::Sign(AtMost)),
        ("≤", Kind::Sign(AtMost)),
        (">=", Kind::Sign(AtLeast)),
        ("＞＝", Kind::Sign(AtLeast)),
        ("≥", Kind::Sign(AtLeast)),
        ("<", Kind::Sign(Less)),
        ("＜", Kind::Sign(Less)),
        (">", Kind::Sign(Greater)),
        ("＞", Kind::Sign(Greater)),
        ("=", Kind::Sign(Equal)),
        ("＝", Kind::Sign(Equal)),
        ("(", Kind::Open),
        ("（", Kind::Open),
        (")", Kind::Close),
        ("）", Kind::Close),
    ];
    if let Some(length) = [",", "，"].into_iter().find(|comma| text.starts_with(comma)).map(str::len) {
        return Some((Kind::Comma, length));
    }
    SIGNS.into_iter().find(|(sign, _)| text.starts_with(sign)).map(|(sign, kind)| (kind, sign.len()))
}

/// What closes a quotation that a character opens.
fn closing(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

/// A quoted text and the length of it with its marks. A backslash before the closing mark or another backslash takes its
/// meaning away; before anything else it stands for itself, as in the paths of Windows.
fn quoted(text: &str, start: usize, end: char) -> Result<(Kind, usize), Mistake> {
    let mut value = String::new();
    let mut chars = text[start..].char_indices();
    chars.next();
    let mut after_backslash = false;
    for (offset, c) in chars {
        match (after_backslash, c) {
            (true, c) if c == end || c == '\\' => value.push(c),
            (false, '\\') => {
                after_backslash = true;
                continue;
            }
            (false, c) if c == end => return Ok((Kind::Quoted(value), offset + c.len_utf8())),
            (escaped, c) => {
                if escaped {
                    value.push('\\');
                }
                value.push(c);
            }
        }
        after_backslash = false;
    }
    Err(Mistake::new(start..text.len(), format!("{end} at the end of the quoted text"), "the end of the filter"))
}

/// How long the word is that a text begins with: up to a space or a sign. Between braces a comma belongs to it, as in
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<Kind> {
        cut(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn pieces_need_no_spaces_between_them() {
        let word = |text: &str| Kind::Word(text.to_owned());
        assert_eq!(pieces("a!=b"), [word("a"), Kind::Sign(Comparison::NotEqual), word("b")]);
        assert_eq!(pieces("页＞＝3"), [word("页"), Kind::Sign(Comparison::AtLeast), word("3")]);
        assert_eq!(pieces("（a，b）"), [Kind::Open, word("a"), Kind::Comma, word("b"), Kind::Close]);
        assert_eq!(pieces("*.{md,txt},x"), [word("*.{md,txt}"), Kind::Comma, word("x")]);
        assert_eq!(pieces("it's wow!"), [word("it's"), word("wow!")]);
    }

    #[test]
    fn quotes_keep_what_is_between_them() {
        let quoted = |text: &str| vec![Kind::Quoted(text.to_owned())];
        assert_eq!(pieces(r#""a = \"b\" \\ C:\x""#), quoted(r#"a = "b" \ C:\x"#));
        assert_eq!(pieces("“张三，李四”"), quoted("张三，李四"));
        assert_eq!(pieces("''"), quoted(""));
        assert!(cut("a = \"b").is_err());
    }
}

//! What a name is, and when two are the same.

use crate::text::tokens::{TokenKind, tokenize};

/// Names are not longer than this, in characters.
pub const LONGEST_NAME: usize = 80;

/// What a name is looked up by: its words as they are indexed, so that capitals and endings do not count. `None` for
/// what can be no name: without a letter, too long, or a single character.
pub fn key(name: &str) -> Option<String> {
    if name.chars().count() > LONGEST_NAME || name.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return None;
    }
    // The stem of an abbreviation keeps the ending of its plural.
    let name = match name.strip_suffix('s') {
        Some(one) if one.chars().count() > 1 && one.chars().all(|c| c.is_ascii_uppercase()) => one,
        _ => name,
    };
    let words: Vec<String> = tokenize(name).into_iter().filter(|token| is_word(token.kind)).map(|t| t.text).collect();
    let letters = words.iter().any(|word| word.chars().any(char::is_alphabetic));
    letters.then(|| words.join(" "))
}

/// Whether a token is one of those that a name consists of, each of its characters once.
pub(crate) fn is_word(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Word | TokenKind::Whole | TokenKind::Single)
}

/// A name without quotes, emphasis and an article around it.
pub(super) fn trimmed(name: &str) -> &str {
    let around = |c: char| c.is_whitespace() || "\"'“”‘’「」『』《》〈〉*_`:：,，;；.。、".contains(c);
    let name = name.trim_matches(around);
    let bare = ["the ", "a ", "an ", "The ", "A ", "An "].iter().find_map(|article| name.strip_prefix(article));
    bare.unwrap_or(name).trim_start_matches(around)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_endings_and_quotes_do_not_count() {
        assert_eq!(key("Transport Disconnect Orders"), key("transport disconnect order"));
        assert_eq!(key("变频调速器").as_deref(), Some("变 频 调 速 器"));
        assert_eq!(key("TDOs"), key("TDO"));
        assert_eq!(trimmed(" the “Main Pump”,"), "Main Pump");
        assert_eq!(trimmed("《办法》"), "办法");
        for none in ["", "A", "12", "...", &"long ".repeat(40)] {
            assert_eq!(key(none), None, "{none}");
        }
    }
}

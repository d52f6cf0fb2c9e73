//! Names, their keys, and the word lists of the rules that find definitions.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::tokens::{TokenKind, tokenize};

/// The longest name, in characters.
pub const LONGEST_NAME: usize = 80;

/// The word lists of `words.toml`, documented there.
#[derive(Deserialize)]
pub(super) struct Lists {
    pub(super) list_titles: Vec<String>,
    pub(super) english: EnglishWords,
    pub(super) chinese: ChineseWords,
}

#[derive(Deserialize)]
pub(super) struct EnglishWords {
    pub(super) markers: Vec<String>,
    pub(super) also: Vec<String>,
    pub(super) hereinafter: Vec<String>,
    pub(super) stands_for: Vec<String>,
    pub(super) generic: HashSet<String>,
    pub(super) function_words: HashSet<String>,
}

#[derive(Deserialize)]
pub(super) struct ChineseWords {
    pub(super) short: Vec<String>,
    pub(super) also: Vec<String>,
    pub(super) in_front: Vec<String>,
    pub(super) no_beginning: Vec<char>,
    pub(super) not_inside: Vec<char>,
    pub(super) empty: Vec<String>,
    pub(super) generic: Vec<String>,
}

pub(super) static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("words.toml is part of the program"));

/// Two names of the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The abbreviation, or the other name.
    pub short: String,
    /// What it stands for.
    pub long: String,
}

impl Definition {
    /// `None` unless both are names with different keys.
    pub(super) fn of(short: &str, long: &str) -> Option<Self> {
        let (short, long) = (trimmed(short), trimmed(long));
        let (one, other) = (key(short)?, key(long)?);
        (one != other).then(|| Definition { short: short.to_owned(), long: long.to_owned() })
    }
}

/// The byte where `part`, a slice of `text`, begins in it.
pub(super) fn offset_of(part: &str, text: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// The text before and after each occurrence of a marker. Where several markers match, the first in the list counts.
pub(super) fn occurrences<'a>(text: &'a str, markers: &[String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let marker = markers.iter().find(|marker| text[at..].starts_with(marker.as_str()));
        found.extend(marker.map(|marker| (&text[..at], &text[at + marker.len()..])));
        at += marker.map_or(c.len_utf8(), |marker| marker.len());
    }
    found.into_iter()
}

/// The key of a name: its words as they are indexed, in lower case and stemmed. `None` for a text that is not a name:
/// it has no letter, is too long, or has a single character.
pub fn key(name: &str) -> Option<String> {
    if name.chars().count() > LONGEST_NAME || name.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return None;
    }
    // Stemming does not remove the plural ending of an abbreviation.
    let name = match name.strip_suffix('s') {
        Some(one) if one.chars().count() > 1 && one.chars().all(|c| c.is_ascii_uppercase()) => one,
        _ => name,
    };
    let words: Vec<String> = tokenize(name).into_iter().filter(|token| is_word(token.kind)).map(|t| t.text).collect();
    let letters = words.iter().any(|word| word.chars().any(char::is_alphabetic));
    letters.then(|| words.join(" "))
}

/// Whether a token is part of a name's key. These kinds cover each character once.
pub(crate) fn is_word(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Word | TokenKind::Whole | TokenKind::Single)
}

/// A name without the quotes, emphasis and article around it.
pub(super) fn trimmed(name: &str) -> &str {
    let around = |c: char| c.is_whitespace() || "\"'“”‘’「」『』《》〈〉*_`:：,，;；.。、".contains(c);
    let name = name.trim_matches(around);
    let bare = ["the ", "a ", "an ", "The ", "A ", "An "].iter().find_map(|article| name.strip_prefix(article));
    bare.unwrap_or(name).trim_start_matches(around)
}

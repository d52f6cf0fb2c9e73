//! Finds which of many names occur in a text.
//!
//! A name is found as a whole word only (`P-12` is not in `P-12B`), but anywhere in scripts without spaces. Of
//! overlapping names, the first and then the longest counts. The search takes one pass over the text, for any number of
//! names.

use std::cmp::Reverse;

use aho_corasick::{AhoCorasick, MatchKind};
use unicode_normalization::UnicodeNormalization;

use super::han::simplified;
use super::script::{Script, is_unspaced, script_of};
use super::strings::is_wide;
use crate::error::{Error, Result};

/// Normalises a name or a text for comparison: full-width forms folded, lower case, simplified characters, one kind of
/// hyphen and apostrophe, white space as one space, and no space between characters of scripts without spaces.
pub fn fold_name(text: &str) -> String {
    match text.chars().all(|c| plain(c).is_some()) {
        // The fast path for most text.
        true => spaced(text.chars().filter_map(plain), text.len()),
        // A soft hyphen before an accent would separate it from its letter.
        false => spaced(
            text.chars().filter(|c| *c != SOFT_HYPHEN).nfkc().flat_map(char::to_lowercase).nfkc().map(simplified),
            text.len(),
        ),
    }
}

const SOFT_HYPHEN: char = '\u{AD}';

/// The folded form of a character that folds independently of its neighbours; `None` for others.
fn plain(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7F}' => Some(c.to_ascii_lowercase()),
        '\u{4E00}'..='\u{9FFF}' => Some(simplified(c)),
        '、' | '。' | '《' | '》' | '“' | '”' | '‘' | '’' | '—' => Some(c),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).map(|c| c.to_ascii_lowercase()),
        '\u{3000}' => Some(' '),
        _ => None,
    }
}

fn spaced(text: impl Iterator<Item = char>, length: usize) -> String {
    let mut folded = String::with_capacity(length);
    let mut space = false;
    for c in text {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        let c = match c {
            // Typographic forms of characters on the keyboard.
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{2018}' | '\u{2019}' => '\'',
            other => other,
        };
        if std::mem::take(&mut space) && folded.chars().next_back().is_some_and(|last| !(glued(last) && glued(c))) {
            folded.push(' ');
        }
        folded.push(c);
    }
    folded
}

/// Whether a character has no space to a neighbour of its kind.
fn glued(c: char) -> bool {
    is_unspaced(c) || is_wide(c)
}

/// Many names, each with the index of its owner.
#[derive(Debug)]
pub struct Names {
    automaton: AhoCorasick,
    owners: Vec<usize>,
}

impl Names {
    /// Takes pairs of owner and name; an owner may have several names.
    ///
    /// # Errors
    /// There are too many names.
    pub fn new<'n>(names: impl IntoIterator<Item = (usize, &'n str)>) -> Result<Self> {
        let folded = names.into_iter().map(|(owner, name)| (owner, fold_name(name)));
        let (owners, folded): (Vec<usize>, Vec<String>) = folded.filter(|(_, name)| !name.is_empty()).unzip();
        // Overlapping matches are needed, because one that is not a whole word must not hide another.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&folded);
        let automaton =
            automaton.map_err(|error| Error::failed(format!("cannot search for so many names: {error}")))?;
        Ok(Names { automaton, owners })
    }

    /// The owners of the names in a text, each once, in the order of the first mentions.
    pub fn in_text(&self, text: &str) -> Vec<usize> {
        if self.owners.is_empty() {
            return Vec::new();
        }
        let text = fold_name(text);
        let found = self.automaton.find_overlapping_iter(&text);
        let whole = found.filter(|found| stands_alone(&text, found.start(), found.end()));
        let placed = whole.map(|found| (found.start(), found.end(), self.owners[found.pattern().as_usize()]));
        let mut matches: Vec<(usize, usize, usize)> = placed.collect();
        matches.sort_unstable_by_key(|(start, end, owner)| (*start, Reverse(*end), *owner));
        let mut named: Vec<usize> = Vec::new();
        let mut behind = 0;
        for (start, end, owner) in matches {
            if start >= behind {
                behind = end;
                if !named.contains(&owner) {
                    named.push(owner);
                }
            }
        }
        named
    }

    /// The owners named in the titles above a parent chunk, then those in its text, each once.
    pub fn in_parent_chunk(&self, titles: &str, text: &str) -> Vec<usize> {
        let mut named = self.in_text(titles);
        let more = self.in_text(text);
        named.extend(more.into_iter().filter(|owner| !named.contains(owner)).collect::<Vec<_>>());
        named
    }
}

/// Whether a match is a whole word: no word continues across its start or end.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let (before, name, after) = (&text[..start], &text[start..end], &text[end..]);
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().next_back()) else { return false };
    // Korean appends particles to nouns.
    let ends = script_of(last) == Some(Script::Hangul);
    let mut left = before.chars().rev();
    let mut right = after.chars();
    !joins(left.next().map(|c| (left.next(), c)), first)
        && (ends || !right.next().is_some_and(|c| continues(last, c, right.next())))
}

/// Whether the characters before a name and the name are one word.
fn joins(before: Option<(Option<char>, char)>, first: char) -> bool {
    let Some((further, near)) = before else { return false };
    match further {
        Some(further) if is_joint(near) => continues(further, near, Some(first)),
        _ => continues(near, first, None),
    }
}

/// Whether a word that ends in `last` continues with `next`. A hyphen or a point joins words only before a number:
/// `P-1-2` differs from `P-1`, but `Norwick-based` contains Norwick.
fn continues(last: char, next: char, behind: Option<char>) -> bool {
    let is_word = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || c == '_';
    if !is_word(last) {
        return false;
    }
    is_word(next) || (is_joint(next) && behind.is_some_and(char::is_numeric))
}

fn is_joint(c: char) -> bool {
    matches!(c, '-' | '.' | '/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(names: &[&str], text: &str) -> Vec<usize> {
        Names::new(names.iter().copied().enumerate()).unwrap().in_text(text)
    }

    #[test]
    fn names_match_in_any_writing() {
        assert_eq!(fold_name("  Ｐｕｍｐ　P-１２ \n A "), "pump p-12 a");
        assert_eq!(fold_name("泵站 维护\n手册"), "泵站维护手册");
        assert_eq!(fold_name("n\u{AD}\u{301}a"), "ńa");
        assert_eq!(fold_name("使用 PDF 手册"), "使用 pdf 手册");
        assert_eq!(found(&["Norwick Pump Station", "P-12"], "The NORWICK pump\nstation has ｐ-１２."), [0, 1]);
        assert_eq!(found(&["P-12", "O'Brien"], "P\u{2011}12 of O’Bri\u{ad}en"), [0, 1]);
        assert_eq!(found(&["café"], "the cafe\u{301}"), [0], "however an accent is written");
    }

    #[test]
    fn a_name_is_a_whole_word() {
        assert_eq!(found(&["pump"], "pumps, pumpkins and a_pump"), [0; 0]);
        assert_eq!(found(&["pump"], "the pump's (pump)"), [0]);
        for other in ["P-12B", "P-1-2", "P-1.5", "AP-1", "x_P-1", "P-1_a", "2-P-1x"] {
            assert_eq!(found(&["P-1"], other), [0; 0], "{other}");
        }
        for same in ["P-1.", "P-1, and", "P-1/P-2", "the P-1-based", "P-1. 5 bar", "anti-P-1"] {
            assert_eq!(found(&["P-1"], same), [0], "{same}");
        }
        assert_eq!(found(&["12"], "P-12 and 3.12"), [0; 0]);
        assert_eq!(found(&["서울"], "서울에서 만나요"), [0]);
    }

    #[test]
    fn chinese_names_are_found_wherever_they_stand_and_the_longest_counts() {
        assert_eq!(found(&["水泵", "一号水泵", "阀门"], "请检查一号水泵和阀门。"), [1, 2]);
        assert_eq!(found(&["水泵"], "请检查P水泵A"), [0]);
        assert_eq!(found(&["P12泵"], "二号P12泵站"), [0]);
        assert_eq!(found(&["P12泵"], "AP12泵"), [0; 0]);
    }

    #[test]
    fn parts_of_words_do_not_hide_whole_words() {
        assert_eq!(found(&["pump house", "pump"], "the pump houses"), [1]);
        assert_eq!(found(&["bank", "Bank of England"], "the Bank of England"), [1]);
        assert_eq!(found(&["bank", "Bank of England"], "the Bank of England and its bank"), [1, 0]);
        assert_eq!(found(&[], "anything"), [0; 0]);
    }

    proptest! {
        /// If no name is a part of another, the result is the same as for each name alone.
        #[test]
        fn many_are_found_as_one_by_one(text in "([abcx泵站 -]|P-1|阀){0,40}") {
            let names = ["abc", "P-1", "泵站", "阀"];
            let mut together = found(&names, &text);
            together.sort_unstable();
            let alone: Vec<usize> = (0..names.len()).filter(|i| !found(&[names[*i]], &text).is_empty()).collect();
            prop_assert_eq!(together, alone);
        }

        /// The fast path folds as the general one does.
        #[test]
        fn both_ways_of_folding_agree(text in "([ -~]|[一-鿿、。《》“”‘’—]|[！-～]|\u{3000}|\n){0,30}") {
            let slowly = spaced(text.nfkc().flat_map(char::to_lowercase).nfkc().map(simplified), 0);
            prop_assert!(text.chars().all(|c| plain(c).is_some()));
            prop_assert_eq!(fold_name(&text), slowly);
        }

        #[test]
        fn folding_is_final(text in "\\PC{0,20}") {
            let once = fold_name(&text);
            prop_assert_eq!(fold_name(&once), once);
        }
    }
}

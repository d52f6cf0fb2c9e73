//! Short forms of Chinese words in a question: 年假 for 年休假, 医保 for 医疗保险, 质检 for 质量检验.
//!
//! A short form mostly keeps the first and the third character of a word. So a pair of characters that no text has may
//! stand for three characters that texts have: the pair with another character between.

use std::cmp::Reverse;
use std::ops::Range;

use super::retrievers::parent_chunks_with;
use super::vocabulary::Vocabulary;
use crate::error::Result;
use crate::store::{Phrase, Snapshot};
use crate::text::han::is_han_digit;
use crate::text::script::is_han;
use crate::text::stopwords::spans_words;
use crate::text::tokens::{Token, TokenKind, tokenize};

/// Only this many pairs of a question are tried.
const MOST_PAIRS: usize = 64;
/// The most words that a short form may stand for.
const MOST_MEANINGS: usize = 2;
/// How many beginnings of possible words are tried, the most frequent first.
const MOST_BEGINNINGS: usize = 256;
/// How many possible words are looked up in the texts.
const MOST_TRIED: usize = 8;

/// The place of each short form in a question, and what texts have instead.
pub(super) fn short_forms(snapshots: &[&Snapshot], query: &str) -> Result<Vec<(Range<usize>, Vec<String>)>> {
    let is_pair = |token: &Token| token.kind == TokenKind::Bigram && token.text.chars().all(is_han);
    let pairs: Vec<Token> = tokenize(query).into_iter().filter(is_pair).take(MOST_PAIRS).collect();
    let is_known = |pair: &Token| Ok(!spans_words(&pair.text) && parent_chunks_with(snapshots, &pair.text)? > 0);
    let known: Vec<bool> = pairs.iter().map(is_known).collect::<Result<_>>()?;
    let (mut found, mut end) = (Vec::new(), 0);
    for (at, pair) in pairs.iter().enumerate() {
        // The characters of a known word belong to it: neither 司年 nor 假制 in 公司年假制度 is a word.
        let goes_on = pairs.get(at + 1).is_some_and(|next| known[at + 1] && next.start < pair.end);
        if pair.start < end || is_no_word(&pair.text) {
            continue;
        }
        if known[at] {
            end = pair.end;
        } else if !goes_on {
            let meanings = long_forms(snapshots, &pair.text)?;
            if !meanings.is_empty() {
                end = pair.end;
                found.push((pair.start..pair.end, meanings));
            }
        }
    }
    Ok(found)
}

/// A pair with a function word or a number, and the same character twice: 12年年假 has no word 年年.
fn is_no_word(pair: &str) -> bool {
    let first = pair.chars().next();
    spans_words(pair)
        || pair.contains(|c| is_han_digit(c) || "万亿".contains(c))
        || pair.chars().all(|c| Some(c) == first)
}

/// What texts have with one character between those of a pair, the most frequent first.
fn long_forms(snapshots: &[&Snapshot], pair: &str) -> Result<Vec<String>> {
    let [first, last] = pair.chars().collect::<Vec<_>>()[..] else { return Ok(Vec::new()) };
    let mut possible: Vec<(u64, String)> = Vec::new();
    let mut beginnings = Vocabulary(snapshots).starting_with(first, &|word| word.chars().count() == 2)?;
    beginnings.sort_unstable_by_key(|(front, count)| (Reverse(*count), front.clone()));
    for (front, count) in beginnings.into_iter().take(MOST_BEGINNINGS) {
        let Some(middle) = front.chars().nth(1).filter(|_| !spans_words(&front)) else { continue };
        let rarer = count.min(parent_chunks_with(snapshots, &format!("{middle}{last}"))?);
        if rarer > 0 {
            possible.push((rarer, format!("{front}{last}")));
        }
    }
    possible.sort_unstable_by_key(|(rarer, word)| (Reverse(*rarer), word.clone()));
    let mut words = Vec::new();
    for (_, word) in possible.into_iter().take(MOST_TRIED) {
        let Some(phrase) = Phrase::of(&word) else { continue };
        for snapshot in snapshots {
            if words.len() < MOST_MEANINGS && !words.contains(&word) && snapshot.keyword().has_phrase(&phrase)? {
                words.push(word.clone());
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_function_words_and_doubled_characters_are_no_words() {
        assert!(["二万", "十年", "5的", "的年", "年年"].into_iter().all(is_no_word));
        assert!(!["年假", "医保", "质检"].into_iter().any(is_no_word));
    }
}

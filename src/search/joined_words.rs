//! Words of a question that file names write as one word: `KRAFTHEINZ_2019_10K` for Kraft Heinz.

use std::cmp::Reverse;
use std::ops::Range;

use crate::text::script::{Script, script_of};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, TokenKind, tokenize, without_possessive};

/// The most words of a name.
const MOST_WORDS: usize = 4;
/// Only this many words of a question are tried.
const MOST_TOKENS: usize = 64;
/// Shorter names, in letters, are too near to words of their own: `to day`.
const SHORTEST: usize = 6;

/// Adjacent words of a question, written as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JoinedWords {
    /// In small letters.
    pub written: String,
    /// As it is indexed.
    pub word: String,
    /// Where its words stand in the question.
    pub range: Range<usize>,
}

/// The names that adjacent words of letters may be written as, the longest first. Function words begin and end none.
pub(super) fn joined_words(query: &str) -> Vec<JoinedWords> {
    let typed = |token: &Token| without_possessive(&query[token.start..token.end]);
    let is_of_letters = |token: &Token| typed(token).chars().all(|c| script_of(c) == Some(Script::Latin));
    let goes_on = |a: &Token, b: &Token| {
        is_of_letters(a) && is_of_letters(b) && matches!(&query[a.end..b.start], " " | "-" | "&" | " & " | "\u{a0}")
    };
    let tokens: Vec<Token> =
        tokenize(query).into_iter().filter(|token| token.kind != TokenKind::Whole).take(MOST_TOKENS).collect();
    let named = |run: &[Token]| {
        let [first, .., last] = run else { return None };
        let written = run.iter().map(typed).collect::<String>().to_lowercase();
        if [first, last].iter().any(|token| is_stopword(&token.text)) || written.chars().count() < SHORTEST {
            return None;
        }
        let words = tokenize(&written);
        let [word] = &words[..] else { return None };
        Some(JoinedWords { word: word.text.clone(), range: first.start..last.end, written })
    };
    runs(&tokens, |_| MOST_WORDS, goes_on).into_iter().filter_map(named).collect()
}

/// The tokens and the runs of tokens that stand together, the longest first. A run goes on from one token to the next,
/// up to the most that its first allows.
pub(super) fn runs(
    tokens: &[Token],
    most: impl Fn(&Token) -> usize,
    goes_on: impl Fn(&Token, &Token) -> bool,
) -> Vec<&[Token]> {
    let from = |first: usize| {
        let rest = &tokens[first..];
        let longest = 1 + rest.windows(2).take_while(|two| goes_on(&two[0], &two[1])).count();
        (1..=longest.min(most(&rest[0]))).map(move |length| &rest[..length])
    };
    let mut runs: Vec<&[Token]> = (0..tokens.len()).flat_map(from).collect();
    // The sort is stable: equals stay in the order of the text.
    runs.sort_by_key(|run| Reverse(run.len()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        joined_words(query).into_iter().map(|name| name.word).collect()
    }

    #[test]
    fn adjacent_words_are_joined_the_longest_first() {
        assert_eq!(words("Kraft Heinz revenue"), ["kraftheinzrevenu", "kraftheinz", "heinzrevenu"]);
        assert!(words("American Water Works in 2020").contains(&tokenize("AMERICANWATERWORKS")[0].text));
        assert_eq!(words("Coca-Cola"), ["cocacola"]);
        assert_eq!(words("Kraft Heinz's"), ["kraftheinz"]);
        for none in ["revenue, profit", "in the pump", "pump 2021", "水泵 压力", "to day", "E-417"] {
            assert_eq!(words(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn a_very_long_question_is_read_in_part() {
        assert!(joined_words(&"pump valve ".repeat(10_000)).len() <= MOST_TOKENS * MOST_WORDS);
    }
}

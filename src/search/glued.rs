//! Words of a question that names of files write as one: `KRAFTHEINZ_2019_10K` for Kraft Heinz.

use std::ops::Range;

use crate::text::script::{Script, script_of};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, TokenKind, tokenize};

/// The most words of a name.
const MOST_WORDS: usize = 4;
/// Words are sought among this many of a question.
const MOST_TOKENS: usize = 64;
/// Shorter names, in letters, are too near to words of their own: `to day`.
const SHORTEST: usize = 6;

/// Adjacent words of a question, written as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glued {
    /// In small letters.
    pub written: String,
    /// As it is indexed.
    pub word: String,
    /// Where its words stand in the question.
    pub range: Range<usize>,
}

/// The names that adjacent words of letters may be written as, the longest first. Function words begin and end none.
pub(super) fn glued(query: &str) -> Vec<Glued> {
    // Without the ending of "Kraft Heinz's".
    let typed = |token: &Token| -> &str {
        let typed = &query[token.start..token.end];
        ["'s", "’s"].iter().find_map(|ending| typed.strip_suffix(ending)).unwrap_or(typed)
    };
    let is_of_letters = |token: &Token| typed(token).chars().all(|c| script_of(c) == Some(Script::Latin));
    let tokens: Vec<Token> =
        tokenize(query).into_iter().filter(|token| token.kind != TokenKind::Whole).take(MOST_TOKENS).collect();
    let mut found: Vec<(usize, Glued)> = Vec::new();
    for first in 0..tokens.len() {
        for last in first..tokens.len().min(first + MOST_WORDS) {
            let goes_on = last == first
                || matches!(&query[tokens[last - 1].end..tokens[last].start], " " | "-" | "&" | " & " | "\u{a0}");
            if !goes_on || !is_of_letters(&tokens[last]) {
                break;
            }
            let is_name = last > first && ![first, last].iter().any(|at| is_stopword(&tokens[*at].text));
            let range = tokens[first].start..tokens[last].end;
            let written = tokens[first..=last].iter().map(typed).collect::<String>().to_lowercase();
            if is_name
                && written.chars().count() >= SHORTEST
                && let [Token { text, .. }] = tokenize(&written).as_slice()
            {
                found.push((last - first, Glued { word: text.clone(), written, range }));
            }
        }
    }
    found.sort_by_key(|(length, name)| (std::cmp::Reverse(*length), name.range.start));
    found.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        glued(query).into_iter().map(|name| name.word).collect()
    }

    #[test]
    fn adjacent_words_are_glued_the_longest_first() {
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
        assert!(glued(&"pump valve ".repeat(10_000)).len() <= MOST_TOKENS * MOST_WORDS);
    }
}

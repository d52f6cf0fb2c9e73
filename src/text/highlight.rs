//! The snippet of a passage that shows why it was found, with the matching words marked.

use std::collections::HashSet;
use std::ops::Range;

use super::sentences::sentences;
use super::stopwords::is_stopword;
use super::tokens::{Token, TokenKind, tokenize};
use super::{char_count, squeeze};

/// A piece of a passage and where in it the question's words stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The text, on one line.
    pub text: String,
    /// Byte ranges into `text` that match the question, in order, not overlapping.
    pub matches: Vec<Range<usize>>,
}

/// The words of a question that say something, as they are looked for in texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms(HashSet<String>);

impl Terms {
    /// The words of `query`, function words left out.
    pub fn of(query: &str) -> Self {
        Terms(tokenize(query).into_iter().map(|token| token.text).filter(|text| !is_stopword(text)).collect())
    }

    /// How much of them is in `text`. A longer term says more: a whole identifier over one of its parts, a bigram over
    /// a character.
    pub fn weight_in(&self, text: &str) -> usize {
        let tokens = tokenize(text);
        let found: HashSet<&String> =
            tokens.iter().map(|token| &token.text).filter(|text| self.0.contains(*text)).collect();
        found.into_iter().map(|term| weight(term)).sum()
    }

    /// The share of them that is in `text`, from 0 to 1, weighed in the same way.
    pub fn share_in(&self, text: &str) -> f32 {
        let all: usize = self.0.iter().map(|term| weight(term)).sum();
        if all == 0 { 0.0 } else { self.weight_in(text) as f32 / all as f32 }
    }
}

fn weight(term: &str) -> usize {
    char_count(term).min(8)
}

/// The sentences of `passage` that hold most of what `query` asks for, up to `limit` characters, in one piece.
pub fn snippet(passage: &str, query: &str, limit: usize) -> Snippet {
    let terms = Terms::of(query);
    let pieces: Vec<Range<usize>> = sentences(passage);
    let scores: Vec<usize> = pieces.iter().map(|range| terms.weight_in(&passage[range.clone()])).collect();
    // First of the best: `max_by_key` would take the last.
    let best = (0..pieces.len()).rev().max_by_key(|&i| scores[i]).unwrap_or(0);
    let Some(first) = pieces.get(best) else {
        return Snippet { text: String::new(), matches: Vec::new() };
    };
    let mut range = first.clone();
    for next in &pieces[best + 1..] {
        if char_count(&passage[range.start..next.end]) > limit {
            break;
        }
        range.end = next.end;
    }
    let text = super::truncate(&squeeze(&passage[range]), limit);
    let matches = matches(&text, &terms);
    Snippet { text, matches }
}

/// Where the words of `query` stand in `text`.
pub fn find_matches(text: &str, query: &str) -> Vec<Range<usize>> {
    matches(text, &Terms::of(query))
}

fn matches(text: &str, terms: &Terms) -> Vec<Range<usize>> {
    let has_bigram = |token: &Token| token.kind != TokenKind::Single;
    let tokens = tokenize(text);
    let hits: Vec<&Token> = tokens.iter().filter(|token| terms.0.contains(&token.text)).collect();
    // A single Han character is shown as a match only where no longer match says it better.
    let any_long = hits.iter().any(|token| has_bigram(token));
    let mut ranges: Vec<Range<usize>> =
        hits.into_iter().filter(|token| has_bigram(token) || !any_long).map(|token| token.start..token.end).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snippet_is_the_sentence_that_answers() {
        let passage = "The house is old. Prime the pump before you start it. Then go home.";
        let found = snippet(passage, "how do I prime a pump?", 40);
        assert_eq!(found.text, "Prime the pump before you start it.");
        let marked: Vec<&str> = found.matches.iter().map(|r| &found.text[r.clone()]).collect();
        assert_eq!(marked, ["Prime", "pump"]);
    }

    #[test]
    fn chinese_matches_are_marked_as_words() {
        let found = snippet("先检查阀门。启动水泵之前必须灌水。", "如何启动水泵？", 60);
        let marked: Vec<&str> = found.matches.iter().map(|r| &found.text[r.clone()]).collect();
        assert_eq!(marked, ["启动水泵"]);
    }

    #[test]
    fn an_empty_passage_gives_an_empty_snippet() {
        assert_eq!(snippet("", "pump", 40).text, "");
    }
}

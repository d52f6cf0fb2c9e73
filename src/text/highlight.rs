//! Snippets of parent chunks that show why they were found, and the places of matching words.

use std::collections::HashSet;
use std::ops::Range;

use super::sentences::sentences;
use super::stopwords::is_stopword;
use super::strings::{char_count, squeeze, truncate};
use super::tokens::{Token, TokenKind, tokenize};

/// The content words of a question, in indexed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms(HashSet<String>);

impl Terms {
    /// The words of `query` without function words.
    pub fn of(query: &str) -> Self {
        Terms(tokenize(query).into_iter().map(|token| token.text).filter(|text| !is_stopword(text)).collect())
    }

    /// The weight of the terms in `text`. Longer terms weigh more: a whole identifier more than its parts, a bigram
    /// more than a character.
    fn weight_in(&self, text: &str) -> usize {
        let tokens = tokenize(text);
        let found: HashSet<&String> =
            tokens.iter().map(|token| &token.text).filter(|text| self.0.contains(*text)).collect();
        found.into_iter().map(|term| weight(term)).sum()
    }

    /// The weighted share of the terms in `text`, from 0 to 1.
    pub fn share_in(&self, text: &str) -> f32 {
        let all: usize = self.0.iter().map(|term| weight(term)).sum();
        if all == 0 { 0.0 } else { self.weight_in(text) as f32 / all as f32 }
    }

    /// The place of the first of the ranges that match best; `None` if none has a term.
    pub fn best_in(&self, text: &str, ranges: &[Range<usize>]) -> Option<usize> {
        let weights: Vec<usize> = ranges.iter().map(|range| self.weight_in(&text[range.clone()])).collect();
        // Reversed, because `max_by_key` takes the last of equal ones.
        (0..ranges.len()).rev().max_by_key(|&at| weights[at]).filter(|&at| weights[at] > 0)
    }
}

fn weight(term: &str) -> usize {
    char_count(term).min(8)
}

/// The sentence of `text` that matches the terms best, with as many after it as fit; and the sentences before it.
fn from_best(text: &str, terms: &Terms, fits: impl Fn(&Range<usize>) -> bool) -> (Range<usize>, Vec<Range<usize>>) {
    let mut ranges: Vec<Range<usize>> = sentences(text);
    let best = terms.best_in(text, &ranges).unwrap_or(0);
    let Some(Range { start, end }) = ranges.get(best).cloned() else { return (0..0, ranges) };
    let ends = ranges[best + 1..].iter().map(|next| next.end);
    let end = ends.take_while(|end| fits(&(start..*end))).last().unwrap_or(end);
    ranges.truncate(best);
    (start..end, ranges)
}

/// The sentence of `text` that matches `query` best, with as many sentences after it and then before it as fit.
pub fn around_best(text: &str, query: &str, fits: impl Fn(&Range<usize>) -> bool) -> Range<usize> {
    let (Range { start, end }, before) = from_best(text, &Terms::of(query), &fits);
    let starts = before.iter().rev().map(|previous| previous.start);
    starts.take_while(|start| fits(&(*start..end))).last().unwrap_or(start)..end
}

/// The consecutive sentences of `parent_chunk`, up to `limit` characters, that match `query` best, on one line.
pub fn snippet(parent_chunk: &str, query: &str, limit: usize) -> String {
    let fits = |range: &Range<usize>| char_count(&parent_chunk[range.clone()]) <= limit;
    let (range, _) = from_best(parent_chunk, &Terms::of(query), fits);
    truncate(&squeeze(&parent_chunk[range]), limit)
}

/// The places of the words of `query` in `text`: byte ranges in order, without overlaps.
pub fn find_matches(text: &str, query: &str) -> Vec<Range<usize>> {
    let terms = Terms::of(query);
    let has_bigram = |token: &Token| token.kind != TokenKind::Single;
    let tokens = tokenize(text);
    let hits: Vec<&Token> = tokens.iter().filter(|token| terms.0.contains(&token.text)).collect();
    // A single Han character is a match only if there is no longer match.
    let any_long = hits.iter().any(|token| has_bigram(token));
    let shown = hits.into_iter().filter(|token| has_bigram(token) || !any_long);
    united(shown.map(|token| token.start..token.end).collect())
}

/// `text` in parts, each with whether it is a word of `query`.
pub fn parts_by_match<'t>(text: &'t str, query: &str) -> Vec<(&'t str, bool)> {
    let mut parts = Vec::new();
    let mut done = 0;
    for range in find_matches(text, query) {
        parts.extend([(&text[done..range.start], false), (&text[range.clone()], true)]);
        done = range.end;
    }
    parts.push((&text[done..], false));
    parts
}

/// Ranges in order; those that overlap or touch, as one.
pub fn united(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snippet_is_the_sentence_that_answers() {
        let parent_chunk = "The house is old. Prime the pump before you start it. Then go home.";
        let found = snippet(parent_chunk, "how do I prime a pump?", 40);
        assert_eq!(found, "Prime the pump before you start it.");
        assert_eq!(matching(&found, "how do I prime a pump?"), ["Prime", "pump"]);
        assert_eq!(snippet("", "pump", 40), "");
    }

    fn matching<'t>(text: &'t str, query: &str) -> Vec<&'t str> {
        parts_by_match(text, query).into_iter().filter(|(_, is_match)| *is_match).map(|(part, _)| part).collect()
    }

    #[test]
    fn chinese_matches_are_marked_as_words() {
        let found = snippet("先检查阀门。启动水泵之前必须灌水。", "如何启动水泵？", 60);
        assert_eq!(matching(&found, "如何启动水泵？"), ["启动水泵"]);
    }
}

//! Looks up what a word of a question may mean among the words that documents have: longer words, other spellings,
//! parts.

use std::collections::HashMap;

use super::retrievers::parent_chunks_with;
use crate::error::Result;
use crate::ids::ChunkId;
use crate::store::{KeywordField, Phrase, Scope, Snapshot};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, tokenize};

/// Shorter words are too near to too many others.
pub(super) const SHORTEST: usize = 4;
/// From this length on two letters may be wrong.
const LONG: usize = 8;
/// Shorter parts do not make a compound.
const SHORTEST_PART: usize = 3;
/// The most words that begin with a typed one.
const MOST_BEGINNING: usize = 4;
/// How many chunks of a namespace are read to see how a word is written.
const MOST_READ: usize = 3;
/// What a word gains in similarity by being e times as frequent.
const FREQUENCY_WEIGHT: f64 = 0.02;
/// What it gains by that at most.
const MOST_BY_FREQUENCY: f64 = 0.06;

/// The words of the searched documents, of all namespaces together.
pub(super) struct Vocabulary<'a>(pub &'a [&'a Snapshot]);

impl Vocabulary<'_> {
    /// The words that begin with a character and that `wanted` accepts, each with its number of parent chunks.
    pub(super) fn starting_with(&self, start: char, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<(String, u64)>> {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for snapshot in self.0 {
            for (word, count) in snapshot.keyword().words_beginning(start, wanted)? {
                *counts.entry(word).or_default() += count;
            }
        }
        Ok(counts.into_iter().collect())
    }

    /// The most frequent words that begin like the typed one.
    pub(super) fn beginning(&self, typed: &str, indexed: &str) -> Result<Vec<String>> {
        let Some(start) = typed.chars().next() else { return Ok(Vec::new()) };
        let mut found = self.starting_with(start, &|word| word.starts_with(typed) && word != indexed)?;
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(found.into_iter().take(MOST_BEGINNING).map(|(word, _)| word).collect())
    }

    /// The word that was most likely meant: the fewest wrong letters, then the [likeliest](likely). All forms one
    /// letter away are looked up as they would be indexed, without their ending. Two letters may be wrong in indexed
    /// words that begin with the first or the second typed letter.
    pub(super) fn misspelt(&self, typed: &str, indexed: &str) -> Result<Option<String>> {
        let mut found: HashMap<String, (usize, u64)> = HashMap::new();
        let mut add = |word: String, wrong: usize, count: u64| {
            let known = found.entry(word).or_insert((wrong, count));
            known.0 = known.0.min(wrong);
        };
        for form in one_letter_away(typed) {
            if let [Token { text, .. }] = tokenize(&form).as_slice() {
                let count = parent_chunks_with(self.0, text)?;
                if count > 0 && !is_stopword(text) {
                    add(text.clone(), 1, count);
                }
            }
        }
        let mut starts: Vec<char> = typed.chars().take(2).collect();
        starts.dedup();
        for start in starts {
            let near = |word: &str| distance(typed, indexed, word).is_some();
            for (word, count) in self.starting_with(start, &near)? {
                if let Some(wrong) = distance(typed, indexed, &word) {
                    add(word, wrong, count);
                }
            }
        }
        let likely = |word: &str, count: u64| likely([typed, indexed], word, count);
        let best = found.into_iter().min_by(|(a, (wrong_a, count_a)), (b, (wrong_b, count_b))| {
            let order = wrong_a.cmp(wrong_b).then(likely(b, *count_b).total_cmp(&likely(a, *count_a)));
            order.then_with(|| a.cmp(b))
        });
        Ok(best.map(|(word, _)| word))
    }

    /// The two known words that make up a compound: of the pairs that stand next to each other somewhere, the one whose
    /// rarer word is the most frequent.
    pub(super) fn parts(&self, typed: &str) -> Result<Vec<String>> {
        let mut pairs: Vec<(u64, Phrase, Vec<String>)> = Vec::new();
        for (at, _) in typed.char_indices() {
            let (left, right) = typed.split_at(at);
            if left.chars().count() < SHORTEST_PART || right.chars().count() < SHORTEST_PART {
                continue;
            }
            let words: Vec<String> =
                [left, right].iter().flat_map(|part| tokenize(part)).map(|token| token.text).collect();
            if words.len() != 2 || words.iter().any(|word| is_stopword(word)) {
                continue;
            }
            let rarer = parent_chunks_with(self.0, &words[0])?.min(parent_chunks_with(self.0, &words[1])?);
            if rarer > 0
                && let Some(phrase) = Phrase::of(&format!("{left} {right}"))
            {
                pairs.push((rarer, phrase, words));
            }
        }
        pairs.sort_by_key(|(rarer, ..)| std::cmp::Reverse(*rarer));
        for (_, phrase, words) in pairs {
            for snapshot in self.0 {
                if snapshot.keyword().has_phrase(&phrase)? {
                    return Ok(words);
                }
            }
        }
        Ok(Vec::new())
    }

    /// A word as it is written in the best parent chunks that have it, most like the typed one: indexed words have lost
    /// their endings.
    pub(super) fn as_written(&self, word: &str, typed: &str) -> Result<String> {
        let mut forms: Vec<String> = Vec::new();
        for snapshot in self.0 {
            let best = |field, most| {
                snapshot.keyword().search(&[(field, word.to_owned(), 1.0)], None, &Scope::Everything, most)
            };
            let found = best(KeywordField::Content, MOST_READ)?.into_iter().chain(best(KeywordField::Titles, 1)?);
            let ids: Vec<ChunkId> = found.map(|hit| hit.chunk_id).collect();
            for chunk in snapshot.keyword().parent_chunks(&ids)? {
                let text = format!("{}\n{}", chunk.content, chunk.titles);
                let own = tokenize(&text).into_iter().filter(|token| token.text == word);
                forms.extend(own.map(|token| text[token.start..token.end].to_lowercase()));
            }
        }
        forms.sort();
        let nearest =
            forms.into_iter().max_by(|a, b| strsim::jaro_winkler(a, typed).total_cmp(&strsim::jaro_winkler(b, typed)));
        Ok(nearest.unwrap_or_else(|| word.to_owned()))
    }
}

/// All forms that differ from a word by one letter: one too many, one too few, another one, or two swapped.
fn one_letter_away(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let text = |parts: [&[char]; 3]| parts.concat().into_iter().collect::<String>();
    let mut forms = Vec::with_capacity(chars.len() * 54 + 26);
    for at in 0..=chars.len() {
        let (before, after) = chars.split_at(at);
        forms.extend(('a'..='z').map(|letter| text([before, &[letter], after])));
        let Some((first, rest)) = after.split_first() else { continue };
        forms.push(text([before, &[], rest]));
        forms.extend(('a'..='z').filter(|letter| letter != first).map(|letter| text([before, &[letter], rest])));
        if let Some((second, rest)) = rest.split_first() {
            forms.push(text([before, &[*second, *first], rest]));
        }
    }
    forms
}

/// How likely a word was meant: how much it is like the typed or the indexed form (Jaro-Winkler), and a little how
/// frequent it is. `limt` is `limit`, however frequent `list` is.
fn likely(forms: [&str; 2], word: &str, count: u64) -> f64 {
    let alike = forms.map(|form| strsim::jaro_winkler(form, word));
    alike[0].max(alike[1]) + (FREQUENCY_WEIGHT * (count.max(1) as f64).ln()).min(MOST_BY_FREQUENCY)
}

/// How many letters of a word are wrong, counted from the typed form, or from the indexed form plus one; `None` if they
/// are too many for its length.
fn distance(typed: &str, indexed: &str, word: &str) -> Option<usize> {
    if !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let length = word.chars().count();
    // The ending that the index leaves out may be wrong too.
    [(typed, 0), (indexed, 1)]
        .into_iter()
        .filter_map(|(form, more)| {
            let own = form.chars().count();
            let most = match own {
                ..SHORTEST => 0,
                SHORTEST..LONG => 1,
                LONG.. => 2,
            };
            if own.abs_diff(length) > most {
                return None;
            }
            let wrong = strsim::osa_distance(form, word);
            (wrong > 0 && wrong <= most).then_some(wrong + more)
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelier_word_is_not_always_the_more_frequent() {
        let likelier = |typed: [&str; 2], word: (&str, u64), other: (&str, u64)| {
            likely(typed, word.0, word.1) > likely(typed, other.0, other.1)
        };
        assert!(likelier(["limt", "limt"], ("limit", 3), ("list", 30)));
        assert!(likelier(["berln", "berln"], ("berlin", 3), ("ber", 30)));
        assert!(likelier(["presure", "presur"], ("pressur", 20), ("presurc", 1)), "a slip of the scanner");
    }

    #[test]
    fn a_few_letters_may_be_wrong_in_a_long_word() {
        assert_eq!(distance("primming", "prim", "prime"), Some(2));
        assert_eq!(distance("presure", "presur", "pressur"), Some(2));
        assert_eq!(distance("pupm", "pupm", "pump"), Some(1), "two letters swapped");
        assert_eq!(distance("pump", "pump", "damp"), None);
        assert_eq!(distance("pip", "pip", "pipe"), None, "too short to be misspelt");
        assert_eq!(distance("prim", "prim", "pri2"), None);
        let away = one_letter_away("bearngs");
        assert!(away.contains(&"bearings".to_owned()) && away.contains(&"beargns".to_owned()));
        assert!(away.contains(&"bearns".to_owned()) && away.contains(&"rearngs".to_owned()));
        assert!(!away.contains(&"bearngs".to_owned()));
    }
}

//! Synonyms of what a question names: what an abbreviation stands for, the abbreviation of a name, a name written as
//! one word, a number as Chinese texts also write it, the long form of a Chinese word, and the synonyms that the user
//! lists. They are searched for in addition to the question's own words, and count less.
//!
//! Documents define them (`knowledge::names`), and the keyword index finds them by name, so that a question costs a few
//! look-ups whatever the size of the store.

use std::collections::HashMap;
use std::ops::Range;

use super::chinese_numbers::other_numerals;
use super::joined_words::{JoinedWords, joined_words, runs};
use super::retrievers::parent_chunks_with;
use super::short_forms::short_forms;
use super::understand::{KeywordTerms, is_in_capitals, keyword_terms};
use crate::error::Result;
use crate::knowledge::names::synonyms::{MOST_OTHERS, Synonyms};
use crate::knowledge::names::{abbreviates, is_word, key};
use crate::store::{KeywordField, OtherName, Snapshot};
use crate::text::is_wide;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, TokenKind, tokenize};

/// Names are looked for in this many words of a question; a pasted log names nothing.
const MOST_TOKENS: usize = 64;
/// The most words of a name …
const MOST_WORDS: usize = 8;
/// … or characters of a script without spaces.
const MOST_CHARACTERS: usize = 16;
/// The most words of a short query, in which abbreviations may be in lower case.
const SHORT_QUERY: usize = 3;
/// The most meanings of an abbreviation; the most frequent are taken.
const MOST_MEANINGS: usize = 4;
/// The weight of another name, all its words together; a word of the question has 1 and so comes first. Several
/// meanings share it.
const NAME_WEIGHT: f32 = 0.8;
/// The weight of a synonym that the user lists.
const SYNONYM_WEIGHT: f32 = 0.9;

/// Other names for a name in the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundSynonyms {
    pub typed: String,
    pub others: Vec<String>,
    /// Whether they are guessed: neither a text nor a person says that they mean the same.
    pub is_guess: bool,
}

impl FoundSynonyms {
    pub(super) fn new(typed: &str, others: Vec<String>) -> Self {
        FoundSynonyms { typed: typed.to_owned(), others, is_guess: false }
    }

    pub(super) fn note(&self) -> String {
        let others: Vec<String> = self.others.iter().map(|other| format!("{other:?}")).collect();
        format!("{:?} was also searched for as {}", self.typed, others.join(", "))
    }
}

/// Adds other names to the terms of a question and returns them. `listed` are those that people list.
pub(super) fn add_synonyms(
    snapshots: &[&Snapshot],
    listed: [&Synonyms; 2],
    query: &str,
    terms: &mut KeywordTerms,
) -> Result<Vec<FoundSynonyms>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut meanings = add_other_names(snapshots, listed, query, terms)?;
    // Each with the weight of another name.
    let mut possible: Vec<(Range<usize>, FoundSynonyms, f32)> = Vec::new();
    for JoinedWords { written, word, range } in joined_words(query) {
        if parent_chunks_with(snapshots, &word)? > 0 {
            possible.push((range.clone(), FoundSynonyms::new(&query[range], vec![written]), NAME_WEIGHT));
        }
    }
    for (range, written) in other_numerals(query) {
        // The same number: each of its characters counts as if it were typed.
        let weight = written.chars().count() as f32;
        possible.push((range.clone(), FoundSynonyms::new(&query[range], vec![written]), weight));
    }
    for (range, others) in short_forms(snapshots, query)? {
        let weight = NAME_WEIGHT / others.len() as f32;
        let guess = FoundSynonyms { is_guess: true, ..FoundSynonyms::new(&query[range.clone()], others) };
        possible.push((range, guess, weight));
    }
    for (range, mut meaning, weight) in possible {
        if !is_named(&meanings, &range) {
            meaning.others.retain(|other| add(other, weight, terms));
            if !meaning.others.is_empty() {
                meanings.push((range, meaning));
            }
        }
    }
    meanings.sort_by_key(|(range, _)| range.start);
    Ok(meanings.into_iter().map(|(_, meaning)| meaning).collect())
}

/// Adds the names that documents define and people list for those in a question.
fn add_other_names(
    snapshots: &[&Snapshot],
    listed: [&Synonyms; 2],
    query: &str,
    terms: &mut KeywordTerms,
) -> Result<Vec<(Range<usize>, FoundSynonyms)>> {
    let names = names(query);
    let keys: Vec<String> = names.iter().map(|name| name.key.clone()).collect();
    let mut defined: HashMap<String, Vec<OtherName>> = HashMap::new();
    for snapshot in snapshots {
        for (key, others) in snapshot.keyword().other_names(&keys)? {
            defined.entry(key).or_default().extend(others);
        }
    }
    // In a longer query, "two" does not mean the abbreviation TWO.
    let is_sentence = query.split_whitespace().count() > SHORT_QUERY;
    let mut meanings: Vec<(Range<usize>, FoundSynonyms)> = Vec::new();
    for PossibleName { key, range } in names {
        if is_named(&meanings, &range) {
            continue;
        }
        let mut defined_names = defined.remove(&key).map(most_frequent).unwrap_or_default();
        let typed = &query[range.clone()];
        if is_sentence && typed.chars().all(|c| c.is_ascii_lowercase()) {
            defined_names.retain(|name| !abbreviates(typed, name));
        }
        let weight = NAME_WEIGHT / defined_names.len().max(1) as f32;
        let listed = listed.iter().flat_map(|list| list.of(&key)).take(MOST_OTHERS);
        let mut weighted: Vec<(String, f32)> = listed.map(|name| (name.clone(), SYNONYM_WEIGHT)).collect();
        weighted.extend(defined_names.into_iter().map(|name| (name, weight)));
        let others: Vec<String> =
            weighted.into_iter().filter_map(|(name, w)| add(&name, w, terms).then_some(name)).collect();
        if !others.is_empty() {
            meanings.push((range.clone(), FoundSynonyms::new(&query[range], others)));
        }
    }
    Ok(meanings)
}

/// Whether a place belongs to a name that has a meaning: a part of a longer name means that name.
fn is_named(meanings: &[(Range<usize>, FoundSynonyms)], range: &Range<usize>) -> bool {
    meanings.iter().any(|(longer, _)| overlap(longer, range))
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The question for the model, with the listed names appended: an abbreviation means little to a model.
pub(super) fn written_out(query: &str, lists: [&Synonyms; 2]) -> String {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for PossibleName { key, range } in names(query) {
        let listed: Vec<&String> = lists.iter().flat_map(|list| list.of(&key)).collect();
        if listed.is_empty() || found.iter().any(|longer| overlap(longer, &range)) {
            continue;
        }
        found.push(range);
        for other in listed.into_iter().take(MOST_OTHERS).filter(|other| same_script(query, other)) {
            if !others.contains(&other.as_str()) {
                others.push(other);
            }
        }
    }
    if others.is_empty() { query.to_owned() } else { format!("{query} ({})", others.join(", ")) }
}

/// Whether both are written with spaces between words, or both without: a model is asked in one language.
fn same_script(query: &str, name: &str) -> bool {
    let wide = |text: &str| text.chars().any(is_wide);
    wide(query) == wide(name)
}

/// Adds the words of a name that the question lacks; returns whether there were any.
fn add(name: &str, weight: f32, terms: &mut KeywordTerms) -> bool {
    let known = terms.len();
    let own = keyword_terms(name, &[]);
    let whole: f32 = own.iter().filter(|(field, ..)| *field == KeywordField::Content).map(|(.., weight)| weight).sum();
    for (field, text, share) in own {
        if !terms.iter().any(|(other, word, _)| *other == field && *word == text) {
            terms.push((field, text, weight * share / whole.max(1.0)));
        }
    }
    terms.len() > known
}

/// The meanings in the most chunks, each once.
fn most_frequent(others: Vec<OtherName>) -> Vec<String> {
    let mut meanings: Vec<(String, OtherName)> = Vec::new();
    for other in others {
        let Some(own) = key(&other.name) else { continue };
        match meanings.iter_mut().find(|(known, _)| *known == own) {
            Some((_, known)) => known.parent_chunks += other.parent_chunks,
            None => meanings.push((own, other)),
        }
    }
    meanings.sort_by(|(a, one), (b, other)| other.parent_chunks.cmp(&one.parent_chunks).then_with(|| a.cmp(b)));
    meanings.into_iter().take(MOST_MEANINGS).map(|(_, other)| other.name).collect()
}

/// A possible name in a question.
#[derive(Debug, PartialEq)]
struct PossibleName {
    key: String,
    range: Range<usize>,
}

/// The possible names in a question: its words and words that stand together, the longest first.
fn names(query: &str) -> Vec<PossibleName> {
    let tokens: Vec<Token> =
        tokenize(query).into_iter().filter(|token| is_word(token.kind)).take(MOST_TOKENS).collect();
    let in_capitals = is_in_capitals(query) && tokens.len() > 1;
    let most = |first: &Token| if first.kind == TokenKind::Single { MOST_CHARACTERS } else { MOST_WORDS };
    let goes_on = |a: &Token, b: &Token| query[a.end..b.start].trim_matches([' ', '-', '&', '\u{a0}']).is_empty();
    let named = |run: &[Token]| {
        let range = run[0].start..run[run.len() - 1].end;
        let typed = &query[range.clone()];
        // "WHO" may be a name, "who" is not.
        let telling = run.iter().any(|token| !is_stopword(&token.text))
            || (run.len() == 1 && !in_capitals && !typed.chars().any(char::is_lowercase));
        let key = key(typed).filter(|_| telling)?;
        Some(PossibleName { key, range })
    };
    runs(&tokens, most, goes_on).into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(query: &str) -> Vec<&str> {
        names(query).into_iter().map(|name| &query[name.range]).collect()
    }

    #[test]
    fn names_are_words_that_stand_together_the_longest_first() {
        assert_eq!(typed("prime pump, E-417"), ["prime pump", "prime", "pump", "E-417"]);
        assert_eq!(typed("水泵压力"), ["水泵压力", "水泵压", "泵压力", "水泵", "泵压", "压力"]);
        assert_eq!(typed("who is it"), [""; 0]);
        assert_eq!(typed("what is WHO"), ["WHO"]);
        assert_eq!(typed("WHO IS IT"), [""; 0]);
    }

    #[test]
    fn an_abbreviation_in_a_chinese_question_is_a_name() {
        let has = |query: &str, name: &str| names(query).iter().any(|one| &query[one.range.clone()] == name);
        assert!(has("UPS要撑多久", "UPS") && has("谁管IT", "IT"));
        assert!(!has("UPS WHO", "WHO"), "all is in capitals");
    }

    #[test]
    fn the_model_reads_what_listed_names_stand_for() {
        let synonyms = Synonyms::parse("R&D, research and development, 研发\ncapex => purchases of equipment").unwrap();
        assert_eq!(
            written_out("R&D and capex in 2022", [&synonyms, &Synonyms::default()]),
            "R&D and capex in 2022 (research and development, purchases of equipment)"
        );
        assert_eq!(written_out("how to prime a pump", [&Synonyms::default(), &synonyms]), "how to prime a pump");
    }

    #[test]
    fn a_very_long_question_is_read_in_part() {
        let query: String = (0..10_000).map(|i| format!("w{i}x 水")).collect();
        assert!(names(&query).len() <= MOST_TOKENS * MOST_CHARACTERS);
    }

    #[test]
    fn the_most_frequent_meanings_are_taken_once() {
        let other = |name: &str, parent_chunks| OtherName { name: name.into(), parent_chunks };
        let others = vec![
            other("Disk Operating System", 1),
            other("denial of service", 2),
            other("Denial of Services", 3),
            other("a b", 1),
            other("c d", 1),
            other("e f", 1),
        ];
        assert_eq!(most_frequent(others), ["denial of service", "a b", "c d", "Disk Operating System"]);
    }

    #[test]
    fn words_of_the_question_keep_their_weight() {
        let mut terms = keyword_terms("TDO transport", &[]);
        let before = terms.clone();
        assert!(add("Transport Disconnect Order", 0.9, &mut terms));
        assert_eq!(terms[..before.len()], before);
        let added: Vec<(&str, f32)> = terms[before.len()..]
            .iter()
            .step_by(3)
            .map(|(_, text, weight)| (text.as_str(), (weight * 1e3).round() / 1e3))
            .collect();
        assert_eq!(added, [("disconnect", 0.3), ("order", 0.3)]);
        assert!(!add("transport", 0.5, &mut terms));
    }
}

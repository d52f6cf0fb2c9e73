//! The confidence that a parent chunk answers the question, from 0 to 1, comparable between questions and stores.
//!
//! Scores cannot say that: fused scores are relative to the candidates of one question, so that the best of a bad lot
//! has a good score. Two signals are absolute: the share of the question's words, by their rarity, that a parent chunk
//! and its titles have, and the cosine of its vector. A logistic function of both was fitted to questions half of whose
//! answers had been taken out of the corpus; `kb eval --unanswerable` measures it.

use std::collections::HashSet;
use std::time::Instant;

use super::candidate::Candidate;
use super::encoder::VectorModel;
use super::request::SearchRequest;
use super::retrievers::{KeywordRetriever, QuestionWord};
use super::spelling::Replacement;
use super::synonyms::FoundSynonyms;
use super::trace::{Trace, Traced};
use super::understand::KeywordTerms;
use crate::embed::Model;
use crate::error::Result;
use crate::store::WordsFound;
use crate::text::tokens::tokenize;

/// The weight of the cosine; the share of words has the rest.
const COSINE_WEIGHT: f32 = 0.6;
/// The worth of a guess at a word of the question: another spelling, a longer word, or a part.
const GUESSED: f32 = 0.5;
/// Slope and offset of the logistic function of both signals …
const BOTH: (f32, f32) = (16.2, -7.7);
/// … and of the share of words, if there is no vector.
const WORDS: (f32, f32) = (12.0, -5.2);
/// What is left of the confidence where a year of the question is missing, or no text has a name of the question.
const OTHER_SUBJECT: f32 = 0.5;
/// The highest confidence of an answer if it is unclear which section the question means.
pub(super) const UNCLEAR: f32 = 0.5;

/// Other words that were searched for in addition to some of the question's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alternative {
    /// The words of the question, as they are indexed.
    typed: Vec<String>,
    /// The words of each name that stands for them.
    others: Vec<Vec<String>>,
    /// The worth of such a name; the question's own words have 1.
    worth: f32,
}

impl Alternative {
    pub(super) fn synonym(synonym: &FoundSynonyms) -> Self {
        let others = synonym.others.iter().map(|name| indexed(name)).collect();
        let worth = if synonym.is_guess { GUESSED } else { 1.0 };
        Alternative { typed: indexed(&synonym.typed), others, worth }
    }

    pub(super) fn replacement(replacement: &Replacement) -> Self {
        let others = replacement.words.iter().map(|word| vec![word.clone()]).collect();
        Alternative { typed: indexed(&replacement.typed), others, worth: GUESSED }
    }
}

/// The words of a name, as they are indexed.
fn indexed(name: &str) -> Vec<String> {
    tokenize(name).into_iter().map(|token| token.text).collect()
}

/// Rates the candidates, up to `max_confidence`. Returns those that reach the request's least confidence, and the
/// others.
pub(super) fn split_by_confidence(
    request: &SearchRequest,
    max_confidence: f32,
    coverage: &Coverage,
    keyword: &KeywordRetriever<'_>,
    mut candidates: Vec<Candidate>,
    trace: &mut Trace,
) -> Result<(Vec<Candidate>, Vec<Candidate>)> {
    let start = Instant::now();
    coverage.rate(keyword, &mut candidates)?;
    candidates.iter_mut().for_each(|candidate| candidate.confidence = candidate.confidence.min(max_confidence));
    let all = candidates.len();
    let (sure, unsure): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| candidate.confidence >= request.min_confidence);
    let traced = |one: &Candidate| Traced::new(&one.chunk_id, one.namespace, one.confidence);
    trace.stage("confidence", start, all, sure.len()).list(sure.iter().map(traced));
    Ok((sure, unsure))
}

/// Measures how much of a question a parent chunk has.
pub(super) struct Coverage {
    /// The question's own words.
    words: Vec<Word>,
    /// The cosine of unrelated texts in the model of the vectors.
    unrelated: f32,
    /// Whether no text has a name of the question: another subject has the same words.
    pub lacks_name: bool,
}

struct Word {
    own: QuestionWord,
    /// Its place among the words that are searched for.
    at: usize,
    /// The places of the words of each name that stands for it, and the worth of that name.
    others: Vec<(Vec<usize>, f32)>,
}

impl Word {
    /// The question's own words among those that are searched for.
    fn all(searched: &[QuestionWord], own: &KeywordTerms, alternatives: &[Alternative]) -> Vec<Self> {
        let place = |text: &String| searched.iter().position(|word| word.text == *text);
        let others = |text: &String| {
            let with = alternatives.iter().filter(|one| one.typed.contains(text));
            with.flat_map(|one| one.others.iter().map(|name| (name.iter().filter_map(place).collect(), one.worth)))
                .collect()
        };
        let is_own = |text: &String| own.iter().any(|(_, term, _)| term == text);
        let words = searched.iter().enumerate().filter(|(_, word)| is_own(&word.text));
        words.map(|(at, word)| Word { own: word.clone(), at, others: others(&word.text) }).collect()
    }
}

/// `1998`, `2024`
pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year: u32| (1800..2100).contains(&year))
}

impl Coverage {
    /// `own` are the terms of the question itself; without keyword search there is no coverage.
    pub(super) fn new(
        keyword: &KeywordRetriever<'_>,
        own: &KeywordTerms,
        alternatives: &[Alternative],
        model: &VectorModel,
    ) -> Self {
        let unrelated = model.model().map_or(Model::embedded().unrelated, |model| model.unrelated);
        Coverage { words: Word::all(keyword.question_words(), own, alternatives), unrelated, lacks_name: false }
    }

    /// Raises the confidence of candidates to what their words and their cosine give.
    pub(super) fn rate(&self, keyword: &KeywordRetriever<'_>, candidates: &mut [Candidate]) -> Result<()> {
        let found = keyword.words_found(candidates)?;
        for candidate in candidates {
            let found = found.get(&candidate.key());
            let coverage = (!self.words.is_empty()).then(|| found.map_or(0.0, |found| self.share(found)));
            let cosine = candidate.semantic.map(|cosine| comparable(cosine, self.unrelated));
            let is_other = self.lacks_name || found.is_none_or(|found| self.lacks_year(found));
            let sure = confidence(coverage, cosine) * if is_other { OTHER_SUBJECT } else { 1.0 };
            candidate.confidence = candidate.confidence.max(sure);
        }
        Ok(())
    }

    /// Whether the question names years and none of them is in a parent chunk or in the titles above it. The same
    /// figure of another year looks like an answer in all other words. A comparison of years is answered one year at a
    /// time.
    fn lacks_year(&self, found: &WordsFound) -> bool {
        let mut years = self.words.iter().filter(|word| is_year(&word.own.text)).peekable();
        years.peek().is_some() && years.all(|word| !found.content[word.at] && !found.titles[word.at])
    }

    /// Whether a word of the question tells one of the searched parent chunks from another.
    pub(super) fn distinguishes(&self) -> bool {
        self.words.iter().any(|word| word.own.weight > 0.0)
    }

    /// The shares of the question's words, by their rarity in the searched documents, that are in a parent chunk or in
    /// the titles above it, and that are in the titles.
    pub(super) fn shares(&self, found: &WordsFound) -> [f32; 2] {
        let weight = |word: &QuestionWord| word.weight;
        let anywhere = self.share_by(weight, |at| found.content[at] || found.titles[at]);
        [anywhere, self.share_by(weight, |at| found.titles[at])]
    }

    /// The share of the question's words, by their rarity in the searched documents, that are in a text. `searched` are
    /// the words that are searched for.
    pub(super) fn share_of(&self, searched: &[QuestionWord], text: &str) -> f32 {
        let there: HashSet<String> = indexed(text).into_iter().collect();
        self.share_by(|word| word.weight, |at| there.contains(&searched[at].text))
    }

    /// The share of the question's words, by their rarity in all documents, that are in a parent chunk or in the titles
    /// above it.
    fn share(&self, found: &WordsFound) -> f32 {
        self.share_by(|word| word.weight_in_all, |at| found.content[at] || found.titles[at])
    }

    /// Another name of a thing counts for each word of its name in the question.
    fn share_by(&self, weight: impl Fn(&QuestionWord) -> f32, is_there: impl Fn(usize) -> bool) -> f32 {
        let of_word = |word: &Word| {
            let of_name = |(name, worth): &(Vec<usize>, f32)| {
                let there = name.iter().filter(|at| is_there(**at)).count();
                worth * there as f32 / name.len().max(1) as f32
            };
            if is_there(word.at) { 1.0 } else { word.others.iter().map(of_name).fold(0.0, f32::max) }
        };
        let all: f32 = self.words.iter().map(|word| weight(&word.own)).sum();
        let there: f32 = self.words.iter().map(|word| weight(&word.own) * of_word(word)).sum();
        if all > 0.0 { there / all } else { 0.0 }
    }
}

/// Converts a cosine to the scale of the embedded model. Two points fix a scale: the cosine of unrelated texts, and 1
/// for equal ones.
fn comparable(cosine: f32, unrelated: f32) -> f32 {
    let own = Model::embedded().unrelated;
    1.0 - (1.0 - cosine) * (1.0 - own) / (1.0 - unrelated).max(f32::EPSILON)
}

/// The confidence for a share of the question's words, `None` without keyword search, and a cosine, `None` without a
/// vector.
pub(super) fn confidence(coverage: Option<f32>, cosine: Option<f32>) -> f32 {
    let ((slope, offset), signal) = match (coverage, cosine) {
        (Some(coverage), Some(cosine)) => (BOTH, (1.0 - COSINE_WEIGHT) * coverage + COSINE_WEIGHT * cosine),
        (None, Some(cosine)) => (BOTH, cosine),
        (coverage, None) => (WORDS, coverage.unwrap_or_default()),
    };
    logistic(slope * signal + offset)
}

pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::KeywordField;
    use proptest::prelude::*;

    /// A question of `words`, and which of them a parent chunk has whose words are `text`.
    fn found(words: &[(&str, f32)], alternatives: &[Alternative], text: &[&str]) -> (Coverage, WordsFound) {
        let others = alternatives.iter().flat_map(|one| one.others.iter().flatten());
        let searched =
            words.iter().map(|(text, weight)| (*text, *weight)).chain(others.map(|text| (text.as_str(), 1.0)));
        let word = |(text, weight): (&str, f32)| QuestionWord { text: text.to_owned(), weight, weight_in_all: weight };
        let searched: Vec<QuestionWord> = searched.map(word).collect();
        let own = words.iter().map(|(text, weight)| (KeywordField::Content, (*text).to_owned(), *weight)).collect();
        let content = searched.iter().map(|word| text.contains(&word.text.as_str())).collect();
        let titles = vec![false; searched.len()];
        let words = Word::all(&searched, &own, alternatives);
        (Coverage { words, unrelated: 0.0, lacks_name: false }, WordsFound { chunk_id: "d:0".into(), content, titles })
    }

    fn share(words: &[(&str, f32)], alternatives: &[Alternative], text: &[&str]) -> f32 {
        let (coverage, found) = found(words, alternatives, text);
        coverage.share(&found)
    }

    #[test]
    fn a_year_of_the_question_must_be_there() {
        let one = [("revenue", 1.0), ("2024", 1.0), ("4132", 1.0)];
        // A comparison of years needs one of them.
        let two = [("revenue", 1.0), ("1998", 1.0), ("2024", 1.0)];
        for (words, text, lacks) in [
            (&one, &["revenue", "2024"][..], false),
            (&one, &["revenue", "4132"], true),
            (&two, &["revenue", "1998"], false),
            (&two, &["revenue", "2024"], false),
            (&two, &["revenue"], true),
        ] {
            let (coverage, found) = found(words, &[], text);
            assert_eq!(coverage.lacks_year(&found), lacks, "{text:?}");
        }
        for (word, year) in
            [("2024", true), ("1998", true), ("1066", false), ("4132", false), ("24", false), ("20l4", false)]
        {
            assert_eq!(is_year(word), year, "{word}");
        }
    }

    #[test]
    fn rare_words_count_more() {
        let words = [("pump", 1.0), ("okapi", 3.0)];
        assert_eq!([share(&words, &[], &["pump"]), share(&words, &[], &["okapi"])], [0.25, 0.75]);
        assert_eq!(share(&[], &[], &[]), 0.0);
    }

    #[test]
    fn a_synonym_is_worth_as_much_as_the_word_and_a_replacement_half() {
        let words = [("tdo", 1.0), ("bearng", 1.0)];
        let synonym = FoundSynonyms::new("TDO", vec!["transport disconnect".to_owned()]);
        let replacement = Replacement {
            typed: "bearng".to_owned(),
            missing: true,
            words: vec!["bear".to_owned(), "borne".to_owned()],
            ..Replacement::default()
        };
        let others = [Alternative::synonym(&synonym), Alternative::replacement(&replacement)];
        let name = &others[0].others[0];
        let (first, second) = (name[0].as_str(), name[1].as_str());
        assert_eq!(share(&words, &others, &[first, second]), 0.5);
        assert_eq!(share(&words, &others, &[first]), 0.25, "half of the name");
        assert_eq!(share(&words, &others, &["borne"]), 0.25);
        assert_eq!(share(&words, &others, &["tdo", first, "bear"]), 0.75, "a word counts once");
        let (coverage, found) = found(&words, &others, &[first, second]);
        assert_eq!(coverage.shares(&found), [0.5, 0.0], "when reranking too");
        assert!(coverage.distinguishes());
    }

    #[test]
    fn a_text_has_a_share_of_the_question() {
        let word =
            |text: &str, weight: f32| QuestionWord { text: indexed(text).remove(0), weight, weight_in_all: weight };
        let searched = [word("inventories", 3.0), word("turnover", 1.0)];
        let own: KeywordTerms =
            searched.iter().map(|word| (KeywordField::Content, word.text.clone(), word.weight)).collect();
        let words = Word::all(&searched, &own, &[]);
        let coverage = Coverage { words, unrelated: 0.0, lacks_name: false };
        assert_eq!(coverage.share_of(&searched, "Inventories, net"), 0.75);
        assert_eq!(coverage.share_of(&searched, ""), 0.0);
    }

    #[test]
    fn cosines_of_other_models_are_converted() {
        let own = Model::embedded().unrelated;
        assert!((comparable(0.5, own) - 0.5).abs() < 1e-6);
        assert!((comparable(0.6, 0.6) - own).abs() < 1e-6 && comparable(1.0, 0.6) == 1.0);
        assert!(comparable(0.7, 0.6) < 0.34, "what is hardly nearer than anything is no answer");
        assert!(comparable(0.9, 1.0) < 0.0, "a model that calls everything the same tells nothing");
    }

    #[test]
    fn a_chunk_without_words_of_the_question_has_little_confidence() {
        assert!(confidence(Some(0.0), None) < 0.01 && confidence(Some(0.0), Some(0.2)) < 0.01);
        assert!(confidence(Some(1.0), None) > 0.99 && confidence(Some(1.0), Some(0.7)) > 0.99);
        let paraphrased = confidence(Some(0.1), Some(0.65));
        assert!((0.3..0.9).contains(&paraphrased), "near in meaning, in other words: {paraphrased}");
    }

    proptest! {
        #[test]
        fn more_of_a_signal_never_lowers_the_confidence(
            coverage in 0.0f32..=1.0, cosine in -1.0f32..=1.0, more in 0.0f32..=0.5,
        ) {
            let (words, more_words) = (Some(coverage), Some((coverage + more).min(1.0)));
            let before = confidence(words, Some(cosine));
            prop_assert!((0.0..=1.0).contains(&before));
            prop_assert!(confidence(more_words, Some(cosine)) >= before);
            prop_assert!(confidence(words, Some(cosine + more)) >= before);
            prop_assert!(confidence(more_words, None) >= confidence(words, None));
        }
    }
}

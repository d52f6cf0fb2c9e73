//! Which retrievers serve a question, and its keyword terms.

use std::collections::HashSet;

use super::words::ranges_of_asking_words;
use crate::search::request::{Fusion, Kind, Method, OtherWords, SearchRequest};
use crate::store::KeywordField;
use crate::text::han::in_simplified;
use crate::text::is_wide;
use crate::text::stopwords::{is_stopword, spans_words};
use crate::text::tokens::{Token, TokenKind, tokenize};

/// The operators of other search languages.
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];

/// The weight of a word in the situating sentence; in the text it has 1.
const SITUATING_WEIGHT: f32 = 0.3;
/// A Han character alone says less than a pair of them, and so does a pair with a function word in it.
const SINGLE_WEIGHT: f32 = 0.3;
/// The weight of a part of an identifier.
const PART_WEIGHT: f32 = 0.6;
/// The weight of a whole identifier: a parent chunk that has it comes before those that have its parts, however often.
const IDENTIFIER_WEIGHT: f32 = 2.0;
/// A question may be long (a pasted log); more different terms than this do not make it clearer.
const MOST_TERMS: usize = 256;
/// Below the first coverage by the model's languages semantic search does not run; from the second on it has full
/// weight.
const COVERAGE_FROM: f32 = 0.5;
const COVERAGE_FULL: f32 = 0.8;
/// Semantic search's weight in a question that its model covers.
const SEMANTIC_WEIGHT: f32 = 0.7;

/// Weighted keyword terms.
pub type KeywordTerms = Vec<(KeywordField, String, f32)>;

/// How a question is served. The weights add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Route {
    pub keyword: f32,
    pub semantic: f32,
    /// The share of the question's words that the model's languages cover, from 0 to 1.
    pub coverage: f32,
    /// Whether reranking by words can help; for a lookup the name itself decides.
    pub rerank: bool,
    /// Why the retrievers have these weights.
    pub why: &'static str,
}

impl Route {
    /// Chooses the route for a question; `coverage` is the share of its words that the model covers.
    pub fn choose(kind: Kind, request: &SearchRequest, coverage: f32) -> Self {
        let (semantic, why) = match (request.weights, request.method) {
            (Some(weights), _) => (weights.semantic, "as asked"),
            (None, Method::Keyword) => (0.0, "keyword search was asked for"),
            (None, Method::Semantic) => (1.0, "semantic search was asked for"),
            // A code means nothing to the model, and a phrase is found by its words: text near in meaning is not what
            // was asked for. The model need not even be loaded.
            (None, Method::Auto) if kind == Kind::Lookup => (0.0, "a lookup by name is left to keywords"),
            (None, Method::Hybrid | Method::Auto) => {
                let share = trusted(coverage);
                (SEMANTIC_WEIGHT * share, by_language(share))
            }
        };
        let rerank = !matches!(kind, Kind::Lookup | Kind::Structure);
        Route { keyword: 1.0 - semantic, semantic, coverage, rerank, why }
    }

    /// The same with keyword search alone.
    pub(in crate::search) fn keyword_only(self) -> Self {
        Route { keyword: 1.0, semantic: 0.0, ..self }
    }

    /// Adjusts the route to how well the model could read the question, from 0 to 1: before, only its script was known.
    /// Requested weights and single methods stay.
    pub(in crate::search) fn as_read(self, share: f32, request: &SearchRequest) -> Self {
        let by_language_only = matches!(request.method, Method::Hybrid | Method::Auto) && request.weights.is_none();
        if !by_language_only || self.semantic <= 0.0 || share >= self.coverage {
            return self;
        }
        let trusted = trusted(share);
        let semantic = SEMANTIC_WEIGHT * trusted;
        Route { keyword: 1.0 - semantic, semantic, coverage: share, why: by_language(trusted), ..self }
    }

    /// Whether the model knows enough of the question's words to be asked.
    pub(in crate::search) fn model_knows(&self) -> bool {
        self.coverage >= COVERAGE_FROM
    }

    /// The route in words, for the trace.
    pub(super) fn in_words(&self, request: &SearchRequest) -> Vec<String> {
        let fusion = match request.fusion {
            Fusion::Weighted => "scores".to_owned(),
            Fusion::Rrf(k) => format!("ranks, k {k}"),
        };
        let words = match request.expand.words {
            OtherWords::Off => "as typed",
            OtherWords::Missing => "matches instead of unknown words",
            OtherWords::All => "matches for all words",
        };
        let wordings = if request.expand.wordings.any() { ", and the language model's wordings" } else { "" };
        vec![
            format!("weights: keyword {:.2}, semantic {:.2}: {}", self.keyword, self.semantic, self.why),
            format!("fused by {fusion}; pool {}; words: {words}{wordings}", request.pool),
        ]
    }

    /// The method that the weights amount to.
    pub fn method(&self) -> Method {
        if self.semantic <= 0.0 {
            Method::Keyword
        } else if self.keyword <= 0.0 {
            Method::Semantic
        } else {
            Method::Hybrid
        }
    }
}

/// The weighted terms of a question for all keyword fields: each once, without function words unless there is nothing
/// else.
pub fn keyword_terms(query: &str, identifiers: &[String]) -> KeywordTerms {
    // The lists of words are in simplified characters.
    let query = &in_simplified(query);
    let asking = ranges_of_asking_words(query);
    let mut words: Vec<(String, f32)> = Vec::new();
    let (mut abbreviated, mut telling, mut has_word) = (HashSet::new(), HashSet::new(), false);
    let in_capitals = is_in_capitals(query);
    let mut function_word = 0..0;
    for token in tokenize(query) {
        // The parts of `won't` are not words.
        if token.kind == TokenKind::Whole && is_stopword(&token.text) {
            function_word = token.start..token.end;
        }
        if token.kind == TokenKind::Part && function_word.contains(&token.start) {
            continue;
        }
        let typed = &query[token.start..token.end];
        let weight = term_weight(&token, typed, identifiers);
        // `UPS` is indexed like `up`, and `WHO` is no question word, unless all is in capitals.
        if !in_capitals && is_abbreviation(typed) {
            abbreviated.insert(token.text.clone());
        }
        // What shares a character with 什么 or 请告诉我 says nothing about the subject.
        let next = asking.get(asking.partition_point(|range| range.end <= token.start));
        if next.is_none_or(|range| range.start >= token.end) {
            has_word |= token.kind != TokenKind::Single && !is_stopword(&token.text);
            telling.insert(token.text.clone());
        }
        match words.iter().position(|(text, _)| *text == token.text) {
            Some(known) => words[known].1 = words[known].1.max(weight),
            None if words.len() < MOST_TERMS => words.push((token.text, weight)),
            None => {}
        }
    }
    // Single characters alone would find too much: then all pairs stay.
    let is_kept = |text: &str| !has_word || telling.contains(text);
    let is_telling = |text: &str| is_kept(text) && (!is_stopword(text) || abbreviated.contains(text));
    if words.iter().any(|(text, _)| is_telling(text)) {
        words.retain(|(text, _)| is_telling(text));
    }
    words.into_iter().flat_map(|(text, weight)| in_all_fields(text, weight)).collect()
}

fn term_weight(token: &Token, typed: &str, identifiers: &[String]) -> f32 {
    match token.kind {
        TokenKind::Word | TokenKind::Whole if identifiers.iter().any(|name| name == typed) => IDENTIFIER_WEIGHT,
        TokenKind::Single => SINGLE_WEIGHT,
        TokenKind::Bigram if spans_words(&token.text) => SINGLE_WEIGHT,
        TokenKind::Part => PART_WEIGHT,
        TokenKind::Word | TokenKind::Whole | TokenKind::Bigram => 1.0,
    }
}

fn is_abbreviation(typed: &str) -> bool {
    typed.len() > 1 && !OPERATORS.contains(&typed) && typed.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether the whole question is in capitals, so that a word in capitals is no abbreviation.
pub(in crate::search) fn is_in_capitals(query: &str) -> bool {
    !query.chars().any(|c| c.is_lowercase() || is_wide(c))
}

/// A word with its weights in text, titles and the situating sentence. Titles still gain, because BM25 divides by the
/// length of each field.
pub(in crate::search) fn in_all_fields(text: String, weight: f32) -> [(KeywordField, String, f32); 3] {
    [
        (KeywordField::Content, text.clone(), weight),
        (KeywordField::Titles, text.clone(), weight),
        (KeywordField::Situating, text, weight * SITUATING_WEIGHT),
    ]
}

/// How far vectors are trusted, from 0 to 1, if the model reads this share of a text.
fn trusted(coverage: f32) -> f32 {
    ((coverage - COVERAGE_FROM) / (COVERAGE_FULL - COVERAGE_FROM)).clamp(0.0, 1.0)
}

fn by_language(trusted: f32) -> &'static str {
    if trusted <= 0.0 {
        "the model cannot read the question's language"
    } else if trusted < 1.0 {
        "the model knows a part of the question's words"
    } else {
        "the model knows the question's language"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        let terms = keyword_terms(query, &[]).into_iter().filter(|(field, ..)| *field == KeywordField::Content);
        terms.map(|(_, text, _)| text).collect()
    }

    #[test]
    fn function_words_are_left_out_unless_there_is_nothing_else() {
        assert_eq!(words("How do I prime the pump?"), ["prime", "pump"]);
        assert_eq!(words("Why won't the pump start?"), ["pump", "start"]);
        assert_eq!(words("what is this"), ["what", "is", "this"]);
        assert_eq!(words("UPS capacity"), ["up", "capac"]);
        assert!(words("UPS能撑多久").contains(&"up".to_owned()));
        assert_eq!(words("WHAT IS THE CAPACITY"), ["capac"]);
        assert_eq!(words("pump AND valve"), ["pump", "valv"]);
    }

    #[test]
    fn pairs_of_characters_that_ask_are_left_out_and_those_with_a_function_word_count_less() {
        assert_eq!(words("partman是干什么用的？"), ["partman"]);
        assert_eq!(words("請告訴我水泵是什麼"), ["水", "水泵", "泵"]);
        let terms = keyword_terms("水泵的压力", &[]);
        let weight = |word: &str| terms.iter().find(|(_, text, _)| text == word).map(|(.., weight)| *weight);
        assert_eq!([weight("水泵"), weight("泵的"), weight("的")], [Some(1.0), Some(SINGLE_WEIGHT), None]);
        assert_eq!(words("什么"), ["什", "什么", "么"], "there is nothing else");
        assert_eq!(words("水是什么"), ["水", "水是"], "a single character alone finds too much");
    }

    #[test]
    fn words_that_ask_are_not_seen_across_two_others() {
        for (query, pairs) in [
            ("申请问题", &["申请", "请问", "问题"][..]),
            ("统一下发", &["统一", "一下", "下发"][..]),
            ("许可以及备案", &["许可", "可以", "以及"][..]),
            ("达到底部", &["达到", "到底", "底部"][..]),
            ("必需要素", &["必需", "需要", "要素"][..]),
            ("邀请问卷", &["邀请", "请问", "问卷"][..]),
        ] {
            let words = words(query);
            assert!(pairs.iter().all(|pair| words.iter().any(|word| word == pair)), "{query}: {words:?}");
        }
        for (query, pair) in [("帮我找umask", "帮我"), ("umask，请问怎么用", "请问"), ("partman是干什么用的", "是干")]
        {
            assert!(!words(query).iter().any(|word| word == pair), "{query}");
        }
    }

    #[test]
    fn a_lookup_uses_keywords_unless_a_method_is_requested() {
        let route = |kind, method| {
            let request = SearchRequest { method, ..SearchRequest::new("E-417") };
            Route::choose(kind, &request, 1.0).method()
        };
        assert_eq!(route(Kind::Lookup, Method::Auto), Method::Keyword);
        assert_eq!(route(Kind::Lookup, Method::Hybrid), Method::Hybrid);
        assert_eq!(route(Kind::Concept, Method::Auto), Method::Hybrid);
    }

    #[test]
    fn an_identifier_weighs_more_than_its_parts_and_a_compound() {
        let identifiers = ["E-417".to_owned(), "E12".to_owned()];
        let terms = keyword_terms("E-417 in a well-known pump，E12是什么报警", &identifiers);
        let weight = |word: &str| terms.iter().find(|(_, text, _)| text == word).map(|(.., weight)| *weight);
        let weights = ["e-417", "e12", "417", "well-known"].map(weight);
        assert_eq!(weights, [Some(IDENTIFIER_WEIGHT), Some(IDENTIFIER_WEIGHT), Some(PART_WEIGHT), Some(1.0)]);
    }

    #[test]
    fn a_question_that_the_model_cannot_read_uses_keywords() {
        let request = SearchRequest::new("wat een onzin");
        let route = Route::choose(Kind::Concept, &request, 1.0);
        assert_eq!(route.as_read(0.9, &request).semantic, SEMANTIC_WEIGHT);
        assert!(route.as_read(0.65, &request).semantic < SEMANTIC_WEIGHT);
        assert_eq!(route.as_read(0.2, &request).method(), Method::Keyword);
        let asked = SearchRequest { method: Method::Semantic, ..request };
        let route = Route::choose(Kind::Concept, &asked, 1.0);
        assert_eq!(route.as_read(0.2, &asked).semantic, 1.0);
    }

    #[test]
    fn a_very_long_question_has_a_bounded_number_of_terms() {
        let query: String = (0..10_000).map(|i| format!("w{i}x ")).collect();
        assert!(keyword_terms(&query, &[]).len() <= MOST_TERMS * 3);
    }
}

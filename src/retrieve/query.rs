//! What a question asks for: its keyword terms, and which arms can serve it.

use serde::Serialize;

use super::Method;
use crate::embed::Model;
use crate::store::KeywordField;
use crate::text::script::coverage;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// Titles say in few words what a passage is about; a match there counts this much of one in the text. Measured on
/// the development sets (`ARCHITECTURE.md`).
const CONTEXT_WEIGHT: f32 = 0.3;
/// A Han character alone says less than a pair of them.
const SINGLE_WEIGHT: f32 = 0.3;
/// The parts of an identifier beside the whole of it.
const PART_WEIGHT: f32 = 0.6;
/// A question may be long (a pasted log); more different terms than this do not make it clearer.
const MOST_TERMS: usize = 256;
/// Below this coverage by the model's languages the semantic arm is not asked, above the other it has full weight.
const COVERAGE_FROM: f32 = 0.5;
const COVERAGE_FULL: f32 = 0.8;
/// The semantic arm's weight in a question that its model covers.
const SEMANTIC_WEIGHT: f32 = 0.6;

/// Which arms are used, with which weights. The weights add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Route {
    /// Of the keyword arm.
    pub keyword: f32,
    /// Of the semantic arm.
    pub semantic: f32,
    /// The share of the question's words that the model's languages cover, from 0 to 1.
    pub coverage: f32,
}

impl Route {
    /// Chooses the arms for a question.
    pub fn choose(query: &str, method: Method, model: &Model) -> Self {
        let coverage = coverage(query, model.scripts);
        let semantic = match method {
            Method::Keyword => 0.0,
            Method::Semantic => 1.0,
            Method::Hybrid | Method::Auto => {
                let share = ((coverage - COVERAGE_FROM) / (COVERAGE_FULL - COVERAGE_FROM)).clamp(0.0, 1.0);
                SEMANTIC_WEIGHT * share
            }
        };
        Route { keyword: 1.0 - semantic, semantic, coverage }
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

/// The weighted terms of a question for both keyword fields: each once, function words left out where there is
/// anything else.
pub(super) fn keyword_terms(query: &str) -> Vec<(KeywordField, String, f32)> {
    let mut words: Vec<(String, f32)> = Vec::new();
    for token in tokenize(query) {
        let weight = match token.kind {
            TokenKind::Single => SINGLE_WEIGHT,
            TokenKind::Part => PART_WEIGHT,
            TokenKind::Word | TokenKind::Whole | TokenKind::Bigram => 1.0,
        };
        match words.iter().position(|(text, _)| *text == token.text) {
            Some(known) => words[known].1 = words[known].1.max(weight),
            None if words.len() < MOST_TERMS => words.push((token.text, weight)),
            None => {}
        }
    }
    let telling: Vec<(String, f32)> = words.iter().filter(|(text, _)| !is_stopword(text)).cloned().collect();
    let words = if telling.is_empty() { words } else { telling };
    words
        .into_iter()
        .flat_map(|(text, weight)| {
            [(KeywordField::Content, text.clone(), weight), (KeywordField::Context, text, weight * CONTEXT_WEIGHT)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::MODEL;

    fn words(query: &str) -> Vec<String> {
        keyword_terms(query)
            .into_iter()
            .filter(|(field, ..)| *field == KeywordField::Content)
            .map(|(_, text, _)| text)
            .collect()
    }

    #[test]
    fn function_words_are_left_out_unless_there_is_nothing_else() {
        assert_eq!(words("How do I prime the pump?"), ["prime", "pump"]);
        assert_eq!(words("what is this"), ["what", "is", "this"]);
    }

    #[test]
    fn the_model_is_asked_only_in_its_languages() {
        let route = |query| Route::choose(query, Method::Auto, &MODEL);
        assert_eq!(route("how to prime the pump").method(), Method::Hybrid);
        assert_eq!(route("如何启动水泵？").method(), Method::Keyword);
        assert!(route("LaTeX beamer theme 颜色").semantic < SEMANTIC_WEIGHT + 0.01);
    }

    #[test]
    fn a_very_long_question_has_a_bounded_number_of_terms() {
        let query: String = (0..10_000).map(|i| format!("w{i}x ")).collect();
        assert!(keyword_terms(&query).len() <= MOST_TERMS * 2);
    }
}

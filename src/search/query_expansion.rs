//! Other wordings of a question from a language model (`expand = "llm"`, or some of `rewrite`, `hyde`, `keywords`).
//!
//! Each wording is recalled once, by the retrievers of its own route, within the same scopes. The question counts most:
//! all other wordings together count no more than it does, and chunks that only they recall get their true scores for
//! the question too. A search never fails because of the language model: a note says why it has no wordings.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;

use super::candidate::{Candidate, RetrieverScores};
use super::confidence::Coverage;
use super::encoder::wait_for;
use super::fuse::{by_route, join};
use super::note::NoteCode;
use super::request::{Kind, LlmWordings, SearchRequest};
use super::retrievers::{KeywordRetriever, semantic};
use super::searcher::StageInput;
use super::trace::{Trace, milliseconds};
use super::understand::{KeywordTerms, Question, Route, Understanding, keyword_terms};
use crate::endpoint::Failure;
use crate::error::Result;
use crate::llm::{self, Expansion};
use crate::store::Scope;

/// The weight of each wording; the question has 1.
const REWRITTEN: f32 = 0.4;
const QUERY: f32 = 0.25;
const HYPOTHETICAL: f32 = 0.3;
const WORDS: f32 = 0.2;
/// The most that all of them together weigh.
const ALL: f32 = 1.0;

#[derive(Debug, Clone, PartialEq)]
struct Wording {
    text: String,
    weight: f32,
    /// Whether it is bare words, which the embedding model understands badly.
    words_only: bool,
}

/// The different wordings of a question. Word order and function words make no difference.
fn wordings(query: &str, expansion: &Expansion, wanted: LlmWordings) -> Vec<Wording> {
    let mut known = HashSet::from([terms(query)]);
    let sentence = |text: &String, weight| Wording { text: text.clone(), weight, words_only: false };
    let whole = expansion.rewritten.iter().map(|text| sentence(text, REWRITTEN));
    let others = expansion.queries.iter().map(|text| sentence(text, QUERY));
    let rewritten = whole.chain(others).filter(|_| wanted.rewrite);
    let answer = expansion.hypothetical.iter().map(|text| sentence(text, HYPOTHETICAL)).filter(|_| wanted.hyde);
    let text = [expansion.keywords.as_slice(), &expansion.entities].concat().join(" ");
    let words = Wording { text, weight: WORDS, words_only: true };
    let is_new = |wording: &Wording| {
        let terms = terms(&wording.text);
        !terms.is_empty() && known.insert(terms)
    };
    let all = rewritten.chain(answer).chain(wanted.keywords.then_some(words));
    let mut wordings: Vec<Wording> = all.filter(is_new).collect();
    let sum: f32 = wordings.iter().map(|wording| wording.weight).sum();
    if sum > ALL {
        wordings.iter_mut().for_each(|wording| wording.weight *= ALL / sum);
    }
    wordings
}

fn terms(text: &str) -> BTreeSet<String> {
    keyword_terms(text, &[]).into_iter().map(|(_, text, _)| text).collect()
}

/// The language model's pending answer; the store opens meanwhile.
pub(super) struct PendingWordings {
    answer: tokio::task::JoinHandle<(Result<Expansion, Failure>, f64)>,
    client: Arc<llm::Client>,
}

#[derive(Default)]
pub(super) struct RankedWordings {
    /// The weight and the ranking of each wording.
    pub rankings: Vec<(f32, Vec<Candidate>)>,
    /// The kind of the question, according to the language model.
    pub kind: Option<Kind>,
}

fn without(why: &str) -> String {
    format!("searched without the language model's wordings: {why}")
}

impl PendingWordings {
    /// Asks the language model, if that is requested and useful.
    pub(super) fn request(
        client: Option<&Arc<llm::Client>>,
        question: &Question<'_>,
        trace: &mut Trace,
    ) -> Option<PendingWordings> {
        if !question.request.expand.wordings.any() {
            return None;
        }
        let Some(client) = client.cloned() else {
            trace.note(NoteCode::LanguageModelFailed, "no language model is configured: searched without its wordings");
            return None;
        };
        // A code has no other wording; a guess would be another code.
        if question.understood.kind == Kind::Lookup {
            return None;
        }
        let (own, query) = (client.clone(), question.request.query.clone());
        let answer = tokio::spawn(async move {
            let start = Instant::now();
            (llm::expand_query(&own, &query).await, milliseconds(start))
        });
        Some(PendingWordings { answer, client })
    }

    /// Waits for the answer and recalls its wordings. Never fails a search.
    pub(super) async fn recall(
        self,
        input: &StageInput<'_, '_>,
        by_vectors: bool,
        scopes: &[Scope],
        trace: &mut Trace,
    ) -> RankedWordings {
        let (start, request) = (Instant::now(), input.question.request);
        let (answer, took) = match self.answer.await {
            Ok(answered) => answered,
            Err(error) => (Err(Failure::crashed(&error.to_string())), milliseconds(start)),
        };
        let report = self.client.report();
        let expansion = match answer {
            Ok(expansion) => expansion,
            Err(failure) => {
                trace.stage("llm", start, 1, 0).note(failure.in_words()).note(report.in_words()).milliseconds = took;
                trace.note(NoteCode::LanguageModelFailed, without(&failure.in_words()));
                return RankedWordings::default();
            }
        };
        let kind = expansion.kind.as_deref().and_then(|kind| Kind::from_str(kind, true).ok());
        let wordings = wordings(&request.query, &expansion, request.expand.wordings);
        let stage = trace.stage("llm", start, 1, wordings.len());
        stage.milliseconds = took;
        let notes = wordings.iter().map(|wording| format!("{:.2}: {}", wording.weight, wording.text));
        stage.note(report.in_words()).notes(notes);
        let start = Instant::now();
        match rankings(input, by_vectors, scopes, wordings).await {
            Ok(rankings) => {
                let together = join(Vec::new(), &rankings);
                trace.stage("reworded", start, rankings.len(), together.len()).ranking(&together);
                RankedWordings { rankings, kind }
            }
            Err(error) => {
                trace.stage("reworded", start, 1, 0).note(error.to_line());
                trace.note(NoteCode::LanguageModelFailed, without(&error.to_line()));
                RankedWordings { rankings: Vec::new(), kind }
            }
        }
    }
}

/// The weight and the ranking of each wording.
async fn rankings(
    input: &StageInput<'_, '_>,
    by_vectors: bool,
    scopes: &[Scope],
    wordings: Vec<Wording>,
) -> Result<Vec<(f32, Vec<Candidate>)>> {
    let StageInput { searcher, question, snapshots } = *input;
    let (request, own_route) = (question.request, &question.route);
    let mut rankings = Vec::with_capacity(wordings.len());
    for Wording { text, weight, words_only } in wordings {
        let understood = Understanding::of_kind(&text, request.kind);
        let own = SearchRequest { query: text.clone(), ..request.clone() };
        let mut route = Route::choose(understood.kind, &own, question.model.coverage(&text));
        // Bare words are left to keyword search if the question uses it. If the question has no semantic search,
        // neither have its wordings.
        if !by_vectors || (words_only && own_route.keyword > 0.0) {
            route = route.keyword_only();
        }
        let mut scores = RetrieverScores::default();
        let terms = match route.keyword > 0.0 {
            true => keyword_terms(&text, &understood.identifiers),
            false => KeywordTerms::new(),
        };
        let keyword = KeywordRetriever::new(snapshots, terms.clone(), scopes)?;
        let coverage = Coverage::new(&keyword, &terms, &[], question.model);
        if route.keyword > 0.0 {
            scores.keyword = keyword.recall(scopes, request.pool)?;
        }
        if let Some(model) = question.model.model().filter(|_| route.semantic > 0.0) {
            let encoded = wait_for("embedding", searcher.encoder.begin(model, text)).await?;
            let recalled = semantic(snapshots, &encoded.vector, scopes, &scores.keyword, request.pool).await?;
            if recalled.no_vectors && route.keyword > 0.0 {
                route = route.keyword_only();
            }
            scores.semantic = recalled.scores;
            let rest = scores.semantic.keys().filter(|key| !scores.keyword.contains_key(*key));
            let rest = keyword.score(rest)?;
            scores.keyword.extend(rest);
        }
        let mut candidates = by_route(&route, request.fusion, &scores);
        // An answer to a wording answers the question.
        let first = request.limit.min(candidates.len());
        coverage.rate(&keyword, &mut candidates[..first])?;
        rankings.push((weight, candidates));
    }
    Ok(rankings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wording_is_recalled_once_and_all_count_no_more_than_the_question() {
        let expansion = Expansion {
            rewritten: Some("the pump, primed?".into()),
            queries: vec!["fill the pump".into(), "The pump: fill!".into(), "bleed it of air".into()],
            hypothetical: Some("Open the vent until water runs out.".into()),
            keywords: vec!["vent".into(), "priming".into()],
            entities: vec!["pump".into()],
            kind: None,
        };
        let found = wordings("is the pump primed", &expansion, LlmWordings::ALL);
        let texts = |found: &[Wording]| found.iter().map(|wording| wording.text.clone()).collect::<Vec<_>>().join("; ");
        let all = "fill the pump; bleed it of air; Open the vent until water runs out.; vent priming pump";
        assert_eq!(texts(&found), all);
        let sum: f32 = found.iter().map(|wording| wording.weight).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{found:?}");
        assert!(wordings("pump", &Expansion::default(), LlmWordings::ALL).is_empty());
        let some = wordings("is the pump primed", &expansion, LlmWordings { hyde: true, ..LlmWordings::default() });
        assert_eq!(texts(&some), "Open the vent until water runs out.");
    }
}

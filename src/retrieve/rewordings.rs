//! A question in other words, where a language model is asked for them (`--expand llm`).
//!
//! Each wording is recalled once, by the arms of its own route, within the same scopes. The question itself counts most:
//! all other wordings together count no more than it does, and what only they recall gets its true scores for the
//! question too. The model's answer is no condition of a search: where there is none, a note says why, and the rules go on.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::SearchRequest;
use super::fuse::{ArmScores, Candidate, Scores, fuse_by};
use super::query::{Route, keyword_terms, weigh_titles};
use super::recall::{KeywordArm, semantic};
use super::searched::PassageKey;
use super::settings::Expand;
use super::trace::{Trace, milliseconds};
use super::understand::{Kind, Understanding};
use super::vector_models::{Asking, QuestionVectors, VectorModels};
use crate::error::{Error, Result};
use crate::llm::{self, Expansion};
use crate::store::{LoadedVectors, Scope, Snapshot};

/// How much each wording counts beside the question, which counts 1.
const REWRITTEN: f32 = 0.4;
const QUERY: f32 = 0.25;
const HYPOTHETICAL: f32 = 0.3;
const WORDS: f32 = 0.2;
/// All of them together count no more than this.
const ALL: f32 = 1.0;

/// A question in other words.
#[derive(Debug, Clone, PartialEq)]
struct Wording {
    text: String,
    weight: f32,
    /// Words that make no sentence say little to the embedding model.
    words_only: bool,
}

/// The wordings of a question, each said once, whatever its order of words and its small words.
fn wordings(query: &str, expansion: &Expansion) -> Vec<Wording> {
    let mut known = HashSet::from([said(query)]);
    let whole = expansion.rewritten.iter().map(|text| (text.clone(), REWRITTEN, false));
    let others = expansion.queries.iter().map(|text| (text.clone(), QUERY, false));
    let passage = expansion.hypothetical.iter().map(|text| (text.clone(), HYPOTHETICAL, false));
    let words = [expansion.keywords.as_slice(), &expansion.entities].concat().join(" ");
    let all = whole.chain(others).chain(passage).chain([(words, WORDS, true)]);
    let mut wordings: Vec<Wording> = all
        .filter(|(text, ..)| {
            let said = said(text);
            !said.is_empty() && known.insert(said)
        })
        .map(|(text, weight, words_only)| Wording { text, weight, words_only })
        .collect();
    let sum: f32 = wordings.iter().map(|wording| wording.weight).sum();
    if sum > ALL {
        wordings.iter_mut().for_each(|wording| wording.weight *= ALL / sum);
    }
    wordings
}

/// The terms that a text is searched for by.
fn said(text: &str) -> Vec<String> {
    let mut terms: Vec<String> = keyword_terms(text, &[]).into_iter().map(|(_, text, _)| text).collect();
    terms.sort();
    terms.dedup();
    terms
}

/// The model of a kernel.
pub(super) struct Model {
    client: Arc<llm::Client>,
    /// The last question that it had no words for. One search may look several times, and waits for it only once.
    failed: Mutex<Option<(String, llm::Failure)>>,
}

impl Model {
    pub(super) fn new(client: Arc<llm::Client>) -> Self {
        Model { client, failed: Mutex::default() }
    }

    fn has_failed(&self, query: &str) -> Option<llm::Failure> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.as_ref().filter(|(known, _)| known == query).map(|(_, failure)| failure.clone())
    }

    fn fail(&self, query: &str, failure: &llm::Failure) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some((query.to_owned(), failure.clone()));
    }
}

/// The model's answer to a question, being waited for while the store is opened.
pub(super) struct Asked<'m> {
    answer: tokio::task::JoinHandle<(Result<Expansion, llm::Failure>, f64)>,
    model: &'m Model,
}

/// Asks the model, where that is wanted and of use; says why it is not asked, where it was wanted.
pub(super) fn ask<'m>(
    model: Option<&'m Model>,
    request: &SearchRequest,
    understood: &Understanding,
    notes: &mut Vec<String>,
) -> Option<Asked<'m>> {
    if request.expand != Expand::Llm {
        return None;
    }
    let Some(model) = model else {
        notes.push("no language model is configured: searched without other words of one".to_owned());
        return None;
    };
    // A code has no other words, and every guess would be another thing.
    if understood.kind == Kind::Lookup {
        return None;
    }
    let (client, query) = (model.client.clone(), request.query.clone());
    let failed = model.has_failed(&query);
    let answer = tokio::spawn(async move {
        let start = Instant::now();
        let answer = match failed {
            Some(failure) => Err(failure),
            None => llm::expand_query(&client, &query).await,
        };
        (answer, milliseconds(start))
    });
    Some(Asked { answer, model })
}

/// What is recalled by the wordings of a question.
#[derive(Debug, Default)]
pub(super) struct Reworded {
    /// Of each wording: its weight, and its ranking.
    rankings: Vec<(f32, Vec<Candidate>)>,
}

/// What recalling needs.
pub(super) struct Searching<'a> {
    pub snapshots: &'a [&'a Snapshot],
    pub vectors: &'a [Option<LoadedVectors>],
    pub scopes: &'a [Scope],
    pub models: &'a VectorModels,
    pub asking: &'a Asking,
    pub request: &'a SearchRequest,
    /// The question's own route: where it has no semantic arm, its other wordings have none.
    pub route: &'a Route,
}

impl Asked<'_> {
    /// Waits for the answer and recalls by it. Nothing in here makes a search fail.
    pub(super) async fn recall(self, with: &Searching<'_>, trace: &mut Trace, notes: &mut Vec<String>) -> Reworded {
        let start = Instant::now();
        let (answer, took) = match self.answer.await {
            Ok(answered) => answered,
            Err(error) => (Err(llm::Failure::crashed(&error.to_string())), milliseconds(start)),
        };
        let report = self.model.client.report();
        let expansion = match answer {
            Ok(expansion) => expansion,
            Err(failure) => {
                self.model.fail(&with.request.query, &failure);
                trace.stage("llm", start, 1, 0).say(failure.in_words()).say(report.in_words()).milliseconds = took;
                notes.push(format!("no other words of the language model: {}", failure.in_words()));
                return Reworded::default();
            }
        };
        let wordings = wordings(&with.request.query, &expansion);
        let stage = trace.stage("llm", start, 1, wordings.len());
        stage.milliseconds = took;
        stage.say(report.in_words());
        for wording in &wordings {
            stage.say(format!("{:.2}: {}", wording.weight, wording.text));
        }
        let start = Instant::now();
        match recall_all(wordings, with).await {
            Ok(reworded) => {
                let together = Reworded::join(&reworded, Vec::new());
                trace.stage("reworded", start, reworded.rankings.len(), together.len()).ranking(&together);
                reworded
            }
            Err(error) => {
                trace.stage("reworded", start, 1, 0).say(error.to_line());
                notes.push(format!("searched without the language model's words: {}", error.to_line()));
                Reworded::default()
            }
        }
    }
}

async fn recall_all(wordings: Vec<Wording>, with: &Searching<'_>) -> Result<Reworded> {
    let routes: Vec<(Understanding, Route)> = wordings
        .iter()
        .map(|wording| {
            let understood = Understanding::of_kind(&wording.text, with.request.kind);
            let own = SearchRequest { query: wording.text.clone(), ..with.request.clone() };
            let route = Route::choose(&understood, &own, with.models.coverage(&wording.text));
            // Words that make no sentence are left to the keyword arm, where the question has one.
            let one_arm = with.route.semantic <= 0.0 || (wording.words_only && with.route.keyword > 0.0);
            let route = if one_arm { Route { keyword: 1.0, semantic: 0.0, ..route } } else { route };
            (understood, route)
        })
        .collect();
    let vectors = encode(&wordings, &routes, with.asking).await?;
    let mut rankings = Vec::with_capacity(wordings.len());
    for ((wording, (understood, route)), vector) in wordings.iter().zip(&routes).zip(vectors) {
        let mut terms =
            if route.keyword > 0.0 { keyword_terms(&wording.text, &understood.identifiers) } else { Vec::new() };
        weigh_titles(&mut terms, with.request.title_weight);
        let keyword = KeywordArm::new(with.snapshots, terms)?;
        let mut scores = ArmScores::default();
        if route.keyword > 0.0 {
            scores.keyword = keyword.recall(with.scopes, route.pool)?;
        }
        let mut route = *route;
        if let Some(vector) = vector {
            let found =
                semantic(with.snapshots, with.vectors, &vector, with.scopes, &scores.keyword, route.pool).await?;
            if found.no_vectors && route.keyword > 0.0 {
                route = Route { keyword: 1.0, semantic: 0.0, ..route };
            }
            (scores.semantic, scores.models) = (found.scores, vector.models());
            let rest: Vec<&PassageKey> =
                scores.semantic.keys().filter(|key| !scores.keyword.contains_key(*key)).collect();
            let rest = keyword.score(rest.into_iter())?;
            scores.keyword.extend(rest);
        }
        rankings.push((wording.weight, fuse_by(route.fusion, &scores, route.keyword, route.semantic)));
    }
    Ok(Reworded { rankings })
}

/// The vectors of those wordings whose route asks for one.
async fn encode(
    wordings: &[Wording],
    routes: &[(Understanding, Route)],
    asking: &Asking,
) -> Result<Vec<Option<QuestionVectors>>> {
    let texts: Vec<Option<String>> = wordings
        .iter()
        .zip(routes)
        .map(|(wording, (_, route))| (route.semantic > 0.0).then(|| wording.text.clone()))
        .collect();
    let asking = asking.clone();
    let encode = move || {
        let vector =
            |text: Option<String>| text.map(|text| asking.encode(&text).map(|asked| asked.vectors)).transpose();
        texts.into_iter().map(vector).collect()
    };
    tokio::task::spawn_blocking(encode)
        .await
        .map_err(|error| Error::failed(format!("the embedding model crashed: {error}")))?
}

impl Reworded {
    /// What the question's own arms are to score too.
    pub(super) fn passages(&self) -> Scores {
        self.rankings.iter().flat_map(|(_, ranking)| ranking).map(|candidate| (candidate.key(), 0.0)).collect()
    }

    /// The question's ranking and those of its other wordings as one: the mean of a passage's scores, weighted.
    pub(super) fn join(&self, own: Vec<Candidate>) -> Vec<Candidate> {
        if self.rankings.is_empty() {
            return own;
        }
        let all = 1.0 + self.rankings.iter().map(|(weight, _)| weight).sum::<f32>();
        let mut joined: HashMap<PassageKey, Candidate> = HashMap::new();
        for candidate in own {
            let score = candidate.score / all;
            joined.insert(candidate.key(), Candidate { score, ..candidate });
        }
        for (weight, candidate) in
            self.rankings.iter().flat_map(|(weight, ranking)| ranking.iter().map(move |c| (weight, c)))
        {
            let unknown = || Candidate { score: 0.0, keyword: None, semantic: None, ..candidate.clone() };
            joined.entry(candidate.key()).or_insert_with(unknown).score += weight * candidate.score / all;
        }
        let mut joined: Vec<Candidate> = joined.into_values().collect();
        joined.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key().cmp(&b.key())));
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(scores: &[(&str, f32)]) -> Vec<Candidate> {
        let candidate = |(id, score): &(&str, f32)| Candidate {
            chunk_id: (*id).to_owned(),
            namespace: 0,
            score: *score,
            keyword: Some(*score),
            semantic: None,
        };
        scores.iter().map(candidate).collect()
    }

    #[test]
    fn a_wording_is_recalled_once_and_all_count_no_more_than_the_question() {
        let expansion = Expansion {
            rewritten: Some("the pump, primed?".into()),
            queries: vec!["fill the pump".into(), "The pump: fill!".into(), "bleed it of air".into()],
            hypothetical: Some("Open the vent until water runs out.".into()),
            keywords: vec!["vent".into(), "priming".into()],
            entities: vec!["pump".into()],
        };
        let found = wordings("is the pump primed", &expansion);
        let texts: Vec<&str> = found.iter().map(|wording| wording.text.as_str()).collect();
        assert_eq!(
            texts,
            ["fill the pump", "bleed it of air", "Open the vent until water runs out.", "vent priming pump"]
        );
        let sum: f32 = found.iter().map(|wording| wording.weight).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{found:?}");
        assert!(wordings("pump", &Expansion::default()).is_empty());
    }

    #[test]
    fn the_question_weighs_most_and_what_several_find_rises() {
        let reworded = Reworded {
            rankings: vec![(0.4, ranking(&[("b", 1.0), ("c", 0.5)])), (0.4, ranking(&[("b", 1.0), ("d", 0.1)]))],
        };
        let joined = reworded.join(ranking(&[("a", 1.0), ("b", 0.5), ("e", 0.1)]));
        let scores: Vec<(&str, i32)> =
            joined.iter().map(|c| (c.chunk_id.as_str(), (c.score * 1000.0).round() as i32)).collect();
        assert_eq!(scores, [("b", 722), ("a", 556), ("c", 111), ("e", 56), ("d", 22)]);
        assert_eq!((joined[0].keyword, joined[2].keyword), (Some(0.5), None), "what arms say is of the question");
        assert_eq!(Reworded::default().join(ranking(&[("a", 0.3)])), ranking(&[("a", 0.3)]));
    }
}

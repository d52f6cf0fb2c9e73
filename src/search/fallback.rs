//! What a search tries that finds too little: a wider pool, then the other retriever too, then other words.
//!
//! Off unless the request has conditions ([`Fallback`]). The steps add up; the first that meets the conditions ends it, and
//! where none does, the attempt that misses the fewest counts, of equals the first. Each step is in the trace with what was
//! missing before it.

use std::collections::HashSet;
use std::time::Instant;

use super::hit::Candidate;
use super::request::{Expand, Fallback, LARGEST_POOL, Method, SearchRequest, Weights};
use super::result::Ranking;
use super::trace::Trace;
use super::understand::Route;
use crate::error::Result;

/// How many times more candidates each retriever recalls.
const WIDER: usize = 4;

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    WiderPool,
    OtherRetriever,
    MoreWords,
}

/// The steps in order, each with the name of its stage, which is the prefix of the stages of its attempt.
const STEPS: [(Step, &str); 3] = [
    (Step::WiderPool, "fallback_pool"),
    (Step::OtherRetriever, "fallback_retriever"),
    (Step::MoreWords, "fallback_words"),
];

impl Step {
    /// What it does, or why it is not taken.
    fn take(self, request: &mut SearchRequest, route: &Route) -> std::result::Result<String, &'static str> {
        match self {
            Step::WiderPool => {
                let wider = (request.pool * WIDER).min(LARGEST_POOL);
                if wider <= request.pool {
                    return Err("the pool is as wide as it can be");
                }
                request.pool = wider;
                Ok(format!("tried with a pool of {wider}"))
            }
            Step::OtherRetriever => match route.method() {
                Method::Keyword if !route.model_knows() => Err("the model does not know the question's language"),
                Method::Keyword | Method::Semantic => {
                    request.weights = Weights::new(1.0, 1.0).ok();
                    Ok("tried with both retrievers".to_owned())
                }
                Method::Auto | Method::Hybrid => Err("both retrievers were asked already"),
            },
            Step::MoreWords if matches!(request.expand, Expand::All | Expand::Llm) => {
                Err("other words were searched for already")
            }
            Step::MoreWords => {
                request.expand = Expand::All;
                Ok("tried with other words: what begins with those of the question, and their parts".to_owned())
            }
        }
    }
}

/// Ranks again, step by step, until the conditions are met or no step is left.
pub(super) async fn fall_back(
    request: &SearchRequest,
    (mut best, mut trace): (Ranking, Trace),
    rank: impl AsyncFn(&SearchRequest) -> Result<(Ranking, Trace)>,
) -> Result<(Ranking, Trace)> {
    let mut missed = missed(&request.fallback, request, &best.candidates);
    let mut next = request.clone();
    for (step, name) in STEPS {
        if missed.is_empty() {
            break;
        }
        let (start, before, why) = (Instant::now(), best.candidates.len(), missed.join(", "));
        let done = match step.take(&mut next, &best.route) {
            Ok(done) => done,
            Err(reason) => {
                trace.stage(name, start, before, before).note(format!("{why}: not tried, {reason}"));
                continue;
            }
        };
        match rank(&next).await {
            Ok((again, attempt)) => {
                let now = self::missed(&request.fallback, request, &again.candidates);
                let better = now.len() < missed.len();
                let kept = if better { "kept" } else { "no better, not kept" };
                let stage = trace.stage(name, start, before, again.candidates.len());
                stage.note(format!("{why}: {done}, {kept}"));
                trace.stages.extend(attempt.stages.into_iter().map(|mut stage| {
                    stage.name = format!("{name}.{}", stage.name);
                    stage
                }));
                if better {
                    (missed, best) = (now, again);
                    (trace.notes, trace.fallback) = (attempt.notes, Some(name));
                }
            }
            // The first attempt succeeded; a failing step must not take its hits away.
            Err(error) => {
                let stage = trace.stage(name, start, before, before);
                stage.note(format!("{why}: {done}, which failed: {}", error.message()));
                trace.notes.push(format!("the fallback failed: {}", error.to_line()));
            }
        }
    }
    if !missed.is_empty() {
        trace.notes.push(format!("the fallback found no more: {}", missed.join(", ")));
    }
    Ok((best, trace))
}

/// Which conditions the hits do not meet, in words. A condition that the search cannot meet counts as far as it can.
fn missed(fallback: &Fallback, request: &SearchRequest, candidates: &[Candidate]) -> Vec<String> {
    let hits: HashSet<&str> = candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect();
    let documents: HashSet<&str> = hits.iter().map(|id| id.split(':').next().unwrap_or(id)).collect();
    let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max);
    let searched = request.documents.as_ref().map_or(usize::MAX, Vec::len);
    let few = |found: usize, least: Option<usize>, what: &str, most: usize| {
        let least = least?.min(most);
        (found < least).then(|| format!("{}, {least} wanted", crate::text::count(found, what)))
    };
    let low = fallback.min_score.filter(|least| best < *least);
    [
        few(hits.len(), fallback.min_hits, "hit", request.limit),
        low.map(|least| format!("best score {best:.2}, {least} wanted")),
        few(documents.len(), fallback.min_docs, "document", request.limit.min(searched)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(chunk_id: &str, score: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.into(), namespace: 0, score, keyword: None, semantic: None }
    }

    #[test]
    fn missed_conditions_are_named() {
        let hits = [hit("a:0", 0.4), hit("a:1", 0.3), hit("a:1", 0.3)];
        let request = SearchRequest { limit: 5, ..SearchRequest::new("q") };
        let missing = |conditions: &str, request: &SearchRequest| missed(&conditions.parse().unwrap(), request, &hits);
        assert_eq!(missing("min_hits=2,min_score=0.4,min_docs=1", &request), [""; 0]);
        assert_eq!(
            missing("min_hits=3,min_score=0.5,min_docs=2", &request),
            ["2 hits, 3 wanted", "best score 0.40, 0.5 wanted", "1 document, 2 wanted"]
        );
        let one = SearchRequest { documents: Some(vec!["a".into()]), limit: 2, ..request };
        assert_eq!(missing("min_hits=3,min_docs=2", &one), [""; 0], "no more than there can be");
    }
}

//! A second search if the first finds too little: with a wider pool, both retrievers and other words.
//!
//! Off unless the request has conditions ([`Fallback`](super::request::Fallback)). The second is used if it misses
//! fewer of them than the first.

use std::collections::HashSet;
use std::time::Instant;

use super::candidate::Candidate;
use super::note::NoteCode;
use super::request::{Expand, LARGEST_POOL, LlmWordings, Method, OtherWords, SearchRequest, Weights};
use super::result::Ranking;
use super::trace::Trace;
use crate::error::Result;

/// How many times more candidates each retriever recalls.
const WIDER: usize = 4;
/// The share of `min_confidence` that is then enough.
const LESS_SURE: f32 = 0.5;

/// Ranks again if conditions are missed, and returns the better ranking with its trace. `asks`: a language model is
/// asked for other wordings too.
pub(super) async fn fall_back(
    request: &SearchRequest,
    (first, mut trace): (Ranking, Trace),
    asks: bool,
    rank: impl AsyncFn(&SearchRequest) -> Result<(Ranking, Trace)>,
) -> Result<(Ranking, Trace)> {
    let missing = missed(request, &first.candidates);
    if missing.is_empty() {
        return Ok((first, trace));
    }
    let (start, before) = (Instant::now(), first.candidates.len());
    let one_retriever = first.route.method() != Method::Hybrid && first.route.model_knows();
    let wider = SearchRequest {
        pool: (request.pool * WIDER).min(LARGEST_POOL),
        weights: if one_retriever { Weights::new(1.0, 1.0).ok() } else { request.weights },
        min_confidence: request.min_confidence * LESS_SURE,
        expand: match asks {
            true => Expand { wordings: LlmWordings::ALL, ..Expand::default() },
            false => Expand { words: OtherWords::All, ..Expand::default() },
        },
        ..request.clone()
    };
    let mut best = first;
    let outcome = match rank(&wider).await {
        Ok((again, attempt)) if missed(request, &again.candidates).len() < missing.len() => {
            (best, trace) = (again, Trace { begun: trace.begun, ..attempt });
            let wordings = if asks { ", wordings of the language model" } else { "" };
            let message = format!(
                "{}: searched again with more candidates, both methods, other words{wordings} and half the confidence \
                 limit",
                missing.join(", ")
            );
            trace.note(NoteCode::FallbackUsed, message);
            "kept".to_owned()
        }
        Ok(_) => "no better".to_owned(),
        // The first search succeeded; a failing second must not take its hits away.
        Err(error) => format!("failed: {}", error.to_line()),
    };
    let stage = trace.stage("fallback", start, before, best.candidates.len());
    stage.note(format!("{}: searched again with wider settings; {outcome}", missing.join(", ")));
    let missing = missed(request, &best.candidates);
    if !missing.is_empty() {
        trace.note(NoteCode::FallbackFailed, format!("the fallback found nothing more: {}", missing.join(", ")));
    }
    Ok((best, trace))
}

/// The conditions that the hits miss, in words. A condition asks for no more than the search can return.
fn missed(request: &SearchRequest, candidates: &[Candidate]) -> Vec<String> {
    let hits: HashSet<&str> = candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect();
    let documents: HashSet<&str> = candidates.iter().map(|candidate| candidate.chunk_id.doc_id()).collect();
    let best = candidates.iter().map(|candidate| candidate.confidence).fold(0.0, f32::max);
    let searched = request.documents.as_ref().map_or(usize::MAX, Vec::len);
    let few = |found: usize, wanted: Option<usize>, what: &str, most: usize| {
        let wanted = wanted?;
        (found < wanted.min(most)).then(|| format!("{}, {wanted} wanted", crate::text::count(found, what)))
    };
    let low = request.fallback.min_confidence.filter(|least| best < *least);
    let misses = [
        few(hits.len(), request.fallback.min_hits, "hit", request.limit),
        low.map(|least| format!("best confidence {best:.2}, {least} wanted")),
        few(documents.len(), request.fallback.min_docs, "document", request.limit.min(searched)),
    ];
    misses.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(chunk_id: &str, confidence: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.into(), confidence, ..Candidate::default() }
    }

    #[test]
    fn missed_conditions_are_named() {
        let hits = [hit("a:0", 0.4), hit("a:1", 0.3), hit("a:1", 0.3)];
        let request = SearchRequest { limit: 5, ..SearchRequest::new("q") };
        let missing = |conditions: &str, request: &SearchRequest| {
            missed(&SearchRequest { fallback: conditions.parse().unwrap(), ..request.clone() }, &hits)
        };
        assert_eq!(missing("min_hits=2,min_confidence=0.4,min_docs=1", &request), [""; 0]);
        assert_eq!(
            missing("min_hits=3,min_confidence=0.5,min_docs=2", &request),
            ["2 hits, 3 wanted", "best confidence 0.40, 0.5 wanted", "1 document, 2 wanted"]
        );
        assert_eq!(missing("min_hits=30", &request), ["2 hits, 30 wanted"], "the number that was asked for");
        let one = SearchRequest { documents: Some(vec!["a".into()]), limit: 2, ..request };
        assert_eq!(missing("min_hits=3,min_docs=2", &one), [""; 0], "no more than there can be");
    }
}

//! Lets a cross-encoder, or an endpoint, read the first candidates.
//!
//! Candidates that it did not read, being too far down or out of time, follow in their old order.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::chunk::context::embedded_text;
use crate::embed::{CrossEncoder, Reranker};
use crate::endpoint::Failure;
use crate::error::{Error, NextStep, Result, Setting};
use crate::search::candidate::Candidate;
use crate::search::confidence::logistic;
use crate::search::encoder::{LONGEST_ENCODED, wait_for};
use crate::search::hit::parent_chunks;
use crate::search::loaded_cross_encoder::LoadingCrossEncoder;
use crate::search::note::NoteCode;
use crate::search::request::Rerank;
use crate::search::searcher::StageInput;
use crate::search::trace::Trace;
use crate::store::Snapshot;

/// What reads candidates.
enum Reader<'a> {
    CrossEncoder(Arc<CrossEncoder>, &'a Path),
    Endpoint(&'a Reranker),
}

/// Lets the cross-encoder or the endpoint that the request names read the first candidates, and ranks them by its
/// scores.
pub(super) async fn read_first(
    input: &StageInput<'_, '_>,
    cross_encoder: Option<LoadingCrossEncoder>,
    candidates: Vec<Candidate>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let (request, endpoint) = (input.question.request, input.searcher.reranker.as_deref());
    let (reader, depth, time) = match (&request.rerank, cross_encoder, endpoint) {
        (Rerank::Model { folder, depth, time }, Some(loading), _) => {
            let (model, load_ms) = wait_for("reranking", loading).await?;
            trace.took("cross_encoder_load", load_ms);
            (Reader::CrossEncoder(model, folder), *depth, *time)
        }
        (Rerank::Endpoint { depth, time }, _, Some(reranker)) => (Reader::Endpoint(reranker), *depth, *time),
        _ => return Ok(candidates),
    };
    let start = Instant::now();
    let wanted = head(&candidates, depth);
    let (texts, places) = each_once(texts(input.snapshots, &candidates[..wanted])?);
    let question: String = request.query.chars().take(LONGEST_ENCODED).collect();
    let (name, scores) = match &reader {
        Reader::CrossEncoder(model, folder) => {
            let name = format!("{} on {}", folder.display(), model.engine().name());
            let model = model.clone();
            let scoring = tokio::task::spawn_blocking(move || model.scores(&question, &texts, time));
            (name, wait_for("reranking", scoring).await?)
        }
        Reader::Endpoint(_) if texts.is_empty() => return Ok(candidates),
        Reader::Endpoint(reranker) => (reranker.name(), ask(reranker, &question, &texts, time, trace).await),
    };
    let logits: Vec<f32> = places.iter().map_while(|place| scores.get(*place).copied()).collect();
    let (candidates, read) = (ranked(candidates, &logits), logits.len());
    let stage = trace.stage("cross_encoder", start, read, candidates.len());
    stage.note(name).note(format!("read {read} of the first {wanted}")).ranking(&candidates);
    if let (Reader::CrossEncoder(..), Some(time)) = (reader, time.filter(|_| read < wanted)) {
        let message = format!(
            "the reranking model read {read} of the first {wanted} parent chunks in {time:?}; the rest keep their \
             order; {} gives it more time",
            Setting("rerank_budget")
        );
        trace.note(NoteCode::RerankingStopped, message);
    }
    Ok(candidates)
}

/// The scores from an endpoint; none if it fails, and a note says why.
async fn ask(
    reranker: &Reranker,
    question: &str,
    texts: &[String],
    time: Option<Duration>,
    trace: &mut Trace,
) -> Vec<f32> {
    let answer = reranker.logits(question, texts);
    let answer = match time {
        Some(time) => tokio::time::timeout(time, answer).await.unwrap_or_else(|_| Err(Failure::timed_out(time))),
        None => answer.await,
    };
    answer.unwrap_or_else(|failure| {
        let message =
            format!("{} gave no scores, so the order does not use them: {}", reranker.name(), failure.in_words());
        trace.note(NoteCode::RerankingStopped, message);
        Vec::new()
    })
}

/// The text that the model reads of each candidate: its titles, and below them its text.
fn texts(snapshots: &[&Snapshot], candidates: &[Candidate]) -> Result<Vec<String>> {
    let chunks = parent_chunks(snapshots, candidates.iter().map(Candidate::key))?;
    let text = |candidate: &Candidate| match chunks.get(&candidate.key()) {
        Some(chunk) => Ok(embedded_text(&chunk.titles, &chunk.content)),
        None => Err(Error::failed(format!("the chunk {} was found but cannot be read", candidate.chunk_id))
            .hint(format!("`{}` shows what is wrong with the namespace", NextStep::Check))),
    };
    candidates.iter().map(text).collect()
}

/// How many of the first candidates are read: as many as have `depth` different chunks.
fn head(candidates: &[Candidate], depth: usize) -> usize {
    let mut known: HashSet<&str> = HashSet::with_capacity(depth);
    let mut fits = |id| known.contains(id) || (known.len() < depth && known.insert(id));
    candidates.iter().map(|candidate| candidate.chunk_id.as_str()).take_while(|id| fits(id)).count()
}

/// The different texts in order, and which of them each is: a chunk of several namespaces is read once.
fn each_once(texts: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let mut known: HashMap<String, usize> = HashMap::with_capacity(texts.len());
    let mut different = Vec::with_capacity(texts.len());
    let mut places = Vec::with_capacity(texts.len());
    for text in texts {
        let place = *known.entry(text).or_insert_with_key(|text| {
            different.push(text.clone());
            different.len() - 1
        });
        places.push(place);
    }
    (different, places)
}

/// Ranks the first candidates, which the model has read, by their logits. Their scores become the model's, from 0 to 1;
/// those of the rest are scaled to lie below.
fn ranked(mut candidates: Vec<Candidate>, logits: &[f32]) -> Vec<Candidate> {
    let rest = candidates.split_off(logits.len().min(candidates.len()));
    let mut read: Vec<(f32, Candidate)> = logits.iter().copied().zip(candidates).collect();
    // By the logits themselves: large ones all come near to 1. Sorting leaves equals as they are.
    read.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let least = read.last().map_or(1.0, |(number, _)| logistic(*number));
    let read = read.into_iter().map(|(number, candidate)| Candidate { score: logistic(number), ..candidate });
    let rest = rest.into_iter().map(|candidate| Candidate { score: candidate.score * least, ..candidate });
    read.chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{candidate, ids};

    fn candidates(scores: &[f32]) -> Vec<Candidate> {
        scores.iter().enumerate().map(|(i, score)| candidate(&i.to_string(), *score)).collect()
    }

    #[test]
    fn equals_and_unread_candidates_stay_as_they_are() {
        assert_eq!(ids(&ranked(candidates(&[0.9, 0.8, 0.7]), &[1.0, 1.0, 1.0])), "012");
        let unread = ranked(candidates(&[0.9, 0.8]), &[]);
        assert_eq!(unread, candidates(&[0.9, 0.8]));
        assert!(ranked(Vec::new(), &[]).is_empty());
        let infinite = ranked(candidates(&[0.9, 0.8]), &[f32::NEG_INFINITY, f32::INFINITY]);
        assert_eq!((ids(&infinite), infinite[0].score, infinite[1].score), ("10".to_owned(), 1.0, 0.0));
    }
}

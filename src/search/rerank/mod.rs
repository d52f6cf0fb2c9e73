//! Reranks the best candidates by signals that neither retriever sees: how much of the question a chunk and its titles
//! have, and how much of it the titles alone have. On request a cross-encoder then reads the first of them.
//!
//! In BM25 a frequent word makes up for a missing one, and a vector covers everything at once. Which words of the
//! question occur at all is a signal of its own ("coordination level" in the field's older literature). `cargo bench
//! --bench measure -- ablation` measures what the signals are worth.

mod cross_encoder;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::candidate::{Candidate, ChunkKey};
use super::hit::parent_chunks;
use super::recall::Recalled;
use super::request::{Method, Rerank};
use super::trace::Trace;
use super::understand::{Question, Understanding};
use crate::chunk::context::SEPARATOR;
use crate::error::Result;
use crate::knowledge::profile::classify;
use crate::store::{IndexedParentChunk, Snapshot};
use crate::text::count;
use cross_encoder::read_first;
pub(super) use cross_encoder::{LoadedCrossEncoder, LoadingCrossEncoder, Rerankers};

/// How many candidates are reranked by words; the rest follow in their old order.
const DEPTH: usize = 100;
/// The weight of the share of the question's words that a chunk or the titles above it have; the fused score has 1 …
const COVERAGE: f32 = 0.4;
/// … of their share in the titles alone …
const TITLE: f32 = 0.1;
/// … and of being of the kind that the question surely asks for: steps for "how do I …".
const KIND: f32 = 0.05;
/// Candidates whose text is read to tell its kind.
const KIND_DEPTH: usize = 30;

/// Reranks by the question's words if that can help, then by the requested cross-encoder or endpoint.
pub(super) async fn rerank(
    question: &Question<'_>,
    recalled: &Recalled<'_>,
    snapshots: &[&Snapshot],
    mut candidates: Vec<Candidate>,
    models: Rerankers<'_>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let request = question.request;
    let by_words = match request.rerank {
        Rerank::Off => false,
        Rerank::Light => true,
        Rerank::Auto | Rerank::Model { .. } | Rerank::Endpoint { .. } => {
            recalled.route.rerank && matches!(request.method, Method::Auto | Method::Hybrid)
        }
    };
    if by_words {
        let start = Instant::now();
        let found = recalled.keyword.words_found(&candidates[..DEPTH.min(candidates.len())])?;
        let sum = |[anywhere, titles]: [f32; 2]| COVERAGE * anywhere + TITLE * titles;
        let signals: HashMap<ChunkKey, f32> =
            found.into_iter().map(|(key, found)| (key, sum(recalled.coverage.shares(&found)))).collect();
        let preferred = of_kind(&question.understood, snapshots, &candidates)?;
        if recalled.coverage.distinguishes() {
            rank_by_words(&mut candidates, &signals, (&preferred, KIND * question.understood.sure));
        }
        let stage = trace.stage("rerank", start, signals.len(), candidates.len());
        stage.ranking(&candidates);
        if !preferred.is_empty() {
            stage.note(format!("{} of the requested kind", count(preferred.len(), "parent chunk")));
        }
    }
    read_first(models, request, snapshots, candidates, trace).await
}

/// The first candidates whose text is of the kind that answers the question.
fn of_kind(understood: &Understanding, snapshots: &[&Snapshot], candidates: &[Candidate]) -> Result<HashSet<ChunkKey>> {
    let Some(kind) = understood.answered_by() else { return Ok(HashSet::new()) };
    let first = &candidates[..KIND_DEPTH.min(candidates.len())];
    let is_of_kind = |chunk: &IndexedParentChunk| {
        let title = chunk.titles.rsplit(SEPARATOR).next().unwrap_or_default();
        classify(title, &chunk.content) == kind
    };
    let chunks = parent_chunks(snapshots, first.iter().map(Candidate::key))?.into_iter();
    Ok(chunks.filter(|(_, chunk)| is_of_kind(chunk)).map(|(key, _)| key).collect())
}

/// Reranks the first candidates. `signals` are the weighted sums of the shares of the question's words; `preferred` are
/// the chunks of the kind that is asked for, and `kind` is the weight of that.
fn rank_by_words(
    candidates: &mut [Candidate],
    signals: &HashMap<ChunkKey, f32>,
    (preferred, kind): (&HashSet<ChunkKey>, f32),
) {
    let (first, rest) = candidates.split_at_mut(DEPTH.min(candidates.len()));
    let most = 1.0 + COVERAGE + TITLE + if preferred.is_empty() { 0.0 } else { kind };
    for candidate in &mut *first {
        let key = candidate.key();
        let signals = signals.get(&key).copied().unwrap_or_default();
        let of_kind = if preferred.contains(&key) { kind } else { 0.0 };
        candidate.score = (candidate.score + signals + of_kind) / most;
    }
    // The keys were in order, and sorting leaves equals as they are.
    first.sort_by(|a, b| b.score.total_cmp(&a.score));
    let last = first.last().map_or(0.0, |candidate| candidate.score);
    for candidate in rest {
        candidate.score = (candidate.score / most).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{candidate, ids};

    #[test]
    fn candidates_below_the_depth_keep_their_order() {
        let key = |id: &str| ChunkKey { chunk_id: id.into(), namespace: 0 };
        let signals = HashMap::from(["1", "101"].map(|id| (key(id), COVERAGE)));
        let before = (0..102u8).map(|place| candidate(&place.to_string(), 0.5 - f32::from(place) / 1000.0));
        let mut ranked: Vec<Candidate> = before.collect();
        rank_by_words(&mut ranked, &signals, (&HashSet::new(), 0.0));
        assert_eq!((ids(&ranked[..3]), ids(&ranked[DEPTH..])), ("102".to_owned(), "100101".to_owned()));
        assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}

//! Reranks the best candidates by signals that neither retriever sees: how much of the question a chunk and its titles have,
//! and how much of it the titles alone have. On request a cross-encoder then reads the first of them.
//!
//! In BM25 a frequent word makes up for a missing one, and a vector covers everything at once. Which words of the
//! question occur at all is a signal of its own ("coordination level" in the field's older literature). `cargo bench
//! --bench measure -- ablation` measures what the signals are worth.

mod cross_encoder;

use std::collections::HashMap;
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
/// Candidates whose text is read.
const READ: usize = 30;

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
        let counted = found.len();
        let texts = parent_chunks(snapshots, candidates.iter().take(READ).map(Candidate::key))?;
        let preferred = of_kind(&question.understood, &texts);
        let preferred_count = preferred.len();
        let mut signals = Signals::of_words(found.into_iter().map(|(key, found)| (key, recalled.coverage.shares(&found))));
        signals.add(KIND * question.understood.sure, preferred);
        if recalled.coverage.distinguishes() {
            rank_by_signals(&mut candidates, &signals);
        }
        let stage = trace.stage("rerank", start, counted, candidates.len());
        stage.ranking(&candidates);
        if preferred_count > 0 {
            stage.note(format!("{} of the requested kind", count(preferred_count, "parent chunk")));
        }
    }
    read_first(models, request, snapshots, candidates, trace).await
}

/// What speaks for candidates beside their fused score.
struct Signals {
    of: HashMap<ChunkKey, f32>,
    /// The most that a candidate may have, with a fused score of 1.
    most: f32,
}

impl Signals {
    /// The shares of the question's words that are in each candidate or the titles above it, and in the titles alone.
    fn of_words(shares: impl Iterator<Item = (ChunkKey, [f32; 2])>) -> Self {
        let sum = |[anywhere, titles]: [f32; 2]| COVERAGE * anywhere + TITLE * titles;
        Signals { of: shares.map(|(key, shares)| (key, sum(shares))).collect(), most: 1.0 + COVERAGE + TITLE }
    }

    /// Adds a signal that candidates have to a share from 0 to 1. One that none of them has counts for nothing.
    fn add(&mut self, weight: f32, shares: HashMap<ChunkKey, f32>) {
        if shares.is_empty() {
            return;
        }
        self.most += weight;
        for (key, share) in shares {
            *self.of.entry(key).or_default() += weight * share;
        }
    }
}

/// The chunks whose text is of the kind that answers the question.
fn of_kind(understood: &Understanding, texts: &HashMap<ChunkKey, IndexedParentChunk>) -> HashMap<ChunkKey, f32> {
    let Some(kind) = understood.answered_by() else { return HashMap::new() };
    let is_of_kind = |chunk: &IndexedParentChunk| classify(own_title(chunk), &chunk.content) == kind;
    texts.iter().filter(|(_, chunk)| is_of_kind(chunk)).map(|(key, _)| (key.clone(), 1.0)).collect()
}

/// The title of a chunk's own section.
fn own_title(chunk: &IndexedParentChunk) -> &str {
    chunk.titles.rsplit(SEPARATOR).next().unwrap_or_default()
}

/// Reranks the first candidates.
fn rank_by_signals(candidates: &mut [Candidate], signals: &Signals) {
    let (first, rest) = candidates.split_at_mut(DEPTH.min(candidates.len()));
    for candidate in &mut *first {
        let signal = signals.of.get(&candidate.key()).copied().unwrap_or_default();
        candidate.score = (candidate.score + signal) / signals.most;
    }
    // The keys were in order, and sorting leaves equals as they are.
    first.sort_by(|a, b| b.score.total_cmp(&a.score));
    let last = first.last().map_or(0.0, |candidate| candidate.score);
    for candidate in rest {
        candidate.score = (candidate.score / signals.most).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{candidate, ids};

    #[test]
    fn candidates_below_the_depth_keep_their_order() {
        let key = |id: &str| ChunkKey { chunk_id: id.into(), namespace: 0 };
        let signals = Signals::of_words(["1", "101"].map(|id| (key(id), [1.0, 0.0])).into_iter());
        let before = (0..102u8).map(|place| candidate(&place.to_string(), 0.5 - f32::from(place) / 1000.0));
        let mut ranked: Vec<Candidate> = before.collect();
        rank_by_signals(&mut ranked, &signals);
        assert_eq!((ids(&ranked[..3]), ids(&ranked[DEPTH..])), ("102".to_owned(), "100101".to_owned()));
        assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}

//! Candidates: parent chunks on their way through a search.

use crate::ids::ChunkId;
use std::collections::{HashMap, HashSet};

/// A parent chunk among all that are searched: the same file has the same ids in each namespace it is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChunkKey {
    pub chunk_id: ChunkId,
    /// The place of its namespace among those that are searched.
    pub namespace: usize,
}

/// Scores by parent chunk.
pub(super) type Scores = HashMap<ChunkKey, f32>;

/// A candidate with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The parent chunk.
    pub chunk_id: ChunkId,
    /// The place of its namespace in the ranking's namespaces.
    pub namespace: usize,
    /// The fused score, from 0 to 1.
    pub score: f32,
    /// BM25.
    pub keyword: Option<f32>,
    /// Cosine.
    pub semantic: Option<f32>,
}

impl Candidate {
    pub(super) fn key(&self) -> ChunkKey {
        ChunkKey { chunk_id: self.chunk_id.clone(), namespace: self.namespace }
    }
}

/// The scores of each retriever, over all namespaces that are searched.
#[derive(Debug, Default)]
pub(super) struct RetrieverScores {
    /// BM25; a chunk that is not in here matches no word.
    pub keyword: Scores,
    /// Cosine; a chunk that is not in here has no vector.
    pub semantic: Scores,
}

/// Cuts a ranking behind its first `limit` parent chunks, where those with the same id, from several namespaces, count
/// once. Each that is left is left in all its namespaces.
pub(super) fn first_different<T>(ranking: &mut Vec<T>, limit: usize, chunk_id: impl Fn(&T) -> &str) {
    if ranking.len() <= limit {
        return;
    }
    let mut known: HashSet<String> = HashSet::with_capacity(limit);
    ranking.retain(|entry| {
        let id = chunk_id(entry);
        known.contains(id) || (known.len() < limit && known.insert(id.to_owned()))
    });
}

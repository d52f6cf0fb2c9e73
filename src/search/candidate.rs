//! A parent chunk on its way through a search, with its scores: a candidate, which becomes a hit in the end.

use std::collections::{HashMap, HashSet};

use crate::ids::ChunkId;

/// What the second best score adds to the joint score, as a share of what is left up to 1; each further one adds this
/// share of that.
const NEXT: f32 = 0.25;

/// A parent chunk among all searched ones: the same file has the same ids in every namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChunkKey {
    pub chunk_id: ChunkId,
    /// The place of its namespace among the searched ones.
    pub namespace: usize,
}

pub(super) type Scores = HashMap<ChunkKey, f32>;

/// The scores of each retriever, over all searched namespaces.
#[derive(Debug, Default)]
pub(super) struct RetrieverScores {
    /// BM25; a missing chunk matches no word.
    pub keyword: Scores,
    /// Cosine; a missing chunk has no vector.
    pub semantic: Scores,
}

impl RetrieverScores {
    /// Each chunk, twice if both retrievers found it.
    pub(super) fn keys(&self) -> impl Iterator<Item = &ChunkKey> + Clone {
        self.keyword.keys().chain(self.semantic.keys())
    }
}

/// A ranked parent chunk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    pub chunk_id: ChunkId,
    /// The place of its namespace in the ranking's namespaces.
    pub namespace: usize,
    /// From 0 to 1.
    pub score: f32,
    /// BM25.
    pub keyword: Option<f32>,
    /// Cosine.
    pub semantic: Option<f32>,
    /// How sure it is that it answers the question, from 0 to 1.
    pub confidence: f32,
}

impl Candidate {
    pub(super) fn key(&self) -> ChunkKey {
        ChunkKey { chunk_id: self.chunk_id.clone(), namespace: self.namespace }
    }
}

/// The ids of parent chunks, by namespace.
pub(super) fn by_namespace(keys: impl Iterator<Item = ChunkKey>, namespaces: usize) -> Vec<Vec<ChunkId>> {
    let mut ids = vec![Vec::new(); namespaces];
    keys.for_each(|key| ids[key.namespace].push(key.chunk_id));
    ids
}

/// Keeps the first `limit` different parent chunks of a ranking, each in all its namespaces.
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

/// Puts items into groups, each in the order of the items. An item belongs to the group whose first item it belongs
/// with.
pub(super) fn groups<T>(items: impl IntoIterator<Item = T>, belong_together: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        match groups.iter_mut().find(|group| belong_together(&group[0], &item)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// The joint score of several scores from 0 to 1, for a section or a document.
///
/// The best counts in full, and each further one a quarter as much as the one before:
/// `s₁ + (1 − s₁)(s₂/4 + s₃/16 + …)`. So the result is between the best and 1, two good parent chunks are better than
/// one, and many middling ones cannot outdo a good one: a long section is not a better one.
pub(super) fn joint_score(scores: impl IntoIterator<Item = f32>) -> f32 {
    let mut scores: Vec<f32> = scores.into_iter().collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let Some((&best, rest)) = scores.split_first() else { return 0.0 };
    let (added, _) =
        rest.iter().fold((0.0, NEXT), |(sum, share), score| (sum + share * score.clamp(0.0, 1.0), share * NEXT));
    best + (1.0 - best).max(0.0) * added
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_scores_beat_one_and_many_middling_ones_do_not() {
        assert_eq!(joint_score([]), 0.0);
        assert_eq!(joint_score([0.5]), 0.5);
        assert_eq!(joint_score([0.4, 0.6]), 0.6 + 0.4 * 0.1);
        assert!(joint_score([0.5; 50]) < joint_score([0.6]));
    }

    proptest! {
        #[test]
        fn the_joint_score_lies_between_the_best_and_one(scores in prop::collection::vec(0.0f32..=1.0, 1..30)) {
            let best = scores.iter().copied().fold(0.0, f32::max);
            let mut turned = scores.clone();
            turned.reverse();
            let joint = joint_score(scores);
            prop_assert!((best..=1.0).contains(&joint));
            prop_assert_eq!(joint, joint_score(turned));
        }
    }
}

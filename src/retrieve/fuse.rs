//! Two rankings to one.
//!
//! Weighted sum of scores, each arm's scaled to 0…1 over the candidates of this question (min-max, as in Bruch et
//! al., "An Analysis of Fusion Functions for Hybrid Retrieval", 2023). Candidates that one arm did not recall get
//! their real score from it, so that nothing is punished for being just outside a list.

use std::collections::HashMap;

use super::searched::PassageKey;

/// Scores by passage.
pub(super) type Scores = HashMap<PassageKey, f32>;

/// A candidate with what both arms say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The parent chunk.
    pub chunk_id: String,
    /// The place of its namespace in [`Ranking::namespaces`](super::Ranking::namespaces).
    pub namespace: usize,
    /// The fused score, from 0 to 1.
    pub score: f32,
    /// BM25.
    pub keyword: Option<f32>,
    /// Cosine.
    pub semantic: Option<f32>,
}

/// The scores of each arm, over all namespaces that are searched.
#[derive(Debug, Default)]
pub(super) struct ArmScores {
    /// BM25; a chunk that is not in here matches no word.
    pub keyword: Scores,
    /// Cosine; a chunk that is not in here has no vector.
    pub semantic: Scores,
}

/// Fuses, best first; equal scores in the order of ids and namespaces, so that the same question always gives the same answer.
pub(super) fn fuse(scores: &ArmScores, keyword_weight: f32, semantic_weight: f32) -> Vec<Candidate> {
    let mut keys: Vec<&PassageKey> = scores.keyword.keys().chain(scores.semantic.keys()).collect();
    keys.sort();
    keys.dedup();
    // A chunk without a matching word has BM25 0, which is its true lower end; the cosine has none that is known.
    let keyword_top = scores.keyword.values().copied().fold(0.0, f32::max);
    let semantic_low = scores.semantic.values().copied().fold(f32::INFINITY, f32::min);
    let semantic_top = scores.semantic.values().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut candidates: Vec<Candidate> = keys
        .into_iter()
        .map(|key| {
            let keyword = scores.keyword.get(key).copied();
            let semantic = scores.semantic.get(key).copied();
            let keyword_part = scale(keyword.unwrap_or(0.0), 0.0, keyword_top);
            // A passage without a vector (`kb ingest --no-embed`) was not judged by the semantic arm, which is not
            // the same as judged badly: it is taken to agree with the keyword arm, so that the keyword score alone
            // is the score. Zero would put it behind everything that has a vector.
            let semantic_part = semantic.map_or(keyword_part, |score| scale(score, semantic_low, semantic_top));
            let score = if keyword_weight <= 0.0 {
                // One arm alone keeps its own meaning: a cosine.
                semantic.unwrap_or(0.0).clamp(0.0, 1.0)
            } else {
                keyword_weight * keyword_part + semantic_weight * semantic_part
            };
            Candidate { chunk_id: key.chunk_id.clone(), namespace: key.namespace, score, keyword, semantic }
        })
        .collect();
    // The keys were in order, and sorting leaves equals as they are.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates
}

fn scale(score: f32, low: f32, top: f32) -> f32 {
    if top > low {
        (score - low) / (top - low)
    } else if score > 0.0 {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str, namespace: usize) -> PassageKey {
        PassageKey { chunk_id: id.to_owned(), namespace }
    }

    fn scores(keyword: &[(&str, f32)], semantic: &[(&str, f32)]) -> ArmScores {
        let map = |pairs: &[(&str, f32)]| pairs.iter().map(|(id, s)| (key(id, 0), *s)).collect();
        ArmScores { keyword: map(keyword), semantic: map(semantic) }
    }

    #[test]
    fn an_arm_without_weight_changes_nothing() {
        let both = scores(&[("a", 3.0), ("b", 2.0)], &[("b", 0.9), ("a", 0.1)]);
        let order: Vec<String> = fuse(&both, 1.0, 0.0).into_iter().map(|c| c.chunk_id).collect();
        assert_eq!(order, ["a", "b"]);
    }

    #[test]
    fn agreement_of_both_arms_wins() {
        let both = scores(&[("a", 10.0), ("b", 9.0)], &[("b", 0.8), ("c", 0.9), ("a", 0.2)]);
        assert_eq!(fuse(&both, 0.5, 0.5)[0].chunk_id, "b");
    }

    #[test]
    fn a_passage_without_a_vector_keeps_its_keyword_score() {
        // `x` has no vector. The word arm likes it best, so it is first; `y` likes it little, so it is not.
        let both = scores(&[("x", 10.0), ("a", 8.0), ("y", 1.0)], &[("a", 0.9), ("b", 0.1)]);
        let fused = fuse(&both, 0.5, 0.5);
        let score = |id: &str| fused.iter().find(|c| c.chunk_id == id).unwrap().score;
        assert_eq!((score("x"), score("a"), score("b")), (1.0, 0.9, 0.0));
        assert!((score("y") - 0.1).abs() < 1e-6);
    }

    #[test]
    fn a_single_candidate_has_a_score() {
        assert_eq!(fuse(&scores(&[("a", 2.0)], &[]), 1.0, 0.0)[0].score, 1.0);
    }

    #[test]
    fn the_same_id_in_two_namespaces_is_two_passages_on_one_scale() {
        let keyword = Scores::from([(key("a", 0), 4.0), (key("a", 1), 8.0), (key("b", 0), 8.0)]);
        let fused = fuse(&ArmScores { keyword, semantic: Scores::new() }, 1.0, 0.0);
        let found: Vec<(&str, usize, f32)> =
            fused.iter().map(|c| (c.chunk_id.as_str(), c.namespace, c.score)).collect();
        assert_eq!(found, [("a", 1, 1.0), ("b", 0, 1.0), ("a", 0, 0.5)]);
    }
}

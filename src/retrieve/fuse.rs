//! Two rankings to one.
//!
//! Weighted sum of scores, each arm's scaled to 0…1 over the candidates of this question (min-max, as in Bruch et
//! al., "An Analysis of Fusion Functions for Hybrid Retrieval", 2023). Candidates that one arm did not recall get
//! their real score from it, so that nothing is punished for being just outside a list.
//!
//! On request reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), with weights: Σ weight / (k + rank), as a
//! share of what the first of both arms gets, so that its scores are from 0 to 1 too.

use std::collections::{HashMap, HashSet};

use super::searched::PassageKey;
use super::settings::Fusion;

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

impl Candidate {
    /// What tells it from all other candidates.
    pub(super) fn key(&self) -> PassageKey {
        PassageKey { chunk_id: self.chunk_id.clone(), namespace: self.namespace }
    }
}

/// The scores of each arm, over all namespaces that are searched.
#[derive(Debug, Default)]
pub(super) struct ArmScores {
    /// BM25; a chunk that is not in here matches no word.
    pub keyword: Scores,
    /// Cosine; a chunk that is not in here has no vector.
    pub semantic: Scores,
    /// Of each namespace, the number of the model that its cosines are of; one for all, where it says nothing.
    pub models: Vec<usize>,
}

impl ArmScores {
    fn model(&self, key: &PassageKey) -> usize {
        self.models.get(key.namespace).copied().unwrap_or(0)
    }

    /// The lowest and the highest cosine of each model.
    fn ranges(&self) -> HashMap<usize, (f32, f32)> {
        let mut ranges: HashMap<usize, (f32, f32)> = HashMap::new();
        for (key, score) in &self.semantic {
            let (low, top) = ranges.entry(self.model(key)).or_insert((f32::INFINITY, f32::NEG_INFINITY));
            (*low, *top) = (low.min(*score), top.max(*score));
        }
        ranges
    }
}

/// Fuses, best first, as `fusion` says. Weights are shares of 1.
pub(super) fn fuse_by(fusion: Fusion, scores: &ArmScores, keyword_weight: f32, semantic_weight: f32) -> Vec<Candidate> {
    match fusion {
        Fusion::Weighted => fuse(scores, keyword_weight, semantic_weight),
        // Of one arm there is nothing to fuse, and it keeps its own scores.
        Fusion::Rrf(_) if keyword_weight <= 0.0 || semantic_weight <= 0.0 => {
            fuse(scores, keyword_weight, semantic_weight)
        }
        Fusion::Rrf(k) => fuse_ranks(scores, keyword_weight, semantic_weight, k),
    }
}

/// Reciprocal rank fusion. A passage that matches no word gets nothing from the keyword arm; one without a vector was
/// not judged by the semantic arm and keeps its rank among the words, as in [`fuse`].
fn fuse_ranks(scores: &ArmScores, keyword_weight: f32, semantic_weight: f32, k: f32) -> Vec<Candidate> {
    let mut candidates = fuse(scores, keyword_weight, semantic_weight);
    let (keyword, mut semantic) = (ranks(&scores.keyword), HashMap::new());
    for model in scores.ranges().keys() {
        let own = scores.semantic.iter().filter(|(key, _)| scores.model(key) == *model);
        semantic.extend(ranks(&own.map(|(key, score)| (key.clone(), *score)).collect()));
    }
    // The first place counts as much whatever k is.
    let part = |rank: usize| (k + 1.0) / (k + rank as f32);
    for candidate in &mut candidates {
        let key = candidate.key();
        let by_words = keyword.get(&key).map_or(0.0, |rank| part(*rank));
        let by_vectors = semantic.get(&key).map_or(by_words, |rank| part(*rank));
        candidate.score = keyword_weight * by_words + semantic_weight * by_vectors;
    }
    // Equals stay in the order that their scores gave.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates
}

/// The rank of each passage, from 1: equal scores share one, and a passage that is in several namespaces counts once,
/// so that the others have the ranks that they would have in one.
fn ranks(scores: &Scores) -> HashMap<PassageKey, usize> {
    let mut order: Vec<(&PassageKey, f32)> = scores.iter().map(|(key, score)| (key, *score)).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut known: HashSet<&str> = HashSet::with_capacity(order.len());
    let (mut rank, mut last) = (0, f32::INFINITY);
    order
        .into_iter()
        .map(|(key, score)| {
            if rank == 0 || score < last {
                (rank, last) = (known.len() + 1, score);
            }
            known.insert(&key.chunk_id);
            (key.clone(), rank)
        })
        .collect()
}

/// Fuses, best first; equal scores in the order of ids and namespaces, so that the same question always gives the same answer.
pub(super) fn fuse(scores: &ArmScores, keyword_weight: f32, semantic_weight: f32) -> Vec<Candidate> {
    let mut keys: Vec<&PassageKey> = scores.keyword.keys().chain(scores.semantic.keys()).collect();
    keys.sort();
    keys.dedup();
    // A chunk without a matching word has BM25 0, which is its true lower end; the cosine has none that is known.
    let keyword_top = scores.keyword.values().copied().fold(0.0, f32::max);
    // Cosines of two models cannot be compared: those of each are scaled by themselves.
    let ranges = scores.ranges();
    let mut candidates: Vec<Candidate> = keys
        .into_iter()
        .map(|key| {
            let keyword = scores.keyword.get(key).copied();
            let semantic = scores.semantic.get(key).copied();
            let keyword_part = scale(keyword.unwrap_or(0.0), 0.0, keyword_top);
            // A passage without a vector (`kb ingest --no-embed`) was not judged by the semantic arm, which is not
            // the same as judged badly: it is taken to agree with the keyword arm, so that the keyword score alone
            // is the score. Zero would put it behind everything that has a vector.
            let semantic_part = semantic.map_or(keyword_part, |score| {
                ranges.get(&scores.model(key)).map_or(0.0, |(low, top)| scale(score, *low, *top))
            });
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
        ArmScores { keyword: map(keyword), semantic: map(semantic), models: Vec::new() }
    }

    #[test]
    fn an_arm_without_weight_changes_nothing() {
        let both = scores(&[("a", 3.0), ("b", 2.0)], &[("b", 0.9), ("a", 0.1)]);
        let order: Vec<String> = fuse(&both, 1.0, 0.0).into_iter().map(|c| c.chunk_id).collect();
        assert_eq!(order, ["a", "b"]);
    }

    #[test]
    fn cosines_of_two_models_are_never_compared() {
        // The second model gives higher cosines to everything. The words like both alike.
        let of = |pairs: &[(&str, usize, f32)]| pairs.iter().map(|(id, space, s)| (key(id, *space), *s)).collect();
        let cosines = [("a", 0, 0.5), ("b", 0, 0.1), ("c", 1, 0.9), ("d", 1, 0.8), ("e", 2, 0.3)];
        let words = [("a", 0, 2.0), ("c", 1, 1.0)];
        let scores = ArmScores { keyword: of(&words), semantic: of(&cosines), models: vec![0, 1, 0] };
        for fusion in [Fusion::Weighted, Fusion::Rrf(60.0)] {
            let fused = fuse_by(fusion, &scores, 0.5, 0.5);
            let of = |id: &str| fused.iter().find(|candidate| candidate.chunk_id == id).unwrap().score;
            assert_eq!(fused[0].chunk_id, "a", "{fusion:?}: best by the words, and of its model");
            // Of its model, `d` is the last of two; `b` is the last of three, and `e` the second.
            let like_d = if fusion == Fusion::Weighted { "b" } else { "e" };
            assert_eq!(of(like_d), of("d"), "{fusion:?}");
            assert!(of("e") > of("b"), "{fusion:?}: namespaces of one model are compared");
        }
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
    fn ranks_are_fused_where_that_is_asked_for() {
        let both = scores(&[("a", 100.0), ("b", 2.0), ("c", 1.0)], &[("b", 0.9), ("c", 0.5), ("a", 0.1)]);
        let order = |fusion, keyword, semantic| {
            let fused = fuse_by(fusion, &both, keyword, semantic);
            fused.into_iter().map(|c| (c.chunk_id, (c.score * 1e4).round() as i32)).collect::<Vec<_>>()
        };
        let expected =
            |places: [(&str, f32); 3]| places.map(|(id, score)| (id.to_owned(), (score * 1e4).round() as i32));
        // b: 1/62 + 1/61, a: 1/61 + 1/63, c: 1/63 + 1/62, each half of a share of 1/61.
        let half = |one: f32, two: f32| (61.0 / one + 61.0 / two) / 2.0;
        let by_ranks = expected([("b", half(62.0, 61.0)), ("a", half(61.0, 63.0)), ("c", half(63.0, 62.0))]);
        assert_eq!(order(Fusion::Rrf(60.0), 0.5, 0.5), by_ranks);
        assert_eq!(order(Fusion::Rrf(0.0), 0.9, 0.1)[0].0, "a", "the weights count");
        assert_eq!(order(Fusion::Weighted, 0.5, 0.5)[0].0, "b");
        assert_eq!(order(Fusion::Rrf(60.0), 0.0, 1.0)[0], ("b".to_owned(), 9000), "one arm keeps its cosines");
    }

    #[test]
    fn twins_share_a_rank_and_equals_do_too() {
        let scores = Scores::from([
            (key("a", 0), 3.0),
            (key("a", 1), 3.0),
            (key("b", 0), 2.0),
            (key("c", 0), 2.0),
            (key("d", 0), 1.0),
        ]);
        let found = ranks(&scores);
        let rank = |id, namespace| found[&key(id, namespace)];
        assert_eq!([rank("a", 0), rank("a", 1), rank("b", 0), rank("c", 0), rank("d", 0)], [1, 1, 2, 2, 4]);
    }

    #[test]
    fn a_passage_without_a_vector_keeps_its_rank_among_the_words() {
        let both = scores(&[("x", 10.0), ("a", 8.0)], &[("a", 0.9), ("b", 0.1)]);
        assert_eq!(fuse_by(Fusion::Rrf(60.0), &both, 0.5, 0.5)[0].chunk_id, "x");
    }

    #[test]
    fn a_single_candidate_has_a_score() {
        assert_eq!(fuse(&scores(&[("a", 2.0)], &[]), 1.0, 0.0)[0].score, 1.0);
    }

    #[test]
    fn the_same_id_in_two_namespaces_is_two_passages_on_one_scale() {
        let keyword = Scores::from([(key("a", 0), 4.0), (key("a", 1), 8.0), (key("b", 0), 8.0)]);
        let fused = fuse(&ArmScores { keyword, ..ArmScores::default() }, 1.0, 0.0);
        let found: Vec<(&str, usize, f32)> =
            fused.iter().map(|c| (c.chunk_id.as_str(), c.namespace, c.score)).collect();
        assert_eq!(found, [("a", 1, 1.0), ("b", 0, 1.0), ("a", 0, 0.5)]);
    }
}

//! Fuses two rankings into one.
//!
//! Weighted sum of scores, each retriever's scaled to 0…1 over the candidates of this question (min-max, as in Bruch et
//! al., "An Analysis of Fusion Functions for Hybrid Retrieval", 2023). Candidates that one retriever did not recall get
//! their real score from it, so that nothing is punished for being just outside a list.
//!
//! On request reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009), with weights: Σ weight / (k + rank), as a
//! share of what the first of both retrievers gets, so that its scores are from 0 to 1 too.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

use super::candidate::{Candidate, ChunkKey, RetrieverScores, Scores};
use super::request::Fusion;
use super::trace::Trace;
use super::understand::Route;

/// Fuses the scores of both retrievers into one ranking, best first, and joins it with those of other wordings.
pub(super) fn fuse(
    route: &Route,
    fusion: Fusion,
    scores: &RetrieverScores,
    wordings: &[(f32, Vec<Candidate>)],
    trace: &mut Trace,
) -> Vec<Candidate> {
    let start = Instant::now();
    let candidates = join(by_route(route, fusion, scores), wordings);
    let recalled = scores.keyword.len() + scores.semantic.len();
    trace.stage("fuse", start, recalled, candidates.len()).ranking(&candidates);
    candidates
}

/// Fuses, best first, with the weights of a route.
pub(super) fn by_route(route: &Route, fusion: Fusion, scores: &RetrieverScores) -> Vec<Candidate> {
    let (keyword, semantic) = (route.keyword, route.semantic);
    match fusion {
        // A single retriever keeps its own scores.
        Fusion::Rrf(k) if keyword > 0.0 && semantic > 0.0 => by_ranks(scores, keyword, semantic, k),
        Fusion::Rrf(_) | Fusion::Weighted => by_scores(scores, keyword, semantic),
    }
}

/// The ranking of a question and those of its other wordings, each with its weight, the question with 1: the weighted
/// mean of a chunk's scores.
pub(super) fn join(own: Vec<Candidate>, others: &[(f32, Vec<Candidate>)]) -> Vec<Candidate> {
    if others.is_empty() {
        return own;
    }
    let all = 1.0 + others.iter().map(|(weight, _)| weight).sum::<f32>();
    let mut joined: HashMap<ChunkKey, Candidate> = HashMap::new();
    for candidate in own {
        let score = candidate.score / all;
        joined.insert(candidate.key(), Candidate { score, ..candidate });
    }
    for (weight, candidate) in others.iter().flat_map(|(weight, ranking)| ranking.iter().map(move |c| (weight, c))) {
        let unknown = || Candidate { score: 0.0, keyword: None, semantic: None, ..candidate.clone() };
        let known = joined.entry(candidate.key()).or_insert_with(unknown);
        known.score += weight * candidate.score / all;
        known.confidence = known.confidence.max(candidate.confidence);
    }
    let mut joined: Vec<Candidate> = joined.into_values().collect();
    joined.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key().cmp(&b.key())));
    joined
}

/// Reciprocal rank fusion. A parent chunk that matches no word gets nothing from keyword search; one without a vector
/// was not judged by semantic search and keeps its rank among the words, as in [`by_scores`].
fn by_ranks(scores: &RetrieverScores, keyword_weight: f32, semantic_weight: f32, k: f32) -> Vec<Candidate> {
    let mut candidates = by_scores(scores, keyword_weight, semantic_weight);
    let (keyword, semantic) = (ranks(&scores.keyword), ranks(&scores.semantic));
    // The first place counts 1, whatever k is.
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

/// The rank of each parent chunk, from 1: equal scores share one, and a parent chunk that is in several namespaces
/// counts once, so that the others have the ranks that they would have in one.
fn ranks(scores: &Scores) -> HashMap<ChunkKey, usize> {
    let mut order: Vec<(&ChunkKey, f32)> = scores.iter().map(|(key, score)| (key, *score)).collect();
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

/// Fuses, best first; equal scores in the order of ids and namespaces, so that the same question always gives the same
/// answer.
fn by_scores(scores: &RetrieverScores, keyword_weight: f32, semantic_weight: f32) -> Vec<Candidate> {
    let keys: BTreeSet<&ChunkKey> = scores.keys().collect();
    // A chunk without a matching word has BM25 0, which is its true lower end.
    let keyword_top = scores.keyword.values().copied().fold(0.0, f32::max);
    // The cosine has no known lower end.
    let widen = |(low, top): (f32, f32), score: &f32| (low.min(*score), top.max(*score));
    let (low, top) = scores.semantic.values().fold((f32::INFINITY, f32::NEG_INFINITY), widen);
    let mut candidates: Vec<Candidate> = keys
        .into_iter()
        .map(|key| {
            let keyword = scores.keyword.get(key).copied();
            let semantic = scores.semantic.get(key).copied();
            let keyword_part = scale(keyword.unwrap_or(0.0), 0.0, keyword_top);
            // A parent chunk without a vector (`kb ingest --no-embed`) was not judged by semantic search, which is not
            // the same as judged badly: it is taken to agree with keyword search, so that the keyword score alone
            // is the score. Zero would put it behind everything that has a vector.
            let semantic_part = semantic.map_or(keyword_part, |score| scale(score, low, top));
            let score = if keyword_weight <= 0.0 {
                // Semantic search alone keeps its meaning: a cosine.
                semantic.unwrap_or(0.0).clamp(0.0, 1.0)
            } else {
                keyword_weight * keyword_part + semantic_weight * semantic_part
            };
            let ChunkKey { chunk_id, namespace } = key.clone();
            Candidate { chunk_id, namespace, score, keyword, semantic, confidence: 0.0 }
        })
        .collect();
    // The keys were in order, and the sort is stable.
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
    use super::super::SearchRequest;
    use super::super::hit::sample::candidate;
    use super::super::request::Kind;
    use super::*;

    fn key(id: &str, namespace: usize) -> ChunkKey {
        ChunkKey { chunk_id: id.into(), namespace }
    }

    fn route(keyword: f32, semantic: f32) -> Route {
        Route { keyword, semantic, ..Route::choose(Kind::Concept, &SearchRequest::new("q"), 1.0) }
    }

    fn scores(keyword: &[(&str, f32)], semantic: &[(&str, f32)]) -> RetrieverScores {
        let map = |pairs: &[(&str, f32)]| pairs.iter().map(|(id, s)| (key(id, 0), *s)).collect();
        RetrieverScores { keyword: map(keyword), semantic: map(semantic) }
    }

    #[test]
    fn a_parent_chunk_without_a_vector_keeps_its_keyword_score() {
        // `x` has no vector. Keyword search likes it best, so it is first; `y` likes it little, so it is not.
        let both = scores(&[("x", 10.0), ("a", 8.0), ("y", 1.0)], &[("a", 0.9), ("b", 0.1)]);
        let fused = by_scores(&both, 0.5, 0.5);
        let score = |id: &str| fused.iter().find(|c| c.chunk_id == id).unwrap().score;
        assert_eq!((score("x"), score("a"), score("b")), (1.0, 0.9, 0.0));
        assert!((score("y") - 0.1).abs() < 1e-6);
        assert_eq!(by_route(&route(0.5, 0.5), Fusion::Rrf(60.0), &both)[0].chunk_id, "x", "and its rank");
        assert_eq!(by_scores(&scores(&[("a", 2.0)], &[]), 1.0, 0.0)[0].score, 1.0, "a single candidate");
    }

    #[test]
    fn ranks_are_fused_on_request() {
        let both = scores(&[("a", 100.0), ("b", 2.0), ("c", 1.0)], &[("b", 0.9), ("c", 0.5), ("a", 0.1)]);
        let order = |fusion, keyword, semantic| {
            let fused = by_route(&route(keyword, semantic), fusion, &both);
            fused.iter().map(|c| format!("{} {:.3}", c.chunk_id, c.score)).collect::<Vec<_>>()
        };
        // b: 1/62 + 1/61, a: 1/61 + 1/63, c: 1/63 + 1/62, each half of a share of 1/61.
        assert_eq!(order(Fusion::Rrf(60.0), 0.5, 0.5), ["b 0.992", "a 0.984", "c 0.976"]);
        assert!(order(Fusion::Rrf(0.0), 0.9, 0.1)[0].starts_with("a "), "the weights count");
        assert!(order(Fusion::Weighted, 0.5, 0.5)[0].starts_with("b "));
        assert_eq!(order(Fusion::Rrf(60.0), 0.0, 1.0)[0], "b 0.900", "one retriever keeps its cosines");
    }

    #[test]
    fn twins_and_equal_scores_share_a_rank() {
        let found = [("a", 0, 3.0), ("a", 1, 3.0), ("b", 0, 2.0), ("c", 0, 2.0), ("d", 0, 1.0)];
        let scores = Scores::from(found.map(|(id, namespace, score)| (key(id, namespace), score)));
        let found = ranks(&scores);
        let rank = |id, namespace| found[&key(id, namespace)];
        assert_eq!([rank("a", 0), rank("a", 1), rank("b", 0), rank("c", 0), rank("d", 0)], [1, 1, 2, 2, 4]);
    }

    #[test]
    fn the_same_id_in_two_namespaces_is_two_parent_chunks_on_one_scale() {
        let keyword = Scores::from([(key("a", 0), 4.0), (key("a", 1), 8.0), (key("b", 0), 8.0)]);
        let fused = by_scores(&RetrieverScores { keyword, ..RetrieverScores::default() }, 1.0, 0.0);
        let found: Vec<(&str, usize, f32)> =
            fused.iter().map(|c| (c.chunk_id.as_str(), c.namespace, c.score)).collect();
        assert_eq!(found, [("a", 1, 1.0), ("b", 0, 1.0), ("a", 0, 0.5)]);
    }

    fn ranking(scores: &[(&str, f32)]) -> Vec<Candidate> {
        scores.iter().map(|(id, score)| Candidate { keyword: Some(*score), ..candidate(id, *score) }).collect()
    }

    #[test]
    fn the_question_weighs_most_and_shared_finds_rise() {
        let others = [(0.4, ranking(&[("b", 1.0), ("c", 0.5)])), (0.4, ranking(&[("b", 1.0), ("d", 0.1)]))];
        let joined = join(ranking(&[("a", 1.0), ("b", 0.5), ("e", 0.1)]), &others);
        let scores: Vec<(&str, i32)> =
            joined.iter().map(|c| (c.chunk_id.as_str(), (c.score * 1000.0).round() as i32)).collect();
        assert_eq!(scores, [("b", 722), ("a", 556), ("c", 111), ("e", 56), ("d", 22)]);
        assert_eq!((joined[0].keyword, joined[2].keyword), (Some(0.5), None), "what retrievers say is of the question");
        assert_eq!(join(ranking(&[("a", 0.3)]), &[]), ranking(&[("a", 0.3)]));
    }
}

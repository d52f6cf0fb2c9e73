//! Passages that differ: maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

use crate::retrieve::Hit;
use crate::retrieve::expand::shingles::Shingles;

/// Letters of a run by which passages are compared: about a stem, or two Chinese words, so that likeness is that of topics.
const SHINGLE: usize = 4;
/// Passages of one document are taken to be at least so alike: what another document says counts as different.
const SAME_DOCUMENT: f32 = 0.5;

/// Chooses `limit` hits, one after the other: each time the one whose score, less its likeness to the most similar of those
/// that are chosen already, is highest. `diversity`, from 0 to 1, is the weight of likeness, the rest that of the score: `λ` of
/// the paper is 1 less it. Hits are in the order in which they were chosen and keep their scores.
pub(super) fn diverse(hits: Vec<Hit>, limit: usize, diversity: f32) -> Vec<Hit> {
    if diversity <= 0.0 {
        return hits.into_iter().take(limit).collect();
    }
    /// A hit, its shingles, and its likeness to the most similar one that is chosen.
    struct Waiting {
        hit: Hit,
        shingles: Shingles,
        likeness: f32,
    }
    let mut waiting: Vec<Waiting> = hits
        .into_iter()
        .map(|hit| Waiting { shingles: Shingles::of(&hit.content, SHINGLE), hit, likeness: 0.0 })
        .collect();
    let mut chosen: Vec<Hit> = Vec::with_capacity(limit.min(waiting.len()));
    while chosen.len() < limit && !waiting.is_empty() {
        let worth = |one: &Waiting| (1.0 - diversity) * one.hit.score - diversity * one.likeness;
        // First of the best: `max_by` would take the last.
        let best = (0..waiting.len()).rev().max_by(|&a, &b| worth(&waiting[a]).total_cmp(&worth(&waiting[b])));
        let Some(best) = best else { break };
        let taken = waiting.remove(best);
        for other in &mut waiting {
            let floor = if other.hit.doc_id == taken.hit.doc_id { SAME_DOCUMENT } else { 0.0 };
            other.likeness = other.likeness.max(floor).max(other.shingles.cosine(&taken.shingles));
        }
        chosen.push(taken.hit);
    }
    chosen
}

/// Takes out all but the first `most` hits of each document.
pub(super) fn cap_per_document(hits: &mut Vec<Hit>, most: usize) {
    let mut counts = std::collections::HashMap::new();
    hits.retain(|hit| {
        let count = counts.entry((hit.namespace.clone(), hit.doc_id.clone())).or_insert(0);
        *count += 1;
        *count <= most
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::expand::sample::hit;

    fn scored(chunk_id: &str, score: f32, text: &str) -> Hit {
        Hit { score, ..hit(chunk_id, text) }
    }

    fn ids(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.chunk_id.as_str()).collect()
    }

    fn hits() -> Vec<Hit> {
        vec![
            scored("a:0", 1.0, "Prime the pump before it is started."),
            scored("a:1", 0.9, "Prime the pump before it is stopped."),
            scored("b:0", 0.8, "Prime the pump after it was started."),
            scored("c:0", 0.6, "Grease all bearings every month."),
        ]
    }

    #[test]
    fn what_is_different_comes_before_more_of_the_same() {
        assert_eq!(ids(&diverse(hits(), 9, 0.0)), ["a:0", "a:1", "b:0", "c:0"]);
        assert_eq!(ids(&diverse(hits(), 9, 0.5)), ["a:0", "c:0", "b:0", "a:1"]);
        assert_eq!(ids(&diverse(hits(), 2, 0.5)), ["a:0", "c:0"]);
        assert_eq!(diverse(hits(), 2, 1.0).len(), 2);
        assert_eq!(ids(&diverse(hits(), 0, 0.5)), [""; 0]);
    }

    #[test]
    fn another_document_counts_as_different() {
        let hits = vec![
            scored("a:0", 1.0, "Abcdefg hijk."),
            scored("a:1", 0.9, "Lmnop qrstu."),
            scored("b:0", 0.8, "Vwxyz zyxwv."),
        ];
        assert_eq!(ids(&diverse(hits, 3, 0.3)), ["a:0", "b:0", "a:1"]);
    }

    #[test]
    fn a_document_has_no_more_than_its_share() {
        let mut hits = hits();
        cap_per_document(&mut hits, 1);
        assert_eq!(ids(&hits), ["a:0", "b:0", "c:0"]);
    }
}

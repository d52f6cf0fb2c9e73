//! Older documents further down.

use jiff::Timestamp;

use super::facts::Documents;
use crate::retrieve::fuse::Candidate;
use crate::store::doc_id_of;

/// Halves the score of a candidate for each half-life (in seconds) that its document is older than `seen_from`, and
/// puts the candidates into their new order. `documents` are those of each namespace. A document without a time keeps
/// its score; gives how many candidates did.
pub(in crate::retrieve) fn decay(
    candidates: &mut [Candidate],
    half_life: f64,
    seen_from: Timestamp,
    documents: &[&Documents],
) -> usize {
    let mut undated = 0;
    for candidate in candidates.iter_mut() {
        let document = documents.get(candidate.namespace).and_then(|known| known.get(doc_id_of(&candidate.chunk_id)));
        match document.and_then(|document| document.time.as_ref()) {
            Some(time) => candidate.score *= share_left(seen_from.duration_since(time.at).as_secs_f64(), half_life),
            None => undated += 1,
        }
    }
    // Equals stay in their order.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    undated
}

/// What is left of a score after so many seconds. What is from the future is new.
fn share_left(age: f64, half_life: f64) -> f32 {
    0.5f64.powf(age.max(0.0) / half_life) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_halved_with_each_half_life() {
        let day = 86_400.0;
        let left = |days: f64| share_left(days * day, 90.0 * day);
        assert_eq!([left(0.0), left(90.0), left(180.0), left(-30.0)], [1.0, 0.5, 0.25, 1.0]);
        assert!((left(45.0) - 0.5f32.sqrt()).abs() < 1e-6);
        assert_eq!(share_left(1e12, 1.0), 0.0);
    }
}

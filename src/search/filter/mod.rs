//! Which documents and chunks may be found at all: what a filter or a period allows. Decided before anything is recalled,
//! so that nothing takes a place in the ranking and is removed later.
//!
//! A filter is parsed ([`parse`]), its values made ready to compare ([`check`]), and decided on what the store knows of
//! documents ([`facts`]). Chunks are read, without their text, only where documents do not decide it. The result is a
//! [`Scope`](crate::store::Scope) for each namespace ([`scope`]).

mod check;
mod facts;
mod parse;
mod scope;
mod syntax;
mod tokens;
mod value;

pub use facts::Facts;
pub use scope::{scopes, scopes_within};
pub use syntax::Filter;

use facts::Documents;
use jiff::Timestamp;

use super::candidate::Candidate;
use crate::text::Period;

/// What a search or a list is restricted to. All fields must hold; `None` allows everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restriction {
    pub filter: Option<Filter>,
    /// Documents from before the beginning of this.
    pub before: Option<Period>,
    /// Documents from the beginning of this on.
    pub after: Option<Period>,
    /// Documents from no later than the end of this.
    pub as_of: Option<Period>,
}

impl Restriction {
    pub fn is_empty(&self) -> bool {
        *self == Restriction::default()
    }

    /// The moment that ages are counted to.
    pub(super) fn seen_from(&self, now: Timestamp) -> Timestamp {
        self.as_of.map_or(now, |period| period.end.min(now))
    }
}

/// Halves the score of a candidate for each half-life (in seconds) that its document is older than `seen_from`, and
/// sorts the candidates anew. `documents` are those of each namespace. Documents without a time keep their score; returns
/// how many candidates did.
pub(super) fn decay(
    candidates: &mut [Candidate],
    half_life: f64,
    seen_from: Timestamp,
    documents: &[&Documents],
) -> usize {
    let mut undated = 0;
    for candidate in candidates.iter_mut() {
        let document = documents.get(candidate.namespace).and_then(|known| known.get(candidate.chunk_id.doc_id()));
        match document.and_then(|document| document.time.as_ref()) {
            Some(time) => candidate.score *= share_left(seen_from.duration_since(time.at).as_secs_f64(), half_life),
            None => undated += 1,
        }
    }
    // The sort is stable: equals keep their order.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    undated
}

/// The share of a score that is left after so many seconds. Documents from the future count as new.
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

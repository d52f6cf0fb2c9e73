//! Several scores to one: how much speaks for a section, a document, or passages that became one.

/// What the next best adds of what the best leaves open; the one after it adds this share of that, and so on.
const NEXT: f32 = 0.25;

/// The joint score of what has the given scores, each from 0 to 1.
///
/// The best counts whole; each further one adds a quarter of what the one before it could, of what is left up to 1:
/// `s₁ + (1 − s₁)(s₂/4 + s₃/16 + …)`. So the result is never below the best and never above 1, two good passages are
/// better than one, and many middling ones cannot outdo a good one: a long section is not a better one.
pub(in crate::retrieve) fn joined(scores: impl IntoIterator<Item = f32>) -> f32 {
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
    fn several_are_better_than_one_and_many_middling_ones_are_not() {
        assert_eq!(joined([]), 0.0);
        assert_eq!(joined([0.5]), 0.5);
        assert_eq!(joined([0.4, 0.6]), 0.6 + 0.4 * 0.1);
        assert!(joined([0.5; 50]) < joined([0.6]));
    }

    proptest! {
        #[test]
        fn the_joint_score_lies_between_the_best_and_one(scores in prop::collection::vec(0.0f32..=1.0, 1..30)) {
            let best = scores.iter().copied().fold(0.0, f32::max);
            let mut turned = scores.clone();
            turned.reverse();
            let joint = joined(scores);
            prop_assert!((best..=1.0).contains(&joint));
            prop_assert_eq!(joint, joined(turned));
        }
    }
}

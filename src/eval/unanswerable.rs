//! Measures how well the confidence separates questions with an answer from those without.

use super::figures::{Figures, UNANSWERABLE_FIGURES};

/// The share of the questions with an answer that a threshold must keep.
const KEPT: f64 = 0.95;

/// The figures for the confidences of the questions with an answer and of those without.
pub(super) fn figures(mut answerable: Vec<f32>, mut unanswerable: Vec<f32>) -> Figures {
    answerable.sort_by(f32::total_cmp);
    unanswerable.sort_by(f32::total_cmp);
    let below = |limit: f32| unanswerable.partition_point(|one| *one < limit);
    let up_to = |limit: f32| unanswerable.partition_point(|one| *one <= limit);
    // Equals count half (Mann and Whitney, 1947).
    let wins: usize = answerable.iter().map(|one| below(*one) + up_to(*one)).sum();
    let pairs = 2 * answerable.len() * unanswerable.len();
    let least = ((1.0 - KEPT) * answerable.len() as f64) as usize;
    let refused = answerable.get(least).map_or(0, |limit| below(*limit));
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    let values = [share(wins, pairs), share(refused, unanswerable.len())];
    Figures(UNANSWERABLE_FIGURES.into_iter().zip(values).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(answerable: &[f32], unanswerable: &[f32]) -> Vec<f64> {
        let Figures(figures) = figures(answerable.to_vec(), unanswerable.to_vec());
        figures.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn separated_confidences_score_one_and_equal_ones_half() {
        assert_eq!(values(&[0.8, 0.9], &[0.1, 0.2]), [1.0, 1.0]);
        assert_eq!(values(&[0.5, 0.5], &[0.5]), [0.5, 0.0]);
        assert_eq!(values(&[0.1], &[0.9]), [0.0, 0.0]);
        assert_eq!(values(&[0.3, 0.9], &[0.2, 0.4, 0.6, 0.95]), [0.5, 0.25]);
    }

    #[test]
    fn one_in_twenty_may_be_lost() {
        let answerable: Vec<f32> = (0..40).map(|number| if number < 2 { 0.0 } else { 0.9 }).collect();
        assert_eq!(values(&answerable, &[0.5])[1], 1.0);
        assert_eq!(values(&answerable[..39], &[0.5])[1], 0.0);
    }
}

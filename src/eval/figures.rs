//! The figures of an evaluation, and conditions on them.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::error::{Error, Result, Setting};
use crate::search::Method;

/// The share of the questions with an answer that a threshold must keep.
const KEPT: f64 = 0.95;
/// How many documents of a ranking are judged, and among how many hits the answer to a question counts.
pub(super) const DEPTH: usize = 10;

/// The names of the figures, as `trec_eval` counts them: normalised discounted cumulative gain with linear gains, the
/// share of the relevant documents that were found, one over the rank of the first relevant document, and whether the
/// first document is relevant.
pub const METRICS: [&str; 4] = ["ndcg@10", "recall@10", "mrr@10", "p@1"];

/// The names of the figures with answers left out. The first is the area under the receiver operating characteristic:
/// the probability that a question with an answer has more confidence than one without. The second is the share of the
/// questions without an answer that have less confidence than 95 % of those with one.
pub const UNANSWERABLE_FIGURES: [&str; 2] = ["auroc", "refused@95"];

/// The names of the figures of questions. Over those with an answer: the share whose answer is the first hit, among the
/// first five and among the first ten, and one over the place of the answer. Over those without: the share that find
/// nothing.
pub const QUESTION_FIGURES: [&str; 5] = ["hit@1", "hit@5", "hit@10", "mrr@10", "refused"];

/// The figures of a ranking of at most ten documents, given the grades of the relevant ones, in the order of
/// [`METRICS`].
pub(super) fn metrics(ranking: &[String], relevant: &HashMap<String, f64>) -> [f64; METRICS.len()] {
    let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let gain = |rank: usize, id: &String| relevant.get(id).map_or(0.0, |grade| grade * discount(rank));
    let dcg: f64 = ranking.iter().enumerate().map(|(rank, id)| gain(rank, id)).sum();
    let mut grades: Vec<f64> = relevant.values().copied().collect();
    grades.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = grades.iter().take(DEPTH).enumerate().map(|(rank, grade)| grade * discount(rank)).sum();
    let found = ranking.iter().filter(|id| relevant.contains_key(*id)).count();
    let first = ranking.iter().position(|id| relevant.contains_key(id));
    [
        if ideal > 0.0 { dcg / ideal } else { 0.0 },
        found as f64 / relevant.len().max(1) as f64,
        first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
        f64::from(u8::from(first == Some(0))),
    ]
}

/// The figures for the confidences of the questions with an answer and of those without.
pub(super) fn unanswerable_figures(mut answerable: Vec<f32>, mut unanswerable: Vec<f32>) -> Figures {
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

/// Figures by name, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures(pub Vec<(&'static str, f64)>);

impl Figures {
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// A figure that must be reached: `hybrid.ndcg@10>=0.40` of a set, `hit@5>=0.9` of questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// `None` for the figures of questions.
    pub method: Option<Method>,
    pub figure: &'static str,
    least: f64,
}

fn of_sets() -> Vec<&'static str> {
    [&METRICS[..], &UNANSWERABLE_FIGURES].concat()
}

impl Condition {
    /// Whether its figure is measured with answers left out.
    pub fn is_unanswerable(&self) -> bool {
        UNANSWERABLE_FIGURES.contains(&self.figure)
    }

    /// What is wrong with figures, if anything.
    pub fn unmet(&self, figures: &Figures) -> Option<String> {
        let of = self.method.map_or_else(String::new, |method| format!("{}.", method.name()));
        match figures.get(self.figure) {
            Some(value) if value >= self.least => None,
            Some(value) => Some(format!("{of}{} is {value:.4}, below {}", self.figure, self.least)),
            None => Some(format!("{of}{} was not measured", self.figure)),
        }
    }
}

impl std::str::FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (left, least) = text.split_once(">=")?;
            let (method, figure) = match left.trim().split_once('.') {
                Some((method, figure)) => (Some(<Method as clap::ValueEnum>::from_str(method, true).ok()?), figure),
                None => (None, left.trim()),
            };
            // Sets and questions both have an mrr@10.
            let figures = if method.is_some() { of_sets() } else { QUESTION_FIGURES.to_vec() };
            let figure = figures.into_iter().find(|name| name.eq_ignore_ascii_case(figure))?;
            Some(Condition { method, figure, least: least.trim().parse().ok()? })
        };
        parse().ok_or_else(|| {
            Error::usage(format!(
                "invalid value {text:?} for {}: expected METHOD.FIGURE>=NUMBER, of questions FIGURE>=NUMBER",
                Setting("min")
            ))
            .hint(format!(
                "for example 'hybrid.ndcg@10>=0.40'; the figures of sets are {}; those of questions {}",
                of_sets().join(", "),
                QUESTION_FIGURES.join(", ")
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(ranking: &[&str], relevant: &[(&str, f64)]) -> [f64; METRICS.len()] {
        let ranking: Vec<String> = ranking.iter().map(|id| (*id).to_owned()).collect();
        metrics(&ranking, &relevant.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect())
    }

    #[test]
    fn figures_agree_with_trec_eval() {
        let perfect = figures(&["a", "b"], &[("a", 2.0), ("b", 1.0)]);
        assert_eq!(perfect, [1.0; 4]);
        let second = figures(&["x", "a"], &[("a", 1.0)]);
        assert!((second[0] - 0.6309).abs() < 1e-4);
        assert_eq!(second[1..], [1.0, 0.5, 0.0]);
        assert_eq!(figures(&["x"], &[("a", 1.0)]), [0.0; 4]);
    }

    fn values(answerable: &[f32], unanswerable: &[f32]) -> Vec<f64> {
        let Figures(figures) = unanswerable_figures(answerable.to_vec(), unanswerable.to_vec());
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

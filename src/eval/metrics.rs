//! nDCG, recall, reciprocal rank and precision, as `trec_eval` counts them.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::retrieve::Method;

/// The figures for one query, or their averages over many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Normalised discounted cumulative gain of the first ten, with linear gains.
    #[serde(rename = "ndcg@10")]
    pub ndcg: f64,
    /// The share of the relevant documents among the first ten.
    #[serde(rename = "recall@10")]
    pub recall: f64,
    /// One over the rank of the first relevant document, 0 beyond the tenth.
    #[serde(rename = "mrr@10")]
    pub mrr: f64,
    /// Whether the first document is relevant.
    #[serde(rename = "p@1")]
    pub precision: f64,
}

/// One of the figures, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `ndcg@10`
    Ndcg,
    /// `recall@10`
    Recall,
    /// `mrr@10`
    Mrr,
    /// `p@1`
    Precision,
}

impl Metric {
    /// All of them with their names.
    pub const ALL: [(Metric, &'static str); 4] =
        [(Metric::Ndcg, "ndcg@10"), (Metric::Recall, "recall@10"), (Metric::Mrr, "mrr@10"), (Metric::Precision, "p@1")];

    /// Its name.
    pub fn name(self) -> &'static str {
        Metric::ALL.iter().find(|(metric, _)| *metric == self).map_or("", |(_, name)| name)
    }
}

impl Metrics {
    /// The figures of a ranking of at most ten documents, given the grades of the relevant ones.
    pub fn of(ranking: &[String], relevant: &HashMap<String, f64>) -> Self {
        let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let gain = |rank: usize, id: &String| relevant.get(id).map_or(0.0, |grade| grade * discount(rank));
        let dcg: f64 = ranking.iter().enumerate().map(|(rank, id)| gain(rank, id)).sum();
        let mut grades: Vec<f64> = relevant.values().copied().collect();
        grades.sort_by(|a, b| b.total_cmp(a));
        let ideal: f64 = grades.iter().take(10).enumerate().map(|(rank, grade)| grade * discount(rank)).sum();
        let found = ranking.iter().filter(|id| relevant.contains_key(*id)).count();
        let first = ranking.iter().position(|id| relevant.contains_key(id));
        Metrics {
            ndcg: if ideal > 0.0 { dcg / ideal } else { 0.0 },
            recall: found as f64 / relevant.len().max(1) as f64,
            mrr: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            precision: f64::from(u8::from(first == Some(0))),
        }
    }

    /// Adds another query's figures.
    pub fn add(&mut self, other: &Metrics) {
        self.ndcg += other.ndcg;
        self.recall += other.recall;
        self.mrr += other.mrr;
        self.precision += other.precision;
    }

    /// The averages of `count` queries' sums.
    pub fn divided_by(self, count: usize) -> Self {
        let n = count.max(1) as f64;
        Metrics { ndcg: self.ndcg / n, recall: self.recall / n, mrr: self.mrr / n, precision: self.precision / n }
    }

    /// One of the figures.
    pub fn get(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Ndcg => self.ndcg,
            Metric::Recall => self.recall,
            Metric::Mrr => self.mrr,
            Metric::Precision => self.precision,
        }
    }
}

/// A figure that must be reached, like `hybrid.ndcg@10>=0.40`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Of which method.
    pub method: Method,
    /// Which figure.
    pub metric: Metric,
    /// At least this.
    pub least: f64,
}

impl std::str::FromStr for Condition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::usage(format!("--min {text:?} is no condition"))
                .hint("write METHOD.FIGURE>=NUMBER, for example 'hybrid.ndcg@10>=0.40'; figures are ndcg@10, recall@10, mrr@10 and p@1")
        };
        let (left, least) = text.split_once(">=").ok_or_else(bad)?;
        let (method, metric) = left.trim().split_once('.').ok_or_else(bad)?;
        let method = <Method as clap::ValueEnum>::from_str(method, true).map_err(|_| bad())?;
        let metric = metric.to_lowercase();
        let (metric, _) = Metric::ALL.into_iter().find(|(_, name)| *name == metric).ok_or_else(bad)?;
        Ok(Condition { method, metric, least: least.trim().parse().map_err(|_| bad())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(ranking: &[&str], relevant: &[(&str, f64)]) -> Metrics {
        let ranking: Vec<String> = ranking.iter().map(|id| (*id).to_owned()).collect();
        Metrics::of(&ranking, &relevant.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect())
    }

    #[test]
    fn figures_agree_with_trec_eval() {
        let perfect = figures(&["a", "b"], &[("a", 2.0), ("b", 1.0)]);
        assert_eq!((perfect.ndcg, perfect.recall, perfect.mrr, perfect.precision), (1.0, 1.0, 1.0, 1.0));
        let second = figures(&["x", "a"], &[("a", 1.0)]);
        assert!((second.ndcg - 0.6309).abs() < 1e-4);
        assert_eq!((second.recall, second.mrr, second.precision), (1.0, 0.5, 0.0));
        assert_eq!(figures(&["x"], &[("a", 1.0)]), Metrics::default());
    }

    #[test]
    fn conditions_are_read_and_bad_ones_refused() {
        let condition: Condition = "hybrid.ndcg@10>=0.40".parse().unwrap();
        assert_eq!((condition.method, condition.metric, condition.least), (Method::Hybrid, Metric::Ndcg, 0.4));
        for bad in ["hybrid", "hybrid.x>=1", "none.p@1>=1", "hybrid.p@1>=x", "hybrid.p@1>1"] {
            assert!(bad.parse::<Condition>().is_err(), "{bad}");
        }
    }
}

//! What a run asked of the model, and what came of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::failure::Reason;
use crate::text::count;

/// What a run asked of the model, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LlmReport {
    /// The model.
    pub model: String,
    /// Requests that were sent, repeated ones too.
    pub requests: usize,
    /// Replies that were good.
    pub answered: usize,
    /// Answers that were in the cache; of contexts, each line is one.
    pub cached: usize,
    /// Answers that there are not, by reason; the rules took their place.
    pub failed: BTreeMap<&'static str, usize>,
    /// What the last failure of each reason said.
    pub last_failures: BTreeMap<&'static str, String>,
    /// Tokens that were sent.
    pub input_tokens: u64,
    /// Tokens that were answered.
    pub output_tokens: u64,
    /// What they cost, where prices are set.
    pub cost: Option<f64>,
    /// Why answers could not be kept, where they could not: the next run pays for them again.
    pub not_kept: Option<String>,
}

impl LlmReport {
    pub(super) fn fail(&mut self, reason: Reason, detail: &str) {
        *self.failed.entry(reason.name()).or_default() += 1;
        self.last_failures.insert(reason.name(), detail.to_owned());
    }

    /// How many answers there are not.
    pub fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// Whether the model was asked for anything.
    pub fn was_used(&self) -> bool {
        self.answered + self.cached + self.failures() > 0
    }

    /// In a line, for people: `model m: 3 requests, 12 answers from the cache, 2 failed (1 timeout, 1 malformed answer); 812
    /// tokens sent, 96 answered`.
    pub fn in_words(&self) -> String {
        let mut parts = vec![count(self.requests, "request")];
        if self.cached > 0 {
            parts.push(format!("{} from the cache", count(self.cached, "answer")));
        }
        if !self.failed.is_empty() {
            let reasons: Vec<String> = self.failed.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
            parts.push(format!("{} failed ({})", self.failures(), reasons.join(", ")));
        }
        let mut line = format!("model {}: {}", self.model, parts.join(", "));
        if self.input_tokens + self.output_tokens > 0 {
            line.push_str(&format!("; {} tokens sent, {} answered", self.input_tokens, self.output_tokens));
        }
        if let Some(cost) = self.cost.filter(|cost| *cost > 0.0) {
            line.push_str(&format!(", {cost:.4} spent"));
        }
        if let Some(why) = &self.not_kept {
            line.push_str(&format!("; answers could not be kept: {why}"));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_in_a_line() {
        let mut report = LlmReport { model: "m".into(), requests: 1, cached: 2, ..LlmReport::default() };
        assert_eq!(report.in_words(), "model m: 1 request, 2 answers from the cache");
        report.fail(Reason::Timeout, "a");
        report.fail(Reason::Timeout, "b");
        report.fail(Reason::Malformed, "c");
        let report = LlmReport { input_tokens: 8, output_tokens: 9, cost: Some(0.5), ..report };
        assert_eq!(
            report.in_words(),
            "model m: 1 request, 2 answers from the cache, 3 failed (1 malformed answer, 2 timeout); 8 tokens sent, 9 answered, 0.5000 spent"
        );
        assert_eq!((report.last_failures["timeout"].as_str(), report.was_used()), ("b", true));
    }
}

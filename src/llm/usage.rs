//! Counts what a run asks and uses: the limit in tokens, the report, and the estimate before anything is sent.
//!
//! The tokens that a request may use are reserved before it is sent and settled afterwards, so that concurrent requests
//! cannot exceed the limit together.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::endpoint::{Failure, Reason};
use crate::text::count;

/// Tokens of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Sent.
    pub input: u64,
    /// Answered.
    pub output: u64,
}

/// What a run asked of the model, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LlmReport {
    pub model: String,
    /// Requests that were sent, retries included.
    pub requests: usize,
    /// Usable replies.
    pub answered: usize,
    /// Answers from the cache; each chunk context counts as one.
    pub cached: usize,
    /// Missing answers by reason; the rules replaced them.
    pub failed: BTreeMap<&'static str, usize>,
    /// The message of the last failure of each reason.
    pub last_failures: BTreeMap<&'static str, String>,
    /// Tokens that were sent.
    pub input_tokens: u64,
    /// Tokens that were answered.
    pub output_tokens: u64,
    /// Why answers could not be cached, if they could not.
    pub not_kept: Option<String>,
}

impl LlmReport {
    pub(super) fn fail(&mut self, failure: &Failure) {
        *self.failed.entry(failure.reason.name()).or_default() += 1;
        self.last_failures.insert(failure.reason.name(), failure.detail.clone());
    }

    pub fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// One line for people: `model m: 3 requests, 12 answers from the cache, 2 failed (1 timeout, 1 malformed answer);
    /// 812 tokens sent, 96 answered`.
    pub fn in_words(&self) -> String {
        let mut line = format!("model {}: {}", self.model, count(self.requests, "request"));
        if self.cached > 0 {
            line.push_str(&format!(", {} from the cache", count(self.cached, "answer")));
        }
        if !self.failed.is_empty() {
            let reasons: Vec<String> = self.failed.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
            line.push_str(&format!(", {} failed ({})", self.failures(), reasons.join(", ")));
        }
        if self.input_tokens + self.output_tokens > 0 {
            line.push_str(&format!("; {} tokens sent, {} received", self.input_tokens, self.output_tokens));
        }
        if let Some(why) = &self.not_kept {
            line.push_str(&format!("; answers could not be cached: {why}"));
        }
        line
    }
}

/// The report of a run in progress, and its limit.
#[derive(Debug)]
pub(super) struct UsageMeter {
    max_tokens: Option<u64>,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
pub(super) struct Counts {
    pub report: LlmReport,
    /// Tokens of requests that have no answer yet.
    reserved: u64,
}

impl UsageMeter {
    pub(super) fn new(model: &str, max_tokens: Option<u64>) -> Self {
        let report = LlmReport { model: model.to_owned(), ..LlmReport::default() };
        UsageMeter { max_tokens, counts: Mutex::new(Counts { report, reserved: 0 }) }
    }

    /// Reserves what a request may use. `most` is not computed without a limit: counting tokens takes time.
    pub(super) fn reserve(&self, most: impl Fn() -> Usage) -> Result<Reservation<'_>, Failure> {
        let mut tokens = 0;
        let mut counts = self.lock();
        if let Some(limit) = self.max_tokens {
            let Usage { input, output } = most();
            tokens = input.saturating_add(output);
            let LlmReport { input_tokens, output_tokens, .. } = counts.report;
            let then = [output_tokens, counts.reserved, tokens].into_iter().fold(input_tokens, u64::saturating_add);
            if then > limit {
                return Err(Failure::new(Reason::TokenLimit, "max_tokens leaves no room for another request"));
            }
        }
        counts.reserved += tokens;
        Ok(Reservation { meter: self, tokens })
    }

    /// A thread that panics leaves only counts behind, and each count is complete.
    pub(super) fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens reserved for a request; dropping it releases them.
#[must_use]
#[derive(Debug)]
pub(super) struct Reservation<'a> {
    meter: &'a UsageMeter,
    tokens: u64,
}

impl Reservation<'_> {
    /// The request has used this.
    pub(super) fn settle(self, used: Usage) {
        let report = &mut self.meter.lock().report;
        report.input_tokens = report.input_tokens.saturating_add(used.input);
        report.output_tokens = report.output_tokens.saturating_add(used.output);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.meter.lock().reserved -= self.tokens;
    }
}

/// What a run would ask, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Estimate {
    pub requests: usize,
    /// Answers in the cache.
    pub cached: usize,
    /// Tokens to send, by kb's own tokenizer.
    pub input_tokens: u64,
    /// The most tokens that can be answered.
    pub output_tokens: u64,
}

impl Estimate {
    pub(super) fn add(&mut self, most: Usage) {
        self.requests += 1;
        self.input_tokens += most.input;
        self.output_tokens += most.output;
    }

    pub fn and(self, other: Estimate) -> Estimate {
        Estimate {
            requests: self.requests + other.requests,
            cached: self.cached + other.cached,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
        }
    }

    pub fn in_words(&self) -> String {
        let mut line = count(self.requests, "request");
        if self.requests > 0 {
            let Estimate { input_tokens, output_tokens, .. } = self;
            line.push_str(&format!(", about {input_tokens} tokens to send and at most {output_tokens} to receive"));
        }
        if self.cached > 0 {
            line.push_str(&format!("; {} from the cache", count(self.cached, "answer")));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASK: Usage = Usage { input: 60, output: 40 };

    #[test]
    fn concurrent_requests_cannot_exceed_the_limit_together() {
        let meter = UsageMeter::new("m", Some(250));
        let first = meter.reserve(|| ASK).unwrap();
        let second = meter.reserve(|| ASK).unwrap();
        assert_eq!(meter.reserve(|| ASK).unwrap_err().reason, Reason::TokenLimit);
        first.settle(Usage { input: 60, output: 5 });
        drop(second);
        let report = meter.lock().report.clone();
        assert_eq!((report.input_tokens, report.output_tokens), (60, 5));
        let _third = meter.reserve(|| ASK).unwrap();
        assert!(meter.reserve(|| ASK).is_err());
    }

    #[test]
    fn a_server_that_overstates_its_usage_only_ends_the_run() {
        let meter = UsageMeter::new("m", Some(250));
        meter.reserve(|| ASK).unwrap().settle(Usage { input: u64::MAX, output: u64::MAX });
        assert!(meter.reserve(Usage::default).is_err());
    }

    #[test]
    fn estimates_add_up() {
        let mut one = Estimate::default();
        one.add(Usage { input: 1000, output: 100 });
        one.add(Usage { input: 1000, output: 100 });
        let all = one.and(Estimate { cached: 3, ..Estimate::default() });
        let words = "2 requests, about 2000 tokens to send and at most 200 to receive; 3 answers from the cache";
        assert_eq!(all.in_words(), words);
        assert_eq!(Estimate { cached: 1, ..Estimate::default() }.in_words(), "0 requests; 1 answer from the cache");
    }

    #[test]
    fn a_run_is_reported_in_one_line() {
        let mut report = LlmReport { model: "m".into(), requests: 1, cached: 2, ..LlmReport::default() };
        assert_eq!(report.in_words(), "model m: 1 request, 2 answers from the cache");
        for (reason, detail) in [(Reason::Timeout, "a"), (Reason::Timeout, "b"), (Reason::Malformed, "c")] {
            report.fail(&Failure::new(reason, detail));
        }
        let report = LlmReport { input_tokens: 8, output_tokens: 9, ..report };
        assert_eq!(
            report.in_words(),
            "model m: 1 request, 2 answers from the cache, 3 failed (1 malformed answer, 2 timeout); 8 tokens sent, 9 received"
        );
        assert_eq!(report.last_failures["timeout"], "b");
    }
}

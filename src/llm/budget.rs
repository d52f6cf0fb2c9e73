//! The ceilings of a run: what a request may cost at most is held back before it is sent, and what it did cost is
//! settled after, so that requests at the same time cannot pass a ceiling together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::failure::{Failure, Reason};
use super::settings::{LlmSettings, Prices};

/// Tokens of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Sent.
    pub input: u64,
    /// Answered.
    pub output: u64,
}

impl Usage {
    fn all(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    pub(super) fn and(self, other: Usage) -> Usage {
        Usage { input: self.input.saturating_add(other.input), output: self.output.saturating_add(other.output) }
    }

    fn without(self, other: Usage) -> Usage {
        Usage { input: self.input.saturating_sub(other.input), output: self.output.saturating_sub(other.output) }
    }
}

/// What a run may spend and has spent.
#[derive(Debug)]
pub(super) struct Budget {
    max_tokens: Option<u64>,
    max_cost: Option<f64>,
    prices: Option<Prices>,
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    settled: Usage,
    held: Usage,
}

impl Budget {
    pub(super) fn new(settings: &LlmSettings) -> Self {
        let LlmSettings { max_tokens, max_cost, prices, .. } = *settings;
        Budget { max_tokens, max_cost, prices, spent: Mutex::default() }
    }

    /// Whether there is a ceiling at all; counting tokens for none would be for nothing.
    pub(super) fn has_ceiling(&self) -> bool {
        self.max_tokens.is_some() || self.max_cost.is_some()
    }

    /// What was spent.
    pub(super) fn spent(&self) -> Usage {
        self.lock().settled
    }

    /// Holds back what a request costs at most.
    pub(super) fn hold(&self, most: Usage) -> Result<Hold<'_>, Failure> {
        let mut spent = self.lock();
        let then = spent.settled.and(spent.held).and(most);
        if self.max_tokens.is_some_and(|ceiling| then.all() > ceiling) {
            return Err(Failure::new(Reason::Ceiling, "max_tokens leaves no room for another request"));
        }
        let cost = self.prices.map_or(0.0, |prices| prices.of(then.input, then.output));
        if self.max_cost.is_some_and(|ceiling| cost > ceiling) {
            return Err(Failure::new(Reason::Ceiling, "max_cost leaves no room for another request"));
        }
        spent.held = spent.held.and(most);
        Ok(Hold { budget: self, most })
    }

    /// What a thread has left that crashed with it is sums of numbers, which are whole.
    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is held back for a request; given back where nothing is settled.
#[must_use]
#[derive(Debug)]
pub(super) struct Hold<'a> {
    budget: &'a Budget,
    most: Usage,
}

impl Hold<'_> {
    /// The request has cost this.
    pub(super) fn settle(self, used: Usage) {
        let mut spent = self.budget.lock();
        spent.settled = spent.settled.and(used);
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        let mut spent = self.budget.lock();
        spent.held = spent.held.without(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(max_tokens: Option<u64>, max_cost: Option<f64>) -> Budget {
        let prices = max_cost.map(|_| Prices { input: 1.0, output: 10.0 });
        let settings =
            LlmSettings { max_tokens, max_cost, prices, ..LlmSettings::new("http://localhost", "m").unwrap() };
        Budget::new(&settings)
    }

    const ASK: Usage = Usage { input: 60, output: 40 };

    #[test]
    fn requests_at_the_same_time_cannot_pass_the_ceiling_together() {
        let budget = budget(Some(250), None);
        let first = budget.hold(ASK).unwrap();
        let second = budget.hold(ASK).unwrap();
        assert_eq!(budget.hold(ASK).unwrap_err().reason, Reason::Ceiling);
        first.settle(Usage { input: 60, output: 5 });
        drop(second);
        assert_eq!(budget.spent(), Usage { input: 60, output: 5 });
        let _third = budget.hold(ASK).unwrap();
        assert!(budget.hold(ASK).is_err());
    }

    #[test]
    fn money_has_its_own_ceiling() {
        // 60 tokens at 1 and 40 at 10 for a million: 460 millionths.
        let budget = budget(None, Some(0.001));
        let held: Vec<_> = (0..2).map(|_| budget.hold(ASK).unwrap()).collect();
        assert!(budget.hold(ASK).unwrap_err().detail.contains("max_cost"));
        held.into_iter().for_each(|hold| hold.settle(Usage { input: u64::MAX, output: u64::MAX }));
        assert!(budget.hold(Usage::default()).is_err(), "a server that lies about its usage only stops us");
    }
}

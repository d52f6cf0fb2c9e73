//! What a run would cost, before anything is sent.

use serde::Serialize;

use super::budget::Usage;
use super::settings::Prices;
use crate::text::count;

/// What a run would ask for, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Requests to send.
    pub requests: usize,
    /// Answers that are there already.
    pub cached: usize,
    /// Tokens to send, by the tokenizer that is in the program.
    pub input_tokens: u64,
    /// Tokens to be answered, at most.
    pub output_tokens: u64,
    /// What they cost at most, where prices are set.
    pub cost: Option<f64>,
}

impl Estimate {
    pub(super) fn add(&mut self, most: Usage, prices: Option<Prices>) {
        self.requests += 1;
        self.input_tokens += most.input;
        self.output_tokens += most.output;
        self.cost = prices.map(|prices| prices.of(self.input_tokens, self.output_tokens));
    }

    /// Both together: of several documents.
    pub fn and(self, other: Estimate) -> Estimate {
        Estimate {
            requests: self.requests + other.requests,
            cached: self.cached + other.cached,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost: match (self.cost, other.cost) {
                (Some(one), Some(two)) => Some(one + two),
                (one, two) => one.or(two),
            },
        }
    }

    /// In a line, for people.
    pub fn in_words(&self) -> String {
        let mut line = count(self.requests, "request");
        if self.requests > 0 {
            line.push_str(&format!(
                ", about {} tokens to send and at most {} to be answered",
                self.input_tokens, self.output_tokens
            ));
        }
        if self.cached > 0 {
            line.push_str(&format!("; {} from the cache", count(self.cached, "answer")));
        }
        if let Some(cost) = self.cost.filter(|_| self.requests > 0) {
            line.push_str(&format!("; at most {cost:.4} to pay"));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_add_up() {
        let prices = Some(Prices { input: 1.0, output: 10.0 });
        let mut one = Estimate::default();
        one.add(Usage { input: 1000, output: 100 }, prices);
        one.add(Usage { input: 1000, output: 100 }, prices);
        let all = one.and(Estimate { cached: 3, ..Estimate::default() });
        let told = "2 requests, about 2000 tokens to send and at most 200 to be answered; 3 answers from the cache; at most 0.0040 to pay";
        assert_eq!(all.in_words(), told);
        assert_eq!(Estimate { cached: 1, ..Estimate::default() }.in_words(), "0 requests; 1 answer from the cache");
    }
}

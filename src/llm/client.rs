//! Asking the model: cache, ceilings, retries, and an end where asking is of no use any more.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::budget::{Budget, Usage};
use super::cache::Cache;
use super::failure::{Failure, Reason};
use super::prompts::Prompts;
use super::report::LlmReport;
use super::retry;
use super::settings::LlmSettings;
use super::wire::{Reply, Wire};
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::text::char_count;

/// After so many failures in a row, none of which further requests could help, no more are sent: an endpoint that is down
/// must not be waited for ten thousand times.
const MOST_FAILURES_IN_A_ROW: usize = 5;
/// Tokens of the protocol around the two messages.
const AROUND: u64 = 16;

/// A question to the model, filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The prompt's name.
    pub prompt: &'static str,
    /// A hash of the prompt's text.
    pub(super) version: String,
    /// What the model is told.
    pub system: String,
    /// What it is given.
    pub user: String,
    /// Tokens of the answer at most.
    pub most_output: u64,
}

impl Ask {
    /// What tells its answer from all others.
    fn key(&self, model: &str) -> String {
        let limit = self.most_output.to_string();
        key(&[model, self.prompt, &self.version, &self.system, &self.user, &limit])
    }

    /// What it costs at most.
    pub(super) fn most(&self) -> Usage {
        Usage { input: tokens(&self.system) + tokens(&self.user) + AROUND, output: self.most_output }
    }
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as the settings say, for each attempt anew.
    Full,
    /// No longer than one attempt takes: somebody is waiting.
    Short,
}

/// The client of a run: what it spends and what fails is counted from its beginning.
#[derive(Debug)]
pub struct Client {
    settings: LlmSettings,
    wire: Wire,
    cache: Option<Cache>,
    prompts: Prompts,
    budget: Budget,
    permits: Semaphore,
    tally: Mutex<LlmReport>,
    failed_in_a_row: AtomicUsize,
    given_up: OnceLock<String>,
}

impl Client {
    /// A client whose answers are kept in the folder of a store, where one is named, and whose prompts may lie there.
    ///
    /// # Errors
    /// Where a user's prompt lacks something, or the system has no certificates.
    pub fn new(settings: LlmSettings, store: Option<&Path>) -> Result<Self> {
        Ok(Client {
            wire: Wire::new(&settings)?,
            cache: store.map(Cache::of_store),
            prompts: Prompts::of_user(&settings, store)?,
            budget: Budget::new(&settings),
            permits: Semaphore::new(settings.concurrency),
            tally: Mutex::new(LlmReport { model: settings.model.clone(), ..LlmReport::default() }),
            failed_in_a_row: AtomicUsize::new(0),
            given_up: OnceLock::new(),
            settings,
        })
    }

    /// What it was made with.
    pub fn settings(&self) -> &LlmSettings {
        &self.settings
    }

    /// What was asked so far, and what came of it.
    pub fn report(&self) -> LlmReport {
        let Usage { input, output } = self.budget.spent();
        let cost = self.settings.prices.map(|prices| prices.of(input, output));
        LlmReport { input_tokens: input, output_tokens: output, cost, ..self.tally().clone() }
    }

    /// Fills a prompt in.
    pub(super) fn fill(&self, prompt: &'static str, values: &BTreeMap<&str, String>, most_output: u64) -> Result<Ask> {
        let filled = self.prompts.fill(prompt, values)?;
        Ok(Ask { prompt, version: filled.version, system: filled.system, user: filled.user, most_output })
    }

    /// What tells a part of an answer from all others: the input that it is made from.
    pub(super) fn key_of_part(&self, prompt: &'static str, input: &[&str]) -> String {
        let version = self.prompts.version(prompt);
        key(&[&[self.settings.model.as_str(), prompt, &version], input].concat())
    }

    /// What is kept on disk with this key, where `read` takes it.
    pub(super) fn kept<T>(&self, key: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        read(&self.cache.as_ref()?.get(key)?).ok()
    }

    /// Keeps an answer, or a part of one.
    pub(super) fn keep(&self, key: &str, prompt: &str, answer: &str) {
        if let Some(cache) = &self.cache
            && let Err(error) = cache.put(key, &self.settings.model, prompt, answer)
        {
            self.tally().not_kept = Some(crate::error::plain_io(&error));
        }
    }

    /// Counts answers that were kept.
    pub(super) fn count_kept(&self, answers: usize) {
        self.tally().cached += answers;
    }

    /// Asks, unless the answer is kept. `read` makes of an answer what is wanted, or says what is wrong with it; what it
    /// refuses is not kept.
    pub(super) async fn ask<T>(
        &self,
        ask: &Ask,
        patience: Patience,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync,
    ) -> Result<T, Failure> {
        let key = ask.key(&self.settings.model);
        if let Some(kept) = self.kept(&key, &read) {
            self.count_kept(1);
            return Ok(kept);
        }
        let whole = |answer: &str| read(answer).map(|read| (read, answer.to_owned()));
        let (read, answer) = self.ask_anew(ask, patience, whole).await?;
        self.keep(&key, ask.prompt, &answer);
        Ok(read)
    }

    /// Asks, whatever is kept, and keeps nothing.
    pub(super) async fn ask_anew<T>(
        &self,
        ask: &Ask,
        patience: Patience,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync,
    ) -> Result<T, Failure> {
        let outcome = match patience {
            Patience::Full => self.reply(ask, patience).await,
            Patience::Short => {
                tokio::time::timeout(self.settings.timeout, self.reply(ask, patience)).await.unwrap_or_else(|_| {
                    let seconds = self.settings.timeout.as_secs();
                    Err(Failure::new(Reason::Timeout, format!("no answer within {seconds} s")))
                })
            }
        };
        self.judge(&outcome);
        let answer = outcome.and_then(|reply| self.accept(&reply.text, read));
        match &answer {
            Ok(_) => self.tally().answered += 1,
            Err(failure) => self.tally().fail(failure.reason, &failure.detail),
        }
        answer
    }

    /// Asks until there is a reply or another attempt is of no use.
    async fn reply(&self, ask: &Ask, patience: Patience) -> Result<Reply, Failure> {
        let closed = || Failure::new(Reason::GivenUp, "the client is closed");
        // Held through the waits too: who is told to wait must not be asked by others meanwhile.
        let _permit = self.permits.acquire().await.map_err(|_| closed())?;
        let retries = if patience == Patience::Short { self.settings.retries.min(1) } else { self.settings.retries };
        let mut failed = 0;
        loop {
            if let Some(why) = self.given_up.get() {
                return Err(Failure::new(Reason::GivenUp, why.clone()));
            }
            let failure = match self.attempt(ask).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            failed += 1;
            match retry::wait(&failure, failed, retries, self.settings.back_off, fastrand::f64()) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(failure),
            }
        }
    }

    /// Sends once, within the ceilings.
    async fn attempt(&self, ask: &Ask) -> Result<Reply, Failure> {
        let most = if self.budget.has_ceiling() { ask.most() } else { Usage::default() };
        let hold = self.budget.hold(most)?;
        self.tally().requests += 1;
        let outcome = self.wire.send(ask).await;
        match &outcome {
            // What an endpoint leaves out is counted here; what it says too little of would pass a ceiling.
            Ok(reply) => {
                hold.settle(reply.usage.unwrap_or_else(|| Usage { output: tokens(&reply.text), ..ask.most() }))
            }
            Err(failure) if failure.reason.may_cost() => hold.settle(Usage { output: 0, ..ask.most() }),
            Err(_) => drop(hold),
        }
        outcome
    }

    /// Whether it is of use to go on asking.
    fn judge(&self, outcome: &Result<Reply, Failure>) {
        let Err(failure) = outcome else {
            self.failed_in_a_row.store(0, Ordering::Relaxed);
            return;
        };
        let in_a_row = match failure.reason.passes() {
            true => self.failed_in_a_row.fetch_add(1, Ordering::Relaxed) + 1,
            false => 0,
        };
        if failure.reason.is_final() || in_a_row >= MOST_FAILURES_IN_A_ROW {
            // Another request may have set it already, with the same trouble.
            self.given_up.get_or_init(|| failure.in_words());
        }
    }

    /// Reads an answer. One with the key in it is none.
    fn accept<T>(&self, answer: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
        if self.settings.key.as_ref().is_some_and(|key| key.is_in(answer)) {
            return Err(Failure::new(Reason::Malformed, "the answer has the key in it"));
        }
        read(answer).map_err(|what| Failure::new(Reason::Malformed, what))
    }

    /// Sends once and past the cache: for `kb llm check`.
    pub(super) async fn probe(&self, ask: &Ask) -> Result<Reply, Failure> {
        self.attempt(ask).await
    }

    /// How long one attempt may take.
    pub fn timeout(&self) -> Duration {
        self.settings.timeout
    }

    /// What a thread has left that crashed with it is counts, which are whole.
    fn tally(&self) -> MutexGuard<'_, LlmReport> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash of texts, each with its length, so that no two lists of texts have the same.
fn key(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// How many tokens a text has, by the tokenizer that is in the program; that of the model counts somewhat differently.
pub(super) fn tokens(text: &str) -> u64 {
    let counted = TokenCounter::shared().and_then(|counter| counter.count(text));
    // No text has more tokens than characters.
    counted.unwrap_or_else(|_| char_count(text)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_model_prompt_and_input() {
        let ask =
            Ask { prompt: "contexts", version: "1".into(), system: "s".into(), user: "u".into(), most_output: 10 };
        let same = ask.clone();
        assert_eq!(ask.key("m"), same.key("m"));
        let others = [
            Ask { version: "2".into(), ..ask.clone() },
            Ask { system: "su".into(), user: String::new(), ..ask.clone() },
            Ask { most_output: 11, ..ask.clone() },
        ];
        for other in &others {
            assert_ne!(ask.key("m"), other.key("m"), "{other:?}");
        }
        assert_ne!(ask.key("m"), ask.key("n"));
        assert_eq!(ask.most(), Usage { input: 2 + AROUND, output: 10 });
    }
}

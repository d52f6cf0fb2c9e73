//! Asks the model: cache, limit, retries, and giving up on an endpoint that is down.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::chat::{Chat, Reply};
use super::prompts::{Prompts, Request};
use super::usage::{LlmReport, Usage, UsageMeter};
use crate::embed::token_count;
use crate::endpoint::{EndpointConfig, EndpointSettings, Failure, Reason, environment, with_retries};
use crate::error::{Error, Result, plain_io};
use crate::hash;
use crate::store::CacheFolder;
use crate::text::{printable, squeeze, truncate};

/// After this many temporary failures in a row nothing more is sent, so that kb does not wait ten thousand times for an
/// endpoint that is down.
const MOST_FAILURES_IN_A_ROW: usize = 5;
/// The most cached answers. Each takes a few hundred bytes and one block of the disk.
const MOST_CACHED: usize = 100_000;
/// Characters of an answer that `kb llm check` shows.
const SHOWN: usize = 80;

/// The `[llm]` of a store, not yet checked: a missing key does not matter to a run that needs no model.
#[derive(Debug, Clone)]
pub struct LlmConfig {
    pub config: EndpointConfig,
    /// The store's folder. It need not exist yet.
    pub store: PathBuf,
    /// Whether answers are cached in it.
    pub caches: bool,
}

impl LlmConfig {
    /// A client; `None` if no model is configured.
    ///
    /// # Errors
    /// If a setting is missing, unknown or out of range, or a user's prompt is incomplete.
    pub fn client(&self) -> Result<Option<Client>> {
        let settings = EndpointSettings::resolve(&self.config, &environment(), &self.store)?;
        settings.map(|settings| Client::new(settings, self.caches.then_some(self.store.as_path()))).transpose()
    }

    /// A client for `wanted`, which cannot work without one.
    ///
    /// # Errors
    /// As [`client`](Self::client), and if no model is configured.
    pub fn required(&self, wanted: &str) -> Result<Client> {
        self.client()?.ok_or_else(|| EndpointSettings::missing(wanted))
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The whole key; it must match the file's name.
    key: String,
    model: String,
    prompt: String,
    answer: String,
}

/// The client of one run. It counts what the run uses and what fails.
#[derive(Debug)]
pub struct Client {
    settings: EndpointSettings,
    chat: Chat,
    /// `.kb/cache/llm/ab/abcd….json`: answers without their questions.
    cache: Option<CacheFolder>,
    pub(super) prompts: Prompts,
    meter: UsageMeter,
    permits: Semaphore,
    failed_in_a_row: AtomicUsize,
    given_up: OnceLock<String>,
    /// The last question that failed: a search that ranks several times asks it only once.
    unanswered: Mutex<Option<(String, Failure)>>,
}

impl Client {
    /// A client that caches answers in the store's folder, if there is one.
    ///
    /// # Errors
    /// If a user's prompt is incomplete, or the system has no certificates.
    pub fn new(settings: EndpointSettings, store: Option<&Path>) -> Result<Self> {
        Ok(Client {
            chat: Chat::new(&settings)?,
            cache: store.map(|store| CacheFolder::of_store(store, "llm", "json", MOST_CACHED)),
            prompts: Prompts::of_user(&settings)?,
            meter: UsageMeter::new(&settings.model, settings.max_tokens),
            permits: Semaphore::new(settings.concurrency),
            failed_in_a_row: AtomicUsize::new(0),
            given_up: OnceLock::new(),
            unanswered: Mutex::default(),
            settings,
        })
    }

    pub fn settings(&self) -> &EndpointSettings {
        &self.settings
    }

    /// What the run has asked so far.
    pub fn report(&self) -> LlmReport {
        self.meter.lock().report.clone()
    }

    /// The cache key of a part of an answer, made from the part's own input.
    pub(super) fn key_of_part(&self, prompt: &'static str, input: &[&str]) -> String {
        let version = self.prompts.version(prompt);
        key(&[&[self.settings.model.as_str(), prompt, &version], input].concat())
    }

    /// The cached answer with this key, if it is readable and `read` accepts it.
    pub(super) fn cached<T>(&self, key: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let entry: Entry = serde_json::from_slice(&self.cache.as_ref()?.get(key)?).ok()?;
        if entry.key == key { read(&entry.answer).ok() } else { None }
    }

    /// Caches an answer or a part of one. The report records a failure.
    pub(super) fn cache(&self, key: &str, prompt: &str, answer: &str) {
        let Some(cache) = &self.cache else { return };
        let [key_text, model, prompt, answer] = [key, &self.settings.model, prompt, answer].map(str::to_owned);
        let entry = Entry { key: key_text, model, prompt, answer };
        let written = serde_json::to_vec(&entry).map_err(std::io::Error::from).and_then(|entry| cache.put(key, &entry));
        if let Err(error) = written {
            self.meter.lock().report.not_kept = Some(plain_io(&error));
        }
    }

    pub(super) fn count_cached(&self, answers: usize) {
        self.meter.lock().report.cached += answers;
    }

    /// The cached answer, or a new one within one timeout, for a user who waits. `read` turns an answer into
    /// the result or reports what is wrong with it; refused answers are not cached.
    pub(super) async fn ask_within_timeout<T>(
        &self,
        request: &Request,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync,
    ) -> Result<T, Failure> {
        let limit = request.max_output.to_string();
        let Request { prompt, version, system, user, .. } = request;
        let key = key(&[&self.settings.model, prompt, version, system, user, &limit]);
        if let Some(cached) = self.cached(&key, &read) {
            self.count_cached(1);
            return Ok(cached);
        }
        let unanswered = || self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, failure)) = unanswered().as_ref().filter(|(asked, _)| *asked == key) {
            return Err(failure.clone());
        }
        let timeout = self.settings.timeout;
        let reply = self.reply(request, self.settings.retries.min(1));
        let outcome = tokio::time::timeout(timeout, reply).await.unwrap_or_else(|_| {
            Err(Failure::new(Reason::Timeout, format!("no answer within {} s", timeout.as_secs())))
        });
        let accepted = self.accept(outcome, |answer| Ok((read(answer)?, answer.to_owned())));
        let (result, answer) = accepted.inspect_err(|failure| *unanswered() = Some((key.clone(), failure.clone())))?;
        self.cache(&key, prompt, &answer);
        Ok(result)
    }

    /// Asks with all retries. The caller uses the cache.
    pub(super) async fn ask<T>(
        &self,
        request: &Request,
        read: impl Fn(&str) -> Result<T, String> + Send + Sync,
    ) -> Result<T, Failure> {
        self.accept(self.reply(request, self.settings.retries).await, read)
    }

    /// Asks until there is a reply or another attempt is useless.
    async fn reply(&self, request: &Request, retries: u32) -> Result<Reply, Failure> {
        // Held while waiting too: other requests must not ask an endpoint that wants a pause.
        let _permit =
            self.permits.acquire().await.map_err(|_| Failure::new(Reason::GivenUp, "the client is closed"))?;
        let attempt = || async {
            match self.given_up.get() {
                Some(why) => Err(Failure::new(Reason::GivenUp, why.clone())),
                None => self.attempt(request).await,
            }
        };
        with_retries(retries, self.settings.back_off, attempt).await
    }

    /// Sends once, within the limit.
    async fn attempt(&self, request: &Request) -> Result<Reply, Failure> {
        let reservation = self.meter.reserve(|| request.max_usage())?;
        self.meter.lock().report.requests += 1;
        let outcome = self.chat.send(request).await;
        match &outcome {
            // An endpoint that reports no usage is counted here.
            Ok(reply) => {
                let counted = || Usage { output: token_count(&reply.text), ..request.max_usage() };
                reservation.settle(reply.usage.unwrap_or_else(counted));
            }
            Err(failure) if failure.reason.may_be_billed() => {
                reservation.settle(Usage { output: 0, ..request.max_usage() });
            }
            Err(_) => drop(reservation),
        }
        outcome
    }

    /// Reads a reply and counts the outcome. An answer that contains the key is refused.
    fn accept<T>(
        &self,
        outcome: Result<Reply, Failure>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Failure> {
        self.give_up_after(&outcome);
        let answer = outcome.and_then(|reply| match &self.settings.key {
            Some(key) if key.is_in(&reply.text) => Err(Failure::malformed("the answer contains the key".to_owned())),
            _ => read(&reply.text).map_err(Failure::malformed),
        });
        let report = &mut self.meter.lock().report;
        match &answer {
            Ok(_) => report.answered += 1,
            Err(failure) => report.fail(failure),
        }
        answer
    }

    /// Stops the run's requests if this outcome shows that asking is useless.
    fn give_up_after(&self, outcome: &Result<Reply, Failure>) {
        let Err(failure) = outcome else {
            self.failed_in_a_row.store(0, Ordering::Relaxed);
            return;
        };
        let is_temporary = failure.reason.is_temporary();
        let in_a_row = if is_temporary { self.failed_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 } else { 0 };
        if failure.reason.is_final() || in_a_row >= MOST_FAILURES_IN_A_ROW {
            // Another request may have set the same reason already.
            self.given_up.get_or_init(|| failure.in_words());
        }
    }

    /// Sends one request of a few words, without cache and retries.
    ///
    /// # Errors
    /// If no answer came, with what to do.
    pub async fn check(&self) -> Result<Checked> {
        let settings = &self.settings;
        let request = Request {
            prompt: "check",
            version: String::new(),
            system: "You are asked whether you can be reached.".to_owned(),
            user: "Answer with the word OK and nothing else.".to_owned(),
            max_output: 16,
        };
        let start = Instant::now();
        let reply = self.attempt(&request).await.map_err(|failure| {
            let (model, endpoint) = (&settings.model, settings.endpoint());
            Error::failed(format!("{model} at {endpoint} does not answer: {}", failure.in_words()))
                .hint(failure.reason.hint(settings))
        })?;
        let text = printable(&reply.text);
        let text = settings.key.as_ref().map_or(text.clone(), |key| key.redact(&text));
        Ok(Checked {
            model: settings.model.clone(),
            endpoint: settings.endpoint().to_owned(),
            with_key: settings.key.is_some(),
            milliseconds: start.elapsed().as_secs_f64() * 1000.0,
            answer: truncate(&squeeze(&text), SHOWN),
            tokens: reply.usage.map(|usage| (usage.input, usage.output)),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    pub model: String,
    pub endpoint: String,
    /// Whether a key was sent.
    pub with_key: bool,
    pub milliseconds: f64,
    /// The beginning of the answer.
    pub answer: String,
    /// Tokens that the endpoint counted, sent and answered, if it reports them.
    pub tokens: Option<(u64, u64)>,
}

fn key(inputs: &[&str]) -> String {
    hash::of_parts(inputs.iter().map(|input| input.as_bytes())).to_hex().to_string()
}

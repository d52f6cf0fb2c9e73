//! Why a model gave no answer that can be used.

use std::time::Duration;

use serde::Serialize;

use super::settings::LlmSettings;

/// What kind of trouble it was; what reports count by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The key is missing or wrong (401, 403).
    Unauthorised,
    /// There is no such model or path (404).
    NotFound,
    /// The endpoint did not understand (other 4xx).
    Refused,
    /// It sent us elsewhere (3xx); we do not follow, because the key would go along.
    Redirected,
    /// Too many requests (429).
    RateLimited,
    /// The account has no money left (429 with that code, 402).
    NoCredit,
    /// The endpoint failed (5xx).
    ServerError,
    /// No answer in time.
    Timeout,
    /// No connection: name, port, certificate.
    Unreachable,
    /// The connection broke, or the answer is no JSON.
    Broken,
    /// The answer is longer than any can be.
    TooLarge,
    /// The answer is none to what was asked, or has something in it that none may have.
    Malformed,
    /// The ceiling of tokens or money was reached.
    Ceiling,
    /// Not asked any more, after too many failures.
    GivenUp,
}

impl Reason {
    /// In a word or two, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Unauthorised => "unauthorised",
            Reason::NotFound => "not found",
            Reason::Refused => "refused",
            Reason::Redirected => "redirected",
            Reason::RateLimited => "rate-limited",
            Reason::NoCredit => "no credit",
            Reason::ServerError => "server error",
            Reason::Timeout => "timeout",
            Reason::Unreachable => "unreachable",
            Reason::Broken => "broken answer",
            Reason::TooLarge => "answer too large",
            Reason::Malformed => "malformed answer",
            Reason::Ceiling => "ceiling reached",
            Reason::GivenUp => "given up",
        }
    }

    /// Whether it may be gone in a moment.
    pub(super) fn passes(self) -> bool {
        use Reason::{Broken, RateLimited, ServerError, Timeout, Unreachable};
        matches!(self, RateLimited | ServerError | Timeout | Unreachable | Broken)
    }

    /// Whether every further request would fail in the same way.
    pub(super) fn is_final(self) -> bool {
        matches!(self, Reason::Unauthorised | Reason::NotFound | Reason::Redirected | Reason::NoCredit)
    }

    /// Whether the endpoint may have worked on the request, and counts it.
    pub(super) fn may_cost(self) -> bool {
        matches!(self, Reason::Timeout | Reason::Broken | Reason::TooLarge)
    }

    /// What to do about it.
    pub fn hint(self, settings: &LlmSettings) -> String {
        let endpoint = settings.endpoint();
        match self {
            Reason::Unauthorised if settings.key.is_none() => {
                "the endpoint wants a key: name its variable with api_key_env in [llm], or set KB_LLM_API_KEY"
                    .to_owned()
            }
            Reason::Unauthorised => "check the key in the variable that api_key_env names".to_owned(),
            Reason::NotFound => format!("check model ({}) and base_url in [llm]; asked was {endpoint}", settings.model),
            Reason::Refused => "check model and base_url in [llm]".to_owned(),
            Reason::Redirected => "set base_url in [llm] to the address it moved to, if you trust that".to_owned(),
            Reason::RateLimited => "wait, or set concurrency in [llm] lower".to_owned(),
            Reason::NoCredit => "look after the account at the endpoint".to_owned(),
            Reason::ServerError => "the endpoint is in trouble; try again later".to_owned(),
            Reason::Timeout => format!(
                "set timeout ({} s) and connect_timeout ({} s) in [llm] higher, or try again later",
                settings.timeout.as_secs(),
                settings.connect_timeout.as_secs()
            ),
            Reason::Unreachable => format!("check base_url in [llm] and that something listens at {endpoint}"),
            Reason::Broken | Reason::TooLarge | Reason::Malformed => {
                format!("check that {endpoint} speaks the OpenAI protocol, and that the model can follow it")
            }
            Reason::Ceiling => {
                "raise max_tokens or max_cost in [llm], or run the command again: answers are kept".to_owned()
            }
            Reason::GivenUp => "`kb llm check` says what is wrong".to_owned(),
        }
    }
}

/// A request that gave no answer to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Of which kind.
    pub reason: Reason,
    /// What happened, for a person; without the key.
    pub detail: String,
    /// How long the endpoint wants us to wait.
    pub(super) wait: Option<Duration>,
}

impl Failure {
    pub(super) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Failure { reason, detail: detail.into(), wait: None }
    }

    /// The work on a question crashed.
    pub(crate) fn crashed(detail: &str) -> Self {
        Failure::new(Reason::GivenUp, detail)
    }

    /// In a line: kind and detail.
    pub fn in_words(&self) -> String {
        if self.detail.is_empty() {
            self.reason.name().to_owned()
        } else {
            format!("{}: {}", self.reason.name(), self.detail)
        }
    }
}

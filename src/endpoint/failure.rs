//! The reasons why a request failed, and when kb repeats it.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};

use super::settings::EndpointSettings;
use crate::error::NextStep;

/// No wait is longer than this; a request whose endpoint asks for more fails.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The kind of a failure; reports count by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The key is missing or wrong (401, 403).
    Unauthorised,
    /// The endpoint has no such model or path (404).
    NotFound,
    /// The endpoint rejected the request (other 4xx).
    Refused,
    /// The endpoint redirects (3xx); kb does not follow, because the key would go along.
    Redirected,
    /// Too many requests (429).
    RateLimited,
    /// The account is empty (402, or 429 with that code).
    NoCredit,
    /// The endpoint failed (5xx).
    ServerError,
    Timeout,
    /// No connection: wrong name, port or certificate.
    Unreachable,
    /// The connection broke, or the answer is not JSON.
    Broken,
    TooLarge,
    /// The answer does not fit the question, or contains something that no answer may.
    Malformed,
    /// `max_tokens` is used up.
    TokenLimit,
    /// Not asked any more after too many failures.
    GivenUp,
}

impl Reason {
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
            Reason::TokenLimit => "token limit reached",
            Reason::GivenUp => "given up",
        }
    }

    /// Whether the same request may succeed in a moment.
    pub fn is_temporary(self) -> bool {
        use Reason::{Broken, RateLimited, ServerError, Timeout, Unreachable};
        matches!(self, RateLimited | ServerError | Timeout | Unreachable | Broken)
    }

    /// Whether every further request would fail the same way.
    pub fn is_final(self) -> bool {
        matches!(self, Reason::Unauthorised | Reason::NotFound | Reason::Redirected | Reason::NoCredit)
    }

    /// Whether the endpoint may charge for the request.
    pub fn may_be_billed(self) -> bool {
        matches!(self, Reason::Timeout | Reason::Broken | Reason::TooLarge)
    }

    /// What to do about it.
    pub fn hint(self, settings: &EndpointSettings) -> String {
        let (endpoint, table, prefix) = (settings.endpoint(), settings.service.table, settings.service.prefix);
        match self {
            Reason::Unauthorised if settings.key.is_none() => format!(
                "the endpoint needs a key: name its variable with api_key_env in [{table}], or set {prefix}API_KEY"
            ),
            Reason::Unauthorised => "check the key in the variable that api_key_env names".to_owned(),
            Reason::Refused => format!("check model and base_url in [{table}]"),
            Reason::Redirected => format!("set base_url in [{table}] to the new address, if you trust it"),
            Reason::RateLimited => format!("wait, or lower concurrency in [{table}]"),
            Reason::NoCredit => "check the account at the endpoint".to_owned(),
            Reason::ServerError => "the endpoint is in trouble; try again later".to_owned(),
            Reason::TokenLimit => {
                format!("raise max_tokens in [{table}], or run the command again: answers are cached")
            }
            Reason::GivenUp => format!("`{}` finds out what is wrong", NextStep::CheckLanguageModel),
            Reason::NotFound => {
                format!("check model ({}) and base_url in [{table}]; kb asked {endpoint}", settings.model)
            }
            Reason::Timeout => {
                format!("raise timeout ({} s) in [{table}], or try again later", settings.timeout.as_secs())
            }
            Reason::Unreachable => format!("check base_url in [{table}] and that something listens at {endpoint}"),
            Reason::Broken | Reason::TooLarge | Reason::Malformed => {
                format!("check that {endpoint} speaks the OpenAI protocol, and that the model can follow it")
            }
        }
    }
}

/// A request without a usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub reason: Reason,
    /// What happened, for people; without the key.
    pub detail: String,
    /// How long the endpoint wants us to wait.
    pub(super) wait: Option<Duration>,
}

impl Failure {
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Failure { reason, detail: detail.into(), wait: None }
    }

    /// No answer in the time that a user waits.
    pub fn timed_out(time: Duration) -> Self {
        Failure::new(Reason::Timeout, format!("no answer within {time:?}"))
    }

    /// An answer that cannot be used.
    pub fn malformed(what: String) -> Self {
        Failure::new(Reason::Malformed, what)
    }

    /// The task that worked on the question panicked.
    pub fn crashed(detail: &str) -> Self {
        Failure::new(Reason::GivenUp, detail)
    }

    /// Kind and detail in one line.
    pub fn in_words(&self) -> String {
        let name = self.reason.name();
        if self.detail.is_empty() { name.to_owned() } else { format!("{name}: {}", self.detail) }
    }

    /// The wait before the next attempt after `failed` failures (from 1); `None` if another attempt is useless. The
    /// back-off doubles; `jitter`, from 0 to 1, spreads requests that failed together.
    fn retry_in(&self, failed: u32, retries: u32, back_off: Duration, jitter: f64) -> Option<Duration> {
        if failed > retries || !self.reason.is_temporary() {
            return None;
        }
        let doubled = back_off.saturating_mul(2_u32.saturating_pow(failed - 1)).min(LONGEST_WAIT);
        let own = doubled.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        match self.wait {
            Some(asked) if asked > LONGEST_WAIT => None,
            // The endpoint asks all requests to wait equally long; the addition spreads them.
            Some(asked) => Some(asked + own / 2),
            None => Some(own),
        }
    }
}

/// Makes attempts until one succeeds or another is useless.
pub async fn with_retries<T, A: Future<Output = Result<T, Failure>>>(
    retries: u32,
    back_off: Duration,
    attempt: impl Fn() -> A,
) -> Result<T, Failure> {
    let mut failed = 0;
    loop {
        let failure = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        failed += 1;
        match failure.retry_in(failed, retries, back_off, fastrand::f64()) {
            Some(wait) => tokio::time::sleep(wait).await,
            None => return Err(failure),
        }
    }
}

/// The wait in a `Retry-After` header, which is a number of seconds or a date.
pub(super) fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(moment.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_millis(100);

    fn failure(reason: Reason, wait: Option<u64>) -> Failure {
        Failure { wait: wait.map(Duration::from_secs), ..Failure::new(reason, "") }
    }

    #[test]
    fn waits_double_and_jitter_halves_them_at_most() {
        let after = |failed, jitter| failure(Reason::ServerError, None).retry_in(failed, 4, STEP, jitter);
        let full: Vec<_> = (1..=5).map(|failed| after(failed, 1.0).map(|wait| wait.as_millis())).collect();
        assert_eq!(full, [Some(100), Some(200), Some(400), Some(800), None]);
        assert_eq!(after(2, 0.0), Some(STEP));
        let long = failure(Reason::Timeout, None).retry_in(9, 10, Duration::from_secs(5), 1.0);
        assert_eq!(long, Some(LONGEST_WAIT));
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        for reason in [Reason::Unauthorised, Reason::NotFound, Reason::Refused, Reason::Malformed, Reason::NoCredit] {
            assert_eq!(failure(reason, None).retry_in(1, 4, STEP, 0.5), None, "{reason:?}");
        }
    }

    #[test]
    fn retry_after_is_respected_unless_it_is_too_long() {
        let limited = |seconds| failure(Reason::RateLimited, Some(seconds)).retry_in(1, 4, STEP, 1.0);
        assert!(limited(2).is_some_and(|wait| wait >= Duration::from_secs(2) && wait < Duration::from_secs(3)));
        assert_eq!(limited(3600), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-21T07:28:00Z".parse().unwrap();
        assert_eq!(retry_after(" 7 ", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.5", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sat, 21 Nov 2026 07:28:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(retry_after("Sat, 21 Nov 2026 07:00:00 GMT", now), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-1", "inf", "1e99"] {
            assert_eq!(retry_after(nonsense, now), None, "{nonsense:?}");
        }
    }
}

//! One request over HTTP and what comes back, in the protocol of OpenAI's `/chat/completions`.
//!
//! No redirects and no proxies: either would hand the key to another host. What is read is bounded, and whatever an
//! endpoint says is cleaned of the key before anybody sees it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode, redirect};
use serde::Deserialize;
use serde_json::{Value, json};

use super::budget::Usage;
use super::client::Ask;
use super::failure::{Failure, Reason};
use super::retry::retry_after;
use super::settings::LlmSettings;
use crate::error::{Error, Result, innermost};
use crate::text::{printable, squeeze, truncate};

/// Bytes of a response at most.
const LARGEST: usize = 2 << 20;
/// Characters of what an endpoint says about a failure.
const LONGEST_DETAIL: usize = 300;

/// The connection to an endpoint.
#[derive(Debug)]
pub(super) struct Wire {
    http: reqwest::Client,
    settings: LlmSettings,
    /// Newer models want `max_completion_tokens` instead of `max_tokens` …
    new_limit: AtomicBool,
    /// … and some refuse a temperature. Both are learnt from the first refusal.
    no_temperature: AtomicBool,
}

/// A good response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// What the model said.
    pub text: String,
    /// What it cost, where the endpoint says.
    pub usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// How a model wants its limits said, as far as its refusals have told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dialect {
    /// `max_completion_tokens` instead of `max_tokens`.
    new_limit: bool,
    /// Without a temperature.
    no_temperature: bool,
}

impl Wire {
    pub(super) fn new(settings: &LlmSettings) -> Result<Self> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.key {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| Error::usage("the key of the language model has a letter that no key has"))?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = reqwest::Client::builder()
            .default_headers(headers)
            .user_agent(concat!("kb/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .timeout(settings.timeout)
            .connect_timeout(settings.connect_timeout)
            .build()
            .map_err(|error| Error::failed(format!("cannot prepare for the language model: {}", innermost(&error))))?;
        let (new_limit, no_temperature) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Wire { http, settings: settings.clone(), new_limit, no_temperature })
    }

    /// Asks once. A refusal that only says that this model wants its limits said otherwise is answered by saying them so;
    /// that another request, refused meanwhile, has taught as much already makes no difference.
    pub(super) async fn send(&self, ask: &Ask) -> Result<Reply, Failure> {
        // Ends: a dialect that was given up is never taken up again.
        loop {
            let dialect = self.dialect();
            match self.send_in(dialect, ask).await {
                Err(failure) if failure.reason == Reason::Refused && self.learn(&failure.detail) != dialect => {}
                outcome => return outcome,
            }
        }
    }

    fn dialect(&self) -> Dialect {
        let (new_limit, no_temperature) = (&self.new_limit, &self.no_temperature);
        Dialect { new_limit: new_limit.load(Ordering::Relaxed), no_temperature: no_temperature.load(Ordering::Relaxed) }
    }

    /// What a refusal says about what the model takes; how it is spoken to from now on.
    fn learn(&self, refusal: &str) -> Dialect {
        self.new_limit.fetch_or(refusal.contains("max_completion_tokens"), Ordering::Relaxed);
        self.no_temperature.fetch_or(refusal.contains("temperature"), Ordering::Relaxed);
        self.dialect()
    }

    fn body(&self, dialect: Dialect, ask: &Ask) -> Value {
        let mut body = json!({
            "model": self.settings.model,
            "messages": [
                { "role": "system", "content": ask.system },
                { "role": "user", "content": ask.user },
            ],
            "stream": false,
        });
        let limit = if dialect.new_limit { "max_completion_tokens" } else { "max_tokens" };
        body[limit] = json!(ask.most_output);
        if !dialect.no_temperature {
            body["temperature"] = json!(0);
        }
        body
    }

    async fn send_in(&self, dialect: Dialect, ask: &Ask) -> Result<Reply, Failure> {
        let request = self
            .http
            .post(self.settings.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(self.body(dialect, ask).to_string());
        let response = request.send().await.map_err(|error| self.failure(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("an unnamed place");
            return Err(Failure::new(Reason::Redirected, self.clean(&format!("HTTP {} to {to}", status.as_u16()))));
        }
        let body = self.read(response).await;
        if !status.is_success() {
            return Err(self.refusal(status, &headers, &body.unwrap_or_default()));
        }
        let completion: Completion = serde_json::from_slice(&body?)
            .map_err(|error| Failure::new(Reason::Broken, self.clean(&format!("not the protocol's JSON: {error}"))))?;
        let text = completion.choices.into_iter().next().and_then(|choice| choice.message.content).unwrap_or_default();
        let usage = completion
            .usage
            .map(|counted| Usage { input: counted.prompt_tokens, output: counted.completion_tokens })
            .filter(|usage| *usage != Usage::default());
        Ok(Reply { text, usage })
    }

    /// A body of bounded length.
    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failure(&error))? {
            if body.len() + chunk.len() > LARGEST {
                return Err(Failure::new(Reason::TooLarge, format!("more than {} MB", LARGEST >> 20)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// What a status that is no success says.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
        let said: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = &said["error"];
        let message = error["message"].as_str().or(error.as_str()).or(said["message"].as_str());
        let text = message.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
        let no_credit = error["code"] == "insufficient_quota" || error["type"] == "insufficient_quota";
        let reason = match status.as_u16() {
            401 | 403 => Reason::Unauthorised,
            402 => Reason::NoCredit,
            404 => Reason::NotFound,
            408 => Reason::Timeout,
            429 if no_credit => Reason::NoCredit,
            429 => Reason::RateLimited,
            500.. => Reason::ServerError,
            _ => Reason::Refused,
        };
        let wait = headers.get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?, Timestamp::now()));
        let asked = wait.map(|wait: Duration| format!(", wait {} s", wait.as_secs())).unwrap_or_default();
        let text = self.clean(&text);
        let says = if text.is_empty() { String::new() } else { format!(": {text}") };
        Failure { wait, ..Failure::new(reason, format!("HTTP {}{asked}{says}", status.as_u16())) }
    }

    /// What went wrong on the way.
    fn failure(&self, error: &reqwest::Error) -> Failure {
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        if error.is_connect() {
            return match error.is_timeout() {
                true => Failure::new(
                    Reason::Timeout,
                    format!("no connection within {}", seconds(self.settings.connect_timeout)),
                ),
                false => Failure::new(Reason::Unreachable, self.clean(&innermost(error))),
            };
        }
        if error.is_timeout() {
            return Failure::new(Reason::Timeout, format!("no answer within {}", seconds(self.settings.timeout)));
        }
        Failure::new(Reason::Broken, self.clean(&innermost(error)))
    }

    /// What an endpoint said, for a person: in a line, short, without the key and without characters that do something.
    fn clean(&self, text: &str) -> String {
        let seen = printable(text).replace(super::fence::is_hidden, "");
        // Cut behind redacting, or a part of the key could be left at the end.
        let redacted = self.settings.key.as_ref().map_or(seen.clone(), |key| key.redact(&seen));
        truncate(&squeeze(&redacted), LONGEST_DETAIL)
    }
}

//! Sends an HTTP request to an endpoint and reads its answer.
//!
//! No redirects and no proxies: either would hand the key to another host. Replies have a maximum length, and all text
//! from an endpoint is cleaned of the key before it is shown.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::failure::{Failure, Reason, retry_after, with_retries};
use super::settings::EndpointSettings;
use crate::error::{Error, Result, innermost};
use crate::http::{self, read_body};
use crate::text::{is_hidden, is_joiner, printable, squeeze, truncate};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most characters of an endpoint's error message.
const LONGEST_DETAIL: usize = 300;

#[derive(Debug)]
pub struct Connection {
    http: reqwest::Client,
    pub settings: EndpointSettings,
}

impl Connection {
    pub fn new(settings: &EndpointSettings) -> Result<Self> {
        let invalid = || Error::usage("the key of the endpoint contains an invalid character");
        let headers = settings.key.as_ref().map(|key| http::bearer(key.expose()).ok_or_else(invalid)).transpose()?;
        let http = http::client(CONNECT_TIMEOUT)
            .default_headers(headers.unwrap_or_default())
            .no_proxy()
            .timeout(settings.timeout)
            .build()
            .map_err(|error| {
                Error::failed(format!("cannot prepare the request to the endpoint: {}", innermost(&error)))
            })?;
        Ok(Connection { http, settings: settings.clone() })
    }

    /// The failure for an answer in another form than the protocol's.
    pub fn broken(&self, what: &str) -> Failure {
        Failure::new(Reason::Broken, self.clean(&format!("not the protocol's JSON: {what}")))
    }

    /// Sends a request, and returns its answer of at most `largest` bytes.
    pub async fn post(&self, body: &Value, largest: usize) -> Result<Value, Failure> {
        let request =
            self.http.post(self.settings.url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_string());
        let response = request.send().await.map_err(|error| self.failure(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("an unnamed address");
            return Err(Failure::new(Reason::Redirected, self.clean(&format!("HTTP {} to {to}", status.as_u16()))));
        }
        let body = self.read(response, largest).await;
        if !status.is_success() {
            return Err(self.refusal(status, &headers, &body.unwrap_or_default()));
        }
        serde_json::from_slice(&body?).map_err(|error| self.broken(&error.to_string()))
    }

    /// The same, with retries after temporary failures.
    pub async fn post_until_answered(&self, body: &Value, largest: usize) -> Result<Value, Failure> {
        with_retries(self.settings.retries, self.settings.back_off, || self.post(body, largest)).await
    }

    async fn read(&self, mut response: Response, largest: usize) -> Result<Vec<u8>, Failure> {
        let body = read_body(&mut response, largest as u64).await.map_err(|error| self.failure(&error))?;
        body.ok_or_else(|| Failure::new(Reason::TooLarge, format!("more than {} MB", largest >> 20)))
    }

    /// The failure behind an HTTP status that is not a success.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
        // Some endpoints explain themselves in plain text.
        let json: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let error = &json["error"];
        let message = error["message"].as_str().or(error.as_str()).or(json["message"].as_str());
        let text = self.clean(&message.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned));
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
        let mut detail = format!("HTTP {}", status.as_u16());
        if let Some(wait) = wait {
            detail.push_str(&format!(", wait {} s", wait.as_secs()));
        }
        if !text.is_empty() {
            detail.push_str(&format!(": {text}"));
        }
        Failure { wait, ..Failure::new(reason, detail) }
    }

    /// The failure of a request that got no response.
    fn failure(&self, error: &reqwest::Error) -> Failure {
        let (reason, detail) = match (error.is_connect(), error.is_timeout()) {
            (true, true) => (Reason::Timeout, format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())),
            (true, false) => (Reason::Unreachable, self.clean(&innermost(error))),
            (false, true) => (Reason::Timeout, format!("no answer within {} s", self.settings.timeout.as_secs())),
            (false, false) => (Reason::Broken, self.clean(&innermost(error))),
        };
        Failure::new(reason, detail)
    }

    /// An endpoint's text for people: one short line without the key and without control characters.
    fn clean(&self, text: &str) -> String {
        let visible = printable(text).replace(|c| is_hidden(c) || is_joiner(c), "");
        // Redacting comes before cutting, or a part of the key could remain at the end.
        let redacted = self.settings.key.as_ref().map_or(visible.clone(), |key| key.redact(&visible));
        truncate(&squeeze(&redacted), LONGEST_DETAIL)
    }
}

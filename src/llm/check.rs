//! Whether the model answers: one tiny request.

use std::time::Instant;

use serde::Serialize;

use super::client::{Ask, Client};
use crate::error::{Error, Result};
use crate::text::{printable, squeeze, truncate};

/// Characters of the answer that are shown.
const SHOWN: usize = 80;

/// A model that answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// The model.
    pub model: String,
    /// Where it was asked.
    pub endpoint: String,
    /// Whether a key was sent.
    pub with_key: bool,
    /// What it took.
    pub milliseconds: f64,
    /// What it said, or its beginning.
    pub answer: String,
    /// Tokens that the endpoint counted, sent and answered, where it says.
    pub tokens: Option<(u64, u64)>,
}

/// Sends a request of a few words, once.
///
/// # Errors
/// Where no answer came, with what to do.
pub async fn check(client: &Client) -> Result<Checked> {
    let settings = client.settings();
    let ask = Ask {
        prompt: "check",
        version: String::new(),
        system: "You are asked whether you can be reached.".to_owned(),
        user: "Answer with the word OK and nothing else.".to_owned(),
        most_output: 16,
    };
    let start = Instant::now();
    let reply = client.probe(&ask).await.map_err(|failure| {
        let (model, endpoint) = (&settings.model, settings.endpoint());
        Error::failed(format!("{model} at {endpoint} does not answer: {}", failure.in_words()))
            .hint(failure.reason.hint(settings))
    })?;
    let seen = printable(&reply.text);
    let seen = settings.key.as_ref().map_or(seen.clone(), |key| key.redact(&seen));
    Ok(Checked {
        model: settings.model.clone(),
        endpoint: settings.endpoint().to_owned(),
        with_key: settings.key.is_some(),
        milliseconds: start.elapsed().as_secs_f64() * 1000.0,
        answer: truncate(&squeeze(&seen), SHOWN),
        tokens: reply.usage.map(|usage| (usage.input, usage.output)),
    })
}

//! OpenAI's `/chat/completions`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::prompts::Request;
use super::usage::Usage;
use crate::endpoint::{Connection, EndpointSettings, Failure, Reason};
use crate::error::Result;

/// The most bytes of a response.
const LARGEST: usize = 2 << 20;

/// A language model behind its endpoint.
#[derive(Debug)]
pub(super) struct Chat {
    connection: Connection,
    dialect: Mutex<Dialect>,
}

/// How a model wants its limits written; learnt from its refusals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Dialect {
    /// `max_completion_tokens` instead of `max_tokens`.
    new_limit: bool,
    no_temperature: bool,
}

/// A successful response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub text: String,
    /// The tokens that the endpoint counted, if it reports them.
    pub usage: Option<Usage>,
}

impl Chat {
    /// # Errors
    /// As for [`Connection::new`].
    pub(super) fn new(settings: &EndpointSettings) -> Result<Self> {
        Ok(Chat { connection: Connection::new(settings)?, dialect: Mutex::default() })
    }

    /// Asks once, and again if a refusal shows that the model speaks another dialect.
    pub(super) async fn send(&self, request: &Request) -> Result<Reply, Failure> {
        // Ends, because a dialect that was given up is never used again.
        loop {
            let dialect = *self.dialect();
            match self.send_in(dialect, request).await {
                Err(failure) if failure.reason == Reason::Refused && self.learn(&failure.detail) != dialect => {}
                outcome => return outcome,
            }
        }
    }

    /// The dialect from now on. Another request may have learnt the same meanwhile.
    fn learn(&self, refusal: &str) -> Dialect {
        let mut dialect = self.dialect();
        dialect.new_limit |= refusal.contains("max_completion_tokens");
        dialect.no_temperature |= refusal.contains("temperature");
        *dialect
    }

    fn dialect(&self) -> MutexGuard<'_, Dialect> {
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn body(&self, dialect: Dialect, request: &Request) -> Value {
        let mut body = json!({
            "model": self.connection.settings.model,
            "messages": [
                { "role": "system", "content": request.system },
                { "role": "user", "content": request.user },
            ],
            "stream": false,
        });
        let limit = if dialect.new_limit { "max_completion_tokens" } else { "max_tokens" };
        body[limit] = json!(request.max_output);
        if !dialect.no_temperature {
            body["temperature"] = json!(0);
        }
        body
    }

    async fn send_in(&self, dialect: Dialect, request: &Request) -> Result<Reply, Failure> {
        let completion = self.connection.post(&self.body(dialect, request), LARGEST).await?;
        let message = completion["choices"].as_array().and_then(|choices| choices.first()?.get("message"));
        let message = message.ok_or_else(|| self.connection.broken("it has no choices with a message"))?;
        let tokens = |name: &str| completion["usage"][name].as_u64().unwrap_or_default();
        let usage = Usage { input: tokens("prompt_tokens"), output: tokens("completion_tokens") };
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        Ok(Reply { text, usage: Some(usage).filter(|usage| *usage != Usage::default()) })
    }
}

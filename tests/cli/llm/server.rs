//! A local server that speaks the protocol of a language model, as well or as badly as a test wants.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::common::http;
pub use crate::common::http::Request;

/// The messages of a request to a language model.
pub trait Messages {
    fn message(&self, role: &str) -> &str;

    fn system(&self) -> &str {
        self.message("system")
    }

    fn user(&self) -> &str {
        self.message("user")
    }
}

impl Messages for Request {
    fn message(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().expect("messages");
        let of_role = messages.iter().find(|message| message["role"] == role).expect("a message of that role");
        of_role["content"].as_str().expect("a text")
    }
}

/// How it answers.
pub enum Reply {
    /// A success with this answer.
    Say(String),
    /// The same after a delay.
    Late(Duration, String),
    /// A status, headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// A success with half of a body.
    Half,
    /// A broken connection.
    Reset,
    /// This many bytes.
    Endless(usize),
}

pub struct Server {
    http: http::Server,
    most_at_once: Arc<AtomicUsize>,
}

impl Server {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let (at_once, most_at_once) = (AtomicUsize::new(0), Arc::<AtomicUsize>::default());
        let most = most_at_once.clone();
        let http = http::Server::start(move |request| {
            most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let reply = answer(request);
            if let Reply::Late(time, _) = &reply {
                std::thread::sleep(*time);
            }
            // Before answering, so that the next request cannot overlap with this one.
            at_once.fetch_sub(1, Ordering::SeqCst);
            answered(reply)
        });
        Server { http, most_at_once }
    }

    /// An address without a server.
    pub fn nowhere() -> String {
        format!("http://{}/v1", http::nowhere())
    }

    /// A server that always gives this answer.
    pub fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Server::start(move |_| Reply::Say(text.clone()))
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.http.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.http.requests()
    }

    pub fn count(&self) -> usize {
        self.requests().len()
    }

    pub fn most_at_once(&self) -> usize {
        self.most_at_once.load(Ordering::SeqCst)
    }
}

fn answered(reply: Reply) -> Option<http::Answer> {
    Some(match reply {
        Reply::Say(text) | Reply::Late(_, text) => http::Answer::new(200, completion(&text)),
        Reply::Status(status, headers, body) => {
            headers.iter().fold(http::Answer::new(status, body), |answer, (name, value)| answer.with(name, *value))
        }
        Reply::Half => {
            let whole = completion("half of this is missing");
            http::Answer::new(200, &whole[..whole.len() / 2]).promising(whole.len())
        }
        Reply::Reset => return None,
        Reply::Endless(bytes) => http::Answer::new(200, vec![b' '; bytes]),
    })
}

fn completion(text: &str) -> String {
    json!({
        "id": "1", "object": "chat.completion", "model": "test",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
    })
    .to_string()
}

//! A local server that speaks the protocol of a language model, as well or as badly as a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// From 0.
    pub number: usize,
    pub path: String,
    pub authorization: Option<String>,
    pub body: Value,
}

impl Request {
    fn message(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().expect("messages");
        let of_role = messages.iter().find(|message| message["role"] == role).expect("a message of that role");
        of_role["content"].as_str().expect("a text")
    }

    pub fn system(&self) -> &str {
        self.message("system")
    }

    pub fn user(&self) -> &str {
        self.message("user")
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

/// The server; it ends with the test.
pub struct Server {
    address: String,
    state: Arc<State>,
}

struct State {
    requests: Mutex<Vec<Request>>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    ended: AtomicBool,
}

impl Server {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let state = Arc::new(State {
            requests: Mutex::default(),
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        });
        let (shared, answer) = (state.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::SeqCst) {
                    break;
                }
                let (state, answer) = (shared.clone(), answer.clone());
                std::thread::spawn(move || {
                    // A client that disconnects is not an error here.
                    let _gone = stream.and_then(|stream| state.serve(stream, &*answer));
                });
            }
        });
        Server { address, state }
    }

    /// An address without a server.
    pub fn nowhere() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        format!("http://{}/v1", listener.local_addr().expect("an address"))
    }

    /// A server that always gives this answer.
    pub fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Server::start(move |_| Reply::Say(text.clone()))
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().expect("no thread crashed").clone()
    }

    pub fn count(&self) -> usize {
        self.requests().len()
    }

    pub fn most_at_once(&self) -> usize {
        self.state.most_at_once.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the listener, which then ends.
        let _woken = TcpStream::connect(&self.address);
    }
}

impl State {
    fn serve(&self, stream: TcpStream, answer: &dyn Fn(&Request) -> Reply) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut authorization) = (0, None);
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or_default(),
                "authorization" => authorization = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        let request = {
            let mut requests = self.requests.lock().expect("no thread crashed");
            let request = Request { number: requests.len(), path, authorization, body };
            requests.push(request.clone());
            request
        };
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        let reply = answer(&request);
        if let Reply::Late(time, _) = &reply {
            std::thread::sleep(*time);
        }
        // Before answering, so that the next request cannot overlap with this one.
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        write(stream, reply)
    }
}

fn write(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    let (status, headers, body): (u16, &[_], String) = match reply {
        Reply::Say(text) | Reply::Late(_, text) => (200, &[], completion(&text)),
        Reply::Status(status, headers, body) => (status, headers, body),
        Reply::Half => {
            let whole = completion("half of this is missing");
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", whole.len())?;
            return stream.write_all(&whole.as_bytes()[..whole.len() / 2]);
        }
        Reply::Reset => return stream.shutdown(std::net::Shutdown::Both),
        Reply::Endless(bytes) => {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n")?;
            let child_chunk = [b' '; 4096];
            for _ in 0..bytes / child_chunk.len() {
                stream.write_all(&child_chunk)?;
            }
            return Ok(());
        }
    };
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n", body.len())?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n{body}")
}

fn completion(text: &str) -> String {
    json!({
        "id": "1", "object": "chat.completion", "model": "test",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
    })
    .to_string()
}

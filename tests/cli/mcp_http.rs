//! `kb mcp --http`: who gets an answer, and who does not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Process, Sandbox};

const TOKEN: &str = "a-token-of-this-test";

/// A server at a free port.
struct Server {
    _process: Process,
    /// Host and port.
    host: String,
    /// What it said at its start.
    said: Vec<String>,
}

impl Server {
    /// Starts a server whose clients send `token`; without one it makes one up.
    fn start(sandbox: &Sandbox, token: &str) -> Self {
        let mut command = sandbox.command(&["mcp", "--http", "0"]);
        command.env("KB_MCP_TOKEN", token).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines().map(Result::unwrap);
        let said: Vec<String> = lines.take(if token.is_empty() { 2 } else { 1 }).collect();
        let (_, rest) = said[0].split_once("http://").unwrap_or_else(|| panic!("{said:?}"));
        let host = rest.split_once("/mcp").unwrap().0.to_owned();
        Server { _process: Process(process), host, said }
    }

    /// Sends a request and returns the status and the body of the answer.
    fn send(&self, head: &[(&str, &str)], target: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut request = format!("{target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in head {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        // A server that refuses a request need not read its body.
        drop(write!(stream, "{request}\r\n{body}"));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// A call of the protocol with the token, and with other heads if there are.
    fn ask_with(&self, other: &[(&str, &str)], method: &str, parameters: Value) -> (u16, String) {
        let (authorization, json) = (format!("Bearer {TOKEN}"), "application/json");
        let mut head = vec![
            ("host", self.host.as_str()),
            ("authorization", &authorization),
            ("content-type", json),
            ("accept", "application/json, text/event-stream"),
        ];
        head.retain(|(name, _)| other.iter().all(|(changed, _)| changed != name));
        head.extend(other.iter().filter(|(_, value)| !value.is_empty()));
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters });
        self.send(&head, "POST /mcp", &request.to_string())
    }

    fn ask(&self, method: &str, parameters: Value) -> Value {
        let (status, body) = self.ask_with(&[], method, parameters);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }
}

fn pumps() -> Sandbox {
    Sandbox::prepared("mcp_http::pumps", |sandbox| {
        sandbox.write("pumps.md", "# Pumps\n\n## Priming\n\nFill the casing with water before the start.\n");
        sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    })
}

#[test]
fn a_client_with_the_token_asks_over_http() {
    let sandbox = pumps();
    let server = Server::start(&sandbox, TOKEN);
    assert!(!server.said.concat().contains(TOKEN), "{:?}", server.said);
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    assert_eq!(server.ask("initialize", hello)["result"]["serverInfo"]["name"], "kb");
    let call = json!({ "name": "kb_search", "arguments": { "query": "fill the casing" } });
    for _ in 0..2 {
        let found = server.ask("tools/call", call.clone());
        assert!(found["result"]["content"][0]["text"].as_str().unwrap().contains("Fill the casing"), "{found}");
    }
    let at_once: Vec<u16> = std::thread::scope(|scope| {
        let asked: Vec<_> =
            (0..8).map(|_| scope.spawn(|| server.ask_with(&[], "tools/call", call.clone()).0)).collect();
        asked.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(at_once, [200; 8]);
}

#[test]
fn without_the_token_or_from_a_browser_there_is_no_answer() {
    let sandbox = pumps();
    let server = Server::start(&sandbox, TOKEN);
    let status = |other: &[(&str, &str)]| server.ask_with(other, "tools/list", json!({})).0;
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("authorization", "")]), 401);
    assert_eq!(status(&[("authorization", "Bearer another-token-here")]), 401);
    assert_eq!(status(&[("authorization", TOKEN)]), 401);
    assert_eq!(status(&[("authorization", &format!("bearer {TOKEN}"))]), 200);
    // A page that a browser shows names its origin, and one that rebinds a name to this machine names that host.
    assert_eq!(status(&[("origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("origin", "http://localhost:3000")]), 403);
    assert_eq!(status(&[("host", "evil.example")]), 403);
    let bearer = format!("Bearer {TOKEN}");
    let head = [("host", server.host.as_str()), ("authorization", bearer.as_str())];
    assert_eq!(server.send(&head, "POST /elsewhere", "{}").0, 404);
    assert_eq!(server.send(&head, "GET /mcp", "").0, 405);
    let long = "x".repeat(2 << 20);
    let call = json!({ "name": "kb_search", "arguments": { "query": long } });
    assert_eq!(server.ask_with(&[], "tools/call", call).0, 413);
    assert_eq!(status(&[]), 200, "it goes on");
}

#[test]
fn clients_that_send_nothing_or_stop_halfway_shut_nobody_out() {
    let sandbox = pumps();
    let server = Server::start(&sandbox, TOKEN);
    let stuck: Vec<TcpStream> = (0..70).map(|_| TcpStream::connect(&server.host).unwrap()).collect();
    for (number, mut stream) in stuck.iter().enumerate() {
        if number % 2 == 0 {
            let head = format!("POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-length: 9\r\n\r\n", server.host);
            stream.write_all(head.as_bytes()).unwrap();
        }
    }
    assert_eq!(server.ask_with(&[], "tools/list", json!({})).0, 200);
    drop(stuck);
}

#[test]
fn a_made_up_token_is_shown_once_and_differs_at_each_start() {
    let sandbox = pumps();
    let tokens: Vec<String> = (0..2).map(|_| Server::start(&sandbox, "").said[1].clone()).collect();
    assert!(tokens[0].contains("Authorization: Bearer ") && tokens[0] != tokens[1], "{tokens:?}");
}

#[test]
fn a_token_that_could_be_guessed_and_a_port_that_is_taken_are_refused() {
    let sandbox = pumps();
    for unusable in ["short", "with-a-line-break-at-its-end\n", "with a blank, which no header takes"] {
        let mut command = sandbox.command(&["mcp", "--http", "0"]);
        let refused = command.env("KB_MCP_TOKEN", unusable).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{unusable:?}");
    }
    let server = Server::start(&sandbox, TOKEN);
    let port = server.host.rsplit_once(':').unwrap().1;
    sandbox.kb(&["mcp", "--http", port]).tells(3, &format!("cannot listen on port {port}"));
}

//! Reranking by an endpoint, against a server on this machine that is slow, broken, limited or lying.

use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::llm::server::{Reply, Request, Server};

/// The answer to every request.
type Answer = fn() -> Reply;

/// Scores texts with the word `slowly` highest.
fn scores(request: &Request, name: &str) -> Vec<Value> {
    let texts = request.body[name].as_array().unwrap().iter();
    let score = |text: &Value| if text.as_str().unwrap().contains("slowly") { 0.9 } else { 0.1 };
    texts
        .enumerate()
        .map(|(at, text)| json!({ "index": at, "relevance_score": score(text), "score": score(text) }))
        .collect()
}

fn sandbox(server: &Server) -> Sandbox {
    let sandbox = Sandbox::prepared("reranking_endpoint::sandbox", |sandbox| {
        sandbox.write("a.md", "# Pump\n\nThe pump pumps what a pump pumps: pump, pump, pump.");
        sandbox.write("b.md", "# Valves\n\nClose the valve of the pump slowly.");
        sandbox.json(&["ingest", ".", "--no-embed"]);
    });
    let base_url = server.base_url();
    sandbox.configure(format!("[reranking]\nbase_url = {base_url:?}\nmodel = \"judge\"\nretries = 1\n"));
    sandbox
}

fn search(sandbox: &Sandbox, flags: &[&str]) -> Value {
    sandbox.json(&[&["search", "pump", "--method", "keyword", "--rerank", "endpoint"], flags].concat())
}

#[test]
fn the_scores_of_the_endpoint_decide() {
    let server = Server::start(|request| {
        Reply::Status(200, &[], json!({ "results": scores(request, "documents") }).to_string())
    });
    let sandbox = sandbox(&server);
    assert_eq!(sandbox.json(&["search", "pump", "--method", "keyword"])["hits"][0]["source"], "a.md");
    let found = search(&sandbox, &[]);
    assert_eq!((&found["hits"][0]["source"], server.count()), (&"b.md".into(), 1), "{found}");
    assert_eq!(server.requests()[0].target, "/v1/rerank");
}

#[test]
fn an_endpoint_that_wants_other_names_is_understood() {
    let server = Server::start(|request| match request.body["texts"].is_array() {
        true => Reply::Status(200, &[], Value::Array(scores(request, "texts")).to_string()),
        false => Reply::Status(422, &[], "missing field `texts`".to_owned()),
    });
    let sandbox = sandbox(&server);
    assert_eq!(search(&sandbox, &[])["hits"][0]["source"], "b.md");
}

#[test]
fn without_scores_the_order_stays_and_a_note_says_why() {
    let replies: [(&str, Answer); 5] = [
        ("server error", || Reply::Status(500, &[], "no".into())),
        ("malformed answer", || Reply::Status(200, &[], "{\"results\": []}".into())),
        ("broken answer", || Reply::Half),
        ("rate limited", || Reply::Status(429, &[("Retry-After", "0")], "slow down".into())),
        ("timeout", || Reply::Late(Duration::from_secs(3), String::new())),
    ];
    for (reason, reply) in replies {
        let server = Server::start(move |_| reply());
        let sandbox = sandbox(&server);
        let found = search(&sandbox, &["--rerank-budget", "10,1s"]);
        assert_eq!(found["hits"][0]["source"], "a.md", "{reason}");
        assert!(found["notes"].to_string().contains("gave no scores"), "{reason}: {}", found["notes"]);
    }
}

#[test]
fn without_an_endpoint_nothing_is_searched() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.kb(&["search", "pump", "--rerank", "endpoint"]).tells(2, "[reranking]");
}

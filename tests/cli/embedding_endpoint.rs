//! Embeddings from an endpoint, against a server on this machine that is slow, broken, limited or lying.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Sandbox;
use crate::llm::server::{Reply, Request, Server};

const KEY: &str = "sk-verysecret0123456789abcdef";

/// A vector by the words of a text: the same words give the same direction. Another `seed` is another model.
fn vector(text: &str, seed: u32) -> Vec<f32> {
    let mut vector = vec![0.01; 32];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3) {
        let hash = word.bytes().fold(seed, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
        vector[hash as usize % 32] += 1.0;
    }
    vector
}

fn vectors(request: &Request, seed: u32) -> Reply {
    let texts = request.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let data: Vec<Value> =
        texts.enumerate().map(|(at, text)| json!({ "index": at, "embedding": vector(text, seed) })).collect();
    Reply::Status(200, &[], json!({ "data": data, "model": "words" }).to_string())
}

/// A sandbox with two documents, whose settings name a server.
fn sandbox(server: &Server, more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves\n\nClose the valve slowly.");
    sandbox.write("b.md", "# 水泵\n\nPrime the pump before it starts.");
    let base_url = server.base_url();
    sandbox.configure(format!(
        "[embedding]\nbase_url = {base_url:?}\nmodel = \"words\"\ntimeout = 10\nretries = 2\n{more}"
    ));
    sandbox
}

/// The variables that name a server.
fn named(server: &Server) -> [(&'static str, String); 2] {
    [("KB_EMBEDDING_BASE_URL", server.base_url()), ("KB_EMBEDDING_MODEL", "words".to_owned())]
}

#[test]
fn a_store_that_is_not_trusted_sends_no_text_to_the_users_endpoint() {
    let server = Server::start(|request| vectors(request, 7));
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves\n\nClose the valve slowly.");
    sandbox.write(".kb/kb.toml", "model = \"endpoint\"\n");
    sandbox.kb_with(&named(&server), &["ingest", "a.md"]).tells(0, "ignored model");
    assert_eq!(server.count(), 0);
}

#[test]
fn a_store_of_others_sends_no_question_to_the_users_endpoint() {
    let server = Server::start(|request| vectors(request, 7));
    let sandbox = sandbox(&server, "");
    ingest(&sandbox);
    sandbox.kb(&["trust", "--revoke"]).ok();
    let before = server.count();
    let run = |args: &[&str]| sandbox.kb_with(&named(&server), args);
    let search = ["search", "slowly close", "--method", "semantic"];
    run(&search).tells(3, "this store is not trusted");
    sandbox.write("c.md", "# Seals\n\nGrease the seal.");
    run(&["ingest", "c.md"]).tells(3, "kb trust");
    assert_eq!(server.count(), before);
    assert!(run(&["trust"]).out.contains("endpoint:words"));
    assert_eq!(run(&search).code, 0);
    assert!(server.count() > before);
}

fn ingest(sandbox: &Sandbox) -> Value {
    sandbox.json(&["ingest", ".", "--model", "endpoint"])
}

#[test]
fn documents_and_questions_get_the_vectors_of_the_endpoint() {
    let server = Server::start(|request| vectors(request, 7));
    let sandbox = sandbox(&server, "query_prefix = \"query: \"\ndocument_prefix = \"passage: \"\n");
    assert_eq!(ingest(&sandbox)["embedded"], 2);
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.target == "/v1/embeddings" && request.body["model"] == "words"));
    assert!(requests.last().unwrap().body["input"].to_string().contains("passage: "), "{requests:?}");
    assert_eq!(sandbox.status()["model"], "endpoint:words");
    let found = sandbox.json(&["search", "slowly close", "--method", "semantic"]);
    assert_eq!(found["hits"][0]["source"], "a.md", "{found}");
    assert!(server.requests().last().unwrap().body["input"][0].as_str().unwrap().starts_with("query: "));
    let before = server.count();
    assert_eq!(ingest(&sandbox)["counts"]["unchanged"], 2);
    sandbox.json(&["search", "slowly close", "--method", "semantic"]);
    assert_eq!(server.count(), before, "nothing is asked for twice");
}

#[test]
fn another_model_than_that_of_the_endpoint_is_refused() {
    let server = Server::start(|request| vectors(request, 7));
    let sandbox = sandbox(&server, "");
    sandbox.kb(&["ingest", ".", "--model", "endpoint:other"]).tells(2, "[embedding] names \"endpoint:words\"");
    assert_eq!(server.count(), 0);
    assert_eq!(sandbox.json(&["ingest", ".", "--model", "endpoint:words"])["embedded"], 2);
    let run = sandbox.kb(&["ingest", ".", "--model", "endpoint:other"]);
    assert!(run.code != 0 && run.err.contains("endpoint:other"), "{}", run.err);
}

#[test]
fn a_failing_endpoint_loses_nothing() {
    // Every fifth request fails.
    let server = Server::start(|request| match request.number % 5 {
        1 => Reply::Status(500, &[], "no".into()),
        3 => Reply::Status(429, &[("Retry-After", "0")], "slow down".into()),
        _ => vectors(request, 7),
    });
    let sandbox = sandbox(&server, "");
    for number in 0..40 {
        sandbox.write(&format!("more/{number}.md"), format!("# Part {number}\n\nThe part number {number} is green."));
    }
    let report = ingest(&sandbox);
    assert_eq!((&report["counts"]["added"], &report["without_vectors"]), (&42.into(), &0.into()));
    let before = server.count();
    assert_eq!(ingest(&sandbox)["counts"]["unchanged"], 42);
    assert_eq!(server.count(), before);
}

/// Presses Ctrl-C during an ingest once the endpoint holds a request back. Returns what became of it.
#[cfg(unix)]
fn ingest_until_held(sandbox: &Sandbox, held: &AtomicU32) -> crate::common::Run {
    use crate::common::{end, interrupt, start, wait_until};
    held.store(0, Ordering::SeqCst);
    let ingest = start(&mut sandbox.command(&["ingest", ".", "--model", "endpoint"]));
    wait_until("the ingest asks for vectors", || held.load(Ordering::SeqCst) > 0);
    interrupt(&ingest);
    end(ingest)
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_vectors_are_made_leaves_whole_documents_and_the_next_ingest_completes() {
    use crate::common::assert_sound;
    use std::sync::atomic::AtomicBool;
    const MORE: usize = 300;
    let (holds, held) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
    let (hold, asked) = (holds.clone(), held.clone());
    let server = Server::start(move |request| {
        if hold.load(Ordering::SeqCst) && request.body["input"].to_string().contains("number") {
            asked.fetch_add(1, Ordering::SeqCst);
            while hold.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        vectors(request, 7)
    });
    let sandbox = sandbox(&server, "");
    ingest(&sandbox);
    let status = || sandbox.items(&["status"])[0].clone();
    let text = || sandbox.kb(&["section", "a.md", "1"]).out;
    let before = status()["generation"].clone();
    // A batch of its own is published with its vectors.
    sandbox.write("a.md", "# Valves\n\nClose the valve number 2 slowly.");
    holds.store(true, Ordering::SeqCst);
    ingest_until_held(&sandbox, &held).tells(130, "interrupted; run the same command again");
    assert_eq!(status()["generation"], before);
    assert!(text().contains("Close the valve slowly."), "{}", text());
    assert_sound(&sandbox);
    // Several batches are published before their vectors are made.
    for number in 0..MORE {
        sandbox.write(&format!("more/{number}.md"), format!("# Part {number}\n\nThe part number {number} is green."));
    }
    ingest_until_held(&sandbox, &held).tells(130, "interrupted: at least 301 documents of this run saved");
    let (documents, lacking) = (status()["documents"].clone(), status()["without_vectors"].clone());
    assert_eq!((documents, lacking), ((MORE + 2).into(), (MORE + 1).into()));
    assert!(text().contains("Close the valve number 2 slowly."), "{}", text());
    assert_sound(&sandbox);
    holds.store(false, Ordering::SeqCst);
    let report = ingest(&sandbox);
    assert_eq!((&report["counts"]["updated"], &report["without_vectors"]), (&0.into(), &0.into()), "{report}");
    assert_eq!(ingest(&sandbox)["counts"]["unchanged"], MORE + 2);
    assert_sound(&sandbox);
}

#[test]
fn an_endpoint_of_another_model_is_refused() {
    let seed = Arc::new(AtomicU32::new(7));
    let own = seed.clone();
    let server = Server::start(move |request| vectors(request, own.load(Ordering::SeqCst)));
    let sandbox = sandbox(&server, "");
    ingest(&sandbox);
    seed.store(8, Ordering::SeqCst);
    sandbox.kb(&["search", "close the valve", "--method", "semantic"]).tells(3, "its model has changed");
    sandbox.write("c.md", "# Seals\n\nGrease the seal.");
    sandbox.kb(&["ingest", "c.md"]).tells(3, "kb reindex --vectors");
    sandbox.kb(&["reindex", "--vectors", "--model", "endpoint", "--force"]).ok();
    sandbox.kb(&["search", "close the valve", "--method", "semantic"]).ok();
}

#[test]
fn answers_without_vectors_are_named() {
    let lies: [fn() -> Reply; 5] = [
        || Reply::Status(200, &[], json!({ "data": [] }).to_string()),
        || Reply::Status(200, &[], "{\"data\": [{\"embedding\": [1e999]}]}".to_owned()),
        || Reply::Half,
        || Reply::Endless(40 << 20),
        || Reply::Status(401, &[], "who are you".into()),
    ];
    for lie in lies {
        let server = Server::start(move |_| lie());
        let sandbox = sandbox(&server, "api_key_env = \"MY_KEY\"\n");
        let run = sandbox.kb_with(&[("MY_KEY", KEY)], &["ingest", ".", "--model", "endpoint"]);
        run.tells(3, "gave no vectors").lacks(KEY);
        assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    }
}

#[test]
fn a_slow_endpoint_ends_with_its_time() {
    let server = Server::start(|_| Reply::Late(Duration::from_secs(5), String::new()));
    let sandbox = sandbox(&server, "");
    let hurried = [("KB_EMBEDDING_TIMEOUT", "1"), ("KB_EMBEDDING_RETRIES", "0")];
    sandbox.kb_with(&hurried, &["ingest", ".", "--model", "endpoint"]).tells(3, "no answer within 1 s");
}

#[test]
fn an_endpoint_is_asked_only_if_the_user_named_it() {
    let server = Server::start(|request| vectors(request, 7));
    let sandbox = sandbox(&server, "");
    let settings = std::fs::read_to_string(sandbox.path(".kb/kb.toml")).unwrap();
    sandbox.json(&["ingest", "."]);
    assert_eq!(server.count(), 0, "the embedded model is used unless another is named");
    let other = Sandbox::new();
    other.write(".kb/kb.toml", settings);
    other.write("a.md", "# Valves\n\nClose the valve slowly.");
    other.kb(&["ingest", ".", "--model", "endpoint"]).tells(3, "kb trust").tells(3, "no endpoint");
    assert_eq!(server.count(), 0);
}

//! The language model on the command line: `kb llm`, and `kb search --expand llm`.

use std::time::Duration;

use serde_json::json;

use super::server::{Messages, Reply, Server};
use crate::common::{Sandbox, files_below, has_stage, run, stage, texts, titles};

/// The answer to every request.
type Answer = fn() -> Reply;

const KEY: &str = "sk-verysecret0123456789abcdef";

const MANUAL: &str = "# Machine\n\n## Bleeding\n\nOpen the upper vent until water leaves it without bubbles, then shut it.\n\n\
    ## Paint\n\nThe casing is green or blue.\n\n## Rattling\n\nA rattle means a worn bearing.\n";

/// A sandbox with [`MANUAL`] and a server in its `kb.toml`.
fn sandbox(server: &Server, more: &str) -> Sandbox {
    let sandbox = Sandbox::prepared("llm::commands::sandbox", |sandbox| {
        sandbox.write("manual.md", MANUAL);
        sandbox.kb(&["ingest", "manual.md", "-q", "--no-embed"]).ok();
    });
    sandbox.configure(toml(server, more));
    sandbox
}

fn toml(server: &Server, more: &str) -> String {
    format!("[llm]\nbase_url = {:?}\nmodel = \"test\"\ntimeout = 10\nretries = 1\n{more}", server.base_url())
}

fn expansion() -> String {
    json!({
        "rewritten": "How is air removed from the casing?",
        "queries": ["open the vent until no bubbles leave it"],
        "hypothetical": "Open the vent until water leaves it.",
        "keywords": ["vent", "bubbles"],
        "entities": []
    })
    .to_string()
}

#[test]
fn nothing_is_sent_unless_asked_for_and_a_missing_model_is_refused() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    assert_eq!(sandbox.kb(&["search", "priming"]).code, 1);
    sandbox.json(&["search", "rattle"]);
    sandbox.kb(&["search", "rattle", "--expand", "all"]);
    assert_eq!(server.count(), 0);
    sandbox.configure(toml(&server, "[search]\nexpand = \"llm\"\n"));
    sandbox.kb(&["search", "priming", "--expand", "missing"]);
    assert_eq!(server.count(), 0, "what is typed counts");
    sandbox.json(&["search", "priming"]);
    assert_eq!(server.count(), 1);
    std::fs::remove_file(sandbox.path(".kb/kb.toml")).unwrap();
    let words = ["--expand llm", "none is configured", "base_url", "KB_LLM_MODEL", "kb llm check"];
    sandbox.kb(&["search", "priming", "--expand", "llm"]).tells_all(2, &words);
}

#[test]
fn other_words_are_searched_and_the_model_is_asked_once() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    let search = || sandbox.json(&["search", "priming a rattle", "--expand", "llm", "--explain"]);
    let result = search();
    // The question's own word is found first, then what only the other words find.
    assert_eq!(titles(&result), ["Rattling", "Bleeding", "Paint"]);
    let llm = stage(&result, "llm");
    let says = texts(&llm["notes"], "");
    assert!(says[0].contains("1 request") && says.iter().any(|line| line.contains("How is air removed")), "{says:?}");
    assert_eq!((llm["given"].as_u64(), stage(&result, "reworded")["given"].as_u64()), (Some(4), Some(2)));
    assert!(llm["milliseconds"].as_f64() > Some(0.0));
    let again = search();
    assert_eq!((titles(&again), server.count()), (titles(&result), 1));
    assert!(stage(&again, "llm")["notes"][0].as_str().unwrap().contains("1 answer from the cache"));
    let hit = result["hits"][1]["chunk_id"].as_str().unwrap();
    let why = sandbox.json(&["search", "priming a rattle", "--expand", "llm", "--why", hit]);
    assert_eq!((why["rank"].as_u64(), why["lost_in"].as_str()), (Some(2), None), "{why}");
}

#[test]
fn a_fallback_asks_the_model_only_where_too_little_is_found() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    let search = |least: &str| sandbox.json(&["search", "priming a rattle", "--fallback", least]);
    let enough = search("min_hits=1");
    assert_eq!((titles(&enough), server.count()), (vec!["Rattling"], 0));
    let again = search("min_hits=2");
    assert_eq!((titles(&again), server.count()), (vec!["Rattling", "Bleeding", "Paint"], 1));
    assert!(again["notes"].to_string().contains("wordings of the language model"), "{again}");
}

#[test]
fn a_fallback_of_a_found_store_asks_no_model() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    sandbox.write(".kb/kb.toml", "[search.fallback]\nmin_hits = 2\n");
    let named = [("KB_LLM_BASE_URL", server.base_url()), ("KB_LLM_MODEL", "m".to_owned())];
    sandbox.kb_with(&named, &["search", "priming a rattle"]).tells(0, "ignored search.fallback");
    assert_eq!(server.count(), 0);
}

#[test]
fn semantic_search_uses_other_words_too() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    sandbox.kb(&["ingest", "manual.md", "-q"]).ok();
    sandbox.kb(&["search", "priming the machine"]).tells(1, "nothing found");
    let result = sandbox.json(&["search", "priming the machine", "--expand", "llm", "--explain"]);
    assert_eq!(titles(&result)[0], "Bleeding");
    assert_eq!(stage(&result, "semantic")["given"], 3);
    let scored = result["hits"].as_array().unwrap().iter().all(|hit| hit["semantic_score"].is_number());
    assert!(scored, "what is recalled by other words has its true score for the question: {result}");
    assert_eq!(server.count(), 1);
}

#[test]
fn each_kind_of_wording_can_be_asked_for_alone() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    let wordings = |expand: &str| {
        stage(&sandbox.json(&["search", "priming", "--expand", expand, "--explain"]), "llm")["given"].clone()
    };
    let each = [wordings("rewrite"), wordings("hyde"), wordings("keywords")].map(|number| number.as_u64().unwrap());
    assert_eq!(wordings("rewrite,hyde,keywords").as_u64(), Some(each.iter().sum()));
    assert!(each.iter().all(|number| *number > 0), "{each:?}");
    assert_eq!(server.count(), 1, "one answer has them all");
    sandbox.kb(&["search", "priming", "--expand", "guess"]).tells(2, "rewrite, hyde, keywords");
}

#[test]
fn the_model_says_the_kind_of_a_question_that_is_open() {
    let answer = r#"{"rewritten": "How is the pump primed?", "kind": "procedure"}"#;
    let server = Server::start(move |_| Reply::Say(answer.into()));
    let sandbox = sandbox(&server, "");
    let kind = |query: &str| {
        let found = sandbox.kb(&["search", query, "--expand", "llm", "--explain", "--format", "json"]).json();
        (found["understood"]["kind"].clone(), has_stage(&found, "kind"))
    };
    assert_eq!(kind("pump priming"), ("procedure".into(), true));
    assert_eq!(kind("what is priming?"), ("concept".into(), false), "its words say it");
}

#[test]
fn lookups_and_questions_about_chapters_are_not_sent() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    sandbox.kb(&["search", "E-417", "--expand", "llm"]);
    sandbox.json(&["search", "what chapters does manual.md have", "--expand", "llm"]);
    assert_eq!(server.count(), 0);
}

#[test]
fn a_failing_model_costs_a_note_and_no_result() {
    let failing: [(&str, Answer); 5] = [
        ("server error", || Reply::Status(500, &[], "no".into())),
        ("timeout", || Reply::Late(Duration::from_secs(12), expansion())),
        ("malformed answer", || Reply::Say("I would rather talk about pumps.".into())),
        ("broken answer", || Reply::Half),
        ("unauthorised", || Reply::Status(401, &[], "who are you".into())),
    ];
    for (reason, reply) in failing {
        let server = Server::start(move |_| reply());
        let sandbox = sandbox(&server, "");
        let plain = sandbox.json(&["search", "rattle"]);
        let run = sandbox.kb(&["search", "rattle", "--expand", "llm", "--format", "json", "--fallback", "min_hits=3"]);
        let run = run.tells_all(0, &["searched without the language model's wordings", reason]);
        assert_eq!(titles(&run.json()), titles(&plain), "{reason}");
        assert!(server.count() <= 2, "{reason}: it is not waited for again by the second look");
    }
}

#[test]
fn check_reports_an_answer_or_the_problem() {
    let sandbox = Sandbox::new();
    let check = |url: &str, key: Option<&str>, more: &[&str]| {
        let mut command = sandbox.command(&[&["llm", "check"], more].concat());
        command.env("KB_LLM_BASE_URL", url).env("KB_LLM_MODEL", "test").env("KB_LLM_TIMEOUT", "3");
        if let Some(key) = key {
            command.env("KB_LLM_API_KEY", key);
        }
        run(&mut command)
    };
    let good = Server::start(|request| match request.header("authorization") {
        Some(header) if header == format!("Bearer {KEY}") => Reply::Say("OK".into()),
        sent => Reply::Status(401, &[], json!({ "error": { "message": format!("not {sent:?}") } }).to_string()),
    });
    let run = check(&good.base_url(), Some(KEY), &[]);
    assert!(run.code == 0 && run.out.contains("test answers in") && run.out.contains("100 tokens sent"), "{}", run.out);
    let json = check(&good.base_url(), Some(KEY), &["--format", "json"]).json();
    assert_eq!((&json["answer"], &json["with_key"]), (&json!("OK"), &json!(true)));
    let wrong = |url: &str, key: Option<&str>, words: &[&str]| {
        let run = check(url, key, &["-v"]).tells_all(3, words).lacks("verysecret");
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    };
    wrong(&good.base_url(), None, &["HTTP 401", "api_key_env"]);
    wrong(&good.base_url(), Some("sk-verysecret0123456789wrong"), &["HTTP 401", "check the key"]);
    wrong("http://no-such-host.invalid/v1", None, &["unreachable", "base_url"]);
    let gone = Server::nowhere();
    wrong(&gone, None, &["unreachable", "refused", "something listens"]);
    let slow = Server::start(|_| Reply::Late(Duration::from_secs(12), "OK".into()));
    wrong(&slow.base_url(), None, &["timeout", "no answer within 3 s"]);
    let not_there = Server::start(|_| Reply::Status(404, &[], "{\"error\": \"model 'test' not found\"}".into()));
    wrong(&not_there.base_url(), None, &["model 'test' not found", "check model (test)"]);
    let other = Server::start(|_| Reply::Status(200, &[], "<html>".into()));
    wrong(&other.base_url(), None, &["OpenAI protocol"]);
    sandbox.kb(&["llm", "check"]).tells(2, "KB_LLM_BASE_URL");
    assert!(!sandbox.path(".kb").exists(), "a check makes no store");
}

#[test]
fn no_proxy_sees_the_key() {
    let (server, proxy) = (Server::saying("OK"), Server::saying("OK"));
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["llm", "check"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy.base_url());
    }
    command.env("KB_LLM_BASE_URL", server.base_url()).env("KB_LLM_MODEL", "m").env("KB_LLM_API_KEY", KEY);
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    run(&mut command).ok();
    assert_eq!((server.count(), proxy.count()), (1, 0));
}

#[test]
fn wrong_settings_are_refused_before_anything_is_sent() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    let refused = |more: &str, words: &[&str]| {
        sandbox.configure(toml(&server, more));
        sandbox.kb(&["search", "priming", "--expand", "llm"]).tells_all(2, words).lacks("verysecret");
    };
    refused("api_key_env = \"NOT_SET_ANYWHERE\"", &["NOT_SET_ANYWHERE is not set"]);
    refused(&format!("api_key_env = {KEY:?}"), &["not the name of an environment variable"]);
    refused(&format!("api_key = {KEY:?}"), &["line 6", "api_key"]);
    refused("concurrency = 0", &["concurrency in [llm]", "from 1 to 64"]);
    refused("prompts = \"nowhere\"", &["nowhere does not exist"]);
    sandbox.write(".kb/prompts/expand-query.md", "Just do it.\n---\n{{ question }}");
    refused("", &["prompts/expand-query.md", "is data", "kb llm prompt expand-query"]);
    assert_eq!(server.count(), 0);
}

#[test]
fn a_users_prompt_is_sent() {
    let server = Server::saying(expansion());
    let sandbox = sandbox(&server, "");
    let built_in = sandbox.kb(&["llm", "prompt", "expand-query"]).ok();
    assert_eq!(sandbox.json(&["llm", "prompt", "expand-query"])["text"], built_in.out);
    sandbox.json(&["search", "priming", "--expand", "llm"]);
    sandbox.write(".kb/prompts/expand-query.md", built_in.out.replace("You help", "As a plumber, you help"));
    sandbox.kb(&["trust"]).ok();
    sandbox.json(&["search", "priming", "--expand", "llm"]);
    assert!(server.requests()[1].system().starts_with("As a plumber, you help"), "not the kept answer");
    sandbox.kb(&["llm", "prompt", "nonsense"]).tells(2, "expand-query");
}

#[test]
fn the_key_appears_in_no_output_and_no_file() {
    let server = Server::start(|request| match request.number {
        0 => Reply::Status(500, &[], format!("your key {KEY} is fine, but I am not")),
        _ => Reply::Say(expansion().replace("bubbles", "bubbles, not rattling")),
    });
    let sandbox = sandbox(&server, "api_key_env = \"MY_KEY\"\n");
    for format in ["json", "markdown", "table"] {
        let args = ["search", "priming", "--expand", "llm", "--explain", "-v", "--format", format];
        sandbox.kb_with(&[("MY_KEY", KEY)], &args).ok().lacks("verysecret");
    }
    for path in files_below(&sandbox.path(".kb")) {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(10).any(|part| part == &KEY.as_bytes()[3..13]), "{}", path.display());
    }
    assert_eq!(files_below(&sandbox.path(".kb/cache/llm")).len(), 1, "the answer is in the cache");
}

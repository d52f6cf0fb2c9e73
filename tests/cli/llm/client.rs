//! The client alone: cache, retries, the limit, and the report.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kb::internals::endpoint::EndpointSettings;
use kb::internals::llm::{Client, ContextDocument, ContextParentChunk, LlmReport, Unanswered, contexts, expand_query};
use serde_json::json;

use super::server::{Messages, Reply, Request, Server};
use crate::common::files_below;

/// A timeout that passes.
const SHORT: Duration = Duration::from_millis(500);
/// Longer than anything takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

const PUMP: ContextDocument<'static> =
    ContextDocument { title: "Pump manual", outline: "1 Safety\n2 Operation", chunks: &[] };

/// Settings that retry at once and have time on a busy machine.
pub fn settings(server: &Server) -> EndpointSettings {
    EndpointSettings {
        timeout: Duration::from_secs(10),
        back_off: Duration::from_millis(5),
        retries: 3,
        ..EndpointSettings::new(&server.base_url(), "test").unwrap()
    }
}

/// Different parent chunks, eight of which go into a request.
pub fn texts(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("Valve {n} relieves the casing of the pump; open it slowly and close it again."))
        .collect()
}

pub fn parent_chunks(texts: &[String]) -> Vec<ContextParentChunk<'_>> {
    texts
        .iter()
        .map(|text| ContextParentChunk { section: "Operation › Valves", text, ..ContextParentChunk::default() })
        .collect()
}

/// The answer of an honest model: for each chunk a context with its words.
pub fn honest(request: &Request) -> String {
    let valves: Vec<&str> =
        request.user().split("The chunk: Valve ").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
    let line = |valve: &&str| {
        format!(
            "From the pump manual, on operation and its valves: what valve {valve} does for the casing of the pump."
        )
    };
    let entries: Vec<_> =
        valves.iter().enumerate().map(|(at, valve)| json!({ "chunk": at + 1, "context": line(valve) })).collect();
    json!({ "contexts": entries }).to_string()
}

/// Asks for the contexts of this many parent chunks.
fn ask(settings: EndpointSettings, store: &Path, count: usize) -> (Vec<Option<String>>, LlmReport) {
    ask_about(settings, store, &parent_chunks(&texts(count)))
}

/// The same with an empty cache.
fn ask_anew(settings: EndpointSettings, count: usize) -> (Vec<Option<String>>, LlmReport) {
    ask(settings, scratch().path(), count)
}

/// Asks for the contexts of these parent chunks.
pub fn ask_about(
    settings: EndpointSettings,
    store: &Path,
    parent_chunks: &[ContextParentChunk<'_>],
) -> (Vec<Option<String>>, LlmReport) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let client = Client::new(settings, Some(store)).unwrap();
        let document = ContextDocument { chunks: parent_chunks, ..PUMP };
        let lines = contexts(&client, &document, Unanswered::Skip).await;
        (lines, client.report())
    })
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_second_run_makes_no_request() {
    let (server, store) = (Server::start(|request| Reply::Say(honest(request))), scratch());
    let (lines, report) = ask(settings(&server), store.path(), 20);
    for (n, line) in lines.iter().enumerate() {
        assert!(line.as_ref().unwrap().contains(&format!("valve {n} ")), "{lines:?}");
    }
    assert_eq!((server.count(), report.requests, report.answered, report.failures()), (3, 3, 3, 0));
    assert_eq!((report.input_tokens, report.output_tokens), (300, 60));
    let (again, report) = ask(settings(&server), store.path(), 20);
    assert_eq!((server.count(), report.requests, report.cached, report.input_tokens), (3, 0, 20, 0));
    assert_eq!(again, lines);
    // Another model, or another parent chunk, is another question.
    ask(EndpointSettings { model: "other".into(), ..settings(&server) }, store.path(), 20);
    assert_eq!(server.count(), 6);
    ask(settings(&server), store.path(), 21);
    assert_eq!(server.count(), 7);
    assert!(server.requests()[6].user().contains("The chunks, 1:"), "only the one that is new");
}

#[test]
fn damaged_cache_entries_are_asked_again() {
    let (server, store) = (Server::start(|request| Reply::Say(honest(request))), scratch());
    let (lines, _) = ask(settings(&server), store.path(), 8);
    let files = files_below(store.path());
    assert_eq!(files.len(), 8);
    let whole = std::fs::read_to_string(&files[0]).unwrap();
    // Truncated, empty, that of another key, and complete with an unacceptable context.
    let (half, other) = (whole[..whole.len() / 2].to_owned(), whole.replace("\"key\":\"", "\"key\":\"0"));
    assert_ne!(other, whole);
    for damaged in [half, String::new(), other, whole.replace("From the", "Ignore all of the")] {
        let before = server.count();
        std::fs::write(&files[0], damaged).unwrap();
        let (again, report) = ask(settings(&server), store.path(), 8);
        assert_eq!((report.cached, server.count()), (7, before + 1));
        assert_eq!(again, lines);
        assert_eq!(ask(settings(&server), store.path(), 8).1.cached, 8, "it was replaced");
    }
}

#[test]
fn only_changed_chunks_are_asked_and_bad_contexts_only_once() {
    let server =
        Server::start(|request| Reply::Say(honest(request).replace("what valve 5 does", "Ignore all: valve 5")));
    let store = scratch();
    let (lines, _) = ask(settings(&server), store.path(), 20);
    let without: Vec<usize> = (0..20).filter(|&at| lines[at].is_none()).collect();
    assert_eq!((without, server.count()), (vec![5], 3));
    assert_eq!((ask(settings(&server), store.path(), 20).0, server.count()), (lines.clone(), 3));
    let mut changed = texts(20);
    changed.insert(2, "Valve 77 is new, and relieves the casing of the pump too.".to_owned());
    changed[9].push_str(" It squeaks.");
    let client = Client::new(settings(&server), Some(store.path())).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let document = ContextDocument { chunks: &parent_chunks(&changed), ..PUMP };
    let again = runtime.block_on(contexts(&client, &document, Unanswered::Skip));
    assert_eq!((server.count(), client.report().cached), (4, 19));
    assert!(server.requests()[3].user().contains("The chunks, 2:"));
    assert_eq!((&again[..2], &again[3..9], &again[10..]), (&lines[..2], &lines[2..8], &lines[9..]));
    assert!(again[2].as_ref().unwrap().contains("valve 77") && again[9].is_some());
}

#[test]
fn retries_complete_a_run_with_failing_requests() {
    // By question and not by arrival: otherwise all attempts of one request may fail.
    let seen: Mutex<Vec<String>> = Mutex::default();
    let server = Server::start(move |request| {
        let mut seen = seen.lock().unwrap();
        let (is_new, place) = match seen.iter().position(|text| text == request.user()) {
            Some(place) => (false, place),
            None => (true, seen.len()),
        };
        if is_new {
            seen.push(request.user().to_owned());
        }
        match place % 4 {
            0 if is_new && place % 8 == 0 => Reply::Status(503, &[], "overloaded".into()),
            0 if is_new => Reply::Reset,
            _ => Reply::Say(honest(request)),
        }
    });
    let (lines, report) = ask_anew(settings(&server), 200);
    assert!(lines.iter().all(Option::is_some));
    assert_eq!((report.answered, report.failures()), (25, 0));
    // Of 25 questions 7 failed once: 7 of the 32 requests.
    assert_eq!((report.requests, server.count()), (32, 32), "{report:?}");
}

#[test]
fn a_slow_answer_times_out() {
    let server = Server::start(|request| Reply::Late(LONG, honest(request)));
    let start = Instant::now();
    let (lines, report) = ask_anew(EndpointSettings { retries: 1, timeout: SHORT, ..settings(&server) }, 8);
    assert!(start.elapsed() < LONG);
    assert_eq!((lines[0].as_ref(), report.requests, report.failed["timeout"]), (None, 2, 1));
    assert!(report.input_tokens > 200, "the endpoint may have counted what was sent: {report:?}");
}

#[test]
fn broken_connections_and_truncated_answers_are_retried() {
    let server = Server::start(|request| match request.number {
        0 => Reply::Reset,
        1 => Reply::Half,
        2 => Reply::Status(200, &[], "<html>welcome to the hotel's network</html>".into()),
        _ => Reply::Say(honest(request)),
    });
    let (lines, report) = ask_anew(settings(&server), 8);
    assert!(lines.iter().all(Option::is_some), "{report:?}");
    assert_eq!((report.requests, report.failures()), (4, 0));
    let (server, store) = (Server::start(|_| Reply::Half), scratch());
    let (lines, report) = ask(settings(&server), store.path(), 8);
    assert_eq!((lines[0].as_ref(), report.requests, report.failed["broken answer"]), (None, 4, 1));
    assert!(files_below(store.path()).is_empty(), "bad answers are not cached");
}

#[test]
fn rate_limits_are_respected() {
    let server = Server::start(|request| match request.number {
        0 => Reply::Status(429, &[("Retry-After", "1")], "{\"error\": {\"message\": \"slow down\"}}".into()),
        _ => Reply::Say(honest(request)),
    });
    let start = Instant::now();
    let (lines, report) = ask_anew(settings(&server), 8);
    assert!(lines[0].is_some() && start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(report.requests, 2);
    // A wait until tomorrow is too long.
    let server = Server::start(|_| Reply::Status(429, &[("Retry-After", "86400")], String::new()));
    let (lines, report) = ask_anew(settings(&server), 8);
    assert_eq!((lines[0].as_ref(), report.requests, report.failed["rate-limited"]), (None, 1, 1));
    // With an empty account, waiting does not help.
    let broke = "{\"error\": {\"message\": \"quota\", \"code\": \"insufficient_quota\"}}";
    let server = Server::start(|_| Reply::Status(429, &[], broke.into()));
    let (_, report) = ask_anew(EndpointSettings { concurrency: 1, ..settings(&server) }, 80);
    assert_eq!((report.requests, report.failed["no credit"], report.failed["given up"]), (1, 1, 9));
}

#[test]
fn concurrency_is_limited() {
    let server = Server::start(|request| Reply::Late(Duration::from_millis(40), honest(request)));
    let (lines, _) = ask_anew(EndpointSettings { concurrency: 3, ..settings(&server) }, 160);
    assert!(lines.iter().all(Option::is_some));
    assert_eq!(server.count(), 20);
    assert!((2..=3).contains(&server.most_at_once()), "{}", server.most_at_once());
}

#[test]
fn the_limit_of_tokens_stops_further_requests() {
    let (server, store) = (Server::start(|request| Reply::Say(honest(request))), scratch());
    let (lines, all) = ask_anew(settings(&server), 80);
    assert!(lines.iter().all(Option::is_some) && all.input_tokens == 1000);
    // Each request may get 1280 tokens of answer, and that much is held.
    let limited = EndpointSettings { max_tokens: Some(4000), ..settings(&server) };
    let before = server.count();
    let (lines, report) = ask(limited.clone(), store.path(), 80);
    let there = lines.iter().filter(|line| line.is_some()).count();
    assert!(there > 0 && there < 80, "{report:?}");
    assert!(report.input_tokens + report.output_tokens <= 4000);
    assert_eq!(report.failed["token limit reached"] + report.answered, 10);
    assert_eq!(server.count() - before, report.answered);
    // The next run continues where this one ended.
    let (more, _) = ask(limited, store.path(), 80);
    assert!(more.iter().filter(|line| line.is_some()).count() > there);
}

#[test]
fn a_missing_endpoint_is_given_up() {
    let gone = Server::nowhere();
    let unreachable = EndpointSettings {
        back_off: Duration::from_millis(1),
        retries: 1,
        concurrency: 2,
        ..EndpointSettings::new(&gone, "test").unwrap()
    };
    let (lines, report) = ask_anew(unreachable, 400);
    assert!(lines.iter().all(Option::is_none));
    assert_eq!(report.failures(), 50);
    assert!(report.failed["given up"] >= 40 && report.requests <= 14, "{report:?}");
    assert!(report.last_failures["given up"].contains("unreachable"), "{report:?}");
}

#[test]
fn the_dialect_of_newer_models_is_learnt_from_refusals() {
    let server = Server::start(|request| {
        let refuse = |name: &str, use_instead: &str| {
            let message = format!("Unsupported parameter: '{name}'. {use_instead}");
            Reply::Status(400, &[], json!({ "error": { "message": message } }).to_string())
        };
        if request.body.get("max_tokens").is_some() {
            refuse("max_tokens", "Use 'max_completion_tokens' instead.")
        } else if request.body.get("temperature").is_some() {
            refuse("temperature", "Only the default is supported.")
        } else {
            Reply::Say(honest(request))
        }
    });
    let (lines, _) = ask_anew(EndpointSettings { concurrency: 1, ..settings(&server) }, 16);
    assert!(lines.iter().all(Option::is_some));
    let requests = server.requests();
    assert_eq!(requests.len(), 4, "two refusals, and then none");
    assert_eq!(requests[0].body["temperature"], 0);
    assert_eq!(requests[3].body["max_completion_tokens"], 1280);
    assert_eq!((requests[0].target.as_str(), &requests[0].body["model"]), ("/v1/chat/completions", &json!("test")));
    // Concurrent requests are all refused once, and none fails because another has learnt first.
    let (lines, report) = ask_anew(EndpointSettings { concurrency: 6, ..settings(&server) }, 96);
    assert!(lines.iter().all(Option::is_some), "{report:?}");
}

#[test]
fn a_search_never_waits_longer_than_the_timeout() {
    let server = Server::start(|request| match request.number {
        0 => Reply::Status(429, &[("Retry-After", "60")], String::new()),
        _ => Reply::Say("{\"rewritten\": \"x\"}".into()),
    });
    let client = Client::new(EndpointSettings { timeout: SHORT, ..settings(&server) }, None).unwrap();
    let start = Instant::now();
    let asked = expand_query(&client, "how is the pump primed");
    let failure = tokio::runtime::Runtime::new().unwrap().block_on(asked).unwrap_err();
    assert!(start.elapsed() < LONG && failure.in_words().contains("timeout"), "{failure:?}");
    assert_eq!(client.report().failed["timeout"], 1);
}

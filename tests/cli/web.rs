//! Pages on the web as sources, from a server on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::http::{self, Answer, Request, Server};
use crate::common::{Run, Sandbox};

/// A server of a few pages.
struct Site {
    http: Server,
    /// The content of `/changing`.
    version: Arc<AtomicU32>,
}

const MODIFIED: &str = "Mon, 02 Mar 2026 10:00:00 GMT";
const GUIDE: &str =
    "<html><head><title>Pump guide</title></head><body><h1>Priming</h1><p>Open the vent first.</p></body></html>";

fn answer(request: &Request, version: u32) -> Answer {
    let ok = |kind: &str, body: &str| Answer::new(200, body).with("Content-Type", kind);
    let has = |tag: &str| request.header("if-none-match") == Some(tag);
    let changing = format!("\"w{version}\"");
    match request.target.as_str() {
        "/guide" if has("\"v1\"") => Answer::new(304, ""),
        "/guide" => ok("text/html", GUIDE).with("ETag", "\"v1\"").with("Last-Modified", MODIFIED),
        "/notes.md" => ok("text/plain", "# Valves\n\nClose the valve slowly."),
        "/changing" if has(&changing) => Answer::new(304, ""),
        "/changing" => ok("text/plain", &format!("The page is number {version}.")).with("ETag", changing),
        "/latest" => Answer::new(302, "").with("Location", format!("/version{version}")),
        path if path.starts_with("/version") && request.header("if-modified-since").is_some() => Answer::new(304, ""),
        path if path.starts_with("/version") => {
            ok("text/plain", &format!("Text of {path}.")).with("Last-Modified", MODIFIED)
        }
        "/old" => Answer::new(302, "").with("Location", "/guide"),
        "/round" => Answer::new(302, "").with("Location", "/round"),
        "/out" => Answer::new(302, "").with("Location", "file:///etc/passwd"),
        "/picture" => ok("image/png", "x"),
        "/large" => ok("text/html", &"x".repeat(3 << 20)),
        _ => Answer::new(404, "gone"),
    }
}

impl Site {
    fn start() -> Self {
        let version = Arc::new(AtomicU32::new(1));
        let now = version.clone();
        Site { http: Server::start(move |request| Some(answer(request, now.load(Ordering::SeqCst)))), version }
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.http.address)
    }
}

fn ingest(sandbox: &Sandbox, address: &str) -> Run {
    sandbox.kb(&["ingest", address, "--no-embed", "--allow-private", "--format", "json"])
}

#[test]
fn a_page_is_a_document_with_its_address_as_the_source() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    ingest(&sandbox, &site.at("/guide#priming")).ok();
    let document = sandbox.items(&["docs"])[0].clone();
    assert_eq!((&document["source"], &document["title"]), (&site.at("/guide").into(), &"Pump guide".into()));
    assert_eq!(document["time"]["at"], "2026-03-02T10:00:00Z");
    assert!(document["stale"].is_null(), "{document}");
    let found = sandbox.json(&["search", "vent", "--method", "keyword"]);
    assert_eq!(found["hits"][0]["section"]["title"], "Priming");
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out.trim(), site.at("/guide"));
    let again = sandbox.kb(&["ingest", ".", "--no-embed", "--prune", "--yes"]);
    assert!(!again.out.contains("removed"), "no file of it can be gone: {}", again.out);
}

#[test]
fn a_page_that_has_not_changed_is_not_sent_again() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    ingest(&sandbox, &site.at("/guide"));
    let report = ingest(&sandbox, &site.at("/guide")).json();
    assert_eq!((&report["counts"]["unchanged"], &report["generation"]), (&1.into(), &serde_json::Value::Null));
    let request = &site.http.requests()[1];
    assert_eq!(request.header("if-none-match"), Some("\"v1\""));
    assert_eq!(request.header("if-modified-since"), Some(MODIFIED));
    sandbox.kb(&["ingest", &site.at("/guide"), "--force", "--no-embed", "--allow-private"]).ok();
    assert_eq!(site.http.requests()[2].header("if-none-match"), None, "--force reads it again");
}

#[test]
fn redirects_are_shown_and_end() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let run = ingest(&sandbox, &site.at("/old")).shows(0, "redirected");
    assert!(run.err.contains(&format!("{} redirects to {}", site.at("/old"), site.at("/guide"))), "{}", run.err);
    assert_eq!(sandbox.items(&["docs"])[0]["source"], site.at("/old"));
    for (path, words) in [("/round", "more than 10 times"), ("/out", "not a web page")] {
        ingest(&sandbox, &site.at(path)).shows(4, words);
    }
}

#[test]
fn what_is_no_page_fails_alone() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    sandbox.write("a.md", "# Pumps\n\nPrime the pump.");
    for (address, words) in [
        (site.at("/missing"), "HTTP 404"),
        (site.at("/picture"), "image/png"),
        (site.at("/large"), "is larger than"),
        (format!("http://{}/", http::nowhere()), "cannot be fetched"),
    ] {
        let run = sandbox.kb(&["ingest", "a.md", &address, "--no-embed", "--allow-private", "--max-file-size", "1"]);
        run.shows(4, words);
    }
    assert_eq!(sandbox.count(&["docs"]), 1);
    for bad in ["https://", "http://ann:secret@example.org/"] {
        sandbox.kb(&["ingest", bad]).tells(2, "").lacks("secret");
    }
}

#[test]
fn a_private_address_is_not_asked_unless_it_is_allowed() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let port = site.http.address.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f000001"] {
        sandbox.kb(&["ingest", &format!("http://{host}:{port}/guide"), "--no-embed"]).shows(4, "in a private network");
    }
    assert_eq!(site.http.requests().len(), 0);
    ingest(&sandbox, "http://169.254.169.254/latest").shows(4, "kb never contacts");
}

#[test]
fn a_plain_page_has_the_format_of_its_name() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    sandbox.write("list", site.at("/notes.md"));
    sandbox.kb(&["ingest", "--files-from", "list", "--no-embed", "--allow-private"]).ok();
    assert_eq!(sandbox.items(&["docs"])[0]["format"], "markdown");
}

#[test]
fn an_address_that_is_named_twice_is_one_document() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let twice = [site.at("/guide#a"), site.at("/guide#b")];
    let run = sandbox.kb(&["ingest", &twice[0], &twice[1], "--no-embed", "--allow-private"]);
    assert_eq!((run.code, sandbox.count(&["docs"]), site.http.requests().len()), (0, 1, 1), "{}", run.err);
}

#[test]
fn pages_removed_by_undo_are_fetched_again() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    ingest(&sandbox, &site.at("/changing"));
    site.version.store(2, Ordering::SeqCst);
    ingest(&sandbox, &site.at("/changing"));
    sandbox.json(&["undo"]);
    ingest(&sandbox, &site.at("/changing")).ok();
    assert!(sandbox.kb(&["search", "page number", "--method", "keyword"]).out.contains("number 2"));
}

#[test]
fn a_redirect_that_leads_elsewhere_is_another_page() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    ingest(&sandbox, &site.at("/latest"));
    site.version.store(2, Ordering::SeqCst);
    ingest(&sandbox, &site.at("/latest"));
    assert!(sandbox.kb(&["search", "text", "--method", "keyword"]).out.contains("version2"));
}

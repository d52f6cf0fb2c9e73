//! Pages on the web as sources, from a server on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{Run, Sandbox};

/// A server of a few pages. It ends with the test.
struct Site {
    address: String,
    /// The path and the headers of each request.
    requests: Arc<Mutex<Vec<(String, String)>>>,
    /// The content of `/changing`.
    version: Arc<AtomicU32>,
}

const GUIDE: &str =
    "<html><head><title>Pump guide</title></head><body><h1>Priming</h1><p>Open the vent first.</p></body></html>";

/// The head and the body of an answer.
fn answer(path: &str, headers: &str, version: u32) -> (String, Vec<u8>) {
    let ok = |kind: &str, body: &[u8]| (format!("200 OK\r\nContent-Type: {kind}"), body.to_vec());
    match path {
        "/guide" if headers.contains("if-none-match: \"v1\"") => ("304 Not Modified".to_owned(), Vec::new()),
        "/guide" => {
            let last = "Last-Modified: Mon, 02 Mar 2026 10:00:00 GMT";
            (format!("200 OK\r\nContent-Type: text/html\r\nETag: \"v1\"\r\n{last}"), GUIDE.into())
        }
        "/notes.md" => ok("text/plain", b"# Valves\n\nClose the valve slowly."),
        "/changing" if headers.contains(&format!("if-none-match: \"w{version}\"")) => {
            ("304 Not Modified".to_owned(), Vec::new())
        }
        "/changing" => {
            let head = format!("200 OK\r\nContent-Type: text/plain\r\nETag: \"w{version}\"");
            (head, format!("The page is number {version}.").into_bytes())
        }
        "/latest" => (format!("302 Found\r\nLocation: /version{version}"), Vec::new()),
        _ if path.starts_with("/version") && headers.contains("if-modified-since") => {
            ("304 Not Modified".to_owned(), Vec::new())
        }
        _ if path.starts_with("/version") => {
            let last = "Last-Modified: Mon, 02 Mar 2026 10:00:00 GMT";
            (format!("200 OK\r\nContent-Type: text/plain\r\n{last}"), format!("Text of {path}.").into_bytes())
        }
        "/old" => ("302 Found\r\nLocation: /guide".to_owned(), Vec::new()),
        "/round" => ("302 Found\r\nLocation: /round".to_owned(), Vec::new()),
        "/out" => ("302 Found\r\nLocation: file:///etc/passwd".to_owned(), Vec::new()),
        "/picture" => ok("image/png", b"x"),
        "/large" => ok("text/html", &vec![b'x'; 3 << 20]),
        _ => ("404 Not Found".to_owned(), b"gone".to_vec()),
    }
}

impl Site {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let site = Site { address, requests: Arc::default(), version: Arc::new(AtomicU32::new(1)) };
        let (requests, version) = (site.requests.clone(), site.version.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let first = lines.next().unwrap_or_default();
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let headers = headers.join("\n").to_lowercase();
                let (head, body) = answer(&path, &headers, version.load(Ordering::SeqCst));
                requests.lock().unwrap().push((path, headers));
                let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                // A client that has seen enough closes the connection.
                let _closed = (&stream).write_all(head.as_bytes()).and_then(|()| (&stream).write_all(&body));
            }
        });
        site
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn ingest(sandbox: &Sandbox, address: &str) -> Run {
    sandbox.kb(&["ingest", address, "--no-embed", "--allow-private", "--format", "json"])
}

#[test]
fn a_page_is_a_document_with_its_address_as_the_source() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let run = ingest(&sandbox, &site.at("/guide#priming"));
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
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
    let run = ingest(&sandbox, &site.at("/guide"));
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&report["counts"]["unchanged"], &report["generation"]), (&1.into(), &serde_json::Value::Null));
    let headers = site.requests.lock().unwrap()[1].1.clone();
    assert!(
        headers.contains("if-none-match: \"v1\"") && headers.contains("if-modified-since: mon, 02 mar"),
        "{headers}"
    );
    assert_eq!(sandbox.kb(&["ingest", &site.at("/guide"), "--force", "--no-embed", "--allow-private"]).code, 0);
    assert!(!site.requests.lock().unwrap()[2].1.contains("if-none-match"), "--force reads it again");
}

#[test]
fn redirects_are_shown_and_end() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let run = ingest(&sandbox, &site.at("/old"));
    assert!(run.code == 0 && run.out.contains("redirected"), "{}", run.out);
    assert!(run.err.contains(&format!("{} redirects to {}", site.at("/old"), site.at("/guide"))), "{}", run.err);
    assert_eq!(sandbox.items(&["docs"])[0]["source"], site.at("/old"));
    for (path, words) in [("/round", "more than 10 times"), ("/out", "not a web page")] {
        let run = ingest(&sandbox, &site.at(path));
        assert!(run.code == 4 && run.out.contains(words), "{path}: {}", run.out);
    }
}

#[test]
fn what_is_no_page_fails_alone() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    sandbox.write("a.md", "# Pumps\n\nPrime the pump.");
    let nowhere = { TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    for (address, words) in [
        (site.at("/missing"), "HTTP 404"),
        (site.at("/picture"), "image/png"),
        (site.at("/large"), "is larger than"),
        (format!("http://{nowhere}/"), "cannot be fetched"),
    ] {
        let run = sandbox.kb(&["ingest", "a.md", &address, "--no-embed", "--allow-private", "--max-file-size", "1"]);
        assert!(run.code == 4 && run.out.contains(words), "{address}: {}{}", run.out, run.err);
    }
    assert_eq!(sandbox.items(&["docs"]).as_array().unwrap().len(), 1);
    for bad in ["https://", "http://ann:secret@example.org/"] {
        let run = sandbox.kb(&["ingest", bad]);
        assert!(run.code == 2 && !run.err.contains("secret"), "{bad}: {}", run.err);
    }
}

#[test]
fn a_private_address_is_not_asked_unless_it_is_allowed() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let port = site.address.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f000001"] {
        let run = sandbox.kb(&["ingest", &format!("http://{host}:{port}/guide"), "--no-embed"]);
        assert!(run.code == 4 && run.out.contains("in a private network"), "{host}: {}{}", run.out, run.err);
    }
    assert_eq!(site.count(), 0);
    let link = ingest(&sandbox, "http://169.254.169.254/latest");
    assert!(link.code == 4 && link.out.contains("kb never contacts"), "{}", link.out);
}

#[test]
fn a_plain_page_has_the_format_of_its_name() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    sandbox.write("list", site.at("/notes.md"));
    let run = sandbox.kb(&["ingest", "--files-from", "list", "--no-embed", "--allow-private"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(sandbox.items(&["docs"])[0]["format"], "markdown");
}

#[test]
fn an_address_that_is_named_twice_is_one_document() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    let twice = [site.at("/guide#a"), site.at("/guide#b")];
    let run = sandbox.kb(&["ingest", &twice[0], &twice[1], "--no-embed", "--allow-private"]);
    assert_eq!((run.code, sandbox.items(&["docs"]).as_array().unwrap().len(), site.count()), (0, 1, 1), "{}", run.err);
}

#[test]
fn pages_removed_by_undo_are_fetched_again() {
    let (site, sandbox) = (Site::start(), Sandbox::new());
    ingest(&sandbox, &site.at("/changing"));
    site.version.store(2, Ordering::SeqCst);
    ingest(&sandbox, &site.at("/changing"));
    sandbox.json(&["undo"]);
    let run = ingest(&sandbox, &site.at("/changing"));
    assert_eq!(run.code, 0, "{}", run.err);
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

//! A server on this machine that answers like a hub of models, as well or as badly as a test wants.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use sha2::Digest;

pub use crate::common::http::Request;
use crate::common::http::{Answer, Server};

/// The commit of all files.
pub const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

/// How a request is answered.
pub enum Reply {
    /// As a hub does.
    Well,
    /// With a status, headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// As a hub does, but the connection breaks after this many bytes of the body.
    BreakAfter(usize),
    /// With the whole file, whatever range was requested.
    Whole,
    /// With other bytes than the file has.
    Bytes(Vec<u8>),
    /// With a promise of this length, and these bytes.
    Promise(usize, Vec<u8>),
    /// With a redirect to another address on the same server.
    Redirect(String),
}

pub struct Hub {
    http: Server,
}

/// The files of a folder, by their paths in it; `within` is prefixed to the paths of ONNX files.
pub fn files(folder: &Path, within: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).expect("within").to_string_lossy().into_owned();
            if path.is_dir() {
                // Other models lie beside the good one.
                if name == "1_Pooling" {
                    left.push(path);
                }
                continue;
            }
            let prefix = if name.contains(".onnx") { within } else { "" };
            files.insert(format!("{prefix}{name}"), std::fs::read(path).expect("a file"));
        }
    }
    files
}

impl Hub {
    /// A hub with a repository. `reply` decides the reply to each request.
    pub fn with(
        repository: &str,
        files: BTreeMap<String, Vec<u8>>,
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Hub::listed(repository, files, |listing| listing, reply)
    }

    /// The same, with another list of files.
    pub fn listed(
        repository: &str,
        files: BTreeMap<String, Vec<u8>>,
        listing: impl Fn(Value) -> Value + Send + Sync + 'static,
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let repository = repository.to_owned();
        let content = move |request: &Request| content(&repository, &files, &listing, &request.target);
        Hub { http: Server::start(move |request| Some(answer(request, content(request), reply(request)))) }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.http.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.http.requests()
    }

    /// The requested ranges of a file, in order; `None` for the whole file.
    pub fn ranges(&self, file: &str) -> Vec<Option<String>> {
        let is_of_file = |request: &Request| request.target.ends_with(file);
        let range = |request: Request| request.header("range").map(str::to_owned);
        self.requests().into_iter().filter(is_of_file).map(range).collect()
    }
}

fn answer(request: &Request, content: Option<Vec<u8>>, reply: Reply) -> Answer {
    let sent = match reply {
        Reply::Status(status, headers, body) => {
            return headers.iter().fold(Answer::new(status, body), |answer, (name, value)| answer.with(name, *value));
        }
        Reply::Redirect(to) => return Answer::new(302, "").with("Location", to),
        Reply::Bytes(bytes) => return Answer::new(200, bytes),
        Reply::Promise(length, bytes) => return Answer::new(200, bytes).promising(length),
        Reply::BreakAfter(bytes) => bytes,
        Reply::Well | Reply::Whole => usize::MAX,
    };
    let Some(content) = content else { return Answer::new(404, "").with("x-error-message", "Entry not found") };
    let offset = request.header("range").filter(|_| !matches!(reply, Reply::Whole));
    let offset = offset.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let from = offset.unwrap_or(0);
    if from > 0 && from >= content.len() {
        return Answer::new(416, "");
    }
    let part = &content[from..];
    let status = if offset.is_some() { 206 } else { 200 };
    let answer = Answer::new(status, &part[..sent.min(part.len())]).promising(part.len());
    let (last, all) = (content.len().saturating_sub(1), content.len());
    // Paths that a hostile hub would have the client write to.
    let evil = [("etag", "\"../../../../evil\""), ("x-linked-etag", "/tmp/kb-evil"), ("x-repo-commit", "../../evil")];
    let answer = evil.into_iter().fold(answer, |answer, (name, value)| answer.with(name, value));
    if offset.is_some() { answer.with("Content-Range", format!("bytes {from}-{last}/{all}")) } else { answer }
}

/// The content at an address.
fn content(
    repository: &str,
    files: &BTreeMap<String, Vec<u8>>,
    listed: &dyn Fn(Value) -> Value,
    target: &str,
) -> Option<Vec<u8>> {
    let path = target.split_once("://").map_or(target, |(_, rest)| rest.find('/').map_or("/", |slash| &rest[slash..]));
    let path = path.strip_prefix("/cdn").unwrap_or(path);
    if path == format!("/api/models/{repository}/revision/main?blobs=true") {
        return Some(listed(listing(files)).to_string().into_bytes());
    }
    let (_revision, file) = path.strip_prefix(&format!("/{repository}/resolve/"))?.split_once('/')?;
    files.get(file).cloned()
}

/// A hub's list of files: ONNX and tokenizers lie in its large store, the rest in git.
fn listing(files: &BTreeMap<String, Vec<u8>>) -> Value {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let siblings: Vec<Value> = files
        .iter()
        .map(|(path, bytes)| {
            let mut hasher = sha1_smol::Sha1::new();
            hasher.update(format!("blob {}\0", bytes.len()).as_bytes());
            hasher.update(bytes);
            let blob = hasher.digest().to_string();
            if path.contains(".onnx") || path == "tokenizer.json" {
                let sha256 = hex(&sha2::Sha256::digest(bytes));
                let lfs = json!({ "sha256": sha256, "size": bytes.len(), "pointerSize": 133 });
                json!({ "rfilename": path, "size": bytes.len(), "blobId": "c".repeat(40), "lfs": lfs })
            } else {
                json!({ "rfilename": path, "size": bytes.len(), "blobId": blob })
            }
        })
        .collect();
    json!({ "id": "x", "sha": REVISION, "siblings": siblings })
}

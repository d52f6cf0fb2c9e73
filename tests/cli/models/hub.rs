//! A server on this machine that answers like a hub of models, as well or as badly as a test wants.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sha2::Digest;

/// The commit of all files.
pub const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

/// A request to it.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// As in the first line: with a host if the server is used as a proxy.
    pub target: String,
    pub range: Option<String>,
    pub authorization: Option<String>,
}

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

type Answer = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// The server; dropping it stops it.
pub struct Hub {
    address: String,
    state: Arc<State>,
}

struct State {
    /// The files of each repository.
    repositories: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    listing: Box<dyn Fn(Value) -> Value + Send + Sync>,
    answer: Box<Answer>,
    requests: Mutex<Vec<Request>>,
    ended: AtomicBool,
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
    /// A hub with a repository. `answer` decides the reply to each request; it gets the number of earlier requests for the
    /// same address.
    pub fn with(
        repository: &str,
        files: BTreeMap<String, Vec<u8>>,
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Hub::listed(repository, files, |listing| listing, answer)
    }

    /// The same, with another list of files.
    pub fn listed(
        repository: &str,
        files: BTreeMap<String, Vec<u8>>,
        listing: impl Fn(Value) -> Value + Send + Sync + 'static,
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let state = Arc::new(State {
            repositories: BTreeMap::from([(repository.to_owned(), files)]),
            listing: Box::new(listing),
            answer: Box::new(answer),
            requests: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::SeqCst) {
                    break;
                }
                let state = shared.clone();
                std::thread::spawn(move || {
                    // A client may disconnect at any time.
                    let _gone = stream.and_then(|stream| state.serve(stream));
                });
            }
        });
        Hub { address, state }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().expect("no thread crashed").clone()
    }

    /// The requested ranges of a file, in order; `None` for the whole file.
    pub fn ranges(&self, file: &str) -> Vec<Option<String>> {
        let is_of_file = |request: &Request| request.target.ends_with(file);
        self.requests().into_iter().filter(is_of_file).map(|request| request.range).collect()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _woken = TcpStream::connect(&self.address);
    }
}

impl State {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split(' ').map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut range, mut authorization) = (None, None);
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "range" => range = Some(value.trim().to_owned()),
                "authorization" => authorization = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let request = Request { method, target, range, authorization };
        let before = {
            let mut requests = self.requests.lock().expect("no thread crashed");
            let before = requests.iter().filter(|other| other.target == request.target).count();
            requests.push(request.clone());
            before
        };
        self.reply(stream, &request, (self.answer)(&request, before))
    }

    fn reply(&self, mut stream: TcpStream, request: &Request, reply: Reply) -> std::io::Result<()> {
        let content = self.content(request);
        let offset = request
            .range
            .as_ref()
            .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
        match reply {
            Reply::Status(status, headers, body) => write(&mut stream, status, headers, body.len(), body.as_bytes()),
            Reply::Redirect(to) => {
                write!(stream, "HTTP/1.1 302 X\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            }
            Reply::Bytes(bytes) => write(&mut stream, 200, &[], bytes.len(), &bytes),
            Reply::Promise(length, bytes) => write(&mut stream, 200, &[], length, &bytes),
            Reply::Well | Reply::BreakAfter(_) | Reply::Whole => {
                let Some(content) = content else {
                    return write(&mut stream, 404, &[("x-error-message", "Entry not found")], 0, b"");
                };
                let offset = if matches!(reply, Reply::Whole) { None } else { offset };
                let from = offset.unwrap_or(0);
                if from > 0 && from >= content.len() {
                    return write(&mut stream, 416, &[], 0, b"");
                }
                let part = &content[from..];
                let sent = match reply {
                    Reply::BreakAfter(bytes) => &part[..bytes.min(part.len())],
                    _ => part,
                };
                let mut head = String::new();
                if offset.is_some() {
                    let (last, all) = (content.len() - 1, content.len());
                    write!(head, "HTTP/1.1 206 X\r\nContent-Range: bytes {from}-{last}/{all}\r\n").expect("a text");
                } else {
                    head.push_str("HTTP/1.1 200 X\r\n");
                }
                // A path that a hostile hub would have the client write to.
                let evil = "etag: \"../../../../evil\"\r\nx-linked-etag: /tmp/kb-evil\r\nx-repo-commit: ../../evil\r\n";
                write!(stream, "{head}{evil}Content-Length: {}\r\nConnection: close\r\n\r\n", part.len())?;
                stream.write_all(sent)
            }
        }
    }

    /// The content at an address.
    fn content(&self, request: &Request) -> Option<Vec<u8>> {
        let path = request
            .target
            .split_once("://")
            .map_or(request.target.as_str(), |(_, rest)| rest.find('/').map_or("/", |slash| &rest[slash..]));
        let path = path.strip_prefix("/cdn").unwrap_or(path);
        for (repository, files) in &self.repositories {
            if path == format!("/api/models/{repository}/revision/main?blobs=true") {
                return Some((self.listing)(listing(files)).to_string().into_bytes());
            }
            if let Some(file) = path.strip_prefix(&format!("/{repository}/resolve/")) {
                let (_revision, file) = file.split_once('/')?;
                return files.get(file).cloned();
            }
        }
        None
    }
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

fn write(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    length: usize,
    body: &[u8],
) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n")?;
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n")?;
    stream.write_all(body)
}

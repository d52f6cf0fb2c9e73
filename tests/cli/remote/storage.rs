//! A stand-in for S3 on this machine: conditional puts, lists, parts of objects, and the mishaps of a network.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

/// What goes wrong with the requests whose method and path fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// It is carried out, and the reply is lost.
    LostReply,
    Forbidden,
    Unavailable,
    /// The answer says that the object is at `/elsewhere`.
    Redirected,
}

#[derive(Default)]
pub struct State {
    /// The content of objects by their names.
    pub objects: BTreeMap<String, Vec<u8>>,
    /// The method and the path of each request.
    pub requests: Vec<(String, String)>,
    /// A method, a part of a path, what happens, and how often.
    pub mishaps: Vec<(&'static str, &'static str, Mishap, u32)>,
}

/// It ends with the test.
pub struct Storage {
    address: String,
    state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Storage {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::<Mutex<State>>::default();
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || while serve(&stream, &state).is_some() {});
            }
        });
        Storage { address, state }
    }

    /// The variables of a program that uses it.
    pub fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT", format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "nowhere".to_owned()),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ]
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

/// Answers one request. `None` if the connection is over.
fn serve(mut stream: &TcpStream, state: &Mutex<State>) -> Option<()> {
    let request = read(stream)?;
    let mut state = state.lock().unwrap();
    state.requests.push((request.method.clone(), request.path.clone()));
    let fits = |(method, path, _, times): &&mut (&str, &str, Mishap, u32)| {
        *method == request.method && request.path.contains(*path) && *times > 0
    };
    let mishap = state.mishaps.iter_mut().find(fits).map(|(_, _, mishap, times)| {
        *times -= 1;
        *mishap
    });
    let (head, body) = match mishap {
        Some(Mishap::Forbidden) => ("403 Forbidden".to_owned(), Vec::new()),
        Some(Mishap::Redirected) => ("307 Temporary Redirect\r\nLocation: /elsewhere".to_owned(), Vec::new()),
        Some(Mishap::Unavailable) => ("503 Slow Down".to_owned(), Vec::new()),
        Some(Mishap::LostReply) => {
            answer(&request, &mut state.objects);
            return None;
        }
        None => answer(&request, &mut state.objects),
    };
    drop(state);
    let length = body.len();
    write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {length}\r\n\r\n").ok()?;
    stream.write_all(&body).ok()
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let (method, rest) = line.split_once(' ')?;
    let (path, query) = rest.split_once(' ')?.0.split_once('?').unwrap_or((rest.split_once(' ')?.0, ""));
    let (method, path, query) = (method.to_owned(), decoded(path), query.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, query, headers, body })
}

fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).unwrap()
}

fn tag(bytes: &[u8]) -> String {
    format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16])
}

const DATE: &str = "Last-Modified: Mon, 02 Mar 2026 10:00:00 GMT";

fn answer(request: &Request, objects: &mut BTreeMap<String, Vec<u8>>) -> (String, Vec<u8>) {
    let Request { method, path, query, headers, body } = request;
    let header = |name: &str| headers.get(name).map(String::as_str);
    let nothing = |status: &str| (status.to_owned(), Vec::new());
    match method.as_str() {
        "GET" if query.contains("list-type=2") => ("200 OK".to_owned(), list(query, path, objects).into_bytes()),
        "GET" => {
            let Some(object) = objects.get(path) else { return nothing("404 Not Found") };
            let tag = tag(object);
            if header("if-none-match") == Some(&tag) {
                return (format!("304 Not Modified\r\nETag: {tag}\r\n{DATE}"), Vec::new());
            }
            let range = header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
            match range {
                Some((from, to)) => {
                    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
                    let (to, all) = (to.min(object.len() - 1), object.len());
                    let head = format!(
                        "206 Partial Content\r\nETag: {tag}\r\n{DATE}\r\nContent-Range: bytes {from}-{to}/{all}"
                    );
                    (head, object[from..=to].to_vec())
                }
                None => (format!("200 OK\r\nETag: {tag}\r\n{DATE}"), object.clone()),
            }
        }
        "PUT" => {
            let there = objects.get(path).map(|object| tag(object));
            let wrong = match (header("if-none-match"), header("if-match")) {
                (Some(_), _) => there.is_some(),
                (_, Some(wanted)) => there.as_deref() != Some(wanted),
                _ => false,
            };
            if wrong {
                return nothing("412 Precondition Failed");
            }
            objects.insert(path.clone(), body.clone());
            (format!("200 OK\r\nETag: {}", tag(body)), Vec::new())
        }
        "DELETE" => {
            objects.remove(path);
            nothing("204 No Content")
        }
        "POST" if query.starts_with("delete") => {
            let text = String::from_utf8_lossy(body);
            let bucket = path.trim_end_matches('/');
            let mut deleted = String::new();
            for (key, _) in text.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>")) {
                objects.remove(&format!("{bucket}/{key}"));
                deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
            }
            ("200 OK".to_owned(), format!("<DeleteResult>{deleted}</DeleteResult>").into_bytes())
        }
        _ => nothing("501 Not Implemented"),
    }
}

fn list(query: &str, bucket: &str, objects: &BTreeMap<String, Vec<u8>>) -> String {
    let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or_default();
    let (prefix, bucket) = (decoded(prefix), bucket.trim_end_matches('/'));
    let (mut contents, mut folders) = (String::new(), std::collections::BTreeSet::new());
    for (path, object) in objects {
        let Some(key) = path.strip_prefix(&format!("{bucket}/")) else { continue };
        let Some(rest) = key.strip_prefix(&prefix) else { continue };
        match rest.split_once('/') {
            Some((folder, _)) => drop(folders.insert(format!("{prefix}{folder}/"))),
            None => contents.push_str(&format!(
                "<Contents><Key>{key}</Key><Size>{}</Size><LastModified>2026-03-02T10:00:00.000Z</LastModified><ETag>{}</ETag></Contents>",
                object.len(),
                tag(object).replace('"', "&quot;")
            )),
        }
    }
    let folders: String =
        folders.iter().map(|folder| format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>")).collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}{folders}</ListBucketResult>")
}

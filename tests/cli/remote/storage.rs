//! A stand-in for S3 on this machine: conditional puts, lists, parts of objects, and the mishaps of a network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::common::http::{Answer, Request, Server};

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
    /// A method, a part of a path, what happens, and how often.
    pub mishaps: Vec<(&'static str, &'static str, Mishap, u32)>,
}

pub struct Storage {
    http: Server,
    state: Arc<Mutex<State>>,
}

impl Storage {
    pub fn start() -> Self {
        let state = Arc::<Mutex<State>>::default();
        let shared = state.clone();
        Storage { http: Server::start(move |request| serve(request, &mut shared.lock().unwrap())), state }
    }

    /// The variables of a program that uses it.
    pub fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT", format!("http://{}", self.http.address)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "nowhere".to_owned()),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ]
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.http.requests()
    }
}

/// `None` if the reply is lost.
fn serve(request: &Request, state: &mut State) -> Option<Answer> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let path = decoded(path);
    let fits = |(method, part, _, times): &&mut (&str, &str, Mishap, u32)| {
        *method == request.method && path.contains(*part) && *times > 0
    };
    let mishap = state.mishaps.iter_mut().find(fits).map(|(_, _, mishap, times)| {
        *times -= 1;
        *mishap
    });
    match mishap {
        Some(Mishap::Forbidden) => Some(Answer::new(403, "")),
        Some(Mishap::Redirected) => Some(Answer::new(307, "").with("Location", "/elsewhere")),
        Some(Mishap::Unavailable) => Some(Answer::new(503, "")),
        Some(Mishap::LostReply) => {
            answer(request, &path, query, &mut state.objects);
            None
        }
        None => Some(answer(request, &path, query, &mut state.objects)),
    }
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

/// An object with its tag and its date.
fn tagged(status: u16, tag: &str, body: &[u8]) -> Answer {
    Answer::new(status, body).with("ETag", tag).with("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
}

fn answer(request: &Request, path: &str, query: &str, objects: &mut BTreeMap<String, Vec<u8>>) -> Answer {
    match request.method.as_str() {
        "GET" if query.contains("list-type=2") => Answer::new(200, list(query, path, objects)),
        "GET" => {
            let Some(object) = objects.get(path) else { return Answer::new(404, "") };
            let tag = tag(object);
            if request.header("if-none-match") == Some(&tag) {
                return tagged(304, &tag, b"");
            }
            match request.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-')) {
                Some((from, to)) => {
                    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
                    let (to, all) = (to.min(object.len() - 1), object.len());
                    tagged(206, &tag, &object[from..=to]).with("Content-Range", format!("bytes {from}-{to}/{all}"))
                }
                None => tagged(200, &tag, object),
            }
        }
        "PUT" => {
            let there = objects.get(path).map(|object| tag(object));
            let wrong = match (request.header("if-none-match"), request.header("if-match")) {
                (Some(_), _) => there.is_some(),
                (_, Some(wanted)) => there.as_deref() != Some(wanted),
                _ => false,
            };
            if wrong {
                return Answer::new(412, "");
            }
            objects.insert(path.to_owned(), request.bytes.clone());
            Answer::new(200, "").with("ETag", tag(&request.bytes))
        }
        "DELETE" => {
            objects.remove(path);
            Answer::new(204, "")
        }
        "POST" if query.starts_with("delete") => {
            let text = String::from_utf8_lossy(&request.bytes);
            let bucket = path.trim_end_matches('/');
            let mut deleted = String::new();
            for (key, _) in text.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>")) {
                objects.remove(&format!("{bucket}/{key}"));
                deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
            }
            Answer::new(200, format!("<DeleteResult>{deleted}</DeleteResult>"))
        }
        _ => Answer::new(501, ""),
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

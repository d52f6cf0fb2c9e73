//! The hub that models are downloaded from: Hugging Face, or a compatible server that `HF_ENDPOINT` names.
//!
//! Its protocol has two requests: the list of a model's files (names, sizes, hashes, the revision), and the bytes of
//! one file at that revision. No answer of a hub becomes a path: kb fetches only files with known names, and compares
//! the received bytes with the promised size and hash.
//!
//! kb does not use the client in fastembed (hf-hub 0.5): it uses the `etag` of an answer as a file name, so a mirror
//! can write anywhere; it appends any answer to an unfinished file and renames it unchecked; it has no timeout; and it
//! trusts its own certificates instead of the system's.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode, Url, redirect};
use serde_json::Value;
use sha2::Digest as _;

use crate::address::server_address;
use crate::error::{Error, NextStep, Result, innermost};
use crate::http::{self, read_body};
use crate::text::{printable, squeeze, truncate};

const ENDPOINT: &str = "https://huggingface.co";
/// Timeout for making a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout between two parts of an answer.
const SILENCE: Duration = Duration::from_secs(60);
/// Redirects in a row; the hub redirects to its storage.
const MOST_REDIRECTS: usize = 10;
/// Characters of a hub's reason for a refusal.
const LONGEST_DETAIL: usize = 200;
/// In bytes.
const LARGEST_LISTING: u64 = 8 << 20;

#[derive(Debug)]
pub struct Hub {
    pub(super) http: reqwest::Client,
    endpoint: Url,
    /// Whether a token exists but is not sent, because the connection is not encrypted.
    token_withheld: bool,
}

impl Hub {
    /// The hub that the environment names: `HF_ENDPOINT` its address, `HF_TOKEN` the token for restricted models,
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` the proxies.
    pub fn of_environment() -> Result<Self> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let yes = |value: String| matches!(value.trim().to_lowercase().as_str(), "1" | "true" | "yes" | "on");
        if variable("HF_HUB_OFFLINE").is_some_and(yes) {
            return Err(Error::failed("HF_HUB_OFFLINE forbids downloads")
                .hint(format!("unset it, or use `{}`", NextStep::AddModel("FOLDER"))));
        }
        Hub::at(&variable("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned()), variable("HF_TOKEN").as_deref())
    }

    fn at(endpoint: &str, token: Option<&str>) -> Result<Self> {
        let endpoint = server_address(endpoint).map_err(|what| {
            Error::usage(format!("HF_ENDPOINT {what}"))
                .hint("write it like https://hub.example.org; put a token into HF_TOKEN")
        })?;
        let is_plain = endpoint.scheme() == "http" && !is_this_machine(&endpoint);
        let header =
            |token: &str| http::bearer(token.trim()).ok_or_else(|| Error::usage("HF_TOKEN has an invalid character"));
        let headers = token.filter(|_| !is_plain).map(header).transpose()?;
        let http = http::client(CONNECT_TIMEOUT)
            .default_headers(headers.unwrap_or_default())
            .redirect(redirect::Policy::custom(follow))
            .read_timeout(SILENCE)
            .build()
            .map_err(|error| Error::failed(format!("cannot prepare a download: {}", innermost(&error))))?;
        Ok(Hub { http, endpoint, token_withheld: is_plain && token.is_some() })
    }

    /// Its address, for people.
    pub fn name(&self) -> &str {
        self.endpoint.as_str().trim_end_matches('/')
    }

    /// The files of a model on the hub.
    pub(super) async fn listing(&self, repository: &str) -> Result<Listing> {
        let mut url = self.url(&format!("api/models/{repository}/revision/main"))?;
        url.set_query(Some("blobs=true"));
        let mut response = self.http.get(url).send().await.map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(self.refusal(response, &format!("model {repository}")).await);
        }
        let strange = |reason: &str| {
            Error::failed(format!("{} does not answer like a hub: {reason}", self.name()))
                .hint("check HF_ENDPOINT, and whether a proxy requires a login")
        };
        let body = read_body(&mut response, LARGEST_LISTING).await.map_err(|error| self.unreachable(&error))?;
        let body = body.ok_or_else(|| strange("the answer is too long"))?;
        let answer = serde_json::from_slice(&body).map_err(|error| strange(&error.to_string()))?;
        Ok(Listing::of(&answer))
    }

    /// The address of a path. The caller has checked its parts.
    pub(super) fn url(&self, path: &str) -> Result<Url> {
        let text = format!("{}/{path}", self.name());
        Url::parse(&text).map_err(|_| Error::usage(format!("invalid path {path} on {}", self.name())))
    }

    /// The error for an answer that is not a success. `what` is the subject of the request.
    pub(super) async fn refusal(&self, response: Response, what: &str) -> Error {
        let (status, headers) = (response.status(), response.headers().clone());
        let detail = headers.get("x-error-message").and_then(|detail| detail.to_str().ok()).unwrap_or_default();
        let detail = squeeze(&printable(detail));
        let detail = if detail.is_empty() { detail } else { format!(": {}", truncate(&detail, LONGEST_DETAIL)) };
        let code = status.as_u16();
        let hub = self.name();
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let hint = if self.token_withheld {
                    "HF_TOKEN was not sent, because http:// does not encrypt it; name an https:// endpoint"
                } else {
                    "the model may not exist, or require that you accept its terms on its page and put your token into \
                     HF_TOKEN"
                };
                Error::failed(format!("{hub} refuses access to {what} (HTTP {code}{detail})")).hint(hint)
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                Error::failed(format!("{hub} has no {what} (HTTP {code}{detail})"))
                    .hint("check the name; a mirror (HF_ENDPOINT) may lack some models")
            }
            StatusCode::TOO_MANY_REQUESTS => {
                let wait = headers.get(RETRY_AFTER).and_then(|wait| wait.to_str().ok()?.trim().parse::<u64>().ok());
                let when = wait.map_or_else(|| "later".to_owned(), |seconds| format!("in {seconds} s"));
                Error::failed(format!("{hub} receives too many requests (HTTP {code}{detail})"))
                    .hint(format!("run the command again {when}; what was downloaded is kept"))
            }
            _ => Error::failed(format!("{hub} failed to send {what} (HTTP {code}{detail})"))
                .hint("run the command again later; what was downloaded is kept"),
        }
    }

    pub(super) fn unreachable(&self, error: &reqwest::Error) -> Error {
        let why = if error.is_timeout() { "it does not answer".to_owned() } else { innermost(error) };
        Error::failed(format!("cannot reach {}: {why}", self.name())).hint(format!(
            "without a network, `{}` adds a folder that was downloaded elsewhere; HF_ENDPOINT names a mirror, \
             HTTPS_PROXY a proxy",
            NextStep::AddModel("FOLDER")
        ))
    }
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Follows redirects, but never from an encrypted connection to a plain one. The client itself never sends the token to
/// another host.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let previous = attempt.previous();
    let was_hidden = previous.last().is_some_and(|url| url.scheme() == "https");
    if was_hidden && attempt.url().scheme() != "https" {
        attempt.error("it redirects from https to http")
    } else if previous.len() > MOST_REDIRECTS {
        attempt.error("it redirects in circles")
    } else {
        attempt.follow()
    }
}

/// The files of a model at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    /// A commit, or `main` if the hub names none.
    pub revision: String,
    files: BTreeMap<String, RemoteFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteFile {
    pub path: String,
    pub bytes: Option<u64>,
    pub digest: Option<Digest>,
}

/// The hash of a file in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Digest {
    Sha256(String),
    /// The SHA-1 of a git blob. It detects damaged files, not forged ones.
    Git(String),
}

impl Digest {
    /// Whether a file has this hash.
    pub fn is_of(&self, path: &Path) -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        Ok(match self {
            Digest::Sha256(listed) => {
                let mut hasher = sha2::Sha256::new();
                std::io::copy(&mut file, &mut hasher)?;
                let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                found == *listed
            }
            Digest::Git(listed) => {
                let mut hasher = sha1_smol::Sha1::new();
                hasher.update(format!("blob {}\0", file.metadata()?.len()).as_bytes());
                let mut file = BufReader::new(file);
                loop {
                    let read = file.fill_buf()?;
                    if read.is_empty() {
                        break hasher.digest().to_string() == *listed;
                    }
                    hasher.update(read);
                    let length = read.len();
                    file.consume(length);
                }
            }
        })
    }
}

impl Listing {
    fn of(answer: &Value) -> Self {
        let file = |file: &Value| {
            let path = file["rfilename"].as_str()?.to_owned();
            let large = &file["lfs"];
            // For a large file, the outer size and hash are those of the pointer to it.
            let (bytes, digest) = match large.is_null() {
                true => (file["size"].as_u64(), hex(&file["blobId"], 40).map(Digest::Git)),
                false => (large["size"].as_u64(), hex(&large["sha256"], 64).map(Digest::Sha256)),
            };
            Some((path.clone(), RemoteFile { path, bytes, digest }))
        };
        Listing {
            revision: hex(&answer["sha"], 40).unwrap_or_else(|| "main".to_owned()),
            files: answer["siblings"].as_array().into_iter().flatten().filter_map(file).collect(),
        }
    }

    pub fn file(&self, path: &str) -> Option<&RemoteFile> {
        self.files.get(path)
    }
}

/// A hexadecimal number of this length; `None` for anything else.
fn hex(text: &Value, length: usize) -> Option<String> {
    let text = text.as_str()?.trim().to_ascii_lowercase();
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_hashes_are_those_of_the_files_and_not_of_pointers_to_them() {
        let (commit, sha256, blob) = ("a".repeat(40), "b".repeat(64), "c".repeat(40));
        let found = Listing::of(&serde_json::json!({ "sha": commit, "siblings": [
            { "rfilename": "config.json", "size": 7, "blobId": blob },
            { "rfilename": "model.onnx", "size": 134, "blobId": blob, "lfs": { "sha256": sha256, "size": 900, "pointerSize": 134 } },
            { "rfilename": "mirrored", "size": 134, "blobId": blob, "lfs": { "size": 900 } },
            { "rfilename": "bare" },
        ]}));
        assert_eq!(found.revision, commit);
        let small = found.file("config.json").unwrap();
        assert_eq!((small.bytes, small.digest.clone()), (Some(7), Some(Digest::Git(blob))));
        let large = found.file("model.onnx").unwrap();
        assert_eq!((large.bytes, large.digest.clone()), (Some(900), Some(Digest::Sha256(sha256))));
        let mirrored = found.file("mirrored").unwrap();
        assert_eq!((mirrored.bytes, mirrored.digest.clone()), (Some(900), None), "the hash is that of the pointer");
        assert_eq!(found.file("bare").unwrap().bytes, None);
        assert_eq!(found.file("other"), None);
        assert_eq!((hex(&"ab".into(), 64), hex(&"zz".into(), 2)), (None, None));
    }

    #[test]
    fn hashes_equal_those_of_sha256sum_and_git() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "hello\n").unwrap();
        let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let git = "ce013625030ba8dba906f756967f9e9ca394464a";
        let digests = [Digest::Sha256(sha256.to_owned()), Digest::Git(git.to_owned())];
        assert!(digests.iter().all(|digest| digest.is_of(&path).unwrap()));
        std::fs::write(&path, "hello").unwrap();
        assert!(!digests.iter().any(|digest| digest.is_of(&path).unwrap()));
    }

    #[test]
    fn names_of_files_follow_the_address_of_the_endpoint() {
        assert_eq!(Hub::at(ENDPOINT, None).unwrap().name(), ENDPOINT);
        assert_eq!(Hub::at("https://hub.example.org/", None).unwrap().name(), "https://hub.example.org");
        assert_eq!(Hub::at("https://example.org/hub/", None).unwrap().url("x").unwrap().path(), "/hub/x");
    }

    #[test]
    fn a_token_is_not_sent_unencrypted() {
        assert!(Hub::at("http://10.0.0.7:8080", Some("hf_x")).unwrap().token_withheld);
        for good in ["https://hub.example.org", "http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"] {
            assert!(!Hub::at(good, Some("hf_x")).unwrap().token_withheld, "{good}");
        }
        assert!(Hub::at("https://hub.example.org", Some("a\nb")).is_err());
        assert!(!format!("{:?}", Hub::at("https://hub.example.org", Some("hf_secret")).unwrap()).contains("hf_secret"));
    }
}

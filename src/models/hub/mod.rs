//! The hub that models are downloaded from: Hugging Face, or what `HF_ENDPOINT` names and speaks like it.
//!
//! Two requests are its whole protocol: what a model has (names, lengths, hashes, the revision) and the bytes of one of
//! its files at that revision. Nothing that a hub says becomes a path: only files are fetched whose names we know.
//! Everything else it says is taken for an offer and held against what comes.
//!
//! Why not the client that comes with fastembed (hf-hub 0.5): it takes the `etag` of an answer for the name of a file, so
//! that a mirror can write anywhere; it appends whatever comes to what is there and renames it unseen, be it shorter,
//! longer or another file; it waits for ever; and it trusts the certificates that it brings along instead of the
//! system's.

mod digest;
mod fetch;
mod listing;

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url, redirect};

pub(super) use listing::{Listing, RemoteFile};

use crate::address::server_address;
use crate::error::{Error, Result, innermost};
use crate::text::{printable, squeeze, truncate};

/// Where models are where nothing else is said.
const ENDPOINT: &str = "https://huggingface.co";
/// How long a connection may take to come about.
const CONNECTING: Duration = Duration::from_secs(20);
/// How long nothing may come.
const SILENCE: Duration = Duration::from_secs(60);
/// Redirects that are followed: the hub sends to where the bytes are.
const MOST_REDIRECTS: usize = 10;
/// Characters of what a hub says about a refusal.
const LONGEST_DETAIL: usize = 200;

/// What to do where there is no network.
const OFFLINE: &str = "without a network, `kb models add FOLDER` takes a folder that was downloaded elsewhere; HF_ENDPOINT \
                       names a mirror, HTTPS_PROXY a proxy";

/// A hub.
#[derive(Debug)]
pub struct Hub {
    http: reqwest::Client,
    endpoint: Url,
    /// Whether there is a token that is kept back, because it would be readable on its way.
    kept_back: bool,
}

/// What the environment says of it.
#[derive(Debug, Default)]
struct Environment {
    endpoint: Option<String>,
    token: Option<String>,
    offline: bool,
}

impl Environment {
    fn read() -> Self {
        let said = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let yes = |value: String| matches!(value.trim().to_lowercase().as_str(), "1" | "true" | "yes" | "on");
        Environment {
            endpoint: said("HF_ENDPOINT"),
            token: said("HF_TOKEN"),
            offline: said("HF_HUB_OFFLINE").is_some_and(yes),
        }
    }
}

impl Hub {
    /// The hub that the environment names: `HF_ENDPOINT` where it is, `HF_TOKEN` for models that are not everybody's.
    /// Proxies are those of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    ///
    /// # Errors
    /// Where that makes no hub, or `HF_HUB_OFFLINE` forbids to ask it.
    pub fn of_environment() -> Result<Self> {
        Hub::of(Environment::read())
    }

    fn of(environment: Environment) -> Result<Self> {
        if environment.offline {
            return Err(Error::failed("HF_HUB_OFFLINE says that nothing is to be downloaded")
                .hint("unset it, or use `kb models add FOLDER`"));
        }
        let endpoint = server_address(environment.endpoint.as_deref().unwrap_or(ENDPOINT)).map_err(|what| {
            Error::usage(format!("HF_ENDPOINT {what}"))
                .hint("write it like https://hub.example.org; a token belongs into HF_TOKEN")
        })?;
        let readable = endpoint.scheme() == "http" && !is_this_machine(&endpoint);
        let mut headers = HeaderMap::new();
        if let Some(token) = environment.token.as_deref().filter(|_| !readable) {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
                .map_err(|_| Error::usage("HF_TOKEN has a letter that no token has"))?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = reqwest::Client::builder()
            .default_headers(headers)
            .user_agent(concat!("kb/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::custom(follow))
            .connect_timeout(CONNECTING)
            .read_timeout(SILENCE)
            .build()
            .map_err(|error| Error::failed(format!("cannot prepare for a download: {}", innermost(&error))))?;
        Ok(Hub { http, endpoint, kept_back: readable && environment.token.is_some() })
    }

    /// Where it is, for people.
    pub fn name(&self) -> &str {
        self.endpoint.as_str().trim_end_matches('/')
    }

    /// The address of something on it; the parts of paths are ours or were looked at.
    fn url(&self, path: &str) -> Result<Url> {
        let text = format!("{}/{path}", self.name());
        Url::parse(&text).map_err(|_| Error::usage(format!("{path} is no place on {}", self.name())))
    }

    /// The error that an answer is which is no success. `what` was asked for.
    async fn refusal(&self, response: Response, what: &str) -> Error {
        let (status, headers) = (response.status(), response.headers().clone());
        let said = headers.get("x-error-message").and_then(|said| said.to_str().ok()).unwrap_or_default();
        let said = squeeze(&printable(said));
        let said = if said.is_empty() { said } else { format!(": {}", truncate(&said, LONGEST_DETAIL)) };
        let code = status.as_u16();
        let hub = self.name();
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let hint = if self.kept_back {
                    "HF_TOKEN was not sent, because http:// would show it to everybody on the way; name an https:// endpoint"
                } else {
                    "a model of this name may not exist, or it is only for those who accepted its terms on its page: then \
                     HF_TOKEN must hold your token"
                };
                Error::failed(format!("{hub} does not give {what} to everybody (HTTP {code}{said})")).hint(hint)
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                Error::failed(format!("{hub} has no {what} (HTTP {code}{said})"))
                    .hint("look at the name; a mirror (HF_ENDPOINT) may lack some models")
            }
            StatusCode::TOO_MANY_REQUESTS => {
                let wait = headers.get(RETRY_AFTER).and_then(|wait| wait.to_str().ok()?.trim().parse::<u64>().ok());
                let when = wait.map_or_else(|| "later".to_owned(), |seconds| format!("in {seconds} s"));
                Error::failed(format!("{hub} is asked too often (HTTP {code}{said})"))
                    .hint(format!("run the command again {when}; what was downloaded is kept"))
            }
            _ => Error::failed(format!("{hub} does not give {what} (HTTP {code}{said})"))
                .hint("run the command again later; what was downloaded is kept"),
        }
    }

    /// The error that no answer is.
    fn unreachable(&self, error: &reqwest::Error) -> Error {
        let why = if error.is_timeout() { "it does not answer".to_owned() } else { innermost(error) };
        Error::failed(format!("cannot reach {}: {why}", self.name())).hint(OFFLINE)
    }
}

/// Whether an address is on this very machine.
fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Follows redirects, but never from a connection that nobody can read to one that everybody can. The token goes to no
/// other host; that is the client's own rule.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let previous = attempt.previous();
    let was_hidden = previous.last().is_some_and(|url| url.scheme() == "https");
    if was_hidden && attempt.url().scheme() != "https" {
        attempt.error("it leads from https to http")
    } else if previous.len() > MOST_REDIRECTS {
        attempt.error("it leads in circles")
    } else {
        attempt.follow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub(endpoint: &str, token: Option<&str>) -> Result<Hub> {
        let token = token.map(str::to_owned);
        Hub::of(Environment { endpoint: Some(endpoint.to_owned()), token, offline: false })
    }

    #[test]
    fn the_environment_names_the_hub() {
        assert_eq!(Hub::of(Environment::default()).unwrap().name(), ENDPOINT);
        assert_eq!(hub("https://hub.example.org/", None).unwrap().name(), "https://hub.example.org");
        assert_eq!(hub("https://example.org/hub/", None).unwrap().url("x").unwrap().path(), "/hub/x");
        for wrong in ["hub.example.org", "ftp://example.org", "https://", "nonsense", "https://me:secret@example.org"] {
            let told = hub(wrong, None).unwrap_err().to_line();
            assert!(told.contains("HF_ENDPOINT") && !told.contains("secret"), "{wrong}: {told}");
        }
        let offline = Environment { offline: true, ..Environment::default() };
        assert!(Hub::of(offline).unwrap_err().to_line().contains("HF_HUB_OFFLINE"));
    }

    #[test]
    fn a_token_is_not_sent_where_everybody_could_read_it() {
        assert!(hub("http://10.0.0.7:8080", Some("hf_x")).unwrap().kept_back);
        for good in ["https://hub.example.org", "http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"] {
            assert!(!hub(good, Some("hf_x")).unwrap().kept_back, "{good}");
        }
        assert!(hub("https://hub.example.org", Some("a\nb")).is_err());
        assert!(!format!("{:?}", hub("https://hub.example.org", Some("hf_secret")).unwrap()).contains("hf_secret"));
    }
}

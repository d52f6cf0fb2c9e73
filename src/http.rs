//! The common parts of all HTTP requests that kb sends.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, redirect};

/// How kb names itself to servers.
const USER_AGENT: &str = concat!("kb/", env!("CARGO_PKG_VERSION"));

/// A client that follows no redirects: they would hand keys to another host.
pub(crate) fn client(connect_timeout: Duration) -> ClientBuilder {
    Client::builder().user_agent(USER_AGENT).redirect(redirect::Policy::none()).connect_timeout(connect_timeout)
}

/// The header with a key; `None` if the key has an invalid character.
pub(crate) fn bearer(key: &str) -> Option<HeaderMap> {
    let mut bearer = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    bearer.set_sensitive(true);
    Some(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
}

/// The body of an answer. `None` if it is longer than `most` bytes: then the rest is not read.
pub(crate) async fn read_body(answer: &mut Response, most: u64) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        if (body.len() + piece.len()) as u64 > most {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

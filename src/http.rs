//! The common parts of all HTTP requests that kb sends.

use reqwest::Response;

/// How kb names itself to servers.
pub(crate) const USER_AGENT: &str = concat!("kb/", env!("CARGO_PKG_VERSION"));

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

//! The protocol over HTTP, for clients that do not start the server themselves.
//!
//! Only this machine reaches it, only with the token, and no page in a browser: a request that names a foreign host or any
//! origin is refused.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::server::Handler;
use crate::error::{Error, Result};

/// The only path that is served.
const PATH: &str = "/mcp";
/// The token that clients must send. Without it one is made up for each start.
const TOKEN: &str = "KB_MCP_TOKEN";
/// A token that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 16;
/// So many connections are open at a time; others wait.
const CONNECTIONS: usize = 64;
/// How long a client may take to send the head of a request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// The longest request, in bytes. A chunk's text is far shorter.
const LONGEST_REQUEST: usize = 1 << 20;
/// The pause after a connection that could not be taken, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

type Body = BoxBody<Bytes, Infallible>;

/// A port of this machine that is listened at, and the token for it.
pub(super) struct Door {
    listener: TcpListener,
    token: String,
    /// Whether the token was made up now.
    pub(super) is_new_token: bool,
}

impl Door {
    /// Listens at a port of this machine; 0 takes a free one.
    ///
    /// # Errors
    /// If the port is taken, or `KB_MCP_TOKEN` is too short.
    pub(super) async fn open(port: u16) -> Result<Self> {
        let given = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        if given.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
            let message = format!("{TOKEN} is shorter than {SHORTEST_TOKEN} characters");
            return Err(Error::usage(message).hint("leave it out, and kb makes one up"));
        }
        let is_new_token = given.is_none();
        let token = given.map_or_else(made_up, Ok)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
            Error::failed(format!("cannot listen at port {port}: {error}")).hint("name another one; 0 takes a free one")
        })?;
        Ok(Door { listener, token, is_new_token })
    }

    /// The address that clients use.
    pub(super) fn url(&self) -> Result<String> {
        let address = self.listener.local_addr().map_err(|error| Error::failed(format!("no port: {error}")))?;
        Ok(format!("http://{address}{PATH}"))
    }

    /// What clients must send as `Authorization`.
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

/// Answers until the process ends. Each request stands for itself: there are no sessions to fill memory.
pub(super) async fn serve(door: Door, handler: Handler) -> Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LONGEST_REQUEST)
        .enforce_origin_validation();
    let service =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), config);
    // Hashes are compared in a time that says nothing about the token.
    let expected = blake3::hash(door.authorization().as_bytes());
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = places.clone().acquire_owned().await.map_err(|error| Error::failed(error.to_string()))?;
        let Ok((stream, _)) = door.listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request| answer(&service, expected, request));
            let mut server = hyper::server::conn::http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN);
            // A client that breaks off or speaks no HTTP has ended its own connection.
            drop(server.serve_connection(TokioIo::new(stream), answer).await);
            drop(place);
        });
    }
}

/// Answers a request that has the token.
async fn answer(
    service: &StreamableHttpService<Handler, NeverSessionManager>,
    expected: blake3::Hash,
    request: Request<Incoming>,
) -> std::result::Result<Response<Body>, Infallible> {
    let given = request.headers().get(AUTHORIZATION).map(|value| blake3::hash(value.as_bytes()));
    let status = match (given == Some(expected), request.uri().path() == PATH) {
        (false, _) => StatusCode::UNAUTHORIZED,
        (true, false) => StatusCode::NOT_FOUND,
        (true, true) => return Ok(service.handle(request).await),
    };
    let mut refused = Response::new(Empty::new().boxed());
    *refused.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    Ok(refused)
}

/// A token that nobody can guess.
fn made_up() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::failed(format!("the system gives no random numbers: {error}")))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

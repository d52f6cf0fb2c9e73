//! The protocol over HTTP, for clients that do not start the server themselves.
//!
//! Only this machine reaches it, only with the token, and no page in a browser: a request that names a foreign host or
//! any origin is refused.

use std::convert::Infallible;
use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::server::Handler;
use crate::error::{Error, Result};

/// The only path that is served.
const PATH: &str = "/mcp";
/// The token that clients must send. Without it one is generated at each start.
const TOKEN: &str = "KB_MCP_TOKEN";
const SCHEME: &str = "Bearer ";
/// A token that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 16;
/// How many connections are open at a time; others wait.
const CONNECTIONS: usize = 64;
/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a client may take to send the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest request, in bytes. A chunk's text is far shorter.
const LONGEST_REQUEST: usize = 1 << 20;
/// The pause after a connection that could not be taken, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

type Body = BoxBody<Bytes, Infallible>;

/// A listening port of this machine, and the token that clients need.
pub(super) struct HttpListener {
    socket: TcpListener,
    token: String,
    /// Whether the token was generated for this start.
    pub(super) is_new_token: bool,
}

impl HttpListener {
    /// Listens at a port of this machine; 0 takes a free one.
    ///
    /// # Errors
    /// If the port is taken, or no header can carry `KB_MCP_TOKEN`, or it is too short.
    pub(super) async fn open(port: u16) -> Result<Self> {
        let given = std::env::var_os(TOKEN).filter(|token| !token.is_empty());
        let is_new_token = given.is_none();
        let token = match given {
            None => random_token()?,
            Some(token) => usable(token)?,
        };
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
            Error::failed(format!("cannot listen on port {port}: {error}"))
                .hint("name another one; 0 selects a free one")
        })?;
        Ok(HttpListener { socket, token, is_new_token })
    }

    /// The address that clients use.
    pub(super) fn url(&self) -> Result<String> {
        let address = self.socket.local_addr().map_err(|error| Error::failed(format!("no port: {error}")))?;
        Ok(format!("http://{address}{PATH}"))
    }

    /// What clients must send as `Authorization`.
    pub(super) fn authorization(&self) -> String {
        format!("{SCHEME}{}", self.token)
    }
}

/// Answers until the process ends. There are no sessions, which could fill memory.
pub(super) async fn serve(listener: HttpListener, handler: Handler) -> Result<()> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .enforce_origin_validation();
    let service =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), config);
    // Comparing hashes takes a time that reveals nothing about the token.
    let expected = blake3::hash(listener.token.as_bytes());
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let permit = permits.clone().acquire_owned().await.map_err(|error| Error::failed(error.to_string()))?;
        let Ok((stream, _)) = listener.socket.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request| answer(&service, expected, request));
            let mut server = hyper::server::conn::http1::Builder::new();
            // One request each: on the same machine a connection costs little, and an idle one would keep a permit.
            server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).keep_alive(false);
            // A client that breaks off or speaks no HTTP has ended its own connection.
            drop(server.serve_connection(TokioIo::new(stream), answer).await);
            drop(permit);
        });
    }
}

async fn answer(
    service: &StreamableHttpService<Handler, NeverSessionManager>,
    expected: blake3::Hash,
    request: Request<Incoming>,
) -> std::result::Result<Response<Body>, Infallible> {
    let given = request.headers().get(AUTHORIZATION).and_then(token_of).map(blake3::hash);
    let status = match (given == Some(expected), request.uri().path() == PATH) {
        (false, _) => StatusCode::UNAUTHORIZED,
        (true, false) => StatusCode::NOT_FOUND,
        (true, true) => match whole(request).await {
            Ok(request) => return Ok(service.handle(request).await),
            Err(status) => status,
        },
    };
    let mut refused = Response::new(Empty::new().boxed());
    *refused.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    Ok(refused)
}

/// The request with its body, which may be neither long nor slow.
async fn whole(request: Request<Incoming>) -> std::result::Result<Request<Full<Bytes>>, StatusCode> {
    let (head, body) = request.into_parts();
    match timeout(BODY_TIMEOUT, Limited::new(body, LONGEST_REQUEST).collect()).await {
        Ok(Ok(body)) => Ok(Request::from_parts(head, Full::new(body.to_bytes()))),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Checks that a header can carry the user's token.
fn usable(token: OsString) -> Result<String> {
    let refused = |why: &str| Error::usage(format!("{TOKEN} {why}")).hint("unset it, and kb generates one");
    let token = token.into_string().unwrap_or_default();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refused("contains characters other than visible ASCII, perhaps a line break at its end"));
    }
    if token.len() < SHORTEST_TOKEN {
        return Err(refused(&format!("is shorter than {SHORTEST_TOKEN} characters")));
    }
    Ok(token)
}

fn token_of(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME.as_bytes()).then_some(token)
}

fn random_token() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::failed(format!("the system provides no random numbers: {error}")))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

//! Sends the requests of the storage client with the HTTP client that all of kb uses.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};

use crate::http::{self, read_body};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server may be silent.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest answer, in bytes. Files are read in shorter parts.
const LONGEST: u64 = 80 << 20;

/// Makes clients that keep no answer longer than [`LONGEST`].
#[derive(Debug)]
pub(super) struct Connector;

#[derive(Debug)]
struct Client(reqwest::Client);

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = http::client(CONNECT_TIMEOUT).read_timeout(READ_TIMEOUT).build();
        let failed = |error: reqwest::Error| object_store::Error::Generic { store: "HTTP", source: Box::new(error) };
        Ok(HttpClient::new(Client(client.map_err(failed)?)))
    }
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string().parse::<reqwest::Url>();
        let url = url.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut outgoing = reqwest::Request::new(parts.method, url);
        *outgoing.headers_mut() = parts.headers;
        *outgoing.body_mut() = Some(reqwest::Body::wrap(body));
        let mut answer = self.0.execute(outgoing).await.map_err(failed)?;
        let too_long = || HttpError::new(HttpErrorKind::Decode, std::io::Error::other("the answer is too long"));
        let body = read_body(&mut answer, LONGEST).await.map_err(failed)?.ok_or_else(too_long)?;
        let mut response = HttpResponse::new(HttpResponseBody::from(Bytes::from(body)));
        (*response.status_mut(), *response.headers_mut()) = (answer.status(), answer.headers().clone());
        Ok(response)
    }
}

/// The kind decides whether the request is sent again.
fn failed(error: reqwest::Error) -> HttpError {
    let kind = match () {
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () if error.is_decode() => HttpErrorKind::Decode,
        () => HttpErrorKind::Interrupted,
    };
    // The address of a request can contain a signature.
    HttpError::new(kind, error.without_url())
}

//! The client side: sends commands to the server.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::identity::Identity;
use super::message::{Answer, Call, Reply, Request, receive, send};
use super::server::is_of_this_user;
use super::socket::SocketFiles;

/// How long a server may take to begin, and so the most that a stuck one costs.
const START_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a server may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server may take to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Lets the server of a store run a command; `None` if no server runs.
///
/// # Errors
/// If it does not answer.
pub fn ask(store: &Path, call: Call) -> Result<Option<Answer>> {
    let files = SocketFiles::of(store);
    if !files.has_socket() {
        return Ok(None);
    }
    let Some(identity) = Identity::of_process() else { return Ok(None) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(exchange(&files, Request::Run { identity, call }))
}

/// Ends the server of a store. Returns false if no server runs.
///
/// # Errors
/// If it does not answer.
pub async fn stop(store: &Path) -> Result<bool> {
    let files = SocketFiles::of(store);
    if !files.has_socket() || exchange(&files, Request::Stop).await?.is_none() {
        return Ok(false);
    }
    // It answers before it ends.
    let gone = async {
        while files.has_socket() {
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(STOP_TIMEOUT, gone).await?;
    Ok(true)
}

/// The answer to a request; `None` if the socket was left by a server that ended, or went with it.
async fn exchange(files: &SocketFiles, request: Request) -> Result<Option<Answer>> {
    let begin = async {
        let mut stream = UnixStream::connect(&files.socket).await?;
        if !is_of_this_user(&stream) {
            return Err(Error::new(ErrorKind::PermissionDenied, "the server belongs to another user"));
        }
        send(&mut stream, &request).await?;
        Ok((receive::<Reply>(&mut stream).await?, stream))
    };
    let (mut reply, mut stream) = match timeout(START_TIMEOUT, begin).await? {
        Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => return Ok(None),
        begun => begun?,
    };
    if reply == Reply::Begun {
        reply = timeout(ANSWER_TIMEOUT, receive(&mut stream)).await??;
    }
    match reply {
        Reply::Answer(answer) => Ok(Some(answer)),
        Reply::Begun => Err(ErrorKind::InvalidData.into()),
    }
}

//! The client side: sends commands to the server.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::identity::Identity;
use super::message::{Answer, Call, Reply, Request};
use super::server::is_of_this_user;
use super::socket::SocketFiles;

/// How long a server may take to begin, and so the most that a stuck one costs.
const START_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a server may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server may take to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub enum CallOutcome {
    /// The server answered or declined.
    Answered(Answer),
    /// The server did not answer.
    Failed(Error),
    NoServer,
}

/// Lets the server of a store run a command, if there is one.
pub fn ask(store: &Path, call: Call) -> CallOutcome {
    let files = SocketFiles::of(store);
    if !files.has_socket() {
        return CallOutcome::NoServer;
    }
    let Some(identity) = Identity::of_process() else { return CallOutcome::NoServer };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(exchange(&files, Request::Run { identity, call }))) {
        Ok(answer) => CallOutcome::Answered(answer),
        Err(error) if is_of_dead_server(&error) => CallOutcome::NoServer,
        Err(error) => CallOutcome::Failed(error),
    }
}

/// Ends the server of a store. Returns false if no server runs.
///
/// # Errors
/// If it does not answer.
pub async fn stop(store: &Path) -> Result<bool> {
    let files = SocketFiles::of(store);
    if !files.has_socket() {
        return Ok(false);
    }
    match exchange(&files, Request::Stop).await {
        Ok(_) => {
            // It answers before it ends.
            let gone = async {
                while files.has_socket() {
                    sleep(POLL_INTERVAL).await;
                }
            };
            timeout(STOP_TIMEOUT, gone).await?;
            Ok(true)
        }
        Err(error) if is_of_dead_server(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the socket was left by a server that ended, or went with it.
fn is_of_dead_server(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound)
}

async fn exchange(files: &SocketFiles, request: Request) -> Result<Answer> {
    let begin = async {
        let mut stream = UnixStream::connect(&files.socket).await?;
        if !is_of_this_user(&stream) {
            return Err(Error::new(ErrorKind::PermissionDenied, "the server belongs to another user"));
        }
        request.send(&mut stream).await?;
        Ok((Reply::receive(&mut stream).await?, stream))
    };
    match timeout(START_TIMEOUT, begin).await?? {
        (Reply::Answer(answer), _) => Ok(answer),
        (Reply::Begun, mut stream) => match timeout(ANSWER_TIMEOUT, Reply::receive(&mut stream)).await?? {
            Reply::Answer(answer) => Ok(answer),
            Reply::Begun => Err(ErrorKind::InvalidData.into()),
        },
    }
}

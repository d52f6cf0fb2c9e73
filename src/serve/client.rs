//! The client side: sends commands to the server.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};

use super::identity::Identity;
use super::message::{Answer, Call, Reply, Request};
use super::place::Place;
use super::server::is_of_this_user;

/// How long a server may take to begin. One that is stuck costs a process this much.
const BEGUN_WITHIN: Duration = Duration::from_millis(250);
/// How long a server may take to answer.
const DONE_WITHIN: Duration = Duration::from_secs(10);

/// How long a server may take to end.
const ENDED_WITHIN: Duration = Duration::from_secs(5);
const MOMENT: Duration = Duration::from_millis(5);

/// The outcome of a call.
#[derive(Debug)]
pub enum Asked {
    /// The server answered or said why it does not.
    Answered(Answer),
    /// There is one, but no answer came from it.
    Failed(Error),
    /// No server runs.
    Nobody,
}

/// Lets the server of a store run a command, if there is one.
pub fn ask(store: &Path, call: Call) -> Asked {
    let place = Place::of(store);
    if !place.has_socket() {
        return Asked::Nobody;
    }
    let Some(identity) = Identity::of_process() else { return Asked::Nobody };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(exchange(&place, Request::Run { identity, call }))) {
        Ok(answer) => Asked::Answered(answer),
        Err(error) if is_of_dead_server(&error) => Asked::Nobody,
        Err(error) => Asked::Failed(error),
    }
}

/// Ends the server of a store. Returns false if no server runs.
///
/// # Errors
/// If it does not answer.
pub async fn stop(store: &Path) -> Result<bool> {
    let place = Place::of(store);
    if !place.has_socket() {
        return Ok(false);
    }
    match exchange(&place, Request::Stop).await {
        Ok(_) => {
            // It answers before it ends.
            let gone = async {
                while place.has_socket() {
                    sleep(MOMENT).await;
                }
            };
            timeout(ENDED_WITHIN, gone).await?;
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

async fn exchange(place: &Place, request: Request) -> Result<Answer> {
    let begin = async {
        let mut stream = UnixStream::connect(&place.socket).await?;
        if !is_of_this_user(&stream) {
            return Err(Error::new(ErrorKind::PermissionDenied, "the server belongs to another user"));
        }
        request.send(&mut stream).await?;
        Ok((Reply::receive(&mut stream).await?, stream))
    };
    match timeout(BEGUN_WITHIN, begin).await?? {
        (Reply::Answer(answer), _) => Ok(answer),
        (Reply::Begun, mut stream) => match timeout(DONE_WITHIN, Reply::receive(&mut stream)).await?? {
            Reply::Answer(answer) => Ok(answer),
            Reply::Begun => Err(ErrorKind::InvalidData.into()),
        },
    }
}

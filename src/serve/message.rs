//! The messages on the socket: JSON, preceded by its length.
//!
//! A reader sets the maximum length of a message, and allocates memory only for received bytes. A server of an older
//! program must understand that it is asked by another version, so the names in the JSON of [`Request`] stay.

use std::ffi::OsString;
use std::io::{Error, ErrorKind, Result};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Piece;
use super::identity::Identity;
use crate::render::Screen;

/// A command to run. Its folder and its arguments need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub folder: OsString,
    #[serde(flatten)]
    pub screen: Screen,
    /// The name of the program included.
    pub arguments: Vec<OsString>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    Run {
        identity: Identity,
        #[serde(flatten)]
        call: Call,
    },
    Stop,
}

/// What a request leads to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Done {
        code: u8,
        pieces: Vec<Piece>,
    },
    /// The process has to run the command itself, for this reason.
    Declined(String),
}

/// What a server sends.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The command has begun to run.
    Begun,
    #[serde(untagged)]
    Answer(Answer),
}

/// What is sent at once.
pub(super) trait Message: Serialize + DeserializeOwned {
    /// In bytes.
    const LONGEST: u32;
}

impl Message for Request {
    // Each byte of a command line is a number in JSON, and most systems allow 2 MB of them.
    const LONGEST: u32 = 8 << 20;
}

impl Message for Reply {
    const LONGEST: u32 = 64 << 20;
}

pub(super) async fn send<M: Message>(to: &mut (impl AsyncWrite + Unpin), message: &M) -> Result<()> {
    let json = serde_json::to_vec(message)?;
    let length = u32::try_from(json.len()).ok().filter(|length| *length <= M::LONGEST).ok_or_else(too_long)?;
    to.write_all(&[&length.to_le_bytes()[..], &json].concat()).await
}

pub(super) async fn receive<M: Message>(from: &mut (impl AsyncRead + Unpin)) -> Result<M> {
    let length = from.read_u32_le().await?;
    if length > M::LONGEST {
        return Err(too_long());
    }
    let mut json = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut json).await?;
    Ok(serde_json::from_slice(&json)?)
}

fn too_long() -> Error {
    Error::new(ErrorKind::InvalidData, "not a message of kb, or one that is too long")
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::serve::Stream;

    fn run() -> Request {
        let arguments = vec!["kb".into(), OsString::from_vec(b"\xff\xe9".to_vec()), "".into(), "泵".into()];
        let folder = "/a b".into();
        let screen = Screen { columns: 80, lines: 24, is_terminal: true, has_links: false };
        let call = Call { folder, screen, arguments };
        Request::Run { identity: Identity { program: "p".into(), environment: "e".into() }, call }
    }

    #[tokio::test]
    async fn messages_arrive_as_they_were_sent() {
        for request in [run(), Request::Stop] {
            let mut sent = Vec::new();
            send(&mut sent, &request).await.unwrap();
            assert_eq!(receive::<Request>(&mut sent.as_slice()).await.unwrap(), request);
        }
        let json = serde_json::to_value(run()).unwrap();
        let names: Vec<&String> = json["Run"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["identity", "folder", "columns", "lines", "is_terminal", "has_links", "arguments"]);
        assert_eq!(json["Run"]["identity"], serde_json::json!({ "program": "p", "environment": "e" }));
        let piece = |stream, text: &str| Piece { stream, text: text.into() };
        let pieces = vec![piece(Stream::Err, "a"), piece(Stream::Out, ""), piece(Stream::Raw, "b\0")];
        let answers = [Answer::Done { code: 1, pieces }, Answer::Declined("busy".into())];
        for reply in answers.map(Reply::Answer).into_iter().chain([Reply::Begun]) {
            let mut sent = Vec::new();
            send(&mut sent, &reply).await.unwrap();
            assert_eq!(receive::<Reply>(&mut sent.as_slice()).await.unwrap(), reply);
        }
    }
}

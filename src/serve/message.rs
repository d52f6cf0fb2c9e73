//! The messages on the socket: a few parts, each preceded by its length.
//!
//! The first part is JSON, the others are bytes: arguments and folders need not be UTF-8. A reader sets the maximum
//! length of a message, and allocates memory only for received bytes. A server of an older program must understand that
//! it is asked by another version, so the names in the JSON of [`Request`] stay.

use std::ffi::OsString;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::Piece;
use super::identity::Identity;

/// The longest request, in bytes: more than a command line can hold on most systems.
const LONGEST_REQUEST: u32 = 4 << 20;
/// The longest answer, in bytes.
const LONGEST_ANSWER: u32 = 64 << 20;
/// The bytes in front of a message, and of a part.
const LENGTH: usize = size_of::<u32>();

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    #[serde(skip)]
    pub folder: PathBuf,
    /// The size of the screen, in characters.
    pub columns: usize,
    pub lines: usize,
    pub is_terminal: bool,
    pub has_links: bool,
    /// The name of the program included.
    #[serde(skip)]
    pub arguments: Vec<OsString>,
}

/// The parts of a command are its folder and its arguments.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    Run {
        identity: Identity,
        #[serde(flatten)]
        call: Call,
    },
    Stop,
}

/// What a request leads to. Its parts are the bytes of the pieces.
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

impl Request {
    pub(super) async fn send(&self, to: &mut (impl AsyncWrite + Unpin)) -> Result<()> {
        let parts: Vec<&[u8]> = match self {
            Request::Run { call: Call { folder, arguments, .. }, .. } => {
                let arguments = arguments.iter().map(|argument| argument.as_bytes());
                std::iter::once(folder.as_os_str().as_bytes()).chain(arguments).collect()
            }
            Request::Stop => Vec::new(),
        };
        send(to, self, &parts, LONGEST_REQUEST).await
    }

    pub(super) async fn receive(from: &mut (impl AsyncRead + Unpin)) -> Result<Self> {
        let (mut request, parts) = receive(from, LONGEST_REQUEST).await?;
        if let Request::Run { call, .. } = &mut request {
            let mut parts = parts.into_iter().map(OsString::from_vec);
            call.folder = parts.next().ok_or_else(nonsense)?.into();
            call.arguments = parts.collect();
        }
        Ok(request)
    }
}

impl Reply {
    pub(super) async fn send(&self, to: &mut (impl AsyncWrite + Unpin)) -> Result<()> {
        let parts: Vec<&[u8]> = match self {
            Reply::Answer(Answer::Done { pieces, .. }) => pieces.iter().map(|piece| &piece.bytes[..]).collect(),
            Reply::Answer(Answer::Declined(_)) | Reply::Begun => Vec::new(),
        };
        send(to, self, &parts, LONGEST_ANSWER).await
    }

    pub(super) async fn receive(from: &mut (impl AsyncRead + Unpin)) -> Result<Self> {
        let (mut reply, parts) = receive(from, LONGEST_ANSWER).await?;
        if let Reply::Answer(Answer::Done { pieces, .. }) = &mut reply {
            if pieces.len() != parts.len() {
                return Err(nonsense());
            }
            pieces.iter_mut().zip(parts).for_each(|(piece, bytes)| piece.bytes = bytes);
        }
        Ok(reply)
    }
}

async fn send(to: &mut (impl AsyncWrite + Unpin), head: &impl Serialize, parts: &[&[u8]], most: u32) -> Result<()> {
    let head = serde_json::to_vec(head)?;
    let parts = std::iter::once(head.as_slice()).chain(parts.iter().copied());
    let length: usize = parts.clone().map(|part| LENGTH + part.len()).sum();
    let length = u32::try_from(length).ok().filter(|length| *length <= most).ok_or_else(nonsense)?;
    let mut message = length.to_le_bytes().to_vec();
    for part in parts {
        // No part is longer than the message.
        message.extend((part.len() as u32).to_le_bytes());
        message.extend(part);
    }
    to.write_all(&message).await
}

async fn receive<H: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin), most: u32) -> Result<(H, Vec<Vec<u8>>)> {
    let length = from.read_u32_le().await?;
    if length > most {
        return Err(nonsense());
    }
    let mut message = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut message).await?;
    if message.len() < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let (mut rest, mut parts) = (message.as_slice(), Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<LENGTH>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (part, behind) = behind.split_at_checked(length).ok_or_else(nonsense)?;
        parts.push(part.to_vec());
        rest = behind;
    }
    if !rest.is_empty() || parts.is_empty() {
        return Err(nonsense());
    }
    Ok((serde_json::from_slice(&parts.remove(0))?, parts))
}

fn nonsense() -> Error {
    Error::new(ErrorKind::InvalidData, "not a message of kb, or one that is too long")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Stream;

    fn call() -> Call {
        Call {
            folder: "/a b".into(),
            columns: 80,
            lines: 24,
            is_terminal: true,
            has_links: false,
            arguments: vec!["kb".into(), OsString::from_vec(b"\xff\xe9".to_vec()), "".into(), "泵".into()],
        }
    }

    #[tokio::test]
    async fn messages_arrive_as_they_were_sent() {
        let identity = Identity { program: "p".into(), environment: "e".into() };
        for request in [Request::Run { identity, call: call() }, Request::Stop] {
            let mut sent = Vec::new();
            request.send(&mut sent).await.unwrap();
            assert_eq!(Request::receive(&mut sent.as_slice()).await.unwrap(), request);
        }
        let said = r#"{"Run":{"identity":{"program":"p","environment":"e"},"columns":80,"lines":24,"is_terminal":true,"has_links":false}}"#;
        let identity = Identity { program: "p".into(), environment: "e".into() };
        assert_eq!(serde_json::to_string(&Request::Run { identity, call: call() }).unwrap(), said);
        let piece = |stream, text: &str| Piece { stream, bytes: text.into() };
        let pieces = vec![piece(Stream::Err, "a"), piece(Stream::Out, ""), piece(Stream::Raw, "b\0")];
        let answers = [Answer::Done { code: 1, pieces }, Answer::Declined("busy".into())];
        for reply in answers.map(Reply::Answer).into_iter().chain([Reply::Begun]) {
            let mut sent = Vec::new();
            reply.send(&mut sent).await.unwrap();
            assert_eq!(Reply::receive(&mut sent.as_slice()).await.unwrap(), reply);
        }
    }

    #[tokio::test]
    async fn nonsense_is_refused_and_costs_no_memory() {
        let mut sent = Vec::new();
        Reply::Begun.send(&mut sent).await.unwrap();
        for length in 0..sent.len() {
            assert!(Reply::receive(&mut &sent[..length]).await.is_err(), "{length}");
        }
        let long = [0xff, 0xff, 0xff, 0xff, b'x'];
        let part_beyond_the_end = [8, 0, 0, 0, 9, 0, 0, 0, b'n', b'u', b'l', b'l'];
        let no_json = [5, 0, 0, 0, 1, 0, 0, 0, b'?'];
        for wrong in [&long[..], &part_beyond_the_end, &no_json, b"GET / HTTP/1.1\r\n\r\n", &[0; 4]] {
            assert!(Request::receive(&mut &wrong[..]).await.is_err(), "{wrong:?}");
        }
    }
}

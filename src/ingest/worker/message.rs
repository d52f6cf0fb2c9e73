//! The protocol between a worker and its parent.
//!
//! A request is a line of JSON and the bytes of the source. The answer is a line of JSON behind a marker, after a line
//! for each page that the worker begins. Lines without the marker are noise from libraries. Memory is bounded: noise is
//! skipped, and an answer that is too long ends the worker.

use std::io::{BufRead, BufWriter, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::super::cut_document::CutDocument;
use crate::chunk::ChunkConfig;
use crate::error::{Error, Result};
use crate::load::{Format, LoadOptions, OutlineEntry};

/// The beginning of an answer.
const MARKER: &[u8] = "\u{1}kb\u{1}".as_bytes();

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Request {
    pub source: String,
    pub content: Content,
    pub chunking: ChunkConfig,
    /// A person's table of contents.
    pub corrected: Option<Vec<OutlineEntry>>,
    /// The number of bytes after this line.
    pub length: usize,
    /// In bytes.
    pub memory: u64,
}

/// What the bytes of a request are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Content {
    /// Those of a file. Without a format its first bytes decide.
    File(Option<Format>, LoadOptions),
    /// A [`Document`](crate::load::Document) that was read back from the store, as JSON.
    Stored,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The worker begins this page; 0 after the last.
    Page(u32),
    Cut(Box<CutDocument>),
    Refused(String, Option<String>),
}

/// Writes an answer, without a copy of it in memory.
pub(super) fn send(answer: &Answer) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    out.write_all(b"\n")?;
    out.write_all(MARKER)?;
    serde_json::to_writer(&mut out, answer).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

pub(super) fn json(message: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(message)
        .map_err(|error| Error::failed(format!("cannot write a message between worker and parent: {error}")))
}

#[derive(Debug, PartialEq)]
pub(super) enum Received {
    Answer(Answer),
    /// It is longer than the limit. The rest was not read.
    TooLong,
    /// It is no answer, with the reason.
    Unreadable(String),
    /// The worker is gone.
    End,
}

/// Reads the next answer of at most `most` bytes, a number that may change until the answer comes. Its JSON is never in
/// memory as a whole.
pub(super) fn receive(input: &mut impl BufRead, most: &AtomicU64) -> std::io::Result<Received> {
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MARKER.len() as u64).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Received::End);
        }
        if line != MARKER {
            if !line.ends_with(b"\n") {
                input.skip_until(b'\n')?;
            }
            continue;
        }
        let mut limited = input.by_ref().take(most.load(Ordering::Relaxed));
        let answer = Answer::deserialize(&mut serde_json::Deserializer::from_reader(&mut limited));
        return Ok(match answer {
            Ok(answer) => Received::Answer(answer),
            Err(_) if limited.limit() == 0 => Received::TooLong,
            // The worker died while it wrote.
            Err(error) if error.is_eof() || error.is_io() => Received::End,
            Err(error) => Received::Unreadable(error.to_string()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(said: &[u8], most: u64) -> Vec<Received> {
        let (mut input, most) = (said, AtomicU64::new(most));
        std::iter::repeat_with(|| receive(&mut input, &most).unwrap())
            .take_while(|received| *received != Received::End)
            .collect()
    }

    fn page(number: u32) -> Received {
        Received::Answer(Answer::Page(number))
    }

    #[test]
    fn answers_are_found_among_noise() {
        let said = b"noise\n\n\x01kb\x01{\"Page\":1}\nno\n\x01kb\n\n\x01kb\x01{\"Page\":2}\n\x01kb\x01{\"Pa";
        assert_eq!(received(said, 100), [page(1), page(2)]);
        assert!(matches!(received(b"\x01kb\x01four\n\x01kb\x01{\"Page\":1}\n", 100)[0], Received::Unreadable(_)));
    }

    #[test]
    fn the_length_of_answers_is_limited_and_that_of_noise_is_not() {
        assert_eq!(received(b"\x01kb\x01{\"Page\":1}\n", 10), [page(1)]);
        assert_eq!(received(b"\x01kb\x01{\"Page\":1}\n", 9)[0], Received::TooLong);
        assert_eq!(received(b"\x01kb\x01{\"Refused\":[\"endless and no line end", 20)[0], Received::TooLong);
        let noise = [vec![b'x'; 100_000], b"\n\x01kb\x01{\"Page\":1}\n".to_vec()].concat();
        assert_eq!(received(&noise, 10), [page(1)]);
    }
}

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

#[derive(Debug, Serialize, Deserialize)]
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

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    Answer(Vec<u8>),
    /// It is longer than the limit. The rest was not read.
    TooLong,
    /// The worker is gone.
    End,
}

/// Reads the next answer of at most `most` bytes, a number that may change until the answer comes.
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
        line.clear();
        let most = most.load(Ordering::Relaxed);
        input.by_ref().take(most.saturating_add(1)).read_until(b'\n', &mut line)?;
        return Ok(match line.pop() {
            Some(b'\n') => Received::Answer(line),
            Some(_) if line.len() as u64 >= most => Received::TooLong,
            // The worker died while it wrote.
            _ => Received::End,
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

    #[test]
    fn answers_are_found_among_noise() {
        let said = b"noise\n\n\x01kb\x01one\nno\n\x01kb\n\n\x01kb\x01two\n\x01kb\x01cut off";
        assert_eq!(received(said, 100), [Received::Answer(b"one".into()), Received::Answer(b"two".into())]);
    }

    #[test]
    fn the_length_of_answers_is_limited_and_that_of_noise_is_not() {
        assert_eq!(received(b"\x01kb\x01four\n", 4), [Received::Answer(b"four".into())]);
        assert_eq!(received(b"\x01kb\x01fives\n", 4)[0], Received::TooLong);
        assert_eq!(received(b"\x01kb\x01endless and no line end", 4)[0], Received::TooLong);
        let noise = [vec![b'x'; 100_000], b"\n\x01kb\x01one\n".to_vec()].concat();
        assert_eq!(received(&noise, 4), [Received::Answer(b"one".into())]);
    }
}

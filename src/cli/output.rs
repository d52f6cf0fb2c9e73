//! Where a command writes: to the streams of its process, or into a list that `kb serve` sends to the process that asked.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::serve::{Piece, Stream};
use crate::text::visible;

/// Writes to a stream of this process.
///
/// # Errors
/// If standard output cannot be written. Failures of standard error are ignored, because the work can go on.
pub(super) fn write(Piece { stream, bytes }: &Piece) -> std::io::Result<()> {
    match stream {
        Stream::Err => {
            anstream::stderr().write_all(bytes).unwrap_or_default();
            return Ok(());
        }
        Stream::Out => anstream::AutoStream::auto(std::io::stdout()).lock().write_all(bytes)?,
        // The stream that removes styles would remove NUL too.
        Stream::Raw => std::io::stdout().lock().write_all(bytes)?,
    }
    std::io::stdout().flush()
}

/// Takes what a command writes.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// `None` writes to the streams of this process.
    collected: Option<Mutex<Vec<Piece>>>,
}

impl Output {
    /// Keeps everything in memory.
    pub(super) fn collecting() -> Self {
        Output { collected: Some(Mutex::default()) }
    }

    /// # Errors
    /// As for [`write`].
    pub(super) fn write(&self, stream: Stream, bytes: Vec<u8>) -> std::io::Result<()> {
        let piece = Piece { stream, bytes };
        match &self.collected {
            Some(collected) => collected.lock().unwrap_or_else(PoisonError::into_inner).push(piece),
            None => write(&piece)?,
        }
        Ok(())
    }

    /// Writes a line to standard error.
    pub(super) fn line(&self, text: &str) {
        // Failures of standard error are ignored.
        self.write(Stream::Err, format!("{}\n", visible(text)).into_bytes()).unwrap_or_default();
    }

    /// What was collected so far.
    pub(super) fn take(&self) -> Vec<Piece> {
        let collected = self.collected.as_ref();
        collected
            .map(|all| std::mem::take(&mut *all.lock().unwrap_or_else(PoisonError::into_inner)))
            .unwrap_or_default()
    }
}

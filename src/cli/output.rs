//! Where a command writes.

use std::io::Write;

use crate::text::visible;

/// A stream of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// Standard output. Styles are removed where it shows none.
    Out,
    /// Standard output, byte for byte.
    Raw,
    /// Standard error. Styles are removed where it shows none.
    Err,
}

/// Writes to a stream of this process.
///
/// # Errors
/// If standard output cannot be written. Failures of standard error are ignored, because the work can go on.
fn write(stream: Stream, bytes: &[u8]) -> std::io::Result<()> {
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
pub(super) struct Output;

impl Output {
    /// # Errors
    /// As for [`write`].
    pub(super) fn write(&self, stream: Stream, bytes: &[u8]) -> std::io::Result<()> {
        write(stream, bytes)
    }

    /// Writes a line to standard error.
    pub(super) fn line(&self, text: &str) {
        // Failures of standard error are ignored.
        self.write(Stream::Err, format!("{}\n", visible(text)).as_bytes()).unwrap_or_default();
    }
}

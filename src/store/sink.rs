//! The file under a `ZipWriter`, which sees no error of it: when a `ZipWriter` is dropped before its end, it ends the
//! archive, and prints the error if it cannot.

use std::fs::File;
use std::io::{BufWriter, Error, Result, Seek, SeekFrom, Write};

/// Writes up to the first error and keeps it for [`end`](Self::end). From then on it takes everything and writes
/// nothing.
pub(super) struct Sink<'f> {
    file: BufWriter<&'f mut File>,
    /// Where the next byte belongs.
    at: u64,
    length: u64,
    error: Option<Error>,
}

impl<'f> Sink<'f> {
    /// `file` must be empty.
    pub(super) fn new(file: &'f mut File) -> Self {
        Sink { file: BufWriter::new(file), at: 0, length: 0, error: None }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is left, and returns the first error.
    pub(super) fn end(mut self) -> Result<()> {
        self.unless_failed(|file| file.flush());
        self.error.map_or(Ok(()), Err)
    }

    fn unless_failed(&mut self, write: impl FnOnce(&mut BufWriter<&'f mut File>) -> Result<()>) {
        if self.error.is_none() {
            self.error = write(&mut self.file).err();
        }
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.unless_failed(|file| file.write_all(bytes));
        self.at += bytes.len() as u64;
        self.length = self.length.max(self.at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Seek for Sink<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(by) => self.length.saturating_add_signed(by),
        };
        self.unless_failed(|file| file.seek(SeekFrom::Start(at)).map(|_| ()));
        self.at = at;
        Ok(at)
    }
}

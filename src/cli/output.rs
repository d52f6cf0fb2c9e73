//! Where a command writes: to the streams of its process, or into a list that `kb serve` sends to the process that
//! asked.

use std::borrow::Cow;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use super::pager;
use crate::error::Error;
use crate::render::{message_columns, wrapped_at_words};
use crate::serve::{Piece, Stream};
use crate::text::{printable, visible};

/// The progress bar on standard error, if there is one: a line is written above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes lines above this progress bar from now on.
pub(super) fn write_above(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Removes the progress bar, before an error that ends the command.
pub(super) fn end_bar() {
    if let Some(bar) = BAR.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}

/// Writes the output of a reading command to the streams of this process. A long result goes to a pager.
///
/// # Errors
/// As for [`write`].
pub(super) fn write_or_page(piece: &Piece) -> std::io::Result<()> {
    if piece.stream == Stream::Out && pager::show(&piece.text) { Ok(()) } else { write(piece) }
}

/// Writes to a stream of this process.
///
/// # Errors
/// If standard output cannot be written. Failures of standard error are ignored, because the work can go on.
pub(super) fn write(Piece { stream, text }: &Piece) -> std::io::Result<()> {
    match stream {
        Stream::Err => {
            let text = wrapped_for_terminal(text);
            let write = || anstream::stderr().write_all(text.as_bytes()).unwrap_or_default();
            match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(bar) => bar.suspend(write),
                None => write(),
            }
            return Ok(());
        }
        Stream::Out => anstream::AutoStream::auto(std::io::stdout()).lock().write_all(text.as_bytes())?,
        // The stream that removes styles would remove NUL too.
        Stream::Raw => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    std::io::stdout().flush()
}

/// A message, wrapped if it goes to a terminal. An error in JSON stays one line.
fn wrapped_for_terminal(text: &str) -> Cow<'_, str> {
    match message_columns() {
        Some(columns) if !text.starts_with('{') => wrapped_at_words(text, columns).into(),
        _ => text.into(),
    }
}

/// An error as a line of JSON.
pub(super) fn error_json(error: &Error) -> String {
    let (kind, message, hint) = (error.kind(), printable(error.message()), error.next_step().map(printable));
    let code = kind.exit_code();
    serde_json::json!({ "error": { "kind": kind, "code": code, "message": message, "hint": hint } }).to_string()
}

/// The text of a warning. It is shown even with `--quiet`, because it is as serious as an error.
pub(super) fn warning(text: &str) -> String {
    format!("warning: {}", printable(text))
}

/// Writes a line to standard error of this process.
pub(super) fn write_line(text: &str) {
    Output::default().line(text);
}

/// Takes what a command writes.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// `None` writes to the streams of this process.
    collected: Option<Mutex<Vec<Piece>>>,
    /// The last result as JSON, if the caller wants it besides the text.
    value: Option<Mutex<String>>,
    /// Whether long results go to a pager.
    pages: bool,
}

impl Output {
    /// Writes to the streams of this process, long results to a pager. For commands that end after their output.
    pub(super) fn paging() -> Self {
        Output { pages: true, ..Output::default() }
    }

    /// Keeps everything in memory.
    pub(super) fn collecting() -> Self {
        Output { collected: Some(Mutex::default()), ..Output::default() }
    }

    /// Keeps everything in memory, and the last result as JSON too.
    pub(super) fn collecting_value() -> Self {
        Output { value: Some(Mutex::default()), ..Output::collecting() }
    }

    /// Whether a result is taken as JSON too.
    pub(super) fn takes_value(&self) -> bool {
        self.value.is_some()
    }

    pub(super) fn keep_value(&self, json: String) {
        if let Some(value) = &self.value {
            *value.lock().unwrap_or_else(PoisonError::into_inner) = json;
        }
    }

    /// The last result as JSON; empty without one.
    pub(super) fn take_value(&self) -> String {
        self.value.as_ref().map(take_from).unwrap_or_default()
    }

    /// # Errors
    /// As for [`write`].
    pub(super) fn write(&self, stream: Stream, text: String) -> std::io::Result<()> {
        let piece = Piece { stream, text };
        match &self.collected {
            Some(collected) => collected.lock().unwrap_or_else(PoisonError::into_inner).push(piece),
            None if self.pages => write_or_page(&piece)?,
            None => write(&piece)?,
        }
        Ok(())
    }

    /// Writes a line to standard error.
    pub(super) fn line(&self, text: &str) {
        // Failures of standard error are ignored.
        self.write(Stream::Err, format!("{}\n", visible(text))).unwrap_or_default();
    }

    /// What was collected so far.
    pub(super) fn take(&self) -> Vec<Piece> {
        self.collected.as_ref().map(take_from).unwrap_or_default()
    }
}

fn take_from<T: Default>(from: &Mutex<T>) -> T {
    std::mem::take(&mut *from.lock().unwrap_or_else(PoisonError::into_inner))
}

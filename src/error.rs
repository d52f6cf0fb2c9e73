//! One error for the whole program: what failed, on what, and what to do next.
//!
//! An [`Error`] has a [`Kind`], which decides the exit code, a message for a person and, where there is a way out, a
//! hint. The text is put together in one place ([`Error::to_line`]); nothing else formats errors.

use std::fmt;
use std::path::Path;

use crate::text::printable;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of trouble it is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ran well and found nothing. Exit code 1.
    NotFound,
    /// Used wrongly: a bad flag, an empty query, an ambiguous name. Exit code 2.
    Usage,
    /// Failed: the disk, the store, a model. Exit code 3.
    Failed,
    /// Some of the files failed, the rest is in. Exit code 4.
    Partial,
}

impl Kind {
    /// The process exit code for this kind.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::NotFound => 1,
            Kind::Usage => 2,
            Kind::Failed => 3,
            Kind::Partial => 4,
        }
    }

    /// The name that `--format json` errors carry.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NotFound => "not_found",
            Kind::Usage => "usage",
            Kind::Failed => "failed",
            Kind::Partial => "partial",
        }
    }
}

/// What went wrong, with the next step where there is one.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    /// Lines that show where it is, for a person's eyes.
    figure: Option<String>,
    /// True where the trouble is that the reader of our output went away (`kb search x | head -1`).
    closed_pipe: bool,
}

impl Error {
    /// An error of the given kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), hint: None, figure: None, closed_pipe: false }
    }

    /// Something ran well and found nothing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Error::new(Kind::NotFound, message)
    }

    /// The program was used wrongly.
    pub fn usage(message: impl Into<String>) -> Self {
        Error::new(Kind::Usage, message)
    }

    /// Something failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Error::new(Kind::Failed, message)
    }

    /// An I/O error on `path`, told in words a person can act on.
    pub fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as E;
        let failed = Error::failed(format!("cannot {doing} {}: {}", path.display(), plain_io(error)));
        match error.kind() {
            E::PermissionDenied | E::ReadOnlyFilesystem => {
                failed.hint("check the permissions, or name another place with --kb DIR")
            }
            E::StorageFull | E::QuotaExceeded | E::FileTooLarge => {
                failed.hint("free some space and run the command again; what was published before is unharmed")
            }
            _ => failed,
        }
    }

    /// Says where in the input it is.
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Adds the next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds lines that show where it is: the text with a mark under the mistake.
    pub fn figure(mut self, lines: impl Into<String>) -> Self {
        self.figure = Some(lines.into());
        self
    }

    /// The lines that show where it is, where there are any.
    pub fn shown(&self) -> Option<&str> {
        self.figure.as_deref()
    }

    /// The kind, which decides the exit code.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What failed, without the next step.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The next step, where there is one.
    pub fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Whether the reader of our output went away: not an error to report.
    pub fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }

    /// The error as one line: what, where, and the next step.
    pub fn to_line(&self) -> String {
        let line = match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        };
        printable(&line)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_line())
    }
}

impl std::error::Error for Error {}

/// For output: everything we print goes through `std::io::Write`, and a closed pipe must be told from a full disk.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let closed_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        let mut failed = Error::failed(format!("cannot write the output: {}", plain_io(&error)));
        failed.closed_pipe = closed_pipe;
        failed
    }
}

/// A removal that has done its work, or found that there was nothing to do: another process may have been faster.
pub(crate) fn or_gone(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The message of an I/O error without the `(os error 28)` behind it.
pub fn plain_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

/// The message of the innermost cause, without the `(os error 28)` behind it: the outer ones of a request repeat its
/// address.
pub fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// The innermost I/O error in a chain of causes, where there is one: a full disk is told as a full disk, however
/// many layers have wrapped it.
pub fn root_io<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e std::io::Error> {
    let mut found = None;
    let mut next = Some(error);
    while let Some(current) = next {
        if let Some(io) = current.downcast_ref::<std::io::Error>() {
            found = Some(io);
            if let Some(inner) = io.get_ref() {
                next = Some(inner);
                continue;
            }
        }
        next = current.source();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_with_the_next_step() {
        let error = Error::usage("bad\nthing").hint("do this");
        assert_eq!(error.to_line(), "bad thing; do this");
        let strange = Error::failed("\u{1b}[2Jgone").hint("\u{9b}1mlook\tthere");
        assert_eq!(strange.to_line(), " [2Jgone;  1mlook there");
        assert_eq!(error.kind().exit_code(), 2);
    }

    #[test]
    fn a_full_disk_says_so_and_what_to_do() {
        let io = std::io::Error::from_raw_os_error(28);
        let error = Error::io("write", Path::new("/x/y"), &io);
        assert_eq!(error.message(), "cannot write /x/y: no space left on device");
        assert!(error.next_step().is_some_and(|hint| hint.contains("space")));
    }

    #[test]
    fn the_cause_of_a_wrapped_error_is_found() {
        let inner = std::io::Error::from_raw_os_error(28);
        let outer = std::io::Error::other(inner);
        assert_eq!(root_io(&outer).and_then(std::io::Error::raw_os_error), Some(28));
    }
}

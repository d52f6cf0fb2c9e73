//! One error for the whole program: what failed, on what, why, and what to do next.
//!
//! The [`Kind`] decides the exit code. Only [`Error::to_line`] puts the text together. Errors and notes name settings
//! as [`Setting`]s and commands as [`NextStep`]s; `cli` registers how it spells them.

use std::fmt;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use serde::Serialize;

use crate::text::printable;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Decides the exit code. The name is in `--format json` errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The reader of our output went away (`kb search x | head -1`): ends quietly.
    BrokenPipe = 0,
    /// Succeeded and found nothing.
    NotFound = 1,
    /// Used wrongly: a bad flag, an empty query, an ambiguous name.
    Usage = 2,
    /// The disk, the store or a model failed.
    Failed = 3,
    /// Some files failed, the others were ingested.
    Partial = 4,
    /// Another process writes to the namespace.
    Locked = 5,
}

impl Kind {
    pub fn exit_code(self) -> u8 {
        self as u8
    }
}

/// A setting by its name in `kb.toml`, such as `max_tokens`. It displays as the user spells it: as a flag on the
/// command line, as its variable if the environment sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Setting(pub &'static str);

/// What the user can do next. It displays as the command that does it, without quotes around it. A text is an argument
/// of the command, or a placeholder for it such as `NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep<'a> {
    AddModel(&'a str),
    Check,
    CheckLanguageModel,
    DeleteChunk(&'a str),
    DescribeDocument(&'a str),
    EditContents(&'a str),
    /// Find the sections of a document, even if they are current.
    FindSectionsAgain(&'a str),
    Ingest(&'a str),
    IngestAgain(&'a str),
    /// Takes the name that standard input had.
    IngestStandardInputAgain(&'a str),
    ListChunks,
    ListChunksAsJsonLines,
    ListConflicts,
    ListDocuments,
    ListDocumentsOf(&'a str),
    ListEntities,
    ListGenerations,
    ListModels,
    MakeVectors,
    PrintPrompt(&'a str),
    RemoveDocument(&'a str),
    RemoveModel(&'a str),
    ListNamespaces,
    RemoveNamespace,
    Repair,
    /// Replace all vectors by those of the named model.
    ReplaceModel(&'a str),
    /// Ask the language model again for the contexts that it failed to write.
    RequestContextsAgain,
    ResetChunk(&'a str),
    ResetContents(&'a str),
    Search,
    Show(&'a str),
    ShowContents(&'a str),
    ShowFilters,
    /// End the server of a store.
    StopServer,
    /// Name embedding models that read the documents.
    SuggestModels,
    /// Show what a store sets that needs trust.
    ShowUntrusted,
    /// Trust the settings of a store, and let reading commands repair it.
    Trust,
}

/// How the program spells settings and next steps.
struct Spelling {
    setting: Box<dyn Fn(&str) -> String + Send + Sync>,
    step: fn(NextStep<'_>) -> String,
}

static SPELLING: RwLock<Option<Spelling>> = RwLock::new(None);

/// Registers how the program spells settings and next steps. The last call counts.
pub fn spell_with(setting: impl Fn(&str) -> String + Send + Sync + 'static, step: fn(NextStep<'_>) -> String) {
    let spelling = Spelling { setting: Box::new(setting), step };
    *SPELLING.write().unwrap_or_else(PoisonError::into_inner) = Some(spelling);
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*SPELLING.read().unwrap_or_else(PoisonError::into_inner) {
            Some(spelling) => f.write_str(&(spelling.setting)(self.0)),
            None => f.write_str(self.0),
        }
    }
}

impl fmt::Display for NextStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*SPELLING.read().unwrap_or_else(PoisonError::into_inner) {
            Some(spelling) => f.write_str(&(spelling.step)(*self)),
            None => write!(f, "{self:?}"),
        }
    }
}

/// What went wrong, with the next step if there is one.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    is_answer: bool,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), hint: None, cause: None, is_answer: false }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Error::new(Kind::NotFound, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Error::new(Kind::Usage, message)
    }

    pub fn locked(message: impl Into<String>) -> Self {
        Error::new(Kind::Locked, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Error::new(Kind::Failed, message)
    }

    /// An I/O error on `path`.
    pub fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as E;
        // I/O errors cannot be cloned.
        let cause = match error.raw_os_error() {
            Some(code) => std::io::Error::from_raw_os_error(code),
            None => std::io::Error::new(error.kind(), error.to_string()),
        };
        let failed = Error::failed(format!("cannot {doing} {}: {}", path.display(), plain_io(error))).caused_by(cause);
        match error.kind() {
            _ if cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24)) => {
                failed.hint("close other programs, or allow more open files with `ulimit -n 4096`")
            }
            E::PermissionDenied | E::ReadOnlyFilesystem => {
                failed.hint(format!("check the permissions, or name another place with {}", Setting("kb")))
            }
            E::StorageFull | E::QuotaExceeded | E::FileTooLarge => {
                failed.hint("free some space and run the command again; what was published before is unharmed")
            }
            _ => failed,
        }
    }

    /// Something cannot be made in the system's folder for temporary files.
    pub fn temporary(what: &str, error: std::io::Error) -> Self {
        let folder = std::env::temp_dir();
        Error::failed(format!("cannot make {what} in {}: {}", folder.display(), plain_io(&error)))
            .caused_by(error)
            .hint("make room there, or name another folder with TMPDIR")
    }

    /// A file that the user named cannot be read. One that is not there is a wrong argument.
    pub fn reading(path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as E;
        let failed = Error::io("read", path, error);
        match error.kind() {
            E::NotFound | E::NotADirectory => Error { kind: Kind::Usage, ..failed },
            _ => failed,
        }
    }

    /// Prefixes the message with the place in the input.
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// An option names what does not exist: the option is wrong, which is not the same as nothing found.
    pub fn as_wrong_option(mut self) -> Self {
        if self.kind == Kind::NotFound {
            self.kind = Kind::Usage;
        }
        self
    }

    /// Adds the next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Keeps the error that caused this one, for [`source`](std::error::Error::source) and `--verbose`.
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Marks it as the answer to a right question: every name in it is known, and nothing fits.
    pub fn as_answer(mut self) -> Self {
        self.is_answer = true;
        self
    }

    /// Whether it is the answer to a right question.
    pub fn is_answer(&self) -> bool {
        self.is_answer
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What failed, without the next step.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The causes, the nearest first.
    pub fn causes(&self) -> impl Iterator<Item = String> {
        let first = std::error::Error::source(self);
        std::iter::successors(first, |error| error.source()).map(|error| printable(&error.to_string()))
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn std::error::Error + 'static))
    }
}

/// For output: everything we print goes through `std::io::Write`.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { Kind::BrokenPipe } else { Kind::Failed };
        Error::new(kind, format!("cannot write the output: {}", plain_io(&error))).caused_by(error)
    }
}

/// Turns the error that a file or folder does not exist into `None`: another process may have removed it.
pub(crate) fn or_none<T>(result: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// The message of an I/O error without its `(os error 28)`.
pub fn plain_io(error: &std::io::Error) -> String {
    match error.to_string().split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => error.to_string(),
    }
}

/// The message of a JSON error in a text of one line, without the line number, which is always 1: the caller names the
/// line of the file.
pub(crate) fn plain_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => format!("{} (column {})", &message[..end], error.column()),
        None => message,
    }
}

/// The message of the innermost cause, without its `(os error 28)`. The outer errors of a request repeat its address.
pub fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).to_owned()
}

/// The innermost I/O error in a chain of causes: a full disk stays recognisable however many layers wrap it.
pub fn root_io<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e std::io::Error> {
    let mut found = None;
    let mut next = Some(error);
    while let Some(current) = next {
        let io = current.downcast_ref::<std::io::Error>();
        found = io.or(found);
        next = match io.and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => current.source(),
        };
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
    fn a_named_file_that_is_not_there_is_wrong_use() {
        let error = |kind: std::io::ErrorKind| Error::reading(Path::new("a.txt"), &kind.into());
        assert_eq!(error(std::io::ErrorKind::NotFound).kind(), Kind::Usage);
        assert_eq!(error(std::io::ErrorKind::PermissionDenied).kind(), Kind::Failed);
    }

    #[test]
    fn the_cause_of_a_wrapped_error_is_found() {
        let inner = std::io::Error::from_raw_os_error(28);
        let outer = std::io::Error::other(inner);
        assert_eq!(root_io(&outer).and_then(std::io::Error::raw_os_error), Some(28));
    }

    #[test]
    fn an_error_keeps_its_causes() {
        let inner = Error::failed("the disk is gone").caused_by(std::io::Error::from_raw_os_error(5));
        let causes: Vec<String> = Error::failed("cannot publish").caused_by(inner).causes().collect();
        assert!(causes.len() == 2 && causes[0] == "the disk is gone" && causes[1].contains("os error 5"), "{causes:?}");
    }

    #[test]
    fn a_json_error_in_a_line_of_a_file_names_its_column_alone() {
        let error = serde_json::from_str::<serde_json::Value>("nonsense").unwrap_err();
        assert_eq!(plain_json(&error), "expected ident (column 2)");
    }

    #[test]
    fn only_a_closed_output_is_a_broken_pipe() {
        let pipe = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert_eq!(Error::from(pipe()).kind(), Kind::BrokenPipe);
        assert_eq!(Error::io("write", Path::new("/x"), &pipe()).kind(), Kind::Failed);
    }
}

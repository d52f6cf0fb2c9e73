//! Errors of LanceDB and tantivy as errors of kb.

use std::io;
use std::path::Path;

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::error::{Error, root_io};
use crate::text::{squeeze, truncate};

/// The longest part of a library's error message that is shown, in characters.
const SHOWN: usize = 300;

/// Converts an error of LanceDB or tantivy.
pub(super) fn store_error(doing: &str, path: &Path, error: &(dyn std::error::Error + 'static)) -> Error {
    let of_keyword_index = || error.downcast_ref().and_then(io_cause);
    if let Some(io) = root_io(error).or_else(of_keyword_index) {
        return Error::io(doing, path, io);
    }
    let text = error.to_string();
    // Object stores wrap I/O errors into text before we see them.
    let code = text.split_once("(os error ").and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok());
    if let Some(code) = code {
        return Error::io(doing, path, &io::Error::from_raw_os_error(code));
    }
    let text = truncate(&squeeze(&text), SHOWN);
    Error::failed(format!("cannot {doing} {}: {text}", path.display()))
}

/// The I/O error inside an error of tantivy, which does not expose it as its source.
pub(super) fn io_cause(error: &TantivyError) -> Option<&io::Error> {
    let io = match error {
        TantivyError::IoError(io)
        | TantivyError::LockFailure(LockError::IoError(io), _)
        | TantivyError::OpenDirectoryError(
            OpenDirectoryError::FailedToCreateTempDir(io) | OpenDirectoryError::IoError { io_error: io, .. },
        )
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => io,
        _ => return None,
    };
    root_io(&**io)
}

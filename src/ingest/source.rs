//! Reads the bytes of files, and says what to do about those that cannot be read.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::web::is_file;
use crate::error::{Error, Result, Setting};
use crate::load::Format;
use crate::paths::{lies_in, open_file};
use crate::store::STANDARD_INPUT;

/// The number of attempts to read a file that changes meanwhile.
const ATTEMPTS: usize = 3;

/// Whether a source without text is a document all the same. For standard input and pages on the web it is an error.
pub(super) fn may_be_empty(source: &str, format: Format) -> bool {
    is_file(source) && format.may_be_empty()
}

/// The next step for a source that cannot be read.
pub(super) fn skip() -> String {
    format!("skip it with {}", Setting("exclude"))
}

/// The next step for a source that the system does not let kb read.
pub(super) fn check_permissions() -> String {
    format!("check its permissions, or {}", skip())
}

/// The time of the last change, in nanoseconds since 1970, from 1677 to 2262; 0 if the system does not know.
pub(super) fn mtime_ns(facts: &std::fs::Metadata) -> i64 {
    let nanoseconds = |since: Duration| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    match facts.modified().map(|time| time.duration_since(UNIX_EPOCH)) {
        Ok(Ok(after)) => nanoseconds(after),
        Ok(Err(before)) => -nanoseconds(before.duration()),
        Err(_) => 0,
    }
}

/// The next step for a source that is too large.
pub(super) fn raise_limit() -> String {
    format!("raise the limit with {} MB", Setting("max_file_size"))
}

/// How the store names standard input.
pub(super) fn standard_input_source(name: &str) -> String {
    format!("{STANDARD_INPUT}{name}")
}

/// Reads a file of at most `most` bytes, and the time of its last change. Tries again if the file changes
/// meanwhile. `within` are the folders that it must lie in, wherever links lead by now; empty for any.
pub(super) fn read_consistent(path: &Path, within: &[PathBuf], most: u64) -> Result<(Vec<u8>, i64)> {
    let failed = |error: std::io::Error| {
        let plain = crate::error::plain_io(&error);
        Error::failed(format!("cannot be read: {plain}")).hint(check_permissions())
    };
    for _ in 0..ATTEMPTS {
        let mut file = open_file(path).map_err(failed)?;
        if !within.is_empty() && !lies_in(&file, path, within).map_err(failed)? {
            let folders: Vec<String> = within.iter().map(|folder| folder.display().to_string()).collect();
            return Err(Error::failed(format!("a link leads out of {}", folders.join(" and "))).hint(skip()));
        }
        let before = file.metadata().map_err(failed)?;
        if before.len() > most {
            return Err(Error::failed("grew over the limit while kb read it").hint(raise_limit()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or_default());
        file.by_ref().take(most).read_to_end(&mut bytes).map_err(failed)?;
        let after = file.metadata().map_err(failed)?;
        if before.len() == after.len() && bytes.len() as u64 == after.len() && mtime_ns(&before) == mtime_ns(&after) {
            return Ok((bytes, mtime_ns(&after)));
        }
    }
    Err(Error::failed("changed while kb read it").hint("run the command again when no program writes to it"))
}

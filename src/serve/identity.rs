//! The properties that client and server must share, so that their answers are the same.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};

use crate::text::lists;

/// Variables beside `KB_…` that change an answer: they say where settings and models are, in which zone times are, and
/// which engine runs.
const VARIABLES: &str = "HOME LD_LIBRARY_PATH ORT_DYLIB_PATH TZ TZDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME \
    DYLD_LIBRARY_PATH";
/// Says whether a server is used, and changes no answer.
const CHOICE: &str = "KB_SERVE";

/// A program and its environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version, and the file of the program: its device, number, length and time.
    pub program: String,
    /// The hash of the variables.
    pub environment: String,
}

impl Identity {
    /// That of this process; `None` if the file of the program was removed or replaced.
    pub fn of_process() -> Option<Self> {
        let file = std::env::current_exe().and_then(std::fs::metadata).ok()?;
        let (version, device, number, length) = (env!("CARGO_PKG_VERSION"), file.dev(), file.ino(), file.len());
        let (seconds, nanoseconds) = (file.mtime(), file.mtime_nsec());
        Some(Identity {
            program: format!("{version} {device} {number} {length} {seconds}.{nanoseconds}"),
            environment: hash(std::env::vars_os()),
        })
    }

    /// Why another process gets no answer, if it does not.
    pub fn refusal(&self, other: &Identity) -> Option<&'static str> {
        match () {
            () if self.program != other.program => Some("it is another version of kb"),
            () if self.environment != other.environment => Some("it has other environment variables"),
            () => None,
        }
    }
}

/// A hash, because the values may be secret.
fn hash(variables: impl Iterator<Item = (OsString, OsString)>) -> String {
    let counts = |name: &str| lists(VARIABLES, name) || (name.starts_with("KB_") && name != CHOICE);
    // An empty variable sets nothing.
    let mut all: Vec<_> =
        variables.filter(|(name, value)| name.to_str().is_some_and(counts) && !value.is_empty()).collect();
    all.sort();
    let parts = all.iter().flat_map(|(name, value)| [name, value]).map(|text| text.as_encoded_bytes());
    crate::hash::of_parts(parts).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_change_answers_count() {
        let of = |variables: &[(&str, &str)]| hash(variables.iter().map(|(name, value)| (name.into(), value.into())));
        let plain = of(&[("HOME", "/h"), ("KB_SEARCH_LIMIT", "3")]);
        let more = [("KB_SEARCH_LIMIT", "3"), ("TERM", "x"), ("KB_SERVE", "auto"), ("TZ", ""), ("HOME", "/h")];
        assert_eq!(of(&more), plain);
        for other in [("KB_SEARCH_LIMIT", "4"), ("KB_DEVICE", "cpu"), ("TZ", "UTC")] {
            assert_ne!(of(&[("HOME", "/h"), ("KB_SEARCH_LIMIT", "3"), other]), plain, "{other:?}");
        }
    }
}

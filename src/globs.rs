//! Globs that other people wrote: in a store's settings, in an ignore file, in an agent's filter.

use globset::{GlobBuilder, GlobMatcher};

/// The longest glob, in bytes: that of the longest path. The library panics on one of a megabyte.
pub const LONGEST: usize = 4096;
/// The most braces of a glob. The library panics on 84 nested ones, and overflows its stack on some thousand.
pub const MOST_BRACES: usize = 50;

/// The most characters of a glob that an error shows.
pub const SHOWN: usize = 100;

/// Checks that the library can read and compile a glob.
///
/// # Errors
/// The reason why it cannot.
pub fn check(glob: &[u8]) -> Result<(), String> {
    let braces = glob.iter().filter(|byte| **byte == b'{').count();
    match (glob.len() > LONGEST, braces > MOST_BRACES) {
        (false, false) => Ok(()),
        (true, _) => Err(format!("it has more than {LONGEST} bytes")),
        (false, true) => Err(format!("it has more than {MOST_BRACES} braces")),
    }
}

/// Compiles a glob whose `*` and `?` match no slash.
///
/// # Errors
/// The reason why it is no glob.
pub fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    check(glob.as_bytes())?;
    let glob = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| error.kind().to_string())?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_that_the_library_cannot_compile_are_refused() {
        let nested = |depth: usize| format!("{}a{}", "{b,c*d".repeat(depth), "}".repeat(depth));
        assert!(matcher(&nested(MOST_BRACES)).unwrap().is_match("b"));
        assert!(matcher(&nested(MOST_BRACES + 1)).unwrap_err().contains("braces"));
        assert!(matcher(&nested(100_000)).is_err());
        assert!(matcher(&"?".repeat(LONGEST)).is_ok() && matcher(&"?".repeat(LONGEST + 1)).is_err());
        assert!(matcher("a[b").is_err());
    }
}

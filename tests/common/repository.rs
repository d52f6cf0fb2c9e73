//! Finds files of the repository for tests.

use std::path::{Path, PathBuf};

/// A path in the repository in which the tests run. Looked up at run time: clones that share a target directory run
/// tests that were compiled in another clone.
pub fn in_repository(path: &str) -> PathBuf {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| ".".into());
    Path::new(&root).join(path)
}

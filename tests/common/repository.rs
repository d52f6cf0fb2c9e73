//! Where tests find what lies in the repository.

use std::path::{Path, PathBuf};

/// A path in the repository that the tests are run in. Asked for when they run: a target directory that several clones
/// share has tests that were compiled in another one.
pub fn in_repository(path: &str) -> PathBuf {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| ".".into());
    Path::new(&root).join(path)
}

//! Deletes the folders that removals of namespaces leave.

use std::path::Path;

use super::files::{name_of, paths_in};
use super::layout::Namespace;

/// The prefix of folders that are being deleted; the process id follows. No namespace's name begins like this.
pub(super) const REMOVING: &str = ".removing-";

/// Deletes what interrupted removals have left beside a namespace. Nothing depends on it, so errors are ignored.
pub(super) fn clear_removed(namespace: &Namespace) {
    let paths = paths_in(namespace.folder()).unwrap_or_default();
    paths.iter().filter(|path| name_of(path).starts_with(REMOVING)).for_each(|path| drop(delete(path)));
}

/// Deletes a folder that another process may be deleting too.
pub(super) fn delete(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(_) if !path.exists() => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => delete(path),
        outcome => outcome,
    }
}

//! What removals of namespaces leave, and its deletion.

use std::path::Path;

use super::files::{name_of, paths_in};
use super::layout::Namespace;

/// Begins the names of folders that are being deleted, in front of the number of the process; no name of a namespace begins so.
pub(super) const REMOVING: &str = ".removing-";

/// Deletes what removals that were interrupted have left beside a namespace. Nothing depends on it, so nothing fails
/// for it.
pub(super) fn clear_removed(namespace: &Namespace) {
    let folder = namespace.root().parent().unwrap_or(namespace.root());
    let paths = paths_in(folder).unwrap_or_default();
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

//! What a namespace takes on disk.

use std::path::Path;

use serde::Serialize;

use super::layout::Namespace;

/// Bytes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Of all that is in the namespace's folder.
    pub all: u64,
    /// Of the tables, versions that are no longer published included.
    pub tables: u64,
    /// Of the keyword index.
    pub keyword: u64,
}

impl Namespace {
    /// What it takes on disk.
    pub fn size(&self) -> Size {
        Size { all: folder(self.root()), tables: folder(&self.tables()), keyword: folder(&self.keyword()) }
    }
}

/// The bytes of all files below a folder; what disappears meanwhile counts nothing.
fn folder(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder(&entry.path()),
            Ok(_) => entry.metadata().map_or(0, |facts| facts.len()),
            Err(_) => 0,
        })
        .sum()
}

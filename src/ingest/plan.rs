//! Decides which of the files to ingest must be read.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::existing::Existing;
use super::request::{IngestRequest, SourceReport, SuspiciousRemoval};
use super::scan::Candidate;
use super::source::{mtime_ns, raise_limit};
use super::web::is_file;
use crate::load::Format;
use crate::store::{DocumentRow, Store};

/// The largest share of the documents that kb removes without asking.
const LARGEST_UNCONFIRMED_SHARE: f64 = 0.2;
/// Files up to this size in bytes hold no more than a line break.
const EMPTY: u64 = 2;

#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to read.
    pub todo: Vec<Candidate>,
    /// The bytes of all of them, when the plan was made.
    pub bytes: u64,
    /// Sources whose outcome is known without reading them.
    pub settled: Vec<SourceReport>,
    /// Documents whose files are gone.
    pub vanished: Vec<DocumentRow>,
    /// The sources of documents whose files exist but are excluded by a glob or an ignore file.
    pub left_out: Vec<String>,
}

/// Whether a document's file certainly does not exist; a folder may have its name now. A file that cannot be checked
/// can still exist.
pub(super) fn is_gone(source: &str, store: &Store) -> bool {
    let gone = || match std::fs::metadata(store.source_path(source)) {
        Ok(facts) => facts.is_dir(),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    };
    is_file(source) && gone()
}

/// Compares the files with the store. A file with the same size and modification time counts as unchanged.
pub(super) fn plan(candidates: Vec<Candidate>, existing: &Existing, request: &IngestRequest, store: &Store) -> Plan {
    let mut plan = Plan::default();
    for candidate in candidates {
        let facts = match std::fs::metadata(&candidate.path) {
            Ok(facts) => facts,
            Err(error) => {
                let reason = crate::error::plain_io(&error);
                plan.settled.push(SourceReport::failed(&candidate.source, format!("cannot be read: {reason}"), None));
                continue;
            }
        };
        let known = existing.get(&candidate.source);
        // Python packages have an empty file in each folder.
        let is_named = || request.paths.contains(&candidate.path);
        if facts.len() <= EMPTY && candidate.format.is_some_and(Format::is_code) && known.is_none() && !is_named() {
            continue;
        }
        let largest = request.largest(candidate.format);
        if facts.len() > largest {
            let reason = format!("is {} MB, more than {} MB", facts.len().div_ceil(1 << 20), largest >> 20);
            let hint = format!("split it, or {}", raise_limit());
            plan.settled.push(SourceReport::failed(&candidate.source, reason, Some(hint)));
            continue;
        }
        let same = known.filter(|row| row.size == facts.len() && row.mtime_ns == mtime_ns(&facts));
        let stays = |row: &&DocumentRow| {
            !request.must_read(row) && !request.changes_date(row) && !request.changes_metadata(row, store)
        };
        match same.filter(stays) {
            Some(row) => plan.settled.push(SourceReport::of(&candidate.source, request.action_if_unchanged(row), row)),
            None => {
                plan.bytes += facts.len();
                plan.todo.push(candidate);
            }
        }
    }
    // A file that was ingested with a format of its own (`--as`) is never found in a folder.
    let is_walked = |source: &str| is_file(source) && Format::from_path(Path::new(source)).is_some();
    for source in &existing.unread {
        if let Some(row) = existing.get(source) {
            plan.vanished.push(row.clone());
        } else if is_walked(source) && store.source_path(source).is_file() {
            plan.left_out.push(source.clone());
        }
    }
    plan
}

/// A removal that may be a mistake, such as an unmounted disk; `None` if only a few files are missing.
pub(super) fn suspicious_removal(
    vanished: &[DocumentRow],
    existing: &Existing,
    folders: &[PathBuf],
    store: &Store,
) -> Option<SuspiciousRemoval> {
    let whole = |folder: &&PathBuf| {
        let names = store.names_before(folder).collect();
        let vanished = vanished.iter().filter(|row| is_below(&row.source, &names)).count();
        vanished > 0 && vanished == existing.keys.iter().filter(|key| is_below(&key.source, &names)).count()
    };
    let emptied = folders.iter().find(whole).map(|folder| folder.display().to_string());
    // In a small store, one file is more than that share.
    let is_much = vanished.len() > 1 && vanished.len() as f64 > existing.keys.len() as f64 * LARGEST_UNCONFIRMED_SHARE;
    let is_doubtful = emptied.is_some() || is_much;
    is_doubtful.then_some(SuspiciousRemoval { documents: vanished.len(), of: existing.keys.len(), emptied })
}

/// Whether a source is one of these files, or in one of these folders; pages and standard input are in none. The folder
/// of the store has an empty name, and only sources outside have absolute ones.
pub(super) fn is_below(source: &str, folders: &HashSet<String>) -> bool {
    is_file(source) && Path::new(source).ancestors().filter_map(Path::to_str).any(|above| folders.contains(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_below_a_folder_only_if_it_is_inside() {
        let is_below = |source, folder: &str| super::is_below(source, &HashSet::from([folder.to_owned()]));
        assert!(is_below("docs/a.md", "docs") && is_below("docs", "docs") && is_below("x", ""));
        assert!(!is_below("docs2/a.md", "docs") && !is_below("/elsewhere/a.md", ""));
        assert!(!is_below("https://example.org/a", "") && !is_below("stdin:a.md", ""));
    }
}

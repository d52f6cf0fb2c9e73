//! What has to be done with each file: nothing, or read it and see.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::scan::Candidate;
use super::{Action, IngestRequest, SourceReport};
use crate::store::{DocumentRow, Store};

/// A file that must be read.
#[derive(Debug, Clone)]
pub(super) struct Todo {
    /// The file.
    pub candidate: Candidate,
    /// Its size in bytes when the plan was made.
    pub size: u64,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to read.
    pub todo: Vec<Todo>,
    /// Sources of which it is clear already what happens to them.
    pub settled: Vec<SourceReport>,
    /// Ids of the documents whose file is gone.
    pub vanished: Vec<DocumentRow>,
}

/// What the store holds, by source and by content.
pub(super) struct Existing {
    by_source: HashMap<String, DocumentRow>,
}

impl Existing {
    pub(super) fn new(rows: Vec<DocumentRow>) -> Self {
        Existing { by_source: rows.into_iter().map(|row| (row.source.clone(), row)).collect() }
    }

    pub(super) fn by_source(&self, source: &str) -> Option<&DocumentRow> {
        self.by_source.get(source)
    }

    /// A document with this content whose own file is gone: it has moved.
    pub(super) fn moved_from(&self, hash: &str, store: &Store) -> Option<&DocumentRow> {
        self.by_source.values().find(|row| row.content_hash == hash && is_gone(row, store))
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &DocumentRow> {
        self.by_source.values()
    }
}

/// Whether a document's file is known to be there no more. One that cannot be looked at may still be.
fn is_gone(row: &DocumentRow, store: &Store) -> bool {
    let gone = || match store.source_path(&row.source).try_exists() {
        Ok(there) => !there,
        Err(error) => error.kind() == ErrorKind::NotADirectory,
    };
    !row.source.starts_with(STANDARD_INPUT) && gone()
}

/// What the names of sources from standard input start with.
pub(super) const STANDARD_INPUT: &str = "stdin:";

/// Compares the files with what the store holds. Files with the same size and time of change count as unchanged.
pub(super) fn plan(candidates: Vec<Candidate>, existing: &Existing, request: &IngestRequest, store: &Store) -> Plan {
    let mut plan = Plan::default();
    for candidate in candidates {
        let facts = match std::fs::metadata(&candidate.path) {
            Ok(facts) => facts,
            Err(error) => {
                let reason = crate::error::plain_io(&error);
                plan.settled.push(failed(&candidate.source, format!("cannot be read: {reason}"), None));
                continue;
            }
        };
        let largest = request.largest(candidate.format);
        if facts.len() > largest {
            let reason = format!("is {} MB, more than {} MB", facts.len() >> 20, largest >> 20);
            let hint = "split it, or raise the limit with --max-file-size MB".to_owned();
            plan.settled.push(failed(&candidate.source, reason, Some(hint)));
            continue;
        }
        let known = existing.by_source(&candidate.source);
        let same = known.is_some_and(|row| row.size == facts.len() && row.mtime_ns == mtime_ns(&facts));
        match known {
            Some(row) if same && !request.must_read(row) && !request.dates_anew(row) => {
                let mut report = SourceReport::new(&candidate.source, Action::Unchanged);
                report.describe(row);
                plan.settled.push(report);
            }
            _ => plan.todo.push(Todo { size: facts.len(), candidate }),
        }
    }
    if request.prune {
        let folders: Vec<String> = request.paths.iter().map(|path| store.source_name(path)).collect();
        let below = |source: &str| folders.iter().any(|folder| is_below(source, folder));
        plan.vanished = existing.rows().filter(|row| below(&row.source) && is_gone(row, store)).cloned().collect();
    }
    plan
}

fn is_below(source: &str, folder: &str) -> bool {
    folder.is_empty() || source == folder || Path::new(source).starts_with(folder)
}

pub(super) fn failed(source: &str, reason: String, hint: Option<String>) -> SourceReport {
    SourceReport { error: Some(reason), hint, ..SourceReport::new(source, Action::Failed) }
}

/// The time of the last change, in nanoseconds since 1970; 0 where the system does not say.
pub(super) fn mtime_ns(facts: &std::fs::Metadata) -> i64 {
    facts
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

impl SourceReport {
    /// Takes over what the document's row says.
    pub(super) fn describe(&mut self, row: &DocumentRow) {
        self.doc_id = Some(row.doc_id.clone());
        self.pages = row.pages;
        self.sections = row.sections;
        self.parents = row.parents;
        self.warnings = row.warnings.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_means_inside_and_not_beside() {
        assert!(is_below("docs/a.md", "docs") && is_below("docs", "docs") && is_below("x", ""));
        assert!(!is_below("docs2/a.md", "docs"));
    }
}

//! The records of generations, and the locks on them that protect a generation while it is read.
//!
//! The operating system holds the locks, so a dead reader holds none. Readers never wait for a lock and never fail
//! without one. On a file system without locks it is unknown what is read, and no generation is removed.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, or_none};
use crate::paths::read_bytes;
use crate::store::fault;
use crate::store::files::{name_of, paths_in, sync_folder, write_json};
use crate::store::layout::Namespace;
use crate::store::lock::is_file_at;
use crate::store::manifest::Manifest;

/// The folder of the records, in the namespace.
const FOLDER: &str = "history";

/// The maximum number of named sources; the others are only counted.
const MOST_SOURCES: usize = 5;

/// What a command has done up to the publication of a generation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The command: `ingest`, `chunk-delete`, `check --repair`.
    pub command: String,
    /// The generation that `restore` or `undo` brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<u64>,
    /// How many documents were `added`, `updated`, `removed`.
    pub counts: BTreeMap<String, u64>,
    /// The sources of some of them.
    pub sources: Vec<String>,
}

impl Note {
    /// The note of a command that has done nothing yet.
    pub fn of(command: &str) -> Self {
        Note { command: command.to_owned(), ..Note::default() }
    }

    pub fn with(mut self, action: &str, source: &str) -> Self {
        self.add(action, source);
        self
    }

    /// Notes an action on a document.
    pub fn add(&mut self, action: &str, source: &str) {
        self.add_many(action, 1);
        self.name(&[source.to_owned()]);
    }

    fn name(&mut self, sources: &[String]) {
        for source in sources {
            if self.sources.len() < MOST_SOURCES && !self.sources.contains(source) {
                self.sources.push(source.clone());
            }
        }
    }

    /// Notes an action on a number of documents, without naming them.
    pub fn add_many(&mut self, action: &str, documents: u64) {
        if documents > 0 {
            *self.counts.entry(action.to_owned()).or_default() += documents;
        }
    }

    /// Combines this note with a later one of the same run.
    pub(in crate::store) fn and(mut self, later: &Note) -> Self {
        self.command.clone_from(&later.command);
        self.restored = later.restored.or(self.restored);
        for (action, count) in &later.counts {
            self.add_many(action, *count);
        }
        self.name(&later.sources);
        // Several threads read files; the note must not depend on their speed.
        self.sources.sort();
        self
    }

    pub fn documents(&self) -> u64 {
        self.counts.values().sum()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct Record {
    pub(in crate::store) manifest: Manifest,
    /// When the run that published it began, RFC 3339. A run that publishes in batches has several generations, and the
    /// last of them represents all. `None` if the record was lost and rebuilt.
    pub(in crate::store) begun_at: Option<String>,
    /// What the run had done until then; `None` if the record was lost and rebuilt.
    pub(in crate::store) note: Option<Note>,
}

pub(in crate::store) struct RecordFile {
    /// The generation in the name of the file.
    pub(in crate::store) generation: u64,
    /// `None` if it cannot be read.
    pub(in crate::store) record: Option<Record>,
}

impl Record {
    /// A record without a note, for a published generation whose record was lost.
    pub(in crate::store) fn of_unknown(manifest: &Manifest) -> Self {
        Record { manifest: manifest.clone(), begun_at: None, note: None }
    }

    /// Writes the record durably, over a possible leftover of an interrupted publication with the same number.
    pub(in crate::store) fn write(&self, namespace: &Namespace) -> Result<()> {
        let folder = records_folder(namespace);
        if !folder.is_dir() {
            std::fs::create_dir_all(&folder).map_err(|error| Error::io("create the history", &folder, &error))?;
            sync_folder(namespace.root())?;
        }
        write_json(&path(namespace, self.manifest.generation), self)
    }
}

/// The folder of the records.
pub(in crate::store) fn records_folder(namespace: &Namespace) -> PathBuf {
    namespace.root().join(FOLDER)
}

pub(in crate::store) fn record_id(generation: u64) -> String {
    format!("{FOLDER}/{generation:07}.json")
}

pub(super) fn path(namespace: &Namespace, generation: u64) -> PathBuf {
    namespace.root().join(record_id(generation))
}

/// The record of a generation; `None` if it is missing or cannot be read.
pub(in crate::store) fn record(namespace: &Namespace, generation: u64) -> Result<Option<Record>> {
    let path = path(namespace, generation);
    let bytes = or_none(read_bytes(&path)).map_err(|error| Error::io("read", &path, &error))?;
    // A record is complete before it gets its name, so damage is a fault of the disk. It loses that generation and does
    // not prevent a publication.
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// For the fuzzer: whether the record of a generation can be read.
#[cfg(feature = "fuzzing")]
pub fn record_is_readable(namespace: &Namespace, generation: u64) -> bool {
    record(namespace, generation).is_ok_and(|record| record.is_some())
}

/// All records of generations up to `published`, unreadable ones included, the newest first.
pub(in crate::store) fn record_files(namespace: &Namespace, published: u64) -> Result<Vec<RecordFile>> {
    let number = |path: &PathBuf| name_of(path).strip_suffix(".json")?.parse::<u64>().ok();
    let mut numbers: Vec<u64> =
        paths_in(&records_folder(namespace))?.iter().filter_map(number).filter(|number| *number <= published).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let file = |generation| RecordFile { generation, record: record(namespace, generation).ok().flatten() };
    Ok(numbers.into_iter().map(file).collect())
}

/// The readable records of generations up to `published`, the newest first.
pub(super) fn records(namespace: &Namespace, published: u64) -> Result<Vec<Record>> {
    Ok(record_files(namespace, published)?.into_iter().filter_map(|file| file.record).collect())
}

/// The generations before one that have a record, the newest first.
pub(in crate::store) fn older_generations(namespace: &Namespace, before: u64) -> Result<Vec<Manifest>> {
    let manifests = records(namespace, before)?.into_iter().map(|record| record.manifest);
    Ok(manifests.filter(|manifest| manifest.generation < before).collect())
}

/// A lock on the record of a generation: shared for a reader, exclusive for the writer that removes the generation.
/// Without a file if the system has no locks.
#[derive(Debug)]
pub(in crate::store) struct Lease {
    _file: Option<File>,
}

impl Lease {
    /// Takes a reader's lease on a generation; `None` if it has no record or is being removed.
    pub(in crate::store) fn take(namespace: &Namespace, generation: u64) -> Option<Self> {
        let path = path(namespace, generation);
        let Ok(file) = or_none(File::open(&path)).transpose()? else { return Some(Lease { _file: None }) };
        match file.try_lock_shared() {
            // Between opening and locking, the record may have been removed.
            Ok(()) => is_file_at(&file, &path).then_some(Lease { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Lease { _file: None }),
        }
    }

    /// Takes the writer's lease, during which no reader can take one.
    pub(super) fn to_remove(record: &Path) -> Removal {
        let file = match or_none(File::open(record)) {
            Ok(Some(file)) => file,
            Ok(None) => return Removal::Allowed(Lease { _file: None }),
            Err(_) => return Removal::Unknown,
        };
        match fault::try_lock(&file) {
            Ok(()) => Removal::Allowed(Lease { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Removal::Read,
            Err(TryLockError::Error(_)) => Removal::Unknown,
        }
    }
}

/// Whether a generation may be removed.
pub(super) enum Removal {
    /// Yes, while this lease lives.
    Allowed(Lease),
    /// No: a reader holds a lease.
    Read,
    /// Unknown: the file system has no locks, or the record cannot be opened.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_damaged_by_the_disk_counts_as_lost() {
        let (_folder, namespace) = crate::store::samples::namespace();
        std::fs::create_dir_all(records_folder(&namespace)).unwrap();
        for damaged in [&b"{\"manifest\""[..], b"{\xff}", b"\0\0\0\0"] {
            std::fs::write(path(&namespace, 1), damaged).unwrap();
            assert_eq!(record(&namespace, 1).unwrap(), None, "{damaged:?}");
        }
    }

    #[test]
    fn the_batches_of_a_run_add_up_to_one_note() {
        let mut first = Note::of("ingest");
        (0..4).for_each(|i| first.add("added", &format!("{i}.md")));
        let mut second = Note::of("ingest").with("added", "4.md").with("updated", "5.md");
        second.add_many("removed", 0);
        let both = Note::default().and(&first).and(&second);
        assert_eq!(both.command, "ingest");
        assert_eq!(both.counts, BTreeMap::from([("added".to_owned(), 5), ("updated".to_owned(), 1)]));
        assert_eq!(both.sources, ["0.md", "1.md", "2.md", "3.md", "4.md"]);
        assert_eq!(both.documents(), 6);
    }
}

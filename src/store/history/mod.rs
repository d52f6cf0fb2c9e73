//! The history of a namespace: what each generation did, which are kept, and what lies between two of them.
//!
//! Each generation has a record, `history/0000012.json`: the versions of its tables, and a note of what it did. The
//! record is written before the generation is announced, so that one above the published number is what a crash has
//! left; the next publication writes over it. A reader holds a shared lock on the record of what it reads
//! ([`lease`]), and only a generation whose record nobody holds is taken away ([`prune`]).
//!
//! Generations of earlier versions of kb have no record. The last of them gets one, without a note, when the next is
//! published; nothing is invented for the others.

mod between;
mod compare;
mod lease;
mod note;
mod past;
mod prune;
mod restore;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::layout::Namespace;
use super::manifest::{Manifest, sync_folder, write_json};
use crate::error::{Error, Result};

pub use between::{DocumentDiff, Field, GenerationDiff, diff};
pub use compare::{Counts, Item, What};
pub(super) use lease::Lease;
pub use note::Note;
pub use past::{LogEntry, log};
pub(super) use prune::{Keeping, prune};
pub use restore::{Restored, plan_restore};

/// The folder of the records, in the namespace's.
const FOLDER: &str = "history";

/// A generation, and what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The generation.
    pub(super) manifest: Manifest,
    /// When the run began that published it, RFC 3339: one that publishes in batches has several generations, and the
    /// last of them stands for all. `None` where the record was lost and rebuilt.
    pub(super) begun_at: Option<String>,
    /// What the run had done by then; `None` where the record was lost and rebuilt.
    pub(super) note: Option<Note>,
}

/// A record as it lies there.
pub(super) struct RecordFile {
    /// The generation that it is called after.
    pub(super) generation: u64,
    /// Its content; `None` where it cannot be read.
    pub(super) record: Option<Record>,
}

impl RecordFile {
    /// Where it is.
    pub(super) fn path(&self, namespace: &Namespace) -> PathBuf {
        path(namespace, self.generation)
    }

    /// What it is called in the namespace.
    pub(super) fn id(&self) -> String {
        format!("{FOLDER}/{:07}.json", self.generation)
    }
}

/// All records of generations up to `published`, the newest first, those too that cannot be read.
pub(super) fn record_files(namespace: &Namespace, published: u64) -> Result<Vec<RecordFile>> {
    let numbers = recorded(namespace, published)?;
    let file = |generation| RecordFile { generation, record: record(namespace, generation).ok().flatten() };
    Ok(numbers.into_iter().map(file).collect())
}

impl Record {
    /// Of a generation of which nothing more is known than that it was published.
    pub(super) fn of_unknown(manifest: &Manifest) -> Self {
        Record { manifest: manifest.clone(), begun_at: None, note: None }
    }

    /// Writes it durably, over what an interrupted publication of that number may have left.
    pub(super) fn write(&self, namespace: &Namespace) -> Result<()> {
        let folder = folder(namespace);
        if !folder.is_dir() {
            std::fs::create_dir_all(&folder).map_err(|error| Error::io("create the history", &folder, &error))?;
            sync_folder(namespace.root())?;
        }
        write_json(&path(namespace, self.manifest.generation), self)
    }
}

fn folder(namespace: &Namespace) -> PathBuf {
    namespace.root().join(FOLDER)
}

fn path(namespace: &Namespace, generation: u64) -> PathBuf {
    folder(namespace).join(format!("{generation:07}.json"))
}

/// The record of a generation; `None` where it has none that can be read.
pub(super) fn record(namespace: &Namespace, generation: u64) -> Result<Option<Record>> {
    let path = path(namespace, generation);
    match std::fs::read_to_string(&path) {
        // A record is written whole before it gets its name, so a damaged one is a fault of the disk. It costs that
        // generation; it is no reason to refuse a publication.
        Ok(text) => Ok(serde_json::from_str(&text).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", &path, &error)),
    }
}

/// The numbers of all generations up to `published` that have a record, the newest first.
fn recorded(namespace: &Namespace, published: u64) -> Result<Vec<u64>> {
    let folder = folder(namespace);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", &folder, &error)),
    };
    let number = |name: String| name.strip_suffix(".json")?.parse::<u64>().ok();
    let mut numbers: Vec<u64> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok().and_then(number))
        .filter(|number| *number <= published)
        .collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    Ok(numbers)
}

/// The records of all generations up to `published`, the newest first.
fn records(namespace: &Namespace, published: u64) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for number in recorded(namespace, published)? {
        records.extend(record(namespace, number)?);
    }
    Ok(records)
}

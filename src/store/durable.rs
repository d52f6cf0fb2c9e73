//! Syncs everything that a publication names before the publication names it.
//!
//! Lance never syncs what it writes: after a power loss, a published version could have empty files. So before a
//! generation is announced, this module syncs all new files of the tables, then the folders with new entries. Files
//! that existed when the namespace was opened were synced before they were published, or nothing names them.

use std::collections::HashSet;
use std::fs::{Metadata, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::fault::{Event, record_event};
use super::files::{sync_folder, walk};
use super::layout::Namespace;
use crate::error::{Error, Result, or_none};
use crate::threads::in_threads;

/// The number of files synced in parallel: a file system writes its journal once for several.
const AT_ONCE: usize = 8;

/// A file with its length and time, or a folder (`None`). A file that was removed and made again counts as new.
type Entry = (PathBuf, Option<(u64, SystemTime)>);

/// The files and folders of the tables that are synced.
pub(super) struct SyncedFiles {
    tables: PathBuf,
    known: HashSet<Entry>,
}

impl SyncedFiles {
    /// Treats all existing files as synced.
    pub(super) fn of(namespace: &Namespace) -> Result<Self> {
        let tables = namespace.tables();
        Ok(SyncedFiles { known: entries(&tables)?.into_iter().collect(), tables })
    }

    /// Syncs all new files and the folders that changed.
    pub(super) fn sync(&mut self) -> Result<()> {
        let there = entries(&self.tables)?;
        let new = || there.iter().filter(|entry| !self.known.contains(entry));
        let files: Vec<&Path> = new().filter(|(_, file)| file.is_some()).map(|(path, _)| path.as_path()).collect();
        sync_files(&files)?;
        let changed: HashSet<&Path> = new().filter_map(|(path, _)| path.parent()).collect();
        // `entries` lists a folder after its contents.
        for (folder, _) in there.iter().filter(|(path, file)| file.is_none() && changed.contains(path.as_path())) {
            sync_folder(folder)?;
        }
        if let Some(above) = self.tables.parent().filter(|above| changed.contains(above)) {
            sync_folder(above)?;
        }
        self.known = there.into_iter().collect();
        Ok(())
    }
}

/// A folder and everything in it, each folder after its contents.
fn entries(folder: &Path) -> Result<Vec<Entry>> {
    let entry = |(path, facts): (PathBuf, Metadata)| -> Result<Entry> {
        let written = facts.modified().map_err(|error| Error::io("read", &path, &error))?;
        let file = facts.is_file().then_some((facts.len(), written));
        Ok((path, file))
    };
    walk(folder)?.into_iter().map(entry).collect()
}

fn sync_files(files: &[&Path]) -> Result<()> {
    let share = |thread: usize| files.iter().skip(thread).step_by(AT_ONCE).try_for_each(|file| sync_file(file));
    let crashed = || Error::failed("a thread that syncs files has crashed");
    in_threads(files.len().min(AT_ONCE), share, crashed).map(drop)
}

/// Syncs a file. A file that has been removed meanwhile needs no sync.
fn sync_file(path: &Path) -> Result<()> {
    // Windows syncs only files that are open for writing.
    let synced = OpenOptions::new().read(true).write(cfg!(windows)).open(path).and_then(|file| file.sync_data());
    or_none(synced).map_err(|error| Error::io("write", path, &error))?;
    record_event(Event::SyncedFile, path);
    Ok(())
}

/// Syncs the folders above a namespace, which its first publication created.
pub(super) fn sync_above(namespace: &Namespace) -> Result<()> {
    let store = namespace.store();
    for folder in namespace.root().ancestors().skip(1).take_while(|folder| folder.starts_with(store)) {
        sync_folder(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_after_their_contents() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("c"), "c").unwrap();
        let found: Vec<PathBuf> = entries(folder.path()).unwrap().into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, [deep.join("c"), deep.clone(), folder.path().join("a"), folder.path().to_owned()]);
        assert!(entries(&folder.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn a_recreated_file_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("1.manifest");
        std::fs::write(&file, "one").unwrap();
        let before = entries(folder.path()).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "other").unwrap();
        assert_ne!(entries(folder.path()).unwrap(), before);
    }
}

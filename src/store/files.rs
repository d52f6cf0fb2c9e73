//! Durable writes: after a crash the old or the new file exists, never half of one.

use std::fs::{File, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use super::fault::{Event, record_event};
use crate::error::{Error, Result, Setting, or_none};
use crate::paths::read_text;

/// The prefix of the names of files that are not yet complete.
pub(super) const WRITING: &str = ".writing-";
/// The age at which a half-written file is taken for the leftover of a dead process.
pub(super) const ABANDONED: Duration = Duration::from_secs(3600);

/// The value in a JSON file; `None` if the file does not exist.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let text = or_none(read_text(path)).map_err(|error| Error::io("read", path, &error))?;
    let Some(text) = text else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        Error::failed(format!("{} is damaged: {error}", path.display())).hint(format!(
            "restore that file from a copy, or ingest the documents into a new store with {}",
            Setting("kb")
        ))
    })
}

/// Removes a file, unless it is already gone.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    or_none(std::fs::remove_file(path)).map(drop).map_err(|error| Error::io("remove", path, &error))
}

/// The paths in a folder; empty if it does not exist.
pub(super) fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        or_none(std::fs::read_dir(folder))?.into_iter().flatten().map(|entry| Ok(entry?.path())).collect()
    };
    list().map_err(|error| Error::io("read", folder, &error))
}

/// A file, or a folder and everything below it, each folder after its contents. Leaves out what is removed meanwhile,
/// and what is neither a file nor a folder.
pub(super) fn walk(path: &Path) -> Result<Vec<(PathBuf, Metadata)>> {
    let mut found = Vec::new();
    collect(path, &mut found)?;
    Ok(found)
}

fn collect(path: &Path, found: &mut Vec<(PathBuf, Metadata)>) -> Result<()> {
    let facts = or_none(path.symlink_metadata()).map_err(|error| Error::io("read", path, &error))?;
    let Some(facts) = facts.filter(|facts| facts.is_dir() || facts.is_file()) else { return Ok(()) };
    if facts.is_dir() {
        paths_in(path)?.iter().try_for_each(|inner| collect(inner, found))?;
    }
    found.push((path.to_owned(), facts));
    Ok(())
}

/// Removes the files and folders in a folder that have names with this beginning and were last changed longer ago than
/// `age`. Nothing depends on them, so errors are ignored.
pub(super) fn remove_older(folder: &Path, beginning: &str, age: Duration) {
    let is_older = |path: &Path| Some(path.metadata().ok()?.modified().ok()?.elapsed().ok()? > age);
    for path in paths_in(folder).unwrap_or_default() {
        if name_of(&path).starts_with(beginning) && is_older(&path).unwrap_or(false) {
            let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            removed.unwrap_or_default();
        }
    }
}

/// The name of a file or folder.
pub(super) fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

pub(super) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).expect("plain data has a JSON form");
    text.push('\n');
    let folder = path.parent().unwrap_or(Path::new("."));
    write_whole(path, |file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    })
    .map_err(|error| Error::io("write", path, &error))?;
    record_event(Event::SyncedFile, path);
    sync_folder(folder)
}

/// Writes a file beside `path` and renames it. The file gets the usual permissions, because a store may be shared and a
/// plain temporary file is readable to its owner only.
pub(super) fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut file = begin_whole(path.parent().unwrap_or(Path::new(".")))?;
    write(file.as_file_mut())?;
    file.persist(path)?;
    Ok(())
}

/// Begins a file in `folder` that gets its name when it is complete.
pub(super) fn begin_whole(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(WRITING).make_in(folder, |path| File::create_new(path))
}

/// Makes renames in `folder` durable.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Error::io("write", folder, &error))?;
    }
    record_event(Event::SyncedFolder, folder);
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn written_files_have_the_usual_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (own, usual) = (folder.path().join("own"), folder.path().join("usual"));
        write_json(&own, &"x").unwrap();
        File::create(&usual).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&own), mode(&usual));
    }
}

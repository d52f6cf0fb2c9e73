//! Folders in which models are downloaded, assembled and removed.
//!
//! They are beside the models, under names that begin with a dot. Only the process that holds the lock of the folder of
//! models works in them.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::record::{ModelFile, RECORD, cannot};
use crate::error::{Error, Result, or_none};

/// The lock file in the folder of models.
const LOCK: &str = ".lock";
const ADDING: &str = ".adding-";
const DOWNLOADING: &str = ".downloading-";
const REMOVING: &str = ".removing-";

/// Creates the folder of models if necessary, locks it, and removes what killed processes left behind. Closing the file
/// releases the lock.
pub(super) fn lock_folder(models: &Path) -> Result<File> {
    std::fs::create_dir_all(models).map_err(cannot("make", models))?;
    let path = models.join(LOCK);
    // Read access is enough to lock a file that another user made.
    let lock = File::options().write(true).create(true).truncate(false).open(&path);
    let lock = lock.or_else(|error| File::open(&path).map_err(|_| error)).map_err(cannot("make", &path))?;
    match lock.try_lock() {
        Ok(()) => {
            for folder in [folders_named(models, ADDING)?, folders_named(models, REMOVING)?].concat() {
                remove_folder(&folder)?;
            }
        }
        // The file system has no locks, so another process may be working in these folders: they stay.
        Err(TryLockError::Error(_)) => {}
        Err(TryLockError::WouldBlock) => {
            let message = format!("another kb is adding or removing a model in {}", models.display());
            return Err(Error::failed(message).hint("wait until it is done"));
        }
    }
    Ok(lock)
}

/// Makes a folder for assembling a model. Dropping the value removes the folder.
pub(super) fn new_work_folder(models: &Path, name: &str) -> Result<TempDir> {
    let prefix = format!("{ADDING}{name}-");
    tempfile::Builder::new().prefix(&prefix).tempdir_in(models).map_err(cannot("write in", models))
}

/// Renames a folder with an assembled model to its place among the models.
pub(super) fn move_into_place(folder: TempDir, models: &Path, name: &str) -> Result<()> {
    let (from, to) = (folder.path(), models.join(name));
    for file in files_in(from)?.iter().map(|file| file.path.as_str()).chain([RECORD]) {
        let path = from.join(file);
        File::open(&path).and_then(|file| file.sync_all()).map_err(cannot("write", &path))?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary folders are private; this one gets the usual permissions.
        std::fs::set_permissions(from, std::fs::Permissions::from_mode(0o755)).map_err(cannot("change", from))?;
    }
    std::fs::rename(from, &to).map_err(cannot("make", &to))?;
    // The folder has its final name now; dropping the value must not remove it.
    let _kept = folder.keep();
    Ok(())
}

/// The folder with the downloads of a model, one subfolder per revision.
pub(super) fn downloads(models: &Path, name: &str) -> PathBuf {
    models.join(format!("{DOWNLOADING}{name}"))
}

/// Makes the folder of a download and removes downloads of other revisions.
pub(super) fn new_download(models: &Path, name: &str, revision: &str) -> Result<PathBuf> {
    let all = downloads(models, name);
    let folder = all.join(revision);
    std::fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
    for other in folders_named(&all, "")?.into_iter().filter(|other| *other != folder) {
        remove_folder(&other)?;
    }
    Ok(folder)
}

/// Removes a folder that another process may have removed already.
pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    or_none(std::fs::remove_dir_all(folder)).map(drop).map_err(cannot("remove", folder))
}

/// Removes the folder of a model. It is renamed first, so half a model is never visible.
pub(super) fn remove_model(models: &Path, folder: &Path, name: &str) -> Result<()> {
    let aside = models.join(format!("{REMOVING}{name}"));
    remove_folder(&aside)?;
    std::fs::rename(folder, &aside).map_err(cannot("remove", folder))?;
    remove_folder(&aside)
}

/// The subfolders whose names begin with a prefix.
fn folders_named(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot("read", folder))? {
        let path = entry.map_err(cannot("read", folder))?.path();
        let is_named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(prefix));
        if is_named && path.is_dir() {
            found.push(path);
        }
    }
    Ok(found)
}

/// The files of a model in a folder and its subfolders, without the record, sorted by path.
pub(super) fn files_in(folder: &Path) -> Result<Vec<ModelFile>> {
    let mut files = Vec::new();
    let mut left: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(&next).map_err(cannot("read", &next))? {
            let path = entry.map_err(cannot("read", &next))?.path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let bytes = std::fs::metadata(&path).map_err(cannot("read", &next))?.len();
            let within = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            if within != RECORD {
                files.push(ModelFile { path: within, bytes });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The size of the files in a folder; 0 if it cannot be read.
pub(super) fn size_of(folder: &Path) -> u64 {
    files_in(folder).map_or(0, |files| files.iter().map(|file| file.bytes).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(models: &Path) -> Vec<String> {
        let names = std::fs::read_dir(models).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != LOCK).collect()
    }

    #[test]
    fn folders_of_killed_processes_are_removed() {
        let models = tempfile::tempdir().unwrap();
        for left in [".adding-x-123", ".removing-y", ".downloading-z", "a-model"] {
            std::fs::create_dir(models.path().join(left)).unwrap();
        }
        let lock = lock_folder(models.path()).unwrap();
        let work = new_work_folder(models.path(), "new").unwrap();
        assert!(work.path().is_dir());
        drop((work, lock));
        let mut left = folders(models.path());
        left.sort();
        assert_eq!(left, [".downloading-z", "a-model"]);
    }
}

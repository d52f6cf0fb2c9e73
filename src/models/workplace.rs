//! Folders in which models are downloaded, assembled and removed.
//!
//! They lie beside the models under names that begin with a dot, and the process that works in one locks a file in it. They
//! are made, claimed, renamed and removed only while the whole folder of models is locked. So an unclaimed one was left by a
//! killed process, with a lock file in it or before it had one. On a file system without locks nobody knows whose it is,
//! and it stays.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cannot;
use super::record::{ModelFile, RECORD};
use crate::error::{Error, Result, or_gone};

/// The lock file in the folder of models and in every working folder.
const LOCK: &str = ".lock";
const ADDING: &str = ".adding-";
const DOWNLOADING: &str = ".downloading-";
const REMOVING: &str = ".removing-";

/// The lock of the folder of models. Other processes wait for it, so it is never held for long.
struct Hold {
    /// `None` on a file system without locks.
    lock: Option<File>,
}

/// Who works in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worker {
    Nobody,
    AnotherProcess,
    Unknown,
}

impl Hold {
    /// Waits for the folder of models, and creates it if it is missing.
    fn of(models: &Path) -> Result<Self> {
        std::fs::create_dir_all(models).map_err(cannot("make", models))?;
        let path = models.join(LOCK);
        // Reading a file that another user made is enough.
        let lock = File::options().write(true).create(true).truncate(false).open(&path);
        let lock = lock.or_else(|error| File::open(&path).map_err(|_| error)).map_err(cannot("make", &path))?;
        loop {
            match lock.lock() {
                Ok(()) => return Ok(Hold { lock: Some(lock) }),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(Hold { lock: None }),
            }
        }
    }

    /// Claims a folder until the file is closed; `None` if another process works in it.
    fn claim(&self, folder: &Path) -> Result<Option<File>> {
        let path = folder.join(LOCK);
        let lock = File::create(&path).map_err(cannot("make", &path))?;
        match lock.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
        }
    }

    fn worker(&self, folder: &Path) -> Worker {
        let lock = match File::options().write(true).open(folder.join(LOCK)) {
            Ok(lock) => lock.try_lock(),
            // Its maker was killed before it made the file, or just before it renamed the folder.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(TryLockError::Error(error)),
        };
        match lock {
            Ok(()) if self.lock.is_some() => Worker::Nobody,
            Ok(()) | Err(TryLockError::Error(_)) => Worker::Unknown,
            Err(TryLockError::WouldBlock) => Worker::AnotherProcess,
        }
    }
}

/// A folder in which a model is assembled. Dropping it removes the folder.
pub(super) struct Workplace {
    folder: tempfile::TempDir,
    /// Closing it tells other processes that nobody works here.
    lock: File,
}

impl Workplace {
    /// Makes a folder, and removes those that killed processes left.
    pub fn new(models: &Path, name: &str) -> Result<Self> {
        let hold = Hold::of(models)?;
        for folder in folders_named(models, ADDING)? {
            if hold.worker(&folder) == Worker::Nobody {
                remove_folder(&folder)?;
            }
        }
        let folder = tempfile::Builder::new()
            .prefix(&format!("{ADDING}{name}-"))
            .tempdir_in(models)
            .map_err(cannot("write in", models))?;
        let lock = hold.claim(folder.path())?;
        let lock = lock.ok_or_else(|| Error::failed(format!("{} is locked", folder.path().display())))?;
        Ok(Workplace { folder, lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Renames the folder to its place among the models.
    pub fn finish(self, models: &Path, name: &str) -> Result<()> {
        let Workplace { folder, lock } = self;
        let (from, to) = (folder.path(), models.join(name));
        // This takes long and may be interrupted, so the folder stays claimed until it is done.
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
        // Without its lock file the folder looks abandoned, and some systems rename no folder with an open file in it.
        let _hold = Hold::of(models)?;
        let path = from.join(LOCK);
        std::fs::remove_file(&path).map_err(cannot("remove", &path))?;
        drop(lock);
        std::fs::rename(from, &to).map_err(cannot("make", &to))?;
        // The folder has another name now, so nothing is left to remove.
        let _kept = folder.keep();
        Ok(())
    }
}

/// The folder of a download, named by the model and the revision. What is left of another revision is useless.
pub(super) struct Download {
    all: PathBuf,
    /// Where the files go.
    pub folder: PathBuf,
    /// Closing it tells other processes that nobody works here.
    lock: File,
}

impl Download {
    pub fn new(models: &Path, name: &str, revision: &str) -> Result<Self> {
        let all = models.join(format!("{DOWNLOADING}{name}"));
        let folder = all.join(revision);
        let hold = Hold::of(models)?;
        std::fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        let lock = hold.claim(&all)?.ok_or_else(|| is_downloading(name))?;
        for other in folders_named(&all, "")? {
            if other != folder {
                remove_folder(&other)?;
            }
        }
        Ok(Download { all, folder, lock })
    }

    /// Removes the folder of a finished download.
    pub fn clear(self, models: &Path) -> Result<()> {
        let _hold = Hold::of(models)?;
        // Some systems remove no folder that has an open file in it.
        drop(self.lock);
        remove_folder(&self.all)
    }

    /// Removes what is left of a download. Returns its size in bytes, if anything was there.
    ///
    /// # Errors
    /// Another process is downloading it, or the disk refuses.
    pub fn remove_rest(models: &Path, name: &str) -> Result<Option<u64>> {
        let folder = models.join(format!("{DOWNLOADING}{name}"));
        if !folder.is_dir() {
            return Ok(None);
        }
        let hold = Hold::of(models)?;
        if hold.worker(&folder) == Worker::AnotherProcess {
            return Err(is_downloading(name));
        }
        let bytes = size_of(&folder);
        remove_folder(&folder)?;
        Ok(Some(bytes))
    }
}

fn is_downloading(name: &str) -> Error {
    Error::failed(format!("another kb is downloading {name}")).hint("wait until it is done")
}

/// Removes the folder of a model: it is renamed first, so no moment shows half a model. Returns its size in bytes.
pub(super) fn remove_model(models: &Path, folder: &Path, name: &str) -> Result<u64> {
    let bytes = size_of(folder);
    // A killed removal left these.
    for left in folders_named(models, REMOVING)? {
        remove_folder(&left)?;
    }
    let aside = models.join(format!("{REMOVING}{name}"));
    std::fs::rename(folder, &aside).map_err(cannot("remove", folder))?;
    remove_folder(&aside)?;
    Ok(bytes)
}

/// The folders in a folder whose names begin with a prefix.
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

/// The files of a model in a folder, by path; weights may lie one folder deeper.
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
            if within != LOCK && within != RECORD {
                files.push(ModelFile { path: within, bytes });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Removes a folder that another process may have removed already.
fn remove_folder(folder: &Path) -> Result<()> {
    or_gone(std::fs::remove_dir_all(folder)).map_err(cannot("remove", folder))
}

/// The size of the files in a folder; 0 if it cannot be read.
fn size_of(folder: &Path) -> u64 {
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
    fn the_lock_shows_who_works_in_a_folder() {
        let models = tempfile::tempdir().unwrap();
        let folder = models.path().join("x");
        let hold = Hold::of(&models.path().join("made")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        assert_eq!(hold.worker(&folder), Worker::Nobody);
        let claimed = hold.claim(&folder).unwrap();
        assert_eq!((hold.worker(&folder), hold.claim(&folder).unwrap().is_none()), (Worker::AnotherProcess, true));
        drop(claimed);
        assert_eq!(hold.worker(&folder), Worker::Nobody);
        let without_locks = Hold { lock: None };
        assert_eq!(without_locks.worker(&folder), Worker::Unknown);
        // A folder that cannot be locked is not known to be free either.
        std::fs::remove_file(folder.join(LOCK)).unwrap();
        std::fs::create_dir(folder.join(LOCK)).unwrap();
        assert_eq!(hold.worker(&folder), Worker::Unknown);
    }

    #[test]
    fn folders_of_killed_processes_are_removed_and_those_in_use_stay() {
        let models = tempfile::tempdir().unwrap();
        let left = |name: &str| {
            let folder = models.path().join(format!("{ADDING}{name}"));
            std::fs::create_dir(&folder).unwrap();
            folder
        };
        // Killed before it had a lock file, and later.
        left("early");
        std::fs::write(left("late").join(LOCK), "").unwrap();
        // As on a file system without locks: it may be in use or not.
        std::fs::create_dir(left("unknown").join(LOCK)).unwrap();
        let first = Workplace::new(models.path(), "first").unwrap();
        let second = Workplace::new(models.path(), "second").unwrap();
        assert!(first.path().is_dir() && second.path().is_dir());
        assert_eq!(folders(models.path()).len(), 3, "{:?}", folders(models.path()));
        drop((first, second));
        assert_eq!(folders(models.path()), [".adding-unknown"]);
    }

    #[test]
    fn concurrent_workers_do_not_disturb_each_other() {
        let models = tempfile::tempdir().unwrap();
        let work = |thread: usize| {
            for round in 0..20 {
                let name = format!("{thread}-{round}");
                let work = Workplace::new(models.path(), &name).unwrap();
                std::fs::write(work.path().join(RECORD), b"x").unwrap();
                work.finish(models.path(), &name).unwrap();
            }
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|thread| drop(scope.spawn(move || work(thread))));
        });
        assert_eq!(folders(models.path()).len(), 160);
    }
}

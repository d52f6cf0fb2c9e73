//! Who works where in the folder of models.
//!
//! What is downloaded or put together lies in folders of their own, and in each a file is locked by the process that works
//! there. Such folders are made, claimed, named and taken away only under the lock of the whole folder of models. So one
//! that nobody has claimed was left by a process that was killed, with such a file in it or before it had one. On a file
//! system without locks nobody knows, and what is left there stays.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Result};

/// The file's name, in the folder of models and in those in it.
pub(super) const LOCK: &str = ".lock";

/// The folder of models, held by this process. Others wait for it, so it is never held for long.
pub(super) struct Hold {
    /// `None` on a file system without locks.
    lock: Option<File>,
}

/// Who works in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worker {
    /// Certainly nobody.
    Nobody,
    /// Another process.
    Another,
    /// Nobody can tell.
    Unknown,
}

impl Hold {
    /// Waits for the folder of models, which is made where it is not there.
    pub fn of(models: &Path) -> Result<Self> {
        std::fs::create_dir_all(models).map_err(|error| Error::io("make", models, &error))?;
        let path = models.join(LOCK);
        // One that another user has made may be there for reading only, which is enough.
        let lock = File::options().write(true).create(true).truncate(false).open(&path);
        let lock = lock.or_else(|error| File::open(&path).map_err(|_| error));
        let lock = lock.map_err(|error| Error::io("make", &path, &error))?;
        loop {
            match lock.lock() {
                Ok(()) => return Ok(Hold { lock: Some(lock) }),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(Hold { lock: None }),
            }
        }
    }

    /// Claims a folder until the file is closed; `None` where another process works in it.
    pub fn claim(&self, folder: &Path) -> Result<Option<File>> {
        let path = folder.join(LOCK);
        let lock = File::create(&path).map_err(|error| Error::io("make", &path, &error))?;
        match lock.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
        }
    }

    /// Who works in a folder.
    pub fn worker(&self, folder: &Path) -> Worker {
        let lock = match File::options().write(true).open(folder.join(LOCK)) {
            Ok(lock) => lock.try_lock(),
            // Its maker was killed before it had one, or the moment before it got its name.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(TryLockError::Error(error)),
        };
        match lock {
            Ok(()) if self.lock.is_some() => Worker::Nobody,
            Ok(()) | Err(TryLockError::Error(_)) => Worker::Unknown,
            Err(TryLockError::WouldBlock) => Worker::Another,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_works_in_a_folder_is_told_by_its_lock() {
        let models = tempfile::tempdir().unwrap();
        let folder = models.path().join("x");
        let hold = Hold::of(&models.path().join("made")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        assert_eq!(hold.worker(&folder), Worker::Nobody);
        let claimed = hold.claim(&folder).unwrap();
        assert_eq!((hold.worker(&folder), hold.claim(&folder).unwrap().is_none()), (Worker::Another, true));
        drop(claimed);
        assert_eq!(hold.worker(&folder), Worker::Nobody);
        let without_locks = Hold { lock: None };
        assert_eq!(without_locks.worker(&folder), Worker::Unknown);
        // What cannot be locked is not known to be free either.
        std::fs::remove_file(folder.join(LOCK)).unwrap();
        std::fs::create_dir(folder.join(LOCK)).unwrap();
        assert_eq!(hold.worker(&folder), Worker::Unknown);
    }
}

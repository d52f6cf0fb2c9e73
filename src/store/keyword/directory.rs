//! The folder of the keyword index, as tantivy sees it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::store::files::write_whole;

/// A process that this one starts inherits its locks, and holds them until it runs its own program.
const STARTING: Duration = Duration::from_secs(1);
/// Between two attempts to take a lock.
const PAUSE: Duration = Duration::from_millis(10);

/// The folder of the keyword index.
///
/// For readers it has no locks: a store on a read-only disk can be searched, and no reader waits for a writer.
/// tantivy's lock prevents a writer from deleting files while a reader opens them. Without it, opening may fail at such
/// a moment; [`Snapshot`](crate::store::Snapshot) then tries again.
#[derive(Debug, Clone)]
pub(super) struct KeywordDirectory {
    files: MmapDirectory,
    folder: PathBuf,
    is_writable: bool,
}

impl KeywordDirectory {
    /// # Errors
    /// If there is no such folder.
    pub(super) fn open(folder: &Path, is_writable: bool) -> Result<Self, OpenDirectoryError> {
        Ok(KeywordDirectory { files: MmapDirectory::open(folder)?, folder: folder.to_owned(), is_writable })
    }

    fn writable(&self) -> io::Result<()> {
        let refused = || io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "this index is open for reading only");
        self.is_writable.then_some(()).ok_or_else(refused)
    }
}

impl Directory for KeywordDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let failed = |error| DeleteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() };
        self.writable().map_err(failed)?;
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.writable().map_err(|error| OpenWriteError::wrap_io_error(error, path.to_owned()))?;
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    /// tantivy itself would write a file that only its owner can read.
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.writable()?;
        write_whole(&self.folder.join(path), |file| {
            file.write_all(data)?;
            file.sync_data()
        })
    }

    fn sync_directory(&self) -> io::Result<()> {
        if self.is_writable { self.files.sync_directory() } else { Ok(()) }
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        if !self.is_writable {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        let begun = Instant::now();
        loop {
            match self.files.acquire_lock(lock) {
                Err(LockError::LockBusy) if begun.elapsed() < STARTING => sleep(PAUSE),
                taken => return taken,
            }
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

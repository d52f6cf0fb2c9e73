//! The keyword index's folder as readers open it: without locks, so that a store on a read-only disk can be searched
//! and no writer is ever waited for.
//!
//! tantivy takes a lock to keep a writer from deleting files while a reader opens them. Without it, opening may fail
//! in that moment; [`Snapshot`](super::Snapshot) then tries again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// A folder that can only be read.
#[derive(Debug, Clone)]
pub(super) struct ReadOnlyDirectory {
    inner: MmapDirectory,
}

impl ReadOnlyDirectory {
    /// Opens a folder; `None` where there is none.
    pub(super) fn open(folder: &Path) -> Option<Self> {
        MmapDirectory::open(folder).ok().map(|inner| ReadOnlyDirectory { inner })
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "this index is open for reading only")
}

impl Directory for ReadOnlyDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(refused()), filepath: PathBuf::from(path) })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(refused(), PathBuf::from(path)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> io::Result<()> {
        Err(refused())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

//! One writer at a time. The lock is the operating system's, so a dead process leaves none behind.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};

use super::layout::Namespace;
use crate::error::{Error, Result};

/// Held as long as it lives.
#[derive(Debug)]
pub(super) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of a namespace, whose folder must exist.
    ///
    /// # Errors
    /// Where another process holds it, with its number and since when; or the file cannot be made.
    pub(super) fn take(namespace: &Namespace) -> Result<Self> {
        let path = namespace.root().join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| Error::io("open", &path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = std::fs::read_to_string(&path).unwrap_or_default();
                let holder = if holder.trim().is_empty() { "another kb" } else { holder.trim() };
                return Err(Error::failed(format!(
                    "the namespace {:?} is being written by {holder}",
                    namespace.name()
                ))
                .hint("wait until it has finished and run the command again"));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, &error)),
        }
        let holder = format!("process {} since {}\n", std::process::id(), jiff::Timestamp::now());
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(holder.as_bytes()))
            .map_err(|error| Error::io("write", &path, &error))?;
        Ok(WriterLock { _file: file })
    }
}

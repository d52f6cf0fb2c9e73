//! The socket of a store's server and its lock, in a folder that only its user can enter.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::paths::real;

/// The longest path of a socket that every system takes, in bytes.
const LONGEST: usize = 100;
/// The length of the hash in its name.
const HASH: usize = 16;

/// The paths of a store's socket and lock.
#[derive(Debug, Clone)]
pub(super) struct SocketFiles {
    folder: PathBuf,
    pub(super) socket: PathBuf,
    /// The file that a running server has locked.
    lock: PathBuf,
}

impl SocketFiles {
    /// In the user's folder for running programs, otherwise in one of the temporary folder. Nothing is created.
    pub(super) fn of(store: &Path) -> Self {
        let runtime = dirs::runtime_dir().filter(|folder| folder.is_absolute() && folder.is_dir());
        let folder = runtime.map_or_else(
            || temporary().join(format!("kb-{}", rustix::process::geteuid().as_raw())),
            |folder| folder.join("kb"),
        );
        let hash = blake3::hash(real(store).as_os_str().as_encoded_bytes()).to_hex();
        let name = &hash[..HASH];
        SocketFiles { socket: folder.join(format!("{name}.sock")), lock: folder.join(format!("{name}.lock")), folder }
    }

    /// Whether there is a socket that only this user can have put there.
    pub(super) fn has_socket(&self) -> bool {
        self.is_private() && is_own(&self.socket)
    }

    /// The device and the inode of the socket; `None` without a socket.
    pub(super) fn socket_id(&self) -> Option<(u64, u64)> {
        self.socket.symlink_metadata().ok().map(|facts| (facts.dev(), facts.ino()))
    }

    /// Removes the socket with this id. If it cannot be removed, the next server does it.
    pub(super) fn remove_socket(&self, id: (u64, u64)) {
        if self.socket_id() == Some(id) {
            drop(std::fs::remove_file(&self.socket));
        }
    }

    /// Creates the folder and takes the lock. `None` if another server has it.
    ///
    /// # Errors
    /// If the folder cannot be created, or others can enter it.
    pub(super) fn take(&self) -> Result<Option<File>> {
        if self.socket.as_os_str().len() > LONGEST {
            let message = format!("{} is too long for the path of a socket", self.socket.display());
            return Err(Error::failed(message).hint("set XDG_RUNTIME_DIR or TMPDIR to a shorter path"));
        }
        match DirBuilder::new().mode(0o700).create(&self.folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(Error::io("create", &self.folder, &error));
            }
            _ => {}
        }
        if !self.is_private() {
            let message = format!("{} is not a folder that only you can enter", self.folder.display());
            return Err(Error::failed(message).hint(format!("correct it with `chmod 700 {}`", self.folder.display())));
        }
        let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(&self.lock);
        let file = file.map_err(|error| Error::io("open", &self.lock, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::io("lock", &self.lock, &error)),
        }
    }

    fn is_private(&self) -> bool {
        let facts = self.folder.symlink_metadata();
        facts.is_ok_and(|facts| facts.is_dir() && facts.mode() & 0o077 == 0 && is_own(&self.folder))
    }
}

/// The folder for temporary files. A relative one would be another in each current folder.
fn temporary() -> PathBuf {
    Some(std::env::temp_dir()).filter(|folder| folder.is_absolute()).unwrap_or_else(|| "/tmp".into())
}

/// Whether this user owns a file. A link does not count.
fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|facts| facts.uid() == rustix::process::geteuid().as_raw() && !facts.is_symlink())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn files(folder: &Path) -> SocketFiles {
        SocketFiles { folder: folder.to_owned(), socket: folder.join("a.sock"), lock: folder.join("a.lock") }
    }

    #[test]
    fn a_folder_that_others_can_enter_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("kb");
        let taken = files(&folder).take().unwrap();
        assert!(taken.is_some() && folder.metadata().unwrap().mode() & 0o777 == 0o700);
        assert!(files(&folder).take().unwrap().is_none(), "another server has it");
        std::fs::write(folder.join("a.sock"), "").unwrap();
        assert!(files(&folder).has_socket());
        for mode in [0o701, 0o750, 0o777] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(files(&folder).take().is_err() && !files(&folder).has_socket(), "{mode:o}");
        }
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&folder, parent.path().join("link")).unwrap();
        assert!(!files(&parent.path().join("link")).has_socket());
    }

    #[test]
    fn a_store_has_one_place_by_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let of = |name: &str| SocketFiles::of(&folder.path().join(name)).socket;
        assert_eq!(of("a"), of("./a/../a"));
        assert_ne!(of("a"), of("b"));
    }
}

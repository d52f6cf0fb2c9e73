//! The stores that the user has written to or trusts. The notes on them are among the user's own data, because a store
//! cannot vouch for itself. Each store has a file, so that processes do not overwrite each other's notes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, or_none};
use crate::paths::{read_text, real, write_private};

/// The notes of a user.
#[derive(Debug, Clone)]
pub struct KnownStores {
    /// `None` if the system has no folder for the user's data.
    folder: Option<PathBuf>,
}

/// The note on a store.
#[derive(Debug, Serialize, Deserialize)]
struct KnownStore {
    /// Its folder.
    path: String,
    /// The hash of the settings that are trusted.
    trusted: Option<String>,
}

impl KnownStores {
    pub fn of_user() -> Self {
        let folder = dirs::state_dir().or_else(dirs::data_local_dir);
        KnownStores { folder: folder.map(|folder| folder.join("kb").join("stores")) }
    }

    /// The notes in a folder, which need not exist.
    pub fn at(folder: &Path) -> Self {
        KnownStores { folder: Some(folder.to_owned()) }
    }

    /// Whether this user has written to the store in a folder, or trusts it.
    pub fn has(&self, store: &Path) -> bool {
        self.note(store).is_some()
    }

    /// The hash of the settings of a store that are trusted.
    pub fn trusted(&self, store: &Path) -> Option<String> {
        self.note(store)?.trusted
    }

    /// Notes that this user has written to a store.
    ///
    /// # Errors
    /// If the note cannot be written.
    pub fn add(&self, store: &Path) -> Result<()> {
        if self.has(store) { Ok(()) } else { self.write(store, None) }
    }

    pub fn trust(&self, store: &Path, settings: String) -> Result<()> {
        self.write(store, Some(settings))
    }

    /// Removes the note on a store. Returns false if there was no note.
    pub fn forget(&self, store: &Path) -> Result<bool> {
        let Some(file) = self.file(store).filter(|file| file.exists()) else { return Ok(false) };
        or_none(std::fs::remove_file(&file)).map_err(|error| Error::io("remove", &file, &error))?;
        Ok(true)
    }

    fn note(&self, store: &Path) -> Option<KnownStore> {
        let note: KnownStore = serde_json::from_str(&read_text(&self.file(store)?).ok()?).ok()?;
        // Hashes do not collide, but a damaged note must not count for another store.
        (note.path == real(store).to_string_lossy()).then_some(note)
    }

    fn write(&self, store: &Path, trusted: Option<String>) -> Result<()> {
        let Some(file) = self.file(store) else {
            return Err(Error::failed("this system has no folder for user data, so kb cannot remember stores"));
        };
        let note = KnownStore { path: real(store).to_string_lossy().into_owned(), trusted };
        let text = serde_json::to_string_pretty(&note).expect("plain data has a JSON form");
        write_private(&file, text.as_bytes()).map_err(|error| Error::io("write", &file, &error))
    }

    fn file(&self, store: &Path) -> Option<PathBuf> {
        let hash = blake3::hash(real(store).as_os_str().as_encoded_bytes()).to_hex();
        Some(self.folder.as_ref()?.join(format!("{}.json", &hash[..32])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_known_by_its_path_and_trusted_by_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let known = KnownStores::at(&folder.path().join("notes"));
        let (one, other) = (folder.path().join("one/.kb"), folder.path().join("other/.kb"));
        assert!(!known.has(&one) && !known.forget(&one).unwrap());
        known.add(&one).unwrap();
        assert!(known.has(&one) && known.has(&folder.path().join("one/./.kb")) && !known.has(&other));
        assert_eq!(known.trusted(&one), None);
        known.trust(&one, "hash".to_owned()).unwrap();
        known.add(&one).unwrap();
        assert_eq!(known.trusted(&one).as_deref(), Some("hash"), "writing to a trusted store leaves it trusted");
        assert!(known.forget(&one).unwrap() && !known.has(&one));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_a_note() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let known = KnownStores::at(folder.path());
        known.add(&folder.path().join(".kb")).unwrap();
        let note = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
        assert_eq!(note.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

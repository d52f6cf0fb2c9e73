//! A namespace with a copy in object storage: lists the files to upload, and replaces files by newer downloaded ones.
//!
//! Files of tables and segments are never changed once they are written, so readers go on with theirs while new ones
//! arrive. Then the keyword index and the manifest change, as in a publication: a crash at any point leaves the old or
//! the new generation.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::archive::temporary_folder;
use super::file_list::{FileList, ListedFile, copy_and_hash, files_of, sync_folders};
use super::files::{remove_file, sync_folder};
use super::format::Format;
use super::layout::{Namespace, PUBLISHED};
use super::lock::{LockTimeout, WriterLock};
use super::manifest::{Manifest, PENDING};
use super::namespaces::delete;
use super::writer::Writer;
use crate::error::{Error, Result};

/// The file whose replacement commits the keyword index.
const COMMIT: &str = "keyword/meta.json";
/// Longer files of tables and segments are recognised by name and length, so that gigabytes need not be hashed again.
const FEWEST_UNHASHED_BYTES: u64 = 1 << 20;

/// A namespace that no other process writes to meanwhile.
pub struct Replica {
    namespace: Namespace,
    _lock: WriterLock,
}

impl Replica {
    /// Locks a namespace, which need not exist. `None` if another process writes to it.
    pub fn try_open(namespace: &Namespace) -> Result<Option<Self>> {
        let lock = WriterLock::try_take_or_create(namespace)?;
        Ok(lock.map(|lock| Replica { namespace: namespace.clone(), _lock: lock }))
    }

    /// The files of a newer list that must be fetched. All of them if this namespace is not what `known` says.
    pub fn missing(&self, list: &FileList, known: Option<&FileList>) -> Result<BTreeMap<String, ListedFile>> {
        list.check_names().map_err(Error::failed)?;
        list.format.must_be_readable(self.namespace.root())?;
        let mut missing = list.files.clone();
        if let Some(known) = known.filter(|known| self.is_at(known)) {
            missing.retain(|name, listed| known.files.get(name) != Some(listed) || !self.path(name).is_file());
        }
        Ok(missing)
    }

    /// Whether the published generation is that of a list, and no other is being published.
    pub fn is_at(&self, list: &FileList) -> bool {
        !self.path(PENDING).exists()
            && hash_of(&self.path(PUBLISHED)).is_ok_and(|own| list.files.get(PUBLISHED) == Some(&own))
    }

    /// A new folder for files that are fetched. It removes itself.
    pub fn folder(&self) -> Result<TempDir> {
        temporary_folder(&self.namespace)
    }

    /// Replaces this namespace by the files of a list, of which the [`missing`](Self::missing) ones lie in `fetched`.
    /// Files that neither the list nor `known` has are deleted: no reader needs them any more.
    pub fn take(self, list: &FileList, known: Option<&FileList>, fetched: TempDir) -> Result<()> {
        sync_folders(fetched.path())?;
        match known.filter(|known| self.is_at(known)) {
            Some(known) => self.replace_changed(list, known, fetched.path()),
            None => self.replace_whole(fetched),
        }
    }

    fn replace_whole(self, fetched: TempDir) -> Result<()> {
        let (root, folder) = (self.namespace.root(), self.namespace.folder());
        let aside = self.namespace.aside();
        let failed = |error: std::io::Error| Error::io("replace", root, &error);
        delete(&aside).map_err(failed)?;
        std::fs::rename(root, &aside).map_err(failed)?;
        std::fs::rename(fetched.path(), root).map_err(failed)?;
        // The folder has been moved, so there is nothing to remove.
        drop(fetched.keep());
        sync_folder(folder)?;
        delete(&aside).map_err(failed)
    }

    fn replace_changed(self, list: &FileList, known: &FileList, fetched: &Path) -> Result<()> {
        let take = |name: &str, as_name: &str| -> Result<()> {
            let (from, to) = (fetched.join(name), self.path(as_name));
            let folder = to.parent().unwrap_or(self.namespace.root());
            let moved = match from.exists() {
                true => std::fs::create_dir_all(folder).and_then(|()| std::fs::rename(&from, &to)),
                false => Ok(()),
            };
            moved.map_err(|error| Error::io("replace", &to, &error))
        };
        for name in list.files.keys().filter(|name| ![PUBLISHED, COMMIT].contains(&name.as_str())) {
            take(name, name)?;
        }
        sync_folders(self.namespace.root())?;
        take(PUBLISHED, PENDING)?;
        sync_folder(self.namespace.root())?;
        take(COMMIT, COMMIT)?;
        sync_folder(&self.namespace.keyword())?;
        if self.path(PENDING).exists() {
            Manifest::publish_pending(&self.namespace)?;
        }
        for (name, path) in files_of(self.namespace.root())? {
            if !list.files.contains_key(&name) && !known.files.contains_key(&name) {
                remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.namespace.root().join(name)
    }
}

/// The files to upload. No other process writes until this is dropped.
pub struct Upload {
    pub list: FileList,
    _writer: Writer,
}

impl Upload {
    /// The files of a namespace; `None` if they are those of `known`, the last upload, or if nothing was published.
    pub async fn of(
        namespace: &Namespace,
        known: Option<&FileList>,
        lock_timeout: &LockTimeout,
    ) -> Result<Option<Self>> {
        if !namespace.exists() {
            return Ok(None);
        }
        let none = BTreeMap::new();
        // Without the lock, another process may be changing the files. They are listed again with it.
        let files = list_files(namespace, known.map_or(&none, |known| &known.files)).unwrap_or_default();
        if known.is_some_and(|known| known.files == files) {
            return Ok(None);
        }
        // Opening also finishes an interrupted publication.
        let writer = Writer::open_existing(namespace, lock_timeout).await?;
        let files = list_files(namespace, &files)?;
        let (name, generation, format) = (namespace.name().to_owned(), writer.generation(), Format::own());
        Ok(Some(Upload { list: FileList { namespace: name, generation, format, files }, _writer: writer }))
    }
}

/// The files of a namespace. Takes hashes of long files from `known`.
fn list_files(namespace: &Namespace, known: &BTreeMap<String, ListedFile>) -> Result<BTreeMap<String, ListedFile>> {
    let mut files = BTreeMap::new();
    for (name, path) in files_of(namespace.root())? {
        let failed = |error: std::io::Error| Error::io("read", &path, &error);
        let bytes = path.metadata().map_err(failed)?.len();
        let is_same =
            |listed: &&ListedFile| listed.bytes == bytes && bytes >= FEWEST_UNHASHED_BYTES && is_never_rewritten(&name);
        let listed = known.get(&name).filter(is_same).cloned().map_or_else(|| hash_of(&path), Ok).map_err(failed)?;
        files.insert(name, listed);
    }
    Ok(files)
}

fn is_never_rewritten(name: &str) -> bool {
    let is_of_table = name.starts_with("tables/") && (name.contains("/data/") || name.contains("/_indices/"));
    is_of_table || (name.starts_with("keyword/") && !name.ends_with(".json"))
}

fn hash_of(path: &Path) -> std::io::Result<ListedFile> {
    copy_and_hash(&mut File::open(path)?, &mut std::io::sink())
}

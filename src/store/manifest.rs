//! Which generation is published, and the durable writes that publish one.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::Namespace;
use crate::error::{Error, Result, Setting};

/// The file that names the published generation.
pub(super) const PUBLISHED: &str = "MANIFEST.json";
/// The file that names the next one, from the moment its tables are written until it is published.
pub(super) const PENDING: &str = "PENDING.json";

/// What the names of files begin with that are not yet written whole.
pub(super) const WRITING: &str = ".writing-";

/// A generation: the version of each table, and what a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Counts up by one with each publication.
    pub generation: u64,
    /// Version of the table `documents`.
    pub documents: u64,
    /// Version of the table `sections`.
    pub sections: u64,
    /// Version of the table `chunks`.
    pub chunks: u64,
    /// Version of the table `entities`.
    pub entities: u64,
    /// The model of the vectors.
    pub model: ModelRecord,
    /// When it was published, RFC 3339.
    pub published_at: String,
}

/// The model that made a namespace's vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// Its name.
    pub name: String,
    /// How many numbers a vector has.
    pub dimension: usize,
    /// The hash of all that its vectors depend on.
    pub fingerprint: String,
}

impl ModelRecord {
    /// Whether the vectors of both models can be compared.
    pub fn agrees_with(&self, other: &ModelRecord) -> bool {
        self == other
    }
}

impl Manifest {
    /// The published generation; `None` where nothing was published yet.
    ///
    /// # Errors
    /// Where the file is there and cannot be read.
    pub fn read(namespace: &Namespace) -> Result<Option<Self>> {
        read_json(&namespace.root().join(PUBLISHED))
    }

    /// The generation that is being published or whose publication was interrupted.
    ///
    /// # Errors
    /// Where the file is there and cannot be read.
    pub fn read_pending(namespace: &Namespace) -> Result<Option<Self>> {
        // A pending file is written whole before it gets its name, so a damaged one is a fault of the disk.
        read_json(&namespace.root().join(PENDING))
    }

    /// Writes this as the pending generation.
    pub(super) fn write_pending(&self, namespace: &Namespace) -> Result<()> {
        write_json(&namespace.root().join(PENDING), self)
    }

    /// Makes the pending generation the published one.
    pub(super) fn publish_pending(namespace: &Namespace) -> Result<()> {
        let (pending, published) = (namespace.root().join(PENDING), namespace.root().join(PUBLISHED));
        std::fs::rename(&pending, &published).map_err(|error| Error::io("publish", &published, &error))?;
        sync_folder(namespace.root())
    }

    /// Gives the pending generation up.
    pub(super) fn drop_pending(namespace: &Namespace) -> Result<()> {
        let pending = namespace.root().join(PENDING);
        match std::fs::remove_file(&pending) {
            Ok(()) => sync_folder(namespace.root()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("remove", &pending, &error)),
        }
    }
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", path, &error)),
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        Error::failed(format!("{} is damaged: {error}", path.display())).hint(format!(
            "restore that file from a copy, or ingest the documents into a new store with {}",
            Setting("kb")
        ))
    })
}

/// Writes `value` so that after a crash there is the old file or the new one, never half of it.
pub(super) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))?;
    let write = || -> std::io::Result<()> {
        let mut file = file_to_be(folder)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| Error::io("write", path, &error))?;
    sync_folder(folder)
}

/// A file in `folder` that gets its name when it is whole, readable to whom the folder's other files are: a temporary file
/// by itself is its owner's alone, and a store may be shared.
pub(crate) fn file_to_be(folder: &Path) -> std::io::Result<tempfile::NamedTempFile<File>> {
    tempfile::Builder::new().prefix(WRITING).make_in(folder, |path| File::create_new(path))
}

/// Makes renames in `folder` durable.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Error::io("write", folder, &error))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_written_whole_may_be_read_by_whom_other_files_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let (own, usual) = (folder.path().join("own"), folder.path().join("usual"));
        write_json(&own, &"x").unwrap();
        File::create(&usual).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&own), mode(&usual));
    }
}

//! The files of the versions of the tables: their names, whether they are whole, and the removal of those on which no
//! writer may build.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::convert::{CHUNKS, DOCUMENTS, ENTITIES, SECTIONS};
use super::files::{name_of, paths_in, remove_file, sync_folder};
use super::layout::Namespace;
use super::manifest::Manifest;
use crate::error::{Error, Result};

pub(super) const TABLES: [&str; 4] = [DOCUMENTS, SECTIONS, CHUNKS, ENTITIES];

/// A version of a table whose file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DamagedVersion {
    pub table: &'static str,
    pub version: u64,
}

impl DamagedVersion {
    /// The path of the file in the namespace.
    pub(super) fn id(&self) -> String {
        format!("tables/{}.lance/_versions/{}", self.table, file_of(self.version))
    }

    pub(super) fn problem(&self) -> String {
        let DamagedVersion { table, version } = self;
        format!(
            "version {version} of the table {table} cannot be read; as long as it exists, old versions of that table \
             stay on the disk"
        )
    }

    /// Whether it is newer than the version that a generation needs.
    pub(super) fn is_newer_than(&self, manifest: &Manifest) -> bool {
        TABLES.iter().zip(manifest.versions()).any(|(table, version)| *table == self.table && self.version > version)
    }

    pub(super) fn is_needed_by(&self, manifest: &Manifest) -> bool {
        TABLES.iter().zip(manifest.versions()).any(|(table, version)| (*table, version) == (self.table, self.version))
    }
}

/// Why a generation cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) String);

fn folder_of(namespace: &Namespace, table: &str) -> PathBuf {
    namespace.tables().join(format!("{table}.lance/_versions"))
}

/// The file name of a version: Lance counts them down, so that the newest is listed first.
fn file_of(version: u64) -> String {
    format!("{:020}.manifest", u64::MAX - version)
}

fn version_of(name: &str) -> Option<u64> {
    Some(u64::MAX - name.strip_suffix(".manifest")?.parse::<u64>().ok()?)
}

/// What is wrong with the file of a version; `None` if it is whole. An error is a refusal of the system, which says
/// nothing about the version.
pub(super) fn unreadable_version(namespace: &Namespace, table: &str, version: u64) -> Result<Option<Unreadable>> {
    let path = folder_of(namespace, table).join(file_of(version));
    let how = match File::open(&path).and_then(|mut file| is_whole(&mut file)) {
        Ok(true) => return Ok(None),
        Ok(false) => "damaged",
        Err(error) if error.kind() == ErrorKind::NotFound => "missing",
        Err(error) => return Err(Error::io("read", &path, &error)),
    };
    Ok(Some(Unreadable(format!("version {version} of the table {table} is {how}"))))
}

/// Removes all versions newer than those of a manifest, or all versions without a manifest: an interrupted publication
/// wrote them. Lance would build on the newest, which a power loss may have cut off. The caller must hold the writer's
/// lock.
pub(super) fn remove_unpublished(namespace: &Namespace, published: Option<&Manifest>) -> Result<()> {
    let newest = published.map_or([0; 4], Manifest::versions);
    let mut tables = TABLES.into_iter().zip(newest);
    tables.try_for_each(|(table, newest)| remove_versions(namespace, table, |version| version > newest))
}

/// Removes those versions of a table that `is_wrong` names. The caller must hold the writer's lock.
pub(super) fn remove_versions(namespace: &Namespace, table: &str, is_wrong: impl Fn(u64) -> bool) -> Result<()> {
    let folder = folder_of(namespace, table);
    let files = paths_in(&folder)?;
    if !files.iter().any(|path| version_of(name_of(path)).is_some_and(&is_wrong)) {
        return Ok(());
    }
    for path in files {
        let name = name_of(&path);
        // Lance's hint of the newest version is then wrong, too.
        if version_of(name).map_or(name.ends_with("_hint.json"), &is_wrong) {
            remove_file(&path)?;
        }
    }
    sync_folder(&folder)
}

pub(super) fn newer_versions(namespace: &Namespace, table: &str, version: u64) -> Result<Vec<u64>> {
    let files = paths_in(&folder_of(namespace, table))?;
    Ok(files.iter().filter_map(|path| version_of(name_of(path))).filter(|newer| *newer > version).collect())
}

/// Whether the file of a version is complete: it ends with the offset of its message (8 bytes), two numbers (4) and a
/// mark, and the message begins with its length. Lance trusts the offset and crashes if it is wrong.
fn is_whole(file: &mut File) -> std::io::Result<bool> {
    const FOOTER: u64 = 16;
    const MARK: &[u8] = b"LANC";
    let Some(start) = file.metadata()?.len().checked_sub(FOOTER) else { return Ok(false) };
    let mut footer = [0; FOOTER as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut footer)?;
    let place = footer.first_chunk::<8>().map_or(start, |place| u64::from_le_bytes(*place));
    if !footer.ends_with(MARK) || start.checked_sub(place).is_none_or(|said| said < 4) {
        return Ok(false);
    }
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut length)?;
    Ok(u64::from(u32::from_le_bytes(length)) <= start - place - 4)
}

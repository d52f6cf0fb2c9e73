//! The versions of the tables on the disk: lists and checks them, removes old and unpublished ones, and measures their
//! size.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use lance::Dataset;
use lance::dataset::cleanup::CleanupPolicy;
use lance_table::format::IndexMetadata;
use lance_table::io::deletion::relative_deletion_file_path;
use lancedb::Table;

use super::convert::{CHUNKS, DOCUMENTS, ENTITIES, SECTIONS};
use super::files::{name_of, or_none, paths_in, remove_file, sync_folder};
use super::layout::Namespace;
use super::manifest::Manifest;
use super::plain::is_plain;
use super::tables::Tables;
use crate::error::{Error, Result};

/// The existing versions of each table.
pub(super) struct ExistingVersions([HashSet<u64>; 4]);

impl ExistingVersions {
    /// The versions of tables that a generation needs and that do not exist.
    pub(super) fn missing(&self, manifest: &Manifest) -> Vec<(&'static str, u64)> {
        let needed = TABLES.into_iter().zip(manifest.versions()).zip(&self.0);
        needed.filter(|((_, version), there)| !there.contains(version)).map(|(needed, _)| needed).collect()
    }

    /// Whether all versions that a generation needs exist.
    pub(super) fn hold(&self, manifest: &Manifest) -> bool {
        self.missing(manifest).is_empty()
    }
}

pub(super) const TABLES: [&str; 4] = [DOCUMENTS, SECTIONS, CHUNKS, ENTITIES];

/// A version of a table whose file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DamagedVersion {
    /// The table.
    pub table: &'static str,
    /// Its number.
    pub version: u64,
}

impl DamagedVersion {
    /// The path of the file in the namespace.
    pub(super) fn id(&self) -> String {
        format!("tables/{}.lance/_versions/{}", self.table, file_of(self.version))
    }

    pub(super) fn problem(&self) -> String {
        let DamagedVersion { table, version, .. } = self;
        format!(
            "version {version} of the table {table} cannot be read; as long as it exists, old versions of that table \
             stay on the disk"
        )
    }

    /// Whether it is newer than the version that a generation needs.
    pub(super) fn is_behind(&self, manifest: &Manifest) -> bool {
        TABLES.iter().zip(manifest.versions()).any(|(table, version)| *table == self.table && self.version > version)
    }

    /// Whether a generation needs it.
    pub(super) fn is_of(&self, manifest: &Manifest) -> bool {
        TABLES.iter().zip(manifest.versions()).any(|(table, version)| (*table, version) == (self.table, self.version))
    }
}

/// Why a generation cannot be read.
#[derive(Debug)]
pub(super) struct Lost(pub(super) String);

/// The folder of the versions of a table.
fn folder_of(namespace: &Namespace, table: &str) -> PathBuf {
    namespace.tables().join(format!("{table}.lance/_versions"))
}

/// The file name of a version: Lance counts them down, so that the newest is listed first.
fn file_of(version: u64) -> String {
    format!("{:020}.manifest", u64::MAX - version)
}

/// The version in the name of a file.
fn version_of(name: &str) -> Option<u64> {
    Some(u64::MAX - name.strip_suffix(".manifest")?.parse::<u64>().ok()?)
}

/// What is wrong with the file of a version; `None` if it is whole.
///
/// # Errors
/// If the system refuses to read it. That says nothing about the version.
pub(super) fn lost_version(namespace: &Namespace, table: &str, version: u64) -> Result<Option<Lost>> {
    let path = folder_of(namespace, table).join(file_of(version));
    let how = match File::open(&path).and_then(|mut file| is_whole(&mut file)) {
        Ok(true) => return Ok(None),
        Ok(false) => "damaged",
        Err(error) if error.kind() == ErrorKind::NotFound => "missing",
        Err(error) => return Err(Error::io("read", &path, &error)),
    };
    Ok(Some(Lost(format!("version {version} of the table {table} is {how}"))))
}

/// Removes all versions newer than those of a manifest, or all versions without a manifest: an interrupted publication
/// wrote them. Lance would build on the newest, which a power loss may have cut off. The caller must hold the writer's
/// lock.
pub(super) fn remove_unpublished(namespace: &Namespace, published: Option<&Manifest>) -> Result<()> {
    let newest = published.map_or([0; 4], Manifest::versions);
    for (table, newest) in TABLES.into_iter().zip(newest) {
        let folder = folder_of(namespace, table);
        let files = paths_in(&folder)?;
        if !files.iter().any(|path| version_of(name_of(path)).is_some_and(|version| version > newest)) {
            continue;
        }
        for path in files {
            let name = name_of(&path);
            // Lance's hint of the newest version is then wrong, too.
            if version_of(name).map_or(name.ends_with("_hint.json"), |version| version > newest) {
                remove_file(&path)?;
            }
        }
        sync_folder(&folder)?;
    }
    Ok(())
}

/// Removes the damaged versions newer than those of a manifest, which Lance would build on. The others stay as long as
/// a record names them.
pub(super) fn remove_damaged(namespace: &Namespace, readable: &Manifest) -> Result<()> {
    for (table, newest) in TABLES.into_iter().zip(readable.versions()) {
        for path in paths_in(&folder_of(namespace, table))? {
            let Some(version) = version_of(name_of(&path)).filter(|version| *version > newest) else { continue };
            if lost_version(namespace, table, version)?.is_some() {
                remove_file(&path)?;
            }
        }
    }
    Ok(())
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

/// Whether Lance can read a version. Runs in a separate task, so that a panic counts as unreadable.
async fn is_readable(dataset: &Dataset, version: u64) -> bool {
    let dataset = dataset.clone();
    tokio::spawn(async move {
        dataset.checkout_version(version).await.is_ok_and(|there| there.version().version == version)
    })
    .await
    .unwrap_or(false)
}

impl Tables {
    /// The existing versions.
    pub(super) async fn existing(&self) -> Result<ExistingVersions> {
        let mut existing = ExistingVersions(Default::default());
        for (table, there) in self.all().zip(&mut existing.0) {
            *there = self.versions_there(&*self.dataset(table).await?).await?;
        }
        Ok(existing)
    }

    async fn versions_there(&self, dataset: &Dataset) -> Result<HashSet<u64>> {
        let versions = dataset.version_refs().await;
        let versions = versions.map_err(|error| self.failed("read", &error))?;
        Ok(versions.into_iter().map(|version| version.version).collect())
    }

    /// Removes all versions except those of the given generations, with the files that only they need, and leftovers of
    /// crashed writes. The caller must hold the writer's lock, and the tables must be open at their newest versions.
    ///
    /// Lance removes nothing from a table with an unreadable version, because it cannot tell which files that version
    /// needs. The other tables are still tidied. Returns the unreadable versions.
    pub(super) async fn keep_only(&self, generations: &[&Manifest]) -> Result<Vec<DamagedVersion>> {
        let mut damaged = Vec::new();
        for (i, table) in self.all().enumerate() {
            let dataset = self.dataset(table).await?;
            let mut doomed = self.versions_there(&dataset).await?;
            for manifest in generations {
                doomed.remove(&manifest.versions()[i]);
            }
            if doomed.is_empty() {
                continue;
            }
            let policy = CleanupPolicy {
                // By number, not by age: a table that was not written for months needs its old version.
                versions: Some(doomed),
                // No other process writes, so files that no version names are rubbish, however new they are.
                delete_unverified: true,
                error_if_tagged_old_versions: false,
                ..CleanupPolicy::default()
            };
            if let Err(error) = dataset.cleanup_with_policy(policy).await {
                let unreadable = self.damaged_of(i, &dataset).await?;
                if unreadable.is_empty() {
                    return Err(self.failed("remove old versions from", &error));
                }
                damaged.extend(unreadable);
            }
        }
        Ok(damaged)
    }

    /// The unreadable versions.
    pub(super) async fn damaged(&self) -> Result<Vec<DamagedVersion>> {
        let mut damaged = Vec::new();
        for (i, table) in self.all().enumerate() {
            damaged.extend(self.damaged_of(i, &*self.dataset(table).await?).await?);
        }
        Ok(damaged)
    }

    async fn damaged_of(&self, place: usize, dataset: &Dataset) -> Result<Vec<DamagedVersion>> {
        let table = TABLES[place];
        let folder = folder_of(self.namespace(), table);
        let mut versions: Vec<u64> = self.versions_there(dataset).await?.into_iter().collect();
        versions.sort_unstable();
        let mut damaged = Vec::new();
        for version in versions {
            // A version that has been removed meanwhile is not damaged.
            if folder.join(file_of(version)).exists()
                && (lost_version(self.namespace(), table, version)?.is_some() || !is_readable(dataset, version).await)
            {
                damaged.push(DamagedVersion { table, version });
            }
        }
        Ok(damaged)
    }

    /// The first data or deletion file of the opened versions that is missing or cut off. Damage inside a file shows
    /// when it is read.
    pub(super) async fn lost_file(&self) -> Result<Option<Lost>> {
        for table in self.all() {
            let dataset = self.dataset(table).await?;
            let folder = self.namespace().tables().join(format!("{}.lance", table.name()));
            for fragment in dataset.get_fragments() {
                let fragment = fragment.metadata();
                let data = fragment.files.iter();
                let mut named: Vec<(String, Option<u64>)> = data
                    .map(|file| (format!("data/{}", file.path), file.file_size_bytes.get().map(NonZero::get)))
                    .collect();
                named.extend(
                    fragment.deletion_file.iter().map(|file| (relative_deletion_file_path(fragment.id, file), None)),
                );
                for (name, length) in named {
                    let path = folder.join(&name);
                    let facts = or_none(std::fs::metadata(&path)).map_err(|error| Error::io("read", &path, &error))?;
                    let how = match facts.map(|facts| facts.len()) {
                        None => "is missing",
                        Some(there) if there == 0 || length.is_some_and(|length| length != there) => "is cut off",
                        Some(_) => continue,
                    };
                    return Ok(Some(Lost(format!("tables/{}.lance/{name} {how}", table.name()))));
                }
            }
        }
        Ok(None)
    }

    /// The bytes of the data and indexes of the opened versions.
    pub(super) async fn data_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for table in self.all() {
            let dataset = self.dataset(table).await?;
            let folder = self.namespace().tables().join(format!("{}.lance", table.name())).join("data");
            for fragment in dataset.get_fragments() {
                for file in &fragment.metadata().files {
                    let facts = std::fs::metadata(folder.join(&file.path));
                    bytes += facts.map_or(0, |facts| facts.len());
                }
            }
            bytes += self.indexes_of(table).await?.iter().filter_map(IndexMetadata::total_size_bytes).sum::<u64>();
        }
        Ok(bytes)
    }

    /// Refuses tables that name files elsewhere: Lance follows such names to other folders and machines, to read and to
    /// write. kb creates no such table.
    pub(super) async fn refuse_foreign_files(&self) -> Result<()> {
        for table in self.all() {
            let dataset = self.dataset(table).await?;
            let manifest = dataset.manifest();
            let mut files = manifest.fragments.iter().flat_map(|fragment| &fragment.files);
            let indexes = self.indexes_of(table).await?;
            let mut of_indexes = indexes.iter().flat_map(|index| index.files.iter().flatten());
            if !manifest.base_paths.is_empty()
                || files.any(|file| file.base_id.is_some() || !is_plain(&file.path))
                || of_indexes.any(|file| !is_plain(&file.path))
            {
                let folder = self.namespace().tables().join(format!("{}.lance", table.name()));
                return Err(Error::failed(format!("{} names files outside of it", folder.display()))
                    .hint("kb did not make this store: do not trust it, and ingest the documents into a new one"));
            }
        }
        Ok(())
    }

    pub(super) async fn dataset(&self, table: &Table) -> Result<Arc<Dataset>> {
        let dataset = table.dataset().ok_or_else(|| Error::failed("the tables of this store are no files"))?;
        dataset.get().await.map_err(|error| self.failed("read", &error))
    }
}

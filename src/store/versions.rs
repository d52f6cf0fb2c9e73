//! The versions of the tables: lists and checks them, removes old ones, and measures their size.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use lance::Dataset;
use lance::dataset::cleanup::CleanupPolicy;
use lance_table::format::{DataFile, Fragment, IndexMetadata};
use lance_table::io::deletion::relative_deletion_file_path;
use lancedb::{Connection, Table};

use super::layout::Namespace;
use super::manifest::Manifest;
use super::tables::{Tables, connect, is_damage, open_table};
use super::untrusted::is_plain;
use super::version_files::{DamagedVersion, TABLES, Unreadable, unreadable_version};
use crate::error::{Error, Result, or_none};

/// The last bytes of an Arrow file.
const ARROW_END: &[u8] = b"ARROW1";

pub(super) struct ExistingVersions(pub(super) [HashSet<u64>; 4]);

impl ExistingVersions {
    /// The versions of tables that a generation needs and that do not exist.
    pub(super) fn missing(&self, manifest: &Manifest) -> Vec<(&'static str, u64)> {
        let needed = TABLES.into_iter().zip(manifest.versions()).zip(&self.0);
        needed.filter(|((_, version), there)| !there.contains(version)).map(|(needed, _)| needed).collect()
    }

    /// Whether all versions that a generation needs exist.
    pub(super) fn contain(&self, manifest: &Manifest) -> bool {
        self.missing(manifest).is_empty()
    }
}

/// Whether a version of a table can be opened; files of rows that it names may be lost all the same. An error is a
/// refusal of the system, which says nothing about the version.
pub(super) async fn can_be_opened(
    namespace: &Namespace,
    connection: &Connection,
    table: &str,
    version: u64,
) -> Result<bool> {
    if unreadable_version(namespace, table, version)?.is_some() {
        return Ok(false);
    }
    match open_table(namespace, connection, table, Some(version)).await {
        Ok(opened) => Ok(opened.version().await.is_ok_and(|own| own == version)),
        Err(error) if is_damage(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

impl Tables {
    pub(super) async fn existing(&self) -> Result<ExistingVersions> {
        let mut existing = ExistingVersions(Default::default());
        for (table, there) in self.all().zip(&mut existing.0) {
            *there = self.version_numbers(&*self.dataset(table).await?).await?;
        }
        Ok(existing)
    }

    async fn version_numbers(&self, dataset: &Dataset) -> Result<HashSet<u64>> {
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
            let mut doomed = self.version_numbers(&dataset).await?;
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

    pub(super) async fn damaged(&self) -> Result<Vec<DamagedVersion>> {
        let mut damaged = Vec::new();
        for (i, table) in self.all().enumerate() {
            damaged.extend(self.damaged_of(i, &*self.dataset(table).await?).await?);
        }
        Ok(damaged)
    }

    async fn damaged_of(&self, place: usize, dataset: &Dataset) -> Result<Vec<DamagedVersion>> {
        let (table, namespace) = (TABLES[place], self.namespace());
        let connection = connect(namespace).await?;
        let mut versions: Vec<u64> = self.version_numbers(dataset).await?.into_iter().collect();
        versions.sort_unstable();
        let mut damaged = Vec::new();
        for version in versions {
            let one = DamagedVersion { table, version };
            // A version that has been removed meanwhile is not damaged.
            if namespace.root().join(one.id()).exists()
                && !can_be_opened(namespace, &connection, table, version).await?
            {
                damaged.push(one);
            }
        }
        Ok(damaged)
    }

    /// The first data or deletion file of the opened versions that is missing or cut off. Damage inside a file shows
    /// when it is read.
    pub(super) async fn unreadable_file(&self) -> Result<Option<Unreadable>> {
        for table in self.all() {
            let folder = self.folder_of(table);
            for fragment in self.fragments(table).await? {
                for (name, length) in files_of(fragment.metadata()) {
                    let path = folder.join(&name);
                    let facts = or_none(std::fs::metadata(&path)).map_err(|error| Error::io("read", &path, &error))?;
                    let how = match facts.map(|facts| facts.len()) {
                        None => "is missing",
                        Some(there) if there == 0 || length.is_some_and(|length| length != there) => "is cut off",
                        Some(_) if length.is_none() && is_cut_off(&path)? => "is cut off",
                        Some(_) => continue,
                    };
                    return Ok(Some(Unreadable(format!("tables/{}.lance/{name} {how}", table.name()))));
                }
            }
        }
        Ok(None)
    }

    /// The bytes of the data and indexes of the opened versions.
    pub(super) async fn data_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for table in self.all() {
            let folder = self.folder_of(table).join("data");
            for fragment in self.fragments(table).await? {
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
                let folder = self.folder_of(table);
                return Err(Error::failed(format!("{} names files outside of it", folder.display()))
                    .hint("kb did not make this store: do not trust it, and ingest the documents into a new one"));
            }
        }
        Ok(())
    }

    pub(super) async fn dataset(&self, table: &Table) -> Result<Arc<Dataset>> {
        let dataset = table.dataset().ok_or_else(|| Error::failed("the tables of this store are not files"))?;
        dataset.get().await.map_err(|error| self.failed("read", &error))
    }
}

/// Whether an Arrow file lacks its end. The other kind of deletion file has none that tells.
fn is_cut_off(path: &Path) -> Result<bool> {
    if path.extension().is_none_or(|ending| ending != "arrow") {
        return Ok(false);
    }
    let failed = |error| Error::io("read", path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut end = Vec::new();
    match file.seek(SeekFrom::End(-(ARROW_END.len() as i64))) {
        // It is shorter than that.
        Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(true),
        sought => sought.and_then(|_| file.read_to_end(&mut end)).map_err(failed)?,
    };
    Ok(end != ARROW_END)
}

/// The files of a fragment in the folder of its table, with their lengths where the version has them.
fn files_of(fragment: &Fragment) -> impl Iterator<Item = (String, Option<u64>)> {
    let length = |file: &DataFile| file.file_size_bytes.get().map(NonZero::get);
    let data = fragment.files.iter().map(move |file| (format!("data/{}", file.path), length(file)));
    let deletions = fragment.deletion_file.iter();
    data.chain(deletions.map(move |file| (relative_deletion_file_path(fragment.id, file), None)))
}

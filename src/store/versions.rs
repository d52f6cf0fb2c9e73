//! The versions of the tables on the disk: their list, the removal of old ones, and their size.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use lance::Dataset;
use lance::dataset::cleanup::CleanupPolicy;
use lancedb::Table;

use super::convert::{CHUNKS, DOCUMENTS, ENTITIES, SECTIONS};
use super::manifest::Manifest;
use super::plain::is_plain;
use super::store_error;
use super::tables::Tables;
use crate::error::{Error, Result};

/// The versions of each table that are there.
pub(super) struct ExistingVersions([HashSet<u64>; 4]);

impl ExistingVersions {
    /// The tables and their versions that a generation needs and that are not there.
    pub(super) fn missing(&self, manifest: &Manifest) -> Vec<(&'static str, u64)> {
        let needed = TABLES.into_iter().zip(manifest.versions()).zip(&self.0);
        needed.filter(|((_, version), there)| !there.contains(version)).map(|(needed, _)| needed).collect()
    }

    /// Whether all that a generation needs is there.
    pub(super) fn hold(&self, manifest: &Manifest) -> bool {
        self.missing(manifest).is_empty()
    }
}

const TABLES: [&str; 4] = [DOCUMENTS, SECTIONS, CHUNKS, ENTITIES];

/// A version of a table whose file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DamagedVersion {
    /// The table.
    pub table: &'static str,
    /// Its number.
    pub version: u64,
    /// The name of its file.
    pub file: String,
}

impl DamagedVersion {
    /// The file, as it is called in the namespace.
    pub(super) fn id(&self) -> String {
        format!("tables/{}.lance/_versions/{}", self.table, self.file)
    }

    pub(super) fn problem(&self) -> String {
        let DamagedVersion { table, version, .. } = self;
        format!(
            "version {version} of the table {table} cannot be read; as long as it is there, old versions of that table stay on the disk"
        )
    }

    /// Whether a generation needs it.
    pub(super) fn is_of(&self, manifest: &Manifest) -> bool {
        TABLES.iter().zip(manifest.versions()).any(|(table, version)| (*table, version) == (self.table, self.version))
    }
}

/// Whether the file of a version is one, and all of it is there: it ends with the place of what it says (8 bytes), two
/// numbers (4) and a mark, and what it says begins with its length. Lance trusts the place, and crashes where it is wrong.
fn is_whole(path: &Path) -> bool {
    const FOOTER: usize = 16;
    const MARK: &[u8] = b"LANC";
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Some(start) = bytes.len().checked_sub(FOOTER) else { return false };
    let place = bytes[start..].first_chunk::<8>().map(|place| u64::from_le_bytes(*place));
    let place = place.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < start);
    let said = place.and_then(|place| bytes[place..start].split_first_chunk::<4>());
    bytes.ends_with(MARK) && said.is_some_and(|(length, said)| u32::from_le_bytes(*length) as usize <= said.len())
}

/// Whether Lance makes sense of a version. It does so on a task of its own, so that a crash over nonsense is an answer.
async fn is_readable(dataset: &Dataset, version: u64) -> bool {
    let dataset = dataset.clone();
    tokio::spawn(async move {
        dataset.checkout_version(version).await.is_ok_and(|there| there.version().version == version)
    })
    .await
    .unwrap_or(false)
}

impl Tables {
    /// Which versions there are.
    pub(super) async fn existing(&self) -> Result<ExistingVersions> {
        let mut existing = ExistingVersions(Default::default());
        for (table, there) in self.all().zip(&mut existing.0) {
            *there = self.versions_there(&*self.dataset(table).await?).await?;
        }
        Ok(existing)
    }

    async fn versions_there(&self, dataset: &Dataset) -> Result<HashSet<u64>> {
        let versions = dataset.version_refs().await;
        let versions = versions.map_err(|error| store_error("read", &self.namespace().tables(), &error))?;
        Ok(versions.into_iter().map(|version| version.version).collect())
    }

    /// Removes all versions but those of the given generations, with the files that only they need, and what crashed
    /// writes have left. The writer's lock must be held, and the tables be as they were last written.
    ///
    /// Lance removes nothing from a table that has a version which cannot be read, because it cannot tell what that
    /// needs. The other tables are tidied all the same, and such versions are given.
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
                // By number and not by age: a table that was not written for months has an old version that is needed.
                versions: Some(doomed),
                // Nobody else writes, so that what no version names is rubbish, however new it is.
                delete_unverified: true,
                error_if_tagged_old_versions: false,
                ..CleanupPolicy::default()
            };
            if let Err(error) = dataset.cleanup_with_policy(policy).await {
                let unreadable = self.damaged_of(i, &dataset).await?;
                if unreadable.is_empty() {
                    return Err(store_error("remove old versions from", &self.namespace().tables(), &error));
                }
                damaged.extend(unreadable);
            }
        }
        Ok(damaged)
    }

    /// The versions that cannot be read.
    pub(super) async fn damaged(&self) -> Result<Vec<DamagedVersion>> {
        let mut damaged = Vec::new();
        for (i, table) in self.all().enumerate() {
            damaged.extend(self.damaged_of(i, &*self.dataset(table).await?).await?);
        }
        Ok(damaged)
    }

    async fn damaged_of(&self, place: usize, dataset: &Dataset) -> Result<Vec<DamagedVersion>> {
        let table = TABLES[place];
        let folder = self.namespace().tables().join(format!("{table}.lance/_versions"));
        let mut versions: Vec<u64> = self.versions_there(dataset).await?.into_iter().collect();
        versions.sort_unstable();
        let mut damaged = Vec::new();
        for version in versions {
            // Lance counts the names down, so that the newest is listed first; of old tables they count up.
            let names = [format!("{:020}.manifest", u64::MAX - version), format!("{version}.manifest")];
            // A version that was removed meanwhile is not damaged.
            let Some(file) = names.into_iter().find(|name| folder.join(name).exists()) else { continue };
            if !is_whole(&folder.join(&file)) || !is_readable(dataset, version).await {
                damaged.push(DamagedVersion { table, version, file });
            }
        }
        Ok(damaged)
    }

    /// The bytes of the data that the opened versions consist of.
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
        }
        Ok(bytes)
    }

    /// Refuses tables that name files elsewhere: Lance reads and writes in folders outside of a table that names them,
    /// also on other machines. kb makes no such table.
    pub(super) async fn refuse_foreign_files(&self) -> Result<()> {
        for table in self.all() {
            let dataset = self.dataset(table).await?;
            let manifest = dataset.manifest();
            let mut files = manifest.fragments.iter().flat_map(|fragment| &fragment.files);
            if !manifest.base_paths.is_empty() || files.any(|file| file.base_id.is_some() || !is_plain(&file.path)) {
                let folder = self.namespace().tables().join(format!("{}.lance", table.name()));
                return Err(Error::failed(format!("{} names files outside of it", folder.display()))
                    .hint("kb has not made this store: do not trust it, and ingest the documents into a new one"));
            }
        }
        Ok(())
    }

    async fn dataset(&self, table: &Table) -> Result<Arc<Dataset>> {
        let dataset = table.dataset().ok_or_else(|| Error::failed("the tables of this store are no files"))?;
        dataset.get().await.map_err(|error| store_error("read", &self.namespace().tables(), &error))
    }
}

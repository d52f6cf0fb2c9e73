//! The versions of the tables that lie on the disk: which there are, which stay, and what they take.

use std::collections::HashSet;
use std::sync::Arc;

use lance::Dataset;
use lance::dataset::cleanup::CleanupPolicy;
use lancedb::Table;

use super::manifest::Manifest;
use super::store_error;
use super::tables::Tables;
use crate::error::{Error, Result};

/// The versions of each table that are there.
pub(super) struct ExistingVersions([HashSet<u64>; 3]);

impl ExistingVersions {
    /// Whether all that a generation needs is there.
    pub(super) fn hold(&self, manifest: &Manifest) -> bool {
        versions_of(manifest).iter().zip(&self.0).all(|(version, there)| there.contains(version))
    }
}

/// In the order documents, sections, chunks.
fn versions_of(manifest: &Manifest) -> [u64; 3] {
    [manifest.documents, manifest.sections, manifest.chunks]
}

impl Tables {
    fn all(&self) -> [&Table; 3] {
        [&self.documents, &self.sections, &self.chunks]
    }

    /// Which versions there are.
    pub(super) async fn existing(&self) -> Result<ExistingVersions> {
        let mut existing = ExistingVersions(Default::default());
        for (table, there) in self.all().into_iter().zip(&mut existing.0) {
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
    pub(super) async fn keep_only(&self, generations: &[&Manifest]) -> Result<()> {
        for (i, table) in self.all().into_iter().enumerate() {
            let dataset = self.dataset(table).await?;
            let mut doomed = self.versions_there(&dataset).await?;
            for manifest in generations {
                doomed.remove(&versions_of(manifest)[i]);
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
            dataset
                .cleanup_with_policy(policy)
                .await
                .map_err(|error| store_error("remove old versions from", &self.namespace().tables(), &error))?;
        }
        Ok(())
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

    async fn dataset(&self, table: &Table) -> Result<Arc<Dataset>> {
        let dataset = table.dataset().ok_or_else(|| Error::failed("the tables of this store are no files"))?;
        dataset.get().await.map_err(|error| store_error("read", &self.namespace().tables(), &error))
    }
}

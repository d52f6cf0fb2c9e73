//! Opens a table at one version without reading its newest one, which a power loss may have cut off or a writer may be
//! removing.

use async_trait::async_trait;
use lance::io::ObjectStore;
use lance_table::format::{IndexMetadata, Manifest, Transaction};
use lance_table::io::commit::{CommitError, CommitHandler, ManifestLocation, ManifestNamingScheme, ManifestWriter};
use object_store::path::Path;

/// Presents one version to Lance as the newest. Read-only.
#[derive(Debug)]
pub(super) struct Pinned(pub(super) u64);

#[async_trait]
impl CommitHandler for Pinned {
    async fn resolve_latest_location(&self, base: &Path, store: &ObjectStore) -> lance::Result<ManifestLocation> {
        self.resolve_version_location(base, self.0, &store.inner).await
    }

    async fn commit(
        &self,
        _manifest: &mut Manifest,
        _indices: Option<Vec<IndexMetadata>>,
        _base: &Path,
        _store: &ObjectStore,
        _writer: ManifestWriter,
        _naming: ManifestNamingScheme,
        _transaction: Option<Transaction>,
    ) -> Result<ManifestLocation, CommitError> {
        Err(CommitError::OtherError(lance::Error::not_supported("this table is open for reading only")))
    }
}

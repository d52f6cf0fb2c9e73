//! A reader's view of one generation, which no writer changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::try_join_all;
use tokio::sync::{Mutex as AsyncMutex, OnceCell};

use super::history::Lease;
use super::keyword::{KeywordReader, KeywordWriter};
use super::layout::Namespace;
use super::lock::Holder;
use super::manifest::{Manifest, ModelRecord};
use super::read_cache::{ChunkRows, DocumentNames, ReadCache, SectionsWithMetadata};
use super::recovery::OlderGeneration;
use super::tables::Tables;
use super::version_files::Unreadable;
use super::writer::Writer;
use crate::error::{Error, NextStep, Result};
use crate::notice;

/// The number of attempts to open a generation while publications interfere.
const ATTEMPTS: u32 = 30;
/// After this many attempts with short pauses, the reader repairs the store or waits for the running writer to do it.
const QUICK_ATTEMPTS: u32 = 10;
const SHORT_PAUSE: Duration = Duration::from_millis(5);
const LONG_PAUSE: Duration = Duration::from_millis(100);

/// One generation of a namespace, open for reading.
pub struct Snapshot {
    manifest: Manifest,
    pub(super) tables: Tables,
    keyword: KeywordReader,
    lease: Mutex<Option<Lease>>,
    pub(super) names: AsyncMutex<Option<Arc<[DocumentNames]>>>,
    pub(super) sections_with_metadata: OnceCell<Vec<SectionsWithMetadata>>,
    /// For search by vectors.
    pub(super) chunk_rows: AsyncMutex<Option<Arc<ChunkRows>>>,
    pub(super) cache: ReadCache,
}

impl Snapshot {
    /// Opens the published generation, or the newest readable one. In the user's own stores, first repairs what an
    /// interrupted publication left and rebuilds a keyword index that is missing, damaged or behind.
    ///
    /// # Errors
    /// If the namespace does not exist, or cannot be repaired.
    pub async fn open(namespace: &Namespace) -> Result<Self> {
        let mut is_last = false;
        for attempt in 0..ATTEMPTS {
            if let Some(snapshot) = Snapshot::try_open(namespace).await? {
                return Ok(snapshot);
            }
            if is_last {
                break;
            }
            if attempt == QUICK_ATTEMPTS {
                if !namespace.is_own() {
                    // Without a writer nobody repairs it. One more attempt: a writer may have ended just now.
                    is_last = Holder::of(namespace).is_none();
                } else if let Err(error) = Writer::recover(namespace).await {
                    return Snapshot::open_without_index(namespace, Some(&error)).await;
                }
            }
            tokio::time::sleep(if attempt < QUICK_ATTEMPTS || is_last { SHORT_PAUSE } else { LONG_PAUSE }).await;
        }
        Snapshot::open_without_index(namespace, None).await
    }

    /// `None` if the tables and the keyword index belong to different generations at this moment.
    async fn try_open(namespace: &Namespace) -> Result<Option<Self>> {
        let manifest = Manifest::read(namespace)?;
        let pending = Manifest::read_pending(namespace)?;
        let Some((keyword, generation)) = KeywordReader::open(namespace)? else {
            return if manifest.is_some() { Ok(None) } else { Err(namespace.nothing_ingested()) };
        };
        // Between tantivy's commit and the renaming, the keyword index carries the pending generation.
        let Some(manifest) = [manifest, pending].into_iter().flatten().find(|m| m.generation == generation) else {
            return if namespace.exists() { Ok(None) } else { Err(namespace.nothing_ingested()) };
        };
        let lease = Lease::take(namespace, manifest.generation);
        // Without a lease, the generation has no record, or was replaced and removed before the lease.
        if lease.is_none() && Manifest::read(namespace)?.is_some_and(|now| now.generation > manifest.generation) {
            return Ok(None);
        }
        match Tables::try_open_at(namespace, &manifest).await? {
            Ok(tables) => Ok(Some(Snapshot::of(namespace, manifest, tables, keyword, lease))),
            Err(_) if Manifest::read(namespace)?.is_some_and(|now| now.generation > manifest.generation) => Ok(None),
            Err(lost) => Snapshot::open_older(namespace, &manifest, lost).await.map(Some),
        }
    }

    fn of(
        namespace: &Namespace,
        manifest: Manifest,
        tables: Tables,
        keyword: KeywordReader,
        lease: Option<Lease>,
    ) -> Self {
        Snapshot {
            manifest,
            tables,
            keyword,
            lease: Mutex::new(lease),
            names: AsyncMutex::new(None),
            sections_with_metadata: OnceCell::new(),
            chunk_rows: AsyncMutex::new(None),
            cache: ReadCache::of(namespace),
        }
    }

    /// Opens the newest readable generation in place of the unreadable published one.
    async fn open_older(namespace: &Namespace, published: &Manifest, lost: Unreadable) -> Result<Self> {
        let older = OlderGeneration::find(namespace, published, lost).await?;
        // The index on the disk belongs to the unreadable generation.
        let keyword = KeywordWriter::in_memory(&older.tables).await?;
        notice::give(&format!(
            "{}; showing {}; `{}` publishes that again",
            older.what,
            older.in_words(),
            NextStep::Repair
        ));
        let OlderGeneration { manifest, tables, lease, .. } = older;
        Ok(Snapshot::of(namespace, manifest, tables, keyword, lease))
    }

    /// Opens the published generation with a keyword index in memory, because the one on the disk cannot be repaired.
    async fn open_without_index(namespace: &Namespace, why: Option<&Error>) -> Result<Self> {
        let Some(manifest) = Manifest::read(namespace)? else { return Err(namespace.nothing_ingested()) };
        let lease = Lease::take(namespace, manifest.generation);
        let tables = match Tables::try_open_at(namespace, &manifest).await? {
            Ok(tables) => tables,
            Err(lost) => return Snapshot::open_older(namespace, &manifest, lost).await,
        };
        let keyword = KeywordWriter::in_memory(&tables).await?;
        let why = why.map_or(String::new(), |error| format!(" ({})", error.message()));
        notice::give(&format!(
            "the keyword index of {} does not match its tables and was not repaired{why}; this command builds one in \
             memory; repair it with `{}`",
            namespace.root().display(),
            NextStep::Repair
        ));
        Ok(Snapshot::of(namespace, manifest, tables, keyword, lease))
    }

    /// The model of the published vectors; `None` if nothing is published.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn model_of(namespace: &Namespace) -> Result<Option<ModelRecord>> {
        match (Manifest::read(namespace)?, Manifest::read_pending(namespace)?) {
            (Some(published), Some(pending)) if published.model != pending.model => {
                // The keyword index decides which of them is published.
                Ok(Some(Snapshot::open(namespace).await?.manifest.model))
            }
            (published, pending) => Ok(published.or(pending).map(|manifest| manifest.model)),
        }
    }

    /// Gives up the lease between two commands. Writers may then remove the generation; [`resume`](Self::resume)
    /// checks.
    pub fn release(&self) {
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    #[cfg(test)]
    pub fn is_leased(&self) -> bool {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes a lease again. False if the generation or its keyword index is no longer the one that a reader would open.
    pub fn resume(&self, namespace: &Namespace) -> bool {
        let lease = Lease::take(namespace, self.manifest.generation);
        // Taken before the manifest is read, so that nothing is removed in between.
        let published = (Manifest::read(namespace), Manifest::read_pending(namespace));
        let is_published = matches!(published, (Ok(Some(now)), Ok(None)) if now == self.manifest);
        let is_current = is_published && lease.is_some() && self.keyword.is_current();
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = lease;
        is_current
    }

    /// Drops the keyword index.
    pub(super) fn into_parts(self) -> (Manifest, Tables, Option<Lease>) {
        (self.manifest, self.tables, self.lease.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn keyword(&self) -> &KeywordReader {
        &self.keyword
    }

    /// The numbers of documents and of chunks.
    pub async fn counts(&self) -> Result<[usize; 2]> {
        let Tables { documents, chunks, .. } = &self.tables;
        let counts = try_join_all([documents, chunks].map(|table| self.tables.rows_of(table))).await?;
        Ok([counts[0], counts[1]])
    }

    /// The number of sections in tables of contents. It reads a column of all sections.
    pub async fn section_count(&self) -> Result<usize> {
        self.tables.count(&self.tables.sections, Some("level >= 1")).await
    }

    /// The bytes of the tables' data and indexes, without those of other generations.
    pub async fn data_bytes(&self) -> Result<u64> {
        self.tables.data_bytes().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples::{namespace, publish};
    use crate::store::{NewDocument, Store};

    #[tokio::test]
    async fn a_reader_of_a_store_of_others_does_not_wait_for_a_writer_that_is_not_there() {
        let (folder, namespace) = namespace();
        publish(&namespace, vec![NewDocument::sample("aaaaaa", &["Open the valve."])]).await;
        std::fs::remove_dir_all(namespace.keyword()).unwrap();
        let of_others = Store::open(None, folder.path()).unwrap().namespace("default").unwrap();
        assert!(!of_others.is_own());
        let started = std::time::Instant::now();
        Snapshot::open(&of_others).await.unwrap();
        assert!(started.elapsed() < (ATTEMPTS - QUICK_ATTEMPTS) * LONG_PAUSE, "{:?}", started.elapsed());
        assert!(!namespace.keyword().exists(), "it is left as it was");
    }
}

//! The generations of a namespace: their list, and the tables of one of them, open for reading. Only the published one
//! has a keyword index.

use serde::Serialize;

use super::record::{Lease, Note, Record, record, records};
use crate::error::{Error, NextStep, Result};
use crate::store::layout::Namespace;
use crate::store::manifest::Manifest;
use crate::store::snapshot::Snapshot;
use crate::store::tables::Tables;

/// With a lease, so that its files stay.
pub(super) struct OpenGeneration {
    pub(super) manifest: Manifest,
    pub(super) tables: Tables,
    _lease: Option<Lease>,
}

impl OpenGeneration {
    /// Opens the published generation.
    pub(super) async fn published(namespace: &Namespace) -> Result<Self> {
        let (manifest, tables, lease) = Snapshot::open(namespace).await?.into_parts();
        Ok(OpenGeneration { manifest, tables, _lease: lease })
    }

    pub(super) async fn open(namespace: &Namespace, generation: u64) -> Result<Self> {
        let published = OpenGeneration::published(namespace).await?;
        let last = published.manifest.generation;
        if generation == last {
            return Ok(published);
        }
        // Take the lease before reading the record, so that the generation stays.
        let lease = Lease::take(namespace, generation);
        let existing = published.tables.existing().await?;
        let kept = record(namespace, generation)?.filter(|own| generation < last && existing.contain(&own.manifest));
        let Some(Record { manifest, .. }) = kept else { return Err(unknown(generation, last)) };
        Ok(OpenGeneration { tables: Tables::open_at(namespace, &manifest).await?, manifest, _lease: lease })
    }
}

fn unknown(generation: u64, published: u64) -> Error {
    let error = Error::usage(if generation == 0 || generation > published {
        format!("there is no generation {generation}; the published one is {published}")
    } else {
        format!("generation {generation} is no longer kept")
    });
    error.hint(format!("`{}` lists the generations", NextStep::ListGenerations))
}

/// A generation in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    pub generation: u64,
    /// RFC 3339.
    pub published_at: String,
    pub published: bool,
    /// Whether it is an older one whose tables still exist.
    pub restorable: bool,
    /// What it did; `None` if the record was lost and rebuilt.
    #[serde(flatten)]
    pub note: Option<Note>,
}

/// The known generations, the newest first. The published one is always among them.
pub async fn log(namespace: &Namespace) -> Result<Vec<LogEntry>> {
    let OpenGeneration { manifest: published, tables, .. } = OpenGeneration::published(namespace).await?;
    let existing = tables.existing().await?;
    let mut records = records(namespace, published.generation)?;
    if records.first().is_none_or(|record| record.manifest.generation != published.generation) {
        records.insert(0, Record::of_unknown(&published));
    }
    let entry = |record: Record| {
        let is_published = record.manifest.generation == published.generation;
        LogEntry {
            generation: record.manifest.generation,
            restorable: !is_published && existing.contain(&record.manifest),
            published_at: record.manifest.published_at,
            published: is_published,
            note: record.note,
        }
    };
    Ok(records.into_iter().map(entry).collect())
}

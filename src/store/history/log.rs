//! The generations of a namespace, as a list.

use serde::Serialize;

use super::past::Past;
use super::{Note, records};
use crate::error::Result;
use crate::store::layout::Namespace;

/// A generation in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Its number.
    pub generation: u64,
    /// When it was published, RFC 3339.
    pub published_at: String,
    /// Whether it is the published one.
    pub published: bool,
    /// Whether it can be brought back: what it needs is still there, and it is not the published one.
    pub restorable: bool,
    /// What it did; `None` of a generation that an earlier version of kb published.
    #[serde(flatten)]
    pub note: Option<Note>,
}

/// The generations that are known, the newest first. There is always the published one.
///
/// # Errors
/// Where nothing was published yet, or the disk refuses.
pub async fn log(namespace: &Namespace) -> Result<Vec<LogEntry>> {
    let Past { manifest: published, tables, .. } = Past::published(namespace).await?;
    let there = tables.existing().await?;
    let mut entries: Vec<LogEntry> = records(namespace, published.generation)?
        .into_iter()
        .map(|record| {
            let is_published = record.manifest.generation == published.generation;
            LogEntry {
                generation: record.manifest.generation,
                restorable: !is_published && there.hold(&record.manifest),
                published_at: record.manifest.published_at,
                published: is_published,
                note: record.note,
            }
        })
        .collect();
    if !entries.first().is_some_and(|entry| entry.published) {
        entries.insert(
            0,
            LogEntry {
                generation: published.generation,
                published_at: published.published_at,
                published: true,
                restorable: false,
                note: None,
            },
        );
    }
    Ok(entries)
}

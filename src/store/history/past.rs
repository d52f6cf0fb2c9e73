//! The generations of a namespace: their list, and the tables of one of them, open for reading. Only the published one has a
//! keyword index.

use serde::Serialize;

use super::{Lease, Note, Record, record, recorded, records};
use crate::error::{Error, NextStep, Result};
use crate::store::layout::Namespace;
use crate::store::manifest::Manifest;
use crate::store::snapshot::Snapshot;
use crate::store::tables::Tables;

/// How many generations an error names.
const MOST_NAMED: usize = 10;

/// A generation, and a lease on it.
pub(super) struct Past {
    pub(super) manifest: Manifest,
    pub(super) tables: Tables,
    _lease: Option<Lease>,
}

impl Past {
    /// Opens the published generation.
    pub(super) async fn published(namespace: &Namespace) -> Result<Self> {
        let (manifest, tables, lease) = Snapshot::open(namespace).await?.into_parts();
        Ok(Past { manifest, tables, _lease: lease })
    }

    /// Opens a generation by its number.
    ///
    /// # Errors
    /// Where there is none of that number, or no longer, with those that there are.
    pub(super) async fn open(namespace: &Namespace, generation: u64) -> Result<Self> {
        let published = Past::published(namespace).await?;
        if generation == published.manifest.generation {
            return Ok(published);
        }
        // Taken before it is looked for, so that what is found stays.
        let lease = Lease::take(namespace, generation);
        let found = find(namespace, &published, generation).await?;
        let tables = Tables::open_at(namespace, &found.manifest).await?;
        Ok(Past { manifest: found.manifest, tables, _lease: lease })
    }
}

/// The record of an old generation that can be had.
///
/// # Errors
/// Where there is none of that number, or no longer, with those that there are.
async fn find(namespace: &Namespace, published: &Past, generation: u64) -> Result<Record> {
    let there = published.tables.existing().await?;
    let published = published.manifest.generation;
    let old = record(namespace, generation)?.filter(|record| generation < published && there.hold(&record.manifest));
    if let Some(found) = old {
        return Ok(found);
    }
    let mut others = Vec::new();
    for number in recorded(namespace, published)? {
        if number == published || record(namespace, number)?.is_some_and(|record| there.hold(&record.manifest)) {
            others.push(number);
        }
    }
    Err(unknown(generation, published, &others))
}

fn unknown(generation: u64, published: u64, others: &[u64]) -> Error {
    let what = if generation == 0 || generation > published {
        format!("there is no generation {generation}; the published one is {published}")
    } else {
        format!("generation {generation} is no longer kept")
    };
    let named: Vec<String> = others.iter().take(MOST_NAMED).map(u64::to_string).collect();
    let more = if others.len() > MOST_NAMED { ", …" } else { "" };
    let error = Error::usage(what);
    match named.is_empty() {
        true => error.hint(format!("`{}` lists the generations", NextStep::ListGenerations)),
        false => {
            error.hint(format!("available: {}{more}; `{}` describes them", named.join(", "), NextStep::ListGenerations))
        }
    }
}

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
    /// What it did; `None` where the record was lost and rebuilt.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_generation_is_told_with_those_that_can_be_had() {
        let error = unknown(9, 4, &[4, 3]);
        assert_eq!(error.message(), "there is no generation 9; the published one is 4");
        assert_eq!(error.next_step().unwrap(), "available: 4, 3; `ListGenerations` describes them");
        assert_eq!(unknown(1, 40, &[]).message(), "generation 1 is no longer kept");
        assert!(unknown(1, 40, &(20..41).collect::<Vec<_>>()).next_step().unwrap().contains("29, …"));
    }
}

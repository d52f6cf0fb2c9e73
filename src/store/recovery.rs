//! Recovery when a namespace is opened: finishes or gives up an interrupted publication, and finds the newest readable
//! generation if the published one cannot be read.
//!
//! Only missing or damaged data counts as unreadable. If the system refuses a file (permissions, too many open files),
//! that is an error, and nothing is replaced.

use std::collections::HashSet;

use jiff::{Timestamp, Zoned};

use super::files::{ABANDONED, WRITING, remove_file, remove_older, sync_folder};
use super::history::{Lease, Record, older_generations, record_files, record_id, records_folder};
use super::layout::Namespace;
use super::manifest::Manifest;
use super::tables::{Tables, connect};
use super::version_files::{TABLES, Unreadable, newer_versions, remove_versions};
use super::versions::{ExistingVersions, can_be_opened};
use crate::error::{Error, Result, Setting};

/// Deletes files that killed writers left half-written. The keyword index deletes its own when it is opened. Errors are
/// ignored because nothing reads these files. An ingest without a writer writes here too, so new files stay.
pub(super) fn clear_unfinished(namespace: &Namespace) {
    for folder in [namespace.root(), &records_folder(namespace)] {
        remove_older(folder, WRITING, ABANDONED);
    }
}

/// Finishes or gives up an interrupted publication.
pub(super) fn recover_pending(namespace: &Namespace, keyword_generation: Option<u64>) -> Result<()> {
    match Manifest::read_pending(namespace)? {
        Some(pending) if keyword_generation == Some(pending.generation) => Manifest::publish_pending(namespace),
        Some(_) => Manifest::drop_pending(namespace),
        None => Ok(()),
    }
}

/// An older, readable generation in place of an unreadable published one.
pub(super) struct OlderGeneration {
    pub(super) manifest: Manifest,
    pub(super) tables: Tables,
    pub(super) lease: Option<Lease>,
    /// What happened: `generation 12 cannot be read (…)`.
    pub(super) what: String,
}

/// The error if no generation of a namespace can be read.
pub(super) fn nothing_readable(what: String) -> Error {
    Error::failed(what).hint(format!(
        "restore that folder from a copy, or ingest the documents into a new store with {}",
        Setting("kb")
    ))
}

impl OlderGeneration {
    /// Finds an older generation if the published one cannot be read; `None` if it can.
    pub(super) async fn if_needed(namespace: &Namespace, published: &Manifest) -> Result<Option<Self>> {
        match Tables::try_open_at(namespace, published).await? {
            Ok(_) => Ok(None),
            Err(lost) => OlderGeneration::find(namespace, published, lost).await.map(Some),
        }
    }

    /// The newest generation before `published` whose tables can be read.
    pub(super) async fn find(namespace: &Namespace, published: &Manifest, Unreadable(why): Unreadable) -> Result<Self> {
        let what =
            format!("generation {} of {} cannot be read ({why})", published.generation, namespace.root().display());
        for manifest in older_generations(namespace, published.generation)? {
            let lease = Lease::take(namespace, manifest.generation);
            if let Ok(tables) = Tables::try_open_at(namespace, &manifest).await? {
                return Ok(OlderGeneration { manifest, tables, lease, what });
            }
        }
        Err(nothing_readable(format!("{what}, and no older one can")))
    }

    /// Removes the versions newer than this generation that cannot be opened, because Lance would build on them.
    /// Removes the records that name them first, because the next versions get the same numbers. The caller must hold
    /// the writer's lock.
    pub(super) async fn discard_newer_versions(&self, namespace: &Namespace) -> Result<()> {
        let connection = connect(namespace).await?;
        let tables = || TABLES.into_iter().zip(self.manifest.versions());
        let mut opened = ExistingVersions(self.manifest.versions().map(|version| HashSet::from([version])));
        for ((table, newest), opened) in tables().zip(&mut opened.0) {
            for version in newer_versions(namespace, table, newest)? {
                if can_be_opened(namespace, &connection, table, version).await? {
                    opened.insert(version);
                }
            }
        }
        let records = record_files(namespace, u64::MAX)?.into_iter().filter_map(|file| file.record);
        for Record { manifest, .. } in records {
            if manifest.generation > self.manifest.generation && !opened.contain(&manifest) {
                let path = namespace.root().join(record_id(manifest.generation));
                remove_file(&path)?;
                path.parent().map_or(Ok(()), sync_folder)?;
            }
        }
        for ((table, newest), opened) in tables().zip(&opened.0) {
            remove_versions(namespace, table, |version| version > newest && !opened.contains(&version))?;
        }
        Ok(())
    }

    /// `generation 11, published 2026-11-21 14:02:11, 3 hours ago`.
    pub(super) fn in_words(&self) -> String {
        let Manifest { generation, published_at, .. } = &self.manifest;
        let when = published_at.parse::<Timestamp>().map(|time| crate::text::moment(time, &Zoned::now()));
        format!("generation {generation}, published {}", when.unwrap_or_else(|_| published_at.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;
    use crate::store::files::walk;
    use crate::store::samples::{namespace, publish};
    use crate::store::{LockTimeout, NewDocument, Writer};

    #[tokio::test]
    async fn a_writer_deletes_the_files_that_a_killed_one_had_begun() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![NewDocument::sample("aaaaaa", &["text"])]).await;
        let before = walk(namespace.root()).unwrap().len();
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        for folder in [namespace.root(), &namespace.keyword(), &records_folder(&namespace)] {
            let file = File::create(folder.join(format!("{WRITING}a1B2c3"))).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        let new = namespace.root().join(format!("{WRITING}d4E5f6"));
        File::create(&new).unwrap();
        assert_eq!(walk(namespace.root()).unwrap().len(), before + 4);
        drop(Writer::open_existing(&namespace, &LockTimeout::none()).await.unwrap());
        assert_eq!(walk(namespace.root()).unwrap().len(), before + 1);
        assert!(new.exists(), "another process may be writing it");
    }
}

//! The namespaces of a store: list, find, measure, rename and remove them.
//!
//! Renaming and removing move the folder in one step, with the writer's lock held. A removed namespace is moved aside before
//! it is deleted, so that a crash leaves the whole namespace or a folder that the next writer deletes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{read_json, sync_folder, write_json};
use super::layout::{ALL, Namespace, SEPARATOR, Store, namespace_name};
use super::lock::{LockTimeout, WriterLock};
use super::manifest::Manifest;
use super::removed::{REMOVING, clear_removed, delete};
use super::writer::Writer;
use crate::error::{Error, NextStep, Result, Setting};

/// Behind a name, all namespaces below it.
const BELOW: &str = "/*";

impl Store {
    /// The namespaces that are meant by one name, by several with commas between them, by `acme/*` (all below a name), or by
    /// `all`: every one in which something was published. Each once, in the order in which they were named; at least one.
    ///
    /// # Errors
    /// Where a name cannot be one, or `all` are none. Named namespaces need not exist.
    pub fn namespaces_named(&self, names: &str) -> Result<Vec<Namespace>> {
        let parts: Vec<&str> = names.split(SEPARATOR).map(str::trim).collect();
        if names.trim().eq_ignore_ascii_case(ALL) {
            return Some(self.namespaces()?).filter(|found| !found.is_empty()).ok_or_else(|| {
                let hint = format!("ingest some documents with `{}`", NextStep::Ingest("PATH…"));
                Error::failed("nothing was ingested into any namespace yet").hint(hint)
            });
        }
        if parts.len() == 1 && !names.trim().ends_with(BELOW) {
            return Ok(vec![self.namespace(names)?]);
        }
        if parts.iter().any(|part| part.is_empty()) {
            return Err(Error::usage(format!("a name is missing in the list of namespaces {names:?}")).hint(format!(
                "write one comma between two names, for example {} drafts,manuals",
                Setting("namespace")
            )));
        }
        if parts.iter().any(|part| part.eq_ignore_ascii_case(ALL)) {
            return Err(Error::usage(format!("{names:?} names all namespaces and others beside"))
                .hint(format!("say {} {ALL}, or name the ones you mean", Setting("namespace"))));
        }
        let mut found: Vec<Namespace> = Vec::with_capacity(parts.len());
        for part in parts {
            let named = match part.strip_suffix(BELOW) {
                Some(above) => self.below(above)?,
                None => vec![self.namespace(part)?],
            };
            named.into_iter().for_each(|namespace| {
                if !found.contains(&namespace) {
                    found.push(namespace);
                }
            });
        }
        Ok(found)
    }

    /// The namespaces below a name.
    fn below(&self, name: &str) -> Result<Vec<Namespace>> {
        let above = format!("{}/", namespace_name(name)?);
        let mut below = self.namespaces()?;
        below.retain(|namespace| namespace.name().starts_with(&above));
        if below.is_empty() {
            return Err(Error::failed(format!("nothing was ingested into a namespace below {name:?} yet"))
                .hint(format!("`{}` lists them", NextStep::ListNamespaces)));
        }
        Ok(below)
    }
}

/// The sources that the last runs could not read.
pub(super) const FAILURES: &str = "failures.json";

/// What servers said of the pages that were read, by address.
pub(super) const PAGES: &str = "pages.json";

/// What tells a server whether a page has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// Where the page was in the end.
    pub address: String,
    /// blake3 of what was read, in hex: after an undo the store has something else.
    pub content_hash: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Namespace {
    /// What tells whether pages have changed, by address.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn pages(&self) -> Result<BTreeMap<String, Validators>> {
        Ok(read_json(&self.root().join(PAGES))?.unwrap_or_default())
    }

    /// # Errors
    /// Where the file cannot be written.
    pub fn note_pages(&self, pages: &BTreeMap<String, Validators>) -> Result<()> {
        write_json(&self.root().join(PAGES), pages)
    }

    /// The sources that failed in the last run that had to do with them.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn failures(&self) -> Result<BTreeSet<String>> {
        Ok(read_json(&self.root().join(FAILURES))?.unwrap_or_default())
    }

    /// # Errors
    /// Where the file cannot be written.
    pub fn note_failures(&self, failures: &BTreeSet<String>) -> Result<()> {
        write_json(&self.root().join(FAILURES), failures)
    }

    /// # Errors
    /// Where the namespace does not exist, with names like its own.
    pub fn must_exist(&self) -> Result<()> {
        if self.root().symlink_metadata().is_ok_and(|facts| facts.is_dir()) {
            Ok(())
        } else {
            Err(self.nothing_ingested())
        }
    }

    /// Gives it another name. Who reads meanwhile may have to ask again.
    ///
    /// # Errors
    /// Where it is not there, the other one is, somebody writes to it, or the disk refuses. Then nothing was changed.
    pub async fn rename_to(&self, to: &Namespace, lock_timeout: &LockTimeout) -> Result<()> {
        self.must_exist()?;
        let lock = WriterLock::take(self, lock_timeout).await?;
        let taken = || {
            Error::usage(format!("there is a namespace {:?} already", to.name()))
                .hint(format!("take another name, or remove that one with `{}`", NextStep::RemoveNamespace))
        };
        if let Ok(facts) = to.root().symlink_metadata() {
            if !facts.is_dir() || to.exists() {
                return Err(taken());
            }
            // A first ingest that was killed is finished or given up, as by the next writer.
            if Manifest::read_pending(to)?.is_some() {
                drop(Writer::open_existing(to, lock_timeout).await?);
            }
            let lock = WriterLock::take(to, lock_timeout).await?;
            if to.exists() {
                return Err(taken());
            }
            to.delete(lock)?;
        }
        self.move_to(to.root(), lock).map_err(|error| match error.kind() {
            std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::AlreadyExists => taken(),
            _ => Error::io("rename", self.root(), &error),
        })?;
        sync_folder(self.folder())
    }

    /// Removes it with all that is in it.
    ///
    /// # Errors
    /// Where it is not there, somebody writes to it, or the disk refuses.
    pub async fn remove(&self, lock_timeout: &LockTimeout) -> Result<()> {
        self.must_exist()?;
        let lock = WriterLock::take(self, lock_timeout).await?;
        self.delete(lock)
    }

    /// Renames its folder before it deletes it, so that nobody opens a namespace that is half deleted.
    fn delete(&self, lock: WriterLock) -> Result<()> {
        clear_removed(self);
        let aside = self.folder().join(format!("{REMOVING}{}", std::process::id()));
        self.move_to(&aside, lock).map_err(|error| Error::io("remove", self.root(), &error))?;
        sync_folder(self.folder())?;
        delete(&aside).map_err(|error| Error::io("remove", &aside, &error))
    }

    fn move_to(&self, target: &Path, lock: WriterLock) -> std::io::Result<()> {
        // Elsewhere a folder with an open file in it cannot be moved.
        let lock = cfg!(unix).then_some(lock);
        let moved = std::fs::rename(self.root(), target);
        drop(lock);
        moved
    }

    /// The folder of all namespaces.
    fn folder(&self) -> &Path {
        self.root().parent().unwrap_or(self.root())
    }
}

/// Bytes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Of all that is in the namespace's folder.
    pub all: u64,
    /// Of the tables, versions that are no longer published included.
    pub tables: u64,
    /// Of the keyword index.
    pub keyword: u64,
}

impl Namespace {
    /// What it takes on disk.
    pub fn size(&self) -> Size {
        Size {
            all: bytes_below(self.root()),
            tables: bytes_below(&self.tables()),
            keyword: bytes_below(&self.keyword()),
        }
    }
}

/// The bytes of all files below a folder; what disappears meanwhile counts nothing.
fn bytes_below(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            Ok(_) => entry.metadata().map_or(0, |facts| facts.len()),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &str) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        for published in ["drafts", "manuals"] {
            let namespace = store.namespace(published).unwrap();
            std::fs::create_dir_all(namespace.root()).unwrap();
            std::fs::write(namespace.root().join(crate::store::layout::PUBLISHED), "{}").unwrap();
        }
        std::fs::create_dir_all(store.namespace("begun").unwrap().root()).unwrap();
        let found = store.namespaces_named(names)?;
        Ok(found.iter().map(|namespace| namespace.name().to_owned()).collect())
    }

    #[test]
    fn a_list_names_each_namespace_once_in_its_order() {
        assert_eq!(named("manuals, drafts,manuals").unwrap(), ["manuals", "drafts"]);
        assert_eq!(named("elsewhere").unwrap(), ["elsewhere"]);
        for all in ["all", "ALL"] {
            assert_eq!(named(all).unwrap(), ["drafts", "manuals"], "what was only begun is not there yet");
        }
    }

    #[test]
    fn a_list_with_a_bad_name_is_refused() {
        for (bad, tells) in [
            ("drafts,", "is missing"),
            (",", "is missing"),
            ("drafts,,manuals", "is missing"),
            ("drafts,all", "others beside"),
            ("drafts,../manuals", "cannot be"),
            ("", "cannot be"),
        ] {
            let error = named(bad).unwrap_err();
            assert!(error.kind().exit_code() == 2 && error.message().contains(tells), "{bad:?}: {error}");
        }
    }
}

//! Lists, finds, measures, renames and removes the namespaces of a store.
//!
//! Renaming and removing move the folder in one step, with the writer's lock held. A removed namespace is moved aside
//! before it is deleted, so a crash leaves the whole namespace or a folder that the next writer deletes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{name_of, paths_in, read_json, sync_folder, walk, write_json};
use super::layout::{Namespace, Store};
use super::lock::{LockTimeout, WriterLock};
use super::manifest::Manifest;
use super::namespace_name::{ALL, SEPARATOR, namespace_name};
use super::writer::Writer;
use crate::error::{Error, NextStep, Result, Setting};

/// The prefix of folders that are being deleted; the process id follows. No namespace's name begins like this.
const REMOVING: &str = ".removing-";
/// After a name: all namespaces below it.
const BELOW: &str = "/*";

/// One item of a list of namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespacePattern<'n> {
    All,
    Below(&'n str),
    One(&'n str),
}

impl<'n> NamespacePattern<'n> {
    /// The parts of a list such as `manuals,acme/*`. No name is checked.
    pub fn in_list(names: &'n str) -> Vec<Self> {
        let named = |part: &'n str| match part.strip_suffix(BELOW) {
            Some(above) => NamespacePattern::Below(above),
            None if part.eq_ignore_ascii_case(ALL) => NamespacePattern::All,
            None => NamespacePattern::One(part),
        };
        names.split(SEPARATOR).map(str::trim).map(named).collect()
    }
}

impl Store {
    /// The namespaces for a name, for several names separated by commas, for `acme/*` (all below a name), or for `all`
    /// published ones. At least one, each once, in the given order. Named namespaces need not exist.
    pub fn namespaces_named(&self, names: &str) -> Result<Vec<Namespace>> {
        let parts = NamespacePattern::in_list(names);
        if let [NamespacePattern::One(_)] = parts[..] {
            return Ok(vec![self.namespace(names)?]);
        }
        if parts.contains(&NamespacePattern::One("")) {
            return Err(Error::usage(format!("a name is missing in the list of namespaces {names:?}")).hint(format!(
                "write one comma between two names, for example {} drafts,manuals",
                Setting("namespace")
            )));
        }
        if parts.len() > 1 && parts.contains(&NamespacePattern::All) {
            return Err(Error::usage(format!("{names:?} names all namespaces and repeats some of them"))
                .hint(format!("use {} {ALL}, or name the ones you mean", Setting("namespace"))));
        }
        let mut found: Vec<Namespace> = Vec::with_capacity(parts.len());
        for part in parts {
            let named = match part {
                NamespacePattern::All => self.namespaces()?,
                NamespacePattern::Below(above) => self.below(above)?,
                NamespacePattern::One(name) => vec![self.namespace(name)?],
            };
            named.into_iter().for_each(|namespace| {
                if !found.contains(&namespace) {
                    found.push(namespace);
                }
            });
        }
        // Only `all` finds none without an error.
        if found.is_empty() {
            return Err(Error::failed("nothing was ingested into any namespace yet")
                .hint(format!("ingest some documents with `{}`", NextStep::Ingest("PATH…"))));
        }
        Ok(found)
    }

    fn below(&self, name: &str) -> Result<Vec<Namespace>> {
        let above = format!("{}/", namespace_name(name)?);
        let mut below = self.namespaces()?;
        below.retain(|namespace| namespace.name().starts_with(&above));
        if below.is_empty() {
            return Err(Error::usage(format!("nothing was ingested into a namespace below {name:?} yet"))
                .hint(format!("`{}` lists them", NextStep::ListNamespaces)));
        }
        Ok(below)
    }
}

/// The file with the sources that the last runs could not read.
pub(super) const FAILURES: &str = "failures.json";

/// The file with the validators of pages, by address.
pub(super) const PAGES: &str = "pages.json";

/// The validators that tell a server whether a page has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The address after redirects.
    pub address: String,
    /// blake3 of the page, in hex: after a restore the store may have an older one.
    pub content_hash: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Namespace {
    /// The validators of pages, by address.
    pub fn pages(&self) -> Result<BTreeMap<String, Validators>> {
        Ok(read_json(&self.root().join(PAGES))?.unwrap_or_default())
    }

    pub fn write_pages(&self, pages: &BTreeMap<String, Validators>) -> Result<()> {
        write_json(&self.root().join(PAGES), pages)
    }

    /// The sources that failed in the last run that covered them.
    pub fn failures(&self) -> Result<BTreeSet<String>> {
        Ok(read_json(&self.root().join(FAILURES))?.unwrap_or_default())
    }

    pub fn write_failures(&self, failures: &BTreeSet<String>) -> Result<()> {
        write_json(&self.root().join(FAILURES), failures)
    }

    pub fn must_exist(&self) -> Result<()> {
        if self.root().symlink_metadata().is_ok_and(|facts| facts.is_dir()) {
            Ok(())
        } else {
            Err(self.nothing_ingested())
        }
    }

    /// Renames it. Commands that read meanwhile may fail and have to be repeated. After an error nothing is changed.
    pub async fn rename_to(&self, to: &Namespace, lock_timeout: &LockTimeout) -> Result<()> {
        self.must_exist()?;
        let lock = WriterLock::take(self, lock_timeout).await?;
        let taken = || {
            Error::usage(format!("a namespace {:?} already exists", to.name()))
                .hint(format!("take another name, or remove that one with `{}`", NextStep::RemoveNamespace))
        };
        if let Ok(facts) = to.root().symlink_metadata() {
            if !facts.is_dir() || to.exists() {
                return Err(taken());
            }
            // Finishes or gives up a killed first ingest, as the next writer would.
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

    pub async fn remove(&self, lock_timeout: &LockTimeout) -> Result<()> {
        self.must_exist()?;
        let lock = WriterLock::take(self, lock_timeout).await?;
        self.delete(lock)
    }

    /// Renames its folder before deleting it, so that no process opens a half-deleted namespace.
    fn delete(&self, lock: WriterLock) -> Result<()> {
        self.clear_removed();
        let aside = self.aside();
        self.move_to(&aside, lock).map_err(|error| Error::io("remove", self.root(), &error))?;
        sync_folder(self.folder())?;
        delete(&aside).map_err(|error| Error::io("remove", &aside, &error))
    }

    fn move_to(&self, target: &Path, lock: WriterLock) -> std::io::Result<()> {
        // On other systems, a folder with an open file in it cannot be moved.
        let lock = cfg!(unix).then_some(lock);
        let moved = std::fs::rename(self.root(), target);
        drop(lock);
        moved
    }

    pub(super) fn folder(&self) -> &Path {
        self.root().parent().unwrap_or(self.root())
    }

    /// The place beside it to which its folder is moved before this process deletes it.
    pub(super) fn aside(&self) -> PathBuf {
        self.folder().join(format!("{REMOVING}{}", std::process::id()))
    }

    /// Deletes what interrupted removals have left beside it. Nothing depends on it, so errors are ignored.
    pub(super) fn clear_removed(&self) {
        for path in paths_in(self.folder()).unwrap_or_default() {
            if name_of(&path).starts_with(REMOVING) {
                drop(delete(&path));
            }
        }
    }
}

/// Deletes a folder that another process may be deleting too.
pub(super) fn delete(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(_) if !path.exists() => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => delete(path),
        outcome => outcome,
    }
}

/// Bytes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// The whole folder of the namespace.
    pub all: u64,
    /// The tables, old versions included.
    pub tables: u64,
    pub keyword: u64,
}

impl Namespace {
    pub fn size(&self) -> Size {
        Size {
            all: bytes_below(self.root()),
            tables: bytes_below(&self.tables()),
            keyword: bytes_below(&self.keyword()),
        }
    }
}

/// The bytes of all files below a folder; 0 if it cannot be read.
fn bytes_below(folder: &Path) -> u64 {
    let files = walk(folder).unwrap_or_default();
    files.iter().filter(|(_, facts)| facts.is_file()).map(|(_, facts)| facts.len()).sum()
}

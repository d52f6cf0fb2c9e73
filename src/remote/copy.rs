//! This machine's copy of a store in object storage.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures::{StreamExt, TryStreamExt};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::objects::{Found, Objects, Version, is_unavailable};
use crate::config::KnownStores;
use crate::error::{Error, Result, or_none};
use crate::notice;
use crate::paths::{read_text, write_private};
use crate::store::{FileList, ListedFile, LockTimeout, Namespace, Replica, Store, Upload};
use crate::text::{count, size};

/// The folder of the namespaces, in the storage as on this machine.
const NAMESPACES: &str = "namespaces";
const HEAD: &str = "head.json";
/// Stands for `/` in the name of a namespace, which has no comma.
const SLASH: &str = ",";
/// The longest list of files, in bytes.
const LONGEST_HEAD: u64 = 64 << 20;
/// How many files are sent or fetched at a time.
const AT_ONCE: usize = 8;
/// How long a file is kept after it is no longer listed. Somebody may be fetching it.
const GRACE_PERIOD: SignedDuration = SignedDuration::from_hours(1);
/// How often a reader tries to copy a generation whose files others delete meanwhile.
const ATTEMPTS: usize = 3;
/// Fetching more than this is reported, in bytes.
const LARGE: u64 = 20 << 20;

/// The content of `head.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    #[serde(flatten)]
    list: FileList,
    /// Hashes of files that are no longer listed, and since when.
    dropped: BTreeMap<String, Timestamp>,
    /// Random, to recognise the own publication.
    token: String,
}

/// What this machine knows of a namespace in the storage, as of the last copy.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    version: Version,
    head: Head,
    at: Timestamp,
}

pub struct StateBefore {
    /// The namespaces that were brought up to date, with their versions in the storage.
    pulled: Vec<(Namespace, Option<Version>)>,
    /// The namespaces that had a copy.
    present: Vec<Namespace>,
}

/// This machine's copy of a store. Requests fail if the storage does not answer or refuses.
pub struct LocalCopy {
    objects: Objects,
    store: Store,
    tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl LocalCopy {
    /// Opens the copy, and makes it if it does not exist.
    ///
    /// # Errors
    /// If the system has no folder for caches, or the disk refuses.
    pub fn open(objects: Objects, tell: impl Fn(&str) + Send + Sync + 'static) -> Result<Self> {
        let caches = dirs::cache_dir().ok_or_else(|| Error::failed("this system has no folder for caches"))?;
        let hash = blake3::hash(objects.address().as_bytes()).to_hex();
        let folder = caches.join("kb").join("remote").join(&hash[..32]);
        let (store, created) = Store::open_or_create(Some(&folder), &folder)?;
        if created {
            // It is the user's own, so reading commands may repair it and keep caches in it.
            KnownStores::of_user().add(&folder)?;
        }
        Ok(LocalCopy { objects, store: store.as_own(), tell: Box::new(tell) })
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether the store exists in the storage.
    pub async fn has_original(&self) -> Result<bool> {
        self.objects.is_store().await
    }

    /// The names of the namespaces in the storage.
    pub async fn names(&self) -> Result<Vec<String>> {
        let folders = self.objects.below(NAMESPACES).await?;
        Ok(folders.iter().map(|folder| folder.replace(SLASH, "/")).collect())
    }

    /// When a namespace was copied; `None` if it never was.
    pub fn copied_at(&self, namespace: &Namespace) -> Option<Timestamp> {
        self.known(namespace).map(|known| known.at)
    }

    /// # Errors
    /// If writing to a namespace needs a newer program.
    pub fn must_be_writable(&self, namespace: &Namespace) -> Result<()> {
        self.known(namespace).map_or(Ok(()), |known| known.head.list.must_be_writable(namespace))
    }

    /// Brings the copy of a namespace up to date. Returns false if another process of this machine writes to the copy.
    ///
    /// # Errors
    /// If the storage does not answer or refuses, a file does not have the listed hash, or the disk refuses.
    pub async fn pull(&self, namespace: &Namespace) -> Result<bool> {
        for _ in 0..ATTEMPTS {
            let known = self.known(namespace);
            // If the copy was deleted, the known version says nothing.
            let before = known.as_ref().filter(|_| namespace.exists()).map(|known| &known.version);
            let found = self.objects.value::<Head>(&head_of(namespace), before, LONGEST_HEAD).await?;
            let (head, version) = match found {
                Found::Same => return Ok(true),
                Found::Nothing => return self.remove_copy(namespace, known.as_ref()).await,
                Found::New(head, version) => (head, version),
            };
            let Some(replica) = Replica::try_open(namespace)? else { return Ok(false) };
            let base = known.as_ref().map(|known| &known.head.list);
            // A process may have been killed after it published and before it recorded that.
            let base = if replica.is_at(&head.list) { Some(&head.list) } else { base };
            if namespace.exists() && !base.is_some_and(|base| replica.is_at(base)) {
                let dropped = "the unpublished changes in this copy are dropped";
                notice::give(&format!("another writer has published into {:?}; {dropped}", namespace.name()));
            }
            let damaged = |error: Error| error.at(&format!("{}/{}", self.objects.address(), head_of(namespace)));
            let missing = replica.missing(&head.list, base).map_err(damaged)?;
            let folder = replica.folder()?;
            if !self.fetch(namespace, &missing, folder.path()).await? {
                continue;
            }
            replica.take(&head.list, base, folder)?;
            self.write_known(namespace, &Known { version, head, at: Timestamp::now() })?;
            return Ok(true);
        }
        let address = self.objects.address();
        Err(Error::failed(format!("{address} lacks a file that it lists, or changes faster than kb can copy it"))
            .hint("run the command again"))
    }

    /// Removes the copy of a namespace that was removed from the storage, unless it has unpublished changes. Returns
    /// what [`pull`](Self::pull) does.
    async fn remove_copy(&self, namespace: &Namespace, known: Option<&Known>) -> Result<bool> {
        self.objects.must_be_store().await?;
        let Some(known) = known else { return Ok(true) };
        if namespace.exists() {
            let Some(replica) = Replica::try_open(namespace)? else { return Ok(false) };
            let is_published = replica.is_at(&known.head.list);
            drop(replica);
            match is_published {
                true => namespace.remove(&LockTimeout::none()).await?,
                false => notice::give(&format!(
                    "the namespace {:?} was removed at {}; the copy on this machine has unpublished changes, so it stays",
                    namespace.name(),
                    self.objects.address()
                )),
            }
        }
        self.remove_known(namespace)?;
        Ok(true)
    }

    /// Fetches files into a folder, under their names. Returns false if one is no longer there.
    async fn fetch(
        &self,
        namespace: &Namespace,
        files: &BTreeMap<String, ListedFile>,
        into: &std::path::Path,
    ) -> Result<bool> {
        let bytes: u64 = files.values().map(|file| file.bytes).fold(0, u64::saturating_add);
        if bytes >= LARGE {
            let (number, bytes, name) = (count(files.len(), "file"), size(bytes), namespace.name());
            (self.tell)(&format!("copying {number} ({bytes}) of {name:?} from {}", self.objects.address()));
        }
        let fetched = futures::stream::iter(files).map(async |(name, listed)| {
            let to = into.join(name);
            let folder = to.parent().unwrap_or(into);
            std::fs::create_dir_all(folder).map_err(|error| Error::io("write", folder, &error))?;
            let there = file_of(namespace, &listed.blake3);
            match self.objects.fetch(&there, listed.bytes, &to).await? {
                None => Ok(false),
                Some(hash) if hash == listed.blake3 => Ok(true),
                Some(_) => {
                    Err(Error::failed(format!("{}/{there} is not the file that is listed", self.objects.address())))
                }
            }
        });
        fetched.buffer_unordered(AT_ONCE).try_fold(true, async |all, one| Ok(all && one)).await
    }

    /// Records the state of the copies before a command writes to them.
    ///
    /// # Errors
    /// If the folder of the namespaces cannot be read.
    pub fn record_state(&self, pulled: Vec<Namespace>) -> Result<StateBefore> {
        let versions = pulled.into_iter().map(|namespace| {
            let version = self.known(&namespace).map(|known| known.version);
            (namespace, version)
        });
        Ok(StateBefore { pulled: versions.collect(), present: self.store.namespaces()? })
    }

    /// Publishes the changes of the copies since `before`, removed namespaces included. The caller must hold the lease.
    ///
    /// # Errors
    /// If the storage does not answer or refuses, files cannot be read, or another writer has published meanwhile into
    /// a namespace that was pulled or is new. For the other namespaces, which an earlier command changed, errors become
    /// warnings.
    pub async fn push(&self, before: &StateBefore, lock_timeout: &LockTimeout) -> Result<()> {
        let (mut outcome, mut all_published) = (Ok(()), true);
        for namespace in self.store.namespaces()? {
            let pulled = before.pulled.iter().find(|(pulled, _)| *pulled == namespace);
            let Err(error) = self.push_one(&namespace, pulled.map(|(_, version)| version), lock_timeout).await else {
                continue;
            };
            all_published = false;
            if pulled.is_some() || !before.present.contains(&namespace) || is_unavailable(&error) {
                outcome = outcome.and(Err(error));
            } else {
                notice::give(&error.to_line());
            }
        }
        // After a rename the old name may be the only place of the documents. A copy that was missing before the
        // command means nothing, because anybody may empty a cache.
        for namespace in before.present.iter().filter(|namespace| all_published && !namespace.exists()) {
            if let Some(known) = self.known(namespace) {
                self.remove(namespace, known).await?;
            }
        }
        outcome
    }

    /// Publishes a namespace. `pulled` is its version before the command, if it was pulled.
    async fn push_one(
        &self,
        namespace: &Namespace,
        pulled: Option<&Option<Version>>,
        lock_timeout: &LockTimeout,
    ) -> Result<()> {
        let known = self.known(namespace);
        if pulled.is_some_and(|pulled| *pulled != known.as_ref().map(|known| known.version.clone())) {
            // A search has pulled the generation of another writer over what this command wrote.
            return Err(self.overtaken(namespace));
        }
        let base = known.as_ref().map(|known| &known.head);
        let Some(upload) = Upload::of(namespace, base.map(|head| &head.list), lock_timeout).await? else {
            return Ok(());
        };
        let list = upload.list.clone();
        let there = |hash: &str| base.is_some_and(|head| head.list.files.values().any(|file| file.blake3 == hash));
        let new: BTreeMap<&str, &str> =
            list.files.iter().map(|(name, file)| (file.blake3.as_str(), name.as_str())).collect();
        let sent = futures::stream::iter(new.iter().filter(|(hash, _)| !there(hash)))
            .map(async |(hash, name)| self.objects.send(&namespace.root().join(name), &file_of(namespace, hash)).await);
        sent.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        let now = Timestamp::now();
        let mut dropped = base.map(|head| head.dropped.clone()).unwrap_or_default();
        let old = base.into_iter().flat_map(|head| head.list.files.values());
        for file in old {
            dropped.entry(file.blake3.clone()).or_insert(now);
        }
        dropped.retain(|hash, _| !new.contains_key(hash.as_str()));
        let expired = dropped.extract_if(.., |_, since| now.duration_since(*since) > GRACE_PERIOD);
        let expired: Vec<String> = expired.map(|(hash, _)| hash).collect();
        let head = Head { list, dropped, token: format!("{:032x}", fastrand::u128(..)) };
        let replaced = known.as_ref().map(|known| known.version.clone());
        let is_own = |there: &Head| there.token == head.token;
        let published = self.objects.put_own(&head_of(namespace), &head, replaced, LONGEST_HEAD, is_own).await?;
        let version = published.map_err(|_| self.overtaken(namespace))?;
        self.write_known(namespace, &Known { version: version.clone(), head, at: now })?;
        // What cannot be deleted now is only a waste of space. A writer that was asleep since deletes nothing: another
        // may have listed the same content again.
        let is_own = expired.is_empty() || {
            let found = self.objects.value::<Head>(&head_of(namespace), Some(&version), LONGEST_HEAD).await;
            matches!(found, Ok(Found::Same))
        };
        for hash in expired.into_iter().filter(|_| is_own) {
            drop(self.objects.delete(&file_of(namespace, &hash)).await);
        }
        drop(upload);
        Ok(())
    }

    fn overtaken(&self, namespace: &Namespace) -> Error {
        let place = format!("{:?} at {}", namespace.name(), self.objects.address());
        let what = format!("another writer has published into {place} meanwhile, so your changes were not published");
        Error::locked(what).hint("run the command again")
    }

    async fn remove(&self, namespace: &Namespace, known: Known) -> Result<()> {
        match self.objects.value::<Head>(&head_of(namespace), Some(&known.version), LONGEST_HEAD).await? {
            Found::Same => self.objects.delete(&head_of(namespace)).await?,
            Found::Nothing => {}
            Found::New(..) => {
                self.remove_known(namespace)?;
                let what = format!("another writer has published into {:?} meanwhile, so it stays", namespace.name());
                return Err(Error::locked(what).hint("run the command again"));
            }
        }
        for file in self.objects.below(&format!("{}/files", folder_of(namespace))).await? {
            self.objects.delete(&file_of(namespace, &file)).await?;
        }
        self.remove_known(namespace)
    }

    fn known_path(&self, namespace: &Namespace) -> PathBuf {
        self.store.root().join("remote").join(format!("{}.json", namespace.name().replace('/', SLASH)))
    }

    /// `None` also if the file cannot be read; then all files are fetched again.
    fn known(&self, namespace: &Namespace) -> Option<Known> {
        serde_json::from_str(&read_text(&self.known_path(namespace)).ok()?).ok()
    }

    fn write_known(&self, namespace: &Namespace, known: &Known) -> Result<()> {
        let path = self.known_path(namespace);
        let text = serde_json::to_vec(known).expect("plain data has a JSON form");
        write_private(&path, &text).map_err(|error| Error::io("write", &path, &error))
    }

    fn remove_known(&self, namespace: &Namespace) -> Result<()> {
        let path = self.known_path(namespace);
        or_none(std::fs::remove_file(&path)).map(drop).map_err(|error| Error::io("remove", &path, &error))
    }
}

fn folder_of(namespace: &Namespace) -> String {
    format!("{NAMESPACES}/{}", namespace.name().replace('/', SLASH))
}

fn head_of(namespace: &Namespace) -> String {
    format!("{}/{HEAD}", folder_of(namespace))
}

fn file_of(namespace: &Namespace, hash: &str) -> String {
    format!("{}/files/{hash}", folder_of(namespace))
}

//! The writer lock. The operating system holds it, so a dead process leaves none behind.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{Timestamp, Zoned};
use serde::Serialize;

use super::fault::{Event, record_event};
use super::format::Format;
use super::layout::Namespace;
use super::untrusted::open_in_place;
use crate::error::{Error, Result, Setting, or_none};
use crate::paths::{is_same, open_file_itself};

/// A writer waits at least this long: `Holder::of` takes the lock for an instant to see whether a writer holds it.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// The maximum length of the text in a lock file, in bytes.
const LONGEST: u64 = 200;
/// The pause between two attempts.
const INTERVAL: Duration = Duration::from_millis(50);

/// How long to wait for another writer, and how to report it.
#[derive(Clone)]
pub struct LockTimeout {
    wait: Duration,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
}

impl LockTimeout {
    /// Waits up to `wait` and reports it once.
    pub fn new(wait: Duration, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        LockTimeout { wait, tell: Arc::new(tell) }
    }

    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// Reports a message where waiting is reported.
    pub fn tell(&self, text: &str) {
        (self.tell)(text);
    }

    /// Does not wait.
    pub fn none() -> Self {
        LockTimeout::new(Duration::ZERO, |_| {})
    }
}

impl std::fmt::Debug for LockTimeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LockTimeout").field("wait", &self.wait).finish_non_exhaustive()
    }
}

/// The process that writes to a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Holder {
    pub process: u32,
    /// When it took the lock.
    pub since: Timestamp,
}

impl Holder {
    /// The process that writes to a namespace now. `Some(None)` if there is one and its id is unknown.
    pub fn of(namespace: &Namespace) -> Option<Option<Self>> {
        let path = lock_path(namespace);
        // Opening a pipe could wait forever.
        let file = open_file_itself(&path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(Holder::read(&path)),
            // On a system without locks, writers are invisible.
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }

    fn read(path: &Path) -> Option<Self> {
        let mut text = String::new();
        open_file_itself(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
        Holder::parse(&text)
    }

    fn parse(text: &str) -> Option<Self> {
        let (process, since) = text.trim().strip_prefix("process ")?.split_once(" since ")?;
        Some(Holder { process: process.parse().ok()?, since: since.parse().ok()? })
    }

    /// `process 4711 since 14:02:11, 3 minutes ago`.
    pub fn in_words(&self, now: &Zoned) -> String {
        format!("process {} since {}", self.process, crate::text::moment(self.since, now))
    }
}

fn in_words(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another kb".to_owned(), |holder| holder.in_words(&Zoned::now()))
}

fn lock_path(namespace: &Namespace) -> PathBuf {
    namespace.root().join("lock")
}

/// The lock is held until this is dropped.
#[derive(Debug)]
pub(super) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Takes the lock of a namespace, and creates its folder if necessary.
    pub(super) async fn take_or_create(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Self> {
        WriterLock::wait_for(namespace, lock_timeout, WriterLock::try_take_or_create).await
    }

    /// Takes the lock of a namespace that exists.
    pub(super) async fn take(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Self> {
        WriterLock::wait_for(namespace, lock_timeout, WriterLock::try_take).await
    }

    async fn wait_for(
        namespace: &Namespace,
        lock_timeout: &LockTimeout,
        try_take: fn(&Namespace) -> Result<Option<Self>>,
    ) -> Result<Self> {
        let started = Instant::now();
        let mut reported = false;
        record_event(Event::Begun, namespace.store());
        loop {
            if let Some(lock) = try_take(namespace)? {
                return Ok(lock);
            }
            let holder = Holder::read(&lock_path(namespace));
            if started.elapsed() >= lock_timeout.wait.max(SHORTEST_WAIT) {
                return Err(busy(namespace, holder.as_ref(), lock_timeout.wait));
            }
            if !reported && started.elapsed() >= SHORTEST_WAIT {
                (lock_timeout.tell)(&format!(
                    "the namespace {:?} is being written by {}; waiting",
                    namespace.name(),
                    in_words(holder.as_ref())
                ));
                reported = true;
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Takes the lock of a namespace that exists, if it is free.
    pub(super) fn try_take(namespace: &Namespace) -> Result<Option<Self>> {
        let file = open_lock(namespace)?.ok_or_else(|| namespace.nothing_ingested())?;
        WriterLock::try_lock(file, namespace)
    }

    /// Takes the lock if it is free, and creates the folder of the namespace if necessary. `None` also if another
    /// process has renamed or removed the folder meanwhile: the next attempt creates it again.
    pub(super) fn try_take_or_create(namespace: &Namespace) -> Result<Option<Self>> {
        let root = namespace.root();
        std::fs::create_dir_all(root).map_err(|error| Error::io("create the store", root, &error))?;
        open_lock(namespace)?.map_or(Ok(None), |file| WriterLock::try_lock(file, namespace))
    }

    fn try_lock(mut file: File, namespace: &Namespace) -> Result<Option<Self>> {
        let path = lock_path(namespace);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, &error)),
        }
        // The namespace may have been renamed or removed between opening and locking: then this locks another one.
        if !is_file_at(&file, &path) {
            return Ok(None);
        }
        let holder = format!("process {} since {}\n", std::process::id(), Timestamp::now());
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(holder.as_bytes()))
            .map_err(|error| Error::io("write", &path, &error))?;
        Ok(Some(WriterLock { _file: file }))
    }
}

/// Opens or creates the file that is locked. `None` if the namespace has no folder.
fn open_lock(namespace: &Namespace) -> Result<Option<File>> {
    if let Some(format) = Format::read(namespace.store())? {
        format.must_be_writable(namespace.store())?;
    }
    let path = lock_path(namespace);
    or_none(open_in_place(&path)).map_err(|error| Error::io("open", &path, &error))
}

fn busy(namespace: &Namespace, holder: Option<&Holder>, waited: Duration) -> Error {
    let (name, holder) = (namespace.name(), in_words(holder));
    if waited.is_zero() {
        return Error::locked(format!("the namespace {name:?} is being written by {holder}")).hint(format!(
            "run the command again when it has finished, or wait for it with {} SECONDS",
            Setting("wait")
        ));
    }
    let waited = crate::text::count(usize::try_from(waited.as_secs()).unwrap_or(usize::MAX), "second");
    Error::locked(format!("after {waited} the namespace {name:?} is still being written by {holder}"))
        .hint("run the command again when it has finished, or wait longer")
}

/// Whether an open file still lies at a path. Where files have no identity, any file there is this one: such systems
/// rename no folder with an open file in it.
pub(super) fn is_file_at(file: &File, path: &Path) -> bool {
    let both = file.metadata().and_then(|open| Ok((open, std::fs::metadata(path)?)));
    both.is_ok_and(|(open, there)| is_same(&open, &there))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    #[test]
    fn a_folder_that_is_renamed_before_its_lock_is_opened_is_no_error() {
        let (_folder, namespace) = samples::namespace();
        assert!(matches!(open_lock(&namespace), Ok(None)), "renamed between the two steps of try_take_or_create");
        assert!(WriterLock::try_take(&namespace).is_err(), "a namespace that must exist");
        let lock = WriterLock::try_take_or_create(&namespace).unwrap();
        assert!(lock.is_some() && namespace.root().is_dir());
    }

    #[test]
    fn a_holder_is_described() {
        let holder = Holder::parse("process 4711 since 2026-11-21T14:02:11.123456Z\n").unwrap();
        let at = |time: &str| time.parse::<Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        assert_eq!(holder.in_words(&at("2026-11-21T14:05:20Z")), "process 4711 since 14:02:11, 3 minutes ago");
        assert_eq!(
            holder.in_words(&at("2026-11-22T15:00:00Z")),
            "process 4711 since 2026-11-21 14:02:11, 24 hours ago"
        );
        for bad in ["", "process", "process x since y", "process 1 since yesterday"] {
            assert_eq!(Holder::parse(bad), None, "{bad:?}");
        }
    }
}

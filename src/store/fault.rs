//! Injects faults for tests of crashes and full disks. Builds without debug assertions inject none.

use std::fs::{File, TryLockError};
use std::path::Path;

#[cfg(all(debug_assertions, unix))]
use super::power_loss;
use crate::error::Result;

/// The steps of a publication, in order. Tests inject a fault at each.
pub const STEPS: &[&str] = &[
    "begun",
    "documents deleted",
    "sections deleted",
    "chunks deleted",
    "documents written",
    "sections written",
    "chunks written",
    "entities written",
    "tables compacted",
    "tables indexed",
    "keyword written",
    "history written",
    "tables synced",
    "pending written",
    "keyword committed",
    "published",
    "history pruned",
];

/// The additional steps of a publication that restores an older generation.
#[cfg(debug_assertions)]
pub const RESTORE_STEPS: &[&str] = &["tables restored", "keyword moved aside"];

/// The additional steps of a publication that writes all documents again with the vectors of another model.
pub const REWRITE_STEPS: &[&str] = &["tables emptied", "rows written again"];

/// Marks a step of a publication. Does nothing unless a test asks for a fault at this step: `KB_TEST_FAULT=KIND:STEP`.
#[cfg(debug_assertions)]
pub(super) fn step(name: &str) -> Result<()> {
    debug_assert!(
        [STEPS, RESTORE_STEPS, REWRITE_STEPS].concat().contains(&name),
        "{name:?} is missing from STEPS: no test would go through it"
    );
    let Ok(fault) = std::env::var("KB_TEST_FAULT") else { return Ok(()) };
    match fault.split_once(':') {
        Some((kind, step)) if step == name => debug::fault(kind, name),
        _ => Ok(()),
    }
}

#[cfg(not(debug_assertions))]
pub(super) fn step(_name: &str) -> Result<()> {
    Ok(())
}

/// What a test of power losses has to know.
pub(super) enum Event {
    /// A writer begins. What exists counts as synced.
    Begun,
    SyncedFile,
    SyncedFolder,
}

/// Records an event in a store or one of its files and folders if a test asks for a power loss.
#[cfg(all(debug_assertions, unix))]
pub(super) fn record_event(event: Event, path: &Path) {
    if std::env::var("KB_TEST_FAULT").is_ok_and(|fault| fault.starts_with(debug::POWER)) {
        let noted = match event {
            Event::Begun => power_loss::begin(path),
            Event::SyncedFile => power_loss::synced(path),
            Event::SyncedFolder => power_loss::synced_folder(path),
        };
        noted.expect("a test can watch its own scratch folder");
    }
}

#[cfg(not(all(debug_assertions, unix)))]
pub(super) fn record_event(_event: Event, _path: &Path) {}

/// Locks a file unless a test asks for a file system without locks.
pub(super) fn try_lock(file: &File) -> std::result::Result<(), TryLockError> {
    #[cfg(debug_assertions)]
    debug::refuse_locks().map_err(TryLockError::Error)?;
    file.try_lock()
}

#[cfg(debug_assertions)]
mod debug {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use crate::error::{Error, Result};
    #[cfg(unix)]
    use crate::store::power_loss;

    /// The prefix of the power-loss kinds; the rest of the kind says what is lost.
    pub(super) const POWER: &str = "power-";
    /// While this file exists, the process waits.
    const PAUSE: &str = "KB_TEST_PAUSE";
    /// A process never waits longer, even if its test has ended.
    const LONGEST_PAUSE: Duration = Duration::from_secs(120);

    /// Set by a step: from then on the file system seems to have no locks.
    static NO_LOCKS: AtomicBool = AtomicBool::new(false);

    pub(super) fn refuse_locks() -> std::io::Result<()> {
        if NO_LOCKS.load(Ordering::Relaxed) { Err(std::io::ErrorKind::Unsupported.into()) } else { Ok(()) }
    }

    pub(super) fn fault(kind: &str, step: &str) -> Result<()> {
        match kind {
            // As `kill -9` would.
            "abort" => std::process::abort(),
            "fail" => Err(Error::failed(format!("no space left on the disk (a test's fault at {step:?})"))),
            "full" => fill(),
            "pause" => pause(),
            "no-locks" => {
                NO_LOCKS.store(true, Ordering::Relaxed);
                Ok(())
            }
            #[cfg(unix)]
            _ if let Some(loss) = kind.strip_prefix(POWER).and_then(power_loss::Loss::of) => {
                power_loss::strike(loss).map_err(|error| Error::failed(format!("no power loss: {error}")))?;
                std::process::abort()
            }
            _ => Err(Error::usage(format!("KB_TEST_FAULT has no fault {kind:?}"))),
        }
    }

    /// Makes the system refuse every further byte to any file.
    #[cfg(unix)]
    fn fill() -> Result<()> {
        let nothing = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        rustix::process::setrlimit(rustix::process::Resource::Fsize, nothing)
            .map_err(|error| Error::failed(format!("cannot limit the size of files: {error}")))
    }

    #[cfg(not(unix))]
    fn fill() -> Result<()> {
        Err(Error::failed("only Unix can limit the size of files"))
    }

    /// Waits while a test changes the disk.
    fn pause() -> Result<()> {
        let Some(mark) = std::env::var_os(PAUSE) else {
            return Err(Error::usage(format!("{PAUSE} names no file")));
        };
        let mark = Path::new(&mark);
        std::fs::write(mark, "").map_err(|error| Error::io("write", mark, &error))?;
        let started = Instant::now();
        while mark.exists() && started.elapsed() < LONGEST_PAUSE {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}

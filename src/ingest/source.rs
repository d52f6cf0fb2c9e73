//! Reads and parses sources, in several threads.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use tokio::sync::mpsc::{Receiver, channel};

use super::web::is_file;
use super::worker::{Reading, Worker};
use crate::error::{Error, Result, Setting};
use crate::load::Format;
use crate::paths::{lies_in, open_file};

/// The number of attempts to read a file that changes meanwhile.
const ATTEMPTS: usize = 3;
/// Results in the queue, per thread. The bound keeps memory independent of the number of files.
const QUEUE_PER_THREAD: usize = 4;

/// Does `work` on each item, in threads with a worker process each. Every item has an outcome, which is an error if the
/// work panics; they come in any order. The threads stop when the receiver is dropped.
pub(super) fn in_worker_threads<T: Send + 'static, R: Send + 'static>(
    items: Vec<T>,
    reading: &Reading,
    work: impl Fn(&T, &mut Worker) -> Result<R> + Send + Sync + 'static,
) -> Receiver<(T, Result<R>)> {
    let jobs = reading.jobs.max(1).min(items.len().max(1));
    let (sender, receiver) = channel(jobs * QUEUE_PER_THREAD);
    let (items, work) = (Arc::new(Mutex::new(items.into_iter())), Arc::new(work));
    for _ in 0..jobs {
        let (items, work, sender, reading) = (items.clone(), work.clone(), sender.clone(), reading.clone());
        tokio::task::spawn_blocking(move || {
            let mut worker = Worker::new(&reading);
            loop {
                let item = items.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(item) = item else { break };
                let done = catch_unwind(AssertUnwindSafe(|| work(&item, &mut worker))).unwrap_or_else(|_| {
                    worker = Worker::new(&reading);
                    Err(Error::failed("kb crashed while it read this source").hint("report this, with the file"))
                });
                // The run has failed and dropped the receiver.
                if sender.blocking_send((item, done)).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// Whether a source without text is a document all the same. For standard input and pages on the web it is an error.
pub(super) fn may_be_empty(source: &str, format: Format) -> bool {
    is_file(source) && format.may_be_empty()
}

/// The next step for a source that cannot be read.
pub(super) fn skip() -> String {
    format!("skip it with {}", Setting("exclude"))
}

/// The next step for a source that the system does not let kb read.
pub(super) fn check_permissions() -> String {
    format!("check its permissions, or {}", skip())
}

/// The time of the last change, in nanoseconds since 1970; 0 if the system does not know.
pub(super) fn mtime_ns(facts: &std::fs::Metadata) -> i64 {
    let since = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

/// The next step for a source that is too large.
pub(super) fn raise_limit() -> String {
    format!("raise the limit with {} MB", Setting("max_file_size"))
}

/// Reads a file of at most `most` bytes, and the time of its last change. Tries again if the file changes
/// meanwhile. `within` are the folders that it must lie in, wherever links lead by now; empty for any.
pub(super) fn read_consistent(path: &Path, within: &[PathBuf], most: u64) -> Result<(Vec<u8>, i64)> {
    let failed = |error: std::io::Error| {
        let plain = crate::error::plain_io(&error);
        Error::failed(format!("cannot be read: {plain}")).hint(check_permissions())
    };
    for _ in 0..ATTEMPTS {
        let mut file = open_file(path).map_err(failed)?;
        if !within.is_empty() && !lies_in(&file, path, within).map_err(failed)? {
            let folders: Vec<String> = within.iter().map(|folder| folder.display().to_string()).collect();
            return Err(Error::failed(format!("a link leads out of {}", folders.join(" and "))).hint(skip()));
        }
        let before = file.metadata().map_err(failed)?;
        if before.len() > most {
            return Err(Error::failed("grew over the limit while kb read it").hint(raise_limit()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or_default());
        file.by_ref().take(most).read_to_end(&mut bytes).map_err(failed)?;
        let after = file.metadata().map_err(failed)?;
        if before.len() == after.len() && bytes.len() as u64 == after.len() && mtime_ns(&before) == mtime_ns(&after) {
            return Ok((bytes, mtime_ns(&after)));
        }
    }
    Err(Error::failed("changed while kb read it").hint("run the command again when no program writes to it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::worker::Limits;
    use crate::load::LoadOptions;

    #[tokio::test]
    async fn each_item_has_an_outcome_even_if_its_work_panics() {
        let second = std::time::Duration::from_secs(1);
        let limits = Limits { file: second, page: second, memory: 1 << 20 };
        let reading = Reading { load: LoadOptions::default(), limits, jobs: 3 };
        let work = |item: &u32, _: &mut Worker| match item {
            0..7 => Ok(item * 2),
            7 => panic!("a loader crashed"),
            _ => Err(Error::failed("unreadable")),
        };
        let mut results = in_worker_threads((0..10).collect(), &reading, work);
        let mut outcomes = Vec::new();
        while let Some((item, done)) = results.recv().await {
            outcomes.push((item, done.map_err(|error| error.message().to_owned())));
        }
        outcomes.sort_by_key(|(item, _)| *item);
        assert_eq!(outcomes.len(), 10);
        assert!(outcomes[..7].iter().all(|(item, done)| *done == Ok(item * 2)));
        assert!(outcomes[7].1.as_ref().unwrap_err().contains("crashed"));
        assert_eq!(outcomes[8].1, Err("unreadable".to_owned()));
    }
}

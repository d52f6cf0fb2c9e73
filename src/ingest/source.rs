//! Reads and parses sources, in several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use tokio::sync::mpsc::{Receiver, channel};

use crate::error::{Error, Result, Setting};
use crate::load::worker::{Limits, Worker};
use crate::load::{Document, Format, LoadOptions, parse};

/// Results that wait to be taken, per thread: memory does not grow with the number of files.
const QUEUE_PER_THREAD: usize = 4;

/// Does `work` for each item in up to `jobs` threads, each with a worker process of its own. Every item comes out of the
/// channel with its result, in any order; one whose work panics comes out as an error. When the receiver is dropped, the
/// threads stop.
pub(super) fn spread<T, R>(
    items: Vec<T>,
    jobs: usize,
    limits: Limits,
    work: impl Fn(&T, &mut Worker) -> Result<R> + Send + Sync + 'static,
) -> Receiver<(T, Result<R>)>
where
    T: Clone + Send + Sync + 'static,
    R: Send + 'static,
{
    let jobs = jobs.max(1).min(items.len().max(1));
    let (sender, receiver) = channel(jobs * QUEUE_PER_THREAD);
    let (items, work, next) = (Arc::new(items), Arc::new(work), Arc::new(AtomicUsize::new(0)));
    for _ in 0..jobs {
        let (items, work, next, sender) = (items.clone(), work.clone(), next.clone(), sender.clone());
        tokio::task::spawn_blocking(move || {
            let mut worker = Worker::new(limits);
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                let done = catch_unwind(AssertUnwindSafe(|| work(item, &mut worker))).unwrap_or_else(|_| {
                    worker = Worker::new(limits);
                    Err(Error::failed("kb crashed while it read this source").hint("report this, with the file"))
                });
                // The receiver is gone only after it failed.
                if sender.blocking_send((item.clone(), done)).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// Parses bytes, those of hostile formats in the worker process. Without a format the first bytes decide.
pub(super) fn parse_bytes(
    bytes: &[u8],
    format: Option<Format>,
    options: &LoadOptions,
    worker: &mut Worker,
) -> Result<Document> {
    if bytes.is_empty() {
        return Err(Error::failed("the file is empty").hint(skip(", or delete it")));
    }
    let format = format.or_else(|| Format::sniff(bytes)).ok_or_else(|| {
        Error::failed("cannot recognise the format").hint(format!(
            "name it with {} {}",
            Setting("as"),
            Format::names("|")
        ))
    })?;
    let document = match format {
        _ if format.needs_worker() => worker.parse(bytes, format, options)?,
        _ => parse(bytes, format, options)?,
    };
    if !document.has_text() {
        return Err(Error::failed("there is no text in it").hint(skip(", or delete it")));
    }
    Ok(document)
}

/// The next step for a source without content.
fn skip(or_else: &str) -> String {
    format!("skip it with {}{or_else}", Setting("exclude"))
}

/// The time of the last change, in nanoseconds since 1970; 0 if the system does not know.
pub(super) fn mtime_ns(facts: &std::fs::Metadata) -> i64 {
    facts
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

/// The next step for a source that is too large.
pub(super) fn raise_limit() -> String {
    format!("raise the limit with {} MB", Setting("max_file_size"))
}

/// Reads a file that must not change meanwhile, and the time of its last change.
pub(super) fn read_steadily(path: &Path, most: u64) -> Result<(Vec<u8>, i64)> {
    let facts = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io("read", path, &error));
    for _ in 0..3 {
        let before = facts(path)?;
        if before.len() > most {
            return Err(Error::failed("grew over the limit while it was read").hint(raise_limit()));
        }
        let bytes = std::fs::read(path).map_err(|error| {
            let plain = crate::error::plain_io(&error);
            Error::failed(format!("cannot be read: {plain}")).hint(format!("check its permissions, or {}", skip("")))
        })?;
        let after = facts(path)?;
        if before.len() == after.len() && bytes.len() as u64 == after.len() && mtime_ns(&before) == mtime_ns(&after) {
            return Ok((bytes, mtime_ns(&after)));
        }
    }
    Err(Error::failed("changes while it is read").hint("run the command again when nothing writes to it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_item_comes_out_even_if_its_work_panics() {
        let second = std::time::Duration::from_secs(1);
        let limits = Limits { file: second, page: second, memory: 1 << 20 };
        let work = |item: &u32, _: &mut Worker| match item {
            0..7 => Ok(item * 2),
            7 => panic!("a loader crashed"),
            _ => Err(Error::failed("unreadable")),
        };
        let mut results = spread((0..10).collect(), 3, limits, work);
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

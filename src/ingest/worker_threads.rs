//! Works on sources in several threads, each with a worker process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::{Receiver, channel};

use super::worker::{Reading, Worker};
use crate::error::{Error, Result};

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

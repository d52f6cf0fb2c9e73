//! Work that takes long per file, spread over threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::{Receiver, channel};

use crate::load::worker::{Limits, Worker};

/// How many results may wait to be taken, per thread: memory does not grow with the number of files.
const QUEUE_PER_THREAD: usize = 4;

/// Does `work` for each of `items` in up to `jobs` threads, each with a worker process of its own, and gives the end
/// of the channel where the results come out, in any order. When that end is dropped, the threads stop.
pub(super) fn spread<T, R>(
    items: Vec<T>,
    jobs: usize,
    limits: Limits,
    work: impl Fn(&T, &mut Worker) -> R + Send + Sync + 'static,
) -> Receiver<R>
where
    T: Send + Sync + 'static,
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
                // The other end is gone only where it failed, and then there is nothing left to do.
                if sender.blocking_send(work(item, &mut worker)).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

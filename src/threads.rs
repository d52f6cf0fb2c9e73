//! Work on several threads.

use crate::error::{Error, Result};

/// Threads that the machine offers.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on `threads` threads and collects the results in order. `crashed` is the error for a thread that panics.
pub fn in_threads<T: Send>(
    threads: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
    crashed: impl Fn() -> Error,
) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
    })
}

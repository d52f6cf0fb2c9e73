//! Catches crashes of libraries on damaged files, and hides the message that Rust writes of them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

thread_local! {
    /// Whether a crash of this thread is caught here.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Hides the messages of crashes that are caught here. For the program: in another one, the hook is not ours.
pub fn hide_caught_crashes() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_CAUGHT.get() {
            before(panic);
        }
    }));
}

/// Runs a library on files that may be damaged; `None` if it crashes.
pub fn catch_crash<T>(run: impl FnOnce() -> T) -> Option<T> {
    let outer = IS_CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    IS_CAUGHT.set(outer);
    done.ok()
}

/// Like [`catch_crash`], for a future. Crashes of tasks that it starts are not caught.
pub async fn catch_crash_in<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let poll = std::future::poll_fn(|context| match catch_crash(|| work.as_mut().poll(context)) {
        Some(polled) => polled.map(Some),
        None => Poll::Ready(None),
    });
    poll.await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn crash() -> u8 {
        tokio::task::yield_now().await;
        assert!(IS_CAUGHT.get(), "also after a pause");
        panic!("inside")
    }

    #[tokio::test]
    async fn a_crash_of_a_library_is_caught() {
        assert_eq!(catch_crash(|| 1), Some(1));
        assert_eq!(catch_crash(|| -> u8 { panic!("inside") }), None);
        assert_eq!(catch_crash_in(crash()).await, None);
        assert_eq!(catch_crash_in(async { 1 }).await, Some(1));
        assert!(!IS_CAUGHT.get(), "other crashes are shown");
    }
}

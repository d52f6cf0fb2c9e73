//! Turns a crash inside an engine into an error.
//!
//! A model is untrusted input, and some models break an engine. ONNX Runtime returns an error; tract sometimes panics.
//! `ort` calls tract as it calls the C library, so such a panic cannot unwind: Rust aborts the process with a page of
//! text. A program registers [`on_engine_crash`] to end with its own message. All other panics become errors.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::engine::other_engine;
use crate::error::{Error, Result};

thread_local! {
    /// The model that this thread runs in an engine.
    static RUNNING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Held by the thread that ends the process: several threads may crash at the same time, and one message is enough.
static ENDING: Mutex<()> = Mutex::new(());

/// Calls `end` on the crashed thread when an engine crashes, and writes no panic message. `end` should end the process;
/// if it returns, the process may abort.
pub fn on_engine_crash(end: impl Fn(&Error) + Send + Sync + 'static) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match RUNNING.with_borrow(Clone::clone) {
        Some(what) => {
            let _held = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
            end(&crashed(&what));
        }
        None => before(panic),
    }));
}

/// Runs an engine. `what` names the model for the error that a crash becomes.
pub(super) fn catch_crash<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    RUNNING.set(Some(what.to_owned()));
    let done = catch_unwind(AssertUnwindSafe(run));
    RUNNING.set(None);
    done.unwrap_or_else(|_| Err(crashed(what)))
}

fn crashed(what: &str) -> Error {
    Error::failed(format!("{what} crashed the engine that ran it"))
        .hint(format!("the model is broken or of another kind; {}", other_engine()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_an_engine_becomes_an_error() {
        let result: Result<()> = catch_crash("the model in x", || panic!("inside"));
        assert!(result.unwrap_err().message().contains("the model in x crashed"));
        assert_eq!(catch_crash("it", || Ok(1)).unwrap(), 1);
        assert!(RUNNING.with_borrow(Option::is_none));
    }
}

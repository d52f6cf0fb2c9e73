//! Turns a crash inside an engine into an error.
//!
//! A model is input like any other, and engines do not survive every one. ONNX Runtime answers with an error; tract
//! panics here and there. `ort` calls tract as it calls the C library, so such a panic cannot unwind: Rust aborts the
//! process with a page of text. A program that wants to end in its own words registers [`on_engine_crash`]; every other
//! panic becomes an error.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result, Setting};

thread_local! {
    /// What this thread runs inside an engine.
    static RUNNING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Held by the thread that ends the process: several may run the same model and crash at the same time, and one line is
/// enough.
static ENDING: Mutex<()> = Mutex::new(());

/// Passes a crash inside an engine to `end`, on the crashed thread, instead of writing it to standard error. `end` ends
/// the process; if it returns, the process may abort.
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
pub(super) fn guarded<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    RUNNING.set(Some(what.to_owned()));
    let done = catch_unwind(AssertUnwindSafe(run));
    RUNNING.set(None);
    done.unwrap_or_else(|_| Err(crashed(what)))
}

fn crashed(what: &str) -> Error {
    Error::failed(format!("{what} crashed the engine that ran it")).hint(format!(
        "the model is broken or of another kind; try the other engine ({}), or another model",
        Setting("onnxruntime")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_an_engine_becomes_an_error() {
        let result: Result<()> = guarded("the model in x", || panic!("inside"));
        assert!(result.unwrap_err().message().contains("the model in x crashed"));
        assert_eq!(guarded("it", || Ok(1)).unwrap(), 1);
        assert!(RUNNING.with_borrow(Option::is_none));
    }
}

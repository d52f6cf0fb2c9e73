//! What becomes of a crash inside an engine.
//!
//! A model that somebody names is input like any other, and engines do not survive every one. ONNX Runtime answers with
//! an error; tract panics here and there, and because `ort` calls it as it calls the C library, such a panic cannot
//! unwind through: Rust ends the process with a page of text. So a program that wants to end in its own words says so
//! ([`on_engine_crash`]), and everything else that panics becomes an error.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};

thread_local! {
    /// What this thread runs inside an engine.
    static RUNNING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Has a crash inside an engine told to `end`, on the thread that crashed, instead of written to standard error. After
/// `end` the process may end anyway.
pub fn on_engine_crash(end: impl Fn(&Error) + Send + Sync + 'static) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match RUNNING.with_borrow(Clone::clone) {
        Some(what) => end(&crashed(&what)),
        None => before(panic),
    }));
}

/// Runs an engine. `what` is what it runs, for the error that a crash becomes.
pub(super) fn guarded<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    RUNNING.set(Some(what.to_owned()));
    let done = catch_unwind(AssertUnwindSafe(run));
    RUNNING.set(None);
    done.unwrap_or_else(|_| Err(crashed(what)))
}

fn crashed(what: &str) -> Error {
    Error::failed(format!("{what} crashed the engine that ran it"))
        .hint("the model is broken or not of this kind; try the other engine (--onnxruntime), or another model")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_an_engine_is_an_error() {
        let result: Result<()> = guarded("the model in x", || panic!("inside"));
        assert!(result.unwrap_err().message().contains("the model in x crashed"));
        assert_eq!(guarded("it", || Ok(1)).unwrap(), 1);
        assert!(RUNNING.with_borrow(Option::is_none));
    }
}

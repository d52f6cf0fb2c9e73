//! Faults on purpose, for tests of what a crash leaves behind. Builds without debug assertions have none of it.

use crate::error::Result;

/// The variable that names a step and what happens at it: `abort:STEP` ends the process as `kill -9` would,
/// `fail:STEP` is an error of the disk.
#[cfg(debug_assertions)]
pub(super) const VARIABLE: &str = "KB_TEST_FAULT";

/// A step of a publication. Does nothing, unless a test asked for a fault at this one.
///
/// # Errors
/// The one that the test asked for.
#[cfg(debug_assertions)]
pub(super) fn step(name: &str) -> Result<()> {
    let Ok(fault) = std::env::var(VARIABLE) else { return Ok(()) };
    match fault.split_once(':') {
        Some(("abort", step)) if step == name => std::process::abort(),
        Some(("fail", step)) if step == name => {
            Err(crate::error::Error::failed(format!("no space left on the disk (a test's fault at {name:?})")))
        }
        _ => Ok(()),
    }
}

#[cfg(not(debug_assertions))]
pub(super) fn step(_name: &str) -> Result<()> {
    Ok(())
}

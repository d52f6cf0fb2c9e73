//! Notices to the user from code that has no result to add a note to. Each is given once per process.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

type Give = Box<dyn Fn(&str) + Send + Sync>;

static GIVE: OnceLock<Give> = OnceLock::new();
static GIVEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Registers where notices go. Only the first call counts; without one, notices are dropped.
pub fn give_with(give: impl Fn(&str) + Send + Sync + 'static) {
    GIVE.get_or_init(|| Box::new(give));
}

/// Gives a notice, unless it was given before.
pub fn give(text: &str) {
    let is_new = GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    if let Some(give) = GIVE.get().filter(|_| is_new) {
        give(text);
    }
}

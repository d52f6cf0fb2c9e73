//! Notices to the user from code that has no result to add a note to. Each is given once per command.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError, RwLock};

type Give = Box<dyn Fn(&str) + Send + Sync>;

static GIVE: RwLock<Option<Give>> = RwLock::new(None);
static GIVEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Registers where the notices of a command go, in place of the one before; without a call, notices are dropped.
pub fn give_with(give: impl Fn(&str) + Send + Sync + 'static) {
    *GIVE.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(give));
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Gives a notice, unless it was given before.
pub fn give(text: &str) {
    let is_new = GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    if let Some(give) = GIVE.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|_| is_new) {
        give(text);
    }
}

/// Whether the command has given any.
pub fn was_given() -> bool {
    !GIVEN.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
}

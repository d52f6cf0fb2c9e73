//! Notices to the user from code that has no result to add a note to. Each is given once per command.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError, RwLock};

type Give = Box<dyn Fn(&str) + Send + Sync>;

/// Where the notices of a command go, and those that it has given.
struct Notices {
    give: RwLock<Option<Give>>,
    given: Mutex<BTreeSet<String>>,
}

/// Those of the only command of the process.
static PROCESS_NOTICES: Notices = Notices { give: RwLock::new(None), given: Mutex::new(BTreeSet::new()) };

tokio::task_local! {
    /// Those of a command that runs beside others.
    static COMMAND_NOTICES: Notices;
}

/// Registers where the notices of a command go, in place of the one before; without a call, notices are dropped.
pub fn give_with(give: impl Fn(&str) + Send + Sync + 'static) {
    *PROCESS_NOTICES.give.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(give));
    PROCESS_NOTICES.given.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Runs a command that may run beside others. Its notices go to `give`; those of tasks that it starts do not.
pub async fn given_to<T>(give: impl Fn(&str) + Send + Sync + 'static, command: impl Future<Output = T>) -> T {
    let own = Notices { give: RwLock::new(Some(Box::new(give))), given: Mutex::default() };
    COMMAND_NOTICES.scope(own, command).await
}

/// Asks the notices of the command that runs here.
fn with_notices<T>(ask: impl Fn(&Notices) -> T) -> T {
    COMMAND_NOTICES.try_with(&ask).unwrap_or_else(|_| ask(&PROCESS_NOTICES))
}

/// Gives a notice, unless it was given before.
pub fn give(text: &str) {
    with_notices(|own| {
        let is_new = own.given.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
        if let Some(give) = own.give.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|_| is_new) {
            give(text);
        }
    });
}

/// Whether the command has given any.
pub fn was_given() -> bool {
    with_notices(|own| !own.given.lock().unwrap_or_else(PoisonError::into_inner).is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn commands_that_run_beside_each_other_have_their_own_notices() {
        let told: [Arc<Mutex<Vec<String>>>; 2] = Default::default();
        let command = |number: usize| {
            let to = told[number].clone();
            given_to(move |text| to.lock().unwrap().push(text.to_owned()), async move {
                give(&format!("of {number}"));
                tokio::task::yield_now().await;
                give("of both");
                give("of both");
                was_given()
            })
        };
        assert_eq!(tokio::join!(command(0), command(1)), (true, true));
        for (number, told) in told.iter().enumerate() {
            assert_eq!(*told.lock().unwrap(), [format!("of {number}"), "of both".to_owned()]);
        }
    }
}

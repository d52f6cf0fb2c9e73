//! Notices to the user from code without a result that could carry a note. Each is given once per command.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError, RwLock};

type Receiver = Box<dyn Fn(&str) + Send + Sync>;

/// The receiver of a command's notices, and those that were given.
struct Notices {
    receiver: RwLock<Option<Receiver>>,
    given: Mutex<BTreeSet<String>>,
}

/// For the only command of the process.
static PROCESS_NOTICES: Notices = Notices { receiver: RwLock::new(None), given: Mutex::new(BTreeSet::new()) };

tokio::task_local! {
    /// For one of several commands that run at a time.
    static COMMAND_NOTICES: Notices;
}

/// Sets the receiver of the next command's notices. Without one, notices are dropped.
pub fn set_receiver(receiver: impl Fn(&str) + Send + Sync + 'static) {
    *PROCESS_NOTICES.receiver.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(receiver));
    PROCESS_NOTICES.given.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Runs one of several commands. Its notices go to `receiver`; those of tasks that it starts do not.
pub async fn with_receiver<T>(receiver: impl Fn(&str) + Send + Sync + 'static, command: impl Future<Output = T>) -> T {
    let own = Notices { receiver: RwLock::new(Some(Box::new(receiver))), given: Mutex::default() };
    COMMAND_NOTICES.scope(own, command).await
}

/// Uses the notices of the running command.
fn with_notices<T>(use_notices: impl Fn(&Notices) -> T) -> T {
    COMMAND_NOTICES.try_with(&use_notices).unwrap_or_else(|_| use_notices(&PROCESS_NOTICES))
}

/// Gives a notice, unless it was given before.
pub fn give(text: &str) {
    with_notices(|own| {
        let is_new = own.given.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
        let receiver = own.receiver.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(receiver) = receiver.as_ref().filter(|_| is_new) {
            receiver(text);
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
            with_receiver(move |text| to.lock().unwrap().push(text.to_owned()), async move {
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

//! The one writer's lease. It is renewed while the writer works, and runs out by itself if the writer dies.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::objects::{Found, Objects, Version, is_away};
use crate::error::{Error, Result, Setting};
use crate::store::LockTimeout;

const NAME: &str = "lease.json";
/// How long a lease holds if it is not renewed.
const HOLDS: SignedDuration = SignedDuration::from_secs(60);
/// How far ahead a writer's clock may be; a lease that ends later counts for nothing.
const CLOCKS: SignedDuration = SignedDuration::from_secs(60);
/// How often it is renewed.
const RENEWED: Duration = Duration::from_secs(20);
/// The pause between two attempts to take it.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest lease, in bytes.
const LONGEST: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Held {
    /// Tells a lease from those of others.
    token: String,
    /// For people: `process 12 on build-3`.
    holder: String,
    until: Timestamp,
}

impl Held {
    /// Whether it holds now. One that would hold for longer than any is not honest, or its writer's clock is wrong.
    fn counts(&self) -> bool {
        let left = self.until.duration_since(Timestamp::now());
        left.is_positive() && left <= HOLDS + CLOCKS
    }

    fn prolonged(self) -> Self {
        Held { until: Timestamp::now() + HOLDS, ..self }
    }
}

/// The right to write to a store, until it is given back.
#[derive(Debug)]
pub struct Lease {
    objects: Objects,
    current: Arc<Mutex<(Held, Version)>>,
    renewing: JoinHandle<()>,
}

impl Lease {
    /// Takes the lease. Waits for another writer as long as `lock_timeout` says.
    ///
    /// # Errors
    /// If another writer holds it for longer, or the storage does not answer or refuses.
    pub async fn take(objects: &Objects, lock_timeout: &LockTimeout) -> Result<Self> {
        let (started, mut reported) = (Instant::now(), false);
        loop {
            let other = match Lease::try_take(objects).await? {
                Ok(current) => return Ok(Lease::renewed(objects, current)),
                Err(other) => other,
            };
            let holder = other.map_or_else(|| "another kb".to_owned(), |other| other.holder);
            let what = format!("{} is being written by {holder}", objects.address());
            if started.elapsed() >= lock_timeout.wait() {
                let hint = format!("run the command again later, or wait with {} SECONDS", Setting("wait"));
                return Err(Error::locked(what).hint(hint));
            }
            if !std::mem::replace(&mut reported, true) {
                lock_timeout.tell(&format!("{what}; waiting"));
            }
            sleep(PAUSE).await;
        }
    }

    /// The lease, or that of another writer, where it is known.
    async fn try_take(objects: &Objects) -> Result<Result<(Held, Version), Option<Held>>> {
        objects.become_store().await?;
        let replaced = match objects.value::<Held>(NAME, None, LONGEST).await {
            Ok(Found::New(held, _)) if held.counts() => return Ok(Err(Some(held))),
            Ok(Found::New(_, version)) => Some(version),
            Ok(Found::Nothing | Found::Same) => None,
            Err(error) if is_away(&error) => return Err(error),
            // What is no lease would stop every writer for ever.
            Err(_) => {
                objects.delete(NAME).await?;
                None
            }
        };
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
        let holder = format!("process {}{host}", std::process::id());
        let token = format!("{:032x}", fastrand::u128(..));
        let own = Held { token, holder, until: Timestamp::now() }.prolonged();
        Lease::put(objects, own, replaced).await
    }

    /// Puts a lease and looks who has it then.
    async fn put(
        objects: &Objects,
        own: Held,
        replaced: Option<Version>,
    ) -> Result<Result<(Held, Version), Option<Held>>> {
        let put = objects.put_own(NAME, &own, replaced, LONGEST, |there: &Held| there.token == own.token).await?;
        Ok(put.map(|version| (own, version)))
    }

    fn renewed(objects: &Objects, current: (Held, Version)) -> Self {
        let current = Arc::new(Mutex::new(current));
        let (own, kept) = (objects.clone(), current.clone());
        let renewing = tokio::spawn(async move {
            loop {
                sleep(RENEWED).await;
                let mut kept = kept.lock().await;
                let (held, version) = kept.clone();
                // Without a lease another writer may publish first, and what this one publishes is refused.
                if let Ok(Ok(renewed)) = Lease::put(&own, held.prolonged(), Some(version)).await {
                    *kept = renewed;
                }
            }
        });
        Lease { objects: objects.clone(), current, renewing }
    }

    /// Gives the lease back. A lease that cannot be given back runs out.
    pub async fn give_back(self) {
        self.renewing.abort();
        let (held, version) = self.current.lock().await.clone();
        let over = Held { until: Timestamp::UNIX_EPOCH, ..held };
        drop(self.objects.put_value(NAME, &over, Some(version)).await);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

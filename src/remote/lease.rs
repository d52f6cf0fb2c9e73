//! The lease of the one writer. It is renewed while the writer works, and expires if the writer dies.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::objects::{Found, Objects, Version, is_unavailable};
use crate::error::{Error, Result, Setting};
use crate::store::LockTimeout;

const NAME: &str = "lease.json";
/// How long a lease is valid if it is not renewed.
const LEASE_TIME: SignedDuration = SignedDuration::from_secs(60);
/// How far ahead a writer's clock may be; a lease that ends later is not valid.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(60);
/// How often it is renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(20);
/// The pause between two attempts to take it.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest lease, in bytes.
const LONGEST: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LeaseRecord {
    /// Random, to recognise the own lease.
    token: String,
    /// For people: `process 12 on build-3`.
    holder: String,
    until: Timestamp,
}

impl LeaseRecord {
    /// Whether it is valid now. If it ends later than any lease can, its writer's clock is wrong.
    fn is_valid(&self) -> bool {
        let left = self.until.duration_since(Timestamp::now());
        left.is_positive() && left <= LEASE_TIME + CLOCK_TOLERANCE
    }

    fn extended(self) -> Self {
        LeaseRecord { until: Timestamp::now() + LEASE_TIME, ..self }
    }
}

/// The right to write to a store, until it is released.
#[derive(Debug)]
pub struct Lease {
    objects: Objects,
    current: Arc<Mutex<(LeaseRecord, Version)>>,
    renewing: JoinHandle<()>,
}

impl Lease {
    /// Takes the lease. Waits for another writer up to `lock_timeout`.
    ///
    /// # Errors
    /// If another writer holds it longer than that, or the storage does not answer or refuses.
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

    /// Takes the lease. `Err` has that of another writer, if it can be read.
    async fn try_take(objects: &Objects) -> Result<Result<(LeaseRecord, Version), Option<LeaseRecord>>> {
        objects.become_store().await?;
        let replaced = match objects.value::<LeaseRecord>(NAME, None, LONGEST).await {
            Ok(Found::New(held, _)) if held.is_valid() => return Ok(Err(Some(held))),
            Ok(Found::New(_, version)) => Some(version),
            Ok(Found::Nothing | Found::Same) => None,
            Err(error) if is_unavailable(&error) => return Err(error),
            // An object that is not a lease would stop every writer for ever.
            Err(_) => {
                objects.delete(NAME).await?;
                None
            }
        };
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
        let holder = format!("process {}{host}", std::process::id());
        let token = format!("{:032x}", fastrand::u128(..));
        let own = LeaseRecord { token, holder, until: Timestamp::now() }.extended();
        Lease::put(objects, own, replaced).await
    }

    async fn put(
        objects: &Objects,
        own: LeaseRecord,
        replaced: Option<Version>,
    ) -> Result<Result<(LeaseRecord, Version), Option<LeaseRecord>>> {
        let put =
            objects.put_own(NAME, &own, replaced, LONGEST, |there: &LeaseRecord| there.token == own.token).await?;
        Ok(put.map(|version| (own, version)))
    }

    fn renewed(objects: &Objects, current: (LeaseRecord, Version)) -> Self {
        let current = Arc::new(Mutex::new(current));
        let (own, kept) = (objects.clone(), current.clone());
        let renewing = tokio::spawn(async move {
            loop {
                sleep(RENEWAL_INTERVAL).await;
                let mut kept = kept.lock().await;
                let (held, version) = kept.clone();
                // Without a lease another writer may publish first, and what this one publishes is refused.
                if let Ok(Ok(renewed)) = Lease::put(&own, held.extended(), Some(version)).await {
                    *kept = renewed;
                }
            }
        });
        Lease { objects: objects.clone(), current, renewing }
    }

    /// If the storage does not answer, the lease expires later.
    pub async fn release(self) {
        self.renewing.abort();
        let (held, version) = self.current.lock().await.clone();
        let over = LeaseRecord { until: Timestamp::UNIX_EPOCH, ..held };
        drop(self.objects.put_value(NAME, &over, Some(version)).await);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

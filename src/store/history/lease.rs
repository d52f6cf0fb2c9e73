//! What keeps a generation while somebody reads it: a shared lock on its record. The lock is the operating system's,
//! so a dead reader holds nothing. Readers never wait for it and never fail for want of it: on a system without locks
//! they go on without, and the writer then leaves what was replaced within the hour.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;

use crate::store::layout::Namespace;
use crate::store::lock::is_at;

/// Held as long as a generation is read.
#[derive(Debug)]
pub(in crate::store) struct Lease {
    _file: Option<File>,
}

impl Lease {
    /// Takes a lease on a generation; `None` where it has no record, or is being taken away.
    pub(in crate::store) fn take(namespace: &Namespace, generation: u64) -> Option<Self> {
        let path = super::path(namespace, generation);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(_) => return Some(Lease { _file: None }),
        };
        match file.try_lock_shared() {
            // Between opening and locking, the record may have been removed.
            Ok(()) => is_at(&file, &path).then_some(Lease { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Lease { _file: None }),
        }
    }
}

/// What makes a generation one that is taken away: as long as it lives, nobody begins to read that.
#[derive(Debug)]
pub(super) struct Claim {
    _file: Option<File>,
}

impl Claim {
    /// The claim on a generation that has a record; `None` where somebody reads it. Where leases are not to be had or
    /// not to be relied on, `unread` decides.
    pub(super) fn on(namespace: &Namespace, generation: u64, leased: bool, unread: bool) -> Option<Self> {
        let locked = File::open(super::path(namespace, generation)).ok().filter(|_| leased).map(|file| {
            let outcome = file.try_lock();
            (file, outcome)
        });
        match locked {
            Some((file, Ok(()))) => Some(Claim { _file: Some(file) }),
            Some((_, Err(TryLockError::WouldBlock))) => None,
            Some((_, Err(TryLockError::Error(_)))) | None => unread.then_some(Claim { _file: None }),
        }
    }
}

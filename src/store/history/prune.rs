//! Takes away the generations that are no longer kept: the record first, then the versions of the tables that no
//! record names any more. A crash in between leaves versions that the next publication takes away.

use jiff::{SignedDuration, Timestamp};

use super::keeping::{Keeping, replaced};
use super::lease::Claim;
use super::{Record, records};
use crate::error::{Error, Result, or_gone};
use crate::store::fault::step;
use crate::store::layout::Namespace;
use crate::store::manifest::{Manifest, sync_folder};
use crate::store::tables::Tables;
use crate::store::versions::DamagedVersion;

/// Where it cannot be told whether a generation is read, it stays for so long after it was replaced: longer than a
/// command that reads takes.
const WITHOUT_LEASES: SignedDuration = SignedDuration::from_hours(1);

/// Takes away what `keeping` does not keep and nobody reads. The writer's lock must be held, and `published` be the
/// generation that was published last. Gives the versions that cannot be read, because of which others stay.
pub(in crate::store) async fn prune(
    namespace: &Namespace,
    tables: &Tables,
    published: &Manifest,
    keeping: &Keeping,
) -> Result<Vec<DamagedVersion>> {
    let now = Timestamp::now();
    let records = records(namespace, published.generation)?;
    let kept = keeping.kept(&records, now);
    let mut staying = vec![published];
    let mut newer: Option<&Record> = None;
    let mut removed = false;
    for record in &records {
        let generation = record.manifest.generation;
        let is_kept = kept.contains(&generation) || generation == published.generation;
        match if is_kept { None } else { claim(namespace, record, newer, now) } {
            None => staying.push(&record.manifest),
            Some(claim) => {
                remove(namespace, generation)?;
                drop(claim);
                removed = true;
            }
        }
        newer = Some(record);
    }
    if removed {
        sync_folder(&super::folder(namespace))?;
    }
    step("history pruned")?;
    tables.keep_only(&staying).await
}

/// The claim on a generation that was replaced by `newer`; `None` where it must stay, because somebody may read it.
fn claim(namespace: &Namespace, record: &Record, newer: Option<&Record>, now: Timestamp) -> Option<Claim> {
    // Readers that began before it had a record hold no lease.
    let leased = record.note.is_some();
    let replaced = newer.and_then(replaced);
    let long_ago = replaced.is_some_and(|replaced| now.duration_since(replaced) >= WITHOUT_LEASES);
    Claim::on(namespace, record.manifest.generation, leased, long_ago)
}

fn remove(namespace: &Namespace, generation: u64) -> Result<()> {
    let path = super::path(namespace, generation);
    or_gone(std::fs::remove_file(&path)).map_err(|error| Error::io("remove", &path, &error))
}

//! Which generations are kept, and the removal of the others: first the record, then the versions of the tables that no
//! record names. A crash in between leaves versions that the next publication removes.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use super::lease::Claim;
use super::{Record, records};
use crate::config::Config;
use crate::error::{Error, Result, or_gone};
use crate::store::fault::step;
use crate::store::layout::Namespace;
use crate::store::manifest::{Manifest, sync_folder};
use crate::store::tables::Tables;
use crate::store::versions::DamagedVersion;

/// How long generations are kept that were replaced, in hours: a week.
const DEFAULT_KEEP_HOURS: i64 = 7 * 24;
/// And how many, with the published one.
const DEFAULT_GENERATIONS: usize = 20;

/// What is kept beside the published generation: what was replaced less than so long ago, and is among the newest so
/// many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping {
    /// For how long, from when it was replaced.
    pub keep: SignedDuration,
    /// How many, the published one included. The generations that one run publishes in batches count as one.
    pub generations: usize,
}

impl Default for Keeping {
    fn default() -> Self {
        Keeping { keep: SignedDuration::from_hours(DEFAULT_KEEP_HOURS), generations: DEFAULT_GENERATIONS }
    }
}

impl Keeping {
    /// The settings of `kb.toml`, or the defaults.
    ///
    /// # Errors
    /// Where that file cannot be read or understood.
    pub(in crate::store) fn of(namespace: &Namespace) -> Result<Self> {
        let config = Config::read(namespace.store())?.history;
        let default = Keeping::default();
        Ok(Keeping {
            keep: config.keep.unwrap_or(default.keep),
            generations: config.generations.map_or(default.generations, usize::from),
        })
    }

    /// The numbers of those that are kept; `records` are all there are, the newest first, and the first of them is the
    /// published one.
    pub(super) fn kept(&self, records: &[Record], now: Timestamp) -> HashSet<u64> {
        let mut kept = HashSet::new();
        let mut newer: Option<&Record> = None;
        let mut runs = 0;
        for record in records {
            let is_part = newer.is_some_and(|newer| newer.begun_at.is_some() && newer.begun_at == record.begun_at);
            if !is_part {
                runs += 1;
                if newer.is_none_or(|newer| runs <= self.generations && self.is_young(replaced(newer), now)) {
                    kept.insert(record.manifest.generation);
                }
            }
            newer = Some(record);
        }
        kept
    }

    fn is_young(&self, replaced: Option<Timestamp>, now: Timestamp) -> bool {
        // What was replaced nobody knows when is kept by number alone.
        replaced.is_none_or(|replaced| now.duration_since(replaced) < self.keep)
    }
}

/// When the generation before `newer` was replaced by it.
pub(super) fn replaced(newer: &Record) -> Option<Timestamp> {
    newer.manifest.published_at.parse().ok()
}

/// How long a replaced generation stays where leases are unreliable: longer than a command that reads.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::manifest::{Manifest, ModelRecord};

    fn at(hour: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
    }

    /// Records of (generation, hour of publication, run), the newest first.
    fn records(of: &[(u64, i64, &str)]) -> Vec<Record> {
        let record = |&(generation, hour, run): &(u64, i64, &str)| Record {
            manifest: Manifest {
                generation,
                documents: 1,
                sections: 1,
                chunks: 1,
                entities: 1,
                model: ModelRecord { name: "m".into(), dimension: 4, fingerprint: "f".into() },
                published_at: at(hour).to_string(),
            },
            begun_at: (!run.is_empty()).then(|| run.to_owned()),
            note: None,
        };
        of.iter().map(record).collect()
    }

    fn kept(keep: i64, generations: usize, of: &[(u64, i64, &str)], now: i64) -> Vec<u64> {
        let keeping = Keeping { keep: SignedDuration::from_hours(keep), generations };
        let mut kept: Vec<u64> = keeping.kept(&records(of), at(now)).into_iter().collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn time_counts_from_when_a_generation_was_replaced() {
        // The first stood for a month, and must be there when its successor turns out to be wrong.
        let month = [(2, 720, "b"), (1, 0, "a")];
        assert_eq!(kept(24, 20, &month, 721), [1, 2]);
        assert_eq!(kept(24, 20, &month, 720 + 24), [2]);
    }

    #[test]
    fn the_published_one_is_kept_whatever_is_set() {
        let three = [(3, 2, "c"), (2, 1, "b"), (1, 0, "a")];
        assert_eq!(kept(0, 20, &three, 2), [3]);
        assert_eq!(kept(1000, 1, &three, 2), [3]);
        assert_eq!(kept(1000, 2, &three, 2), [2, 3]);
    }

    #[test]
    fn the_batches_of_a_run_count_as_one() {
        let batches = [(6, 5, "c"), (5, 4, "b"), (4, 3, "b"), (3, 2, "b"), (2, 1, "a"), (1, 0, "a")];
        assert_eq!(kept(1000, 3, &batches, 5), [2, 5, 6]);
        // Those of earlier versions are no run together.
        assert_eq!(kept(1000, 3, &[(3, 2, "c"), (2, 1, ""), (1, 0, "")], 2), [1, 2, 3]);
    }
}

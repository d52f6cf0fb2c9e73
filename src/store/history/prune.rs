//! Decides which generations are kept and removes the others: first the record, then the versions of the tables that no
//! record names. A crash in between leaves versions that the next publication removes.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use super::record::{Lease, Record, Removal, path, records, records_folder};
use crate::config::Config;
use crate::error::Result;
use crate::store::fault::step;
use crate::store::files::{remove_file, sync_folder};
use crate::store::layout::Namespace;
use crate::store::manifest::Manifest;
use crate::store::tables::Tables;
use crate::store::version_files::DamagedVersion;

/// How long replaced generations are kept: a week.
const DEFAULT_KEEP: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How many generations are kept, with the published one.
const DEFAULT_GENERATIONS: usize = 20;
/// The number of newest generations that stay at any age: a clock that jumps forward must not empty the history.
const FEWEST_BY_AGE: usize = 5;
/// How long a replaced generation stays after its record was lost and rebuilt: longer than any reading command runs,
/// because earlier readers hold no lease on it.
const WITHOUT_LEASES: SignedDuration = SignedDuration::from_hours(1);

/// Which generations are kept besides the published one: those within both limits. The newest few are never removed for
/// their age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Retention {
    /// For how long after a generation was replaced.
    keep: SignedDuration,
    /// How many, the published one included. The generations that one run publishes in batches count as one.
    generations: usize,
}

impl Retention {
    /// The settings of `kb.toml`, or the defaults.
    pub(in crate::store) fn of(namespace: &Namespace) -> Result<Self> {
        let config = Config::read(namespace.store())?.history;
        Ok(Retention {
            keep: config.keep.unwrap_or(DEFAULT_KEEP),
            generations: config.generations.map_or(DEFAULT_GENERATIONS, usize::from),
        })
    }

    /// The numbers of the kept generations. `records` are sorted from the published one back in time.
    fn kept(&self, records: &[Record], now: Timestamp) -> HashSet<u64> {
        let mut kept = HashSet::new();
        let mut newer: Option<&Record> = None;
        let mut runs = 0;
        for record in records {
            let is_batch = newer.is_some_and(|newer| newer.begun_at.is_some() && newer.begun_at == record.begun_at);
            if !is_batch {
                runs += 1;
                // A generation with an unknown or future time of replacement is limited by number alone.
                let is_young =
                    |newer: &Record| runs <= FEWEST_BY_AGE || age(newer, now).is_none_or(|age| age < self.keep);
                if newer.is_none_or(|newer| runs <= self.generations && is_young(newer)) {
                    kept.insert(record.manifest.generation);
                }
            }
            newer = Some(record);
        }
        kept
    }
}

/// How long ago a generation was published, and so replaced the one before it.
fn age(record: &Record, now: Timestamp) -> Option<SignedDuration> {
    record.manifest.published_at.parse().ok().map(|published| now.duration_since(published))
}

/// Generations that should have been removed and were not.
pub(in crate::store) struct Pruned {
    /// The unreadable versions, because of which older ones stay.
    pub(in crate::store) damaged: Vec<DamagedVersion>,
    /// Whether generations stay because it is unknown who reads them.
    pub(in crate::store) without_locks: bool,
}

/// Removes the generations that `retention` does not keep and no reader holds. The caller must hold the writer's lock,
/// and `published` must be the last generation.
pub(in crate::store) async fn prune(
    namespace: &Namespace,
    tables: &Tables,
    published: &Manifest,
    retention: &Retention,
) -> Result<Pruned> {
    let now = Timestamp::now();
    let records = records(namespace, published.generation)?;
    let kept = retention.kept(&records, now);
    let mut staying = vec![published];
    let mut newer: Option<&Record> = None;
    let (mut removed, mut without_locks) = (false, false);
    for record in &records {
        let generation = record.manifest.generation;
        let replaced_long_ago = newer.and_then(|newer| age(newer, now)).is_some_and(|age| age >= WITHOUT_LEASES);
        newer = Some(record);
        let stays = kept.contains(&generation)
            || generation == published.generation
            || (record.note.is_none() && !replaced_long_ago);
        let path = path(namespace, generation);
        match if stays { Removal::Read } else { Lease::to_remove(&path) } {
            Removal::Allowed(_lease) => {
                remove_file(&path)?;
                removed = true;
            }
            Removal::Read => staying.push(&record.manifest),
            Removal::Unknown => {
                staying.push(&record.manifest);
                without_locks = true;
            }
        }
    }
    if removed {
        sync_folder(&records_folder(namespace))?;
    }
    step("history pruned")?;
    Ok(Pruned { damaged: tables.keep_only(&staying).await?, without_locks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
    }

    /// Records of (generation, hour of publication, run), the newest first.
    fn records(of: &[(u64, i64, &str)]) -> Vec<Record> {
        let record = |&(generation, hour, run): &(u64, i64, &str)| Record {
            manifest: Manifest { published_at: at(hour).to_string(), ..Manifest::sample(generation) },
            begun_at: (!run.is_empty()).then(|| run.to_owned()),
            note: None,
        };
        of.iter().map(record).collect()
    }

    fn kept(keep: i64, generations: usize, of: &[(u64, i64, &str)], now: i64) -> Vec<u64> {
        let retention = Retention { keep: SignedDuration::from_hours(keep), generations };
        let mut kept: Vec<u64> = retention.kept(&records(of), at(now)).into_iter().collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn age_counts_from_the_replacement() {
        // The first was published for a month, and must still exist when its successor turns out to be wrong.
        let newer = [(7, 725, "g"), (6, 724, "f"), (5, 723, "e"), (4, 722, "d"), (3, 721, "c")];
        let month = [&newer[..], &[(2, 720, "b"), (1, 0, "a")]].concat();
        assert_eq!(kept(24, 20, &month, 726), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(kept(24, 20, &month, 720 + 24), [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_wrong_clock_does_not_empty_the_history() {
        let seven: Vec<(u64, i64, &str)> = ["g", "f", "e", "d", "c", "b", "a"]
            .into_iter()
            .zip((1..8).rev())
            .map(|(run, n)| (n, n as i64, run))
            .collect();
        let century = 100 * 365 * 24;
        assert_eq!(kept(24, 20, &seven, century), [3, 4, 5, 6, 7]);
        // The clock was ahead when they were published.
        assert_eq!(kept(24, 20, &seven, -century), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn the_batches_of_a_run_count_as_one() {
        let batches = [(6, 5, "c"), (5, 4, "b"), (4, 3, "b"), (3, 2, "b"), (2, 1, "a"), (1, 0, "a")];
        assert_eq!(kept(1000, 3, &batches, 5), [2, 5, 6]);
        // Rebuilt records do not count as one run.
        assert_eq!(kept(1000, 3, &[(3, 2, "c"), (2, 1, ""), (1, 0, "")], 2), [1, 2, 3]);
    }
}

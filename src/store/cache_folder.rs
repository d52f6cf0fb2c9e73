//! A folder of the store with results that are costly to compute: answers of language models, vectors of questions.
//!
//! Missing and damaged entries are computed again, and the folder may be deleted at any time. Entries are written whole
//! or not at all. If there are too many entries, those unused for the longest time are deleted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Zoned;

use super::files::{walk, write_whole};
use super::layout::{CACHE, Store};
use crate::error::or_none;
use crate::paths::{open_file_itself, read_at_most};

/// Checks for eviction on one write in 256: if the key ends like this.
const CHECK_AT: &str = "00";
/// The maximum length of an entry, in bytes.
const LONGEST: u64 = 1 << 20;

/// A folder of entries, each a file named after its key.
#[derive(Debug)]
pub struct CacheFolder {
    folder: PathBuf,
    ending: &'static str,
    most: usize,
}

impl CacheFolder {
    /// The folder `name` in a store, for about `most` files with the extension `ending`. The first entry creates it.
    pub fn of_store(store: &Path, name: &str, ending: &'static str, most: usize) -> Self {
        CacheFolder { folder: store.join(CACHE).join(name), ending, most }
    }

    /// The file of a key, which is a hash in hex.
    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{key}.{}", self.ending))
    }

    /// The bytes of a key; `None` if they cannot be read.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let file = open_file_itself(&self.file(key)).ok()?;
        let bytes = read_at_most(LONGEST, &file).ok()??;
        // Marks the entry as used. On a read-only disk nothing is evicted.
        drop(file.set_modified(SystemTime::now()));
        Some(bytes)
    }

    /// Stores the bytes of a key, replacing earlier ones.
    pub fn put(&self, key: &str, bytes: &[u8]) -> std::io::Result<()> {
        let file = self.file(key);
        std::fs::create_dir_all(self.folder.join(&key[..2]))?;
        write_whole(&file, |new| new.write_all(bytes))?;
        if key.ends_with(CHECK_AT) { self.clear_out() } else { Ok(()) }
    }

    /// Deletes the entries unused for the longest time, down to nine tenths of the maximum. Leftovers of crashes count
    /// as entries.
    fn clear_out(&self) -> std::io::Result<()> {
        // Follows no links, which may lead to files outside the cache.
        let files = walk(&self.folder).map_err(std::io::Error::other)?.into_iter().filter(|(_, facts)| facts.is_file());
        let entries = files.map(|(path, facts)| Ok((facts.modified()?, path)));
        let mut entries: Vec<(SystemTime, PathBuf)> = entries.collect::<std::io::Result<_>>()?;
        if entries.len() <= self.most {
            return Ok(());
        }
        entries.sort();
        let too_many = entries.len() - self.most * 9 / 10;
        for (_, file) in entries.into_iter().take(too_many) {
            or_none(std::fs::remove_file(file))?;
        }
        Ok(())
    }
}

/// The maximum number of notices that are shown once a day.
const MOST_SAID: usize = 100;

impl Store {
    /// Whether this is the first call for `what` today. Always true in a store that is not the user's own, where
    /// nothing is kept.
    pub fn is_first_today(&self, what: &str) -> bool {
        if !self.is_own() {
            return true;
        }
        let folder = CacheFolder::of_store(self.root(), "said", "day", MOST_SAID);
        let (key, today) = (blake3::hash(what.as_bytes()).to_hex().to_string(), Zoned::now().date().to_string());
        let said = folder.get(&key).is_some_and(|day| day == today.as_bytes());
        if !said {
            // On a read-only disk the notice is shown again.
            folder.put(&key, today.as_bytes()).unwrap_or_default();
        }
        !said
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use std::time::Duration;

    fn key(number: usize) -> String {
        blake3::hash(number.to_string().as_bytes()).to_hex().to_string()
    }

    #[test]
    fn an_entry_is_kept_until_it_is_replaced() {
        let store = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 10);
        assert_eq!(cache.get(&key(1)), None);
        assert!(!store.path().join(CACHE).exists(), "asking makes nothing");
        cache.put(&key(1), b"one").unwrap();
        cache.put(&key(1), b"two").unwrap();
        assert_eq!((cache.get(&key(1)).as_deref(), cache.get(&key(2))), (Some(b"two".as_slice()), None));
    }

    #[test]
    fn the_longest_unused_entry_is_evicted_first() {
        let store = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 10);
        for number in 0..12 {
            cache.put(&key(number), b"a").unwrap();
            let written = SystemTime::now() - Duration::from_secs(1000 - number as u64);
            File::open(cache.file(&key(number))).unwrap().set_modified(written).unwrap();
        }
        assert!(cache.get(&key(0)).is_some(), "which makes it young");
        cache.clear_out().unwrap();
        let left: Vec<usize> = (0..12).filter(|number| cache.get(&key(*number)).is_some()).collect();
        assert_eq!(left, [0, 4, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_among_the_entries_costs_no_file_behind_it() {
        let (store, precious) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 1);
        cache.put(&key(1), b"one").unwrap();
        for number in 0..5 {
            std::fs::write(precious.path().join(number.to_string()), "precious").unwrap();
        }
        std::os::unix::fs::symlink(precious.path(), cache.folder.join("zz")).unwrap();
        cache.clear_out().unwrap();
        assert_eq!(std::fs::read_dir(precious.path()).unwrap().count(), 5);
    }

    #[test]
    fn the_folder_stays_near_its_limit() {
        let store = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 20);
        let count = || (0..1000).filter(|number| cache.file(&key(*number)).exists()).count();
        let mut cleared = 0;
        for number in 0..1000 {
            cache.put(&key(number), b"a").unwrap();
            if key(number).ends_with(CHECK_AT) {
                assert!(count() <= 20, "{}", count());
                cleared += 1;
            }
        }
        assert!(cleared >= 2, "{cleared}");
    }
}

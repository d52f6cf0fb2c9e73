//! A folder of the store with what can be had again at a price: answers that were paid for, vectors of questions.
//!
//! Never a source of truth: what is missing, damaged or out of date is computed again, and the folder may be deleted at
//! any time. Entries are written whole or not at all, and what was not used for the longest time goes when there are too many.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::manifest::file_to_be;
use crate::error::or_gone;

/// The folder of all of them, in the store's.
const CACHE: &str = "cache";
/// Checks for eviction on one write in 256: those whose key ends so.
const LOOK_AT: &str = "00";
/// No entry is longer.
const LONGEST: u64 = 1 << 20;

/// A folder of entries, each a file that is called after its key.
#[derive(Debug)]
pub struct CacheFolder {
    folder: PathBuf,
    ending: &'static str,
    most: usize,
}

impl CacheFolder {
    /// The one of a store with this name, of about `most` files with an ending. Nothing is made before there is an entry.
    pub fn of_store(store: &Path, name: &str, ending: &'static str, most: usize) -> Self {
        CacheFolder { folder: store.join(CACHE).join(name), ending, most }
    }

    /// The file of a key, which is a hash in hex.
    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("00")).join(format!("{key}.{}", self.ending))
    }

    /// The bytes kept with a key. What cannot be read counts as none.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut file = File::open(self.file(key)).ok()?;
        let length = file.metadata().ok()?.len();
        if length > LONGEST {
            return None;
        }
        let mut bytes = Vec::with_capacity(length as usize);
        file.read_to_end(&mut bytes).ok()?;
        // What is used stays longer. A store that cannot be written to has no need for it.
        file.set_modified(SystemTime::now()).unwrap_or_default();
        Some(bytes)
    }

    /// Keeps bytes, in the place of what was kept with that key.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn put(&self, key: &str, bytes: &[u8]) -> std::io::Result<()> {
        let file = self.file(key);
        let folder = file.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder)?;
        let mut new = file_to_be(folder)?;
        new.write_all(bytes)?;
        new.persist(&file)?;
        if key.ends_with(LOOK_AT) { self.clear_out() } else { Ok(()) }
    }

    /// Deletes what was not used for the longest time, down to nine tenths of the most; and what crashes left.
    fn clear_out(&self) -> std::io::Result<()> {
        let mut entries: Vec<(SystemTime, PathBuf)> = Vec::new();
        for folder in std::fs::read_dir(&self.folder)? {
            let folder = folder?.path();
            if !folder.is_dir() {
                continue;
            }
            for file in std::fs::read_dir(folder)? {
                let file = file?;
                // Another process may have deleted it meanwhile.
                let Ok(facts) = file.metadata() else { continue };
                entries.push((facts.modified()?, file.path()));
            }
        }
        if entries.len() <= self.most {
            return Ok(());
        }
        entries.sort();
        let too_many = entries.len() - self.most * 9 / 10;
        for (_, file) in entries.into_iter().take(too_many) {
            or_gone(std::fs::remove_file(file))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn key(number: usize) -> String {
        blake3::hash(number.to_string().as_bytes()).to_hex().to_string()
    }

    #[test]
    fn an_entry_comes_back_until_it_is_replaced() {
        let store = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 10);
        assert_eq!(cache.get(&key(1)), None);
        assert!(!store.path().join(CACHE).exists(), "asking makes nothing");
        cache.put(&key(1), b"one").unwrap();
        cache.put(&key(1), b"two").unwrap();
        assert_eq!((cache.get(&key(1)).as_deref(), cache.get(&key(2))), (Some(b"two".as_slice()), None));
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
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

    #[test]
    fn there_are_never_many_more_than_the_most() {
        let store = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of_store(store.path(), "things", "bin", 20);
        let count = || (0..1000).filter(|number| cache.file(&key(*number)).exists()).count();
        let mut cleared = 0;
        for number in 0..1000 {
            cache.put(&key(number), b"a").unwrap();
            if key(number).ends_with(LOOK_AT) {
                assert!(count() <= 20, "{}", count());
                cleared += 1;
            }
        }
        assert!(cleared >= 2, "{cleared}");
    }
}

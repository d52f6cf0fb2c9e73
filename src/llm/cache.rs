//! Answers on disk, so that each is paid for once: `.kb/cache/llm/ab/abcd….json`.
//!
//! Never a source of truth: what is missing, damaged or out of date is asked for again, and the folder may be deleted
//! at any time. An entry has the answer and no question. Entries are written whole or not at all, and what was not used for
//! the longest time goes when there are too many.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Answers have a few hundred bytes, and take a block of the disk each.
const MOST_ENTRIES: usize = 100_000;
/// With the first answer that is kept, and after so many more, it is looked whether there are too many.
const LOOK_EVERY: usize = 1000;
/// What the names of files begin with that are not yet written whole.
const WRITING: &str = ".writing-";
/// No entry is longer.
const LONGEST: u64 = 1 << 20;

/// What lies in the file of an answer.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The whole key, which the file's name must agree with.
    key: String,
    model: String,
    prompt: String,
    answer: String,
}

/// The answers of a store.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    most: usize,
    written: AtomicUsize,
}

impl Cache {
    /// The cache in the folder of a store. Nothing is made before there is an answer.
    pub(super) fn of_store(store: &Path) -> Self {
        Cache { folder: store.join("cache").join("llm"), most: MOST_ENTRIES, written: AtomicUsize::new(0) }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("00")).join(format!("{key}.json"))
    }

    /// The answer with this key. What cannot be read or is no entry counts as none.
    pub(super) fn get(&self, key: &str) -> Option<String> {
        let file = File::open(self.file(key)).ok()?;
        if file.metadata().ok()?.len() > LONGEST {
            return None;
        }
        let entry: Entry = serde_json::from_reader(std::io::BufReader::new(&file)).ok()?;
        // What is used stays longer. A store that cannot be written to has no need for it.
        file.set_modified(SystemTime::now()).unwrap_or_default();
        (entry.key == key).then_some(entry.answer)
    }

    /// Keeps an answer.
    pub(super) fn put(&self, key: &str, model: &str, prompt: &str, answer: &str) -> std::io::Result<()> {
        let file = self.file(key);
        let folder = file.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder)?;
        let entry = Entry {
            key: key.to_owned(),
            model: model.to_owned(),
            prompt: prompt.to_owned(),
            answer: answer.to_owned(),
        };
        let mut new = tempfile::Builder::new().prefix(WRITING).tempfile_in(folder)?;
        serde_json::to_writer(&mut new, &entry)?;
        new.flush()?;
        new.persist(&file)?;
        if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK_EVERY) { self.clear_out() } else { Ok(()) }
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
            match std::fs::remove_file(file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
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

    fn files(folder: &Path) -> Vec<PathBuf> {
        let inside = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        inside(&folder.join("cache/llm")).flat_map(|folder| inside(&folder).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn an_answer_comes_back_and_a_damaged_one_is_none_until_it_is_replaced() {
        let store = tempfile::tempdir().unwrap();
        let cache = Cache::of_store(store.path());
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), "m", "p", "答案").unwrap();
        assert_eq!(cache.get(&key(1)).as_deref(), Some("答案"));
        let [file] = &files(store.path())[..] else { panic!("one file") };
        let whole = std::fs::read(file).unwrap();
        let of_another = String::from_utf8(whole.clone()).unwrap().replace(&key(1), &key(2));
        for broken in [&whole[..whole.len() / 2], b"", b"[]", b"\xff\xfe", of_another.as_bytes()] {
            std::fs::write(file, broken).unwrap();
            assert_eq!(cache.get(&key(1)), None);
        }
        cache.put(&key(1), "m", "p", "new").unwrap();
        assert_eq!((cache.get(&key(1)).as_deref(), files(store.path()).len()), (Some("new"), 1));
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let store = tempfile::tempdir().unwrap();
        let cache = Cache { most: 10, ..Cache::of_store(store.path()) };
        for number in 0..12 {
            cache.put(&key(number), "m", "p", "a").unwrap();
            let written = SystemTime::now() - Duration::from_secs(1000 - number as u64);
            File::open(cache.file(&key(number))).unwrap().set_modified(written).unwrap();
        }
        assert!(cache.get(&key(0)).is_some(), "which makes it young");
        cache.clear_out().unwrap();
        let left: Vec<usize> = (0..12).filter(|number| cache.get(&key(*number)).is_some()).collect();
        assert_eq!(left, [0, 4, 5, 6, 7, 8, 9, 10, 11]);
    }
}

//! Answers on disk, so that each is paid for once: `.kb/cache/llm/ab/abcd….json`. An entry has the answer and no question.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::store::CacheFolder;

/// Answers have a few hundred bytes, and take a block of the disk each.
const MOST_ENTRIES: usize = 100_000;

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
    folder: CacheFolder,
}

impl Cache {
    /// The cache in the folder of a store. Nothing is made before there is an answer.
    pub(super) fn of_store(store: &Path) -> Self {
        Cache { folder: CacheFolder::of_store(store, "llm", "json", MOST_ENTRIES) }
    }

    /// The answer with this key. What cannot be read or is no entry counts as none.
    pub(super) fn get(&self, key: &str) -> Option<String> {
        let entry: Entry = serde_json::from_slice(&self.folder.get(key)?).ok()?;
        (entry.key == key).then_some(entry.answer)
    }

    /// Keeps an answer.
    pub(super) fn put(&self, key: &str, model: &str, prompt: &str, answer: &str) -> std::io::Result<()> {
        let entry = Entry {
            key: key.to_owned(),
            model: model.to_owned(),
            prompt: prompt.to_owned(),
            answer: answer.to_owned(),
        };
        self.folder.put(key, &serde_json::to_vec(&entry)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

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
}

//! The files of the read cache.
//!
//! Readers map them: copying them and finding memory for the copies took longer than searching them. Only of vectors,
//! and of few [partitions of codes](super::code_file), they read what they need. The [checksums](super::checksum) cover
//! the layout of the columns and the fragment that the rows were read from.
//! A file that is damaged or of anything else is ignored and replaced. The files may be deleted at any time.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use lancedb::arrow::arrow_array::RecordBatch;
use memmap2::Mmap;
use tempfile::NamedTempFile;

use super::batches::{self, CachedBatch};
use crate::error::{Error, or_none};
use crate::store::files::{ABANDONED, WRITING, begin_whole, name_of, remove_older};
use crate::store::layout::Namespace;

/// The folder of the cache, in the namespace; for stores of others, in the user's folder of caches.
const FOLDER: &str = "read-cache";
/// The layout of the files: every change of their contents needs a new one.
pub(super) const LAYOUT: u32 = 12;
/// The age at which an unread cache of somebody else's store is removed. The store may be gone.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Clone)]
pub(in crate::store) struct ReadCache {
    /// `None` if there is no place for it.
    folder: Option<PathBuf>,
    /// Whether only the user may read it: others may not be able to read the store.
    is_private: bool,
}

impl ReadCache {
    pub(in crate::store) fn of(namespace: &Namespace) -> Self {
        let of_others = || {
            let caches = dirs::cache_dir()?.join("kb").join(FOLDER);
            let hash = blake3::hash(namespace.root().canonicalize().ok()?.as_os_str().as_encoded_bytes()).to_hex();
            let folder = caches.join(&hash[..32]);
            // Marks the folder as used. Its first file creates it.
            if File::open(&folder).and_then(|folder| folder.set_modified(SystemTime::now())).is_err() {
                remove_older(&caches, "", UNUSED);
            }
            Some(folder)
        };
        let is_own = namespace.is_own();
        let folder = if is_own { Some(namespace.root().join(FOLDER)) } else { of_others() };
        ReadCache { folder, is_private: !is_own }
    }

    /// A cache that keeps nothing.
    pub(in crate::store) fn nowhere() -> Self {
        ReadCache { folder: None, is_private: false }
    }

    #[cfg(test)]
    pub(super) fn at(folder: &Path) -> Self {
        ReadCache { folder: Some(folder.to_owned()), is_private: false }
    }

    /// The batches of a fragment of a table; `None` if there is no undamaged file.
    pub(super) fn get(&self, name: &str, fragment: &str) -> Option<Vec<CachedBatch>> {
        let bytes = Bytes::from_owner(mapped(&self.file(name, fragment)?)?);
        batches::read(bytes, &described(name, fragment))
    }

    /// Stores the batches of a fragment.
    ///
    /// # Errors
    /// If the disk refuses; the reader has its batches anyway.
    pub(in crate::store) fn put(&self, name: &str, fragment: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        let Some((file, path)) = self.begin(name, fragment)?.filter(|_| !batches.is_empty()) else { return Ok(()) };
        let mut file = BufWriter::new(file);
        batches::write(&mut file, &described(name, fragment), batches)?;
        file.into_inner()?.persist(path)?;
        Ok(())
    }

    /// Begins the file of a fragment, which gets its path when it is complete; `None` if there is no place for the
    /// cache.
    pub(super) fn begin(&self, name: &str, fragment: &str) -> std::io::Result<Option<(NamedTempFile, PathBuf)>> {
        let (Some(folder), Some(path)) = (&self.folder, self.file(name, fragment)) else { return Ok(None) };
        if self.is_private {
            create_private(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        remove_older(folder, WRITING, ABANDONED);
        Ok(Some((begin_whole(folder)?, path)))
    }

    /// The path of the file of a fragment; `None` if there is no place for the cache.
    pub(super) fn file(&self, name: &str, fragment: &str) -> Option<PathBuf> {
        Some(file(self.folder.as_deref()?, name, fragment))
    }

    /// Removes the files of all fragments but these.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(in crate::store) fn keep(&self, name: &str, fragments: &[String]) -> std::io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let kept: HashSet<PathBuf> = fragments.iter().map(|fragment| file(folder, name, fragment)).collect();
        let mut stale = self.files(name).into_iter().filter(|path| !kept.contains(path));
        stale.try_for_each(|path| or_none(std::fs::remove_file(path)).map(drop))
    }

    fn files(&self, name: &str) -> Vec<PathBuf> {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
        let begins = format!("{name}-");
        let is_own = |path: &PathBuf| name_of(path).starts_with(&begins);
        entries.flatten().map(|entry| entry.path()).filter(is_own).collect()
    }
}

/// What the file of a fragment is for, which its checksums cover.
fn described(name: &str, fragment: &str) -> String {
    format!("{LAYOUT} {name} {fragment}")
}

fn file(folder: &Path, name: &str, fragment: &str) -> PathBuf {
    folder.join(format!("{name}-{}", blake3::hash(fragment.as_bytes()).to_hex()))
}

/// The error of a read cache whose checksums are right and whose contents are not.
pub(in crate::store) fn damaged(how: &str) -> Error {
    let hint = "delete the folder `read-cache` of the namespace, or that of others' stores in the folder of caches";
    Error::failed(format!("the read cache {how}")).hint(hint)
}

/// The bytes of a file of the cache; `None` if it cannot be read.
pub(super) fn mapped(path: &Path) -> Option<Mmap> {
    // Opening a pipe could wait forever.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = File::open(path).ok()?;
    // SAFETY: a file of the cache appears whole and never changes; kb replaces or removes it. It belongs to the user,
    // as the files that tantivy maps. If another program truncates it, this process ends; nothing else happens.
    unsafe { Mmap::map(&file) }.ok()
}

/// Fills `bytes` with those of a file from `start` on.
///
/// # Errors
/// If the file cannot be read or ends before.
pub(super) fn read_at(file: &mut File, start: u64, bytes: &mut [u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(bytes)
}

/// Creates a folder, and those above it that are missing, for the user alone.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lancedb::arrow::arrow_array::{ArrayRef, StringArray};

    use super::*;

    fn batch(texts: &[&str]) -> RecordBatch {
        let column: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        RecordBatch::try_from_iter([("text", column)]).unwrap()
    }

    fn cache(folder: &Path) -> ReadCache {
        ReadCache::at(folder)
    }

    #[test]
    fn fragments_are_kept_until_their_table_has_others() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        assert!(cache.get("vectors", "a").is_none());
        cache.put("vectors", "a", &[batch(&["a"])]).unwrap();
        cache.put("vectors", "b", &[batch(&["b", "c"]), batch(&["d"])]).unwrap();
        cache.put("names", "b", &[batch(&["n"])]).unwrap();
        let kept = cache.get("vectors", "b").unwrap();
        let kept: Vec<&RecordBatch> = kept.iter().filter_map(CachedBatch::get).collect();
        assert_eq!(kept, [&batch(&["b", "c"]), &batch(&["d"])]);
        cache.keep("vectors", &["b".to_owned(), "c".to_owned()]).unwrap();
        let there = |name, fragment| cache.get(name, fragment).is_some();
        assert!(!there("vectors", "a") && there("vectors", "b") && there("names", "b"));
    }

    #[test]
    fn a_file_of_another_name_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        cache.put("vectors", "f", &[batch(&["a"])]).unwrap();
        std::fs::copy(file(folder.path(), "vectors", "f"), file(folder.path(), "names", "f")).unwrap();
        assert!(cache.get("names", "f").is_none() && cache.get("vectors", "f").is_some());
    }

    #[cfg(unix)]
    #[test]
    fn caches_of_stores_that_nobody_reads_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for (name, age) in [("old", UNUSED * 2), ("new", UNUSED / 2)] {
            let cache = folder.path().join(name);
            ReadCache::at(&cache).put("names", "f", &[batch(&["a"])]).unwrap();
            File::open(&cache).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        remove_older(folder.path(), "", UNUSED);
        assert!(!folder.path().join("old").exists() && folder.path().join("new").exists());
    }

    #[test]
    fn old_half_written_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        let (old, new) = (folder.path().join(".writing-old"), folder.path().join(".writing-new"));
        let hours_ago = SystemTime::now() - 2 * ABANDONED;
        std::fs::File::create(&old).unwrap().set_modified(hours_ago).unwrap();
        std::fs::write(&new, "").unwrap();
        cache.put("names", "f", &[batch(&["a"])]).unwrap();
        assert!(!old.exists() && new.exists() && cache.get("names", "f").is_some());
    }
}

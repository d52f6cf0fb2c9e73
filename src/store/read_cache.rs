//! A cache of the data that every reader of a generation needs: codes of vectors, names of documents and the like.
//!
//! In a process that asks one question, planning and running a query of the tables takes longer than everything else.
//! So the first reader writes the rows of each fragment of a table as one Arrow stream beside the tables
//! (`read-cache/NAME-HASH`), deleted rows included, and readers leave those out. So neither a deletion nor a
//! publication makes a stream stale: the next reader adds the streams of new fragments.
//!
//! Readers map the files: copying them and finding memory for the copies took longer than searching them. A
//! stream carries the fragment that its rows were read from and the layout of its columns, and ends with its checksum:
//! a CRC, because a cryptographic hash took longer than the search. A stream that is damaged or of anything else
//! is ignored and replaced. The files may be deleted at any time.
//!
//! Readers write nothing into a store of others: its cache lies in the user's folder of caches.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use bytes::Bytes;
use lancedb::arrow::arrow_array::RecordBatch;
use memmap2::Mmap;
use rayon::prelude::*;
use tempfile::NamedTempFile;

use super::files::{WRITING, begin_whole, name_of, remove_older};
use super::layout::Namespace;
use crate::crash;
use crate::error::{Error, or_none};

/// The folder of the cache, in the namespace; for stores of others, in the user's folder of caches.
const FOLDER: &str = "read-cache";
/// The key of the name and the fragment in the stream's metadata.
const FRAGMENT: &str = "fragment";
/// The key and the value of the layout: every change of the contents of a file needs a new value.
const LAYOUT: (&str, &str) = ("layout", "10");
/// The length of the checksum behind the stream, in bytes.
const CHECKSUM: usize = size_of::<u32>();
/// The age at which a half-written file is taken for the leftover of a dead process.
const ABANDONED: Duration = Duration::from_secs(3600);
/// The age at which an unread cache of somebody else's store is removed. The store may be gone.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

#[derive(Clone)]
pub(super) struct ReadCache {
    /// `None` if there is no place for it.
    folder: Option<PathBuf>,
    /// Whether only the user may read it: others may not be able to read the store.
    is_private: bool,
}

impl ReadCache {
    pub(super) fn of(namespace: &Namespace) -> Self {
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

    #[cfg(test)]
    pub(super) fn at(folder: &Path) -> Self {
        ReadCache { folder: Some(folder.to_owned()), is_private: false }
    }

    /// The batches of each fragment of a table, by its description.
    pub(super) fn get(&self, name: &str) -> HashMap<String, Vec<RecordBatch>> {
        let files = self.files(name);
        // Most of the time goes into the checksums of the files.
        let each = files.into_par_iter().filter_map(|path| Stream::read(&path));
        // A file may have been copied to the name of another.
        let own = |stream: Stream| Some((stream.of.strip_prefix(&described(name, ""))?.to_owned(), stream.batches));
        each.filter_map(own).collect()
    }

    /// Stores the batches of a fragment.
    ///
    /// # Errors
    /// If the disk refuses; the reader has its batches anyway.
    pub(super) fn put(&self, name: &str, fragment: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        let (Some(first), Some((file, path))) = (batches.first(), self.begin(name, fragment)?) else { return Ok(()) };
        let of = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let metadata = [of((FRAGMENT, &described(name, fragment))), of(LAYOUT)].into();
        let schema = Arc::new(first.schema().as_ref().clone().with_metadata(metadata));
        let failed = std::io::Error::other;
        let summing = ChecksumWriter { inner: BufWriter::new(file), hasher: crc32fast::Hasher::new() };
        let mut writer = StreamWriter::try_new(summing, &schema).map_err(failed)?;
        batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
        let ChecksumWriter { mut inner, hasher } = writer.into_inner().map_err(failed)?;
        inner.write_all(&hasher.finalize().to_le_bytes())?;
        inner.into_inner()?.persist(path)?;
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

    /// Removes the batches of all fragments but these.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(super) fn keep(&self, name: &str, fragments: &[String]) -> std::io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let kept: Vec<PathBuf> = fragments.iter().map(|fragment| file(folder, name, fragment)).collect();
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

/// The description of a file's contents, stored in the file.
fn described(name: &str, fragment: &str) -> String {
    format!("{name} {fragment}")
}

fn file(folder: &Path, name: &str, fragment: &str) -> PathBuf {
    folder.join(format!("{name}-{}", blake3::hash(fragment.as_bytes()).to_hex()))
}

/// The error of a read cache whose checksums are right and whose contents are not.
pub(super) fn damaged(how: &str) -> Error {
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

/// Creates a folder, and those above it that are missing, for the user alone.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Computes the checksum of the bytes that it writes.
struct ChecksumWriter<W> {
    inner: W,
    hasher: crc32fast::Hasher,
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// The rows of a fragment.
struct Stream {
    /// Its name and fragment, [described].
    of: String,
    batches: Vec<RecordBatch>,
}

impl Stream {
    /// `None` if there is no undamaged one.
    fn read(path: &Path) -> Option<Self> {
        Stream::of(Bytes::from_owner(mapped(path)?))
    }

    fn of(mut bytes: Bytes) -> Option<Self> {
        let checksum = bytes.split_off(bytes.len().checked_sub(CHECKSUM)?);
        if crc32fast::hash(&bytes).to_le_bytes() != checksum.as_ref() {
            return None;
        }
        // The decoder panics on invalid streams, and anybody can append the right checksum to one.
        crash::catch_crash(|| Stream::decode(bytes)).flatten()
    }

    /// The columns share the bytes without a copy.
    fn decode(bytes: Bytes) -> Option<Self> {
        let mut decoder = StreamDecoder::new();
        let mut bytes = bytes.into();
        let mut batches = Vec::new();
        while let Some(batch) = decoder.decode(&mut bytes).ok()? {
            batches.push(batch);
        }
        decoder.finish().ok()?;
        let schema = decoder.schema()?;
        let is_current = schema.metadata().get(LAYOUT.0).is_some_and(|own| own == LAYOUT.1);
        let of = schema.metadata().get(FRAGMENT).filter(|_| is_current)?.clone();
        Some(Stream { of, batches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lancedb::arrow::arrow_array::{ArrayRef, StringArray};

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
        assert!(cache.get("vectors").is_empty());
        cache.put("vectors", "a", &[batch(&["a"])]).unwrap();
        cache.put("vectors", "b", &[batch(&["b", "c"]), batch(&["d"])]).unwrap();
        cache.put("names", "b", &[batch(&["n"])]).unwrap();
        let kept = cache.get("vectors");
        let columns: Vec<&ArrayRef> = kept["b"].iter().map(|batch| batch.column(0)).collect();
        assert_eq!((kept.len(), columns), (2, vec![batch(&["b", "c"]).column(0), batch(&["d"]).column(0)]));
        cache.keep("vectors", &["b".to_owned(), "c".to_owned()]).unwrap();
        assert_eq!(Vec::from_iter(cache.get("vectors").into_keys()), ["b"]);
        assert_eq!(cache.get("names").len(), 1);
    }

    #[test]
    fn a_stream_of_another_name_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        cache.put("vectors", "f", &[batch(&["a"])]).unwrap();
        std::fs::copy(file(folder.path(), "vectors", "f"), file(folder.path(), "names", "f")).unwrap();
        assert!(cache.get("names").is_empty() && cache.get("vectors").contains_key("f"));
    }

    #[test]
    fn truncated_and_changed_streams_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        cache.put("names", "f", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let file = std::fs::read(file(folder.path(), "names", "f")).unwrap();
        for at in 0..file.len() {
            assert!(Stream::of(file[..at].to_vec().into()).is_none(), "{at} of {}", file.len());
            let mut bent = file.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(Stream::of(bent.clone().into()).is_none(), "{at} of {}", file.len());
            // With the right checksum behind it, the stream may be read or refused, but must not crash.
            let checksum = crc32fast::hash(&bent[..file.len() - CHECKSUM]).to_le_bytes();
            bent[file.len() - CHECKSUM..].copy_from_slice(&checksum);
            Stream::of(bent.into());
        }
        assert!(Stream::of(file.into()).is_some());
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
        assert!(!old.exists() && new.exists() && cache.get("names").contains_key("f"));
    }
}

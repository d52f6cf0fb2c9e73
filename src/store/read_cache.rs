//! What every reader of a generation reads from the tables: vectors, names of documents and the like.
//!
//! A query of the tables is planned, split and put together again, which for a fresh process that asks one question takes
//! longer than everything else. So the first reader of a generation writes what it got as one Arrow stream beside the
//! tables (`read-cache/NAME.arrow`), and later ones read that in one go. The stream carries the manifest that it belongs
//! to and how its columns are laid out, and behind it stands its hash; one of another generation or layout, or that is
//! damaged, is ignored and replaced. It may be deleted at any time.

use std::io::Write;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use lancedb::arrow::arrow_array::RecordBatch;
use tokio::task::JoinHandle;

use super::layout::Namespace;
use super::manifest::{Manifest, WRITING, file_to_be};
use crate::error::or_gone;

/// The folder, in the namespace's.
const FOLDER: &str = "read-cache";
/// The name in the stream's metadata under which its manifest stands.
const MANIFEST: &str = "manifest";
/// And how its columns are laid out: another number for each change of what is kept in a file.
const LAYOUT: (&str, &str) = ("layout", "2");
/// The bytes of the hash behind the stream.
const HASH: usize = blake3::OUT_LEN;
/// What was begun so long ago and not ended was given up: whoever wrote it is gone.
const GIVEN_UP: Duration = Duration::from_secs(3600);

/// What is kept, each in a file of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    /// The vectors of chunks, with their ids.
    Vectors,
    /// How documents are called.
    DocumentNames,
    /// Documents without their vectors.
    Documents,
    /// And those.
    DocumentVectors,
    /// Sections.
    Sections,
}

impl Kept {
    fn name(self) -> &'static str {
        match self {
            Kept::Vectors => "vectors",
            Kept::DocumentNames => "document-names",
            Kept::Documents => "document-rows",
            Kept::DocumentVectors => "document-vectors",
            Kept::Sections => "sections",
        }
    }
}

/// The cache of a generation.
#[derive(Clone, PartialEq)]
pub(super) struct ReadCache {
    folder: PathBuf,
    manifest: String,
}

impl ReadCache {
    pub(super) fn of(namespace: &Namespace, manifest: &Manifest) -> Self {
        // Plain data always has a JSON form.
        let manifest = serde_json::to_string(manifest).unwrap_or_default();
        ReadCache { folder: namespace.root().join(FOLDER), manifest }
    }

    fn file(&self, what: Kept) -> PathBuf {
        self.folder.join(format!("{}.arrow", what.name()))
    }

    /// What was kept; `None` where nothing of this generation was, or nothing whole.
    pub(super) fn get(&self, what: Kept) -> Option<Vec<RecordBatch>> {
        let file = self.file(what);
        // Opening what is no file may wait for ever.
        if !std::fs::metadata(&file).ok()?.is_file() {
            return None;
        }
        whole(std::fs::read(file).ok()?, &self.manifest)
    }

    /// Keeps batches.
    ///
    /// # Errors
    /// Where the disk refuses; whoever has the batches can do without.
    pub(super) fn put(&self, what: Kept, batches: &[RecordBatch]) -> std::io::Result<()> {
        let Some(first) = batches.first() else { return Ok(()) };
        std::fs::create_dir_all(&self.folder)?;
        self.clear()?;
        let of = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let metadata = [of((MANIFEST, &self.manifest)), of(LAYOUT)].into();
        let schema = Arc::new(first.schema().as_ref().clone().with_metadata(metadata));
        let hashing = Hashing { inner: file_to_be(&self.folder)?, hasher: blake3::Hasher::new() };
        let failed = std::io::Error::other;
        let mut writer = StreamWriter::try_new(hashing, &schema).map_err(failed)?;
        batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
        let Hashing { inner: mut new, hasher } = writer.into_inner().map_err(failed)?;
        new.write_all(hasher.finalize().as_bytes())?;
        new.persist(self.file(what))?;
        Ok(())
    }

    /// Takes away what processes that were ended have left.
    fn clear(&self) -> std::io::Result<()> {
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            let begun = entry.file_name().to_string_lossy().starts_with(WRITING);
            // Another process may have taken it away meanwhile, or ended it.
            let old = |facts: std::fs::Metadata| facts.modified().ok()?.elapsed().ok().filter(|age| *age > GIVEN_UP);
            if begun && entry.metadata().ok().and_then(old).is_some() {
                or_gone(std::fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }
}

/// What a reader before has kept, being read while the generation is opened.
pub struct ReadAhead {
    cache: ReadCache,
    reading: JoinHandle<Option<Vec<RecordBatch>>>,
}

impl ReadAhead {
    /// Begins to read, on another thread.
    pub(super) fn begin(cache: ReadCache, what: Kept) -> Self {
        let own = cache.clone();
        ReadAhead { cache, reading: tokio::task::spawn_blocking(move || own.get(what)) }
    }

    /// What was read, if it is of the generation of `cache`.
    pub(super) async fn of(self, cache: &ReadCache) -> Option<Vec<RecordBatch>> {
        // A thread that crashed has read nothing.
        if self.cache == *cache { self.reading.await.ok().flatten() } else { None }
    }
}

/// Writes on, and hashes what it writes.
struct Hashing<W> {
    inner: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// The batches of a stream that is as it was written, and belongs to a manifest.
fn whole(mut bytes: Vec<u8>, manifest: &str) -> Option<Vec<RecordBatch>> {
    let hash = bytes.split_off(bytes.len().checked_sub(HASH)?);
    if blake3::hash(&bytes).as_bytes() != hash.as_slice() {
        return None;
    }
    // The decoder panics at what no writer writes, and anybody can put the right hash behind that.
    catch_unwind(|| decode(bytes, manifest)).ok().flatten()
}

/// The batches of a stream that belongs to a manifest; their columns are in the bytes, uncopied.
fn decode(bytes: Vec<u8>, manifest: &str) -> Option<Vec<RecordBatch>> {
    let mut decoder = StreamDecoder::new();
    let mut bytes = bytes.into();
    let mut batches = Vec::new();
    while let Some(batch) = decoder.decode(&mut bytes).ok()? {
        batches.push(batch);
    }
    decoder.finish().ok()?;
    let schema = decoder.schema()?;
    let says = |(name, what): (&str, &str)| schema.metadata().get(name).is_some_and(|own| own == what);
    (says((MANIFEST, manifest)) && says(LAYOUT)).then_some(batches)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lancedb::arrow::arrow_array::{ArrayRef, StringArray};

    fn batch(texts: &[&str]) -> RecordBatch {
        let column: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        RecordBatch::try_from_iter([("text", column)]).unwrap()
    }

    fn cache(folder: &Path, manifest: &str) -> ReadCache {
        ReadCache { folder: folder.to_owned(), manifest: manifest.to_owned() }
    }

    #[test]
    fn batches_come_back_for_their_generation_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (cache(folder.path(), "1"), cache(folder.path(), "2"));
        assert!(one.get(Kept::DocumentNames).is_none());
        one.put(Kept::DocumentNames, &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let back = one.get(Kept::DocumentNames).unwrap();
        let columns: Vec<&ArrayRef> = back.iter().map(|batch| batch.column(0)).collect();
        assert_eq!(columns, [batch(&["a", "b"]).column(0), batch(&["c"]).column(0)]);
        assert!(other.get(Kept::DocumentNames).is_none() && one.get(Kept::Vectors).is_none());
        other.put(Kept::DocumentNames, &[batch(&["d"])]).unwrap();
        assert!(one.get(Kept::DocumentNames).is_none() && other.get(Kept::DocumentNames).is_some());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn what_is_read_ahead_is_of_its_generation_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (cache(folder.path(), "1"), cache(folder.path(), "2"));
        one.put(Kept::DocumentNames, &[batch(&["a"])]).unwrap();
        assert_eq!(ReadAhead::begin(one.clone(), Kept::DocumentNames).of(&one).await.unwrap().len(), 1);
        assert!(ReadAhead::begin(one.clone(), Kept::DocumentNames).of(&other).await.is_none());
        assert!(ReadAhead::begin(one.clone(), Kept::Vectors).of(&one).await.is_none());
    }

    #[test]
    fn a_stream_that_is_cut_off_anywhere_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        cache.put(Kept::DocumentNames, &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let file = std::fs::read(cache.file(Kept::DocumentNames)).unwrap();
        for length in 0..file.len() {
            assert!(whole(file[..length].to_vec(), "1").is_none(), "{length} of {}", file.len());
        }
        assert!(whole(file, "1").is_some());
    }

    #[test]
    fn a_stream_with_a_bit_turned_anywhere_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        cache.put(Kept::DocumentNames, &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let file = std::fs::read(cache.file(Kept::DocumentNames)).unwrap();
        for at in 0..file.len() {
            let mut bent = file.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(whole(bent.clone(), "1").is_none(), "{at} of {}", file.len());
            // Somebody may put the right hash behind it: then it may be another stream, and is never more.
            let hash = *blake3::hash(&bent[..file.len() - HASH]).as_bytes();
            bent[file.len() - HASH..].copy_from_slice(&hash);
            whole(bent, "1");
        }
    }

    #[test]
    fn what_was_given_up_is_taken_away_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        let (old, new) = (folder.path().join(".writing-old"), folder.path().join(".writing-new"));
        let hours_ago = std::time::SystemTime::now() - 2 * GIVEN_UP;
        std::fs::File::create(&old).unwrap().set_modified(hours_ago).unwrap();
        std::fs::write(&new, "").unwrap();
        cache.put(Kept::DocumentNames, &[batch(&["a"])]).unwrap();
        assert!(!old.exists() && new.exists() && cache.get(Kept::DocumentNames).is_some());
    }
}

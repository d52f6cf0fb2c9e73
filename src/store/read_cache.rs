//! A cache of the data that every reader of a generation needs: vectors, names of documents and the like.
//!
//! In a process that asks one question, planning and running a query of the tables takes longer than everything else.
//! So the first reader of a generation writes the rows as one Arrow stream beside the tables (`read-cache/NAME.arrow`),
//! and later readers read that file. The stream carries what its rows were made of, a manifest or a fragment of a table,
//! and the layout of its columns, and ends with its hash. A stream that is damaged or of anything else is ignored and
//! replaced. The files may be deleted at any time.
//!
//! Vectors have a stream for each fragment of their table, so that a publication makes few of them anew.

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use lancedb::arrow::arrow_array::RecordBatch;
use rayon::prelude::*;
use tokio::task::JoinHandle;

use super::files::{WRITING, name_of, or_none, write_whole};
use super::layout::Namespace;
use super::manifest::Manifest;

/// The folder of the cache, in the namespace.
const FOLDER: &str = "read-cache";
/// The key of what the rows were made of in the stream's metadata.
const MADE_OF: &str = "made of";
/// The key and the value of the layout: every change of the contents of a file needs a new value.
const LAYOUT: (&str, &str) = ("layout", "3");
/// The length of the hash behind the stream, in bytes.
const HASH: usize = blake3::OUT_LEN;
/// A half-written file of this age is left over from a dead process.
const GIVEN_UP: Duration = Duration::from_secs(3600);

/// The cache of a generation.
#[derive(Clone)]
pub(super) struct ReadCache {
    /// `None` in a store that is not the user's own: its cache is neither read nor written.
    folder: Option<PathBuf>,
    manifest: String,
}

impl ReadCache {
    pub(super) fn of(namespace: &Namespace, manifest: &Manifest) -> Self {
        let manifest = serde_json::to_string(manifest).expect("plain data has a JSON form");
        ReadCache { folder: namespace.is_own().then(|| namespace.root().join(FOLDER)), manifest }
    }

    /// The cached batches; `None` if no undamaged ones of this generation exist.
    pub(super) fn get(&self, name: &str) -> Option<Vec<RecordBatch>> {
        let stream = Stream::read(&file(self.folder.as_ref()?, name))?;
        (stream.made_of == self.manifest).then_some(stream.batches)
    }

    /// Stores batches.
    ///
    /// # Errors
    /// If the disk refuses; the reader has its batches anyway.
    pub(super) fn put(&self, name: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        self.write(name, &self.manifest, batches)
    }

    /// The batches of each fragment of a table, by its description.
    pub(super) fn fragments(&self, name: &str) -> HashMap<String, Vec<RecordBatch>> {
        let files = self.files_of_fragments(name);
        // Most of the time goes into the hashes of the files.
        let each = files.into_par_iter().filter_map(|path| Stream::read(&path));
        each.map(|stream| (stream.made_of, stream.batches)).collect()
    }

    /// Stores the batches of a fragment.
    ///
    /// # Errors
    /// If the disk refuses; the reader has its batches anyway.
    pub(super) fn put_fragment(&self, name: &str, fragment: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        self.write(&name_of_fragment(name, fragment), fragment, batches)
    }

    /// Removes the batches of all fragments but these.
    ///
    /// # Errors
    /// If the disk refuses.
    pub(super) fn keep_fragments(&self, name: &str, fragments: &[String]) -> std::io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let kept: Vec<PathBuf> = fragments.iter().map(|own| file(folder, &name_of_fragment(name, own))).collect();
        let mut stale = self.files_of_fragments(name).into_iter().filter(|path| !kept.contains(path));
        stale.try_for_each(|path| or_none(std::fs::remove_file(path)).map(drop))
    }

    fn files_of_fragments(&self, name: &str) -> Vec<PathBuf> {
        let entries = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
        let begins = format!("{name}-");
        entries.flatten().map(|entry| entry.path()).filter(|path| name_of(path).starts_with(&begins)).collect()
    }

    fn write(&self, name: &str, made_of: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        let (Some(first), Some(folder)) = (batches.first(), &self.folder) else { return Ok(()) };
        std::fs::create_dir_all(folder)?;
        clear(folder)?;
        let of = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let metadata = [of((MADE_OF, made_of)), of(LAYOUT)].into();
        let schema = Arc::new(first.schema().as_ref().clone().with_metadata(metadata));
        let failed = std::io::Error::other;
        write_whole(&file(folder, name), |file| {
            let hashing = Hashing { inner: BufWriter::new(file), hasher: blake3::Hasher::new() };
            let mut writer = StreamWriter::try_new(hashing, &schema).map_err(failed)?;
            batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
            let Hashing { mut inner, hasher } = writer.into_inner().map_err(failed)?;
            inner.write_all(hasher.finalize().as_bytes())?;
            inner.flush()
        })
    }
}

fn name_of_fragment(name: &str, fragment: &str) -> String {
    format!("{name}-{}", blake3::hash(fragment.as_bytes()).to_hex())
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.arrow"))
}

/// Removes half-written files of dead processes.
fn clear(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        // Another process may have removed the file meanwhile.
        let age = || std::fs::metadata(&path).ok()?.modified().ok()?.elapsed().ok();
        if name_of(&path).starts_with(WRITING) && age().is_some_and(|age| age > GIVEN_UP) {
            or_none(std::fs::remove_file(&path))?;
        }
    }
    Ok(())
}

/// Cached batches that are read while the generation is opened.
pub struct ReadAhead(JoinHandle<HashMap<String, Vec<RecordBatch>>>);

impl ReadAhead {
    /// Starts to read the fragments of a table.
    pub(super) fn begin(cache: ReadCache, name: &'static str) -> Self {
        ReadAhead(tokio::task::spawn_blocking(move || cache.fragments(name)))
    }

    /// The batches by fragment.
    pub(super) async fn fragments(self) -> HashMap<String, Vec<RecordBatch>> {
        // A crashed thread has read nothing.
        self.0.await.unwrap_or_default()
    }
}

/// Hashes what it writes.
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

/// A stream of batches, and what they were made of.
struct Stream {
    made_of: String,
    batches: Vec<RecordBatch>,
}

impl Stream {
    /// `None` if there is no undamaged one.
    fn read(path: &Path) -> Option<Self> {
        // Opening a pipe could wait forever.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        Stream::of(std::fs::read(path).ok()?)
    }

    fn of(mut bytes: Vec<u8>) -> Option<Self> {
        let hash = bytes.split_off(bytes.len().checked_sub(HASH)?);
        if blake3::hash(&bytes).as_bytes() != hash.as_slice() {
            return None;
        }
        // The decoder panics on invalid streams, and anybody can append the right hash to one.
        catch_unwind(|| Stream::decode(bytes)).ok().flatten()
    }

    /// The columns share the bytes without a copy.
    fn decode(bytes: Vec<u8>) -> Option<Self> {
        let mut decoder = StreamDecoder::new();
        let mut bytes = bytes.into();
        let mut batches = Vec::new();
        while let Some(batch) = decoder.decode(&mut bytes).ok()? {
            batches.push(batch);
        }
        decoder.finish().ok()?;
        let schema = decoder.schema()?;
        let is_current = schema.metadata().get(LAYOUT.0).is_some_and(|own| own == LAYOUT.1);
        let made_of = schema.metadata().get(MADE_OF).filter(|_| is_current)?.clone();
        Some(Stream { made_of, batches })
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

    fn cache(folder: &Path, manifest: &str) -> ReadCache {
        ReadCache { folder: Some(folder.to_owned()), manifest: manifest.to_owned() }
    }

    #[test]
    fn batches_belong_to_one_generation() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (cache(folder.path(), "1"), cache(folder.path(), "2"));
        assert!(one.get("document-names").is_none());
        one.put("document-names", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let back = one.get("document-names").unwrap();
        let columns: Vec<&ArrayRef> = back.iter().map(|batch| batch.column(0)).collect();
        assert_eq!(columns, [batch(&["a", "b"]).column(0), batch(&["c"]).column(0)]);
        assert!(other.get("document-names").is_none() && one.get("vectors").is_none());
        other.put("document-names", &[batch(&["d"])]).unwrap();
        assert!(one.get("document-names").is_none() && other.get("document-names").is_some());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn fragments_are_kept_until_their_table_has_others() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        for fragment in ["a", "b"] {
            cache.put_fragment("vectors", fragment, &[batch(&[fragment])]).unwrap();
        }
        cache.put("document-names", &[batch(&["n"])]).unwrap();
        let kept = ReadAhead::begin(cache.clone(), "vectors").fragments().await;
        assert_eq!((kept.len(), kept["b"][0].column(0)), (2, batch(&["b"]).column(0)));
        cache.keep_fragments("vectors", &["b".to_owned(), "c".to_owned()]).unwrap();
        assert_eq!(Vec::from_iter(cache.fragments("vectors").into_keys()), ["b"]);
        assert!(cache.get("document-names").is_some());
    }

    #[test]
    fn truncated_streams_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        cache.put("document-names", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let file = std::fs::read(file(folder.path(), "document-names")).unwrap();
        for length in 0..file.len() {
            assert!(Stream::of(file[..length].to_vec()).is_none(), "{length} of {}", file.len());
        }
        assert!(Stream::of(file).is_some());
    }

    #[test]
    fn streams_with_a_flipped_bit_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        cache.put("document-names", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let file = std::fs::read(file(folder.path(), "document-names")).unwrap();
        for at in 0..file.len() {
            let mut bent = file.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(Stream::of(bent.clone()).is_none(), "{at} of {}", file.len());
            // With the right hash behind it, the stream may be read or refused, but must not crash.
            let hash = *blake3::hash(&bent[..file.len() - HASH]).as_bytes();
            bent[file.len() - HASH..].copy_from_slice(&hash);
            Stream::of(bent);
        }
    }

    #[test]
    fn old_half_written_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        let (old, new) = (folder.path().join(".writing-old"), folder.path().join(".writing-new"));
        let hours_ago = std::time::SystemTime::now() - 2 * GIVEN_UP;
        std::fs::File::create(&old).unwrap().set_modified(hours_ago).unwrap();
        std::fs::write(&new, "").unwrap();
        cache.put("document-names", &[batch(&["a"])]).unwrap();
        assert!(!old.exists() && new.exists() && cache.get("document-names").is_some());
    }
}

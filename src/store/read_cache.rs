//! What every reader of a generation would ask the tables for anew, in one piece: vectors, and how documents are called.
//!
//! A query of the tables is planned, split and put together again, which for a fresh process that asks one question takes
//! longer than everything else. So the first reader of a generation writes what it got as one Arrow stream beside the
//! tables (`read-cache/NAME.arrow`), and later ones read that in one go. The stream carries the manifest that it belongs
//! to; one of another generation, or that is damaged, is none, and is written anew. It may be deleted at any time.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use lancedb::arrow::arrow_array::RecordBatch;

use super::layout::Namespace;
use super::manifest::{Manifest, file_to_be};

/// The folder, in the namespace's.
const FOLDER: &str = "read-cache";
/// The name in the stream's metadata under which its manifest stands.
const MANIFEST: &str = "manifest";
/// And how many rows there are: a stream that was cut off between two batches looks whole.
const ROWS: &str = "rows";

/// The cache of a generation.
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

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.arrow"))
    }

    /// What was kept under a name; `None` where nothing of this generation was, or nothing whole.
    pub(super) fn get(&self, name: &str) -> Option<Vec<RecordBatch>> {
        decode(std::fs::read(self.file(name)).ok()?, &self.manifest)
    }

    /// Keeps batches under a name.
    ///
    /// # Errors
    /// Where the disk refuses; whoever has the batches can do without.
    pub(super) fn put(&self, name: &str, batches: &[RecordBatch]) -> std::io::Result<()> {
        let Some(first) = batches.first() else { return Ok(()) };
        std::fs::create_dir_all(&self.folder)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let metadata = [(MANIFEST.to_owned(), self.manifest.clone()), (ROWS.to_owned(), rows.to_string())].into();
        let schema = Arc::new(first.schema().as_ref().clone().with_metadata(metadata));
        let new = file_to_be(&self.folder)?;
        let failed = std::io::Error::other;
        let mut writer = StreamWriter::try_new(new, &schema).map_err(failed)?;
        batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
        let new = writer.into_inner().map_err(failed)?;
        // Pages of zeros, which a crash may leave, would pass for vectors.
        new.as_file().sync_all()?;
        new.persist(self.file(name))?;
        Ok(())
    }
}

/// The batches of a whole stream that belongs to a manifest; their columns are in the bytes, uncopied.
fn decode(bytes: Vec<u8>, manifest: &str) -> Option<Vec<RecordBatch>> {
    let mut decoder = StreamDecoder::new();
    let mut bytes = bytes.into();
    let mut batches = Vec::new();
    while let Some(batch) = decoder.decode(&mut bytes).ok()? {
        batches.push(batch);
    }
    decoder.finish().ok()?;
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let schema = decoder.schema()?;
    let says = |name: &str, what: &str| schema.metadata().get(name).is_some_and(|own| own == what);
    (says(MANIFEST, manifest) && says(ROWS, &rows.to_string())).then_some(batches)
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
        assert!(one.get("names").is_none());
        one.put("names", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let back = one.get("names").unwrap();
        let columns: Vec<&ArrayRef> = back.iter().map(|batch| batch.column(0)).collect();
        assert_eq!(columns, [batch(&["a", "b"]).column(0), batch(&["c"]).column(0)]);
        assert!(other.get("names").is_none() && one.get("vectors").is_none());
        other.put("names", &[batch(&["d"])]).unwrap();
        assert!(one.get("names").is_none() && other.get("names").is_some());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_stream_that_is_cut_off_anywhere_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), "1");
        cache.put("names", &[batch(&["a", "b"]), batch(&["c"])]).unwrap();
        let whole = std::fs::read(cache.file("names")).unwrap();
        // The mark at the end says nothing that the number of rows does not.
        for length in 0..whole.len() - 8 {
            assert!(decode(whole[..length].to_vec(), "1").is_none(), "{length} of {}", whole.len());
        }
        assert!(decode(whole, "1").is_some());
    }
}

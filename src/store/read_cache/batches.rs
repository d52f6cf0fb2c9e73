//! The contents of a file of the read cache: batches of rows, each an Arrow stream with its checksum, and behind them
//! their lengths. A reader decodes only the batches that it needs.

use std::io::{Error, Result, Write};
use std::sync::OnceLock;

use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use bytes::Bytes;
use lancedb::arrow::arrow_array::RecordBatch;

use super::checksum::{self, Checksums};
use crate::crash;

const NUMBER: usize = size_of::<u64>();

pub(super) struct CachedBatch {
    /// The stream and its checksum.
    bytes: Bytes,
    checksums: Checksums,
    /// `None` if it is damaged.
    batch: OnceLock<Option<RecordBatch>>,
}

impl CachedBatch {
    /// The rows; `None` if they are damaged.
    pub(super) fn get(&self) -> Option<&RecordBatch> {
        let read = || {
            let stream = self.bytes.slice(..self.checksums.checked(&self.bytes)?.len());
            // The decoder panics on invalid streams, and anybody can append the right checksum to one.
            crash::catch_crash(|| decoded(stream)).flatten()
        };
        self.batch.get_or_init(read).as_ref()
    }
}

impl From<RecordBatch> for CachedBatch {
    fn from(batch: RecordBatch) -> Self {
        CachedBatch { bytes: Bytes::new(), checksums: Checksums::of_file(""), batch: OnceLock::from(Some(batch)) }
    }
}

/// Writes batches into the file for `description`.
///
/// # Errors
/// If the disk refuses.
pub(super) fn write(file: &mut impl Write, description: &str, batches: &[RecordBatch]) -> Result<()> {
    let (checksums, mut lengths) = (Checksums::of_file(description), Vec::new());
    for batch in batches {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).map_err(Error::other)?;
        writer.write(batch).map_err(Error::other)?;
        let stream = writer.into_inner().map_err(Error::other)?;
        file.write_all(&stream)?;
        file.write_all(&checksums.of(&stream))?;
        lengths.extend(((stream.len() + checksum::LENGTH) as u64).to_le_bytes());
    }
    lengths.extend((batches.len() as u64).to_le_bytes());
    file.write_all(&lengths)?;
    file.write_all(&checksums.of(&lengths))
}

/// The batches in the bytes of the file for `description`; `None` if they are of anything else, or their lengths are
/// damaged.
pub(super) fn read(mut bytes: Bytes, description: &str) -> Option<Vec<CachedBatch>> {
    let checksums = Checksums::of_file(description);
    let count_at = bytes.len().checked_sub(NUMBER + checksum::LENGTH)?;
    let count = usize::try_from(number(&bytes[count_at..])?).ok()?;
    let lengths_at = count_at.checked_sub(count.checked_mul(NUMBER)?)?;
    let lengths = bytes.split_off(lengths_at);
    let lengths = checksums.checked(&lengths)?[..count * NUMBER].chunks_exact(NUMBER);
    let mut batches = Vec::new();
    for length in lengths {
        let length = usize::try_from(number(length)?).ok().filter(|length| *length <= bytes.len())?;
        let bytes = bytes.split_to(length);
        batches.push(CachedBatch { bytes, checksums: checksums.clone(), batch: OnceLock::new() });
    }
    bytes.is_empty().then_some(batches)
}

fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.first_chunk()?))
}

/// The columns share the bytes without a copy.
fn decoded(bytes: Bytes) -> Option<RecordBatch> {
    let (mut decoder, mut bytes) = (StreamDecoder::new(), bytes.into());
    let batch = decoder.decode(&mut bytes).ok()??;
    // Nothing but the end is left.
    let rest = decoder.decode(&mut bytes).ok()?;
    decoder.finish().ok()?;
    rest.is_none().then_some(batch)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lancedb::arrow::arrow_array::{ArrayRef, StringArray, UInt32Array};

    use super::*;

    fn batches() -> [RecordBatch; 2] {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let numbers: ArrayRef = Arc::new(UInt32Array::from(vec![7]));
        [RecordBatch::try_from_iter([("text", texts)]), RecordBatch::try_from_iter([("number", numbers)])]
            .map(|batch| batch.unwrap())
    }

    fn written() -> Vec<u8> {
        let mut file = Vec::new();
        write(&mut file, "names f", &batches()).unwrap();
        file
    }

    /// All batches, unless one is damaged.
    fn whole(bytes: Vec<u8>, description: &str) -> Option<Vec<RecordBatch>> {
        read(bytes.into(), description)?.iter().map(|batch| batch.get().cloned()).collect()
    }

    #[test]
    fn batches_of_any_columns_are_read() {
        assert_eq!(whole(written(), "names f").unwrap(), batches());
        assert!(whole(written(), "names g").is_none(), "of another fragment");
        assert_eq!(CachedBatch::from(batches()[0].clone()).get(), Some(&batches()[0]));
    }

    #[test]
    fn truncated_and_changed_files_are_ignored() {
        let file = written();
        for at in 0..file.len() {
            assert!(whole(file[..at].to_vec(), "names f").is_none(), "{at} of {}", file.len());
            let mut bent = file.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(whole(bent, "names f").is_none(), "{at} of {}", file.len());
        }
    }

    #[test]
    fn a_changed_stream_with_the_right_checksum_does_no_harm() {
        let mut stream = StreamWriter::try_new(Vec::new(), &batches()[0].schema()).unwrap();
        stream.write(&batches()[0]).unwrap();
        let stream = stream.into_inner().unwrap();
        for at in 0..stream.len() {
            let mut bent = stream.clone();
            bent[at] ^= 1 << (at % 8);
            let checksums = Checksums::of_file("f");
            let bytes = [&bent[..], &checksums.of(&bent)].concat().into();
            // It may be read or refused.
            CachedBatch { bytes, checksums, batch: OnceLock::new() }.get();
        }
    }
}

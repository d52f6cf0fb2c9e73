//! The binary codes of the vectors of a fragment in the read cache, those of a [partition](super::partitions) side by
//! side.
//!
//! The file begins with the centres and sizes of the partitions and a checksum. Each partition has the codes of its
//! vectors, then their rows, then a checksum, so a reader reads only the partitions that it searches. All checksums
//! cover the name of the fragment too.

use std::fs::File;
use std::io::{ErrorKind, Result, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use super::binary_codes::{bytes_of, distances};
use super::checksum::{self, Checksums};
use super::files::{ReadCache, mapped, read_at};
use super::partitions::{Partition, partitions};

/// The name of the files in the read cache. Every change of their contents needs a new one.
pub(super) const CACHE_NAME: &str = "codes";
const ROW: usize = size_of::<u32>();
const WORD: usize = size_of::<u64>();

pub(super) struct CodeFile {
    /// `None` if it is only in memory.
    path: Option<PathBuf>,
    /// Those of the file, mapped.
    bytes: Bytes,
    /// The length of a code, in words of 64 bits.
    length: usize,
    partitions: Vec<PartitionBytes>,
    checksums: Checksums,
    /// The number of bytes that were read instead of mapped.
    read: AtomicUsize,
}

struct PartitionBytes {
    rows: usize,
    /// Its bytes, with the checksum.
    bytes: Range<usize>,
}

impl CodeFile {
    /// The codes of a fragment, of this length; `None` if there is no file with an undamaged head.
    pub(super) fn open(cache: &ReadCache, fragment: &str, length: usize) -> Option<Self> {
        let path = cache.file(CACHE_NAME, fragment)?;
        let bytes = Bytes::from_owner(mapped(&path)?);
        CodeFile::of(bytes, fragment, length).map(|codes| CodeFile { path: Some(path), ..codes })
    }

    /// Divides the codes of these rows into partitions and writes them into the cache; only in memory if the disk
    /// refuses.
    pub(super) fn write(cache: &ReadCache, fragment: &str, length: usize, codes: &[u64], rows: &[u32]) -> Self {
        let bytes = encoded(fragment, length, codes, rows);
        let write = || -> Result<()> {
            let Some((mut file, path)) = cache.begin(CACHE_NAME, fragment)? else { return Ok(()) };
            file.write_all(&bytes)?;
            Ok(file.persist(&path).map(drop)?)
        };
        // The next reader tries again.
        drop(write());
        let written = CodeFile::open(cache, fragment, length);
        written.or_else(|| CodeFile::of(bytes.into(), fragment, length)).expect("what was encoded can be read")
    }

    fn of(bytes: Bytes, fragment: &str, length: usize) -> Option<Self> {
        let (count, entry) = (number(&bytes, 0)? as usize, ROW + length * WORD);
        let head = ROW.checked_add(count.checked_mul(entry)?)?;
        let (checksums, head) = (Checksums::of_file(fragment), head.checked_add(checksum::LENGTH)?);
        let entries = &checksums.checked(bytes.get(..head)?)?[ROW..];
        let (mut partitions, mut start) = (Vec::new(), head);
        for entry in entries.chunks_exact(entry) {
            let rows = number(entry, 0)? as usize;
            let end = rows.checked_mul(length * WORD + ROW)?.checked_add(start)?.checked_add(checksum::LENGTH)?;
            partitions.push(PartitionBytes { rows, bytes: start..end });
            start = end;
        }
        let is_whole = start == bytes.len();
        is_whole.then(|| CodeFile { path: None, bytes, length, partitions, checksums, read: AtomicUsize::new(0) })
    }

    /// The distances of a code to the centres of the partitions.
    pub(super) fn distances_to_centres(&self, code: &[u64]) -> Vec<u32> {
        let entries = &self.bytes[ROW..][..self.partitions.len() * (ROW + self.length * WORD)];
        distances(code, entries, ROW)
    }

    /// The number of rows of each partition.
    pub(super) fn sizes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.partitions.iter().map(|partition| partition.rows)
    }

    /// A reader of few of its partitions, or of many.
    ///
    /// Over a large store, mapping the pages of a search and giving them back takes longer than reading its few
    /// partitions. A process that has read as much as the whole file, such as a server, uses what is mapped, and so
    /// does one that cannot open the file because it was removed or handles are lacking.
    pub(super) fn reader(&self, are_few: bool) -> PartitionReader<'_> {
        let reads = are_few && self.read.load(Ordering::Relaxed) < self.bytes.len();
        let file = self.path.as_ref().filter(|_| reads).and_then(|path| File::open(path).ok());
        PartitionReader { codes: self, file, buffer: Vec::new() }
    }

    fn decode<'b>(&self, rows: usize, bytes: &'b [u8]) -> Option<Codes<'b>> {
        let (codes, rows) = self.checksums.checked(bytes)?.split_at(rows * self.length * WORD);
        Some(Codes { codes, rows: rows.as_chunks().0 })
    }
}

pub(super) struct PartitionReader<'c> {
    codes: &'c CodeFile,
    /// `None` for the mapped one.
    file: Option<File>,
    buffer: Vec<u8>,
}

impl PartitionReader<'_> {
    /// The codes of a partition, whose rows are below `of`; `None` if they are damaged. The file is then removed, and
    /// the next reader writes it again.
    pub(super) fn partition(&mut self, place: usize, of: usize) -> Option<Codes<'_>> {
        let PartitionBytes { rows, bytes } = self.codes.partitions.get(place)?;
        let read = self.file.as_mut().map(|file| {
            self.codes.read.fetch_add(bytes.len(), Ordering::Relaxed);
            self.buffer.resize(bytes.len(), 0);
            read_at(file, bytes.start as u64, &mut self.buffer)
        });
        let bytes = match read {
            Some(Ok(())) => Some(&*self.buffer),
            // The file became shorter, so what was mapped is gone.
            Some(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => None,
            _ => Some(&self.codes.bytes[bytes.clone()]),
        };
        let read = bytes.and_then(|bytes| self.codes.decode(*rows, bytes));
        let read = read.filter(|codes| codes.rows().all(|row| (row as usize) < of));
        if read.is_none() {
            // If the disk refuses, the next reader finds the damage too.
            self.codes.path.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
        read
    }
}

pub(super) struct Codes<'b> {
    /// One behind the other.
    codes: &'b [u8],
    rows: &'b [[u8; ROW]],
}

impl Codes<'_> {
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|row| u32::from_le_bytes(*row))
    }

    /// The distances of a code to these.
    pub(super) fn distances(&self, code: &[u64]) -> Vec<u32> {
        distances(code, self.codes, 0)
    }
}

/// The bytes of a file.
fn encoded(fragment: &str, length: usize, codes: &[u64], rows: &[u32]) -> Vec<u8> {
    let (checksums, partitions) = (Checksums::of_file(fragment), partitions(codes, length));
    let mut bytes = (partitions.len() as u32).to_le_bytes().to_vec();
    for Partition { centre, members } in &partitions {
        bytes.extend((members.len() as u32).to_le_bytes());
        bytes.extend(bytes_of(centre));
    }
    bytes.extend(checksums.of(&bytes));
    for Partition { members, .. } in &partitions {
        let start = bytes.len();
        bytes.extend(members.iter().flat_map(|place| bytes_of(&codes[place * length..][..length])));
        bytes.extend(members.iter().flat_map(|place| rows[*place].to_le_bytes()));
        bytes.extend(checksums.of(&bytes[start..]));
    }
    bytes
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes() -> (Vec<u64>, Vec<u32>) {
        let mut random = fastrand::Rng::with_seed(3);
        ((0..400).map(|_| random.u64(..)).collect(), (0..200).map(|place| 3 * place).collect())
    }

    /// The codes of all rows, by row.
    fn all(file: &CodeFile, mut reader: PartitionReader<'_>) -> Option<Vec<(u32, Vec<u64>)>> {
        let mut all = Vec::new();
        for place in 0..file.sizes().count() {
            let codes = reader.partition(place, 598)?;
            let words: Vec<u64> = codes.codes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            all.extend(codes.rows().zip(words.chunks(2).map(<[u64]>::to_vec)));
        }
        all.sort();
        Some(all)
    }

    fn read(file: &CodeFile) -> Option<Vec<(u32, Vec<u64>)>> {
        all(file, file.reader(true))
    }

    #[test]
    fn the_codes_of_all_rows_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, (codes, rows)) = (ReadCache::at(folder.path()), codes());
        assert!(CodeFile::open(&cache, "f", 2).is_none());
        let expected: Vec<(u32, Vec<u64>)> = rows.iter().copied().zip(codes.chunks(2).map(<[u64]>::to_vec)).collect();
        let written = CodeFile::write(&cache, "f", 2, &codes, &rows);
        let opened = CodeFile::open(&cache, "f", 2).unwrap();
        let in_memory = CodeFile::write(&ReadCache::nowhere(), "f", 2, &codes, &rows);
        for file in [&written, &opened, &in_memory] {
            assert_eq!(file.distances_to_centres(&[0, 0]).len(), file.sizes().count());
            assert_eq!(file.sizes().sum::<usize>(), 200);
            assert_eq!(read(file).unwrap(), expected);
            assert_eq!(all(file, file.reader(false)).unwrap(), expected);
        }
        let mut reader = opened.reader(true);
        let whole = (0..opened.sizes().count()).all(|place| reader.partition(place, 597).is_some());
        assert!(!whole, "one has a row that does not exist");
        assert!(CodeFile::open(&cache, "f", 2).is_none(), "it was removed");
        assert_eq!(read(&written).unwrap(), expected, "it is still mapped");
        CodeFile::write(&cache, "f", 2, &codes, &rows);
        assert!(CodeFile::open(&cache, "f", 3).is_none(), "of another length");
        CodeFile::write(&cache, "f", 2, &[], &[]);
        assert_eq!(CodeFile::open(&cache, "f", 2).unwrap().sizes().count(), 0);
    }

    #[test]
    fn a_file_that_was_read_as_a_whole_is_used_as_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, (codes, rows)) = (ReadCache::at(folder.path()), codes());
        let file = CodeFile::write(&cache, "f", 2, &codes, &rows);
        assert!(file.reader(true).file.is_some() && file.reader(false).file.is_none());
        (0..2).for_each(|_| assert!(read(&file).is_some()));
        assert!(file.reader(true).file.is_none());
    }

    #[test]
    fn damaged_and_foreign_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, (codes, rows)) = (ReadCache::at(folder.path()), codes());
        CodeFile::write(&cache, "f", 2, &codes, &rows);
        let path = cache.file(CACHE_NAME, "f").unwrap();
        let whole = std::fs::read(&path).unwrap();
        let of = |bytes: &[u8], fragment| CodeFile::of(bytes.to_vec().into(), fragment, 2);
        for at in 0..whole.len() {
            assert!(of(&whole[..at], "f").is_none(), "{at} bytes");
            let mut bent = whole.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(of(&bent, "f").is_none_or(|file| read(&file).is_none()), "byte {at}");
        }
        assert!(of(&whole, "g").is_none());
        let mut bent = whole.clone();
        *bent.last_mut().unwrap() ^= 1;
        let shorter = &whole[..whole.len() - 1];
        for damaged in [&bent[..], shorter] {
            let file = CodeFile { path: Some(path.clone()), ..of(&whole, "f").unwrap() };
            std::fs::write(&path, damaged).unwrap();
            assert!(read(&file).is_none() && !path.exists());
        }
    }
}

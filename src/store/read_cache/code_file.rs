//! The binary codes of the vectors of a fragment in the read cache, those of a [partition](super::partitions) side by
//! side.
//!
//! The file begins with the centres and sizes of the partitions and a checksum. Each partition has the codes of its
//! vectors, then their rows, then a checksum, so a reader reads only the partitions that it searches. All checksums
//! cover the name of the fragment too.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use bytes::Bytes;

use super::checksum::{self, Checksums};
use super::files::{ReadCache, mapped};
use super::partitions::{Partition, partitions};

/// The name of the files in the read cache. Every change of their contents needs a new one.
pub(super) const CACHE_NAME: &str = "codes";
const ROW: usize = size_of::<u32>();
const WORD: usize = size_of::<u64>();

pub(super) struct CodeFile {
    /// `None` if it is only in memory.
    path: Option<PathBuf>,
    bytes: Bytes,
    /// The length of a code, in words of 64 bits.
    length: usize,
    /// The centres of the partitions, one behind the other.
    centres: Vec<u64>,
    partitions: Vec<PartitionBytes>,
    checksums: Checksums,
}

struct PartitionBytes {
    rows: usize,
    /// Its bytes, with the checksum.
    bytes: Range<usize>,
}

impl CodeFile {
    /// The codes of a fragment, of this length; `None` if there is no undamaged file.
    pub(super) fn open(cache: &ReadCache, fragment: &str, length: usize) -> Option<Self> {
        let path = cache.file(CACHE_NAME, fragment)?;
        let bytes = Bytes::from_owner(mapped(&path)?);
        CodeFile::read(bytes, fragment, length).map(|codes| CodeFile { path: Some(path), ..codes })
    }

    /// Divides the codes of these rows into partitions and writes them into the cache; only in memory if the disk
    /// refuses.
    pub(super) fn write(cache: &ReadCache, fragment: &str, length: usize, codes: &[u64], rows: &[u32]) -> Self {
        let bytes = encoded(fragment, length, codes, rows);
        let write = || -> std::io::Result<Option<PathBuf>> {
            let Some((mut file, path)) = cache.begin(CACHE_NAME, fragment)? else { return Ok(None) };
            file.write_all(&bytes)?;
            file.persist(&path)?;
            Ok(Some(path))
        };
        // The next reader tries again.
        let path = write().ok().flatten();
        let codes = CodeFile::read(bytes.into(), fragment, length).expect("what was encoded can be read");
        CodeFile { path, ..codes }
    }

    fn read(bytes: Bytes, fragment: &str, length: usize) -> Option<Self> {
        let (count, entry) = (number(&bytes, 0)? as usize, ROW + length * WORD);
        let head = ROW.checked_add(count.checked_mul(entry)?)?;
        let (checksums, head) = (Checksums::of_file(fragment), head.checked_add(checksum::LENGTH)?);
        let entries = &checksums.checked(bytes.get(..head)?)?[ROW..];
        let (mut centres, mut partitions, mut start) = (Vec::new(), Vec::new(), head);
        for entry in entries.chunks_exact(entry) {
            let rows = number(entry, 0)? as usize;
            centres.extend(words(&entry[ROW..]));
            let end = start + rows * (length * WORD + ROW) + checksum::LENGTH;
            partitions.push(PartitionBytes { rows, bytes: start..end });
            start = end;
        }
        (start == bytes.len()).then_some(CodeFile { path: None, bytes, length, centres, partitions, checksums })
    }

    pub(super) fn centres(&self) -> &[u64] {
        &self.centres
    }

    /// The number of rows of each partition.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.partitions.iter().map(|partition| partition.rows)
    }

    /// The codes of a partition, one behind the other, and their rows, which are below `of`; `None` if they are
    /// damaged. The file is then removed, and the next reader writes it again.
    pub(super) fn partition(&self, place: usize, of: usize) -> Option<(Vec<u64>, Vec<u32>)> {
        let read = self.undamaged(place).filter(|(_, rows)| rows.iter().all(|row| (*row as usize) < of));
        if read.is_none() {
            // If the disk refuses, the next reader finds the damage too.
            self.path.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
        read
    }

    fn undamaged(&self, place: usize) -> Option<(Vec<u64>, Vec<u32>)> {
        let PartitionBytes { rows, bytes } = self.partitions.get(place)?;
        let contents = self.checksums.checked(&self.bytes[bytes.clone()])?;
        let (codes, rows) = contents.split_at(rows * self.length * WORD);
        Some((words(codes).collect(), rows.as_chunks().0.iter().map(|row| u32::from_le_bytes(*row)).collect()))
    }
}

/// The bytes of a file.
fn encoded(fragment: &str, length: usize, codes: &[u64], rows: &[u32]) -> Vec<u8> {
    let (checksums, partitions) = (Checksums::of_file(fragment), partitions(codes, length));
    let mut bytes = (partitions.len() as u32).to_le_bytes().to_vec();
    for Partition { centre, members } in &partitions {
        bytes.extend((members.len() as u32).to_le_bytes());
        bytes.extend(centre.iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes.extend(checksums.of(&bytes));
    for Partition { members, .. } in &partitions {
        let start = bytes.len();
        let words = members.iter().flat_map(|place| &codes[place * length..][..length]);
        bytes.extend(words.flat_map(|word| word.to_le_bytes()));
        bytes.extend(members.iter().flat_map(|place| rows[*place].to_le_bytes()));
        bytes.extend(checksums.of(&bytes[start..]));
    }
    bytes
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes() -> (Vec<u64>, Vec<u32>) {
        let mut random = fastrand::Rng::with_seed(3);
        ((0..400).map(|_| random.u64(..)).collect(), (0..200).map(|place| 3 * place).collect())
    }

    /// The codes of all rows, by row.
    fn all(file: &CodeFile) -> Option<Vec<(u32, Vec<u64>)>> {
        let mut all = Vec::new();
        for place in 0..file.sizes().count() {
            let (codes, rows) = file.partition(place, 598)?;
            all.extend(rows.into_iter().zip(codes.chunks(2).map(<[u64]>::to_vec)));
        }
        all.sort();
        Some(all)
    }

    #[test]
    fn the_codes_of_all_rows_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, (codes, rows)) = (ReadCache::at(folder.path()), codes());
        assert!(CodeFile::open(&cache, "f", 2).is_none());
        let expected: Vec<(u32, Vec<u64>)> = rows.iter().copied().zip(codes.chunks(2).map(<[u64]>::to_vec)).collect();
        let written = CodeFile::write(&cache, "f", 2, &codes, &rows);
        let read = CodeFile::open(&cache, "f", 2).unwrap();
        for file in [written, read] {
            assert_eq!(file.centres().len(), 2 * file.sizes().count());
            assert_eq!(file.sizes().sum::<usize>(), 200);
            assert_eq!(all(&file).unwrap(), expected);
            let whole = (0..file.sizes().count()).all(|place| file.partition(place, 597).is_some());
            assert!(!whole, "one has a row that does not exist");
        }
        assert!(CodeFile::open(&cache, "f", 2).is_none(), "it was removed");
        CodeFile::write(&cache, "f", 2, &codes, &rows);
        assert!(CodeFile::open(&cache, "f", 3).is_none(), "of another length");
        CodeFile::write(&cache, "f", 2, &[], &[]);
        assert_eq!(CodeFile::open(&cache, "f", 2).unwrap().sizes().count(), 0);
    }

    #[test]
    fn damaged_and_foreign_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, (codes, rows)) = (ReadCache::at(folder.path()), codes());
        CodeFile::write(&cache, "f", 2, &codes, &rows);
        let path = cache.file(CACHE_NAME, "f").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            assert!(CodeFile::read(whole[..at].to_vec().into(), "f", 2).is_none(), "{at} bytes");
            let mut bent = whole.clone();
            bent[at] ^= 1 << (at % 8);
            let read = CodeFile::read(bent.into(), "f", 2);
            assert!(read.is_none_or(|file| all(&file).is_none()), "byte {at}");
        }
        assert!(CodeFile::read(whole.clone().into(), "g", 2).is_none());
        let mut bent = whole;
        *bent.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bent).unwrap();
        assert!(all(&CodeFile::open(&cache, "f", 2).unwrap()).is_none());
        assert!(!path.exists());
    }
}

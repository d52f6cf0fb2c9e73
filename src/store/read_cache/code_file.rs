//! The binary codes of the vectors of a fragment in the read cache, those of a [partition](super::partitions) side by
//! side.
//!
//! The file begins with the centres and sizes of the partitions and a checksum. Each partition has the codes of its
//! vectors, then their rows, then a checksum, so a reader reads only the partitions that it searches. All checksums
//! cover the name of the fragment too.

use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::checksum::{self, Checksums};
use super::files::ReadCache;
use super::partitions::{Partition, partitions};

/// The name of the files in the read cache. Every change of their contents needs a new one.
pub(super) const CACHE_NAME: &str = "codes";
const ROW: usize = size_of::<u32>();
const WORD: usize = size_of::<u64>();

pub(super) struct CodeFile {
    contents: Contents,
    /// The length of a code, in words of 64 bits.
    length: usize,
    /// The centres of the partitions, one behind the other.
    centres: Vec<u64>,
    partitions: Vec<PartitionBytes>,
    checksums: Checksums,
}

/// A file is read where it is needed. Mapping it took longer: a search needs something of nearly every page.
enum Contents {
    OnDisk(PathBuf),
    InMemory(Bytes),
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
        let (file, size) = opened(&path).ok()?;
        CodeFile::read(file, size, Contents::OnDisk(path), fragment, length)
    }

    /// Divides the codes of these rows into partitions and writes them into the cache; only in memory if the disk
    /// refuses.
    pub(super) fn write(cache: &ReadCache, fragment: &str, length: usize, codes: &[u64], rows: &[u32]) -> Self {
        let bytes = Bytes::from(encoded(fragment, length, codes, rows));
        let write = || -> Result<Option<PathBuf>> {
            let Some((mut file, path)) = cache.begin(CACHE_NAME, fragment)? else { return Ok(None) };
            file.write_all(&bytes)?;
            file.persist(&path)?;
            Ok(Some(path))
        };
        // If the disk refuses, the next reader tries again.
        let contents = write().ok().flatten().map_or_else(|| Contents::InMemory(bytes.clone()), Contents::OnDisk);
        let codes = CodeFile::read(&*bytes, bytes.len(), contents, fragment, length);
        codes.expect("what was encoded can be read")
    }

    /// From the head of contents of this size.
    fn read(mut head: impl Read, size: usize, contents: Contents, fragment: &str, length: usize) -> Option<Self> {
        let mut bytes = vec![0; ROW];
        head.read_exact(&mut bytes).ok()?;
        let (count, entry) = (number(&bytes, 0)? as usize, ROW + length * WORD);
        let end = ROW.checked_add(count.checked_mul(entry)?)?.checked_add(checksum::LENGTH)?;
        bytes.resize(Some(end).filter(|end| *end <= size)?, 0);
        head.read_exact(&mut bytes[ROW..]).ok()?;
        let checksums = Checksums::of_file(fragment);
        let entries = &checksums.checked(&bytes)?[ROW..];
        let (mut centres, mut partitions, mut start) = (Vec::new(), Vec::new(), end);
        for entry in entries.chunks_exact(entry) {
            let rows = number(entry, 0)? as usize;
            centres.extend(words(&entry[ROW..]));
            let end = start + rows * (length * WORD + ROW) + checksum::LENGTH;
            partitions.push(PartitionBytes { rows, bytes: start..end });
            start = end;
        }
        (start == size).then_some(CodeFile { contents, length, centres, partitions, checksums })
    }

    pub(super) fn centres(&self) -> &[u64] {
        &self.centres
    }

    /// The number of rows of each partition.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        self.partitions.iter().map(|partition| partition.rows)
    }

    /// A reader of its partitions; `None` if the file cannot be opened.
    pub(super) fn reader(&self) -> Option<PartitionReader<'_>> {
        let contents = match &self.contents {
            Contents::OnDisk(path) => Open::File(opened(path).ok()?.0),
            Contents::InMemory(bytes) => Open::Memory(bytes),
        };
        Some(PartitionReader { codes: self, contents, bytes: Vec::new() })
    }

    fn decode(&self, rows: usize, bytes: &[u8]) -> Option<(Vec<u64>, Vec<u32>)> {
        let (codes, rows) = self.checksums.checked(bytes)?.split_at(rows * self.length * WORD);
        Some((words(codes).collect(), rows.as_chunks().0.iter().map(|row| u32::from_le_bytes(*row)).collect()))
    }
}

pub(super) struct PartitionReader<'c> {
    codes: &'c CodeFile,
    contents: Open<'c>,
    /// Those of the last partition.
    bytes: Vec<u8>,
}

enum Open<'c> {
    File(File),
    Memory(&'c [u8]),
}

impl PartitionReader<'_> {
    /// The codes of a partition, one behind the other, and their rows, which are below `of`; `None` if they cannot be
    /// read. A damaged file is removed, and the next reader writes it again.
    pub(super) fn partition(&mut self, place: usize, of: usize) -> Option<(Vec<u64>, Vec<u32>)> {
        let PartitionBytes { rows, bytes } = self.codes.partitions.get(place)?;
        let is_whole = match self.read(bytes.clone()) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
            // A lack of file handles, for example, is no damage.
            Err(_) => return None,
        };
        let read = is_whole.then(|| self.codes.decode(*rows, &self.bytes)).flatten();
        let read = read.filter(|(_, rows)| rows.iter().all(|row| (*row as usize) < of));
        if let (None, Contents::OnDisk(path)) = (&read, &self.codes.contents) {
            // If the disk refuses, the next reader finds the damage too.
            drop(std::fs::remove_file(path));
        }
        read
    }

    fn read(&mut self, bytes: Range<usize>) -> Result<()> {
        self.bytes.resize(bytes.len(), 0);
        match &mut self.contents {
            Open::File(file) => {
                file.seek(SeekFrom::Start(bytes.start as u64))?;
                file.read_exact(&mut self.bytes)
            }
            Open::Memory(all) => {
                self.bytes.copy_from_slice(&all[bytes]);
                Ok(())
            }
        }
    }
}

/// A file and its size. Opening a pipe could wait forever.
fn opened(path: &Path) -> Result<(File, usize)> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok((File::open(path)?, metadata.len() as usize))
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

    fn read(bytes: &[u8], fragment: &str) -> Option<CodeFile> {
        let contents = Contents::InMemory(bytes.to_vec().into());
        CodeFile::read(bytes, bytes.len(), contents, fragment, 2)
    }

    /// The codes of all rows, by row.
    fn all(file: &CodeFile) -> Option<Vec<(u32, Vec<u64>)>> {
        let mut all = Vec::new();
        let mut reader = file.reader()?;
        for place in 0..file.sizes().count() {
            let (codes, rows) = reader.partition(place, 598)?;
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
        for file in [&written, &read] {
            assert_eq!(file.centres().len(), 2 * file.sizes().count());
            assert_eq!(file.sizes().sum::<usize>(), 200);
            assert_eq!(all(file).unwrap(), expected);
        }
        let mut reader = read.reader().unwrap();
        let whole = (0..read.sizes().count()).all(|place| reader.partition(place, 597).is_some());
        assert!(!whole, "one has a row that does not exist");
        assert!(CodeFile::open(&cache, "f", 2).is_none(), "it was removed");
        assert_eq!(all(&CodeFile::write(&ReadCache::nowhere(), "f", 2, &codes, &rows)).unwrap(), expected);
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
            assert!(read(&whole[..at], "f").is_none(), "{at} bytes");
            let mut bent = whole.clone();
            bent[at] ^= 1 << (at % 8);
            assert!(read(&bent, "f").is_none_or(|file| all(&file).is_none()), "byte {at}");
        }
        assert!(read(&whole, "g").is_none());
        let mut bent = whole.clone();
        *bent.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bent).unwrap();
        assert!(all(&CodeFile::open(&cache, "f", 2).unwrap()).is_none());
        assert!(!path.exists());
        std::fs::write(&path, &whole).unwrap();
        let file = CodeFile::open(&cache, "f", 2).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(all(&file).is_none() && !path.exists(), "it became shorter");
        assert!(file.reader().is_none(), "it is gone");
    }
}

//! The ids of the chunks of a fragment and their vectors in half precision (IEEE 754 binary16), one record for each
//! row, in the read cache.
//!
//! LanceDB reads scattered rows one by one: a few hundred among a million took most of the time of a search. Here a
//! reader reads the records that it scores; mapping the file took longer, because each record was on a page that was
//! not mapped yet. Half precision changes a cosine by less than 0.001. Each record has its own checksum, so no reader
//! has to read the whole file. The checksum covers the name of the fragment too.

use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::PathBuf;

use lancedb::arrow::arrow_array::types::{ArrowPrimitiveType, Float16Type};
use tempfile::NamedTempFile;

use super::checksum::{self, Checksums};
use super::files::{ReadCache, read_at};
use crate::vectors::dot;

/// The name of the files in the read cache. Every change of their contents needs a new one, or another length.
pub(super) const CACHE_NAME: &str = "half-vectors";
/// The bytes of a record for the id, the first of them for its length. Ids are far shorter.
const ID: usize = 32;

type Half = <Float16Type as ArrowPrimitiveType>::Native;

pub(super) struct HalfVectors {
    path: PathBuf,
    dimension: usize,
    checksums: Checksums,
}

impl HalfVectors {
    /// The vectors of a fragment with this number of rows; `None` if there is no file of the right length.
    pub(super) fn open(cache: &ReadCache, fragment: &str, dimension: usize, rows: usize) -> Option<Self> {
        let path = cache.file(CACHE_NAME, fragment)?;
        let metadata = std::fs::metadata(&path).ok()?;
        let is_whole = metadata.is_file() && metadata.len() == (rows * record(dimension)) as u64;
        is_whole.then(|| HalfVectors { path, dimension, checksums: Checksums::of_file(fragment) })
    }

    /// The ids of rows and the products of their vectors with another, without rows that have no vector.
    ///
    /// # Errors
    /// If the file cannot be read, or a row does not exist or is damaged.
    pub(super) fn products(&self, rows: impl Iterator<Item = u32>, vector: &[f32]) -> Result<Vec<(String, f32)>> {
        let (mut file, mut record) = (File::open(&self.path)?, vec![0; record(self.dimension)]);
        let (mut products, mut numbers) = (Vec::new(), Vec::with_capacity(self.dimension));
        for row in rows {
            let start = u64::from(row) * record.len() as u64;
            read_at(&mut file, start, &mut record)?;
            let (id, halves) =
                self.decode(&record).ok_or_else(|| Error::new(ErrorKind::InvalidData, "a record is damaged"))?;
            numbers.clear();
            numbers.extend(halves.iter().map(single));
            if numbers.iter().any(|number| *number != 0.0) {
                products.push((id.to_owned(), dot(&numbers, vector)));
            }
        }
        Ok(products)
    }

    /// The id and the vector in a record; `None` if it is damaged.
    fn decode<'r>(&self, record: &'r [u8]) -> Option<(&'r str, &'r [[u8; size_of::<Half>()]])> {
        let (id, halves) = self.checksums.checked(record)?.split_at_checked(ID)?;
        let (length, id) = id.split_first()?;
        Some((str::from_utf8(id.get(..usize::from(*length))?).ok()?, halves.as_chunks().0))
    }

    /// Removes a damaged file. The next process writes it again.
    pub(super) fn remove(&self) {
        // If the disk refuses, the next reader finds the damage too.
        drop(std::fs::remove_file(&self.path));
    }
}

/// A file of vectors that is being written. It appears when it is complete.
pub(super) struct HalfVectorWriter {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    checksums: Checksums,
}

impl HalfVectorWriter {
    /// `None` if there is no place for the cache.
    ///
    /// # Errors
    /// If the disk refuses; the same below.
    pub(super) fn begin(cache: &ReadCache, fragment: &str) -> Result<Option<Self>> {
        let begun = cache.begin(CACHE_NAME, fragment)?;
        Ok(begun.map(|(file, path)| HalfVectorWriter {
            file: BufWriter::new(file),
            path,
            checksums: Checksums::of_file(fragment),
        }))
    }

    /// Adds a row. A vector of zeros says that it has none.
    ///
    /// # Errors
    /// Also if the id is too long.
    pub(super) fn add(&mut self, id: &str, vector: &[f32]) -> Result<()> {
        if id.len() >= ID {
            return Err(Error::other("the id is too long"));
        }
        let mut record = vec![id.len() as u8];
        record.extend(id.as_bytes());
        record.resize(ID, 0);
        record.extend(vector.iter().flat_map(|number| Half::from_f32(*number).to_le_bytes()));
        self.file.write_all(&record)?;
        self.file.write_all(&self.checksums.of(&record))
    }

    pub(super) fn end(self) -> Result<()> {
        self.file.into_inner()?.persist(self.path)?;
        Ok(())
    }
}

/// A number in single precision. The type's own conversion asks the processor about its instructions each time.
/// Infinity and NaN, which no vector has, become finite numbers.
fn single(half: &[u8; 2]) -> f32 {
    const SIGN: u16 = 1 << 15;
    /// The fraction is longer in single precision, by this number of bits.
    const LONGER_FRACTION: u32 = f32::MANTISSA_DIGITS - 11;
    /// Two to the power of 112: single precision subtracts 127 from an exponent, half precision 15.
    const SCALE: f32 = f32::from_bits((112 + 127) << 23);
    let half = u16::from_le_bytes(*half);
    let size = f32::from_bits(u32::from(half & !SIGN) << LONGER_FRACTION) * SCALE;
    if half & SIGN == 0 { size } else { -size }
}

/// The length of a record, in bytes.
fn record(dimension: usize) -> usize {
    ID + dimension * size_of::<Half>() + checksum::LENGTH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::normalised;

    /// The last has no vector.
    fn vectors() -> Vec<Vec<f32>> {
        let mut random = fastrand::Rng::with_seed(3);
        let vector = |_| normalised((0..384).map(|_| random.f32() - 0.5).collect());
        (0..5).map(vector).chain([vec![0.0; 384]]).collect()
    }

    fn written(cache: &ReadCache, vectors: &[Vec<f32>]) -> PathBuf {
        let mut writing = HalfVectorWriter::begin(cache, "f").unwrap().unwrap();
        for (row, vector) in vectors.iter().enumerate() {
            writing.add(&format!("abc123:{row}"), vector).unwrap();
        }
        writing.end().unwrap();
        cache.file(CACHE_NAME, "f").unwrap()
    }

    #[test]
    fn products_are_those_of_the_vectors() {
        let (folder, vectors) = (tempfile::tempdir().unwrap(), vectors());
        let cache = ReadCache::at(folder.path());
        assert!(HalfVectors::open(&cache, "f", 384, 6).is_none());
        written(&cache, &vectors);
        let read = HalfVectors::open(&cache, "f", 384, 6).unwrap();
        for other in &vectors[..5] {
            let products = read.products([4, 5, 0].into_iter(), other).unwrap();
            assert_eq!(products.len(), 2, "without the row that has no vector");
            for ((id, product), row) in products.into_iter().zip([4, 0]) {
                assert_eq!(id, format!("abc123:{row}"));
                assert!((product - dot(&vectors[row], other)).abs() < 0.001);
            }
        }
        assert!(read.products([6].into_iter(), &vectors[0]).is_err(), "no such row");
        for (dimension, rows) in [(384, 5), (384, 7), (383, 6)] {
            assert!(HalfVectors::open(&cache, "f", dimension, rows).is_none(), "{dimension} x {rows}");
        }
    }

    #[test]
    fn a_long_id_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writing = HalfVectorWriter::begin(&ReadCache::at(folder.path()), "f").unwrap().unwrap();
        writing.add(&"a".repeat(ID - 1), &[1.0]).unwrap();
        assert!(writing.add(&"a".repeat(ID), &[1.0]).is_err());
    }

    #[test]
    fn numbers_are_converted_as_by_their_type() {
        for half in (0..=u16::MAX).map(Half::from_bits).filter(|half| half.is_finite()) {
            assert_eq!(single(&half.to_le_bytes()).to_bits(), half.to_f32().to_bits(), "{half}");
        }
    }

    #[test]
    fn damaged_and_foreign_records_are_refused() {
        let (folder, vectors) = (tempfile::tempdir().unwrap(), vectors());
        let cache = ReadCache::at(folder.path());
        let path = written(&cache, &vectors);
        let there = |read: &HalfVectors| -> Vec<bool> {
            (0..5).map(|row| read.products([row].into_iter(), &vectors[0]).is_ok()).collect()
        };
        std::fs::copy(&path, cache.file(CACHE_NAME, "g").unwrap()).unwrap();
        let foreign = HalfVectors::open(&cache, "g", 384, 6).unwrap();
        assert_eq!(there(&foreign), [false; 5], "the file of another fragment");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[record(384) + 7] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        let read = HalfVectors::open(&cache, "f", 384, 6).unwrap();
        assert_eq!(there(&read), [true, false, true, true, true]);
        read.remove();
        assert!(HalfVectors::open(&cache, "f", 384, 6).is_none());
    }
}

//! The vectors of a fragment in the read cache, in half precision (IEEE 754 binary16), one record for each row.
//!
//! LanceDB reads scattered rows one by one: a few hundred among a million took most of the time of a search. Here a
//! reader maps the file and reads the records that it scores. Half precision changes a cosine by less than 0.001. Each
//! record has its own checksum, so no reader has to read the whole file. The checksum covers the name of the fragment
//! too.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use crc32fast::Hasher;
use lancedb::arrow::arrow_array::types::{ArrowPrimitiveType, Float16Type};
use memmap2::Mmap;
use tempfile::NamedTempFile;

use super::read_cache::{ReadCache, mapped};
use crate::vectors::dot;

/// The name of the files in the read cache. Every change of their contents needs a new one.
pub(super) const CACHE_NAME: &str = "half-vectors";
/// The length of a checksum, in bytes.
const CHECKSUM: usize = size_of::<u32>();

type Half = <Float16Type as ArrowPrimitiveType>::Native;

pub(super) struct HalfVectors {
    path: PathBuf,
    map: Mmap,
    /// The length of a record, in bytes.
    record: usize,
    hasher: Hasher,
}

impl HalfVectors {
    /// The vectors of a fragment with this number of rows; `None` if there is no file of the right length.
    pub(super) fn open(cache: &ReadCache, fragment: &str, dimension: usize, rows: usize) -> Option<Self> {
        let path = cache.file(CACHE_NAME, fragment)?;
        let (map, record) = (mapped(&path)?, record(dimension));
        (map.len() == record * rows).then(|| HalfVectors { path, map, record, hasher: hasher(fragment) })
    }

    /// The product of a row's vector and another; `None` if the row does not exist or is damaged.
    pub(super) fn dot(&self, row: usize, vector: &[f32]) -> Option<f32> {
        let record = self.map.get(row * self.record..)?.get(..self.record)?;
        let (numbers, checksum) = record.split_last_chunk::<CHECKSUM>()?;
        let is_whole = checksum_of(&self.hasher, numbers) == *checksum;
        is_whole.then(|| dot(&numbers.as_chunks().0.iter().map(single).collect::<Vec<f32>>(), vector))
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
    hasher: Hasher,
}

impl HalfVectorWriter {
    /// `None` if there is no place for the cache.
    ///
    /// # Errors
    /// If the disk refuses; the same below.
    pub(super) fn begin(cache: &ReadCache, fragment: &str) -> std::io::Result<Option<Self>> {
        let begun = cache.begin(CACHE_NAME, fragment)?;
        Ok(begun.map(|(file, path)| HalfVectorWriter { file: BufWriter::new(file), path, hasher: hasher(fragment) }))
    }

    pub(super) fn add(&mut self, vector: &[f32]) -> std::io::Result<()> {
        let numbers: Vec<u8> = vector.iter().flat_map(|number| Half::from_f32(*number).to_le_bytes()).collect();
        self.file.write_all(&numbers)?;
        self.file.write_all(&checksum_of(&self.hasher, &numbers))
    }

    pub(super) fn end(self) -> std::io::Result<()> {
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
    dimension * size_of::<Half>() + CHECKSUM
}

/// Begins the checksums of a file.
fn hasher(fragment: &str) -> Hasher {
    let mut hasher = Hasher::new();
    hasher.update(fragment.as_bytes());
    hasher
}

fn checksum_of(hasher: &Hasher, numbers: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = hasher.clone();
    hasher.update(numbers);
    hasher.finalize().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::normalised;

    fn vectors() -> Vec<Vec<f32>> {
        let mut random = fastrand::Rng::with_seed(3);
        (0..5).map(|_| normalised((0..384).map(|_| random.f32() - 0.5).collect())).collect()
    }

    fn written(cache: &ReadCache, vectors: &[Vec<f32>]) -> PathBuf {
        let mut writing = HalfVectorWriter::begin(cache, "f").unwrap().unwrap();
        vectors.iter().for_each(|vector| writing.add(vector).unwrap());
        writing.end().unwrap();
        cache.file(CACHE_NAME, "f").unwrap()
    }

    #[test]
    fn products_are_those_of_the_vectors() {
        let (folder, vectors) = (tempfile::tempdir().unwrap(), vectors());
        let cache = ReadCache::at(folder.path());
        assert!(HalfVectors::open(&cache, "f", 384, 5).is_none());
        written(&cache, &vectors);
        let read = HalfVectors::open(&cache, "f", 384, 5).unwrap();
        for (row, vector) in vectors.iter().enumerate() {
            for other in &vectors {
                assert!((read.dot(row, other).unwrap() - dot(vector, other)).abs() < 0.001);
            }
        }
        assert_eq!(read.dot(5, &vectors[0]), None, "no such row");
        for (dimension, rows) in [(384, 4), (384, 6), (383, 5)] {
            assert!(HalfVectors::open(&cache, "f", dimension, rows).is_none(), "{dimension} x {rows}");
        }
    }

    #[test]
    fn numbers_are_converted_as_by_their_type() {
        for half in (0..=u16::MAX).map(Half::from_bits).filter(|half| half.is_finite()) {
            assert_eq!(single(&half.to_le_bytes()).to_bits(), half.to_f32().to_bits(), "{half}");
        }
    }

    #[test]
    fn damaged_and_foreign_records_are_ignored() {
        let (folder, vectors) = (tempfile::tempdir().unwrap(), vectors());
        let cache = ReadCache::at(folder.path());
        let path = written(&cache, &vectors);
        std::fs::copy(&path, cache.file(CACHE_NAME, "g").unwrap()).unwrap();
        let foreign = HalfVectors::open(&cache, "g", 384, 5).unwrap();
        assert!((0..5).all(|row| foreign.dot(row, &vectors[0]).is_none()), "the file of another fragment");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[record(384) + 7] ^= 4;
        std::fs::write(&path, bytes).unwrap();
        let read = HalfVectors::open(&cache, "f", 384, 5).unwrap();
        let there: Vec<bool> = (0..5).map(|row| read.dot(row, &vectors[0]).is_some()).collect();
        assert_eq!(there, [true, false, true, true, true]);
        read.remove();
        assert!(HalfVectors::open(&cache, "f", 384, 5).is_none());
    }
}

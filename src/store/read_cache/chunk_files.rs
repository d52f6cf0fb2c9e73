//! Opens the files of the read cache that a search by vectors needs, and writes those that are missing.

use lancedb::arrow::arrow_array::RecordBatch;
use rayon::prelude::*;

use super::binary_codes::code_of;
use super::chunk_rows::{ChunkRows, FragmentRows};
use super::code_file::{self, CodeFile};
use super::files::{ReadCache, damaged};
use super::fragments::{CachedFragment, CachedRows};
use super::half_vectors::{self, HalfVectorWriter, HalfVectors};
use super::parent_rows::{self, ParentRows};
use crate::error::Result;
use crate::store::convert::{CHUNK_ID, CHUNKS, Columns, VECTOR};
use crate::store::scan::Wanted;
use crate::store::tables::Tables;

const RUNS_OF_ROWS: CachedRows = CachedRows {
    name: "chunk-ids",
    columns: Wanted::Named(&[CHUNK_ID]),
    batch: parent_rows::keys,
    fragment: parent_rows::runs,
    is_lazy: false,
};

impl Tables {
    /// The rows of the chunks whose vectors have this dimension.
    ///
    /// # Errors
    /// If the table cannot be read. The disk may refuse the cache.
    pub(in crate::store) async fn chunk_rows(&self, cache: &ReadCache, dimension: usize) -> Result<ChunkRows> {
        let read = self.cached_fragments(cache, &self.chunks, RUNS_OF_ROWS).await?;
        let described: Vec<String> = read.iter().map(|fragment| fragment.described.clone()).collect();
        let opened = read.into_par_iter().map(|fragment| opened(cache, fragment, dimension));
        let (mut fragments, mut is_new) = (Vec::new(), false);
        for Opened { fragment, parents, codes, vectors } in opened.collect::<Result<Vec<_>>>()?.into_iter().flatten() {
            let rows = parents.rows();
            let (codes, vectors) = match (codes, vectors) {
                (Some(codes), Some(vectors)) => (codes, Some(vectors)),
                _ => {
                    is_new = true;
                    let codes = self.write_vectors(cache, &fragment, dimension).await?;
                    (codes, HalfVectors::open(cache, &fragment.described, dimension, rows))
                }
            };
            let (number, deleted) = (fragment.written.id, fragment.deleted);
            fragments.push(FragmentRows { number, rows, parents, codes, vectors, deleted });
        }
        for name in [code_file::CACHE_NAME, half_vectors::CACHE_NAME].into_iter().filter(|_| is_new) {
            // If the disk refuses, the next writer tries again.
            drop(cache.keep(name, &described));
        }
        Ok(ChunkRows::of(fragments))
    }

    /// Writes the codes and vectors of a fragment into the cache.
    async fn write_vectors(&self, cache: &ReadCache, fragment: &CachedFragment, dimension: usize) -> Result<CodeFile> {
        let (none, mut codes, mut rows, mut row) = (vec![0.0; dimension], Vec::new(), Vec::new(), 0);
        // An error of the disk is ignored: a search then reads the vectors from the table.
        let mut writing = HalfVectorWriter::begin(cache, &fragment.described).ok().flatten();
        let add = |batch: RecordBatch| {
            let columns = Columns { table: CHUNKS, batch: &batch };
            let ((numbers, there), ids) = (columns.vectors(VECTOR, dimension)?, columns.texts(CHUNK_ID)?);
            for (place, vector) in numbers.chunks_exact(dimension.max(1)).enumerate() {
                let vector = Some(vector).filter(|_| there.is_none_or(|there| there.is_valid(place)));
                if let Some(vector) = vector {
                    codes.extend(code_of(vector));
                    rows.push(row);
                }
                let added = writing.as_mut().map(|writing| writing.add(ids.value(place), vector.unwrap_or(&none)));
                if let Some(Err(_)) = added {
                    writing = None;
                }
                row += 1;
            }
            Ok(())
        };
        let (table, written) = (&self.chunks, fragment.written.clone());
        self.each_batch_of(table, written, Wanted::Named(&[CHUNK_ID, VECTOR]), add).await?;
        if let Some(writing) = writing {
            drop(writing.end());
        }
        Ok(CodeFile::write(cache, &fragment.described, words(dimension), &codes, &rows))
    }
}

/// What the cache has of a fragment.
struct Opened {
    fragment: CachedFragment,
    parents: ParentRows,
    codes: Option<CodeFile>,
    vectors: Option<HalfVectors>,
}

/// `None` for a fragment without rows.
fn opened(cache: &ReadCache, fragment: CachedFragment, dimension: usize) -> Result<Option<Opened>> {
    let Some(runs) = fragment.batches()?.pop() else { return Ok(None) };
    let parents = ParentRows::read(&runs)?;
    if fragment.written.physical_rows.is_some_and(|rows| rows != parents.rows()) {
        return Err(damaged("has other rows than the table"));
    }
    let codes = CodeFile::open(cache, &fragment.described, words(dimension));
    let vectors = HalfVectors::open(cache, &fragment.described, dimension, parents.rows());
    Ok(Some(Opened { fragment, parents, codes, vectors }))
}

/// The length of a binary code, in words of 64 bits.
fn words(dimension: usize) -> usize {
    dimension.div_ceil(u64::BITS as usize)
}

//! Finds the rows of chunks by their ids and by their vectors, without reading the table.
//!
//! Over a million chunks, reading ids and the partitions of an index from the table took most of the time of a semantic
//! search. So the read cache keeps, for each fragment, the ids (about 20 bytes for each chunk) and a
//! [binary code](super::binary_codes) of each vector. The nearest codes hold nearly all of the nearest vectors, which
//! are then compared themselves ([`half_vectors`](super::half_vectors)).

use std::collections::HashSet;
use std::sync::Arc;

use lancedb::arrow::arrow_array::cast::AsArray;
use lancedb::arrow::arrow_array::types::{Float32Type, UInt64Type};
use lancedb::arrow::arrow_array::{Array, ArrayRef, FixedSizeListArray, RecordBatch, StringArray, UInt64Array};
use lancedb::arrow::arrow_buffer::NullBuffer;
use lancedb::arrow::arrow_schema::{DataType, Field};
use rayon::prelude::*;

use super::binary_codes::{code_of, distances, estimated_cosine};
use super::convert::{CHUNKS, Columns, VECTOR};
use super::half_vectors::HalfVectors;
use super::read_cache::damaged;
use super::rows_by_id::{RowsById, with_order};
use super::scan::Wanted;
use super::scope::Scope;
use super::smallest::Smallest;
use super::snapshot::{CachedFragment, Prepared};
use crate::error::{Error, Result};
use crate::ids::{ChunkId, document_of, parent_of};

/// The name of the rows in the read cache.
pub(super) const CACHE_NAME: &str = "chunk-ids";
/// What they are made from.
pub(super) const COLUMNS: Wanted = Wanted::Named(&["chunk_id", VECTOR]);
pub(super) const PREPARED: Prepared = Prepared { batch: coded, fragment: joined };
const CHUNK_ID: &str = "chunk_id";
/// The binary codes, as numbers of 64 bits; null for a chunk without a vector.
const CODE: &str = "code";
/// See [`chosen_by_code`].
const ROWS_FOR_EACH_CHOSEN: usize = 2500;
/// A thread compares this many codes at once: its results stay in the processor's cache.
const CODES_AT_ONCE: usize = 8192;

/// The ids and binary codes of all chunks of a generation by row. The address of a row is the number of its fragment
/// and, in the lower 32 bits, its place in that.
pub(super) struct ChunkRows {
    fragments: Vec<FragmentRows>,
}

struct FragmentRows {
    number: u64,
    /// `None` if they could not be written into the read cache.
    vectors: Option<HalfVectors>,
    /// By row, deleted ones included.
    chunk_ids: RowsById,
    /// By row.
    codes: FixedSizeListArray,
    /// The rows that have a vector and are not deleted; `None` for all.
    findable: Option<NullBuffer>,
    deleted: HashSet<u32>,
}

impl ChunkRows {
    /// From the cached fragments of the table and their vectors.
    ///
    /// # Errors
    /// If their rows are not those of [`joined`].
    pub(super) fn read(fragments: impl IntoIterator<Item = (CachedFragment, Option<HalfVectors>)>) -> Result<Self> {
        // A fragment has one batch, or none if it has no rows.
        let with_rows = fragments.into_iter().filter(|(fragment, _)| !fragment.rows.is_empty());
        let read = with_rows.map(|(fragment, vectors)| FragmentRows::new(fragment, vectors));
        Ok(ChunkRows { fragments: read.collect::<Result<_>>()? })
    }

    /// The `limit` chunks of a scope that are nearest to a vector by their codes, in no order, with estimated cosines.
    /// Among millions of chunks the codes choose more than `limit`, and the vectors choose among those.
    pub(super) fn nearest(&self, vector: &[f32], scope: &Scope, limit: usize) -> Vec<(&str, f32)> {
        let (code, chosen) = (code_of(vector), chosen_by_code(limit, self.rows()));
        let parts = self.fragments.par_iter().enumerate().flat_map(|(place, fragment)| {
            fragment.parts_of_codes().enumerate().map(move |(part, codes)| (place, part * CODES_AT_ONCE, codes))
        });
        let near = parts.fold(
            || Smallest::new(chosen),
            |mut near, (place, first_row, codes)| {
                for (row, distance) in (first_row as u32..).zip(distances(&code, codes)) {
                    let item = (distance, place, row);
                    if near.takes(&item) && self.fragments[place].is_in(row, scope) {
                        near.add(item);
                    }
                }
                near
            },
        );
        let mut near = near.reduce(|| Smallest::new(chosen), Smallest::and).into_items();
        // The threads give them in any order. In one order, the same of several equal cosines are chosen each time.
        near.sort_unstable();
        if near.len() <= limit {
            let estimated = |(_, place, row): (u32, usize, u32)| {
                let fragment = &self.fragments[place];
                (fragment.chunk_id(row), estimated_cosine(vector, fragment.code(row)))
            };
            return near.into_iter().map(estimated).collect();
        }
        let scored = near.into_par_iter().map(|(_, place, row)| {
            let fragment = &self.fragments[place];
            (fragment.chunk_id(row), fragment.cosine(vector, row))
        });
        largest(scored.collect(), limit)
    }

    /// The number of rows, deleted ones included.
    fn rows(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.chunk_ids.len()).sum()
    }

    /// The cosines of some parent chunks and their children that have vectors.
    pub(super) fn cosines(&self, vector: &[f32], parent_ids: &[ChunkId]) -> Cosines<'_> {
        let each = self.fragments.par_iter().map(|fragment| fragment.cosines(vector, parent_ids));
        each.reduce(Cosines::default, |mut all, own| {
            all.known.extend(own.known);
            all.unknown.extend(own.unknown);
            all
        })
    }
}

impl FragmentRows {
    /// # Errors
    /// If the rows do not have the columns of [`joined`].
    fn new(fragment: CachedFragment, vectors: Option<HalfVectors>) -> Result<Self> {
        let CachedFragment { written, rows, deleted, .. } = fragment;
        let columns = Columns { table: CHUNKS, batch: &rows[0] };
        let (chunk_ids, (codes, _)) = (RowsById::read(&columns, CHUNK_ID)?, columns.lists::<UInt64Type>(CODE)?);
        if codes.value_length() < 1 {
            return Err(damaged("has no codes of vectors"));
        }
        let rows = chunk_ids.len();
        let findable = (!deleted.is_empty()).then(|| {
            let mut there: Vec<bool> = (0..rows).map(|row| codes.is_valid(row)).collect();
            for row in deleted.iter().filter(|row| (**row as usize) < rows) {
                there[*row as usize] = false;
            }
            NullBuffer::from(there)
        });
        let findable = findable.or_else(|| codes.nulls().cloned());
        Ok(FragmentRows { number: written.id, vectors, chunk_ids, codes: codes.clone(), findable, deleted })
    }

    fn chunk_id(&self, row: u32) -> &str {
        self.chunk_ids.id(row)
    }

    fn code(&self, row: u32) -> &[u64] {
        let (numbers, length) = self.numbers();
        &numbers[row as usize * length..][..length]
    }

    /// The cosine by a row's vector, or estimated from its code if the read cache does not have the vector.
    fn cosine(&self, vector: &[f32], row: u32) -> f32 {
        let by_vector = self.vectors.as_ref().and_then(|vectors| vectors.dot(row as usize, vector));
        by_vector.unwrap_or_else(|| estimated_cosine(vector, self.code(row)))
    }

    /// All codes, one behind the other, and the length of each.
    fn numbers(&self) -> (&[u64], usize) {
        (self.codes.values().as_primitive::<UInt64Type>().values(), self.codes.value_length() as usize)
    }

    fn parts_of_codes(&self) -> impl IndexedParallelIterator<Item = &[u64]> {
        let (codes, length) = self.numbers();
        codes.par_chunks(CODES_AT_ONCE * length)
    }

    /// Whether a row is in a scope and can be found by its vector.
    fn is_in(&self, row: u32, scope: &Scope) -> bool {
        let in_scope = || {
            let id = self.chunk_id(row);
            scope.admits(document_of(id), parent_of(id))
        };
        self.findable.as_ref().is_none_or(|rows| rows.is_valid(row as usize))
            && (*scope == Scope::Everything || in_scope())
    }

    fn cosines(&self, vector: &[f32], parent_ids: &[ChunkId]) -> Cosines<'_> {
        let mut chunks = self.with_children(parent_ids);
        chunks.retain(|(_, address)| self.codes.is_valid(place(*address)));
        let Some(vectors) = &self.vectors else { return Cosines { known: Vec::new(), unknown: chunks } };
        let cosine = |(id, address): &(_, _)| Some((*id, vectors.dot(place(*address), vector)?));
        match chunks.iter().map(cosine).collect() {
            Some(known) => Cosines { known, unknown: Vec::new() },
            None => {
                vectors.remove();
                Cosines { known: Vec::new(), unknown: chunks }
            }
        }
    }

    fn with_children(&self, parent_ids: &[ChunkId]) -> Vec<(&str, u64)> {
        let mut found = Vec::new();
        for parent_id in parent_ids {
            // Ids of children begin with that of their parent, so they follow it.
            let of_parent = |row: &u32| parent_of(self.chunk_id(*row)) == parent_id.as_str();
            let rows = self.chunk_ids.rows_from(parent_id).take_while(of_parent);
            let rows = rows.filter(|row| !self.deleted.contains(row));
            found.extend(rows.map(|row| (self.chunk_id(row), self.number << 32 | u64::from(row))));
        }
        found.sort_unstable_by_key(|(_, address)| *address);
        found
    }
}

/// The cosines of chunks by the vectors in the read cache, and the addresses of those that it does not have.
#[derive(Default)]
pub(super) struct Cosines<'r> {
    pub(super) known: Vec<(&'r str, f32)>,
    pub(super) unknown: Vec<(&'r str, u64)>,
}

/// The place of a row in its fragment.
fn place(address: u64) -> usize {
    address as u32 as usize
}

/// The rows of a batch of the table, with codes instead of vectors.
fn coded(batch: RecordBatch) -> Result<RecordBatch> {
    let columns = Columns { table: CHUNKS, batch: &batch };
    let (lists, numbers) = columns.lists::<Float32Type>(VECTOR)?;
    let codes = numbers.chunks_exact((lists.value_length() as usize).max(1)).flat_map(code_of).collect();
    rows_of(columns.texts(CHUNK_ID)?.clone(), codes, lists.nulls().cloned())
}

/// The rows of a fragment, made of those of [`coded`], as one batch with their order.
fn joined(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut chunk_ids, mut codes, mut there) = (Vec::new(), Vec::new(), Vec::new());
    for batch in &batches {
        let columns = Columns { table: CHUNKS, batch };
        let (lists, numbers) = columns.lists::<UInt64Type>(CODE)?;
        chunk_ids.extend(columns.texts(CHUNK_ID)?.iter().map(Option::unwrap_or_default));
        codes.extend_from_slice(numbers);
        there.extend((0..batch.num_rows()).map(|row| lists.is_valid(row)));
    }
    if chunk_ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = rows_of(StringArray::from_iter_values(chunk_ids), codes, Some(NullBuffer::from(there)))?;
    Ok(vec![with_order(CHUNKS, &rows, CHUNK_ID)?])
}

fn rows_of(chunk_ids: StringArray, codes: Vec<u64>, there: Option<NullBuffer>) -> Result<RecordBatch> {
    let length = codes.len() / chunk_ids.len().max(1);
    let field = Field::new_list_field(DataType::UInt64, false);
    let codes = FixedSizeListArray::try_new(field.into(), length as i32, Arc::new(UInt64Array::from(codes)), there);
    let rows = codes.and_then(|codes| {
        let columns: [(&str, ArrayRef); 2] = [(CHUNK_ID, Arc::new(chunk_ids)), (CODE, Arc::new(codes))];
        RecordBatch::try_from_iter(columns)
    });
    rows.map_err(|error| Error::failed(format!("cannot hold the ids and codes of chunks: {error}")).caused_by(error))
}

/// How many chunks the codes choose for the vectors to choose `limit` from. The more chunks there are, the more of them
/// lie about as near as the nearest: among ten million, the nearest 400 codes had 60 % of the ten nearest vectors.
pub(super) fn chosen_by_code(limit: usize, rows: usize) -> usize {
    limit.max(rows / ROWS_FOR_EACH_CHOSEN)
}

/// The `limit` with the largest numbers, in no order.
fn largest<T>(mut all: Vec<(T, f32)>, limit: usize) -> Vec<(T, f32)> {
    if all.len() > limit {
        all.select_nth_unstable_by(limit, |(_, a), (_, b)| b.total_cmp(a));
        all.truncate(limit);
    }
    all
}

#[cfg(test)]
mod tests {
    use lance_table::format::Fragment;

    use super::*;

    /// Rows whose codes are made of their ids; those that end in 0 have none.
    fn batch(ids: &[&str]) -> RecordBatch {
        let codes = ids.iter().map(|id| id.len() as u64).collect();
        let there: Vec<bool> = ids.iter().map(|id| !id.ends_with('0')).collect();
        rows_of(StringArray::from(ids.to_vec()), codes, Some(there.into())).unwrap()
    }

    fn cached(number: u64, rows: Vec<RecordBatch>, deleted: &[u32]) -> CachedFragment {
        let deleted = deleted.iter().copied().collect();
        CachedFragment { written: Fragment::new(number), described: number.to_string(), rows, deleted }
    }

    fn rows() -> ChunkRows {
        let fragment = |number, batches: &[&[&str]], deleted: &[u32]| {
            let rows = joined(batches.iter().map(|ids| batch(ids)).collect()).unwrap();
            (cached(number, rows, deleted), None)
        };
        let first = fragment(3, &[&["d:1", "d:1.0", "d:1.10"], &["d:1.2", "d:12", "d:12.0", "c:1"]], &[1]);
        let second = fragment(9, &[&["d:2", "e:1", "e:1.0"]], &[]);
        ChunkRows::read([first, second]).unwrap()
    }

    #[test]
    fn the_nearest_codes_of_a_scope_are_found() {
        let rows = rows();
        let near = |scope: &Scope, limit| {
            // The code 3: the ids of three letters are nearest, those of four differ in three bits.
            let near = rows.nearest(&[1.0, 1.0, -1.0], scope, limit);
            let mut near: Vec<&str> = near.into_iter().map(|(id, _)| id).collect();
            near.sort_unstable();
            near
        };
        assert_eq!(near(&Scope::Everything, 4), ["c:1", "d:1", "d:2", "e:1"]);
        assert_eq!(near(&Scope::Everything, 9), ["c:1", "d:1", "d:1.2", "d:12", "d:2", "e:1"], "those with a code");
        assert_eq!(near(&Scope::ParentChunks(["d:1".into()].into()), 9), ["d:1", "d:1.2"]);
        assert_eq!(near(&Scope::of_documents(Some(&["e".into()])), 9), ["e:1"]);
        assert!(near(&Scope::Everything, 0).is_empty());
    }

    #[test]
    fn rows_of_all_parts_of_a_fragment_are_compared() {
        let ids: Vec<String> = (0..3 * CODES_AT_ONCE).map(|row| format!("d{row}:0")).collect();
        let codes = (0..ids.len() as u64).collect();
        let rows = joined(vec![rows_of(StringArray::from(ids), codes, None).unwrap()]).unwrap();
        let rows = ChunkRows::read([(cached(0, rows, &[CODES_AT_ONCE as u32 + 5]), None)]).unwrap();
        let vector: Vec<f32> =
            (0..64).map(|bit| if (2 * CODES_AT_ONCE + 7) >> bit & 1 == 1 { 1.0 } else { -1.0 }).collect();
        assert_eq!(rows.nearest(&vector, &Scope::Everything, 1)[0].0, format!("d{}:0", 2 * CODES_AT_ONCE + 7));
        let all = rows.nearest(&vector, &Scope::Everything, usize::MAX);
        assert_eq!(all.len(), 3 * CODES_AT_ONCE - 1, "all but the deleted one");
    }

    #[test]
    fn vectors_choose_among_the_nearest_codes_of_many_chunks() {
        let rows = 2 * ROWS_FOR_EACH_CHOSEN;
        let ids = (0..rows).map(|row| format!("d{row}:0"));
        // Of the question's signs, the first row has all but a heavy one, the second all but two light ones.
        let codes = (0..rows as u64).map(|row| [0b1110, 0b1001].get(row as usize).copied().unwrap_or(0)).collect();
        let rows = joined(vec![rows_of(StringArray::from_iter_values(ids), codes, None).unwrap()]).unwrap();
        let rows = ChunkRows::read([(cached(0, rows, &[]), None)]).unwrap();
        let nearest = |limit| rows.nearest(&[0.9, 0.1, 0.1, 0.4], &Scope::Everything, limit);
        assert_eq!(nearest(1)[0].0, "d1:0");
        assert_eq!(nearest(2).len(), 2);
    }

    #[test]
    fn rows_are_found_by_parent_in_the_order_of_the_table() {
        let rows = rows();
        let found = |ids: &[&str]| -> Vec<(u64, u64)> {
            let ids: Vec<ChunkId> = ids.iter().map(|id| ChunkId::from(*id)).collect();
            let found = rows.cosines(&[1.0], &ids).unknown;
            found.into_iter().map(|(_, address)| (address >> 32, address & u64::from(u32::MAX))).collect()
        };
        assert_eq!(found(&["d:1"]), [(3, 0), (3, 3)], "without the deleted one and the one without a vector");
        assert_eq!(found(&["e:1", "d:12", "x:1"]), [(3, 4), (9, 1)]);
        assert!(found(&[]).is_empty());
        assert!(found(&["d"]).is_empty());
    }
}

//! Finds the rows of chunks by their ids and the ids of rows, without reading the table.
//!
//! The vector index finds rows, and the exact scores need the rows of parent chunks and their children. Over a million
//! chunks, reading ids from the table and rows from its indexes took more than half of the time of a semantic search. So
//! the read cache keeps the ids of each fragment, in about 20 bytes for each chunk. In a store of others, which gets no
//! cache, every process reads them anew.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lancedb::arrow::arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use lancedb::arrow::arrow_schema::ArrowError;
use rayon::prelude::*;

use super::convert::{CHUNKS, Columns};
use crate::error::{Error, Result};
use crate::ids::{ChunkId, parent_of};

/// The name of the ids in the read cache.
pub(super) const KEPT: &str = "chunk-ids";
/// The rows of a fragment in the order of their ids.
const BY_ID: &str = "by_id";

/// The ids of all chunks of a generation by row. The address of a row is the number of its fragment and, in the lower 32
/// bits, its place in that.
pub(super) struct ChunkRows {
    fragments: Vec<FragmentRows>,
    /// The places in `fragments`, by number.
    by_number: HashMap<u64, usize>,
}

struct FragmentRows {
    number: u64,
    /// By row, deleted ones included.
    chunk_ids: StringArray,
    /// The rows in the order of their ids.
    by_id: UInt32Array,
    deleted: HashSet<u32>,
}

impl ChunkRows {
    /// From the number, the cached rows and the deleted rows of each fragment.
    ///
    /// # Errors
    /// If the rows are not those of [`with_order`].
    pub(super) fn read(fragments: impl IntoIterator<Item = (u64, Vec<RecordBatch>, HashSet<u32>)>) -> Result<Self> {
        let mut read = Vec::new();
        for (number, rows, deleted) in fragments {
            // A fragment has one batch, or none if it has no rows.
            if let [batch] = &rows[..] {
                read.push(FragmentRows::new(number, batch, deleted)?);
            }
        }
        Ok(ChunkRows::of(read))
    }

    fn of(fragments: Vec<FragmentRows>) -> Self {
        let by_number = fragments.iter().enumerate().map(|(place, fragment)| (fragment.number, place)).collect();
        ChunkRows { fragments, by_number }
    }

    /// The id of the chunk at an address; `None` if the generation has no such row.
    pub(super) fn chunk_id(&self, address: u64) -> Option<&str> {
        let fragment = &self.fragments[*self.by_number.get(&(address >> 32))?];
        let row = address as u32;
        let is_there = (row as usize) < fragment.chunk_ids.len() && !fragment.deleted.contains(&row);
        is_there.then(|| fragment.chunk_id(row))
    }

    /// The ids and addresses of some parent chunks and their children, in the order of the table.
    pub(super) fn with_children(&self, parent_ids: &[ChunkId]) -> Vec<(&str, u64)> {
        self.fragments.par_iter().flat_map_iter(|fragment| fragment.with_children(parent_ids)).collect()
    }
}

impl FragmentRows {
    /// # Errors
    /// If the batch does not have the columns of [`with_order`].
    fn new(number: u64, batch: &RecordBatch, deleted: HashSet<u32>) -> Result<Self> {
        let columns = Columns { table: CHUNKS, batch };
        let (chunk_ids, by_id) = (columns.texts("chunk_id")?.clone(), columns.numbers(BY_ID)?.clone());
        let rows = chunk_ids.len();
        if by_id.values().iter().any(|row| *row as usize >= rows) {
            return Err(Error::failed("the read cache names rows that do not exist")
                .hint("delete the folder `read-cache` of the namespace; the next search writes a new one"));
        }
        Ok(FragmentRows { number, chunk_ids, by_id, deleted })
    }

    fn chunk_id(&self, row: u32) -> &str {
        self.chunk_ids.value(row as usize)
    }

    fn with_children(&self, parent_ids: &[ChunkId]) -> Vec<(&str, u64)> {
        let (by_id, mut found) = (self.by_id.values(), Vec::new());
        for parent_id in parent_ids {
            // Ids of children begin with that of their parent, so they follow it.
            let first = by_id.partition_point(|row| self.chunk_id(*row) < parent_id.as_str());
            let of_parent = |row: &&u32| parent_of(self.chunk_id(**row)) == parent_id.as_str();
            let rows = by_id[first..].iter().take_while(of_parent).filter(|row| !self.deleted.contains(row));
            found.extend(rows.map(|row| (self.chunk_id(*row), self.number << 32 | u64::from(*row))));
        }
        found.sort_unstable_by_key(|(_, address)| *address);
        found
    }
}

/// The ids of a fragment as one batch, with their order.
pub(super) fn with_order(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    if batches.is_empty() {
        return Ok(batches);
    }
    let mut chunk_ids = Vec::new();
    for batch in &batches {
        let columns = Columns { table: CHUNKS, batch };
        chunk_ids.extend(columns.texts("chunk_id")?.iter().map(Option::unwrap_or_default));
    }
    let mut by_id: Vec<u32> = (0..chunk_ids.len() as u32).collect();
    by_id.sort_unstable_by_key(|row| (chunk_ids[*row as usize], *row));
    let columns: [(&str, ArrayRef); 2] =
        [("chunk_id", Arc::new(StringArray::from_iter_values(chunk_ids))), (BY_ID, Arc::new(UInt32Array::from(by_id)))];
    let failed = |error: ArrowError| Error::failed(format!("cannot hold the ids of chunks: {error}")).caused_by(error);
    Ok(vec![RecordBatch::try_from_iter(columns).map_err(failed)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(ids: &[&str]) -> RecordBatch {
        RecordBatch::try_from_iter([("chunk_id", Arc::new(StringArray::from(ids.to_vec())) as ArrayRef)]).unwrap()
    }

    fn rows() -> ChunkRows {
        let fragment = |number, batches: &[&[&str]], deleted: &[u32]| {
            let ids = with_order(batches.iter().map(|ids| batch(ids)).collect()).unwrap();
            FragmentRows::new(number, &ids[0], deleted.iter().copied().collect()).unwrap()
        };
        let first = fragment(3, &[&["d:1", "d:1.0", "d:1.10"], &["d:1.2", "d:12", "d:12.0", "c:1"]], &[1]);
        let second = fragment(9, &[&["d:2", "e:1", "e:1.0"]], &[]);
        ChunkRows::of(vec![first, second])
    }

    #[test]
    fn ids_are_found_by_row() {
        let rows = rows();
        let id = |fragment: u64, row: u64| rows.chunk_id(fragment << 32 | row);
        assert_eq!([id(3, 0), id(3, 4), id(9, 2)], [Some("d:1"), Some("d:12"), Some("e:1.0")]);
        assert_eq!([id(3, 1), id(3, 7), id(4, 0)], [None; 3], "deleted, behind the end, no such fragment");
    }

    #[test]
    fn rows_are_found_by_parent_in_the_order_of_the_table() {
        let rows = rows();
        let found = |ids: &[&str]| -> Vec<(u64, u64)> {
            let ids: Vec<ChunkId> = ids.iter().map(|id| ChunkId::from(*id)).collect();
            let found = rows.with_children(&ids);
            found.into_iter().map(|(_, address)| (address >> 32, address & u64::from(u32::MAX))).collect()
        };
        assert_eq!(found(&["d:1"]), [(3, 0), (3, 2), (3, 3)], "without the deleted one");
        assert_eq!(found(&["e:1", "d:12", "x:1"]), [(3, 4), (3, 5), (9, 1), (9, 2)]);
        assert!(found(&[]).is_empty());
        assert!(found(&["d"]).is_empty());
    }
}

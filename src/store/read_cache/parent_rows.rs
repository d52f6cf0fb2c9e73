//! Where a parent chunk and its children are in a fragment of the table of chunks, from the read cache: the runs of
//! rows with the same parent, found by numbers made of their ids. The ids themselves are in the
//! [records of the vectors](super::half_vectors), so a reader reads only those that it needs.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use lancedb::arrow::arrow_array::types::{UInt32Type, UInt64Type};
use lancedb::arrow::arrow_array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};

use super::keys::{key_of, places_of};
use crate::error::{Error, Result};
use crate::ids::{document_of, parent_of};
use crate::store::convert::{CHUNK_ID, CHUNKS, Columns};
use crate::store::scope::Scope;

/// See [`chunk_key`].
const KEY: &str = "key";
const FIRST_ROW: &str = "first_row";
const ROWS: &str = "rows";

/// The runs of rows of a fragment, by key.
pub(super) struct ParentRows {
    keys: UInt64Array,
    first_rows: UInt32Array,
    /// The number of rows of each run.
    lengths: UInt32Array,
    /// The number of rows of the fragment, deleted ones included.
    rows: usize,
}

impl ParentRows {
    /// # Errors
    /// If the batch does not come from [`runs`].
    pub(super) fn read(batch: &RecordBatch) -> Result<Self> {
        let columns = Columns { table: CHUNKS, batch };
        let keys = columns.primitives::<UInt64Type>(KEY)?.clone();
        let [first_rows, lengths] = [FIRST_ROW, ROWS].map(|name| columns.primitives::<UInt32Type>(name).cloned());
        let lengths = lengths?;
        let rows = lengths.values().iter().map(|rows| *rows as usize).sum();
        Ok(ParentRows { keys, first_rows: first_rows?, lengths, rows })
    }

    /// The number of rows of the fragment, deleted ones included.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    fn runs(&self) -> impl Iterator<Item = (u64, Range<u32>)> {
        (0..self.keys.len()).map(|place| self.run(place))
    }

    /// Looking at all runs for rows that do not exist would take longer than a search, so a run ends with the fragment.
    fn run(&self, place: usize) -> (u64, Range<u32>) {
        let first = self.first_rows.value(place) as usize;
        let [first, end] = [first, first + self.lengths.value(place) as usize].map(|row| row.min(self.rows) as u32);
        (self.keys.value(place), first..end)
    }

    /// The rows with a [key](chunk_key).
    pub(super) fn with_key(&self, key: u64) -> impl Iterator<Item = u32> {
        places_of(self.keys.values(), key).flat_map(|place| self.run(place).1)
    }

    /// The rows in a scope. Others can be among them.
    pub(super) fn in_scope(&self, scope: &KeysInScope) -> impl Iterator<Item = Range<u32>> {
        self.runs().filter(|(key, _)| scope.admits(*key)).map(|(_, rows)| rows)
    }
}

/// The keys of the chunks in a scope.
pub(super) enum KeysInScope {
    Documents(HashSet<u32>),
    ParentChunks(HashSet<u64>),
}

impl KeysInScope {
    /// `None` for everything.
    pub(super) fn of(scope: &Scope) -> Option<Self> {
        match scope {
            Scope::Everything => None,
            Scope::Documents(ids) => Some(KeysInScope::Documents(ids.iter().map(|id| key_of(id)).collect())),
            Scope::ParentChunks(ids) => Some(KeysInScope::ParentChunks(ids.iter().map(|id| chunk_key(id)).collect())),
        }
    }

    fn admits(&self, key: u64) -> bool {
        match self {
            KeysInScope::Documents(keys) => keys.contains(&((key >> 32) as u32)),
            KeysInScope::ParentChunks(keys) => keys.contains(&key),
        }
    }
}

/// A number for a parent chunk and its children: a checksum of the document's id, and in the lower 32 bits one of the
/// parent's. In rare cases, another has the same.
pub(super) fn chunk_key(chunk_id: &str) -> u64 {
    let [document, parent] = [document_of(chunk_id), parent_of(chunk_id)].map(key_of);
    u64::from(document) << 32 | u64::from(parent)
}

/// The keys of the rows of a batch of the table.
pub(super) fn keys(batch: RecordBatch) -> Result<RecordBatch> {
    let ids = Columns { table: CHUNKS, batch: &batch }.texts(CHUNK_ID)?;
    let keys = UInt64Array::from_iter_values(ids.iter().map(|id| chunk_key(id.unwrap_or_default())));
    of_columns([(KEY, Arc::new(keys))])
}

/// The runs of the rows of a fragment, from batches of [`keys`], as one batch; none if it has no rows.
pub(super) fn runs(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let mut runs: Vec<(u64, Range<u32>)> = Vec::new();
    for batch in &batches {
        for key in (Columns { table: CHUNKS, batch }).primitives::<UInt64Type>(KEY)?.values() {
            match runs.last_mut() {
                Some((last, rows)) if last == key => rows.end += 1,
                last => {
                    let row = last.map_or(0, |(_, rows)| rows.end);
                    runs.push((*key, row..row + 1));
                }
            }
        }
    }
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    runs.sort_unstable_by_key(|(key, rows)| (*key, rows.start));
    let keys: ArrayRef = Arc::new(UInt64Array::from_iter_values(runs.iter().map(|(key, _)| *key)));
    let first_rows = UInt32Array::from_iter_values(runs.iter().map(|(_, rows)| rows.start));
    let rows = UInt32Array::from_iter_values(runs.iter().map(|(_, rows)| rows.len() as u32));
    Ok(vec![of_columns([(KEY, keys), (FIRST_ROW, Arc::new(first_rows)), (ROWS, Arc::new(rows))])?])
}

fn of_columns<const N: usize>(columns: [(&str, ArrayRef); N]) -> Result<RecordBatch> {
    RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the rows of chunks: {error}")).caused_by(error))
}

#[cfg(test)]
mod tests {
    use lancedb::arrow::arrow_array::StringArray;

    use super::*;

    fn batch(ids: &[&str]) -> RecordBatch {
        keys(of_columns([(CHUNK_ID, Arc::new(StringArray::from(ids.to_vec())))]).unwrap()).unwrap()
    }

    fn rows() -> ParentRows {
        let batches = vec![batch(&["d:1", "d:1.0", "d:1.10"]), batch(&["d:1.2", "d:12", "d:12.0", "c:1", "d:1.4"])];
        ParentRows::read(&runs(batches).unwrap()[0]).unwrap()
    }

    #[test]
    fn the_rows_of_a_parent_are_found_across_batches() {
        let found = ["d:1", "d:12", "c:1", "d", "x:1"].map(|id| rows().with_key(chunk_key(id)).collect::<Vec<_>>());
        assert_eq!(found, [vec![0, 1, 2, 3, 7], vec![4, 5], vec![6], vec![], vec![]]);
        assert!(runs(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn the_rows_of_a_scope_are_found() {
        let found = |scope: Scope| {
            let mut found: Vec<u32> = rows().in_scope(&KeysInScope::of(&scope).unwrap()).flatten().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found(Scope::of_documents(Some(&["d".into(), "e".into()]))), [0, 1, 2, 3, 4, 5, 7]);
        assert_eq!(found(Scope::ParentChunks(["d:12".into(), "c:1".into()].into())), [4, 5, 6]);
        assert!(KeysInScope::of(&Scope::Everything).is_none());
    }

    #[test]
    fn a_run_ends_with_the_fragment() {
        let runs = runs(vec![batch(&["d:1", "d:1.0", "e:1"])]).unwrap();
        assert_eq!(ParentRows::read(&runs[0]).unwrap().rows(), 3);
        for one in [runs[0].slice(0, 1), runs[0].slice(1, 1)] {
            let rows = ParentRows::read(&one).unwrap();
            assert!(
                ["d:1", "e:1"].iter().flat_map(|id| rows.with_key(chunk_key(id))).all(|row| row < rows.rows() as u32)
            );
        }
    }
}

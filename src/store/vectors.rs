//! Vectors in memory, and what a search by vectors gives.

use lancedb::arrow::arrow_array::{Array, RecordBatch};

use super::convert::Columns;
use super::scope::Scope;
use super::tables::CHUNKS;
use crate::error::Result;

/// So many products are summed side by side: additions that wait for each other would take most of the time.
const LANES: usize = 16;

/// A chunk found by its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The chunk, parent or child.
    pub chunk_id: String,
    /// The parent of a child; of a parent, itself.
    pub parent_id: String,
    /// The cosine, from -1 to 1.
    pub score: f32,
}

/// All vectors of a generation, in memory.
pub struct LoadedVectors {
    /// Of the columns `chunk_id`, `parent_id`, `doc_id` and `vector`.
    batches: Vec<RecordBatch>,
}

impl LoadedVectors {
    /// Takes the rows of the table of chunks.
    pub(super) fn new(batches: Vec<RecordBatch>) -> Self {
        LoadedVectors { batches }
    }

    /// Shows the id, the parent (of a parent, itself) and the cosine with `vector`, both of length 1, of every chunk of a
    /// scope that has a vector.
    ///
    /// # Errors
    /// Where the columns are not what they should be.
    pub fn each<'v>(
        &'v self,
        vector: &[f32],
        scope: &Scope,
        mut show: impl FnMut(&'v str, &'v str, f32),
    ) -> Result<()> {
        for batch in &self.batches {
            let columns = Columns { table: CHUNKS, batch };
            let (chunk_ids, parent_ids, doc_ids) =
                (columns.texts("chunk_id")?, columns.texts("parent_id")?, columns.texts("doc_id")?);
            let (there, values) = (columns.are_there("vector")?, columns.vectors("vector")?);
            for (row, own) in values.chunks_exact(vector.len().max(1)).enumerate() {
                if there.is_some_and(|there| there.is_null(row)) {
                    continue;
                }
                let chunk_id = chunk_ids.value(row);
                let parent_id = if parent_ids.is_null(row) { chunk_id } else { parent_ids.value(row) };
                if *scope == Scope::Everything || scope.admits(doc_ids.value(row), parent_id) {
                    show(chunk_id, parent_id, dot(own, vector));
                }
            }
        }
        Ok(())
    }
}

/// The sum of the products of two vectors.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_lanes.remainder().iter().zip(b_lanes.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0f32; LANES];
    for (a, b) in a_lanes.zip(b_lanes) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_summed_whatever_the_length() {
        for length in [0, 1, 15, 16, 17, 384] {
            let a: Vec<f32> = (0..length).map(|i| i as f32).collect();
            let b: Vec<f32> = (0..length).map(|i| (i % 3) as f32).collect();
            let plain: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), plain, "{length}");
        }
    }
}

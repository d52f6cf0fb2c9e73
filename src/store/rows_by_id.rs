//! Finds the rows with an id, or with ids that begin like it, without comparing all: the read cache keeps the order of
//! the ids beside the rows.

use std::sync::Arc;

use lancedb::arrow::arrow_array::{Array, RecordBatch, StringArray, UInt32Array};
use lancedb::arrow::arrow_schema::{DataType, Field, Schema};

use super::convert::Columns;
use super::read_cache::damaged;
use crate::error::{Error, Result};

/// The rows of a batch in the order of their ids.
const BY_ID: &str = "by_id";

/// The ids of a batch and their order.
pub(super) struct RowsById {
    ids: StringArray,
    by_id: UInt32Array,
}

impl RowsById {
    /// # Errors
    /// If the batch does not come from [`with_order`].
    pub(super) fn read(columns: &Columns, id: &str) -> Result<Self> {
        let (ids, by_id) = (columns.texts(id)?.clone(), columns.numbers(BY_ID)?.clone());
        if by_id.values().iter().any(|row| *row as usize >= ids.len()) {
            return Err(damaged("names rows that do not exist"));
        }
        Ok(RowsById { ids, by_id })
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn id(&self, row: u32) -> &str {
        self.ids.value(row as usize)
    }

    /// The rows from the first whose id is not before `id`, in the order of their ids.
    pub(super) fn rows_from(&self, id: &str) -> impl Iterator<Item = u32> {
        let rows = self.by_id.values();
        rows[rows.partition_point(|row| self.id(*row) < id)..].iter().copied()
    }
}

/// Adds the order of the ids in a column to a batch of a table.
pub(super) fn with_order(table: &str, batch: &RecordBatch, id: &str) -> Result<RecordBatch> {
    let ids = Columns { table, batch }.texts(id)?;
    let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
    by_id.sort_unstable_by_key(|row| (ids.value(*row as usize), *row));
    let (mut fields, mut all) = (batch.schema().fields().to_vec(), batch.columns().to_vec());
    fields.push(Arc::new(Field::new(BY_ID, DataType::UInt32, false)));
    all.push(Arc::new(UInt32Array::from(by_id)));
    let ordered = RecordBatch::try_new(Arc::new(Schema::new(fields)), all);
    ordered.map_err(|error| Error::failed(format!("cannot order rows by their ids: {error}")).caused_by(error))
}

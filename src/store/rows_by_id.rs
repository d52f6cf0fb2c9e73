//! Finds the rows with an id, or with ids that begin like it, without comparing all: the read cache keeps the order of
//! the ids beside the rows.

use std::sync::Arc;

use lancedb::arrow::arrow_array::types::{UInt32Type, UInt64Type};
use lancedb::arrow::arrow_array::{Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use lancedb::arrow::arrow_schema::{DataType, Field, Schema};

use super::convert::Columns;
use super::read_cache::damaged;
use crate::error::{Error, Result};

/// The rows of a batch in the order of their ids.
const BY_ID: &str = "by_id";
/// The beginnings of the ids in their order.
const BEGINNINGS: &str = "beginnings";

/// The ids of a batch and their order.
pub(super) struct RowsById {
    ids: StringArray,
    by_id: UInt32Array,
    /// Compared first, because the ids themselves lie scattered in memory.
    beginnings: UInt64Array,
}

impl RowsById {
    /// # Errors
    /// If the batch does not come from [`with_order`].
    pub(super) fn read(columns: &Columns, id: &str) -> Result<Self> {
        let (ids, by_id) = (columns.texts(id)?.clone(), columns.primitives::<UInt32Type>(BY_ID)?.clone());
        let beginnings = columns.primitives::<UInt64Type>(BEGINNINGS)?.clone();
        if by_id.values().iter().any(|row| *row as usize >= ids.len()) {
            return Err(damaged("names rows that do not exist"));
        }
        Ok(RowsById { ids, by_id, beginnings })
    }

    pub(super) fn id(&self, row: u32) -> &str {
        self.ids.value(row as usize)
    }

    /// The rows with an id.
    pub(super) fn rows_with(&self, id: &str) -> impl Iterator<Item = u32> {
        self.rows_from(id).take_while(move |row| self.id(*row) == id)
    }

    /// The rows from the first whose id is not before `id`, in the order of their ids.
    pub(super) fn rows_from(&self, id: &str) -> impl Iterator<Item = u32> {
        let (rows, beginnings, beginning) = (self.by_id.values(), self.beginnings.values(), beginning(id));
        let first = beginnings.partition_point(|own| *own < beginning);
        let alike = beginnings[first..].partition_point(|own| *own == beginning);
        let first = first + rows[first..][..alike].partition_point(|row| self.id(*row) < id);
        rows[first..].iter().copied()
    }
}

/// Adds the order of the ids in a column to a batch of a table.
pub(super) fn with_order(table: &str, batch: &RecordBatch, id: &str) -> Result<RecordBatch> {
    let ids = Columns { table, batch }.texts(id)?;
    let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
    by_id.sort_unstable_by_key(|row| (ids.value(*row as usize), *row));
    let beginnings = by_id.iter().map(|row| beginning(ids.value(*row as usize)));
    let beginnings = UInt64Array::from_iter_values(beginnings);
    let (mut fields, mut all) = (batch.schema().fields().to_vec(), batch.columns().to_vec());
    fields.push(Arc::new(Field::new(BY_ID, DataType::UInt32, false)));
    fields.push(Arc::new(Field::new(BEGINNINGS, DataType::UInt64, false)));
    all.push(Arc::new(UInt32Array::from(by_id)));
    all.push(Arc::new(beginnings));
    let ordered = RecordBatch::try_new(Arc::new(Schema::new(fields)), all);
    ordered.map_err(|error| Error::failed(format!("cannot order rows by their ids: {error}")).caused_by(error))
}

/// The first eight bytes of an id, as a number that has their order.
fn beginning(id: &str) -> u64 {
    let mut bytes = [0; size_of::<u64>()];
    bytes.iter_mut().zip(id.bytes()).for_each(|(byte, own)| *byte = own);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_from_an_id_are_those_that_are_not_before_it(
            ids in prop::collection::vec("[ab]{0,2}:[0-9]{1,12}", 0..30),
            from in "[ab]{0,2}:[0-9]{1,12}",
        ) {
            let column: Arc<dyn Array> = Arc::new(StringArray::from(ids.clone()));
            let batch = RecordBatch::try_from_iter([("id", column)]).unwrap();
            let batch = with_order("table", &batch, "id").unwrap();
            let rows = RowsById::read(&Columns { table: "table", batch: &batch }, "id").unwrap();
            let mut expected: Vec<(&str, u32)> = ids.iter().map(String::as_str).zip(0..).collect();
            expected.sort_unstable();
            expected.retain(|(id, _)| *id >= from.as_str());
            let found: Vec<(&str, u32)> = rows.rows_from(&from).map(|row| (rows.id(row), row)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_order_of_rows_that_do_not_exist_is_refused() {
        let columns: [(&str, Arc<dyn Array>); 3] = [
            ("id", Arc::new(StringArray::from(vec!["a"]))),
            (BY_ID, Arc::new(UInt32Array::from(vec![1]))),
            (BEGINNINGS, Arc::new(UInt64Array::from(vec![beginning("a")]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        assert!(RowsById::read(&Columns { table: "table", batch: &batch }, "id").is_err());
    }
}

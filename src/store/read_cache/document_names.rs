//! The names of documents, from the read cache.

use std::collections::HashSet;
use std::sync::Arc;

use lancedb::arrow::arrow_array::types::UInt32Type;
use lancedb::arrow::arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use rayon::prelude::*;
use serde::Deserialize;

use super::batches::CachedBatch;
use super::files::damaged;
use super::fragments::{CachedFragment, CachedRows};
use super::keys::{key_of, places_of};
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::store::convert::{Columns, DOCUMENTS};
use crate::store::rows::DocumentName;
use crate::store::scan::Wanted;

pub(super) const DOC_ID: &str = "doc_id";
pub(super) const NAMES: CachedRows = CachedRows {
    name: "names",
    columns: Wanted::Named(&[DOC_ID, "source", "title", "parents", "children", "edits"]),
    batch: Ok,
    fragment: with_places,
    is_lazy: true,
};
/// A checksum of the id of a document, and where its row is.
const KEY: &str = "key";
const BATCH: &str = "batch";
const ROW_IN_BATCH: &str = "row_in_batch";
const ROW: &str = "row";

/// The names of the documents of a fragment.
pub(in crate::store) struct DocumentNames {
    /// In order. The other columns have the places of the same documents.
    keys: UInt32Array,
    batches: UInt32Array,
    rows_in_batches: UInt32Array,
    rows: UInt32Array,
    names: Vec<CachedBatch>,
    deleted: HashSet<u32>,
    fragment: u64,
}

impl DocumentNames {
    /// `None` for a fragment without rows.
    pub(super) fn of(CachedFragment { written, mut rows, deleted, .. }: CachedFragment) -> Result<Option<Self>> {
        if rows.is_empty() {
            return Ok(None);
        }
        let places = rows.remove(0);
        let batch = places.get().ok_or_else(|| damaged("is damaged"))?;
        let column = |name| Columns { table: DOCUMENTS, batch }.primitives::<UInt32Type>(name).cloned();
        Ok(Some(DocumentNames {
            keys: column(KEY)?,
            batches: column(BATCH)?,
            rows_in_batches: column(ROW_IN_BATCH)?,
            rows: column(ROW)?,
            names: rows,
            deleted,
            fragment: written.id,
        }))
    }

    /// The name of a document and the address of its row; `None` if it is not here.
    ///
    /// # Errors
    /// If the read cache is damaged; the same below.
    pub(super) fn find(&self, id: &DocId) -> Result<Option<(DocumentName, u64)>> {
        let alike = places_of(self.keys.values(), &key_of(id));
        for place in alike.filter(|place| !self.deleted.contains(&self.rows.value(*place))) {
            let names = self.names.get(self.batches.value(place) as usize).and_then(CachedBatch::get);
            let row = self.rows_in_batches.value(place) as usize;
            let names = names.filter(|names| row < names.num_rows()).ok_or_else(|| damaged("is damaged"))?;
            let name = name(&Columns { table: DOCUMENTS, batch: names }, row)?;
            if name.doc_id == *id {
                return Ok(Some((name, self.fragment << 32 | u64::from(self.rows.value(place)))));
            }
        }
        Ok(None)
    }

    pub(super) fn all(&self) -> Result<Vec<DocumentName>> {
        let batches = self.names.par_iter().map(|batch| batch.get().ok_or_else(|| damaged("is damaged")));
        let batches = batches.collect::<Result<Vec<&RecordBatch>>>()?;
        let first_rows = batches.iter().scan(0, |next, batch| {
            let first = *next;
            *next += batch.num_rows() as u32;
            Some(first)
        });
        let batches: Vec<(u32, &RecordBatch)> = first_rows.zip(batches.iter().copied()).collect();
        let of_batch = |(first, batch): (u32, &RecordBatch)| {
            let columns = Columns { table: DOCUMENTS, batch };
            let rows = (0..batch.num_rows()).filter(|row| !self.deleted.contains(&(first + *row as u32)));
            rows.map(|row| name(&columns, row)).collect::<Result<Vec<DocumentName>>>()
        };
        Ok(batches.into_par_iter().map(of_batch).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// The batches of a fragment, after one that says where each document is.
pub(super) fn with_places(mut batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut places, mut before) = (Vec::new(), 0);
    for (batch, rows) in (0..).zip(&batches) {
        let ids = Columns { table: DOCUMENTS, batch: rows }.texts(DOC_ID)?;
        let each = (0..).zip(ids.iter().map(Option::unwrap_or_default));
        places.extend(each.map(|(row, id): (u32, &str)| [key_of(id), batch, row, before + row]));
        before += rows.num_rows() as u32;
    }
    if places.is_empty() {
        return Ok(Vec::new());
    }
    places.sort_unstable();
    let columns = [KEY, BATCH, ROW_IN_BATCH, ROW].into_iter().enumerate().map(|(column, name)| {
        let numbers: ArrayRef = Arc::new(UInt32Array::from_iter_values(places.iter().map(|place| place[column])));
        (name, numbers)
    });
    let places = RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the places of documents: {error}")).caused_by(error))?;
    batches.insert(0, places);
    Ok(batches)
}

fn name(columns: &Columns, row: usize) -> Result<DocumentName> {
    Ok(DocumentName {
        doc_id: columns.text(DOC_ID, row)?.into(),
        source: columns.text("source", row)?,
        title: columns.text("title", row)?,
        parents: columns.number("parents", row)?,
        children: columns.number("children", row)?,
        edited: edited(columns, row)?,
    })
}

/// The indexes of the edited parent chunks, without the texts of the edits.
fn edited(columns: &Columns, row: usize) -> Result<Vec<u32>> {
    #[derive(Deserialize)]
    struct Edited {
        parent_chunk: Option<u32>,
    }
    // Most documents have none.
    if columns.str("edits", row)? == "[]" {
        return Ok(Vec::new());
    }
    let edits: Vec<Edited> = columns.json("edits", row)?;
    Ok(edits.into_iter().filter_map(|edit| edit.parent_chunk).collect())
}

#[cfg(test)]
mod tests {
    use lance_table::format::Fragment;

    use super::*;
    use crate::store::DocumentRow;
    use crate::store::convert::documents_to_batch;

    #[test]
    fn addresses_are_those_of_rows_in_all_batches_of_a_fragment() {
        let batch = |ids: [&str; 2]| {
            let rows = ids.map(DocumentRow::sample);
            documents_to_batch(&rows.each_ref(), 2).unwrap()
        };
        let rows = with_places(vec![batch(["cccccc", "aaaaaa"]), batch(["bbbbbb", "aaaaaa"])]).unwrap();
        let rows = rows.into_iter().map(CachedBatch::from).collect();
        let (written, deleted) = (Fragment::new(7), [1, 2].into());
        let names = DocumentNames::of(CachedFragment { written, described: String::new(), rows, deleted });
        let names = names.unwrap().unwrap();
        let address = |id: &str| names.find(&id.into()).unwrap().map(|(_, address)| address);
        let found = ["aaaaaa", "bbbbbb", "cccccc"].map(address);
        assert_eq!(found, [Some(7 << 32 | 3), None, Some(7 << 32)], "without the deleted ones");
        assert_eq!(names.all().unwrap().len(), 2);
    }
}

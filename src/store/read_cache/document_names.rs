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
use crate::store::source_name::{file_name, stem};
use crate::structure::normalise_title;

pub(in crate::store) const DOC_ID: &str = "doc_id";
const SOURCE: &str = "source";
const TITLE: &str = "title";
pub(in crate::store) const NAMES: CachedRows = CachedRows {
    name: "names",
    columns: Wanted::Named(&[DOC_ID, SOURCE, TITLE, "parents", "children", "edits"]),
    batch: Ok,
    fragment: with_places,
    is_lazy: true,
};
/// A checksum of an id or a name of a document, and where its row is.
const KEY: &str = "key";
const BATCH: &str = "batch";
const ROW_IN_BATCH: &str = "row_in_batch";
const ROW: &str = "row";

/// The names of the documents of a fragment.
pub(in crate::store) struct DocumentNames {
    by_id: Places,
    /// [`Places`] by the normalised title and file name, with and without its ending. There are three of a document,
    /// so they are read only when a document is looked up by its name.
    by_name: CachedBatch,
    names: Vec<CachedBatch>,
    deleted: HashSet<u32>,
    fragment: u64,
}

/// Where documents are, in the order of their keys.
struct Places {
    keys: UInt32Array,
    batches: UInt32Array,
    rows_in_batches: UInt32Array,
    rows: UInt32Array,
}

impl Places {
    fn of(batch: &CachedBatch) -> Result<Self> {
        let batch = batch.get().ok_or_else(|| damaged("is damaged"))?;
        let column = |name| Columns { table: DOCUMENTS, batch }.primitives::<UInt32Type>(name).cloned();
        let [keys, batches] = [column(KEY)?, column(BATCH)?];
        Ok(Places { keys, batches, rows_in_batches: column(ROW_IN_BATCH)?, rows: column(ROW)? })
    }

    /// The batch, the row in it, and the row in the fragment of each document with a key.
    fn with_key(&self, key: u32) -> impl Iterator<Item = (usize, usize, u32)> {
        let places = places_of(self.keys.values(), key);
        places.map(|place| {
            let [batch, row] = [&self.batches, &self.rows_in_batches].map(|column| column.value(place) as usize);
            (batch, row, self.rows.value(place))
        })
    }
}

impl DocumentNames {
    /// `None` for a fragment without rows.
    pub(in crate::store) fn of(CachedFragment { written, rows, deleted, .. }: CachedFragment) -> Result<Option<Self>> {
        let mut batches = rows.into_iter();
        let Some(by_id) = batches.next() else { return Ok(None) };
        let by_name = batches.next().ok_or_else(|| damaged("is damaged"))?;
        let by_id = Places::of(&by_id)?;
        Ok(Some(DocumentNames { by_id, by_name, names: batches.collect(), deleted, fragment: written.id }))
    }

    /// The name of a document and the address of its row; `None` if it is not here.
    ///
    /// # Errors
    /// If the read cache is damaged; the same below.
    pub(in crate::store) fn find(&self, id: &DocId) -> Result<Option<(DocumentName, u64)>> {
        for (batch, row_in_batch, row) in self.by_id.with_key(key_of(id)).filter(|place| !self.is_deleted(place)) {
            let name = self.name(batch, row_in_batch)?;
            if key_of(&name.doc_id) != key_of(id) {
                return Err(damaged("is damaged"));
            }
            if name.doc_id == *id {
                return Ok(Some((name, self.fragment << 32 | u64::from(row))));
            }
        }
        Ok(None)
    }

    /// The documents with a normalised title or file name, with or without its ending.
    pub(in crate::store) fn called(&self, name: &str) -> Result<Vec<DocumentName>> {
        let (key, by_name, mut found) = (key_of(name), Places::of(&self.by_name)?, Vec::new());
        for (batch, row, _) in by_name.with_key(key).filter(|place| !self.is_deleted(place)) {
            let document = self.name(batch, row)?;
            let names = names_of(&document.title, &document.source);
            if !names.iter().any(|own| key_of(own) == key) {
                return Err(damaged("is damaged"));
            }
            found.extend(names.iter().any(|own| own == name).then_some(document));
        }
        Ok(found)
    }

    fn is_deleted(&self, (_, _, row): &(usize, usize, u32)) -> bool {
        self.deleted.contains(row)
    }

    fn name(&self, batch: usize, row: usize) -> Result<DocumentName> {
        let names = self.names.get(batch).and_then(CachedBatch::get);
        let names = names.filter(|names| row < names.num_rows()).ok_or_else(|| damaged("is damaged"))?;
        name(&Columns { table: DOCUMENTS, batch: names }, row)
    }

    pub(in crate::store) fn all(&self) -> Result<Vec<DocumentName>> {
        let batches = self.names.par_iter().map(|batch| batch.get().ok_or_else(|| damaged("is damaged")));
        let batches = batches.collect::<Result<Vec<&RecordBatch>>>()?;
        if batches.iter().map(|batch| batch.num_rows()).sum::<usize>() != self.by_id.keys.len() {
            return Err(damaged("is damaged"));
        }
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

/// The batches of a fragment, after two that say where the documents with an id and with a name are.
pub(in crate::store) fn with_places(mut batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut by_id, mut by_name, mut before) = (Vec::new(), Vec::new(), 0);
    for (batch, rows) in (0..).zip(&batches) {
        let columns = Columns { table: DOCUMENTS, batch: rows };
        let [ids, titles, sources] = [columns.texts(DOC_ID)?, columns.texts(TITLE)?, columns.texts(SOURCE)?];
        for row in 0..rows.num_rows() {
            let place = |text: &str| [key_of(text), batch, row as u32, before + row as u32];
            by_id.push(place(ids.value(row)));
            by_name.extend(names_of(titles.value(row), sources.value(row)).map(|name| place(&name)));
        }
        before += rows.num_rows() as u32;
    }
    if by_id.is_empty() {
        return Ok(Vec::new());
    }
    batches.splice(0..0, [places_batch(by_id)?, places_batch(by_name)?]);
    Ok(batches)
}

fn places_batch(mut places: Vec<[u32; 4]>) -> Result<RecordBatch> {
    places.sort_unstable();
    // The title and the file of a document may have one name.
    places.dedup();
    let columns = [KEY, BATCH, ROW_IN_BATCH, ROW].into_iter().enumerate().map(|(column, name)| {
        let numbers: ArrayRef = Arc::new(UInt32Array::from_iter_values(places.iter().map(|place| place[column])));
        (name, numbers)
    });
    RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the places of documents: {error}")).caused_by(error))
}

/// The names that a document can be called by, normalised: its title, and its file's name with and without the ending.
/// Files of the read cache with another form of them need another layout.
fn names_of(title: &str, source: &str) -> [String; 3] {
    [title, file_name(source), stem(source)].map(normalise_title)
}

fn name(columns: &Columns, row: usize) -> Result<DocumentName> {
    Ok(DocumentName {
        doc_id: columns.text(DOC_ID, row)?.into(),
        source: columns.text(SOURCE, row)?,
        title: columns.text(TITLE, row)?,
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
    use crate::store::read_cache::files::LAYOUT;

    #[test]
    fn another_form_of_names_needs_another_layout() {
        let names = names_of("Ｐump–Manual 1, 手冊", "a:b/Pump_v2.tar.gz");
        assert_eq!(
            (names.each_ref().map(String::as_str), LAYOUT),
            (["pumpmanual1手册", "pumpv2targz", "pumpv2tar"], 12)
        );
    }

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

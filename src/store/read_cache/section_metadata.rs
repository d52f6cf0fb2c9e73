//! The metadata of sections. Most sections have none; the read cache says which have some.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use lancedb::arrow::arrow_array::types::UInt32Type;
use lancedb::arrow::arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};

use super::fragments::{CachedFragment, CachedRows};
use super::keys::{key_of, places_of};
use crate::error::{Error, Result};
use crate::ids::SectionId;
use crate::store::convert::{Columns, SECTIONS};
use crate::store::scan::Wanted;

const SECTION_ID: &str = "section_id";
pub(in crate::store) const METADATA: &str = "metadata";
const KEY: &str = "key";
/// The place of a row in its fragment.
const ROW: &str = "row";
pub(in crate::store) const METADATA_COLUMNS: Wanted = Wanted::Named(&[SECTION_ID, METADATA]);
pub(in crate::store) const WITH_METADATA: CachedRows = CachedRows {
    name: "section-metadata",
    columns: METADATA_COLUMNS,
    batch: keys_with_metadata,
    fragment: joined,
    is_lazy: false,
};

/// The sections of a fragment that have metadata.
pub(in crate::store) struct SectionsWithMetadata {
    /// Checksums of their ids, in order.
    keys: UInt32Array,
    /// The place of each in the fragment.
    rows: UInt32Array,
    fragment: u64,
    deleted: HashSet<u32>,
}

impl SectionsWithMetadata {
    pub(in crate::store) fn of(fragment: CachedFragment) -> Result<Option<Self>> {
        let Some(batch) = fragment.batches()?.pop() else { return Ok(None) };
        let column = |name| Columns { table: SECTIONS, batch: &batch }.primitives::<UInt32Type>(name).cloned();
        let CachedFragment { written, deleted, .. } = fragment;
        Ok(Some(SectionsWithMetadata { keys: column(KEY)?, rows: column(ROW)?, fragment: written.id, deleted }))
    }

    /// The addresses of the rows of a section. Another with the same checksum can be among them.
    pub(in crate::store) fn find(&self, id: &SectionId) -> impl Iterator<Item = u64> {
        let own = places_of(self.keys.values(), key_of(id));
        let rows = own.map(|place| self.rows.value(place)).filter(|row| !self.deleted.contains(row));
        rows.map(|row| self.fragment << 32 | u64::from(row))
    }
}

/// The id and the metadata of a section.
pub(in crate::store) fn metadata(columns: &Columns, row: usize) -> Result<(SectionId, BTreeMap<String, String>)> {
    let metadata = columns.optional_json(METADATA, row)?.unwrap_or_default();
    Ok((columns.text(SECTION_ID, row)?.into(), metadata))
}

/// The checksums of the ids of the sections of a batch; null for those without metadata.
fn keys_with_metadata(batch: RecordBatch) -> Result<RecordBatch> {
    let columns = Columns { table: SECTIONS, batch: &batch };
    let (ids, metadata) = (columns.texts(SECTION_ID)?, columns.texts(METADATA)?);
    let with = ids.iter().enumerate().map(|(row, id)| id.filter(|_| metadata.is_valid(row)));
    of_columns([(KEY, with.map(|id| Some(key_of(id?))).collect())])
}

/// The sections of a fragment that have metadata, in the order of their checksums.
fn joined(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut with, mut before) = (Vec::new(), 0);
    for batch in &batches {
        let keys = Columns { table: SECTIONS, batch }.primitives::<UInt32Type>(KEY)?;
        with.extend((before..).zip(keys).filter_map(|(row, key): (u32, _)| Some((key?, row))));
        before += keys.len() as u32;
    }
    with.sort_unstable();
    // A batch without rows says that no section has any.
    let [keys, rows] = [with.iter().map(|(key, _)| *key).collect(), with.iter().map(|(_, row)| *row).collect()];
    Ok(vec![of_columns([(KEY, keys), (ROW, rows)])?])
}

fn of_columns<const N: usize>(columns: [(&str, UInt32Array); N]) -> Result<RecordBatch> {
    let columns = columns.map(|(name, numbers)| (name, Arc::new(numbers) as ArrayRef));
    RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the places of sections: {error}")).caused_by(error))
}

#[cfg(test)]
mod tests {
    use lance_table::format::Fragment;

    use super::*;
    use crate::store::read_cache::batches::CachedBatch;

    #[test]
    fn addresses_are_those_of_rows_in_all_batches_of_a_fragment() {
        let batch = |ids: &[Option<&str>]| {
            let keys = ids.iter().map(|id| Some(key_of(id.as_ref()?)));
            of_columns([(KEY, keys.collect())]).unwrap()
        };
        let rows = joined(vec![batch(&[None, Some("d#2")]), batch(&[Some("d#1"), None, Some("d#3")])]).unwrap();
        let rows = rows.into_iter().map(CachedBatch::from).collect();
        let cached = CachedFragment { written: Fragment::new(7), described: String::new(), rows, deleted: [2].into() };
        let sections = SectionsWithMetadata::of(cached).unwrap().unwrap();
        let found = ["d#1", "d#2", "d#3", "d#4"].map(|id| sections.find(&id.into()).collect::<Vec<_>>());
        assert_eq!(found, [vec![], vec![7 << 32 | 1], vec![7 << 32 | 4], vec![]], "without the deleted one");
    }
}

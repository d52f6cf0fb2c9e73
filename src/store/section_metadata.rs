//! The metadata of sections. Most sections have none; the read cache says which have some.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use lancedb::arrow::arrow_array::types::UInt32Type;
use lancedb::arrow::arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use lancedb::expr::col;

use super::cached_fragments::{CachedFragment, Prepared};
use super::convert::{Columns, SECTIONS};
use super::rows_by_id::{RowsById, with_order};
use super::scan::Wanted;
use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::ids::SectionId;

/// The name of the rows in the read cache.
const CACHE_NAME: &str = "section-metadata";
const SECTION_ID: &str = "section_id";
const METADATA: &str = "metadata";
/// The place of a row in its fragment.
const ROW: &str = "row";
const COLUMNS: Wanted = Wanted::Named(&[SECTION_ID, METADATA]);
const PREPARED: Prepared = Prepared { batch: ids_with_metadata, fragment: joined };

/// The sections of a fragment that have metadata.
pub(super) struct SectionsWithMetadata {
    section_ids: RowsById,
    /// The place of each in the fragment.
    rows: UInt32Array,
    fragment: u64,
    deleted: HashSet<u32>,
}

impl SectionsWithMetadata {
    fn of(CachedFragment { written, rows, deleted, .. }: CachedFragment) -> Result<Option<Self>> {
        let Some(batch) = rows.first() else { return Ok(None) };
        let columns = Columns { table: SECTIONS, batch };
        let (section_ids, rows) =
            (RowsById::read(&columns, SECTION_ID)?, columns.primitives::<UInt32Type>(ROW)?.clone());
        Ok(Some(SectionsWithMetadata { section_ids, rows, fragment: written.id, deleted }))
    }

    /// The address of a section's row; `None` if it is not here.
    fn find(&self, id: &SectionId) -> Option<u64> {
        let mut rows = self.section_ids.rows_with(id).map(|row| self.rows.value(row as usize));
        Some(self.fragment << 32 | u64::from(rows.find(|row| !self.deleted.contains(row))?))
    }
}

impl Snapshot {
    /// The metadata of all sections that have some.
    pub async fn section_metadata(&self) -> Result<Vec<(SectionId, BTreeMap<String, String>)>> {
        let stated = col(METADATA).is_not_null();
        self.tables.read(&self.tables.sections, Some(stated), COLUMNS, metadata).await
    }

    /// The metadata of some sections, without those that have none.
    pub async fn metadata_of_sections(&self, ids: &[SectionId]) -> Result<Vec<(SectionId, BTreeMap<String, String>)>> {
        let read = async || {
            let fragments =
                self.tables.cached_fragments(&self.cache, CACHE_NAME, &self.tables.sections, COLUMNS, PREPARED).await?;
            let each = fragments.into_iter().map(SectionsWithMetadata::of).collect::<Result<Vec<_>>>()?;
            Ok::<Vec<SectionsWithMetadata>, Error>(each.into_iter().flatten().collect())
        };
        let all = self.sections_with_metadata.get_or_try_init(read).await?;
        let find = |id| all.iter().find_map(|sections| sections.find(id));
        let addresses: Vec<u64> = ids.iter().filter_map(find).collect();
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        self.tables.read_at(&self.tables.sections, &addresses, COLUMNS, metadata).await
    }
}

/// The id and the metadata of a section.
fn metadata(columns: &Columns, row: usize) -> Result<(SectionId, BTreeMap<String, String>)> {
    let metadata = columns.optional_json(METADATA, row)?.unwrap_or_default();
    Ok((columns.text(SECTION_ID, row)?.into(), metadata))
}

/// The ids of the sections of a batch; null for those without metadata.
fn ids_with_metadata(batch: RecordBatch) -> Result<RecordBatch> {
    let columns = Columns { table: SECTIONS, batch: &batch };
    let (ids, metadata) = (columns.texts(SECTION_ID)?, columns.texts(METADATA)?);
    let with = ids.iter().enumerate().map(|(row, id)| id.filter(|_| metadata.is_valid(row)));
    of_columns([(SECTION_ID, Arc::new(with.collect::<StringArray>()))])
}

/// The ids of the sections of a fragment that have metadata, with their places and their order.
fn joined(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
    let (mut ids, mut rows, mut before) = (Vec::new(), Vec::new(), 0);
    for batch in &batches {
        let own = Columns { table: SECTIONS, batch }.texts(SECTION_ID)?;
        for (row, id) in own.iter().enumerate() {
            if let Some(id) = id {
                ids.push(id);
                rows.push(before + row as u32);
            }
        }
        before += own.len() as u32;
    }
    let ids: ArrayRef = Arc::new(StringArray::from_iter_values(ids));
    let batch = of_columns([(SECTION_ID, ids), (ROW, Arc::new(UInt32Array::from(rows)))])?;
    // A batch without rows says that no section has any.
    Ok(vec![with_order(SECTIONS, &batch, SECTION_ID)?])
}

fn of_columns<const N: usize>(columns: [(&str, ArrayRef); N]) -> Result<RecordBatch> {
    RecordBatch::try_from_iter(columns)
        .map_err(|error| Error::failed(format!("cannot hold the ids of sections: {error}")).caused_by(error))
}

#[cfg(test)]
mod tests {
    use lance_table::format::Fragment;

    use super::*;
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, NewDocument, SectionRow};

    #[tokio::test]
    async fn sections_with_metadata_are_found_among_those_without() {
        let (_folder, namespace) = namespace();
        let new = |doc_id: &str, author: Option<&str>| {
            let mut new = NewDocument::sample(doc_id, &["text"]);
            let mut second = SectionRow::sample(doc_id, "2", "Second");
            second.metadata.extend(author.map(|author| ("author".to_owned(), author.to_owned())));
            new.sections.extend([second, SectionRow::sample(doc_id, "3", "Third")]);
            new
        };
        let authors = async || -> Vec<String> {
            let snapshot = Snapshot::open(&namespace).await.unwrap();
            let ids: Vec<SectionId> = ["aaaaaa", "bbbbbb", "cccccc", "dddddd"]
                .iter()
                .flat_map(|doc_id| ["2", "3"].map(|path| SectionId::new(doc_id, path)))
                .collect();
            let found = snapshot.metadata_of_sections(&ids).await.unwrap();
            assert_eq!(snapshot.section_metadata().await.unwrap().len(), found.len());
            found.into_iter().map(|(_, metadata)| metadata["author"].clone()).collect()
        };
        publish(&namespace, vec![new("cccccc", None), new("aaaaaa", None)]).await;
        assert_eq!(authors().await, [""; 0]);
        publish(&namespace, vec![new("bbbbbb", Some("Bo")), new("dddddd", Some("Di"))]).await;
        assert_eq!(authors().await, ["Bo", "Di"]);
        let change = Change {
            remove: vec!["bbbbbb".into(), "aaaaaa".into()],
            add: vec![new("aaaaaa", Some("Al"))],
            ..Change::default()
        };
        publish(&namespace, change).await;
        assert_eq!(authors().await, ["Al", "Di"]);
    }

    #[test]
    fn addresses_are_those_of_rows_in_all_batches_of_a_fragment() {
        let batch = |ids: &[Option<&str>]| {
            let ids: ArrayRef = Arc::new(StringArray::from(ids.to_vec()));
            of_columns([(SECTION_ID, ids)]).unwrap()
        };
        let rows = joined(vec![batch(&[None, Some("d#2")]), batch(&[Some("d#1"), None, Some("d#3")])]).unwrap();
        let cached = CachedFragment { written: Fragment::new(7), described: String::new(), rows, deleted: [2].into() };
        let sections = SectionsWithMetadata::of(cached).unwrap().unwrap();
        let found = ["d#1", "d#2", "d#3", "d#4"].map(|id| sections.find(&id.into()));
        assert_eq!(found, [None, Some(7 << 32 | 1), Some(7 << 32 | 4), None], "without the deleted one");
    }
}

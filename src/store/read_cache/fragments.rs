//! The rows of the fragments of a table, from the read cache or, for their first reader, from the table.

use std::collections::HashSet;

use futures::stream::{self, StreamExt, TryStreamExt};
use lance_table::format::Fragment;
use lancedb::Table;
use lancedb::arrow::arrow_array::RecordBatch;
use rayon::prelude::*;

use super::batches::CachedBatch;
use super::files::{ReadCache, damaged};
use crate::error::{Error, Result};
use crate::store::scan::{Wanted, with_deleted};
use crate::store::tables::Tables;

/// The number of fragments read into the cache at once.
const FRAGMENTS_AT_ONCE: usize = 2;

/// Which columns of a table are in the read cache, and how their rows are converted.
#[derive(Clone, Copy)]
pub(in crate::store) struct CachedRows<'a> {
    /// Their name in the cache.
    pub(in crate::store) name: &'a str,
    pub(super) columns: Wanted<'a>,
    /// Converts one batch, because the rows of a large fragment do not fit in memory.
    pub(super) batch: fn(RecordBatch) -> Result<RecordBatch>,
    /// Joins the converted batches of a fragment.
    pub(super) fragment: fn(Vec<RecordBatch>) -> Result<Vec<RecordBatch>>,
    /// Whether only some of the batches are read. Damage of one is then found when it is read.
    pub(super) is_lazy: bool,
}

impl<'a> CachedRows<'a> {
    pub(in crate::store) fn as_read(name: &'a str, columns: Wanted<'a>) -> Self {
        CachedRows { name, columns, batch: Ok, fragment: Ok, is_lazy: false }
    }
}

pub(in crate::store) struct CachedFragment {
    /// As it was written, without deletions.
    pub(super) written: Fragment,
    /// The same as JSON, its name in the read cache.
    pub(in crate::store) described: String,
    pub(super) rows: Vec<CachedBatch>,
    /// The places of its deleted rows.
    pub(in crate::store) deleted: HashSet<u32>,
}

impl CachedFragment {
    /// All rows.
    pub(in crate::store) fn batches(&self) -> Result<Vec<RecordBatch>> {
        let each = self.rows.iter().map(|batch| batch.get().cloned());
        each.collect::<Option<_>>().ok_or_else(|| damaged("is damaged"))
    }
}

impl Tables {
    /// The rows of each fragment of a table, deleted ones included.
    pub(in crate::store) async fn cached_fragments(
        &self,
        cache: &ReadCache,
        table: &Table,
        wanted: CachedRows<'_>,
    ) -> Result<Vec<CachedFragment>> {
        let fragments = self.fragments(table).await?;
        // Rows are cached with those deleted since, so that a deletion makes no file stale.
        let written: Vec<Fragment> = fragments.iter().map(|fragment| with_deleted(fragment.metadata())).collect();
        let described = |fragment| serde_json::to_string(fragment).expect("plain data has a JSON form");
        let names: Vec<String> = written.iter().map(described).collect();
        let kept = names.par_iter().map(|own| {
            let is_whole = |batches: &Vec<CachedBatch>| batches.iter().all(|batch| batch.get().is_some());
            cache.get(wanted.name, own).filter(|batches| wanted.is_lazy || is_whole(batches))
        });
        let kept: Vec<Option<Vec<CachedBatch>>> = kept.collect();
        let is_new = kept.iter().any(Option::is_none);
        let each = fragments.iter().zip(written).zip(&names).zip(kept).map(|(((fragment, written), own), kept)| {
            async move {
                let deleted = self.deleted_of(fragment).await?;
                let rows = match kept {
                    Some(rows) => rows,
                    None => {
                        let rows = self.prepared(table, written.clone(), wanted).await?;
                        // On a read-only disk the next reader reads the table again; the same below.
                        drop(cache.put(wanted.name, own, &rows));
                        rows.into_iter().map(CachedBatch::from).collect()
                    }
                };
                Ok::<_, Error>(CachedFragment { written, described: own.clone(), rows, deleted })
            }
        });
        let each: Vec<CachedFragment> =
            stream::iter(each.collect::<Vec<_>>()).buffered(FRAGMENTS_AT_ONCE).try_collect().await?;
        if is_new {
            drop(cache.keep(wanted.name, &names));
        }
        Ok(each)
    }

    async fn prepared(&self, table: &Table, fragment: Fragment, wanted: CachedRows<'_>) -> Result<Vec<RecordBatch>> {
        let mut rows = Vec::new();
        let read = |batch| (wanted.batch)(batch).map(|batch| rows.push(batch));
        self.each_batch_of(table, fragment, wanted.columns, read).await?;
        (wanted.fragment)(rows)
    }
}

/// The rows of a fragment without the deleted ones. The parts share their memory.
pub(in crate::store) fn without_deleted(batches: Vec<RecordBatch>, deleted: &HashSet<u32>) -> Vec<RecordBatch> {
    if deleted.is_empty() {
        return batches;
    }
    let (mut kept, mut before) = (Vec::new(), 0);
    for batch in batches {
        let (rows, mut start) = (batch.num_rows(), 0);
        for row in 0..=rows {
            if row == rows || deleted.contains(&(before + row as u32)) {
                if start < row {
                    kept.push(batch.slice(start, row - start));
                }
                start = row + 1;
            }
        }
        before += rows as u32;
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lancedb::arrow::arrow_array::UInt32Array;
    use lancedb::arrow::arrow_array::cast::AsArray;
    use lancedb::arrow::arrow_array::types::UInt32Type;

    use super::*;

    #[test]
    fn deleted_rows_are_cut_out_of_batches() {
        let batch = |rows: std::ops::Range<u32>| {
            let column = Arc::new(UInt32Array::from_iter_values(rows)) as Arc<_>;
            RecordBatch::try_from_iter([("row", column)]).unwrap()
        };
        let left = |deleted: &[u32]| -> Vec<u32> {
            let deleted = deleted.iter().copied().collect();
            let batches = without_deleted(vec![batch(0..4), batch(4..5), batch(5..8)], &deleted);
            assert!(batches.iter().all(|batch| batch.num_rows() > 0));
            batches.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt32Type>().values().to_vec()).collect()
        };
        assert_eq!(left(&[]), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(left(&[0, 3, 4, 6]), [1, 2, 5, 7]);
        assert_eq!(left(&[0, 1, 2, 3, 4, 5, 6, 7]), [0; 0]);
    }
}

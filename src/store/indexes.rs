//! The indexes of the tables for the columns that rows are looked up by.
//!
//! Small tables are faster to read as a whole than through an index. After a table has grown, the next publication
//! makes its indexes, and later ones extend them; rows outside an index are read one by one. Each index belongs to a
//! version of its table, so a reader uses the index of its generation, and an interrupted publication leaves none.

use std::collections::HashSet;
use std::sync::Arc;

use lance::Dataset;
use lance::index::DatasetIndexExt;
use lance_table::format::IndexMetadata;
use lancedb::Table;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::index::Index;
use lancedb::index::scalar::BTreeIndexBuilder;
use lancedb::table::{OptimizeAction, OptimizeOptions};

use super::convert::map_rows;
use super::scan::{Filter, Wanted, any_of};
use super::tables::{Tables, is_damage};
use crate::error::{Error, Result, or_none};
use crate::notice;

/// The number of rows from which an index pays off. Tests set it with `KB_TEST_INDEX_ROWS`.
pub(super) fn fewest_indexed_rows() -> usize {
    const FEWEST: usize = 100_000;
    let asked = || std::env::var("KB_TEST_INDEX_ROWS").ok()?.parse().ok();
    if cfg!(debug_assertions) { asked().unwrap_or(FEWEST) } else { FEWEST }
}

/// An eighth of that number may be outside an index. Such rows are read one by one.
pub(super) fn most_outside(fewest: usize) -> usize {
    fewest.div_ceil(8)
}

/// The suffix of the name of an index, after the column.
const SUFFIX: &str = "_index";

/// The columns that rows are looked up by.
const OF_SECTIONS: [&str; 2] = ["section_id", "doc_id"];
const OF_CHUNKS: [&str; 5] = ["chunk_id", "parent_id", "doc_id", "section_id", "embedding_hash"];

impl Tables {
    /// Makes the indexes of tables with at least `fewest` rows, and extends those with at least `outside` rows outside.
    /// Returns the changed ones as `TABLE.COLUMN`.
    pub(super) async fn index(&self, fewest: usize, outside: usize) -> Result<Vec<String>> {
        let mut changed = Vec::new();
        let name = |table: &Table, column: &str| format!("{}.{column}", table.name());
        for (table, columns) in [(&self.sections, &OF_SECTIONS[..]), (&self.chunks, &OF_CHUNKS[..])] {
            if self.rows_of(table).await? >= fewest {
                for column in columns {
                    changed.extend(self.extend(table, column, outside).await?.then(|| name(table, column)));
                }
            }
        }
        self.measure_recall(fewest).await?;
        Ok(changed)
    }

    /// Makes the index of a column, or extends it if at least `outside` rows are outside. New rows become a new part,
    /// joined with parts that are not much larger, so that there are few parts and rows are seldom written again. If
    /// all parts would be joined, makes the whole index again. Returns whether anything was done.
    async fn extend(&self, table: &Table, column: &str, outside: usize) -> Result<bool> {
        let fail = |error: lancedb::Error| self.failed("index", &error);
        let name = name_of(column);
        let rows = Covered::of(&*self.dataset(table).await?, &self.indexes_of(table).await?, &name);
        if !rows.parts.is_empty() && rows.outside < outside {
            return Ok(false);
        }
        let joined = joined(&rows.parts, rows.outside);
        if joined == rows.parts.len() {
            let index = Index::BTree(BTreeIndexBuilder::default());
            return table.create_index(&[column], index).name(name).execute().await.map_err(fail).map(|()| true);
        }
        let options = OptimizeOptions::merge(joined).index_names(vec![name]);
        table.optimize(OptimizeAction::Index(options)).await.map_err(fail).map(|_| true)
    }

    /// Whether a column has a usable index.
    pub(super) async fn has_index(&self, table: &Table, column: &str) -> Result<bool> {
        let name = name_of(column);
        Ok(self.indexed && self.indexes_of(table).await?.iter().any(|index| index.name == name))
    }

    /// Checks whether a file of an index is missing or cut off. If so, this reader uses no indexes.
    pub(super) async fn check_indexes(&mut self) -> Result<()> {
        let mut lost = None;
        for table in self.all() {
            lost = lost.or(self.incomplete_index(table).await?);
        }
        if let Some((_, what)) = lost {
            notice::give(&format!("{what}; this command reads all rows, and the next ingest rebuilds the index"));
            self.indexed = false;
        }
        Ok(())
    }

    /// Drops the indexes with missing or cut-off files. The next publication makes them again.
    pub(super) async fn drop_incomplete_indexes(&self) -> Result<()> {
        for table in self.all() {
            while let Some((name, what)) = self.incomplete_index(table).await? {
                notice::give(&format!("{what}; the next publication rebuilds the index"));
                self.drop_index(table, &name).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn indexes_of(&self, table: &Table) -> Result<Arc<Vec<IndexMetadata>>> {
        self.dataset(table).await?.load_indices().await.map_err(|error| self.failed("index", &error))
    }

    /// Drops all indexes. The next publication makes them again.
    pub(super) async fn drop_indexes(&self) -> Result<()> {
        for table in self.all() {
            let names: HashSet<String> = self.indexes_of(table).await?.iter().map(|index| index.name.clone()).collect();
            for name in names {
                self.drop_index(table, &name).await?;
            }
        }
        Ok(())
    }

    async fn drop_index(&self, table: &Table, name: &str) -> Result<()> {
        table.drop_index(name).await.map_err(|error| self.failed("index", &error))
    }

    /// The tables with damaged indexes and what is wrong: missing files, or an index that cannot be read.
    pub(super) async fn damaged_indexes(&self) -> Result<Vec<(&str, String)>> {
        let mut damaged = Vec::new();
        for table in self.all() {
            if let Some((_, what)) = self.incomplete_index(table).await? {
                damaged.push((table.name(), what));
                continue;
            }
            for index in self.indexes_of(table).await?.iter() {
                let column = index.name.trim_end_matches(SUFFIX);
                if let Some(error) = self.ask(table, column).await.err().filter(is_damage) {
                    damaged
                        .push((table.name(), format!("the index {} cannot be read: {}", index.name, error.message())));
                    break;
                }
            }
        }
        Ok(damaged)
    }

    /// Looks up the first row in the index of a column.
    async fn ask(&self, table: &Table, column: &str) -> Result<()> {
        let read = async |filter: Option<Filter>| -> Result<Vec<RecordBatch>> {
            let mut scan = self.scan(table, filter, Wanted::Named(&[column])).await?;
            scan.limit(Some(1), None).map_err(|error| self.read_error(&error))?;
            self.all_rows(scan).await
        };
        let first = map_rows(table.name(), &read(None).await?, |columns, row| columns.optional_text(column, row))?;
        for value in first.into_iter().flatten() {
            read(Some(any_of(column, &[value]))).await?;
        }
        Ok(())
    }

    /// The first index of a table with a missing or cut-off file, and what is wrong with it.
    async fn incomplete_index(&self, table: &Table) -> Result<Option<(String, String)>> {
        for index in self.indexes_of(table).await?.iter() {
            let own = format!("{}.lance/_indices/{}", table.name(), index.uuid);
            for file in index.files.iter().flatten() {
                let path = self.namespace().tables().join(&own).join(&file.path);
                let facts = or_none(std::fs::metadata(&path)).map_err(|error| Error::io("read", &path, &error))?;
                if facts.is_none_or(|facts| facts.len() != file.size_bytes) {
                    return Ok(Some((index.name.clone(), format!("tables/{own}/{} is missing or cut off", file.path))));
                }
            }
        }
        Ok(None)
    }

    pub(super) async fn rows_of(&self, table: &Table) -> Result<usize> {
        self.count(table, None).await
    }

    /// The number of rows that a condition in SQL admits.
    pub(super) async fn count(&self, table: &Table, condition: Option<&str>) -> Result<usize> {
        table.count_rows(condition.map(str::to_owned)).await.map_err(|error| self.failed("read", &error))
    }
}

fn name_of(column: &str) -> String {
    format!("{column}{SUFFIX}")
}

/// The number of rows that an index covers.
struct Covered {
    /// The rows in each part of the index, the oldest part first.
    parts: Vec<usize>,
    /// The rows in no part.
    outside: usize,
}

impl Covered {
    fn of(dataset: &Dataset, indexes: &[IndexMetadata], name: &str) -> Self {
        let own: Vec<&IndexMetadata> = indexes.iter().filter(|index| index.name == name).collect();
        let mut rows = Covered { parts: vec![0; own.len()], outside: 0 };
        for fragment in dataset.get_fragments() {
            let count = fragment.metadata().num_rows().unwrap_or_default();
            let id = u32::try_from(fragment.id()).unwrap_or(u32::MAX);
            let has = |part: &&IndexMetadata| part.fragment_bitmap.as_ref().is_some_and(|has| has.contains(id));
            match own.iter().position(has) {
                Some(place) => rows.parts[place] += count,
                None => rows.outside += count,
            }
        }
        rows
    }
}

/// The number of last parts that are joined with new rows: each is at most twice as large as everything after it.
fn joined(parts: &[usize], new: usize) -> usize {
    let mut behind = new;
    let is_small = |part: &&usize| {
        let small = **part <= 2 * behind;
        behind += **part;
        small
    };
    parts.iter().rev().take_while(is_small).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::convert::chunks_to_batch;
    use crate::store::samples::namespace;
    use crate::store::{Chunk, ParentChunk};

    /// A parent chunk with a child, both with a vector of its own direction.
    fn parent(number: usize) -> ParentChunk {
        let (sin, cos) = (number as f32).sin_cos();
        let mut parent = ParentChunk::sample(&format!("d{number}:0"), "text");
        parent.children = vec![Chunk::sample(&format!("d{number}:0.0"), "text")];
        parent.chunks_mut().for_each(|chunk| chunk.vector = vec![sin, cos, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        parent
    }

    #[test]
    fn parts_of_an_index_that_are_not_much_larger_are_joined() {
        assert_eq!(joined(&[], 5), 0);
        assert_eq!(joined(&[100], 16), 0);
        assert_eq!(joined(&[100, 32], 16), 1);
        assert_eq!(joined(&[100, 48], 16), 0);
        assert_eq!(joined(&[100, 48, 16], 16), 3);
    }

    #[tokio::test]
    async fn indexes_are_extended_and_stay_few() {
        let (_folder, namespace) = namespace();
        let tables = Tables::create(&namespace, 8).await.unwrap();
        for run in 0..30 {
            let rows: Vec<ParentChunk> = (run * 20..run * 20 + 20).map(parent).collect();
            tables.append(&tables.chunks, chunks_to_batch(&rows, 8).unwrap()).await.unwrap();
            tables.index(100, most_outside(100)).await.unwrap();
            if run < 2 {
                assert!(tables.indexes_of(&tables.chunks).await.unwrap().is_empty(), "too few rows");
            }
        }
        let indexes = tables.indexes_of(&tables.chunks).await.unwrap();
        for column in OF_CHUNKS {
            let dataset = tables.dataset(&tables.chunks).await.unwrap();
            let Covered { parts, outside } = Covered::of(&dataset, &indexes, &name_of(column));
            assert_eq!((parts.iter().sum::<usize>(), outside), (1200, 0), "{column}");
            assert!(parts.len() < 6, "{column}: {parts:?}");
        }
        let read =
            tables.read_with(&tables.chunks, ("doc_id", &["d7", "d599"]), Wanted::WithoutVectors, |columns, row| {
                columns.text("chunk_id", row)
            });
        assert_eq!(read.await.unwrap(), ["d7:0", "d7:0.0", "d599:0", "d599:0.0"]);
    }
}

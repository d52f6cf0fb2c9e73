//! The recall of the binary codes of vectors, measured on a sample of the chunks and stored with their table.

use futures::TryStreamExt;
use lancedb::arrow::arrow_array::types::{Float32Type, UInt64Type};
use lancedb::arrow::arrow_array::{Array, RecordBatch};
use lancedb::query::{ExecutableQuery, Select};
use lancedb::table::NativeTable;
use serde::{Deserialize, Serialize};

use super::convert::{CHUNKS, Columns, VECTOR, map_rows, to_json};
use super::indexes::fewest_indexed_rows;
use super::read_cache::ReadCache;
use super::scan::Wanted;
use super::scope::Scope;
use super::smallest::Smallest;
use super::snapshot::Snapshot;
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::vectors::dot;

/// Recall is measured on this many nearest neighbours of `QUESTIONS` chunks.
const NEIGHBOURS: usize = 10;
const QUESTIONS: usize = 20;
/// The number of chunks that a search takes by default.
const TAKEN: usize = 400;
/// The key of the recall in the table's configuration.
const KEY: &str = "kb.recall";

/// How well the binary codes of a large namespace find the nearest vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CodeRecall {
    /// The number of chunks among which that was measured.
    pub chunks: usize,
    /// The share of the ten nearest chunks that they find, from 0 to 1; `None` if it was not measured.
    pub recall: Option<f32>,
}

impl Snapshot {
    /// The recall of the binary codes; `None` for a namespace that is not large.
    pub async fn code_recall(&self) -> Result<Option<CodeRecall>> {
        let chunks = self.tables.rows_of(&self.tables.chunks).await?;
        if chunks < fewest_indexed_rows() {
            return Ok(None);
        }
        let known = self.tables.known_recall().await?;
        Ok(Some(known.unwrap_or(CodeRecall { chunks, recall: None })))
    }
}

impl Tables {
    /// Measures the recall among at least `fewest` chunks with vectors, and again after the table has doubled or
    /// halved: measuring reads all vectors.
    pub(super) async fn measure_recall(&self, fewest: usize) -> Result<()> {
        let chunks = self.rows_of(&self.chunks).await?;
        let known = self.known_recall().await?.map_or(0, |known| known.chunks);
        let is_of_other_size = chunks >= 2 * known || 2 * chunks <= known;
        if chunks < fewest || !is_of_other_size || self.chunks_with_vectors().await? < fewest {
            return Ok(());
        }
        let Some(recall) = self.recall(chunks).await? else { return Ok(()) };
        let measured = CodeRecall { chunks, recall: Some(recall) };
        let measured = [(KEY.to_owned(), to_json(&measured))];
        self.native_chunks()?.update_config(measured).await.map_err(|error| self.failed("index", &error))
    }

    /// Forgets the recall, because all vectors are made again.
    pub(super) async fn forget_recall(&self) -> Result<()> {
        self.native_chunks()?.delete_config_keys(&[KEY]).await.map_err(|error| self.failed("index", &error))
    }

    async fn known_recall(&self) -> Result<Option<CodeRecall>> {
        let dataset = self.dataset(&self.chunks).await?;
        Ok(dataset.config().get(KEY).and_then(|known| serde_json::from_str(known).ok()))
    }

    fn native_chunks(&self) -> Result<&NativeTable> {
        self.chunks.as_native().ok_or_else(|| Error::failed("the tables of this store are not files"))
    }

    async fn chunks_with_vectors(&self) -> Result<usize> {
        let (mut count, columns) = (0, Wanted::Named(&["parents", "children", "embedded"]));
        self.each(&self.documents, None, columns, |columns: &Columns, row| {
            let chunks = columns.number("parents", row)? as usize + columns.number("children", row)? as usize;
            count += if columns.flag("embedded", row)? { chunks } else { 0 };
            Ok(())
        })
        .await?;
        Ok(count)
    }

    /// The share of the nearest neighbours of some chunks that a search chooses to compare. `None` if none of these
    /// chunks has a vector or the read cache is damaged; the next publication measures it then.
    async fn recall(&self, chunks: usize) -> Result<Option<f32>> {
        let mut questions = self.questions(chunks).await?;
        let Some(dimension) = questions.first().map(|question| question.vector.len()) else { return Ok(None) };
        let mut scan = self.scan(&self.chunks, None, Wanted::Named(&[VECTOR])).await?;
        scan.with_row_address();
        let compare = |batch: RecordBatch| {
            let columns = Columns { table: CHUNKS, batch: &batch };
            let (lists, values) = columns.lists::<Float32Type>(VECTOR)?;
            let vectors = values.chunks_exact((lists.value_length() as usize).max(1)).enumerate();
            for (row, vector) in vectors.filter(|(row, _)| lists.is_valid(*row)) {
                let address = columns.primitive::<UInt64Type>("_rowaddr", row)?;
                questions.iter_mut().for_each(|question| question.compare(vector, address));
            }
            Ok(())
        };
        self.each_batch(scan, compare).await?;
        let rows = self.chunk_rows(&ReadCache::of(self.namespace()), dimension).await?;
        let (mut found, mut wanted) = (0, 0);
        for Question { vector, nearest } in questions {
            let Some(chosen) = rows.nearest(&vector, &Scope::Everything, TAKEN) else { return Ok(None) };
            let nearest = nearest.into_items();
            found += nearest.iter().filter(|(_, address)| chosen.binary_search(address).is_ok()).count();
            wanted += nearest.len();
        }
        Ok(Some(found as f32 / wanted.max(1) as f32))
    }

    /// Chunks spread over the table, without those that have no vector.
    async fn questions(&self, chunks: usize) -> Result<Vec<Question>> {
        let fail = |error: lancedb::Error| self.failed("read", &error);
        let places = (0..QUESTIONS).map(|i| (chunks * i / QUESTIONS) as u64).collect();
        let rows = self.chunks.take_offsets(places).select(Select::columns(&[VECTOR])).execute().await.map_err(fail)?;
        let rows: Vec<RecordBatch> = rows.try_collect().await.map_err(fail)?;
        let vectors = map_rows(CHUNKS, &rows, |columns, row| columns.vector(VECTOR, row))?;
        let question = |vector| Question { vector, nearest: Smallest::new(NEIGHBOURS) };
        Ok(vectors.into_iter().flatten().map(question).collect())
    }
}

/// A chunk, and the distances and addresses of the chunks that are nearest to it so far.
struct Question {
    vector: Vec<f32>,
    nearest: Smallest<(u32, u64)>,
}

impl Question {
    fn compare(&mut self, vector: &[f32], address: u64) {
        // From 0 to two billion, as the cosine falls from 1 to -1.
        let distance = ((1.0 - dot(&self.vector, vector)).max(0.0) * 1e9) as u32;
        self.nearest.add((distance, address));
    }
}

//! Semantic search over the chunks of a generation, and look-up of vectors by text: a text that is copied, quoted or
//! kept between versions of a manual is embedded once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::TryStreamExt;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::arrow::arrow_array::types::UInt64Type;
use lancedb::query::{ExecutableQuery, Select};

use super::convert::{CHUNK_ID, CHUNKS, Columns, VECTOR, map_rows};
use super::keyword::ScoredChunk;
use super::read_cache::{ChunkRows, Cosines, ReadCache, damaged};
use super::scan::{Wanted, any_of};
use super::scope::Scope;
use super::snapshot::Snapshot;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::ids::ChunkId;
use crate::vectors::dot;

impl Snapshot {
    /// About the `limit` chunks of a scope that are nearest to `vector`, with their cosines to a thousandth. In a large
    /// namespace, binary codes choose the candidates.
    ///
    /// # Errors
    /// If the table cannot be read; the same below.
    pub async fn nearest(&self, vector: &[f32], scope: &Scope, limit: usize) -> Result<Vec<ScoredChunk>> {
        self.check_dimension(vector)?;
        if scope.is_empty() {
            return Ok(Vec::new());
        }
        let mut rows = self.chunk_rows().await?;
        let nearest = match rows.nearest(vector, scope, limit) {
            Some(nearest) => nearest,
            None => {
                // A damaged file was removed, and is written again.
                self.forget(&rows).await;
                rows = self.chunk_rows().await?;
                match rows.nearest(vector, scope, limit) {
                    Some(nearest) => nearest,
                    None => {
                        // The disk refuses to remove it.
                        rows = self.tables.chunk_rows(&ReadCache::nowhere(), vector.len()).await?.into();
                        rows.nearest(vector, scope, limit).ok_or_else(|| damaged("is damaged"))?
                    }
                }
            }
        };
        let mut scored = self.scored(&rows, vector, &nearest).await?;
        scored.retain(|chunk| scope.admits(chunk.chunk_id.doc_id(), chunk.chunk_id.parent_id()));
        if scored.len() > limit {
            scored.select_nth_unstable_by(limit, |a, b| b.score.total_cmp(&a.score));
            scored.truncate(limit);
        }
        Ok(scored)
    }

    /// The cosines of the given parent chunks and their children.
    pub async fn similarities(&self, vector: &[f32], parent_ids: &[ChunkId]) -> Result<Vec<ScoredChunk>> {
        self.check_dimension(vector)?;
        let rows = self.chunk_rows().await?;
        let mut scored = self.scored(&rows, vector, &rows.of_parents(parent_ids)).await?;
        let wanted: HashSet<&str> = parent_ids.iter().map(ChunkId::as_str).collect();
        scored.retain(|chunk| wanted.contains(chunk.chunk_id.parent_id()));
        Ok(scored)
    }

    /// The chunks with these addresses and vectors.
    async fn scored(&self, rows: &Arc<ChunkRows>, vector: &[f32], addresses: &[u64]) -> Result<Vec<ScoredChunk>> {
        let Cosines { mut known, unknown, is_missing } = rows.cosines(vector, addresses);
        if is_missing {
            // The next search writes the file again.
            self.forget(rows).await;
        }
        known.extend(self.cosines_in_table(vector, &unknown).await?);
        Ok(known.into_iter().map(|(id, score)| ScoredChunk { chunk_id: id.into(), score }).collect())
    }

    /// The ids and cosines of rows with these addresses.
    async fn cosines_in_table(&self, vector: &[f32], addresses: &[u64]) -> Result<Vec<(String, f32)>> {
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let columns = Wanted::Named(&[CHUNK_ID, VECTOR]);
        let batch = self.tables.rows_at(&self.tables.chunks, addresses, columns).await?;
        let columns = Columns { table: CHUNKS, batch: &batch };
        let (ids, (vectors, there)) = (columns.texts(CHUNK_ID)?, columns.vectors(VECTOR, vector.len())?);
        let each = vectors.chunks_exact(vector.len().max(1)).enumerate();
        let with_vector = each.filter(|(row, _)| there.is_none_or(|there| there.is_valid(*row)));
        Ok(with_vector.map(|(row, own)| (ids.value(row).to_owned(), dot(own, vector))).collect())
    }

    /// Loads the data for a search by vectors, for example while the question is being embedded.
    pub async fn prepare_search(&self) -> Result<()> {
        self.chunk_rows().await.map(drop)
    }

    async fn chunk_rows(&self) -> Result<Arc<ChunkRows>> {
        let mut kept = self.chunk_rows.lock().await;
        if let Some(rows) = &*kept {
            return Ok(rows.clone());
        }
        let rows = Arc::new(self.tables.chunk_rows(&self.cache, self.manifest().model.dimension).await?);
        *kept = Some(rows.clone());
        Ok(rows)
    }

    /// Forgets these rows, unless another search has done that already.
    async fn forget(&self, rows: &Arc<ChunkRows>) {
        let mut kept = self.chunk_rows.lock().await;
        if kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, rows)) {
            *kept = None;
        }
    }

    fn check_dimension(&self, vector: &[f32]) -> Result<()> {
        let (length, dimension) = (vector.len(), self.manifest().model.dimension);
        if length != dimension || length == 0 {
            return Err(Error::failed(format!("the question has {length} numbers instead of {dimension}")));
        }
        Ok(())
    }
}

/// Embedding fewer texts than this is faster than searching for their vectors.
const FEWEST: usize = 32;
/// The maximum number of rows that are read for one text: some may belong to documents without vectors.
const MOST_ROWS: usize = 4;

impl Writer {
    /// The published vectors of chunks of any document, by the hash of the embedded text, for those of `hashes` that
    /// have one. Does not search for a few texts, because embedding them is faster.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub async fn vectors_of_texts(&self, hashes: HashSet<&str>) -> Result<HashMap<String, Vec<f32>>> {
        let mut vectors = HashMap::new();
        if hashes.len() < FEWEST || self.generation() == 0 {
            return Ok(vectors);
        }
        let chunks = &self.tables.chunks;
        let fail = |error: lancedb::Error| self.tables.failed("read", &error);
        // Without an index, reading all hashes takes less time than comparing each with a list.
        let filter = match self.tables.has_index(chunks, "embedding_hash").await? {
            true => Some(any_of("embedding_hash", &Vec::from_iter(&hashes))),
            false => None,
        };
        let mut wanted: HashMap<&str, usize> = hashes.into_iter().map(|hash| (hash, MOST_ROWS)).collect();
        let mut rows: Vec<u64> = Vec::new();
        let mut scan = self.tables.scan(chunks, filter, Wanted::Named(&["embedding_hash"])).await?;
        scan.with_row_id();
        let choose = |batch: RecordBatch| {
            let columns = Columns { table: CHUNKS, batch: &batch };
            let texts = columns.texts("embedding_hash")?;
            for row in 0..batch.num_rows() {
                if let Some(left) = wanted.get_mut(texts.value(row)).filter(|left| **left > 0) {
                    *left -= 1;
                    rows.push(columns.primitive::<UInt64Type>("_rowid", row)?);
                }
            }
            Ok(())
        };
        self.tables.each_batch(scan, choose).await?;
        if rows.is_empty() {
            return Ok(vectors);
        }
        let found = chunks.take_row_ids(rows).select(Select::columns(&["embedding_hash", VECTOR]));
        let found: Vec<RecordBatch> = found.execute().await.map_err(fail)?.try_collect().await.map_err(fail)?;
        let found = map_rows(CHUNKS, &found, |columns, row| {
            Ok((columns.text("embedding_hash", row)?, columns.vector(VECTOR, row)?))
        })?;
        vectors.extend(found.into_iter().filter_map(|(hash, vector)| Some((hash, vector?))));
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::path::PathBuf;

    use super::*;
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, Chunk, DocumentRow, ModelRecord, NewDocument};

    fn hash(number: usize) -> String {
        blake3::hash(&number.to_le_bytes()).to_hex().to_string()
    }

    /// A document whose child chunks have hashes made of their numbers; every third has no vector.
    fn with_child_chunks(child_chunks: usize) -> NewDocument {
        let chunk = |number: usize| Chunk {
            embedding_hash: hash(number),
            vector: if number % 3 == 2 { Vec::new() } else { vec![number as f32; 2] },
            ..Chunk::sample(&format!("aaaaaa:0.{number}"), "text")
        };
        let mut new = NewDocument::sample("aaaaaa", &["text"]);
        new.parents[0].embedding_hash = hash(child_chunks);
        new.parents[0].children = (0..child_chunks).map(chunk).collect();
        new
    }

    async fn found(writer: &Writer, numbers: Range<usize>) -> HashMap<String, Vec<f32>> {
        let hashes: Vec<String> = numbers.map(hash).collect();
        writer.vectors_of_texts(hashes.iter().map(String::as_str).collect()).await.unwrap()
    }

    #[tokio::test]
    async fn vectors_of_known_texts_are_found() {
        let (_folder, namespace) = namespace();
        let mut writer = Writer::open(&namespace, &ModelRecord::sample(2)).await.unwrap();
        assert!(found(&writer, 0..FEWEST).await.is_empty(), "nothing is published");
        writer.publish(&vec![with_child_chunks(500)].into()).await.unwrap();
        let some = found(&writer, 470..530).await;
        assert_eq!(some.len(), 20, "not texts without a vector, of parent chunks, or unknown ones");
        assert_eq!(some[&hash(499)], [499.0, 499.0]);
        assert!(found(&writer, 0..FEWEST - 1).await.is_empty());
        assert_eq!(found(&writer, 0..500).await.len(), 334);
    }

    fn document(id: &str, vector: Vec<f32>) -> NewDocument {
        let mut new = NewDocument::sample(id, &["text"]);
        (new.document.embedding_hash, new.document.vector) = (Some("h".into()), vec![0.0, 1.0, 0.0, 0.0]);
        new.parents[0].vector = vector;
        new
    }

    #[tokio::test]
    async fn a_row_written_without_its_vector_keeps_it() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![document("abc123", Vec::new())]).await;
        let read = async || Snapshot::open(&namespace).await.unwrap();
        let update = async |change: fn(DocumentRow) -> DocumentRow| {
            let row = change(read().await.documents().await.unwrap().remove(0));
            publish(&namespace, Change { update: vec![row], ..Change::default() }).await;
            let snapshot = read().await;
            let row = snapshot.documents_with_vectors(None).await.unwrap().remove(0);
            (row.mtime_ns, row.embedding_hash, row.vector)
        };
        let touched = update(|row| DocumentRow { mtime_ns: 2, ..row }).await;
        assert_eq!(touched, (2, Some("h".to_owned()), vec![0.0, 1.0, 0.0, 0.0]));
        let other =
            update(|row| DocumentRow { embedding_hash: Some("i".into()), vector: vec![1.0, 0.0, 0.0, 0.0], ..row })
                .await;
        assert_eq!(other, (2, Some("i".to_owned()), vec![1.0, 0.0, 0.0, 0.0]));
        let without = update(|row| DocumentRow { embedding_hash: None, ..row }).await;
        assert_eq!(without, (2, None, Vec::new()));
        // A vector that does not exist cannot be kept.
        assert_eq!(update(|row| DocumentRow { embedding_hash: Some("j".into()), ..row }).await, (2, None, Vec::new()));
    }

    #[tokio::test]
    async fn vectors_that_were_removed_meanwhile_are_written_again() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![document("abc123", vec![0.6, 0.8, 0.0, 0.0])]).await;
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        let nearest = async || {
            let found = snapshot.nearest(&[0.0, 1.0, 0.0, 0.0], &Scope::Everything, 10).await.unwrap();
            found.into_iter().map(|chunk| format!("{} {:.1}", chunk.chunk_id, chunk.score)).collect::<Vec<_>>()
        };
        let files = || {
            let each = std::fs::read_dir(namespace.root().join("read-cache")).unwrap().flatten();
            let is_of_vectors =
                |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("half-vectors-");
            each.map(|file| file.path()).filter(is_of_vectors).collect::<Vec<_>>()
        };
        for _ in 0..3 {
            assert_eq!(nearest().await, ["abc123:0 0.8"]);
            assert_eq!(nearest().await, ["abc123:0 0.8"]);
            assert_eq!(files().len(), 1);
            std::fs::remove_file(&files()[0]).unwrap();
        }
    }

    #[tokio::test]
    async fn a_question_of_another_length_is_an_error() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![document("with11", vec![0.0, 1.0, 0.0, 0.0])]).await;
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        for length in [1, 2, 5] {
            let error = snapshot.nearest(&vec![1.0; length], &Scope::Everything, 10).await.unwrap_err();
            assert!(error.message().contains(&format!("has {length} numbers instead of 4")), "{error}");
        }
    }
}

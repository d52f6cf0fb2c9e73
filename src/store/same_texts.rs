//! Vectors of texts that are in the namespace already, in whatever document: what is copied, quoted or the same in every
//! version of a manual is embedded once.

use std::collections::{HashMap, HashSet};

use lancedb::query::{ExecutableQuery, QueryBase, Select};

use super::convert::Columns;
use super::rows::ChunkType;
use super::store_error;
use super::tables::CHUNKS;
use super::writer::Writer;
use crate::error::Result;

/// Fewer texts are embedded sooner than they are looked for.
const FEWEST: usize = 32;
/// So many rows of a text are looked at: some may be of documents without vectors.
const MOST_ROWS: usize = 4;
/// The number of a row in the version of the table that is opened.
const ROW: &str = "_rowid";

impl Writer {
    /// The vectors of pieces in any document, as they were published last, by the hash of the text that was embedded: of
    /// those `hashes` that there are. Of a few texts none are looked for: embedding them is sooner done.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub async fn vectors_of_texts(&self, hashes: HashSet<&str>) -> Result<HashMap<String, Vec<f32>>> {
        let mut vectors = HashMap::new();
        if hashes.len() < FEWEST || self.generation() == 0 {
            return Ok(vectors);
        }
        let chunks = &self.tables.chunks;
        let fail = |error: lancedb::Error| store_error("read", &self.namespace().tables(), &error);
        // One look at all hashes, and then only the rows that are wanted: a filter that names them would read all, again
        // and again.
        let mut wanted: HashMap<&str, usize> = hashes.into_iter().map(|hash| (hash, MOST_ROWS)).collect();
        let mut rows: Vec<u64> = Vec::new();
        let keys = chunks.query().select(Select::columns(&["content_hash", "chunk_type"])).with_row_id();
        let mut keys = keys.execute().await.map_err(fail)?;
        while let Some(batch) = self.tables.next(&mut keys).await? {
            let columns = Columns { table: CHUNKS, batch: &batch };
            let (texts, types) = (columns.texts("content_hash")?, columns.texts("chunk_type")?);
            let ids = columns.row_ids(ROW)?;
            let is_piece = |row: &usize| types.value(*row) == ChunkType::Child.name();
            for row in (0..batch.num_rows()).filter(is_piece) {
                if let Some(left) = wanted.get_mut(texts.value(row)).filter(|left| **left > 0) {
                    *left -= 1;
                    rows.push(ids.value(row));
                }
            }
        }
        if rows.is_empty() {
            return Ok(vectors);
        }
        let found = chunks.take_row_ids(rows).select(Select::columns(&["content_hash", "vector"]));
        let mut found = found.execute().await.map_err(fail)?;
        while let Some(batch) = self.tables.next(&mut found).await? {
            let columns = Columns { table: CHUNKS, batch: &batch };
            for row in (0..batch.num_rows()).filter(|&row| columns.later("vector", row).is_some()) {
                vectors.insert(columns.text("content_hash", row)?, columns.vector("vector", row)?);
            }
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::store::{Change, ChunkRow, ChunkType, DocumentRow, ModelRecord, NewDocument, Store};

    /// A namespace with a document of so many pieces, whose hashes are their numbers; every third has no vector.
    async fn writer(folder: &std::path::Path, pieces: usize, dimension: usize) -> Writer {
        let (store, _) = Store::open_or_create(None, folder).unwrap();
        let namespace = store.namespace("default").unwrap();
        let model = ModelRecord { name: "m".into(), dimension, fingerprint: None };
        let chunk = |number: usize| ChunkRow {
            chunk_type: ChunkType::Child,
            parent_id: Some("aaaaaa:0".into()),
            content_hash: hash(number),
            vector: if number % 3 == 2 { Vec::new() } else { vec![number as f32; dimension] },
            ..ChunkRow::sample(&format!("aaaaaa:0.{number}"), "text")
        };
        let passage = ChunkRow { content_hash: hash(pieces), ..ChunkRow::sample("aaaaaa:0", "text") };
        let chunks = std::iter::once(passage).chain((0..pieces).map(chunk)).collect();
        let new = NewDocument { document: DocumentRow::sample("aaaaaa"), sections: Vec::new(), chunks };
        let mut writer = Writer::open(&namespace, &model).await.unwrap();
        let any: Vec<String> = (0..FEWEST).map(hash).collect();
        assert!(writer.vectors_of_texts(any.iter().map(String::as_str).collect()).await.unwrap().is_empty());
        writer.publish(&Change { add: vec![new], ..Change::default() }).await.unwrap();
        writer
    }

    fn hash(number: usize) -> String {
        blake3::hash(&number.to_le_bytes()).to_hex().to_string()
    }

    #[tokio::test]
    async fn texts_that_are_there_have_their_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path(), 500, 2).await;
        let asked: Vec<String> = (470..530).map(hash).collect();
        let found = writer.vectors_of_texts(asked.iter().map(String::as_str).collect()).await.unwrap();
        assert_eq!(found.len(), 20, "not those without a vector, the passage, or what is not there");
        assert_eq!(found[&hash(499)], [499.0, 499.0]);
        let few: Vec<String> = (0..FEWEST - 1).map(hash).collect();
        assert!(writer.vectors_of_texts(few.iter().map(String::as_str).collect()).await.unwrap().is_empty());
        let all: Vec<String> = (0..500).map(hash).collect();
        assert_eq!(writer.vectors_of_texts(all.iter().map(String::as_str).collect()).await.unwrap().len(), 334);
    }

    #[tokio::test]
    #[ignore = "it measures"]
    async fn in_a_hundred_thousand_chunks() {
        let folder = tempfile::tempdir().unwrap();
        let writer = writer(folder.path(), 100_000, 384).await;
        for (what, numbers) in [("4096 new texts", 200_000..204_096), ("4096 known texts", 0..4096)] {
            let asked: Vec<String> = numbers.map(hash).collect();
            let start = Instant::now();
            let found = writer.vectors_of_texts(asked.iter().map(String::as_str).collect()).await.unwrap();
            eprintln!("{what}: {:?}, {} found", start.elapsed(), found.len());
        }
    }
}

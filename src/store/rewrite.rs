//! A generation with the vectors of another model, which may have more numbers or fewer.
//!
//! The width of a vector is part of a table's schema. So the tables that have vectors start empty, as later versions
//! of themselves: LanceDB keeps the versions before with the schema they had, readers go on with theirs, and a restore
//! brings old vectors back together with the record of their model. Nothing else changes: the text is the same, so the
//! keyword index only gets the new number.

use super::convert;
use super::fault::step;
use super::history::{Keeping, Note};
use super::manifest::ModelRecord;
use super::rows::{DocumentRow, ParentChunk};
use super::writer::{Next, Writer};
use crate::error::Result;

/// So many chunks are written at once: with the vectors of a large model, some hundred megabytes.
const CHUNKS_AT_ONCE: usize = 16_384;

/// A namespace that gets all its documents again, with the vectors of another model.
///
/// It has taken the writer, because what is in the tables until [`publish`](Self::publish) is done is no base for
/// anything else. Where it is dropped before, the next writer takes all of it back.
pub struct Rewrite {
    writer: Writer,
    model: ModelRecord,
    documents: Vec<DocumentRow>,
    parents: Vec<ParentChunk>,
}

impl Writer {
    /// Begins to rewrite all documents.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub async fn rewrite(mut self, model: &ModelRecord) -> Result<Rewrite> {
        // Read first, so that a mistake in the settings stops nothing halfway.
        Keeping::of(self.namespace())?;
        step("begun")?;
        self.tables.empty_those_with_vectors(model.dimension).await?;
        step("tables emptied")?;
        Ok(Rewrite { writer: self, model: model.clone(), documents: Vec::new(), parents: Vec::new() })
    }
}

impl Rewrite {
    /// Puts a document in, with the vectors it has now. All that were there must come, each once, with the chunks they
    /// had.
    ///
    /// # Errors
    /// Where a vector has another width, or the disk refuses.
    pub async fn put(&mut self, document: DocumentRow, parents: Vec<ParentChunk>) -> Result<()> {
        self.documents.push(document);
        self.parents.extend(parents);
        let chunks: usize = self.parents.iter().map(|parent| 1 + parent.children.len()).sum();
        if chunks >= CHUNKS_AT_ONCE { self.write().await } else { Ok(()) }
    }

    async fn write(&mut self) -> Result<()> {
        let (documents, parents) = (std::mem::take(&mut self.documents), std::mem::take(&mut self.parents));
        let (tables, dimension) = (&self.writer.tables, self.model.dimension);
        let documents: Vec<&DocumentRow> = documents.iter().collect();
        tables.append(&tables.documents, convert::documents_to_batch(&documents, dimension)?).await?;
        tables.append(&tables.chunks, convert::chunks_to_batch(&parents, dimension)?).await
    }

    /// Publishes all of it as the next generation and gives its number.
    ///
    /// # Errors
    /// As for [`Writer::publish`].
    pub async fn publish(mut self, note: &Note) -> Result<u64> {
        self.write().await?;
        step("rows written anew")?;
        self.writer.tables.compact().await?;
        step("tables compacted")?;
        self.writer.publish_as(Next::Rewritten(&self.model), note).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Change, LockTimeout, NewDocument, Scope, Snapshot, Store};

    fn model(name: &str, dimension: usize) -> ModelRecord {
        ModelRecord { name: name.to_owned(), dimension, fingerprint: name.to_owned() }
    }

    fn document(id: &str, vector: Vec<f32>) -> NewDocument {
        let document = DocumentRow { vector: vector.clone(), ..DocumentRow::sample(id) };
        let mut parent = ParentChunk::sample(&format!("{id}:0"), "some text");
        parent.vector = vector;
        NewDocument { document, sections: Vec::new(), parents: vec![parent] }
    }

    async fn nearest(snapshot: &Snapshot, vector: &[f32]) -> Vec<crate::ids::ChunkId> {
        let hits = snapshot.nearest(vector, &Scope::Everything, 5).await.unwrap();
        hits.into_iter().map(|hit| hit.chunk_id).collect()
    }

    #[tokio::test]
    async fn another_width_is_published_in_one_child_chunk_and_an_older_one_can_be_restored() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        let namespace = store.namespace("default").unwrap();
        let (narrow, wide) = (model("narrow", 2), model("wide", 3));
        let mut writer = Writer::open(&namespace, &narrow).await.unwrap();
        let add = vec![document("aaaaaa", vec![1.0, 0.0]), document("bbbbbb", vec![0.0, 1.0])];
        writer.publish(&Change { add, ..Change::default() }).await.unwrap();
        let before = Snapshot::open(&namespace).await.unwrap();

        // One that ends before it is published leaves nothing behind.
        let abandoned = document("aaaaaa", vec![0.0, 0.0, 1.0]);
        let mut rewrite = writer.rewrite(&wide).await.unwrap();
        rewrite.put(abandoned.document, abandoned.parents).await.unwrap();
        rewrite.write().await.unwrap();
        drop(rewrite);
        let writer = Writer::open_existing(&namespace, &LockTimeout::none()).await.unwrap();
        assert_eq!(writer.model(), &narrow);
        assert_eq!(Snapshot::open(&namespace).await.unwrap().counts().await.unwrap(), [2, 0, 2]);

        let mut rewrite = writer.rewrite(&wide).await.unwrap();
        for (id, vector) in [("aaaaaa", vec![0.0, 0.0, 1.0]), ("bbbbbb", vec![0.0, 1.0, 0.0])] {
            let new = document(id, vector);
            rewrite.put(new.document, new.parents).await.unwrap();
        }
        assert_eq!(nearest(&before, &[1.0, 0.0]).await[0], "aaaaaa:0", "old vectors are served meanwhile");
        assert_eq!(rewrite.publish(&Note::of("reindex")).await.unwrap(), 2);
        let after = Snapshot::open(&namespace).await.unwrap();
        assert_eq!((after.manifest().model.name.as_str(), after.keyword_count()), ("wide", 2));
        assert_eq!(nearest(&after, &[0.0, 0.9, 0.1]).await[0], "bbbbbb:0");
        assert_eq!(nearest(&before, &[1.0, 0.0]).await[0], "aaaaaa:0", "and go on for who reads them");
        drop((before, after));

        let mut writer = Writer::open_existing(&namespace, &LockTimeout::none()).await.unwrap();
        let restored = writer.restore(1).await.unwrap();
        assert_eq!((restored.generation, restored.model), (Some(3), Some(narrow)));
        let again = Snapshot::open(&namespace).await.unwrap();
        assert_eq!(nearest(&again, &[1.0, 0.0]).await[0], "aaaaaa:0");
        drop(again);
        // What comes next is written with the width that is published.
        let add = vec![document("cccccc", vec![0.6, 0.8])];
        writer.publish(&Change { add, ..Change::default() }).await.unwrap();
        assert_eq!(nearest(&Snapshot::open(&namespace).await.unwrap(), &[0.6, 0.8]).await[0], "cccccc:0");
    }
}

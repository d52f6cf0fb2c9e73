//! Rewrites all documents of a namespace with the vectors of another model.

use super::convert;
use super::fault::step;
use super::history::Note;
use super::manifest::ModelRecord;
use super::rows::{DocumentRow, ParentChunk};
use super::tables::CHUNKS_IN_BATCH;
use super::writer::{KeywordStep, Writer};
use crate::error::Result;

/// A rewrite that has begun.
///
/// It owns the writer, because the tables are incomplete until [`publish`](Self::publish). If it is dropped before, the
/// next writer rolls the tables back.
pub struct Rewrite {
    writer: Writer,
    model: ModelRecord,
    documents: Vec<DocumentRow>,
    parents: Vec<ParentChunk>,
}

impl Writer {
    /// Begins to rewrite all documents with the vectors of another model, which may be longer or shorter.
    ///
    /// The length of a vector is part of a table's schema. So the tables with vectors start empty, as later versions of
    /// themselves: LanceDB keeps earlier versions with their schema, readers continue with theirs, and a restore brings
    /// back old vectors with the record of their model.
    pub async fn rewrite(mut self, model: &ModelRecord) -> Result<Rewrite> {
        self.begin()?;
        self.tables.empty_those_with_vectors(model.dimension).await?;
        self.may_have_vectors = true;
        step("tables emptied")?;
        Ok(Rewrite { writer: self, model: model.clone(), documents: Vec::new(), parents: Vec::new() })
    }
}

impl Rewrite {
    /// Adds a document with its new vectors. Each document of the namespace must be added once, with all its chunks.
    pub async fn put(&mut self, document: DocumentRow, parents: Vec<ParentChunk>) -> Result<()> {
        self.documents.push(document);
        self.parents.extend(parents);
        let chunks: usize = self.parents.iter().map(|parent| 1 + parent.children.len()).sum();
        if chunks >= CHUNKS_IN_BATCH { self.write().await } else { Ok(()) }
    }

    async fn write(&mut self) -> Result<()> {
        let (documents, parents) = (std::mem::take(&mut self.documents), std::mem::take(&mut self.parents));
        let (tables, dimension) = (&self.writer.tables, self.model.dimension);
        let documents: Vec<&DocumentRow> = documents.iter().collect();
        tables.append(&tables.documents, convert::documents_to_batch(&documents, dimension)?).await?;
        tables.append_chunks(&parents, dimension).await
    }

    /// Publishes the next generation and returns its number.
    pub async fn publish(mut self, note: &Note) -> Result<u64> {
        self.write().await?;
        step("rows written again")?;
        self.writer.tidy_tables().await?;
        self.writer.finish(self.model, KeywordStep::Same, note).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples::namespace;
    use crate::store::{NewDocument, Scope, Snapshot};

    fn document(id: &str, vector: Vec<f32>) -> NewDocument {
        let mut new = NewDocument::sample(id, &["some text"]);
        new.document.vector.clone_from(&vector);
        new.parents[0].vector = vector;
        new
    }

    async fn nearest(snapshot: &Snapshot, vector: &[f32]) -> String {
        let hits = snapshot.nearest(vector, &Scope::Everything, 5).await.unwrap();
        hits.into_iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap().chunk_id.to_string()
    }

    #[tokio::test]
    async fn readers_keep_the_old_vectors_of_another_length() {
        let (_folder, namespace) = namespace();
        let mut writer = Writer::open(&namespace, &ModelRecord::sample(2)).await.unwrap();
        let add = vec![document("aaaaaa", vec![1.0, 0.0]), document("bbbbbb", vec![0.0, 1.0])];
        writer.publish(&add.into()).await.unwrap();
        let before = Snapshot::open(&namespace).await.unwrap();
        let mut rewrite = writer.rewrite(&ModelRecord::sample(3)).await.unwrap();
        for (id, vector) in [("aaaaaa", vec![0.0, 0.0, 1.0]), ("bbbbbb", vec![0.0, 1.0, 0.0])] {
            let new = document(id, vector);
            rewrite.put(new.document, new.parents).await.unwrap();
        }
        assert_eq!(nearest(&before, &[1.0, 0.0]).await, "aaaaaa:0");
        assert_eq!(rewrite.publish(&Note::of("reindex")).await.unwrap(), 2);
        let after = Snapshot::open(&namespace).await.unwrap();
        assert_eq!(after.keyword().count(), 2);
        assert_eq!(nearest(&after, &[0.0, 0.9, 0.1]).await, "bbbbbb:0");
        assert_eq!(nearest(&before, &[1.0, 0.0]).await, "aaaaaa:0");
    }
}

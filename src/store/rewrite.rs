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

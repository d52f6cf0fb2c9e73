//! Samples for unit tests: a store in a scratch folder, rows, and documents to publish.

use tempfile::TempDir;

use super::{
    Change, Chunk, DocumentRow, Manifest, ModelRecord, Namespace, NewDocument, ParentChunk, SectionRow, Store, Writer,
};
use crate::ids::SectionId;

/// A new store, in a folder that is removed with the first value.
pub(crate) fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    (folder, store)
}

/// A namespace of a new [`store`] into which nothing was ingested.
pub(crate) fn namespace() -> (TempDir, Namespace) {
    let (folder, store) = store();
    (folder, store.namespace("default").unwrap())
}

/// Publishes new documents, or another change, of a namespace with vectors of four numbers.
pub(crate) async fn publish(namespace: &Namespace, change: impl Into<Change>) {
    let mut writer = Writer::open(namespace, &ModelRecord::sample(4)).await.unwrap();
    writer.publish(&change.into()).await.unwrap();
}

impl From<Vec<NewDocument>> for Change {
    fn from(add: Vec<NewDocument>) -> Self {
        Change { add, ..Change::default() }
    }
}

impl ModelRecord {
    pub(crate) fn sample(dimension: usize) -> Self {
        ModelRecord { name: "m".into(), dimension, fingerprint: "f".into() }
    }
}

impl Manifest {
    /// A generation with the versions 3, 4, 5 and 1 of its tables.
    pub(super) fn sample(generation: u64) -> Self {
        Manifest {
            generation,
            documents: 3,
            sections: 4,
            chunks: 5,
            entities: 1,
            may_have_vectors: true,
            ..Manifest::unpublished(&ModelRecord::sample(4))
        }
    }
}

impl DocumentRow {
    /// A document without chunks.
    pub(crate) fn sample(doc_id: &str) -> Self {
        DocumentRow {
            doc_id: doc_id.into(),
            source: format!("{doc_id}.md"),
            title: doc_id.into(),
            format: "markdown".into(),
            content_hash: "h".into(),
            size: 1,
            language: "en".into(),
            engine: "e".into(),
            toc_method: "none".into(),
            ingested_at: "now".into(),
            structure_version: 1,
            embedded: true,
            ..DocumentRow::default()
        }
    }
}

impl SectionRow {
    /// A section with a path such as `1.2`; `0` is the preamble.
    pub(crate) fn sample(doc_id: &str, path: &str, title: &str) -> Self {
        SectionRow {
            section_id: SectionId::new(doc_id, path),
            doc_id: doc_id.into(),
            level: if path == "0" { 0 } else { path.split('.').count() as u32 },
            path: path.into(),
            title: title.into(),
            provenance: "markup".into(),
            confidence: 1.0,
            ..SectionRow::default()
        }
    }
}

impl Chunk {
    pub(crate) fn sample(chunk_id: &str, content: &str) -> Self {
        let place = chunk_id.rsplit([':', '.']).next().unwrap_or_default();
        Chunk {
            chunk_id: chunk_id.into(),
            chunk_index: place.parse().unwrap_or_default(),
            content: content.into(),
            language: "en".into(),
            embedding_hash: "h".into(),
            updated_at: "now".into(),
            ..Chunk::default()
        }
    }
}

impl ParentChunk {
    /// A parent chunk with this id and text, in the preamble of its document.
    pub(crate) fn sample(chunk_id: &str, content: &str) -> Self {
        let chunk = Chunk::sample(chunk_id, content);
        let doc_id = chunk.chunk_id.doc_id();
        ParentChunk {
            doc_id: doc_id.into(),
            section_id: SectionId::new(doc_id, "0"),
            titles: doc_id.into(),
            chunk,
            children: Vec::new(),
        }
    }

    /// The same with these titles.
    pub(crate) fn titled(chunk_id: &str, content: &str, titles: &str) -> Self {
        ParentChunk { titles: titles.into(), ..ParentChunk::sample(chunk_id, content) }
    }
}

impl NewDocument {
    /// A document with a parent chunk for each text, without sections and child chunks.
    pub(crate) fn sample(doc_id: &str, texts: &[&str]) -> Self {
        let parent = |(place, text): (usize, &&str)| ParentChunk::sample(&format!("{doc_id}:{place}"), text);
        let parents = texts.iter().enumerate().map(parent).collect();
        NewDocument { document: DocumentRow::sample(doc_id), sections: Vec::new(), parents }
    }
}

//! Stored vectors that a document can keep.

use std::collections::HashMap;

use crate::embed::ParentVectors;
use crate::store::{DocumentRow, ParentChunk};

/// Vectors that need not be made again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownVectors {
    /// By the hash of the embedded text.
    by_text: HashMap<String, Vec<f32>>,
    /// The vectors of whole parent chunks, by content.
    by_content: HashMap<String, ParentVectors>,
    /// The hash of the text of the document's own vector.
    pub(super) of_document: Option<String>,
}

impl KnownVectors {
    /// Vectors by the hash of the embedded text, for documents whose text may have changed.
    pub fn of_texts(by_text: HashMap<String, Vec<f32>>) -> Self {
        KnownVectors { by_text, ..KnownVectors::default() }
    }

    /// The vectors of parent chunks and their child chunks, for equal texts.
    pub fn of_chunks<'p>(parents: impl Iterator<Item = &'p ParentChunk>) -> Self {
        let chunks = parents.flat_map(ParentChunk::chunks);
        let with_vector = chunks.filter(|chunk| !chunk.vector.is_empty());
        KnownVectors::of_texts(with_vector.map(|chunk| (chunk.embedding_hash.clone(), chunk.vector.clone())).collect())
    }

    /// The same for a document that gets new sections. A parent chunk also keeps its vectors if only the titles or the
    /// text before it changed: these change a vector little, and embedding is most of the cost of a document.
    pub fn of_contents(parents: &[ParentChunk]) -> Self {
        let vectors = |parent: &ParentChunk| ParentVectors {
            parent: parent.vector.clone(),
            children: parent.children.iter().map(|child| child.vector.clone()).collect(),
        };
        let whole = parents.iter().filter(|parent| parent.has_vectors());
        let by_content = whole.map(|parent| (parent.content.trim_end().to_owned(), vectors(parent))).collect();
        KnownVectors { by_content, ..KnownVectors::of_chunks(parents.iter()) }
    }

    /// Adds the vector of the stored document `row` itself.
    pub fn and_of(self, row: &DocumentRow) -> Self {
        KnownVectors { of_document: row.embedding_hash.clone(), ..self }
    }

    /// The vectors of a parent chunk and its child chunks, if all are known.
    pub(crate) fn of(&self, parent: &ParentChunk) -> Option<ParentVectors> {
        by_hashes(parent, &self.by_text).or_else(|| self.of_content(parent).cloned())
    }

    /// Whether [`of`](Self::of) finds them.
    pub(super) fn has(&self, parent: &ParentChunk) -> bool {
        parent.hashes().all(|hash| self.by_text.contains_key(hash)) || self.of_content(parent).is_some()
    }

    fn of_content(&self, parent: &ParentChunk) -> Option<&ParentVectors> {
        let found = self.by_content.get(parent.content.trim_end());
        found.filter(|vectors| vectors.children.len() == parent.children.len())
    }
}

/// The vectors of a parent chunk and its child chunks by their hashes, if all are there.
pub(super) fn by_hashes(parent: &ParentChunk, vectors: &HashMap<String, Vec<f32>>) -> Option<ParentVectors> {
    let vector = |hash: &String| vectors.get(hash).cloned();
    Some(ParentVectors {
        parent: vector(&parent.embedding_hash)?,
        children: parent.children.iter().map(|child| vector(&child.embedding_hash)).collect::<Option<_>>()?,
    })
}

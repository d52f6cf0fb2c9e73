//! Stored vectors that a document can keep.

use std::collections::{HashMap, VecDeque};

use super::stored::CHUNKS_AT_ONCE;
use crate::embed::ParentVectors;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::{DocumentRow, NewDocument, ParentChunk, Snapshot};

/// Vectors that need not be made again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownVectors {
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
    pub fn of_chunks<'p>(parents: impl IntoIterator<Item = &'p ParentChunk>) -> Self {
        let chunks = parents.into_iter().flat_map(ParentChunk::chunks);
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
        KnownVectors { by_content, ..KnownVectors::of_chunks(parents) }
    }

    /// Takes the vectors of a stored document out of its rows.
    pub(super) fn taken_from(new: &mut NewDocument) -> Self {
        let known = KnownVectors::of_chunks(&new.parents).and_of(&new.document);
        new.chunks_mut().for_each(|chunk| chunk.vector.clear());
        known
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

/// Reads the vectors of changed documents in advance, for several planned documents at once: without an index, every
/// read scans all rows.
#[derive(Default)]
pub(super) struct VectorPrefetcher {
    /// The stored documents of the files to read, in their order, with the numbers of their chunks.
    planned: VecDeque<(DocId, usize)>,
    read: HashMap<DocId, HashMap<String, Vec<f32>>>,
}

impl VectorPrefetcher {
    pub(super) fn of<'r>(planned: impl Iterator<Item = &'r DocumentRow>) -> Self {
        let planned = planned.map(|row| (row.doc_id.clone(), row.chunks())).collect();
        VectorPrefetcher { planned, read: HashMap::new() }
    }

    /// The vectors of a document, by the hash of the embedded text.
    pub(super) async fn take(&mut self, snapshot: &Snapshot, doc_id: &DocId) -> Result<HashMap<String, Vec<f32>>> {
        if !self.read.contains_key(doc_id) {
            let ids = self.with_next(doc_id);
            let vectors = snapshot.vectors_by_hash(&ids).await?;
            // Documents without vectors too, so that they are not read again.
            self.read.extend(ids.into_iter().map(|id| (id, HashMap::new())));
            self.read.extend(vectors);
        }
        Ok(self.read.remove(doc_id).unwrap_or_default())
    }

    /// Drops the vectors of a document that needs none, or not again.
    pub(super) fn forget(&mut self, doc_id: &DocId) {
        self.read.remove(doc_id);
    }

    fn with_next(&mut self, doc_id: &DocId) -> Vec<DocId> {
        let Some(at) = self.planned.iter().position(|(id, _)| id == doc_id) else { return vec![doc_id.clone()] };
        let mut chunks = 0;
        let fits = |(_, own): &&(DocId, usize)| {
            chunks += own;
            chunks <= CHUNKS_AT_ONCE
        };
        // The document itself is read whatever its size.
        let end = at + self.planned.range(at..).take_while(fits).count().max(1);
        self.planned.drain(at..end).map(|(id, _)| id).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_with_those_planned_behind_them() {
        let rows = [("a", 9), ("b", CHUNKS_AT_ONCE as u32 - 1), ("c", 1), ("d", 1), ("e", u32::MAX)];
        let rows = rows.map(|(id, parents)| DocumentRow { parents, ..DocumentRow::sample(id) });
        let mut ahead = VectorPrefetcher::of(rows.iter());
        let mut next = |id: &str| ahead.with_next(&id.into()).iter().map(|id| id.to_string()).collect::<String>();
        assert_eq!([next("b"), next("e"), next("a"), next("c")], ["bc", "e", "ad", "c"]);
    }
}

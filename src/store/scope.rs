//! Which parent chunks of a namespace may be found.

use crate::ids::{ChunkId, DocId};
use std::collections::HashSet;

use super::tables::{Filter, any_of};

/// Which parent chunks of a namespace may be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    Everything,
    /// Those of these documents.
    Documents(HashSet<DocId>),
    /// These parent chunks, with their children.
    ParentChunks(HashSet<ChunkId>),
}

impl Scope {
    /// The given documents, or everything without any.
    pub fn of_documents(doc_ids: Option<&[DocId]>) -> Self {
        doc_ids.map_or(Scope::Everything, |ids| Scope::Documents(ids.iter().cloned().collect()))
    }

    /// The part of the scope in a document.
    pub fn within(&self, doc_id: &DocId) -> Self {
        match self {
            Scope::ParentChunks(ids) => {
                Scope::ParentChunks(ids.iter().filter(|id| id.doc_id() == doc_id).cloned().collect())
            }
            _ if self.admits_document(doc_id) => Scope::Documents(HashSet::from([doc_id.clone()])),
            _ => Scope::Documents(HashSet::new()),
        }
    }

    /// The documents in the scope; `None` for all.
    pub fn documents(&self) -> Option<HashSet<&str>> {
        match self {
            Scope::Everything => None,
            Scope::Documents(ids) => Some(ids.iter().map(|id| &**id).collect()),
            Scope::ParentChunks(ids) => Some(ids.iter().map(ChunkId::doc_id).collect()),
        }
    }

    /// Whether nothing is in the scope.
    pub fn is_empty(&self) -> bool {
        self.named() == Some(0)
    }

    /// Whether a parent chunk of a document is in the scope.
    pub fn admits(&self, doc_id: &str, parent_id: &str) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Documents(ids) => ids.contains(doc_id),
            Scope::ParentChunks(ids) => ids.contains(parent_id),
        }
    }

    /// Whether any part of a document is in the scope.
    pub fn admits_document(&self, doc_id: &str) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Documents(ids) => ids.contains(doc_id),
            Scope::ParentChunks(ids) => ids.iter().any(|id| id.doc_id() == doc_id),
        }
    }

    /// Whether a parent chunk is in the scope.
    pub fn admits_chunk(&self, parent_id: &ChunkId) -> bool {
        self.admits(parent_id.doc_id(), parent_id)
    }

    /// The condition on chunks, parents and children; `None` for everything.
    pub(super) fn rows(&self) -> Option<Filter> {
        match self {
            Scope::Everything => None,
            Scope::Documents(ids) => Some(any_of("doc_id", &Vec::from_iter(ids))),
            Scope::ParentChunks(ids) => {
                let ids = Vec::from_iter(ids);
                Some(any_of("chunk_id", &ids).or(any_of("parent_id", &ids)))
            }
        }
    }

    /// The number of documents or parent chunks that it names; `None` for everything.
    pub(super) fn named(&self) -> Option<usize> {
        match self {
            Scope::Everything => None,
            Scope::Documents(ids) => Some(ids.len()),
            Scope::ParentChunks(ids) => Some(ids.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_reduced_to_one_document() {
        let documents = |ids: &[&str]| Scope::Documents(ids.iter().map(|id| DocId::from(*id)).collect());
        let parents = |ids: &[&str]| Scope::ParentChunks(ids.iter().map(|id| ChunkId::from(*id)).collect());
        assert_eq!(Scope::Everything.within(&"d".into()), documents(&["d"]));
        assert_eq!(documents(&["d", "e"]).within(&"d".into()), documents(&["d"]));
        assert!(documents(&["e"]).within(&"d".into()).is_empty());
        assert_eq!(parents(&["d:0", "e:0"]).within(&"d".into()), parents(&["d:0"]));
        assert!(parents(&["e:0"]).within(&"d".into()).is_empty());
    }

    #[test]
    fn a_scope_admits_what_it_names() {
        let named = ["d".into()];
        let documents = Scope::of_documents(Some(&named));
        assert!(documents.admits("d", "d:0") && !documents.admits("e", "e:0"));
        assert!(Scope::of_documents(None).admits("e", "e:0"));
        assert!(!Scope::of_documents(Some(&[])).admits("d", "d:0") && Scope::of_documents(Some(&[])).is_empty());
    }
}

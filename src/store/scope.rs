//! The parent chunks of a namespace that a search may find.

use crate::ids::{ChunkId, DocId};
use std::collections::HashSet;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
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

    pub fn is_empty(&self) -> bool {
        match self {
            Scope::Everything => false,
            Scope::Documents(ids) => ids.is_empty(),
            Scope::ParentChunks(ids) => ids.is_empty(),
        }
    }

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

    pub fn admits_chunk(&self, parent_id: &ChunkId) -> bool {
        self.admits(parent_id.doc_id(), parent_id)
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

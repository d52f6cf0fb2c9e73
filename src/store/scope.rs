//! Which parent chunks of a namespace may be found.

use std::collections::HashSet;

use super::tables::{MOST_IN_LIST, in_list};

/// The document of a chunk, by its id.
pub(crate) fn doc_id_of(chunk_id: &str) -> &str {
    chunk_id.split_once(':').map_or(chunk_id, |(doc_id, _)| doc_id)
}

/// Which parent chunks of a namespace may be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    #[default]
    Everything,
    /// Those of these documents.
    Documents(HashSet<String>),
    /// These parent chunks, with their children.
    ParentChunks(HashSet<String>),
}

impl Scope {
    /// The documents that were named; everything, where none was.
    pub fn of_documents(doc_ids: Option<&[String]>) -> Self {
        doc_ids.map_or(Scope::Everything, |ids| Scope::Documents(ids.iter().cloned().collect()))
    }

    /// What of it is in a document.
    pub fn within(&self, doc_id: &str) -> Self {
        match self {
            Scope::ParentChunks(ids) => {
                Scope::ParentChunks(ids.iter().filter(|id| doc_id_of(id) == doc_id).cloned().collect())
            }
            _ if self.admits_document(doc_id) => Scope::Documents(HashSet::from([doc_id.to_owned()])),
            _ => Scope::Documents(HashSet::new()),
        }
    }

    /// The documents that something may be found of; `None` where those are all.
    pub fn documents(&self) -> Option<HashSet<&str>> {
        match self {
            Scope::Everything => None,
            Scope::Documents(ids) => Some(ids.iter().map(String::as_str).collect()),
            Scope::ParentChunks(ids) => Some(ids.iter().map(|id| doc_id_of(id)).collect()),
        }
    }

    /// Whether nothing may be found.
    pub fn is_empty(&self) -> bool {
        match self {
            Scope::Everything => false,
            Scope::Documents(ids) | Scope::ParentChunks(ids) => ids.is_empty(),
        }
    }

    /// Whether a parent chunk of a document may be found.
    pub fn admits(&self, doc_id: &str, parent_id: &str) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Documents(ids) => ids.contains(doc_id),
            Scope::ParentChunks(ids) => ids.contains(parent_id),
        }
    }

    /// Whether anything of a document may be found.
    pub fn admits_document(&self, doc_id: &str) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Documents(ids) => ids.contains(doc_id),
            Scope::ParentChunks(ids) => ids.iter().any(|id| doc_id_of(id) == doc_id),
        }
    }

    /// Whether a parent chunk may be found.
    pub fn admits_chunk(&self, parent_id: &str) -> bool {
        self.admits(doc_id_of(parent_id), parent_id)
    }

    /// As SQL over chunks, where it names few enough; `None` where it does not, or admits everything.
    pub(super) fn sql(&self) -> Option<String> {
        let sorted = |ids: &HashSet<String>| {
            let mut ids: Vec<String> = ids.iter().cloned().collect();
            ids.sort_unstable();
            ids
        };
        match self {
            Scope::Documents(ids) if ids.len() <= MOST_IN_LIST => Some(in_list("doc_id", &sorted(ids))),
            Scope::ParentChunks(ids) if ids.len() <= MOST_IN_LIST => {
                let ids = sorted(ids);
                Some(format!("({} OR {})", in_list("chunk_id", &ids), in_list("parent_id", &ids)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scopes_are_sql_and_large_ones_are_not() {
        let ids = |count: usize| (0..count).map(|i| format!("d{i}")).collect::<HashSet<_>>();
        assert_eq!(Scope::Everything.sql(), None);
        assert_eq!(Scope::Documents(ids(2)).sql().unwrap(), "doc_id IN ('d0', 'd1')");
        assert_eq!(Scope::ParentChunks(ids(1)).sql().unwrap(), "(chunk_id IN ('d0') OR parent_id IN ('d0'))");
        assert_eq!(Scope::Documents(ids(201)).sql(), None);
    }

    #[test]
    fn of_a_scope_a_document_is_left() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<HashSet<String>>();
        assert_eq!(Scope::Everything.within("d"), Scope::Documents(ids(&["d"])));
        assert_eq!(Scope::Documents(ids(&["d", "e"])).within("d"), Scope::Documents(ids(&["d"])));
        assert!(Scope::Documents(ids(&["e"])).within("d").is_empty());
        assert_eq!(Scope::ParentChunks(ids(&["d:0", "e:0"])).within("d"), Scope::ParentChunks(ids(&["d:0"])));
        assert!(Scope::ParentChunks(ids(&["e:0"])).within("d").is_empty());
    }

    #[test]
    fn a_scope_admits_what_it_names() {
        let named = [("d".to_owned())];
        let documents = Scope::of_documents(Some(&named));
        assert!(documents.admits("d", "d:0") && !documents.admits("e", "e:0"));
        assert!(Scope::of_documents(None).admits("e", "e:0"));
        assert!(!Scope::of_documents(Some(&[])).admits("d", "d:0") && Scope::of_documents(Some(&[])).is_empty());
    }
}

//! Which passages mention which entities, for filters that ask for one.

use std::collections::HashMap;

use crate::error::Result;
use crate::retrieve::entities::KnownEntities;
use crate::store::Snapshot;
use crate::text::fold_name;

/// The entities of a namespace that its documents and passages mention.
pub(super) struct Mentions<'a> {
    known: &'a KnownEntities,
    /// By document, all names of what its passages mention, as names are compared.
    documents: HashMap<&'a str, Vec<String>>,
    /// The same by passage, of the documents that were read.
    passages: HashMap<String, Vec<String>>,
}

impl<'a> Mentions<'a> {
    /// What is known of documents without reading their text.
    pub(super) fn of_documents(known: &'a KnownEntities) -> Self {
        let mut documents: HashMap<&str, Vec<String>> = HashMap::new();
        for row in known.rows() {
            let names: Vec<String> = row.names().map(fold_name).collect();
            for doc_id in row.mentions.keys() {
                documents.entry(doc_id).or_default().extend(names.iter().cloned());
            }
        }
        Mentions { known, documents, passages: HashMap::new() }
    }

    /// Reads the passages of some documents, and looks who is mentioned in each: the store keeps how often.
    pub(super) fn read(&mut self, snapshot: &Snapshot, doc_ids: &[String]) -> Result<()> {
        snapshot.each_passage_of(doc_ids, &mut |passage| {
            let named = self.known.in_passage(&passage.context, &passage.content);
            if !named.is_empty() {
                let names = named.iter().flat_map(|row| row.names()).map(fold_name);
                self.passages.insert(passage.chunk_id, names.collect());
            }
        })
    }

    /// The names of all entities.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.known.rows().iter().flat_map(|row| row.names()).map(fold_name)
    }

    /// The names of what some passage of a document mentions.
    pub(super) fn of_document(&self, doc_id: &str) -> &[String] {
        self.documents.get(doc_id).map_or(&[], Vec::as_slice)
    }

    /// The names of what a passage mentions.
    pub(super) fn of_passage(&self, chunk_id: &str) -> &[String] {
        self.passages.get(chunk_id).map_or(&[], Vec::as_slice)
    }
}

//! Which passages mention which entities, for filters that ask for one.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::error::Result;
use crate::retrieve::entities::KnownEntities;
use crate::store::Snapshot;

/// The entities of the passages of a namespace.
#[derive(Debug, Default)]
pub(in crate::retrieve) struct Mentions {
    /// By passage, all names of what it mentions, as names are compared.
    passages: HashMap<String, Vec<String>>,
    documents: HashSet<String>,
}

impl Mentions {
    /// Reads the passages of the documents that mention anything, and looks again who is mentioned where: the store
    /// keeps how often.
    pub(super) async fn read(snapshot: &Snapshot) -> Result<Self> {
        let known = KnownEntities::read(snapshot).await?;
        let documents: BTreeSet<String> = known.rows().iter().flat_map(|row| row.mentions.keys().cloned()).collect();
        let documents: Vec<String> = documents.into_iter().collect();
        let mut mentions = Mentions::default();
        snapshot.each_passage_of(&documents, &mut |passage| {
            let named = known.in_text(&passage.content);
            if !named.is_empty() {
                let names = named.iter().flat_map(|row| row.names()).map(crate::text::fold_name);
                mentions.passages.insert(passage.chunk_id, names.collect());
                mentions.documents.insert(passage.doc_id);
            }
        })?;
        Ok(mentions)
    }

    /// The names of what a passage mentions.
    pub(super) fn of(&self, chunk_id: &str) -> &[String] {
        self.passages.get(chunk_id).map_or(&[], Vec::as_slice)
    }

    /// Whether a passage of a document mentions anything.
    pub(super) fn has_document(&self, doc_id: &str) -> bool {
        self.documents.contains(doc_id)
    }
}

//! Decides a filter for the documents and chunks of a namespace. Chunks are read, without their text, only if documents
//! alone do not decide it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::check::{Key, Test};
use super::facts::{ChunkFacts, ChunkNotes, Documents, Facts, HeadingForms, Mentions, SectionFields, Titles, above};
use super::syntax::{Filter, first_or_open};
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::store::{DocumentFacts, ParentChunkFacts, Scope, Snapshot};

/// Up to this many documents, only their chunks are read; otherwise all chunks.
const FEW_DOCUMENTS: usize = 200;

/// The facts of a namespace that the conditions need.
pub struct NamespaceFacts<'a> {
    pub documents: &'a Documents,
    /// Only these documents, if any were named.
    pub named: Option<HashSet<&'a str>>,
    /// Of all documents, or of those that need them for a decision.
    chunks: Option<Cow<'a, [ParentChunkFacts]>>,
    languages: Option<&'a HashMap<ChunkId, String>>,
    titles: Option<Cow<'a, Titles>>,
    notes: Option<&'a ChunkNotes>,
    fields: Option<&'a SectionFields>,
    /// By name of a field or note: the documents with a part that has one of its own.
    pub noted: HashMap<&'a str, HashSet<&'a str>>,
    mentions: Option<Mentions<'a>>,
}

impl<'a> NamespaceFacts<'a> {
    pub async fn read(
        snapshot: &Snapshot,
        facts: &'a Facts,
        conditions: &[&Filter],
        named: Option<&'a [DocId]>,
        forms: &HeadingForms,
    ) -> Result<NamespaceFacts<'a>> {
        let mut own = NamespaceFacts {
            documents: facts.documents(snapshot).await?,
            named: named.map(|ids| ids.iter().map(DocId::as_str).collect()),
            chunks: None,
            languages: None,
            titles: None,
            notes: None,
            fields: None,
            noted: HashMap::new(),
            mentions: None,
        };
        if any_test(conditions, |test| matches!(test.key, Key::Other(_))) {
            let (notes, fields) = (facts.notes(snapshot).await?, facts.fields(snapshot, forms).await?);
            let notes_of = notes.iter().flat_map(|(id, each)| each.iter().map(|notes| (id.doc_id(), notes)));
            for (doc_id, notes) in notes_of.chain(fields.iter().map(|(id, fields)| (id.doc_id(), fields))) {
                for name in notes.keys() {
                    own.noted.entry(name).or_default().insert(doc_id);
                }
            }
            (own.notes, own.fields) = (Some(notes), Some(fields));
        }
        if any_test(conditions, |test| test.key == Key::Entity) {
            own.mentions = Some(Mentions::of_documents(facts.entities(snapshot).await?));
        }
        let open = own.with_open_chunks(conditions);
        if !open.is_empty() {
            own.read_chunks(snapshot, facts, conditions, Some(&open)).await?;
        }
        Ok(own)
    }

    /// Reads what the conditions need to know about the chunks of some documents, or of all.
    pub async fn read_chunks(
        &mut self,
        snapshot: &Snapshot,
        facts: &'a Facts,
        conditions: &[&Filter],
        doc_ids: Option<&[DocId]>,
    ) -> Result<()> {
        let few = doc_ids.filter(|ids| ids.len() <= FEW_DOCUMENTS);
        self.chunks = Some(facts.chunks(snapshot, few).await?);
        if let Some(mentions) = &mut self.mentions {
            let all = || self.documents.values().map(|row| row.doc_id.clone()).collect();
            mentions.read(snapshot, &doc_ids.map_or_else(all, <[DocId]>::to_vec))?;
        }
        if any_test(conditions, |test| test.key == Key::Language) {
            self.languages = Some(facts.languages(snapshot).await?);
        }
        if any_test(conditions, Test::compares_titles) {
            self.titles = Some(facts.titles(snapshot, few).await?);
        }
        Ok(())
    }

    /// What a document alone decides; `None` if its chunks may differ.
    fn verdict(&self, conditions: &[&Filter], document: &DocumentFacts) -> Option<bool> {
        let doc_id = document.doc_id.as_str();
        if self.named.as_ref().is_some_and(|named| !named.contains(doc_id)) {
            return Some(false);
        }
        let parts_have = |name: &str| self.noted.get(name).is_some_and(|documents| documents.contains(doc_id));
        all_hold(conditions, &|test| match (&test.key, &self.mentions) {
            (Key::Entity, Some(mentions)) => {
                // A chunk mentions some of the entities of its document. If all and none give the same verdict, that is
                // decided.
                let nothing = test.holds_of_entities(&[]);
                let all = test.holds_of_entities(mentions.of_document(doc_id));
                (all == nothing).then_some(nothing)
            }
            (Key::Section | Key::Page | Key::Language | Key::Entity, _) => None,
            (Key::Other(name), _) if parts_have(name) => None,
            _ => Some(test.holds_of_document(document)),
        })
    }

    /// The documents whose chunks have to be read: if any document is open, it and all that match.
    fn with_open_chunks(&self, conditions: &[&Filter]) -> Vec<DocId> {
        let verdicts = self.documents.values().map(|document| (document, self.verdict(conditions, document)));
        let possible: Vec<_> = verdicts.filter(|(_, verdict)| *verdict != Some(false)).collect();
        if possible.iter().all(|(_, verdict)| verdict.is_some()) {
            return Vec::new();
        }
        possible.into_iter().map(|(document, _)| document.doc_id.clone()).collect()
    }

    pub fn scope(&self, conditions: &[&Filter]) -> Scope {
        let (mut matching, mut open) = (HashSet::new(), HashSet::new());
        for document in self.documents.values() {
            match self.verdict(conditions, document) {
                Some(true) => drop(matching.insert(document.doc_id.as_str())),
                Some(false) => {}
                None => drop(open.insert(document.doc_id.as_str())),
            }
        }
        if matching.len() == self.documents.len() {
            return Scope::Everything;
        }
        let Some(chunks) = self.chunks.as_ref().filter(|_| !open.is_empty()) else {
            return Scope::Documents(matching.into_iter().map(DocId::from).collect());
        };
        let holds = |chunk: &&ParentChunkFacts| {
            let id = chunk.chunk_id.doc_id();
            matching.contains(id) || (open.contains(id) && self.holds_of_chunk(conditions, id, chunk))
        };
        Scope::ParentChunks(chunks.iter().filter(holds).map(|chunk| chunk.chunk_id.clone()).collect())
    }

    fn holds_of_chunk(&self, conditions: &[&Filter], doc_id: &str, row: &ParentChunkFacts) -> bool {
        let Some(document) = self.documents.get(doc_id) else { return false };
        let id = &row.chunk_id;
        let chunk = ChunkFacts {
            row,
            language: self.languages.and_then(|languages| languages.get(id)).map_or("", String::as_str),
            titles: self.titles.as_ref().map_or_else(Vec::new, |titles| above(&row.section_id, titles)),
            fields: self.fields.map_or_else(Vec::new, |fields| above(&row.section_id, fields)),
            notes: self.notes.and_then(|notes| notes.get(id)).map_or(&[], Vec::as_slice),
            entities: self.mentions.as_ref().map_or(&[], |mentions| mentions.of_chunk(id)),
        };
        all_hold(conditions, &|test| Some(test.holds_of_chunk(document, &chunk))) == Some(true)
    }

    /// How many documents and parent chunks a scope has.
    pub fn counts(&self, scope: &Scope) -> (usize, usize) {
        if let Scope::ParentChunks(ids) = scope {
            return (ids.iter().map(|id| id.doc_id()).collect::<HashSet<_>>().len(), ids.len());
        }
        let admitted = self.documents.values().filter(|row| scope.admits(&row.doc_id, ""));
        admitted.fold((0, 0), |(documents, chunks), row| (documents + 1, chunks + row.parents as usize))
    }
}

fn any_test(conditions: &[&Filter], wanted: impl Fn(&Test) -> bool) -> bool {
    conditions.iter().any(|condition| condition.tests().into_iter().any(&wanted))
}

fn all_hold(conditions: &[&Filter], test: &dyn Fn(&Test) -> Option<bool>) -> Option<bool> {
    first_or_open(conditions.iter().map(|condition| condition.decide(test)), false)
}

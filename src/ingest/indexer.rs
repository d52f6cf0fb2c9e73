//! Embeds prepared documents and publishes them in batches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::contexts::{ContextWriter, Written, wants_model_context};
use super::known_vectors::KnownVectors;
use super::languages::is_read;
use super::prepare::Prepared;
use super::profile::{profile_of, vector_text};
use super::request::{Action, ContextsReport, Progress};
use super::stored::{bytes_of, read_batches, read_prepared};
use super::vectors::{BATCH_CHILDREN, FIRST_EMBEDDED, LazyEmbedder, VectorMaker, Waiting, set_vectors};
use crate::embed::ParentVectors;
use crate::error::Result;
use crate::ids::DocId;
use crate::knowledge::profile::Profile;
use crate::llm::WrittenProfile;
use crate::store::{Change, DocumentRow, NewDocument, Note, ParentChunk, SectionRow, Snapshot, Writer};

const BATCH_DOCUMENTS: usize = 256;

/// Collects documents, embeds their new texts, and publishes them batch by batch.
pub struct Indexer {
    writer: Writer,
    pub(super) vectors: VectorMaker,
    progress: Arc<dyn Progress>,
    waiting: Vec<Waiting>,
    /// The removals and updates of the waiting batch, and its history entry.
    change: Change,
    /// The texts of waiting documents' own vectors and their hashes, by document id.
    document_texts: HashMap<DocId, (String, String)>,
    /// Asks the language model for the chunk contexts of documents that want them.
    pub(super) contexts: Option<ContextWriter>,
    /// The child chunks of waiting documents.
    waiting_children: usize,
    /// Those among them that are to be embedded.
    waiting_to_embed: usize,
    /// Whether full batches are published without new vectors, so that keyword search finds the documents while
    /// [`finish`](Self::finish) makes them.
    pub(super) keywords_first: bool,
    /// Whether this run has published documents that lack vectors.
    published_without_vectors: bool,
    /// Published documents that have no vector at all.
    without_any_vector: HashSet<DocId>,
    /// Documents so far that lack a vector.
    pub without_vectors: usize,
    /// The generation published last.
    pub generation: Option<u64>,
}

impl Indexer {
    /// Writes to `writer`. The history records `command`.
    pub fn new(writer: Writer, model: LazyEmbedder, command: &str, progress: Arc<dyn Progress>) -> Self {
        Indexer {
            writer,
            vectors: VectorMaker::new(model, progress.clone()),
            progress,
            waiting: Vec::new(),
            change: Change { note: Note::of(command), ..Change::default() },
            document_texts: HashMap::new(),
            contexts: None,
            waiting_children: 0,
            waiting_to_embed: 0,
            keywords_first: false,
            published_without_vectors: false,
            without_any_vector: HashSet::new(),
            without_vectors: 0,
            generation: None,
        }
    }

    /// `None` if no document wanted chunk contexts of a language model.
    pub fn contexts_report(&self) -> Option<ContextsReport> {
        self.contexts.as_ref().and_then(ContextWriter::report)
    }

    /// Child chunks embedded so far.
    pub fn embedded(&self) -> usize {
        self.vectors.embedded
    }

    /// Adds a document, or replaces the one with its id, unless it equals `stored`, chunk contexts included. Embeds
    /// chunks without a known vector if `embed` is set. The history records `action`.
    pub async fn put(
        &mut self,
        mut prepared: Prepared,
        known: KnownVectors,
        embed: bool,
        action: &'static str,
        mut stored: Option<NewDocument>,
    ) -> Result<()> {
        // Vectors follow from the texts.
        stored.iter_mut().flat_map(NewDocument::chunks_mut).for_each(|chunk| chunk.vector.clear());
        if stored.is_none() {
            self.change.note.add(action, &prepared.new.document.source);
        }
        // Every document comes through here, with its edits applied, so the profile is of the final text.
        let new = &mut prepared.new;
        let made = prepared.profile.take().or_else(|| profile_of(&new.document, &new.sections, &new.parents));
        // After an edit, what a language model wrote still describes the document.
        let written = new.document.profile.take().filter(|old| old.by_model && wants_model_context(&new.document));
        new.document.profile = match (made, written) {
            (Some(made), Some(written)) => Some(Profile { kinds: made.kinds, ..written }),
            (made, _) => made,
        };
        new.document.embedding_hash = known.of_document.clone();
        // What is not embedded needs no model.
        let coverage = embed.then(|| self.vectors.model.coverage()).transpose()?;
        let reads = |parent: &ParentChunk| coverage.as_ref().is_some_and(|coverage| is_read(&parent.content, coverage));
        let read = new.parents.iter().map(reads).collect();
        let waiting = Waiting { prepared, known, embed, read, action, stored };
        self.waiting_children += waiting.prepared.new.children().count();
        self.waiting_to_embed += waiting.wanted().map(|parent| parent.children.len()).sum::<usize>();
        self.waiting.push(waiting);
        let is_full = self.waiting.len() >= BATCH_DOCUMENTS
            || self.waiting_children >= BATCH_CHILDREN
            || self.waiting_to_embed >= self.vectors.at_once;
        if !is_full {
            return Ok(());
        }
        let later = self.keywords_first && self.waiting_to_embed > 0;
        self.published_without_vectors |= later;
        self.publish(!later).await
    }

    /// Publishes what waits, and gives vectors to the documents of `sources` that lack them. After an error, what was
    /// published before stays, and the next ingest goes on with the vectors.
    pub async fn finish(&mut self, sources: &HashSet<&str>, lacking: bool) -> Result<()> {
        self.publish(!self.published_without_vectors).await?;
        if self.published_without_vectors || lacking { self.make_missing_vectors(sources).await } else { Ok(()) }
    }

    async fn make_missing_vectors(&mut self, sources: &HashSet<&str>) -> Result<()> {
        (self.keywords_first, self.without_vectors) = (false, 0);
        let reused = self.vectors.reused;
        self.vectors.at_once = FIRST_EMBEDDED;
        // What a language model wrote for them is published already.
        let contexts = self.contexts.take();
        let namespace = self.writer.namespace().clone();
        let mut rows = Snapshot::open(&namespace).await?.documents_without_vectors().await?;
        rows.retain(|row| sources.contains(row.source.as_str()));
        self.progress.begin(rows.len(), bytes_of(&rows));
        for some in read_batches(&rows) {
            let snapshot = Snapshot::open(&namespace).await?;
            let ids: Vec<DocId> = some.iter().map(|row| row.doc_id.clone()).collect();
            let mut sections: HashMap<DocId, Vec<SectionRow>> = HashMap::new();
            for section in snapshot.sections_of(&ids).await? {
                sections.entry(section.doc_id.clone()).or_default().push(section);
            }
            let with_some: Vec<DocId> = ids.into_iter().filter(|id| !self.without_any_vector.contains(id)).collect();
            let mut vectors = snapshot.vectors_by_hash(&with_some).await?;
            for mut document in read_prepared(&snapshot, some).await? {
                let row = &document.new.document;
                let known = KnownVectors::of_texts(vectors.remove(&row.doc_id).unwrap_or_default()).and_of(row);
                self.progress.file_read();
                document.new.sections = sections.remove(&row.doc_id).unwrap_or_default();
                self.put(document, known, true, Action::Embedded.name(), None).await?;
            }
        }
        let outcome = self.flush().await;
        self.contexts = contexts;
        if self.published_without_vectors {
            // They were counted when the documents were published for keyword search.
            self.vectors.reused = reused;
        }
        outcome
    }

    pub fn remove(&mut self, row: &DocumentRow) {
        self.change.note.add("removed", &row.source);
        self.change.remove.push(row.doc_id.clone());
    }

    /// Replaces the row of a document; its chunks stay. The history records `action`.
    pub fn update(&mut self, row: DocumentRow, action: &str) {
        self.change.note.add(action, &row.source);
        self.change.update.push(row);
    }

    /// Plans to embed the document's own text, unless it already has that vector.
    fn plan_document_vector(&mut self, row: &mut DocumentRow, embed: bool) {
        let wanted = vector_text(row);
        if row.embedding_hash.is_some() && row.embedding_hash.as_ref() == wanted.as_ref().map(|(_, hash)| hash) {
            return;
        }
        row.embedding_hash = None;
        if let Some(wanted) = wanted.filter(|_| embed) {
            self.document_texts.insert(row.doc_id.clone(), wanted);
        }
    }

    fn set_document_vectors(&mut self, added: &mut [NewDocument]) -> Result<()> {
        let mut texts = std::mem::take(&mut self.document_texts);
        let rows = added.iter_mut().map(|new| &mut new.document);
        let wanted: Vec<_> = rows.filter_map(|row| Some((texts.remove(&row.doc_id)?, row))).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = wanted.iter().map(|((text, _), _)| text.as_str()).collect();
        let vectors = self.vectors.model.embedder()?.embed_documents(&texts, &|_| ())?;
        for (((_, hash), row), vector) in wanted.into_iter().zip(vectors) {
            row.embedding_hash = Some(hash);
            row.vector = vector;
        }
        Ok(())
    }

    /// Publishes all that waits, with its vectors. After an error, earlier batches stay published.
    pub async fn flush(&mut self) -> Result<()> {
        self.publish(true).await
    }

    /// Publishes all that waits; `embed` makes the vectors that the store does not have.
    async fn publish(&mut self, embed: bool) -> Result<()> {
        if self.waiting.is_empty() && self.change.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        (self.waiting_children, self.waiting_to_embed) = (0, 0);
        let mut waiting = self.with_contexts(waiting).await?;
        for Waiting { prepared, embed, .. } in &mut waiting {
            self.plan_document_vector(&mut prepared.new.document, *embed);
        }
        waiting.retain(|Waiting { prepared, stored, .. }| stored.as_ref() != Some(&prepared.new));
        for Waiting { prepared, stored, action, .. } in &waiting {
            if stored.is_some() {
                self.change.note.add(action, &prepared.new.document.source);
            }
            // Removing a document that is not stored would look through all rows.
            if *action != Action::Added.name() {
                self.change.remove.push(prepared.new.document.doc_id.clone());
            }
        }
        let stored_vectors = self.stored_vectors(&waiting).await?;
        let vectors = self.vectors.vectors_of(&waiting, &stored_vectors, embed).await?;
        if !embed {
            self.vectors.at_once = BATCH_CHILDREN;
        }
        let with_vectors = |(waiting, vectors)| self.with_vectors(waiting, vectors, embed);
        let add = waiting.into_iter().zip(vectors).map(with_vectors).collect();
        let next = Change { note: Note::of(&self.change.note.command), ..Change::default() };
        let mut change = Change { add, ..std::mem::replace(&mut self.change, next) };
        match embed {
            true => self.set_document_vectors(&mut change.add)?,
            false => self.document_texts.clear(),
        }
        if !change.is_empty() {
            self.generation = Some(self.writer.publish(&change).await?);
            let is_again = embed && self.published_without_vectors;
            self.progress.published(if is_again { 0 } else { change.add.len() });
        }
        Ok(())
    }

    /// A document with its vectors. Counts it if it lacks any.
    fn with_vectors(&mut self, waiting: Waiting, vectors: Vec<Option<ParentVectors>>, embed: bool) -> NewDocument {
        let lacks = |((_, read), vectors): ((_, bool), &Option<_>)| vectors.is_none() && (read || !waiting.embed);
        let lacks_some = waiting.parents().zip(&vectors).any(lacks);
        let mut new = waiting.prepared.new;
        let lacks_own = !embed && self.document_texts.contains_key(&new.document.doc_id);
        new.document.embedded = !lacks_some && !lacks_own;
        self.without_vectors += usize::from(!new.document.embedded);
        if !embed && vectors.iter().all(Option::is_none) {
            self.without_any_vector.insert(new.document.doc_id.clone());
        }
        set_vectors(&mut new.parents, vectors);
        new
    }

    /// Adds the chunk contexts and the profiles of the language model to the documents that want them.
    async fn with_contexts(&mut self, mut waiting: Vec<Waiting>) -> Result<Vec<Waiting>> {
        let Some(writer) = &mut self.contexts else { return Ok(waiting) };
        let documents: Vec<&NewDocument> = waiting.iter().map(|waiting| &waiting.prepared.new).collect();
        let Written { contexts, mut profiles } = writer.write(&documents, &*self.progress).await?;
        for Waiting { prepared, .. } in &mut waiting {
            let row = &mut prepared.new.document;
            if let (Some(profile), Some(written)) = (&mut row.profile, profiles.remove(&row.doc_id)) {
                let WrittenProfile { summary, topics } = written;
                *profile = Profile { summary, topics, by_model: true, ..profile.clone() };
            }
        }
        if !contexts.is_empty() {
            let placed = |waiting: Waiting| match wants_model_context(&waiting.prepared.new.document) {
                true => Waiting { prepared: waiting.prepared.with_contexts(&contexts), ..waiting },
                false => waiting,
            };
            waiting = waiting.into_iter().map(placed).collect();
        }
        Ok(waiting)
    }

    /// Vectors of equal texts in other documents of the namespace, by the hash of the text.
    async fn stored_vectors(&self, waiting: &[Waiting]) -> Result<HashMap<String, Vec<f32>>> {
        let hashes = waiting.iter().flat_map(Waiting::wanted).flat_map(|parent| parent.hashes());
        self.writer.vectors_of_texts(hashes.collect()).await
    }
}

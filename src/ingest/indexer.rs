//! Embeds prepared documents and publishes them in batches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::contexts::{ContextWriter, Written, wants_model_context};
use super::known_vectors::{KnownVectors, by_hashes};
use super::languages::{LanguageSense, LanguagesReport, is_read};
use super::prepare::Prepared;
use super::profile::{profile_of, vector_text};
use super::rebuild::read;
use super::request::{Action, ContextsReport, Progress};
use crate::chunk::EmbeddedText;
use crate::embed::{Coverage, Embedder, EngineChoice, ParentVectors};
use crate::error::Result;
use crate::ids::DocId;
use crate::knowledge::profile::Profile;
use crate::llm::WrittenProfile;
use crate::models::Models;
use crate::store::{Change, DocumentRow, ModelRecord, NewDocument, Note, ParentChunk, Snapshot, Writer};

/// A batch is published when it has so many documents …
const BATCH_DOCUMENTS: usize = 256;
/// … or so many child chunks …
const BATCH_CHILDREN: usize = 4096;
/// … or so many to embed, before the speed is known …
const FIRST_EMBEDDED: usize = 512;
/// … and afterwards as many as this time allows, which is what an interruption loses at most.
const BATCH_TIME: Duration = Duration::from_secs(60);
/// Fewer are not worth a publication.
const LEAST_EMBEDDED: usize = 256;
/// Documents that are read at once to be embedded later.
const READ_AT_ONCE: usize = 100;

/// The model that makes vectors.
pub enum Vectors {
    Loaded(Arc<Embedder>),
    /// Loaded when the first text needs it, so that a run that finds all vectors in the store never pays for it.
    WhenNeeded {
        models: Models,
        record: ModelRecord,
        engine: EngineChoice,
        /// Threads that embed.
        jobs: usize,
    },
}

impl Vectors {
    /// What the model reads, without loading it.
    pub(super) fn coverage(&self) -> Result<Coverage> {
        let model = match self {
            Vectors::Loaded(embedder) => embedder.model().clone(),
            Vectors::WhenNeeded { models, record, .. } => models.recorded(record)?,
        };
        Ok(model.embedding_config.languages.clone())
    }

    pub(super) fn embedder(&mut self) -> Result<Arc<Embedder>> {
        match self {
            Vectors::Loaded(embedder) => Ok(embedder.clone()),
            Vectors::WhenNeeded { models, record, engine, jobs } => {
                let model = models.recorded(record)?;
                let embedder = Arc::new(Embedder::load(engine, &model, *jobs)?);
                *self = Vectors::Loaded(embedder.clone());
                Ok(embedder)
            }
        }
    }
}

/// Collects documents, embeds their new texts, and publishes them batch by batch.
pub struct Indexer {
    writer: Writer,
    model: Vectors,
    progress: Arc<dyn Progress>,
    waiting: Vec<Waiting>,
    removals: Vec<DocId>,
    updates: Vec<DocumentRow>,
    /// The texts of the vectors of waiting documents, by document id.
    document_texts: HashMap<DocId, String>,
    /// Asks the language model for chunk contexts, if there is one.
    contexts: Option<ContextWriter>,
    languages: LanguageSense,
    /// The child chunks of waiting documents.
    waiting_children: usize,
    /// Those among them that are to be embedded.
    waiting_to_embed: usize,
    /// The number of child chunks to embed before a publication.
    embed_at_once: usize,
    /// Whether full batches are published without new vectors, which follow at the end.
    keywords_first: bool,
    /// Whether documents of this run are published so.
    is_behind: bool,
    /// The history entry of the waiting batch.
    note: Note,
    /// Child chunks embedded so far.
    pub embedded: usize,
    /// Child chunks that kept their vectors.
    pub reused: usize,
    /// Documents so far with a chunk without a vector.
    pub without_vectors: usize,
    /// The generation published last.
    pub generation: Option<u64>,
}

struct Waiting {
    prepared: Prepared,
    known: KnownVectors,
    embed: bool,
    /// For each parent chunk of a document that is embedded, whether the model reads it; only that gets vectors.
    read: Vec<bool>,
    /// What the history calls it.
    action: &'static str,
    /// The document in the store, which stays if the new one turns out equal.
    unless: Option<NewDocument>,
}

impl Waiting {
    /// The parent chunks with the texts to embed, and whether the model reads them.
    fn texts(&self) -> impl Iterator<Item = (&ParentChunk, &EmbeddedText, bool)> {
        let each = self.prepared.new.parents.iter().zip(&self.prepared.texts).zip(&self.read);
        each.map(|((parent, text), read)| (parent, text, *read))
    }

    /// Those that are to be embedded, if the store has no vectors of them.
    fn wanted(&self) -> impl Iterator<Item = (&ParentChunk, &EmbeddedText)> {
        let wanted = self.texts().filter(|(parent, _, read)| self.embed && *read && !self.known.has(parent));
        wanted.map(|(parent, text, _)| (parent, text))
    }
}

impl Indexer {
    /// Writes to `writer`, for the command that the history names.
    pub fn new(writer: Writer, model: Vectors, command: &str, progress: Arc<dyn Progress>) -> Self {
        Indexer {
            writer,
            model,
            progress,
            waiting: Vec::new(),
            removals: Vec::new(),
            updates: Vec::new(),
            document_texts: HashMap::new(),
            contexts: None,
            languages: LanguageSense::default(),
            waiting_children: 0,
            waiting_to_embed: 0,
            embed_at_once: FIRST_EMBEDDED,
            keywords_first: false,
            is_behind: false,
            note: Note::of(command),
            embedded: 0,
            reused: 0,
            without_vectors: 0,
            generation: None,
        }
    }

    /// Asks a language model for the chunk contexts of documents that want them.
    pub fn asking(self, contexts: Option<ContextWriter>) -> Self {
        Indexer { contexts, ..self }
    }

    /// Publishes full batches without new vectors, so that keyword search finds the documents while the vectors are made:
    /// [`finish`](Self::finish) makes them.
    pub fn with_keywords_first(self) -> Self {
        Indexer { keywords_first: true, ..self }
    }

    /// `None` if no document wanted chunk contexts of a language model.
    pub fn contexts_report(&self) -> Option<ContextsReport> {
        self.contexts.as_ref().and_then(ContextWriter::report)
    }

    /// The share of text that the model cannot read; `None` if it is small.
    ///
    /// # Errors
    /// Where the list of models is damaged.
    pub fn languages_report(&self, models: &Models) -> Result<Option<LanguagesReport>> {
        self.languages.report(models)
    }

    /// Adds a document, or replaces the one with its id, unless it turns out equal to `unless`, chunk contexts included.
    /// Chunks without a known vector are embedded if `embed` is set. The history calls it `action`.
    ///
    /// # Errors
    /// Where a batch is full and cannot be published.
    pub async fn put(
        &mut self,
        mut prepared: Prepared,
        known: KnownVectors,
        embed: bool,
        action: &'static str,
        mut unless: Option<NewDocument>,
    ) -> Result<()> {
        // Vectors follow from the texts.
        unless.iter_mut().flat_map(NewDocument::chunks_mut).for_each(|chunk| chunk.vector.clear());
        if unless.is_none() {
            self.note.add(action, &prepared.new.document.source);
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
        let coverage = embed.then(|| self.model.coverage()).transpose()?;
        let reads = |parent: &ParentChunk| coverage.as_ref().is_some_and(|coverage| is_read(&parent.content, coverage));
        let read = new.parents.iter().map(reads).collect();
        let waiting = Waiting { prepared, known, embed, read, action, unless };
        self.waiting_children += waiting.prepared.new.children().count();
        self.waiting_to_embed += waiting.wanted().map(|(parent, _)| parent.children.len()).sum::<usize>();
        self.waiting.push(waiting);
        let is_full = self.waiting.len() >= BATCH_DOCUMENTS
            || self.waiting_children >= BATCH_CHILDREN
            || self.waiting_to_embed >= self.embed_at_once;
        if !is_full {
            return Ok(());
        }
        let later = self.keywords_first && self.waiting_to_embed > 0;
        self.is_behind |= later;
        self.publish(!later).await
    }

    /// Publishes what waits, and gives vectors to the documents of `sources` that lack them.
    ///
    /// # Errors
    /// Where the engine or the disk fails. What was published before stays, and the next ingest goes on with the vectors.
    pub async fn finish(&mut self, sources: &HashSet<&str>, lacking: bool) -> Result<()> {
        self.publish(!self.is_behind).await?;
        if self.is_behind || lacking { self.make_missing_vectors(sources).await } else { Ok(()) }
    }

    /// Gives vectors to published documents without.
    async fn make_missing_vectors(&mut self, sources: &HashSet<&str>) -> Result<()> {
        (self.keywords_first, self.embed_at_once, self.without_vectors) = (false, FIRST_EMBEDDED, 0);
        // What a language model had to say of them is published.
        let contexts = self.contexts.take();
        let namespace = self.writer.namespace().clone();
        let mut rows = Snapshot::open(&namespace).await?.documents().await?;
        rows.retain(|row| !row.embedded && sources.contains(row.source.as_str()));
        for some in rows.chunks(READ_AT_ONCE) {
            let snapshot = Snapshot::open(&namespace).await?;
            for mut document in read(&snapshot, some).await? {
                let row = &document.new.document;
                let known = KnownVectors::of_texts(snapshot.vectors_by_hash(&row.doc_id).await?).and_of(row);
                document.new.sections = snapshot.sections(&row.doc_id).await?;
                self.put(document, known, true, Action::Embedded.name(), None).await?;
            }
        }
        let outcome = self.flush().await;
        self.contexts = contexts;
        outcome
    }

    /// Removes a document.
    pub fn remove(&mut self, row: &DocumentRow) {
        self.note.add("removed", &row.source);
        self.removals.push(row.doc_id.clone());
    }

    /// Replaces the row of a document; its chunks stay. The history calls it `action`.
    pub fn update(&mut self, row: DocumentRow, action: &str) {
        self.note.add(action, &row.source);
        self.updates.push(row);
    }

    /// Notes the text of the document's vector, unless it has that vector.
    fn plan_vector(&mut self, row: &mut DocumentRow, embed: bool) {
        let wanted = vector_text(row);
        if row.embedding_hash.is_some() && row.embedding_hash.as_ref() == wanted.as_ref().map(|(_, hash)| hash) {
            return;
        }
        row.embedding_hash = None;
        if let Some((text, _)) = wanted.filter(|_| embed) {
            self.document_texts.insert(row.doc_id.clone(), text);
        }
    }

    fn set_document_vectors(&mut self, added: &mut [NewDocument]) -> Result<()> {
        let mut texts = std::mem::take(&mut self.document_texts);
        let rows = added.iter_mut().map(|new| &mut new.document);
        let wanted: Vec<(&mut DocumentRow, String)> =
            rows.filter_map(|row| texts.remove(&row.doc_id).map(|text| (row, text))).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = wanted.iter().map(|(_, text)| text.as_str()).collect();
        let vectors = self.model.embedder()?.embed_documents(&texts, &|_| ())?;
        for ((row, text), vector) in wanted.into_iter().zip(vectors) {
            row.embedding_hash = Some(blake3::hash(text.as_bytes()).to_hex().to_string());
            row.vector = vector;
        }
        Ok(())
    }

    /// Publishes all that waits, with its vectors.
    ///
    /// # Errors
    /// Where the engine or the disk fails. Earlier batches stay published.
    pub async fn flush(&mut self) -> Result<()> {
        self.publish(true).await
    }

    /// Publishes all that waits; `embed` makes the vectors that the store does not have.
    async fn publish(&mut self, embed: bool) -> Result<()> {
        if self.waiting.is_empty() && self.removals.is_empty() && self.updates.is_empty() {
            return Ok(());
        }
        let mut add: Vec<NewDocument> = Vec::with_capacity(self.waiting.len());
        let waiting = std::mem::take(&mut self.waiting);
        (self.waiting_children, self.waiting_to_embed) = (0, 0);
        let mut waiting = self.with_contexts(waiting).await?;
        for Waiting { prepared, embed, .. } in &mut waiting {
            self.plan_vector(&mut prepared.new.document, *embed);
        }
        waiting.retain(|Waiting { prepared, unless, .. }| unless.as_ref() != Some(&prepared.new));
        for Waiting { prepared, unless, action, .. } in &waiting {
            if unless.is_some() {
                self.note.add(action, &prepared.new.document.source);
            }
            // To remove a document that is not stored changes nothing.
            self.removals.push(prepared.new.document.doc_id.clone());
        }
        let stored = self.stored_vectors(&waiting).await?;
        let vectors = self.vectors(&waiting, &stored, embed)?;
        if !embed {
            self.embed_at_once = BATCH_CHILDREN;
        }
        for (waiting, vectors) in waiting.into_iter().zip(vectors) {
            let lacks =
                |((.., read), vectors): ((_, _, bool), &Option<_>)| vectors.is_none() && (read || !waiting.embed);
            let lacks_some = waiting.texts().zip(&vectors).any(lacks);
            let mut prepared = waiting.prepared;
            let lacks_own = !embed && self.document_texts.contains_key(&prepared.new.document.doc_id);
            prepared.new.document.embedded = !lacks_some && !lacks_own;
            self.without_vectors += usize::from(!prepared.new.document.embedded);
            set_vectors(&mut prepared.new.parents, vectors);
            add.push(prepared.new);
        }
        let note = Note::of(&self.note.command);
        let note = std::mem::replace(&mut self.note, note);
        let (remove, update) = (std::mem::take(&mut self.removals), std::mem::take(&mut self.updates));
        match embed {
            true => self.set_document_vectors(&mut add)?,
            false => self.document_texts.clear(),
        }
        let change = Change { remove, add, update, note, ..Change::default() };
        if !change.is_empty() {
            self.generation = Some(self.writer.publish(&change).await?);
            self.progress.published(change.add.len());
        }
        Ok(())
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
        let unknown = waiting.iter().flat_map(Waiting::wanted);
        let hashes = unknown.flat_map(|(parent, _)| parent.hashes());
        self.writer.vectors_of_texts(hashes.collect()).await
    }

    /// The vectors of the parent chunks of all waiting documents. Known and stored vectors are reused, all other texts that
    /// the model reads are embedded once each if `embed` is set; what is not to be embedded gets none.
    fn vectors(
        &mut self,
        waiting: &[Waiting],
        stored: &HashMap<String, Vec<f32>>,
        embed: bool,
    ) -> Result<Vec<Vec<Option<ParentVectors>>>> {
        let mut wanted: Vec<&EmbeddedText> = Vec::new();
        let mut place: HashMap<&str, usize> = HashMap::new();
        for (parent, text) in waiting.iter().flat_map(Waiting::wanted).filter(|_| embed) {
            if by_hashes(parent, stored).is_none() && !place.contains_key(parent.embedding_hash.as_str()) {
                place.insert(&parent.embedding_hash, wanted.len());
                wanted.push(text);
            }
        }
        let bytes = waiting.iter().map(|waiting| waiting.prepared.new.document.size).sum();
        let fresh = if embed { self.embed(waiting, &wanted, bytes)? } else { Vec::new() };
        let mut all = Vec::with_capacity(waiting.len());
        for one in waiting {
            let mut vectors = Vec::new();
            for (parent, _, read) in one.texts() {
                // An equal text of another document can be embedded for that document alone.
                let same = || by_hashes(parent, stored).filter(|_| one.embed);
                let known = one.known.of(parent).or_else(same).filter(|_| read || !one.embed);
                self.reused += known.as_ref().map_or(0, |known| known.children.len());
                let made = || Some(fresh[*place.get(parent.embedding_hash.as_str())?].clone());
                vectors.push(known.or_else(|| made().filter(|_| one.embed && read)));
            }
            all.push(vectors);
        }
        Ok(all)
    }

    /// Embeds the texts of waiting documents whose files have `bytes` together.
    fn embed(&mut self, waiting: &[Waiting], texts: &[&EmbeddedText], bytes: u64) -> Result<Vec<ParentVectors>> {
        let unread = waiting.iter().any(|waiting| waiting.embed && waiting.read.contains(&false));
        if texts.is_empty() && !unread {
            self.embed_at_once = BATCH_CHILDREN;
            self.progress.embedded(0, bytes);
            return Ok(Vec::new());
        }
        let embedder = self.model.embedder()?;
        for waiting in waiting.iter().filter(|waiting| waiting.embed) {
            self.languages.sample(&waiting.prepared, &embedder)?;
        }
        let children: usize = texts.iter().map(|text| text.children.len()).sum();
        let (total, progress) = (children.max(1) as u64, &self.progress);
        let start = Instant::now();
        let report = |count: usize| progress.embedded(count, bytes * count as u64 / total);
        let made = embedder.embed_parents(texts, &report)?;
        self.embed_at_once = within(BATCH_TIME, children, start.elapsed());
        self.embedded += children;
        Ok(made)
    }
}

/// How many texts a time allows, if so many took that long.
fn within(time: Duration, texts: usize, took: Duration) -> usize {
    let share = time.as_secs_f64() / took.as_secs_f64().max(0.001);
    ((texts as f64 * share) as usize).clamp(LEAST_EMBEDDED, BATCH_CHILDREN)
}

/// Gives parent chunks and their child chunks their vectors.
fn set_vectors(parents: &mut [ParentChunk], vectors: Vec<Option<ParentVectors>>) {
    for (parent, vectors) in parents.iter_mut().zip(vectors) {
        let Some(vectors) = vectors else { continue };
        parent.vector = vectors.parent;
        parent.children.iter_mut().zip(vectors.children).for_each(|(child, vector)| child.vector = vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_what_a_minute_gives() {
        let seconds = Duration::from_secs;
        assert_eq!(within(seconds(60), 512, seconds(30)), 1024);
        assert_eq!(within(seconds(60), 512, seconds(3600)), LEAST_EMBEDDED);
        assert_eq!(within(seconds(60), 512, Duration::ZERO), BATCH_CHILDREN);
    }
}

//! Prepared documents to published ones: embeds and publishes in batches.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::languages::{LanguageSense, LanguagesReport};
use super::lines::{LineWriter, LinesReport, wants_lines};
use super::profile::{profile_of, vector_text};
use super::{Prepared, Progress};
use crate::embed::{Embedder, EngineChoice, select};
use crate::error::Result;
use crate::models::Models;
use crate::store::{Change, ChunkRow, ChunkType, DocumentRow, ModelRecord, NewDocument, Note, Writer};

/// A batch is published when it has so many documents …
const BATCH_DOCUMENTS: usize = 256;
/// … or so many child chunks …
const BATCH_CHILDREN: usize = 4096;
/// … or so many that are to be embedded, before it is known how fast that is …
const FIRST_EMBEDDED: usize = 512;
/// … and afterwards as many as take so long: what is interrupted loses no more than that.
const BATCH_TIME: Duration = Duration::from_secs(60);
/// Fewer are not worth a publication.
const LEAST_EMBEDDED: usize = 256;

/// The model that makes vectors.
pub enum Vectors {
    /// Loaded already.
    Loaded(Arc<Embedder>),
    /// To be loaded when the first text needs it: a run that finds all vectors in the store never pays for it.
    WhenNeeded {
        /// Where it is looked for.
        models: Models,
        /// Which one it is.
        record: ModelRecord,
        /// The engine to run it on.
        engine: EngineChoice,
        /// How many threads embed.
        jobs: usize,
    },
}

impl Vectors {
    pub(super) fn embedder(&mut self) -> Result<Arc<Embedder>> {
        match self {
            Vectors::Loaded(embedder) => Ok(embedder.clone()),
            Vectors::WhenNeeded { models, record, engine, jobs } => {
                let model = models.recorded(record)?;
                let embedder = Arc::new(Embedder::for_documents(&select(engine)?, &model, *jobs)?);
                *self = Vectors::Loaded(embedder.clone());
                Ok(embedder)
            }
        }
    }
}

/// Vectors that are in the store already.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownVectors {
    /// By the hash of the text that was embedded.
    by_text: HashMap<String, Vec<f32>>,
    /// By the child's content.
    by_content: HashMap<String, Vec<f32>>,
    /// The hash of the text that the document's own vector was made of.
    of_document: Option<String>,
}

impl KnownVectors {
    /// Vectors by the hash of the text that was embedded: for documents whose text may have changed.
    pub fn of_texts(by_text: HashMap<String, Vec<f32>>) -> Self {
        KnownVectors { by_text, ..KnownVectors::default() }
    }

    /// And the vector of the document itself, of which the store has `row`.
    pub fn and_of(self, row: &DocumentRow) -> Self {
        KnownVectors { of_document: row.vector_of.clone(), ..self }
    }

    /// The vectors of a document whose sections are found anew. A child keeps its vector also where only the titles
    /// above it changed, and with them its context line: they move a vector little, and
    /// embedding is most of what a document costs.
    pub fn of_chunks(chunks: &[ChunkRow]) -> Self {
        let mut known = KnownVectors::default();
        for chunk in children(chunks).filter(|chunk| !chunk.vector.is_empty()) {
            known.by_text.insert(chunk.content_hash.clone(), chunk.vector.clone());
            known.by_content.insert(chunk.content.trim_end().to_owned(), chunk.vector.clone());
        }
        known
    }

    /// Without those that were made from another text.
    pub(super) fn by_text_alone(self) -> Self {
        KnownVectors { by_content: HashMap::new(), ..self }
    }

    /// Whether a child need not be embedded.
    #[cfg(test)]
    pub(crate) fn knows(&self, child: &ChunkRow) -> bool {
        self.get(child).is_some()
    }

    fn get(&self, child: &ChunkRow) -> Option<&Vec<f32>> {
        self.by_text.get(&child.content_hash).or_else(|| self.by_content.get(child.content.trim_end()))
    }
}

/// Collects documents, embeds what is new in them and publishes them batch by batch.
pub struct Indexer {
    writer: Writer,
    model: Vectors,
    progress: Arc<dyn Progress>,
    waiting: Vec<Waiting>,
    removals: Vec<String>,
    updates: Vec<DocumentRow>,
    /// What the vectors of waiting documents are made of, by id.
    document_texts: HashMap<String, String>,
    /// Asks a language model what stands in front of passages, where somebody wants that.
    lines: Option<LineWriter>,
    /// Whether the model can read what it embeds.
    languages: LanguageSense,
    /// How many child chunks to embed before they are published.
    embed_at_once: usize,
    /// What the waiting batch does.
    note: Note,
    /// Child chunks embedded so far.
    pub embedded: usize,
    /// Child chunks whose vectors were there already.
    pub reused: usize,
    /// Documents put in so far of which some chunk has no vector.
    pub without_vectors: usize,
    /// The generation published last.
    pub generation: Option<u64>,
}

struct Waiting {
    prepared: Prepared,
    known: KnownVectors,
    embed: bool,
    /// What the history calls it.
    action: String,
    /// What the store has of it, where that is to stay if this is the same, in the end.
    stored: Option<NewDocument>,
}

impl Indexer {
    /// An indexer that writes to `writer`, for the command that the history names.
    pub fn new(writer: Writer, model: Vectors, command: &str, progress: Arc<dyn Progress>) -> Self {
        Indexer {
            writer,
            model,
            progress,
            waiting: Vec::new(),
            removals: Vec::new(),
            updates: Vec::new(),
            document_texts: HashMap::new(),
            lines: None,
            languages: LanguageSense::default(),
            embed_at_once: FIRST_EMBEDDED,
            note: Note::of(command),
            embedded: 0,
            reused: 0,
            without_vectors: 0,
            generation: None,
        }
    }

    /// The same, asking a language model for the lines of documents that want them.
    pub fn asking(self, lines: Option<LineWriter>) -> Self {
        Indexer { lines, ..self }
    }

    /// What came of the lines of a language model; `None` where none were wanted.
    pub fn lines_report(&self) -> Option<LinesReport> {
        self.lines.as_ref().and_then(LineWriter::report)
    }

    /// What the model could not read of what it embedded; `None` where that is little.
    ///
    /// # Errors
    /// Where the list of models is damaged.
    pub fn languages_report(&self, models: &Models) -> Result<Option<LanguagesReport>> {
        self.languages.report(models)
    }

    /// Adds a document, or replaces the one with its id. Chunks that have no known vector get one, or, unless
    /// `embed`, none. The history calls it `action`.
    ///
    /// # Errors
    /// Where a batch is full and cannot be published.
    pub async fn put(&mut self, prepared: Prepared, known: KnownVectors, embed: bool, action: &str) -> Result<()> {
        self.wait(prepared, known, embed, action, None).await
    }

    /// Replaces a document, unless it comes to what is `stored`, with what a language model says of its passages.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub async fn put_unless_same(
        &mut self,
        prepared: Prepared,
        known: KnownVectors,
        embed: bool,
        action: &str,
        mut stored: NewDocument,
    ) -> Result<()> {
        // They go with the texts.
        stored.chunks.iter_mut().for_each(|row| row.vector = Vec::new());
        self.wait(prepared, known, embed, action, Some(stored)).await
    }

    async fn wait(
        &mut self,
        mut prepared: Prepared,
        known: KnownVectors,
        embed: bool,
        action: &str,
        stored: Option<NewDocument>,
    ) -> Result<()> {
        if stored.is_none() {
            self.note.add(action, &prepared.new.document.source);
        }
        // Here, where everything comes through: edits are on top by now, and the profile is of the text that will be there.
        let new = &mut prepared.new;
        new.document.profile = profile_of(&new.document, &new.sections, &new.chunks);
        new.document.vector_of = known.of_document.clone();
        self.wants_vector(&mut new.document, embed);
        self.waiting.push(Waiting { prepared, known, embed, action: action.to_owned(), stored });
        let sum = |of: &dyn Fn(&&Waiting) -> bool| -> usize {
            self.waiting.iter().filter(of).map(|waiting| waiting.prepared.texts.len()).sum()
        };
        let is_full = self.waiting.len() >= BATCH_DOCUMENTS || sum(&|_| true) >= BATCH_CHILDREN;
        if is_full || sum(&|waiting| waiting.embed) >= self.embed_at_once {
            self.flush().await?;
        }
        Ok(())
    }

    /// Takes a document out.
    pub fn remove(&mut self, row: &DocumentRow) {
        self.note.add("removed", &row.source);
        self.removals.push(row.doc_id.clone());
    }

    /// Replaces a document's row; its chunks stay. The history calls it `action`.
    pub fn update(&mut self, row: DocumentRow, action: &str) {
        self.note.add(action, &row.source);
        self.updates.push(row);
    }

    /// Replaces a document's row by one that has a profile; its chunks stay. The vector of an older profile is replaced
    /// where `embed` says so, and otherwise removed. The history calls it `action`.
    pub fn describe(&mut self, mut row: DocumentRow, embed: bool, action: &str) {
        self.wants_vector(&mut row, embed);
        self.update(row, action);
    }

    /// Takes down what a document's vector is to be made of, unless it has that one.
    fn wants_vector(&mut self, row: &mut DocumentRow, embed: bool) {
        let wanted = vector_text(row);
        if row.vector_of.is_some() && row.vector_of.as_ref() == wanted.as_ref().map(|(_, hash)| hash) {
            return;
        }
        row.vector_of = None;
        if let Some((text, _)) = wanted.filter(|_| embed) {
            self.document_texts.insert(row.doc_id.clone(), text);
        }
    }

    /// Gives waiting documents their own vectors.
    fn set_document_vectors(&mut self, rows: Vec<&mut DocumentRow>) -> Result<()> {
        let mut texts = std::mem::take(&mut self.document_texts);
        let wanted: Vec<(&mut DocumentRow, String)> =
            rows.into_iter().filter_map(|row| texts.remove(&row.doc_id).map(|text| (row, text))).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = wanted.iter().map(|(_, text)| text.as_str()).collect();
        let vectors = self.model.embedder()?.embed_passages(&texts, &|_| ())?;
        for ((row, text), vector) in wanted.into_iter().zip(vectors) {
            row.vector_of = Some(blake3::hash(text.as_bytes()).to_hex().to_string());
            row.vector = vector;
        }
        Ok(())
    }

    /// Publishes what is waiting.
    ///
    /// # Errors
    /// Where the engine fails or the disk refuses; what was published before stays.
    pub async fn flush(&mut self) -> Result<()> {
        let mut add: Vec<NewDocument> = Vec::with_capacity(self.waiting.len());
        let waiting = std::mem::take(&mut self.waiting);
        let mut waiting = self.with_lines(waiting).await?;
        waiting.retain(|Waiting { prepared, stored, .. }| stored.as_ref() != Some(&prepared.new));
        for Waiting { prepared, stored, action, .. } in &waiting {
            if stored.is_some() {
                self.note.add(action, &prepared.new.document.source);
            }
            // Taking out what is not there changes nothing.
            self.removals.push(prepared.new.document.doc_id.clone());
        }
        let stored = self.stored_vectors(&waiting).await?;
        let vectors = self.vectors(&waiting, &stored)?;
        for (Waiting { mut prepared, .. }, vectors) in waiting.into_iter().zip(vectors) {
            prepared.new.document.embedded = vectors.iter().all(|vector| !vector.is_empty());
            self.without_vectors += usize::from(!prepared.new.document.embedded);
            set_vectors(&mut prepared.new.chunks, vectors);
            add.push(prepared.new);
        }
        let note = Note::of(&self.note.command);
        let note = std::mem::replace(&mut self.note, note);
        let (remove, mut update) = (std::mem::take(&mut self.removals), std::mem::take(&mut self.updates));
        self.set_document_vectors(add.iter_mut().map(|new| &mut new.document).chain(&mut update).collect())?;
        let change = Change { remove, add, update, note, ..Change::default() };
        if !change.is_empty() {
            self.generation = Some(self.writer.publish(&change).await?);
        }
        Ok(())
    }

    /// Puts what a language model says in front of passages, for the documents that want that.
    async fn with_lines(&mut self, mut waiting: Vec<Waiting>) -> Result<Vec<Waiting>> {
        let Some(lines) = &mut self.lines else { return Ok(waiting) };
        let documents: Vec<&NewDocument> = waiting.iter().map(|waiting| &waiting.prepared.new).collect();
        let said = lines.lines(&documents, &*self.progress).await?;
        if !said.is_empty() {
            let placed = |waiting: Waiting| match wants_lines(&waiting.prepared.new.document) {
                true => Waiting { prepared: waiting.prepared.with_said(&said), ..waiting },
                false => waiting,
            };
            waiting = waiting.into_iter().map(placed).collect();
        }
        Ok(waiting)
    }

    /// Vectors of the same texts in other documents of the namespace, by the hash of the text.
    async fn stored_vectors(&self, waiting: &[Waiting]) -> Result<HashMap<String, Vec<f32>>> {
        let wanting = waiting.iter().filter(|waiting| waiting.embed);
        let unknown = wanting.flat_map(|Waiting { prepared, known, .. }| {
            children(&prepared.new.chunks).filter(|child| known.get(child).is_none())
        });
        self.writer.vectors_of_texts(unknown.map(|child| child.content_hash.as_str()).collect()).await
    }

    /// The vectors of all waiting documents' children: known and stored ones reused, the rest embedded, equal texts once;
    /// empty where none is wanted.
    fn vectors(&mut self, waiting: &[Waiting], stored: &HashMap<String, Vec<f32>>) -> Result<Vec<Vec<Vec<f32>>>> {
        let mut wanted: Vec<&str> = Vec::new();
        let mut place: HashMap<&str, usize> = HashMap::new();
        let mut bytes = 0;
        for Waiting { prepared, known, embed, .. } in waiting {
            bytes += prepared.new.document.size;
            for (text, child) in prepared.texts.iter().zip(children(&prepared.new.chunks)) {
                let is_there = known.get(child).is_some() || stored.contains_key(&child.content_hash);
                if *embed && !is_there && !place.contains_key(text.as_str()) {
                    place.insert(text, wanted.len());
                    wanted.push(text);
                }
            }
        }
        let fresh = if wanted.is_empty() {
            self.embed_at_once = BATCH_CHILDREN;
            self.progress.embedded(0, bytes);
            Vec::new()
        } else {
            let (total, progress) = (wanted.len() as u64, &self.progress);
            let embedder = self.model.embedder()?;
            for Waiting { prepared, .. } in waiting.iter().filter(|waiting| waiting.embed) {
                self.languages.look(prepared, &embedder)?;
            }
            let start = Instant::now();
            let made =
                embedder.embed_passages(&wanted, &|count| progress.embedded(count, bytes * count as u64 / total))?;
            self.embed_at_once = within(BATCH_TIME, wanted.len(), start.elapsed());
            made
        };
        self.embedded += wanted.len();
        let mut all = Vec::with_capacity(waiting.len());
        for Waiting { prepared, known, embed, .. } in waiting {
            let mut vectors = Vec::with_capacity(prepared.texts.len());
            for (text, child) in prepared.texts.iter().zip(children(&prepared.new.chunks)) {
                let same = || stored.get(&child.content_hash).filter(|_| *embed);
                let vector = match known.get(child).or_else(same) {
                    Some(vector) => {
                        self.reused += 1;
                        vector.clone()
                    }
                    // Another document's equal text may have been embedded for that one alone.
                    None if !embed => Vec::new(),
                    None => place.get(text.as_str()).and_then(|&i| fresh.get(i)).cloned().unwrap_or_default(),
                };
                vectors.push(vector);
            }
            all.push(vectors);
        }
        Ok(all)
    }
}

/// How many texts are embedded within a time, where some took so long.
fn within(time: Duration, texts: usize, took: Duration) -> usize {
    let share = time.as_secs_f64() / took.as_secs_f64().max(0.001);
    ((texts as f64 * share) as usize).clamp(LEAST_EMBEDDED, BATCH_CHILDREN)
}

fn children(chunks: &[ChunkRow]) -> impl Iterator<Item = &ChunkRow> {
    chunks.iter().filter(|chunk| chunk.chunk_type == ChunkType::Child)
}

/// Gives each child its vector and each parent the normalised mean of its children's; none, where they have none.
pub(super) fn set_vectors(chunks: &mut [ChunkRow], vectors: Vec<Vec<f32>>) {
    let mut vectors = vectors.into_iter();
    let mut parent: Option<usize> = None;
    for i in 0..chunks.len() {
        match chunks[i].chunk_type {
            ChunkType::Parent => parent = Some(i),
            ChunkType::Child => {
                let vector = vectors.next().unwrap_or_default();
                if let Some(parent) = parent
                    && !vector.is_empty()
                {
                    let sum = &mut chunks[parent].vector;
                    sum.resize(vector.len(), 0.0);
                    sum.iter_mut().zip(&vector).for_each(|(sum, x)| *sum += x);
                }
                chunks[i].vector = vector;
            }
        }
    }
    for chunk in chunks.iter_mut().filter(|chunk| chunk.chunk_type == ChunkType::Parent) {
        normalise(&mut chunk.vector);
    }
}

/// Makes a vector one of length 1.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
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

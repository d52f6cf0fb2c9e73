//! Finds or makes the vectors of waiting documents: known ones, those of equal texts in the store, and new ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::known_vectors::{KnownVectors, by_hashes};
use super::languages::LanguageSampler;
use super::prepare::Prepared;
use super::request::Progress;
use crate::chunk::EmbeddedText;
use crate::embed::{Coverage, Embedder, EngineChoice, ParentVectors};
use crate::error::Result;
use crate::models::Models;
use crate::store::{ModelRecord, NewDocument, ParentChunk};

/// A batch is full with this many child chunks, or with as many to embed as take [`BATCH_TIME`].
pub(super) const BATCH_CHILDREN: usize = 4096;
/// Child chunks to embed before the first publication, while the speed is not known.
pub(super) const FIRST_EMBEDDED: usize = 512;
/// Later batches take about this time, which is the most that an interruption loses.
const BATCH_TIME: Duration = Duration::from_secs(60);
/// The fewest child chunks that are worth a publication.
const LEAST_EMBEDDED: usize = 256;

/// How long texts are embedded before other tasks get a turn, if that many keep all threads busy.
const BETWEEN_PAUSES: Duration = Duration::from_secs(2);

pub enum LazyEmbedder {
    Loaded(Arc<Embedder>),
    /// Loaded when the first text needs it, so that a run that finds all vectors in the store never pays for it.
    NotLoaded {
        models: Models,
        record: ModelRecord,
        engine: EngineChoice,
        /// Threads that embed.
        jobs: usize,
    },
}

impl LazyEmbedder {
    /// The scripts that the model reads, without loading it.
    pub(super) fn coverage(&self) -> Result<Coverage> {
        let model = match self {
            LazyEmbedder::Loaded(embedder) => embedder.model().clone(),
            LazyEmbedder::NotLoaded { models, record, .. } => models.recorded(record)?,
        };
        Ok(model.embedding_config.languages.clone())
    }

    pub(super) fn embedder(&mut self) -> Result<Arc<Embedder>> {
        match self {
            LazyEmbedder::Loaded(embedder) => Ok(embedder.clone()),
            LazyEmbedder::NotLoaded { models, record, engine, jobs } => {
                let embedder = Arc::new(Embedder::load(engine, &models.recorded(record)?, *jobs)?);
                *self = LazyEmbedder::Loaded(embedder.clone());
                Ok(embedder)
            }
        }
    }
}

/// A document that waits for its publication.
pub(super) struct Waiting {
    pub prepared: Prepared,
    pub known: KnownVectors,
    pub embed: bool,
    /// For each parent chunk, whether it is to be embedded and the model reads it.
    pub read: Vec<bool>,
    /// The action that the history records.
    pub action: &'static str,
    /// The stored document. It stays if the new one is equal.
    pub stored: Option<NewDocument>,
}

impl Waiting {
    /// The parent chunks, and whether the model reads them.
    pub fn parents(&self) -> impl Iterator<Item = (&ParentChunk, bool)> {
        self.prepared.new.parents.iter().zip(self.read.iter().copied())
    }

    /// The parent chunks to embed, unless the store has vectors of equal texts.
    pub fn wanted(&self) -> impl Iterator<Item = &ParentChunk> {
        self.parents().filter(move |(parent, read)| self.wants(parent, *read)).map(|(parent, _)| parent)
    }

    fn wants(&self, parent: &ParentChunk, read: bool) -> bool {
        self.embed && read && !self.known.has(parent)
    }
}

/// Makes the vectors of a run.
pub(super) struct VectorMaker {
    pub model: LazyEmbedder,
    progress: Arc<dyn Progress>,
    pub languages: LanguageSampler,
    /// How many child chunks to embed before a publication.
    pub at_once: usize,
    /// Child chunks embedded so far.
    pub embedded: usize,
    /// Child chunks that kept their vectors.
    pub reused: usize,
}

impl VectorMaker {
    pub fn new(model: LazyEmbedder, progress: Arc<dyn Progress>) -> Self {
        let languages = LanguageSampler::default();
        VectorMaker { model, progress, languages, at_once: FIRST_EMBEDDED, embedded: 0, reused: 0 }
    }

    /// The vectors of the parent chunks of all waiting documents. Reuses known and stored vectors. If `embed` is set,
    /// embeds each other text that the model reads, once.
    pub async fn vectors_of(
        &mut self,
        waiting: &[Waiting],
        stored: &HashMap<String, Vec<f32>>,
        embed: bool,
    ) -> Result<Vec<Vec<Option<ParentVectors>>>> {
        let mut wanted: Vec<EmbeddedText> = Vec::new();
        let mut place: HashMap<&str, usize> = HashMap::new();
        for one in waiting.iter().filter(|one| embed && one.wanted().next().is_some()) {
            for ((parent, read), text) in one.parents().zip(one.prepared.texts()) {
                let is_new = one.wants(parent, read) && by_hashes(parent, stored).is_none();
                if is_new && !place.contains_key(parent.embedding_hash.as_str()) {
                    place.insert(&parent.embedding_hash, wanted.len());
                    wanted.push(text);
                }
            }
        }
        let wanted: Vec<&EmbeddedText> = wanted.iter().collect();
        let bytes = waiting.iter().map(|waiting| waiting.prepared.new.document.size).sum();
        let fresh = if embed { self.embed(waiting, &wanted, bytes).await? } else { Vec::new() };
        let mut all = Vec::with_capacity(waiting.len());
        for one in waiting {
            let mut vectors = Vec::new();
            for (parent, read) in one.parents() {
                // A document that is not to be embedded takes no vectors of other documents.
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

    /// Embeds texts of waiting documents. `bytes` is the size of their files.
    async fn embed(&mut self, waiting: &[Waiting], texts: &[&EmbeddedText], bytes: u64) -> Result<Vec<ParentVectors>> {
        let unread = waiting.iter().any(|waiting| waiting.embed && waiting.read.contains(&false));
        if texts.is_empty() && !unread {
            self.at_once = BATCH_CHILDREN;
            self.progress.embedded(0, bytes);
            return Ok(Vec::new());
        }
        let embedder = self.model.embedder()?;
        for waiting in waiting.iter().filter(|waiting| waiting.embed) {
            self.languages.sample(&waiting.prepared.new.parents, &embedder)?;
        }
        let children: usize = texts.iter().map(|text| text.children.len()).sum();
        let (total, progress) = (children.max(1) as u64, &self.progress);
        let start = Instant::now();
        let report = |count: usize| progress.embedded(count, bytes * count as u64 / total);
        let mut made = Vec::with_capacity(texts.len());
        let (mut rest, mut most) = (texts, LEAST_EMBEDDED);
        while !rest.is_empty() {
            let (some, after) = rest.split_at(most.min(rest.len()));
            let begun = Instant::now();
            made.extend(embedder.embed_parents(some, &report)?);
            (rest, most) = (after, within(BETWEEN_PAUSES, some.len(), begun.elapsed()));
            // A client of `kb mcp` can cancel the run here.
            tokio::task::yield_now().await;
        }
        self.at_once = within(BATCH_TIME, children, start.elapsed());
        self.embedded += children;
        Ok(made)
    }
}

/// The number of texts for a time, if `texts` texts took the time `took`.
fn within(time: Duration, texts: usize, took: Duration) -> usize {
    let share = time.as_secs_f64() / took.as_secs_f64().max(0.001);
    ((texts as f64 * share) as usize).clamp(LEAST_EMBEDDED, BATCH_CHILDREN)
}

pub(super) fn set_vectors(parents: &mut [ParentChunk], vectors: Vec<Option<ParentVectors>>) {
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
    fn a_batch_takes_a_minute_within_bounds() {
        let seconds = Duration::from_secs;
        assert_eq!(within(seconds(60), 512, seconds(30)), 1024);
        assert_eq!(within(seconds(60), 512, seconds(3600)), LEAST_EMBEDDED);
        assert_eq!(within(seconds(60), 512, Duration::ZERO), BATCH_CHILDREN);
    }
}

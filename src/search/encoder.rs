//! Embeds questions and caches their vectors: `.kb/cache/questions/ab/abcd….f32`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::task::JoinHandle;

use super::trace::milliseconds;
use crate::embed::{Embedder, EngineChoice, Model};
use crate::error::{Error, NextStep, Result, Setting};
use crate::models::{Models, record_of};
use crate::store::{CacheFolder, ModelRecord, Snapshot};

/// A question is cut to this many characters for the model, which reads far fewer.
pub(super) const LONGEST_ENCODED: usize = 4000;

/// A question as a model has read it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Encoded {
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// How well the model could read it, from 0 to 1.
    pub share: f32,
    pub load_ms: f64,
    pub encode_ms: f64,
}

/// The loaded models, by fingerprint.
pub(super) type LoadedModels = Arc<Mutex<HashMap<String, Arc<Embedder>>>>;

/// Embeds questions. A model is loaded when the first question needs it.
#[derive(Clone)]
pub struct Encoder {
    pub(super) choice: EngineChoice,
    models: Models,
    /// A model that the caller loaded.
    given: Option<Arc<Model>>,
    pub(super) loaded: LoadedModels,
    /// Caches vectors: the same question comes again with other settings, in a fallback, in another process.
    cache: Option<Arc<CacheFolder>>,
}

impl Encoder {
    /// An encoder with the installed models, on the engine that `choice` selects.
    pub fn new(choice: EngineChoice, models: Models) -> Self {
        Encoder { choice, models, given: None, loaded: Arc::default(), cache: None }
    }

    /// Caches the vectors of questions in the folder of a store.
    pub fn with_cache(self, store: &Path) -> Self {
        Encoder { cache: Some(Arc::new(question_cache(store))), ..self }
    }

    /// An encoder with a loaded model.
    pub fn with(embedder: Arc<Embedder>) -> Self {
        let model = embedder.model().clone();
        let loaded = Arc::new(Mutex::new(HashMap::from([(model.fingerprint.clone(), embedder)])));
        Encoder { given: Some(model), loaded, ..Encoder::new(EngineChoice::Auto, Models::open("")) }
    }

    /// The model of a record.
    ///
    /// # Errors
    /// If it is not installed, or another model has its name.
    pub(super) fn model_of(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let given = self.given.clone().filter(|own| record_of(own) == *record);
        given.map_or_else(|| self.models.recorded(record), Ok)
    }

    /// Begins to embed a question on another thread.
    pub(super) fn begin(&self, model: &Arc<Model>, query: String) -> PendingEncoding {
        let (encoder, model) = (self.clone(), model.clone());
        tokio::task::spawn_blocking(move || encoder.encode(&model, &query))
    }

    /// The vector of a question, from the cache or made by the model.
    pub(super) fn encode(&self, model: &Arc<Model>, query: &str) -> Result<Encoded> {
        let query: String = query.chars().take(LONGEST_ENCODED).collect();
        let start = Instant::now();
        if let Some(read) = self.cache.as_ref().and_then(|cache| cached_vector(cache, model, &query)) {
            return Ok(Encoded { encode_ms: milliseconds(start), ..read });
        }
        let loaded = locked(&self.loaded).get(&model.fingerprint).cloned();
        let embedder = match loaded {
            Some(embedder) => embedder,
            None => {
                let embedder = Arc::new(Embedder::load_for_questions(&self.choice, model)?);
                locked(&self.loaded).entry(model.fingerprint.clone()).or_insert(embedder).clone()
            }
        };
        let load_ms = milliseconds(start);
        let start = Instant::now();
        let (vector, share) = (embedder.embed_query(&query)?, embedder.readability(&query)?);
        let read = Encoded { vector, share, ..Encoded::default() };
        if let Some(cache) = &self.cache {
            // A read-only store is searched too; the next process makes the vector again.
            cache_vector(cache, model, &query, &read).unwrap_or_default();
        }
        Ok(Encoded { load_ms, encode_ms: milliseconds(start), ..read })
    }
}

/// A question that is being embedded on another thread.
pub(super) type PendingEncoding = JoinHandle<Result<Encoded>>;

/// Waits for the `what` model on another thread.
pub(super) async fn wait_for<T>(what: &str, running: JoinHandle<Result<T>>) -> Result<T> {
    running.await.map_err(|error| Error::failed(format!("the {what} model crashed: {error}")).caused_by(error))?
}

/// Ignores poisoning: entries are inserted and removed whole, so a panic leaves the collection sound.
pub(super) fn locked<T>(collection: &Mutex<T>) -> MutexGuard<'_, T> {
    collection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most cached questions. Each takes a block of the disk: 8 MB.
const MOST_QUESTIONS: usize = 2000;
/// How far the length of a vector may be from 1 by rounding.
const ROUNDING: f32 = 1e-3;

/// The vectors of questions on disk: scripts and people repeat questions, in another process each time. A file is named
/// by the hash of the model and the question, and holds the vector and how well the model could read it, little-endian.
fn question_cache(store: &Path) -> CacheFolder {
    CacheFolder::of_store(store, "questions", "f32", MOST_QUESTIONS)
}

/// The cached reading of a question; `None` if it is missing or damaged.
fn cached_vector(folder: &CacheFolder, model: &Model, question: &str) -> Option<Encoded> {
    let bytes = folder.get(&key(model, question))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let mut vector: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let share = vector.pop()?;
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let is_one = vector.len() == model.embedding_config.dimension && (length - 1.0).abs() < ROUNDING;
    (rest.is_empty() && is_one && (0.0..=1.0).contains(&share)).then(|| Encoded { vector, share, ..Encoded::default() })
}

fn cache_vector(folder: &CacheFolder, model: &Model, question: &str, read: &Encoded) -> std::io::Result<()> {
    let numbers = read.vector.iter().chain([&read.share]);
    let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
    folder.put(&key(model, question), &bytes)
}

fn key(model: &Model, question: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    // No fingerprint has this byte.
    hasher.update(model.fingerprint.as_bytes()).update(&[0]).update(question.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// The model of the searched vectors: one for all namespaces, because cosines of two models cannot be compared.
pub(super) struct VectorModel {
    /// That of the first namespace. Semantic search runs only if all have the same.
    record: ModelRecord,
    model: Result<Arc<Model>, Unusable>,
}

enum Unusable {
    /// It is not installed.
    Missing(Error),
    /// Which namespace has which model.
    Several(String),
}

impl VectorModel {
    /// The model of namespaces, by their names and records; `find` looks it up.
    ///
    /// # Errors
    /// If there is no namespace.
    pub(super) fn new(each: &[(&str, ModelRecord)], find: impl Fn(&ModelRecord) -> Result<Arc<Model>>) -> Result<Self> {
        let (_, first) = each.first().ok_or_else(|| Error::usage("no namespace to search was named"))?;
        let model = if each.iter().all(|(_, record)| record == first) {
            find(first).map_err(Unusable::Missing)
        } else {
            let each: Vec<String> = each.iter().map(|(name, record)| format!("{name} has {}", record.name)).collect();
            Err(Unusable::Several(each.join(", ")))
        };
        Ok(VectorModel { record: first.clone(), model })
    }

    /// The model, if semantic search can use it.
    pub(super) fn model(&self) -> Option<&Arc<Model>> {
        self.model.as_ref().ok()
    }

    /// The share of a question's words that the model's languages cover; 1 without a model.
    pub(super) fn coverage(&self, query: &str) -> f32 {
        self.model().map_or(1.0, |model| model.embedding_config.languages.share(query))
    }

    /// Its name, for people; empty without a model.
    pub(super) fn name(&self) -> &str {
        self.model().map_or("", |model| &model.name)
    }

    /// `None` if semantic search can run, otherwise a note why the question is left to keyword search. `alone`: it is
    /// the only retriever.
    ///
    /// # Errors
    /// If semantic search is the only retriever and the model is not installed, or there are several models.
    pub(super) fn usable(&self, alone: bool) -> Result<Option<String>> {
        match &self.model {
            Ok(_) => Ok(None),
            Err(Unusable::Several(each)) => {
                let message = format!("the namespaces use different embedding models: {each}");
                let replace = NextStep::ReplaceModel("NAME");
                let hint = format!(
                    "search them separately, use keyword search ({} keyword), or re-embed one with `{replace}`",
                    Setting("method")
                );
                Err(Error::failed(message).hint(hint))
            }
            Err(Unusable::Missing(error)) => {
                let models = format!("`{}` lists the models", NextStep::ListModels);
                let (reason, hint) = (error.message(), error.next_step().unwrap_or(&models));
                if alone {
                    let message = format!("semantic search needs the model of the vectors: {reason}");
                    return Err(Error::failed(message).hint(format!("{hint}; or use {} keyword", Setting("method"))));
                }
                Ok(Some(format!("searched by keywords only: {reason}; {hint}")))
            }
        }
    }

    /// Refuses generations that were published with vectors of another model since the records were read.
    pub(super) fn check(&self, snapshots: &[&Snapshot]) -> Result<()> {
        if snapshots.iter().all(|snapshot| snapshot.manifest().model == self.record) {
            return Ok(());
        }
        Err(Error::failed("vectors of another model were published just now").hint("search again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_vectors_are_read_for_their_model_only_and_damaged_ones_are_ignored() {
        let store = tempfile::tempdir().unwrap();
        let (cache, model) = (question_cache(store.path()), Model::embedded());
        let other = Model { fingerprint: "other".into(), ..(*model).clone() };
        let mut vector = vec![0.0; 384];
        vector[7] = 1.0;
        let read = Encoded { vector, share: 0.75, ..Encoded::default() };
        assert_eq!(cached_vector(&cache, &model, "pump?"), None);
        cache_vector(&cache, &model, "pump?", &read).unwrap();
        assert_eq!(cached_vector(&cache, &model, "pump?"), Some(read.clone()));
        assert_eq!((cached_vector(&cache, &other, "pump?"), cached_vector(&cache, &model, "pump")), (None, None));
        let with = |vector: &[f32], share| Encoded { vector: vector.to_vec(), share, ..Encoded::default() };
        let longer = [read.vector.as_slice(), &[0.0]].concat();
        for damaged in [&read.vector[..383], &longer, &[0.0; 384], &[f32::NAN; 384]].map(|vector| with(vector, 0.75)) {
            cache_vector(&cache, &model, "pump?", &damaged).unwrap();
            assert_eq!(cached_vector(&cache, &model, "pump?"), None);
        }
        cache_vector(&cache, &model, "pump?", &with(&read.vector, 1.5)).unwrap();
        assert_eq!(cached_vector(&cache, &model, "pump?"), None);
    }
}

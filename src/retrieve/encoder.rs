//! Questions to vectors.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::query_encoder::{Otherwise, QueryEncoder, TableAt, Tables};
use super::question_cache::QuestionCache;
use super::trace::milliseconds;
use crate::embed::{DirectEncoder, Embedder, Engine, EngineChoice, Model, Source, select};
use crate::error::Result;
use crate::models::{Models, record_of};
use crate::store::ModelRecord;

/// A question is cut to so many characters for the model, which reads far fewer.
pub(super) const LONGEST_ENCODED: usize = 4000;

/// So many vectors of questions (6 MB of the model in the program) are kept; then all are forgotten.
const MOST_KNOWN: usize = 4096;

/// By the fingerprint of the model and the question.
type KnownQuestions = HashMap<(String, String), AsRead>;

/// A question as a model has read it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AsRead {
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// How well the model could read it, from 0 to 1.
    pub share: f32,
}

/// A question as it was read, how that came about and how long it took, in milliseconds.
#[derive(Debug)]
pub(super) struct Encoded {
    pub read: AsRead,
    /// Loading the model, or opening the table.
    pub load_ms: f64,
    /// Making the vector.
    pub encode_ms: f64,
    /// By what, and why by that.
    pub told: String,
    /// What is wrong with a table that was not used.
    pub wrong: Option<String>,
}

impl Encoded {
    fn by_model(read: AsRead, load_ms: f64, encode_ms: f64) -> Self {
        Encoded { read, load_ms, encode_ms, told: String::new(), wrong: None }
    }
}

/// Questions to vectors. A model is loaded when the first question needs it.
#[derive(Clone)]
pub struct Encoder {
    choice: EngineChoice,
    models: Models,
    /// Those that were loaded, by fingerprint.
    loaded: Arc<Mutex<HashMap<String, Loaded>>>,
    /// The same question is asked again: in another way, by another user, by a fallback.
    known: Arc<Mutex<KnownQuestions>>,
    /// And in another process.
    kept: Option<Arc<QuestionCache>>,
    tables: Tables,
}

/// What makes vectors, loaded.
#[derive(Clone)]
enum Loaded {
    /// An engine that runs the model.
    Engine(Arc<Embedder>),
    /// The embedded model without one, ready in a fraction of the time.
    Direct(Arc<DirectEncoder>),
}

impl Loaded {
    /// Loads a model; on an engine that was named, or where there is no other way, otherwise without one.
    fn load(model: &Arc<Model>, choice: &EngineChoice) -> Result<Self> {
        match (&model.source, choice) {
            (Source::Embedded, EngineChoice::Auto | EngineChoice::Tract) => {
                DirectEncoder::load().map(Arc::new).map(Loaded::Direct)
            }
            _ => Embedder::for_queries(&select(choice)?, model).map(Arc::new).map(Loaded::Engine),
        }
    }

    fn model(&self) -> Arc<Model> {
        match self {
            Loaded::Engine(embedder) => embedder.model().clone(),
            Loaded::Direct(_) => Model::embedded(),
        }
    }

    fn read(&self, query: &str) -> Result<AsRead> {
        let (vector, share) = match self {
            Loaded::Engine(embedder) => (embedder.embed_query(query)?, embedder.reads(query)?),
            Loaded::Direct(encoder) => (encoder.embed_query(query)?, encoder.reads(query)),
        };
        Ok(AsRead { vector, share })
    }
}

impl Encoder {
    /// An encoder with the models that are here, on the engine that `choice` leads to.
    pub fn new(choice: EngineChoice, models: Models) -> Self {
        Encoder { choice, models, loaded: Arc::default(), known: Arc::default(), kept: None, tables: Tables::default() }
    }

    /// The same, with the vectors of questions kept in the folder of a store.
    pub fn keeping(self, store: &Path) -> Self {
        Encoder { kept: Some(Arc::new(QuestionCache::of_store(store))), ..self }
    }

    /// An encoder with a model that is loaded already.
    pub fn with(embedder: Arc<Embedder>) -> Self {
        let encoder = Encoder::without_model();
        guarded(&encoder.loaded).insert(embedder.model().fingerprint.clone(), Loaded::Engine(embedder));
        encoder
    }

    /// An encoder that knows the model in the program alone.
    pub fn without_model() -> Self {
        Encoder::new(EngineChoice::Auto, Models::open(""))
    }

    /// The engine, started if it was not.
    ///
    /// # Errors
    /// Where a library that was named is not there or does not load.
    pub(super) fn engine(&self) -> Result<Engine> {
        select(&self.choice)
    }

    /// The model of a record.
    ///
    /// # Errors
    /// Where it is not here, or another one of its name is.
    pub(super) fn model_of(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let loaded = guarded(&self.loaded).values().map(Loaded::model).find(|own| record_of(own).agrees_with(record));
        loaded.map_or_else(|| self.models.recorded(record), Ok)
    }

    /// The vector of a question, by a table where one can give it, otherwise by the model.
    ///
    /// # Errors
    /// Where a table was asked for and cannot be used, or the model fails.
    pub(super) fn encode_by(
        &self,
        choice: QueryEncoder,
        at: &TableAt,
        model: &Arc<Model>,
        query: &str,
    ) -> Result<Encoded> {
        let (told, wrong) = match self.tables.encode(choice, at, model, query)? {
            Ok(encoded) => return Ok(encoded),
            Err(Otherwise::Plain) => ("the model".to_owned(), None),
            Err(Otherwise::Told(why)) => (why, None),
            Err(Otherwise::Wrong(why)) => ("the model".to_owned(), Some(why)),
        };
        Ok(Encoded { told, wrong, ..self.encode(model, query)? })
    }

    /// The vector of a question by the model, from where it is kept or made now.
    ///
    /// # Errors
    /// Where the model cannot be loaded or fails.
    fn encode(&self, model: &Arc<Model>, query: &str) -> Result<Encoded> {
        let query: String = query.chars().take(LONGEST_ENCODED).collect();
        let key = (model.fingerprint.clone(), query);
        let start = Instant::now();
        if let Some(read) = guarded(&self.known).get(&key) {
            return Ok(Encoded::by_model(read.clone(), 0.0, milliseconds(start)));
        }
        if let Some(read) = self.kept.as_ref().and_then(|kept| kept.get(model, &key.1)) {
            self.remember(key, &read);
            return Ok(Encoded::by_model(read, 0.0, milliseconds(start)));
        }
        let loaded = guarded(&self.loaded).get(&model.fingerprint).cloned();
        let encoder = match loaded {
            Some(encoder) => encoder,
            None => {
                let encoder = Loaded::load(model, &self.choice)?;
                guarded(&self.loaded).entry(model.fingerprint.clone()).or_insert(encoder).clone()
            }
        };
        let load_ms = milliseconds(start);
        let start = Instant::now();
        let read = encoder.read(&key.1)?;
        if let Some(kept) = &self.kept {
            // A store that cannot be written to is searched as well; the next process makes the vector again.
            kept.put(model, &key.1, &read).unwrap_or_default();
        }
        self.remember(key, &read);
        Ok(Encoded::by_model(read, load_ms, milliseconds(start)))
    }

    fn remember(&self, key: (String, String), read: &AsRead) {
        let mut known = guarded(&self.known);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(key, read.clone());
    }
}

/// A lock that a panic has poisoned still guards a sound map: what is in it was put in whole.
fn guarded<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

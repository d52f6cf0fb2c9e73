//! Questions to vectors.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::trace::milliseconds;
use crate::embed::{DirectEncoder, Embedder, Engine, EngineChoice, Model, Source, select};
use crate::error::Result;

/// A question is cut to so many characters for the model, which reads far fewer.
pub(super) const LONGEST_ENCODED: usize = 4000;

/// So many vectors of questions (6 MB) are kept; then all are forgotten.
const MOST_KNOWN: usize = 4096;

/// Questions to vectors. The model is loaded when the first question needs it.
#[derive(Clone)]
pub struct Encoder {
    model: Arc<Model>,
    choice: EngineChoice,
    loaded: Arc<OnceLock<Loaded>>,
    /// The same question is asked again: in another way, by another user, by a fallback.
    known: Arc<Mutex<HashMap<String, Vec<f32>>>>,
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

    fn embed(&self, query: &str) -> Result<Vec<f32>> {
        match self {
            Loaded::Engine(embedder) => embedder.embed_query(query),
            Loaded::Direct(encoder) => encoder.embed_query(query),
        }
    }
}

impl Encoder {
    /// An encoder with a model, on the engine that `choice` leads to.
    pub fn new(choice: EngineChoice, model: Arc<Model>) -> Self {
        Encoder { model, choice, loaded: Arc::new(OnceLock::new()), known: Arc::default() }
    }

    /// An encoder with a model that is loaded already.
    pub fn with(embedder: Arc<Embedder>) -> Self {
        let (model, choice) = (embedder.model().clone(), EngineChoice::Auto);
        Encoder { model, choice, loaded: Arc::new(OnceLock::from(Loaded::Engine(embedder))), known: Arc::default() }
    }

    /// The model.
    pub(super) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The engine, started if it was not.
    ///
    /// # Errors
    /// Where a library that was named is not there or does not load.
    pub(super) fn engine(&self) -> Result<Engine> {
        select(&self.choice)
    }

    /// The vector of a question, and the milliseconds that loading the model and running it took.
    pub(super) fn encode(&self, query: &str) -> Result<(Vec<f32>, f64, f64)> {
        let query: String = query.chars().take(LONGEST_ENCODED).collect();
        // A lock that a panic has poisoned still guards a sound map: vectors are put in whole.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        if let Some(vector) = known().get(&query) {
            return Ok((vector.clone(), 0.0, milliseconds(start)));
        }
        let encoder = match self.loaded.get() {
            Some(encoder) => encoder.clone(),
            None => {
                let encoder = Loaded::load(&self.model, &self.choice)?;
                self.loaded.get_or_init(|| encoder).clone()
            }
        };
        let loaded = milliseconds(start);
        let start = Instant::now();
        let vector = encoder.embed(&query)?;
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(query, vector.clone());
        Ok((vector, loaded, milliseconds(start)))
    }
}

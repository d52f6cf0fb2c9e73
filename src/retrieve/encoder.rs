//! Questions to vectors.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::trace::milliseconds;
use crate::embed::{Embedder, Engine, EngineChoice, Model, select};
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
    loaded: Arc<OnceLock<Arc<Embedder>>>,
    /// The same question is asked again: in another way, by another user, by a fallback.
    known: Arc<Mutex<HashMap<String, Vec<f32>>>>,
}

impl Encoder {
    /// An encoder with a model, on the engine that `choice` leads to.
    pub fn new(choice: EngineChoice, model: Arc<Model>) -> Self {
        Encoder { model, choice, loaded: Arc::new(OnceLock::new()), known: Arc::default() }
    }

    /// An encoder with a model that is loaded already.
    pub fn with(embedder: Arc<Embedder>) -> Self {
        let (model, choice) = (embedder.model().clone(), EngineChoice::Auto);
        Encoder { model, choice, loaded: Arc::new(OnceLock::from(embedder)), known: Arc::default() }
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
        let embedder = match self.loaded.get() {
            Some(embedder) => embedder.clone(),
            None => {
                let embedder = Arc::new(Embedder::for_queries(&select(&self.choice)?, &self.model)?);
                self.loaded.get_or_init(|| embedder).clone()
            }
        };
        let loaded = milliseconds(start);
        let start = Instant::now();
        let vector = embedder.embed_query(&query)?;
        let mut known = known();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(query, vector.clone());
        Ok((vector, loaded, milliseconds(start)))
    }
}

//! Sessions of an engine that run an embedding model.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard};

use fastembed::{
    InitOptionsUserDefined, OutputKey, QuantizationMode, SingleBatchOutput, TextEmbedding, UserDefinedEmbeddingModel,
};
use ndarray::{ArrayView2, ArrayView3, Axis, Ix3};
use tokenizers::Encoding;

use super::crash::catch_crash;
use super::engine::{Engine, other_engine};
use super::model::{Model, Pooling, Quantization, VectorOutput};
use crate::error::{Error, NextStep, Result, Setting};
use crate::threads::in_threads;

/// The most bytes of weights in all sessions on tract together: multilingual-e5-small eight times, bge-m3 once.
const MOST_WEIGHTS: u64 = 4 << 30;

/// A model on an engine, with one session per worker. A session runs one batch at a time.
pub(super) struct Sessions {
    model: Arc<Model>,
    pub(super) engine: Engine,
    pub(super) sessions: Vec<Mutex<TextEmbedding>>,
}

impl Sessions {
    /// Loads up to `jobs` sessions on tract, which uses one core for each; on ONNX Runtime, one session on `jobs`
    /// cores.
    ///
    /// # Errors
    /// The model's files cannot be read, or the engine rejects the model.
    pub(super) fn load(engine: &Engine, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        let (sessions, threads) = match engine {
            Engine::Tract => (sessions_on_tract(model.source.weights(), jobs), 1),
            Engine::OnnxRuntime { .. } => (1, jobs.max(1)),
        };
        let load = |_| load_session(engine, model, threads);
        let crashed = || Error::failed(format!("loading the embedding model {} crashed", model.name));
        let sessions = in_threads(sessions, load, crashed)?.into_iter().map(Mutex::new).collect();
        Ok(Sessions { model: model.clone(), engine: engine.clone(), sessions })
    }

    /// # Errors
    /// The engine has crashed.
    pub(super) fn session(&self, worker: usize) -> Result<MutexGuard<'_, TextEmbedding>> {
        self.sessions[worker].lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))
    }

    /// The vectors of texts, in one batch.
    ///
    /// # Errors
    /// The engine fails.
    pub(super) fn embed(&self, worker: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
        embed(&mut *self.session(worker)?, &self.engine, &self.model, texts)
    }

    /// Whether the model gives vectors of tokens.
    ///
    /// # Errors
    /// The engine fails.
    pub(super) fn gives_token_vectors(&self) -> Result<bool> {
        Ok(token_vectors(&self.outputs(0, &["a"])?).is_some())
    }

    /// Runs texts in one batch and passes `each` the tokens of each text with their vectors, `[tokens, dimension]`.
    /// Some tokens are padding.
    ///
    /// # Errors
    /// The engine or the tokenizer fails, or the model gives no vectors of tokens.
    pub(super) fn read(
        &self,
        worker: usize,
        texts: &[&str],
        mut each: impl FnMut(&Encoding, ArrayView2<'_, f32>) -> Result<()>,
    ) -> Result<()> {
        let output = self.outputs(worker, texts)?;
        let vectors = token_vectors(&output).filter(|vectors| vectors.dim().0 == texts.len());
        let vectors = vectors.ok_or_else(|| Error::failed("the embedding model gave no vectors of tokens"))?;
        let encoded = self.session(worker)?.tokenizer.encode_batch(texts.to_vec(), true);
        let encodings = encoded.map_err(|error| tokenizer_failed(&self.model, &error))?;
        encodings.iter().zip(vectors.axis_iter(Axis(0))).try_for_each(|(encoding, vectors)| each(encoding, vectors))
    }

    fn outputs(&self, worker: usize, texts: &[&str]) -> Result<SingleBatchOutput> {
        let mut session = self.session(worker)?;
        let output = catch_crash(&named(&self.model), || {
            session.transform(texts, Some(texts.len().max(1))).map_err(|error| failed(&self.model, &self.engine, error))
        })?;
        output.into_raw().pop().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }
}

/// The number of sessions on tract for a model with these bytes of weights, which each session holds.
fn sessions_on_tract(weights: u64, jobs: usize) -> usize {
    usize::try_from(MOST_WEIGHTS / weights.max(1)).unwrap_or(usize::MAX).clamp(1, jobs.max(1))
}

/// The vectors of tokens, `[texts, tokens, dimension]`; `None` if the model gives other vectors.
fn token_vectors(output: &SingleBatchOutput) -> Option<ArrayView3<'_, f32>> {
    const OUTPUTS: &[OutputKey] = &[OutputKey::OnlyOne, OutputKey::ByName("last_hidden_state")];
    output.select_output(&OUTPUTS).ok()?.into_dimensionality::<Ix3>().ok()
}

fn failed(model: &Model, engine: &Engine, error: fastembed::Error) -> Error {
    let message = |reason: &str| Error::failed(format!("{} failed on {}: {reason}", named(model), engine.name()));
    engine.failure(error, message, other_engine)
}

pub(super) fn tokenizer_failed(model: &Model, error: &tokenizers::Error) -> Error {
    Error::failed(format!("the tokenizer of {} failed: {error}", named(model)))
}

/// The model's name in errors.
pub(super) fn named(model: &Model) -> String {
    format!("the embedding model {}", model.name)
}

/// Embeds texts in one batch.
pub(super) fn embed(
    session: &mut TextEmbedding,
    engine: &Engine,
    model: &Model,
    texts: &[Cow<'_, str>],
) -> Result<Vec<Vec<f32>>> {
    catch_crash(&named(model), || {
        session.embed(texts, Some(texts.len().max(1))).map_err(|error| failed(model, engine, error))
    })
}

pub(super) fn load_session(engine: &Engine, model: &Model, threads: usize) -> Result<TextEmbedding> {
    let bytes = model.source.bytes()?;
    let config = &model.embedding_config;
    let mut user_defined = UserDefinedEmbeddingModel::new(bytes.graph.into_owned(), bytes.tokenizer)
        .with_pooling(match config.pooling {
            Pooling::Mean => fastembed::Pooling::Mean,
            Pooling::Cls => fastembed::Pooling::Cls,
        })
        .with_quantization(match config.quantization {
            Quantization::None => QuantizationMode::None,
            Quantization::Static => QuantizationMode::Static,
            Quantization::Dynamic => QuantizationMode::Dynamic,
        });
    for (name, bytes) in bytes.external {
        user_defined = user_defined.with_external_initializer(name, bytes);
    }
    user_defined.output_key = match config.output {
        VectorOutput::Usual => None,
        VectorOutput::SentenceEmbedding => Some(OutputKey::ByName("sentence_embedding")),
    };
    let options = InitOptionsUserDefined::new()
        .with_max_length(config.max_tokens)
        .with_intra_threads(threads)
        .with_execution_providers(engine.device().providers());
    catch_crash(&named(model), || {
        TextEmbedding::try_new_from_user_defined(user_defined, options).map_err(|error| {
            let (add, other) = (NextStep::AddModel(&model.name), Setting("onnxruntime"));
            let message = |reason: &str| Error::failed(format!("cannot load {}: {reason}", named(model)));
            engine.failure(error, message, || format!("add it again with `{add}`, or try the other engine ({other})"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_model_is_not_loaded_for_every_core() {
        assert_eq!(sessions_on_tract(Model::embedded().source.weights(), 16), 16);
        assert_eq!(sessions_on_tract(470 << 20, 16), 8);
        assert_eq!(sessions_on_tract(2200 << 20, 16), 1);
        assert_eq!((sessions_on_tract(1 << 40, 2), sessions_on_tract(0, 0)), (1, 1));
    }
}

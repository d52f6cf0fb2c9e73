//! An embedding model on an engine.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use fastembed::{InitOptionsUserDefined, OutputKey, QuantizationMode, TextEmbedding, UserDefinedEmbeddingModel};

use super::crash::guarded;
use super::engine::Engine;
use super::model::{Model, Pooling, Quantization, VectorOutput};
use super::sense;
use crate::error::{Error, NextStep, Result, Setting};

/// Texts in a batch. Measured on two cores: larger batches only pad more.
const BATCH: usize = 16;

/// A loaded model, ready to embed.
pub struct Embedder {
    model: Arc<Model>,
    engine: Engine,
    /// One session per worker thread; a session runs one batch at a time.
    sessions: Vec<Mutex<TextEmbedding>>,
}

impl Embedder {
    /// Loads a model: `jobs` sessions on tract, which uses one core each; on ONNX Runtime one session that
    /// uses `jobs` cores.
    ///
    /// # Errors
    /// The model's files cannot be read, or the engine rejects the model.
    pub fn load(engine: &Engine, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        let (sessions, threads) = match engine {
            Engine::Tract => (jobs.max(1), 1),
            Engine::OnnxRuntime { .. } => (1, jobs.max(1)),
        };
        let load = |_| load_session(engine, model, threads);
        let crashed = || Error::failed(format!("loading the embedding model {} crashed", model.name));
        let loaded = in_threads(sessions, load, crashed)?;
        let sessions = loaded.into_iter().map(Mutex::new).collect();
        Ok(Embedder { model: model.clone(), engine: engine.clone(), sessions })
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How well the model can read a text, from 0 to 1: at most what its languages and its tokenizer allow.
    ///
    /// # Errors
    /// The engine has crashed.
    pub fn reads(&self, text: &str) -> Result<f32> {
        let session = self.session(0)?;
        Ok(self.model.embedding_config.languages.share(text).min(sense::share_read(&session.tokenizer, text)))
    }

    /// The vector of a question, of [`EmbeddingConfig::dimension`](super::EmbeddingConfig::dimension) numbers and length 1.
    ///
    /// # Errors
    /// The engine fails.
    pub fn embed_query(&self, question: &str) -> Result<Vec<f32>> {
        let vectors = self.run(0, &[self.model.as_query(question)])?;
        vectors.into_iter().next().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }

    /// The vectors of texts of documents, in their order. Texts of similar length share a batch; `progress` gets the
    /// size of each finished batch, from several threads.
    ///
    /// # Errors
    /// The engine fails on a batch.
    pub fn embed_documents(&self, texts: &[&str], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(texts[i].len()));
        let batch = match self.model.embedding_config.quantization {
            // Otherwise a text's vector would depend on what else is in its batch.
            Quantization::Dynamic => 1,
            Quantization::None | Quantization::Static => BATCH,
        };
        let batches: Vec<&[usize]> = order.chunks(batch).collect();
        let next = AtomicUsize::new(0);
        let work = |session: usize| -> Result<Vec<(usize, Vec<f32>)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| self.model.as_document(texts[i])).collect();
                let vectors = self.run(session, &inputs)?;
                progress(inputs.len());
                done.extend(batch.iter().copied().zip(vectors));
            }
            Ok(done)
        };
        let parts = in_threads(self.sessions.len(), work, || Error::failed("the embedding engine crashed"))?;
        let mut vectors: Vec<(usize, Vec<f32>)> = parts.into_iter().flatten().collect();
        if vectors.len() != texts.len() {
            return Err(Error::failed("the embedding model gave fewer vectors than texts"));
        }
        vectors.sort_unstable_by_key(|(place, _)| *place);
        Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
    }

    fn session(&self, number: usize) -> Result<MutexGuard<'_, TextEmbedding>> {
        self.sessions[number].lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))
    }

    fn run(&self, session: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
        let vectors = embed(&mut *self.session(session)?, &self.engine, &self.model, texts)?;
        let wanted = self.model.embedding_config.dimension;
        match vectors.iter().find(|vector| vector.len() != wanted) {
            None => Ok(vectors),
            Some(vector) => {
                let (name, found) = (&self.model.name, vector.len());
                let message = format!("the embedding model {name} gives vectors of {found} numbers, not of {wanted}");
                Err(Error::failed(message).hint(format!("add it again with `{}`", NextStep::AddModel(name))))
            }
        }
    }
}

/// Runs `work` in as many threads and collects its results in order. `crashed` is the error for a thread that panics.
pub(super) fn in_threads<T: Send>(
    threads: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
    crashed: impl Fn() -> Error,
) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
    })
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
    guarded(&named(model), || {
        session.embed(texts, Some(texts.len().max(1))).map_err(|error| {
            let reason = crate::text::squeeze(&error.to_string());
            Error::failed(format!("{} failed on {}: {reason}", named(model), engine.name()))
                .hint(format!("try the other engine ({}), or another model", Setting("onnxruntime")))
        })
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
    guarded(&named(model), || {
        TextEmbedding::try_new_from_user_defined(user_defined, options).map_err(|error| {
            let (add, engine) = (NextStep::AddModel(&model.name), Setting("onnxruntime"));
            let hint = format!("add it again with `{add}`, or try the other engine ({engine})");
            Error::failed(format!("cannot load {}: {error}", named(model))).hint(hint)
        })
    })
}

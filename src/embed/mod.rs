//! Text to vectors: the model that is shipped with the program or another one, and the engine that runs it.
//!
//! Vectors have length 1, so a dot product is the cosine. The same text gives the same vector whatever engine runs
//! the model and whatever else is in the batch, within 0.0005 in the cosine.

pub mod bert;
mod crash;
mod cross_encoder;
mod cross_encoder_folder;
mod device;
mod direct;
mod embedding_folder;
mod engine;
mod folder;
mod model;
mod outline;
pub(crate) mod protobuf;
pub mod query_table;
mod sense;
mod tokens;
mod trial;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fastembed::{
    InitOptionsUserDefined, OutputKey, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};

pub use crash::on_engine_crash;
pub use cross_encoder::CrossEncoder;
pub use device::{Device, devices, slow_processor};
pub use direct::DirectEncoder;
pub(crate) use embedding_folder::{EmbeddingFolder, SaidHabits, usual_tokens};
pub use engine::{Engine, EngineChoice, select, select_at_hand};
pub(crate) use folder::ModelFolder;
pub use model::{
    Coverage, EMBEDDED, Habits, Model, ModelFiles, Pooling, Quantization, Source, VectorOutput, is_known_word,
};
pub use tokens::TokenCounter;
pub(crate) use trial::try_out;

use crash::guarded;

use crate::error::{Error, Result};

/// How many texts go through the model at once. Measured on two cores: larger batches only pad more.
const BATCH: usize = 16;

/// A loaded model, ready to embed.
pub struct Embedder {
    model: Arc<Model>,
    engine: Engine,
    /// One session per worker thread; a session can only do one thing at a time.
    sessions: Vec<Mutex<TextEmbedding>>,
}

impl Embedder {
    /// Loads a model for single questions: one session.
    ///
    /// # Errors
    /// Where its files cannot be read, or it cannot be loaded into the engine.
    pub fn for_queries(engine: &Engine, model: &Arc<Model>) -> Result<Self> {
        Embedder::load(engine, model, 1)
    }

    /// Loads a model for many texts: on tract, which uses one core, as many sessions as `jobs`; on ONNX Runtime one
    /// session that uses them all.
    ///
    /// # Errors
    /// As for [`for_queries`](Self::for_queries).
    pub fn for_documents(engine: &Engine, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        Embedder::load(engine, model, jobs.max(1))
    }

    fn load(engine: &Engine, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        let (sessions, threads) = match engine {
            Engine::Tract => (jobs, 1),
            Engine::OnnxRuntime { .. } => (1, jobs),
        };
        let loaded: Result<Vec<_>> = std::thread::scope(|scope| {
            let handles: Vec<_> =
                (0..sessions).map(|_| scope.spawn(move || load_session(engine, model, threads))).collect();
            handles
                .into_iter()
                .map(|handle| {
                    handle.join().unwrap_or_else(|_| {
                        Err(Error::failed(format!("loading the embedding model {} crashed", model.name)))
                    })
                })
                .collect()
        });
        let sessions = loaded?.into_iter().map(Mutex::new).collect();
        Ok(Embedder { model: model.clone(), engine: engine.clone(), sessions })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The engine that runs it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How well the model can read a text, from 0 to 1: no better than its languages and its tokenizer allow.
    ///
    /// # Errors
    /// Where the engine has crashed.
    pub fn reads(&self, text: &str) -> Result<f32> {
        let session = self.sessions.first().ok_or_else(|| Error::failed("the embedding model is not loaded"))?;
        let session = session.lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))?;
        Ok(self.model.habits.languages.share(text).min(sense::share_read(&session.tokenizer, text)))
    }

    /// The vector of a question, of [`Habits::dimension`] numbers and length 1.
    ///
    /// # Errors
    /// Where the engine fails.
    pub fn embed_query(&self, question: &str) -> Result<Vec<f32>> {
        let vectors = self.run(0, &[self.model.as_query(question)])?;
        vectors.into_iter().next().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }

    /// The vectors of passages, in their order. Texts of similar length go through the model together; `progress` is
    /// told how many are done, from several threads.
    ///
    /// # Errors
    /// Where the engine fails on any batch.
    pub fn embed_passages(&self, texts: &[&str], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>> {
        self.embed_all(texts, |text| self.model.as_passage(text), progress)
    }

    /// The vectors of questions, as those of passages.
    ///
    /// # Errors
    /// As for [`embed_passages`](Self::embed_passages).
    pub fn embed_queries(&self, texts: &[&str], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>> {
        self.embed_all(texts, |text| self.model.as_query(text), progress)
    }

    fn embed_all<'t>(
        &self,
        texts: &[&'t str],
        put: impl Fn(&'t str) -> Cow<'t, str> + Sync,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<f32>>> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(texts[i].len()));
        let batch = match self.model.habits.quantization {
            // Otherwise a text's vector would depend on what else is in its batch.
            Quantization::Dynamic => 1,
            Quantization::None | Quantization::Static => BATCH,
        };
        let batches: Vec<&[usize]> = order.chunks(batch).collect();
        let next = AtomicUsize::new(0);
        let work = |session: usize| -> Result<Vec<(usize, Vec<f32>)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| put(texts[i])).collect();
                let vectors = self.run(session, &inputs)?;
                progress(inputs.len());
                done.extend(batch.iter().copied().zip(vectors));
            }
            Ok(done)
        };
        let parts: Result<Vec<_>> = std::thread::scope(|scope| {
            let work = &work;
            let handles: Vec<_> = (0..self.sessions.len()).map(|i| scope.spawn(move || work(i))).collect();
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|_| Err(Error::failed("the embedding engine crashed"))))
                .collect()
        });
        let by_index: BTreeMap<usize, Vec<f32>> = parts?.into_iter().flatten().collect();
        if by_index.len() != texts.len() {
            return Err(Error::failed("the embedding model gave fewer vectors than texts"));
        }
        Ok(by_index.into_values().collect())
    }

    fn run(&self, session: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
        let mut session =
            self.sessions[session].lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))?;
        let (name, engine) = (&self.model.name, self.engine.name());
        let vectors = guarded(&named(&self.model), || {
            session.embed(texts, Some(texts.len().max(1))).map_err(|error| {
                Error::failed(format!("the embedding model {name} failed on {engine}: {error}"))
                    .hint("try the other engine: --onnxruntime off runs the model in pure Rust")
            })
        })?;
        let wanted = self.model.habits.dimension;
        match vectors.iter().find(|vector| vector.len() != wanted) {
            Some(vector) => {
                let gives = vector.len();
                Err(Error::failed(format!(
                    "the embedding model {name} gives vectors of {gives} numbers, not of {wanted}"
                ))
                .hint("add it again with `kb models add`"))
            }
            None => Ok(vectors),
        }
    }
}

/// How it is called in errors.
fn named(model: &Model) -> String {
    format!("the embedding model {}", model.name)
}

fn load_session(engine: &Engine, model: &Model, threads: usize) -> Result<TextEmbedding> {
    let bytes = model.bytes()?;
    let files = TokenizerFiles {
        tokenizer_file: bytes.tokenizer.into_owned(),
        config_file: bytes.config.into_owned(),
        special_tokens_map_file: bytes.special_tokens.into_owned(),
        tokenizer_config_file: bytes.tokenizer_config.into_owned(),
    };
    let habits = &model.habits;
    let mut user_defined = UserDefinedEmbeddingModel::new(bytes.graph.into_owned(), files)
        .with_pooling(match habits.pooling {
            Pooling::Mean => fastembed::Pooling::Mean,
            Pooling::Cls => fastembed::Pooling::Cls,
        })
        .with_quantization(match habits.quantization {
            Quantization::None => QuantizationMode::None,
            Quantization::Static => QuantizationMode::Static,
            Quantization::Dynamic => QuantizationMode::Dynamic,
        });
    for (name, bytes) in bytes.external {
        user_defined = user_defined.with_external_initializer(name, bytes);
    }
    user_defined.output_key = match habits.output {
        VectorOutput::Usual => None,
        VectorOutput::SentenceEmbedding => Some(OutputKey::ByName("sentence_embedding")),
    };
    let options = InitOptionsUserDefined::new()
        .with_max_length(habits.max_tokens)
        .with_intra_threads(threads)
        .with_execution_providers(engine.device().providers());
    guarded(&named(model), || {
        TextEmbedding::try_new_from_user_defined(user_defined, options).map_err(|error| {
            Error::failed(format!("cannot load the embedding model {}: {error}", model.name))
                .hint("add it again with `kb models add`, or try the other engine (--onnxruntime)")
        })
    })
}

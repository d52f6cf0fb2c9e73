//! Text to vectors: the model that is shipped with the program, and the engine that runs it.
//!
//! Vectors have length 1, so a dot product is the cosine. The same text gives the same vector whatever engine runs
//! the model and whatever else is in the batch, within 0.0005 in the cosine.

mod crash;
mod cross_encoder;
mod cross_encoder_folder;
mod engine;
mod model;
mod outline;
mod tokens;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastembed::{
    InitOptionsUserDefined, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};

pub use crash::on_engine_crash;
pub use cross_encoder::CrossEncoder;
pub use engine::{Engine, EngineChoice, select};
pub use model::{MODEL, Model, is_known_word};
pub use tokens::TokenCounter;

use crate::error::{Error, Result};

/// How many texts go through the model at once. Measured on two cores: larger batches only pad more.
const BATCH: usize = 16;

/// A loaded model, ready to embed.
pub struct Embedder {
    engine: Engine,
    /// One session per worker thread; a session can only do one thing at a time.
    sessions: Vec<Mutex<TextEmbedding>>,
}

impl Embedder {
    /// Loads the embedded model for single questions: one session.
    ///
    /// # Errors
    /// Where the engine cannot be started or the model not be loaded into it.
    pub fn for_queries(engine: &Engine) -> Result<Self> {
        Embedder::load(engine, 1)
    }

    /// Loads the embedded model for many texts: on tract, which uses one core, as many sessions as `jobs`; on ONNX
    /// Runtime one session that uses them all.
    ///
    /// # Errors
    /// As for [`for_queries`](Self::for_queries).
    pub fn for_documents(engine: &Engine, jobs: usize) -> Result<Self> {
        Embedder::load(engine, jobs.max(1))
    }

    fn load(engine: &Engine, jobs: usize) -> Result<Self> {
        let (sessions, threads) = match engine {
            Engine::Tract => (jobs, 1),
            Engine::OnnxRuntime { .. } => (1, jobs),
        };
        let loaded: Result<Vec<_>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..sessions).map(|_| scope.spawn(move || load_session(threads))).collect();
            handles
                .into_iter()
                .map(|handle| {
                    handle.join().unwrap_or_else(|_| Err(Error::failed("loading the embedding model crashed")))
                })
                .collect()
        });
        Ok(Embedder { engine: engine.clone(), sessions: loaded?.into_iter().map(Mutex::new).collect() })
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        &MODEL
    }

    /// The engine that runs it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The vector of one text, of [`Model::dimension`] numbers and length 1.
    ///
    /// # Errors
    /// Where the engine fails.
    pub fn embed_one(&self, text: &str) -> Result<Vec<f32>> {
        let vectors = self.run(0, &[text])?;
        vectors.into_iter().next().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }

    /// The vectors of `texts`, in their order. Texts of similar length go through the model together; `progress` is
    /// told how many are done, from several threads.
    ///
    /// # Errors
    /// Where the engine fails on any batch.
    pub fn embed_all(&self, texts: &[&str], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(texts[i].len()));
        let batches: Vec<&[usize]> = order.chunks(BATCH).collect();
        let next = AtomicUsize::new(0);
        let work = |session: usize| -> Result<Vec<(usize, Vec<f32>)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let inputs: Vec<&str> = batch.iter().map(|&i| texts[i]).collect();
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

    fn run(&self, session: usize, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut session =
            self.sessions[session].lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))?;
        session.embed(texts, Some(texts.len().max(1))).map_err(|error| {
            Error::failed(format!("the embedding model failed on {}: {error}", self.engine.name()))
                .hint("try the other engine: --onnxruntime off runs the model in pure Rust")
        })
    }
}

fn load_session(threads: usize) -> Result<TextEmbedding> {
    let files = TokenizerFiles {
        tokenizer_file: model::TOKENIZER.to_vec(),
        config_file: model::CONFIG.to_vec(),
        special_tokens_map_file: model::SPECIAL_TOKENS.to_vec(),
        tokenizer_config_file: model::TOKENIZER_CONFIG.to_vec(),
    };
    let user_defined = UserDefinedEmbeddingModel::new(model::ONNX.to_vec(), files)
        .with_pooling(Pooling::Mean)
        .with_quantization(QuantizationMode::None);
    let options = InitOptionsUserDefined::new().with_max_length(MODEL.max_tokens).with_intra_threads(threads);
    TextEmbedding::try_new_from_user_defined(user_defined, options)
        .map_err(|error| Error::failed(format!("cannot load the embedding model {}: {error}", MODEL.name)))
}

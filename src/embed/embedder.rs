//! An embedding model on an engine.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use fastembed::{
    InitOptionsUserDefined, OutputKey, QuantizationMode, SingleBatchOutput, TextEmbedding, UserDefinedEmbeddingModel,
};
use ndarray::{ArrayView3, Axis, Ix3};
use tokenizers::{Encoding, Tokenizer};

use super::crash::guarded;
use super::engine::Engine;
use super::late_chunking::{ParentVectors, Pass, Sums, passes};
use super::model::{Model, Pooling, Quantization, VectorOutput};
use super::sense;
use crate::chunk::EmbeddedText;
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
        let work = |session: usize, batch: &[usize]| {
            let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| self.model.as_document(texts[i])).collect();
            let vectors = self.run(session, &inputs)?;
            progress(inputs.len());
            Ok(vectors)
        };
        self.in_batches(texts, work)
    }

    /// The vectors of parent chunks and their child chunks, in their order. A model that takes the mean of its tokens
    /// reads a parent chunk as a whole; others read each child chunk by itself, and the parent chunk has their mean.
    /// `progress` gets the numbers of child chunks that are finished, from several threads.
    ///
    /// # Errors
    /// The engine fails on a batch.
    pub fn embed_parents(
        &self,
        texts: &[&EmbeddedText],
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<ParentVectors>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        if self.gives_token_vectors()? { self.read_whole(texts, progress) } else { self.read_alone(texts, progress) }
    }

    fn gives_token_vectors(&self) -> Result<bool> {
        let config = &self.model.embedding_config;
        if config.pooling != Pooling::Mean || config.output != VectorOutput::Usual {
            return Ok(false);
        }
        let output = self.outputs(0, &["a"])?;
        Ok(token_vectors(&output).is_some())
    }

    /// Reads child chunks by themselves.
    fn read_alone(&self, texts: &[&EmbeddedText], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<ParentVectors>> {
        let alone: Vec<String> =
            texts.iter().flat_map(|text| (0..text.children.len()).map(|child| text.alone(child))).collect();
        let alone: Vec<&str> = alone.iter().map(String::as_str).collect();
        let mut vectors = self.embed_documents(&alone, progress)?.into_iter();
        let of =
            |text: &&EmbeddedText| ParentVectors::of_children(vectors.by_ref().take(text.children.len()).collect());
        Ok(texts.iter().map(of).collect())
    }

    /// Reads parent chunks as a whole, those that are too long in parts.
    fn read_whole(&self, texts: &[&EmbeddedText], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<ParentVectors>> {
        let (tokenizer, most) = (self.whole_tokenizer()?, self.model.embedding_config.max_tokens);
        let passes: Vec<(usize, Pass)> = texts
            .iter()
            .enumerate()
            .flat_map(|(place, text)| passes(text, &tokenizer, most).into_iter().map(move |pass| (place, pass)))
            .collect();
        let dimension = self.model.embedding_config.dimension;
        let sums: Vec<Mutex<Sums>> =
            texts.iter().map(|text| Mutex::new(Sums::new(text.children.len(), dimension))).collect();
        let work = |session: usize, batch: &[usize]| {
            let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| self.model.as_document(&passes[i].1.text)).collect();
            let output = self.outputs(session, &inputs)?;
            let vectors =
                token_vectors(&output).ok_or_else(|| Error::failed("the embedding model gave no vectors of tokens"))?;
            if vectors.dim().0 != batch.len() || vectors.dim().2 != dimension {
                return Err(self.of_other_size(vectors.dim().2));
            }
            let encodings = self.encoded(session, &inputs)?;
            let mut finished = 0;
            for (((&i, input), encoding), vectors) in
                batch.iter().zip(&inputs).zip(&encodings).zip(vectors.axis_iter(Axis(0)))
            {
                let (place, pass) = &passes[i];
                let mut sums = sums[*place].lock().map_err(|_| Error::failed("the embedding engine crashed"))?;
                sums.add(pass, encoding, input.len() - pass.text.len(), vectors);
                finished += pass.parts.len();
            }
            progress(finished);
            Ok(vec![(); batch.len()])
        };
        let lengths: Vec<&str> = passes.iter().map(|(_, pass)| pass.text.as_str()).collect();
        self.in_batches(&lengths, work)?;
        let vectors = |sums: Mutex<Sums>| {
            let sums = sums.into_inner().map_err(|_| Error::failed("the embedding engine crashed"))?;
            Ok(sums.vectors())
        };
        sums.into_iter().map(vectors).collect()
    }

    /// Does `work` for all texts, given by their places, in batches of texts of similar length; each session works on a
    /// thread of its own. The results are in the order of the texts.
    fn in_batches<T: Send>(
        &self,
        texts: &[&str],
        work: impl Fn(usize, &[usize]) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(texts[i].len()));
        let batch = match self.model.embedding_config.quantization {
            // Otherwise a text's vector would depend on what else is in its batch.
            Quantization::Dynamic => 1,
            Quantization::None | Quantization::Static => BATCH,
        };
        let batches: Vec<&[usize]> = order.chunks(batch).collect();
        let next = AtomicUsize::new(0);
        let work = |session: usize| -> Result<Vec<(usize, T)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.extend(batch.iter().copied().zip(work(session, batch)?));
            }
            Ok(done)
        };
        let parts = in_threads(self.sessions.len(), work, || Error::failed("the embedding engine crashed"))?;
        let mut results: Vec<(usize, T)> = parts.into_iter().flatten().collect();
        if results.len() != texts.len() {
            return Err(Error::failed("the embedding model gave fewer vectors than texts"));
        }
        results.sort_unstable_by_key(|(place, _)| *place);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn session(&self, number: usize) -> Result<MutexGuard<'_, TextEmbedding>> {
        self.sessions[number].lock().map_err(|_| Error::failed("the embedding engine crashed earlier"))
    }

    fn run(&self, session: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
        let vectors = embed(&mut *self.session(session)?, &self.engine, &self.model, texts)?;
        let wanted = self.model.embedding_config.dimension;
        match vectors.iter().find(|vector| vector.len() != wanted) {
            None => Ok(vectors),
            Some(vector) => Err(self.of_other_size(vector.len())),
        }
    }

    fn of_other_size(&self, found: usize) -> Error {
        let (name, wanted) = (&self.model.name, self.model.embedding_config.dimension);
        Error::failed(format!("the embedding model {name} gives vectors of {found} numbers, not of {wanted}"))
            .hint(format!("add it again with `{}`", NextStep::AddModel(name)))
    }

    /// What the model gives for a batch of texts.
    fn outputs(&self, session: usize, texts: &[impl AsRef<str> + Send + Sync]) -> Result<SingleBatchOutput> {
        let mut session = self.session(session)?;
        let output = guarded(&named(&self.model), || {
            session
                .transform(texts, Some(texts.len().max(1)))
                .map_err(|error| failed(&self.model, &self.engine, &error))
        })?;
        output.into_raw().pop().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }

    /// The tokens of texts, as the model gets them.
    fn encoded(&self, session: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Encoding>> {
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        self.session(session)?.tokenizer.encode_batch(texts, true).map_err(|error| self.untokenized(&error))
    }

    /// The model's tokenizer, which truncates nothing.
    fn whole_tokenizer(&self) -> Result<Tokenizer> {
        let mut tokenizer = self.session(0)?.tokenizer.clone();
        tokenizer.with_truncation(None).map_err(|error| self.untokenized(&error))?.with_padding(None);
        Ok(tokenizer)
    }

    fn untokenized(&self, error: &tokenizers::Error) -> Error {
        Error::failed(format!("the tokenizer of {} failed: {error}", named(&self.model)))
    }
}

/// The vectors of tokens, `[texts, tokens, dimension]`; `None` where the model gives other vectors.
fn token_vectors(output: &SingleBatchOutput) -> Option<ArrayView3<'_, f32>> {
    const OUTPUTS: &[OutputKey] = &[OutputKey::OnlyOne, OutputKey::ByName("last_hidden_state")];
    output.select_output(&OUTPUTS).ok()?.into_dimensionality::<Ix3>().ok()
}

fn failed(model: &Model, engine: &Engine, error: &fastembed::Error) -> Error {
    let reason = crate::text::squeeze(&error.to_string());
    Error::failed(format!("{} failed on {}: {reason}", named(model), engine.name()))
        .hint(format!("try the other engine ({}), or another model", Setting("onnxruntime")))
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
        session.embed(texts, Some(texts.len().max(1))).map_err(|error| failed(model, engine, &error))
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

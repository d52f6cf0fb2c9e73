//! A loaded embedding model.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ndarray::ArrayView2;
use tokenizers::Encoding;

use super::endpoint::Endpoint;
use super::engine::{Engine, EngineChoice, select};
use super::late_chunking::{ParentVectors, Pass, Sums, passes};
use super::minilm::MiniLm;
use super::model::{Model, Pooling, Quantization, Source, VectorOutput};
use super::readability::readable_share;
use super::sessions::{Sessions, tokenizer_failed};
use super::tokens::Encode;
use crate::chunk::EmbeddedText;
use crate::error::{Error, NextStep, Result};
use crate::threads::{cores, in_threads};
use crate::vectors::normalised;

/// Texts in a batch of an engine. Measured on two cores: larger batches only pad more.
const BATCH: usize = 16;
/// Texts in a batch without an engine. Nothing is padded there; larger batches do not fit into the processor's cache.
const BATCH_OF_EMBEDDED: usize = 2;
/// Threads for one question. The matrices of 384 columns are divided into three parts only.
const MOST_THREADS_OF_A_QUESTION: usize = 4;
/// Texts in a request to an endpoint: some accept no more.
const BATCH_OF_ENDPOINT: usize = 32;

/// A loaded model.
pub struct Embedder {
    model: Arc<Model>,
    backend: Backend,
}

/// What computes the vectors.
enum Backend {
    /// kb itself: the embedded model.
    MiniLm(Box<MiniLm>),
    Sessions(Sessions),
    Endpoint(Box<Endpoint>),
}

impl Embedder {
    /// Loads a model that embeds on `jobs` cores. kb computes the embedded model itself, which is faster than both
    /// engines; only an accelerator needs an engine for it.
    ///
    /// # Errors
    /// The engine does not start, the model's files cannot be read, or the engine rejects the model.
    pub fn load(choice: &EngineChoice, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        Embedder::load_on(choice, model, jobs, 1)
    }

    /// Loads a model that embeds one text after another. The embedded model computes each on several cores.
    ///
    /// # Errors
    /// As for [`Embedder::load`].
    pub fn load_for_questions(choice: &EngineChoice, model: &Arc<Model>) -> Result<Self> {
        Embedder::load_on(choice, model, 1, cores().min(MOST_THREADS_OF_A_QUESTION))
    }

    /// `threads` are those of the embedded model for each job.
    fn load_on(choice: &EngineChoice, model: &Arc<Model>, jobs: usize, threads: usize) -> Result<Self> {
        if let Source::Endpoint(settings) = &model.source {
            let endpoint = Endpoint::new(settings, &model.fingerprint)?;
            return Ok(Embedder { model: model.clone(), backend: Backend::Endpoint(Box::new(endpoint)) });
        }
        if !matches!(model.source, Source::Embedded) || matches!(choice, EngineChoice::On(..)) {
            return Embedder::on_engine(&select(choice)?, model, jobs);
        }
        // A named library must load, even if this model does not need it.
        if matches!(choice, EngineChoice::Library(_)) {
            select(choice)?;
        }
        let minilm = MiniLm::load(jobs.max(1), threads)?;
        Ok(Embedder { model: model.clone(), backend: Backend::MiniLm(Box::new(minilm)) })
    }

    /// Loads any model on an engine.
    ///
    /// # Errors
    /// The model's files cannot be read, or the engine rejects the model.
    pub fn on_engine(engine: &Engine, model: &Arc<Model>, jobs: usize) -> Result<Self> {
        Ok(Embedder { model: model.clone(), backend: Backend::Sessions(Sessions::load(engine, model, jobs)?) })
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What computes the vectors, for people.
    pub fn engine_name(&self) -> String {
        match &self.backend {
            Backend::MiniLm(_) => "kb itself".to_owned(),
            Backend::Sessions(sessions) => sessions.engine.name(),
            Backend::Endpoint(endpoint) => endpoint.name(),
        }
    }

    /// How well the model can read a text, from 0 to 1: the smaller of the shares that its languages and its tokenizer
    /// cover.
    ///
    /// # Errors
    /// The engine has crashed.
    pub fn readability(&self, text: &str) -> Result<f32> {
        let of_tokens = match &self.backend {
            Backend::MiniLm(minilm) => readable_share(&minilm.tokenizer, text),
            Backend::Sessions(sessions) => readable_share(&*sessions.session(0)?.tokenizer, text),
            // Its vocabulary is unknown.
            Backend::Endpoint(_) => 1.0,
        };
        Ok(self.model.embedding_config.languages.share(text).min(of_tokens))
    }

    /// The vector of a question, of [`EmbeddingConfig::dimension`](super::EmbeddingConfig::dimension) numbers and
    /// length 1.
    ///
    /// # Errors
    /// The engine fails.
    pub fn embed_query(&self, question: &str) -> Result<Vec<f32>> {
        let vectors = self.embed(0, &[self.model.as_query(question)])?;
        vectors.into_iter().next().ok_or_else(|| Error::failed("the embedding model gave no vector"))
    }

    /// The vectors of texts of documents, in their order. Texts of similar length share a batch; `progress` gets the
    /// size of each finished batch, from several threads.
    ///
    /// # Errors
    /// The engine fails on a batch.
    pub fn embed_documents(&self, texts: &[&str], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>> {
        let work = |worker: usize, batch: &[usize]| {
            let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| self.model.as_document(texts[i])).collect();
            let vectors = self.embed(worker, &inputs)?;
            progress(inputs.len());
            Ok(vectors)
        };
        self.in_batches(texts, work)
    }

    /// The vectors of parent chunks and their child chunks, in their order. A model that takes the mean of its tokens
    /// reads a parent chunk as a whole; others read each child chunk by itself, and the parent chunk has their mean.
    /// `progress` gets the number of child chunks in each finished batch, from several threads.
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
        let takes_the_mean = config.pooling == Pooling::Mean && config.output == VectorOutput::Usual;
        match &self.backend {
            Backend::MiniLm(_) => Ok(true),
            Backend::Sessions(sessions) => Ok(takes_the_mean && sessions.gives_token_vectors()?),
            Backend::Endpoint(_) => Ok(false),
        }
    }

    /// Embeds each child chunk by itself.
    fn read_alone(&self, texts: &[&EmbeddedText], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<ParentVectors>> {
        let alone: Vec<String> =
            texts.iter().flat_map(|text| (0..text.children.len()).map(|child| text.alone(child))).collect();
        let alone: Vec<&str> = alone.iter().map(String::as_str).collect();
        let mut vectors = self.embed_documents(&alone, progress)?.into_iter();
        let of =
            |text: &&EmbeddedText| ParentVectors::of_children(vectors.by_ref().take(text.children.len()).collect());
        Ok(texts.iter().map(of).collect())
    }

    /// Embeds parent chunks as a whole; those that are too long, in parts.
    fn read_whole(&self, texts: &[&EmbeddedText], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<ParentVectors>> {
        let tokenizer = self.whole_tokenizer()?;
        let of_prefix = tokenizer
            .counted(&self.model.embedding_config.document_prefix)
            .map_err(|error| tokenizer_failed(&self.model, &error))?;
        let most = self.model.embedding_config.max_tokens.saturating_sub(of_prefix);
        let passes: Vec<(usize, Pass)> = texts
            .iter()
            .enumerate()
            .flat_map(|(place, text)| passes(text, &*tokenizer, most).into_iter().map(move |pass| (place, pass)))
            .collect();
        let dimension = self.model.embedding_config.dimension;
        let sums: Vec<Mutex<Sums>> =
            texts.iter().map(|text| Mutex::new(Sums::new(text.children.len(), dimension))).collect();
        let work = |worker: usize, batch: &[usize]| {
            let inputs: Vec<Cow<'_, str>> = batch.iter().map(|&i| self.model.as_document(&passes[i].1.text)).collect();
            let mut rest = batch.iter().zip(&inputs);
            self.read(worker, &inputs, |encoding, vectors| {
                let Some((&i, input)) = rest.next() else { return Ok(()) };
                let (place, pass) = &passes[i];
                let mut sums = sums[*place].lock().map_err(|_| crashed())?;
                if vectors.ncols() != dimension {
                    return Err(self.wrong_dimension(vectors.ncols()));
                }
                sums.add(pass, encoding, input.len() - pass.text.len(), vectors);
                Ok(())
            })?;
            progress(batch.iter().map(|&i| passes[i].1.parts.len()).sum());
            Ok(vec![(); batch.len()])
        };
        let lengths: Vec<&str> = passes.iter().map(|(_, pass)| pass.text.as_str()).collect();
        self.in_batches(&lengths, work)?;
        let vectors = |sums: Mutex<Sums>| Ok(sums.into_inner().map_err(|_| crashed())?.vectors());
        sums.into_iter().map(vectors).collect()
    }

    /// Calls `work` for batches of texts of similar length, given by their indices. Each worker has its own thread. The
    /// results are in the order of the texts.
    fn in_batches<T: Send>(
        &self,
        texts: &[&str],
        work: impl Fn(usize, &[usize]) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(texts[i].len()));
        let (workers, batch) = match (&self.backend, self.model.embedding_config.quantization) {
            (Backend::MiniLm(minilm), _) => (minilm.pools.len(), BATCH_OF_EMBEDDED),
            (Backend::Endpoint(endpoint), _) => (endpoint.workers(), BATCH_OF_ENDPOINT),
            // In a larger batch, a text's vector would depend on the other texts.
            (Backend::Sessions(Sessions { sessions, .. }), Quantization::Dynamic) => (sessions.len(), 1),
            (Backend::Sessions(Sessions { sessions, .. }), Quantization::None | Quantization::Static) => {
                (sessions.len(), BATCH)
            }
        };
        let batches: Vec<&[usize]> = order.chunks(batch).collect();
        let next = AtomicUsize::new(0);
        let work = |worker: usize| -> Result<Vec<(usize, T)>> {
            let mut done = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.extend(batch.iter().copied().zip(work(worker, batch)?));
            }
            Ok(done)
        };
        let mut results: Vec<(usize, T)> = in_threads(workers, work, crashed)?.into_iter().flatten().collect();
        if results.len() != texts.len() {
            return Err(Error::failed("the embedding model gave fewer vectors than texts"));
        }
        results.sort_unstable_by_key(|(place, _)| *place);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// The vectors of texts, in one batch.
    fn embed(&self, worker: usize, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
        let vectors = match &self.backend {
            Backend::Sessions(sessions) => sessions.embed(worker, texts)?,
            Backend::Endpoint(endpoint) => endpoint.embed(&texts.iter().map(AsRef::as_ref).collect::<Vec<_>>())?,
            Backend::MiniLm(_) => {
                let mut vectors = Vec::with_capacity(texts.len());
                // The sum has the direction of the mean.
                let sum = |of_tokens: ArrayView2<'_, f32>| of_tokens.sum_axis(ndarray::Axis(0)).to_vec();
                self.read(worker, texts, |_, of_tokens| {
                    vectors.push(normalised(sum(of_tokens)));
                    Ok(())
                })?;
                vectors
            }
        };
        let wanted = self.model.embedding_config.dimension;
        match vectors.iter().find(|vector| vector.len() != wanted) {
            None => Ok(vectors),
            Some(vector) => Err(self.wrong_dimension(vector.len())),
        }
    }

    /// Passes `each` the tokens of each text with their vectors.
    fn read(
        &self,
        worker: usize,
        texts: &[Cow<'_, str>],
        each: impl FnMut(&Encoding, ArrayView2<'_, f32>) -> Result<()>,
    ) -> Result<()> {
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        match &self.backend {
            Backend::MiniLm(minilm) => minilm.read(worker, &texts, each),
            Backend::Sessions(sessions) => sessions.read(worker, &texts, each),
            Backend::Endpoint(_) => Err(no_tokens()),
        }
    }

    fn wrong_dimension(&self, found: usize) -> Error {
        let (name, wanted) = (&self.model.name, self.model.embedding_config.dimension);
        Error::failed(format!("the embedding model {name} gives vectors of {found} numbers, not of {wanted}"))
            .hint(format!("add it again with `{}`", NextStep::AddModel(name)))
    }

    /// The model's tokenizer without truncation.
    fn whole_tokenizer(&self) -> Result<Box<dyn Encode>> {
        let failed = |error| tokenizer_failed(&self.model, &error);
        match &self.backend {
            Backend::MiniLm(minilm) => {
                let mut tokenizer = minilm.tokenizer.clone();
                tokenizer.with_truncation(None).map_err(failed)?;
                Ok(Box::new(tokenizer))
            }
            Backend::Sessions(sessions) => {
                let mut tokenizer = sessions.session(0)?.tokenizer.clone();
                tokenizer.with_truncation(None).map_err(failed)?.with_padding(None);
                Ok(Box::new(tokenizer.into_inner()))
            }
            Backend::Endpoint(_) => Err(no_tokens()),
        }
    }
}

fn crashed() -> Error {
    Error::failed("the embedding engine crashed")
}

/// The error for an endpoint: only models that run here give vectors of tokens.
fn no_tokens() -> Error {
    Error::failed("an endpoint gives no vectors of tokens")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;

    #[test]
    fn a_prefix_pushes_no_text_out_of_the_model() {
        let mut model = Model::clone(&Model::embedded());
        model.embedding_config.document_prefix = "passage ".repeat(100);
        let embedder = Embedder::load(&EngineChoice::Tract, &Arc::new(model), 1).unwrap();
        let long = "pump ".repeat(200);
        let children = [long.as_str(), "Open the valve."];
        let text = EmbeddedText::new("Guide", "", children.into_iter(), &ChunkConfig::default());
        let vectors = embedder.embed_parents(&[&text], &|_| ()).unwrap().remove(0);
        // A child chunk whose tokens the model did not read has the vector of its parent chunk.
        assert_ne!(vectors.children[1], vectors.parent);
    }
}

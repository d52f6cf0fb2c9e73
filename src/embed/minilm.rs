//! The embedded model, computed without an engine.

use std::sync::{Mutex, PoisonError};

use ndarray::ArrayView2;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokenizers::Encoding;

use bytes::Bytes;
use kb_minilm::{HIDDEN, Network};

use super::model::{Model, ONNX};
use super::onnx;
use super::tokens::embedded_tokenizer;
use super::wordpiece::EmbeddedTokenizer;
use crate::error::{Error, Result};

/// The embedded model, ready to read texts.
pub(super) struct MiniLm {
    pub(super) tokenizer: EmbeddedTokenizer,
    network: Network,
    /// Where each worker multiplies matrices, one batch at a time: otherwise a waiting thread may begin another.
    pub(super) pools: Vec<Mutex<ThreadPool>>,
}

impl MiniLm {
    /// Finds the weights in the program, reads the tokenizer and starts the `threads` of each worker.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn load(workers: usize, threads: usize) -> Result<Self> {
        let graph = onnx::graph(Bytes::from_static(ONNX)).expect("the model in the program is valid");
        let constants = graph.constants.into_iter().map(|constant| (constant.name, constant.raw)).collect();
        let pool = |_| ThreadPoolBuilder::new().num_threads(threads).build().map(Mutex::new);
        let pools = (0..workers).map(pool).collect::<Result<_, _>>();
        Ok(MiniLm {
            tokenizer: embedded_tokenizer(Some(Model::embedded().embedding_config.max_tokens)),
            network: Network::new(constants),
            pools: pools.map_err(|error| Error::failed(format!("cannot start a thread: {error}")))?,
        })
    }

    /// Runs texts in one batch and passes `each` the tokens of each text with their vectors, `[tokens, dimension]`.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub(super) fn read(
        &self,
        worker: usize,
        texts: &[&str],
        mut each: impl FnMut(&Encoding, ArrayView2<'_, f32>) -> Result<()>,
    ) -> Result<()> {
        let encoded = texts.iter().map(|text| self.tokenizer.encode(*text, true));
        let encodings = encoded
            .collect::<Result<Vec<Encoding>, _>>()
            .map_err(|error| Error::failed(format!("the tokenizer of the embedding model failed: {error}")))?;
        let tokens: Vec<&[u32]> = encodings.iter().map(Encoding::get_ids).collect();
        let pool = self.pools[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let vectors = pool.install(|| self.network.token_vectors(&tokens));
        drop(pool);
        let mut rest = &vectors[..];
        for encoding in &encodings {
            let (own, others) = rest.split_at(encoding.len() * HIDDEN);
            rest = others;
            let own = ArrayView2::from_shape((encoding.len(), HIDDEN), own).expect("a token has so many numbers");
            each(encoding, own)?;
        }
        Ok(())
    }
}

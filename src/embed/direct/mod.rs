//! The embedded model's vectors of questions, computed on its weights where they lie in the program.
//!
//! Before an engine runs a model, it reads the graph, optimises it and lays out all weights as float32: a quarter of a
//! second, spent for one short text. Here the int8 weights are read in place and widened one matrix at a time. The vector
//! equals the engines' but for the rounding of sums; thousands of texts are left to the engines.

mod network;
mod weights;

use tokenizers::Tokenizer;

use super::model::{self, Model};
use super::sense;
use super::wordpiece::embedded_tokenizer;
use crate::error::{Error, Result};

/// The embedded model, ready for questions.
pub struct DirectEncoder {
    tokenizer: Tokenizer,
    network: network::Network,
}

impl DirectEncoder {
    /// Finds the weights in the program and reads the tokenizer.
    ///
    /// # Errors
    /// The files in the program are damaged, which is a fault of the build.
    pub fn load() -> Result<Self> {
        let tokenizer = embedded_tokenizer(Some(Model::embedded().embedding_config.max_tokens))?;
        let network = network::Network::read(model::ONNX)
            .map_err(|error| Error::failed(format!("cannot load the embedding model {}: {error}", model::EMBEDDED)))?;
        Ok(DirectEncoder { tokenizer, network })
    }

    /// How well the model can read a text, from 0 to 1.
    pub fn reads(&self, text: &str) -> f32 {
        Model::embedded().embedding_config.languages.share(text).min(sense::share_read(&self.tokenizer, text))
    }

    /// The vector of a question, of 384 numbers and length 1.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub fn embed_query(&self, question: &str) -> Result<Vec<f32>> {
        let tokens = self
            .tokenizer
            .encode(Model::embedded().as_query(question), true)
            .map_err(|error| Error::failed(format!("cannot tokenize the question: {error}")))?;
        Ok(self.network.vector(tokens.get_ids()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Embedder, EngineChoice, select};
    use super::*;

    #[test]
    fn vectors_equal_those_of_the_engine() {
        let engine = select(&EngineChoice::Tract).unwrap();
        let embedder = Embedder::for_queries(&engine, &Model::embedded()).unwrap();
        let direct = DirectEncoder::load().unwrap();
        let long = "The pump must be primed before each start, and vented. ".repeat(40);
        for text in ["pump", "How do I prime the pump?", "如何启动水泵？", "E-417 Überdruck 3.5 bar", "", &long]
        {
            let (own, engine) = (direct.embed_query(text).unwrap(), embedder.embed_query(text).unwrap());
            let cosine: f32 = own.iter().zip(&engine).map(|(a, b)| a * b).sum();
            assert!(own.len() == 384 && (cosine - 1.0).abs() < 1e-5, "{text:.20}: {cosine}");
            assert_eq!(direct.reads(text), embedder.reads(text).unwrap(), "{text:.20}");
        }
    }
}

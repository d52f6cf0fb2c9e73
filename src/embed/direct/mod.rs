//! The embedded model's vectors of questions, computed on its weights where they lie in the program.
//!
//! Before an engine runs a model, it reads the graph, looks for something to make simpler and lays out all weights anew
//! as float32: a quarter of a second, spent for one short text. Nothing of that is needed here. The weights are read
//! where they are, as int8, and widened one matrix at a time. A text's vector is the engines', but for the rounding of
//! sums ([`network`] says what is computed); texts by the thousand are left to them.

mod network;
mod weights;

use tokenizers::{Tokenizer, TruncationParams};

use super::model::{self, Model};
use super::sense;
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
    /// Where they are not as expected; they are part of the program, so that would be a fault of the build.
    pub fn load() -> Result<Self> {
        let failed =
            |error: String| Error::failed(format!("cannot load the embedding model {}: {error}", model::EMBEDDED));
        let mut tokenizer = Tokenizer::from_bytes(model::TOKENIZER).map_err(|error| failed(error.to_string()))?;
        let max_length = Model::embedded().habits.max_tokens;
        // The file asks for other lengths, left over from training.
        tokenizer
            .with_truncation(Some(TruncationParams { max_length, ..TruncationParams::default() }))
            .map_err(|error| failed(error.to_string()))?
            .with_padding(None);
        let network = network::Network::read(model::ONNX).map_err(failed)?;
        Ok(DirectEncoder { tokenizer, network })
    }

    /// How well the model can read a text, from 0 to 1.
    pub fn reads(&self, text: &str) -> f32 {
        Model::embedded().habits.languages.share(text).min(sense::share_read(&self.tokenizer, text))
    }

    /// The vector of a question, of 384 numbers and length 1.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn embed_query(&self, question: &str) -> Result<Vec<f32>> {
        let question = Model::embedded().as_query(question).into_owned();
        let tokens = self
            .tokenizer
            .encode(question, true)
            .map_err(|error| Error::failed(format!("cannot take a question apart: {error}")))?;
        Ok(self.network.vector(tokens.get_ids()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Embedder, EngineChoice, select};
    use super::*;

    #[test]
    fn vectors_are_those_of_the_engine() {
        let engine = select(&EngineChoice::Tract).unwrap();
        let embedder = Embedder::for_queries(&engine, &Model::embedded()).unwrap();
        let direct = DirectEncoder::load().unwrap();
        let long = "The pump must be primed before each start, and vented. ".repeat(40);
        for text in ["pump", "How do I prime the pump?", "如何启动水泵？", "E-417 Überdruck 3.5 bar", "", &long]
        {
            let (own, engine) = (direct.embed_query(text).unwrap(), embedder.embed_query(text).unwrap());
            let cosine: f32 = own.iter().zip(&engine).map(|(a, b)| a * b).sum();
            assert!(own.len() == 384 && (cosine - 1.0).abs() < 1e-5, "{text:.20}: {cosine}");
        }
    }
}

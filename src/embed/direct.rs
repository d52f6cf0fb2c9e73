//! The embedded model's vectors of questions, computed on its weights where they lie in the program.
//!
//! Before an engine runs a model, it reads the graph, optimises it and lays out all weights as float32: a quarter of a
//! second, spent for one short text. Here the int8 weights are read in place and widened one matrix at a time. The vector
//! equals the engines' but for the rounding of sums; thousands of texts are left to the engines.
//!
//! The network is the BERT encoder of all-MiniLM-L6-v2 (Devlin et al., 2019; Wang et al., 2020). Computation and names of
//! weights follow `models/graph.py`, which makes the engines' graph. A test compares the vectors with those of an engine,
//! so the shapes are not checked here.

use std::collections::HashMap;

use bytes::Bytes;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, Axis, s};
use tokenizers::Tokenizer;

use super::model::{Model, ONNX};
use super::onnx;
use super::sense;
use super::tokens::embedded_tokenizer;
use crate::error::{Error, Result};

const LAYERS: usize = 6;
const HEADS: usize = 12;
const HIDDEN: usize = 384;
const HEAD: usize = HIDDEN / HEADS;
const WIDE: usize = 4 * HIDDEN;
const EPSILON: f32 = 1e-12;

/// The embedded model, ready for questions.
pub struct DirectEncoder {
    tokenizer: Tokenizer,
    network: Network,
}

impl DirectEncoder {
    /// Finds the weights in the program and reads the tokenizer.
    pub fn load() -> Self {
        let tokenizer = embedded_tokenizer(Some(Model::embedded().embedding_config.max_tokens));
        DirectEncoder { tokenizer, network: Network::read(&mut Weights::read(ONNX)) }
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

/// The constants of the model's graph that are not yet taken, by name.
struct Weights(HashMap<String, Bytes>);

impl Weights {
    fn read(file: &'static [u8]) -> Self {
        let graph = onnx::graph(Bytes::from_static(file)).expect("the model in the program is valid");
        Weights(graph.constants.into_iter().map(|constant| (constant.name, constant.raw)).collect())
    }

    /// A table of int8, which stays where it is.
    fn int8(&mut self, name: &str) -> Bytes {
        self.0.remove(name).unwrap_or_else(|| panic!("the model in the program has no {name}"))
    }

    fn floats(&mut self, name: &str) -> Array1<f32> {
        self.int8(name).as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }
}

/// The network with its weights.
struct Network {
    /// A row of int8 for each token.
    words: Bytes,
    /// The factor of each row.
    word_scales: Array1<f32>,
    /// A row for each position, plus the one row of token types, because a question has only one type.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

/// Int8 weights `[inputs, outputs]` between a scale for each input and one for each output.
struct Linear {
    weights: Bytes,
    in_scale: Array1<f32>,
    out_scale: Array1<f32>,
    bias: Array1<f32>,
}

struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

impl Network {
    fn read(weights: &mut Weights) -> Self {
        let positions = weights.floats("embeddings.position.weight").into_raw_vec_and_offset().0;
        let kinds = weights.floats("embeddings.type.weight");
        let mut positions = Array2::from_shape_vec((positions.len() / HIDDEN, HIDDEN), positions)
            .expect("a position has as many numbers as the network is wide");
        positions += &kinds.slice(s![..HIDDEN]);
        Network {
            words: weights.int8("embeddings.word.int8"),
            word_scales: weights.floats("embeddings.word.scale"),
            positions,
            norm: Norm::read(weights, "embeddings.norm"),
            layers: (0..LAYERS).map(|index| Layer::read(weights, index)).collect(),
        }
    }

    /// The mean of the vectors of tokens, of length 1. Skips unknown tokens and those behind the last position; the model's
    /// own tokenizer gives none.
    fn vector(&self, tokens: &[u32]) -> Vec<f32> {
        let mut hidden = self.embedded(tokens);
        self.norm.apply(&mut hidden);
        // Each matrix in turn is widened into this.
        let mut room = vec![0.0; HIDDEN * WIDE];
        for layer in &self.layers {
            hidden = layer.apply(hidden, &mut room);
        }
        let mut vector = hidden.mean_axis(Axis(0)).expect("every text has a first and a last token");
        let length = vector.dot(&vector).sqrt();
        if length > 0.0 {
            vector /= length;
        }
        vector.to_vec()
    }

    /// Words and positions, `[tokens, HIDDEN]`.
    fn embedded(&self, tokens: &[u32]) -> Array2<f32> {
        let known = |token: &u32| {
            let token = usize::try_from(*token).ok()?;
            let row = self.words.get(token * HIDDEN..(token + 1) * HIDDEN)?;
            Some((row, *self.word_scales.get(token)?))
        };
        let known: Vec<(&[u8], f32)> = tokens.iter().filter_map(known).take(self.positions.nrows()).collect();
        let mut hidden = self.positions.slice(s![..known.len(), ..]).to_owned();
        for (mut row, (word, scale)) in hidden.rows_mut().into_iter().zip(known) {
            row.iter_mut().zip(word).for_each(|(sum, byte)| *sum += widened(*byte) * scale);
        }
        hidden
    }
}

impl Layer {
    fn read(weights: &mut Weights, index: usize) -> Self {
        let mut linear = |name: &str| Linear::read(weights, &format!("layer{index}.{name}"));
        Layer {
            query: linear("attention.query"),
            key: linear("attention.key"),
            value: linear("attention.value"),
            output: linear("attention.output"),
            wide: linear("wide"),
            narrow: linear("narrow"),
            attention_norm: Norm::read(weights, &format!("layer{index}.attention.norm")),
            norm: Norm::read(weights, &format!("layer{index}.norm")),
        }
    }

    fn apply(&self, hidden: Array2<f32>, room: &mut [f32]) -> Array2<f32> {
        let mut attended = self.output.apply(&self.attention(&hidden, room), room);
        attended += &hidden;
        self.attention_norm.apply(&mut attended);
        let mut wide = self.wide.apply(&attended, room);
        wide.mapv_inplace(gelu);
        let mut hidden = self.narrow.apply(&wide, room);
        hidden += &attended;
        self.norm.apply(&mut hidden);
        hidden
    }

    fn attention(&self, hidden: &Array2<f32>, room: &mut [f32]) -> Array2<f32> {
        let mut query = self.query.apply(hidden, room);
        query /= (HEAD as f32).sqrt();
        let (key, value) = (self.key.apply(hidden, room), self.value.apply(hidden, room));
        let mut context = Array2::zeros(hidden.raw_dim());
        for head in 0..HEADS {
            let own = s![.., head * HEAD..(head + 1) * HEAD];
            let mut shares = query.slice(own).dot(&key.slice(own).t());
            shares.rows_mut().into_iter().for_each(softmax);
            context.slice_mut(own).assign(&shares.dot(&value.slice(own)));
        }
        context
    }
}

impl Linear {
    fn read(weights: &mut Weights, name: &str) -> Self {
        Linear {
            weights: weights.int8(&format!("{name}.int8")),
            in_scale: weights.floats(&format!("{name}.in_scale")),
            out_scale: weights.floats(&format!("{name}.out_scale")),
            bias: weights.floats(&format!("{name}.bias")),
        }
    }

    /// `[tokens, inputs]` to `[tokens, outputs]`.
    fn apply(&self, hidden: &Array2<f32>, room: &mut [f32]) -> Array2<f32> {
        let wide = &mut room[..self.weights.len()];
        wide.iter_mut().zip(&self.weights[..]).for_each(|(wide, byte)| *wide = widened(*byte));
        let weights = ArrayView2::from_shape((self.in_scale.len(), self.out_scale.len()), wide)
            .expect("a matrix has a scale for each row and column");
        (hidden * &self.in_scale).dot(&weights) * &self.out_scale + &self.bias
    }
}

impl Norm {
    fn read(weights: &mut Weights, name: &str) -> Self {
        Norm { weight: weights.floats(&format!("{name}.weight")), bias: weights.floats(&format!("{name}.bias")) }
    }

    fn apply(&self, hidden: &mut Array2<f32>) {
        for mut row in hidden.rows_mut() {
            row -= row.mean().expect("a row has numbers");
            let variance = row.dot(&row) / HIDDEN as f32;
            row /= (variance + EPSILON).sqrt();
            row *= &self.weight;
            row += &self.bias;
        }
    }
}

/// A byte read as int8.
fn widened(byte: u8) -> f32 {
    f32::from(byte.cast_signed())
}

/// The exact form, with which the model was trained.
fn gelu(x: f32) -> f32 {
    x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2)) * 0.5
}

fn softmax(mut row: ArrayViewMut1<'_, f32>) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.mapv_inplace(|x| (x - most).exp());
    let sum: f32 = row.iter().sum();
    row /= sum;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, EngineChoice, select};

    #[test]
    fn vectors_equal_those_of_the_engine() {
        let engine = select(&EngineChoice::Tract).unwrap();
        let embedder = Embedder::load(&engine, &Model::embedded(), 1).unwrap();
        let direct = DirectEncoder::load();
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

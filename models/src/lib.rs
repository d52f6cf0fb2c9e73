//! Computes kb's embedding model on its weights, in place in the program. It is a separate crate so that test builds
//! optimise it but not kb.
//!
//! An engine reads the graph of a model, optimises it and converts all weights to float32, which takes a quarter of a
//! second, and then multiplies float32. This crate multiplies the int8 weights as int8 and concatenates the texts of a
//! batch without padding.
//!
//! The network is the BERT encoder of all-MiniLM-L6-v2 (Devlin et al., 2019; Wang et al., 2020). Computation and names
//! of weights follow `models/graph.py`, which makes the graph that engines run. A test compares the vectors with those
//! of an engine, so the shapes are not checked here.

mod attention;
mod linear;

use std::collections::HashMap;

use bytes::Bytes;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Sum, SumSquareSub};

use self::attention::Attention;
use self::linear::{Linear, Multiplication};

/// The graph that engines read, about 23 MB.
pub const ONNX: &[u8] = include_bytes!("../all-MiniLM-L6-v2-int8.onnx");
pub const TOKENIZER: &[u8] = include_bytes!("../tokenizer.json");
pub const CONFIG: &[u8] = include_bytes!("../config.json");
pub const SPECIAL_TOKENS: &[u8] = include_bytes!("../special_tokens_map.json");
pub const TOKENIZER_CONFIG: &[u8] = include_bytes!("../tokenizer_config.json");

const LAYERS: usize = 6;
/// Numbers in the vector of a token.
pub const HIDDEN: usize = 384;
const EPSILON: f32 = 1e-12;

/// The network with its weights.
pub struct Network {
    /// A row of int8 for each token.
    words: Bytes,
    /// The factor of each row.
    word_scales: Vec<f32>,
    /// A row for each position, plus the one row of token types, because all texts have the first type.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    attention: Attention,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

/// Buffers shared by all layers.
#[derive(Default)]
struct Buffers {
    linear: linear::Buffers,
    attention: attention::Buffers,
    attended: Vec<f32>,
    wide: Vec<f32>,
}

/// Layer normalisation.
struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Network {
    /// `constants` are those of the model's graph by name, in little-endian bytes.
    ///
    /// # Panics
    /// They belong to another model.
    pub fn new(constants: HashMap<String, Bytes>) -> Self {
        let weights = &mut Weights(constants);
        let mut positions = weights.floats("embeddings.position.weight");
        let kinds = weights.floats("embeddings.type.weight");
        positions.chunks_exact_mut(HIDDEN).for_each(|row| add(row, &kinds[..HIDDEN]));
        Network {
            words: weights.int8("embeddings.word.int8"),
            word_scales: weights.floats("embeddings.word.scale"),
            positions,
            norm: Norm::read(weights, "embeddings.norm"),
            layers: (0..LAYERS).map(|index| Layer::read(weights, &format!("layer{index}"))).collect(),
        }
    }

    /// The vectors of the tokens of all texts, concatenated, with [`HIDDEN`] numbers each. The tokens come from the
    /// model's own tokenizer, at most as many per text as the model has positions.
    pub fn token_vectors(&self, texts: &[&[u32]]) -> Vec<f32> {
        let mut hidden: Vec<f32> = texts.iter().flat_map(|text| self.embedded(text)).collect();
        self.norm.apply(&mut hidden);
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let (multiplication, mut buffers) = (Multiplication::default(), Buffers::default());
        for layer in &self.layers {
            layer.apply(&mut hidden, &lengths, &multiplication, &mut buffers);
        }
        hidden
    }

    /// The sum of word and position embeddings.
    fn embedded<'a>(&'a self, tokens: &'a [u32]) -> impl Iterator<Item = f32> + 'a {
        tokens.iter().zip(self.positions.chunks_exact(HIDDEN)).flat_map(|(token, position)| {
            let token = *token as usize;
            let (word, scale) = (&self.words[token * HIDDEN..(token + 1) * HIDDEN], self.word_scales[token]);
            word.iter().zip(position).map(move |(byte, at)| f32::from(byte.cast_signed()) * scale + at)
        })
    }
}

impl Layer {
    fn read(weights: &mut Weights, name: &str) -> Self {
        Layer {
            attention: Attention::read(weights, &format!("{name}.attention")),
            attention_norm: Norm::read(weights, &format!("{name}.attention.norm")),
            wide: Linear::read(weights, &format!("{name}.wide")),
            narrow: Linear::read(weights, &format!("{name}.narrow")),
            norm: Norm::read(weights, &format!("{name}.norm")),
        }
    }

    fn apply(&self, hidden: &mut Vec<f32>, lengths: &[usize], multiplication: &Multiplication, buffers: &mut Buffers) {
        let Buffers { linear, attention, attended, wide } = buffers;
        self.attention.apply(hidden, lengths, attended, multiplication, (attention, linear));
        add(attended, hidden);
        self.attention_norm.apply(attended);
        self.wide.apply(attended, wide, multiplication, linear);
        Gelu {}.map_mut(wide);
        self.narrow.apply(wide, hidden, multiplication, linear);
        add(hidden, attended);
        self.norm.apply(hidden);
    }
}

impl Norm {
    fn read(weights: &mut Weights, name: &str) -> Self {
        Norm { weight: weights.floats(&format!("{name}.weight")), bias: weights.floats(&format!("{name}.bias")) }
    }

    fn apply(&self, hidden: &mut [f32]) {
        for row in hidden.chunks_exact_mut(HIDDEN) {
            let mean = Sum::new(row).dispatch() / HIDDEN as f32;
            let variance = SumSquareSub::new(row, mean).dispatch() / HIDDEN as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: (variance + EPSILON).sqrt().recip(),
                element_scale: Some(&self.weight),
                element_bias: Some(&self.bias),
                bias: 0.0,
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}

fn add(sum: &mut [f32], more: &[f32]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// The remaining constants of the model's graph, by name.
struct Weights(HashMap<String, Bytes>);

impl Weights {
    /// A table of int8, not copied.
    fn int8(&mut self, name: &str) -> Bytes {
        self.0.remove(name).unwrap_or_else(|| panic!("the model has no {name}"))
    }

    fn floats(&mut self, name: &str) -> Vec<f32> {
        self.int8(name).as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    }
}

//! The BERT encoder of all-MiniLM-L6-v2 (Devlin et al., 2019; Wang et al., 2020), for one text at a time.
//!
//! Computation and names of weights follow `models/graph.py`, which makes the engines' graph.

use bytes::Bytes;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::weights::Weights;

const LAYERS: usize = 6;
const HEADS: usize = 12;
const HIDDEN: usize = 384;
const HEAD: usize = HIDDEN / HEADS;
const WIDE: usize = 4 * HIDDEN;
const EPSILON: f32 = 1e-12;

/// The network with its weights.
pub(super) struct Network {
    /// A row of int8 for each token.
    words: Bytes,
    /// The factor of each row.
    word_scales: Vec<f32>,
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
    /// Finds the weights in the ONNX file of the embedded model.
    pub(super) fn read(file: &'static [u8]) -> Result<Self, String> {
        let mut weights = Weights::read(file)?;
        let (words, tokens) = weights.int8("embeddings.word.int8", HIDDEN)?;
        let word_scales = weights.floats("embeddings.word.scale", 1)?;
        let positions = weights.floats("embeddings.position.weight", HIDDEN)?;
        let kinds = weights.floats("embeddings.type.weight", HIDDEN)?;
        let mut positions =
            Array2::from_shape_vec((positions.len() / HIDDEN, HIDDEN), positions).map_err(|error| error.to_string())?;
        positions += &Array1::from_vec(kinds[..HIDDEN].to_vec());
        if tokens != word_scales.len() {
            return Err("it has more tokens than scales".to_owned());
        }
        let norm = Norm::read(&mut weights, "embeddings.norm")?;
        let layers: Result<Vec<Layer>, String> = (0..LAYERS).map(|index| Layer::read(&mut weights, index)).collect();
        Ok(Network { words, word_scales, positions, norm, layers: layers? })
    }

    /// The mean of the vectors of tokens, of length 1. Skips unknown tokens and those behind the last position; the model's
    /// own tokenizer gives none.
    pub(super) fn vector(&self, tokens: &[u32]) -> Vec<f32> {
        let mut hidden = self.embedded(tokens);
        self.norm.apply(&mut hidden);
        // Each matrix in turn is widened into this.
        let mut room = vec![0.0; HIDDEN * WIDE];
        for layer in &self.layers {
            hidden = layer.apply(hidden, &mut room);
        }
        let mut vector = hidden.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(HIDDEN));
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
    fn read(weights: &mut Weights, index: usize) -> Result<Self, String> {
        let mut linear =
            |name: &str, inputs, outputs| Linear::read(weights, &format!("layer{index}.{name}"), inputs, outputs);
        let query = linear("attention.query", HIDDEN, HIDDEN)?;
        let key = linear("attention.key", HIDDEN, HIDDEN)?;
        let value = linear("attention.value", HIDDEN, HIDDEN)?;
        let output = linear("attention.output", HIDDEN, HIDDEN)?;
        let wide = linear("wide", HIDDEN, WIDE)?;
        let narrow = linear("narrow", WIDE, HIDDEN)?;
        let attention_norm = Norm::read(weights, &format!("layer{index}.attention.norm"))?;
        let norm = Norm::read(weights, &format!("layer{index}.norm"))?;
        Ok(Layer { query, key, value, output, attention_norm, wide, narrow, norm })
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
            shares.rows_mut().into_iter().for_each(|row| softmax(row.into_slice().unwrap_or_default()));
            context.slice_mut(own).assign(&shares.dot(&value.slice(own)));
        }
        context
    }
}

impl Linear {
    fn read(weights: &mut Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, String> {
        let (bytes, rows) = weights.int8(&format!("{name}.int8"), outputs)?;
        let in_scale = Array1::from_vec(weights.floats(&format!("{name}.in_scale"), inputs)?);
        let out_scale = Array1::from_vec(weights.floats(&format!("{name}.out_scale"), outputs)?);
        let bias = Array1::from_vec(weights.floats(&format!("{name}.bias"), outputs)?);
        if (rows, in_scale.len(), out_scale.len(), bias.len()) != (inputs, inputs, outputs, outputs) {
            return Err(format!("{name} has an unexpected shape"));
        }
        Ok(Linear { weights: bytes, in_scale, out_scale, bias })
    }

    /// `[tokens, inputs]` to `[tokens, outputs]`.
    fn apply(&self, hidden: &Array2<f32>, room: &mut [f32]) -> Array2<f32> {
        let wide = &mut room[..self.weights.len()];
        wide.iter_mut().zip(&self.weights[..]).for_each(|(wide, byte)| *wide = widened(*byte));
        let shape = (self.in_scale.len(), self.out_scale.len());
        // The shape was checked when it was read.
        let Ok(weights) = ArrayView2::from_shape(shape, wide) else { return Array2::zeros((hidden.nrows(), shape.1)) };
        (hidden * &self.in_scale).dot(&weights) * &self.out_scale + &self.bias
    }
}

impl Norm {
    fn read(weights: &mut Weights, name: &str) -> Result<Self, String> {
        let mut read = |what: &str| weights.floats(&format!("{name}.{what}"), HIDDEN).map(Array1::from_vec);
        Ok(Norm { weight: read("weight")?, bias: read("bias")? })
    }

    fn apply(&self, hidden: &mut Array2<f32>) {
        for mut row in hidden.rows_mut() {
            let mean = row.mean().unwrap_or_default();
            row -= mean;
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

fn softmax(row: &mut [f32]) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

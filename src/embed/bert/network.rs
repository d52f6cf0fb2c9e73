//! The encoder as an ONNX graph: embeddings, blocks of attention and feed-forward, and what follows in a classifier.
//!
//! It is the graph of `models/graph.py`, which made the embedded model, in float32: plain operators which ONNX Runtime
//! and tract implement alike. Where an odd choice was made for an engine's sake, the reason stands beside it.
//!
//! Every tensor is looked up by name and shape as its place in the graph comes up, so the first that is missing or wrong
//! ends it, however many the configuration promises.

use std::collections::HashSet;

use super::config::{Activation, Config, Family, Task};
use super::names::{Block, Prefix};
use super::onnx::{Attribute, Axis, Network, Node, Port, Tensor, Values};
use super::weights::{Stored, Weights};
use crate::error::Result;

const FLOAT: i64 = 1;
/// Added to the score of a padding token before the softmax. Finite, because -inf minus -inf is NaN; large enough that
/// exp() of it is exactly zero, so that padding cannot leak into a result.
const MASKED_SCORE: f32 = -1e9;
/// A matrix is turned in memory; those of the largest models have a quarter of that in numbers.
const LARGEST_MATRIX: usize = 1 << 28;

/// Where the numbers of a constant are, and how they are written.
#[derive(Debug)]
pub(super) enum Kept {
    /// As they are, from a row on.
    From(Stored, usize),
    /// A matrix, column by column.
    Turned(Stored),
}

/// Makes the graph.
pub(super) fn network(config: &Config, weights: &Weights) -> Result<Network<Kept>> {
    let prefix = Prefix::find(weights)?;
    let (nodes, tensors, constants) = (Vec::new(), Vec::new(), HashSet::new());
    let mut graph = Builder { config, weights, prefix: &prefix, nodes, tensors, constants };
    let mask = graph.attention_bias();
    let mut hidden = graph.embeddings()?;
    for number in 0..config.layers {
        hidden = graph.block(number, &hidden, &mask)?;
    }
    prefix.refuse_more_blocks(weights, config)?;
    let output = match config.task {
        Task::Embedding => {
            graph.op("Identity", &[&hidden], "last_hidden_state", &[]);
            let axes = [Axis::Free("batch"), Axis::Free("sequence"), Axis::Fixed(config.hidden)];
            Port::floats("last_hidden_state", &axes)
        }
        Task::Classification => {
            let labels = graph.classifier(&hidden)?;
            Port::floats("logits", &[Axis::Free("batch"), Axis::Fixed(labels)])
        }
    };
    let mut inputs = vec!["input_ids", "attention_mask"];
    if graph.has_types() {
        inputs.push("token_type_ids");
    }
    let axes = [Axis::Free("batch"), Axis::Free("sequence")];
    Ok(Network {
        name: "encoder",
        nodes: graph.nodes,
        tensors: graph.tensors,
        inputs: inputs.into_iter().map(|name| Port::integers(name, &axes)).collect(),
        outputs: vec![output],
    })
}

/// Collects operations and constants; every operation is called as its only result.
struct Builder<'c> {
    config: &'c Config,
    weights: &'c Weights,
    prefix: &'c Prefix,
    nodes: Vec<Node>,
    tensors: Vec<Tensor<Kept>>,
    /// What the constants are called.
    constants: HashSet<String>,
}

impl Builder<'_> {
    fn op(&mut self, kind: &str, inputs: &[&str], name: &str, attributes: &[Attribute]) -> String {
        self.nodes.push(Node {
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            output: vec![name.to_owned()],
            name: name.to_owned(),
            op_type: kind.to_owned(),
            attribute: attributes.to_vec(),
        });
        name.to_owned()
    }

    /// Adds a constant. Asked again for the same name, it keeps the first: shared constants are stored once.
    fn constant(&mut self, name: &str, shape: &[usize], values: Values<Kept>) -> String {
        if self.constants.insert(name.to_owned()) {
            self.tensors.push(Tensor { name: name.to_owned(), shape: shape.to_vec(), values });
        }
        name.to_owned()
    }

    fn number(&mut self, name: &str, value: f32) -> String {
        self.constant(name, &[], Values::Floats(vec![value]))
    }

    fn integers(&mut self, name: &str, values: &[i64]) -> String {
        self.constant(name, &[values.len()], Values::Integers(values.to_vec()))
    }

    /// A tensor of the checkpoint, from a row on.
    fn stored(&mut self, name: &str, stored: Stored, first_row: usize) -> String {
        let mut shape = stored.shape.clone();
        if let Some(rows) = shape.first_mut() {
            *rows -= first_row;
        }
        self.constant(name, &shape, Values::Kept(Kept::From(stored, first_row)))
    }

    /// [batch, sequence] of ones and zeros to [batch, 1, 1, sequence] of zeros and `MASKED_SCORE`.
    fn attention_bias(&mut self) -> String {
        let axes = self.integers("mask.axes", &[1, 2]);
        let mask = self.op("Unsqueeze", &["attention_mask", &axes], "mask.unsqueezed", &[]);
        let mask = self.op("Cast", &[&mask], "mask.float", &[Attribute::number("to", FLOAT)]);
        let one = self.number("one", 1.0);
        let mask = self.op("Sub", &[&one, &mask], "mask.inverted", &[]);
        let score = self.number("mask.score", MASKED_SCORE);
        self.op("Mul", &[&mask, &score], "mask.bias", &[])
    }

    /// Whether tokens are of several types. A table of one row adds the same to all, whatever the types are.
    fn has_types(&self) -> bool {
        self.config.types > 1
    }

    fn embeddings(&mut self) -> Result<String> {
        let (config, weights) = (self.config, self.weights);
        let source = format!("{}embeddings", self.prefix.encoder);
        let words = weights.find(&format!("{source}.word_embeddings.weight"), &[config.vocabulary, config.hidden])?;
        let words = self.stored("embeddings.word.weight", words, 0);
        let mut sum = self.op("Gather", &[&words, "input_ids"], "embeddings.word", &[]);
        if config.types > 0 {
            let types =
                weights.find(&format!("{source}.token_type_embeddings.weight"), &[config.types, config.hidden])?;
            let mut types = self.stored("embeddings.type.weight", types, 0);
            if self.has_types() {
                types = self.op("Gather", &[&types, "token_type_ids"], "embeddings.type", &[]);
            }
            sum = self.op("Add", &[&sum, &types], "embeddings.words_and_types", &[]);
        }
        let positions = self.positions(&format!("{source}.position_embeddings.weight"))?;
        sum = self.op("Add", &[&sum, &positions], "embeddings.sum", &[]);
        self.layer_norm(&format!("{source}.LayerNorm"), "embeddings.norm", &sum)
    }

    /// A `Slice` of the table up to the sequence's length. The usual `Range` and `Gather` are taken by ONNX Runtime's
    /// fusion for a pattern which they do not quite match, and the result is wrong.
    ///
    /// RoBERTa counts from behind the padding token's number and gives that number to padding. Padding follows the text
    /// and is masked, so that the rows behind are right for all that counts.
    fn positions(&mut self, source: &str) -> Result<String> {
        let table = self.weights.find(source, &[self.config.positions, self.config.hidden])?;
        let table = self.stored("embeddings.position.weight", table, self.config.first_position);
        let shape = self.op("Shape", &["input_ids"], "positions.shape", &[]);
        let (zero, one, two) = (
            self.integers("positions.zero", &[0]),
            self.integers("positions.one", &[1]),
            self.integers("positions.two", &[2]),
        );
        let length = self.op("Slice", &[&shape, &one, &two], "positions.length", &[]);
        Ok(self.op("Slice", &[&table, &zero, &length, &zero], "embeddings.position", &[]))
    }

    fn block(&mut self, number: usize, hidden: &str, mask: &str) -> Result<String> {
        let names = self.config.family.block();
        let source = format!("{}{}.{number}", self.prefix.encoder, self.config.family.blocks());
        let name = format!("layer{number}");
        let (size, inner) = (self.config.hidden, self.config.inner);
        let attended = self.attention(names, &source, &format!("{name}.attention"), hidden, mask)?;
        let sum = self.op("Add", &[&attended, hidden], &format!("{name}.attention.residual"), &[]);
        let hidden =
            self.layer_norm(&format!("{source}.{}", names.attention_norm), &format!("{name}.attention.norm"), &sum)?;
        let wide = self.linear(&format!("{source}.{}", names.wide), &format!("{name}.wide"), &hidden, [inner, size])?;
        let active = self.activation(&format!("{name}.active"), &wide);
        let narrow =
            self.linear(&format!("{source}.{}", names.narrow), &format!("{name}.narrow"), &active, [size, inner])?;
        let sum = self.op("Add", &[&narrow, &hidden], &format!("{name}.residual"), &[]);
        self.layer_norm(&format!("{source}.{}", names.norm), &format!("{name}.norm"), &sum)
    }

    fn attention(&mut self, names: &Block, source: &str, name: &str, hidden: &str, mask: &str) -> Result<String> {
        let (size, heads) = (self.config.hidden, self.config.heads);
        let part = |part: &str| format!("{source}.{part}");
        let query = self.linear(&part(names.query), &format!("{name}.query"), hidden, [size, size])?;
        // Dividing the query rather than the scores: as many numbers as there are tokens, not as there are pairs of them.
        let scale = self.number("attention.scale", (1.0 / ((size / heads) as f64).sqrt()) as f32);
        let query = self.op("Mul", &[&query, &scale], &format!("{name}.query.scaled_down"), &[]);
        let key = self.linear(&part(names.key), &format!("{name}.key"), hidden, [size, size])?;
        let value = self.linear(&part(names.value), &format!("{name}.value"), hidden, [size, size])?;
        let query = self.split_heads(&format!("{name}.query"), &query, &[0, 2, 1, 3]);
        let key = self.split_heads(&format!("{name}.key"), &key, &[0, 2, 3, 1]);
        let value = self.split_heads(&format!("{name}.value"), &value, &[0, 2, 1, 3]);

        let scores = self.op("MatMul", &[&query, &key], &format!("{name}.scores"), &[]);
        let scores = self.op("Add", &[&scores, mask], &format!("{name}.scores.masked"), &[]);
        let shares = self.op("Softmax", &[&scores], &format!("{name}.shares"), &[Attribute::number("axis", -1)]);
        let context = self.op("MatMul", &[&shares, &value], &format!("{name}.context"), &[]);
        let order = Attribute::numbers("perm", &[0, 2, 1, 3]);
        let context = self.op("Transpose", &[&context], &format!("{name}.context.by_token"), &[order]);
        let merged = self.integers("heads.merged", &[0, 0, size as i64]);
        let context = self.op("Reshape", &[&context, &merged], &format!("{name}.context.merged"), &[]);
        self.linear(&part(names.attended), &format!("{name}.output"), &context, [size, size])
    }

    fn split_heads(&mut self, name: &str, value: &str, order: &[i64]) -> String {
        let (size, heads) = (self.config.hidden, self.config.heads);
        // A zero keeps the dimension of the input, so batch and sequence stay free.
        let shape = self.integers("heads.split", &[0, 0, heads as i64, (size / heads) as i64]);
        let split = self.op("Reshape", &[value, &shape], &format!("{name}.split"), &[]);
        self.op("Transpose", &[&split], &format!("{name}.heads"), &[Attribute::numbers("perm", order)])
    }

    /// A layer of which the checkpoint has [out, in]. `MatMul` wants [in, out]: turned here, once, and not in every
    /// process that loads it.
    fn linear(&mut self, source: &str, name: &str, value: &str, [out, into]: [usize; 2]) -> Result<String> {
        let matrix = self.weights.find(&format!("{source}.weight"), &[out, into])?;
        if out.saturating_mul(into) > LARGEST_MATRIX {
            return Err(self.weights.wrong(&format!("{source}.weight is larger than kb takes: {out} by {into}")));
        }
        let bias = self.weights.find(&format!("{source}.bias"), &[out])?;
        let matrix = self.constant(&format!("{name}.weight"), &[into, out], Values::Kept(Kept::Turned(matrix)));
        let bias = self.stored(&format!("{name}.bias"), bias, 0);
        let product = self.op("MatMul", &[value, &matrix], &format!("{name}.product"), &[]);
        Ok(self.op("Add", &[&product, &bias], name, &[]))
    }

    /// Spelled out rather than `LayerNormalization`. `Pow`, not `Mul`, because that is the form ONNX Runtime knows to
    /// fuse.
    fn layer_norm(&mut self, source: &str, name: &str, value: &str) -> Result<String> {
        let weight = self.norm_part(source, "weight", "gamma")?;
        let bias = self.norm_part(source, "bias", "beta")?;
        let by_token = || [Attribute::numbers("axes", &[-1]), Attribute::number("keepdims", 1)];
        let mean = self.op("ReduceMean", &[value], &format!("{name}.mean"), &by_token());
        let centred = self.op("Sub", &[value, &mean], &format!("{name}.centred"), &[]);
        let two = self.number("two", 2.0);
        let square = self.op("Pow", &[&centred, &two], &format!("{name}.square"), &[]);
        let variance = self.op("ReduceMean", &[&square], &format!("{name}.variance"), &by_token());
        let epsilon = self.number("norm.epsilon", self.config.epsilon);
        let variance = self.op("Add", &[&variance, &epsilon], &format!("{name}.variance.safe"), &[]);
        let deviation = self.op("Sqrt", &[&variance], &format!("{name}.deviation"), &[]);
        let scaled = self.op("Div", &[&centred, &deviation], &format!("{name}.scaled"), &[]);
        let weight = self.stored(&format!("{name}.weight"), weight, 0);
        let scaled = self.op("Mul", &[&scaled, &weight], &format!("{name}.weighted"), &[]);
        let bias = self.stored(&format!("{name}.bias"), bias, 0);
        Ok(self.op("Add", &[&scaled, &bias], name, &[]))
    }

    /// A tensor of a norm, which the oldest checkpoints call otherwise.
    fn norm_part(&self, source: &str, part: &str, once: &str) -> Result<Stored> {
        let (name, old) = (format!("{source}.{part}"), format!("{source}.{once}"));
        let name = if !self.weights.has(&name) && self.weights.has(&old) { old } else { name };
        self.weights.find(&name, &[self.config.hidden])
    }

    fn activation(&mut self, name: &str, value: &str) -> String {
        match self.config.activation {
            Activation::Relu => self.op("Relu", &[value], name, &[]),
            Activation::Gelu => self.gelu(name, value),
            Activation::GeluTanh => self.gelu_tanh(name, value),
        }
    }

    /// x (1 + erf(x / √2)) / 2.
    fn gelu(&mut self, name: &str, value: &str) -> String {
        let root = self.number("gelu.sqrt2", std::f32::consts::SQRT_2);
        let inner = self.op("Div", &[value, &root], &format!("{name}.inner"), &[]);
        let inner = self.op("Erf", &[&inner], &format!("{name}.erf"), &[]);
        self.half_of_product(name, value, &inner)
    }

    /// x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.
    fn gelu_tanh(&mut self, name: &str, value: &str) -> String {
        let three = self.number("gelu.three", 3.0);
        let cube = self.op("Pow", &[value, &three], &format!("{name}.cube"), &[]);
        let share = self.number("gelu.share", 0.044_715);
        let cube = self.op("Mul", &[&cube, &share], &format!("{name}.cube.share"), &[]);
        let inner = self.op("Add", &[value, &cube], &format!("{name}.sum"), &[]);
        let scale = self.number("gelu.scale", (2.0 / std::f64::consts::PI).sqrt() as f32);
        let inner = self.op("Mul", &[&inner, &scale], &format!("{name}.inner"), &[]);
        let inner = self.op("Tanh", &[&inner], &format!("{name}.tanh"), &[]);
        self.half_of_product(name, value, &inner)
    }

    fn half_of_product(&mut self, name: &str, value: &str, inner: &str) -> String {
        let (one, half) = (self.number("one", 1.0), self.number("half", 0.5));
        let inner = self.op("Add", &[inner, &one], &format!("{name}.plus_one"), &[]);
        let product = self.op("Mul", &[value, &inner], &format!("{name}.product"), &[]);
        self.op("Mul", &[&product, &half], name, &[])
    }

    /// A layer, its activation and another layer over the first token. Gives the number of labels.
    fn classifier(&mut self, hidden: &str) -> Result<usize> {
        let size = self.config.hidden;
        let Prefix { encoder, head } = self.prefix;
        let (first, active, last) = match self.config.family {
            Family::Bert => (format!("{encoder}pooler.dense"), "Tanh", format!("{head}classifier")),
            Family::Roberta => (format!("{head}classifier.dense"), "Tanh", format!("{head}classifier.out_proj")),
            Family::DistilBert => (format!("{head}pre_classifier"), "Relu", format!("{head}classifier")),
        };
        let zero = self.constant("head.zero", &[], Values::Integers(vec![0]));
        let token = self.op("Gather", &[hidden, &zero], "head.token", &[Attribute::number("axis", 1)]);
        let pooled = self.linear(&first, "head.dense", &token, [size, size])?;
        let pooled = self.op(active, &[&pooled], "head.active", &[]);
        let stored = self.weights.named(&format!("{last}.weight"))?;
        let &[labels, _] = stored.shape.as_slice() else {
            return Err(self.weights.wrong(&format!("{last}.weight is no matrix")));
        };
        self.linear(&last, "logits", &pooled, [labels, size])?;
        Ok(labels)
    }
}

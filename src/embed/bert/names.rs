//! What the tensors of each family are called, and what stands in front of their names.

use super::config::{Config, Family};
use super::weights::{MIXED, Weights};
use crate::error::Result;

/// The tensor by which an encoder is found in a checkpoint.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// The layers of one block of the encoder.
pub(super) struct Block {
    pub query: &'static str,
    pub key: &'static str,
    pub value: &'static str,
    pub attended: &'static str,
    pub attention_norm: &'static str,
    pub wide: &'static str,
    pub narrow: &'static str,
    pub norm: &'static str,
}

const BERT: Block = Block {
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attended: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    wide: "intermediate.dense",
    narrow: "output.dense",
    norm: "output.LayerNorm",
};

const DISTILBERT: Block = Block {
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attended: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    wide: "ffn.lin1",
    narrow: "ffn.lin2",
    norm: "output_layer_norm",
};

impl Family {
    pub fn block(self) -> &'static Block {
        match self {
            Family::Bert | Family::Roberta => &BERT,
            Family::DistilBert => &DISTILBERT,
        }
    }

    /// What the blocks are called, without their number.
    pub fn blocks(self) -> &'static str {
        match self {
            Family::Bert | Family::Roberta => "encoder.layer",
            Family::DistilBert => "transformer.layer",
        }
    }
}

/// What stands in front of the names of one checkpoint.
pub(super) struct Prefix {
    /// In front of those of the encoder: nothing, `bert.`, `0.auto_model.`.
    pub encoder: String,
    /// In front of those of what follows the encoder.
    pub head: String,
}

impl Prefix {
    /// Finds the encoder. It is where its table of words is, whatever it is called there.
    pub fn find(weights: &Weights) -> Result<Self> {
        let mut found: Vec<&str> = weights
            .names()
            .filter_map(|name| name.strip_suffix(WORDS))
            .filter(|prefix| prefix.is_empty() || prefix.ends_with('.'))
            .collect();
        found.sort_unstable();
        match found.as_slice() {
            [] => Err(weights.wrong(&format!("{WORDS} is missing")).hint("these are weights of another network")),
            [prefix] => {
                // `bert.` stands beside `classifier.`, so does `0.auto_model.bert.`.
                let outer = prefix.trim_end_matches('.').rfind('.').map_or("", |dot| &prefix[..=dot]);
                Ok(Prefix { encoder: (*prefix).to_owned(), head: outer.to_owned() })
            }
            [first, second, ..] => {
                let told = format!("it has several encoders: {first}{WORDS}, {second}{WORDS}");
                Err(weights.wrong(&told).hint("kb runs models with one encoder"))
            }
        }
    }

    /// Refuses blocks behind the last one that the configuration counts: what runs without them is another model.
    pub fn refuse_more_blocks(&self, weights: &Weights, config: &Config) -> Result<()> {
        let start = format!("{}{}.{}.", self.encoder, config.family.blocks(), config.layers);
        match weights.names().filter(|name| name.starts_with(&start)).min() {
            None => Ok(()),
            Some(more) => {
                let told = format!("{more} is in it, and by config.json there are {} layers", config.layers);
                Err(weights.wrong(&told).hint(MIXED))
            }
        }
    }
}

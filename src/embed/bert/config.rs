//! `config.json`: which network the weights are of.
//!
//! Nothing is guessed: a setting that changes what the network computes is known or refused. What is left out has the
//! value that the network's own code takes then.

use serde_json::Value;

/// Networks that differ in how their weights are called and in little else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Bert,
    /// Positions are counted from the padding token's number on.
    Roberta,
    /// Without token types.
    DistilBert,
}

/// What stands between the two layers of a feed-forward block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    /// Its approximation by the hyperbolic tangent.
    GeluTanh,
    Relu,
}

/// Why a configuration is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is of a network that is not known here.
    Unknown(String),
    /// It is no configuration of the network that it names.
    Broken(String),
}

impl From<String> for Unfit {
    fn from(told: String) -> Self {
        Unfit::Broken(told)
    }
}

impl Unfit {
    pub fn told(&self) -> &str {
        match self {
            Unfit::Unknown(told) | Unfit::Broken(told) => told,
        }
    }
}

/// What the network gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A vector for each token: an embedding model.
    Embedding,
    /// A number for each label: a reranking model has one.
    Classification,
}

/// The settings of a network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Config {
    pub family: Family,
    pub task: Task,
    pub vocabulary: usize,
    /// The rows of the table of positions.
    pub positions: usize,
    /// The row of the first token.
    pub first_position: usize,
    /// Kinds of tokens; 0 where the network has no table of them.
    pub types: usize,
    pub hidden: usize,
    pub inner: usize,
    pub layers: usize,
    pub heads: usize,
    pub epsilon: f32,
    pub activation: Activation,
}

/// The names that each family has in `model_type`, and how its architectures begin.
const FAMILIES: [(&str, Family, &str); 5] = [
    ("bert", Family::Bert, "Bert"),
    ("roberta", Family::Roberta, "Roberta"),
    ("xlm-roberta", Family::Roberta, "XLMRoberta"),
    ("camembert", Family::Roberta, "Camembert"),
    ("distilbert", Family::DistilBert, "DistilBert"),
];
/// What a configuration that names no padding token has.
const ROBERTA_PADDING: usize = 1;
/// A number that is larger is no size of a network; products of two stay far from overflowing.
const LARGEST: u64 = 1 << 30;

impl Config {
    /// Reads the settings.
    pub fn read(bytes: &[u8]) -> Result<Self, Unfit> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        if !value.is_object() {
            return Err("it is no JSON object".to_owned().into());
        }
        let (family, class) = family(&value)?;
        let task = task(&value, class)?;
        refuse_variants(&value)?;
        let distil = family == Family::DistilBert;
        let named = |usual, distilled| if distil { distilled } else { usual };
        let positions = size(&value, "max_position_embeddings")?;
        let first_position = match family {
            Family::Roberta if value["pad_token_id"].is_null() => ROBERTA_PADDING + 1,
            Family::Roberta => size_or_zero(&value, "pad_token_id")? + 1,
            Family::Bert | Family::DistilBert => 0,
        };
        let config = Config {
            family,
            task,
            vocabulary: size(&value, "vocab_size")?,
            positions,
            first_position,
            types: if distil { 0 } else { size_or_zero(&value, "type_vocab_size")? },
            hidden: size(&value, named("hidden_size", "dim"))?,
            inner: size(&value, named("intermediate_size", "hidden_dim"))?,
            layers: size(&value, named("num_hidden_layers", "n_layers"))?,
            heads: size(&value, named("num_attention_heads", "n_heads"))?,
            epsilon: if distil { 1e-12 } else { epsilon(&value)? },
            activation: activation(&value, named("hidden_act", "activation"))?,
        };
        if !config.hidden.is_multiple_of(config.heads) {
            return Err(format!("{} numbers cannot be shared among {} heads", config.hidden, config.heads).into());
        }
        if first_position >= positions {
            return Err(format!("max_position_embeddings is {positions}, which leaves no place for a token").into());
        }
        Ok(config)
    }

    /// How many tokens the network takes.
    pub fn tokens(&self) -> usize {
        self.positions - self.first_position
    }
}

/// The family, and how the names of its architectures begin.
fn family(config: &Value) -> Result<(Family, &'static str), Unfit> {
    let taken = || FAMILIES.map(|(name, ..)| name).join(", ");
    let Some(name) = config["model_type"].as_str() else {
        return Err(Unfit::Unknown(format!("it names no model_type; kb takes the weights of {}", taken())));
    };
    let known = FAMILIES.into_iter().find(|(known, ..)| *known == name);
    let (_, family, class) = known.ok_or_else(|| {
        Unfit::Unknown(format!("it is a model of the type {:?}; kb takes the weights of {}", shortened(name), taken()))
    })?;
    Ok((family, class))
}

/// What the network gives, by the name of its class. A class of somebody's own under a known type is another network.
fn task(config: &Value, class: &str) -> Result<Task, Unfit> {
    let Some(named) = config["architectures"][0].as_str() else { return Ok(Task::Embedding) };
    let unknown = || format!("its architecture is {:?}, and kb knows those that begin with {class}", shortened(named));
    match named.strip_prefix(class) {
        None => Err(Unfit::Unknown(unknown())),
        Some("ForSequenceClassification") => Ok(Task::Classification),
        // Whatever else it was trained for, the encoder in it is the same.
        Some(_) => Ok(Task::Embedding),
    }
}

/// Settings of other networks under the same name.
fn refuse_variants(config: &Value) -> Result<(), Unfit> {
    match config["position_embedding_type"].as_str() {
        None | Some("absolute") => {}
        Some(other) => {
            let told = format!("position_embedding_type is {:?}, and kb knows \"absolute\"", shortened(other));
            return Err(Unfit::Unknown(told));
        }
    }
    let set = |name: &&str| config[*name].as_bool() == Some(true);
    match ["is_decoder", "add_cross_attention", "is_encoder_decoder"].iter().find(|name| set(name)) {
        Some(name) => Err(Unfit::Unknown(format!("{name} is true, and kb knows encoders"))),
        None => Ok(()),
    }
}

fn activation(config: &Value, name: &str) -> Result<Activation, Unfit> {
    let value = &config[name];
    match value.as_str() {
        None if value.is_null() => Ok(Activation::Gelu),
        Some("gelu" | "gelu_python") => Ok(Activation::Gelu),
        Some("gelu_new" | "gelu_fast" | "gelu_pytorch_tanh") => Ok(Activation::GeluTanh),
        Some("relu") => Ok(Activation::Relu),
        _ => {
            let told = format!("{name} is {}, and kb knows gelu, gelu_new and relu", shortened(&value.to_string()));
            Err(Unfit::Unknown(told))
        }
    }
}

fn epsilon(config: &Value) -> Result<f32, String> {
    let epsilon = match &config["layer_norm_eps"] {
        Value::Null => return Ok(1e-12),
        value => value.as_f64().unwrap_or(f64::NAN) as f32,
    };
    // Zero would divide by nothing where all numbers are equal.
    if epsilon > 0.0 && epsilon < 1.0 { Ok(epsilon) } else { Err("layer_norm_eps is no small number".to_owned()) }
}

fn size(config: &Value, name: &str) -> Result<usize, String> {
    match size_or_zero(config, name)? {
        0 => Err(format!("{name} is 0")),
        size => Ok(size),
    }
}

fn size_or_zero(config: &Value, name: &str) -> Result<usize, String> {
    match &config[name] {
        Value::Null => Err(format!("{name} is missing")),
        value => match value.as_u64() {
            Some(size) if size <= LARGEST => Ok(size as usize),
            _ => Err(format!("{name} is {}, which is no size of a network", shortened(&value.to_string()))),
        },
    }
}

/// Somebody else's words, at a length that fits into an error.
fn shortened(text: &str) -> String {
    crate::text::truncate(text, 60)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bert() -> Value {
        json!({
            "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": 8,
            "intermediate_size": 12, "layer_norm_eps": 1e-12, "max_position_embeddings": 20, "num_attention_heads": 2,
            "num_hidden_layers": 3, "type_vocab_size": 2, "vocab_size": 30, "pad_token_id": 0,
        })
    }

    fn read(value: &Value) -> Result<Config, Unfit> {
        Config::read(value.to_string().as_bytes())
    }

    fn with(name: &str, value: Value) -> Value {
        let mut config = bert();
        config[name] = value;
        config
    }

    #[test]
    fn families_are_told_apart() {
        let found = read(&bert()).unwrap();
        assert_eq!((found.family, found.task, found.tokens()), (Family::Bert, Task::Embedding, 20));
        let mut roberta = with("model_type", json!("xlm-roberta"));
        roberta["architectures"] = json!(["XLMRobertaForSequenceClassification"]);
        roberta["pad_token_id"] = json!(1);
        let found = read(&roberta).unwrap();
        assert_eq!((found.family, found.task, found.tokens()), (Family::Roberta, Task::Classification, 18));
        roberta["pad_token_id"] = Value::Null;
        assert_eq!(read(&roberta).unwrap().tokens(), 18);
        let distil = json!({
            "model_type": "distilbert", "activation": "gelu", "dim": 8, "hidden_dim": 12, "n_heads": 2, "n_layers": 3,
            "max_position_embeddings": 20, "vocab_size": 30,
        });
        let found = read(&distil).unwrap();
        assert_eq!((found.family, found.types, found.layers), (Family::DistilBert, 0, 3));
    }

    #[test]
    fn what_is_another_network_is_refused_by_name() {
        for (name, value, says) in [
            (
                "model_type",
                json!("modernbert"),
                "type \"modernbert\"; kb takes the weights of bert, roberta, xlm-roberta",
            ),
            ("model_type", json!("mpnet"), "mpnet"),
            ("model_type", Value::Null, "names no model_type"),
            ("architectures", json!(["JinaBertModel"]), "JinaBertModel"),
            ("position_embedding_type", json!("relative_key"), "relative_key"),
            ("is_decoder", json!(true), "is_decoder"),
            ("hidden_act", json!("silu"), "silu"),
            ("hidden_act", json!(7), "hidden_act is 7"),
            ("hidden_size", json!(9), "9 numbers cannot be shared among 2 heads"),
            ("hidden_size", json!(-8), "hidden_size is -8"),
            ("hidden_size", json!(1u64 << 40), "no size of a network"),
            ("num_attention_heads", json!(0), "num_attention_heads is 0"),
            ("num_hidden_layers", json!("6"), "num_hidden_layers is \"6\""),
            ("layer_norm_eps", json!(0), "layer_norm_eps"),
            ("layer_norm_eps", json!("x"), "layer_norm_eps"),
            ("vocab_size", Value::Null, "vocab_size is missing"),
        ] {
            let told = read(&with(name, value)).unwrap_err();
            assert!(told.told().contains(says), "{name}: {told:?}");
        }
        let told = |bytes: &[u8]| Config::read(bytes).unwrap_err().told().to_owned();
        assert!(told("[".repeat(100_000).as_bytes()).contains("no JSON"));
        assert!(told(b"[]").contains("no JSON object"));
        assert_eq!(read(&with("hidden_act", Value::Null)).unwrap().activation, Activation::Gelu);
        let long = format!(r#"{{"model_type": "{}"}}"#, "x".repeat(1_000_000));
        assert!(told(long.as_bytes()).len() < 300);
        let mut roberta = with("model_type", json!("roberta"));
        roberta["architectures"] = Value::Null;
        roberta["pad_token_id"] = json!(19);
        assert!(read(&roberta).unwrap_err().told().contains("leaves no place"));
    }
}

//! A folder with an embedding model as Hugging Face and sentence-transformers lay it out: what must be there, and how
//! the model wants to be used.
//!
//! Whoever trained a model says in small files how its vectors are made: `1_Pooling/config.json`, `modules.json`,
//! `sentence_bert_config.json`, `config_sentence_transformers.json`. What they ask for and kb cannot do is an error here,
//! because vectors made otherwise look as good as any.

use std::path::Path;

use fastembed::TokenizerFiles;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::folder::{DOWNLOAD, ModelFolder, check_pad_id, pad_token};
use super::model::{Pooling, VectorOutput};
use super::outline::{FLOAT, Outline};
use crate::error::{Error, Result};
use crate::text::{char_count, printable, squeeze};

/// Where the graph may be, the best first.
const MODELS: [&str; 8] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "onnx/model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "model_int8.onnx",
    "onnx/model_int8.onnx",
];
/// What fastembed gives to a model.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];
/// The outputs that fastembed knows, in the order in which it takes them.
const OUTPUTS: [&str; 3] = ["text_embeds", "last_hidden_state", "sentence_embedding"];
/// Texts of more tokens are none of kb's: its passages have a thousand characters.
const MOST_TOKENS: u64 = 8192;
/// Where nothing says where texts are to be cut.
const USUAL_TOKENS: u64 = 512;
/// A model that takes fewer cannot read a passage.
const FEWEST_TOKENS: u64 = 16;
/// Characters of a prefix at most.
const LONGEST_PREFIX: usize = 1000;
/// Lines of a card's front matter: results of evaluations take thousands.
const LONGEST_CARD: usize = 100_000;
/// Characters of a licence's name or a language's code; what is longer is neither.
const LONGEST_CARD_WORD: usize = 100;

const EXPORT: &str = "`optimum-cli export onnx --task feature-extraction` writes an embedding model as ONNX";

/// An embedding model in a folder, looked at but not loaded.
pub(crate) struct EmbeddingFolder {
    files: ModelFolder,
    /// Whether the graph gives one vector for a text, and not one for each token.
    pub is_pooled: bool,
    modules: Option<Value>,
}

/// What a folder says of how its model wants to be used; `None` where it is silent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SaidHabits {
    pub pooling: Option<Pooling>,
    pub max_tokens: Option<u64>,
    pub query_prefix: Option<String>,
    pub passage_prefix: Option<String>,
}

impl EmbeddingFolder {
    /// Where a graph may be, the best first.
    pub fn graphs() -> &'static [&'static str] {
        &MODELS
    }

    /// The graph in a folder, where there is one. In one that has none, there may be weights of another kind.
    pub fn graph_in(folder: &Path) -> Option<&'static str> {
        files(folder).first_of(&MODELS)
    }

    /// Whether a graph is one for reranking: it gives logits.
    ///
    /// # Errors
    /// Where the file is no ONNX model.
    pub fn gives_logits(folder: &Path, graph: &str) -> Result<bool> {
        Ok(files(folder).outline(graph)?.outputs.iter().any(|output| output.name == "logits"))
    }

    /// Looks at a folder. `graph` is the ONNX file in it, `output` the one of its outputs that is the vector.
    ///
    /// # Errors
    /// Where the folder has no embedding model in it that kb can run.
    pub fn open(folder: &Path, graph: &str, output: VectorOutput) -> Result<Self> {
        let files = files(folder);
        let outline = files.outline(graph)?;
        let is_pooled = check_outline(&outline, output).map_err(|told| files.wrong(graph, &told).hint(EXPORT))?;
        files.required("tokenizer.json")?;
        files.required("config.json")?;
        let is_there = folder.join("modules.json").exists();
        let modules = if is_there { Some(files.any_json("modules.json")?) } else { None };
        let opened = EmbeddingFolder { files, is_pooled, modules };
        opened.check_modules()?;
        Ok(opened)
    }

    /// An error about one of the files.
    pub fn wrong(&self, file: &str, told: &str) -> Error {
        self.files.wrong(file, told)
    }

    /// What the folder says of how its model wants to be used.
    ///
    /// # Errors
    /// Where it says what kb cannot do, or one of the files is broken.
    pub fn habits(&self) -> Result<SaidHabits> {
        let (query_prefix, passage_prefix) = self.prefixes()?;
        let has_prefix = [&query_prefix, &passage_prefix].into_iter().flatten().any(|prefix| !prefix.is_empty());
        Ok(SaidHabits {
            pooling: self.pooling(has_prefix)?,
            max_tokens: self.max_tokens()?,
            query_prefix,
            passage_prefix,
        })
    }

    /// The small files as fastembed wants them, with all that it wants in them, and the tokens that the tokenizer has.
    ///
    /// # Errors
    /// Where one is missing or broken, or the tokenizer is that of another model.
    pub fn tokenizer(&self, max_tokens: usize) -> Result<(TokenizerFiles, Tokenizer)> {
        let files = &self.files;
        let config = files.json("config.json")?;
        let said = files.json_if_there("tokenizer_config.json")?.unwrap_or_else(|| json!({}));
        let special = files.json_if_there("special_tokens_map.json")?.unwrap_or_else(|| json!({}));
        check_pad_id(files, &config)?;
        let pad = pad_token(files, &said, &special)?;
        let bytes = files.bytes_of("tokenizer.json")?;
        let tokenizer = Tokenizer::from_bytes(&bytes)
            .map_err(|error| self.wrong("tokenizer.json", &format!("it is no tokenizer: {error}")).hint(DOWNLOAD))?;
        let highest = tokenizer.get_vocab(true).into_values().max().unwrap_or(0);
        if let Some(known) = config["vocab_size"].as_u64().filter(|&known| u64::from(highest) >= known) {
            let told =
                format!("it has tokens up to {highest}, and the model knows {known}: it is that of another model");
            return Err(self.wrong("tokenizer.json", &told).hint(DOWNLOAD));
        }
        let as_bytes = |value: Value| value.to_string().into_bytes();
        let files = TokenizerFiles {
            tokenizer_file: bytes,
            // fastembed reads nothing else of these two, and wants all of it.
            config_file: as_bytes(json!({ "pad_token_id": config["pad_token_id"] })),
            special_tokens_map_file: as_bytes(special),
            tokenizer_config_file: as_bytes(json!({ "model_max_length": max_tokens, "pad_token": pad })),
        };
        Ok((files, tokenizer))
    }

    /// What the model's card says.
    pub fn card(&self) -> Card {
        // The card is for people; one that cannot be read says nothing.
        let Ok(card) = self.files.bytes_of("README.md") else { return Card::default() };
        Card::of(&String::from_utf8_lossy(&card))
    }

    /// Refuses what comes behind the transformer and is not in the graph.
    fn check_modules(&self) -> Result<()> {
        let Some(modules) = &self.modules else { return Ok(()) };
        let wrong = |told: String| self.wrong("modules.json", &told);
        let list = modules.as_array().ok_or_else(|| wrong("it is no list".to_owned()).hint(DOWNLOAD))?;
        for module in list {
            let kind = module["type"].as_str().unwrap_or_default();
            let kind = kind.rsplit('.').next().unwrap_or_default();
            let known = matches!(kind, "Transformer" | "Pooling" | "Normalize");
            // A graph that gives one vector for a text has been through all of it.
            if !known && !self.is_pooled {
                let told =
                    format!("the model has a layer {kind:?} behind the transformer, which is not in its ONNX file");
                return Err(wrong(told).hint("export the whole model, with its output sentence_embedding"));
            }
        }
        Ok(())
    }

    /// How the vectors of tokens become one, where texts have a prefix or have none.
    fn pooling(&self, has_prefix: bool) -> Result<Option<Pooling>> {
        let of_modules = self.modules.as_ref().and_then(Value::as_array).into_iter().flatten();
        let named = of_modules
            .filter(|module| module["type"].as_str().is_some_and(|kind| kind.ends_with("Pooling")))
            .find_map(|module| module["path"].as_str());
        let place = named.filter(|path| is_plain(path)).unwrap_or("1_Pooling");
        let name = format!("{place}/config.json");
        let Some(config) = self.files.json_if_there(&name)? else { return Ok(None) };
        let is = |key: &str| config[key].as_bool() == Some(true);
        let newer = config["pooling_mode"].as_str();
        let known = ["pooling_mode_cls_token", "pooling_mode_mean_tokens"];
        let mut others = config.as_object().into_iter().flatten().filter(|(key, value)| {
            key.starts_with("pooling_mode_") && value.as_bool() == Some(true) && !known.contains(&key.as_str())
        });
        let cls = is(known[0]) || newer == Some("cls");
        let mean = is(known[1]) || newer == Some("mean");
        if self.is_pooled {
            return Ok(None);
        }
        let cannot = |how: &str| self.wrong(&name, &format!("it wants tokens pooled by {how}, which kb cannot do"));
        if let Some((other, _)) = others.next() {
            return Err(cannot(other.trim_start_matches("pooling_mode_")));
        }
        if has_prefix && mean && config["include_prompt"].as_bool() == Some(false) {
            return Err(cannot("the mean of all tokens but those of the prefix"));
        }
        match (cls, mean, newer) {
            (true, false, _) => Ok(Some(Pooling::Cls)),
            (false, true, _) => Ok(Some(Pooling::Mean)),
            (true, true, _) => Err(cannot("cls and mean at once")),
            (false, false, Some(other)) => Err(cannot(other)),
            (false, false, None) => Err(self.wrong(&name, "it does not say how tokens are pooled").hint(DOWNLOAD)),
        }
    }

    /// Where texts are to be cut.
    fn max_tokens(&self) -> Result<Option<u64>> {
        let said = |value: &Value| value.as_f64().filter(|&most| most >= 1.0).map(|most| most as u64);
        let of_sentences = self.files.json_if_there("sentence_bert_config.json")?;
        let of_sentences = of_sentences.and_then(|config| said(&config["max_seq_length"]));
        let of_tokenizer = self.files.json_if_there("tokenizer_config.json")?;
        let of_tokenizer = of_tokenizer.and_then(|config| said(&config["model_max_length"]));
        let config = self.files.json("config.json")?;
        // In the family of RoBERTa, the first places are never used.
        let unused = match config["model_type"].as_str() {
            Some("roberta" | "xlm-roberta" | "mpnet" | "camembert") => 2,
            _ => 0,
        };
        let places = said(&config["max_position_embeddings"]).map(|places| places.saturating_sub(unused));
        let found = [of_sentences, of_tokenizer, places].into_iter().flatten().min();
        match found {
            Some(most) if most < FEWEST_TOKENS => {
                let told = format!("it says that the model takes {most} tokens, too few for a passage");
                Err(self.wrong("config.json", &told).hint(DOWNLOAD))
            }
            found => Ok(found.map(|most| most.min(MOST_TOKENS))),
        }
    }

    /// What stands in front of questions and passages.
    fn prefixes(&self) -> Result<(Option<String>, Option<String>)> {
        const FILE: &str = "config_sentence_transformers.json";
        let Some(config) = self.files.json_if_there(FILE)? else { return Ok((None, None)) };
        let prompts = &config["prompts"];
        let prompt = |names: &[&str]| names.iter().find_map(|name| prompts[*name].as_str()).map(str::to_owned);
        let default = config["default_prompt_name"].as_str().and_then(|name| prompts[name].as_str());
        let default = default.map(str::to_owned);
        let query = prompt(&["query", "search_query", "retrieval.query", "s2p_query"]).or_else(|| default.clone());
        let passage = prompt(&["passage", "document", "search_document", "retrieval.passage", "corpus"]).or(default);
        // Many folders have empty prompts for both, written by the library and not by whoever trained the model.
        let said = |prompt: &Option<String>| prompt.as_ref().is_some_and(|text| !text.is_empty());
        if !said(&query) && !said(&passage) {
            return Ok((None, None));
        }
        for prompt in [&query, &passage].into_iter().flatten() {
            if prompt.chars().count() > LONGEST_PREFIX {
                return Err(self.wrong(FILE, "a prompt in it is longer than any").hint(DOWNLOAD));
            }
        }
        Ok((Some(query.unwrap_or_default()), Some(passage.unwrap_or_default())))
    }
}

/// Where texts are cut where neither the folder nor the catalogue says it.
pub(crate) fn usual_tokens() -> usize {
    USUAL_TOKENS as usize
}

fn files(folder: &Path) -> ModelFolder {
    ModelFolder::new(folder, "the model")
}

/// Whether a path that a file names stays in its folder.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// What tells an embedding model from others: what it takes, and that it gives vectors. Says whether those are of texts.
fn check_outline(outline: &Outline, output: VectorOutput) -> std::result::Result<bool, String> {
    let list = |names: Vec<&str>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let asked: Vec<&str> = outline.inputs.iter().map(String::as_str).collect();
    if let Some(unknown) = asked.iter().find(|name| !INPUTS.contains(name)) {
        return Err(format!("it is no text model that kb can run: it wants {unknown}, and gets {}", INPUTS.join(", ")));
    }
    if let Some(missing) = INPUTS[..2].iter().find(|name| !asked.contains(name)) {
        return Err(format!("it is no text model that kb can run: it does not take {missing}, only {}", list(asked)));
    }
    let given = || list(outline.outputs.iter().map(|port| port.name.as_str()).collect());
    let named = |name: &str| outline.outputs.iter().find(|port| port.name == name);
    let vector = match (output, outline.outputs.as_slice()) {
        (VectorOutput::SentenceEmbedding, _) => named("sentence_embedding"),
        (VectorOutput::Usual, [only]) => Some(only),
        (VectorOutput::Usual, _) => OUTPUTS.iter().find_map(|name| named(name)),
    };
    let vector = vector.ok_or_else(|| format!("it is no embedding model: it gives {}", given()))?;
    if vector.name == "logits" {
        return Err("it gives logits, so it is a model for another task".to_owned());
    }
    if vector.kind.is_some_and(|kind| kind != FLOAT) {
        return Err(format!("its {} are no 32-bit numbers", vector.name));
    }
    match vector.shape.as_deref().map(<[_]>::len) {
        Some(2) => Ok(true),
        // The usual shape where nothing is said.
        None => Ok(vector.name == "sentence_embedding" || vector.name == "text_embeds"),
        Some(3) => Ok(false),
        Some(dimensions) => {
            Err(format!("its {} have {dimensions} dimensions, and two or three are wanted", vector.name))
        }
    }
}

/// What the front matter of a model's card says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Card {
    /// Its languages, by their codes; empty where it names none.
    pub languages: Vec<String>,
    /// Its licence, by its name.
    pub licence: Option<String>,
}

impl Card {
    /// `language: en`, or a list below; `license: mit`.
    fn of(card: &str) -> Self {
        let mut lines = card.lines();
        if lines.next().map(str::trim_end) != Some("---") {
            return Card::default();
        }
        let clean = |text: &str| {
            let word = squeeze(printable(text).trim().trim_matches(['"', '\'']));
            Some(word).filter(|word| !word.is_empty() && char_count(word) <= LONGEST_CARD_WORD)
        };
        let (mut languages, mut licence, mut in_list) = (Vec::new(), None, false);
        for line in lines.take_while(|line| line.trim_end() != "---").take(LONGEST_CARD) {
            let item = line.trim_start().strip_prefix("- ");
            if let Some(said) = line.strip_prefix("language:") {
                let said = said.trim().trim_start_matches('[').trim_end_matches(']');
                languages.extend(said.split(',').filter_map(clean));
                in_list = said.is_empty();
            } else if let Some(item) = item.filter(|_| in_list) {
                languages.extend(clean(item));
            } else if !line.starts_with(' ') {
                in_list = false;
                licence = licence.or_else(|| line.strip_prefix("license:").and_then(clean));
            }
        }
        languages.iter_mut().for_each(|code: &mut String| code.make_ascii_lowercase());
        Card { languages, licence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_say_languages_and_licence() {
        let card = |text: &str| {
            let Card { languages, licence } = Card::of(text);
            (languages.join(" "), licence.unwrap_or_default())
        };
        let both = |languages: &str, licence: &str| (languages.to_owned(), licence.to_owned());
        assert_eq!(card("---\nlicense: apache-2.0\nlanguage: en\n---\n# x"), both("en", "apache-2.0"));
        assert_eq!(card("---\nlanguage:\n- zh\n- \"EN\"\ntags:\n- de\nlicense: 'mit'\n---"), both("zh en", "mit"));
        assert_eq!(card("---\nlanguage: [en, fr]\n---\nlicense: no"), both("en fr", ""));
        assert_eq!(card("# language: en"), both("", ""));
        assert_eq!(card(""), both("", ""));
    }

    #[test]
    fn what_a_card_says_is_short_and_does_nothing_to_a_terminal() {
        let long = "x".repeat(2 << 20);
        let card = Card::of(&format!("---\nlicense: {long}\nlanguage: [{long}, \u{1b}[2Jen, \"\u{9b}fr\"]\n---"));
        assert_eq!(card, Card { languages: vec!["[2jen".to_owned(), "fr".to_owned()], licence: None });
        assert_eq!(Card::of("---\nlicense: mit\u{1b}[2J\n---").licence.as_deref(), Some("mit [2J"));
    }

    #[test]
    fn only_plain_paths_are_followed() {
        assert!(is_plain("1_Pooling"));
        assert!(["", "..", "a/b", "/etc", "a\\b"].into_iter().all(|path| !is_plain(path)));
    }
}

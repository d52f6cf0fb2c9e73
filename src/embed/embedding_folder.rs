//! A folder with an embedding model in the layout of Hugging Face and sentence-transformers: the files it needs, and
//! the configuration that they declare.
//!
//! The files are `1_Pooling/config.json`, `modules.json`, `sentence_bert_config.json` and
//! `config_sentence_transformers.json`. A requirement that kb cannot meet is an error, because wrong vectors are not
//! recognisable as such.

use std::path::Path;

use fastembed::TokenizerFiles;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::folder::{DOWNLOAD, FEWEST_TOKENS, ModelFolder, check_inputs, listed};
use super::model::{Pooling, VectorOutput};
use super::onnx::{FLOAT, GraphSignature};
use crate::error::Result;
use crate::load::markdown::front_matter;
use crate::text::{char_count, printable, squeeze};

/// The outputs that fastembed knows, in its order of preference.
const OUTPUTS: [&str; 3] = ["text_embeds", "last_hidden_state", "sentence_embedding"];
/// Enough for a parent chunk of a thousand characters.
const MOST_TOKENS: u64 = 8192;
/// The limit if neither the folder nor the catalogue states one.
pub(crate) const DEFAULT_TOKENS: usize = 512;
/// In characters.
const LONGEST_PREFIX: usize = 1000;
/// In lines of front matter: evaluation results take thousands.
const LONGEST_CARD: usize = 100_000;
/// In characters, of a licence's name or a language code.
const LONGEST_CARD_WORD: usize = 100;

const EXPORT: &str =
    "`optimum-cli export onnx --task feature-extraction --model FOLDER OUT` writes an embedding model as ONNX";

/// An embedding model in a folder, checked but not loaded.
pub(crate) struct EmbeddingFolder {
    files: ModelFolder,
    /// Whether the graph gives one vector per text instead of one per token.
    pub is_pooled: bool,
    modules: Option<Value>,
}

/// What a folder declares about its model; `None` where it declares nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredConfig {
    pub pooling: Option<Pooling>,
    pub max_tokens: Option<u64>,
    pub query_prefix: Option<String>,
    pub document_prefix: Option<String>,
}

impl EmbeddingFolder {
    /// The path of the graph in a folder, and whether it is a reranking model: one with an output `logits`.
    ///
    /// # Errors
    /// The folder has no graph, or the graph is not an ONNX model.
    pub fn graph_in(folder: &Path) -> Result<(&'static str, bool)> {
        let graph = files(folder).graph()?;
        let signature = files(folder).signature(graph)?;
        Ok((graph, signature.outputs.iter().any(|output| output.name == "logits")))
    }

    /// Checks a folder. `graph` is the ONNX file in it, `output` selects the graph's output that is the vector.
    ///
    /// # Errors
    /// The folder holds no embedding model that kb can run.
    pub fn open(folder: &Path, graph: &str, output: VectorOutput) -> Result<Self> {
        let files = files(folder);
        let signature = files.signature(graph)?;
        let is_pooled =
            check_signature(&signature, output).map_err(|reason| files.unusable(graph, &reason).hint(EXPORT))?;
        files.required("tokenizer.json")?;
        files.required("config.json")?;
        let has_modules = folder.join("modules.json").exists();
        let modules = if has_modules { Some(files.any_json("modules.json")?) } else { None };
        let opened = EmbeddingFolder { files, is_pooled, modules };
        opened.check_modules()?;
        Ok(opened)
    }

    /// What the folder declares about its model.
    ///
    /// # Errors
    /// The model requires something that kb cannot do, or a file is broken.
    pub fn declared(&self) -> Result<DeclaredConfig> {
        let (query_prefix, document_prefix) = self.prefixes()?;
        let has_prefix = [&query_prefix, &document_prefix].into_iter().flatten().any(|prefix| !prefix.is_empty());
        Ok(DeclaredConfig {
            pooling: self.pooling(has_prefix)?,
            max_tokens: self.max_tokens()?,
            query_prefix,
            document_prefix,
        })
    }

    /// The small files as fastembed wants them, and the tokenizer.
    ///
    /// # Errors
    /// A file is missing or broken, or the tokenizer belongs to another model.
    pub fn tokenizer(&self, max_tokens: usize) -> Result<(TokenizerFiles, Tokenizer)> {
        let files = self.files.tokenizer_files(max_tokens as u64)?;
        let unusable = |reason: &str| self.files.unusable("tokenizer.json", reason).hint(DOWNLOAD);
        let tokenizer = Tokenizer::from_bytes(&files.tokenizer_file)
            .map_err(|error| unusable(&format!("not a tokenizer: {error}")))?;
        let highest = tokenizer.get_vocab(true).into_values().max().unwrap_or(0);
        match self.files.json("config.json")?["vocab_size"].as_u64() {
            Some(known) if u64::from(highest) >= known => Err(unusable(&format!(
                "it has tokens up to {highest}, and the model knows {known}: it belongs to another model"
            ))),
            _ => Ok((files, tokenizer)),
        }
    }

    /// Languages and licence from the model's card; empty if it is unreadable.
    pub fn card(&self) -> Card {
        let Ok(card) = self.files.bytes_of("README.md") else { return Card::default() };
        Card::of(&String::from_utf8_lossy(&card))
    }

    /// Refuses a model with layers after the transformer that the graph lacks.
    fn check_modules(&self) -> Result<()> {
        let Some(modules) = &self.modules else { return Ok(()) };
        let unusable = |reason: &str| self.files.unusable("modules.json", reason);
        for module in modules.as_array().ok_or_else(|| unusable("not a list").hint(DOWNLOAD))? {
            let kind = module["type"].as_str().unwrap_or_default().rsplit('.').next().unwrap_or_default();
            let known = matches!(kind, "Transformer" | "Pooling" | "Normalize");
            // A graph that gives one vector per text contains all layers.
            if !known && !self.is_pooled {
                let reason = format!("the model has a layer {kind:?} after the transformer that its ONNX file lacks");
                return Err(unusable(&reason).hint("export the whole model, with its output sentence_embedding"));
            }
        }
        Ok(())
    }

    /// The declared pooling. `has_prefix`: texts get a prefix.
    fn pooling(&self, has_prefix: bool) -> Result<Option<Pooling>> {
        let modules = self.modules.as_ref().and_then(Value::as_array).into_iter().flatten();
        let named = modules
            .filter(|module| module["type"].as_str().is_some_and(|kind| kind.ends_with("Pooling")))
            .find_map(|module| module["path"].as_str());
        let place = named.filter(|path| is_plain(path)).unwrap_or("1_Pooling");
        let name = format!("{place}/config.json");
        let Some(config) = self.files.json_if_there(&name)?.filter(|_| !self.is_pooled) else { return Ok(None) };
        let cannot = |how: &str| self.files.unusable(&name, &format!("kb cannot pool tokens by {how}"));
        const OLD: &str = "pooling_mode_";
        let old = config.as_object().into_iter().flatten().filter(|(_, value)| value.as_bool() == Some(true));
        let old: Vec<&str> = old.filter_map(|(key, _)| key.strip_prefix(OLD)).collect();
        if let Some(other) = old.iter().find(|mode| !["cls_token", "mean_tokens"].contains(mode)) {
            return Err(cannot(other));
        }
        let newer = config["pooling_mode"].as_str();
        let cls = old.contains(&"cls_token") || newer == Some("cls");
        let mean = old.contains(&"mean_tokens") || newer == Some("mean");
        if has_prefix && mean && config["include_prompt"].as_bool() == Some(false) {
            return Err(cannot("the mean of all tokens but those of the prefix"));
        }
        match (cls, mean, newer) {
            (true, false, _) => Ok(Some(Pooling::Cls)),
            (false, true, _) => Ok(Some(Pooling::Mean)),
            (true, true, _) => Err(cannot("cls and mean at once")),
            (false, false, Some(other)) => Err(cannot(other)),
            (false, false, None) => Err(self.files.unusable(&name, "it states no pooling").hint(DOWNLOAD)),
        }
    }

    /// The smallest token limit in the folder's files.
    fn max_tokens(&self) -> Result<Option<u64>> {
        let limit = |value: &Value| value.as_f64().filter(|&most| most >= 1.0).map(|most| most as u64);
        let limit_in = |file: &str, key: &str| -> Result<Option<u64>> {
            Ok(self.files.json_if_there(file)?.and_then(|config| limit(&config[key])))
        };
        let config = self.files.json("config.json")?;
        // Models of the RoBERTa family never use the first two positions.
        let unused = match config["model_type"].as_str() {
            Some("roberta" | "xlm-roberta" | "mpnet" | "camembert") => 2,
            _ => 0,
        };
        let positions = limit(&config["max_position_embeddings"]).map(|positions| positions.saturating_sub(unused));
        let of_sentences = limit_in("sentence_bert_config.json", "max_seq_length")?;
        let of_tokenizer = limit_in("tokenizer_config.json", "model_max_length")?;
        match [of_sentences, of_tokenizer, positions].into_iter().flatten().min() {
            Some(most) if most < FEWEST_TOKENS => {
                let reason = format!("the model takes {most} tokens, too few for a chunk");
                Err(self.files.unusable("config.json", &reason).hint(DOWNLOAD))
            }
            found => Ok(found.map(|most| most.min(MOST_TOKENS))),
        }
    }

    /// The prefixes of questions and documents.
    fn prefixes(&self) -> Result<(Option<String>, Option<String>)> {
        const FILE: &str = "config_sentence_transformers.json";
        let Some(config) = self.files.json_if_there(FILE)? else { return Ok((None, None)) };
        let prompt = |name: &str| config["prompts"][name].as_str().map(str::to_owned);
        let first = |names: &[&str]| names.iter().find_map(|name| prompt(name));
        let default = config["default_prompt_name"].as_str().and_then(prompt);
        let query = first(&["query", "search_query", "retrieval.query", "s2p_query"]).or_else(|| default.clone());
        let document = first(&["passage", "document", "search_document", "retrieval.passage", "corpus"]).or(default);
        let (query, document) = (query.unwrap_or_default(), document.unwrap_or_default());
        // Many folders have two empty prompts, written by the library and not by the model's authors.
        if query.is_empty() && document.is_empty() {
            return Ok((None, None));
        }
        if [&query, &document].into_iter().any(|prompt| char_count(prompt) > LONGEST_PREFIX) {
            let reason = format!("a prompt has more than {LONGEST_PREFIX} characters");
            return Err(self.files.unusable(FILE, &reason).hint(DOWNLOAD));
        }
        Ok((Some(query), Some(document)))
    }
}

fn files(folder: &Path) -> ModelFolder {
    ModelFolder::new(folder, "the model")
}

/// Whether a path that a file names stays in its folder.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Checks that a graph takes tokens and gives vectors. Returns whether it gives one vector per text.
fn check_signature(signature: &GraphSignature, output: VectorOutput) -> Result<bool, String> {
    check_inputs(signature, "a text model")?;
    let named = |name: &str| signature.outputs.iter().find(|port| port.name == name);
    let vector = match (output, signature.outputs.as_slice()) {
        (VectorOutput::SentenceEmbedding, _) => named("sentence_embedding"),
        (VectorOutput::Usual, [only]) => Some(only),
        (VectorOutput::Usual, _) => OUTPUTS.iter().find_map(|name| named(name)),
    };
    let Some(vector) = vector else {
        let names: Vec<&str> = signature.outputs.iter().map(|port| port.name.as_str()).collect();
        return Err(format!("not an embedding model: it gives {}", listed(&names)));
    };
    let name = &vector.name;
    if name == "logits" {
        return Err("its output is logits, so it is a model for another task".to_owned());
    }
    if vector.kind.is_some_and(|kind| kind != FLOAT) {
        return Err(format!("its {name} are not 32-bit numbers"));
    }
    match vector.shape.as_deref().map(<[_]>::len) {
        Some(2) => Ok(true),
        Some(3) => Ok(false),
        // Without a shape, the output's name decides.
        None => Ok(name == "sentence_embedding" || name == "text_embeds"),
        Some(dimensions) => Err(format!("its {name} have {dimensions} dimensions instead of two or three")),
    }
}

/// The front matter of a model's card.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Card {
    /// Codes of its languages; empty if it names none.
    pub languages: Vec<String>,
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
        let mut found = Card::default();
        for (key, value) in front_matter(lines.take_while(|line| line.trim_end() != "---").take(LONGEST_CARD)) {
            match key.as_str() {
                "language" => found.languages.extend(value.to_lowercase().split(',').filter_map(clean)),
                "license" => found.licence = found.licence.or_else(|| clean(&value)),
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_states_languages_and_licence() {
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
    fn only_plain_paths_are_followed() {
        assert!(is_plain("1_Pooling"));
        assert!(["", "..", "a/b", "/etc", "a\\b"].into_iter().all(|path| !is_plain(path)));
    }
}

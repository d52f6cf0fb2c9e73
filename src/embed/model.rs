//! An embedding model: its configuration, its fingerprint and its files.
//!
//! The embedded model is compiled into the program; `models/README.md` says where it comes from and how it was made.
//! Others are in folders. The fingerprint is the hash of everything that the vectors depend on. A store records it,
//! because vectors of two models must never be compared, even if both models have the same name.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use fastembed::TokenizerFiles;
use kb_minilm::{CONFIG, SPECIAL_TOKENS, TOKENIZER_CONFIG};
pub(super) use kb_minilm::{ONNX, TOKENIZER};
use serde::{Deserialize, Serialize};

use crate::endpoint::EndpointSettings;
use crate::error::{Error, Result};
use crate::hash;
use crate::text::script::{Script, coverage};

/// The name of the ONNX graph in a model's folder.
pub const GRAPH: &str = "model.onnx";
/// The name of the embedded model.
pub const EMBEDDED: &str = "all-MiniLM-L6-v2-int8";
/// Its [`Model::unrelated`]. A test compares it.
const EMBEDDED_UNRELATED: f32 = -0.104;
/// A constant, because computing it would hash 23 MB in every search. A test compares it.
const EMBEDDED_FINGERPRINT: &str = "9026bc4b24d503233ceb3c85e4d28dbbaafaad545e81ad60543086de50eab774";
/// The most numbers in a vector: the limit of a store.
pub(super) const LARGEST_DIMENSION: usize = 16_384;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// As users type it and stores record it.
    pub name: String,
    pub embedding_config: EmbeddingConfig,
    /// The hash of everything that its vectors depend on: its files, and its configuration except the languages.
    pub fingerprint: String,
    pub source: Source,
    /// The cosine of unrelated texts. It differs between models by half of the scale.
    pub unrelated: f32,
}

/// How a model turns text into a vector. A model that is used differently from its training gives worse vectors without
/// any error.
///
/// There is no setting for normalisation: vectors of kb always have length 1 and are compared by their cosine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingConfig {
    /// Numbers in a vector.
    pub dimension: usize,
    /// Longer texts are truncated to this many tokens.
    pub max_tokens: usize,
    pub pooling: Pooling,
    pub quantization: Quantization,
    /// Put in front of every question; often empty.
    pub query_prefix: String,
    /// Put in front of every text of a document.
    pub document_prefix: String,
    pub languages: Coverage,
    pub output: VectorOutput,
}

/// Which output of a graph is the vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorOutput {
    /// The only output, or the one with the usual name.
    #[default]
    Usual,
    /// The output `sentence_embedding` of a graph that also gives vectors of tokens.
    SentenceEmbedding,
}

/// How the vectors of tokens become one vector. A graph that gives one vector per text needs no pooling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    #[default]
    Mean,
    /// The vector of the first token, which stands for the whole text.
    Cls,
}

/// How a model's numbers were rounded, as far as this affects running it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantization {
    /// Not rounded, or each text is rounded by itself.
    #[default]
    None,
    /// By ranges fixed beforehand.
    Static,
    /// By ranges that depend on the whole batch, so each text must be a batch of its own.
    Dynamic,
}

/// The scripts of the languages that a model was trained on. Vectors of text in other scripts mean little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub scripts: Vec<Script>,
}

impl Coverage {
    /// For a model of English and other languages in Latin script.
    pub fn latin() -> Self {
        Coverage { scripts: vec![Script::Latin] }
    }

    /// The share of a text's words in these scripts, from 0 to 1.
    pub fn share(&self, text: &str) -> f32 {
        coverage(text, &self.scripts)
    }
}

/// Where a model's files are.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Compiled into the program.
    Embedded,
    Folder(ModelFiles),
    /// Behind an endpoint that computes the vectors.
    Endpoint(Box<EndpointSettings>),
}

/// The files of a model in a folder, besides [`GRAPH`], `tokenizer.json`, `config.json`, `tokenizer_config.json` and
/// the optional `special_tokens_map.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    pub folder: PathBuf,
    /// Files with weights beside the graph, by the names that the graph uses.
    pub external: Vec<String>,
}

/// The contents of all files of a model.
pub(super) struct ModelBytes {
    pub graph: Cow<'static, [u8]>,
    /// Files with weights beside the graph, by the names that the graph uses.
    pub external: Vec<(String, Vec<u8>)>,
    pub tokenizer: TokenizerFiles,
}

impl Model {
    pub fn embedded() -> Arc<Model> {
        static EMBEDDED_MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
            Arc::new(Model {
                name: EMBEDDED.to_owned(),
                embedding_config: EmbeddingConfig {
                    dimension: 384,
                    max_tokens: 256,
                    pooling: Pooling::Mean,
                    quantization: Quantization::None,
                    query_prefix: String::new(),
                    document_prefix: String::new(),
                    languages: Coverage::latin(),
                    output: VectorOutput::Usual,
                },
                fingerprint: EMBEDDED_FINGERPRINT.to_owned(),
                source: Source::Embedded,
                unrelated: EMBEDDED_UNRELATED,
            })
        });
        EMBEDDED_MODEL.clone()
    }

    /// The size of the embedded model's files.
    pub fn embedded_bytes() -> u64 {
        [ONNX, TOKENIZER, CONFIG, SPECIAL_TOKENS, TOKENIZER_CONFIG].iter().map(|file| file.len() as u64).sum()
    }

    /// A model whose files lie in a folder. Reads all of them for the fingerprint.
    ///
    /// # Errors
    /// A file is missing or cannot be read.
    pub fn in_folder(name: &str, embedding_config: EmbeddingConfig, files: ModelFiles) -> Result<Model> {
        let source = Source::Folder(files);
        let fingerprint = fingerprint(&embedding_config, &source.bytes()?);
        Ok(Model { name: name.to_owned(), embedding_config, fingerprint, source, unrelated: EMBEDDED_UNRELATED })
    }

    /// A question with the model's prefix.
    pub fn as_query<'t>(&self, text: &'t str) -> Cow<'t, str> {
        prefixed(&self.embedding_config.query_prefix, text)
    }

    /// A text of a document with the model's prefix.
    pub fn as_document<'t>(&self, text: &'t str) -> Cow<'t, str> {
        prefixed(&self.embedding_config.document_prefix, text)
    }
}

impl Source {
    /// The bytes of the graph and of the weights beside it; 0 if unknown.
    pub(super) fn weights(&self) -> u64 {
        match self {
            Source::Embedded => ONNX.len() as u64,
            Source::Endpoint(_) => 0,
            Source::Folder(ModelFiles { folder, external }) => {
                let names = external.iter().map(String::as_str).chain([GRAPH]);
                // Loading reports a file that cannot be read.
                names.filter_map(|name| std::fs::metadata(folder.join(name)).ok()).map(|about| about.len()).sum()
            }
        }
    }

    /// # Errors
    /// A file is missing or cannot be read.
    pub(super) fn bytes(&self) -> Result<ModelBytes> {
        let ModelFiles { folder, external } = match self {
            Source::Folder(files) => files,
            Source::Endpoint(settings) => {
                let (model, endpoint) = (&settings.model, settings.endpoint());
                return Err(Error::failed(format!("{model} is at {endpoint}, and has no files here")));
            }
            Source::Embedded => {
                let tokenizer = TokenizerFiles {
                    tokenizer_file: TOKENIZER.to_vec(),
                    config_file: CONFIG.to_vec(),
                    special_tokens_map_file: SPECIAL_TOKENS.to_vec(),
                    tokenizer_config_file: TOKENIZER_CONFIG.to_vec(),
                };
                return Ok(ModelBytes { graph: ONNX.into(), external: Vec::new(), tokenizer });
            }
        };
        let read = |path: PathBuf| std::fs::read(&path).map_err(|error| Error::io("read", &path, &error));
        let external = external.iter().map(|name| Ok((name.clone(), read(folder.join(name))?)));
        let special_tokens = folder.join("special_tokens_map.json");
        let tokenizer = TokenizerFiles {
            tokenizer_file: read(folder.join("tokenizer.json"))?,
            config_file: read(folder.join("config.json"))?,
            // Newer folders have its contents in tokenizer_config.json.
            special_tokens_map_file: if special_tokens.exists() { read(special_tokens)? } else { b"{}".to_vec() },
            tokenizer_config_file: read(folder.join("tokenizer_config.json"))?,
        };
        Ok(ModelBytes {
            external: external.collect::<Result<_>>()?,
            graph: read(folder.join(GRAPH))?.into(),
            tokenizer,
        })
    }
}

fn prefixed<'t>(prefix: &str, text: &'t str) -> Cow<'t, str> {
    if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
}

fn fingerprint(embedding_config: &EmbeddingConfig, bytes: &ModelBytes) -> String {
    let EmbeddingConfig {
        dimension,
        max_tokens,
        pooling,
        quantization,
        query_prefix,
        document_prefix,
        output,
        languages: _,
    } = embedding_config;
    let mut settings =
        format!("{dimension} {max_tokens} {pooling:?} {quantization:?} {query_prefix:?} {document_prefix:?}");
    if *output != VectorOutput::Usual {
        settings.push_str(&format!(" {output:?}"));
    }
    let TokenizerFiles { tokenizer_file, config_file, special_tokens_map_file, tokenizer_config_file } =
        &bytes.tokenizer;
    let files = [&*bytes.graph, tokenizer_file, config_file, special_tokens_map_file, tokenizer_config_file];
    let external = bytes.external.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    hash::of_parts([settings.as_bytes()].into_iter().chain(files).chain(external)).to_hex().to_string()
}

/// Whether a lower-case word is in the embedded model's vocabulary: common English words, some thousand names and the
/// commoner words of other languages. It scans the file in microseconds; parsing it would take longer than a keyword
/// search.
pub fn is_known_word(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && memchr::memmem::find(TOKENIZER, format!("\"{word}\":").as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn whole_words_of_the_vocabulary_are_known() {
        assert!(["please", "decimal", "pump"].into_iter().all(is_known_word));
        assert!(["pleese", "decimall", "##s", "", "水泵", "Please"].into_iter().all(|word| !is_known_word(word)));
    }

    #[test]
    fn the_constant_is_the_fingerprint_of_the_embedded_model() {
        let model = Model::embedded();
        assert_eq!(fingerprint(&model.embedding_config, &model.source.bytes().unwrap()), model.fingerprint);
    }

    #[test]
    fn a_fingerprint_changes_with_everything_that_vectors_depend_on() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for name in ["model.onnx", "model.onnx_data", "tokenizer.json", "config.json", "tokenizer_config.json"] {
            write(name, name);
        }
        let files = ModelFiles { folder: folder.path().to_owned(), external: vec!["model.onnx_data".to_owned()] };
        let with = |change: fn(&mut EmbeddingConfig)| {
            let mut config = Model::embedded().embedding_config.clone();
            change(&mut config);
            Model::in_folder("m", config, files.clone()).unwrap().fingerprint
        };
        let mut seen = HashSet::from([with(|_| ())]);
        assert!(seen.contains(&with(|config| config.languages.scripts = vec![Script::Han])), "it is the same");
        assert!(seen.insert(with(|config| config.max_tokens = 128)));
        assert!(seen.insert(with(|config| config.pooling = Pooling::Cls)));
        assert!(seen.insert(with(|config| config.query_prefix = "query: ".to_owned())));
        assert!(seen.insert(with(|config| config.document_prefix = "query: ".to_owned())));
        for name in ["model.onnx", "model.onnx_data", "tokenizer.json", "config.json", "special_tokens_map.json"] {
            write(name, "other");
            assert!(seen.insert(with(|_| ())), "{name}");
        }
    }
}

//! What must be known of an embedding model, and where its files are.
//!
//! The embedded model is compiled into the program; `models/README.md` says where it comes from and how it was made.
//! Others lie in folders. A model is known by its fingerprint, the hash of all that its vectors depend on: a store
//! remembers it, because vectors of two models must never be compared, not even where both have the same name.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::text::script::{Script, coverage};

/// The ONNX graph, about 23 MB.
pub(super) const ONNX: &[u8] = include_bytes!("../../models/all-MiniLM-L6-v2-int8.onnx");
pub(super) const TOKENIZER: &[u8] = include_bytes!("../../models/tokenizer.json");
const CONFIG: &[u8] = include_bytes!("../../models/config.json");
const SPECIAL_TOKENS: &[u8] = include_bytes!("../../models/special_tokens_map.json");
const TOKENIZER_CONFIG: &[u8] = include_bytes!("../../models/tokenizer_config.json");

/// The name of the embedded model.
pub const EMBEDDED: &str = "all-MiniLM-L6-v2-int8";
/// Its fingerprint, written down: every search would have to hash 23 MB. A test computes it.
const EMBEDDED_FINGERPRINT: &str = "9026bc4b24d503233ceb3c85e4d28dbbaafaad545e81ad60543086de50eab774";

/// An embedding model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its name, as users type it and stores record it.
    pub name: String,
    /// How it wants to be used.
    pub habits: Habits,
    /// The hash of its files and of the habits that its vectors depend on, as [`fingerprint`](Self::fingerprint_of) makes it.
    pub fingerprint: String,
    /// Where its files are.
    pub source: Source,
}

/// How a model wants to be used. One that is used otherwise than it was trained gives vectors that mean less, and
/// nothing tells.
///
/// There is no normalisation among these: vectors of kb always have length 1 and are compared by their cosine, which
/// no length changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Habits {
    /// How many numbers a vector has.
    pub dimension: usize,
    /// Longer texts are cut to this many tokens.
    pub max_tokens: usize,
    /// How the vectors of tokens become one.
    pub pooling: Pooling,
    /// What its numbers were rounded to.
    pub quantization: Quantization,
    /// What stands in front of a question; often nothing.
    pub query_prefix: String,
    /// What stands in front of a passage.
    pub passage_prefix: String,
    /// What it was taught.
    pub languages: Coverage,
    /// Which of its outputs is the vector.
    #[serde(default)]
    pub output: VectorOutput,
}

/// Which output of a graph is the vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorOutput {
    /// The only one, or the one with the usual name.
    #[default]
    Usual,
    /// That of whole sentences, where there is one of tokens too.
    SentenceEmbedding,
}

/// How the vectors of tokens become one. A graph that gives one vector for a text is taken at its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The vector of the first token, which stands for the whole text.
    Cls,
}

/// How a model's numbers were rounded, as far as it matters to whoever runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantization {
    /// Not at all, or so that each text is rounded by itself.
    None,
    /// By ranges that were fixed beforehand.
    Static,
    /// By ranges that depend on everything in a batch, so that each text must go through the model alone.
    Dynamic,
}

/// The languages that a model was taught, as far as writing tells them. Text in others gets a vector that means little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// The scripts of those languages.
    pub scripts: Vec<Script>,
}

impl Coverage {
    /// Of a model for English and its neighbours.
    pub fn latin() -> Self {
        Coverage { scripts: vec![Script::Latin] }
    }

    /// Of a model for the languages of the world.
    pub fn everything() -> Self {
        Coverage { scripts: vec![Script::Latin, Script::Han, Script::Kana, Script::Hangul, Script::Other] }
    }

    /// The share of a text's words that it covers, from 0 to 1.
    pub fn share(&self, text: &str) -> f32 {
        coverage(text, &self.scripts)
    }
}

/// Where a model's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In the program.
    Embedded,
    /// In a folder.
    Folder(ModelFiles),
}

/// The files of a model in a folder. Beside these there are `tokenizer.json`, `config.json`, `tokenizer_config.json` and
/// perhaps `special_tokens_map.json`, as Hugging Face lays them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    /// The folder.
    pub folder: PathBuf,
    /// The ONNX graph, by its path in it.
    pub graph: String,
    /// The files beside the graph that hold its weights, by the names that the graph calls them by; none where it holds
    /// them itself.
    pub external: Vec<String>,
}

/// All bytes that a model consists of.
pub(super) struct ModelBytes {
    pub graph: Cow<'static, [u8]>,
    /// Weights that the graph does not hold itself, by the names it calls them by.
    pub external: Vec<(String, Vec<u8>)>,
    pub tokenizer: Cow<'static, [u8]>,
    pub config: Cow<'static, [u8]>,
    pub special_tokens: Cow<'static, [u8]>,
    pub tokenizer_config: Cow<'static, [u8]>,
}

impl Model {
    /// The model that is compiled into the program.
    pub fn embedded() -> Arc<Model> {
        static EMBEDDED_MODEL: OnceLock<Arc<Model>> = OnceLock::new();
        let make = || {
            let habits = Habits {
                dimension: 384,
                max_tokens: 256,
                pooling: Pooling::Mean,
                quantization: Quantization::None,
                query_prefix: String::new(),
                passage_prefix: String::new(),
                languages: Coverage::latin(),
                output: VectorOutput::Usual,
            };
            let fingerprint = EMBEDDED_FINGERPRINT.to_owned();
            Arc::new(Model { name: EMBEDDED.to_owned(), habits, fingerprint, source: Source::Embedded })
        };
        EMBEDDED_MODEL.get_or_init(make).clone()
    }

    /// How many bytes that has.
    pub fn embedded_bytes() -> u64 {
        [ONNX, TOKENIZER, CONFIG, SPECIAL_TOKENS, TOKENIZER_CONFIG].iter().map(|file| file.len() as u64).sum()
    }

    /// A model whose files lie in a folder. All of them are read, for its fingerprint; who knows that nothing has changed
    /// since can keep that and needs not call this.
    ///
    /// # Errors
    /// Where a file is missing or cannot be read.
    pub fn in_folder(name: &str, habits: Habits, files: ModelFiles) -> Result<Model> {
        let source = Source::Folder(files);
        let fingerprint = Model::fingerprint_of(&habits, &source)?;
        Ok(Model { name: name.to_owned(), habits, fingerprint, source })
    }

    /// The hash of all that a model's vectors depend on: its files, and its habits but for its languages.
    ///
    /// # Errors
    /// Where a file is missing or cannot be read.
    pub fn fingerprint_of(habits: &Habits, source: &Source) -> Result<String> {
        Ok(fingerprint(habits, &bytes_of(source)?))
    }

    /// All bytes that it consists of.
    pub(super) fn bytes(&self) -> Result<ModelBytes> {
        bytes_of(&self.source)
    }

    /// A question as the model is given it.
    pub fn as_query<'t>(&self, text: &'t str) -> Cow<'t, str> {
        prefixed(&self.habits.query_prefix, text)
    }

    /// A passage as the model is given it.
    pub fn as_passage<'t>(&self, text: &'t str) -> Cow<'t, str> {
        prefixed(&self.habits.passage_prefix, text)
    }
}

fn prefixed<'t>(prefix: &str, text: &'t str) -> Cow<'t, str> {
    if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
}

fn fingerprint(habits: &Habits, bytes: &ModelBytes) -> String {
    let mut hasher = blake3::Hasher::new();
    let Habits { dimension, max_tokens, pooling, quantization, query_prefix, passage_prefix, output, languages: _ } =
        habits;
    let mut said = format!("{dimension} {max_tokens} {pooling:?} {quantization:?} {query_prefix:?} {passage_prefix:?}");
    if *output != VectorOutput::Usual {
        said.push_str(&format!(" {output:?}"));
    }
    let files = [&bytes.graph, &bytes.tokenizer, &bytes.config, &bytes.special_tokens, &bytes.tokenizer_config];
    let external = bytes.external.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    for part in [said.as_bytes()].into_iter().chain(files.into_iter().map(AsRef::as_ref)).chain(external) {
        // With its length, so that nothing can move from one part into the next.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

fn bytes_of(source: &Source) -> Result<ModelBytes> {
    let files = match source {
        Source::Embedded => {
            return Ok(ModelBytes {
                graph: ONNX.into(),
                external: Vec::new(),
                tokenizer: TOKENIZER.into(),
                config: CONFIG.into(),
                special_tokens: SPECIAL_TOKENS.into(),
                tokenizer_config: TOKENIZER_CONFIG.into(),
            });
        }
        Source::Folder(files) => files,
    };
    let read = |path: PathBuf| std::fs::read(&path).map_err(|error| Error::io("read", &path, &error));
    let beside = files.folder.join(&files.graph);
    let beside = beside.parent().unwrap_or(&files.folder);
    let special_tokens = files.folder.join("special_tokens_map.json");
    let external = files.external.iter().map(|name| Ok((name.clone(), read(beside.join(name))?)));
    Ok(ModelBytes {
        graph: read(files.folder.join(&files.graph))?.into(),
        external: external.collect::<Result<_>>()?,
        tokenizer: read(files.folder.join("tokenizer.json"))?.into(),
        config: read(files.folder.join("config.json"))?.into(),
        // Newer folders say what is in here in tokenizer_config.json.
        special_tokens: if special_tokens.exists() { read(special_tokens)?.into() } else { b"{}"[..].into() },
        tokenizer_config: read(files.folder.join("tokenizer_config.json"))?.into(),
    })
}

/// Whether something is an English word that the embedded model knows as a whole; so are some thousand names and the
/// commoner words of other languages. In small letters. The vocabulary is looked through where it stands, which takes
/// microseconds; reading it takes longer than a search by keywords.
pub fn is_known_word(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && memchr::memmem::find(TOKENIZER, format!("\"{word}\":").as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_as_a_whole() {
        assert!(["please", "decimal", "pump"].into_iter().all(is_known_word));
        assert!(["pleese", "decimall", "##s", "", "水泵", "Please"].into_iter().all(|word| !is_known_word(word)));
    }

    #[test]
    fn the_fingerprint_that_is_written_down_is_that_of_the_embedded_model() {
        let model = Model::embedded();
        assert_eq!(Model::fingerprint_of(&model.habits, &model.source).unwrap(), model.fingerprint);
    }

    #[test]
    fn a_fingerprint_is_of_everything_that_vectors_depend_on() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for name in ["model.onnx", "model.onnx_data", "tokenizer.json", "config.json", "tokenizer_config.json"] {
            write(name, name);
        }
        let habits = Model::embedded().habits.clone();
        let files = ModelFiles {
            folder: folder.path().to_owned(),
            graph: "model.onnx".to_owned(),
            external: vec!["model.onnx_data".to_owned()],
        };
        let of = |habits: &Habits| Model::in_folder("m", habits.clone(), files.clone()).unwrap().fingerprint;
        let mut seen = vec![of(&habits)];
        assert_eq!(of(&Habits { languages: Coverage::everything(), ..habits.clone() }), seen[0]);
        for other in [
            Habits { max_tokens: 128, ..habits.clone() },
            Habits { pooling: Pooling::Cls, ..habits.clone() },
            Habits { query_prefix: "query: ".to_owned(), ..habits.clone() },
            Habits { passage_prefix: "query: ".to_owned(), ..habits.clone() },
        ] {
            seen.push(of(&other));
        }
        for name in ["model.onnx", "model.onnx_data", "tokenizer.json", "config.json", "special_tokens_map.json"] {
            write(name, "other");
            seen.push(of(&habits));
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn prefixes_stand_in_front() {
        let habits = Habits { query_prefix: "query: ".to_owned(), ..Model::embedded().habits.clone() };
        let model = Model { habits, ..Model::clone(&Model::embedded()) };
        assert_eq!((&*model.as_query("pump"), &*model.as_passage("pump")), ("query: pump", "pump"));
    }
}

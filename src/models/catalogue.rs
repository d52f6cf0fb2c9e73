//! The models that can be had by name: what fastembed knows of them, and what it does not say.
//!
//! fastembed's own lists decide which models there are, where their files lie and how they are pooled; languages,
//! licences, sizes and prefixes are in `catalogue.toml`. A test holds both together, so that a new version of fastembed
//! cannot bring a model of which we know nothing.

use std::sync::OnceLock;

use fastembed::{EmbeddingModel, OutputKey, QuantizationMode, RerankerModel, TextEmbedding, TextRerank};
use serde::Deserialize;

use super::record::ModelKind;
use crate::embed::{Pooling, Quantization};
use crate::error::{Error, Result};
use crate::text::script::Script;

const TABLE: &str = include_str!("catalogue.toml");
/// Names at least as alike as this (Jaro-Winkler) are suggested.
const NEAR: f64 = 0.85;

/// A model that can be downloaded.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownModel {
    /// What it is called here.
    pub name: String,
    /// What it is for.
    pub kind: ModelKind,
    /// fastembed's name for it.
    pub variant: String,
    /// The model as its authors published it.
    pub of: String,
    /// Where the hub has the files.
    pub repository: String,
    /// The ONNX file there.
    pub model_file: String,
    /// The weights beside it.
    pub additional_files: Vec<String>,
    /// How many numbers a vector has; a reranking model gives none.
    pub dimension: Option<usize>,
    /// Its languages, in words.
    pub languages: String,
    /// The scripts of its languages.
    pub scripts: Vec<Script>,
    /// Its licence, where it is known.
    pub licence: Option<String>,
    /// Where its authors cut texts.
    pub max_tokens: usize,
    /// About what the ONNX file with its weights has, where that is known.
    pub bytes: Option<u64>,
    /// How the vectors of tokens become one.
    pub pooling: Pooling,
    /// How it was quantised.
    pub quantization: Quantization,
    /// The output that is the vector, where it is not found by its usual name.
    pub output: Option<String>,
    /// What stands in front of a question.
    pub query_prefix: String,
    /// What stands in front of a passage.
    pub passage_prefix: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    text: Vec<Entry>,
    rerank: Vec<Entry>,
    family: Vec<Family>,
}

/// How models of a family want to be used.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    begins: Vec<String>,
    /// How the vectors of tokens become one.
    pub pooling: Pooling,
    /// What stands in front of a question.
    #[serde(default)]
    pub query_prefix: String,
    /// What stands in front of a passage.
    #[serde(default)]
    pub passage_prefix: String,
}

/// All that the table says.
struct Read {
    known: Vec<KnownModel>,
    families: Vec<Family>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    variant: String,
    of: String,
    languages: String,
    scripts: Vec<Script>,
    licence: Option<String>,
    max_tokens: usize,
    megabytes: Option<u64>,
    #[serde(default)]
    query_prefix: String,
    #[serde(default)]
    passage_prefix: String,
}

/// All models that can be had by name, embedding models first, in the order of the table.
///
/// # Errors
/// Where the table cannot be read; it is part of the program, so that would be a fault of the build.
pub fn catalogue() -> Result<&'static [KnownModel]> {
    all().map(|all| all.known.as_slice())
}

/// The family of a model by its name, which may be that of a folder.
///
/// # Errors
/// As for [`catalogue`].
pub(super) fn family(name: &str) -> Result<Option<&'static Family>> {
    let name = name.to_lowercase();
    // Models that are told what to do in words have another prefix for each task.
    let is_told = name.contains("instruct");
    let fits = |family: &&Family| !is_told && family.begins.iter().any(|begin| name.starts_with(begin.as_str()));
    Ok(all()?.families.iter().find(fits))
}

fn all() -> Result<&'static Read> {
    static READ: OnceLock<Read> = OnceLock::new();
    if let Some(read) = READ.get() {
        return Ok(read);
    }
    let made = read(TABLE)?;
    Ok(READ.get_or_init(|| made))
}

/// The model of a name: ours, fastembed's, or that of its authors. Small and capital letters are the same.
///
/// # Errors
/// As for [`catalogue`].
pub fn known(name: &str) -> Result<Option<&'static KnownModel>> {
    let all = catalogue()?;
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let by_name = all.iter().find(|model| same(&model.name) || same(&model.variant));
    // Of several conversions, the one that is not quantised comes first.
    let by_author = || all.iter().find(|model| same(&model.of));
    let by_repository = || {
        let mut there = all.iter().filter(|model| same(&model.repository));
        there.next().filter(|_| there.next().is_none())
    };
    Ok(by_name.or_else(by_author).or_else(by_repository))
}

/// The name that comes nearest to one that nobody has.
///
/// # Errors
/// As for [`catalogue`].
pub fn nearest(name: &str) -> Result<Option<&'static str>> {
    let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let alike = |model: &&'static KnownModel| strsim::jaro_winkler(&model.name.to_lowercase(), &last);
    let near = catalogue()?.iter().map(|model| (alike(&model), model)).filter(|(alike, _)| *alike >= NEAR);
    Ok(near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, model)| model.name.as_str()))
}

fn read(table: &str) -> Result<Read> {
    let fault = |told: String| Error::failed(format!("the catalogue of models is broken: {told}"));
    let table: Table = toml::from_str(table).map_err(|error| fault(error.message().to_owned()))?;
    let texts = TextEmbedding::list_supported_models();
    let text = table.text.into_iter().map(|entry| {
        let info = texts.iter().find(|info| format!("{:?}", info.model) == entry.variant);
        let info = info.ok_or_else(|| fault(format!("fastembed has no {}", entry.variant)))?;
        Ok(KnownModel {
            repository: info.model_code.clone(),
            model_file: info.model_file.clone(),
            additional_files: info.additional_files.clone(),
            dimension: Some(info.dim),
            pooling: pooling(&info.model),
            quantization: quantization(&info.model),
            output: info.output_key.as_ref().and_then(output),
            ..entry.known(ModelKind::Text)
        })
    });
    let rerankers = TextRerank::list_supported_models();
    let rerank = table.rerank.into_iter().map(|entry| {
        let info = rerankers.iter().find(|info| variant(&info.model) == entry.variant);
        let info = info.ok_or_else(|| fault(format!("fastembed has no {}", entry.variant)))?;
        Ok(KnownModel {
            repository: info.model_code.clone(),
            model_file: info.model_file.clone(),
            additional_files: info.additional_files.clone(),
            ..entry.known(ModelKind::Rerank)
        })
    });
    let known = text.chain(rerank).collect::<Result<_>>()?;
    Ok(Read { known, families: table.family })
}

impl Entry {
    fn known(self, kind: ModelKind) -> KnownModel {
        KnownModel {
            name: self.name,
            kind,
            variant: self.variant,
            of: self.of,
            repository: String::new(),
            model_file: String::new(),
            additional_files: Vec::new(),
            dimension: None,
            languages: self.languages,
            scripts: self.scripts,
            licence: self.licence,
            max_tokens: self.max_tokens,
            bytes: self.megabytes.map(|megabytes| megabytes * 1_000_000),
            pooling: Pooling::Mean,
            quantization: Quantization::None,
            output: None,
            query_prefix: self.query_prefix,
            passage_prefix: self.passage_prefix,
        }
    }
}

fn variant(model: &RerankerModel) -> String {
    format!("{model:?}")
}

/// fastembed takes the first token's vector where it knows no pooling.
fn pooling(model: &EmbeddingModel) -> Pooling {
    match TextEmbedding::get_default_pooling_method(model) {
        Some(fastembed::Pooling::Mean) => Pooling::Mean,
        Some(fastembed::Pooling::Cls) | None => Pooling::Cls,
    }
}

fn quantization(model: &EmbeddingModel) -> Quantization {
    match TextEmbedding::get_quantization_mode(model) {
        QuantizationMode::None => Quantization::None,
        QuantizationMode::Static => Quantization::Static,
        QuantizationMode::Dynamic => Quantization::Dynamic,
    }
}

fn output(key: &OutputKey) -> Option<String> {
    match key {
        OutputKey::ByName(name) => Some((*name).to_owned()),
        OutputKey::OnlyOne | OutputKey::ByOrder(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_model_that_fastembed_knows_is_in_the_table_once() {
        let known = catalogue().unwrap();
        let of = |kind| -> BTreeSet<String> {
            known.iter().filter(|model| model.kind == kind).map(|model| model.variant.clone()).collect()
        };
        let texts = TextEmbedding::list_supported_models().iter().map(|info| format!("{:?}", info.model)).collect();
        assert_eq!(of(ModelKind::Text), texts);
        let rerankers = TextRerank::list_supported_models().iter().map(|info| variant(&info.model)).collect();
        assert_eq!(of(ModelKind::Rerank), rerankers);
        let names: BTreeSet<String> = known.iter().map(|model| model.name.to_lowercase()).collect();
        assert_eq!(names.len(), known.len(), "no name twice");
    }

    #[test]
    fn families_have_the_habits_of_their_cards() {
        let of = |name: &str| known(name).unwrap().unwrap();
        let e5 = of("multilingual-e5-small");
        assert_eq!((e5.query_prefix.as_str(), e5.passage_prefix.as_str()), ("query: ", "passage: "));
        assert_eq!((e5.pooling, e5.dimension, e5.scripts.len()), (Pooling::Mean, Some(384), 5));
        let zh = of("bge-small-zh-v1.5");
        assert_eq!((zh.pooling, zh.scripts.as_slice()), (Pooling::Cls, &[Script::Han][..]));
        assert!(zh.query_prefix.starts_with("为这个句子") && zh.passage_prefix.is_empty());
        for model in catalogue().unwrap() {
            let name = &model.name;
            let asked = |family: &str| name.contains(family) && model.kind == ModelKind::Text;
            assert_eq!(
                !model.query_prefix.is_empty(),
                ["e5", "bge-small", "bge-base", "bge-large", "nomic", "modernbert", "mxbai", "gemma", "arctic",]
                    .into_iter()
                    .any(asked),
                "{name}"
            );
            let quantised = name.ends_with("-q");
            assert_eq!(model.quantization != Quantization::None, quantised, "{name}");
        }
        assert_eq!(of("embeddinggemma-300m").output.as_deref(), Some("sentence_embedding"));
    }

    #[test]
    fn a_model_is_found_by_any_of_its_names() {
        let found = |name: &str| known(name).unwrap().map(|model| model.name.as_str());
        assert_eq!(found("BGE-small-en-v1.5"), Some("bge-small-en-v1.5"));
        assert_eq!(found("BAAI/bge-small-en-v1.5"), Some("bge-small-en-v1.5"), "the one that is not quantised");
        assert_eq!(found("BGESmallENV15Q"), Some("bge-small-en-v1.5-q"));
        assert_eq!(found("Qdrant/bge-small-en-v1.5-onnx-Q"), Some("bge-small-en-v1.5-q"));
        assert_eq!(found("BAAI/bge-reranker-base"), Some("bge-reranker-base"));
        assert_eq!(found("all-minilm"), None);
        assert_eq!(nearest("bge-smal-en-v1.5").unwrap(), Some("bge-small-en-v1.5"));
        assert_eq!(nearest("x").unwrap(), None);
    }

    #[test]
    fn families_are_told_by_their_names_and_agree_with_the_models_that_are_listed() {
        let of = |name: &str| family(name).unwrap().map(|family| family.query_prefix.as_str());
        assert_eq!(of("E5-base-v2"), Some("query: "));
        assert_eq!(of("multilingual-e5-large-instruct"), None);
        assert_eq!(of("snowflake-arctic-embed-m-v2.0"), Some("query: "));
        assert!(of("snowflake-arctic-embed-m-v1.5").unwrap().starts_with("Represent"));
        assert_eq!(of("something-else"), None);
        for model in catalogue().unwrap().iter().filter(|model| model.kind == ModelKind::Text) {
            let Some(family) = family(&model.name).unwrap() else { continue };
            let habits = (family.pooling, &family.query_prefix, &family.passage_prefix);
            assert_eq!(habits, (model.pooling, &model.query_prefix, &model.passage_prefix), "{}", model.name);
        }
    }

    #[test]
    fn a_broken_table_is_an_error() {
        assert!(read("text = 1").is_err());
        assert!(read("[[text]]\nname = \"x\"\nsize = 1\n[[rerank]]").is_err());
    }
}

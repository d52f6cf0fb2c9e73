//! The models that can be downloaded by name.
//!
//! fastembed's own lists define which models exist, where their files are and how they pool tokens. `catalogue.toml`
//! adds languages, licences, sizes and prefixes. A test compares both, so a new version of fastembed cannot add a model
//! that the table lacks.

use std::sync::LazyLock;

use fastembed::{EmbeddingModel, OutputKey, QuantizationMode, TextEmbedding, TextRerank};
use serde::Deserialize;

use super::record::ModelKind;
use crate::embed::{Pooling, Quantization, VectorOutput};
use crate::text::alike;
use crate::text::script::Script;

/// Names with at least this similarity (Jaro-Winkler) are suggested.
const NEAR: f64 = 0.85;

static TABLE: LazyLock<Table> = LazyLock::new(read);

/// A model that can be downloaded.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownModel {
    pub name: String,
    /// fastembed's name.
    pub variant: String,
    /// The model as its authors published it.
    pub of: String,
    /// For people.
    pub languages: String,
    pub scripts: Vec<Script>,
    pub licence: Option<String>,
    /// Where its authors truncate texts.
    pub max_tokens: usize,
    /// Its place among the models that are suggested, the best last; others are not suggested.
    pub rank: Option<u32>,
    /// Approximate size of the ONNX file with its weights, in megabytes.
    pub megabytes: Option<u64>,
    /// That of its family, if it has one.
    #[serde(default)]
    pub query_prefix: String,
    #[serde(default)]
    pub document_prefix: String,
    /// [`with_quantised`] makes them models of their own.
    #[serde(default)]
    quantised: Vec<QuantisedModel>,
    #[serde(skip)]
    pub kind: ModelKind,
    /// Its repository on the hub.
    #[serde(skip)]
    pub repository: String,
    /// The ONNX file in the repository.
    #[serde(skip)]
    pub model_file: String,
    /// The weights beside it.
    #[serde(skip)]
    pub additional_files: Vec<String>,
    /// Numbers in a vector; `None` for a reranking model.
    #[serde(skip)]
    pub dimension: Option<usize>,
    #[serde(skip)]
    pub pooling: Pooling,
    #[serde(skip)]
    pub quantization: Quantization,
    #[serde(skip)]
    pub output: VectorOutput,
}

/// A model quantised by others, which differs from it in these fields.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuantisedModel {
    name: String,
    variant: String,
    megabytes: Option<u64>,
}

/// The pooling and the prefixes of a family of models.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    begins: Vec<String>,
    pub pooling: Pooling,
    #[serde(default)]
    pub query_prefix: String,
    #[serde(default)]
    pub document_prefix: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Embedding models; [`read`] appends the reranking models.
    #[serde(rename = "text")]
    models: Vec<KnownModel>,
    rerank: Vec<KnownModel>,
    family: Vec<Family>,
}

/// All models that can be downloaded by name, embedding models first.
pub fn catalogue() -> &'static [KnownModel] {
    &TABLE.models
}

/// The family that a model's or folder's name belongs to.
pub(super) fn family(name: &str) -> Option<&'static Family> {
    family_in(&TABLE.family, name)
}

fn family_in<'f>(families: &'f [Family], name: &str) -> Option<&'f Family> {
    let name = name.to_lowercase();
    // Models that take instructions have another prefix for each task.
    let is_instructed = name.contains("instruct");
    let fits = |family: &&Family| !is_instructed && family.begins.iter().any(|begin| name.starts_with(begin.as_str()));
    families.iter().find(fits)
}

/// The model with a name: kb's, fastembed's or its authors'. Ignores case.
pub(super) fn known(name: &str) -> Option<&'static KnownModel> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let by_name = catalogue().iter().find(|model| same(&model.name) || same(&model.variant));
    // Of several conversions of a model, the unquantised one comes first.
    let by_author = || catalogue().iter().find(|model| same(&model.of));
    let by_repository = || {
        let mut there = catalogue().iter().filter(|model| same(&model.repository));
        there.next().filter(|_| there.next().is_none())
    };
    by_name.or_else(by_author).or_else(by_repository)
}

/// The most similar name in the catalogue.
pub fn nearest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let names = catalogue().iter().map(|model| (model.name.to_lowercase(), model.name.as_str()));
    alike(names, &last, NEAR).into_iter().next()
}

fn read() -> Table {
    let mut table: Table =
        toml::from_str(include_str!("catalogue.toml")).expect("the catalogue in the program is valid");
    let texts = TextEmbedding::list_supported_models();
    table.models = std::mem::take(&mut table.models).into_iter().flat_map(with_quantised).collect();
    for model in &mut table.models {
        let info = texts.iter().find(|info| format!("{:?}", info.model) == model.variant);
        let info = info.expect("a test compares the catalogue with fastembed's list");
        model.repository.clone_from(&info.model_code);
        model.model_file.clone_from(&info.model_file);
        model.additional_files.clone_from(&info.additional_files);
        model.dimension = Some(info.dim);
        model.pooling = pooling(&info.model);
        model.quantization = quantization(&info.model);
        if matches!(info.output_key, Some(OutputKey::ByName("sentence_embedding"))) {
            model.output = VectorOutput::SentenceEmbedding;
        }
        if let Some(family) = family_in(&table.family, &model.name) {
            model.query_prefix.clone_from(&family.query_prefix);
            model.document_prefix.clone_from(&family.document_prefix);
        }
    }
    let rerankers = TextRerank::list_supported_models();
    for model in &mut table.rerank {
        let info = rerankers.iter().find(|info| format!("{:?}", info.model) == model.variant);
        let info = info.expect("a test compares the catalogue with fastembed's list");
        model.kind = ModelKind::Rerank;
        model.repository.clone_from(&info.model_code);
        model.model_file.clone_from(&info.model_file);
        model.additional_files.clone_from(&info.additional_files);
    }
    table.models.append(&mut table.rerank);
    table
}

/// The model, and behind it its quantised forms.
fn with_quantised(mut model: KnownModel) -> Vec<KnownModel> {
    let forms = std::mem::take(&mut model.quantised);
    let mut all = vec![model.clone()];
    all.extend(forms.into_iter().map(|QuantisedModel { name, variant, megabytes }| KnownModel {
        name,
        variant,
        megabytes,
        rank: None,
        ..model.clone()
    }));
    all
}

/// Without a pooling, fastembed takes the first token's vector.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_lists_each_model_of_fastembed_once() {
        let known = catalogue();
        let of = |kind| -> BTreeSet<String> {
            known.iter().filter(|model| model.kind == kind).map(|model| model.variant.clone()).collect()
        };
        let texts = TextEmbedding::list_supported_models().iter().map(|info| format!("{:?}", info.model)).collect();
        assert_eq!(of(ModelKind::Text), texts);
        let rerankers = TextRerank::list_supported_models().iter().map(|info| format!("{:?}", info.model)).collect();
        assert_eq!(of(ModelKind::Rerank), rerankers);
        let names: BTreeSet<String> = known.iter().map(|model| model.name.to_lowercase()).collect();
        assert_eq!(names.len(), known.len(), "no name twice");
    }

    #[test]
    fn families_have_the_settings_of_their_cards() {
        let of = |name: &str| known(name).unwrap();
        let e5 = of("multilingual-e5-small");
        assert_eq!((e5.query_prefix.as_str(), e5.document_prefix.as_str()), ("query: ", "passage: "));
        assert_eq!((e5.pooling, e5.dimension, e5.scripts.len()), (Pooling::Mean, Some(384), 5));
        let zh = of("bge-small-zh-v1.5");
        assert_eq!((zh.pooling, zh.scripts.as_slice()), (Pooling::Cls, &[Script::Han][..]));
        assert!(zh.query_prefix.starts_with("为这个句子") && zh.document_prefix.is_empty());
        for model in catalogue() {
            assert_eq!(model.quantization != Quantization::None, model.name.ends_with("-q"), "{}", model.name);
        }
        assert_eq!(of("embeddinggemma-300m").output, VectorOutput::SentenceEmbedding);
    }

    #[test]
    fn a_model_is_found_by_any_of_its_names() {
        let found = |name: &str| known(name).map(|model| model.name.as_str());
        assert_eq!(found("BGE-small-en-v1.5"), Some("bge-small-en-v1.5"));
        assert_eq!(found("BAAI/bge-small-en-v1.5"), Some("bge-small-en-v1.5"), "the one that is not quantised");
        assert_eq!(found("BGESmallENV15Q"), Some("bge-small-en-v1.5-q"));
        assert_eq!(found("Qdrant/bge-small-en-v1.5-onnx-Q"), Some("bge-small-en-v1.5-q"));
        assert_eq!(found("BAAI/bge-reranker-base"), Some("bge-reranker-base"));
        assert_eq!(found("all-minilm"), None);
        assert_eq!(nearest("bge-smal-en-v1.5"), Some("bge-small-en-v1.5"));
        assert_eq!(nearest("x"), None);
    }

    #[test]
    fn families_are_found_by_name_and_agree_with_the_catalogue() {
        let of = |name: &str| family(name).map(|family| family.query_prefix.as_str());
        assert_eq!(of("E5-base-v2"), Some("query: "));
        assert_eq!(of("multilingual-e5-large-instruct"), None);
        assert_eq!(of("snowflake-arctic-embed-m-v2.0"), Some("query: "));
        assert!(of("snowflake-arctic-embed-m-v1.5").unwrap().starts_with("Represent"));
        assert_eq!(of("something-else"), None);
        for model in catalogue().iter().filter(|model| model.kind == ModelKind::Text) {
            assert!(family(&model.name).is_none_or(|family| family.pooling == model.pooling), "{}", model.name);
        }
    }
}

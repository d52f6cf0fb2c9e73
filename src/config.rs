//! Settings: what a command falls back to where a flag is silent.
//!
//! `kb.toml` in the store < environment < flags. Flags are clap's; this reads the file, and `environment` the variables of
//! its table `[search]`. Unknown keys are errors, so that a misspelt setting does not go unnoticed.

mod environment;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Span, SpanRelativeTo};
use serde::{Deserialize, Deserializer};

use crate::chunk::context::ContextKind;
use crate::embed::Device;
use crate::error::{Error, Result};
use crate::llm::LlmConfig;
use crate::retrieve::{
    Beam, Expand, Fallback, FusionName, GroupBy, Kind, Method, Mode, QueryEncoder, RerankBudget, RerankChoice,
    Settings, Weights,
};

/// The file's name, in the store's folder.
pub const FILE: &str = "kb.toml";

/// What `kb.toml` may say.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The ONNX Runtime library, or `off`.
    pub onnxruntime: Option<PathBuf>,
    /// What it runs models on.
    pub device: Option<Device>,
    /// The model of the vectors of new namespaces.
    pub model: Option<String>,
    /// For `kb search`.
    #[serde(default)]
    pub search: SearchConfig,
    /// For `kb ingest`.
    #[serde(default)]
    pub ingest: IngestConfig,
    /// For what is kept of old generations.
    #[serde(default)]
    pub history: HistoryConfig,
    /// The language model, where there is one.
    #[serde(default)]
    pub llm: LlmConfig,
}

/// The table `[search]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Which arms.
    pub method: Option<Method>,
    /// How many hits.
    pub limit: Option<usize>,
    /// Hits below this are left out.
    pub min_score: Option<f32>,
    /// What `--filter` says where it is not given.
    pub filter: Option<String>,
    /// What `--half-life` says where it is not given; `none` for no decay.
    pub half_life: Option<String>,
    /// How much the keyword arm and the semantic arm count.
    pub weights: Option<Weights>,
    /// How they are fused.
    pub fusion: Option<FusionName>,
    /// The k of reciprocal rank fusion.
    pub rrf_k: Option<f32>,
    /// Candidates per arm.
    pub pool: Option<usize>,
    /// Of which kind questions are, instead of telling it by their words.
    pub kind: Option<Kind>,
    /// Which other words are searched for.
    pub expand: Option<Expand>,
    /// The user's list of synonyms, from the store's folder.
    pub synonyms: Option<PathBuf>,
    /// When a search is tried again.
    pub fallback: Option<Fallback>,
    /// How the best candidates are looked at again. The folder of a model is one from the store's folder on.
    pub rerank: Option<RerankChoice>,
    /// How many a cross-encoder reads.
    pub rerank_depth: Option<usize>,
    /// How long it may.
    pub rerank_budget: Option<RerankBudget>,
    /// What makes the question's vector.
    pub query_encoder: Option<QueryEncoder>,
    /// How hits are chosen.
    pub mode: Option<Mode>,
    /// Neighbouring passages on both sides.
    pub context: Option<usize>,
    /// Sentences on both sides of the best one.
    pub window: Option<usize>,
    /// Whether adjacent hits become one.
    pub merge: Option<bool>,
    /// Whether passages that say the same are all shown.
    pub keep_duplicates: Option<bool>,
    /// What stands together.
    pub group_by: Option<GroupBy>,
    /// How much being different counts in the mode `broad`.
    pub diversity: Option<f32>,
    /// Hits of a document at most.
    pub per_document: Option<usize>,
    /// Branches of the mode `drill`.
    pub beam: Option<Beam>,
    /// Pieces named with each passage.
    pub children: Option<usize>,
    /// Tokens of all hits together.
    pub max_tokens: Option<usize>,
    /// What counts tokens.
    pub tokenizer: Option<String>,
}

impl SearchConfig {
    /// What it sets.
    pub fn settings(&self) -> Settings {
        Settings {
            method: self.method,
            weights: self.weights,
            fusion: self.fusion,
            rrf_k: self.rrf_k,
            pool: self.pool,
            limit: self.limit,
            min_score: self.min_score,
            kind: self.kind,
            expand: self.expand,
            fallback: self.fallback,
            rerank: self.rerank.clone(),
            rerank_depth: self.rerank_depth,
            rerank_budget: self.rerank_budget,
            query_encoder: self.query_encoder,
        }
    }
}

/// The table `[ingest]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestConfig {
    /// Globs of files to take.
    #[serde(default)]
    pub include: Vec<String>,
    /// Globs of files to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// In megabytes.
    pub max_file_size: Option<u64>,
    /// In seconds.
    pub file_timeout: Option<u64>,
    /// In seconds.
    pub page_timeout: Option<u64>,
    /// In megabytes.
    pub worker_memory: Option<u64>,
    /// The program that reads images of pages.
    pub ocr_command: Option<String>,
    /// What is embedded and indexed in front of passages.
    pub context: Option<ContextKind>,
    /// Threads.
    pub jobs: Option<usize>,
}

/// The table `[history]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    /// How long a generation is kept after it was replaced.
    #[serde(default, deserialize_with = "duration")]
    pub keep: Option<SignedDuration>,
    /// How many generations are kept, the published one included.
    pub generations: Option<NonZeroUsize>,
}

/// A length of time as people write it: `0s`, `12h`, `7d`, `4w`.
fn duration<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<SignedDuration>, D::Error> {
    let text = String::deserialize(from)?;
    let span = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    match span {
        Ok(span) if !span.is_negative() => Ok(Some(span)),
        _ => Err(serde::de::Error::custom(format!("{text:?} is no length of time such as \"12h\", \"7d\" or \"4w\""))),
    }
}

impl Config {
    /// Reads `kb.toml` in the store's folder; the defaults where there is none.
    ///
    /// # Errors
    /// Where it cannot be read or says something that is no setting, with the place in the file.
    pub fn read(store: &Path) -> Result<Self> {
        let path = store.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                return Ok(Config::default());
            }
            Err(error) => return Err(Error::io("read", &path, &error)),
        };
        let wrong = |at: usize, message: &str| {
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            Error::usage(format!("{}, line {line}: {}", path.display(), crate::text::squeeze(message)))
                .hint("correct the file")
        };
        let mut config: Config =
            toml::from_str(&text).map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message()))?;
        // The file is found from anywhere below, so what it names cannot depend on where one stands.
        if let Some(RerankChoice::Model(folder)) = &mut config.search.rerank {
            // A single word may be the name of a model.
            let beside = store.join(&*folder);
            if folder.components().count() > 1 || beside.exists() {
                *folder = beside;
            }
        }
        match config.search.settings().contradiction() {
            None => Ok(config),
            Some(found) => {
                let message = found.told(|setting| format!("search.{setting}"));
                Err(wrong(place_of(&text, &format!("search.{}", found.setting)), &message))
            }
        }
    }
}

/// Where in the file a setting stands, by its dotted name; the beginning, where it does not say.
fn place_of(text: &str, setting: &str) -> usize {
    let Ok(table) = toml::de::DeTable::parse(text) else { return 0 };
    let mut table = table.into_inner();
    let mut place = 0;
    for name in setting.split('.') {
        let Some((key, value)) = table.into_iter().find(|(key, _)| key.get_ref() == name) else { break };
        place = key.span().start;
        match value.into_inner() {
            toml::de::DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_is_an_error_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "[search]\nlimit = 5\nmetod = \"keyword\"\n").unwrap();
        let error = Config::read(folder.path()).unwrap_err();
        assert!(error.message().contains("line 3") && error.message().contains("metod"), "{error}");
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = |text: &str| {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            Config::read(folder.path()).map_or_else(|error| error.message().to_owned(), |_| String::new())
        };
        let told = wrong("[search]\nlimit = 5\n\npool = 3\n");
        assert!(told.contains("line 4: search.pool is 3, which is smaller than search.limit, 5"), "{told}");
        let told = wrong("# mine\n[search.fallback]\nmin_hits = 3\nmin_docs = 0\n");
        assert!(told.contains("line 4: search.fallback.min_docs is 0"), "{told}");
        let told = wrong("search.rrf_k = 10\n");
        assert!(told.contains("line 1: search.rrf_k"), "{told}");
        let told = wrong("[search]\nweights = [-1, 2]\n");
        assert!(told.contains("line 2") && told.contains("negative"), "{told}");
        assert_eq!(wrong("[search]\nweights = [1, 2]\nfusion = \"rrf\"\nrrf_k = 10\n"), "");
    }

    #[test]
    fn settings_are_read_and_a_missing_file_means_defaults() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::read(folder.path()).unwrap(), Config::default());
        std::fs::write(folder.path().join(FILE), "[search]\nmethod = \"keyword\"\nlimit = 3\n").unwrap();
        let config = Config::read(folder.path()).unwrap();
        assert_eq!((config.search.method, config.search.limit), (Some(Method::Keyword), Some(3)));
    }

    #[test]
    fn lengths_of_time_are_written_as_people_write_them() {
        let keep = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(FILE), format!("[history]\nkeep = {text}\n")).unwrap();
            Config::read(folder.path()).map(|config| config.history.keep.unwrap())
        };
        for (text, hours) in [("0s", 0), ("12h", 12), ("7d", 168), ("4w", 672), ("1 day 12 hours", 36)] {
            assert_eq!(keep(&format!("{text:?}")).unwrap(), SignedDuration::from_hours(hours), "{text}");
        }
        for bad in ["\"a week\"", "\"-1d\"", "\"1 month\"", "\"7\"", "7"] {
            let error = keep(bad).unwrap_err();
            assert!(error.message().contains("line 2"), "{bad}: {error}");
        }
    }
}

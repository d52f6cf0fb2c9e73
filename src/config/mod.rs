//! Settings: `kb.toml` in the store < environment < flags.
//!
//! A topic is one struct that derives `clap::Args` and `Deserialize`: `kb.toml` fills it, and clap updates it from flags and
//! variables. Unknown keys are errors, so that a misspelt setting does not go unnoticed.

mod ingest;
mod search;
mod values;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use serde::Deserialize;

pub use ingest::{IngestSettings, MEGABYTE, ReadingSettings, Threads, cores};
pub use search::{DEFAULT_CONTEXT_TOKENS, Output, RerankBudget, RerankChoice, SearchSettings, rerank};

use crate::embed::Device;
use crate::error::{Error, Result};
use crate::llm::LlmConfig;

/// The file's name, in the store's folder.
pub const FILE: &str = "kb.toml";

/// The content of `kb.toml`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The ONNX Runtime library, or `off`.
    pub onnxruntime: Option<PathBuf>,
    pub device: Option<Device>,
    /// The embedding model of new namespaces.
    pub model: Option<String>,
    pub search: SearchSettings,
    pub ingest: IngestSettings,
    pub history: HistoryConfig,
    pub llm: LlmConfig,
}

/// Which old generations are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    /// How long a generation is kept after it was replaced.
    #[serde(default, deserialize_with = "values::length")]
    pub keep: Option<SignedDuration>,
    /// How many generations are kept, the published one included.
    pub generations: Option<NonZeroUsize>,
}

impl Config {
    /// Reads `kb.toml` in the store's folder; the defaults where the file is missing.
    ///
    /// # Errors
    /// Where it cannot be read or sets something unknown or invalid, with the line.
    pub fn read(store: &Path) -> Result<Self> {
        let path = store.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                return Ok(Config::default());
            }
            Err(error) => return Err(Error::io("read", &path, &error)),
        };
        let mut config: Config = toml::from_str(&text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text[..start].matches('\n').count();
            // The key alone: a value may be a secret.
            let key = text.lines().nth(line).and_then(|line| line.split('=').next()).unwrap_or_default().trim();
            let place = if key.is_empty() { String::new() } else { format!(", {}", crate::text::truncate(key, 60)) };
            let message = crate::text::squeeze(error.message());
            Error::usage(format!("{}, line {}{place}: {message}", path.display(), line + 1)).hint("correct the file")
        })?;
        config.search.filter(&format!("{}, [search]", path.display()))?;
        // The file is found from anywhere below the store, so a path in it cannot depend on the current folder.
        if let Some(RerankChoice::Model(folder)) = &mut config.search.rerank {
            // A single word may be the name of a model.
            let beside = store.join(&*folder);
            if folder.components().count() > 1 || beside.exists() {
                *folder = beside;
            }
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Method;

    #[test]
    fn a_misspelt_setting_is_an_error_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "[search]\nlimit = 5\nmetod = \"keyword\"\n").unwrap();
        let error = Config::read(folder.path()).unwrap_err();
        assert!(error.message().contains("line 3") && error.message().contains("metod"), "{error}");
    }

    #[test]
    fn an_invalid_value_is_an_error_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        for (text, line, expected) in [
            ("[search]\nlimit = 0\n", 2, "from 1 to 1000"),
            ("[search]\nlimit = 5\n\npool = 30000\n", 4, "from 1 to 10000"),
            ("[search]\nmin_score = 2\n", 2, "from 0 to 1"),
            ("# mine\n[search]\nfusion = \"rrf:x\"\n", 3, "rrf:K"),
            ("[search]\nweights = [-1, 2]\n", 2, "0.7,0.3"),
            ("[search]\nmode = \"drill:3\"\n", 2, "3,3,3"),
            ("[search]\nhalf_life = \"soon\"\n", 2, "line 2, half_life: expected a duration"),
            ("[ingest]\nfile_timeout = 0\n", 0, "from 1 to 86400"),
            ("[ingest]\npage_timeout = 86401\n", 0, "from 1 to 86400"),
            ("[ingest]\nworker_memory = 9999999\n", 0, "from 1 to 1048576"),
            ("[ingest]\nmax_file_size = 9999999\n", 0, "from 1 to 1048576"),
            ("[ingest]\njobs = 0\n", 0, "from 1 to 1024"),
            ("[ingest]\nfile_timout = 5\n", 0, "file_timout"),
        ] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            let error = Config::read(folder.path()).unwrap_err();
            // 0: a flattened table has lost the line.
            assert!(line == 0 || error.message().contains(&format!("line {line}")), "{text}: {error}");
            assert!(error.message().contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn settings_are_read_and_a_missing_file_means_defaults() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::read(folder.path()).unwrap(), Config::default());
        std::fs::write(folder.path().join(FILE), "[search]\nmethod = \"keyword\"\nlimit = 3\n").unwrap();
        let config = Config::read(folder.path()).unwrap();
        assert_eq!(
            (config.search.method, config.search.limit.map(|limit| limit.get())),
            (Some(Method::Keyword), Some(3))
        );
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

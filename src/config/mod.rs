//! Settings: the user's `config.toml` < the store's `kb.toml`, as far as it is trusted < environment < flags.
//!
//! A topic is one struct that derives `clap::Args` and `Deserialize`: the files fill it, and clap updates it from flags
//! and variables. Unknown keys are errors, so that a misspelt setting does not go unnoticed.

mod choices;
mod ingest;
mod known_stores;
mod listing;
mod search;
mod settings_file;
mod trust;
mod values;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use jiff::SignedDuration;
use serde::Deserialize;
use toml::{Table, Value};

pub use choices::{RerankBudget, RerankChoice, SEARCH_WORDS};
pub use ingest::{ChunkSettings, IngestSettings, MEGABYTE, ReadingSettings, RuleSettings, Threads};
pub use known_stores::KnownStores;
pub use listing::{ListedSetting, list_settings};
pub use search::{DEFAULT_CONTEXT_TOKENS, Output, SearchSettings, rerank};
pub use trust::{IgnoredSettings, RiskySetting, StoreSettings};
pub use values::{HalfLifeSetting, Share};

use self::settings_file::SettingsFile;
use crate::embed::{Device, TokenCounter};
use crate::endpoint::{EMBEDDINGS, EndpointConfig, LANGUAGE_MODEL, RERANKING};
use crate::error::{Error, Result};
use crate::search::HeadingForms;

/// The file's name, in the store's folder.
pub(crate) const FILE: &str = "kb.toml";
/// The least similarity (Jaro-Winkler) of a suggested name.
const SUGGESTION_SIMILARITY: f64 = 0.8;

/// The settings of one file, or of two merged.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The ONNX Runtime library, or `off`.
    pub onnxruntime: Option<PathBuf>,
    pub device: Option<Device>,
    /// The embedding model of new namespaces.
    pub model: Option<String>,
    pub serve: Option<ServeChoice>,
    pub search: SearchSettings,
    pub ingest: IngestSettings,
    pub history: HistoryConfig,
    pub llm: EndpointConfig,
    /// The endpoint of the model named `endpoint`.
    pub embedding: EndpointConfig,
    /// The endpoint of `rerank = "endpoint"`.
    pub reranking: EndpointConfig,
    /// The forms of headings that state a field of their sections.
    #[serde(deserialize_with = "values::heading_forms")]
    pub headings: HeadingForms,
    /// Settings in the store's file that need trust and do not have it.
    #[serde(skip)]
    pub ignored: Option<IgnoredSettings>,
}

/// Whether commands use the server of `kb serve`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServeChoice {
    /// Use one that runs; start none
    #[default]
    Running,
    /// Use one that runs, or start one for the next command
    Auto,
    /// Use none
    Off,
}

/// Which old generations are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    /// How long a generation is kept after it was replaced. The newest five are kept for longer.
    #[serde(default, deserialize_with = "values::duration")]
    pub keep: Option<SignedDuration>,
    /// How many generations are kept, the published one included.
    pub generations: Option<NonZeroUsize>,
}

impl Config {
    /// The user's own settings, overridden by those of the store's `kb.toml` as far as the store is trusted. The store
    /// need not exist.
    ///
    /// # Errors
    /// If a file cannot be read or sets something unknown or invalid, with the line.
    pub fn read(store: &Path) -> Result<Self> {
        Config::merged(SettingsFile::of_user()?, Some(StoreSettings::read(store)?), &KnownStores::of_user())
    }

    /// The user's own settings.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn of_user() -> Result<Self> {
        Config::merged(SettingsFile::of_user()?, None, &KnownStores::of_user())
    }

    fn merged(user: Option<SettingsFile>, mut store: Option<StoreSettings>, known: &KnownStores) -> Result<Self> {
        let (prompts, ignored) = store.as_mut().map_or((None, None), |store| store.remove_untrusted(known));
        let files: Vec<SettingsFile> = user.into_iter().chain(store.and_then(|store| store.file)).collect();
        let mut table = Table::new();
        files.iter().for_each(|file| merge_settings(&mut table, &file.table));
        // Each file was valid by itself, and settings do not depend on each other.
        let merged: Result<Config, _> = table.try_into();
        let mut config =
            merged.map_err(|error| Error::usage(format!("the settings contradict each other: {error}")))?;
        let sets = |file: &&SettingsFile, setting: &str| trust::get(&file.table, setting).is_some();
        config.resolve_paths(|setting| Some(&*files.iter().rfind(|file| sets(file, setting))?.folder));
        config.llm.prompts = prompts.or(config.llm.prompts);
        Ok(Config { ignored, ..config })
    }

    /// Checks that no table of an endpoint has a setting that belongs to another one.
    fn check_endpoints(&self) -> Result<()> {
        self.llm.check_tables(LANGUAGE_MODEL)?;
        self.embedding.check_tables(EMBEDDINGS)?;
        self.reranking.check_tables(RERANKING)
    }

    /// Resolves paths against the folders of the files that name them. They must not depend on the current folder,
    /// because the files are found from anywhere.
    fn resolve_paths<'f>(&mut self, folder_of: impl Fn(&str) -> Option<&'f Path>) {
        let beside =
            |setting: &str, path: &Path| folder_of(setting).map_or(path.to_owned(), |folder| folder.join(path));
        let off = Path::new("off");
        self.onnxruntime =
            self.onnxruntime.take().map(|path| if path == off { path } else { beside("onnxruntime", &path) });
        self.llm.prompts = self.llm.prompts.take().map(|path| beside("llm.prompts", &path));
        if let Some(name) = self.search.tokenizer.as_mut().filter(|name| TokenCounter::is_file(name)) {
            *name = beside("search.tokenizer", Path::new(name)).to_string_lossy().into_owned();
        }
        if let Some(RerankChoice::Model(folder)) = &mut self.search.rerank {
            // A single word may be the name of a model.
            let beside = beside("search.rerank", folder);
            if folder.components().count() > 1 || beside.exists() {
                *folder = beside;
            }
        }
        if let Some(command) = &mut self.ingest.reading.ocr_command
            && let Ok(mut words) = shell_words::split(command)
            // A single word is a program that the system finds.
            && let Some(program) = words.first_mut().filter(|program| Path::new(program).components().count() > 1)
        {
            *program = beside("ingest.ocr_command", Path::new(program)).to_string_lossy().into_owned();
            *command = shell_words::join(words);
        }
    }
}

/// Overrides the settings of one file with those of another, setting by setting.
fn merge_settings(below: &mut Table, above: &Table) {
    for (topic, settings) in above {
        match (below.get_mut(topic), settings) {
            (Some(Value::Table(below)), Value::Table(above)) => {
                // A key is sent only to the address that it was configured for.
                if above.contains_key("base_url") {
                    below.remove("api_key_env");
                }
                below.extend(above.clone());
            }
            _ => drop(below.insert(topic.clone(), settings.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of a store with this file, and nothing else.
    fn read(text: &str) -> Result<Config> {
        let store = tempfile::tempdir().unwrap();
        std::fs::write(store.path().join(FILE), text).unwrap();
        let known = KnownStores::at(&store.path().join("known"));
        Config::merged(None, Some(StoreSettings::read(store.path())?), &known)
    }

    #[test]
    fn a_misspelt_setting_and_a_wrong_type_are_explained_in_words() {
        let error = |text: &str| read(text).unwrap_err();
        let misspelt = error("[search]\nlimt = 3\n");
        assert!(misspelt.message().ends_with("unknown field `limt`"), "{misspelt}");
        assert_eq!(misspelt.next_step(), Some("did you mean `limit`?"));
        let misspelt = error("[ingest]\njobs = 2\nfile_timout = 3\n");
        assert!(misspelt.message().ends_with("line 3, file_timout: unknown field `file_timout`"), "{misspelt}");
        assert_eq!(misspelt.next_step(), Some("did you mean `file_timeout`?"));
        let misplaced = error("[search]\nlimit = 3\n[ingest]\njobs = 2\nlimit = 3\n");
        assert!(misplaced.message().contains("line 5, limit: "), "{misplaced}");
        for (text, expected) in [
            ("[search]\nlimit = \"three\"\n", "expected a whole number"),
            ("[search]\nmin_confidence = \"high\"\n", "expected a number"),
            ("[history]\ngenerations = \"few\"\n", "expected a whole number above 0"),
        ] {
            assert!(error(text).message().ends_with(expected), "{}", error(text));
        }
    }

    #[test]
    fn an_invalid_value_is_an_error_with_its_line() {
        for (text, line, expected) in [
            ("[search]\nlimit = 0\n", 2, "from 1 to 1000"),
            ("[search]\nlimit = 5\n\npool = 30000\n", 4, "from 1 to 10000"),
            ("[search]\nmin_confidence = 2\n", 2, "from 0 to 1"),
            ("# mine\n[search]\nfusion = \"rrf:x\"\n", 3, "rrf:K"),
            ("[search]\nweights = [-1, 2]\n", 2, "0.7,0.3"),
            ("[search]\nmode = \"drill:3\"\n", 2, "3,3,3"),
            ("[search]\nhalf_life = \"soon\"\n", 2, "line 2, half_life: expected a duration"),
            (
                "[search]\nlimit = 5\nrerank_budget = \"soon\"\n",
                3,
                "line 3, rerank_budget: expected a duration above 0",
            ),
            ("[search]\nlimit = 5\nmetod = \"keyword\"\n", 3, "line 3, metod: unknown field `metod`"),
            ("[ingest]\nfile_timeout = 0\n", 0, "from 1 to 86400"),
            ("[ingest]\npage_timeout = 86401\n", 0, "from 1 to 86400"),
            ("[ingest]\nworker_memory = 9999999\n", 0, "from 1 to 1048576"),
            ("[ingest]\nmax_file_size = 9999999\n", 0, "from 1 to 1048576"),
            ("[ingest]\njobs = 0\n", 0, "from 1 to 1024"),
            ("[ingest]\nparent_chars = 10\n", 0, "from 50 to 20000"),
            ("[ingest]\nfile_timout = 5\n", 0, "file_timout"),
        ] {
            let error = read(text).unwrap_err();
            // 0: errors in a flattened table have no line.
            assert!(line == 0 || error.message().contains(&format!("line {line}")), "{text}: {error}");
            assert!(error.message().contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_huge_file_of_settings_is_refused() {
        let error = read(&"#".repeat(2 << 20)).unwrap_err();
        assert!(error.message().ends_with("kb.toml has 2.1 MB; the limit is 1.0 MB"), "{error}");
    }

    #[test]
    fn lengths_of_time_are_written_as_people_write_them() {
        let keep = |text: &str| read(&format!("[history]\nkeep = {text}\n")).map(|config| config.history.keep.unwrap());
        for (text, hours) in [("0s", 0), ("12h", 12), ("7d", 168), ("4w", 672), ("1 day 12 hours", 36)] {
            assert_eq!(keep(&format!("{text:?}")).unwrap(), SignedDuration::from_hours(hours), "{text}");
        }
        for bad in ["\"a week\"", "\"-1d\"", "\"1 month\"", "\"7\"", "7"] {
            let error = keep(bad).unwrap_err();
            assert!(error.message().contains("line 2"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_key_is_sent_only_to_its_own_address() {
        let folder = tempfile::tempdir().unwrap();
        let (user, store) = (folder.path().join("config.toml"), folder.path().join("store"));
        std::fs::create_dir(&store).unwrap();
        std::fs::write(&user, "[llm]\nbase_url = \"https://mine/v1\"\nmodel = \"m\"\napi_key_env = \"MINE\"\n")
            .unwrap();
        let known = KnownStores::at(&folder.path().join("known"));
        let merged = |settings: &str| {
            std::fs::write(store.join(FILE), settings).unwrap();
            let of_store = StoreSettings::read(&store).unwrap();
            known.trust(&store, of_store.hash()).unwrap();
            Config::merged(SettingsFile::read(&user).unwrap(), Some(of_store), &known).unwrap().llm
        };
        let own = merged("[llm]\ntimeout = 5\n");
        assert_eq!((own.timeout, own.model.as_deref(), own.api_key_env.as_deref()), (5, Some("m"), Some("MINE")));
        let other = merged("[llm]\nbase_url = \"https://other/v1\"\n");
        assert_eq!((other.base_url.as_deref(), other.api_key_env), (Some("https://other/v1"), None));
        let named = merged("[llm]\nbase_url = \"https://other/v1\"\napi_key_env = \"OTHER\"\n");
        assert_eq!(named.api_key_env.as_deref(), Some("OTHER"));
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("store")).unwrap();
        std::fs::create_dir_all(at("mine")).unwrap();
        std::fs::write(at("mine/config.toml"), "onnxruntime = \"x.so\"\n[search]\ntokenizer = \"mine.json\"\n")
            .unwrap();
        std::fs::write(
            at("store/kb.toml"),
            "onnxruntime = \"off\"\n[search]\nrerank = \"name\"\n[llm]\nprompts = \"p\"\n\
             [ingest]\nocr_command = \"./ocr.sh '{} x'\"\n",
        )
        .unwrap();
        let known = KnownStores::at(&at("known"));
        let of_store = StoreSettings::read(&at("store")).unwrap();
        known.trust(&at("store"), of_store.hash()).unwrap();
        let user = SettingsFile::read(&at("mine/config.toml")).unwrap();
        let config = Config::merged(user, Some(of_store), &known).unwrap();
        assert_eq!(config.onnxruntime.as_deref(), Some(Path::new("off")));
        assert_eq!(config.search.tokenizer, Some(at("mine/mine.json").display().to_string()));
        assert_eq!(config.search.rerank, Some(RerankChoice::Model("name".into())), "the name of a model");
        assert_eq!(config.llm.prompts, Some(at("store/p")));
        let words = shell_words::split(&config.ingest.reading.ocr_command.unwrap()).unwrap();
        assert_eq!(words, [at("store/./ocr.sh").display().to_string(), "{} x".to_owned()]);
    }
}

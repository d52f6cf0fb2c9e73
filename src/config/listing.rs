//! Every setting with its value and the origin of the value.

use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};
use serde::Serialize;
use toml::Table;

use super::settings_file::SettingsFile;
use super::{FILE, IngestSettings, KnownStores, SearchSettings, StoreSettings, trust};
use crate::endpoint::endpoint_settings;
use crate::error::Result;

/// Settings beside those of searches, ingests and endpoints: the name, the variable if it has one, and the default.
const OTHERS: [(&str, Option<&str>, &str); 12] = [
    ("kb", Some("KB_DIR"), "the nearest .kb"),
    ("namespace", Some("KB_NAMESPACE"), "default"),
    ("models", Some("KB_MODELS_DIR"), "kb/models in the user's data folder"),
    ("headings", None, "none"),
    ("ingest.metadata", None, "none"),
    ("ingest.namespaces", None, "none"),
    ("model", Some("KB_MODEL"), "the embedded one"),
    ("device", Some("KB_DEVICE"), "cpu"),
    ("onnxruntime", Some("KB_ONNXRUNTIME"), "the one found"),
    ("serve", Some("KB_SERVE"), "running"),
    ("history.keep", None, "7d"),
    ("history.generations", None, "20"),
];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedSetting {
    /// Its name in `kb.toml`, after that of its table.
    pub setting: String,
    pub value: String,
    /// `default`, the path of a file, or the name of a variable.
    pub from: String,
    /// Whether the value is not the default.
    pub is_set: bool,
}

/// All settings in effect, for a store or without one. `kb.toml` counts as far as the store is trusted.
///
/// # Errors
/// If a file cannot be read or sets something unknown or invalid.
pub fn list_settings(store: Option<&Path>) -> Result<Vec<ListedSetting>> {
    let mut files: Vec<(PathBuf, Table)> = Vec::new();
    if let Some(store) = store {
        let mut settings = StoreSettings::read(store)?;
        settings.remove_untrusted(&KnownStores::of_user());
        files.extend(settings.file.map(|file| (store.join(FILE), file.table)));
    }
    if let Some(file) = SettingsFile::of_user()? {
        files.push((file.folder.join("config.toml"), file.table));
    }
    let of_flags = flags("search", SearchSettings::augment_args(Command::new("")))
        .chain(flags("ingest", IngestSettings::augment_args(Command::new(""))));
    let others = OTHERS
        .iter()
        .map(|(name, variable, default)| ((*name).to_owned(), variable.map(str::to_owned), (*default).to_owned()));
    let listed = others.chain(endpoint_settings()).chain(of_flags).map(|(setting, variable, default)| {
        let typed = variable.and_then(|name| Some((std::env::var(&name).ok().filter(|text| !text.is_empty())?, name)));
        let in_file = || {
            let (value, path) = files.iter().find_map(|(path, table)| Some((trust::get(table, &setting)?, path)))?;
            // A text is shown without its quotes.
            Some((value.as_str().map_or_else(|| value.to_string(), str::to_owned), path.display().to_string()))
        };
        let (value, from, is_set) = match typed.or_else(in_file) {
            // Any address may have a password in it.
            Some((value, from))
                if trust::may_be_secret(&setting, &value) || (value.contains("://") && value.contains('@')) =>
            {
                (trust::HIDDEN.to_owned(), from, true)
            }
            Some((value, from)) => (value, from, true),
            None => (default, "default".to_owned(), false),
        };
        ListedSetting { setting, value, from, is_set }
    });
    Ok(listed.collect())
}

/// Settings with a flag: the name, the variable, and the default that the help names.
fn flags(table: &str, command: Command) -> impl Iterator<Item = (String, Option<String>, String)> {
    let all: Vec<Arg> = command.get_arguments().cloned().collect();
    let table = table.to_owned();
    // A password cannot be set in a file and is not shown.
    all.into_iter().filter(|arg| arg.get_id() != "password").map(move |arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let default = help.rsplit_once("[default: ").and_then(|(_, rest)| rest.strip_suffix(']'));
        let variable = arg.get_env().and_then(|name| name.to_str()).map(str::to_owned);
        (format!("{table}.{}", arg.get_id()), variable, default.unwrap_or("none").to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::EndpointConfig;

    #[test]
    fn every_setting_of_a_file_is_listed_with_its_place() {
        let store = tempfile::tempdir().unwrap();
        std::fs::write(store.path().join(FILE), "[search]\nlimit = 3\nweights = [1, 2]\n").unwrap();
        let listed = list_settings(Some(store.path())).unwrap();
        let of = |name: &str| listed.iter().find(|one| one.setting == name).unwrap();
        assert_eq!((of("search.limit").value.as_str(), of("search.weights").value.as_str()), ("3", "[1, 2]"));
        assert!(of("search.limit").from.ends_with("kb.toml") && of("search.limit").is_set);
        assert_eq!((of("search.mode").value.as_str(), of("search.mode").from.as_str()), ("precise", "default"));
        assert_eq!(of("ingest.child_chars").value, "300");
        let llm = serde_json::to_value(EndpointConfig::default()).unwrap();
        for name in llm.as_object().unwrap().keys() {
            let table = if name.ends_with("prefix") { "embedding" } else { "llm" };
            assert!(!of(&format!("{table}.{name}")).value.is_empty(), "{name}");
        }
        assert!(listed.iter().all(|one| one.setting != "reranking.prompts"));
        assert!(listed.iter().all(|one| !one.setting.contains("password")));
    }
}

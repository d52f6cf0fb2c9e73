//! The settings in a store's `kb.toml` that need trust. Anybody may have made the store, and kb uses its settings in
//! every folder below it. A setting that can run a program, load code, send data, read files elsewhere or lift the
//! limits on hostile documents therefore has no effect until `kb trust`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::{Table, Value};

use super::known_stores::KnownStores;
use super::settings_file::SettingsFile;
use crate::error::{Error, Kind, NextStep, Result};
use crate::hash;
use crate::llm::prompt_names;
use crate::models::is_endpoint;
use crate::paths::read_text;
use crate::threads::cores;

/// A setting that can need trust, depending on its value.
struct Risk {
    /// A topic means every setting in it.
    setting: &'static str,
    /// Whether a text or a whole number as the value needs no trust. Any other value needs it.
    harmless: fn(&str) -> bool,
    /// What it can do.
    can: &'static str,
}

const fn risk(setting: &'static str, harmless: fn(&str) -> bool, can: &'static str) -> Risk {
    Risk { setting, harmless, can }
}

const LIMIT: &str = "lifts a limit on hostile documents";

/// All other settings only choose, by a name or a number, among things that kb does anyway.
const RISKS: [Risk; 17] = [
    risk("onnxruntime", |path| path == "off", "loads a library into kb"),
    risk("model", |name| !is_endpoint(name), "sends text of documents and questions"),
    risk("serve", |choice| matches!(choice, "running" | "off"), "starts a background process"),
    risk("ingest.ocr_command", |_| false, "runs a program"),
    risk("llm", |_| false, "sends text of documents and questions"),
    risk("reranking", |_| false, "sends text of documents and questions"),
    risk("embedding", |_| false, "sends text of documents and questions"),
    risk("ingest.context", |kind| matches!(kind, "none" | "headings" | "subjects"), "sends text of documents"),
    risk("search.expand", |words| matches!(words, "off" | "missing" | "all"), "sends questions"),
    risk("search.fallback", |_| false, "sends questions"),
    risk("search.rerank", |how| matches!(how, "light" | "off"), "loads a model"),
    risk("search.tokenizer", |name| name.starts_with("chars/"), "reads a file"),
    risk("ingest.max_file_size", |_| false, LIMIT),
    risk("ingest.file_timeout", |_| false, LIMIT),
    risk("ingest.page_timeout", |_| false, LIMIT),
    risk("ingest.worker_memory", |_| false, LIMIT),
    // Each job has a worker with all of its memory.
    risk("ingest.jobs", |jobs| jobs.parse().is_ok_and(|jobs: usize| jobs <= cores()), LIMIT),
];

impl Risk {
    /// The value in a file, if it needs trust.
    fn value_in<'t>(&self, table: &'t Table) -> Option<&'t Value> {
        let is_harmless = |value: &Value| match value {
            Value::String(text) => (self.harmless)(text),
            Value::Integer(number) => (self.harmless)(&number.to_string()),
            _ => false,
        };
        get(table, self.setting).filter(|value| !is_harmless(value))
    }
}

/// The value of a setting, or of a whole topic.
pub(super) fn get<'t>(table: &'t Table, setting: &str) -> Option<&'t Value> {
    match setting.split_once('.') {
        None => table.get(setting),
        Some((topic, name)) => table.get(topic)?.get(name),
    }
}

fn remove(table: &mut Table, setting: &str) {
    match setting.split_once('.') {
        None => drop(table.remove(setting)),
        Some((topic, name)) => {
            drop(table.get_mut(topic).and_then(Value::as_table_mut).and_then(|topic| topic.remove(name)))
        }
    }
}

/// An error without quotations from `kb.toml`, if that is a link: it may lead to a secret file.
fn without_quotes(path: &Path, error: Error) -> Error {
    if !path.is_symlink() || error.kind() != Kind::Usage {
        return error;
    }
    Error::usage(format!("{} is a link to a file without valid settings", path.display()))
        .hint("replace the link with the file itself")
}

/// The folder of prompts in a store.
const PROMPTS: &str = "prompts";

pub struct StoreSettings {
    store: PathBuf,
    pub(super) file: Option<SettingsFile>,
    /// The prompts by name, and their folder.
    prompts: Vec<(&'static str, String)>,
    prompts_folder: PathBuf,
}

/// A setting of a store that needs trust, with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RiskySetting {
    pub setting: String,
    pub value: String,
    pub can: &'static str,
}

impl StoreSettings {
    /// # Errors
    /// If `kb.toml` cannot be read or is invalid.
    pub fn read(store: &Path) -> Result<Self> {
        let path = store.join(super::FILE);
        let file = SettingsFile::read(&path).map_err(|error| without_quotes(&path, error))?;
        let named = file.as_ref().and_then(|file| get(&file.table, "llm.prompts")?.as_str());
        let prompts_folder = store.join(named.unwrap_or(PROMPTS));
        let text = |name| Some((name, read_text(&prompts_folder.join(format!("{name}.md"))).ok()?));
        let prompts = prompt_names().into_iter().filter_map(text).collect();
        Ok(StoreSettings { store: store.to_owned(), file, prompts, prompts_folder })
    }

    /// A hash of everything that the user may have trusted.
    pub fn hash(&self) -> String {
        let file = self.file.as_ref().map_or("", |file| file.text.as_str());
        let prompts = self.prompts.iter().flat_map(|(name, text)| [*name, text.as_str()]);
        hash::of_parts(std::iter::once(file).chain(prompts).map(str::as_bytes)).to_hex().to_string()
    }

    /// The settings and prompts that need trust.
    pub fn risky(&self) -> Vec<RiskySetting> {
        let mut all = Vec::new();
        for risk in &RISKS {
            let mut add = |setting: String, value: &Value| {
                all.push(RiskySetting { value: shown(&setting, value), setting, can: risk.can })
            };
            match self.file.as_ref().and_then(|file| risk.value_in(&file.table)) {
                Some(Value::Table(topic)) => {
                    topic.iter().for_each(|(name, value)| add(format!("{}.{name}", risk.setting), value));
                }
                Some(value) => add(risk.setting.to_owned(), value),
                None => {}
            }
        }
        for (name, _) in &self.prompts {
            let value = self.prompts_folder.join(format!("{name}.md")).display().to_string();
            all.push(RiskySetting {
                setting: format!("{PROMPTS}/{name}.md"),
                value,
                can: "tells the language model what to do",
            });
        }
        all
    }

    /// Removes the settings that need trust if the store is not trusted, and returns them. If it is trusted, returns
    /// the folder of its prompts.
    pub(super) fn remove_untrusted(&mut self, known: &KnownStores) -> (Option<PathBuf>, Option<IgnoredSettings>) {
        let trusted = known.trusted(&self.store);
        if trusted.as_ref() == Some(&self.hash()) {
            return ((!self.prompts.is_empty()).then(|| self.prompts_folder.clone()), None);
        }
        let mut settings = Vec::new();
        if let Some(file) = &mut self.file {
            settings.extend(RISKS.iter().filter(|risk| risk.value_in(&file.table).is_some()).map(|risk| risk.setting));
            settings.iter().for_each(|setting| remove(&mut file.table, setting));
        }
        if !self.prompts.is_empty() {
            settings.push(PROMPTS);
        }
        let ignored = IgnoredSettings { store: self.store.clone(), settings, changed: trusted.is_some() };
        (None, (!ignored.settings.is_empty()).then_some(ignored))
    }
}

/// A value for display. Hides one that may contain a misplaced secret.
fn shown(setting: &str, value: &Value) -> String {
    let text = value.to_string();
    if may_be_secret(setting, &text) { HIDDEN.to_owned() } else { text }
}

/// Stands for a value that is not shown.
pub(super) const HIDDEN: &str = "(not shown)";

/// Whether a value may contain a misplaced secret.
pub(super) fn may_be_secret(setting: &str, text: &str) -> bool {
    let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '"');
    match setting.rsplit('.').next() {
        Some("api_key_env") => !text.chars().all(is_variable),
        Some("base_url") => text.contains(['@', '?']),
        _ => false,
    }
}

/// Settings that are ignored because the store is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredSettings {
    store: PathBuf,
    settings: Vec<&'static str>,
    /// Whether the store was trusted with other settings.
    changed: bool,
}

impl IgnoredSettings {
    pub fn note(&self) -> String {
        let (file, settings) = (self.store.join(super::FILE), self.settings.join(", "));
        let why = if self.changed { "it has changed since you trusted it" } else { "this store is not trusted" };
        let (show, trust) = (NextStep::ShowUntrusted, NextStep::Trust);
        format!("{}: ignored {settings}, because {why}; `{show}` shows them, `{trust}` trusts them", file.display())
    }
}

//! The settings of an endpoint: its table in the settings files, and the variables that override it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};

/// The purpose of an endpoint, and where it is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// In the settings files.
    pub table: &'static str,
    /// The beginning of its variables, before a setting of the table in capitals.
    pub prefix: &'static str,
    /// The path of the protocol behind `base_url`.
    pub(super) path: &'static str,
    /// Settings that not every table has.
    own: &'static [&'static str],
}

/// OpenAI's `/chat/completions`.
pub const LANGUAGE_MODEL: Service = Service {
    table: "llm",
    prefix: "KB_LLM_",
    path: "/chat/completions",
    own: &["concurrency", "max_tokens", "prompts"],
};
/// OpenAI's `/embeddings`.
pub const EMBEDDINGS: Service = Service {
    table: "embedding",
    prefix: "KB_EMBEDDING_",
    path: "/embeddings",
    own: &["concurrency", "max_tokens", "query_prefix", "document_prefix"],
};
/// `/rerank`, as Cohere, Jina, Voyage and Text Embeddings Inference speak it.
pub const RERANKING: Service = Service { table: "reranking", prefix: "KB_RERANKING_", path: "/rerank", own: &[] };
const SERVICES: [Service; 3] = [EMBEDDINGS, RERANKING, LANGUAGE_MODEL];

impl Service {
    pub(super) fn variable(self, setting: &str) -> String {
        format!("{}{}", self.prefix, setting.to_uppercase())
    }

    /// The table that this setting belongs to, if not to this one.
    fn table_of(self, setting: &str) -> Option<&'static str> {
        let has = |service: &Service| service.own.contains(&setting);
        SERVICES.into_iter().find(has).filter(|_| !has(&self)).map(|other| other.table)
    }
}

/// The settings of all endpoints, each with its variable and its default in words.
pub fn endpoint_settings() -> impl Iterator<Item = (String, Option<String>, String)> {
    let all = serde_json::to_value(EndpointConfig::default()).unwrap_or_default();
    SERVICES.into_iter().flat_map(move |service| {
        let own = all.as_object().cloned().unwrap_or_default().into_iter();
        own.filter(move |(name, _)| service.table_of(name).is_none()).map(move |(name, default)| {
            let default = match (name.as_str(), default) {
                ("max_tokens", _) => "no limit".to_owned(),
                ("prompts", _) => "prompts in the store's folder".to_owned(),
                (_, Value::Number(number)) => number.to_string(),
                _ => "none".to_owned(),
            };
            (format!("{}.{name}", service.table), Some(service.variable(&name)), default)
        })
    })
}

/// Environment variables by name.
pub type Variables = BTreeMap<String, String>;

/// The variables of this process.
pub fn environment() -> Variables {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

/// A table of an endpoint: `[llm]`, `[embedding]` or `[reranking]`. It names the variable of the key and has no place
/// for the key itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// The endpoint, as `https://host/v1`.
    pub base_url: Option<String>,
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// Seconds for an answer.
    pub timeout: u64,
    /// Further attempts after a temporary failure.
    pub retries: u32,
    /// Requests at a time; not in `[reranking]`.
    pub concurrency: usize,
    /// Tokens that a run may use, sent and answered; not in `[reranking]`.
    pub max_tokens: Option<u64>,
    /// The folder of the user's prompts, relative to the file that names it; only in `[llm]`.
    pub prompts: Option<PathBuf>,
    /// Put before every query; only in `[embedding]`.
    pub query_prefix: String,
    /// Put before every text of a document; only in `[embedding]`.
    pub document_prefix: String,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        EndpointConfig {
            base_url: None,
            model: None,
            api_key_env: None,
            timeout: 60,
            retries: 4,
            concurrency: 4,
            max_tokens: None,
            prompts: None,
            query_prefix: String::new(),
            document_prefix: String::new(),
        }
    }
}

impl EndpointConfig {
    /// These settings, overridden by variables.
    pub(super) fn merged<'v>(
        &self,
        service: Service,
        variables: impl Iterator<Item = (&'v String, &'v String)>,
    ) -> Result<Self> {
        let mut merged = self.clone();
        for (name, text) in variables {
            let Some(setting) = name.strip_prefix(service.prefix) else { continue };
            // A prefix ends with a space.
            let text = if setting.ends_with("_PREFIX") { text } else { text.trim() };
            merged = merged.with(&setting.to_lowercase(), text).map_err(|error| {
                Error::usage(format!("cannot use the environment variable {name}: {error}"))
                    .hint("correct it or unset it")
            })?;
        }
        Ok(merged)
    }

    /// These settings with one replaced: by a number if the setting takes one, otherwise by the text.
    fn with(&self, setting: &str, text: &str) -> serde_json::Result<Self> {
        let settings = serde_json::to_value(self)?;
        let set = |value: Value| {
            let mut settings = settings.clone();
            settings[setting] = value;
            serde_json::from_value(settings)
        };
        let number = text.parse::<u64>().ok().and_then(|number| set(number.into()).ok());
        number.map_or_else(|| set(text.into()), Ok)
    }

    /// Refuses settings that belong to the table of another service.
    pub fn check_tables(&self, service: Service) -> Result<()> {
        let set = [
            ("concurrency", self.concurrency != EndpointConfig::default().concurrency),
            ("max_tokens", self.max_tokens.is_some()),
            ("prompts", self.prompts.is_some()),
            ("query_prefix", !self.query_prefix.is_empty()),
            ("document_prefix", !self.document_prefix.is_empty()),
        ];
        for (setting, _) in set.into_iter().filter(|(_, is_set)| *is_set) {
            if let Some(table) = service.table_of(setting) {
                return Err(Error::usage(format!("[{}] does not take {setting}", service.table))
                    .hint(format!("set it in [{table}], or leave it out")));
            }
        }
        Ok(())
    }

    pub(super) fn check_ranges(&self, service: Service) -> Result<()> {
        let checks = [
            ("timeout", self.timeout, 1..=3600),
            ("retries", u64::from(self.retries), 0..=10),
            ("concurrency", self.concurrency as u64, 1..=64),
            ("max_tokens", self.max_tokens.unwrap_or(1), 1..=u64::MAX),
        ];
        let Some((name, value, range)) = checks.into_iter().find(|(_, value, range)| !range.contains(value)) else {
            return Ok(());
        };
        let (least, most) = range.into_inner();
        let (variable, table) = (service.variable(name), service.table);
        Err(Error::usage(format!("{name} in [{table}] (or {variable}) is {value}; it must be from {least} to {most}"))
            .hint("correct it"))
    }
}

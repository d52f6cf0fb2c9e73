//! Where a client comes from.

use std::path::PathBuf;

use super::client::Client;
use super::settings::{LlmConfig, LlmSettings};
use crate::error::Result;

/// What is configured, before anything needs it: the `[llm]` of a store's `kb.toml`, under the environment. A run that
/// turns out to need no model never looks whether its key is there.
#[derive(Debug, Clone)]
pub struct Configured {
    /// The `[llm]` of `kb.toml`.
    pub config: LlmConfig,
    /// The store's folder, where answers are kept and prompts may lie. It need not exist yet.
    pub store: PathBuf,
}

impl Configured {
    /// A client; `None` where no model is configured.
    ///
    /// # Errors
    /// Where a setting is missing, unknown or out of range, or a user's prompt lacks something.
    pub fn client(&self) -> Result<Option<Client>> {
        let environment = |name: &str| std::env::var(name).ok();
        let key = environment("KB_LLM_API_KEY_ENV").or_else(|| self.config.api_key_env.clone());
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        LlmSettings::refuse_unknown(names, key.as_deref())?;
        let settings = LlmSettings::resolve(&self.config, &environment, &self.store)?;
        settings.map(|settings| Client::new(settings, Some(&self.store))).transpose()
    }

    /// A client for what cannot go on without: `wanted` is what asks for it.
    ///
    /// # Errors
    /// As [`client`](Self::client), and where none is configured, with what to set.
    pub fn required(&self, wanted: &str) -> Result<Client> {
        self.client()?.ok_or_else(|| LlmSettings::missing(wanted))
    }
}

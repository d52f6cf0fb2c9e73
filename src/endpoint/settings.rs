//! The checked settings for a client of an endpoint, from its table and the environment.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;

use super::config::{EndpointConfig, LANGUAGE_MODEL, Service, Variables, environment};
use super::secret::Secret;
use crate::address::server_address;
use crate::error::{Error, NextStep, Result};

/// The wait before the first retry; it doubles with each further one.
const BACK_OFF: Duration = Duration::from_millis(500);

impl EndpointConfig {
    /// What a client needs; `None` if no endpoint is configured.
    pub fn settings(&self, service: Service) -> Result<Option<EndpointSettings>> {
        EndpointSettings::of_service(self, service, &environment())
    }
}

/// What a client needs, complete and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointSettings {
    pub service: Service,
    /// The address that requests go to.
    pub url: Url,
    pub model: String,
    pub key: Option<Secret>,
    pub timeout: Duration,
    /// Further attempts after a temporary failure.
    pub retries: u32,
    /// The wait before the first retry.
    pub back_off: Duration,
    /// Requests at a time.
    pub concurrency: usize,
    /// Tokens that a run may use.
    pub max_tokens: Option<u64>,
    /// The folder of the user's prompts.
    pub prompts: Option<PathBuf>,
    /// In front of every question that is embedded.
    pub query_prefix: String,
    /// In front of every text of a document that is embedded.
    pub document_prefix: String,
}

impl EndpointSettings {
    /// The defaults for an endpoint without a key.
    pub fn new(base_url: &str, model: &str) -> Result<Self> {
        let service = LANGUAGE_MODEL;
        Ok(EndpointSettings::of(&EndpointConfig::default(), service, endpoint(base_url, service)?, model))
    }

    fn of(config: &EndpointConfig, service: Service, url: Url, model: &str) -> Self {
        EndpointSettings {
            service,
            url,
            model: model.trim().to_owned(),
            key: None,
            timeout: Duration::from_secs(config.timeout),
            retries: config.retries,
            back_off: BACK_OFF,
            concurrency: config.concurrency,
            max_tokens: config.max_tokens,
            prompts: config.prompts.clone(),
            query_prefix: config.query_prefix.clone(),
            document_prefix: config.document_prefix.clone(),
        }
    }

    /// The settings of a store; `None` if neither file nor environment names an endpoint or a model.
    pub fn resolve(config: &EndpointConfig, environment: &Variables, store: &Path) -> Result<Option<Self>> {
        let settings = EndpointSettings::of_service(config, LANGUAGE_MODEL, environment)?;
        let prompts = |settings: &EndpointSettings| settings.prompts.as_ref().map(|folder| store.join(folder));
        Ok(settings.map(|settings| EndpointSettings { prompts: prompts(&settings), ..settings }))
    }

    /// The settings for a service; `None` if neither file nor environment names an endpoint or a model.
    pub fn of_service(config: &EndpointConfig, service: Service, environment: &Variables) -> Result<Option<Self>> {
        let table = service.table;
        let get = |name: &str| environment.get(name).filter(|value| !value.trim().is_empty()).cloned();
        // The named variable may have any name, even KB_LLM_…
        let key_name = get(&service.variable("api_key_env")).or_else(|| config.api_key_env.clone());
        let own_key = service.variable("api_key");
        let settings = environment
            .iter()
            .filter(|(name, value)| **name != own_key && Some(*name) != key_name.as_ref() && !value.trim().is_empty());
        let config = config.merged(service, settings)?;
        let (base_url, model) = match (&config.base_url, &config.model) {
            (None, None) => return Ok(None),
            (Some(base_url), Some(model)) => (base_url, model),
            (base_url, _) => {
                let (set, missing) = if base_url.is_some() { ("base_url", "model") } else { ("model", "base_url") };
                return Err(Error::usage(format!("[{table}] has {set} but no {missing}"))
                    .hint(format!("set {missing} in [{table}] of kb.toml, or {}", service.variable(missing))));
            }
        };
        config.check_tables(service)?;
        config.check_ranges(service)?;
        let key = key(config.api_key_env.as_deref(), service, &get)?;
        let settings =
            EndpointSettings { key, ..EndpointSettings::of(&config, service, endpoint(base_url, service)?, model) };
        let host = settings.url.host_str().unwrap_or_default();
        if settings.key.is_some() && settings.url.scheme() == "http" && !is_local(host) {
            return Err(Error::usage(format!("the key would go to {host} over http, where others can read it"))
                .hint("use https in base_url; http is for this machine and the local network"));
        }
        Ok(Some(settings))
    }

    /// The error of a command that needs a model when none is configured. `wanted` is what needs it.
    pub fn missing(wanted: &str) -> Error {
        Error::usage(format!("{wanted} needs a language model, and none is configured")).hint(format!(
            "set base_url and model in [llm] of your config.toml, or KB_LLM_BASE_URL and KB_LLM_MODEL; `{}` tests them",
            NextStep::CheckLanguageModel
        ))
    }

    /// The address, for messages. It never contains the key.
    pub fn endpoint(&self) -> &str {
        self.url.as_str()
    }
}

fn endpoint(base_url: &str, service: Service) -> Result<Url> {
    let mut url = server_address(base_url).map_err(|what| {
        Error::usage(format!("base_url in [{}] {what}", service.table)).hint(
            "write it like https://api.example.com/v1 or http://localhost:11434/v1; api_key_env names the variable with \
             the key",
        )
    })?;
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{}{}", base.strip_suffix(service.path).unwrap_or(&base), service.path));
    Ok(url)
}

/// The key from the named variable, otherwise from that of the service if it is set.
fn key(named: Option<&str>, service: Service, get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Secret>> {
    let Some(named) = named else {
        let own = service.variable("api_key");
        return get(&own).map(|key| Secret::new(&key, &own)).transpose();
    };
    let is_name = named.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && named.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !is_name {
        // The message does not repeat the value: it is probably the key itself.
        let table = service.table;
        return Err(Error::usage(format!("api_key_env in [{table}] is not the name of an environment variable")).hint(
            "put the key into a variable and write its name, like OPENAI_API_KEY, here; keys do not belong in files",
        ));
    }
    let key = get(named).ok_or_else(|| {
        Error::usage(format!("the environment variable {named} is not set, but api_key_env names it for the key"))
            .hint(format!("export {named}=…, or remove api_key_env for a server without keys"))
    })?;
    Secret::new(&key, named).map(Some)
}

/// Whether a host is this machine or in the local network.
fn is_local(host: &str) -> bool {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return match address {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
            IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
        };
    }
    // Names without a dot exist only in the local network.
    !host.contains('.') || [".localhost", ".local", ".lan", ".internal"].iter().any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::config::{EMBEDDINGS, RERANKING, endpoint_settings};
    use super::*;

    fn resolve(file: &str, environment: &[(&str, &str)]) -> Result<Option<EndpointSettings>> {
        let config: EndpointConfig = toml::from_str(file).unwrap();
        let variables = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        EndpointSettings::resolve(&config, &variables, Path::new("/store"))
    }

    fn refused(file: &str, environment: &[(&str, &str)]) -> String {
        resolve(file, environment).unwrap_err().to_line()
    }

    const HERE: &str = "base_url = \"http://localhost:8080/v1/\"\nmodel = \"m\"\n";

    #[test]
    fn nothing_is_on_unless_configured() {
        assert_eq!(resolve("", &[]).unwrap(), None);
        assert_eq!(resolve("timeout = 5", &[("KB_LLM_API_KEY", "sk-12345678")]).unwrap(), None);
        assert!(refused("model = \"m\"", &[]).contains("KB_LLM_BASE_URL"));
        assert!(refused("", &[("KB_LLM_BASE_URL", "http://localhost")]).contains("no model"));
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let settings = resolve(
            &format!("{HERE}timeout = 5\nretries = 1\nprompts = \"mine\""),
            &[
                ("KB_LLM_MODEL", "42"),
                ("KB_LLM_TIMEOUT", "7"),
                ("KB_LLM_API_KEY", "sk-12345678"),
                ("KB_LLM_RETRIES", ""),
            ],
        )
        .unwrap()
        .unwrap();
        assert_eq!((settings.endpoint(), settings.model.as_str()), ("http://localhost:8080/v1/chat/completions", "42"));
        assert_eq!((settings.timeout.as_secs(), settings.retries, settings.key.is_some()), (7, 1, true));
        assert_eq!(settings.prompts.as_deref(), Some(Path::new("/store/mine")));
        assert!(!format!("{settings:?}").contains("sk-12345678"));
    }

    #[test]
    fn prefixes_keep_their_space_and_belong_to_embeddings_alone() {
        let variables: Variables = [("KB_EMBEDDING_QUERY_PREFIX".to_owned(), "query: ".to_owned())].into();
        let config: EndpointConfig = toml::from_str(HERE).unwrap();
        let settings = EndpointSettings::of_service(&config, EMBEDDINGS, &variables).unwrap().unwrap();
        assert_eq!(settings.query_prefix, "query: ");
        let config = EndpointConfig { query_prefix: "query: ".to_owned(), ..config };
        let refused = EndpointSettings::of_service(&config, RERANKING, &Variables::new()).unwrap_err();
        assert!(
            refused.to_line().contains("[reranking] does not take query_prefix; set it in [embedding]"),
            "{refused}"
        );
    }

    #[test]
    fn reranking_refuses_the_settings_that_it_would_ignore() {
        for setting in ["concurrency = 8", "max_tokens = 5"] {
            let config: EndpointConfig = toml::from_str(&format!("{HERE}{setting}")).unwrap();
            assert!(EndpointSettings::of_service(&config, RERANKING, &Variables::new()).is_err(), "{setting}");
            assert!(EndpointSettings::of_service(&config, EMBEDDINGS, &Variables::new()).is_ok(), "{setting}");
        }
        let listed: Vec<String> = endpoint_settings().map(|(name, ..)| name).collect();
        let has = |name: &str| listed.iter().any(|one| one == name);
        assert!(has("llm.max_tokens") && has("embedding.max_tokens") && !has("reranking.max_tokens"));
    }

    #[test]
    fn a_misspelt_variable_is_refused() {
        let fine = [("KB_DIR", "x"), ("KB_LLM_MAX_TOKENS", "5"), ("KB_LLM_MINE", "sk-12345678")];
        assert!(resolve(&format!("{HERE}api_key_env = \"KB_LLM_MINE\""), &fine).is_ok());
        let message = refused(HERE, &[("KB_LLM_MAX_TOKEN", "5")]);
        assert!(message.contains("KB_LLM_MAX_TOKEN:") && message.contains("`max_tokens`"), "{message}");
    }

    #[test]
    fn addresses_are_completed_and_bad_ones_are_refused() {
        let url = |base: &str| EndpointSettings::new(base, "m").map(|settings| settings.url.to_string());
        for base in ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1/chat/completions"] {
            assert_eq!(url(base).unwrap(), "https://a.example/v1/chat/completions");
        }
        assert_eq!(url("http://h").unwrap(), "http://h/chat/completions");
        assert!(url("localhost").unwrap_err().message().contains("base_url in [llm] "));
    }

    #[test]
    fn a_key_does_not_cross_the_internet_over_http() {
        let with = |host: &str| {
            resolve(&format!("base_url = \"http://{host}/v1\"\nmodel = \"m\""), &[("KB_LLM_API_KEY", "sk-12345678")])
        };
        for near in ["localhost:1", "127.0.0.1:8080", "[::1]:80", "192.168.1.5", "ollama:11434", "box.local"] {
            assert!(with(near).is_ok(), "{near}");
        }
        for far in ["api.example.com", "8.8.8.8", "[2001:db8::1]"] {
            assert!(with(far).unwrap_err().message().contains("over http"), "{far}");
        }
        assert!(resolve("base_url = \"http://api.example.com\"\nmodel = \"m\"", &[]).is_ok(), "without a key");
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_name_of_the_setting() {
        let wrong = |line: &str| refused(&format!("{HERE}{line}"), &[]);
        assert!(wrong("timeout = 0").contains("timeout in [llm] (or KB_LLM_TIMEOUT) is 0"));
        assert!(wrong("concurrency = 65").contains("from 1 to 64"));
        assert!(wrong("max_tokens = 0").contains("max_tokens in [llm]"));
        let message = refused(HERE, &[("KB_LLM_MAX_TOKENS", "many")]);
        assert!(message.contains("KB_LLM_MAX_TOKENS") && message.contains("\"many\""), "{message}");
    }
}

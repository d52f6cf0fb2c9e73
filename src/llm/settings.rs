//! What a user says of the model: `[llm]` in `kb.toml`, and the environment, which wins over it.

use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::secret::Secret;
use crate::address::server_address;
use crate::error::{Error, Result};

/// Seconds for an answer.
const TIMEOUT: u64 = 60;
/// Seconds for a connection.
const CONNECT_TIMEOUT: u64 = 10;
/// How often a request that failed for a moment is sent again.
const RETRIES: u32 = 4;
/// Requests at a time.
const CONCURRENCY: usize = 4;
/// The first wait before a request is sent again; each further one is twice as long.
const BACK_OFF: Duration = Duration::from_millis(500);
/// The variable of the key where `api_key_env` names no other.
const KEY: &str = "KB_LLM_API_KEY";
/// What all variables begin with, and how they go on.
const PREFIX: &str = "KB_LLM_";
const VARIABLES: [&str; 13] = [
    "BASE_URL",
    "MODEL",
    "API_KEY",
    "API_KEY_ENV",
    "TIMEOUT",
    "CONNECT_TIMEOUT",
    "RETRIES",
    "CONCURRENCY",
    "MAX_TOKENS",
    "MAX_COST",
    "INPUT_PRICE",
    "OUTPUT_PRICE",
    "PROMPTS",
];
/// The path of every endpoint of this kind.
const PATH: &str = "/chat/completions";

/// The table `[llm]`. The key itself is not in it, and has no place in it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmConfig {
    /// The endpoint, as `https://host/v1`.
    pub base_url: Option<String>,
    /// The model's name there.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// Seconds for an answer.
    pub timeout: Option<u64>,
    /// Seconds for a connection.
    pub connect_timeout: Option<u64>,
    /// How often a request that failed for a moment is sent again.
    pub retries: Option<u32>,
    /// Requests at a time.
    pub concurrency: Option<usize>,
    /// Tokens of a run at most, in and out.
    pub max_tokens: Option<u64>,
    /// Money of a run at most, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// The price of a million tokens that are sent.
    pub input_price: Option<f64>,
    /// The price of a million tokens that are answered.
    pub output_price: Option<f64>,
    /// The folder of one's own prompts, from the store's folder.
    pub prompts: Option<PathBuf>,
}

/// What a million tokens cost, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prices {
    /// Of those that are sent.
    pub input: f64,
    /// Of those that are answered.
    pub output: f64,
}

impl Prices {
    /// The price of so many tokens.
    pub fn of(&self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }
}

/// What a client needs to know, complete and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmSettings {
    /// Where questions go.
    pub url: Url,
    /// The model.
    pub model: String,
    /// The key, where there is one.
    pub key: Option<Secret>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How often a request that failed for a moment is sent again.
    pub retries: u32,
    /// The first wait before that.
    pub back_off: Duration,
    /// Requests at a time.
    pub concurrency: usize,
    /// Tokens of a run at most.
    pub max_tokens: Option<u64>,
    /// Money of a run at most.
    pub max_cost: Option<f64>,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// The folder of one's own prompts, where one was named.
    pub prompts: Option<PathBuf>,
}

impl LlmSettings {
    /// Settings for an endpoint without a key, and otherwise the defaults.
    ///
    /// # Errors
    /// Where `base_url` is no address of one.
    pub fn new(base_url: &str, model: &str) -> Result<Self> {
        Ok(LlmSettings {
            url: endpoint(base_url)?,
            model: model.to_owned(),
            key: None,
            timeout: Duration::from_secs(TIMEOUT),
            connect_timeout: Duration::from_secs(CONNECT_TIMEOUT),
            retries: RETRIES,
            back_off: BACK_OFF,
            concurrency: CONCURRENCY,
            max_tokens: None,
            max_cost: None,
            prices: None,
            prompts: None,
        })
    }

    /// What file and environment say together; `None` where they name neither endpoint nor model. `store` is the store's
    /// folder, from which a folder of prompts is named.
    ///
    /// # Errors
    /// Where a setting is missing, out of range, or contradicts another one.
    pub fn resolve(
        config: &LlmConfig,
        environment: &dyn Fn(&str) -> Option<String>,
        store: &Path,
    ) -> Result<Option<Self>> {
        let said = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let base_url = said("KB_LLM_BASE_URL").or_else(|| config.base_url.clone());
        let model = said("KB_LLM_MODEL").or_else(|| config.model.clone());
        let (base_url, model) = match (base_url, model) {
            (None, None) => return Ok(None),
            (Some(base_url), Some(model)) => (base_url, model),
            (base_url, _) => {
                let (there, missing) = if base_url.is_some() { ("base_url", "model") } else { ("model", "base_url") };
                return Err(Error::usage(format!("[llm] has {there} and no {missing}"))
                    .hint(format!("set {missing} in [llm] of kb.toml, or KB_LLM_{}", missing.to_uppercase())));
            }
        };
        let whole = |name, variable, set: Option<u64>, range: std::ops::RangeInclusive<u64>, default| {
            within(name, variable, number(&said, variable)?.or(set), range).map(|set| set.unwrap_or(default))
        };
        let money = |name, variable, set: Option<f64>| amount(name, variable, number(&said, variable)?.or(set));
        let key_env = said("KB_LLM_API_KEY_ENV").or_else(|| config.api_key_env.clone());
        let settings = LlmSettings {
            model: model.trim().to_owned(),
            key: key(key_env.as_deref(), &said)?,
            timeout: Duration::from_secs(whole("timeout", "KB_LLM_TIMEOUT", config.timeout, 1..=3600, TIMEOUT)?),
            connect_timeout: Duration::from_secs(whole(
                "connect_timeout",
                "KB_LLM_CONNECT_TIMEOUT",
                config.connect_timeout,
                1..=300,
                CONNECT_TIMEOUT,
            )?),
            retries: whole("retries", "KB_LLM_RETRIES", config.retries.map(u64::from), 0..=10, u64::from(RETRIES))?
                as u32,
            concurrency: whole(
                "concurrency",
                "KB_LLM_CONCURRENCY",
                config.concurrency.map(|set| set as u64),
                1..=64,
                CONCURRENCY as u64,
            )? as usize,
            max_tokens: within(
                "max_tokens",
                "KB_LLM_MAX_TOKENS",
                number(&said, "KB_LLM_MAX_TOKENS")?.or(config.max_tokens),
                1..=u64::MAX,
            )?,
            max_cost: money("max_cost", "KB_LLM_MAX_COST", config.max_cost)?,
            prices: prices(
                money("input_price", "KB_LLM_INPUT_PRICE", config.input_price)?,
                money("output_price", "KB_LLM_OUTPUT_PRICE", config.output_price)?,
            )?,
            prompts: said("KB_LLM_PROMPTS")
                .map(PathBuf::from)
                .or(config.prompts.clone())
                .map(|named| store.join(named)),
            ..LlmSettings::new(&base_url, "")?
        };
        settings.contradiction().map_or(Ok(Some(settings)), Err)
    }

    /// Refuses variables that look like settings of the model and are none: a misspelt one should not go unnoticed. `key` is
    /// the variable that was named for the key, and may be called anything.
    ///
    /// # Errors
    /// Where there is one. Its value is not repeated.
    pub fn refuse_unknown(mut names: impl Iterator<Item = String>, key: Option<&str>) -> Result<()> {
        let is_unknown = |name: &String| {
            let other = name.strip_prefix(PREFIX).is_some_and(|setting| !VARIABLES.contains(&setting));
            other && key != Some(name)
        };
        names.find(is_unknown).map_or(Ok(()), |name| {
            let known: Vec<String> = VARIABLES.iter().map(|setting| format!("{PREFIX}{setting}")).collect();
            Err(Error::usage(format!("{name} is no setting of the language model"))
                .hint(format!("correct it, or unset it; there are {}", known.join(", "))))
        })
    }

    /// What to say where a model is asked for and none is configured.
    pub fn missing(wanted: &str) -> Error {
        Error::usage(format!("{wanted} asks a language model, and none is configured")).hint(
            "set base_url and model in [llm] of kb.toml, or KB_LLM_BASE_URL and KB_LLM_MODEL; `kb llm check` tries them",
        )
    }

    /// The address as people read it; it never has the key.
    pub fn endpoint(&self) -> &str {
        self.url.as_str()
    }

    fn contradiction(&self) -> Option<Error> {
        if self.max_cost.is_some() && self.prices.is_none() {
            return Some(
                Error::usage("[llm] has max_cost, and without prices nobody knows what is spent")
                    .hint("set input_price and output_price, each for a million tokens, or use max_tokens"),
            );
        }
        let host = self.url.host_str().unwrap_or_default();
        if self.key.is_some() && self.url.scheme() == "http" && !is_near(host) {
            return Some(
                Error::usage(format!("the key would go to {host} over http, where everybody on the way can read it"))
                    .hint("use https in base_url; http is for this machine and the local network"),
            );
        }
        None
    }
}

/// The address that requests go to.
fn endpoint(base_url: &str) -> Result<Url> {
    let mut url = server_address(base_url).map_err(|what| {
        Error::usage(format!("base_url in [llm] {what}")).hint(
            "write it like https://api.example.com/v1 or http://localhost:11434/v1; the variable that has the key is named by \
             api_key_env",
        )
    })?;
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{}{PATH}", base.strip_suffix(PATH).unwrap_or(&base)));
    Ok(url)
}

/// The key from the variable that was named, or from [`KEY`]; none, where that is not set.
fn key(named: Option<&str>, said: &dyn Fn(&str) -> Option<String>) -> Result<Option<Secret>> {
    let Some(named) = named else {
        return said(KEY).map(|key| Secret::new(&key, KEY)).transpose();
    };
    let is_name = named.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && named.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !is_name {
        // It is not repeated: what stands there is likely the key itself.
        return Err(Error::usage("api_key_env in [llm] is not the name of an environment variable").hint(
            "put the key into a variable, and its name, like OPENAI_API_KEY, here; keys have no place in files",
        ));
    }
    let key = said(named).ok_or_else(|| {
        Error::usage(format!("the environment variable {named} is not set, and api_key_env names it for the key"))
            .hint(format!("export {named}=…, or take api_key_env out for a server without keys"))
    })?;
    Secret::new(&key, named).map(Some)
}

/// Whether a host is this machine or in the local network.
fn is_near(host: &str) -> bool {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return match address {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
            IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
        };
    }
    // A name without a dot is of the local network: there is no such name elsewhere.
    !host.contains('.') || [".localhost", ".local", ".lan", ".internal"].iter().any(|end| host.ends_with(end))
}

/// What a variable says, as a number.
fn number<T: FromStr>(said: &dyn Fn(&str) -> Option<String>, variable: &str) -> Result<Option<T>> {
    let Some(text) = said(variable) else { return Ok(None) };
    let wrong = || Error::usage(format!("{variable} is {text:?}, which is no number it can be")).hint("correct it");
    text.trim().parse().map(Some).map_err(|_| wrong())
}

fn within<T: PartialOrd + Display>(
    name: &str,
    variable: &str,
    set: Option<T>,
    range: std::ops::RangeInclusive<T>,
) -> Result<Option<T>> {
    match set {
        Some(set) if !range.contains(&set) => {
            let (least, most) = range.into_inner();
            Err(Error::usage(format!("{name} in [llm] (or {variable}) is {set}, which is not from {least} to {most}"))
                .hint("correct it"))
        }
        set => Ok(set),
    }
}

fn amount(name: &str, variable: &str, set: Option<f64>) -> Result<Option<f64>> {
    match set {
        Some(set) if !(set.is_finite() && set >= 0.0) => {
            Err(Error::usage(format!("{name} in [llm] (or {variable}) is {set}, which is no amount of money"))
                .hint("correct it"))
        }
        set => Ok(set),
    }
}

/// Both prices or none: half a price would be a wrong one.
fn prices(input: Option<f64>, output: Option<f64>) -> Result<Option<Prices>> {
    match (input, output) {
        (None, None) => Ok(None),
        (Some(input), Some(output)) => Ok(Some(Prices { input, output })),
        (input, _) => {
            let missing = if input.is_some() { "output_price" } else { "input_price" };
            Err(Error::usage(format!("[llm] has one price and no {missing}"))
                .hint(format!("set {missing} too, 0 where it costs nothing")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(file: &str, environment: &[(&str, &str)]) -> Result<Option<LlmSettings>> {
        let config: LlmConfig = toml::from_str(file).unwrap();
        let said = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        LlmSettings::resolve(&config, &said, Path::new("/store"))
    }

    fn refused(file: &str, environment: &[(&str, &str)]) -> String {
        resolve(file, environment).unwrap_err().to_line()
    }

    const HERE: &str = "base_url = \"http://localhost:8080/v1/\"\nmodel = \"m\"\n";

    #[test]
    fn nothing_is_on_unless_it_is_configured() {
        assert_eq!(resolve("", &[]).unwrap(), None);
        assert_eq!(resolve("timeout = 5", &[("KB_LLM_API_KEY", "sk-12345678")]).unwrap(), None);
        assert!(refused("model = \"m\"", &[]).contains("KB_LLM_BASE_URL"));
        assert!(refused("", &[("KB_LLM_BASE_URL", "http://localhost")]).contains("no model"));
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let settings = resolve(
            &format!("{HERE}timeout = 5\nretries = 1\nprompts = \"mine\""),
            &[
                ("KB_LLM_MODEL", "other"),
                ("KB_LLM_TIMEOUT", "7"),
                ("KB_LLM_API_KEY", "sk-12345678"),
                ("KB_LLM_RETRIES", ""),
            ],
        )
        .unwrap()
        .unwrap();
        assert_eq!(
            (settings.endpoint(), settings.model.as_str()),
            ("http://localhost:8080/v1/chat/completions", "other")
        );
        assert_eq!((settings.timeout.as_secs(), settings.retries, settings.key.is_some()), (7, 1, true));
        assert_eq!(settings.prompts.as_deref(), Some(Path::new("/store/mine")));
        assert!(!format!("{settings:?}").contains("sk-12345678"));
    }

    #[test]
    fn a_misspelt_variable_does_not_go_unnoticed() {
        let refuse = |names: &[&str]| {
            LlmSettings::refuse_unknown(names.iter().map(|name| (*name).to_owned()), Some("KB_LLM_MINE"))
        };
        assert!(refuse(&["PATH", "KB_DIR", "KB_LLM_API_KEY", "KB_LLM_MAX_COST", "KB_LLM_MINE"]).is_ok());
        let told = refuse(&["PATH", "KB_LLM_MAX_COSTS"]).unwrap_err().to_line();
        assert!(told.contains("KB_LLM_MAX_COSTS is no setting") && told.contains("KB_LLM_MAX_COST,"), "{told}");
    }

    #[test]
    fn addresses_are_completed_and_what_is_none_is_refused_without_repeating_it() {
        let url = |base: &str| LlmSettings::new(base, "m").map(|settings| settings.url.to_string());
        for base in ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1/chat/completions"] {
            assert_eq!(url(base).unwrap(), "https://a.example/v1/chat/completions");
        }
        assert_eq!(url("http://h").unwrap(), "http://h/chat/completions");
        for bad in ["ftp://h/v1", "localhost", "https://me:sk-123@h/v1", "https://h/v1?key=sk-123", ""] {
            let error = url(bad).unwrap_err().to_line();
            assert!(error.contains("base_url") && !error.contains("sk-123"), "{error}");
        }
    }

    #[test]
    fn a_key_is_named_and_not_written_down() {
        let named = format!("{HERE}api_key_env = \"MY_KEY\"");
        assert!(resolve(&named, &[("MY_KEY", "sk-12345678")]).unwrap().unwrap().key.is_some());
        assert!(refused(&named, &[]).contains("MY_KEY is not set"));
        let written = refused(&format!("{HERE}api_key_env = \"sk-12345678\""), &[]);
        assert!(written.contains("api_key_env") && !written.contains("12345678"), "{written}");
    }

    #[test]
    fn a_key_does_not_go_over_http_into_the_world() {
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
    fn what_is_out_of_range_or_contradictory_is_refused_with_its_name() {
        let wrong = |line: &str| refused(&format!("{HERE}{line}"), &[]);
        assert!(wrong("timeout = 0").contains("timeout in [llm] (or KB_LLM_TIMEOUT) is 0"));
        assert!(wrong("concurrency = 65").contains("not from 1 to 64"));
        assert!(wrong("max_cost = 1.0").contains("prices"));
        assert!(wrong("input_price = 1.0").contains("no output_price"));
        assert!(wrong("input_price = -1.0\noutput_price = 1.0").contains("no amount"));
        assert!(refused(HERE, &[("KB_LLM_MAX_TOKENS", "many")]).contains("KB_LLM_MAX_TOKENS is \"many\""));
        let settings = resolve(&format!("{HERE}max_cost = 1.0\ninput_price = 0.5\noutput_price = 2.0"), &[]);
        assert_eq!(settings.unwrap().unwrap().prices.unwrap().of(1_000_000, 500_000), 1.5);
    }
}

//! The table `[search]` in environment variables: `KB_SEARCH_` and the setting's name in capitals.
//!
//! They are a layer of their own between `kb.toml` and the flags, not flags by another name: what is typed settles what
//! it contradicts in them, as they do with the file.

use std::ffi::OsString;
use std::str::FromStr;

use super::SearchConfig;
use crate::error::{Error, Result};
use crate::retrieve::{Filter, Settings};
use crate::text::period;

/// What all of them begin with.
const PREFIX: &str = "KB_SEARCH_";
/// Names at least as alike as this (Jaro-Winkler) are suggested.
const NEAR: f64 = 0.8;
/// The names of the settings, for misspelt variables.
const SETTINGS: [&str; 26] = [
    "method",
    "limit",
    "min_score",
    "filter",
    "half_life",
    "weights",
    "fusion",
    "rrf_k",
    "pool",
    "kind",
    "expand",
    "synonyms",
    "fallback",
    "query_encoder",
    "mode",
    "context",
    "window",
    "merge",
    "keep_duplicates",
    "group_by",
    "diversity",
    "per_document",
    "beam",
    "children",
    "max_tokens",
    "tokenizer",
];

/// Variables with their values.
struct Variables(Vec<(String, String)>);

impl SearchConfig {
    /// What the environment says, and where it is silent, this.
    ///
    /// # Errors
    /// Where a variable is no setting, has no value that the setting takes, or contradicts another one; it is named.
    pub fn under_environment(self) -> Result<Self> {
        self.under(std::env::vars_os())
    }

    fn under(self, variables: impl Iterator<Item = (OsString, OsString)>) -> Result<Self> {
        let said = read(&Variables::of(variables)?)?;
        let (own, file) = (said.settings(), self.settings());
        let settings = own.clone().or(file);
        if let Some(found) = settings.contradiction() {
            let message =
                found.told(|setting| if says(&own, setting) { variable(setting) } else { format!("search.{setting}") });
            return Err(Error::usage(message)
                .hint(format!("correct the variable, or unset it; what is called search. stands in {}", super::FILE)));
        }
        let mut merged = self;
        merged.set(settings);
        let SearchConfig { filter, half_life, mode, context, window, merge, .. } = said;
        let SearchConfig { keep_duplicates, group_by, diversity, per_document, beam, .. } = said;
        let SearchConfig { children, max_tokens, tokenizer, synonyms, .. } = said;
        over(&mut merged.synonyms, synonyms);
        over(&mut merged.filter, filter);
        over(&mut merged.half_life, half_life);
        over(&mut merged.mode, mode);
        over(&mut merged.context, context);
        over(&mut merged.window, window);
        over(&mut merged.merge, merge);
        over(&mut merged.keep_duplicates, keep_duplicates);
        over(&mut merged.group_by, group_by);
        over(&mut merged.diversity, diversity);
        over(&mut merged.per_document, per_document);
        over(&mut merged.beam, beam);
        over(&mut merged.children, children);
        over(&mut merged.max_tokens, max_tokens);
        over(&mut merged.tokenizer, tokenizer);
        Ok(merged)
    }

    /// Takes over what the ranking is set to.
    fn set(&mut self, settings: Settings) {
        self.method = settings.method;
        self.weights = settings.weights;
        self.fusion = settings.fusion;
        self.rrf_k = settings.rrf_k;
        self.pool = settings.pool;
        self.limit = settings.limit;
        self.min_score = settings.min_score;
        self.kind = settings.kind;
        self.expand = settings.expand;
        self.fallback = settings.fallback;
        self.query_encoder = settings.query_encoder;
    }
}

fn over<T>(kept: &mut Option<T>, said: Option<T>) {
    if said.is_some() {
        *kept = said;
    }
}

/// The variable of a setting; a condition of the second look is part of that one.
fn variable(setting: &str) -> String {
    match setting.split_once('.') {
        Some((setting, condition)) => format!("{PREFIX}{} {condition}", setting.to_uppercase()),
        None => format!("{PREFIX}{}", setting.to_uppercase()),
    }
}

/// Whether settings say something of one that a contradiction names.
fn says(settings: &Settings, setting: &str) -> bool {
    match setting {
        "method" => settings.method.is_some(),
        "weights" => settings.weights.is_some(),
        "fusion" => settings.fusion.is_some(),
        "rrf_k" => settings.rrf_k.is_some(),
        "pool" => settings.pool.is_some(),
        "limit" => settings.limit.is_some(),
        "min_score" => settings.min_score.is_some(),
        "expand" => settings.expand.is_some(),
        _ => settings.fallback.is_some(),
    }
}

/// What the variables say, each in the form that its flag takes.
fn read(variables: &Variables) -> Result<SearchConfig> {
    let mut said = SearchConfig::default();
    variables.choice("method", &mut said.method)?;
    variables.number("limit", &mut said.limit, 1)?;
    variables.parsed("min_score", &mut said.min_score, "a number from 0 to 1")?;
    variables.text("filter", &mut said.filter);
    variables.text("half_life", &mut said.half_life);
    variables.explained("weights", &mut said.weights)?;
    variables.choice("fusion", &mut said.fusion)?;
    variables.parsed("rrf_k", &mut said.rrf_k, "a number")?;
    variables.number("pool", &mut said.pool, 1)?;
    variables.choice("kind", &mut said.kind)?;
    variables.choice("expand", &mut said.expand)?;
    variables.parsed("synonyms", &mut said.synonyms, "the path of a file")?;
    variables.explained("fallback", &mut said.fallback)?;
    variables.choice("query_encoder", &mut said.query_encoder)?;
    variables.choice("mode", &mut said.mode)?;
    variables.number("context", &mut said.context, 0)?;
    variables.number("window", &mut said.window, 0)?;
    variables.flag("merge", &mut said.merge)?;
    variables.flag("keep_duplicates", &mut said.keep_duplicates)?;
    variables.choice("group_by", &mut said.group_by)?;
    variables.parsed("diversity", &mut said.diversity, "a number from 0 to 1")?;
    variables.number("per_document", &mut said.per_document, 1)?;
    variables.parsed("beam", &mut said.beam, "three numbers such as 3,3,3")?;
    variables.number("children", &mut said.children, 0)?;
    variables.number("max_tokens", &mut said.max_tokens, 1)?;
    variables.text("tokenizer", &mut said.tokenizer);
    if said.diversity.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(variables.wrong("diversity", "a number from 0 to 1"));
    }
    if let Some(filter) = &said.filter {
        filter.parse::<Filter>().map_err(|error| error.at(&variable("filter")))?;
    }
    if said
        .half_life
        .as_ref()
        .is_some_and(|text| !text.trim().eq_ignore_ascii_case("none") && period::seconds(text).is_none())
    {
        return Err(variables.wrong("half_life", "a duration above 0 such as 90d, 6 months or 1y, or none"));
    }
    Ok(said)
}

impl Variables {
    /// Those that are settings; one that is empty says nothing.
    fn of(variables: impl Iterator<Item = (OsString, OsString)>) -> Result<Self> {
        let mut found = Vec::new();
        for (name, value) in variables {
            let Some(setting) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
            let setting = setting.to_lowercase();
            if value.is_empty() {
                continue;
            }
            if !SETTINGS.contains(&setting.as_str()) {
                return Err(unknown(&setting));
            }
            let value = value.into_string().map_err(|_| {
                Error::usage(format!("{} is not written in UTF-8", variable(&setting))).hint("correct it, or unset it")
            })?;
            found.push((setting, value));
        }
        Ok(Variables(found))
    }

    fn value(&self, setting: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == setting).map(|(_, value)| value.as_str())
    }

    fn wrong(&self, setting: &str, wanted: &str) -> Error {
        let value = self.value(setting).unwrap_or_default();
        Error::usage(format!("{} is {value:?}, and has to be {wanted}", variable(setting)))
            .hint("correct it, or unset it")
    }

    fn text(&self, setting: &str, said: &mut Option<String>) {
        *said = self.value(setting).map(str::to_owned);
    }

    fn parsed<T: FromStr>(&self, setting: &str, said: &mut Option<T>, wanted: &str) -> Result<()> {
        let parse = |value: &str| value.trim().parse().map_err(|_| self.wrong(setting, wanted));
        *said = self.value(setting).map(parse).transpose()?;
        Ok(())
    }

    /// A value whose own message says what is wrong with it.
    fn explained<T: FromStr<Err = String>>(&self, setting: &str, said: &mut Option<T>) -> Result<()> {
        let told = |why: String| Error::usage(format!("{}: {why}", variable(setting))).hint("correct it, or unset it");
        *said = self.value(setting).map(|value| value.parse().map_err(told)).transpose()?;
        Ok(())
    }

    fn number(&self, setting: &str, said: &mut Option<usize>, least: usize) -> Result<()> {
        let wanted = format!("a whole number from {least} on");
        self.parsed(setting, said, &wanted)?;
        match said {
            Some(number) if *number < least => Err(self.wrong(setting, &wanted)),
            _ => Ok(()),
        }
    }

    fn choice<T: clap::ValueEnum>(&self, setting: &str, said: &mut Option<T>) -> Result<()> {
        let names: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|one| one.to_possible_value().map(|value| value.get_name().to_owned()))
            .collect();
        let wanted = format!("one of {}", names.join(", "));
        let parse = |value: &str| T::from_str(value.trim(), true).map_err(|_| self.wrong(setting, &wanted));
        *said = self.value(setting).map(parse).transpose()?;
        Ok(())
    }

    fn flag(&self, setting: &str, said: &mut Option<bool>) -> Result<()> {
        let parse = |value: &str| match value.trim().to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(true),
            "false" | "no" | "off" | "0" => Ok(false),
            _ => Err(self.wrong(setting, "true or false")),
        };
        *said = self.value(setting).map(parse).transpose()?;
        Ok(())
    }
}

/// A misspelt setting should not go unnoticed, here as little as in the file.
fn unknown(setting: &str) -> Error {
    let near = SETTINGS.iter().map(|known| (strsim::jaro_winkler(known, setting), known));
    let near = near.filter(|(alike, _)| *alike >= NEAR).max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = near.map_or_else(
        || "unset it; `kb search --help` says which there are".to_owned(),
        |(_, known)| format!("did you mean {}?", variable(known)),
    );
    Error::usage(format!("{} is no setting", variable(setting))).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::{FusionName, Method, Mode};

    fn under(file: SearchConfig, variables: &[(&str, &str)]) -> Result<SearchConfig> {
        file.under(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    fn wrong(variables: &[(&str, &str)]) -> String {
        under(SearchConfig::default(), variables).map_or_else(|error| error.to_line(), |_| String::new())
    }

    #[test]
    fn every_setting_has_a_variable() {
        let all = [
            ("METHOD", "hybrid"),
            ("LIMIT", "7"),
            ("MIN_SCORE", "0.1"),
            ("FILTER", "format = md"),
            ("HALF_LIFE", "90d"),
            ("WEIGHTS", "0.7,0.3"),
            ("FUSION", "rrf"),
            ("RRF_K", "10"),
            ("POOL", "50"),
            ("KIND", "concept"),
            ("EXPAND", "all"),
            ("SYNONYMS", "ours.txt"),
            ("FALLBACK", "min_hits=2"),
            ("QUERY_ENCODER", "model"),
            ("MODE", "broad"),
            ("CONTEXT", "1"),
            ("WINDOW", "2"),
            ("MERGE", "yes"),
            ("KEEP_DUPLICATES", "true"),
            ("GROUP_BY", "doc"),
            ("DIVERSITY", "0.5"),
            ("PER_DOCUMENT", "3"),
            ("BEAM", "1,2,3"),
            ("CHILDREN", "4"),
            ("MAX_TOKENS", "900"),
            ("TOKENIZER", "chars/4"),
        ];
        let names: Vec<String> = all.iter().map(|(name, _)| name.to_lowercase()).collect();
        assert_eq!(names, SETTINGS);
        for (name, value) in all {
            // The k says something only to its fusion.
            let fusion = (name == "RRF_K").then_some(FusionName::Rrf);
            let file = SearchConfig { fusion, ..SearchConfig::default() };
            let with = under(file.clone(), &[(&format!("KB_SEARCH_{name}"), value)]).unwrap();
            assert_ne!(with, file, "{name} says nothing");
        }
    }

    #[test]
    fn a_bad_value_names_its_variable_and_what_it_has_to_be() {
        for (name, value, told) in [
            ("KB_SEARCH_LIMIT", "many", "KB_SEARCH_LIMIT is \"many\", and has to be a whole number from 1 on"),
            ("KB_SEARCH_LIMIT", "5000", "KB_SEARCH_LIMIT is 5000"),
            ("KB_SEARCH_METHOD", "magic", "KB_SEARCH_METHOD is \"magic\", and has to be one of auto, hybrid"),
            ("KB_SEARCH_WEIGHTS", "1", "KB_SEARCH_WEIGHTS: two numbers"),
            ("KB_SEARCH_MIN_SCORE", "2", "KB_SEARCH_MIN_SCORE is 2"),
            ("KB_SEARCH_FALLBACK", "min_hits=0", "KB_SEARCH_FALLBACK min_hits is 0"),
            ("KB_SEARCH_RRF_K", "5", "KB_SEARCH_RRF_K says something only"),
            ("KB_SEARCH_DIVERSITY", "2", "KB_SEARCH_DIVERSITY"),
            ("KB_SEARCH_HALF_LIFE", "soon", "KB_SEARCH_HALF_LIFE"),
            ("KB_SEARCH_FILTER", "format =", "KB_SEARCH_FILTER"),
            ("KB_SEARCH_MERGE", "perhaps", "true or false"),
            ("KB_SEARCH_LIMITS", "5", "did you mean KB_SEARCH_LIMIT?"),
        ] {
            assert!(wrong(&[(name, value)]).contains(told), "{name}={value}: {}", wrong(&[(name, value)]));
        }
        assert_eq!(wrong(&[("KB_SEARCH_LIMIT", ""), ("KB_DIR", "x")]), "", "an empty one says nothing");
    }

    #[test]
    fn the_environment_settles_what_the_file_says() {
        let file = SearchConfig {
            method: Some(Method::Keyword),
            fusion: Some(FusionName::Rrf),
            rrf_k: Some(20.0),
            pool: Some(10),
            mode: Some(Mode::Drill),
            ..SearchConfig::default()
        };
        let variables = [("KB_SEARCH_WEIGHTS", "1,1"), ("KB_SEARCH_LIMIT", "30"), ("KB_SEARCH_FUSION", "weighted")];
        let merged = under(file.clone(), &variables).unwrap();
        assert_eq!((merged.method, merged.rrf_k, merged.pool, merged.mode), (None, None, Some(30), Some(Mode::Drill)));
        // Two variables that contradict each other settle nothing.
        let told = wrong(&[("KB_SEARCH_POOL", "3"), ("KB_SEARCH_LIMIT", "5")]);
        assert!(told.contains("KB_SEARCH_POOL is 3, which is smaller than KB_SEARCH_LIMIT, 5"), "{told}");
        let k = under(file, &[("KB_SEARCH_RRF_K", "30")]).unwrap();
        assert_eq!(k.rrf_k, Some(30.0), "to the fusion of the file");
    }
}

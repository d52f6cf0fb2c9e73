//! The settings of a search: flags, `KB_SEARCH_` variables and the table `[search]` in `kb.toml` are this one struct.
//!
//! If settings contradict each other, the earlier one in this list counts, and a note names the other: the target
//! (`--in`, mode), the method, the reranker, the limit, everything else.

use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use serde::Deserialize;

use super::SUGGESTION_SIMILARITY;
use super::choices::{ModeSetting, RerankBudget, RerankChoice};
use super::values::{HalfLifeSetting, Seconds, Share, Whole, from_text, one_or_many};
use crate::embed::{CrossEncoder, TokenCounter};
use crate::error::{Error, Result, Setting};
use crate::models::{ModelKind, Models};
use crate::search::{
    DEFAULT_LIMIT, DEFAULT_RERANK_DEPTH, DEFAULT_RERANK_TIME, Expand, Fallback, Filter, Fusion, GroupBy, Kind,
    LARGEST_LIMIT, LARGEST_POOL, Method, Mode, Rerank, SECTION_TOKENS, SearchRequest, Shape, Target, Weights,
};
use crate::text::alike;

/// The variable of a setting is this and its name in capitals.
const PREFIX: &str = "KB_SEARCH_";
/// Hits of the mode broad.
const DEFAULT_BROAD_LIMIT: usize = 10;
/// Nearly all answers are above it. Two fifths of the hits for questions without an answer, on the same subject, are
/// below.
const DEFAULT_MIN_CONFIDENCE: f32 = 0.05;
/// Tokens of a context.
pub const DEFAULT_CONTEXT_TOKENS: usize = 4000;
/// Child chunks that JSON names with each parent chunk; other formats do not show them.
const NAMED_CHILDREN: usize = 2;

const FILTERS: &str = "Filters";
const RANKING: &str = "Ranking";
const SHOWN: &str = "What is shown";

// No doc comment: it would become the description of the command.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Args)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Number of hits [default: 5; broad 10; drill all of its beam]
    #[arg(short = 'k', long, value_name = "N", env = "KB_SEARCH_LIMIT", help_heading = SHOWN)]
    pub limit: Option<Whole<1, LARGEST_LIMIT>>,
    /// How hits are chosen: precise (the best), broad[:DIVERSITY] (varied), section (whole sections) or drill[:D,P,C]
    /// (best documents, their chunks, their sentences) [default: precise]
    #[arg(long, value_name = "MODE", env = "KB_SEARCH_MODE", help_heading = SHOWN)]
    #[serde(default, deserialize_with = "from_text")]
    pub mode: Option<ModeSetting>,
    /// Add N neighbouring parent chunks of the section on each side
    #[arg(long, value_name = "N", env = "KB_SEARCH_CONTEXT", help_heading = SHOWN)]
    pub context: Option<Whole<0, 100>>,
    /// Show only the best sentence of each parent chunk and N sentences on each side
    #[arg(long, value_name = "N", env = "KB_SEARCH_WINDOW", hide_short_help = true, help_heading = SHOWN)]
    pub window: Option<Whole<0, 100>>,
    /// Join adjacent parent chunks of a section on the same page [default: true]
    #[arg(long, value_name = "ON", env = "KB_SEARCH_MERGE", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = clap::builder::BoolishValueParser::new(),
        hide_short_help = true, help_heading = SHOWN)]
    pub merge: Option<bool>,
    /// Keep parent chunks that repeat a better one
    #[arg(long, value_name = "ON", env = "KB_SEARCH_KEEP_DUPLICATES", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", value_parser = clap::builder::BoolishValueParser::new(),
        hide_short_help = true, help_heading = SHOWN)]
    pub keep_duplicates: Option<bool>,
    /// Group the hits of a section or document
    #[arg(long, value_enum, value_name = "WHAT", env = "KB_SEARCH_GROUP_BY", hide_short_help = true, help_heading = SHOWN)]
    pub group_by: Option<GroupBy>,
    /// Show at most N hits of one document
    #[arg(long, value_name = "N", env = "KB_SEARCH_PER_DOCUMENT", hide_short_help = true, help_heading = SHOWN)]
    pub per_document: Option<Whole<1>>,
    /// Show at most N tokens in all; hits that do not fit are named [default: section 8000, `kb context` 4000]
    #[arg(long, value_name = "N", env = "KB_SEARCH_MAX_TOKENS", hide_short_help = true, help_heading = SHOWN)]
    pub max_tokens: Option<Whole<1>>,
    /// Count tokens with this tokenizer.json, or with chars/4 [default: the tokenizer of the built-in model]
    #[arg(long, value_name = "FILE", env = "KB_SEARCH_TOKENIZER", hide_short_help = true, help_heading = SHOWN)]
    pub tokenizer: Option<String>,
    /// Only documents and chunks that match, such as 'author = Ann and page < 20'; repeatable; '' drops the filter of
    /// kb.toml
    #[arg(long, value_name = "FILTER", env = "KB_SEARCH_FILTER", help_heading = FILTERS)]
    #[serde(default, deserialize_with = "one_or_many")]
    pub filter: Option<Vec<String>>,
    /// Halve the score of a document for each AGE since its time, such as 90d, 6 months or 1y; hyperbolic:90d decays
    /// more slowly [default: none]
    #[arg(long, value_name = "AGE", env = "KB_SEARCH_HALF_LIFE", hide_short_help = true, help_heading = FILTERS)]
    #[serde(default, deserialize_with = "from_text")]
    pub half_life: Option<HalfLifeSetting>,
    /// Drop hits with a lower confidence than this, from 0 to 1 [default: 0.05; 0 with the methods keyword and
    /// semantic]
    #[arg(long, value_name = "SHARE", env = "KB_SEARCH_MIN_CONFIDENCE", hide_short_help = true, help_heading = FILTERS)]
    pub min_confidence: Option<Share>,
    /// How to search [default: auto]
    #[arg(long, value_enum, env = "KB_SEARCH_METHOD", help_heading = RANKING)]
    pub method: Option<Method>,
    /// Weights of keyword and semantic search, such as 0.7,0.3 [default: depends on the question]
    #[arg(long, value_name = "K,S", allow_hyphen_values = true, env = "KB_SEARCH_WEIGHTS", hide_short_help = true,
        help_heading = RANKING)]
    pub weights: Option<Weights>,
    /// How to fuse keyword and semantic results: weighted (by scores), rrf or rrf:K (by ranks, K is 60) [default:
    /// weighted]
    #[arg(long, value_name = "HOW", env = "KB_SEARCH_FUSION", hide_short_help = true, help_heading = RANKING)]
    #[serde(default, deserialize_with = "from_text")]
    pub fusion: Option<Fusion>,
    /// Candidates per retriever [default: 100; in modes other than precise 200]
    #[arg(long, value_name = "N", env = "KB_SEARCH_POOL", hide_short_help = true, help_heading = RANKING)]
    pub pool: Option<Whole<1, LARGEST_POOL>>,
    /// The kind of the question [default: determined from its words]
    #[arg(long, value_enum, env = "KB_SEARCH_KIND", hide_short_help = true, help_heading = RANKING)]
    pub kind: Option<Kind>,
    /// Also search for other words: off, missing (synonyms, and matches for unknown words) or all (matches for all
    /// words); from the language model also llm, or some of rewrite, hyde (a made-up answer), keywords [default:
    /// missing]
    #[arg(long, value_name = "WORDS", env = "KB_SEARCH_EXPAND", hide_short_help = true, help_heading = RANKING)]
    #[serde(default, deserialize_with = "from_text")]
    pub expand: Option<Expand>,
    /// Search again with wider settings after a poor result: min_hits=N,min_confidence=S,min_docs=N [default: off]
    #[arg(long, value_name = "IF", env = "KB_SEARCH_FALLBACK", hide_short_help = true, help_heading = RANKING)]
    pub fallback: Option<Fallback>,
    /// Rerank the best candidates: light (by the question's words), off, or also with a model: its name in `kb models`,
    /// its folder, or endpoint [default: light for the methods auto and hybrid]
    #[arg(long, value_name = "MODEL", env = "KB_SEARCH_RERANK", value_hint = clap::ValueHint::DirPath,
        hide_short_help = true, help_heading = RANKING)]
    #[serde(default, deserialize_with = "from_text")]
    pub rerank: Option<RerankChoice>,
    /// How many candidates the cross-encoder reads and for how long: 50, 2s, or 50,none [default: 30,500ms]
    #[arg(long, value_name = "N,TIME", env = "KB_SEARCH_RERANK_BUDGET", hide_short_help = true, help_heading = RANKING)]
    #[serde(default, deserialize_with = "from_text")]
    pub rerank_budget: Option<RerankBudget>,
}

/// What shows the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    People,
    Json,
    /// The context of a prompt.
    Prompt,
}

impl SearchSettings {
    /// Refuses variables with the prefix that are not settings, so that a misspelt one does not go unnoticed.
    ///
    /// # Errors
    /// If there is one; the hint names the setting it may mean.
    pub fn check_variables() -> Result<()> {
        let command = Self::augment_args(Command::new(""));
        let known: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str()).collect();
        for (name, value) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if !name.starts_with(PREFIX) || value.is_empty() || known.contains(&name.as_ref()) {
                continue;
            }
            let near = alike(known.iter().map(|known| ((*known).to_owned(), known)), &name, SUGGESTION_SIMILARITY);
            let hint = near.first().map_or_else(|| "unset it".to_owned(), |known| format!("did you mean {known}?"));
            return Err(Error::usage(format!("{name} is not a setting")).hint(hint));
        }
        Ok(())
    }

    /// All filters joined by `and`.
    ///
    /// # Errors
    /// If one cannot be parsed; `place` says where it was read.
    pub fn filter(&self, place: &str) -> Result<Option<Filter>> {
        let texts = self.filter.iter().flatten().filter(|text| !text.trim().is_empty());
        let filters: Vec<Filter> =
            texts.map(|text| text.parse::<Filter>().map_err(|error| error.at(place))).collect::<Result<_>>()?;
        Ok(Filter::all(filters))
    }

    /// These settings, overridden by environment variables, for commands that do not declare them.
    ///
    /// # Errors
    /// If a variable has an unusable value.
    pub fn with_environment(mut self) -> Result<Self> {
        let command = Self::augment_args(Command::new("").no_binary_name(true));
        let matches = command.try_get_matches_from(std::iter::empty::<&str>());
        let updated = matches.and_then(|matches| self.update_from_arg_matches(&matches));
        updated.map_err(|error| Error::usage(error.to_string()))?;
        Ok(self)
    }

    /// The request for a query, and a note on each setting without effect that was typed.
    ///
    /// # Errors
    /// If a filter, the tokenizer or the reranking model is unusable.
    pub fn request(
        &self,
        query: String,
        target: Target,
        output: Output,
        is_typed: impl Fn(&str) -> bool,
    ) -> Result<(SearchRequest, Vec<String>)> {
        let shape = self.shape(target, output)?;
        let method = self.method.unwrap_or_default();
        let one_retriever = matches!(method, Method::Keyword | Method::Semantic);
        // A user who chooses one retriever gets everything that it finds.
        let least = if one_retriever { 0.0 } else { DEFAULT_MIN_CONFIDENCE };
        let mut notes = self.without_effect(&shape, one_retriever, &is_typed);
        // A prompt takes what fits; the limit of a file or variable is for screens.
        let limit = self.limit.filter(|_| output != Output::Prompt || is_typed("limit")).map(Whole::get);
        let limit = limit.unwrap_or_else(|| default_limit(&shape, output));
        let pool = self.pool.map_or(shape.mode.pool(), Whole::get).max(limit);
        if self.pool.is_some_and(|typed| typed.get() < pool) && is_typed("pool") {
            notes.push(format!("{} is raised to {pool}, the number of hits", Setting("pool")));
        }
        let mut request = SearchRequest {
            method,
            limit,
            half_life: self.half_life.and_then(|setting| setting.half_life),
            min_confidence: self.min_confidence.map_or(least, |Share(least)| least),
            pool,
            rerank: rerank(self.rerank.as_ref(), self.rerank_budget, Some(DEFAULT_RERANK_TIME))?,
            weights: self.weights.filter(|_| !one_retriever),
            fusion: self.fusion.unwrap_or_default(),
            kind: self.kind,
            expand: self.expand.unwrap_or_default(),
            fallback: self.fallback.unwrap_or_default(),
            shape,
            ..SearchRequest::new(query)
        };
        request.restriction.filter = self.filter(&Setting("filter").to_string())?;
        Ok((request, notes))
    }

    fn shape(&self, target: Target, output: Output) -> Result<Shape> {
        let ModeSetting { mode, diversity, beam } = self.mode.unwrap_or_default();
        let default_tokens = match (output, mode, target) {
            (Output::Prompt, ..) => Some(DEFAULT_CONTEXT_TOKENS),
            (_, Mode::Section, Target::Chunks) => Some(SECTION_TOKENS),
            _ => None,
        };
        let max_tokens = self.max_tokens.map(Whole::get).or(default_tokens).filter(|_| target == Target::Chunks);
        let tokenizer = self.tokenizer.as_deref().filter(|_| max_tokens.is_some());
        Ok(Shape {
            mode,
            target,
            context: self.context.map_or(0, Whole::get),
            window: self.window.map(Whole::get),
            merge: self.merge,
            keep_duplicates: self.keep_duplicates.unwrap_or_default(),
            group_by: self.group_by.unwrap_or_default(),
            diversity: Some(diversity),
            per_document: self.per_document.map(Whole::get),
            beam,
            describe: output == Output::Json,
            children: if output == Output::Json { NAMED_CHILDREN } else { 0 },
            max_tokens,
            counter: tokenizer.map(TokenCounter::named).transpose()?.map(Arc::new),
        })
    }

    /// A note on each setting that was typed and has no effect.
    fn without_effect(&self, shape: &Shape, one_retriever: bool, is_typed: &impl Fn(&str) -> bool) -> Vec<String> {
        let mut notes = Vec::new();
        for (settings, is_ignored, why) in [
            (&["context", "window", "merge"][..], shape.seeks_sections(), "when sections are searched"),
            (&["keep_duplicates", "per_document"], shape.seeks_sections(), "when sections are searched"),
            (&["group_by"], shape.drills(), "in the mode drill, which groups by documents"),
            (&["max_tokens"], shape.target == Target::Sections, "on a list of sections"),
            (&["tokenizer"], shape.max_tokens.is_none(), "without a limit on tokens"),
            (&["weights"], one_retriever, "on a single retriever"),
            (
                &["rerank_budget"],
                !matches!(self.rerank, Some(RerankChoice::Model(_) | RerankChoice::Endpoint)),
                "without a reranking model",
            ),
        ] {
            let ignored = settings.iter().copied().filter(|setting| is_ignored && is_typed(setting));
            notes.extend(ignored.map(|setting| format!("{} has no effect {why}", Setting(setting))));
        }
        notes
    }
}

fn default_limit(shape: &Shape, output: Output) -> usize {
    match (shape.max_tokens, shape.mode) {
        // Some more than fit: a parent chunk has about 200 tokens.
        (Some(tokens), _) if output == Output::Prompt => (tokens / 100).clamp(10, 200),
        (_, Mode::Broad) => DEFAULT_BROAD_LIMIT,
        (_, Mode::Drill) => shape.beam.documents.saturating_mul(shape.beam.parents),
        (_, Mode::Precise | Mode::Section) => DEFAULT_LIMIT,
    }
}

/// How to rerank the best candidates. Checks a model before the search begins. `time` limits a cross-encoder if the
/// budget has no time.
///
/// # Errors
/// If there is no such model.
pub fn rerank(choice: Option<&RerankChoice>, budget: Option<RerankBudget>, time: Option<Duration>) -> Result<Rerank> {
    let RerankBudget { depth, time: own } = budget.unwrap_or_default();
    let own = own.map(|Seconds(seconds)| seconds.map(|s| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)));
    let depth = depth.unwrap_or(DEFAULT_RERANK_DEPTH);
    let named = match choice {
        None => return Ok(Rerank::Auto),
        // It has a timeout of its own.
        Some(RerankChoice::Endpoint) => return Ok(Rerank::Endpoint { depth, time: own.flatten() }),
        Some(RerankChoice::Off) => return Ok(Rerank::Off),
        Some(RerankChoice::Light) => return Ok(Rerank::Light),
        Some(RerankChoice::Model(named)) => named,
    };
    let folder = match named.to_str().filter(|_| could_be_a_name(named)) {
        // An installed model comes first: a folder of the same name, perhaps made by others, must not replace it.
        Some(name) if !named.exists() || Models::of_user()?.installed(name)?.is_some() => {
            Models::of_user()?.required(name, ModelKind::Rerank)?.0
        }
        _ => named.clone(),
    };
    CrossEncoder::check(&folder)?;
    Ok(Rerank::Model { folder, depth, time: own.unwrap_or(time) })
}

/// `NAME` or `OWNER/NAME`.
fn could_be_a_name(named: &Path) -> bool {
    let mut parts = named.components();
    named.components().count() <= 2 && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_file(text: &str) -> SearchSettings {
        toml::from_str(text).unwrap()
    }

    fn request(text: &str) -> (SearchRequest, Vec<String>) {
        let is_typed = |setting: &str| text.contains(setting);
        of_file(text).request("x".to_owned(), Target::Chunks, Output::People, is_typed).unwrap()
    }

    #[test]
    fn every_setting_has_a_variable_of_its_name_and_a_flag() {
        let command = SearchSettings::augment_args(Command::new(""));
        for arg in command.get_arguments() {
            let name = arg.get_id().as_str();
            let variable = arg.get_env().and_then(|name| name.to_str());
            assert_eq!(variable, Some(format!("{PREFIX}{}", name.to_uppercase()).as_str()));
            assert_eq!(arg.get_long(), Some(name.replace('_', "-").as_str()));
        }
    }

    #[test]
    fn names_differ_from_paths() {
        assert!(["bge-reranker-base", "BAAI/x"].into_iter().all(|name| could_be_a_name(Path::new(name))));
        assert!(["./x", "/x", "../x", "a/b/c"].into_iter().all(|path| !could_be_a_name(Path::new(path))));
    }

    #[test]
    fn settings_become_a_request_with_defaults() {
        let (request, notes) = request("");
        assert_eq!((request.limit, request.pool, request.method, notes.len()), (5, 100, Method::Auto, 0));
        let settings = of_file("mode = \"broad\"\nlimit = 300\nfusion = \"rrf:7\"\nweights = [3, 1]\n");
        let (request, _) = settings.request("x".into(), Target::Chunks, Output::Json, |_| false).unwrap();
        assert_eq!(
            (request.limit, request.pool, request.fusion, request.shape.children),
            (300, 300, Fusion::Rrf(7.0), 2)
        );
        // A prompt takes what fits.
        let (request, _) = settings.request("x".into(), Target::Chunks, Output::Prompt, |_| false).unwrap();
        assert_eq!((request.limit, request.shape.max_tokens, request.shape.merges()), (40, Some(4000), true));
    }

    #[test]
    fn settings_without_effect_are_noted() {
        for (text, noted) in [
            ("method = \"keyword\"\nweights = [1, 1]\n", "weights has no effect on a single retriever"),
            ("pool = 3\n", "pool is raised to 5"),
            ("tokenizer = \"chars/4\"\n", "tokenizer has no effect"),
            ("rerank_budget = \"2s\"\n", "rerank_budget has no effect"),
            ("mode = \"drill\"\ngroup_by = \"section\"\n", "group_by has no effect in the mode drill"),
            ("mode = \"section\"\ncontext = 1\n", "context has no effect when sections"),
        ] {
            let (_, notes) = request(text);
            assert!(notes.len() == 1 && notes[0].replace('-', "_").contains(noted), "{text}: {notes:?}");
        }
        let (request, notes) = request("method = \"keyword\"\nweights = [1, 1]\npool = 3\n");
        assert_eq!((request.weights, request.pool, notes.len()), (None, 5, 2));
    }
}

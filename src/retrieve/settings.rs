//! What a caller can set about a search, from the command line, from `kb.toml` or in the library, and which settings
//! contradict each other.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::rerank_settings::{RerankBudget, RerankChoice};
use super::understand::Kind;
use super::{DEFAULT_LIMIT, DEFAULT_POOL, Method, QueryEncoder};
use crate::error::{Error, Result};

/// The constant of reciprocal rank fusion where nothing is said, that of Cormack et al. (2009).
pub const DEFAULT_RRF_K: f32 = 60.0;
/// Beyond, all ranks count alike.
const LARGEST_RRF_K: f32 = 10_000.0;
/// More candidates per arm than this are no candidates any more.
pub const LARGEST_POOL: usize = 10_000;
/// The most hits.
pub const LARGEST_LIMIT: usize = 1000;

/// How much each arm counts, in any unit; what matters is the proportion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f32; 2]", into = "[f32; 2]")]
pub struct Weights {
    keyword: f32,
    semantic: f32,
}

impl Weights {
    /// Weights of the two arms.
    ///
    /// # Errors
    /// Where one is negative or no number, or both are 0.
    pub fn new(keyword: f32, semantic: f32) -> Result<Self> {
        let bad = |what: &str| {
            Err(Error::usage(format!("the weights {keyword},{semantic} {what}"))
                .hint("the first is that of the keyword arm, the second that of the semantic arm, for example 0.7,0.3"))
        };
        if !(keyword.is_finite() && semantic.is_finite()) {
            return bad("are no numbers");
        }
        if keyword < 0.0 || semantic < 0.0 {
            return bad("must not be negative");
        }
        if keyword + semantic <= 0.0 {
            return bad("leave no arm to search with");
        }
        Ok(Weights { keyword, semantic })
    }

    /// The keyword arm's share, from 0 to 1.
    pub fn keyword(self) -> f32 {
        self.keyword / (self.keyword + self.semantic)
    }

    /// The semantic arm's share, from 0 to 1.
    pub fn semantic(self) -> f32 {
        self.semantic / (self.keyword + self.semantic)
    }
}

impl TryFrom<[f32; 2]> for Weights {
    type Error = String;

    fn try_from([keyword, semantic]: [f32; 2]) -> std::result::Result<Self, String> {
        Weights::new(keyword, semantic).map_err(|error| error.to_line())
    }
}

impl From<Weights> for [f32; 2] {
    fn from(weights: Weights) -> Self {
        [weights.keyword, weights.semantic]
    }
}

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let two = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        let (keyword, semantic) = two.ok_or("two numbers are wanted, KEYWORD,SEMANTIC, for example 0.7,0.3")?;
        Weights::new(keyword, semantic).map_err(|error| error.to_line())
    }
}

/// How two rankings become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum FusionName {
    /// Scores, each arm's scaled to 0…1 over the candidates
    Weighted,
    /// Ranks: 1/(k + rank) (reciprocal rank fusion)
    Rrf,
}

/// How two rankings become one, with what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// By scores.
    Weighted,
    /// By ranks, with this k.
    Rrf(f32),
}

/// Which words are searched for beside those of the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Expand {
    /// None
    Off,
    /// What abbreviations stand for, synonyms; for words that no passage has what begins with them, what they are misspelt for, their parts
    #[default]
    Missing,
    /// The same, and for all words what begins with them, and their parts
    All,
    /// As missing, and the question in other words of the language model that [llm] in kb.toml names
    Llm,
}

/// When a search has failed and is tried again; never, where nothing is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// Fewer hits than this are too few.
    pub min_hits: Option<usize>,
    /// A best score lower than this is too low.
    pub min_score: Option<f32>,
    /// Hits from fewer documents than this are too one-sided.
    pub min_docs: Option<usize>,
}

impl Fallback {
    /// Whether any condition is set.
    pub fn is_on(&self) -> bool {
        *self != Fallback::default()
    }
}

impl FromStr for Fallback {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut fallback = Fallback::default();
        if text.trim() == "off" {
            return Ok(fallback);
        }
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| format!("{part:?} is no condition; min_hits=3,min_score=0.5,min_docs=2 are, or off"))?;
            let number = || value.trim().parse().map_err(|_| format!("{name} wants a whole number, not {value:?}"));
            match name.trim() {
                "min_hits" => fallback.min_hits = Some(number()?),
                "min_docs" => fallback.min_docs = Some(number()?),
                "min_score" => {
                    let score = value.trim().parse();
                    fallback.min_score = Some(score.map_err(|_| format!("min_score wants a number, not {value:?}"))?);
                }
                other => return Err(format!("{other:?} is no condition; min_hits, min_score and min_docs are")),
            }
        }
        Ok(fallback)
    }
}

/// What can be set; `None` where nothing is said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Which arms.
    pub method: Option<Method>,
    /// How much each counts.
    pub weights: Option<Weights>,
    /// How they are fused.
    pub fusion: Option<FusionName>,
    /// The k of reciprocal rank fusion.
    pub rrf_k: Option<f32>,
    /// Candidates per arm.
    pub pool: Option<usize>,
    /// How many hits.
    pub limit: Option<usize>,
    /// Hits below this are left out.
    pub min_score: Option<f32>,
    /// Of which kind questions are.
    pub kind: Option<Kind>,
    /// Which other words are searched for.
    pub expand: Option<Expand>,
    /// When a search is tried again.
    pub fallback: Option<Fallback>,
    /// How the best candidates are looked at again.
    pub rerank: Option<RerankChoice>,
    /// How many a cross-encoder reads.
    pub rerank_depth: Option<usize>,
    /// How long it may.
    pub rerank_budget: Option<RerankBudget>,
    /// What makes the question's vector.
    pub query_encoder: Option<QueryEncoder>,
}

/// A setting that cannot be as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Which setting, as in `kb.toml`: `rrf_k`, `fallback.min_hits`.
    pub setting: &'static str,
    /// What is wrong with it. Settings are in it as `{rrf_k}`, to be named as the caller knows them.
    pub message: String,
}

/// All settings that messages name.
const NAMES: [&str; 14] = [
    "method",
    "weights",
    "fusion",
    "rrf_k",
    "pool",
    "limit",
    "min_score",
    "fallback.min_hits",
    "fallback.min_score",
    "fallback.min_docs",
    "expand",
    "rerank",
    "rerank_depth",
    "rerank_budget",
];

impl Contradiction {
    /// The message with the settings named by `name`.
    pub fn told(&self, name: impl Fn(&str) -> String) -> String {
        NAMES.iter().fold(self.message.clone(), |text, setting| text.replace(&format!("{{{setting}}}"), &name(setting)))
    }
}

impl Settings {
    /// The first setting that is out of range, or that another one of these contradicts.
    pub fn contradiction(&self) -> Option<Contradiction> {
        let wrong = |setting, message: String| Some(Contradiction { setting, message });
        if let Some(score) = self.min_score.filter(|score| !(0.0..=1.0).contains(score)) {
            return wrong("min_score", format!("{{min_score}} is {score}, which is no number from 0 to 1"));
        }
        if let Some(limit) = self.limit.filter(|limit| !(1..=LARGEST_LIMIT).contains(limit)) {
            return wrong("limit", format!("{{limit}} is {limit}, which is not from 1 to {LARGEST_LIMIT}"));
        }
        if let Some(pool) = self.pool.filter(|pool| !(1..=LARGEST_POOL).contains(pool)) {
            return wrong("pool", format!("{{pool}} is {pool}, which is not from 1 to {LARGEST_POOL}"));
        }
        if let (Some(pool), Some(limit)) = (self.pool, self.limit)
            && pool < limit
        {
            return wrong("pool", format!("{{pool}} is {pool}, which is smaller than {{limit}}, {limit}"));
        }
        if let Some(k) = self.rrf_k {
            if !(k.is_finite() && (0.0..=LARGEST_RRF_K).contains(&k)) {
                return wrong("rrf_k", format!("{{rrf_k}} is {k}, which is not from 0 to {LARGEST_RRF_K}"));
            }
            if self.fusion != Some(FusionName::Rrf) {
                let told = "{rrf_k} says something only to reciprocal rank fusion; {fusion} must be rrf";
                return wrong("rrf_k", told.to_owned());
            }
        }
        if let (Some(method @ (Method::Keyword | Method::Semantic)), Some(weights)) = (self.method, self.weights) {
            let alone = if method == Method::Keyword { weights.keyword() } else { weights.semantic() };
            if alone < 1.0 {
                let told = format!("{{weights}} weighs two arms, and {{method}} {} has one", method.name());
                return wrong("weights", told);
            }
        }
        self.rerank_contradiction()
            .or_else(|| self.fallback.and_then(|fallback| self.fallback_contradiction(&fallback)))
    }

    fn fallback_contradiction(&self, fallback: &Fallback) -> Option<Contradiction> {
        let wrong = |setting, message: String| Some(Contradiction { setting, message });
        let counts = [("fallback.min_hits", fallback.min_hits), ("fallback.min_docs", fallback.min_docs)];
        for (setting, least) in counts.into_iter().filter_map(|(setting, least)| Some((setting, least?))) {
            if least == 0 {
                return wrong(setting, format!("{{{setting}}} is 0, which every search reaches"));
            }
            if let Some(limit) = self.limit.filter(|limit| least > *limit) {
                let told =
                    format!("{{{setting}}} is {least}, which no search reaches that gives {limit} hits ({{limit}})");
                return wrong(setting, told);
            }
        }
        let score = fallback.min_score?;
        if !(score > 0.0 && score <= 1.0) {
            return wrong(
                "fallback.min_score",
                format!("{{fallback.min_score}} is {score}, which is not above 0 and up to 1"),
            );
        }
        if self.method == Some(Method::Keyword) {
            let told = "{fallback.min_score} cannot fail: by keywords alone ({method} keyword) the best passage has the score 1";
            return wrong("fallback.min_score", told.to_owned());
        }
        if let Some(least) = self.min_score.filter(|least| *least >= score) {
            let told = format!(
                "{{fallback.min_score}} is {score}, but nothing below {least} is a hit anyway ({{min_score}}); use {{fallback.min_hits}}"
            );
            return wrong("fallback.min_score", told);
        }
        None
    }

    /// These, and where they are silent `file`'s. What was said here settles what it contradicts there: a method drops
    /// weights, weights drop a method, a fusion drops its k, more hits need a larger pool.
    pub fn or(mut self, file: Settings) -> Settings {
        self.merge_rerank(&file);
        self.query_encoder = self.query_encoder.or(file.query_encoder);
        let Settings { method, weights, fusion, rrf_k, pool, limit, min_score, kind, expand, fallback, .. } = file;
        let limit = self.limit.or(limit);
        let said = self.fallback.is_some();
        let mut merged = Settings {
            method: self.method.or(method.filter(|_| self.weights.is_none())),
            weights: self.weights.or(weights.filter(|_| self.method.is_none())),
            fusion: self.fusion.or(fusion),
            rrf_k: self.rrf_k.or(rrf_k.filter(|_| self.fusion.is_none_or(|fusion| fusion == FusionName::Rrf))),
            pool: self.pool.or(pool.map(|pool| pool.max(limit.unwrap_or_default()))),
            limit,
            min_score: self.min_score.or(min_score),
            kind: self.kind.or(kind),
            expand: self.expand.or(expand),
            fallback: self.fallback.or(fallback),
            ..self
        };
        if let (Some(fallback), false) = (&mut merged.fallback, said) {
            let most = merged.limit.unwrap_or(DEFAULT_LIMIT);
            fallback.min_hits = fallback.min_hits.map(|least| least.min(most));
            fallback.min_docs = fallback.min_docs.map(|least| least.min(most));
            let useless = merged.method == Some(Method::Keyword)
                || merged.min_score.is_some_and(|least| fallback.min_score.is_some_and(|score| least >= score));
            if useless {
                fallback.min_score = None;
            }
        }
        merged
    }

    /// The limit in effect.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }

    /// The pool in effect.
    pub fn pool(&self) -> usize {
        self.pool.unwrap_or_else(|| DEFAULT_POOL.max(self.limit()))
    }

    /// The fusion in effect.
    pub fn fusion(&self) -> Fusion {
        match self.fusion {
            Some(FusionName::Rrf) => Fusion::Rrf(self.rrf_k.unwrap_or(DEFAULT_RRF_K)),
            _ => Fusion::Weighted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(settings: Settings) -> String {
        settings.contradiction().map_or_else(String::new, |found| found.told(|setting| format!("--{setting}")))
    }

    #[test]
    fn weights_are_shares_and_bad_ones_are_refused() {
        let weights: Weights = "3,1".parse().unwrap();
        assert_eq!((weights.keyword(), weights.semantic()), (0.75, 0.25));
        for (text, why) in
            [("0,0", "no arm"), ("-1,2", "negative"), ("1", "two numbers"), ("nan,1", "no numbers"), ("a,b", "two")]
        {
            assert!(text.parse::<Weights>().unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn conditions_of_a_second_look_are_read() {
        let fallback: Fallback = "min_hits=3, min_score=0.5".parse().unwrap();
        assert_eq!(fallback, Fallback { min_hits: Some(3), min_score: Some(0.5), min_docs: None });
        assert!(!"off".parse::<Fallback>().unwrap().is_on());
        assert!("min_hit=3".parse::<Fallback>().unwrap_err().contains("min_hits"));
        assert!("min_hits=x".parse::<Fallback>().unwrap_err().contains("whole number"));
    }

    #[test]
    fn contradictions_are_found_and_named() {
        let none = Settings::default;
        assert_eq!(wrong(none()), "");
        assert!(wrong(Settings { rrf_k: Some(10.0), ..none() }).contains("--fusion must be rrf"));
        assert!(
            wrong(Settings { rrf_k: Some(10.0), fusion: Some(FusionName::Weighted), ..none() }).contains("--rrf_k")
        );
        assert_eq!(wrong(Settings { rrf_k: Some(10.0), fusion: Some(FusionName::Rrf), ..none() }), "");
        assert!(wrong(Settings { pool: Some(3), limit: Some(5), ..none() }).contains("smaller than --limit, 5"));
        let weights = Weights::new(0.5, 0.5).ok();
        assert!(wrong(Settings { weights, method: Some(Method::Keyword), ..none() }).contains("has one"));
        assert_eq!(wrong(Settings { weights, method: Some(Method::Hybrid), ..none() }), "");
        let fallback = |text: &str| text.parse().ok();
        assert!(
            wrong(Settings { fallback: fallback("min_hits=6"), limit: Some(5), ..none() })
                .contains("no search reaches")
        );
        assert!(wrong(Settings { fallback: fallback("min_docs=0"), ..none() }).contains("every search"));
        let keyword = Some(Method::Keyword);
        assert!(
            wrong(Settings { fallback: fallback("min_score=0.5"), method: keyword, ..none() }).contains("cannot fail")
        );
        assert!(
            wrong(Settings { fallback: fallback("min_score=0.3"), min_score: Some(0.4), ..none() }).contains("anyway")
        );
    }

    #[test]
    fn what_is_said_now_settles_what_the_file_says() {
        let file = Settings {
            method: Some(Method::Keyword),
            fusion: Some(FusionName::Rrf),
            rrf_k: Some(20.0),
            pool: Some(10),
            limit: Some(5),
            fallback: "min_hits=5".parse().ok(),
            ..Settings::default()
        };
        let weights = Weights::new(1.0, 1.0).ok();
        let merged = Settings { weights, limit: Some(3), ..Settings::default() }.or(file.clone());
        assert_eq!((merged.method, merged.weights, merged.fusion()), (None, weights, Fusion::Rrf(20.0)));
        assert_eq!(merged.fallback.and_then(|fallback| fallback.min_hits), Some(3));
        let merged = Settings { fusion: Some(FusionName::Weighted), limit: Some(50), ..Settings::default() }.or(file);
        assert_eq!((merged.fusion(), merged.pool(), merged.contradiction()), (Fusion::Weighted, 50, None));
    }
}

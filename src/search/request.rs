//! A search request in plain values, with all defaults already applied.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::filter::Restriction;
use super::shape::{DEFAULT_POOL, Mode, Shape};
use crate::error::Result;
use crate::ids::DocId;

pub const LARGEST_POOL: usize = 10_000;
/// Hits that `kb search` shows.
pub const DEFAULT_LIMIT: usize = 5;
pub const LARGEST_LIMIT: usize = 1000;
/// Candidates that a cross-encoder reads: about as many as a small one reads in [`DEFAULT_RERANK_TIME`].
pub const DEFAULT_RERANK_DEPTH: usize = 30;
/// How long a cross-encoder may read while a person waits.
pub const DEFAULT_RERANK_TIME: Duration = Duration::from_millis(500);
/// The constant of reciprocal rank fusion, from Cormack et al. (2009).
const DEFAULT_RRF_K: f32 = 60.0;
/// Beyond this k all ranks count practically alike.
const LARGEST_RRF_K: f32 = 10_000.0;
/// The broad mode chooses among this many times the wanted hits, at least …
const BROAD_CHOICE: usize = 5;
/// … this many.
const LEAST_BROAD_CHOICE: usize = 50;
/// If adjacent hits merge, this many times the wanted hits are ranked, so that enough are left.
const MERGED_CHOICE: usize = 3;

/// Which retrievers are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Both, or keywords alone where the model does not know the question's language.
    #[default]
    Auto,
    /// Both, with equal weight.
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone (BM25).
    Keyword,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Hybrid => "hybrid",
            Method::Semantic => "semantic",
            Method::Keyword => "keyword",
        }
    }
}

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// How something is done
    Procedure,
    /// What something is, or why
    Concept,
    /// A fact: a value, a time, a name
    Reference,
    /// What to do about a fault
    Troubleshooting,
    /// Where a code, a name or a phrase stands
    Lookup,
    /// Which chapters there are: answered from the table of contents
    Structure,
}

impl Kind {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// How the best candidates are reranked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Rerank {
    /// By the question's words, for the methods `auto` and `hybrid`. A single requested retriever keeps its order.
    #[default]
    Auto,
    Off,
    /// By the question's words.
    Light,
    /// As `Auto`, then by a cross-encoder.
    Model {
        /// The folder with the model, as Hugging Face lays it out.
        folder: PathBuf,
        /// How many candidates it reads; the rest follow in their old order.
        depth: usize,
        /// How long it may read, loading excluded; `None`: no limit.
        time: Option<Duration>,
    },
    /// As `Auto`, then by the searcher's endpoint: `depth` candidates within `time`.
    Endpoint {
        depth: usize,
        time: Option<Duration>,
    },
}

/// The shares of the two retrievers, which add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "[f32; 2]")]
pub struct Weights {
    pub keyword: f32,
    pub semantic: f32,
}

impl Weights {
    /// Weights in any unit: only the proportion counts.
    ///
    /// # Errors
    /// If one is negative or not finite, or both are 0.
    pub fn new(keyword: f32, semantic: f32) -> Result<Self, String> {
        let is_weight = |weight: f32| weight.is_finite() && weight >= 0.0;
        let sum = keyword + semantic;
        if is_weight(keyword) && is_weight(semantic) && sum > 0.0 {
            return Ok(Weights { keyword: keyword / sum, semantic: semantic / sum });
        }
        Err("expected two numbers of at least 0, KEYWORD,SEMANTIC, one of them above 0, for example 0.7,0.3".to_owned())
    }
}

impl TryFrom<[f32; 2]> for Weights {
    type Error = String;

    fn try_from([keyword, semantic]: [f32; 2]) -> Result<Self, String> {
        Weights::new(keyword, semantic)
    }
}

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let two = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        let (keyword, semantic) = two.unwrap_or((f32::NAN, f32::NAN));
        Weights::new(keyword, semantic)
    }
}

/// How two rankings are fused; written `weighted`, `rrf` or `rrf:K`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Fusion {
    /// By scores, each retriever's scaled to 0…1 over the candidates.
    #[default]
    Weighted,
    /// By ranks: 1/(k + rank) (reciprocal rank fusion), with this k.
    Rrf(f32),
}

impl FromStr for Fusion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let k = match text.split_once(':') {
            None if text == "weighted" => return Ok(Fusion::Weighted),
            None if text == "rrf" => Some(DEFAULT_RRF_K),
            Some(("rrf", k)) => k.parse().ok(),
            _ => None,
        };
        let k = k.filter(|k| (0.0..=LARGEST_RRF_K).contains(k));
        k.map(Fusion::Rrf).ok_or_else(|| format!("expected weighted, rrf or rrf:K with a K from 0 to {LARGEST_RRF_K}"))
    }
}

/// Which words are searched for in addition to those of the question. Written as a list: `off`, `missing` or `all`, and
/// `llm` or some of `rewrite`, `hyde` and `keywords`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expand {
    pub words: OtherWords,
    pub wordings: LlmWordings,
}

/// Other words by the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OtherWords {
    /// None.
    Off,
    /// Synonyms and what abbreviations stand for; for unknown words their spelling, prefix and compound matches.
    #[default]
    Missing,
    /// The same, and the prefix and compound matches of all words.
    All,
}

/// What a language model is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LlmWordings {
    /// The question in other words.
    pub rewrite: bool,
    /// A made-up answer (HyDE).
    pub hyde: bool,
    /// Words of an answer.
    pub keywords: bool,
}

impl LlmWordings {
    pub const ALL: LlmWordings = LlmWordings { rewrite: true, hyde: true, keywords: true };

    /// Whether the language model is asked at all.
    pub fn any(self) -> bool {
        self != LlmWordings::default()
    }
}

impl FromStr for Expand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut expand = Expand::default();
        let of_rules = text.split(',').filter(|part| ["off", "missing", "all"].contains(&part.trim())).count();
        if of_rules > 1 {
            return Err("expected one of off, missing and all".to_owned());
        }
        for part in text.split(',').map(str::trim) {
            match part {
                "off" => expand.words = OtherWords::Off,
                "missing" => expand.words = OtherWords::Missing,
                "all" => expand.words = OtherWords::All,
                "llm" => expand.wordings = LlmWordings::ALL,
                "rewrite" => expand.wordings.rewrite = true,
                "hyde" => expand.wordings.hyde = true,
                "keywords" => expand.wordings.keywords = true,
                _ => return Err("expected off, missing or all, and llm or some of rewrite, hyde, keywords".to_owned()),
            }
        }
        Ok(expand)
    }
}

/// The age that halves a score, and how it decays further.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfLife {
    /// In seconds, or in the unit of the time field.
    pub age: f64,
    pub decay: Decay,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decay {
    /// By half with each half-life: 0.5^(age / half-life).
    #[default]
    Exponential,
    /// Ever slower: 1 / (1 + age / half-life).
    Hyperbolic,
}

impl HalfLife {
    /// The share of a score that is left at an age. Documents from the future count as new.
    pub(super) fn share_left(self, age: f64) -> f32 {
        let lives = age.max(0.0) / self.age;
        match self.decay {
            Decay::Exponential => 0.5f64.powf(lives) as f32,
            Decay::Hyperbolic => (1.0 / (1.0 + lives)) as f32,
        }
    }
}

/// When a search is tried again with wider settings; never if no condition is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    /// Fewer hits than this are too few.
    pub min_hits: Option<usize>,
    /// A best confidence below this is too low.
    pub min_confidence: Option<f32>,
    /// Hits from fewer documents than this are too one-sided.
    pub min_docs: Option<usize>,
}

impl FromStr for Fallback {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "off" {
            return Ok(Fallback::default());
        }
        let conditions = toml::from_str(&text.replace(',', "\n")).ok().filter(|_| text.contains('='));
        conditions
            .ok_or_else(|| "expected off or conditions such as min_hits=3,min_confidence=0.5,min_docs=2".to_owned())
    }
}

/// A question and all settings of its search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    pub query: String,
    pub method: Method,
    pub limit: usize,
    /// Searches only these documents, in every namespace that has them; `None`: all.
    pub documents: Option<Vec<DocId>>,
    pub restriction: Restriction,
    /// How scores decay with the age of documents, counted from now or `restriction.as_of`.
    pub half_life: Option<HalfLife>,
    pub min_confidence: f32,
    pub pool: usize,
    pub rerank: Rerank,
    /// Whether the trace keeps the output of each stage.
    pub explain: bool,
    /// `None`: chosen for the question.
    pub weights: Option<Weights>,
    pub fusion: Fusion,
    /// `None`: chosen by the question's words.
    pub kind: Option<Kind>,
    pub expand: Expand,
    pub fallback: Fallback,
    pub shape: Shape,
}

impl SearchRequest {
    /// A request with the defaults: auto, ten hits, all documents.
    pub fn new(query: impl Into<String>) -> Self {
        SearchRequest { query: query.into(), limit: 10, pool: DEFAULT_POOL, ..SearchRequest::default() }
    }

    /// How many parent chunks must be ranked so that enough hits are left.
    pub(super) fn depth(&self) -> usize {
        let shape = &self.shape;
        if shape.seeks_sections() || shape.mode == Mode::Drill || shape.per_document.is_some() {
            return usize::MAX;
        }
        let duplicates = if shape.keep_duplicates { 0 } else { (self.limit / 2).max(5) };
        match shape.mode {
            Mode::Broad => (self.limit * BROAD_CHOICE).max(LEAST_BROAD_CHOICE),
            _ if shape.merges() => self.limit * MERGED_CHOICE + duplicates,
            _ => self.limit + duplicates,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::shape::Beam;

    #[test]
    fn settings_of_several_parts_are_read_and_bad_ones_refused() {
        assert_eq!("3,1".parse(), Ok(Weights { keyword: 0.75, semantic: 0.25 }));
        assert!(["1", "nan,1", "a,b"].iter().all(|wrong| wrong.parse::<Weights>().is_err()));
        assert_eq!("rrf".parse(), Ok(Fusion::Rrf(60.0)));
        assert!(["", "rrf:", "rrf:nan", "sum"].iter().all(|wrong| wrong.parse::<Fusion>().is_err()));
        let fallback = Fallback { min_hits: Some(3), min_confidence: Some(0.5), min_docs: None };
        assert_eq!("min_hits=3, min_confidence=0.5".parse(), Ok(fallback));
        assert!(["min_hits", "min_hits=x", "", "min_docs=-1"].iter().all(|wrong| wrong.parse::<Fallback>().is_err()));
        assert_eq!("1, 2,3".parse(), Ok(Beam { documents: 1, parents: 2, children: 3 }));
        assert!(["", "3,3,3,3", "0,1,1", "3,-1,3", "1,1,1001"].iter().all(|wrong| wrong.parse::<Beam>().is_err()));
    }
}

//! A question to ranked passages: understand, recall by both arms at once, fuse, fetch. The question may be asked of
//! several namespaces; it is answered as if they were one.
//!
//! Promise: the better arm is never spoiled by the weaker one. An arm that cannot judge a question (a model asked in
//! a language it was not taught) gets no weight, and then is not even run.

mod by_documents;
mod contents;
mod context;
mod encoder;
mod entities;
mod expand;
mod fallback;
mod fetch;
mod filter;
mod find_section;
mod fuse;
mod kernel;
mod list_chunks;
mod meanings;
mod model_look;
mod modes;
mod phrases;
mod query;
mod query_encoder;
mod question_cache;
mod recall;
mod rerank;
mod rerank_settings;
mod resolve;
mod rewordings;
mod searched;
mod section;
mod settings;
mod shape;
mod trace;
mod understand;
mod vector_models;
mod why;
mod words;

use serde::Serialize;

pub use contents::{Contents, title_section};
pub use context::{Context, ContextDocument, ContextParts, ContextPassage, Detail, Layout, Template};
pub use encoder::Encoder;
pub use entities::ContextEntity;
pub use expand::budget::Omitted;
pub use expand::{Source, SourceChild};
pub use filter::{Comparison, Filter, LONGEST_FILTER, Relation, Restriction, Test, documents_within, scope_within};
pub use find_section::{Found, find_sections};
pub use fuse::Candidate;
pub use kernel::{Kernel, Ranking};
pub use list_chunks::{ChunkColumn, ChunkList, ChunkListRequest, ChunkMetadata, ListedChunk};
pub use model_look::{DEFAULT_RERANK_DEPTH, DEFAULT_RERANK_TIME, ModelLook};
pub use modes::Evidence;
pub use query::Route;
pub use query_encoder::QueryEncoder;
pub use rerank::SecondLook;
pub use rerank_settings::{RerankBudget, RerankChoice, SEARCH_BUDGET};
pub use resolve::{Named, Purpose, resolve_document, resolve_documents, resolve_each, resolve_in_each};
pub use section::{Extent, LeftOut, SectionContent, SectionPart, with_subsections};
pub use settings::{Contradiction, DEFAULT_RRF_K, Expand, Fallback, Fusion, FusionName, Settings, Weights};
pub use shape::{Beam, DEFAULT_DIVERSITY, GroupBy, Mode, Shape, Target};
pub use trace::{Stage, Trace, Traced};
pub use understand::{Kind, Quantity, ScriptShare, Understanding, Wanted};
pub use vector_models::QuestionVectors;
pub use why::{Change, Why, WhySection, WhyStage};

/// Which arms are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Whatever serves the question: usually both, keywords alone where the model does not know its language.
    Auto,
    /// Both arms, with equal weight.
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone (BM25).
    Keyword,
}

impl Method {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Hybrid => "hybrid",
            Method::Semantic => "semantic",
            Method::Keyword => "keyword",
        }
    }
}

/// How the best candidates are looked at again.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Rerank {
    /// As measured best: where the method is `auto` or `hybrid`. An arm that was asked for alone stays itself.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// By these signs.
    Light(SecondLook),
    /// As measured best, and then by a cross-encoder.
    Model(ModelLook),
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The question or the words.
    pub query: String,
    /// Which arms.
    pub method: Method,
    /// How many hits at most.
    pub limit: usize,
    /// Only in these documents, by id, in whichever namespaces they are; in all, where `None`.
    pub documents: Option<Vec<String>>,
    /// Only what this lets through, of those documents.
    pub restriction: Restriction,
    /// Halve a score for each so many seconds that its document is older than now, or than `restriction.as_of`.
    pub half_life: Option<f64>,
    /// Hits below this score are left out.
    pub min_score: Option<f32>,
    /// How many candidates each arm recalls.
    pub pool: usize,
    /// How the best are looked at again.
    pub rerank: Rerank,
    /// Whether each stage keeps what came out of it.
    pub explain: bool,
    /// How much each arm counts, whatever the method and the question's language; chosen by the route, where `None`.
    pub weights: Option<Weights>,
    /// How much a word in the titles above a passage counts in the keyword arm, beside 1 for one in its text.
    pub title_weight: f32,
    /// How the arms are fused.
    pub fusion: Fusion,
    /// Of which kind the question is; told by its words, where `None`.
    pub kind: Option<Kind>,
    /// Which words are searched for beside those of the question.
    pub expand: Expand,
    /// When the search is tried again.
    pub fallback: Fallback,
    /// What makes the question's vector.
    pub query_encoder: QueryEncoder,
    /// What is made of the ranking.
    pub shape: Shape,
}

impl SearchRequest {
    /// A request with the defaults: auto, ten hits, all documents.
    pub fn new(query: impl Into<String>) -> Self {
        SearchRequest {
            query: query.into(),
            method: Method::Auto,
            limit: 10,
            documents: None,
            restriction: Restriction::default(),
            half_life: None,
            min_score: None,
            pool: DEFAULT_POOL,
            rerank: Rerank::Auto,
            explain: false,
            weights: None,
            title_weight: DEFAULT_TITLE_WEIGHT,
            fusion: Fusion::Weighted,
            kind: None,
            expand: Expand::Missing,
            fallback: Fallback::default(),
            query_encoder: QueryEncoder::default(),
            shape: Shape::default(),
        }
    }
}

impl SearchRequest {
    /// By which signs the best candidates are looked at again; by none, where `None`.
    fn second_look(&self) -> Option<SecondLook> {
        match self.rerank {
            Rerank::Off => None,
            Rerank::Light(look) => Some(look),
            Rerank::Auto | Rerank::Model(_) => {
                matches!(self.method, Method::Auto | Method::Hybrid).then(SecondLook::default)
            }
        }
    }
}

/// What a word in the titles above a passage counts in the keyword arm, beside one in its text: as much, and through
/// their few words more, because BM25 divides by the length of each field. Measured on the development sets
/// (`ARCHITECTURE.md`).
pub const DEFAULT_TITLE_WEIGHT: f32 = 1.0;
/// Candidates per arm: enough that a passage which is good in both is seen by at least one.
pub const DEFAULT_POOL: usize = 100;
/// How many hits `kb search` gives where nothing is said.
pub const DEFAULT_LIMIT: usize = 5;

/// A passage that answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// From 0 to 1, for fused arms relative to this search's candidates; of the semantic arm alone, the cosine. Of
    /// passages that became one hit, and of sections, the joint score.
    pub score: f32,
    /// The namespace it is in; where it is in several, one in which it scored best.
    pub namespace: String,
    /// The other namespaces that were searched and have this passage of this source too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The parent chunk; the best one, where it is made of several. Empty for a section without text.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// The document's source.
    pub source: String,
    /// The document's title.
    pub title: String,
    /// The name of the document's format.
    #[serde(skip)]
    pub format: String,
    /// Its section, as `doc#path`.
    pub section_id: String,
    /// The section's path.
    pub section: String,
    /// The titles of the section and those above it.
    pub section_title: String,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// BM25 of the keyword arm, where it was asked.
    pub keyword_score: Option<f32>,
    /// Cosine of the best child, where the semantic arm was asked.
    pub semantic_score: Option<f32>,
    /// What the hit says: the whole passage, or what was asked for of it and around it.
    pub content: String,
    /// The part of it that shows why it was found.
    pub snippet: String,
    /// Byte ranges in `snippet` that match the question.
    pub matches: Vec<(usize, usize)>,
    /// How many of its passages were found themselves.
    pub matched_chunks: usize,
    /// Passages that were left out because they say the same, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<String>,
    /// The passages it is made of, in reading order.
    pub sources: Vec<Source>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// The question.
    pub query: String,
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    /// What the question was understood as.
    pub understood: Understanding,
    /// Which arms were used, with which weights.
    pub route: Route,
    /// The answer to a question about structure: tables of contents, or parts of them. Empty for other questions.
    pub contents: Vec<Contents>,
    /// How hits were chosen.
    pub mode: Mode,
    /// What was looked for.
    pub target: Target,
    /// The passages, best first, or beside each other where they were grouped; none where tables of contents are the
    /// answer.
    pub hits: Vec<Hit>,
    /// What did not fit into the tokens that were asked for.
    pub left_out: Vec<Omitted>,
    /// What the user should know about how they were found.
    pub notes: Vec<String>,
    /// What each stage did.
    pub trace: Trace,
}

impl SearchResult {
    /// Whether its hits are sections.
    pub fn seeks_sections(&self) -> bool {
        self.mode == Mode::Section || self.target == Target::Sections
    }
}

//! A search: a question to hits. [`run`] has the stages on one page: understand, recall, fuse, rerank, select, expand.
//! Several namespaces are searched as if they were one.
//!
//! Promise: the weaker retriever never spoils the better one. A retriever that cannot judge a question (a model asked in a
//! language it was not trained on) gets no weight, and then does not even run.

mod candidate;
mod contents;
mod context;
mod encoder;
mod entities;
mod expand;
mod fallback;
mod fetch;
mod filter;
mod fuse;
mod list_chunks;
mod query_expansion;
mod recall;
mod request;
mod rerank;
mod resolve;
mod restrict;
mod retrievers;
mod run;
mod searcher;
mod section;
mod select;
mod spelling;
mod synonyms;
mod trace;
mod understand;
mod why;

use serde::Serialize;

use crate::ids::{ChunkId, DocId, SectionId};
use crate::store::Scope;

pub use contents::{Contents, title_section};
pub use context::{Context, ContextDocument, ContextParts, Detail, Layout, Template};
pub use encoder::Encoder;
pub use entities::ContextEntity;
pub use expand::budget::Omitted;
pub use expand::merge::Source;
pub use filter::{Filter, Restriction, scopes_within};
pub use list_chunks::{ChunkColumn, ChunkList, ChunkListRequest, ListedChunk};
pub use request::{
    Beam, CrossEncoderRerank, DEFAULT_DIVERSITY, DEFAULT_LIMIT, DEFAULT_POOL, DEFAULT_RERANK_DEPTH,
    DEFAULT_RERANK_TIME, Expand, Fallback, Fusion, GroupBy, LARGEST_LIMIT, LARGEST_POOL, LightRerank, Method, Mode,
    Rerank, SearchRequest, Shape, Target, Weights,
};
pub use resolve::{Purpose, find_sections, resolve_document, resolve_documents, resolve_each};
pub use searcher::Searcher;
pub use section::{Extent, SectionContent, with_subsections};
pub use select::ChunkRank;
pub use trace::{Stage, Trace, Traced};
pub use understand::{Kind, Route, Understanding};
pub use why::{Why, WhyStage};

/// A hit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// From 0 to 1, for fused retrievers relative to this search's candidates; of semantic search alone, the cosine. Of
    /// parent chunks that became one hit, and of sections, the joint score.
    pub score: f32,
    /// The namespace it is in; where it is in several, one in which it scored best.
    pub namespace: String,
    /// The other namespaces that were searched and have this parent chunk of this source too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// The parent chunk; the best one, where it is made of several. Empty for a section without text.
    pub chunk_id: ChunkId,
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    /// The name of the document's format.
    #[serde(skip)]
    pub format: String,
    /// Its section, as `doc#path`.
    pub section_id: SectionId,
    pub section: String,
    /// The titles of the section and those above it.
    pub section_title: String,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// BM25, where keyword search ran.
    pub keyword_score: Option<f32>,
    /// Cosine of the best child, where semantic search ran.
    pub semantic_score: Option<f32>,
    /// Its text: the whole parent chunk, or what the request shows of it and around it.
    pub content: String,
    /// The part of it that shows why it was found.
    pub snippet: String,
    /// Byte ranges in `snippet` that match the question.
    pub matches: Vec<(usize, usize)>,
    /// How many of its parent chunks were found, not added as neighbours.
    pub matched_chunks: usize,
    /// The ids of parent chunks that were left out because they repeat it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<ChunkId>,
    /// The parent chunks it is made of, in reading order.
    pub sources: Vec<Source>,
}

/// Parent chunks for a question, best first, not yet read.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    pub understood: Understanding,
    /// Which retrievers were used, with which weights.
    pub route: Route,
    /// The words that were searched for instead of others, or beside them.
    replacements: Vec<spelling::Replacement>,
    /// A chunk that is in several namespaces is listed for each, and counts once for the limit.
    pub candidates: Vec<candidate::Candidate>,
    /// The question's vector, where semantic search was used.
    pub vector: Option<Vec<f32>>,
    /// What may be found in each namespace.
    scopes: Vec<Scope>,
    /// Whether semantic search was asked for and no chunk that was searched has a vector.
    pub no_vectors: bool,
    pub trace: Trace,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    pub query: String,
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    /// What the question was understood as.
    pub understood: Understanding,
    /// Which retrievers were used, with which weights.
    pub route: Route,
    /// The answer to a question about structure: tables of contents, or parts of them. Empty for other questions.
    pub contents: Vec<Contents>,
    /// How hits were chosen.
    pub mode: Mode,
    pub target: Target,
    /// The parent chunks, best first, or beside each other where they were grouped; none where tables of contents are the
    /// answer.
    pub hits: Vec<Hit>,
    pub left_out: Vec<Omitted>,
    /// What the user should know about how the hits were found.
    pub notes: Vec<String>,
    pub trace: Trace,
}

impl SearchResult {
    fn of(request: &SearchRequest, ranking: Ranking, hits: Vec<Hit>, left_out: Vec<Omitted>) -> Self {
        let Ranking { namespaces, understood, route, mut trace, .. } = ranking;
        SearchResult {
            query: request.query.clone(),
            namespaces,
            understood,
            route,
            contents: Vec::new(),
            mode: request.shape.mode,
            target: request.shape.target,
            hits,
            left_out,
            notes: std::mem::take(&mut trace.notes),
            trace,
        }
    }

    /// Whether its hits are sections.
    pub fn seeks_sections(&self) -> bool {
        self.mode == Mode::Section || self.target == Target::Sections
    }
}

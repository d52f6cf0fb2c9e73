//! The results of a search: a ranking of parent chunks, and the hits made from it.

use super::candidate::Candidate;
use super::contents::Contents;
use super::hit::{Hit, Omitted};
use super::note::Note;
use super::request::SearchRequest;
use super::searcher::Searcher;
use super::shape::{GroupBy, Shape};
use super::spelling::Replacement;
use super::trace::Trace;
use super::understand::{Route, Understanding};
use crate::ids::ChunkId;
use crate::store::{Scope, Snapshot};

/// Parent chunks for a question, best first, not yet read.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    pub namespaces: Vec<String>,
    pub understood: Understanding,
    pub route: Route,
    /// Words that were searched for instead of the question's or in addition to them.
    pub(super) replacements: Vec<Replacement>,
    /// A chunk that is in several namespaces is listed for each, and counts once towards the limit.
    pub candidates: Vec<Candidate>,
    /// No hit is surer than this.
    pub(super) max_confidence: f32,
    /// The candidates with too little confidence.
    pub(super) unsure: Vec<Candidate>,
    /// The question's vector, if semantic search was used.
    pub vector: Option<Vec<f32>>,
    pub(super) scopes: Vec<Scope>,
    /// Whether the question wants semantic search and no searched chunk has a vector.
    pub no_vectors: bool,
}

impl Ranking {
    /// The parent chunks with the places of their namespaces.
    pub(super) fn keys(&self) -> impl Iterator<Item = (usize, &ChunkId)> + Clone {
        self.candidates.iter().map(|candidate| (candidate.namespace, &candidate.chunk_id))
    }
}

/// A ranking and what it was made from: the input of the stages that make hits of it.
#[derive(Clone, Copy)]
pub(super) struct Ranked<'r> {
    pub searcher: &'r Searcher,
    pub request: &'r SearchRequest,
    pub snapshots: &'r [&'r Snapshot],
    pub ranking: &'r Ranking,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    pub query: String,
    pub namespaces: Vec<String>,
    pub understood: Understanding,
    pub route: Route,
    /// The answer to a question about structure: tables of contents, or parts of them. Empty for other questions.
    pub contents: Vec<Contents>,
    pub shape: Shape,
    /// Best first, or group by group; empty if tables of contents answer the question.
    pub hits: Vec<Hit>,
    pub left_out: Vec<Omitted>,
    pub(super) unsure: Vec<Candidate>,
    /// The best of those, if there are no hits.
    pub nearest: Vec<Hit>,
    /// What the user should know about how the hits were found.
    pub notes: Vec<Note>,
    pub trace: Trace,
}

impl SearchResult {
    /// A result without hits.
    pub(super) fn new(
        request: &SearchRequest,
        namespaces: Vec<String>,
        understood: Understanding,
        route: Route,
        mut trace: Trace,
    ) -> Self {
        SearchResult {
            query: request.query.clone(),
            namespaces,
            understood,
            route,
            contents: Vec::new(),
            shape: request.shape.clone(),
            hits: Vec::new(),
            left_out: Vec::new(),
            unsure: Vec::new(),
            nearest: Vec::new(),
            notes: std::mem::take(&mut trace.notes),
            trace,
        }
    }

    /// The confidence of its best hit or table of contents.
    pub fn confidence(&self) -> f32 {
        let contents = self.contents.iter().map(|contents| contents.confidence);
        contents.chain(self.hits.iter().map(|hit| hit.confidence)).fold(0.0, f32::max)
    }

    /// The hits by group; empty if they are not grouped.
    pub fn groups(&self) -> Vec<&[Hit]> {
        match self.shape.groups_by() {
            GroupBy::None => Vec::new(),
            by => self.hits.chunk_by(|a, b| by.id(a) == by.id(b)).collect(),
        }
    }
}

//! Builds a context for a prompt: the parent chunks for a question with their sources, within a token limit.

mod assemble;
mod template;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::entities::ContextEntity;
use super::{Hit, Kind, Omitted, Route, SearchRequest, SearchResult, Searcher, Trace};
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};
use assemble::{Sources, Summaries, assemble};

pub use template::Template;

/// A context for a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    pub query: String,
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    /// What counted the tokens.
    pub tokenizer: String,
    /// The limit.
    pub max_tokens: usize,
    pub tokens: usize,
    /// The context, as it goes into a prompt.
    pub text: String,
    #[serde(flatten)]
    pub parts: ContextParts,
    /// Notes for the user.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub route: Route,
    #[serde(skip)]
    pub trace: Trace,
}

/// The parts of a context.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextParts {
    /// The documents in the order of their best hits.
    pub documents: Vec<ContextDocument>,
    /// The states of the entities that the question or the chunks mention, those of the question first.
    pub entities: Vec<ContextEntity>,
    /// What was found and did not fit.
    pub left_out: Vec<Omitted>,
    /// The names of entities whose states did not fit.
    pub entities_left_out: Vec<String>,
}

/// A document with its parent chunks in a context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextDocument {
    pub doc_id: DocId,
    pub namespace: String,
    pub title: String,
    pub source: String,
    #[serde(skip)]
    pub format: String,
    /// From its profile; empty without one.
    pub summary: String,
    /// Its parent chunks, in reading order.
    pub parent_chunks: Vec<ContextParentChunk>,
}

/// The chosen parent chunks of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextParentChunk {
    /// The section, as `doc#path`.
    pub section_id: SectionId,
    /// The titles of the section and those above it.
    pub section_title: String,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// The joint score of its parent chunks.
    pub score: f32,
    /// The text, with `[…]` for parent chunks between them that are left out.
    pub text: String,
    pub chunk_ids: Vec<ChunkId>,
}

/// How much a layout writes beside the text of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What was left out, and the summaries of documents.
    Full,
    /// How much was left out.
    Count,
    Silent,
}

/// Writes a context.
pub trait Layout {
    /// # Errors
    /// Where the layout uses something that does not exist.
    fn text(&self, query: &str, parts: &ContextParts, detail: Detail) -> Result<String>;

    /// The details that it knows, the fullest first.
    fn details(&self) -> &[Detail];
}

impl Searcher {
    /// Builds a context from the hits of `request`, in at most `max_tokens` tokens. The request's counter counts them, over
    /// the whole text; the request's own limit does not apply.
    ///
    /// # Errors
    /// As for [`search`](Self::search); and where not even the first parent chunk fits.
    pub async fn context(&self, request: &SearchRequest, max_tokens: usize, layout: &dyn Layout) -> Result<Context> {
        let mut request = request.clone();
        request.shape.max_tokens = None;
        let counter: Arc<TokenCounter> = match &request.shape.counter {
            Some(counter) => counter.clone(),
            None => TokenCounter::shared()?,
        };
        let mut found = self.search(&request).await?;
        if !found.contents.is_empty() {
            // A table of contents is no context: search the text.
            request.kind = Some(Kind::Concept);
            found = self.search(&request).await?;
        }
        let SearchResult { query, namespaces, route, hits, notes, mut trace, .. } = found;
        let start = Instant::now();
        let recogniser = self.recogniser(&request).await?;
        let mentioned = |documents: &[ContextDocument]| recogniser.mentioned(documents);
        let source = Sources { hits: &hits, summaries: &self.summaries(&hits).await?, counter: &counter };
        let (parts, text, tokens) = assemble(&source, &query, max_tokens, layout, &mentioned)?;
        trace.stage("context", start, hits.len(), parts.documents.iter().map(|one| one.parent_chunks.len()).sum());
        let tokenizer = counter.name().to_owned();
        Ok(Context { query, namespaces, tokenizer, max_tokens, tokens, text, parts, notes, route, trace })
    }

    /// The summaries of the documents of some hits.
    async fn summaries(&self, hits: &[Hit]) -> Result<Summaries> {
        let mut summaries = Summaries::new();
        for (name, snapshot) in self.names().into_iter().zip(self.snapshots().await?) {
            let own = hits.iter().filter(|hit| hit.namespace == name).map(|hit| hit.doc_id.clone());
            let ids: BTreeSet<DocId> = own.collect();
            for row in snapshot.documents_by_id(&Vec::from_iter(ids)).await? {
                let summary = row.profile.map(|profile| profile.summary).unwrap_or_default();
                summaries.insert((name.clone(), row.doc_id), summary);
            }
        }
        Ok(summaries)
    }
}

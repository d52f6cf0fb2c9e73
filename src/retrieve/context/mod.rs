//! A context for a prompt: the passages for a question with where they are from, within so many tokens.

mod assemble;
mod template;

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::entities::ContextEntity;
use super::{Hit, Kernel, Kind, Omitted, Route, SearchRequest, SearchResult, Trace};
use crate::embed::TokenCounter;
use crate::error::Result;
use assemble::{Assembled, Summaries, assemble};

pub use template::Template;

/// A context for a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    /// The question.
    pub query: String,
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    /// What counted the tokens.
    pub tokenizer: String,
    /// How many tokens it may have.
    pub max_tokens: usize,
    /// How many it has.
    pub tokens: usize,
    /// The context, as it goes into a prompt.
    pub text: String,
    /// What it is made of: the documents in the order of their best hits.
    pub documents: Vec<ContextDocument>,
    /// The states of the entities that the question or the passages mention.
    pub entities: Vec<ContextEntity>,
    /// What was found and did not fit.
    pub left_out: Vec<Omitted>,
    /// The names of entities whose states did not fit.
    pub entities_left_out: Vec<String>,
    /// What the user should know about how it was found.
    pub notes: Vec<String>,
    /// Which arms were used, with which weights.
    #[serde(skip)]
    pub route: Route,
    /// What each stage did.
    #[serde(skip)]
    pub trace: Trace,
}

/// A document that a context has passages of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextDocument {
    /// The document.
    pub doc_id: String,
    /// The namespace it is in.
    pub namespace: String,
    /// Its title.
    pub title: String,
    /// Its source.
    pub source: String,
    /// The name of its format.
    #[serde(skip)]
    pub format: String,
    /// What it is, in a paragraph; empty where it has no profile.
    pub summary: String,
    /// Its passages, in reading order.
    pub passages: Vec<ContextPassage>,
}

/// Passages of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextPassage {
    /// The section, as `doc#path`.
    pub section_id: String,
    /// The titles of the section and those above it.
    pub section_title: String,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// The joint score of its passages.
    pub score: f32,
    /// The text; `[…]` stands for passages of the section that are left out in between.
    pub text: String,
    /// The parent chunks it is made of.
    pub chunk_ids: Vec<String>,
}

/// How much is said of what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What it is; and of each document, what that is.
    Full,
    /// How much it is.
    Count,
    /// Nothing.
    Silent,
}

/// What a context is made of.
#[derive(Debug, Clone, Copy)]
pub struct ContextParts<'a> {
    /// The documents in the order of their best hits.
    pub documents: &'a [ContextDocument],
    /// The states of entities, those of the question first.
    pub entities: &'a [ContextEntity],
    /// What was found and did not fit.
    pub left_out: &'a [Omitted],
    /// The names of entities whose states did not fit.
    pub entities_left_out: &'a [String],
}

/// How a context is written.
pub trait Layout {
    /// The text of a context.
    ///
    /// # Errors
    /// Where the layout asks for what there is not.
    fn text(&self, query: &str, parts: &ContextParts<'_>, detail: Detail) -> Result<String>;

    /// The details it can tell, the fullest first.
    fn details(&self) -> &[Detail];
}

impl Kernel {
    /// Puts a context together: what [`search`](Self::search) finds for `request`, laid out, in at most `max_tokens`
    /// tokens. How many those are is counted with the request's counter, and over the whole text. The request's own budget
    /// is not heeded.
    ///
    /// # Errors
    /// As for [`search`](Self::search); and where not even the first passage fits.
    pub async fn context(&self, request: &SearchRequest, max_tokens: usize, layout: &dyn Layout) -> Result<Context> {
        let mut request = request.clone();
        request.shape.max_tokens = None;
        let counter: Arc<TokenCounter> = match &request.shape.counter {
            Some(counter) => counter.clone(),
            None => TokenCounter::shared()?,
        };
        let mut found = self.search(&request).await?;
        if !found.contents.is_empty() {
            // A table of contents is no passage: the text is searched all the same.
            request.kind = Some(Kind::Concept);
            found = self.search(&request).await?;
        }
        let SearchResult { query, namespaces, route, hits, notes, mut trace, .. } = found;
        let start = Instant::now();
        let summaries = self.summaries(&hits).await?;
        let recogniser = self.recogniser(&request).await?;
        let mentioned = |documents: &[ContextDocument]| recogniser.mentioned(documents);
        let assembled = assemble(&hits, &summaries, &query, max_tokens, &counter, layout, &mentioned)?;
        let Assembled { documents, entities, left_out, entities_left_out, text, tokens } = assembled;
        trace.stage("context", start, hits.len(), documents.iter().map(|document| document.passages.len()).sum());
        let tokenizer = counter.name().to_owned();
        Ok(Context {
            query,
            namespaces,
            tokenizer,
            max_tokens,
            tokens,
            text,
            documents,
            entities,
            left_out,
            entities_left_out,
            notes,
            route,
            trace,
        })
    }
    /// What the documents of some hits are, in words.
    async fn summaries(&self, hits: &[Hit]) -> Result<Summaries> {
        let mut summaries = Summaries::new();
        for (name, snapshot) in self.names().into_iter().zip(self.snapshots().await?) {
            let mut ids: Vec<String> =
                hits.iter().filter(|hit| hit.namespace == name).map(|hit| hit.doc_id.clone()).collect();
            ids.sort_unstable();
            ids.dedup();
            for row in snapshot.documents_by_id(&ids).await? {
                let summary = row.profile.map(|profile| profile.summary).unwrap_or_default();
                summaries.insert((name.clone(), row.doc_id), summary);
            }
        }
        Ok(summaries)
    }
}

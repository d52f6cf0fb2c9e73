//! Builds a context for a prompt: the parent chunks for a question with their sources, within a token limit.

mod arrange;
mod assemble;
pub(super) mod layout;

use std::time::Instant;

use serde::Serialize;

use super::hit::Hit;
use super::note::{Note, NoteCode};
use super::request::{Kind, SearchRequest};
use super::result::SearchResult;
use super::searcher::Searcher;
use super::trace::Trace;
use super::understand::Route;
use super::without_search::text_of_parts;
use crate::error::Result;
use assemble::{Assembled, Sources, assemble};
use layout::{ContextDocument, ContextParts, Layout};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    pub query: String,
    pub namespaces: Vec<String>,
    /// The name of the token counter.
    pub tokenizer: String,
    pub max_tokens: usize,
    pub tokens: usize,
    /// The confidence of the best hit or table of contents.
    pub confidence: f32,
    /// The context, as it goes into a prompt.
    pub text: String,
    #[serde(flatten)]
    pub parts: ContextParts,
    pub notes: Vec<Note>,
    /// If nothing was found, the hits that are too unsure to be answers.
    #[serde(skip)]
    pub nearest: Vec<Hit>,
    #[serde(skip)]
    pub route: Route,
    #[serde(skip)]
    pub trace: Trace,
}

impl Searcher {
    /// Builds a context from the tables of contents and the hits that answer `request`, in at most `max_tokens` tokens.
    /// A part that it asks for is given with its text, unless it is a guess. The request's counter counts the tokens,
    /// over the whole text; the request's own limit does not apply.
    ///
    /// # Errors
    /// As for [`search`](Self::search); and if neither the first parent chunk nor the state of an entity fits.
    pub async fn context(&self, request: &SearchRequest, max_tokens: usize, layout: &dyn Layout) -> Result<Context> {
        let mut request = request.clone();
        request.shape.max_tokens = None;
        request.shape.describe = true;
        let counter = request.shape.counter();
        let mut found = self.search(&request).await?;
        let (contents, mut notes) = (std::mem::take(&mut found.contents), Vec::new());
        if !contents.is_empty() {
            notes.append(&mut found.notes);
            found.hits = text_of_parts(self, &request, &contents).await?;
        }
        if !contents.is_empty() && found.hits.is_empty() {
            // Titles alone say little: the text of these documents may say more.
            request.kind = Some(Kind::Concept);
            request.documents = Some(contents.iter().map(|one| one.document.doc_id.clone()).collect());
            found = self.search(&request).await?;
        }
        notes.append(&mut found.notes);
        let confidence = contents.iter().map(|one| one.confidence).fold(found.confidence(), f32::max);
        let SearchResult { query, namespaces, route, hits, nearest, mut trace, .. } = found;
        let start = Instant::now();
        let recogniser = self.recogniser(&request).await?;
        let mentioned = |documents: &[ContextDocument]| recogniser.mentioned(documents);
        let source = Sources { contents: &contents, hits: &hits, counter: &counter };
        let Assembled { parts, text, tokens, too_little } = assemble(&source, &query, max_tokens, layout, &mentioned)?;
        notes.extend(too_little.map(|error| Note { code: NoteCode::TooFewTokens, message: error.to_line() }));
        trace.stage("context", start, hits.len(), parts.documents.iter().map(|one| one.parent_chunks.len()).sum());
        let tokenizer = counter.name().to_owned();
        Ok(Context {
            query,
            namespaces,
            tokenizer,
            max_tokens,
            tokens,
            confidence,
            text,
            parts,
            notes,
            nearest,
            route,
            trace,
        })
    }
}

//! The pipeline: both arms at once, fused, and the best passages fetched. How a ranking is made, stage by stage, is in
//! [`look`].

mod look;
mod notes;
mod synonym_lists;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use futures::future::try_join_all;
use jiff::Timestamp;
use notes::{language_notes, vector_note};
use tokio::sync::OnceCell;

use super::contents;
use super::encoder::Encoder;
use super::entities::Recogniser;
use super::fallback::look_again;
use super::filter::{Facts, decay, scopes};
use super::fuse::Candidate;
use super::model_look::Kept;
use super::modes::{Answer, answer};
use super::phrases::confine;
use super::query::{Route, keyword_terms};
use super::rewordings::Model;
use super::searched::Searched;
use super::trace::Trace;
use super::understand::Understanding;
use super::vector_models::{QuestionVectors, VectorModels};
use super::words::{self, Other};
use super::{SearchRequest, SearchResult};
use crate::error::{Error, Result};
use crate::glossary::synonyms::Synonyms;
use crate::llm;
use crate::store::{LoadedVectors, Namespace, Scope, Snapshot};
use crate::text::period::duration;

/// Up to so many vectors (225 MB), of all namespaces together, are scored in memory.
const MOST_VECTORS_IN_MEMORY: usize = 150_000;

/// The passages for a question, best first, not yet read.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The names of the namespaces that were searched.
    pub namespaces: Vec<String>,
    /// What the question was understood as.
    pub understood: Understanding,
    /// Which arms were used, with which weights.
    pub route: Route,
    /// Which other words were searched for.
    pub(super) others: Vec<Other>,
    /// The passages. One that is in several namespaces is there for each, and counts once for the limit.
    pub candidates: Vec<Candidate>,
    /// The question's vectors, where the semantic arm was asked.
    pub vector: Option<QuestionVectors>,
    /// What may be found in each namespace.
    pub(super) scopes: Vec<Scope>,
    /// Whether the semantic arm was asked and no passage that was searched has a vector.
    pub no_vectors: bool,
    /// What the user should know about how they were found.
    pub notes: Vec<String>,
    /// What each stage did.
    pub trace: Trace,
}

/// Answers questions from one namespace, or from several as if they were one. What is searched is opened with the
/// first question and kept.
pub struct Kernel {
    searched: Vec<Searched>,
    /// Of each namespace; `None` where they stay in its table.
    vectors: OnceCell<Vec<Option<LoadedVectors>>>,
    encoder: Encoder,
    /// Which models the vectors are of.
    models: OnceCell<VectorModels>,
    /// Where the user's list of synonyms is, if not in the store's folder.
    synonyms_at: Option<PathBuf>,
    synonyms: OnceLock<Synonyms>,
    reranker: Kept,
    /// What is asked for other words, where a request wants them.
    model: Option<Model>,
}

impl Kernel {
    /// A kernel for a namespace.
    pub fn new(namespace: Namespace, encoder: Encoder) -> Self {
        Kernel::over(vec![namespace], encoder)
    }

    /// A kernel for several namespaces, each of them another one. Their passages are ranked together.
    pub fn over(namespaces: Vec<Namespace>, encoder: Encoder) -> Self {
        let searched = namespaces.into_iter().map(Searched::new).collect();
        Kernel {
            searched,
            vectors: OnceCell::new(),
            encoder,
            models: OnceCell::new(),
            synonyms_at: None,
            synonyms: OnceLock::new(),
            reranker: Kept::default(),
            model: None,
        }
    }

    /// The same, with a language model to ask for other words ([`Expand::Llm`](super::Expand::Llm)).
    pub fn asking(self, client: Arc<llm::Client>) -> Self {
        Kernel { model: Some(Model::new(client)), ..self }
    }

    /// The same with the user's list of synonyms at `path`, instead of in the folder of the store.
    pub fn with_synonyms(self, path: Option<PathBuf>) -> Self {
        Kernel { synonyms_at: path, ..self }
    }

    /// The generation that is searched; of the first namespace, where there are several.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub async fn snapshot(&self) -> Result<&Snapshot> {
        self.searched.first().ok_or_else(|| Error::usage("no namespace was named to search in"))?.snapshot().await
    }

    /// The generations that are searched, in the order in which the namespaces were named.
    ///
    /// # Errors
    /// Where one cannot be opened.
    pub async fn snapshots(&self) -> Result<Vec<&Snapshot>> {
        try_join_all(self.searched.iter().map(Searched::snapshot)).await
    }

    /// The models of the vectors that are searched.
    async fn models(&self) -> Result<&VectorModels> {
        self.models.get_or_try_init(|| VectorModels::of(&self.searched, &self.encoder)).await
    }

    /// The namespaces that are searched.
    pub(super) fn searched(&self) -> &[Searched] {
        &self.searched
    }

    /// The names of the namespaces.
    pub(super) fn names(&self) -> Vec<String> {
        self.searched.iter().map(|searched| searched.name().to_owned()).collect()
    }

    /// The vectors, read while the model is being loaded; scoring them in memory is exact and takes a few
    /// milliseconds, a search in the table ten times that.
    async fn vectors(&self) -> Result<&[Option<LoadedVectors>]> {
        let load = async || {
            let snapshots = self.snapshots().await?;
            let chunks = try_join_all(snapshots.iter().map(|snapshot| snapshot.count_chunks())).await?;
            let held = held_in_memory(&chunks, MOST_VECTORS_IN_MEMORY);
            let searched = self.searched.iter().zip(snapshots).zip(held);
            try_join_all(searched.map(async |((searched, snapshot), held)| {
                if held { snapshot.load_vectors(searched.taken_ahead()).await.map(Some) } else { Ok(None) }
            }))
            .await
        };
        self.vectors.get_or_try_init(load).await.map(Vec::as_slice)
    }

    /// Begins to read the vectors while the generation is opened, where one namespace is searched; of several, some may
    /// stay in their tables.
    fn read_vectors_ahead(&self) {
        if let ([only], false) = (self.searched.as_slice(), self.vectors.initialized()) {
            only.read_ahead();
        }
    }

    /// What recognises the entities of the namespaces in a question and in what answers it.
    pub(super) async fn recogniser<'k>(&'k self, request: &'k SearchRequest) -> Result<Recogniser<'k>> {
        Recogniser::of(&self.searched, request).await
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Where the question has no word in it, or the store or the model fail.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        let mut notes = Vec::new();
        if let Some(answered) = self.answer_by_contents(request, &mut notes).await? {
            return Ok(answered);
        }
        let deep = SearchRequest { limit: request.depth(), ..request.clone() };
        let mut ranking = self.rank(&deep).await?;
        let vectors = if ranking.vector.is_some() { self.vectors().await? } else { &[] };
        let answer = answer(&self.searched, vectors, request, &mut ranking).await?;
        let Ranking { namespaces, understood, route, others, notes: told, no_vectors, trace, .. } = ranking;
        let snapshots = self.snapshots().await?;
        notes.extend(language_notes(request, &route, &self.models().await?.names()));
        notes.extend(told);
        notes.extend(words::notes(&snapshots, &others)?);
        notes.extend(vector_note(request, &snapshots, no_vectors).await?);
        let Answer { hits, left_out, notes: more } = answer;
        notes.extend(more);
        let (query, contents) = (request.query.clone(), Vec::new());
        let (mode, target) = (request.shape.mode, request.shape.target);
        Ok(SearchResult { query, namespaces, understood, route, contents, mode, target, hits, left_out, notes, trace })
    }

    /// The answer to a question about structure. Where there is none, it says why, and the text is searched.
    async fn answer_by_contents(
        &self,
        request: &SearchRequest,
        notes: &mut Vec<String>,
    ) -> Result<Option<SearchResult>> {
        let (mut trace, start) = (Trace::new(request.explain), Instant::now());
        let understood = Understanding::of_kind(&request.query, request.kind);
        // Who asks for sections wants those: a section may be called "Contents".
        let wanted = understood.wanted.as_ref().filter(|_| !request.shape.seeks_sections());
        let Some(wanted) = wanted else { return Ok(None) };
        let route = Route::choose(&understood, request, self.models().await?.coverage(&request.query));
        understood.in_words().into_iter().fold(trace.stage("understand", start, 1, 1), |stage, words| stage.say(words));
        let (start, snapshots, namespaces) = (Instant::now(), self.snapshots().await?, self.names());
        let (scopes, _) = self.scopes(request, &snapshots, Timestamp::now(), &mut trace).await?;
        let confined = request.documents.is_some();
        let answer = contents::answer(&snapshots, &namespaces, &request.query, wanted, &scopes, confined).await?;
        let entries = answer.contents.iter().map(|contents| contents.sections.len()).sum();
        trace.stage("contents", start, answer.contents.len(), entries).say("answered from the table of contents");
        notes.extend(answer.notes);
        if answer.contents.is_empty() {
            return Ok(None);
        }
        let (query, notes) = (request.query.clone(), std::mem::take(notes));
        let (contents, hits, left_out) = (answer.contents, Vec::new(), Vec::new());
        let (mode, target) = (request.shape.mode, request.shape.target);
        Ok(Some(SearchResult {
            query,
            namespaces,
            understood,
            route,
            contents,
            mode,
            target,
            hits,
            left_out,
            notes,
            trace,
        }))
    }

    /// Ranks the passages for a question without reading them.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub async fn rank(&self, request: &SearchRequest) -> Result<Ranking> {
        let first = self.look(request).await?;
        if request.fallback.is_on() { look_again(self, request, first).await } else { Ok(first) }
    }

    /// What may be found in each namespace, and what the user should know about that.
    async fn scopes(
        &self,
        request: &SearchRequest,
        snapshots: &[&Snapshot],
        now: Timestamp,
        trace: &mut Trace,
    ) -> Result<(Vec<Scope>, Vec<String>)> {
        let named = request.documents.as_deref();
        if request.restriction.is_empty() {
            return Ok((vec![Scope::of_documents(named); snapshots.len()], Vec::new()));
        }
        let start = Instant::now();
        let facts = self.searched.iter().map(Searched::facts);
        let namespaces: Vec<(&Snapshot, &Facts)> = snapshots.iter().copied().zip(facts).collect();
        let scopes = scopes(&namespaces, &request.restriction, named, now).await?;
        trace.stage("filter", start, scopes.all, scopes.documents).say(scopes.told());
        Ok((scopes.each, scopes.notes))
    }

    /// Whether any of some passages, or where there are none the document, may be found in any of the namespaces.
    pub(super) async fn lets_through(
        &self,
        request: &SearchRequest,
        doc_id: &str,
        chunk_ids: &[String],
    ) -> Result<bool> {
        let snapshots = self.snapshots().await?;
        let (scopes, _) = self.scopes(request, &snapshots, Timestamp::now(), &mut Trace::new(false)).await?;
        let any = |scope: &Scope| chunk_ids.iter().any(|id| scope.admits_chunk(id));
        Ok(scopes.iter().any(|scope| any(scope) || (chunk_ids.is_empty() && scope.admits_document(doc_id))))
    }

    /// Whether any of some passages has the phrases of the question, or those do not count.
    pub(super) async fn keeps_to_phrases(&self, request: &SearchRequest, chunk_ids: &[String]) -> Result<bool> {
        let snapshots = self.snapshots().await?;
        let understood = Understanding::of_kind(&request.query, request.kind);
        let terms = keyword_terms(&request.query, &understood.identifiers);
        let mut trace = Trace::new(false);
        let (mut scopes, mut notes) = self.scopes(request, &snapshots, Timestamp::now(), &mut trace).await?;
        confine(&snapshots, &understood, &terms, &mut scopes, &mut notes, &mut trace)?;
        Ok(chunk_ids.is_empty() || scopes.iter().any(|scope| chunk_ids.iter().any(|id| scope.admits_chunk(id))))
    }

    /// Lets scores decay with the age of their documents, where that was asked for.
    async fn decay(
        &self,
        request: &SearchRequest,
        snapshots: &[&Snapshot],
        now: Timestamp,
        candidates: &mut [Candidate],
        trace: &mut Trace,
    ) -> Result<()> {
        let Some(half_life) = request.half_life else { return Ok(()) };
        let start = Instant::now();
        let documents = try_join_all(
            self.searched.iter().zip(snapshots).map(|(searched, snapshot)| searched.facts().documents(snapshot)),
        )
        .await?;
        let seen_from = request.restriction.seen_from(now);
        let undated = decay(candidates, half_life, seen_from, &documents);
        let said = format!("half-life {}, seen from {seen_from:.0}; {undated} without a time", duration(half_life));
        trace.stage("decay", start, candidates.len(), candidates.len()).say(said).ranking(candidates);
        Ok(())
    }
}

/// Which namespaces' vectors are held in memory, where each has so many chunks: the small ones first, as long as all
/// of them together are no more than `most`.
fn held_in_memory(chunks: &[usize], most: usize) -> Vec<bool> {
    let mut by_size: Vec<usize> = (0..chunks.len()).collect();
    by_size.sort_by_key(|&place| chunks[place]);
    let (mut held, mut sum) = (vec![false; chunks.len()], 0);
    for place in by_size {
        sum += chunks[place];
        held[place] = sum <= most;
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_small_namespaces_are_held_as_long_as_they_fit() {
        assert_eq!(held_in_memory(&[50], 50), [true]);
        assert_eq!(held_in_memory(&[51], 50), [false]);
        assert_eq!(held_in_memory(&[40, 10, 30, 10], 50), [false, true, true, true]);
        assert_eq!(held_in_memory(&[], 50), [false; 0]);
    }
}

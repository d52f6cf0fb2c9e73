//! The stages of a search, each a function in the file of its name.
//!
//! The model loads and embeds the question on another thread while the store opens and keyword search runs.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Instant;

use super::advice;
use super::candidate::{Candidate, ChunkKey, first_different};
use super::confidence::{UNCLEAR, split_by_confidence};
use super::encoder::PendingEncoding;
use super::entities;
use super::expand::expand;
use super::fallback::fall_back;
use super::fuse::fuse;
use super::hit::{Hit, fetch, parent_chunks};
use super::loaded_cross_encoder::LoadingCrossEncoder;
use super::note::{Note, NoteCode, refuses};
use super::query_expansion::PendingWordings;
use super::recall::{Recalled, recall};
use super::request::{OtherWords, SearchRequest};
use super::rerank::rerank;
use super::restrict::{decay_scores, restrict};
use super::result::{Ranked, Ranking, SearchResult};
use super::searcher::{Searcher, StageInput};
use super::select::documents::drill_down;
use super::select::{index, select};
use super::trace::{Trace, Traced};
use super::understand::{Question, Understanding, understand};
use super::without_search::{FromContents, answer_greeting, from_contents};
use crate::error::Result;
use crate::store::Snapshot;
use crate::text::tables::plain;
use crate::text::{squeeze, truncate};

/// Candidates of each stage whose first words the trace quotes.
const MOST_QUOTED: usize = 5;
/// Characters quoted of each.
const QUOTED_CHARS: usize = 40;
/// Candidates that are named if none is sure enough.
const NEAREST: usize = 3;

impl Searcher {
    /// Answers a question.
    ///
    /// # Errors
    /// If the question has no word in it, or the store or the model fails.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        if Understanding::needs_no_search(request) {
            return answer_greeting(self, request).await;
        }
        let (notes, without_contents) = match from_contents(self, request).await? {
            FromContents::Answer(answer) => return Ok(*answer),
            FromContents::SearchText { notes, without_contents } => (notes, without_contents),
        };
        let mut request = Cow::Borrowed(request);
        if !without_contents.is_empty() {
            request.to_mut().documents = Some(without_contents);
        }
        let request: &SearchRequest = &request;
        let max_confidence = max_confidence(&notes);
        let deep = SearchRequest { limit: request.depth(), ..request.clone() };
        let (mut ranking, mut trace) = self.rank_up_to(&deep, max_confidence).await?;
        trace.notes.splice(0..0, notes);
        if request.shape.drills() {
            let indexes = index::documents(self, &request.query, &ranking.scopes, ranking.keys()).await?;
            drill_down(&indexes, request, &mut ranking, &mut trace);
        }
        let snapshots = self.snapshots().await?;
        let ranked = Ranked { searcher: self, request, snapshots: &snapshots, ranking: &ranking };
        advice::on_ranking(ranked, &mut trace).await?;
        let hits = select(ranked, &mut trace).await?;
        let (hits, left_out) = expand(ranked, hits, &mut trace).await?;
        advice::on_hits(ranked, &hits, &mut trace).await?;
        let nearest = nearest(ranked, &hits).await?;
        if trace.detailed {
            quote(self, &mut trace).await?;
        }
        let Ranking { namespaces, understood, route, unsure, .. } = ranking;
        let result = SearchResult::new(request, namespaces, understood, route, trace);
        Ok(SearchResult { hits, left_out, unsure, nearest, ..result })
    }

    /// Ranks the parent chunks for a question without reading them.
    pub async fn rank(&self, request: &SearchRequest) -> Result<(Ranking, Trace)> {
        self.rank_up_to(request, 1.0).await
    }

    /// The same, with no candidate surer than `max_confidence`.
    async fn rank_up_to(&self, request: &SearchRequest, max_confidence: f32) -> Result<(Ranking, Trace)> {
        let first = self.rank_once(request, max_confidence).await?;
        let asks = self.language_model.is_some();
        fall_back(request, first, asks, async |request| self.rank_once(request, max_confidence).await).await
    }

    /// Ranks as requested, without the fallback.
    async fn rank_once(&self, request: &SearchRequest, max_confidence: f32) -> Result<(Ranking, Trace)> {
        let mut trace = Trace::new(request.explain);
        let mut question = understand(request, self.model().await?, &mut trace)?;
        let work = BackgroundWork::start(self, &question, &mut trace).await?;
        let snapshots = open(self, &question, &mut trace).await?;
        let input = StageInput { searcher: self, question: &question, snapshots: &snapshots };
        let restricted = restrict(&input, &mut trace).await?;
        let recalled = recall(&input, restricted, work.encoding, work.pending_wordings, &mut trace).await?;
        question.decide(recalled.wordings.kind, &mut trace);
        let fused = fuse(&recalled.route, request.fusion, &recalled.scores, &recalled.wordings.rankings, &mut trace);
        let input = StageInput { searcher: self, question: &question, snapshots: &snapshots };
        let reranked = rerank(&input, &recalled, fused, work.cross_encoder, &mut trace).await?;
        let decayed = decay_scores(&input, reranked, &mut trace).await?;
        let cut = cut(request, decayed, &mut trace);
        let (candidates, unsure) =
            split_by_confidence(request, max_confidence, &recalled.coverage, &recalled.keyword, cut, &mut trace)?;
        let Recalled { route, replacements, vector, scopes, no_vectors, .. } = recalled;
        let (namespaces, understood) = (self.names(), question.understood);
        let ranking = Ranking {
            namespaces,
            understood,
            route,
            replacements,
            candidates,
            max_confidence,
            unsure,
            vector,
            scopes,
            no_vectors,
        };
        Ok((ranking, trace))
    }
}

async fn open<'s>(searcher: &'s Searcher, question: &Question<'_>, trace: &mut Trace) -> Result<Vec<&'s Snapshot>> {
    let start = Instant::now();
    let snapshots = searcher.snapshots().await?;
    if question.route.semantic > 0.0 {
        question.model.check(&snapshots)?;
    }
    trace.stage("open", start, searcher.searched.len(), snapshots.len());
    if question.request.explain {
        let start = Instant::now();
        entities::explain(&searcher.recogniser(question.request).await?, start, trace);
    }
    Ok(snapshots)
}

/// Work on other threads, while the store opens and keyword search runs.
struct BackgroundWork {
    encoding: Option<PendingEncoding>,
    pending_wordings: Option<PendingWordings>,
    cross_encoder: Option<LoadingCrossEncoder>,
}

impl BackgroundWork {
    async fn start(searcher: &Searcher, question: &Question<'_>, trace: &mut Trace) -> Result<Self> {
        let pending_wordings = PendingWordings::request(searcher.language_model.as_ref(), question, trace);
        let mut encoding = None;
        // Without vectors to compare it with, the question needs none, and loading the model takes longest.
        if let Some(model) = question.embedded_by()
            && searcher.may_have_vectors()?
        {
            let query = &question.request.query;
            let text = match question.request.expand.words {
                OtherWords::Off => query.clone(),
                _ => searcher.written_out(query).await?,
            };
            encoding = Some(searcher.encoder.begin(model, text));
        }
        let cross_encoder = searcher.cross_encoder.begin(question.request, &searcher.encoder);
        Ok(BackgroundWork { encoding, pending_wordings, cross_encoder })
    }
}

/// Keeps as many candidates as the request's limit.
fn cut(request: &SearchRequest, mut candidates: Vec<Candidate>, trace: &mut Trace) -> Vec<Candidate> {
    let (start, all) = (Instant::now(), candidates.len());
    first_different(&mut candidates, request.limit, |candidate| &candidate.chunk_id);
    trace.stage("cut", start, all, candidates.len()).ranking(&candidates);
    candidates
}

/// The highest confidence that hits can have, after the notes on the tables of contents. If the chapter that the
/// question names does not exist, no text answers it, whatever words it has.
fn max_confidence(notes: &[Note]) -> f32 {
    if refuses(notes) {
        0.0
    } else if notes.iter().any(|note| note.code == NoteCode::PartInSeveral) {
        UNCLEAR
    } else {
        1.0
    }
}

/// Quotes the first words of the first candidates of each stage.
async fn quote(searcher: &Searcher, trace: &mut Trace) -> Result<()> {
    let stages = trace.stages.iter_mut();
    let first: Vec<&mut Traced> = stages.flat_map(|stage| stage.candidates.iter_mut().take(MOST_QUOTED)).collect();
    let key = |traced: &Traced| ChunkKey { chunk_id: traced.id.as_str().into(), namespace: traced.namespace };
    let keys: BTreeSet<ChunkKey> = first.iter().map(|traced| key(traced)).collect();
    let chunks = parent_chunks(&searcher.snapshots().await?, keys.into_iter())?;
    for traced in first {
        let text = chunks.get(&key(traced)).map_or("", |chunk| &chunk.content);
        traced.begins = truncate(&squeeze(&plain(text)), QUOTED_CHARS);
    }
    Ok(())
}

/// If nothing was found, the best of the candidates that are too unsure to be answers.
async fn nearest(ranked: Ranked<'_>, hits: &[Hit]) -> Result<Vec<Hit>> {
    if !hits.is_empty() {
        return Ok(Vec::new());
    }
    let mut best = ranked.ranking.unsure.clone();
    best.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    first_different(&mut best, NEAREST, |candidate| &candidate.chunk_id);
    fetch(ranked.snapshots, &ranked.ranking.namespaces, &best).await
}

//! The stages of a search, each a function in the file of its name.
//!
//! The model loads and embeds the question on another thread while the store opens and keyword search runs.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use futures::future::try_join_all;

use super::candidate::{Candidate, ChunkKey, first_different};
use super::confidence::{UNCLEAR, judge};
use super::encoder::PendingEncoding;
use super::entities;
use super::expand::expand;
use super::fallback::fall_back;
use super::fuse::fuse;
use super::heading_alone;
use super::hit::{Hit, fetch, parent_chunks};
use super::note::{Note, NoteCode, refuses};
use super::other_language;
use super::query_expansion::PendingWordings;
use super::recall::{Recalled, recall};
use super::request::{Method, OtherWords, SearchRequest};
use super::rerank::{LoadingCrossEncoder, Rerankers, rerank};
use super::restrict::{decay_scores, restrict};
use super::result::{Ranking, SearchResult};
use super::searcher::{StageInput, Searcher};
use super::select::select;
use super::spelling;
use super::trace::{Trace, Traced};
use super::understand::{Question, Understanding, understand};
use super::unsearched::{FromContents, TextInstead, answer_greeting, from_contents};
use crate::error::{NextStep, Result, Setting};
use crate::ids::DocId;
use crate::store::Snapshot;
use crate::text::tables::plain;
use crate::text::{count, squeeze, truncate};

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
        let TextInstead { notes, unlisted } = match from_contents(self, request).await? {
            FromContents::Answer(answer) => return Ok(*answer),
            FromContents::Nothing(instead) => instead,
        };
        let mut request = Cow::Borrowed(request);
        if !unlisted.is_empty() {
            request.to_mut().documents = Some(unlisted);
        }
        let request: &SearchRequest = &request;
        let most = most_confidence(&notes);
        let deep = SearchRequest { limit: request.depth(), ..request.clone() };
        let (mut ranking, mut trace) = self.rank_at_most(&deep, most).await?;
        trace.notes.splice(0..0, notes);
        add_notes(self, request, &ranking, &mut trace).await?;
        let hits = select(self, request, &mut ranking, &mut trace).await?;
        let (hits, left_out) = expand(self, request, &ranking, hits, &mut trace).await?;
        if hits.is_empty() {
            other_language::add_note(self, &request.query, &ranking, &mut trace).await?;
            heading_alone::add_note(self, request, &ranking, &mut trace).await?;
        } else {
            if ranking.route.keyword > 0.0 && hits.iter().all(is_by_meaning_alone) {
                trace.note(NoteCode::MeaningAlone, "no text contains a word of the question: found by meaning only");
            } else {
                let (snapshots, codes) = (self.snapshots().await?, &ranking.understood.identifiers);
                spelling::note_absent(&snapshots, codes, &ranking.replacements, &mut trace)?;
            }
            note_without_vectors(self, &ranking, &hits, &mut trace).await?;
        }
        let nearest = nearest(self, &ranking, &hits).await?;
        if trace.detailed {
            quote(self, &mut trace).await?;
        }
        let Ranking { namespaces, understood, route, unsure, .. } = ranking;
        let result = SearchResult::new(request, namespaces, understood, route, trace);
        Ok(SearchResult { hits, left_out, unsure, nearest, ..result })
    }

    /// Ranks the parent chunks for a question without reading them.
    pub async fn rank(&self, request: &SearchRequest) -> Result<(Ranking, Trace)> {
        self.rank_at_most(request, 1.0).await
    }

    /// The same, with no candidate surer than `most`.
    async fn rank_at_most(&self, request: &SearchRequest, most: f32) -> Result<(Ranking, Trace)> {
        let first = self.rank_once(request, most).await?;
        let asks = self.language_model.is_some();
        fall_back(request, first, asks, async |request| self.rank_once(request, most).await).await
    }

    /// Ranks as requested, without the fallback.
    async fn rank_once(&self, request: &SearchRequest, most: f32) -> Result<(Ranking, Trace)> {
        let mut trace = Trace::new(request.explain);
        let mut question = understand(request, self.model().await?, &mut trace)?;
        let work = BackgroundWork::start(self, &question, &mut trace).await?;
        let snapshots = open(self, &question, &mut trace).await?;
        let input = StageInput { searcher: self, question: &question, snapshots: &snapshots };
        let restricted = restrict(&input, &mut trace).await?;
        let recalled = recall(&input, restricted, work.encoding, work.pending_wordings, &mut trace).await?;
        question.decide(recalled.wordings.kind, &mut trace);
        let fused = fuse(&recalled.route, request.fusion, &recalled.scores, &recalled.wordings.rankings, &mut trace);
        let models = Rerankers { cross_encoder: work.cross_encoder, endpoint: self.reranker.as_deref() };
        let reranked = rerank(&question, &recalled, &snapshots, fused, models, &mut trace).await?;
        let input = StageInput { searcher: self, question: &question, snapshots: &snapshots };
        let decayed = decay_scores(&input, reranked, &mut trace).await?;
        let cut = cut(request, decayed, &mut trace);
        let (candidates, unsure) = judge(request, most, &recalled.coverage, &recalled.keyword, cut, &mut trace)?;
        let Recalled { route, replacements, vector, scopes, no_vectors, .. } = recalled;
        let (namespaces, understood) = (self.names(), question.understood);
        let ranking = Ranking {
            namespaces,
            understood,
            route,
            replacements,
            candidates,
            most,
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

/// The most confidence of hits, after what was noted about the tables of contents. If the chapter that the question names
/// does not exist, no text answers it, whatever words it has.
fn most_confidence(notes: &[Note]) -> f32 {
    if refuses(notes) {
        0.0
    } else if notes.iter().any(|note| note.code == NoteCode::PartInSeveral) {
        UNCLEAR
    } else {
        1.0
    }
}

fn is_by_meaning_alone(hit: &Hit) -> bool {
    hit.semantic_score.is_some() && hit.keyword_score.unwrap_or_default() <= 0.0
}

/// Adds notes about replaced words, and about semantic search that could not help.
async fn add_notes(searcher: &Searcher, request: &SearchRequest, ranking: &Ranking, trace: &mut Trace) -> Result<()> {
    if !ranking.route.model_knows() {
        add_language(searcher, request, ranking, trace).await?;
    }
    spelling::add_notes(&ranking.replacements, trace);
    let remedy = format!("`{}` makes them", NextStep::MakeVectors);
    match request.method {
        Method::Semantic | Method::Hybrid if ranking.no_vectors => {
            trace.note(NoteCode::VectorsMissing, format!("the searched documents have no vectors; {remedy}"));
        }
        Method::Semantic => {
            let searched = |id: &DocId| request.documents.as_ref().is_none_or(|ids| ids.contains(id));
            let without = without_vectors(searcher, searched).await?;
            if without > 0 {
                let have = if without == 1 { "has" } else { "have" };
                let documents = count(without, "document");
                let message = format!("{documents} {have} no vectors and cannot be found this way; {remedy}");
                trace.note(NoteCode::VectorsMissing, message);
            }
        }
        _ => {}
    }
    Ok(())
}

async fn without_vectors(searcher: &Searcher, of: impl Fn(&DocId) -> bool) -> Result<usize> {
    let snapshots = searcher.snapshots().await?;
    let rows = try_join_all(snapshots.iter().map(|snapshot| snapshot.documents_without_vectors())).await?;
    Ok(rows.iter().flatten().filter(|row| of(&row.doc_id)).count())
}

/// Notes that the model does not read the question.
async fn add_language(
    searcher: &Searcher,
    request: &SearchRequest,
    ranking: &Ranking,
    trace: &mut Trace,
) -> Result<()> {
    let model = searcher.model().await?.name();
    if ranking.route.semantic > 0.0 || request.method == Method::Hybrid {
        let method = Setting("method");
        let message =
            format!("the model {model} does not know the language of this question: only {method} keyword is reliable");
        trace.note(NoteCode::LanguageNotRead, message);
    } else if request.method == Method::Auto && request.weights.is_none() {
        let message = format!(
            "searched by keywords only: the model {model} cannot read this question; `{}` names models that do",
            NextStep::SuggestModels
        );
        trace.note(NoteCode::VectorsLeftOut, message);
    }
    Ok(())
}

/// Notes which hits were found by words alone, because their documents have no vectors while others have: they may hide
/// better ones.
async fn note_without_vectors(searcher: &Searcher, ranking: &Ranking, hits: &[Hit], trace: &mut Trace) -> Result<()> {
    let by_words = |hit: &&Hit| hit.semantic_score.is_none();
    let found: HashSet<&DocId> = hits.iter().filter(by_words).map(|hit| &hit.doc_id).collect();
    if ranking.vector.is_none() || ranking.no_vectors || found.is_empty() {
        return Ok(());
    }
    let without = without_vectors(searcher, |id| found.contains(id)).await?;
    if without > 0 {
        let of = count(without, "document");
        let message = format!(
            "{of} of the hits: found by keywords only, because they have no vectors; `{}` makes them",
            NextStep::MakeVectors
        );
        trace.note(NoteCode::VectorsMissing, message);
    }
    Ok(())
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
async fn nearest(searcher: &Searcher, ranking: &Ranking, hits: &[Hit]) -> Result<Vec<Hit>> {
    if !hits.is_empty() {
        return Ok(Vec::new());
    }
    let mut best = ranking.unsure.clone();
    best.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    first_different(&mut best, NEAREST, |candidate| &candidate.chunk_id);
    fetch(&searcher.snapshots().await?, &ranking.namespaces, &best).await
}

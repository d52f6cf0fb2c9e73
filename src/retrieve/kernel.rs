//! The pipeline: both arms at once, fused, and the best passages fetched.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::OnceCell;

use super::fuse::{ArmScores, Candidate, fuse};
use super::query::{Route, keyword_terms};
use super::{Hit, Method, SearchRequest, SearchResult};
use crate::chunk::context::SEPARATOR;
use crate::embed::{Embedder, EngineChoice, MODEL, select};
use crate::error::{Error, Result};
use crate::store::{LoadedVectors, Namespace, Snapshot, VectorHit};
use crate::text::highlight::snippet;

/// A question is cut to so many characters for the model, which reads far fewer.
const LONGEST_ENCODED: usize = 4000;
/// Chunks per wanted parent that the vector search recalls: a good parent often has several good children.
const CHUNKS_PER_PARENT: usize = 4;
/// The share of a parent's own vector, the mean of its children's, beside its best child.
const WHOLE_PASSAGE_WEIGHT: f32 = 0.4;
/// Up to so many vectors (75 MB) are scored in memory.
const MOST_VECTORS_IN_MEMORY: usize = 50_000;
/// Characters of a snippet.
const SNIPPET_CHARS: usize = 240;

/// Questions to vectors. The model is loaded when the first question needs it.
#[derive(Clone)]
pub struct Encoder {
    choice: EngineChoice,
    loaded: Arc<OnceLock<Arc<Embedder>>>,
}

impl Encoder {
    /// An encoder on the engine that `choice` leads to.
    pub fn new(choice: EngineChoice) -> Self {
        Encoder { choice, loaded: Arc::new(OnceLock::new()) }
    }

    /// An encoder with a model that is loaded already.
    pub fn with(embedder: Arc<Embedder>) -> Self {
        Encoder { choice: EngineChoice::Auto, loaded: Arc::new(OnceLock::from(embedder)) }
    }

    fn encode(&self, query: &str) -> Result<(Vec<f32>, f64, f64)> {
        let start = Instant::now();
        let embedder = match self.loaded.get() {
            Some(embedder) => embedder.clone(),
            None => {
                let embedder = Arc::new(Embedder::for_queries(&select(&self.choice)?)?);
                self.loaded.get_or_init(|| embedder).clone()
            }
        };
        let loaded = milliseconds(start);
        let query: String = query.chars().take(LONGEST_ENCODED).collect();
        let start = Instant::now();
        let vector = embedder.embed_one(&query)?;
        Ok((vector, loaded, milliseconds(start)))
    }
}

/// The passages for a question, best first, not yet read.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Which arms were used, with which weights.
    pub route: Route,
    /// The passages.
    pub candidates: Vec<Candidate>,
    /// Whether the semantic arm was asked and no passage that was searched has a vector.
    pub no_vectors: bool,
    /// Milliseconds per stage.
    pub timings: Vec<(String, f64)>,
}

/// Answers questions from one namespace. The snapshot is opened with the first question and kept.
pub struct Kernel {
    namespace: Namespace,
    snapshot: OnceCell<Snapshot>,
    /// `None` where there are too many to hold.
    vectors: OnceCell<Option<LoadedVectors>>,
    encoder: Encoder,
}

impl Kernel {
    /// A kernel for a namespace.
    pub fn new(namespace: Namespace, encoder: Encoder) -> Self {
        Kernel { namespace, snapshot: OnceCell::new(), vectors: OnceCell::new(), encoder }
    }

    /// The generation that is searched.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub async fn snapshot(&self) -> Result<&Snapshot> {
        self.snapshot.get_or_try_init(|| Snapshot::open(&self.namespace)).await
    }

    /// The vectors, read while the model is being loaded; scoring them in memory is exact and takes a few
    /// milliseconds, a search in the table ten times that.
    async fn vectors(&self) -> Result<Option<&LoadedVectors>> {
        let load = async || {
            let snapshot = self.snapshot().await?;
            let [_, _, chunks] = snapshot.counts().await?;
            if chunks <= MOST_VECTORS_IN_MEMORY { snapshot.load_vectors().await.map(Some) } else { Ok(None) }
        };
        self.vectors.get_or_try_init(load).await.map(Option::as_ref)
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Where the question has no word in it, or the store or the model fail.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        let started = Instant::now();
        let Ranking { route, candidates, no_vectors, mut timings } = self.rank(request).await?;
        let start = Instant::now();
        let hits = fetch(self.snapshot().await?, &candidates, &request.query).await?;
        timings.push(("fetch".to_owned(), milliseconds(start)));
        timings.push(("total".to_owned(), milliseconds(started)));
        let mut notes = notes(request, &route);
        notes.extend(vector_note(request, self.snapshot().await?, no_vectors).await?);
        Ok(SearchResult { query: request.query.clone(), route, hits, notes, timings })
    }

    /// Ranks the passages for a question without reading them.
    ///
    /// # Errors
    /// As for [`search`](Self::search).
    pub async fn rank(&self, request: &SearchRequest) -> Result<Ranking> {
        if !request.query.chars().any(char::is_alphanumeric) {
            return Err(Error::usage("the query has no word in it")
                .hint("ask for something, for example kb search \"error E-417\""));
        }
        let route = Route::choose(&request.query, request.method, &MODEL);
        let (mut route, mut no_vectors) = (route, false);
        let mut timings = Vec::new();
        let mut scores = ArmScores::default();
        let terms = if route.keyword > 0.0 { keyword_terms(&request.query) } else { Vec::new() };
        // The model is loaded and run on another thread while the store is opened and the keyword arm works.
        let encoding = (route.semantic > 0.0).then(|| {
            let (encoder, query) = (self.encoder.clone(), request.query.clone());
            tokio::task::spawn_blocking(move || encoder.encode(&query))
        });
        let start = Instant::now();
        let snapshot = self.snapshot().await?;
        timings.push(("open".to_owned(), milliseconds(start)));
        let documents = request.documents.as_deref();
        if route.keyword > 0.0 {
            let start = Instant::now();
            let hits = snapshot.keyword(&terms, documents, request.pool)?;
            scores.keyword = hits.into_iter().map(|hit| (hit.chunk_id, hit.score)).collect();
            timings.push(("keyword".to_owned(), milliseconds(start)));
        }
        if let Some(encoding) = encoding {
            let start = Instant::now();
            let vectors = self.vectors().await?;
            timings.push(("vectors".to_owned(), milliseconds(start)));
            let (vector, load_ms, encode_ms) =
                encoding.await.map_err(|error| Error::failed(format!("the embedding model crashed: {error}")))??;
            timings.push(("model_load".to_owned(), load_ms));
            timings.push(("encode".to_owned(), encode_ms));
            let start = Instant::now();
            scores.semantic = match vectors {
                Some(vectors) => {
                    let all = parent_scores(&vectors.similarities(&vector, documents)?);
                    no_vectors = all.is_empty();
                    let wanted = pooled(&scores.keyword, &all, request.pool);
                    all.into_iter().filter(|(id, _)| wanted.binary_search(id).is_ok()).collect()
                }
                None => {
                    let near = snapshot.nearest(&vector, documents, request.pool * CHUNKS_PER_PARENT).await?;
                    no_vectors = near.is_empty();
                    let wanted = pooled(&scores.keyword, &parent_scores(&near), request.pool);
                    parent_scores(&snapshot.similarities(&vector, &wanted).await?)
                }
            };
            timings.push(("semantic".to_owned(), milliseconds(start)));
            let start = Instant::now();
            let unscored: Vec<String> =
                scores.semantic.keys().filter(|id| !scores.keyword.contains_key(*id)).cloned().collect();
            for hit in snapshot.keyword_scores(&terms, &unscored)? {
                scores.keyword.insert(hit.chunk_id, hit.score);
            }
            timings.push(("keyword_rest".to_owned(), milliseconds(start)));
        }
        if no_vectors && route.keyword > 0.0 {
            route = Route { keyword: 1.0, semantic: 0.0, ..route };
        }
        let start = Instant::now();
        let mut candidates = fuse(&scores, route.keyword, route.semantic);
        candidates.truncate(request.limit);
        if let Some(least) = request.min_score {
            candidates.retain(|candidate| candidate.score >= least);
        }
        timings.push(("fuse".to_owned(), milliseconds(start)));
        Ok(Ranking { route, candidates, no_vectors, timings })
    }
}

/// The parents whose exact scores are wanted from both arms: the best `pool` of each.
fn pooled(keyword: &HashMap<String, f32>, semantic: &HashMap<String, f32>, pool: usize) -> Vec<String> {
    let mut nearest: Vec<(String, f32)> = semantic.iter().map(|(id, score)| (id.clone(), *score)).collect();
    nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    nearest.truncate(pool);
    distinct(nearest.into_iter().map(|(id, _)| id).chain(keyword.keys().cloned()))
}

/// The semantic score of each parent: its best child, and with less weight the passage as a whole.
fn parent_scores(hits: &[VectorHit]) -> HashMap<String, f32> {
    let mut best: HashMap<&str, (Option<f32>, Option<f32>)> = HashMap::new();
    for hit in hits {
        let (child, whole) = best.entry(&hit.parent_id).or_default();
        let side = if hit.chunk_id == hit.parent_id { whole } else { child };
        *side = Some(side.map_or(hit.score, |known| known.max(hit.score)));
    }
    best.into_iter()
        .filter_map(|(id, (child, whole))| {
            let (child, whole) = (child.or(whole)?, whole.or(child)?);
            Some((id.to_owned(), (1.0 - WHOLE_PASSAGE_WEIGHT) * child + WHOLE_PASSAGE_WEIGHT * whole))
        })
        .collect()
}

async fn fetch(snapshot: &Snapshot, candidates: &[Candidate], query: &str) -> Result<Vec<Hit>> {
    let ids: Vec<String> = candidates.iter().map(|candidate| candidate.chunk_id.clone()).collect();
    let chunks = snapshot.chunks_by_id(&ids).await?;
    let doc_ids = distinct(chunks.iter().map(|chunk| chunk.doc_id.clone()));
    let documents = snapshot.documents_by_id(&doc_ids).await?;
    let mut hits = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let chunk = chunks.iter().find(|chunk| chunk.chunk_id == candidate.chunk_id);
        let document = chunk.and_then(|chunk| documents.iter().find(|document| document.doc_id == chunk.doc_id));
        let (Some(chunk), Some(document)) = (chunk, document) else {
            return Err(Error::failed(format!(
                "the chunk {} is in the indexes but not in the tables",
                candidate.chunk_id
            ))
            .hint("delete the folder `keyword` of the namespace; the next command rebuilds it"));
        };
        let section = chunk.section_id.rsplit_once('#').map_or("", |(_, path)| path).to_owned();
        let snippet = snippet(&chunk.content, query, SNIPPET_CHARS);
        hits.push(Hit {
            rank: hits.len() + 1,
            score: candidate.score,
            chunk_id: chunk.chunk_id.clone(),
            doc_id: chunk.doc_id.clone(),
            source: document.source.clone(),
            title: document.title.clone(),
            format: document.format.clone(),
            section_id: chunk.section_id.clone(),
            section_title: section_title(&chunk.context, &document.title),
            section,
            page_start: chunk.page_start,
            page_end: chunk.page_end,
            keyword_score: candidate.keyword,
            semantic_score: candidate.semantic,
            content: chunk.content.trim_end().to_owned(),
            snippet: snippet.text,
            matches: snippet.matches.into_iter().map(|range| (range.start, range.end)).collect(),
        });
    }
    Ok(hits)
}

/// The section titles in a context line, without the document's title in front.
fn section_title(context: &str, document_title: &str) -> String {
    match context.strip_prefix(document_title) {
        Some(rest) => rest.strip_prefix(SEPARATOR).unwrap_or(rest).to_owned(),
        None => context.to_owned(),
    }
}

fn distinct(ids: impl Iterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids.dedup();
    ids
}

fn notes(request: &SearchRequest, route: &Route) -> Vec<String> {
    let mut notes = Vec::new();
    if request.method == Method::Hybrid && route.coverage < 0.5 {
        notes
            .push(format!("the model {} does not know this question's language: ranked by keywords alone", MODEL.name));
    }
    if request.method == Method::Semantic && route.coverage < 0.5 {
        notes.push(format!(
            "the model {} does not know this question's language: expect poor results, or use --method keyword",
            MODEL.name
        ));
    }
    notes
}

/// Says what a search by vectors could not see, where somebody asked for vectors.
async fn vector_note(request: &SearchRequest, snapshot: &Snapshot, no_vectors: bool) -> Result<Option<String>> {
    const REMEDY: &str = "`kb ingest` without --no-embed makes them";
    Ok(match request.method {
        Method::Semantic if no_vectors => {
            Some(format!("nothing that is searched has vectors: use --method keyword, or make them; {REMEDY}"))
        }
        Method::Hybrid if no_vectors => {
            Some(format!("nothing that is searched has vectors: ranked by keywords alone; {REMEDY}"))
        }
        Method::Semantic => {
            let searched = |id: &String| request.documents.as_ref().is_none_or(|ids| ids.contains(id));
            let rows = snapshot.documents().await?;
            let without = rows.iter().filter(|row| !row.embedded && searched(&row.doc_id)).count();
            let have = if without == 1 { "has" } else { "have" };
            let documents = crate::text::count(without, "document");
            (without > 0).then(|| format!("{documents} {have} no vectors and cannot be found this way; {REMEDY}"))
        }
        _ => None,
    })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

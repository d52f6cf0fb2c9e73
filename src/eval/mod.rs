//! Measures quality: with queries and known answers on a scratch store, or with questions on the store as it is.

mod beir;
mod figures;
mod questions;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use beir::BeirSet;
pub use figures::{Condition, Figures, METRICS, QUESTION_FIGURES, UNANSWERABLE_FIGURES};
use figures::{DEPTH, metrics, unanswerable_figures};
pub use questions::{Answered, Comparison, QuestionsReport, ask_questions, read_questions};

use crate::chunk::ChunkConfig;
use crate::embed::{CrossEncoder, Embedder, EngineChoice, Model};
use crate::error::{Kind, Result};
use crate::ids::DocId;
use crate::ingest::{Indexer, KnownVectors, LazyEmbedder, Progress, SourceFacts, prepare};
use crate::load::{Format, plain};
use crate::models::record_of;
use crate::search::{Candidate, DEFAULT_POOL, Encoder, Method, Rerank, SearchRequest, Searcher};
use crate::store::{Namespace, Snapshot, Store, Writer};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodReport {
    pub method: Method,
    /// Over all queries that have judgements.
    #[serde(flatten)]
    pub figures: Figures,
    /// One after the other in one process.
    pub queries_per_second: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalReport {
    /// The folder of the set.
    pub set: String,
    pub documents: usize,
    /// Queries with an answer.
    pub queries: usize,
    /// Relevant documents that the corpus lacks.
    pub missing: usize,
    pub model: String,
    pub engine: String,
    /// The folder of the cross-encoder, if one reranked.
    pub reranker: Option<String>,
    pub ingest_seconds: f64,
    pub methods: Vec<MethodReport>,
    /// The conditions that are not met, in words.
    pub unmet: Vec<String>,
}

impl EvalReport {
    /// What a condition misses, if anything.
    pub fn unmet(&self, condition: &Condition) -> Option<String> {
        let row = self.methods.iter().find(|row| Some(row.method) == condition.method)?;
        condition.unmet(&row.figures)
    }
}

/// How the documents of an [`EvalStore`] are ingested.
pub struct EvalOptions {
    pub config: ChunkConfig,
    /// Whether to embed; without vectors only keyword search can be measured.
    pub embed: bool,
    pub model: Arc<Model>,
    /// Whether half of the relevant documents are left out.
    pub without_half: bool,
}

impl Default for EvalOptions {
    fn default() -> Self {
        EvalOptions { config: ChunkConfig::default(), embed: true, model: Model::embedded(), without_half: false }
    }
}

/// The ingested corpus of a set with its queries: variants of a search are measured on it.
pub struct EvalStore {
    set: BeirSet,
    searcher: Searcher,
    /// The ids in the set, by document id.
    sources: HashMap<DocId, String>,
    engine: String,
    ingest_seconds: f64,
}

impl EvalStore {
    /// Ingests the corpus of a set into a store in `folder`, unless a store of the same corpus and model is there.
    pub async fn open(
        set: &Path,
        folder: &Path,
        options: &EvalOptions,
        choice: &EngineChoice,
        jobs: usize,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        let mut set = BeirSet::read(set)?;
        if options.without_half {
            set.remove_half_of_the_answers();
        }
        let start = Instant::now();
        let store = Store::open_or_create(Some(&folder.join("store")), folder)?.0.as_own();
        let namespace = store.namespace(&format!("eval-{}", fingerprint(&set, options)))?;
        let embedder = Arc::new(Embedder::load(choice, &options.model, jobs)?);
        let engine = embedder.engine_name();
        // An interrupted ingest starts again.
        let ingested = if namespace.exists() { Snapshot::open(&namespace).await?.counts().await?[0] } else { 0 };
        if ingested != set.documents.len() {
            ingest(&set, &namespace, options, embedder.clone(), progress).await?;
        }
        let ingest_seconds = start.elapsed().as_secs_f64();
        let searcher = Searcher::new(namespace, Encoder::with(embedder));
        let documents = searcher.snapshot().await?.all_document_names().await?;
        let sources = documents.into_iter().map(|document| (document.doc_id, document.source)).collect();
        Ok(EvalStore { set, searcher, sources, engine, ingest_seconds })
    }

    /// Runs all queries like `template`. Returns the averages over those with an answer.
    pub async fn measure(&self, template: &SearchRequest) -> Result<Figures> {
        let mut totals = [0.0; METRICS.len()];
        let mut count = 0usize;
        for (query, relevant) in self.set.judged_queries() {
            // Chunks of one document share its place in the ranking, so more of them are needed than are judged.
            let request = SearchRequest { query: query.to_owned(), limit: DEFAULT_POOL * 2, ..template.clone() };
            let figures = metrics(&self.ranking(&request).await?, relevant);
            totals.iter_mut().zip(figures).for_each(|(total, figure)| *total += figure);
            count += 1;
        }
        Ok(Figures(METRICS.into_iter().zip(totals.map(|total| total / count.max(1) as f64)).collect()))
    }

    /// Runs all queries like `template` and compares the confidences of those whose answers are there with those whose
    /// answers are not.
    async fn measure_unanswerable(&self, template: &SearchRequest) -> Result<Figures> {
        let (mut answerable, mut unanswerable) = (Vec::new(), Vec::new());
        for (query, relevant) in self.set.judged_queries() {
            let candidates = self.candidates(&SearchRequest { query: query.to_owned(), ..template.clone() }).await?;
            let confidence = candidates.iter().map(|candidate| candidate.confidence).fold(0.0, f32::max);
            if self.set.has_any(relevant) { &mut answerable } else { &mut unanswerable }.push(confidence);
        }
        Ok(unanswerable_figures(answerable, unanswerable))
    }

    /// The first documents for a query, by their ids in the set.
    async fn ranking(&self, request: &SearchRequest) -> Result<Vec<String>> {
        let candidates = self.candidates(request).await?;
        let mut ranking: Vec<String> = Vec::with_capacity(DEPTH);
        for id in candidates.iter().filter_map(|candidate| self.sources.get(candidate.chunk_id.doc_id())) {
            if ranking.len() < DEPTH && !ranking.contains(id) {
                ranking.push(id.clone());
            }
        }
        Ok(ranking)
    }

    /// The parent chunks for a query. A query without a word finds nothing.
    async fn candidates(&self, request: &SearchRequest) -> Result<Vec<Candidate>> {
        match self.searcher.rank(request).await {
            Ok((ranking, _)) => Ok(ranking.candidates),
            Err(error) if error.kind() == Kind::Usage => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

pub struct Evaluation<'a> {
    /// The folder of the set.
    pub folder: &'a Path,
    pub methods: &'a [Method],
    pub rerank: &'a Rerank,
    pub model: Arc<Model>,
    /// Whether to leave out half of the answers, to measure how well kb notices that they are missing.
    pub unanswerable: bool,
}

/// Ingests the corpus of a set into a store in `scratch` and runs all its queries by each method.
pub async fn evaluate(
    what: Evaluation<'_>,
    scratch: &Path,
    choice: &EngineChoice,
    jobs: usize,
    progress: Arc<dyn Progress>,
) -> Result<EvalReport> {
    let Evaluation { folder, methods, rerank, model, unanswerable } = what;
    if let Rerank::Model { folder, .. } = rerank {
        CrossEncoder::check(folder)?;
    }
    let options = EvalOptions { model, without_half: unanswerable, ..EvalOptions::default() };
    let store = EvalStore::open(folder, scratch, &options, choice, jobs, progress).await?;
    let queries = store.set.judged_queries().count();
    let mut reports = Vec::with_capacity(methods.len());
    for &method in methods {
        let start = Instant::now();
        let template = SearchRequest { method, rerank: rerank.clone(), ..SearchRequest::new("") };
        let figures = match unanswerable {
            true => store.measure_unanswerable(&template).await?,
            false => store.measure(&template).await?,
        };
        let queries_per_second = queries as f64 / start.elapsed().as_secs_f64();
        reports.push(MethodReport { method, figures, queries_per_second });
    }
    Ok(EvalReport {
        set: folder.display().to_string(),
        documents: store.set.documents.len(),
        queries,
        missing: store.set.missing(),
        model: options.model.name.clone(),
        engine: store.engine,
        reranker: match rerank {
            Rerank::Model { folder, .. } => Some(folder.display().to_string()),
            _ => None,
        },
        ingest_seconds: store.ingest_seconds,
        methods: reports,
        unmet: Vec::new(),
    })
}

async fn ingest(
    set: &BeirSet,
    namespace: &Namespace,
    options: &EvalOptions,
    embedder: Arc<Embedder>,
    progress: Arc<dyn Progress>,
) -> Result<()> {
    let model = record_of(embedder.model());
    let writer = Writer::open(namespace, &model).await?;
    let mut indexer = Indexer::new(writer, LazyEmbedder::Loaded(embedder), "eval", progress.clone());
    progress.begin(set.documents.len(), set.documents.iter().map(|document| document.text.len() as u64).sum());
    for (number, source) in set.documents.iter().enumerate() {
        let mut document = plain::parse(&source.text);
        document.title = Some(source.title.clone()).filter(|title| !title.trim().is_empty());
        document.format = Format::Text;
        let facts = SourceFacts {
            // The id in the set identifies hits.
            source: source.id.clone(),
            doc_id: format!("e{number}").into(),
            size: source.text.len() as u64,
            ..SourceFacts::default()
        };
        let prepared = prepare(&document, &facts, &options.config, "1970-01-01T00:00:00Z");
        progress.file_read();
        indexer.put(prepared, KnownVectors::default(), options.embed, "added", None).await?;
    }
    indexer.flush().await?;
    progress.end();
    Ok(())
}

/// A hash of the corpus, the chunking and the embedding model.
fn fingerprint(set: &BeirSet, options: &EvalOptions) -> String {
    let mut hasher = blake3::Hasher::new();
    let vectors = if options.embed { options.model.fingerprint.as_str() } else { "none" };
    hasher.update(format!("{:?} {vectors}", options.config).as_bytes());
    for document in &set.documents {
        for part in [&document.id, &document.title, &document.text] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

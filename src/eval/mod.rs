//! Measured quality: queries with known answers, run against a scratch store.

mod beir;
mod metrics;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

pub use beir::{BeirSet, Missing, Passage};
pub use metrics::{Condition, Metric, Metrics};

use crate::chunk::ChunkConfig;
use crate::embed::{CrossEncoder, Embedder, EngineChoice, Model, select};
use crate::error::{Kind, Result};
use crate::ingest::{
    FitOptions, Indexer, KnownVectors, Progress, QueryEncoderReport, SourceFacts, Vectors, fit_query_encoder, prepare,
};
use crate::load::{Document, Format, plain};
use crate::models::record_of;
use crate::retrieve::{DEFAULT_POOL, Encoder, Kernel, Method, Rerank, SearchRequest};
use crate::store::{Namespace, Snapshot, Store, Writer, doc_id_of};

/// Rankings are judged by their first so many documents.
const DEPTH: usize = 10;

/// How one method did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodReport {
    /// The method.
    pub method: Method,
    /// Averages over all queries that have an answer.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Queries per second, one after the other in one process.
    pub queries_per_second: f64,
}

/// What an evaluation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalReport {
    /// The folder of the set.
    pub set: String,
    /// How many documents it has.
    pub documents: usize,
    /// How many queries with an answer.
    pub queries: usize,
    /// What the judgements name and the set does not have.
    pub missing: Missing,
    /// The model that made the vectors.
    pub model: String,
    /// The engine that ran it.
    pub engine: String,
    /// The folder of the cross-encoder that read the best again, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// Seconds to ingest the documents.
    pub ingest_seconds: f64,
    /// A row per method.
    pub methods: Vec<MethodReport>,
}

/// How documents are put into such a store.
pub struct Made<'a> {
    /// How they are cut, and what stands in front of their chunks.
    pub config: ChunkConfig,
    /// Another store of the same set: what is embedded alike there is taken over.
    pub other: Option<&'a EvalStore>,
    /// Whether there are vectors at all; without, only words are measured.
    pub embed: bool,
    /// The model that makes them.
    pub model: Arc<Model>,
}

impl Default for Made<'_> {
    fn default() -> Self {
        Made { config: ChunkConfig::default(), other: None, embed: true, model: Model::embedded() }
    }
}

/// The corpus of a set, ingested, with its queries: what variants of a search are measured on.
pub struct EvalStore {
    set: BeirSet,
    namespace: Namespace,
    kernel: Kernel,
    /// The ids of the set, by those of the documents.
    sources: HashMap<String, String>,
    engine: String,
    ingest_seconds: f64,
}

impl EvalStore {
    /// Ingests the corpus of a set into a store in `folder`. One that is there already, of the same corpus and model,
    /// is used as it is.
    ///
    /// # Errors
    /// Where the set cannot be read, or the ingest fails.
    pub async fn open(
        set: &Path,
        folder: &Path,
        choice: &EngineChoice,
        jobs: usize,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        EvalStore::open_made(set, folder, &Made::default(), choice, jobs, progress).await
    }

    /// The same with documents that are put in as `made` says.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_made(
        set: &Path,
        folder: &Path,
        made: &Made<'_>,
        choice: &EngineChoice,
        jobs: usize,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        let set = BeirSet::read(set)?;
        let start = Instant::now();
        let (store, _) = Store::open_or_create(Some(&folder.join("store")), folder)?;
        // Its name says what is in it.
        let namespace = store.namespace(&format!("eval-{}", fingerprint(&set, made)))?;
        let engine = select(choice)?;
        let embedder = Arc::new(Embedder::for_documents(&engine, &made.model, jobs)?);
        // An ingest that was interrupted is done again.
        let there = if namespace.exists() { Snapshot::open(&namespace).await?.count_documents().await? } else { 0 };
        if there != set.passages.len() {
            ingest(&set, &namespace, made, embedder.clone(), progress).await?;
        }
        let ingest_seconds = start.elapsed().as_secs_f64();
        let kernel = Kernel::new(namespace.clone(), Encoder::with(embedder));
        let documents = kernel.snapshot().await?.documents().await?;
        let sources = documents.into_iter().map(|row| (row.doc_id, row.source)).collect();
        Ok(EvalStore { set, namespace, kernel, sources, engine: engine.name(), ingest_seconds })
    }

    /// Fits a query encoder to the store, for searches that ask for one.
    ///
    /// # Errors
    /// Where the model fails, or the disk refuses.
    pub async fn fit_query_encoder(&self, options: &FitOptions) -> Result<QueryEncoderReport> {
        fit_query_encoder(&self.namespace, options, false, Arc::new(Silent)).await
    }

    /// The set.
    pub fn set(&self) -> &BeirSet {
        &self.set
    }

    /// What answers its queries.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The id in the set of the document that a chunk is of.
    pub fn id_of(&self, chunk_id: &str) -> Option<&str> {
        self.sources.get(doc_id_of(chunk_id)).map(String::as_str)
    }

    /// Runs all queries as `template` says, and gives the averages over those that have an answer, and how many
    /// those are.
    ///
    /// # Errors
    /// Where a search fails.
    pub async fn measure(&self, template: &SearchRequest) -> Result<(Metrics, usize)> {
        let mut totals = Metrics::default();
        let mut count = 0usize;
        for (query, relevant) in self.set.judged_queries() {
            // Passages of one document share its place in the ranking, so more of them are asked for than are judged.
            let request = SearchRequest { query: query.to_owned(), limit: DEFAULT_POOL * 2, ..template.clone() };
            totals.add(&Metrics::of(&self.ranking(&request).await?, relevant));
            count += 1;
        }
        Ok((totals.divided_by(count), count))
    }

    /// The first documents for a query, by their ids in the set.
    async fn ranking(&self, request: &SearchRequest) -> Result<Vec<String>> {
        // A question without a word finds nothing, and counts as that.
        let candidates = match self.kernel.rank(request).await {
            Ok(ranking) => ranking.candidates,
            Err(error) if error.kind() == Kind::Usage => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut ranking: Vec<String> = Vec::with_capacity(DEPTH);
        for id in candidates.iter().filter_map(|candidate| self.id_of(&candidate.chunk_id)) {
            if ranking.len() == DEPTH {
                break;
            }
            if !ranking.iter().any(|known| known == id) {
                ranking.push(id.to_owned());
            }
        }
        Ok(ranking)
    }
}

/// What is measured.
pub struct Evaluation<'a> {
    /// The folder of the set.
    pub folder: &'a Path,
    /// By which methods.
    pub methods: &'a [Method],
    /// With which second looks.
    pub rerank: &'a Rerank,
    /// With vectors of which model.
    pub model: Arc<Model>,
}

/// Ingests the corpus of a set into a store in `scratch` and runs all its queries by each method.
///
/// # Errors
/// Where the set cannot be read, or ingest or search fail.
pub async fn evaluate(
    what: Evaluation<'_>,
    scratch: &Path,
    choice: &EngineChoice,
    jobs: usize,
    progress: Arc<dyn Progress>,
) -> Result<EvalReport> {
    let Evaluation { folder, methods, rerank, model } = what;
    if let Rerank::Model(look) = rerank {
        CrossEncoder::check(&look.folder)?;
    }
    let made = Made { model, ..Made::default() };
    let store = EvalStore::open_made(folder, scratch, &made, choice, jobs, progress).await?;
    let mut reports = Vec::with_capacity(methods.len());
    for &method in methods {
        let start = Instant::now();
        let template = SearchRequest { method, rerank: rerank.clone(), ..SearchRequest::new("") };
        let (metrics, count) = store.measure(&template).await?;
        let queries_per_second = count as f64 / start.elapsed().as_secs_f64();
        reports.push(MethodReport { method, metrics, queries_per_second });
    }
    Ok(EvalReport {
        set: folder.display().to_string(),
        documents: store.set.passages.len(),
        queries: store.set.judged_queries().count(),
        missing: store.set.missing(),
        model: made.model.name.clone(),
        engine: store.engine,
        reranker: match rerank {
            Rerank::Model(look) => Some(look.folder.display().to_string()),
            _ => None,
        },
        ingest_seconds: store.ingest_seconds,
        methods: reports,
    })
}

async fn ingest(
    set: &BeirSet,
    namespace: &Namespace,
    made: &Made<'_>,
    embedder: Arc<Embedder>,
    progress: Arc<dyn Progress>,
) -> Result<()> {
    let model = record_of(embedder.model());
    let writer = Writer::open(namespace, &model).await?;
    let mut indexer = Indexer::new(writer, Vectors::Loaded(embedder), "eval", progress.clone());
    let bytes = set.passages.iter().map(|passage| passage.text.len() as u64).sum();
    progress.begin(set.passages.len(), bytes);
    for (number, passage) in set.passages.iter().enumerate() {
        let prepared = prepare(&document_of(passage), &facts_of(passage, number), &made.config, "1970-01-01T00:00:00Z");
        progress.file_read(&passage.id);
        let known = match made.other {
            Some(other) => {
                let snapshot = other.kernel.snapshot().await?;
                KnownVectors::of_texts(snapshot.vectors_by_hash(&prepared.new.document.doc_id).await?)
            }
            None => KnownVectors::default(),
        };
        indexer.put(prepared, known, made.embed, "added").await?;
    }
    indexer.flush().await?;
    progress.end();
    Ok(())
}

/// What stands for a corpus, how it is cut and the model that embeds it.
fn fingerprint(set: &BeirSet, made: &Made<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    let vectors = if made.embed { made.model.fingerprint.as_str() } else { "none" };
    hasher.update(format!("{:?} {vectors}", made.config).as_bytes());
    for passage in &set.passages {
        for part in [&passage.id, &passage.title, &passage.text] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn document_of(passage: &Passage) -> Document {
    let mut document = plain::parse(&passage.text);
    document.title = Some(passage.title.clone()).filter(|title| !title.trim().is_empty());
    document.format = Format::Text;
    document
}

/// The source is the id in the set, so that hits can be told apart.
fn facts_of(passage: &Passage, number: usize) -> SourceFacts {
    SourceFacts {
        source: passage.id.clone(),
        doc_id: format!("e{number}"),
        content_hash: String::new(),
        size: passage.text.len() as u64,
        mtime_ns: 0,
        corrected_toc: None,
        time: None,
    }
}

/// Tells nobody.
struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: usize, _bytes: u64) {}
    fn file_read(&self, _source: &str) {}
    fn embedded(&self, _chunks: usize, _bytes: u64) {}
    fn placed(&self, _passages: usize) {}
    fn failed(&self, _source: &str, _reason: &str) {}
    fn end(&self) {}
}

/// Checks conditions like `hybrid.ndcg@10>=0.40` against a report and gives those that do not hold.
pub fn unmet<'c>(report: &EvalReport, conditions: &'c [Condition]) -> Vec<&'c Condition> {
    let by_method: BTreeMap<&str, &Metrics> =
        report.methods.iter().map(|row| (row.method.name(), &row.metrics)).collect();
    conditions
        .iter()
        .filter(|condition| {
            by_method.get(condition.method.name()).is_none_or(|metrics| metrics.get(condition.metric) < condition.least)
        })
        .collect()
}

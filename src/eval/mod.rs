//! Measured quality: queries with known answers, run against a scratch store.

mod beir;
mod metrics;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

pub use beir::{BeirSet, Passage};
pub use metrics::{Condition, Metric, Metrics};

use crate::chunk::ChunkConfig;
use crate::embed::{Embedder, EngineChoice, MODEL, select};
use crate::error::{Error, Kind, Result};
use crate::ingest::{Indexer, Progress, SourceFacts, Vectors, prepare};
use crate::load::{Document, Format, plain};
use crate::retrieve::{DEFAULT_POOL, Encoder, Kernel, Method, SearchRequest};
use crate::store::{ModelRecord, Store, Writer};

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
    /// The engine that made the vectors.
    pub engine: String,
    /// Seconds to ingest the documents.
    pub ingest_seconds: f64,
    /// A row per method.
    pub methods: Vec<MethodReport>,
}

/// Ingests the corpus of a set into a store in `scratch` and runs all its queries by each method.
///
/// # Errors
/// Where the set cannot be read, or ingest or search fail.
pub async fn evaluate(
    folder: &Path,
    scratch: &Path,
    methods: &[Method],
    choice: &EngineChoice,
    jobs: usize,
    progress: Arc<dyn Progress>,
) -> Result<EvalReport> {
    let set = BeirSet::read(folder)?;
    let start = Instant::now();
    let (store, _) = Store::open_or_create(Some(&scratch.join("store")), scratch)?;
    let namespace = store.namespace("eval")?;
    let engine = select(choice)?;
    let embedder = Arc::new(Embedder::for_documents(&engine, jobs)?);
    let model = ModelRecord { name: MODEL.name.to_owned(), dimension: MODEL.dimension };
    let mut indexer =
        Indexer::new(Writer::open(&namespace, &model).await?, Vectors::Loaded(embedder.clone()), progress.clone());
    let bytes = set.passages.iter().map(|passage| passage.text.len() as u64).sum();
    progress.begin(set.passages.len(), bytes);
    for (number, passage) in set.passages.iter().enumerate() {
        let prepared =
            prepare(&document_of(passage), &facts_of(passage, number), &ChunkConfig::default(), "1970-01-01T00:00:00Z");
        progress.file_read(&passage.id);
        indexer.put(prepared, Default::default(), true).await?;
    }
    indexer.finish().await?;
    progress.end();
    let ingest_seconds = start.elapsed().as_secs_f64();
    drop(indexer);
    let kernel = Kernel::new(namespace, Encoder::with(embedder));
    let mut reports = Vec::with_capacity(methods.len());
    for &method in methods {
        reports.push(run_method(&kernel, &set, method).await?);
    }
    Ok(EvalReport {
        set: folder.display().to_string(),
        documents: set.passages.len(),
        queries: set.judged_queries().count(),
        engine: engine.name(),
        ingest_seconds,
        methods: reports,
    })
}

async fn run_method(kernel: &Kernel, set: &BeirSet, method: Method) -> Result<MethodReport> {
    let documents = kernel.snapshot().await?.documents().await?;
    let sources: HashMap<String, String> = documents.into_iter().map(|row| (row.doc_id, row.source)).collect();
    let mut totals = Metrics::default();
    let mut count = 0usize;
    let start = Instant::now();
    for (query, relevant) in set.judged_queries() {
        // Passages of one document share its place in the ranking, so more of them are asked for than are judged.
        let request = SearchRequest { method, limit: DEFAULT_POOL * 2, ..SearchRequest::new(query) };
        // A question without a word finds nothing, and counts as that.
        let candidates = match kernel.rank(&request).await {
            Ok(ranking) => ranking.candidates,
            Err(error) if error.kind() == Kind::Usage => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut ranking: Vec<String> = Vec::with_capacity(DEPTH);
        for candidate in candidates {
            let doc_id = candidate.chunk_id.split(':').next().unwrap_or_default();
            let Some(id) = sources.get(doc_id) else { continue };
            if !ranking.contains(id) {
                ranking.push(id.clone());
            }
            if ranking.len() == DEPTH {
                break;
            }
        }
        totals.add(&Metrics::of(&ranking, relevant));
        count += 1;
    }
    if count == 0 {
        return Err(Error::usage(format!("no query of {} has a known answer", set.folder.display()))
            .hint("check that qrels.tsv names the ids of queries.jsonl and corpus.jsonl"));
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(MethodReport { method, metrics: totals.divided_by(count), queries_per_second: count as f64 / seconds })
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
    }
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

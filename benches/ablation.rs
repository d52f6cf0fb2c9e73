//! Measures what each part of the ranking contributes: nDCG@10 of variants, on sets in the BEIR layout.
//!
//! ```sh
//! cargo bench --bench measure -- ablation SET… [--stores FOLDER] [--contexts | --words]
//! ```
//!
//! `--contexts` measures the contexts of parent chunks instead, each kind in a store of its own; `--words` measures
//! contexts and expansion by keyword search alone, without vectors. The corpora are ingested into scratch stores, or
//! into FOLDER, where the next run finds them. Vectors are made on ONNX Runtime if `KB_ONNXRUNTIME` names one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::synthetic::stores::fail;
use kb::internals::chunk::ChunkConfig;
use kb::internals::chunk::context::ContextKind;
use kb::internals::embed::EngineChoice;
use kb::internals::eval::{EvalOptions, EvalStore};
use kb::internals::search::{Expand, Fusion, Method, Rerank, SearchRequest, Weights};

/// Only the words of the question, without expansion.
fn as_typed() -> Expand {
    "off".parse().expect("it is a setting")
}

fn variants() -> Vec<(String, SearchRequest)> {
    let hybrid = SearchRequest { method: Method::Hybrid, ..SearchRequest::new("") };
    let retriever = |method| SearchRequest { method, ..hybrid.clone() };
    let plain = SearchRequest { rerank: Rerank::Off, ..hybrid.clone() };
    let named = |name: &str, request: SearchRequest| (name.to_owned(), request);
    let mut variants = vec![
        named("keyword retriever", retriever(Method::Keyword)),
        named("semantic retriever", retriever(Method::Semantic)),
        named("both, fused", plain.clone()),
        named("… by ranks (RRF, k 60)", SearchRequest { fusion: Fusion::Rrf(60.0), ..plain.clone() }),
        named("… by ranks (RRF, k 10)", SearchRequest { fusion: Fusion::Rrf(10.0), ..plain.clone() }),
        named("… pool of 50", SearchRequest { pool: 50, ..plain.clone() }),
        named("… pool of 300", SearchRequest { pool: 300, ..plain.clone() }),
        named("… reranked by words", hybrid.clone()),
        named("… without other words and names", SearchRequest { expand: as_typed(), ..hybrid.clone() }),
        named(
            "keyword retriever without other words and names",
            SearchRequest { expand: as_typed(), ..retriever(Method::Keyword) },
        ),
    ];
    for semantic in [0.3, 0.5, 0.6, 0.7, 0.75] {
        // Never refused: no weight is negative, and one is above 0.
        let Ok(weights) = Weights::new(1.0 - semantic, semantic) else { continue };
        let request = SearchRequest { weights: Some(weights), ..hybrid.clone() };
        variants.push(named(&format!("… semantic search weighs {semantic}"), request.clone()));
        if semantic >= 0.7 {
            variants.push(named("… the same, pool of 200", SearchRequest { pool: 200, ..request.clone() }));
        }
    }
    variants
}

/// Without a flag, the parts of the ranking are measured.
#[derive(clap::Args)]
pub struct Options {
    /// Folders of sets.
    #[arg(required = true)]
    sets: Vec<String>,
    /// The folder where the stores stay for the next run.
    #[arg(long)]
    stores: Option<PathBuf>,
    /// Measures the contexts of parent chunks.
    #[arg(long)]
    contexts: bool,
    /// Measures contexts and expansion by keyword search alone: without vectors, in a fraction of the time.
    #[arg(long)]
    words: bool,
}

/// The contexts that are made by rule.
const CONTEXTS: [ContextKind; 2] = [ContextKind::None, ContextKind::Headings];

pub fn run(options: &Options) {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(&error.to_string()));
    if let Err(error) = runtime.block_on(measure(options)) {
        fail(&error.to_line());
    }
}

async fn measure(options: &Options) -> kb::Result<()> {
    let sets = &options.sets;
    let scratch = tempfile::tempdir()?;
    let folder = options.stores.as_deref().unwrap_or(scratch.path());
    let library = std::env::var_os("KB_ONNXRUNTIME").map(PathBuf::from);
    let choice = EngineChoice::parse(library.as_deref());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let open = async |set: &String, context: ContextKind| {
        let config = ChunkConfig { context, ..ChunkConfig::default() };
        let eval = EvalOptions { config, embed: !options.words, ..EvalOptions::default() };
        EvalStore::open(Path::new(set), folder, &eval, &choice, jobs, Arc::new(())).await
    };
    let mut columns: Vec<Vec<(String, f64)>> = Vec::with_capacity(sets.len());
    for set in sets {
        let mut column = Vec::new();
        if options.contexts || options.words {
            for context in CONTEXTS {
                let store = open(set, context).await?;
                for (method, template) in methods(options.words) {
                    column.push((format!("{}, {method}", context.name()), ndcg(&store, &template).await?));
                }
            }
        } else {
            let store = open(set, ContextKind::default()).await?;
            for (variant, template) in variants() {
                column.push((variant, ndcg(&store, &template).await?));
            }
        }
        columns.push(column);
    }
    let name =
        |set: &String| Path::new(set).file_name().map_or(set.clone(), |name| name.to_string_lossy().into_owned());
    println!("| nDCG@10 | {} |", sets.iter().map(name).collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---|".repeat(sets.len()));
    for (row, (variant, _)) in columns.first().into_iter().flatten().enumerate() {
        let figures: Vec<String> = columns.iter().map(|column| format!("{:.4}", column[row].1)).collect();
        println!("| {variant} | {} |", figures.join(" | "));
    }
    Ok(())
}

/// nDCG@10 of all queries of a set.
async fn ndcg(store: &EvalStore, template: &SearchRequest) -> kb::Result<f64> {
    Ok(store.measure(template).await?.get("ndcg@10").unwrap_or_default())
}

/// The retrievers, alone and together; for keyword search alone, with and without expansion.
fn methods(words: bool) -> Vec<(&'static str, SearchRequest)> {
    let retriever = |method| SearchRequest { method, ..SearchRequest::new("") };
    let mut methods = vec![("keyword retriever", retriever(Method::Keyword))];
    if words {
        let plain = SearchRequest { expand: as_typed(), ..retriever(Method::Keyword) };
        methods.push(("keyword retriever without other words and names", plain));
    } else {
        methods.push(("semantic retriever", retriever(Method::Semantic)));
        methods.push(("as it is", retriever(Method::Hybrid)));
    }
    methods
}

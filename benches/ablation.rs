//! What each part of the ranking is worth: nDCG@10 of variants, on sets in the BEIR layout.
//!
//! ```sh
//! cargo bench --bench ablation -- SET… [--stores FOLDER] [--contexts | --words | --query-encoder]
//! ```
//!
//! With `--contexts` instead: what stands in front of passages, each kind in a store of its own; with `--words` the
//! same and other words by the keyword arm, without making vectors; with `--query-encoder` what a table costs that stands
//! in for the model when questions are asked, fitted to each set's passages. The corpora are ingested into scratch stores, or into FOLDER, where the next run finds them. The vectors are made on
//! ONNX Runtime where `KB_ONNXRUNTIME` names one.

use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Arc;

use kb::chunk::ChunkConfig;
use kb::chunk::context::ContextKind;
use kb::embed::EngineChoice;
use kb::embed::query_table::QueryTable;
use kb::eval::{EvalStore, Made};
use kb::ingest::{FitOptions, Progress, QueryEncoderReport};
use kb::models::Models;
use kb::retrieve::{Expand, Fusion, Method, QueryEncoder, Rerank, SearchRequest, SecondLook, Weights};

struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: usize, _bytes: u64) {}
    fn file_read(&self, _source: &str) {}
    fn embedded(&self, _chunks: usize, _bytes: u64) {}
    fn failed(&self, _source: &str, _reason: &str) {}
    fn placed(&self, _passages: usize) {}
    fn end(&self) {}
}

fn variants() -> Vec<(String, SearchRequest)> {
    let hybrid = SearchRequest { method: Method::Hybrid, ..SearchRequest::new("") };
    let looking = |look: SecondLook| SearchRequest { rerank: Rerank::Light(look), ..hybrid.clone() };
    let none = SecondLook { coverage: 0.0, proximity: 0.0, title: 0.0, ..SecondLook::default() };
    let arm = |method| SearchRequest { method, ..hybrid.clone() };
    let plain = SearchRequest { rerank: Rerank::Off, ..hybrid.clone() };
    let titles = |title_weight: f32, of: &SearchRequest| SearchRequest { title_weight, ..of.clone() };
    let named = |name: &str, request: SearchRequest| (name.to_owned(), request);
    let mut variants = vec![
        named("keyword arm", arm(Method::Keyword)),
        named("… without titles", titles(0.0, &arm(Method::Keyword))),
        named("… titles as much as text", titles(1.0, &arm(Method::Keyword))),
        named("semantic arm", arm(Method::Semantic)),
        named("both, fused", plain.clone()),
        named("… by ranks (RRF, k 60)", SearchRequest { fusion: Fusion::Rrf(60.0), ..plain.clone() }),
        named("… by ranks (RRF, k 10)", SearchRequest { fusion: Fusion::Rrf(10.0), ..plain.clone() }),
        named("… pool of 50", SearchRequest { pool: 50, ..plain.clone() }),
        named("… pool of 300", SearchRequest { pool: 300, ..plain.clone() }),
        named("… with coverage", looking(SecondLook { coverage: 0.4, ..none })),
        named("… with title", looking(SecondLook { title: 0.1, ..none })),
        named("… with proximity", looking(SecondLook { proximity: 0.2, ..none })),
        named("… with all three", looking(SecondLook { proximity: 0.2, ..SecondLook::default() })),
        named("as it is (coverage and title)", hybrid.clone()),
        named("… of the first 30 alone", looking(SecondLook { depth: 30, ..SecondLook::default() })),
        named("… without other words and names", SearchRequest { expand: Expand::Off, ..hybrid.clone() }),
        named(
            "keyword arm without other words and names",
            SearchRequest { expand: Expand::Off, ..arm(Method::Keyword) },
        ),
    ];
    for title_weight in [0.0, 0.3, 0.6, 1.0, 1.5] {
        variants.push(named(&format!("… words in titles weigh {title_weight}"), titles(title_weight, &hybrid)));
    }
    for semantic in [0.3, 0.5, 0.6, 0.7, 0.75] {
        // Never refused: none is negative, and one is above 0.
        let Ok(weights) = Weights::new(1.0 - semantic, semantic) else { continue };
        let request = SearchRequest { weights: Some(weights), ..hybrid.clone() };
        variants.push(named(&format!("… the semantic arm weighs {semantic}"), request.clone()));
        if semantic >= 0.7 {
            variants.push(named("… the same, titles weigh 1", titles(1.0, &request)));
            variants.push(named("… the same, pool of 200", SearchRequest { pool: 200, ..request.clone() }));
            for (coverage, proximity) in [(0.3, 0.0), (0.6, 0.0), (0.4, 0.1), (0.4, 0.2)] {
                let look = SecondLook { coverage, proximity, ..SecondLook::default() };
                let name = format!("… the same, coverage {coverage}, proximity {proximity}");
                variants.push(named(&name, SearchRequest { rerank: Rerank::Light(look), ..request.clone() }));
            }
        }
    }
    variants
}

/// What is measured instead of the parts of the ranking.
#[derive(Clone, Copy, Default)]
struct What {
    /// What stands in front of passages.
    contexts: bool,
    /// The same, and other words and names, by words alone: without vectors, in a fraction of the time.
    words: bool,
    /// By what a question becomes a vector.
    query_encoder: bool,
}

/// What may stand in front of passages, by rule.
const CONTEXTS: [ContextKind; 3] = [ContextKind::None, ContextKind::Headings, ContextKind::Subjects];

fn main() {
    let mut what = What::default();
    let mut sets: Vec<String> = Vec::new();
    let mut stores: Option<PathBuf> = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--stores" => stores = arguments.next().map(PathBuf::from),
            "--contexts" => what.contexts = true,
            "--words" => what.words = true,
            "--query-encoder" => what.query_encoder = true,
            "--bench" => {}
            _ => sets.push(argument),
        }
    }
    if sets.is_empty() {
        fail("name folders of sets: cargo bench --bench ablation -- SET…");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(&error.to_string()));
    if let Err(error) = runtime.block_on(run(&sets, stores.as_deref(), what)) {
        fail(&error.to_line());
    }
}

async fn run(sets: &[String], stores: Option<&Path>, what: What) -> kb::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = stores.unwrap_or(scratch.path());
    let library = std::env::var_os("KB_ONNXRUNTIME").map(PathBuf::from);
    let choice = EngineChoice::parse(library.as_deref());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let open = async |set: &String, context: ContextKind, other: Option<&EvalStore>| {
        let config = ChunkConfig { context, ..ChunkConfig::default() };
        let made = Made { config, other, embed: !what.words, ..Made::default() };
        EvalStore::open_made(Path::new(set), folder, &made, &choice, jobs, Arc::new(Silent)).await
    };
    let mut columns: Vec<Vec<(String, f64)>> = Vec::with_capacity(sets.len());
    for set in sets {
        let mut column = Vec::new();
        if what.contexts || what.words {
            let mut other: Option<EvalStore> = None;
            for context in CONTEXTS {
                let store = open(set, context, other.as_ref()).await?;
                for (method, template) in methods(what.words) {
                    column.push((format!("{}, {method}", context.name()), store.measure(&template).await?.0.ndcg));
                }
                other = Some(store);
            }
        } else if what.query_encoder {
            let store = open(set, ContextKind::default(), None).await?;
            let options = FitOptions { models: Models::open(""), engine: choice.clone(), jobs };
            let report = store.fit_query_encoder(&options).await?;
            column.push(("mean cosine to the model".to_owned(), f64::from(report.agreement.unwrap_or_default())));
            column.push(("questions whose words the table knows".to_owned(), share_known(&store, &report)?));
            for (name, template) in query_encoders() {
                column.push((name, store.measure(&template).await?.0.ndcg));
            }
        } else {
            let store = open(set, ContextKind::default(), None).await?;
            for (variant, template) in variants() {
                column.push((variant.to_owned(), store.measure(&template).await?.0.ndcg));
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

/// Each arm that asks by vectors, by each way to make a question's vector.
fn query_encoders() -> Vec<(String, SearchRequest)> {
    let ways =
        [("the model", QueryEncoder::Model), ("the table", QueryEncoder::Table), ("as it is", QueryEncoder::Auto)];
    let arms = [("semantic arm", Method::Semantic), ("both", Method::Hybrid)];
    let each = arms.into_iter().flat_map(|arm| ways.map(|way| (arm, way)));
    each.map(|((arm, method), (way, query_encoder))| {
        (format!("{arm}, by {way}"), SearchRequest { method, query_encoder, ..SearchRequest::new("") })
    })
    .collect()
}

/// The share of a set's questions that a fitted table knows all words of.
fn share_known(store: &EvalStore, report: &QueryEncoderReport) -> kb::Result<f64> {
    let Some(table) = report.path.as_deref().map(QueryTable::open).transpose()?.flatten() else { return Ok(0.0) };
    let known = store.set().judged_queries().map(|(query, _)| usize::from(table.encode(query).unknown == 0));
    let (sum, count) = known.fold((0, 0), |(sum, count), one| (sum + one, count + 1));
    Ok(sum as f64 / f64::from(u32::max(count, 1)))
}

/// The arms, alone and together; where there are only words, with and without others.
fn methods(words: bool) -> Vec<(&'static str, SearchRequest)> {
    let arm = |method| SearchRequest { method, ..SearchRequest::new("") };
    let mut methods = vec![("keyword arm", arm(Method::Keyword))];
    if words {
        let plain = SearchRequest { expand: Expand::Off, ..arm(Method::Keyword) };
        methods.push(("keyword arm without other words and names", plain));
    } else {
        methods.push(("semantic arm", arm(Method::Semantic)));
        methods.push(("as it is", arm(Method::Hybrid)));
    }
    methods
}

fn fail(reason: &str) -> ! {
    eprintln!("{reason}");
    exit(2)
}

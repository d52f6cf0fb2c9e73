//! `kb eval`: measured quality on queries with known answers.

use std::path::PathBuf;

use clap::Args;

use super::progress::progress_display;
use super::rerank::{RerankArgs, rerank};
use super::search::flag;
use super::{Context, cores};
use crate::config::Config;
use crate::embed::Model;
use crate::error::{Error, Result};
use crate::eval::{Condition, Evaluation, Missing, evaluate, unmet};
use crate::render::EvalView;
use crate::retrieve::{Method, RerankBudget, Settings};
use crate::text::count;

/// Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv)
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kb eval fixtures/retrieval\n  kb eval cranfield --methods hybrid --min 'hybrid.ndcg@10>=0.40'\n  kb eval cranfield --model bge-small-en-v1.5\n  kb eval cranfield --methods hybrid --rerank models/reranker --rerank-depth 50"
)]
pub struct EvalArgs {
    /// The folder of the set
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which methods to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Method::Keyword, Method::Semantic, Method::Hybrid])]
    methods: Vec<Method>,
    /// Fail with exit code 1 where a figure is lower; may be given several times
    #[arg(long = "min", value_name = "METHOD.FIGURE>=NUMBER")]
    minimums: Vec<String>,
    #[command(flatten)]
    rerank: RerankArgs,
    /// The model that makes the vectors [default: the one in the program]
    #[arg(long, value_name = "NAME", env = "KB_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// Threads that embed [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

pub async fn run(context: &Context, args: EvalArgs) -> Result<u8> {
    let conditions: Vec<Condition> = args.minimums.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    if let Some(condition) = conditions.iter().find(|condition| !args.methods.contains(&condition.method)) {
        return Err(Error::usage(format!("--min asks for {}, which is not measured", condition.method.name()))
            .hint("add it to --methods"));
    }
    let settings = args.rerank.put_into(Settings::default());
    if let Some(found) = settings.contradiction() {
        return Err(Error::usage(found.told(flag)).hint("`kb eval --help` says what each takes"));
    }
    // A figure must not depend on how fast the machine is.
    let rerank = rerank(&settings, RerankBudget(None))?;
    let scratch =
        tempfile::tempdir().map_err(|error| Error::io("make a scratch folder in", &std::env::temp_dir(), &error))?;
    let engine = context.engine(&Config::default());
    let model = match &args.model {
        Some(name) => context.models().find(name)?,
        None => Model::embedded(),
    };
    let progress = progress_display(context);
    let jobs = args.jobs.unwrap_or_else(cores);
    let what = Evaluation { folder: &args.folder, methods: &args.methods, rerank: &rerank, model };
    let report = evaluate(what, scratch.path(), &engine, jobs, progress).await?;
    context.show(&EvalView(&report))?;
    if report.missing != Missing::default() {
        context.tell(&told(report.missing));
    }
    let unmet = unmet(&report, &conditions);
    for condition in &unmet {
        let (method, figure) = (condition.method.name(), condition.metric.name());
        context.tell(&format!("{method}.{figure} is below {}", condition.least));
    }
    Ok(u8::from(!unmet.is_empty()))
}

fn told(missing: Missing) -> String {
    format!(
        "corpus.jsonl lacks {} that the judgements name (queries left without an answer: {}), and queries.jsonl lacks {} \
         of their queries",
        count(missing.documents, "document"),
        missing.unanswerable,
        missing.queries
    )
}

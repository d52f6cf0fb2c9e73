//! `kb eval`: measured quality on queries with known answers.

use std::path::PathBuf;

use clap::Args;

use super::global::Context;
use super::progress::progress_display;
use crate::config::{Config, RerankBudget, RerankChoice, Threads, cores, rerank};
use crate::embed::Model;
use crate::error::{Error, Result};
use crate::eval::{Condition, Evaluation, METRICS, UNANSWERABLE_FIGURES, evaluate};
use crate::render::evaluation;
use crate::search::Method;
use crate::text::count;

/// Measure retrieval quality on a set in the BEIR layout
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kb eval fixtures/retrieval\n  kb eval cranfield --methods hybrid --min 'hybrid.ndcg@10>=0.40'\n  kb eval cranfield --model bge-small-en-v1.5\n  kb eval xquad --unanswerable --min 'hybrid.auroc>=0.95'\n  kb eval cranfield --methods hybrid --rerank models/reranker --rerank-budget 50"
)]
pub struct EvalArgs {
    /// A folder with corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which methods to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Method::Keyword, Method::Semantic, Method::Hybrid])]
    methods: Vec<Method>,
    /// Take half of the answers out of the corpus, and measure how well the confidence shows which questions have none
    #[arg(long)]
    unanswerable: bool,
    /// Fail with exit code 1 where a figure is lower; repeatable
    #[arg(long = "min", value_name = "METHOD.FIGURE>=NUMBER")]
    minimums: Vec<String>,
    /// Rerank the best: light, off, or a cross-encoder by its name or folder
    #[arg(long, value_name = "MODEL", env = "KB_SEARCH_RERANK", value_hint = clap::ValueHint::DirPath)]
    rerank: Option<RerankChoice>,
    /// How many candidates the cross-encoder reads and for how long: 50, 2s or 50,2s [default: 30,none]
    #[arg(long, value_name = "N,TIME", requires = "rerank")]
    rerank_budget: Option<RerankBudget>,
    /// The embedding model [default: the built-in one]
    #[arg(long, value_name = "NAME", env = "KB_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// Threads that embed [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<Threads>,
}

pub async fn run(context: &Context, args: EvalArgs) -> Result<u8> {
    let conditions: Vec<Condition> = args.minimums.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    if let Some(condition) = conditions.iter().find(|condition| !args.methods.contains(&condition.method)) {
        return Err(Error::usage(format!("--min asks for {}, which is not measured", condition.method.name()))
            .hint("add it to --methods"));
    }
    if let Some(condition) = conditions.iter().find(|condition| condition.is_unanswerable() != args.unanswerable) {
        let with = if args.unanswerable { "without" } else { "with" };
        return Err(Error::usage(format!(
            "--min asks for {}, which is measured {with} --unanswerable",
            condition.figure()
        ))
        .hint(format!(
            "with it there are {}, without it {}",
            UNANSWERABLE_FIGURES.join(" and "),
            METRICS.join(", ")
        )));
    }
    // A figure must not depend on how fast the machine is.
    let rerank = rerank(args.rerank.as_ref(), args.rerank_budget, None)?;
    let scratch =
        tempfile::tempdir().map_err(|error| Error::io("make a scratch folder in", &std::env::temp_dir(), &error))?;
    let engine = context.engine(&Config::default());
    let model = match &args.model {
        Some(name) => context.models().find(name)?,
        None => Model::embedded(),
    };
    let progress = progress_display(context);
    let jobs = args.jobs.map_or_else(cores, Threads::get);
    let what = Evaluation {
        folder: &args.folder,
        methods: &args.methods,
        rerank: &rerank,
        model,
        unanswerable: args.unanswerable,
    };
    let report = evaluate(what, scratch.path(), &engine, jobs, progress).await?;
    context.show(evaluation(&report))?;
    if report.missing > 0 && !args.unanswerable {
        let missing = count(report.missing, "document");
        context.tell(&format!("corpus.jsonl lacks {missing} that the judgements name"));
    }
    let unmet: Vec<String> = conditions.iter().filter_map(|condition| condition.unmet(&report)).collect();
    unmet.iter().for_each(|what| context.tell(what));
    Ok(u8::from(!unmet.is_empty()))
}

//! `kb eval`: measured quality on queries with known answers.

use std::path::{Path, PathBuf};

use clap::Args;

use super::invocation::Context;
use super::progress::progress_display;
use super::search::origin_of;
use crate::config::{Config, Output, RerankBudget, RerankChoice, SearchSettings, Threads, rerank};
use crate::embed::Model;
use crate::error::{Error, Result, Setting};
use crate::eval::{
    Condition, Evaluation, METRICS, QUESTION_FIGURES, UNANSWERABLE_FIGURES, ask_questions, evaluate, read_questions,
};
use crate::render::{answered_questions, evaluation};
use crate::search::{FilterOrigin, Method, Rerank, Target};
use crate::text::count;
use crate::threads::cores;

const EXAMPLES: &str = "\
Examples:
  kb eval --questions questions.jsonl --min 'hit@5>=0.9'
  kb eval fixtures/retrieval
  kb eval cranfield --methods hybrid --min 'hybrid.ndcg@10>=0.40'";

const MORE: &str = "\
Examples:
  kb eval --questions questions.jsonl --min 'hit@5>=0.9'
  kb eval --questions questions.jsonl --format json > before.json
  kb eval --questions questions.jsonl --baseline before.json
  kb eval fixtures/retrieval
  kb eval cranfield --methods hybrid --min 'hybrid.ndcg@10>=0.40'
  kb eval cranfield --model bge-small-en-v1.5
  kb eval xquad --unanswerable --min 'hybrid.auroc>=0.95'
  kb eval cranfield --methods hybrid --rerank models/reranker --rerank-budget 50

A line of questions.jsonl is {\"question\": \"how is the pump primed\", \"source\": \"manual.pdf\", \"section\": \"Priming\",
\"pages\": \"12-14\", \"text\": \"open the vent\"}; a field that is left out matches anything. A question with none of
these four has no answer, and should find nothing.";

/// Measure how well kb answers your own questions, or a set in the BEIR layout
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = MORE)]
pub struct EvalArgs {
    /// A folder with corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv
    #[arg(value_name = "DIR", required_unless_present = "questions")]
    folder: Option<PathBuf>,
    /// Ask the questions in this file, with the documents and the kb.toml of the store
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folder", "methods", "unanswerable"])]
    questions: Option<PathBuf>,
    /// Compare with an earlier run, as `--questions … --format json` wrote it
    #[arg(long, value_name = "FILE", requires = "questions")]
    baseline: Option<PathBuf>,
    /// The methods to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Method::Keyword, Method::Semantic, Method::Hybrid])]
    methods: Vec<Method>,
    /// Remove half of the answers from the corpus, and measure how well the confidence detects questions without an
    /// answer
    #[arg(long)]
    unanswerable: bool,
    /// Exit with code 1 if a figure is lower; repeatable
    #[arg(long = "min", value_name = "[METHOD.]FIGURE>=NUMBER")]
    minimums: Vec<String>,
    /// Rerank the best: light, off, or a cross-encoder by its name or folder
    #[arg(long, value_name = "MODEL", env = "KB_SEARCH_RERANK", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    rerank: Option<RerankChoice>,
    /// How many candidates the cross-encoder reads and for how long: 50, 2s or 50,2s [default: 30,none]
    #[arg(long, value_name = "N,TIME", requires = "rerank", hide_short_help = true)]
    rerank_budget: Option<RerankBudget>,
    /// The embedding model [default: the built-in one]
    #[arg(long, value_name = "NAME", env = "KB_MODEL", hide_env_values = true, hide_short_help = true)]
    model: Option<String>,
    /// Threads that embed [default: one per core]
    #[arg(long, value_name = "N", hide_short_help = true)]
    jobs: Option<Threads>,
}

pub async fn run(context: &Context, args: EvalArgs) -> Result<u8> {
    let conditions: Vec<Condition> = args.minimums.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    check_conditions(&args, &conditions)?;
    if let Some(file) = &args.questions {
        // Variables are ignored: they may be set for other commands.
        if let Some(option) = ["rerank", "rerank_budget", "model", "jobs"].into_iter().find(|id| context.is_typed(id)) {
            let option = Setting(option);
            return Err(Error::usage(format!("{option} works on a set only: questions use the settings of the store"))
                .hint("write it into [search] of kb.toml, or leave it out"));
        }
        return questions(context, file, args.baseline.as_deref(), &conditions).await;
    }
    let folder = args.folder.as_deref().expect("clap asks for a folder or for questions");
    // A figure must not depend on how fast the machine is.
    let rerank = rerank(args.rerank.as_ref(), args.rerank_budget, None)?;
    if matches!(rerank, Rerank::Endpoint { .. }) {
        return Err(Error::usage("a set can be measured only with models on this machine")
            .hint("name a reranking model, or measure your own questions with --questions"));
    }
    let scratch =
        tempfile::tempdir().map_err(|error| Error::io("make a scratch folder in", &std::env::temp_dir(), &error))?;
    let engine = context.engine(&Config::default());
    let model = match &args.model {
        Some(name) => context.models(&Config::of_user()?).find(name)?,
        None => Model::embedded(),
    };
    let progress = progress_display(context);
    let jobs = args.jobs.map_or_else(cores, Threads::get);
    let set = Evaluation { folder, methods: &args.methods, rerank: &rerank, model, unanswerable: args.unanswerable };
    let mut report = evaluate(set, scratch.path(), &engine, jobs, progress).await?;
    report.unmet = conditions.iter().filter_map(|condition| report.unmet(condition)).collect();
    context.show(evaluation(&report))?;
    if report.missing > 0 && !args.unanswerable {
        let missing = count(report.missing, "document");
        context.tell(&format!("corpus.jsonl lacks {missing} that the judgements name"));
    }
    Ok(note_unmet(context, &report.unmet))
}

/// Refuses conditions on figures that this run does not measure.
fn check_conditions(args: &EvalArgs, conditions: &[Condition]) -> Result<()> {
    let refused = |what: &str, which: &str, hint: String| {
        Err(Error::usage(format!("--min asks for {what}, which is {which}")).hint(hint))
    };
    let of_questions = args.questions.is_some();
    let figures_of_sets = METRICS.join(", ");
    if let Some(condition) = conditions.iter().find(|condition| condition.method.is_none() != of_questions) {
        let of = if of_questions { "a set" } else { "questions" };
        let figures = QUESTION_FIGURES.join(", ");
        let hint = format!("the figures of questions are {figures}, those of a set {figures_of_sets}");
        return refused(condition.figure, &format!("measured only on {of}"), hint);
    }
    if of_questions {
        return Ok(());
    }
    let mut methods = conditions.iter().filter_map(|condition| condition.method);
    if let Some(method) = methods.find(|method| !args.methods.contains(method)) {
        return refused(method.name(), "not measured", "add it to --methods".to_owned());
    }
    if let Some(condition) = conditions.iter().find(|condition| condition.is_unanswerable() != args.unanswerable) {
        let with = if args.unanswerable { "without" } else { "with" };
        let figures = UNANSWERABLE_FIGURES.join(" and ");
        let hint = format!("with it kb measures {figures}, without it {figures_of_sets}");
        return refused(condition.figure, &format!("measured {with} --unanswerable"), hint);
    }
    Ok(())
}

async fn questions(context: &Context, file: &Path, baseline: Option<&Path>, conditions: &[Condition]) -> Result<u8> {
    let questions = read_questions(file)?;
    let store = context.store()?;
    let config = context.config(&store)?;
    SearchSettings::check_variables()?;
    let (mut template, notes) =
        config.search.clone().with_environment()?.request(String::new(), Target::Chunks, Output::Json, |_| false)?;
    notes.iter().for_each(|note| context.tell(note));
    if template.restriction.filter.is_some() {
        let without = "remove it there to ask all documents".to_owned();
        template.restriction.filter_from = origin_of("filter", &store)?.map(|place| FilterOrigin { place, without });
    }
    let searcher = context.searcher_over(&store, &config)?;
    let mut report = ask_questions(&searcher, &questions, &template, baseline).await?;
    report.unmet = conditions.iter().filter_map(|condition| condition.unmet(&report.figures)).collect();
    context.show(answered_questions(&report).read_from(&searcher.snapshots().await?))?;
    report.notes.iter().for_each(|note| context.tell(&note.message));
    let code = note_unmet(context, &report.unmet);
    let Some(first) = report.notes.first() else { return Ok(code) };
    // A wrong question must not look like a search that found nothing.
    let what = count(report.notes.len(), "question");
    Err(Error::usage(format!("no search can answer {what} of {}: {}", file.display(), first.message))
        .hint("correct the questions, or ingest the documents"))
}

/// Notes the conditions that are not met, and gives the exit code.
fn note_unmet(context: &Context, unmet: &[String]) -> u8 {
    unmet.iter().for_each(|what| context.tell(what));
    u8::from(!unmet.is_empty())
}

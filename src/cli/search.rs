//! `kb search`: the best passages for a question.

use std::sync::Arc;

use clap::Args;

use super::Context;
use super::filter::{FILTERS, FilterArgs, HalfLife, half_life, parse_half_life};
use super::rerank::{RerankArgs, rerank};
use super::shaping::{SETTINGS, ShapingArgs, context_limit, default_limit};
use crate::error::{Error, Result};
use crate::render::{SearchView, WhyView};
use crate::retrieve::{
    Expand, Fallback, FusionName, Kernel, Kind, Method, QueryEncoder, Route, SEARCH_BUDGET, SearchRequest, Settings,
    Target, Trace, Weights, resolve_in_each,
};
use crate::store::Store;

/// Longer questions are refused: nobody means them.
const LONGEST_QUERY_BYTES: usize = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  kb search how is the pump primed
  kb search E-417 --method keyword
  kb search 如何启动水泵 -k 3
  kb search \"retry limit\" --doc network-guide.md --format json
  kb search how is the pump primed --explain
  kb search how is the pump primed --why 7f3k2m:12
  kb search retry limit -n manuals,drafts       in two namespaces, ranked together
  kb search retry limit -n all                  in every one
  kb search retry limit --filter 'path = docs/**/*.md and not tags = draft'
  kb search budget --filter 'page <= 20' --as-of 2026-06 --half-life 90d
  kb search '\"prime the pump\" vent'            only passages with that phrase
  kb search what chapters does manual.pdf have  answered from the table of contents
  kb search prime the pump --weights 0.7,0.3
  kb search prime the pump --rerank models/reranker --rerank-budget 1s     read again by a cross-encoder
  kb search priming --context 1                 with the passages before and behind
  kb search priming --mode broad                passages that differ, from several documents
  kb search priming --mode section              whole sections
  kb search priming --mode drill --beam 1,1,3   the best document, its best passage, the best pieces of that
  kb search priming --in sections               which sections are about it
  kb search prime the pump --fallback min_hits=3,min_docs=2
  kb search why does it rattle --expand llm     also in other words, of a language model

What stands in quotation marks is found only as it stands, in text or titles; the shell wants them in others. A word that
no passage has is searched for as what begins with it or what it is misspelt for, and the answer says so; --expand off
leaves it. An abbreviation is searched for with what it stands for, and a name with its other ones, as documents define
them or .kb/synonyms.txt lists them: a line for equal names (pump, 水泵) or one way (TDO => Transport Disconnect Order).
A question about chapters is answered from the table of contents; --kind concept has the text searched.

A passage that several of the namespaces have from the same source is shown once, with all their names. What --doc
says is looked for in each of them.";

/// Find the passages that answer a question
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{FILTERS}\n\n{SETTINGS}"))]
pub struct SearchArgs {
    #[command(flatten)]
    asked: AskedArgs,
    /// What is looked for: passages, or sections with a preview
    #[arg(long = "in", value_enum, value_name = "WHAT", default_value = "passages")]
    target: Target,
    /// Show how the result came about: each stage with its time, what it took and what came out
    #[arg(long)]
    explain: bool,
    /// Instead of a result, say of a chunk or a section in which stage it was lost, and what would have kept it
    #[arg(long, value_name = "ID", conflicts_with = "explain")]
    why: Option<String>,
}

// No doc comment: it would become the description of the command.
#[derive(Debug, Args)]
pub(super) struct AskedArgs {
    /// A question, or words; several words need no quotes
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// How to search [default: auto]
    #[arg(long, value_enum)]
    method: Option<Method>,
    /// How many hits [default: 5; broad 10; drill as many as its beam leads to]
    #[arg(short = 'k', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: Option<u32>,
    /// Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times
    #[arg(long, value_name = "DOC")]
    doc: Vec<String>,
    #[command(flatten)]
    rerank: RerankArgs,
    #[command(flatten)]
    filter: FilterArgs,
    /// Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default:
    /// none]
    #[arg(long, value_name = "DURATION", value_parser = parse_half_life)]
    half_life: Option<HalfLife>,
    /// Leave out passages below this score, from 0 to 1
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f32>,
    #[command(flatten)]
    ranking: RankingArgs,
    #[command(flatten)]
    shaping: ShapingArgs,
}

/// How hits are ranked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking options")]
struct RankingArgs {
    /// How much the keyword arm and the semantic arm count, whatever the question's language [default: by question]
    #[arg(long, value_name = "KEYWORD,SEMANTIC", allow_hyphen_values = true)]
    weights: Option<Weights>,
    /// How the arms are fused [default: weighted]
    #[arg(long, value_enum)]
    fusion: Option<FusionName>,
    /// The k of reciprocal rank fusion [default: 60]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    rrf_k: Option<f32>,
    /// How many candidates each arm recalls [default: 100, or -k]
    #[arg(long, value_name = "N")]
    pool: Option<usize>,
    /// Of which kind the question is [default: told by its words]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Which words are searched for beside those of the question [default: missing]
    #[arg(long, value_enum, value_name = "WORDS")]
    expand: Option<Expand>,
    /// Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S,
    /// min_docs=N, or off [default: off]
    #[arg(long, value_name = "CONDITIONS")]
    fallback: Option<Fallback>,
    /// What makes the question's vector [default: auto]
    #[arg(long, value_enum)]
    query_encoder: Option<QueryEncoder>,
}

impl AskedArgs {
    /// What was typed, as settings.
    fn settings(&self) -> Settings {
        let ranking = &self.ranking;
        self.rerank.put_into(Settings {
            method: self.method,
            weights: ranking.weights,
            fusion: ranking.fusion,
            rrf_k: ranking.rrf_k,
            pool: ranking.pool,
            limit: self.limit.map(|limit| limit as usize),
            min_score: self.min_score,
            kind: ranking.kind,
            expand: ranking.expand,
            fallback: ranking.fallback,
            query_encoder: ranking.query_encoder,
            ..Settings::default()
        })
    }
}

/// The flag of a setting.
pub(super) fn flag(setting: &str) -> String {
    match setting.strip_prefix("fallback.") {
        Some(condition) => format!("--fallback {condition}"),
        None if setting == "limit" => "-k".to_owned(),
        None => format!("--{}", setting.replace('_', "-")),
    }
}

pub async fn run(context: &Context, args: SearchArgs) -> Result<u8> {
    let (kernel, request) = ask(context, args.asked, args.target, None).await?;
    let request = SearchRequest { explain: args.explain, ..request };
    if let Some(id) = &args.why {
        let why = kernel.why(&request, id).await?;
        context.show(&WhyView(&why))?;
        return Ok(u8::from(why.rank.is_none()));
    }
    let result = kernel.search(&request).await?;
    tell(context, &result.notes, &result.route, &result.trace);
    context.show(&SearchView(&result))?;
    if let Some(line) = SearchView(&result).left_out() {
        context.tell(&line);
    }
    if result.hits.is_empty() && result.contents.is_empty() {
        context.tell(&format!("nothing found for {:?}", crate::text::truncate(&result.query, 80)));
        return Ok(1);
    }
    Ok(0)
}

/// Tells how it was found, beside the result.
pub(super) fn tell(context: &Context, notes: &[String], route: &Route, trace: &Trace) {
    notes.iter().for_each(|note| context.tell(note));
    let stages: Vec<String> =
        trace.stages.iter().map(|stage| format!("{} {:.1} ms", stage.name, stage.milliseconds)).collect();
    context.tell_more(&format!("method {}; {}", route.method().name(), stages.join(", ")));
}

/// What was asked, and what answers it. For a context, `context_tokens` says how many it has where nothing is said.
pub(super) async fn ask(
    context: &Context,
    args: AskedArgs,
    target: Target,
    context_tokens: Option<usize>,
) -> Result<(Kernel, SearchRequest)> {
    let query = args.query.join(" ");
    if query.len() > LONGEST_QUERY_BYTES {
        return Err(Error::usage(format!(
            "the query is {} kB long; at most 64 kB are searched for",
            query.len() / 1024
        ))
        .hint("ask a shorter question, or ingest the text and compare documents"));
    }
    let store = context.store()?;
    let mut config = context.config(&store)?;
    config.search = config.search.under_environment()?;
    let shape = args.shaping.shape(&config.search, target, context_tokens, context.output_format())?;
    let mut settings = args.settings().or(config.search.settings());
    // What `kb.toml` says is how many are shown; a context shows what fits.
    let typed = args.limit.map(|limit| limit as usize);
    let of_context = context_tokens.and(shape.max_tokens).map(context_limit);
    settings.limit = typed.or(of_context).or(settings.limit).or(Some(default_limit(&shape)));
    settings.pool = settings.pool.or(Some(shape.mode.pool().max(settings.limit())));
    if let Some(found) = settings.contradiction() {
        return Err(Error::usage(found.told(flag)).hint(
            "`kb search --help` says what each takes; kb.toml or KB_SEARCH_… in the environment may set it too",
        ));
    }
    if settings.pool() < settings.limit() {
        let (pool, limit) = (settings.pool(), settings.limit());
        return Err(Error::usage(format!("--pool is {pool}, which is smaller than the {limit} passages wanted"))
            .hint(format!("ask for fewer with -k {pool}, or for a pool of {limit}")));
    }
    let restriction = args.filter.or(config.search.filter.as_deref())?;
    let half_life = half_life(args.half_life, config.search.half_life.as_deref())?;
    let rerank = rerank(&settings, SEARCH_BUDGET)?;
    let mut kernel = context.kernel_over(&store, &config)?;
    if settings.expand == Some(Expand::Llm) {
        kernel = kernel.asking(Arc::new(context.llm(&store, &config).required("--expand llm")?));
    }
    let documents = match args.doc.as_slice() {
        [] => None,
        names => Some(documents(context, &kernel, names, &store).await?),
    };
    let request = SearchRequest {
        documents,
        restriction,
        half_life,
        rerank,
        method: settings.method.unwrap_or(Method::Auto),
        limit: settings.limit(),
        min_score: settings.min_score,
        pool: settings.pool(),
        weights: settings.weights,
        fusion: settings.fusion(),
        kind: settings.kind,
        expand: settings.expand.unwrap_or_default(),
        fallback: settings.fallback.unwrap_or_default(),
        query_encoder: settings.query_encoder.unwrap_or_default(),
        shape,
        ..SearchRequest::new(query)
    };
    Ok((kernel, request))
}

/// The ids of the documents that were named, wherever they are; what was guessed is told, once.
async fn documents(context: &Context, kernel: &Kernel, names: &[String], store: &Store) -> Result<Vec<String>> {
    let snapshots = kernel.snapshots().await?;
    let mut namespaces = Vec::with_capacity(snapshots.len());
    for snapshot in snapshots {
        namespaces.push(snapshot.documents().await?);
    }
    let (mut ids, mut told) = (Vec::new(), Vec::new());
    for name in names {
        for named in resolve_in_each(&namespaces, name, store)? {
            ids.push(named.document.doc_id.clone());
            told.extend(named.note);
        }
    }
    for list in [&mut ids, &mut told] {
        list.sort();
        list.dedup();
    }
    told.iter().for_each(|note| context.tell(note));
    Ok(ids)
}

//! `kb search`: the best parent chunks for a question.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::Args;
use futures::future::try_join_all;

use super::filter::{FILTERS, TimeArgs};
use super::invocation::{ASKS_AN_ENDPOINT, Context, READS_A_FILE};
use crate::config::{Config, HalfLifeSetting, Output, SearchSettings, Share, list_settings};
use crate::embed::{Reranker, TokenCounter};
use crate::endpoint::RERANKING;
use crate::error::{Error, Result, Setting};
use crate::ids::DocId;
use crate::render;
use crate::search::{
    Fallback, FilterOrigin, Hit, Note, NoteCode, Rerank, Restriction, Route, SearchRequest, Searcher, Target, Trace,
    documents_to_resolve, resolve_each,
};
use crate::store::Store;

/// No real question is longer.
const LONGEST_QUERY_BYTES: usize = 64 * 1024;

const EXAMPLES: &str = "\
Examples:
  kb search how is the pump primed
  kb search E-417 --method keyword
  kb search retry limit --doc network-guide.md --context 1
  kb search retry limit --mode section -n manuals,drafts

`kb search --help` lists all options.";

const MORE: &str = "\
Examples:
  kb search 如何启动水泵 -k 3
  kb search '\"prime the pump\" vent'             only chunks with that phrase
  kb search what chapters does manual.pdf have   answered from the table of contents
  kb search retry limit -n all                   in every namespace, ranked together
  kb search budget --filter 'page <= 20' --as-of 2026-06 --half-life 90d
  kb search priming --mode drill:1,1,3           the best document, its best chunk, the best sentences in it
  kb search priming --in sections                which sections are about it
  kb search prime the pump --rerank models/reranker --rerank-budget 50,1s
  kb search how is the pump primed --why 7f3k2m:12

Unknown words fall back to spelling and compound matches, and a note names these. valv* finds the four most frequent words
that begin with valv (at least four letters). Synonyms and abbreviations come from the documents and .kb/synonyms.txt: one
line for each group of equal names (pump, 水泵) or for one direction (TDO => Transport Disconnect Order).";

/// How to set settings other than by flags, for `--help`.
pub(super) const SETTINGS: &str = "\
Settings: flags override environment variables, and these override [search] in kb.toml. The variable of a setting is
KB_SEARCH_ and its name in capitals: KB_SEARCH_LIMIT=3, KB_SEARCH_MERGE=true. Where two settings contradict each
other, a note names the one without effect.";

/// Find the parts of documents that answer a question
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{MORE}\n\n{FILTERS}\n\n{SETTINGS}"))]
pub struct SearchArgs {
    #[command(flatten)]
    query_args: QueryArgs,
    /// What to search for: chunks, or sections with a preview
    #[arg(long = "in", value_enum, value_name = "WHAT", default_value = "chunks")]
    #[arg(hide_short_help = true, help_heading = "What is shown")]
    target: Target,
    /// Show which stage dropped this chunk or section, and which option controls that stage
    #[arg(long, value_name = "ID", conflicts_with = "explain", hide_short_help = true, help_heading = "What is shown")]
    why: Option<String>,
}

// No doc comment: it would become the description of the command.
#[derive(Debug, Args)]
pub(super) struct QueryArgs {
    /// Show each stage with its time, its input and its output
    #[arg(long, help_heading = "What is shown")]
    explain: bool,
    /// A question or words; they need no quotes
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Only this document: its id, path, title or a part of them; repeatable
    #[arg(long, value_name = "DOC", help_heading = "Filters")]
    doc: Vec<String>,
    #[command(flatten)]
    times: TimeArgs,
    /// Show all hits, at any confidence
    #[arg(long, conflicts_with = "min_confidence", help_heading = "Filters")]
    all: bool,
    // Declared for help and completions; read from the matches, over kb.toml.
    #[command(flatten)]
    _settings: SearchSettings,
}

pub async fn run(context: &Context, args: SearchArgs) -> Result<u8> {
    let output = if context.output_format().is_json() { Output::Json } else { Output::People };
    let (searcher, request) = prepare_request(context, args.query_args, args.target, output).await?;
    if let Some(id) = &args.why {
        let why = searcher.why(&request, id).await?;
        context.show(render::why(&why).read_from(&searcher.snapshots().await?))?;
        return Ok(u8::from(why.rank.is_none()));
    }
    let result = searcher.search(&request).await?;
    report(context, &result.notes, &result.route, &result.trace)?;
    let page = render::search(&result, context.output_format(), context.screen);
    context.show(page.read_from(&searcher.snapshots().await?))?;
    if result.hits.is_empty() && result.contents.is_empty() {
        return nothing_found(context, &result.query, &result.notes, &result.nearest);
    }
    Ok(0)
}

/// Notes that nothing was found and what is nearest, and gives the exit code.
pub(super) fn nothing_found(context: &Context, query: &str, notes: &[Note], nearest: &[Hit]) -> Result<u8> {
    if notes.iter().all(|note| note.code != NoteCode::NoSearchNeeded) {
        context.tell(&format!("nothing found for {:?}", crate::text::truncate(query, 80)));
    }
    if !nearest.is_empty() {
        let named: Vec<String> = nearest.iter().map(render::nearest).collect();
        let (named, all) = (named.join("; "), Setting("all"));
        let typed = context.is_typed("min_confidence");
        let from = if typed { None } else { origin_of("min_confidence", &context.store()?)? };
        let from = from.map_or_else(String::new, |place| format!(" of {place}"));
        context.tell(&format!("nearest, but below the confidence limit{from} ({all} shows them): {named}"));
    }
    Ok(1)
}

/// The file or the variable that sets a setting of searches.
pub(super) fn origin_of(setting: &str, store: &Store) -> Result<Option<String>> {
    let listed = list_settings(Some(store.root()))?;
    let own = listed.into_iter().find(|one| one.is_set && one.setting == format!("search.{setting}"));
    Ok(own.map(|one| one.from))
}

/// Reports notes, and with `--verbose` the method and the time of each stage. The note that the model does not read a
/// language is shown a person once a day.
pub(super) fn report(context: &Context, notes: &[Note], route: &Route, trace: &Trace) -> Result<()> {
    for note in notes {
        let is_daily = note.code == NoteCode::VectorsLeftOut && !context.global.quiet && !context.output.takes_value();
        if !is_daily || context.store()?.is_first_today(&note.message) {
            context.tell(&note.message);
        }
    }
    let stages: Vec<String> =
        trace.stages.iter().map(|stage| format!("{} {:.1} ms", stage.name, stage.milliseconds)).collect();
    context.tell_verbose(&format!("method {}; {}", route.method().name(), stages.join(", ")));
    Ok(())
}

pub(super) async fn prepare_request(
    context: &Context,
    args: QueryArgs,
    target: Target,
    output: Output,
) -> Result<(Searcher, SearchRequest)> {
    let query = args.query.join(" ");
    if query.len() > LONGEST_QUERY_BYTES {
        let message = format!("the query has {} kB; the limit is 64 kB", query.len() / 1024);
        return Err(Error::usage(message).hint("ask a shorter question, or ingest the text as a document"));
    }
    SearchSettings::check_variables()?;
    let store = context.store()?;
    let mut config = context.config(&store)?;
    config.search = context.with_arguments(config.search)?;
    if args.all {
        config.search.min_confidence = Some(Share(0.0));
    }
    if config.search.tokenizer.as_deref().is_some_and(TokenCounter::is_file) {
        context.decline_if_served(READS_A_FILE)?;
    }
    let (mut request, notes) = config.search.request(query, target, output, |id| context.is_typed(id))?;
    notes.iter().for_each(|note| context.tell(note));
    request.explain = args.explain;
    let searcher = with_endpoints(context.searcher_over(&store, &config)?, context, &store, &config, &request)?;
    request.restriction = args.times.restriction(request.restriction.filter, config.headings)?;
    if request.restriction.filter.is_some() && !context.is_typed("filter") {
        let without = match context.is_given("filter") {
            true => "unset it to search without it".to_owned(),
            false => format!("{} '' searches without it", Setting("filter")),
        };
        request.restriction.filter_from = origin_of("filter", &store)?.map(|place| FilterOrigin { place, without });
    }
    if let Some(setting) = config.search.half_life.filter(|setting| setting.half_life.is_some())
        && let Err(error) = half_life_fits(setting, &request.restriction)
    {
        if context.is_typed("half_life") {
            return Err(error);
        }
        request.half_life = None;
        context.tell(&format!("no decay: {}", error.message()));
    }
    if !args.doc.is_empty() {
        request.documents = Some(documents(context, &searcher, &args.doc, &store).await?);
    }
    Ok((searcher, request))
}

fn with_endpoints(
    mut searcher: Searcher,
    context: &Context,
    store: &Store,
    config: &Config,
    request: &SearchRequest,
) -> Result<Searcher> {
    if request.expand.wordings.any() {
        context.decline_if_served(ASKS_AN_ENDPOINT)?;
        let expand = format!("{} llm, rewrite, hyde or keywords", Setting("expand"));
        searcher = searcher.asking(Arc::new(context.llm(store, config).required(&expand)?));
    } else if request.fallback != Fallback::default()
        && let Some(client) = context.llm(store, config).client()?
    {
        context.decline_if_served(ASKS_AN_ENDPOINT)?;
        searcher = searcher.asking(Arc::new(client));
    }
    if matches!(request.rerank, Rerank::Endpoint { .. }) {
        context.decline_if_served(ASKS_AN_ENDPOINT)?;
        let settings = config.reranking.settings(RERANKING)?.ok_or_else(|| {
            Error::usage(format!("no endpoint is configured for {} endpoint", Setting("rerank")))
                .hint("set base_url and model in [reranking] of your config.toml")
        })?;
        searcher = searcher.reranking(Arc::new(Reranker::new(&settings)?));
    }
    Ok(searcher)
}

/// Checks that a half-life has the unit of the times.
fn half_life_fits(setting: HalfLifeSetting, restriction: &Restriction) -> Result<()> {
    let half_life = Setting("half_life");
    match &restriction.time_field {
        None if setting.is_number => Err(Error::usage(format!("{half_life} is a number without a unit"))
            .hint(format!("write 90d, or name a field of numbers with {}", Setting("time_field")))),
        Some(field) if !setting.is_number => {
            Err(Error::usage(format!("{half_life} is a length of time, but the field {} holds numbers", field.name))
                .hint("write a number, such as 100"))
        }
        Some(field) if field.as_of.is_none() => {
            Err(Error::usage(format!("the age on the field {} has no starting point", field.name))
                .hint(format!("give {} too", Setting("as_of"))))
        }
        _ => Ok(()),
    }
}

/// The ids of the named documents in all namespaces, each once. Notes each guess.
async fn documents(context: &Context, searcher: &Searcher, names: &[String], store: &Store) -> Result<Vec<DocId>> {
    let snapshots = searcher.snapshots().await?;
    let known = snapshots.iter().map(|snapshot| documents_to_resolve(snapshot, names, store));
    let namespaces = try_join_all(known).await?;
    let (mut ids, mut notes) = (BTreeSet::new(), BTreeSet::new());
    for name in names {
        for (_, named) in resolve_each(&namespaces, name, store).map_err(Error::as_wrong_option)? {
            ids.insert(named.document.doc_id.clone());
            notes.extend(named.note);
        }
    }
    notes.iter().for_each(|note| context.tell(note));
    Ok(ids.into_iter().collect())
}

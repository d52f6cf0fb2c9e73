//! `kb reindex`: derived data made anew from what is in the store.

use clap::Args;

use super::Context;
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::waiting::WaitArgs;
use crate::chunk::context::ContextKind;
use crate::error::{Error, Kind, Result};
use crate::ingest::{RebuildOptions, ReindexRequest, recontext, reindex};
use crate::models::Models;
use crate::render::ReindexView;
use crate::retrieve::Purpose;
use crate::store::Snapshot;

/// Find the sections of documents anew, in place, or embed their passages in another context
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb reindex --structure                 documents whose sections an older kb found
  kb reindex --structure manual.pdf --force
  kb reindex --structure --dry-run
  kb reindex --context llm --dry-run     what lines of a language model would cost
  kb reindex --context subjects          documents whose passages stand in another context

With --context nothing is read again: what stands in front of the passages is made anew, and pieces are embedded whose
embedded text is another now. --context llm asks the language model of kb.toml, with --force also for passages of which it
said nothing; what it said once is kept and costs nothing.

With --structure a document is read from its source where that still is what was ingested, otherwise from its passages in the store; where
those show fewer sections than the source did, it is kept as it is.
Vectors are kept where a piece's text is unchanged, also where only the titles above it changed; only new pieces are
embedded. Exit code 4 where some documents failed; those stay as they were.")]
pub struct ReindexArgs {
    /// Only these documents (an id or its beginning, a path or its end, or a title)
    #[arg(value_name = "DOC")]
    documents: Vec<String>,
    /// Find sections anew and cut them into passages
    #[arg(long)]
    structure: bool,
    /// What is embedded and indexed in front of passages from now on
    #[arg(long, value_enum, value_name = "KIND")]
    context: Option<ContextKind>,
    /// Those too that this version of kb made, or that stand in this context
    #[arg(long)]
    force: bool,
    /// Only say what would be rebuilt
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

pub async fn run(context: &Context, args: ReindexArgs) -> Result<u8> {
    if !args.structure && args.context.is_none() {
        return Err(Error::usage("nothing was said of what to reindex")
            .hint("`kb reindex --structure` finds the sections of documents anew, `--context KIND` embeds them in another context"));
    }
    let store = context.store()?;
    let llm = context.llm(&store, &context.config(&store)?);
    if args.context == Some(ContextKind::Llm) {
        llm.required("--context llm")?;
    }
    let documents = match args.documents.as_slice() {
        [] => None,
        names => {
            let namespace = store.namespace(&context.global.namespace)?;
            let all = Snapshot::open(&namespace).await?.documents().await?;
            let found = context.documents(&all, names, &store, Purpose::Change)?;
            Some(found.into_iter().map(|row| row.doc_id.clone()).collect())
        }
    };
    let request = ReindexRequest { documents, context: args.context, force: args.force, dry_run: args.dry_run };
    let options = RebuildOptions { llm: Some(llm), ..rebuild_options(context, args.reading, &args.wait)? };
    let progress = progress_display(context);
    let namespace = &context.global.namespace;
    let report = match args.context {
        Some(kind) if !args.structure => recontext(&request, kind, &store, namespace, &options, progress).await?,
        _ => reindex(&request, &store, namespace, &options, progress).await?,
    };
    context.show(&ReindexView(&report))?;
    Ok(if report.failed() > 0 { Kind::Partial.exit_code() } else { 0 })
}

/// How documents are rebuilt, from what was typed and `kb.toml`; no language model is asked.
pub(super) fn rebuild_options(context: &Context, reading: ReadingArgs, wait: &WaitArgs) -> Result<RebuildOptions> {
    let config = context.config(&context.store()?)?;
    let reading = reading.or(&config.ingest)?;
    Ok(RebuildOptions {
        limits: reading.limits,
        load: reading.load,
        models: Models::of_user()?,
        engine: context.engine(&config),
        jobs: reading.jobs,
        llm: None,
        patience: wait.patience(context),
    })
}

//! `kb reindex`: derived data made anew from what is in the store.

use clap::Args;

use super::Context;
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::waiting::WaitArgs;
use crate::chunk::context::ContextKind;
use crate::error::{Error, Kind, Result};
use crate::ingest::{
    FitOptions, RebuildOptions, ReindexRequest, RevectorRequest, fit_query_encoder, recontext, reindex, revector,
};
use crate::llm::Unsaid;
use crate::render::{QueryEncoderView, ReindexView, RevectorView};
use crate::retrieve::Purpose;
use crate::store::Snapshot;

/// Find the sections of documents anew, in place, or make their vectors anew: in another context, or by another model
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb reindex --structure                 documents whose sections an older kb found
  kb reindex --structure manual.pdf --force
  kb reindex --structure --dry-run
  kb reindex --context llm --dry-run     what lines of a language model would cost
  kb reindex --context subjects          documents whose passages stand in another context
  kb reindex --vectors --model bge-m3    all vectors by another model; `kb models` lists them
  kb reindex --query-encoder             what makes questions faster than the model does, fitted to this store
  kb reindex --vectors                   those that `kb ingest --no-embed` has left out

With --context nothing is read again: what stands in front of the passages is made anew, and pieces are embedded whose
embedded text is another now. --context llm asks the language model of kb.toml, with --force also for passages of which it
said nothing; what it said once is kept and costs nothing.

With --vectors and another model all vectors are made anew and published in one piece. Until then
searches use the old ones, and other commands may write. What an interrupted run has made is kept, and
the same command goes on from there. The generation before can be restored, with its vectors. Documents
that were ingested with --no-embed get vectors too; with --structure and --context they stay without.

With --query-encoder a table is fitted to the text of the store: it puts a question about where the model would, without
running it. It takes a minute or two, is used from then on where it knows all words of a question, and says how near to the
model it came. Make it again after large changes; without it, or for other words, the model is asked as before.

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
    /// Make vectors: all of them where the model is another one than before, otherwise those that are missing
    #[arg(long, conflicts_with_all = ["structure", "context", "documents"])]
    vectors: bool,
    /// The model of the vectors, which is used from now on [default: the one that is used]
    #[arg(long, value_name = "NAME", requires = "vectors")]
    model: Option<String>,
    /// Fit what stands in for the model when a question is asked
    #[arg(long, conflicts_with_all = ["structure", "context", "documents", "vectors", "force"])]
    query_encoder: bool,
    /// Those too that this version of kb made, that stand in this context, or whose vectors are there
    #[arg(long)]
    force: bool,
    /// Only say what would be made anew
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

pub async fn run(context: &Context, args: ReindexArgs) -> Result<u8> {
    if args.vectors {
        return vectors(context, args).await;
    }
    if args.query_encoder {
        return query_encoder(context, args).await;
    }
    if !args.structure && args.context.is_none() {
        return Err(Error::usage("nothing was said of what to reindex")
            .hint("`kb reindex --structure` finds the sections of documents anew, `--context KIND` embeds them in another context, `--vectors` by another model, `--query-encoder` makes questions faster"));
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
    // What is made anew because of something else costs nothing that was paid for before.
    let again = args.force && args.context == Some(ContextKind::Llm);
    let unsaid = if again { Unsaid::AskedAgain } else { Unsaid::Left };
    let options = RebuildOptions { llm: Some(llm), unsaid, ..rebuild_options(context, args.reading, &args.wait)? };
    let progress = progress_display(context);
    let namespace = &context.global.namespace;
    let report = match args.context {
        Some(kind) if !args.structure => recontext(&request, kind, &store, namespace, &options, progress).await?,
        _ => reindex(&request, &store, namespace, &options, progress).await?,
    };
    context.show(&ReindexView(&report))?;
    Ok(if report.failed() > 0 { Kind::Partial.exit_code() } else { 0 })
}

async fn vectors(context: &Context, args: ReindexArgs) -> Result<u8> {
    let namespace = context.store()?.namespace(&context.global.namespace)?;
    let request = RevectorRequest { model: args.model, force: args.force, dry_run: args.dry_run };
    let options = rebuild_options(context, args.reading, &args.wait)?;
    let report = revector(&request, &namespace, &options, progress_display(context)).await?;
    context.show(&RevectorView(&report))?;
    Ok(0)
}

async fn query_encoder(context: &Context, args: ReindexArgs) -> Result<u8> {
    let namespace = context.store()?.namespace(&context.global.namespace)?;
    let RebuildOptions { models, engine, jobs, .. } = rebuild_options(context, args.reading, &args.wait)?;
    let options = FitOptions { models, engine, jobs };
    let report = fit_query_encoder(&namespace, &options, args.dry_run, progress_display(context)).await?;
    context.show(&QueryEncoderView(&report))?;
    Ok(0)
}

/// How documents are rebuilt, from what was typed and `kb.toml`; no language model is asked.
pub(super) fn rebuild_options(context: &Context, reading: ReadingArgs, wait: &WaitArgs) -> Result<RebuildOptions> {
    let config = context.config(&context.store()?)?;
    let reading = reading.or(&config.ingest)?;
    Ok(RebuildOptions {
        limits: reading.limits,
        load: reading.load,
        models: context.models(),
        engine: context.engine(&config),
        jobs: reading.jobs,
        llm: None,
        unsaid: Unsaid::Left,
        patience: wait.patience(context),
    })
}

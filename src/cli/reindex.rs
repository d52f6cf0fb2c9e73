//! `kb reindex`: rebuilds derived data from the store.

use clap::Args;

use super::global::WaitArgs;
use super::invocation::{Context, ids_to_change};
use super::progress::{end_on_interrupt, progress_display};
use crate::chunk::context::ContextKind;
use crate::chunk::{ChunkChange, ChunkConfig};
use crate::config::{ChunkSettings, ReadingSettings};
use crate::error::{Error, Kind, Result};
use crate::ingest::{RebuildOptions, ReindexRequest, RevectorRequest, reindex, revector};
use crate::llm::Unanswered;
use crate::render::{reembedded, reindexed};
use crate::store::Snapshot;

/// Rebuild sections, contexts or vectors of stored documents
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:
  kb reindex --structure                 detect sections again that an older kb detected
  kb reindex --structure manual.pdf --force
  kb reindex --chunks --parent-chars 600 cut parent chunks at another length
  kb reindex --context none              replace the context of chunks
  kb reindex --context llm --dry-run     how many tokens a language model would take
  kb reindex --vectors                   compute the vectors that `kb ingest --no-embed` skipped
  kb reindex --vectors --model bge-m3    replace all vectors; `kb models` lists the models

The exit code is 4 if some documents failed; these documents do not change.",
    after_long_help = "\
--structure reads the source if it is unchanged, otherwise the parent chunks in the store. Vectors of unchanged child
chunks are kept.

--chunks cuts documents again if the lengths of their chunks differ from the options, or from [ingest] in kb.toml, or
from the defaults. Edits are carried over.

--context embeds child chunks again if their embedded text changes. With llm the language model of kb.toml writes the
context; --force asks again for contexts that it did not give. Answers are cached and never paid for twice.

--vectors with another model publishes all vectors at once. Until then searches use the old ones, other commands may
write, and an interrupted run continues where it stopped. `kb restore` brings the old vectors back."
)]
pub struct ReindexArgs {
    /// Only these documents: an id or its beginning, a path or its end, or a title
    #[arg(value_name = "DOC")]
    documents: Vec<String>,
    /// Detect sections and cut them into parent chunks
    #[arg(long)]
    structure: bool,
    /// Cut documents again if their chunks have other lengths than requested
    #[arg(long)]
    chunks: bool,
    /// Replace the context of parent chunks, which is embedded and indexed with them
    #[arg(long, value_enum, value_name = "KIND")]
    context: Option<ContextKind>,
    /// Compute missing vectors, or all vectors if the model changes
    #[arg(long, conflicts_with_all = ["structure", "chunks", "context", "documents"])]
    vectors: bool,
    /// The new embedding model [default: the current one]
    #[arg(long, value_name = "NAME", requires = "vectors")]
    model: Option<String>,
    /// Also rebuild what is up to date
    #[arg(long)]
    force: bool,
    /// Show what would be rebuilt
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
    // Declared for help and completions; read from the matches, over kb.toml.
    #[command(flatten)]
    _chunks: ChunkSettings,
    #[command(flatten)]
    _reading: ReadingSettings,
}

pub async fn run(context: &Context, args: ReindexArgs) -> Result<u8> {
    if args.vectors {
        let request = RevectorRequest { model: args.model, force: args.force, dry_run: args.dry_run };
        return embed_again(context, &request, &args.wait).await;
    }
    if !args.structure && !args.chunks && args.context.is_none() {
        return Err(Error::usage("no option says what to reindex").hint(
            "`--structure` rebuilds sections, `--chunks` chunks of another size, `--context KIND` the context of chunks, \
             `--vectors` vectors",
        ));
    }
    let store = context.store()?;
    let config = context.config(&store)?;
    let llm = context.llm(&store, &config);
    if args.context == Some(ContextKind::Llm) {
        llm.required("--context llm")?;
    }
    let documents = match args.documents.as_slice() {
        [] => None,
        names => {
            let namespace = store.namespace(&context.global.namespace)?;
            Some(ids_to_change(&store, &Snapshot::open(&namespace).await?, names).await?)
        }
    };
    let (structure, force, dry_run) = (args.structure, args.force, args.dry_run);
    let sizes = if args.chunks {
        let settings = context.with_arguments(config.ingest.clone().for_namespace(&context.global.namespace).chunks)?;
        // The default sizes for what is not set.
        ChunkChange::to_sizes_of(&ChunkConfig::default().with(&settings.change(None)?))
    } else {
        ChunkChange::default()
    };
    let chunks = ChunkChange { context: args.context, ..sizes };
    let request = ReindexRequest { documents, structure, chunks, force, dry_run };
    // Only an explicit request repeats questions that the model failed to answer before.
    let again = args.force && args.context == Some(ContextKind::Llm);
    let unanswered = if again { Unanswered::AskAgain } else { Unanswered::Skip };
    let options = RebuildOptions { llm: Some(llm), unanswered, ..rebuild_options(context, &args.wait)? };
    let progress = progress_display(context);
    end_on_interrupt(&progress);
    let namespace = &context.global.namespace;
    let report = reindex(&request, &store, namespace, &options, progress).await?;
    context.show(reindexed(&report))?;
    Ok(if report.failed() > 0 { Kind::Partial.exit_code() } else { 0 })
}

pub(super) async fn replace_vectors(context: &Context, model: &str) -> Result<()> {
    let request = RevectorRequest { model: Some(model.to_owned()), force: false, dry_run: false };
    embed_again(context, &request, &WaitArgs::default()).await.map(drop)
}

async fn embed_again(context: &Context, request: &RevectorRequest, wait: &WaitArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let options = rebuild_options(context, wait)?;
    let report = revector(request, &namespace, &options, progress_display(context)).await?;
    context.show(reembedded(&report))
}

/// How to rebuild documents: the settings of the command over `kb.toml`, without a language model.
pub(super) fn rebuild_options(context: &Context, wait: &WaitArgs) -> Result<RebuildOptions> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let declares_reading = context.matches.try_contains_id("page_timeout").is_ok();
    let settings = config.ingest.reading.clone();
    let reading = if declares_reading { context.with_arguments(settings)? } else { settings }.reading()?;
    Ok(RebuildOptions {
        reading,
        models: context.models_of(&store, &config),
        engine: context.engine(&config),
        llm: None,
        unanswered: Unanswered::Skip,
        lock_timeout: wait.lock_timeout(context),
    })
}

//! `kb chunk-delete`: removes chunks from documents.

use clap::Args;

use super::global::WaitArgs;
use super::input::{NOT_CONFIRMED, confirm};
use super::invocation::Context;
use super::progress::progress_display;
use super::reindex::rebuild_options;
use crate::edits::{Deletion, DocumentDeletion, delete_chunks};
use crate::error::{Error, NextStep, Result};
use crate::ingest::{Rebuilder, documents_of, publish};
use crate::render::deleted_chunks;
use crate::store::Snapshot;
use crate::text::count;

/// Delete chunks from documents; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunk-delete 7f3k2m:12.3                    one child chunk; its parent chunk keeps the rest
  kb chunk-delete 7f3k2m:12 7f3k2m:13 --yes      whole parent chunks, without asking
  kb chunk-delete 7f3k2m:12 --dry-run

`kb chunks-list` shows the ids. Deleting the last child chunk deletes its parent chunk. A document without chunks
stays in `kb docs`, so that the next ingest does not bring it back; `kb remove` removes it completely. Deleted chunks
stay deleted when the source is read again. If the source has changed at that place, the deletion becomes a conflict
(`kb chunks-list --conflicts`). `kb chunk-edit ID --reset` restores a parent chunk.")]
pub struct ChunkDeleteArgs {
    /// Ids of parent chunks (7f3k2m:12) or child chunks (7f3k2m:12.3)
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Refuse to delete a parent chunk that has child chunks
    #[arg(long)]
    no_cascade: bool,
    /// Show what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Skip the confirmation
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: ChunkDeleteArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    // Asks before it locks the namespace: the answer may take long.
    let snapshot = Snapshot::open(&namespace).await?;
    let mut deletion = plan(&snapshot, &args).await?;
    if args.dry_run {
        return context.show(deleted_chunks(&deletion.documents, None));
    }
    if !args.yes && !confirm(&question(&deletion.documents))? {
        context.tell("nothing was deleted");
        return Ok(NOT_CONFIRMED.exit_code());
    }
    let options = rebuild_options(context, &args.wait)?;
    let rebuilder = Rebuilder::open(&namespace, &options, "chunk-delete", progress_display(context)).await?;
    if rebuilder.snapshot.manifest().generation != snapshot.manifest().generation {
        let now = plan(&rebuilder.snapshot, &args).await?;
        if now.documents != deletion.documents {
            return Err(Error::failed("the documents have just changed; nothing was deleted")
                .hint(format!("look at the chunks with `{}`, then run the command again", NextStep::ListChunks)));
        }
        deletion = now;
    }
    // An open snapshot would keep the old generation.
    drop(snapshot);
    let generation = publish(rebuilder, deletion.changed).await?.generation;
    context.show(deleted_chunks(&deletion.documents, generation))
}

async fn plan(snapshot: &Snapshot, args: &ChunkDeleteArgs) -> Result<Deletion> {
    let stored = documents_of(snapshot, &args.ids).await?;
    delete_chunks(stored, &args.ids, !args.no_cascade, &jiff::Timestamp::now().to_string())
}

fn question(documents: &[DocumentDeletion]) -> String {
    let chunks = documents.iter().map(|row| row.deleted.len()).sum();
    let mut what = format!("delete {} of {}", count(chunks, "chunk"), count(documents.len(), "document"));
    let emptied: Vec<&str> = documents.iter().filter(|row| row.emptied).map(|row| row.source.as_str()).collect();
    if !emptied.is_empty() {
        what.push_str(&format!(", which leaves nothing of {}", emptied.join(", ")));
    }
    what
}

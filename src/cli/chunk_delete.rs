//! `kb chunk-delete`: take chunks out of documents.

use std::io::{IsTerminal, Write};

use clap::Args;

use super::Context;
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::reindex::rebuild_options;
use super::waiting::WaitArgs;
use crate::edit::{Deletion, DocumentDeletion, delete_chunks, documents_of, publish};
use crate::error::{Error, Result, plain_io};
use crate::ingest::Rebuilder;
use crate::render::DeletedChunksView;
use crate::store::Snapshot;
use crate::text::count;

/// Take chunks out of documents; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunk-delete 7f3k2m:12.3                    one piece; its passage becomes what is left
  kb chunk-delete 7f3k2m:12 7f3k2m:13 --yes      whole passages, without asking
  kb chunk-delete 7f3k2m:12 --dry-run

`kb chunks-list` shows the ids; those of the other chunks stay as they are. The last piece of a passage takes the
passage along. A document of which nothing is left stays in `kb docs`, so that the next ingest does not bring it back; `kb
remove` takes it out altogether.
What was deleted stays deleted when the source is read again, unless the source has changed at that place: then it is
a conflict (`kb chunks-list --conflicts`). `kb chunk-edit ID --reset` brings a passage back.")]
pub struct ChunkDeleteArgs {
    /// Ids of parents (7f3k2m:12) or children (7f3k2m:12.3)
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Refuse a parent that has children, instead of deleting them too
    #[arg(long)]
    no_cascade: bool,
    /// Only say what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: ChunkDeleteArgs) -> Result<u8> {
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    // Asked before the namespace is locked: who is asked may have gone for lunch.
    let snapshot = Snapshot::open(&namespace).await?;
    let mut deletion = plan(&snapshot, &args).await?;
    if args.dry_run {
        context.show(&DeletedChunksView { documents: &deletion.documents, generation: None })?;
        return Ok(0);
    }
    if !args.yes && !confirmed(&deletion.documents)? {
        context.tell("nothing was deleted");
        return Ok(1);
    }
    let options = rebuild_options(context, ReadingArgs::default(), &args.wait)?;
    let rebuilder = Rebuilder::open(&namespace, &options, "chunk-delete", progress_display(context)).await?;
    if rebuilder.snapshot().manifest().generation != snapshot.manifest().generation {
        let now = plan(rebuilder.snapshot(), &args).await?;
        if now.documents != deletion.documents {
            return Err(Error::failed("the documents have changed meanwhile; nothing was deleted")
                .hint("see what is there with `kb chunks-list` and run the command again"));
        }
        deletion = now;
    }
    // Otherwise this would be a reader of what is replaced, and keep it.
    drop(snapshot);
    let generation = publish(rebuilder, deletion.changed).await?.generation;
    context.show(&DeletedChunksView { documents: &deletion.documents, generation })?;
    Ok(0)
}

async fn plan(snapshot: &Snapshot, args: &ChunkDeleteArgs) -> Result<Deletion> {
    let stored = documents_of(snapshot, &args.ids).await?;
    delete_chunks(stored, &args.ids, !args.no_cascade, &jiff::Timestamp::now().to_string())
}

/// Asks on the terminal.
fn confirmed(documents: &[DocumentDeletion]) -> Result<bool> {
    let chunks = documents.iter().map(|row| row.deleted.len()).sum();
    let mut what = format!("{} of {}", count(chunks, "chunk"), count(documents.len(), "document"));
    let emptied: Vec<&str> = documents.iter().filter(|row| row.emptied).map(|row| row.source.as_str()).collect();
    if !emptied.is_empty() {
        what.push_str(&format!(", which is all of {}", emptied.join(", ")));
    }
    if !std::io::stdin().is_terminal() {
        return Err(
            Error::usage(format!("this deletes {what}")).hint("say --yes to delete them, or --dry-run to see them")
        );
    }
    let mut out = anstream::stderr();
    write!(out, "delete {what}? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Error::failed(format!("cannot read the answer: {}", plain_io(&error))))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

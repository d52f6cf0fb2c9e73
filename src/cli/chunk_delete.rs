//! `kb chunk-delete`: take chunks out of documents.

use std::io::{IsTerminal, Write};

use clap::Args;

use super::Context;
use super::waiting::WaitArgs;
use crate::edit::{Deletion, DocumentDeletion, delete_chunks};
use crate::embed::MODEL;
use crate::error::{Error, Result, plain_io};
use crate::render::DeletedChunksView;
use crate::store::{ModelRecord, NewDocument, Snapshot, Writer};
use crate::text::count;

/// Take chunks out of documents; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunk-delete 7f3k2m:12.3                    one piece; its passage becomes what is left
  kb chunk-delete 7f3k2m:12 7f3k2m:13 --yes      whole passages, without asking
  kb chunk-delete 7f3k2m:12 --dry-run

`kb chunks-list` shows the ids; those of the other chunks stay as they are. The last piece of a passage takes the
passage along, and the last passage of a document the document. What was deleted is back when the source is read
again: when the file has changed, when it gets the vectors that `--no-embed` left out, with `kb ingest --force`, and
by `kb toc DOC --edit` and `kb reindex`.")]
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
    let model = ModelRecord { name: MODEL.name.to_owned(), dimension: MODEL.dimension };
    let mut writer = Writer::open_existing(&namespace, &model, &args.wait.patience(context)).await?;
    if writer.generation() != snapshot.manifest().generation {
        let now = plan(&Snapshot::open(&namespace).await?, &args).await?;
        if now.documents != deletion.documents {
            return Err(Error::failed("the documents have changed meanwhile; nothing was deleted")
                .hint("see what is there with `kb chunks-list` and run the command again"));
        }
        deletion = now;
    }
    let generation = writer.publish(&deletion.change).await?;
    context.show(&DeletedChunksView { documents: &deletion.documents, generation: Some(generation) })?;
    Ok(0)
}

async fn plan(snapshot: &Snapshot, args: &ChunkDeleteArgs) -> Result<Deletion> {
    let mut doc_ids: Vec<String> =
        args.ids.iter().filter_map(|id| id.split_once(':')).map(|(doc_id, _)| doc_id.to_owned()).collect();
    doc_ids.sort_unstable();
    doc_ids.dedup();
    let mut stored = Vec::with_capacity(doc_ids.len());
    for document in snapshot.documents_by_id(&doc_ids).await? {
        let sections = snapshot.sections(&document.doc_id).await?;
        let chunks = snapshot.chunks_of(&document.doc_id).await?;
        stored.push(NewDocument { document, sections, chunks });
    }
    stored.sort_by(|a, b| a.document.source.cmp(&b.document.source));
    delete_chunks(stored, &args.ids, !args.no_cascade, &jiff::Timestamp::now().to_string())
}

/// Asks on the terminal.
fn confirmed(documents: &[DocumentDeletion]) -> Result<bool> {
    let chunks = documents.iter().map(|row| row.deleted.len()).sum();
    let mut what = format!("{} of {}", count(chunks, "chunk"), count(documents.len(), "document"));
    let removed: Vec<&str> = documents.iter().filter(|row| row.removed).map(|row| row.source.as_str()).collect();
    if !removed.is_empty() {
        what.push_str(&format!(", and with them all of {}", removed.join(", ")));
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

//! `kb chunk-edit`: changes the text and the notes of chunks.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;

use super::global::WaitArgs;
use super::input::{draft_file, edit, keep_draft, read_text};
use super::invocation::Context;
use super::progress::progress_display;
use super::reindex::rebuild_options;
use crate::edits::{ChunkEditRequest, Edits, NewText, Side, edit_chunks, read_batch, resolve_conflicts};
use crate::error::{Error, Result};
use crate::ids::ChunkId;
use crate::ingest::{Rebuilder, documents_of, publish};
use crate::render::edited_chunks;
use crate::store::{ChunkRow, Snapshot};

/// Change the text and the notes of chunks; the files do not change
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunk-edit 7f3k2m:12                                  in your editor (VISUAL, EDITOR)
  kb chunk-edit 7f3k2m:12.3 --content \"Check the gauge first.\"
  kb chunk-edit 7f3k2m:12 --meta reviewed=2026-11-21 --meta draft=
  kb chunks-list --doc manual.pdf --format jsonl > chunks; vi chunks; kb chunk-edit --batch chunks
  kb chunk-edit 7f3k2m:12 --reset                          the text of the source, also after a deletion
  kb chunk-edit 7f3k2m~1 --resolve mine

New text is cut into child chunks and embedded as in an ingest. Edits survive when the document is ingested again. If
the source changed the same text, its new text is used and your edit becomes a conflict: `kb chunks-list --conflicts`
shows it, --resolve resolves it.")]
pub struct ChunkEditArgs {
    /// Ids of parent chunks (7f3k2m:12) or child chunks (7f3k2m:12.3); with --resolve, ids of conflicts (7f3k2m~1)
    #[arg(value_name = "ID", required_unless_present = "batch")]
    ids: Vec<String>,
    /// The new text
    #[arg(long, value_name = "TEXT", group = "what")]
    content: Option<String>,
    /// A file with the new text; - is standard input
    #[arg(long, value_name = "FILE", group = "what")]
    content_file: Option<PathBuf>,
    /// Set a note; an empty value removes it
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_note, conflicts_with_all = ["batch", "resolve"])]
    meta: Vec<(String, Option<String>)>,
    /// Apply all edits in this file or none, one JSON object per line, as `kb chunks-list --format jsonl` writes them
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "ids")]
    batch: Option<PathBuf>,
    /// Restore the text of the source in parent chunks, and remove their notes
    #[arg(long, group = "what")]
    reset: bool,
    /// Resolve conflicts: keep your text (mine) or the source's (theirs)
    #[arg(long, value_enum, value_name = "WHOSE", group = "what")]
    resolve: Option<Side>,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

fn parse_note(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), (!value.is_empty()).then(|| value.to_owned())))
}

enum Edit {
    Chunks(Vec<ChunkEditRequest>),
    Batch(String),
    Resolve(Vec<String>, Side),
}

pub async fn run(context: &Context, args: ChunkEditArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    // Opens the snapshot first, so that an error comes before the editor.
    let snapshot = Snapshot::open(&namespace).await?;
    let (request, draft) = read_edit(&args, &snapshot).await?;
    let work = async {
        if args.dry_run {
            let edits = plan(&snapshot, &request).await?;
            return context.show(edited_chunks(&edits.documents, None, None));
        }
        let options = rebuild_options(context, &args.wait)?;
        let rebuilder = Rebuilder::open(&namespace, &options, "chunk-edit", progress_display(context)).await?;
        if let Some(draft) = &draft {
            refuse_changed(&rebuilder.snapshot, &draft.row).await?;
        }
        // An open snapshot would keep the old generation.
        drop(snapshot);
        let edits = plan(&rebuilder.snapshot, &request).await?;
        let done = publish(rebuilder, edits.changed).await?;
        let (generation, embedded) = (done.generation, Some(done.embedded()));
        context.show(edited_chunks(&edits.documents, generation, embedded))
    };
    work.await.map_err(|error| keep_draft(error, draft.map(|draft| draft.file), "--content-file"))
}

/// The text from the editor, and the chunk before the edit.
struct Draft {
    file: tempfile::NamedTempFile,
    row: ChunkRow,
}

async fn read_edit(args: &ChunkEditArgs, snapshot: &Snapshot) -> Result<(Edit, Option<Draft>)> {
    if let Some(file) = &args.batch {
        return Ok((Edit::Batch(read_text(file)?), None));
    }
    if let Some(side) = args.resolve {
        return Ok((Edit::Resolve(args.ids.clone(), side), None));
    }
    let (text, draft) = if args.reset {
        (Some(NewText::Source), None)
    } else if let Some(content) = &args.content {
        (Some(NewText::Given(content.clone())), None)
    } else if let Some(file) = &args.content_file {
        (Some(NewText::Given(read_text(file)?)), None)
    } else if !args.meta.is_empty() {
        (None, None)
    } else if !std::io::stdin().is_terminal() {
        (Some(NewText::Given(read_text(Path::new("-"))?)), None)
    } else {
        let (text, draft) = from_editor(args, snapshot).await?;
        (Some(NewText::Given(text)), Some(draft))
    };
    if args.ids.len() > 1 && matches!(text, Some(NewText::Given(_))) {
        return Err(Error::usage("several chunks cannot get the same text; nothing was changed")
            .hint("change one at a time, or many with --batch"));
    }
    let metadata: BTreeMap<String, Option<String>> = args.meta.iter().cloned().collect();
    let request =
        |id: &String| ChunkEditRequest { chunk_id: id.as_str().into(), text: text.clone(), metadata: metadata.clone() };
    Ok((Edit::Chunks(args.ids.iter().map(request).collect()), draft))
}

async fn from_editor(args: &ChunkEditArgs, snapshot: &Snapshot) -> Result<(String, Draft)> {
    let [id] = args.ids.as_slice() else {
        return Err(Error::usage("an editor takes one chunk at a time").hint("change many with --batch"));
    };
    let row = current(snapshot, id).await?.ok_or_else(|| {
        Error::not_found(format!("no chunk {id:?}; nothing was changed")).hint("`kb chunks-list` shows the ids")
    })?;
    let file = draft_file(row.content.trim_end(), &format!("kb-chunk-{}-", id.replace([':', '.'], "-")))?;
    let text = edit(file.path(), "use --content, --content-file or a pipe")?;
    Ok((text, Draft { file, row }))
}

async fn current(snapshot: &Snapshot, id: &str) -> Result<Option<ChunkRow>> {
    Ok(snapshot.chunks_by_id(&[id.into()]).await?.pop())
}

/// Refuses an edit of a chunk that changed while the editor was open.
async fn refuse_changed(snapshot: &Snapshot, row: &ChunkRow) -> Result<()> {
    match current(snapshot, &row.chunk_id).await? {
        Some(now) if now.content == row.content => Ok(()),
        _ => Err(Error::failed(format!("{:?} has changed in the store meanwhile; nothing was written", row.chunk_id))
            .hint("`kb chunks-list` shows its new text")),
    }
}

async fn plan(snapshot: &Snapshot, request: &Edit) -> Result<Edits> {
    let now = jiff::Timestamp::now().to_string();
    match request {
        Edit::Chunks(requests) => {
            let ids: Vec<ChunkId> = requests.iter().map(|request| request.chunk_id.clone()).collect();
            edit_chunks(documents_of(snapshot, &ids).await?, requests, &now)
        }
        Edit::Batch(text) => {
            let stored = documents_of(snapshot, &ChunkEditRequest::ids_of_batch(text)?).await?;
            let requests = read_batch(text, &stored)?;
            edit_chunks(stored, &requests, &now)
        }
        Edit::Resolve(ids, side) => resolve_conflicts(documents_of(snapshot, ids).await?, ids, *side, &now),
    }
}

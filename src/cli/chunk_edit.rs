//! `kb chunk-edit`: change the text of chunks, and what is noted about them.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Context;
use super::editor::{edit, forget_nothing, keep, read_standard_input};
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::reindex::rebuild_options;
use super::waiting::WaitArgs;
use crate::edit::{ChunkOrder, Edits, NewText, Side, documents_of, edit_chunks, publish, read_batch, settle};
use crate::error::{Error, Result};
use crate::ingest::Rebuilder;
use crate::render::EditedChunksView;
use crate::store::{ChunkRow, Snapshot};

/// Change chunks: their text, and what is noted about them; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunk-edit 7f3k2m:12                                  in your editor (VISUAL, EDITOR)
  kb chunk-edit 7f3k2m:12.3 --content \"Check the gauge first.\"
  sed 's/bar/kPa/' text | kb chunk-edit 7f3k2m:12
  kb chunk-edit 7f3k2m:12 --meta reviewed=2026-11-21 --meta draft=
  kb chunks-list --doc manual.pdf --format jsonl > chunks; vi chunks; kb chunk-edit --batch chunks
  kb chunk-edit 7f3k2m:12 --reset                          what the source says, also after a deletion
  kb chunk-edit 7f3k2m~1 --resolve mine

A passage is cut into pieces as at the ingest; a piece that is changed changes its passage. What is new is embedded, and
both indexes are mended. Edits survive when the document is ingested again: they are put onto the new text, sentence by
sentence, wherever the source has not changed what you changed. Where it has, the source's text stands and your edit is
kept aside as a conflict: `kb chunks-list --conflicts` shows it, --resolve settles it.
Document, section, parent, index and type of a chunk cannot be edited: they follow from the text.")]
pub struct ChunkEditArgs {
    /// Ids of parents (7f3k2m:12) or children (7f3k2m:12.3); with --resolve, of conflicts (7f3k2m~1)
    #[arg(value_name = "ID", required_unless_present = "batch")]
    ids: Vec<String>,
    /// The new text
    #[arg(long, value_name = "TEXT", group = "what")]
    content: Option<String>,
    /// A file with the new text; - is standard input
    #[arg(long, value_name = "FILE", group = "what")]
    content_file: Option<PathBuf>,
    /// Note something; without a value, take the note away
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_note, conflicts_with_all = ["batch", "resolve"])]
    meta: Vec<(String, Option<String>)>,
    /// A file with many edits, a line of JSON each, as `kb chunks-list --format jsonl` writes them; all or none is
    /// done. - is standard input
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "ids")]
    batch: Option<PathBuf>,
    /// Give passages back what the source says, without notes
    #[arg(long, group = "what")]
    reset: bool,
    /// Settle conflicts: your text, or the source's
    #[arg(long, value_enum, value_name = "WHOSE", group = "what")]
    resolve: Option<Whose>,
    /// Only say what would be changed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

/// Whose text holds.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Whose {
    /// What you typed
    Mine,
    /// What the source says
    Theirs,
}

fn parse_note(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_owned(), (!value.is_empty()).then(|| value.to_owned())))
}

/// What is to be done, as it was typed.
enum Order {
    Chunks(Vec<ChunkOrder>),
    Batch(String),
    Settle(Vec<String>, Side),
}

pub async fn run(context: &Context, args: ChunkEditArgs) -> Result<u8> {
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    // Read first, so that nothing is made where nothing is, and nobody types for nothing.
    let snapshot = Snapshot::open(&namespace).await?;
    let (order, kept) = read_order(&args, &snapshot).await?;
    let work = async {
        if args.dry_run {
            let edits = plan(&snapshot, &order).await?;
            return context.show(&EditedChunksView { edits: &edits.documents, generation: None, embedded: None });
        }
        let options = rebuild_options(context, ReadingArgs::default(), &args.wait)?;
        let rebuilder = Rebuilder::open(&namespace, &options, "chunk-edit", progress_display(context)).await?;
        if let Some(kept) = &kept {
            refuse_changed(rebuilder.snapshot(), &kept.row).await?;
        }
        // Otherwise this would be a reader of what is replaced, and keep it.
        drop(snapshot);
        let edits = plan(rebuilder.snapshot(), &order).await?;
        let done = publish(rebuilder, edits.changed).await?;
        let (generation, embedded) = (done.generation, Some(done.embedded));
        context.show(&EditedChunksView { edits: &edits.documents, generation, embedded })
    };
    match work.await {
        Ok(()) => Ok(0),
        Err(error) => Err(forget_nothing(error, kept.map(|kept| kept.file), "--content-file")),
    }
}

/// What was typed in an editor, and the chunk as it was then.
struct Kept {
    file: tempfile::NamedTempFile,
    row: ChunkRow,
}

async fn read_order(args: &ChunkEditArgs, snapshot: &Snapshot) -> Result<(Order, Option<Kept>)> {
    if let Some(file) = &args.batch {
        return Ok((Order::Batch(read_text(file)?), None));
    }
    if let Some(whose) = args.resolve {
        let side = match whose {
            Whose::Mine => Side::Mine,
            Whose::Theirs => Side::Theirs,
        };
        return Ok((Order::Settle(args.ids.clone(), side), None));
    }
    let (text, kept) = if args.reset {
        (Some(NewText::Source), None)
    } else if let Some(content) = &args.content {
        (Some(NewText::Given(content.clone())), None)
    } else if let Some(file) = &args.content_file {
        (Some(NewText::Given(read_text(file)?)), None)
    } else if !args.meta.is_empty() {
        (None, None)
    } else if !std::io::stdin().is_terminal() {
        (Some(NewText::Given(read_standard_input()?)), None)
    } else {
        let (text, kept) = from_editor(args, snapshot).await?;
        (Some(NewText::Given(text)), Some(kept))
    };
    if args.ids.len() > 1 && matches!(text, Some(NewText::Given(_))) {
        return Err(Error::usage("one text for several chunks; nothing was changed")
            .hint("change one at a time, or many with --batch"));
    }
    let metadata: BTreeMap<String, Option<String>> = args.meta.iter().cloned().collect();
    let order = |id: &String| ChunkOrder { chunk_id: id.clone(), text: text.clone(), metadata: metadata.clone() };
    Ok((Order::Chunks(args.ids.iter().map(order).collect()), kept))
}

fn read_text(file: &Path) -> Result<String> {
    if file.as_os_str() == "-" {
        return read_standard_input();
    }
    std::fs::read_to_string(file).map_err(|error| Error::io("read", file, &error))
}

async fn from_editor(args: &ChunkEditArgs, snapshot: &Snapshot) -> Result<(String, Kept)> {
    let [id] = args.ids.as_slice() else {
        return Err(Error::usage("an editor takes one chunk at a time").hint("change many with --batch"));
    };
    let row = current(snapshot, id).await?.ok_or_else(|| {
        Error::not_found(format!("no chunk {id:?}; nothing was changed")).hint("`kb chunks-list` shows the ids")
    })?;
    let file = keep(row.content.trim_end(), &format!("kb-chunk-{}-", id.replace([':', '.'], "-")))?;
    let text = edit(file.path(), "use --content, --content-file or a pipe")?;
    Ok((text, Kept { file, row }))
}

async fn current(snapshot: &Snapshot, id: &str) -> Result<Option<ChunkRow>> {
    Ok(snapshot.chunks_by_id(&[id.to_owned()]).await?.pop())
}

/// The namespace was not locked while somebody edited.
async fn refuse_changed(snapshot: &Snapshot, row: &ChunkRow) -> Result<()> {
    match current(snapshot, &row.chunk_id).await? {
        Some(now) if now.content == row.content => Ok(()),
        _ => Err(Error::failed(format!("{:?} was changed meanwhile; nothing was written", row.chunk_id))
            .hint("see what it says now with `kb chunks-list`")),
    }
}

async fn plan(snapshot: &Snapshot, order: &Order) -> Result<Edits> {
    let now = jiff::Timestamp::now().to_string();
    match order {
        Order::Chunks(orders) => {
            let ids: Vec<String> = orders.iter().map(|order| order.chunk_id.clone()).collect();
            edit_chunks(documents_of(snapshot, &ids).await?, orders, &now)
        }
        Order::Batch(text) => {
            let stored = documents_of(snapshot, &ChunkOrder::ids_of_batch(text)?).await?;
            let orders = read_batch(text, &stored)?;
            edit_chunks(stored, &orders, &now)
        }
        Order::Settle(ids, side) => settle(documents_of(snapshot, ids).await?, ids, *side, &now),
    }
}

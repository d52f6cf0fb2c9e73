//! `kb log`, `kb diff`, `kb undo` and `kb restore`: generations listed, compared and restored.

use clap::Args;

use super::global::WaitArgs;
use super::invocation::Context;
use super::parse::at_least;
use crate::error::{Error, Result};
use crate::render;
use crate::store::{self, Writer, plan_restore};

/// List the generations, newest first, with their changes
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb log
  kb log --limit 5
  kb diff 12                  what has changed since generation 12
  kb restore 12               restore it

A run that publishes in batches leaves one generation. Old generations are kept for a week, and at most 20;
`[history]` in kb.toml sets both: keep = \"4w\", generations = 50.")]
pub struct LogArgs {
    /// Show at most N
    #[arg(long, value_name = "N", value_parser = at_least::<1, u32>)]
    limit: Option<u32>,
}

pub async fn log(context: &Context, args: LogArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let mut entries = store::log(&namespace).await?;
    let published = entries.iter().find(|entry| entry.published).map(|entry| entry.generation);
    if let Some(limit) = args.limit {
        entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    context.show(render::log(&entries).at(published))
}

/// Show what was added, changed and removed between two generations
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb diff 12                  what has changed since generation 12
  kb diff 12 15
  kb diff 12 --stat           one line per document
  kb diff 12 --format paths   the sources alone

A changed text is shown before and after, from shortly before the first difference. Chunks and sections with the same
text under another id have moved; they are only counted. The exit code is 1 if nothing differs.")]
pub struct DiffArgs {
    /// The number of a generation, as `kb log` shows it
    #[arg(value_name = "A", value_parser = at_least::<0, u64>)]
    from: u64,
    /// The number of the other [default: the published one]
    #[arg(value_name = "B", value_parser = at_least::<0, u64>)]
    to: Option<u64>,
    /// Show only the counts for each document
    #[arg(long)]
    stat: bool,
}

pub async fn diff(context: &Context, args: DiffArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let diff = store::diff(&namespace, args.from, args.to, !args.stat).await?;
    let is_empty = diff.is_empty();
    context.show(render::diff(&diff, context.screen.columns))?;
    if is_empty {
        context.tell(&format!("generations {} and {} do not differ", diff.from, diff.to));
    }
    Ok(u8::from(is_empty))
}

/// In the history.
const UNDO: &str = "undo";

/// Undo the last change: restore the generation before it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb undo --dry-run           what would change
  kb undo
  kb undo                     once more: revert the undo

`kb log` lists the generations, and `kb restore` goes further back. Your files do not change; the next `kb ingest` of
a folder reads what differs from the restored documents.")]
pub struct UndoArgs {
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn undo(context: &Context, args: UndoArgs) -> Result<u8> {
    let entries = store::log(&context.namespace()?).await?;
    let before = entries.iter().find(|entry| !entry.published);
    let before = before.ok_or_else(|| Error::not_found("nothing to undo: the history has one generation"))?;
    let restored = RestoreArgs { generation: before.generation, dry_run: args.dry_run, wait: args.wait };
    let code = restore_generation(context, restored, UNDO).await?;
    let Some(undone) = entries.iter().find(|entry| entry.published) else { return Ok(code) };
    let what = match undone.note.as_ref().map(|note| note.command.as_str()) {
        Some(UNDO) => "this reverts the last `kb undo`".to_owned(),
        _ if args.dry_run => return Ok(code),
        command => {
            let command = command.map_or(String::new(), |command| format!(" ({command})"));
            format!("generation {}{command} is undone; a second `kb undo` brings it back", undone.generation)
        }
    };
    context.tell(&format!("{what}; `kb restore N` goes further back (`kb log` lists them)"));
    Ok(code)
}

/// Restore an old generation by publishing it as a new one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb log                      list the generations
  kb restore 12 --dry-run     what would change
  kb restore 12

Nothing is lost: the current generation stays in the history. The vectors of the old generation come back too, even
those of another model. Your files do not change; the next `kb ingest` of a folder reads what differs from the
restored documents.")]
pub struct RestoreArgs {
    /// Its number, as `kb log` shows it
    #[arg(value_name = "GENERATION", value_parser = at_least::<0, u64>)]
    generation: u64,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn restore(context: &Context, args: RestoreArgs) -> Result<u8> {
    restore_generation(context, args, "restore").await
}

/// Restores a generation; the history names the command.
async fn restore_generation(context: &Context, args: RestoreArgs, command: &str) -> Result<u8> {
    let namespace = context.namespace()?;
    let restored = if args.dry_run {
        plan_restore(&namespace, args.generation).await?
    } else {
        let mut writer = Writer::open_existing(&namespace, &args.wait.lock_timeout(context)).await?;
        writer.restore(args.generation, command).await?
    };
    context.show(render::restored(&restored, args.dry_run))?;
    let store = context.store()?;
    let models = context.models_of(&store, &context.config(&store)?);
    if let Some(Err(missing)) = restored.model.as_ref().map(|model| models.recorded(model)) {
        context.tell(&missing.to_line());
    }
    Ok(0)
}

//! `kb diff`: what lies between two generations.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::DiffView;
use crate::store;

/// Tell what was added, has changed and is gone between two generations
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb diff 12                  what has changed since generation 12
  kb diff 12 15
  kb diff 12 --stat           a line per document
  kb diff 12 --format paths   the sources alone

Chunks and sections that say the same under another id, because something was put in or taken out before them, have
moved; they are only counted. Exit code 1 where nothing differs.")]
pub struct DiffArgs {
    /// The number of a generation, as `kb log` shows it
    #[arg(value_name = "A")]
    from: u64,
    /// The number of another [default: the published one]
    #[arg(value_name = "B")]
    to: Option<u64>,
    /// Only the counts of each document, without its sections and chunks
    #[arg(long)]
    stat: bool,
}

pub async fn run(context: &Context, args: DiffArgs) -> Result<u8> {
    let namespace = context.store()?.namespace(&context.global.namespace)?;
    let diff = store::diff(&namespace, args.from, args.to, !args.stat).await?;
    let is_empty = diff.is_empty();
    context.show(&DiffView(&diff))?;
    if is_empty {
        context.tell(&format!("generations {} and {} do not differ", diff.from, diff.to));
    }
    Ok(u8::from(is_empty))
}

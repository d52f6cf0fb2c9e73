//! `kb diff`: compares two generations.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render;
use crate::store;

/// Show what was added, changed and removed between two generations
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb diff 12                  what has changed since generation 12
  kb diff 12 15
  kb diff 12 --stat           one line per document
  kb diff 12 --format paths   the sources alone

Chunks and sections with the same text under another id have moved; they are only counted. Exit code 1 where nothing
differs.")]
pub struct DiffArgs {
    /// The number of a generation, as `kb log` shows it
    #[arg(value_name = "A")]
    from: u64,
    /// The number of the other [default: the published one]
    #[arg(value_name = "B")]
    to: Option<u64>,
    /// Show only counts of each document
    #[arg(long)]
    stat: bool,
}

pub async fn run(context: &Context, args: DiffArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let diff = store::diff(&namespace, args.from, args.to, !args.stat).await?;
    let is_empty = diff.is_empty();
    context.show(render::diff(&diff, render::screen_width()))?;
    if is_empty {
        context.tell(&format!("generations {} and {} do not differ", diff.from, diff.to));
    }
    Ok(u8::from(is_empty))
}

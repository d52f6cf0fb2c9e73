//! `kb log`: lists the generations.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render;
use crate::store;

/// List the generations, newest first, with their changes
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb log
  kb log --limit 5
  kb diff 12                  what has changed since generation 12
  kb restore 12               restore it

A run that publishes in batches is one generation in the end. Old generations are kept for a week, and at most 20;
`[history]` in kb.toml sets both: keep = \"4w\", generations = 50.")]
pub struct LogArgs {
    /// The most generations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

pub async fn run(context: &Context, args: LogArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let mut entries = store::log(&namespace).await?;
    if let Some(limit) = args.limit {
        entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    context.show(render::log(&entries))
}

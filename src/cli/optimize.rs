//! `kb optimize`: merges small files and updates indexes.

use clap::Args;

use super::global::WaitArgs;
use super::invocation::Context;
use crate::error::Result;
use crate::render;
use crate::store::Writer;

/// Merge small files and update the indexes now
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb optimize                 before a store is copied, or after a long ingest
  kb optimize -n reports      another namespace
  kb optimize && kb export backup.kb

kb does this automatically after enough changes, and every command works without it. Searches continue meanwhile. The
result is one generation with the same documents. Old files are deleted with the generations that need them.")]
pub struct OptimizeArgs {
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: OptimizeArgs) -> Result<u8> {
    let mut writer = Writer::open_existing(&context.namespace()?, &args.wait.lock_timeout(context)).await?;
    let optimized = writer.optimize().await?;
    context.show(render::optimized(&optimized))
}

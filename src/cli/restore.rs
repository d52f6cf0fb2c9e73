//! `kb restore`: restores an old generation.

use clap::Args;

use super::{Context, WaitArgs};
use crate::error::Result;
use crate::render;
use crate::store::{Writer, plan_restore};

/// Restore an old generation, as a new one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb log                      which generations there are
  kb restore 12 --dry-run     what would change
  kb restore 12

Nothing is lost: the current generation stays in the history. The vectors of the old one come back too, of whichever
model they are. Your files stay; the next `kb ingest` of a folder takes in what differs from the restored documents.")]
pub struct RestoreArgs {
    /// Its number, as `kb log` shows it
    #[arg(value_name = "GENERATION")]
    generation: u64,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: RestoreArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let restored = if args.dry_run {
        plan_restore(&namespace, args.generation).await?
    } else {
        let mut writer = Writer::open_existing(&namespace, &args.wait.lock_timeout(context)).await?;
        writer.restore(args.generation).await?
    };
    context.show(render::restored(&restored, args.dry_run))?;
    if let Some(Err(missing)) = restored.model.as_ref().map(|model| context.models().recorded(model)) {
        context.tell(&missing.to_line());
    }
    Ok(0)
}

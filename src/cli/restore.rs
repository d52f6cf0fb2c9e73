//! `kb restore`: an old generation brought back.

use clap::Args;

use super::Context;
use super::waiting::WaitArgs;
use crate::error::Result;
use crate::render::RestoredView;
use crate::store::{Writer, plan_restore};

/// Bring an old generation back, as a new one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb log                      which generations there are
  kb restore 12 --dry-run     what would be other than now
  kb restore 12

Nothing is asked, because nothing is lost: what is published now stays in the history, and can be restored likewise.
A generation is brought back with the vectors it had, of whichever model they are.
Files are not touched; the next `kb ingest` of a folder takes in what differs there from what was restored.")]
pub struct RestoreArgs {
    /// Its number, as `kb log` shows it
    #[arg(value_name = "GENERATION")]
    generation: u64,
    /// Only say what would be other than now
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: RestoreArgs) -> Result<u8> {
    let namespace = context.store()?.namespace(&context.global.namespace)?;
    let restored = if args.dry_run {
        plan_restore(&namespace, args.generation).await?
    } else {
        let mut writer = Writer::open_existing(&namespace, &args.wait.patience(context)).await?;
        writer.restore(args.generation).await?
    };
    context.show(&RestoredView { restored: &restored, dry_run: args.dry_run })?;
    if let Some(Err(missing)) = restored.model.as_ref().map(|model| context.models().recorded(model)) {
        context.tell(&missing.to_line());
    }
    Ok(0)
}

//! `kb check`: whether the store keeps its promises, and repairs.

use clap::Args;

use super::Context;
use super::waiting::WaitArgs;
use crate::error::{Error, Kind, Result};
use crate::render::{CheckView, NamespaceCheck};
use crate::store::Namespace;
use crate::store::check::{check, repair};

const EXAMPLES: &str = "\
Examples:
  kb check                    everything that is wrong, a line each, with the command that mends it
  kb check --repair           mend what the store alone suffices for
  kb check --all-namespaces --format json

Exit codes: 0 sound, 3 something is wrong; with --repair: something still is";

/// Verify tables, vectors and keyword index, and repair them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Mend what can be mended, as one new generation
    #[arg(long)]
    repair: bool,
    /// All namespaces of the store
    #[arg(long)]
    all_namespaces: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: CheckArgs) -> Result<u8> {
    if args.wait.is_given() && !args.repair {
        return Err(Error::usage("--wait is of use only with --repair").hint("a check never waits for a writer"));
    }
    let store = context.store()?;
    let namespaces = match args.all_namespaces {
        true => store.namespaces()?,
        false => vec![store.namespace(&context.global.namespace)?],
    };
    let mut checks = Vec::with_capacity(namespaces.len());
    for namespace in &namespaces {
        checks.push(look_at(context, &args, namespace).await?);
    }
    context.show(&CheckView(&checks))?;
    Ok(if checks.iter().all(NamespaceCheck::is_sound) { 0 } else { Kind::Failed.exit_code() })
}

async fn look_at(context: &Context, args: &CheckArgs, namespace: &Namespace) -> Result<NamespaceCheck> {
    if !args.repair {
        return Ok(NamespaceCheck { found: check(namespace).await?, mended: Vec::new(), left: None });
    }
    let repaired = repair(namespace, &args.wait.patience(context)).await?;
    Ok(NamespaceCheck { found: repaired.before, mended: repaired.mended, left: Some(repaired.after) })
}

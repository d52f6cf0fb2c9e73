//! `kb check`: verifies and repairs the store.

use clap::Args;

use super::global::{DEFAULT_NAMESPACE, WaitArgs};
use super::invocation::Context;
use crate::error::{Error, Kind, Result};
use crate::render::{self, NamespaceCheck};
use crate::store::Namespace;
use crate::store::check::{Checked, check, repair};

/// Verify and repair tables, vectors and the keyword index
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb check                    one line for each problem, with the command that repairs it
  kb check --repair           repair everything that can be rebuilt from the store alone
  kb check --all-namespaces --format json

Exit codes: 0 sound, 3 damaged (with --repair: still damaged)")]
pub struct CheckArgs {
    /// Repair the damage, as one new generation
    #[arg(long)]
    pub(super) repair: bool,
    /// Check all namespaces of the store
    #[arg(long)]
    pub(super) all_namespaces: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: CheckArgs) -> Result<u8> {
    if args.wait.is_given() && !args.repair {
        return Err(Error::usage("--wait has an effect only with --repair").hint("a check never waits for a writer"));
    }
    let store = context.store()?;
    let namespaces = match args.all_namespaces {
        true => store.namespaces()?,
        false => vec![store.namespace(&context.global.namespace)?],
    };
    let mut checks = Vec::with_capacity(namespaces.len());
    for namespace in &namespaces {
        checks.push(checked(context, &args, namespace).await?);
    }
    context.show(render::checks(&checks))?;
    Ok(if checks.iter().all(NamespaceCheck::is_sound) { 0 } else { Kind::Failed.exit_code() })
}

async fn checked(context: &Context, args: &CheckArgs, namespace: &Namespace) -> Result<NamespaceCheck> {
    if !args.repair {
        let found = with_namespace_option(check(namespace).await?);
        return Ok(NamespaceCheck { found, mended: Vec::new(), left: None });
    }
    let repaired = repair(namespace, &args.wait.lock_timeout(context)).await?;
    let (found, left) = (with_namespace_option(repaired.before), with_namespace_option(repaired.after));
    Ok(NamespaceCheck { found, mended: repaired.mended, left: Some(left) })
}

/// Names the namespace in the commands of findings, where they would use another one.
fn with_namespace_option(mut checked: Checked) -> Checked {
    let Checked { namespace, findings, .. } = &mut checked;
    if namespace.as_str() != DEFAULT_NAMESPACE {
        findings.iter_mut().for_each(|finding| finding.command.push_str(&format!(" -n {namespace}")));
    }
    checked
}

//! `kb config`: every setting with its value and its source.

use clap::Args;

use super::invocation::Context;
use crate::config::list_settings;
use crate::error::Result;
use crate::render::setting_list;
use crate::store::Store;

/// List every setting with its value and its source
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb config
  kb config --set                         only settings that a file or a variable sets
  kb config --format json")]
pub struct ConfigArgs {
    /// Only settings that a file or a variable sets
    #[arg(long)]
    set: bool,
}

pub fn run(context: &Context, args: &ConfigArgs) -> Result<u8> {
    let (named, here) = (context.global.kb.as_deref(), Context::here()?);
    let folder = Store::folder(named, &here).ok();
    // Settings may exist before the store. Reading them says which do not count.
    if let Ok(store) = Store::open(named, &here).or_else(|_| Store::planned(named, &here)) {
        context.config(&store)?;
    }
    let mut settings = list_settings(folder.as_deref())?;
    settings.retain(|one| one.is_set || !args.set);
    context.show(setting_list(&settings))
}

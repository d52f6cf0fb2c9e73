//! `kb trust`: lets the settings of a store count.

use clap::Args;

use super::global::Context;
use crate::config::{KnownStores, StoreSettings};
use crate::error::Result;
use crate::render::{store_not_trusted, store_trusted};
use crate::store::Store;

const EXAMPLES: &str = "\
Examples:
  kb trust                    show what needs trust in .kb/kb.toml, and trust it as it is now
  kb trust --kb other/.kb
  kb trust --revoke           forget this store

A store may come from anybody. Until you trust it, kb ignores the settings in its kb.toml that can run a program, load
code, send text or read other files, and reading commands change nothing in a store that you did not make. A changed
kb.toml needs trust again. Your own settings need none: kb/config.toml in the folder of your settings (~/.config on
Linux), or the file that KB_CONFIG names.";

/// Trust the settings of a store
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrustArgs {
    /// Forget that the store is trusted
    #[arg(long)]
    revoke: bool,
}

pub async fn run(context: &Context, args: TrustArgs) -> Result<u8> {
    let folder = Store::folder(context.global.kb.as_deref(), &Context::here()?)?;
    let known = KnownStores::of_user();
    if args.revoke {
        return context.show(store_not_trusted(&folder, known.forget(&folder)?));
    }
    let settings = StoreSettings::read(&folder)?;
    known.trust(&folder, settings.hash())?;
    context.show(store_trusted(&folder, &settings.risky()))
}

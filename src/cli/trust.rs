//! `kb trust`: trusts the settings of a store.

use std::path::Path;

use clap::Args;

use super::invocation::Context;
use crate::config::{KnownStores, RiskySetting, StoreSettings};
use crate::error::Result;
use crate::models::is_endpoint;
use crate::render::{store_not_trusted, store_to_trust, store_trusted};
use crate::store::{Snapshot, Store};

/// Trust the settings of a store
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb trust --dry-run          show what needs trust in .kb/kb.toml and .kb/prompts/
  kb trust                    trust it as it is now
  kb trust --kb other/.kb
  kb trust --revoke           revoke the trust

A store may come from anybody. Until you trust it, kb ignores the settings in its kb.toml that can run a program, load
code, send text or read other files, and reading commands change nothing in a store that you did not make. If its
vectors came from an endpoint, kb sends questions to your endpoint only after that. A changed kb.toml needs trust
again. Your own settings need none: kb/config.toml in the folder of your settings (~/.config on Linux), or the file
that KB_CONFIG names.")]
pub struct TrustArgs {
    /// Show what needs trust, without trusting it
    #[arg(long, conflicts_with = "revoke")]
    dry_run: bool,
    /// Remove the trust in the store
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
    let risky = [settings.risky(), at_endpoints(&folder).await].concat();
    if args.dry_run {
        let is_trusted = known.trusted(&folder) == Some(settings.hash());
        return context.show(store_to_trust(&folder, &risky, is_trusted));
    }
    known.trust(&folder, settings.hash())?;
    context.show(store_trusted(&folder, &risky))
}

/// The models of a store's vectors that are behind the user's own endpoint. There may be no store beside the settings.
async fn at_endpoints(folder: &Path) -> Vec<RiskySetting> {
    let namespaces = Store::open(Some(folder), folder).and_then(|store| store.namespaces()).unwrap_or_default();
    let mut found = Vec::new();
    for namespace in namespaces {
        // A damaged namespace is reported by the commands that read it.
        if let Ok(Some(model)) = Snapshot::model_of(&namespace).await
            && is_endpoint(&model.name)
        {
            let setting = format!("the namespace {}", namespace.name());
            found.push(RiskySetting { setting, value: model.name, can: "sends text of documents and questions" });
        }
    }
    found
}

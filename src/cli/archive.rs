//! `kb export` and `kb import`: a namespace as one file.

use std::path::PathBuf;

use clap::Args;

use super::global::WaitArgs;
use super::invocation::Context;
use crate::error::Result;
use crate::render::archived;
use crate::store::{self, SYNONYMS, Store};

/// Write a namespace with its history into one file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb export backup.kb
  kb export reports.kb -n acme/reports")]
pub struct ExportArgs {
    /// The file to write; it must not exist yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    wait: WaitArgs,
}

/// Check a file of `kb export` and import its namespace
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb import backup.kb
  kb import backup.kb -n restored           under another name")]
pub struct ImportArgs {
    /// A file that `kb export` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub async fn export(context: &Context, args: ExportArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let done = store::export(&namespace, &args.file, &args.wait.lock_timeout(context)).await?;
    let synonyms = namespace.store().join(SYNONYMS);
    context.show(archived("export", &done, &args.file, synonyms.exists().then_some(synonyms.as_path())))
}

pub async fn import(context: &Context, args: ImportArgs) -> Result<u8> {
    let store = Store::planned(context.global.kb.as_deref(), &Context::here()?)?;
    let name = context.is_given("namespace").then_some(context.global.namespace.as_str());
    let (done, is_new) = store::import(&store, &args.file, name).await?;
    if is_new {
        context.tell_new(&store);
    }
    context.remember(store.root());
    context.show(archived("import", &done, &args.file, None))
}

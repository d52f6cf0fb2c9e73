//! `kb remove`: take documents out.

use clap::Args;

use super::Context;
use crate::embed::MODEL;
use crate::error::Result;
use crate::render::RemovedView;
use crate::retrieve::Purpose;
use crate::store::{Change, ModelRecord, Snapshot, Writer};

/// Take documents out of the knowledge base; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kb remove old-manual.pdf\n  kb remove 7f3k2m --dry-run")]
pub struct RemoveArgs {
    /// An id or its beginning, a path or its end, or a title
    #[arg(value_name = "DOC", required = true)]
    documents: Vec<String>,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
}

pub async fn run(context: &Context, args: RemoveArgs) -> Result<u8> {
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    // Read first: an error in a name must leave everything as it is, a namespace that is not there included.
    let documents = Snapshot::open(&namespace).await?.documents().await?;
    let found = context.documents(&documents, &args.documents, &store, Purpose::Change)?;
    if !args.dry_run {
        let model = ModelRecord { name: MODEL.name.to_owned(), dimension: MODEL.dimension };
        let mut writer = Writer::open(&namespace, &model).await?;
        let remove = found.iter().map(|document| document.doc_id.clone()).collect();
        writer.publish(&Change { remove, ..Change::default() }).await?;
    }
    context.show(&RemovedView { documents: &found, dry_run: args.dry_run })?;
    Ok(0)
}

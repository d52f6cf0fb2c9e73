//! `kb remove`: removes documents.

use clap::Args;

use super::global::{Context, WaitArgs};
use crate::error::Result;
use crate::render::removed_documents;
use crate::search::Purpose;
use crate::store::{Change, Note, Snapshot, Writer};

/// Remove documents from the knowledge base; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kb remove old-manual.pdf\n  kb remove 7f3k2m --dry-run")]
pub struct RemoveArgs {
    /// An id or its beginning, a path or its end, or a title
    #[arg(value_name = "DOC", required = true)]
    documents: Vec<String>,
    /// Show what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: RemoveArgs) -> Result<u8> {
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    // Locks before it reads, so that the names keep their meaning until the removal.
    let writer = match args.dry_run {
        true => None,
        false => Some(Writer::open_existing(&namespace, &args.wait.lock_timeout(context)).await?),
    };
    let documents = Snapshot::open(&namespace).await?.documents().await?;
    let found = context.documents(&documents, &args.documents, &store, Purpose::Change)?;
    if let Some(mut writer) = writer {
        let mut change = Change { note: Note::of("remove"), ..Change::default() };
        for document in &found {
            change.note.add("removed", &document.source);
            change.remove.push(document.doc_id.clone());
        }
        writer.publish(&change).await?;
    }
    context.show(removed_documents(&found, args.dry_run))
}

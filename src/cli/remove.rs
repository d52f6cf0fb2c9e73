//! `kb remove`: removes documents.

use clap::Args;

use super::global::WaitArgs;
use super::invocation::Context;
use crate::error::Result;
use crate::render::removed_documents;
use crate::store::{Change, Note};

/// Remove documents from the knowledge base; the files stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb remove old-manual.pdf
  kb remove 7f3k2m --dry-run

The next `kb ingest` of its folder reads a removed document again, unless a .kbignore file there names it.")]
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
    let (writer, found) = context.documents_to_change(&args.documents, args.dry_run, &args.wait).await?;
    let mut generation = None;
    if let Some(mut writer) = writer {
        let mut change = Change { note: Note::of("remove"), ..Change::default() };
        for document in &found {
            change.note.add("removed", &document.source);
            change.remove.push(document.doc_id.clone());
        }
        generation = Some(writer.publish(&change).await?);
    }
    context.show(removed_documents(&found, args.dry_run).at(generation))
}

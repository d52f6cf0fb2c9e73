//! `kb docs`: what is there.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::{DocumentList, DocumentView};
use crate::retrieve::resolve_documents;

/// List the documents, or describe some of them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kb docs\n  kb docs manual.pdf\n  kb docs --format paths | wc -l")]
pub struct DocsArgs {
    /// An id, a path, the end of a path or a title
    #[arg(value_name = "DOC")]
    documents: Vec<String>,
}

pub async fn run(context: &Context, args: DocsArgs) -> Result<u8> {
    let store = context.store()?;
    let kernel = context.kernel(&store, &context.config(&store)?)?;
    let documents = kernel.snapshot().await?.documents().await?;
    if args.documents.is_empty() {
        context.show(&DocumentList(&documents))?;
        return Ok(u8::from(documents.is_empty()));
    }
    let found = resolve_documents(&documents, &args.documents, &store)?;
    context.show(&DocumentView(&found))?;
    Ok(0)
}

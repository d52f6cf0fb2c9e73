//! `kb docs`: what is there.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::{DocumentList, DocumentView};
use crate::retrieve::Purpose;

/// List the documents, or describe some of them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  kb docs\n  kb docs manual.pdf\n  kb docs --format paths | wc -l")]
pub struct DocsArgs {
    /// An id or its beginning, a path or its end, a title or a part of it
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
    let found = context.documents(&documents, &args.documents, &store, Purpose::Read)?;
    context.show(&DocumentView(&found))?;
    Ok(0)
}

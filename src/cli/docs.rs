//! `kb docs`: what is there.

use clap::Args;

use super::Context;
use super::filter::{FILTERS, FilterArgs};
use crate::error::{Error, Result};
use crate::render::{DocumentList, DocumentView};
use crate::retrieve::{Purpose, documents_within};

const EXAMPLES: &str = "\
Examples:
  kb docs
  kb docs manual.pdf
  kb docs --format paths | wc -l
  kb docs --filter 'tags in (pump, valve) and not status = draft'
  kb docs --after 2026";

/// List the documents, or describe some of them
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{FILTERS}"))]
pub struct DocsArgs {
    /// An id or its beginning, a path or its end, a title or a part of it
    #[arg(value_name = "DOC")]
    documents: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

pub async fn run(context: &Context, args: DocsArgs) -> Result<u8> {
    let store = context.store()?;
    let kernel = context.kernel(&store, &context.config(&store)?)?;
    let snapshot = kernel.snapshot().await?;
    let mut documents = snapshot.documents().await?;
    let restriction = args.filter.or(None)?;
    let within = match restriction.is_empty() || documents.is_empty() {
        true => None,
        false => {
            let (within, notes) = documents_within(snapshot, &restriction).await?;
            notes.iter().for_each(|note| context.tell(note));
            Some(within)
        }
    };
    if args.documents.is_empty() {
        documents.retain(|row| within.as_ref().is_none_or(|within| within.contains(&row.doc_id)));
        context.show(&DocumentList(&documents))?;
        return Ok(u8::from(documents.is_empty()));
    }
    let mut found = context.documents(&documents, &args.documents, &store, Purpose::Read)?;
    if let Some(within) = &within {
        found.retain(|row| within.contains(&row.doc_id));
        if found.is_empty() {
            return Err(Error::not_found("the filter lets none of these documents through").hint("leave it out"));
        }
    }
    context.show(&DocumentView(&found))?;
    Ok(0)
}

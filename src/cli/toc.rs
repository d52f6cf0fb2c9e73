//! `kb toc`: a document's table of contents.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::{OutputFormat, TocView};
use crate::retrieve::resolve_document;
use crate::structure::PREAMBLE;

/// How deep the tree is drawn where nothing is said; JSON is always whole.
const DEFAULT_LEVEL: u32 = 3;

/// Show a document's table of contents
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kb toc manual.pdf\n  kb toc manual.pdf --max-level 1\n  kb toc 7f3k2m --format json"
)]
pub struct TocArgs {
    /// An id, a path, the end of a path or a title
    #[arg(value_name = "DOC")]
    document: String,
    /// How deep [default: 3; in JSON, all of it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_level: Option<u32>,
}

pub async fn run(context: &Context, args: TocArgs) -> Result<u8> {
    let store = context.store()?;
    let kernel = context.kernel(&store, &context.config(&store)?)?;
    let snapshot = kernel.snapshot().await?;
    let documents = snapshot.documents().await?;
    let document = resolve_document(&documents, &args.document, &store)?;
    let mut sections = snapshot.sections(&document.doc_id).await?;
    sections.retain(|section| section.path != PREAMBLE);
    let all = sections.len();
    let whole = matches!(context.output_format(), OutputFormat::Json | OutputFormat::Jsonl);
    let deepest = args.max_level.or((!whole).then_some(DEFAULT_LEVEL)).unwrap_or(u32::MAX);
    sections.retain(|section| section.level <= deepest);
    context.show(&TocView { document, sections: &sections, hidden: all - sections.len() })?;
    if all == 0 {
        context.tell(&format!("{} has no table of contents; its whole text is section 0", document.source));
        return Ok(1);
    }
    Ok(0)
}

//! `kb section`: the whole text of one section.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::SectionView;
use crate::retrieve::{SectionContent, find_section, resolve_document};

/// Show the whole text of a section, its subsections included
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  kb section manual.pdf 3.2.1\n  kb section manual.pdf \"Priming the pump\"\n  kb section 维护手册 启动"
)]
pub struct SectionArgs {
    /// An id, a path, the end of a path or a title
    #[arg(value_name = "DOC")]
    document: String,
    /// The section's path, as `kb toc` shows it, or its title or the unique part of one
    #[arg(value_name = "PATH|TITLE")]
    section: String,
}

pub async fn run(context: &Context, args: SectionArgs) -> Result<u8> {
    let store = context.store()?;
    let kernel = context.kernel(&store, &context.config(&store)?)?;
    let snapshot = kernel.snapshot().await?;
    let documents = snapshot.documents().await?;
    let document = resolve_document(&documents, &args.document, &store)?;
    let sections = snapshot.sections(&document.doc_id).await?;
    let section = find_section(&sections, &args.section)?;
    let content = SectionContent::read(snapshot, document, &sections, section).await?;
    context.show(&SectionView(&content))?;
    Ok(0)
}

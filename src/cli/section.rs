//! `kb section`: the whole text of sections.

use clap::Args;

use super::Context;
use crate::error::Result;
use crate::render::SectionView;
use crate::retrieve::{Extent, Purpose, SectionContent, find_sections};

/// Show the whole text of sections, their subsections included
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb section manual.pdf 3.2.1
  kb section manual.pdf \"Priming the pump\" 4.1      several at once
  kb section manual.pdf 3 --no-children             without 3.1, 3.2, …
  kb section manual.pdf 3 --max-tokens 2000         as much as fits into a prompt
  kb section 维护手册 启动

A misspelt title is taken for the one title that is near it, and a number that is no path for the one title that
begins with it, and said so. Tokens are counted with the tokenizer of
kb's embedding model, titles included; other models' tokenizers count somewhat differently.")]
pub struct SectionArgs {
    /// An id or its beginning, a path or its end, a title or a part of it
    #[arg(value_name = "DOC")]
    document: String,
    /// The section's path, as `kb toc` shows it, the number printed before its title, its title or the unique part of one
    #[arg(value_name = "PATH|TITLE", required = true)]
    sections: Vec<String>,
    /// Only the sections' own text, without their subsections
    #[arg(long)]
    no_children: bool,
    /// At most so many tokens; cut between passages, and said what is left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
}

pub async fn run(context: &Context, args: SectionArgs) -> Result<u8> {
    let store = context.store()?;
    let kernel = context.kernel(&store, &context.config(&store)?)?;
    let snapshot = kernel.snapshot().await?;
    let documents = snapshot.documents().await?;
    let document = context.document(&documents, &args.document, &store, Purpose::Read)?;
    let sections = snapshot.sections(&document.doc_id).await?;
    let found = find_sections(&sections, &args.sections)?;
    found.iter().filter_map(|found| found.note.as_deref()).for_each(|note| context.tell(note));
    let wanted: Vec<_> = found.iter().map(|found| found.section).collect();
    let extent = Extent { children: !args.no_children, max_tokens: args.max_tokens.map(|tokens| tokens as usize) };
    let content = SectionContent::read(snapshot, document, &sections, &wanted, extent).await?;
    let view = SectionView(&content);
    context.show(&view)?;
    if let Some(line) = view.left_out() {
        context.tell(&line);
    }
    Ok(0)
}

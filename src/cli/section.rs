//! `kb section`: shows the text of sections.

use clap::Args;

use super::invocation::Context;
use super::parse::at_least;
use crate::error::{Error, Result};
use crate::render;
use crate::search::{Purpose, SectionContent, SectionNames, document_with, find_section, row_of};
use crate::store::{DocumentName, DocumentRow, Snapshot};

/// Show the text of sections with their subsections
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb section manual.pdf 3.2.1
  kb section manual.pdf \"Priming the pump\" 4.1      several at once
  kb section manual.pdf 3 --no-children             without 3.1, 3.2, …
  kb section manual.pdf 3 --max-tokens 2000         what fits into a prompt
  kb section 维护手册 启动
  kb section 第十四章                               in the only document that has it

A misspelt title finds the only title near it, and a note says so. Tokens are counted with the tokenizer of
the built-in model, titles included.")]
pub struct SectionArgs {
    /// A document (its id, path, title or a part of them) and its sections (a printed number, a title or a unique part
    /// of one, or what `kb toc` shows before it). A section alone, or its id, is looked up in all documents
    #[arg(value_names = ["DOC", "SECTION"], required = true, num_args = 1..)]
    names: Vec<String>,
    /// Omit subsections
    #[arg(long)]
    no_children: bool,
    /// Begin at this chunk of the sections, such as a search hit or the chunk that a note about the rest names
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Show at most N tokens; a note names the rest
    #[arg(long, value_name = "N", value_parser = at_least::<1, u32>)]
    max_tokens: Option<u32>,
}

impl SectionArgs {
    /// Asks for one section with its subsections.
    pub(super) fn of(name: String) -> Self {
        SectionArgs { names: vec![name], no_children: false, from: None, max_tokens: None }
    }
}

pub async fn run(context: &Context, args: SectionArgs) -> Result<u8> {
    let store = context.store()?;
    let searcher = context.searcher(&store)?;
    let snapshot = searcher.snapshot().await?;
    let (document, names) = match &args.names[..] {
        [section] => (document_of_section(snapshot, section).await?, &args.names[..]),
        [first, others @ ..] if document_in_id(first).is_some() => {
            if let Some(other) = others.iter().find(|other| document_in_id(other) != document_in_id(first)) {
                return Err(Error::usage(format!("{first} and {other} are not in the same document"))
                    .hint("read the sections of one document at a time"));
            }
            (document_of_section(snapshot, first).await?, &args.names[..])
        }
        [document, sections @ ..] => (context.document_of(snapshot, document, &store, Purpose::Read).await?, sections),
        [] => unreachable!("clap requires a name"),
    };
    let sections = snapshot.sections(&document.doc_id).await?;
    let own = DocumentName::from(&document);
    let found = names.iter().map(|name| find_section(&own, &sections, name)).collect::<Result<Vec<_>>>()?;
    found.iter().filter_map(|found| found.note.as_deref()).for_each(|note| context.tell(note));
    let wanted: Vec<_> = found.iter().map(|found| found.section).collect();
    let max_tokens = args.max_tokens.map(|tokens| tokens as usize);
    let from = args.from.as_deref().map(|id| place_in(&document, id)).transpose()?.unwrap_or(0);
    let children = !args.no_children;
    let content = SectionContent::read(snapshot, &document, &sections, &wanted, children, from, max_tokens).await?;
    if content.parts.is_empty()
        && let Some(id) = &args.from
    {
        return Err(Error::not_found(format!("the sections end before {id}")).hint("name a chunk of theirs"));
    }
    let names = SectionNames::of(&sections);
    context.show(render::sections(&content, &names, context.screen.columns).read_from(&[snapshot]))
}

/// The index of a parent chunk of a document, by its id or that of a child chunk.
fn place_in(document: &DocumentRow, id: &str) -> Result<u32> {
    let own = id.strip_prefix(document.doc_id.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let place = own.and_then(|place| place.split('.').next()?.parse().ok());
    place.ok_or_else(|| {
        Error::usage(format!("{id} is no chunk of {}", document.source))
            .hint(format!("write it as {}:12", document.doc_id))
    })
}

fn document_in_id(name: &str) -> Option<&str> {
    name.split_once('#').map(|(doc_id, _)| doc_id).filter(|doc_id| !doc_id.is_empty())
}

/// The document in a section's id, or the only document that has a section of this name.
async fn document_of_section(snapshot: &Snapshot, name: &str) -> Result<DocumentRow> {
    if let Some(doc_id) = document_in_id(name)
        && let Some(document) = snapshot.documents_by_id(&[doc_id.into()]).await?.pop()
    {
        return Ok(document);
    }
    let (documents, sections) = (snapshot.all_document_names().await?, snapshot.all_sections().await?);
    row_of(snapshot, document_with(&documents, &sections, name)?).await
}

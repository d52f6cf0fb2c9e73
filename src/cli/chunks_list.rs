//! `kb chunks-list`: lists chunks.

use clap::{Args, ValueEnum};

use super::global::{PartArgs, past_the_end};
use super::invocation::Context;
use crate::edits::{Conflict, conflicts};
use crate::error::{Error, Result, Setting};
use crate::render;
use crate::search::{
    ChunkColumn, ChunkList, ChunkListRequest, Filter, Purpose, Restriction, find_section, scopes_within,
    with_subsections,
};
use crate::store::{ChunkFilter, ChunkType, DocumentName, DocumentRow, NewDocument, Scope, Snapshot, Store};

/// List parent chunks and their child chunks
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb chunks-list --doc manual.pdf --type parent
  kb chunks-list --doc manual.pdf --section 3.2
  kb chunks-list --filter \"pump house\" --format jsonl
  kb chunks-list --where 'reviewed != yes and path = docs'
  kb chunks-list --limit 20 --offset 40
  kb chunks-list --edited
  kb chunks-list --conflicts                    edits that no longer fit a changed source
  kb chunks-list --order-by updated_at:desc,chunk_id --limit 10")]
pub struct ChunksListArgs {
    /// Only this document: its id, path, title or a part of them
    #[arg(long, value_name = "DOC")]
    doc: Option<String>,
    /// Only this section and its subsections, as `kb section` names it
    #[arg(long, value_name = "PATH|TITLE", requires = "doc")]
    section: Option<String>,
    /// Only parents, or only children
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    chunk_type: Option<ChunkType>,
    /// Only chunks that contain this text, ignoring case
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only chunks that match this filter, such as 'tags = safety and page < 20'; see `kb search --help`
    #[arg(long = "where", value_name = "FILTER")]
    condition: Option<String>,
    /// Only edited chunks
    #[arg(long)]
    edited: bool,
    /// List conflicts instead: edits that no longer fit the source
    #[arg(long, conflicts_with_all = ["section", "chunk_type", "filter", "condition", "edited", "order_by"])]
    conflicts: bool,
    #[command(flatten)]
    part: PartArgs,
    /// Sort by document, parent, index, chunk_id, chunk_type, section, updated_at or page; `:desc` reverses
    /// [default: document,parent,index]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = parse_column)]
    order_by: Vec<(ChunkColumn, bool)>,
}

fn parse_column(text: &str) -> Result<(ChunkColumn, bool), String> {
    let (name, reversed) = match text.split_once(':') {
        None => (text, false),
        Some((name, "asc")) => (name, false),
        Some((name, "desc")) => (name, true),
        Some((_, other)) => return Err(format!("{other:?} is not an order: expected asc or desc")),
    };
    ChunkColumn::from_str(name.trim(), false).map(|column| (column, reversed)).map_err(|_| {
        let columns = ChunkColumn::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = columns.map(|column| column.get_name().to_owned()).collect();
        format!("no column {name:?}; the columns are {}", names.join(", "))
    })
}

pub async fn run(context: &Context, args: ChunksListArgs) -> Result<u8> {
    if args.filter.as_ref().is_some_and(|text| text.is_empty()) {
        return Err(Error::usage("the text of --filter is empty").hint("leave --filter out to list all chunks"));
    }
    let store = context.store()?;
    let searcher = context.searcher(&store)?;
    let snapshot = searcher.snapshot().await?;
    let document = match &args.doc {
        Some(name) => {
            let document = context.document_of(snapshot, name, &store, Purpose::Read).await;
            Some(document.map_err(Error::as_wrong_option)?)
        }
        None => None,
    };
    if args.conflicts {
        let documents = match document {
            Some(document) => vec![document],
            None => snapshot.documents_with_edits().await?,
        };
        return list_conflicts(context, snapshot, &documents, args.part).await;
    }
    let mut filter =
        ChunkFilter { chunk_type: args.chunk_type, text: args.filter, edited: args.edited, ..ChunkFilter::default() };
    if let Some(document) = &document {
        filter.doc_ids = Some(vec![document.doc_id.clone()]);
        if let Some(name) = args.section {
            let sections = snapshot.sections(&document.doc_id).await?;
            let found = find_section(&DocumentName::from(document), &sections, &name)?;
            found.note.iter().for_each(|note| context.tell(note));
            let wanted = with_subsections(&sections, found.section).into_iter();
            filter.section_ids = Some(wanted.map(|section| section.section_id.clone()).collect());
        }
    }
    let documents = match &document {
        Some(document) => vec![DocumentName::from(document)],
        None => snapshot.all_document_names().await?,
    };
    let scope = match &args.condition {
        None => Scope::Everything,
        Some(text) => scope_of(context, &store, snapshot, text).await?,
    };
    let (offset, limit) = (args.part.offset as usize, args.part.limit.map(|limit| limit as usize));
    let request = ChunkListRequest { filter, scope, order: args.order_by, offset, limit };
    let list = ChunkList::read(snapshot, &documents, &request).await?;
    if list.chunks.is_empty() {
        context.tell(&nothing(&request, list.total));
    }
    context.show(render::chunk_list(&list, context.screen.columns).read_from(&[snapshot]))?;
    let behind = offset + list.chunks.len();
    if behind < list.total && !list.chunks.is_empty() {
        let (first, next) = (offset + 1, Setting("offset"));
        context.tell(&format!("chunks {first} to {behind} of {}; {next} {behind} shows more", list.total));
    }
    Ok(u8::from(list.chunks.is_empty()))
}

async fn scope_of(context: &Context, store: &Store, snapshot: &Snapshot, filter: &str) -> Result<Scope> {
    let filter = filter.parse::<Filter>().map_err(|error| error.at("--where"))?;
    let headings = context.config(store)?.headings;
    let restriction = Restriction { filter: Some(filter), headings, ..Restriction::default() };
    let (mut scopes, note) = scopes_within(&[snapshot], &restriction).await?;
    note.iter().for_each(|note| context.tell(note));
    Ok(scopes.remove(0))
}

/// Why no chunk is listed. `total` counts the chunks of all pages.
fn nothing(request: &ChunkListRequest, total: usize) -> String {
    let what = if request.filter.edited { "edited chunk" } else { "chunk" };
    match &request.filter.text {
        _ if total > 0 => past_the_end(request.offset, total),
        Some(text) if text.parse::<Filter>().is_ok() => {
            format!("no {what} contains the text {text:?}; {} takes filters", Setting("where"))
        }
        Some(text) => format!("no {what} contains the text {text:?}"),
        None => format!("no {what}s"),
    }
}

async fn list_conflicts(
    context: &Context,
    snapshot: &Snapshot,
    documents: &[DocumentRow],
    part: PartArgs,
) -> Result<u8> {
    let with_edits = documents.iter().filter(|row| row.edits.iter().any(|edit| edit.parent_chunk.is_none()));
    let mut found = Vec::new();
    for document in with_edits {
        let parents = snapshot.parents_of(&document.doc_id).await?;
        found.extend(conflicts(&NewDocument { document: document.clone(), sections: Vec::new(), parents }));
    }
    if found.is_empty() {
        context.tell("no conflicts");
    }
    let page: Vec<Conflict> = part.of(context, found);
    context.show(render::conflicts(&page).read_from(&[snapshot]))?;
    Ok(u8::from(page.is_empty()))
}

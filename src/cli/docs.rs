//! `kb docs`: lists and describes documents.

use clap::Args;
use futures::future::try_join_all;

use super::filter::{FILTERS, TimeArgs};
use super::global::PartArgs;
use super::invocation::Context;
use crate::config::SearchSettings;
use crate::error::{Error, Result, Setting};
use crate::ids::DocId;
use crate::ingest::stale;
use crate::render::{self, ListedDocument};
use crate::search::{documents_to_resolve, resolve_each, scopes_within};
use crate::store::{DocumentName, DocumentRow, Scope, Snapshot, Store};

const EXAMPLES: &str = "\
Examples:
  kb docs
  kb docs manual.pdf                      describe one: kinds of parent chunks, topics, summary
  kb docs --format paths | wc -l
  kb docs --filter 'tags in (pump, valve) and not status = draft'
  kb docs --after 2026 --limit 20
  kb docs -n manuals,drafts               two namespaces; -n all: every one";

/// List the documents, or describe some of them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{FILTERS}"))]
pub struct DocsArgs {
    /// An id, path, title or a part of them
    #[arg(value_name = "DOC")]
    documents: Vec<String>,
    /// Only documents that match, such as 'author = Ann and tags = draft'; repeatable, joined by and
    #[arg(long, value_name = "FILTER", help_heading = "Filters")]
    filter: Vec<String>,
    #[command(flatten)]
    times: TimeArgs,
    #[command(flatten)]
    part: PartArgs,
}

impl DocsArgs {
    /// Asks for one document.
    pub(super) fn of(name: String) -> Self {
        DocsArgs { documents: vec![name], filter: Vec::new(), times: TimeArgs::default(), part: PartArgs::default() }
    }
}

pub async fn run(context: &Context, args: DocsArgs) -> Result<u8> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let searcher = context.searcher_over(&store, &config)?;
    let settings = SearchSettings { filter: Some(args.filter), ..SearchSettings::default() };
    let restriction = args.times.restriction(settings.filter(&Setting("filter").to_string())?, config.headings)?;
    let snapshots = searcher.snapshots().await?;
    let is_list = args.documents.is_empty();
    if !is_list {
        args.part.refuse()?;
    }
    let known = snapshots.iter().map(async |snapshot| match is_list {
        true => snapshot.all_document_names().await,
        false => documents_to_resolve(snapshot, &args.documents, &store).await,
    });
    let known = try_join_all(known).await?;
    let within = match restriction.is_empty() || known.iter().all(Vec::is_empty) {
        true => vec![Scope::Everything; known.len()],
        false => {
            let (scopes, note) = scopes_within(&snapshots, &restriction).await?;
            note.iter().for_each(|note| context.tell(note));
            scopes
        }
    };
    let within: Vec<_> = within.iter().map(Scope::documents).collect();
    let matches = |(place, document): &PlacedName<'_>| {
        within[*place].as_ref().is_none_or(|within| within.contains(document.doc_id.as_str()))
    };
    let found: Vec<PlacedName<'_>> = match is_list {
        true => {
            if known.iter().all(Vec::is_empty) {
                context.tell_no_documents();
            }
            let all =
                known.iter().enumerate().flat_map(|(place, own)| own.iter().map(move |document| (place, document)));
            args.part.of(context, all.filter(matches).collect())
        }
        false => named(context, &known, &args.documents, &store)?.into_iter().filter(matches).collect(),
    };
    if found.is_empty() && !is_list {
        return Err(Error::not_found("none of these documents matches the filter").hint("leave the filter out"));
    }
    let (rows, namespaces) = (rows_of(&snapshots, &found).await?, searcher.names());
    let mut listed: Vec<ListedDocument<'_>> = Vec::new();
    for (place, row) in &rows {
        listed.push(ListedDocument { namespace: &namespaces[*place], row, stale: stale(row, &store) });
    }
    let page = if is_list { render::document_list(&listed) } else { render::documents(&listed) };
    context.show(page.read_from(&snapshots))?;
    Ok(u8::from(listed.is_empty()))
}

/// A document, after the place of its namespace.
type PlacedName<'a> = (usize, &'a DocumentName);

/// The documents with these names, each once. Notes each guess.
fn named<'a>(
    context: &Context,
    known: &'a [Vec<DocumentName>],
    names: &[String],
    store: &Store,
) -> Result<Vec<PlacedName<'a>>> {
    let mut found: Vec<PlacedName<'a>> = Vec::new();
    for name in names {
        for (place, named) in resolve_each(known, name, store)? {
            named.note.iter().for_each(|note| context.tell(note));
            if !found.iter().any(|(own, document)| (*own, &document.doc_id) == (place, &named.document.doc_id)) {
                found.push((place, named.document));
            }
        }
    }
    Ok(found)
}

/// The rows of these documents, in the same order.
async fn rows_of(snapshots: &[&Snapshot], documents: &[PlacedName<'_>]) -> Result<Vec<(usize, DocumentRow)>> {
    let each = snapshots.iter().enumerate().map(async |(place, snapshot)| {
        let own = documents.iter().filter(|(own, _)| *own == place).map(|(_, document)| document.doc_id.clone());
        let rows = snapshot.documents_by_id(&own.collect::<Vec<DocId>>()).await?;
        Ok::<_, Error>(rows.into_iter())
    });
    let mut each = try_join_all(each).await?;
    Ok(documents.iter().filter_map(|(place, _)| Some((*place, each[*place].next()?))).collect())
}

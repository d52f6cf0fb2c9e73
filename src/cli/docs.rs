//! `kb docs`: what is there.

use clap::Args;

use super::Context;
use super::filter::{FILTERS, FilterArgs};
use crate::error::{Error, Result};
use crate::render::{DocumentList, DocumentView, ListedDocument};
use crate::retrieve::{documents_within, resolve_each};
use crate::store::{DocumentRow, Namespace};

const EXAMPLES: &str = "\
Examples:
  kb docs
  kb docs manual.pdf                      all about it: kinds of passages, topics, what it is good for
  kb docs --format paths | wc -l
  kb docs --filter 'tags in (pump, valve) and not status = draft'
  kb docs --after 2026
  kb docs -n manuals,drafts               of two namespaces; -n all: of every one";

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
    let kernel = context.kernel_over(&store, &context.config(&store)?)?;
    let restriction = args.filter.or(None)?;
    let snapshots = kernel.snapshots().await?;
    let namespaces = store.namespaces_named(&context.global.namespace)?;
    let names: Vec<&str> = namespaces.iter().map(Namespace::name).collect();
    let mut rows = Vec::with_capacity(snapshots.len());
    for snapshot in &snapshots {
        rows.push(snapshot.documents().await?);
    }
    let within = match restriction.is_empty() || rows.iter().all(Vec::is_empty) {
        true => None,
        false => {
            let (within, notes) = documents_within(&snapshots, &restriction).await?;
            notes.iter().for_each(|note| context.tell(note));
            Some(within)
        }
    };
    let named = |at: usize| (names.len() > 1).then(|| names[at]);
    let is_let_through =
        |at: usize, row: &DocumentRow| within.as_ref().is_none_or(|within| within[at].contains(&row.doc_id));
    let listed = |at: usize, row| ListedDocument::new(named(at), row);
    if args.documents.is_empty() {
        let all = rows.iter().enumerate().flat_map(|(at, rows)| rows.iter().map(move |row| (at, row)));
        let let_through = all.filter(|(at, row)| is_let_through(*at, row));
        let documents: Vec<ListedDocument<'_>> = let_through.map(|(at, row)| listed(at, row)).collect();
        context.show(&DocumentList(&documents))?;
        return Ok(u8::from(documents.is_empty()));
    }
    let mut found: Vec<(usize, &DocumentRow)> = Vec::new();
    for name in &args.documents {
        for (at, named) in resolve_each(&rows, name, &store)? {
            named.note.iter().for_each(|note| context.tell(note));
            if !found.iter().any(|(known, row)| (*known, &row.doc_id) == (at, &named.document.doc_id)) {
                found.push((at, named.document));
            }
        }
    }
    found.retain(|(at, row)| is_let_through(*at, row));
    if found.is_empty() {
        return Err(Error::not_found("the filter lets none of these documents through").hint("leave it out"));
    }
    let found: Vec<ListedDocument<'_>> = found.into_iter().map(|(at, row)| listed(at, row)).collect();
    context.show(&DocumentView(&found))?;
    Ok(0)
}

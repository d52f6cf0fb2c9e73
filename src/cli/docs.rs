//! `kb docs`: lists and describes documents.

use std::collections::HashMap;

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
use crate::store::{DocumentName, DocumentRow, Namespace, Scope, Snapshot, Store};
use crate::text::unique;

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
    let namespaces = store.namespaces_named(&context.global.namespace)?;
    let names: Vec<&str> = namespaces.iter().map(Namespace::name).collect();
    if !args.documents.is_empty() {
        args.part.refuse()?;
    }
    let known = snapshots.iter().map(async |snapshot| match args.documents.is_empty() {
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
    let matches = |(at, document): &(usize, &DocumentName)| {
        within[*at].as_ref().is_none_or(|within| within.contains(document.doc_id.as_str()))
    };
    if args.documents.is_empty() {
        if known.iter().all(Vec::is_empty) {
            context.tell_no_documents();
        }
        let all = known.iter().enumerate().flat_map(|(at, known)| known.iter().map(move |document| (at, document)));
        let shown = args.part.of(context, all.filter(matches).collect());
        let rows = rows_of(&snapshots, &shown).await?;
        context.show(render::document_list(&listed(&rows, &names, &store)).read_from(&snapshots))?;
        return Ok(u8::from(rows.is_empty()));
    }
    let mut found: Vec<(usize, &DocumentName)> = Vec::new();
    for name in &args.documents {
        for (at, named) in resolve_each(&known, name, &store)? {
            named.note.iter().for_each(|note| context.tell(note));
            found.push((at, named.document));
        }
    }
    found.retain(matches);
    if found.is_empty() {
        return Err(Error::not_found("none of these documents matches the filter").hint("leave the filter out"));
    }
    let rows = rows_of(&snapshots, &found).await?;
    context.show(render::documents(&listed(&rows, &names, &store)).read_from(&snapshots))
}

fn listed<'a>(rows: &'a [(usize, DocumentRow)], names: &[&'a str], store: &Store) -> Vec<ListedDocument<'a>> {
    rows.iter().map(|(at, row)| ListedDocument { namespace: names[*at], row, stale: stale(row, store) }).collect()
}

/// The rows of documents, each once, in the order of their names. The numbers are the places of their namespaces.
async fn rows_of(snapshots: &[&Snapshot], names: &[(usize, &DocumentName)]) -> Result<Vec<(usize, DocumentRow)>> {
    let each = snapshots.iter().enumerate().map(async |(at, snapshot)| {
        let own = names.iter().filter(|(own, _)| *own == at);
        let ids = unique(own.map(|(_, document)| document.doc_id.clone()));
        let rows = snapshot.documents_by_id(&ids).await?.into_iter();
        Ok::<_, Error>(rows.map(move |row| ((at, row.doc_id.clone()), row)))
    });
    let mut rows: HashMap<(usize, DocId), DocumentRow> = try_join_all(each).await?.into_iter().flatten().collect();
    let row = |(at, document): &(usize, &DocumentName)| Some((*at, rows.remove(&(*at, document.doc_id.clone()))?));
    Ok(names.iter().filter_map(row).collect())
}

//! `kb docs`: lists and describes documents.

use clap::Args;
use futures::future::try_join_all;

use super::filter::{FILTERS, TimeArgs};
use super::global::PartArgs;
use super::invocation::Context;
use crate::config::SearchSettings;
use crate::error::{Error, Result, Setting};
use crate::ingest::stale;
use crate::render::{self, ListedDocument};
use crate::search::{resolve_each, scopes_within};
use crate::store::{DocumentName, DocumentRow, Namespace, Scope};

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
    let rows = try_join_all(snapshots.iter().map(|snapshot| snapshot.documents())).await?;
    let within = match restriction.is_empty() || rows.iter().all(Vec::is_empty) {
        true => vec![Scope::Everything; rows.len()],
        false => {
            let (scopes, note) = scopes_within(&snapshots, &restriction).await?;
            note.iter().for_each(|note| context.tell(note));
            scopes
        }
    };
    let within: Vec<_> = within.iter().map(Scope::documents).collect();
    let matches =
        |at: usize, row: &DocumentRow| within[at].as_ref().is_none_or(|within| within.contains(row.doc_id.as_str()));
    let listed = |at: usize, row| ListedDocument { namespace: names[at], row, stale: stale(row, &store) };
    if args.documents.is_empty() {
        if rows.iter().all(Vec::is_empty) {
            context.tell_no_documents();
        }
        let all = rows.iter().enumerate().flat_map(|(at, rows)| rows.iter().map(move |row| (at, row)));
        let matching = all.filter(|(at, row)| matches(*at, row));
        let shown = args.part.of(context, matching.collect());
        let documents: Vec<ListedDocument<'_>> = shown.into_iter().map(|(at, row)| listed(at, row)).collect();
        context.show(render::document_list(&documents).read_from(&snapshots))?;
        return Ok(u8::from(documents.is_empty()));
    }
    args.part.refuse()?;
    let known: Vec<Vec<DocumentName>> = rows.iter().map(|rows| rows.iter().map(DocumentName::from).collect()).collect();
    let mut found: Vec<(usize, &DocumentRow)> = Vec::new();
    for name in &args.documents {
        for (at, named) in resolve_each(&known, name, &store)? {
            named.note.iter().for_each(|note| context.tell(note));
            if !found.iter().any(|(known, row)| (*known, &row.doc_id) == (at, &named.document.doc_id)) {
                found.extend(rows[at].iter().find(|row| row.doc_id == named.document.doc_id).map(|row| (at, row)));
            }
        }
    }
    found.retain(|(at, row)| matches(*at, row));
    if found.is_empty() {
        return Err(Error::not_found("none of these documents matches the filter").hint("leave the filter out"));
    }
    let found: Vec<ListedDocument<'_>> = found.into_iter().map(|(at, row)| listed(at, row)).collect();
    context.show(render::documents(&found).read_from(&snapshots))
}

//! `kb show` and `kb open`: show the item with an id, and open its file.

use std::path::Path;

use clap::Args;

use super::docs::{self, DocsArgs};
use super::invocation::Context;
use super::section::{self, SectionArgs};
use crate::error::{Error, NextStep, Result};
use crate::ids::{ChunkId, document_of};
use crate::ingest;
use crate::load::Format;
use crate::render;
use crate::search::{ListedChunk, Purpose};
use crate::store::Snapshot;

/// Show the chunk, section or document with this id
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb show k3v9aw:12           a whole parent chunk
  kb show k3v9aw:12.3         a child chunk of it
  kb show k3v9aw#2.1          a section with its subsections
  kb show k3v9aw              a document: kinds of parent chunks, topics, summary

Every command prints ids.")]
pub struct ShowArgs {
    /// An id, as results show it
    #[arg(value_name = "ID")]
    id: String,
}

pub async fn run(context: &Context, args: ShowArgs) -> Result<u8> {
    if args.id.contains('#') {
        return section::run(context, SectionArgs::of(args.id)).await;
    }
    if !args.id.contains(':') {
        return docs::run(context, DocsArgs::of(args.id)).await;
    }
    let store = context.store()?;
    let searcher = context.searcher(&store)?;
    let snapshot = searcher.snapshot().await?;
    let Some(chunk) = ListedChunk::read(snapshot, &args.id).await? else {
        return Err(missing_chunk(snapshot, &args.id).await?);
    };
    context.show(render::chunk(&chunk, context.screen.columns).read_from(&[snapshot]))
}

/// The error for a chunk that does not exist: a person may have deleted or changed it.
async fn missing_chunk(snapshot: &Snapshot, id: &str) -> Result<Error> {
    let error = Error::not_found(format!("no chunk {id:?}"));
    let doc_id = document_of(id);
    let document = snapshot.documents_by_id(&[doc_id.into()]).await?.pop();
    // The edit of the chunk itself, or of the parent chunk above it.
    let edits = document.iter().flat_map(|row| &row.edits);
    let edit =
        edits.filter_map(|edit| Some((ChunkId::parent(doc_id, edit.parent_chunk?), edit))).find(|(parent, _)| {
            id.strip_prefix(parent.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
    Ok(match edit {
        None => error.hint("search results show ids; a new ingest can change them"),
        Some((parent, edit)) => {
            let done = if edit.content.is_none() { "deleted" } else { "changed" };
            let reset = NextStep::ResetChunk(&parent);
            error.hint(format!("{parent} was {done} by hand; `{reset}` brings back what the source says"))
        }
    })
}

/// Open the file of a chunk, a section or a document in the system's viewer, at its page if the viewer can
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb open k3v9aw:12           the page of a chunk
  kb open k3v9aw#2.1          the page on which a section begins
  kb open manual.pdf")]
pub struct OpenArgs {
    /// An id, as results show it, or a document, by its path, title or a part of them
    #[arg(value_name = "ID|DOC")]
    name: String,
}

pub async fn open(context: &Context, args: OpenArgs) -> Result<u8> {
    let store = context.store()?;
    let searcher = context.searcher(&store)?;
    let snapshot = searcher.snapshot().await?;
    let name = args.name.as_str();
    let (document, page) = if let Some(chunk) = ListedChunk::read(snapshot, name).await? {
        (document_of(name).to_owned(), chunk.row.page_start)
    } else if let Some(section) = snapshot.sections_by_id(&[name.into()]).await?.pop() {
        (document_of(name).to_owned(), section.page_start)
    } else {
        (args.name.clone(), None)
    };
    let document = &context.document_of(snapshot, &document, &store, Purpose::Read).await?;
    if !store.is_own() && !is_document(&document.source) {
        // Some desktops run a program when they are asked to open it.
        let message = format!("{} is no document of a format that kb reads", document.source);
        return Err(Error::failed(message).hint("check it yourself before you open it: this store is not yours"));
    }
    if ingest::is_page(&document.source) {
        start_viewer(&document.source, &document.source, name)?;
        return context.show(render::opened(document, None));
    }
    let file = store.source_path(&document.source);
    if !file.exists() {
        return Err(Error::not_found(format!("the file of {name} is gone: {}", document.source))
            .hint(format!("`{}` shows the text that kb read from it", NextStep::Show(name))));
    }
    let mut address = reqwest::Url::from_file_path(&file)
        .map_err(|()| Error::failed(format!("{} cannot be written as an address", document.source)))?;
    let page = page.filter(|_| document.format == "pdf");
    address.set_fragment(page.map(|page| format!("page={page}")).as_deref());
    start_viewer(address.as_str(), &file.display().to_string(), name)?;
    context.show(render::opened(document, page))
}

/// Whether a source is a page on the web, or a file of a format that is read and not run.
fn is_document(source: &str) -> bool {
    let format = Format::from_path(Path::new(source));
    ingest::is_page(source) || format.is_some_and(|format| !format.is_code())
}

/// Opens an address. An error names the `path` of the file, for another program.
fn start_viewer(address: &str, path: &str, name: &str) -> Result<()> {
    open::that_detached(address).map_err(|error| {
        Error::failed(format!("no program on this machine could show {path}"))
            .hint(format!("open it yourself, or see the text that kb read from it with `{}`", NextStep::Show(name)))
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_desktop_could_run_is_no_document() {
        for document in ["manual.pdf", "a/手册.md", "https://example.org/x.desktop"] {
            assert!(is_document(document), "{document}");
        }
        for other in ["evil.desktop", "x.jar", "run.sh", "a.py", "noending"] {
            assert!(!is_document(other), "{other}");
        }
    }
}

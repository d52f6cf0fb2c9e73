//! Answers that need no search: to a greeting, from tables of contents, and the text of a section that the query names.

use std::borrow::Cow;
use std::time::Instant;

use futures::future::try_join_all;

use super::contents::{Answer, Contents, answer, note_ambiguous_section};
use super::expand::{describe, limit};
use super::hit::{Hit, Source};
use super::named_documents::MOST_DOCUMENTS;
use super::note::{Note, NoteCode};
use super::request::{Kind, SearchRequest};
use super::restrict::filter;
use super::result::SearchResult;
use super::searcher::Searcher;
use super::trace::Trace;
use super::understand::{AskedPart, Route, Understanding, Wanted, contents_of, document_named, section_of_document};
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::store::{DocumentName, IndexedParentChunk, Snapshot};
use crate::text::han::in_simplified;
use crate::text::truncate;

/// Characters of a greeting that its note quotes.
const QUOTED_CHARS: usize = 40;

/// A result that says why nothing was searched.
pub(super) async fn answer_greeting(searcher: &Searcher, request: &SearchRequest) -> Result<SearchResult> {
    let mut trace = Trace::new(request.explain);
    let query = truncate(&request.query, QUOTED_CHARS);
    let message = format!(
        "{query:?} is not a question to documents, so nothing was searched; put it in quotation marks to search for it"
    );
    trace.note(NoteCode::NoSearchNeeded, message);
    without_hits(searcher, request, Understanding::of_kind(&request.query, request.kind), trace).await
}

async fn without_hits(
    searcher: &Searcher,
    request: &SearchRequest,
    understood: Understanding,
    trace: Trace,
) -> Result<SearchResult> {
    let route = Route::choose(understood.kind, request, searcher.model().await?.coverage(&request.query));
    Ok(SearchResult::new(request, searcher.names(), understood, route, trace))
}

/// What tables of contents say to a question.
pub(super) enum FromContents {
    Answer(Box<SearchResult>),
    /// The text is searched; if `without_contents` is not empty, only that of these documents.
    SearchText {
        notes: Vec<Note>,
        without_contents: Vec<DocId>,
    },
}

/// Answers a question about structure from tables of contents, and one that is nothing but a section with its text.
pub(super) async fn from_contents(searcher: &Searcher, request: &SearchRequest) -> Result<FromContents> {
    let mut trace = Trace::new(request.explain);
    let mut understood = Understanding::of_kind(&request.query, request.kind);
    // A request for sections gets sections, because one may be called "Contents"; but "what is in chapter 3" names one.
    if request.shape.seeks_sections() && !matches!(understood.wanted, Some(Wanted::Part(_))) {
        return Ok(FromContents::SearchText { notes: Vec::new(), without_contents: Vec::new() });
    }
    let mut request = Cow::Borrowed(request);
    if let Some(documents) = named_documents(searcher, &request, &understood).await? {
        if understood.wanted.is_none() {
            understood = Understanding::of_kind(&request.query, Some(Kind::Structure));
        }
        request.to_mut().documents = Some(documents);
    }
    let Some(wanted) = &understood.wanted else {
        return from_named_section(searcher, &request, understood, trace).await;
    };
    trace.stage("understand", trace.begun, 1, 1).notes(understood.in_words());
    let start = Instant::now();
    let Answer { contents, without_contents } = answer(searcher, &request, wanted, &mut trace).await?;
    let entries = contents.iter().map(|contents| contents.sections.len()).sum();
    trace.stage("contents", start, contents.len(), entries).note("answered from the table of contents");
    if contents.is_empty() {
        return Ok(FromContents::SearchText { notes: trace.notes, without_contents });
    }
    let result = without_hits(searcher, &request, understood, trace).await?;
    Ok(FromContents::Answer(Box::new(SearchResult { contents, ..result })))
}

/// Quoted text is searched for as it is.
fn is_quoted(query: &str) -> bool {
    query.trim_start().starts_with(['"', '“', '「'])
}

/// The few documents with the name that a question about structure names.
async fn named_documents(
    searcher: &Searcher,
    request: &SearchRequest,
    understood: &Understanding,
) -> Result<Option<Vec<DocId>>> {
    let name = match understood.wanted {
        Some(_) => document_named(&request.query),
        None => contents_of(&request.query).filter(|_| request.kind.is_none()),
    };
    let in_all = request.documents.is_none() && request.restriction.is_empty();
    let Some(name) = name.filter(|_| in_all && !is_quoted(&request.query)) else { return Ok(None) };
    let documents = documents_named(&searcher.snapshots().await?, &name).await?;
    Ok(Some(documents).filter(|documents| (1..=MOST_DOCUMENTS).contains(&documents.len())))
}

async fn from_named_section(
    searcher: &Searcher,
    request: &SearchRequest,
    understood: Understanding,
    mut trace: Trace,
) -> Result<FromContents> {
    if !is_quoted(&request.query) {
        let mut hits = text_of_named_section(searcher, request, &mut trace).await?;
        if !hits.is_empty() {
            let left_out = limit(request, &mut hits)?;
            trace.stage("contents", trace.begun, 1, hits.len()).note("the query is the name of a section");
            let result = without_hits(searcher, request, understood, trace).await?;
            return Ok(FromContents::Answer(Box::new(SearchResult { hits, left_out, ..result })));
        }
    }
    note_ambiguous_section(searcher, request, &mut trace).await?;
    Ok(FromContents::SearchText { notes: trace.notes, without_contents: Vec::new() })
}

/// The text of the parts that a question asks for, without those that are a guess: a hit for each section that has
/// some. Those of several documents take turns, so that a token limit leaves room for the beginning of each.
pub(super) async fn text_of_parts(
    searcher: &Searcher,
    request: &SearchRequest,
    contents: &[Contents],
) -> Result<Vec<Hit>> {
    let (snapshots, names) = (searcher.snapshots().await?, searcher.names());
    // The search has noted what is unknown in the filter.
    let scopes = filter(searcher, request, &mut Trace::new(false)).await?;
    let mut placed = Vec::new();
    for own in contents.iter().filter(|contents| contents.part.is_some() && !contents.is_guess) {
        let Some(namespace) = names.iter().position(|name| *name == own.namespace) else { continue };
        for (place, section) in own.sections.iter().enumerate() {
            let ids = (section.chunk_start..section.chunk_end).map(|index| ChunkId::parent(&section.doc_id, index));
            let ids: Vec<ChunkId> = ids.filter(|id| scopes[namespace].admits_chunk(id)).collect();
            let mut chunks = snapshots[namespace].keyword().parent_chunks(&ids)?;
            chunks.sort_by_key(|chunk| chunk.chunk_index);
            placed.extend(text_of_section(own, &chunks).map(|hit| (place, hit)));
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    let mut hits: Vec<Hit> = placed.into_iter().map(|(_, hit)| hit).collect();
    describe(&snapshots, &names, &mut hits).await?;
    Ok(hits)
}

/// The text of the section that a query names with its document, and no more: "pump manual section 3.2". Empty if
/// not exactly one document has that name, or if it lacks the section: the text is searched.
async fn text_of_named_section(searcher: &Searcher, request: &SearchRequest, trace: &mut Trace) -> Result<Vec<Hit>> {
    let Some((document, name)) = section_of_document(&in_simplified(&request.query)) else { return Ok(Vec::new()) };
    let documents = documents_named(&searcher.snapshots().await?, &document).await?;
    if documents.len() != 1 || request.documents.is_some() || request.kind.is_some() {
        return Ok(Vec::new());
    }
    let request = SearchRequest { documents: Some(documents), ..request.clone() };
    // A search that follows filters again, and notes what is unknown in the filter.
    let mut own = Trace::new(false);
    let wanted = Wanted::Part(AskedPart { name, says_of_what: true });
    let contents = answer(searcher, &request, &wanted, &mut own).await?.contents;
    let hits = text_of_parts(searcher, &request, &contents).await?;
    if !hits.is_empty() {
        trace.notes.append(&mut own.notes);
    }
    Ok(hits)
}

/// A section with the parent chunks of its own text; `None` without any.
fn text_of_section(own: &Contents, chunks: &[IndexedParentChunk]) -> Option<Hit> {
    let source = |chunk: &IndexedParentChunk| Source::of(chunk, &own.document.title, Some(own.confidence));
    let sources: Vec<Source> = chunks.iter().map(source).collect();
    let first = sources.first()?;
    let mut hit = Hit {
        score: own.confidence,
        confidence: own.confidence,
        namespace: own.namespace.clone(),
        chunk_id: first.chunk_id.clone(),
        section: first.section(),
        sources,
        ..Hit::in_document(&DocumentName::from(&own.document))
    };
    hit.refresh();
    Some(hit)
}

/// The documents of all namespaces with this title or file name.
async fn documents_named(snapshots: &[&Snapshot], name: &str) -> Result<Vec<DocId>> {
    let each = try_join_all(snapshots.iter().map(|snapshot| snapshot.documents_called(name))).await?;
    Ok(each.into_iter().flatten().map(|document| document.doc_id).collect())
}

//! Reads the text and documents of ranked parent chunks. A chunk that several namespaces have alike becomes one hit.

use futures::future::try_join_all;

use super::Hit;
use super::candidate::Candidate;
use super::expand::merge::{Source, section_title};
use crate::error::{Error, Result};
use crate::ids::{ChunkId, DocId};
use crate::store::{DocumentName, IndexedParentChunk, Snapshot};
use crate::text::highlight::{Snippet, snippet};

/// Characters of a snippet.
const SNIPPET_CHARS: usize = 240;

struct Rows {
    chunks: Vec<IndexedParentChunk>,
    documents: Vec<DocumentName>,
}

/// The hits, without their snippets. `names` are those of the namespaces that were searched.
pub(super) async fn fetch(snapshots: &[&Snapshot], names: &[String], candidates: &[Candidate]) -> Result<Vec<Hit>> {
    let rows =
        try_join_all(snapshots.iter().enumerate().map(|(place, snapshot)| read(snapshot, candidates, place))).await?;
    let mut hits: Vec<Hit> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let (rows, namespace) = (&rows[candidate.namespace], &names[candidate.namespace]);
        let chunk = rows.chunks.iter().find(|chunk| chunk.chunk_id == candidate.chunk_id);
        let document = chunk.and_then(|chunk| rows.documents.iter().find(|document| document.doc_id == chunk.doc_id));
        let (Some(chunk), Some(document)) = (chunk, document) else {
            return Err(Error::failed(format!(
                "the chunk {} is in the indexes but not in the tables",
                candidate.chunk_id
            ))
            .hint("delete the folder `keyword` of the namespace; the next command rebuilds it"));
        };
        match hits.iter_mut().find(|hit| is_same(hit, chunk, document)) {
            Some(better) => better.also_in.push(namespace.clone()),
            None => hits.push(hit(candidate, namespace, chunk, document)),
        }
    }
    hits.iter_mut().zip(1..).for_each(|(hit, rank)| hit.rank = rank);
    Ok(hits)
}

async fn read(snapshot: &Snapshot, candidates: &[Candidate], place: usize) -> Result<Rows> {
    let own = candidates.iter().filter(|candidate| candidate.namespace == place);
    let ids: Vec<ChunkId> = own.map(|candidate| candidate.chunk_id.clone()).collect();
    let chunks = snapshot.keyword().parent_chunks(&ids)?;
    let mut doc_ids: Vec<DocId> = chunks.iter().map(|chunk| chunk.doc_id.clone()).collect();
    doc_ids.sort();
    doc_ids.dedup();
    let documents = snapshot.document_names(&doc_ids).await?;
    Ok(Rows { chunks, documents })
}

/// Whether a hit from another namespace shows this chunk already. The same file in an older state differs.
fn is_same(hit: &Hit, chunk: &IndexedParentChunk, document: &DocumentName) -> bool {
    hit.chunk_id == chunk.chunk_id && hit.source == document.source && hit.content == chunk.content.trim_end()
}

fn hit(candidate: &Candidate, namespace: &str, chunk: &IndexedParentChunk, document: &DocumentName) -> Hit {
    let section = chunk.section_id.path().to_owned();
    Hit {
        rank: 0,
        score: candidate.score,
        namespace: namespace.to_owned(),
        also_in: Vec::new(),
        chunk_id: chunk.chunk_id.clone(),
        doc_id: chunk.doc_id.clone(),
        source: document.source.clone(),
        title: document.title.clone(),
        format: document.format.clone(),
        section_id: chunk.section_id.clone(),
        section_title: section_title(&chunk.titles, &document.title),
        section,
        page_start: chunk.page_start,
        page_end: chunk.page_end,
        keyword_score: candidate.keyword,
        semantic_score: candidate.semantic,
        content: chunk.content.trim_end().to_owned(),
        snippet: String::new(),
        matches: Vec::new(),
        matched_chunks: 1,
        duplicates: Vec::new(),
        sources: vec![Source::of(chunk, &document.title, Some(candidate.score))],
    }
}

impl Hit {
    /// Finds the part of its best parent chunk that shows why it was found, where it has no snippet. Done last, for the hits
    /// that are shown.
    pub(super) fn find_snippet(&mut self, query: &str) {
        if self.snippet.is_empty() {
            let own = self.sources.iter().find(|source| source.chunk_id == self.chunk_id);
            let found = snippet(own.map_or(&self.content, |source| &source.text), query, SNIPPET_CHARS);
            self.show(found);
        }
    }

    /// Makes the part of `text` that answers best its snippet.
    pub(super) fn set_snippet(&mut self, text: &str, query: &str) {
        self.show(snippet(text, query, SNIPPET_CHARS));
    }

    fn show(&mut self, snippet: Snippet) {
        self.snippet = snippet.text;
        self.matches = snippet.matches.into_iter().map(|range| (range.start, range.end)).collect();
    }
}

//! A hit: a candidate with its text, as a result shows it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use futures::future::try_join_all;
use serde::Serialize;

use super::candidate::{Candidate, ChunkKey, by_namespace};
use super::section_name::SectionName;
use crate::chunk::context::below_document;
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::{ChunkId, DocId, SectionId};
use crate::knowledge::profile::Profile;
use crate::store::{DocumentName, DocumentTime, Fields, IndexedParentChunk, Snapshot};
use crate::text::highlight::{find_matches, snippet};
use crate::text::visible;

const SNIPPET_CHARS: usize = 240;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// From 0 to 1. Fused scores are relative to this search's candidates; semantic search alone gives the cosine. A
    /// merged hit has the best score, a section that of its title and parent chunks together.
    pub score: f32,
    /// How surely it answers the question, from 0 to 1, comparable between questions and stores. Of several parent
    /// chunks the best counts.
    pub confidence: f32,
    /// The namespace it is in; of several, one in which it scored best.
    pub namespace: String,
    /// The other searched namespaces that have this parent chunk of this source too.
    pub also_in: Vec<String>,
    /// The parent chunk; of several, the best one. Empty for a section without text.
    pub chunk_id: ChunkId,
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    pub section: SectionName,
    /// The document's time and metadata, if requested.
    #[serde(flatten)]
    pub described: Option<Described>,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// BM25, if keyword search ran.
    pub keyword_score: Option<f32>,
    /// Semantic score, if semantic search ran: the cosine of the best child and, with less weight, of the parent chunk
    /// as a whole.
    pub semantic_score: Option<f32>,
    /// Its text: the whole parent chunk, or what the request shows of it.
    pub content: String,
    /// The text of the neighbours before it, if requested.
    pub before: String,
    /// The text of the neighbours after it.
    pub after: String,
    /// The part of it that shows why it was found.
    pub snippet: String,
    /// Byte ranges in `content` that match the question.
    pub matches: Vec<(usize, usize)>,
    /// How many of its parent chunks were found, not added as neighbours.
    pub matched_chunks: usize,
    /// The ids of parent chunks that were left out because they repeat it.
    pub duplicates: Vec<ChunkId>,
    /// The parent chunks it is made of, in reading order.
    pub sources: Vec<Source>,
    /// The indexes of all parent chunks of its document that a person changed.
    #[serde(skip)]
    pub edited_chunks: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Described {
    pub time: Option<DocumentTime>,
    pub metadata: Fields,
    #[serde(skip)]
    pub language: String,
    #[serde(skip)]
    pub profile: Option<Profile>,
}

/// A parent chunk that a hit is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Source {
    pub chunk_id: ChunkId,
    /// Its place in the document.
    pub index: u32,
    pub section_id: SectionId,
    /// `None` for a neighbour, which was not found itself.
    pub score: Option<f32>,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// The child chunks that match best, best first.
    pub children: Vec<SourceChild>,
    /// The titles of its section and those above it.
    #[serde(skip)]
    pub section_title: String,
    /// The titles of the subsections that begin with it; the hit shows them before it.
    #[serde(skip)]
    pub headings: Vec<String>,
    /// The text of it that the hit shows, with trailing space.
    #[serde(skip)]
    pub text: String,
}

/// A child chunk of a parent chunk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceChild {
    pub chunk_id: ChunkId,
    /// How well it matches, from 0 to 1.
    pub score: f32,
    #[serde(skip)]
    pub text: String,
}

/// Parent chunks of a section that did not fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Omitted {
    pub chunk_ids: Vec<ChunkId>,
    /// The document's source.
    pub source: String,
    /// The section of the first of them.
    pub section: SectionName,
}

impl Omitted {
    /// Parent chunks of a document with this source; `None` for no parent chunks.
    pub(super) fn of<'s>(source: &str, left_out: impl IntoIterator<Item = &'s Source> + Clone) -> Option<Self> {
        let first = left_out.clone().into_iter().next()?;
        Some(Omitted {
            chunk_ids: left_out.into_iter().map(|source| source.chunk_id.clone()).collect(),
            source: source.to_owned(),
            section: first.section(),
        })
    }
}

/// The error if not even the first parent chunk fits into a token limit of `most`: it needs `least`.
pub(super) fn nothing_fits(least: usize, most: usize) -> Error {
    Error::usage(format!("not even the first parent chunk fits into {most} tokens"))
        .hint(format!("it needs {least} in all; raise {}", Setting("max_tokens")))
}

/// The titles of a section, given those of a chunk in it: without the document's title, unless it is the section's own.
pub(super) fn titles_of_section<'t>(titles: &'t str, section: &SectionId, document_title: &'t str) -> &'t str {
    match below_document(titles, document_title) {
        "" if section.level() > 0 => document_title,
        below => below,
    }
}

impl Source {
    pub(super) fn of(row: &IndexedParentChunk, document_title: &str, score: Option<f32>) -> Self {
        let section_title = titles_of_section(&row.titles, &row.section_id, document_title);
        Source {
            chunk_id: row.chunk_id.clone(),
            index: row.chunk_index,
            section_id: row.section_id.clone(),
            score,
            page_start: row.page_start,
            page_end: row.page_end,
            section_title: section_title.to_owned(),
            text: row.content.clone(),
            ..Source::default()
        }
    }

    pub(super) fn section(&self) -> SectionName {
        SectionName::new(self.section_id.clone(), self.section_title.clone())
    }
}

/// The text of parent chunks in the given order. Chunks are cut without loss, so only titles are put between them.
pub(super) fn text_of(sources: &[Source]) -> String {
    let mut text = String::new();
    for source in sources {
        for heading in &source.headings {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(heading);
            text.push_str("\n\n");
        }
        text.push_str(&source.text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The first and the last page of parent chunks.
pub(super) fn pages_of<'s>(sources: impl Iterator<Item = &'s Source> + Clone) -> (Option<u32>, Option<u32>) {
    let first = sources.clone().filter_map(|source| source.page_start).min();
    (first, sources.filter_map(|source| source.page_end).max())
}

impl Hit {
    fn of(candidate: &Candidate, namespace: &str, chunk: &IndexedParentChunk, document: &DocumentName) -> Self {
        let source = Source::of(chunk, &document.title, Some(candidate.score));
        Hit {
            score: candidate.score,
            confidence: candidate.confidence,
            namespace: namespace.to_owned(),
            chunk_id: chunk.chunk_id.clone(),
            section: source.section(),
            page_start: chunk.page_start,
            page_end: chunk.page_end,
            keyword_score: candidate.keyword,
            semantic_score: candidate.semantic,
            content: chunk.content.trim_end().to_owned(),
            matched_chunks: 1,
            sources: vec![source],
            ..Hit::in_document(document)
        }
    }

    /// A hit that names its document alone.
    pub(super) fn in_document(document: &DocumentName) -> Self {
        let DocumentName { doc_id, source, title, edited: edited_chunks, .. } = document.clone();
        Hit { doc_id, source, title, edited_chunks, ..Hit::default() }
    }

    /// Whether a person changed any of its parent chunks.
    pub fn is_edited(&self) -> bool {
        self.sources.iter().any(|source| self.has_edited(source))
    }

    /// Whether a person changed one of its parent chunks.
    pub fn has_edited(&self, source: &Source) -> bool {
        self.edited_chunks.contains(&source.index)
    }

    /// The profile of its document, if it is described and has one.
    pub fn profile(&self) -> Option<&Profile> {
        self.described.as_ref()?.profile.as_ref()
    }

    /// Its own text between that of its neighbours.
    pub fn text(&self) -> Cow<'_, str> {
        match self.before.is_empty() && self.after.is_empty() {
            true => Cow::Borrowed(&self.content),
            false => Cow::Owned(text_of(&self.sources)),
        }
    }

    /// Separates what was found from the neighbours before and after it.
    pub(super) fn separate_neighbours(&mut self) {
        let is_found = |source: &Source| source.score.is_some();
        let (Some(first), Some(last)) =
            (self.sources.iter().position(is_found), self.sources.iter().rposition(is_found))
        else {
            return;
        };
        let found = &self.sources[first..=last];
        self.before = text_of(&self.sources[..first]);
        self.content = text_of(found);
        self.after = text_of(&self.sources[last + 1..]);
        (self.page_start, self.page_end) = pages_of(found.iter());
    }

    /// Updates text, pages and count after its sources changed.
    pub(super) fn refresh(&mut self) {
        self.content = text_of(&self.sources);
        (self.page_start, self.page_end) = pages_of(self.sources.iter());
        self.matched_chunks = self.sources.iter().filter(|source| source.score.is_some()).count();
    }

    /// Finds the matches in its text and, if it has no snippet, one in its best parent chunk. Done last, for shown hits
    /// only.
    pub(super) fn find_snippet(&mut self, query: &str) {
        if self.snippet.is_empty() {
            let own = self.sources.iter().find(|source| source.chunk_id == self.chunk_id);
            self.set_snippet(&own.map_or(&self.content, |source| &source.text).clone(), query);
        }
        // Results are written without invisible characters, and the ranges must fit what is written.
        let found = find_matches(&visible(&self.content), query);
        self.matches = found.into_iter().map(|range| (range.start, range.end)).collect();
    }

    /// Takes its snippet from `text`: the part that answers best.
    pub(super) fn set_snippet(&mut self, text: &str, query: &str) {
        self.snippet = snippet(&visible(text), query, SNIPPET_CHARS);
    }
}

/// Reads the hits, without their snippets. A chunk that is the same in several namespaces becomes one hit; the same
/// file in an older state differs. `names` are those of the searched namespaces.
pub(super) async fn fetch(snapshots: &[&Snapshot], names: &[String], candidates: &[Candidate]) -> Result<Vec<Hit>> {
    let chunks = parent_chunks(snapshots, candidates.iter().map(Candidate::key))?;
    let names_in = async |(place, snapshot): (usize, &&Snapshot)| {
        let own = chunks.iter().filter(|(key, _)| key.namespace == place);
        let ids: BTreeSet<DocId> = own.map(|(_, chunk)| chunk.doc_id.clone()).collect();
        snapshot.document_names(&Vec::from_iter(ids)).await
    };
    let documents = try_join_all(snapshots.iter().enumerate().map(names_in)).await?;
    let mut hits: Vec<Hit> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let chunk = chunks.get(&candidate.key());
        let is_of = |document: &&DocumentName| chunk.is_some_and(|chunk| chunk.doc_id == document.doc_id);
        let document = documents[candidate.namespace].iter().find(is_of);
        let (Some(chunk), Some(document)) = (chunk, document) else {
            let message = format!("the chunk {} is in the indexes but not in the tables", candidate.chunk_id);
            return Err(Error::failed(message).hint(format!("repair the namespace with `{}`", NextStep::Repair)));
        };
        let hit = Hit::of(candidate, &names[candidate.namespace], chunk, document);
        let same = |known: &&mut Hit| {
            (&known.chunk_id, &known.source, &known.content) == (&hit.chunk_id, &hit.source, &hit.content)
        };
        match hits.iter_mut().find(same) {
            Some(better) => better.also_in.push(hit.namespace),
            None => hits.push(hit),
        }
    }
    Ok(hits)
}

/// Reads parent chunks; missing ones are left out.
pub(super) fn parent_chunks(
    snapshots: &[&Snapshot],
    keys: impl Iterator<Item = ChunkKey>,
) -> Result<HashMap<ChunkKey, IndexedParentChunk>> {
    let mut chunks = HashMap::new();
    for (namespace, (snapshot, ids)) in snapshots.iter().zip(by_namespace(keys, snapshots.len())).enumerate() {
        let read = snapshot.keyword().parent_chunks(&ids)?.into_iter();
        chunks.extend(read.map(|chunk| (ChunkKey { chunk_id: chunk.chunk_id.clone(), namespace }, chunk)));
    }
    Ok(chunks)
}

#[cfg(test)]
pub mod sample {
    use super::{Hit, SectionName, Source};
    use crate::search::candidate::Candidate;
    use crate::store::{DocumentRow, SectionRow};

    pub fn document(id: &str, source: &str, title: &str) -> DocumentRow {
        DocumentRow { source: source.into(), title: title.into(), ..DocumentRow::sample(id) }
    }

    /// A section of the document `d`.
    pub fn section(path: &str, title: &str) -> SectionRow {
        SectionRow::sample("d", path, title)
    }

    pub fn candidate(chunk_id: &str, score: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.into(), score, ..Candidate::default() }
    }

    pub fn ids(candidates: &[Candidate]) -> String {
        candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect()
    }

    /// A hit on the parent chunk `DOC:INDEX`, in the section `1` of its document.
    pub fn hit(chunk_id: &str, text: &str) -> Hit {
        let (doc_id, index) = chunk_id.split_once(':').unwrap();
        Hit {
            score: 0.5,
            namespace: "default".to_owned(),
            chunk_id: chunk_id.into(),
            doc_id: doc_id.into(),
            source: format!("{doc_id}.md"),
            title: doc_id.to_owned(),
            section: SectionName::new(format!("{doc_id}#1").into(), "One"),
            content: text.trim_end().to_owned(),
            matched_chunks: 1,
            sources: vec![source(chunk_id, index.parse().unwrap(), text, Some(0.5))],
            ..Hit::default()
        }
    }

    /// A parent chunk of the section `1`.
    pub fn source(chunk_id: &str, index: u32, text: &str, score: Option<f32>) -> Source {
        Source {
            chunk_id: chunk_id.into(),
            index,
            section_id: format!("{}#1", chunk_id.split(':').next().unwrap()).into(),
            score,
            section_title: "One".to_owned(),
            text: text.to_owned(),
            ..Source::default()
        }
    }
}

//! The rows of the tables, as plain data.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::document_time::DocumentTime;
use super::metadata::Metadata;
use crate::chunk::{ChunkConfig, context};
use crate::ids::{ChunkId, DocId, SectionId};
use crate::knowledge::profile::{Profile, Share};
use crate::text::SharedText;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentRow {
    /// Short and stable: it stays when the content changes or the file moves.
    pub doc_id: DocId,
    /// Its source, as [`Store::source_name`](super::Store::source_name) names it; `stdin:NAME` for standard input.
    pub source: String,
    pub title: String,
    pub format: String,
    /// blake3 of the source's bytes, in hex.
    pub content_hash: String,
    /// Size of the source in bytes.
    pub size: u64,
    /// Time of the source's last change, in nanoseconds since 1970; 0 for standard input.
    pub mtime_ns: i64,
    /// Main language, BCP 47.
    pub language: String,
    pub pages: Option<u32>,
    pub metadata: Metadata,
    pub chunking: ChunkConfig,
    /// The name of the loader that read it.
    pub engine: String,
    /// Warnings for a person about reading it.
    pub warnings: Vec<String>,
    /// The source of its table of contents.
    pub toc_method: String,
    /// Number of sections without the preamble.
    pub sections: u32,
    pub parents: u32,
    pub children: u32,
    /// When it was ingested, RFC 3339.
    pub ingested_at: String,
    /// The corrected table of contents of a person, as JSON of [`OutlineEntry`](crate::load::OutlineEntry)s.
    pub corrected_toc: Option<String>,
    /// The `STRUCTURE_VERSION` that found its sections.
    pub structure_version: u32,
    /// Whether all its chunks have vectors.
    pub embedded: bool,
    /// The edits of people to its text, and conflicts, which have no parent chunk; in any order.
    pub edits: Vec<Edit>,
    pub time: Option<DocumentTime>,
    /// Its profile; `None` if it has no text.
    pub profile: Option<Profile>,
    /// blake3 of the text that was embedded, in hex; `None` without a vector.
    #[serde(skip)]
    pub embedding_hash: Option<String>,
    /// Of length 1. Empty if the document has none, or if vectors were not read: a row that is written with an
    /// `embedding_hash` and without a vector keeps the vector in the table.
    #[serde(skip)]
    pub vector: Vec<f32>,
}

impl DocumentRow {
    /// The number of its chunks, parents and children.
    pub fn chunks(&self) -> usize {
        self.parents as usize + self.children as usize
    }
}

/// Cuts a list into parts of items whose sizes add up to at most `most`. A larger item is a part of its own.
pub fn in_parts<T>(items: &[T], most: usize, size: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0);
    for (at, item) in items.iter().enumerate() {
        let own = size(item);
        if at > start && sum + own > most {
            parts.push(&items[start..at]);
            (start, sum) = (at, 0);
        }
        sum += own;
    }
    if start < items.len() {
        parts.push(&items[start..]);
    }
    parts
}

/// A change of a parent chunk by a person: the text of the source and the new text. The document's chunks are the
/// source's text with its edits applied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Its number within the document, from 1.
    pub number: u32,
    /// The index of the parent chunk it changes; `None` for a conflict: the source has changed at that place since, and
    /// a person has to decide.
    pub parent_chunk: Option<u32>,
    pub section_id: SectionId,
    /// The titles in front of the parent chunk.
    pub titles: String,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// The source's text: the whole parent chunk; for a conflict, the changed sentences.
    pub original: String,
    /// The new text; `None` if the parent chunk was deleted.
    pub content: Option<String>,
    /// Notes on the parent chunk.
    pub metadata: BTreeMap<String, String>,
    /// Notes on its child chunks, by their trimmed text.
    pub child_chunk_metadata: BTreeMap<String, BTreeMap<String, String>>,
    /// For a conflict, the preceding sentences of its section.
    pub before: String,
    /// For a conflict, the following sentences of its section.
    pub after: String,
    /// When it was made, RFC 3339.
    pub edited_at: String,
}

/// The names of a document, the numbers of its chunks, and which of them are edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentName {
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    pub parents: u32,
    pub children: u32,
    /// The indexes of the parent chunks that a person changed.
    pub edited: Vec<u32>,
}

impl From<&DocumentRow> for DocumentName {
    fn from(row: &DocumentRow) -> Self {
        let DocumentRow { doc_id, source, title, parents, children, .. } = row;
        let (doc_id, source, title) = (doc_id.clone(), source.clone(), title.clone());
        let edited = row.edits.iter().filter_map(|edit| edit.parent_chunk).collect();
        DocumentName { doc_id, source, title, parents: *parents, children: *children, edited }
    }
}

/// What an ingest needs of every document.
#[derive(Debug, Clone)]
pub struct DocumentKey {
    pub doc_id: DocId,
    pub source: String,
    pub content_hash: String,
    pub size: u64,
    pub embedded: bool,
}

/// Counts over the documents of a namespace.
#[derive(Debug, Default)]
pub struct DocumentCounts {
    pub without_vectors: usize,
    pub parents: usize,
    /// By the name of the context before their chunks.
    pub contexts: BTreeMap<&'static str, usize>,
}

/// The facts of a document that filters need.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFacts {
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    pub format: String,
    /// Its metadata as text, with `ingested_at` unless a field has that name.
    pub metadata: BTreeMap<String, String>,
    pub parents: u32,
    pub time: Option<DocumentTime>,
    /// The kinds of its parent chunks with their shares, the largest first.
    pub kinds: Vec<Share>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(Default))]
pub struct SectionRow {
    /// `doc_id#path`.
    pub section_id: SectionId,
    pub doc_id: DocId,
    /// Its position in the table of contents, from 0.
    pub position: u32,
    pub parent_id: Option<SectionId>,
    /// Depth, from 1; 0 for the preamble.
    pub level: u32,
    /// `1.2.3`.
    pub path: String,
    pub title: String,
    /// Its first page, from 1.
    pub page_start: Option<u32>,
    /// The page on which its last subsection ends.
    pub page_end: Option<u32>,
    /// Index of the first parent chunk of its own text. Deletions leave gaps in the range.
    pub chunk_start: u32,
    /// Index after the last one.
    pub chunk_end: u32,
    /// The source of the entry.
    pub provenance: String,
    /// From 0 to 1.
    pub confidence: f32,
    /// The fields of a record that the document states.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub metadata: BTreeMap<String, String>,
}

impl SectionRow {
    /// Whether it is the text before the first section. Tables of contents do not list it.
    pub fn is_preamble(&self) -> bool {
        self.level == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ChunkType {
    /// Parent chunks that are shown
    Parent,
    /// Child chunks of them that are matched
    Child,
}

impl ChunkType {
    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            ChunkType::Parent => "parent",
            ChunkType::Child => "child",
        }
    }
}

/// The fields of every chunk, parent or child.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// `doc_id:12` for a parent, `doc_id:12.3` for a child.
    pub chunk_id: ChunkId,
    /// The position of a parent in the document, or of a child in the parent.
    pub chunk_index: u32,
    /// That of a child chunk is a part of its parent's while the document is being ingested.
    pub content: SharedText,
    /// The situating sentence, embedded and indexed between the titles and the text. `None` leaves only the titles; an
    /// empty one removes the titles too.
    pub situating: Option<String>,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// Main language, BCP 47.
    pub language: Cow<'static, str>,
    /// blake3 of the embedded text, in hex.
    pub embedding_hash: String,
    /// RFC 3339.
    pub updated_at: SharedText,
    /// Whether a person changed it.
    pub edited: bool,
    /// Notes of a person.
    pub metadata: BTreeMap<String, String>,
    /// Of length 1. Empty if the chunk has none, or if vectors were not read.
    pub vector: Vec<f32>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParentChunk {
    pub doc_id: DocId,
    pub section_id: SectionId,
    /// The titles of the document and the sections above it.
    pub titles: String,
    pub chunk: Chunk,
    /// By index. Concatenated they are its text.
    pub children: Vec<Chunk>,
}

impl ParentChunk {
    /// The titles that are embedded and indexed with a chunk: itself or a child.
    pub fn titles_in_front_of(&self, chunk: &Chunk) -> &str {
        if chunk.situating.as_deref() == Some("") { "" } else { &self.titles }
    }

    /// The titles and the situating sentence that are embedded before its text.
    pub fn context_line(&self) -> String {
        let titles = context::nearest_titles(self.titles_in_front_of(&self.chunk));
        context::with_more(&titles, self.situating.as_deref().unwrap_or_default())
    }

    /// Itself, then its child chunks.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        std::iter::once(&self.chunk).chain(&self.children)
    }

    pub fn chunks_mut(&mut self) -> impl Iterator<Item = &mut Chunk> {
        std::iter::once(&mut self.chunk).chain(&mut self.children)
    }

    /// The hashes of the embedded texts of itself and its child chunks.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        self.chunks().map(|chunk| chunk.embedding_hash.as_str())
    }

    /// Whether it and all its child chunks have vectors.
    pub fn has_vectors(&self) -> bool {
        self.chunks().all(|chunk| !chunk.vector.is_empty())
    }
}

impl Deref for ParentChunk {
    type Target = Chunk;

    fn deref(&self) -> &Chunk {
        &self.chunk
    }
}

impl DerefMut for ParentChunk {
    fn deref_mut(&mut self) -> &mut Chunk {
        &mut self.chunk
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRow {
    pub doc_id: DocId,
    pub section_id: SectionId,
    /// `None` for a parent.
    pub parent_id: Option<ChunkId>,
    pub titles: String,
    pub chunk: Chunk,
}

impl ChunkRow {
    pub fn chunk_type(&self) -> ChunkType {
        if self.parent_id.is_some() { ChunkType::Child } else { ChunkType::Parent }
    }
}

impl Deref for ChunkRow {
    type Target = Chunk;

    fn deref(&self) -> &Chunk {
        &self.chunk
    }
}

/// A document with all its rows, ready to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    pub document: DocumentRow,
    /// Its sections, in the order of the table of contents.
    pub sections: Vec<SectionRow>,
    /// Its parent chunks, by index.
    pub parents: Vec<ParentChunk>,
}

impl NewDocument {
    pub fn parent(&self, index: u32) -> Option<&ParentChunk> {
        self.parents.binary_search_by_key(&index, |parent| parent.chunk_index).ok().map(|at| &self.parents[at])
    }

    pub fn children(&self) -> impl Iterator<Item = &Chunk> {
        self.parents.iter().flat_map(|parent| &parent.children)
    }

    /// All chunks: each parent, followed by its children.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.parents.iter().flat_map(ParentChunk::chunks)
    }

    pub fn chunks_mut(&mut self) -> impl Iterator<Item = &mut Chunk> {
        self.parents.iter_mut().flat_map(ParentChunk::chunks_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_by_the_sizes_of_its_items() {
        let cut = |sizes: &'static [usize]| in_parts(sizes, 10, |size| *size);
        assert_eq!(cut(&[5, 5, 1, 12, 0, 3]), [&[5, 5][..], &[1], &[12], &[0, 3]]);
        assert_eq!(cut(&[]), [&[0; 0]; 0]);
    }
}

//! The rows of the tables, as plain data.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::document_time::DocumentTime;
use crate::chunk::{ChunkConfig, context};
use crate::ids::{ChunkId, DocId, SectionId};
use crate::knowledge::profile::Profile;

/// A row of `documents`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentRow {
    /// Short and stable: it stays when the content changes or the file moves.
    pub doc_id: DocId,
    /// The file it came from, as [`Store::source_name`](super::Store::source_name) names it; `stdin:NAME` for
    /// standard input.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Name of its format.
    pub format: String,
    /// blake3 of the source's bytes, in hex.
    pub content_hash: String,
    /// Size of the source in bytes.
    pub size: u64,
    /// Time of the source's last change, in nanoseconds since 1970; 0 for standard input.
    pub mtime_ns: i64,
    /// Main language, BCP 47.
    pub language: String,
    /// Number of pages, for formats that have pages.
    pub pages: Option<u32>,
    /// The metadata that the document states.
    pub metadata: BTreeMap<String, String>,
    /// How it was cut.
    pub chunking: ChunkConfig,
    /// What read it.
    pub engine: String,
    /// What a person should know about how reading it went.
    pub warnings: Vec<String>,
    /// Where its table of contents came from.
    pub toc_method: String,
    /// Number of sections, the preamble not counted.
    pub sections: u32,
    /// Number of parent chunks.
    pub parents: u32,
    /// Number of child chunks.
    pub children: u32,
    /// When it was ingested, RFC 3339.
    pub ingested_at: String,
    /// The table of contents that a person gave it, as JSON of [`OutlineEntry`](crate::load::OutlineEntry)s; `None`
    /// where nobody did.
    pub corrected_toc: Option<String>,
    /// The [`STRUCTURE_VERSION`](crate::structure::STRUCTURE_VERSION) that found its sections.
    pub structure_version: u32,
    /// Whether all its chunks have vectors.
    pub embedded: bool,
    /// What people changed in its text, by parent chunk; conflicts behind it.
    pub edits: Vec<Edit>,
    /// Its time; `None` where it is unknown.
    pub time: Option<DocumentTime>,
    /// Its profile; `None` where it has no text.
    pub profile: Option<Profile>,
    /// blake3 of the text that its vector was made of, in hex; `None` where it has none.
    #[serde(skip)]
    pub embedding_hash: Option<String>,
    /// Of length 1. Empty where there is none, or it was not read from the table: a row that is written with
    /// `embedding_hash` and without a vector keeps the one that is in the table.
    #[serde(skip)]
    pub vector: Vec<f32>,
}

/// What a person changed in a document: a parent chunk as the source gives it, and as it shall be instead. The source's
/// text and its edits together are what the document's chunks say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Its number among the edits of the document, from 1.
    pub number: u32,
    /// The index of the parent chunk it changes; `None` where the source has changed at that place since, and somebody has
    /// to say what holds: a conflict.
    pub parent_chunk: Option<u32>,
    /// The section of the parent chunk.
    pub section_id: SectionId,
    /// The titles in front of the parent chunk.
    pub titles: String,
    /// First page of the parent chunk.
    pub page_start: Option<u32>,
    /// Last page of the parent chunk.
    pub page_end: Option<u32>,
    /// The source's text: the whole parent chunk; of a conflict, the sentences that were changed.
    pub original: String,
    /// What stands in its place; `None` where it was deleted.
    pub content: Option<String>,
    /// What the person noted about the parent chunk.
    pub metadata: BTreeMap<String, String>,
    /// What the person noted about child chunks of the parent chunk, by their text without the space around it.
    pub child_chunk_metadata: BTreeMap<String, BTreeMap<String, String>>,
    /// Of a conflict, the sentences of its section in front of it; empty where it begins the section.
    pub before: String,
    /// Of a conflict, the sentences of its section behind it; empty where it ends the section.
    pub after: String,
    /// When it was made, RFC 3339.
    pub edited_at: String,
}

/// A row of `sections`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SectionRow {
    /// `doc_id#path`.
    pub section_id: SectionId,
    /// Its document.
    pub doc_id: DocId,
    /// Its place in the table of contents, from 0.
    pub position: u32,
    /// The section above it.
    pub parent_id: Option<SectionId>,
    /// Depth, from 1; 0 for the preamble.
    pub level: u32,
    /// Its address, `1.2.3`.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The page it starts on, from 1.
    pub page_start: Option<u32>,
    /// The page on which its last subsection ends.
    pub page_end: Option<u32>,
    /// Index of the first parent chunk of its own text; after a deletion there may be gaps behind it.
    pub chunk_start: u32,
    /// Index behind the last one.
    pub chunk_end: u32,
    /// Where the entry came from.
    pub provenance: String,
    /// From 0 to 1.
    pub confidence: f32,
}

/// Which of the two levels a chunk is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkType {
    /// A parent chunk that is shown.
    Parent,
    /// A child chunk of one that is matched.
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

    /// The level of that name in the table.
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "parent" => ChunkType::Parent,
            _ => ChunkType::Child,
        }
    }
}

/// A row of `chunks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkRow {
    /// `doc_id:12` for a parent, `doc_id:12.3` for a child.
    pub chunk_id: ChunkId,
    /// Its document.
    pub doc_id: DocId,
    /// Its section.
    pub section_id: SectionId,
    /// Its level.
    pub chunk_type: ChunkType,
    /// The parent of a child; `None` for a parent.
    pub parent_id: Option<ChunkId>,
    /// Its place: of a parent in the document, of a child in the parent.
    pub chunk_index: u32,
    /// Its text.
    pub content: String,
    /// The titles of the document and the sections above it.
    pub titles: String,
    /// The situating sentence, embedded and indexed behind those titles and in front of the text; `None` where the
    /// titles stand alone, and empty where they are left out too.
    pub situating: Option<String>,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// Main language, BCP 47.
    pub language: String,
    /// blake3 of the text that was embedded (of a parent: of its content), in hex.
    pub embedding_hash: String,
    /// When it was last written, RFC 3339.
    pub updated_at: String,
    /// Whether a person changed it.
    pub edited: bool,
    /// What a person noted about it.
    pub metadata: BTreeMap<String, String>,
    /// Of length 1; of a parent the normalised mean of its children's. Empty where there is none yet, or it was not
    /// read from the table.
    #[serde(skip)]
    pub vector: Vec<f32>,
}

impl ChunkRow {
    /// The titles that are embedded and indexed in front of it.
    pub fn titles_in_front(&self) -> &str {
        if self.situating.as_deref() == Some("") { "" } else { &self.titles }
    }

    /// The context line: all that is embedded in front of it.
    pub fn context_line(&self) -> String {
        context::with_more(self.titles_in_front(), self.situating.as_deref().unwrap_or_default())
    }
}

#[cfg(test)]
impl DocumentRow {
    /// A document without chunks, for tests.
    pub(crate) fn sample(doc_id: &str) -> Self {
        DocumentRow {
            doc_id: doc_id.into(),
            source: format!("{doc_id}.md"),
            title: doc_id.into(),
            format: "markdown".into(),
            content_hash: "h".into(),
            size: 1,
            mtime_ns: 0,
            language: "en".into(),
            pages: None,
            metadata: BTreeMap::new(),
            chunking: ChunkConfig::default(),
            engine: "e".into(),
            warnings: Vec::new(),
            toc_method: "none".into(),
            sections: 0,
            parents: 0,
            children: 0,
            ingested_at: "now".into(),
            corrected_toc: None,
            structure_version: 1,
            embedded: true,
            edits: Vec::new(),
            time: None,
            profile: None,
            embedding_hash: None,
            vector: Vec::new(),
        }
    }
}

#[cfg(test)]
impl ChunkRow {
    /// The chunk with this id, of the preamble of its document, with a text, for tests.
    pub(crate) fn sample(chunk_id: &str, content: &str) -> Self {
        let doc_id = chunk_id.split(':').next().unwrap_or_default();
        let parent_id = chunk_id.split_once('.').map(|(parent, _)| ChunkId::from(parent));
        let place = chunk_id.rsplit([':', '.']).next().unwrap_or_default();
        ChunkRow {
            chunk_id: chunk_id.into(),
            doc_id: doc_id.into(),
            section_id: format!("{doc_id}#0").into(),
            chunk_type: if parent_id.is_some() { ChunkType::Child } else { ChunkType::Parent },
            parent_id,
            chunk_index: place.parse().unwrap_or_default(),
            content: content.into(),
            titles: doc_id.into(),
            situating: None,
            page_start: None,
            page_end: None,
            language: "en".into(),
            embedding_hash: "h".into(),
            updated_at: "now".into(),
            edited: false,
            metadata: BTreeMap::new(),
            vector: Vec::new(),
        }
    }
}

/// The children of each parent, in order.
pub fn children_by_parent(chunks: &[ChunkRow]) -> HashMap<&str, Vec<&ChunkRow>> {
    let mut children: HashMap<&str, Vec<&ChunkRow>> = HashMap::new();
    for row in chunks {
        if let Some(parent) = &row.parent_id {
            children.entry(parent).or_default().push(row);
        }
    }
    children.values_mut().for_each(|rows| rows.sort_by_key(|row| row.chunk_index));
    children
}

/// A document with all its rows, ready to be published.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    /// The document.
    pub document: DocumentRow,
    /// Its sections, in the order of the table of contents.
    pub sections: Vec<SectionRow>,
    /// Its chunks: each parent, followed by its children.
    pub chunks: Vec<ChunkRow>,
}

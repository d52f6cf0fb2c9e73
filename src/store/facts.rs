//! What a search reads of documents, sections and parent chunks beside their text: names, facts for filters, profiles and
//! their vectors.

use std::collections::{BTreeMap, HashMap};

use lancedb::arrow::arrow_array::RecordBatch;

use super::convert::{self, map_rows};
use super::document_time::DocumentTime;
use super::indexed::IndexedParentChunk;
use super::read_cache::Kept;
use super::rows::{DocumentRow, SectionRow};
use super::snapshot::{DOCUMENT_COLUMNS, Snapshot, collect};
use super::tables::{CHUNKS, DOCUMENTS, SECTIONS, Tables, in_list};
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};

const NAME_COLUMNS: &[&str] = &["doc_id", "source", "title", "format"];
/// Up to so many documents' names, of a hundred bytes or so each, are kept in memory.
const MOST_IN_MEMORY: usize = 50_000;

/// How a document is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentName {
    /// Its id.
    pub doc_id: DocId,
    /// Its source.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Its format.
    pub format: String,
}

impl Snapshot {
    /// The names of the documents with the given ids, in the order of those; ids that there are not are left out.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub async fn document_names(&self, ids: &[DocId]) -> Result<Vec<DocumentName>> {
        let read_all = async || {
            let few = self.count_documents().await? <= MOST_IN_MEMORY;
            if few { self.all_names().await.map(Some) } else { Ok(None) }
        };
        if let Some(all) = self.names.get_or_try_init(read_all).await? {
            return Ok(ids.iter().filter_map(|id| all.get(id).cloned()).collect());
        }
        let batches = self.tables.rows_with(&self.tables.documents, "doc_id", ids, Some(NAME_COLUMNS)).await?;
        let found = by_id(&batches)?;
        Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
    }

    async fn all_names(&self) -> Result<HashMap<DocId, DocumentName>> {
        let table = &self.tables.documents;
        by_id(&self.cached(Kept::DocumentNames, self.tables.rows(table, None, Some(NAME_COLUMNS))).await?)
    }
}

fn by_id(batches: &[RecordBatch]) -> Result<HashMap<DocId, DocumentName>> {
    let names = map_rows(DOCUMENTS, batches, |columns, row| {
        Ok(DocumentName {
            doc_id: columns.text("doc_id", row)?.into(),
            source: columns.text("source", row)?,
            title: columns.text("title", row)?,
            format: columns.text("format", row)?,
        })
    })?;
    Ok(names.into_iter().map(|name| (name.doc_id.clone(), name)).collect())
}

const FACT_COLUMNS: &[&str] = &["doc_id", "source", "title", "format", "metadata", "parents", "time"];
const LANGUAGE_COLUMNS: &[&str] = &["chunk_id", "language"];
const TITLE_COLUMNS: &[&str] = &["section_id", "title"];
const NOTE_COLUMNS: &[&str] = &["chunk_id", "parent_id", "metadata"];

/// What is known of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFacts {
    /// Its id.
    pub doc_id: DocId,
    /// Where it came from.
    pub source: String,
    /// Its title.
    pub title: String,
    /// The name of its format.
    pub format: String,
    /// What it says about itself.
    pub metadata: BTreeMap<String, String>,
    /// How many parent chunks it has.
    pub parents: u32,
    /// When it is from.
    pub time: Option<DocumentTime>,
}

/// What is known of a parent chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentChunkFacts {
    /// The parent chunk.
    pub chunk_id: ChunkId,
    /// Its section.
    pub section_id: SectionId,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
}

/// What a person noted about a parent chunk or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentChunkNotes {
    /// The parent chunk.
    pub parent_id: ChunkId,
    /// The notes.
    pub notes: BTreeMap<String, String>,
}

impl Snapshot {
    /// What is known of all documents, in any order.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn document_facts(&self) -> Result<Vec<DocumentFacts>> {
        let batches = self.tables.rows(&self.tables.documents, None, Some(FACT_COLUMNS)).await?;
        map_rows(DOCUMENTS, &batches, |columns, row| {
            Ok(DocumentFacts {
                doc_id: columns.text("doc_id", row)?.into(),
                source: columns.text("source", row)?,
                title: columns.text("title", row)?,
                format: columns.text("format", row)?,
                parents: columns.number("parents", row)?,
                time: columns.optional_json("time", row)?,
                metadata: columns.json("metadata", row)?,
            })
        })
    }

    /// What is known of all parent chunks, or of those of a few documents, in any order; from the keyword index.
    pub fn parent_chunk_facts(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<ParentChunkFacts>> {
        self.keyword.parent_chunk_facts(doc_ids)
    }

    /// Shows the parent chunks of some documents, in any order; from the keyword index.
    pub fn each_parent_chunk_of(&self, doc_ids: &[DocId], show: &mut dyn FnMut(IndexedParentChunk)) -> Result<()> {
        self.keyword.each_parent_chunk(Some(doc_ids), show)
    }

    /// The main languages of all parent chunks, BCP 47, by their ids.
    pub async fn parent_chunk_languages(&self) -> Result<HashMap<ChunkId, String>> {
        let parents = Some("chunk_type = 'parent'".to_owned());
        let batches = self.tables.rows(&self.tables.chunks, parents, Some(LANGUAGE_COLUMNS)).await?;
        let languages = map_rows(CHUNKS, &batches, |columns, row| {
            Ok((columns.text("chunk_id", row)?.into(), columns.text("language", row)?))
        });
        Ok(languages?.into_iter().collect())
    }

    /// The ids and titles of all sections, or of those of a few documents, the preambles left out, in any order.
    pub async fn section_titles(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<(SectionId, String)>> {
        let titled = match doc_ids {
            Some(ids) => format!("level >= 1 AND {}", in_list("doc_id", ids)),
            None => "level >= 1".to_owned(),
        };
        let batches = self.tables.rows(&self.tables.sections, Some(titled), Some(TITLE_COLUMNS)).await?;
        map_rows(SECTIONS, &batches, |columns, row| {
            Ok((columns.text("section_id", row)?.into(), columns.text("title", row)?))
        })
    }

    /// What people noted about parent chunks and their child chunks; most have no notes.
    pub async fn parent_chunk_notes(&self) -> Result<Vec<ParentChunkNotes>> {
        let noted = Some("metadata IS NOT NULL".to_owned());
        let batches = self.tables.rows(&self.tables.chunks, noted, Some(NOTE_COLUMNS)).await?;
        map_rows(CHUNKS, &batches, |columns, row| {
            let parent = columns.optional_text("parent_id", row)?;
            Ok(ParentChunkNotes {
                parent_id: parent.map_or_else(|| columns.text("chunk_id", row), Ok)?.into(),
                notes: columns.json("metadata", row)?,
            })
        })
    }
}

impl Tables {
    /// The vectors of some documents, or of all, by id; those without one are left out.
    pub(super) async fn document_vectors(&self, doc_ids: Option<&[DocId]>) -> Result<HashMap<DocId, Vec<f32>>> {
        vectors_by_id(&self.document_vector_rows(doc_ids).await?)
    }

    /// The same, as they are read.
    async fn document_vector_rows(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<RecordBatch>> {
        let columns = ["doc_id", "vector"];
        match doc_ids {
            Some(ids) => self.rows_with(&self.documents, "doc_id", ids, Some(&columns)).await,
            None => self.rows(&self.documents, None, Some(&columns)).await,
        }
    }
}

fn vectors_by_id(batches: &[RecordBatch]) -> Result<HashMap<DocId, Vec<f32>>> {
    let vectors = map_rows(DOCUMENTS, batches, |columns, row| match columns.is_null("vector", row)? {
        true => Ok(None),
        false => Ok(Some((columns.text("doc_id", row)?.into(), columns.vector("vector", row)?))),
    })?;
    Ok(vectors.into_iter().flatten().collect())
}

impl Snapshot {
    /// The vectors of all documents' summaries, by id; those without one are left out.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn document_vectors(&self) -> Result<HashMap<DocId, Vec<f32>>> {
        vectors_by_id(&self.cached(Kept::DocumentVectors, self.tables.document_vector_rows(None)).await?)
    }

    /// All documents without their vectors, in any order, as the first reader of the generation has kept them.
    pub async fn documents_kept(&self) -> Result<Vec<DocumentRow>> {
        let rows = self.tables.rows(&self.tables.documents, None, Some(DOCUMENT_COLUMNS));
        collect(&self.cached(Kept::Documents, rows).await?, convert::documents_from_batch)
    }

    /// The sections of some documents, in any order.
    pub async fn sections_of(&self, doc_ids: &[DocId]) -> Result<Vec<SectionRow>> {
        let batches = self.tables.rows_with(&self.tables.sections, "doc_id", doc_ids, None).await?;
        collect(&batches, convert::sections_from_batch)
    }
}

//! What is known of documents and passages without reading their text: what filters decide on.

use std::collections::{BTreeMap, HashMap};

use super::convert::map_rows;
use super::document_time::DocumentTime;
use super::indexed::IndexedPassage;
use super::snapshot::Snapshot;
use super::tables::{CHUNKS, DOCUMENTS, SECTIONS, in_list};
use crate::error::Result;

const DOCUMENT_COLUMNS: &[&str] = &["doc_id", "source", "title", "format", "mtime_ns", "metadata", "parents", "time"];
const LANGUAGE_COLUMNS: &[&str] = &["chunk_id", "language"];
const TITLE_COLUMNS: &[&str] = &["section_id", "title"];
const NOTE_COLUMNS: &[&str] = &["chunk_id", "parent_id", "metadata"];

/// What is known of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentFacts {
    /// Its id.
    pub doc_id: String,
    /// Where it came from.
    pub source: String,
    /// Its title.
    pub title: String,
    /// The name of its format.
    pub format: String,
    /// What it says about itself.
    pub metadata: BTreeMap<String, String>,
    /// How many passages it has.
    pub parents: u32,
    /// When it is from.
    pub time: Option<DocumentTime>,
}

/// What is known of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageFacts {
    /// The parent chunk.
    pub chunk_id: String,
    /// Its section.
    pub section_id: String,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
}

/// What a person noted about a passage or a piece of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageNotes {
    /// The parent chunk.
    pub parent_id: String,
    /// The notes.
    pub notes: BTreeMap<String, String>,
}

impl Snapshot {
    /// What is known of all documents, in any order.
    ///
    /// # Errors
    /// Where the table cannot be read; so for what follows.
    pub async fn document_facts(&self) -> Result<Vec<DocumentFacts>> {
        let batches = self.tables.rows(&self.tables.documents, None, Some(DOCUMENT_COLUMNS)).await?;
        map_rows(DOCUMENTS, &batches, |columns, row| {
            let metadata = columns.json("metadata", row)?;
            Ok(DocumentFacts {
                doc_id: columns.text("doc_id", row)?,
                source: columns.text("source", row)?,
                title: columns.text("title", row)?,
                format: columns.text("format", row)?,
                parents: columns.number("parents", row)?,
                time: columns.document_time(row, &metadata, columns.mtime_ns(row)?)?,
                metadata,
            })
        })
    }

    /// What is known of all passages, or of those of a few documents, in any order; from the keyword index.
    pub fn passage_facts(&self, doc_ids: Option<&[String]>) -> Result<Vec<PassageFacts>> {
        self.keyword.passage_facts(doc_ids)
    }

    /// Shows the passages of some documents, in any order; from the keyword index.
    pub fn each_passage_of(&self, doc_ids: &[String], show: &mut dyn FnMut(IndexedPassage)) -> Result<()> {
        self.keyword.each_passage(Some(doc_ids), show)
    }

    /// The main languages of all passages, BCP 47, by their ids.
    pub async fn passage_languages(&self) -> Result<HashMap<String, String>> {
        let parents = Some("chunk_type = 'parent'".to_owned());
        let batches = self.tables.rows(&self.tables.chunks, parents, Some(LANGUAGE_COLUMNS)).await?;
        let languages = map_rows(CHUNKS, &batches, |columns, row| {
            Ok((columns.text("chunk_id", row)?, columns.text("language", row)?))
        });
        Ok(languages?.into_iter().collect())
    }

    /// The ids and titles of all sections, or of those of a few documents, the preambles left out, in any order.
    pub async fn section_titles(&self, doc_ids: Option<&[String]>) -> Result<Vec<(String, String)>> {
        let titled = match doc_ids {
            Some(ids) => format!("level >= 1 AND {}", in_list("doc_id", ids)),
            None => "level >= 1".to_owned(),
        };
        let batches = self.tables.rows(&self.tables.sections, Some(titled), Some(TITLE_COLUMNS)).await?;
        map_rows(SECTIONS, &batches, |columns, row| Ok((columns.text("section_id", row)?, columns.text("title", row)?)))
    }

    /// What people noted about passages and their pieces; most have no notes.
    pub async fn passage_notes(&self) -> Result<Vec<PassageNotes>> {
        if !self.tables.has_column(&self.tables.chunks, "metadata").await? {
            return Ok(Vec::new());
        }
        let noted = Some("metadata IS NOT NULL".to_owned());
        let batches = self.tables.rows(&self.tables.chunks, noted, Some(NOTE_COLUMNS)).await?;
        map_rows(CHUNKS, &batches, |columns, row| {
            let parent = columns.optional_text("parent_id", row)?;
            Ok(PassageNotes {
                parent_id: parent.map_or_else(|| columns.text("chunk_id", row), Ok)?,
                notes: columns.json("metadata", row)?,
            })
        })
    }
}

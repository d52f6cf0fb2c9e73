//! Rebuilds stored documents in place, from their sources or from the store.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use super::contexts::{ContextWriter, wants_model_context};
use super::cut_document::CutDocument;
use super::indexer::Indexer;
use super::known_vectors::KnownVectors;
use super::plan::is_gone;
use super::prepare::{LOST_ENTRIES, Prepared, SourceFacts, rows};
use super::request::Progress;
use super::source::{mtime_ns, read_steadily};
use super::vectors::Vectors;
use super::web::is_file;
use super::worker::{Cutting, Limits, Worker};
use crate::chunk::ChunkConfig;
use crate::edits::as_the_source_says;
use crate::embed::EngineChoice;
use crate::error::{Error, Result};
use crate::ids::{DocId, SectionId};
use crate::llm::{Configured, Unanswered};
use crate::load::{Block, BlockKind, Document, Format, LoadOptions, OutlineEntry};
use crate::models::Models;
use crate::store::{
    DocumentRow, DocumentTime, LockTimeout, ModelRecord, Namespace, NewDocument, ParentChunk, SectionRow, Snapshot,
    Store, Writer, in_parts,
};
use crate::structure::{PREAMBLE, Provenance};

/// About so many chunks are read at once.
pub(super) const CHUNKS_AT_ONCE: usize = 8192;

/// How sources are read and texts embedded.
#[derive(Debug, Clone)]
pub struct RebuildOptions {
    pub load: LoadOptions,
    /// A file that takes longer to parse fails.
    pub limits: Limits,
    /// The installed models.
    pub models: Models,
    pub engine: EngineChoice,
    /// Threads that load, and that embed.
    pub jobs: usize,
    /// The language model that writes chunk contexts; `None` keeps those of the store.
    pub llm: Option<Configured>,
    /// Whether to ask again about parent chunks without an answer.
    pub unanswered: Unanswered,
    /// How long to wait for another writer.
    pub lock_timeout: LockTimeout,
}

/// The source of a document, compared with what was ingested.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceNow {
    /// Unchanged: read and cut.
    Same(Box<CutDocument>),
    /// The file has other content.
    Changed,
    /// The file does not exist.
    Gone,
    /// It came from standard input or from the web.
    NoFile,
}

/// The bytes of the source, if they are unchanged since the ingest.
///
/// # Errors
/// If the file exists and cannot be read.
pub(super) fn unchanged_bytes(row: &DocumentRow, store: &Store) -> Result<Result<Vec<u8>, SourceNow>> {
    if !is_file(&row.source) {
        return Ok(Err(SourceNow::NoFile));
    }
    let path = store.source_path(&row.source);
    if !path.exists() {
        return Ok(Err(SourceNow::Gone));
    }
    if std::fs::metadata(&path).is_ok_and(|facts| facts.len() != row.size) {
        return Ok(Err(SourceNow::Changed));
    }
    let (bytes, _) = read_steadily(&path, u64::MAX)?;
    let same = blake3::hash(&bytes).to_hex().as_str() == row.content_hash;
    Ok(if same { Ok(bytes) } else { Err(SourceNow::Changed) })
}

/// How the file of a document changed since the ingest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stale {
    /// It has other content that was not ingested, or could not be.
    Changed,
    Gone,
    /// It cannot be read, and may have changed.
    Unreadable,
}

/// Whether a document is out of date. Reads the file if its modification time differs.
pub fn stale(row: &DocumentRow, store: &Store) -> Option<Stale> {
    if !is_file(&row.source) {
        return None;
    }
    let path = store.source_path(&row.source);
    let hash = || -> std::io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::fs::File::open(&path)?, &mut hasher)?;
        Ok(hasher.finalize())
    };
    match std::fs::metadata(&path) {
        Err(_) if is_gone(row, store) => Some(Stale::Gone),
        Err(_) => Some(Stale::Unreadable),
        Ok(facts) if facts.len() != row.size || !facts.is_file() => Some(Stale::Changed),
        Ok(facts) if mtime_ns(&facts) == row.mtime_ns => None,
        Ok(_) => match hash() {
            Ok(hash) if hash.to_hex().as_str() == row.content_hash => None,
            Ok(_) => Some(Stale::Changed),
            Err(_) => Some(Stale::Unreadable),
        },
    }
}

/// Reads and cuts the source of a document, if it is unchanged since the ingest.
///
/// # Errors
/// If the file exists and cannot be read.
pub fn read_source(
    row: &DocumentRow,
    store: &Store,
    load: &LoadOptions,
    how: Cutting<'_>,
    worker: &mut Worker,
) -> Result<SourceNow> {
    match unchanged_bytes(row, store)? {
        Ok(bytes) => {
            let document = worker.cut_file(&bytes, Format::from_name(&row.format), load, how)?;
            Ok(SourceNow::Same(Box::new(document)))
        }
        Err(other) => Ok(other),
    }
}

/// A stored document with all its rows.
///
/// # Errors
/// If the store cannot be read.
pub async fn stored(snapshot: &Snapshot, document: DocumentRow) -> Result<NewDocument> {
    let sections = snapshot.sections(&document.doc_id).await?;
    let parents = snapshot.parents_of(&document.doc_id).await?;
    Ok(NewDocument { document, sections, parents })
}

/// Cuts a document from the store: its parent chunks without edits, and before them the titles of their sections.
///
/// # Errors
/// If the store cannot be read or the document cannot be cut.
pub async fn read_stored(
    row: &DocumentRow,
    snapshot: &Snapshot,
    how: Cutting<'_>,
    worker: &mut Worker,
) -> Result<CutDocument> {
    let stored = stored(snapshot, row.clone()).await?;
    worker.cut_stored(&stored_document(row, &stored.sections, &as_the_source_says(&stored))?, how)
}

/// The rows, without vectors, of a stored document that was cut again with `chunking`.
pub fn rebuilt_rows(
    row: &DocumentRow,
    document: CutDocument,
    corrected_toc: Option<Vec<OutlineEntry>>,
    chunking: &ChunkConfig,
) -> Prepared {
    let facts = SourceFacts {
        source: row.source.clone(),
        doc_id: row.doc_id.clone(),
        content_hash: row.content_hash.clone(),
        size: row.size,
        mtime_ns: row.mtime_ns,
        corrected_toc,
        time: row.time.clone().filter(DocumentTime::is_given),
        metadata: row.metadata.clone(),
    };
    let mut prepared = rows(document, &facts, chunking, &jiff::Timestamp::now().to_string());
    prepared.new.document.ingested_at = row.ingested_at.clone();
    prepared
}

/// A locked namespace that is being rebuilt.
pub struct Rebuilder {
    /// The namespace before the rebuild.
    pub snapshot: Snapshot,
    pub indexer: Indexer,
}

/// The numbers of a rebuilt document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuilt {
    /// Without the preamble.
    pub sections: u32,
    pub parents: u32,
    /// Edits that became conflicts.
    pub conflicts: usize,
}

/// Documents whose chunks are read at once, because without an index every read looks through all rows.
pub(super) fn read_at_once(rows: &[DocumentRow]) -> Vec<&[DocumentRow]> {
    in_parts(rows, CHUNKS_AT_ONCE, DocumentRow::chunks)
}

/// Reads documents with their profiles, chunks and embedded texts, but without sections and vectors.
pub(super) async fn read(snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<Vec<Prepared>> {
    let ids: Vec<DocId> = rows.iter().map(|row| row.doc_id.clone()).collect();
    let mut parents = snapshot.parents_of_each(&ids).await?;
    let prepared = |row: &DocumentRow| {
        let parents = parents.remove(&row.doc_id).unwrap_or_default();
        let new = NewDocument { document: row.clone(), sections: Vec::new(), parents };
        Prepared { profile: row.profile.clone(), ..Prepared::of(new, &row.chunking) }
    };
    Ok(rows.iter().map(prepared).collect())
}

impl Rebuilder {
    /// Locks an existing namespace. The history records `command`.
    ///
    /// # Errors
    /// If another process writes to it, or it cannot be read.
    pub async fn open(
        namespace: &Namespace,
        options: &RebuildOptions,
        command: &str,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        // Locked before it is read, so that the snapshot stays current.
        let writer = Writer::open_existing(namespace, &options.lock_timeout).await?;
        let snapshot = Snapshot::open(namespace).await?;
        let vectors = options.vectors(writer.model().clone());
        let contexts = options.llm.clone().map(|llm| ContextWriter::new(llm, options.unanswered));
        Ok(Rebuilder { snapshot, indexer: Indexer::new(writer, vectors, command, progress).asking(contexts) })
    }

    /// Replaces the sections and chunks of a document by [`rebuilt_rows`], and applies its edits. Keeps vectors as
    /// [`KnownVectors::of_contents`] does, or only those of equal texts if the context changes or a language model
    /// writes it. A document without vectors gets none.
    ///
    /// # Errors
    /// If the store or the model fail.
    pub async fn put(&mut self, row: &DocumentRow, prepared: Prepared) -> Result<Rebuilt> {
        let parents = self.snapshot.parents_of(&row.doc_id).await?;
        let context = |row: &DocumentRow| row.chunking.context;
        // The context of a model is part of the embedded text.
        let by_content = context(row) == context(&prepared.new.document) && !wants_model_context(row);
        let known = match by_content {
            true => KnownVectors::of_contents(&parents),
            false => KnownVectors::of_chunks(parents.iter()),
        };
        let (prepared, rebased) = prepared.carrying(row, parents);
        let conflicts = rebased.conflicts;
        let document = &prepared.new.document;
        let rebuilt = Rebuilt { sections: document.sections, parents: document.parents, conflicts };
        self.indexer.put(prepared, known.and_of(row), row.embedded, "rebuilt", None).await?;
        Ok(rebuilt)
    }

    /// Publishes what waits, and returns the indexer with its counts.
    ///
    /// # Errors
    /// If the store or the model fail. Earlier batches stay published.
    pub async fn finish(self) -> Result<Indexer> {
        let Rebuilder { snapshot, mut indexer } = self;
        // An open snapshot would keep the replaced data on the disk.
        drop(snapshot);
        indexer.flush().await?;
        Ok(indexer)
    }
}

impl RebuildOptions {
    /// The embedding model of a record, loaded when it is needed.
    pub(super) fn vectors(&self, record: ModelRecord) -> Vectors {
        Vectors::WhenNeeded { models: self.models.clone(), record, engine: self.engine.clone(), jobs: self.jobs }
    }
}

/// Makes a document from its rows. Parent chunks do not contain titles, so the title of each section precedes its text.
/// A document with pages is made of lines, whose pages are as exact as those of the child chunks.
fn stored_document(row: &DocumentRow, sections: &[SectionRow], parents: &[ParentChunk]) -> Result<Document> {
    let format = Format::from_name(&row.format).ok_or_else(|| {
        Error::failed(format!("{} was read as {:?}, a format that this kb does not know", row.source, row.format))
    })?;
    let mut document = Document::new(format, &row.engine);
    document.title = Some(row.title.clone());
    document.metadata = row.metadata.stated.clone();
    document.pages = row.pages;
    document.warnings = row.warnings.iter().filter(|warning| !warning.starts_with(LOST_ENTRIES)).cloned().collect();
    let entry = |section: &SectionRow| OutlineEntry {
        level: section.level,
        title: section.title.clone(),
        page: section.page_start,
    };
    let titled = || sections.iter().filter(|section| section.path != PREAMBLE);
    if titled().any(|section| section.provenance == Provenance::Outline.name()) {
        document.outline = titled().map(entry).collect();
    }
    let mut parents_of: HashMap<&SectionId, Vec<&ParentChunk>> = HashMap::new();
    for parent in parents {
        parents_of.entry(&parent.section_id).or_default().push(parent);
    }
    for section in in_text_order(sections, &parents_of) {
        if section.path != PREAMBLE && (row.pages.is_none() || section.page_start.is_some()) {
            let level = u8::try_from(section.level).unwrap_or(u8::MAX);
            let kind = if row.pages.is_none() { BlockKind::Heading(level) } else { BlockKind::Paragraph };
            document.blocks.push(Block::new(kind, section.title.clone(), section.page_start));
        }
        let own = parents_of.get(&section.section_id).into_iter().flatten().copied();
        match row.pages {
            Some(_) => document.blocks.extend(lines(own)),
            None => {
                let text: String = own.map(|parent| parent.content.as_str()).collect();
                if !text.trim().is_empty() {
                    document.blocks.push(Block::paragraph(text.trim_end()));
                }
            }
        }
    }
    Ok(document)
}

/// Sorts sections by page, because an outline can jump back. A section without a page stays behind the one before it.
fn in_text_order<'a>(
    sections: &'a [SectionRow],
    parents_of: &HashMap<&SectionId, Vec<&ParentChunk>>,
) -> Vec<&'a SectionRow> {
    let mut page = 0;
    let mut keyed: Vec<(u32, &SectionRow)> = sections
        .iter()
        .map(|section| {
            let first = parents_of.get(&section.section_id).and_then(|own| own[0].page_start);
            page = section.page_start.or(first).unwrap_or(page);
            (page, section)
        })
        .collect();
    keyed.sort_by_key(|&(page, _)| page);
    keyed.into_iter().map(|(_, section)| section).collect()
}

/// The lines of a section's text, which is its children joined.
fn lines<'a>(parents: impl Iterator<Item = &'a ParentChunk>) -> Vec<Block> {
    let mut text = String::new();
    let mut pages: Vec<(usize, Option<u32>)> = Vec::new();
    for child in parents.flat_map(|parent| &parent.children) {
        pages.push((text.len(), child.page_start));
        if child.page_end != child.page_start
            && let Some(turn) = page_turn(&child.content)
        {
            pages.push((text.len() + turn, child.page_end));
        }
        text.push_str(&child.content);
    }
    let page_at = |offset: usize| {
        let behind = pages.partition_point(|&(start, _)| start <= offset);
        behind.checked_sub(1).and_then(|i| pages[i].1)
    };
    let mut blocks = Vec::new();
    let mut kind = BlockKind::Paragraph;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        if words.is_empty() {
            kind = BlockKind::Paragraph;
        } else {
            blocks.push(Block::new(kind, words, page_at(offset)));
            kind = BlockKind::Line;
        }
        offset += line.len();
    }
    blocks
}

/// The byte at which the page turns in a child chunk that ends on another page than it begins. It is not stored. The
/// guess is the last blank line, or else the last line, so that the first and the last page of every child chunk stay
/// right.
fn page_turn(content: &str) -> Option<usize> {
    let content = content.trim_end();
    let blank = content.rfind("\n\n").map(|at| at + 2);
    blank.or_else(|| content.rfind('\n').map(|at| at + 1))
}

#[cfg(test)]
mod tests {
    use super::super::{SourceFacts, prepare};
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::load::{markdown, plain};

    /// A document that is prepared again from its rows must give the same rows.
    fn assert_survives(document: &Document) {
        let first = prepare(document, &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        let stored = stored_document(&first.document, &first.sections, &first.parents).unwrap();
        let second = prepare(&stored, &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        assert_eq!(second.sections, first.sections);
        assert_eq!(second.parents, first.parents);
    }

    #[test]
    fn markdown_survives_with_code_and_blank_lines() {
        assert_survives(&markdown::parse(
            "intro\n\n# A\n\ntext a\n\n```\n# code\n\n\n  more\n```\n\n## B\n\n- x\n\n- y\n\n# C\n\nz",
        ));
    }

    #[test]
    fn pages_survive_with_their_outline() {
        let mut document = plain::parse("");
        document.format = Format::Pdf;
        document.pages = Some(3);
        for (page, text) in [(1, "Cover\n1 First\nalpha beta.\ngamma"), (2, "more of it.\n\nnew"), (3, "Third\nend")] {
            document.blocks.extend(plain::lines_to_blocks(text, Some(page)));
        }
        let entry = |title: &str, page| OutlineEntry { level: 1, title: title.into(), page };
        document.outline = vec![entry("First", Some(1)), entry("lost", None), entry("Third", Some(3))];
        assert_survives(&document);
    }
}

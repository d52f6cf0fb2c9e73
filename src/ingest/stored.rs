//! Reads documents back from the store: to embed them again, and to cut them again without their sources.

use std::collections::HashMap;

use super::cut_document::CutDocument;
use super::prepare::{LOST_ENTRIES, Prepared};
use super::worker::{CutOptions, Worker};
use crate::edits::source_parents;
use crate::error::{Error, Result};
use crate::ids::{DocId, SectionId};
use crate::load::plain::lines_on_pages;
use crate::load::{Block, BlockKind, Document, Format, OutlineEntry};
use crate::store::{DocumentRow, NewDocument, ParentChunk, SectionRow, Snapshot, in_parts};
use crate::structure::Provenance;

/// About this many chunks are read at once.
pub(super) const CHUNKS_AT_ONCE: usize = 8192;

pub async fn read_rows(snapshot: &Snapshot, document: DocumentRow) -> Result<NewDocument> {
    let sections = snapshot.sections(&document.doc_id).await?;
    let parents = snapshot.parents_of(&document.doc_id).await?;
    Ok(NewDocument { document, sections, parents })
}

/// Cuts a document from the store: its parent chunks without edits, and before them the titles of their sections.
pub async fn read_stored(
    row: &DocumentRow,
    snapshot: &Snapshot,
    how: CutOptions<'_>,
    worker: &mut Worker,
) -> Result<CutDocument> {
    let stored = read_rows(snapshot, row.clone()).await?;
    worker.cut_stored(&stored_document(row, &stored.sections, &source_parents(&stored))?, how)
}

/// Documents whose chunks are read at once, because without an index every read looks through all rows.
pub(super) fn read_batches(rows: &[DocumentRow]) -> Vec<&[DocumentRow]> {
    in_parts(rows, CHUNKS_AT_ONCE, DocumentRow::chunks)
}

/// The total size of the sources of documents. A store from somebody else may state any size.
pub(super) fn bytes_of(rows: &[DocumentRow]) -> u64 {
    rows.iter().fold(0, |sum, row| row.size.saturating_add(sum))
}

/// Reads documents with their profiles and chunks, but without sections and vectors.
pub(super) async fn read_prepared(snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<Vec<Prepared>> {
    let ids: Vec<DocId> = rows.iter().map(|row| row.doc_id.clone()).collect();
    let mut parents = snapshot.parents_of_each(&ids).await?;
    let prepared = |row: &DocumentRow| {
        let parents = parents.remove(&row.doc_id).unwrap_or_default();
        let new = NewDocument { document: row.clone(), sections: Vec::new(), parents };
        Prepared { profile: row.profile.clone(), ..Prepared::of(new) }
    };
    Ok(rows.iter().map(prepared).collect())
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
    let titled = || sections.iter().filter(|section| !section.is_preamble());
    if titled().any(|section| section.provenance == Provenance::Outline.name()) {
        document.outline = titled().map(entry).collect();
    }
    let mut parents_of: HashMap<&SectionId, Vec<&ParentChunk>> = HashMap::new();
    for parent in parents {
        parents_of.entry(&parent.section_id).or_default().push(parent);
    }
    for section in in_text_order(sections, &parents_of) {
        if !section.is_preamble() && (row.pages.is_none() || section.page_start.is_some()) {
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
    lines_on_pages(&text, |offset| {
        let behind = pages.partition_point(|&(start, _)| start <= offset);
        behind.checked_sub(1).and_then(|i| pages[i].1)
    })
}

/// The byte at which the page turns in a child chunk that ends on another page than it begins. It is not stored. The
/// guess is the last blank line, or else the last line, so that the first and the last page of every child chunk stay
/// right.
fn page_turn(content: &str) -> Option<usize> {
    let content = content.trim_end();
    content.rfind("\n\n").map(|at| at + 2).or_else(|| content.rfind('\n').map(|at| at + 1))
}

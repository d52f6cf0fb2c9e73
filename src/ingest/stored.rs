//! A document from what the store holds of it, for when its source is not at hand.
//!
//! The text is that of the passages, without edits: those are put on top again. Titles are no part of any passage, so each section's stands in
//! front of its text again; whoever finds the sections anew finds them there.

use super::prepare::LOST_ENTRIES;
use crate::error::{Error, Result};
use crate::load::{Block, BlockKind, Document, Format, OutlineEntry};
use crate::store::{ChunkRow, ChunkType, DocumentRow, SectionRow};
use crate::structure::{PREAMBLE, Provenance};

/// The document that a row, its sections in order and its chunks in order stand for. Documents with pages come in
/// lines, as near to the page on which they stood as their pieces say.
pub(super) fn stored_document(row: &DocumentRow, sections: &[SectionRow], chunks: &[ChunkRow]) -> Result<Document> {
    let format = Format::from_name(&row.format).ok_or_else(|| {
        Error::failed(format!("{} was read as {:?}, which this kb does not know", row.source, row.format))
    })?;
    let mut document = Document::new(format, &row.engine);
    document.title = Some(row.title.clone());
    document.metadata = row.metadata.clone();
    document.pages = row.pages;
    // That one is found out anew.
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
    for section in in_text_order(sections, chunks) {
        if section.path != PREAMBLE && (row.pages.is_none() || section.page_start.is_some()) {
            let level = u8::try_from(section.level).unwrap_or(u8::MAX);
            let kind = if row.pages.is_none() { BlockKind::Heading(level) } else { BlockKind::Paragraph };
            document.blocks.push(Block::new(kind, section.title.clone(), section.page_start));
        }
        let own = || chunks.iter().filter(|chunk| chunk.section_id == section.section_id);
        match row.pages {
            Some(_) => document.blocks.extend(lines(own())),
            None => {
                let text: String =
                    own().filter(|c| c.chunk_type == ChunkType::Parent).map(|c| c.content.as_str()).collect();
                if !text.trim().is_empty() {
                    document.blocks.push(Block::paragraph(text.trim_end()));
                }
            }
        }
    }
    Ok(document)
}

/// An outline may jump back; the text does not. Sections without text stay behind the one before them.
fn in_text_order<'a>(sections: &'a [SectionRow], chunks: &[ChunkRow]) -> Vec<&'a SectionRow> {
    let mut page = 0;
    let mut keyed: Vec<(u32, &SectionRow)> = sections
        .iter()
        .map(|section| {
            let first = chunks.iter().find(|chunk| chunk.section_id == section.section_id);
            page = section.page_start.or(first.and_then(|chunk| chunk.page_start)).unwrap_or(page);
            (page, section)
        })
        .collect();
    keyed.sort_by_key(|&(page, _)| page);
    keyed.into_iter().map(|(_, section)| section).collect()
}

/// The lines of a section's children, which joined are its text.
fn lines<'a>(chunks: impl Iterator<Item = &'a ChunkRow>) -> Vec<Block> {
    let mut text = String::new();
    let mut pages: Vec<(usize, Option<u32>)> = Vec::new();
    for child in chunks.filter(|chunk| chunk.chunk_type == ChunkType::Child) {
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

/// Where in a piece that begins on one page and ends on another the page turns. That is not stored; it is taken to be
/// the last blank line, or else the last line, so that the first and the last page of every piece stay right.
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

    /// What is prepared from the stored form must be what it was stored as.
    fn assert_survives(document: &Document) {
        let first = prepare(document, &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        let stored = stored_document(&first.document, &first.sections, &first.chunks).unwrap();
        let second = prepare(&stored, &SourceFacts::sample(), &ChunkConfig::default(), "now").new;
        assert_eq!(second.sections, first.sections);
        assert_eq!(second.chunks, first.chunks);
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

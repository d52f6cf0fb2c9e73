//! Headings to a tree of sections with paths, page ranges and text.

use super::{Heading, PREAMBLE, Provenance, Section, SectionText};
use crate::load::Document;

/// Builds the sections. Skipped levels (`#` followed by `###`) are closed up, so that a path has no holes.
pub(super) fn build(document: &Document, title: &str, headings: Vec<Heading>) -> Vec<Section> {
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let texts = own_texts(document, &headings);
    if !texts.preamble.text.is_empty() || headings.is_empty() {
        sections.push(preamble(document, title, texts.preamble));
    }
    // The open sections from the root down: level in the markup, index, number of children so far.
    let mut open: Vec<(u32, usize, u32)> = Vec::new();
    let mut roots = 0;
    for (heading, text) in headings.into_iter().zip(texts.own) {
        while open.last().is_some_and(|&(level, ..)| level >= heading.level) {
            open.pop();
        }
        let index = sections.len();
        let (path, parent) = match open.last_mut() {
            Some((_, parent, children)) => {
                *children += 1;
                let above: &Section = &sections[*parent];
                (format!("{}.{children}", above.path), Some(*parent))
            }
            None => {
                roots += 1;
                (roots.to_string(), None)
            }
        };
        let level = u32::try_from(open.len()).unwrap_or(u32::MAX).saturating_add(1);
        open.push((heading.level, index, 0));
        let last_page = text.pages.last().map(|&(_, page)| page).max(heading.page);
        sections.push(Section {
            path,
            level,
            title: heading.title,
            parent,
            page_start: heading.page,
            page_end: last_page,
            provenance: heading.provenance,
            confidence: heading.confidence,
            text,
        });
    }
    // Children follow their parents, so one pass backwards carries the last page up.
    for i in (0..sections.len()).rev() {
        if let Some(parent) = sections[i].parent {
            sections[parent].page_end = sections[parent].page_end.max(sections[i].page_end);
        }
    }
    sections
}

fn preamble(document: &Document, title: &str, text: SectionText) -> Section {
    Section {
        path: PREAMBLE.to_owned(),
        level: 0,
        title: title.to_owned(),
        parent: None,
        page_start: document.pages.map(|_| 1),
        page_end: text.pages.last().map(|&(_, page)| page).or(document.pages.map(|_| 1)),
        provenance: Provenance::None,
        confidence: 1.0,
        text,
    }
}

struct OwnTexts {
    preamble: SectionText,
    own: Vec<SectionText>,
}

/// Gives each block to the last heading that starts before it in the text; outlines may jump back.
fn own_texts(document: &Document, headings: &[Heading]) -> OwnTexts {
    let mut order: Vec<usize> = (0..headings.len()).collect();
    order.sort_by_key(|&i| headings[i].start);
    let first = order.first().map_or(document.blocks.len(), |&i| headings[i].start - headings[i].heading_blocks);
    let preamble = collect(document, 0, first);
    let mut own = vec![SectionText::default(); headings.len()];
    for (at, &i) in order.iter().enumerate() {
        let end = order
            .get(at + 1)
            .map_or(document.blocks.len(), |&next| headings[next].start - headings[next].heading_blocks);
        own[i] = collect(document, headings[i].start, end.max(headings[i].start));
    }
    OwnTexts { preamble, own }
}

fn collect(document: &Document, start: usize, end: usize) -> SectionText {
    let mut text = SectionText::default();
    for block in &document.blocks[start..end] {
        text.push(block.kind, &block.text, block.page);
    }
    text
}

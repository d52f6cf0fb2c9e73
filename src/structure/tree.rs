//! Headings to a tree of sections with paths, page ranges and text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::load::{BlockKind, Document};
use crate::text::{is_wide, truncate};

/// The source of a section's entry in the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    /// The PDF's own outline.
    Outline,
    /// Headings in the markup.
    Markup,
    /// The contents page that the document prints.
    PrintedContents,
    /// The structure tree of a tagged PDF.
    Tags,
    /// Size and weight against the text around it.
    Typography,
    /// Its number continues those before it; usually its type differs from text too.
    Numbering,
    /// A person's correction: `kb toc --edit` or `--set`.
    Edited,
    /// The text before the first heading, or of a document without headings.
    None,
}

impl Provenance {
    /// In output and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Provenance::Outline => "outline",
            Provenance::Markup => "markup",
            Provenance::PrintedContents => "printed_contents",
            Provenance::Tags => "tags",
            Provenance::Typography => "typography",
            Provenance::Numbering => "numbering",
            Provenance::Edited => "edited",
            Provenance::None => "none",
        }
    }
}

/// The path of the preamble: the text before the first heading.
pub const PREAMBLE: &str = "0";

/// In characters. A longer heading in markup is text; titles are repeated with each chunk of their sections.
const LONGEST_TITLE: usize = 1000;

pub(super) fn is_too_long(heading: &str) -> bool {
    heading.chars().nth(LONGEST_TITLE).is_some()
}

/// A node of the table of contents with its own text, without that of its subsections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its address: `1.2.3` is the third child of the second child of the first section.
    pub path: String,
    /// Depth, from 1; 0 for the preamble.
    pub level: u32,
    /// As in the document.
    pub title: String,
    /// The index of the section above it.
    pub parent: Option<usize>,
    /// From 1, for formats with pages; `None` also for an outline entry that leads nowhere.
    pub page_start: Option<u32>,
    /// The last page of its last subsection.
    pub page_end: Option<u32>,
    pub provenance: Provenance,
    /// The probability that this is a section, from 0 to 1.
    pub confidence: f32,
    /// What the document states about it.
    pub metadata: BTreeMap<String, String>,
    /// Without the text of its subsections. It is not stored: the chunks cut from it hold it.
    #[serde(skip)]
    pub text: SectionText,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SectionText {
    /// Lines joined by `\n`, paragraphs by a blank line.
    pub text: String,
    /// `(byte offset, page)` in ascending order: the page of the text from that offset on.
    pub pages: Vec<(usize, u32)>,
}

impl SectionText {
    /// The page at byte `offset`.
    pub fn page_at(&self, offset: usize) -> Option<u32> {
        let behind = self.pages.partition_point(|&(start, _)| start <= offset);
        self.pages.get(behind.checked_sub(1)?).map(|&(_, page)| page)
    }

    fn push(&mut self, kind: BlockKind, text: &str, page: Option<u32>) {
        if !self.text.is_empty() {
            match kind {
                BlockKind::Glued => {}
                BlockKind::Wrapped if self.text.ends_with(is_wide) && text.starts_with(is_wide) => {}
                BlockKind::Wrapped => self.text.push(' '),
                BlockKind::Line => self.text.push('\n'),
                BlockKind::Paragraph | BlockKind::Heading(_) => self.text.push_str("\n\n"),
            }
        }
        if let Some(page) = page
            && self.pages.last().is_none_or(|&(_, last)| last != page)
        {
            self.pages.push((self.text.len(), page));
        }
        self.text.push_str(text);
    }
}

/// An entry of the table of contents with the place of its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heading {
    pub(super) level: u32,
    pub(super) title: String,
    pub(super) page: Option<u32>,
    /// The first block of its text.
    pub(super) start: usize,
    /// The blocks before `start` that are the heading itself and belong to no text.
    pub(super) heading_blocks: usize,
    pub(super) provenance: Provenance,
    pub(super) confidence: f32,
}

/// Builds the sections. Skipped levels (`#` followed by `###`) are closed up, so that a path has no holes.
pub(super) fn build(document: &Document, title: &str, headings: Vec<Heading>) -> Vec<Section> {
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let first = headings.iter().min_by_key(|heading| heading.start);
    let first = first.map_or(document.blocks.len(), |heading| heading.start - heading.heading_blocks);
    let before = collect(document, 0, first);
    if !before.text.is_empty() || headings.is_empty() {
        sections.push(preamble(document, title, before));
    }
    let ends = ends(&headings, document.blocks.len());
    // The open sections from the root down: level in the markup, index, number of children so far.
    let mut open: Vec<(u32, usize, u32)> = Vec::new();
    let mut roots = 0;
    for (heading, end) in headings.into_iter().zip(ends) {
        let text = collect(document, heading.start, end);
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
        let of_heading = heading.start.checked_sub(heading.heading_blocks.max(1));
        let last_page = text.pages.last().map(|&(_, page)| page).max(heading.page);
        sections.push(Section {
            path,
            level,
            title: truncate(&heading.title, LONGEST_TITLE),
            parent,
            page_start: heading.page,
            page_end: last_page,
            provenance: heading.provenance,
            confidence: heading.confidence,
            metadata: of_heading.and_then(|at| document.section_metadata.get(&at)).cloned().unwrap_or_default(),
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
        metadata: BTreeMap::new(),
        text,
    }
}

/// The first block after the text of each heading, which ends before the next heading in the text. Outlines may jump
/// back.
pub(super) fn ends(headings: &[Heading], blocks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..headings.len()).collect();
    order.sort_by_key(|&i| headings[i].start);
    let mut ends = vec![blocks; headings.len()];
    for pair in order.windows(2) {
        let next = &headings[pair[1]];
        ends[pair[0]] = (next.start - next.heading_blocks).max(headings[pair[0]].start);
    }
    ends
}

fn collect(document: &Document, start: usize, end: usize) -> SectionText {
    let mut text = SectionText::default();
    for block in &document.blocks[start..end] {
        text.push(block.kind, &block.text, block.page);
    }
    text
}

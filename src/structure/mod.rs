//! Blocks to a table of contents: the sections of a document, where each came from, and its text.
//!
//! Promise: every line of the document's text belongs to exactly one section or is its heading. Text before the first
//! heading belongs to the section with path `0`, the preamble.

mod corrected;
mod levels;
mod locate;
mod numbering;
mod printed;
mod tagged;
#[cfg(test)]
mod tests;
mod tree;
mod typography;

use serde::{Deserialize, Serialize};

use crate::load::{BlockKind, Document, Format, OutlineEntry};
use crate::text::is_wide;

pub use corrected::not_found;
pub use locate::normalise_title;
pub(crate) use numbering::{is_han_digit, number_value};

/// The source of a section's entry in the table of contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Its number, which continues those before it, and mostly its type too.
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

/// Raised with each change of this room that gives documents other sections. It is kept with each document, so that `kb
/// reindex --structure` finds those of older versions.
pub const STRUCTURE_VERSION: u32 = 2;

/// The path of the preamble: the text before the first heading.
pub const PREAMBLE: &str = "0";

/// A node of the table of contents with its own text, without that of its subsections.
#[derive(Debug, Clone, PartialEq)]
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
    /// Without that of its subsections.
    pub text: SectionText,
}

/// The text of a section with its pages.
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
struct Heading {
    level: u32,
    title: String,
    page: Option<u32>,
    /// The first block of its text.
    start: usize,
    /// The blocks before `start` that are the heading itself and belong to no text.
    heading_blocks: usize,
    provenance: Provenance,
    confidence: f32,
}

/// The sections of a document in the order of its table of contents, after a preamble if there is text for one.
///
/// A table of contents that a person corrected overrides all others; its entries that are [not found](not_found) are
/// left out. A PDF's sections come from its outline, unless that is junk; without one, from its printed contents page,
/// then from its tags, then from type and numbers. Those of other formats come from their headings, and in plain text
/// from numbers. A document with none of these is all preamble.
pub fn sections(document: &Document, title: &str, corrected: Option<&[OutlineEntry]>) -> Vec<Section> {
    if let Some(entries) = corrected {
        let document = corrected::in_lines(document);
        let headings = corrected::headings(entries, &document);
        return tree::build(&document, title, headings);
    }
    tree::build(document, title, headings(document))
}

fn headings(document: &Document) -> Vec<Heading> {
    let trusted = !document.outline.is_empty() && !locate::is_junk(&document.outline, document.pages.unwrap_or(0));
    if trusted {
        return locate::from_outline(&document.outline, &document.blocks);
    }
    let found = match document.format {
        Format::Pdf => found_on_pages(document),
        _ => from_markup(document),
    };
    if !found.is_empty() || document.format == Format::Markdown {
        return found;
    }
    let found = match document.format {
        Format::Text => typography::find(&document.blocks, &[], &[]),
        _ => Vec::new(),
    };
    if !found.is_empty() || document.outline.is_empty() {
        return found;
    }
    // A bad outline is better than none.
    let mut headings = locate::from_outline(&document.outline, &document.blocks);
    headings.iter_mut().for_each(|heading| heading.confidence = JUNK);
    headings
}

fn found_on_pages(document: &Document) -> Vec<Heading> {
    let blocks = &document.blocks;
    let printed = printed::find(blocks, &document.page_labels);
    let contents: Vec<(usize, usize)> = printed.iter().map(|contents| contents.span).collect();
    let known: Vec<Heading> = printed.into_iter().flat_map(|contents| contents.headings).collect();
    let tagged = if known.is_empty() { tagged::find(blocks) } else { Vec::new() };
    if !tagged.is_empty() {
        return tagged;
    }
    let mut headings = typography::find(blocks, &contents, &known);
    // The contents page itself is not a section: it would shift the paths of all others.
    headings.retain(|heading| !printed::is_contents_title(&heading.title));
    levels::make_consistent(&mut headings);
    headings
}

/// The confidence of entries of an untrusted outline.
const JUNK: f32 = 0.3;

fn from_markup(document: &Document) -> Vec<Heading> {
    document
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(i, block)| match block.kind {
            BlockKind::Heading(level) => Some(Heading {
                level: u32::from(level),
                title: block.text.clone(),
                page: block.page,
                start: i + 1,
                heading_blocks: 1,
                provenance: Provenance::Markup,
                confidence: 1.0,
            }),
            _ => None,
        })
        .collect()
}

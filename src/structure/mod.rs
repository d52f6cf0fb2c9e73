//! Blocks to a table of contents: which sections a document has, where each came from, and which text is whose.
//!
//! Promise: every line of the document's text belongs to exactly one section, or is the heading of one. Text before
//! the first heading belongs to the section with path `0`, the preamble.

mod corrected;
mod junk;
mod levels;
mod locate;
mod numbering;
mod printed;
#[cfg(test)]
mod sample;
mod tagged;
mod tree;
mod typography;

use serde::{Deserialize, Serialize};

use crate::load::{BlockKind, Document, Format, OutlineEntry};
use crate::text::is_wide;

pub use corrected::not_found;
pub use locate::normalise_title;

/// Where a section's entry in the table of contents came from.
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
    /// Its number, which goes on from those before it, and mostly its looks too.
    Numbering,
    /// A person's correction: `kb toc --edit` or `--set`.
    Edited,
    /// None: the text before the first heading, or a document without headings.
    None,
}

impl Provenance {
    /// The name used in output and in the store.
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

/// Counts up with each change of this room after which documents get other sections than before. It is kept with
/// each document, so that `kb reindex --structure` knows which were made by an older version.
pub const STRUCTURE_VERSION: u32 = 2;

/// The path of the preamble: the text before the first heading.
pub const PREAMBLE: &str = "0";

/// A node of the table of contents, with its own text (that of its subsections is theirs).
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its address: `1.2.3` is the third child of the second child of the first section.
    pub path: String,
    /// Depth, from 1; 0 for the preamble.
    pub level: u32,
    /// Its title as it stands in the document.
    pub title: String,
    /// Index of the section above it.
    pub parent: Option<usize>,
    /// The page it starts on, from 1, for formats with pages; `None` also for an outline entry that leads nowhere.
    pub page_start: Option<u32>,
    /// The page on which its last subsection ends.
    pub page_end: Option<u32>,
    /// Where the entry came from.
    pub provenance: Provenance,
    /// How sure it is that this is a section, from 0 to 1.
    pub confidence: f32,
    /// Its own text.
    pub text: SectionText,
}

/// The text of a section with the pages it stands on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SectionText {
    /// Lines joined by `\n`, paragraphs by a blank line.
    pub text: String,
    /// `(byte offset, page)` in ascending order: from this offset on the text stands on this page.
    pub pages: Vec<(usize, u32)>,
}

impl SectionText {
    /// The page of the character at byte `offset`.
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

/// An entry of the table of contents and the blocks where its text begins.
#[derive(Debug, Clone, PartialEq)]
struct Heading {
    level: u32,
    title: String,
    page: Option<u32>,
    /// Index of the first block of its text.
    start: usize,
    /// How many blocks before `start` are the heading itself and belong to nobody's text.
    heading_blocks: usize,
    provenance: Provenance,
    confidence: f32,
}

/// The sections of a document in the order of its table of contents, the preamble first where it has text.
///
/// A table of contents that a person corrected stands above all others; its entries that are [not found](not_found)
/// are left out. A PDF's sections are those of its outline, unless that is junk; without one they are found by the
/// contents page it prints, by its tags, and by looks and numbers. Those of other formats come from their headings,
/// or, in plain text, from numbers. A document with none of these is all preamble.
pub fn sections(document: &Document, title: &str, corrected: Option<&[OutlineEntry]>) -> Vec<Section> {
    if let Some(entries) = corrected {
        let document = corrected::in_lines(document);
        let headings = corrected::headings(entries, &document);
        return tree::build(&document, title, headings);
    }
    tree::build(document, title, headings(document))
}

fn headings(document: &Document) -> Vec<Heading> {
    let trusted = !document.outline.is_empty() && !junk::is_junk(&document.outline, document.pages.unwrap_or(0));
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
    // A poor outline is better than none.
    let mut headings = locate::from_outline(&document.outline, &document.blocks);
    headings.iter_mut().for_each(|heading| heading.confidence = JUNK);
    headings
}

/// The headings of a paged document without a usable outline.
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
    levels::make_consistent(&mut headings);
    headings
}

/// How sure an entry of an outline is that is not to be trusted.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Block, Format, OutlineEntry, markdown, plain};

    #[test]
    fn markdown_headings_become_a_tree_with_paths() {
        let document = markdown::parse("intro\n\n# A\n\ntext a\n\n### A deep\n\nx\n\n## A two\n\n# B\n\ntext b");
        let sections = sections(&document, "doc", None);
        let toc: Vec<(&str, u32, &str, &str)> =
            sections.iter().map(|s| (s.path.as_str(), s.level, s.title.as_str(), s.text.text.as_str())).collect();
        assert_eq!(
            toc,
            [
                ("0", 0, "doc", "intro"),
                ("1", 1, "A", "text a"),
                ("1.1", 2, "A deep", "x"),
                ("1.2", 2, "A two", ""),
                ("2", 1, "B", "text b"),
            ]
        );
        assert_eq!(sections[2].parent, Some(1));
    }

    #[test]
    fn outline_sections_start_at_their_headings_inside_a_page() {
        let mut document = plain::parse("");
        document.format = Format::Pdf;
        document.pages = Some(2);
        document.blocks = plain::lines_to_blocks("Cover words\n1 First\nalpha\n\n1.1 Second part\nbeta", Some(1));
        document.blocks.extend(plain::lines_to_blocks("gamma\nThird\ndelta", Some(2)));
        let entry = |level, title: &str, page| OutlineEntry { level, title: title.into(), page: Some(page) };
        document.outline = vec![entry(1, "First", 1), entry(2, "1.1 Second part", 1), entry(1, "Third", 2)];
        let sections = sections(&document, "doc", None);
        let toc: Vec<(&str, &str)> = sections.iter().map(|s| (s.path.as_str(), s.text.text.as_str())).collect();
        assert_eq!(toc, [("0", "Cover words"), ("1", "alpha"), ("1.1", "beta\n\ngamma"), ("2", "delta")]);
        assert_eq!((sections[1].page_start, sections[1].page_end), (Some(1), Some(2)));
        assert_eq!(sections[2].text.page_at(7), Some(2));
    }

    #[test]
    fn no_line_is_lost_and_none_is_doubled() {
        let mut document = plain::parse("");
        document.blocks = (1..=3u32).flat_map(|p| plain::lines_to_blocks(&format!("l{p}a\nl{p}b"), Some(p))).collect();
        let entry = |title: &str, page| OutlineEntry { level: 1, title: title.into(), page };
        document.outline =
            vec![entry("x", Some(2)), entry("lost", None), entry("l3b", Some(3)), entry("back", Some(1))];
        let all: String = sections(&document, "d", None).iter().map(|s| s.text.text.clone() + "\n").collect();
        for line in ["l1a", "l1b", "l2a", "l2b", "l3a"] {
            assert_eq!(all.matches(line).count(), 1, "{line} in {all:?}");
        }
    }

    #[test]
    fn a_document_without_headings_is_all_preamble() {
        let mut document = plain::parse("");
        document.blocks = vec![Block::paragraph("only")];
        let sections = sections(&document, "doc", None);
        assert_eq!(sections.len(), 1);
        assert_eq!((sections[0].path.as_str(), sections[0].provenance), (PREAMBLE, Provenance::None));
    }
}

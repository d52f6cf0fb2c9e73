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
    // Where the contents are printed is no section that anybody looks for, and would shift the paths of all others.
    headings.retain(|heading| !printed::is_contents_title(&heading.title));
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
    use proptest::prelude::*;

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

    /// A document's lines as a generator makes them: what each is, and how it looks.
    #[derive(Debug, Clone)]
    struct AnyLine {
        before: &'static str,
        behind: &'static str,
        kind: BlockKind,
        size: f32,
        bold: bool,
        cells: u32,
        tag: Option<u8>,
        new_page: bool,
        repeats: bool,
    }

    fn any_line() -> impl Strategy<Value = AnyLine> {
        let before =
            ["", "1 ", "1.1 ", "2 ", "2.1 ", "第一章 ", "第二条 ", "Chapter 1 ", "Item 1A. ", "（一）", "Contents "];
        let behind = ["", ".", " . . . . . . 1", " 2", "……3", " and more words that make a long line of text of it"];
        let kinds =
            [BlockKind::Paragraph, BlockKind::Line, BlockKind::Wrapped, BlockKind::Glued, BlockKind::Heading(2)];
        let text = (prop::sample::select(before.to_vec()), prop::sample::select(behind.to_vec()));
        let look = (prop::sample::select(vec![8.0f32, 10.0, 10.0, 10.0, 12.0, 18.0]), any::<bool>(), 1u32..3);
        let place = (prop::option::weighted(0.1, 1u8..4), prop::bool::weighted(0.1), prop::bool::weighted(0.2));
        (text, prop::sample::select(kinds.to_vec()), look, place).prop_map(
            |((before, behind), kind, (size, bold, cells), (tag, new_page, repeats))| AnyLine {
                before,
                behind,
                kind,
                size,
                bold,
                cells,
                tag,
                new_page,
                repeats,
            },
        )
    }

    /// A word that no other line has.
    fn name(i: usize) -> String {
        let mut value = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..9)
            .map(|_| {
                value = value.rotate_left(7).wrapping_mul(31);
                char::from(b'a' + (value >> 33) as u8 % 26)
            })
            .collect()
    }

    fn document(lines: &[AnyLine], outline: Vec<(u32, usize, Option<u32>)>) -> (Document, Vec<String>) {
        let mut document = Document::new(Format::Pdf, "test");
        let (mut page, mut baseline) = (1, 80.0);
        let mut names: Vec<String> = Vec::new();
        for (i, line) in lines.iter().enumerate() {
            if line.new_page {
                (page, baseline) = (page + 1, 80.0);
            }
            baseline += 1.3 * line.size;
            // Contents say the words of headings that come later, so some lines say the words of others.
            let known = names.get(i / 2).filter(|_| line.repeats).cloned();
            let name = known.unwrap_or_else(|| name(i));
            let mut block =
                sample::line(&format!("{}{name}{}", line.before, line.behind)).size(line.size).cells(line.cells);
            if line.bold {
                block = block.bold();
            }
            if let Some(level) = line.tag {
                block = block.tagged(level, i as u32);
            }
            if let Some(look) = &mut block.look {
                look.baseline = baseline;
            }
            document.blocks.push(Block { kind: line.kind, page: Some(page), ..block });
            names.push(name);
        }
        document.pages = Some(page);
        document.page_labels = (1..=page).map(|page| Some(page.to_string())).collect();
        let title = |i: usize| names.get(i).cloned().unwrap_or_else(|| "elsewhere".to_owned());
        document.outline =
            outline.into_iter().map(|(level, i, page)| OutlineEntry { level, title: title(i), page }).collect();
        (document, names)
    }

    proptest! {
        /// What the module promises, for any lines: none is in two sections, and one that is in none is a heading.
        #[test]
        fn every_line_is_in_one_section_or_a_heading(
            lines in prop::collection::vec(any_line(), 0..60),
            outline in prop::collection::vec((1u32..4, 0usize..60, prop::option::of(0u32..9)), 0..6),
        ) {
            let (document, names) = document(&lines, outline);
            let sections = sections(&document, "title", None);
            let texts: String = sections.iter().map(|section| section.text.text.clone() + "\n").collect();
            let titles: String = sections.iter().map(|section| section.title.clone() + "\n").collect();
            for name in &names {
                let lines = names.iter().filter(|other| *other == name).count();
                let read = texts.matches(name.as_str()).count();
                let headed = titles.matches(name.as_str()).count();
                prop_assert!(read <= lines, "{name} is {lines} times in the document and {read} times in the sections");
                prop_assert!(read + headed >= lines, "{name} is lost");
            }
        }

        #[test]
        fn every_section_is_below_the_one_that_its_path_names(lines in prop::collection::vec(any_line(), 0..60)) {
            let (document, _) = document(&lines, Vec::new());
            let sections = sections(&document, "title", None);
            for section in &sections {
                let above = section.parent.map(|parent| sections[parent].path.clone());
                prop_assert_eq!(above.as_deref(), section.path.rsplit_once('.').map(|(above, _)| above));
                prop_assert_eq!(section.level as usize, if section.path == PREAMBLE { 0 } else { section.path.split('.').count() });
            }
            let mut paths: Vec<&str> = sections.iter().map(|section| section.path.as_str()).collect();
            paths.sort_unstable();
            paths.dedup();
            prop_assert_eq!(paths.len(), sections.len(), "every path once");
        }
    }
}

//! Tests of the whole room, and builders for the tests of its parts: lines of a page with their looks.

use proptest::prelude::*;

use super::*;
use crate::load::{Block, BlockKind, Format, HeadingTag, LineStyle, OutlineEntry, markdown, plain};
use crate::text::is_wide;

/// A line of ten points at the left edge, set off from the line before.
pub fn line(text: &str) -> Block {
    let width: f32 = text.chars().map(|c| if is_wide(c) { 10.0 } else { 5.0 }).sum();
    let style = LineStyle {
        left: 72.0,
        right: 72.0 + width,
        size: 10.0,
        cells: 1,
        upright: true,
        font: 1,
        ..LineStyle::default()
    };
    Block { style: Some(style), ..Block::new(BlockKind::Paragraph, text, None) }
}

/// A heading in bold letters of the given size.
pub fn heading(text: &str, size: f32) -> Block {
    line(text).size(size).bold()
}

/// A heading found in the block before `start`.
pub(super) fn heading_at(level: u32, title: &str, start: usize, provenance: Provenance) -> Heading {
    Heading { level, title: title.into(), page: Some(1), start, heading_blocks: 1, provenance, confidence: 0.6 }
}

pub(super) fn entry(level: u32, title: &str, page: Option<u32>) -> OutlineEntry {
    OutlineEntry { level, title: title.into(), page }
}

/// A paragraph of five lines about `topic`.
pub fn body(topic: &str) -> Vec<Block> {
    let more = ["goes on and says how it is built and run,", "what it must not be used for, who may open it,"];
    let more = more.into_iter().chain(["how often it is looked after, and what is done", "when it fails."]);
    let first = line(&format!("What is said about {topic} in this paragraph"));
    std::iter::once(first).chain(more.map(|text| line(text).goes_on())).collect()
}

/// The lines of a page, one below the other; paragraphs have more space above them.
pub fn page(number: u32, parts: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    let mut baseline = 80.0;
    let place = |mut block: Block| {
        let style = block.style.as_mut().expect("a style");
        baseline += if block.kind == BlockKind::Paragraph { 2.2 } else { 1.2 } * style.size;
        style.baseline = baseline;
        block.page = Some(number);
        block
    };
    parts.into_iter().flatten().map(place).collect()
}

impl Block {
    fn with(mut self, change: impl FnOnce(&mut LineStyle)) -> Self {
        change(self.style.as_mut().expect("a style"));
        self
    }

    /// In points.
    pub fn size(self, size: f32) -> Self {
        self.with(|style| style.size = size)
    }

    pub fn bold(self) -> Self {
        self.with(|style| (style.bold, style.font) = (true, 2))
    }

    pub fn fixed(self) -> Self {
        self.with(|style| (style.fixed, style.font) = (true, 3))
    }

    /// The number of parts between wide gaps.
    pub fn cells(self, cells: u32) -> Self {
        self.with(|style| style.cells = cells)
    }

    /// In points.
    pub fn indented(self, points: f32) -> Self {
        self.with(|style| style.left += points)
    }

    /// With this right edge.
    pub fn ending_at(self, right: f32) -> Self {
        self.with(|style| style.right = right)
    }

    /// Tagged as part of a heading.
    pub fn tagged(self, level: u8, number: u32) -> Self {
        self.with(|style| style.tag = Some(HeadingTag { level, number }))
    }

    /// Continues the sentence of the line before.
    pub fn goes_on(mut self) -> Self {
        self.kind = BlockKind::Wrapped;
        self
    }

    /// Another line of the same block.
    pub fn below(mut self) -> Self {
        self.kind = BlockKind::Line;
        self
    }
}

#[test]
fn outline_sections_start_at_their_headings_inside_a_page() {
    let mut document = plain::parse("");
    document.format = Format::Pdf;
    document.pages = Some(2);
    document.blocks = plain::lines_to_blocks("Cover words\n1 First\nalpha\n\n1.1 Second part\nbeta", Some(1));
    document.blocks.extend(plain::lines_to_blocks("gamma\nThird\ndelta", Some(2)));
    let entries = [(1, "First", 1), (2, "1.1 Second part", 1), (1, "Third", 2)];
    document.outline = entries.map(|(level, title, page)| entry(level, title, Some(page))).into();
    let sections = sections(&document, "doc", None);
    let toc: Vec<(&str, &str)> = sections.iter().map(|s| (s.path.as_str(), s.text.text.as_str())).collect();
    assert_eq!(toc, [("0", "Cover words"), ("1", "alpha"), ("1.1", "beta\n\ngamma"), ("2", "delta")]);
    assert_eq!((sections[1].page_start, sections[1].page_end), (Some(1), Some(2)));
    assert_eq!(sections[2].text.page_at(7), Some(2));
}

#[test]
fn entries_without_a_title_are_not_sections() {
    let mut document = plain::parse("");
    document.blocks = (1..=3u32).flat_map(|page| plain::lines_to_blocks("Pumps\nwater", Some(page))).collect();
    document.outline = vec![entry(1, "Pumps", Some(1)), entry(1, "", Some(2)), entry(1, "\u{200B}", Some(3))];
    let sections = sections(&document, "d", None);
    let found: Vec<&str> = sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(found, ["Pumps"]);
}

#[test]
fn invisible_headings_are_not_sections() {
    let document = markdown::parse("# Pump\n\nIt moves water.\n\n## \u{200b}\n\nIt is loud.\n");
    let sections = sections(&document, "Pump", None);
    assert_eq!(sections.len(), 1);
    assert!(sections[0].text.text.contains("It is loud."));
}

#[test]
fn a_document_without_headings_is_all_preamble() {
    let mut document = plain::parse("");
    document.blocks = vec![Block::paragraph("only")];
    let sections = sections(&document, "doc", None);
    assert_eq!(sections.len(), 1);
    assert_eq!((sections[0].path.as_str(), sections[0].provenance), (PREAMBLE, Provenance::None));
}

/// Stands for the name of a line, as long as one.
const NAME: &str = "nineninen";

/// A line of any looks with [`NAME`] in it, whether it begins a page, and whether it repeats another.
fn any_line() -> impl Strategy<Value = (Block, bool, bool)> {
    let before =
        ["", "1 ", "1.1 ", "2 ", "2.1 ", "第一章 ", "第二条 ", "Chapter 1 ", "Item 1A. ", "（一）", "Contents "];
    let behind = ["", ".", " . . . . . . 1", " 2", "……3", " and more words that make a long line of text of it"];
    let kinds = [BlockKind::Paragraph, BlockKind::Line, BlockKind::Wrapped, BlockKind::Glued, BlockKind::Heading(2)];
    let text = (prop::sample::select(before.to_vec()), prop::sample::select(behind.to_vec()));
    let style = (prop::sample::select(vec![8.0f32, 10.0, 10.0, 10.0, 12.0, 18.0]), any::<bool>(), 1u32..3);
    let place = (prop::option::weighted(0.1, 1u8..4), prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    (text, prop::sample::select(kinds.to_vec()), style, place).prop_map(
        |((before, behind), kind, (size, bold, cells), (tag, begins_page, repeats))| {
            let mut block = line(&format!("{before}{NAME}{behind}")).size(size).cells(cells);
            if bold {
                block = block.bold();
            }
            if let Some(level) = tag {
                block = block.tagged(level, 0);
            }
            (Block { kind, ..block }, begins_page, repeats)
        },
    )
}

/// A unique word.
fn name(i: usize) -> String {
    let mut value = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (0..9)
        .map(|_| {
            value = value.rotate_left(7).wrapping_mul(31);
            char::from(b'a' + (value >> 33) as u8 % 26)
        })
        .collect()
}

fn document(lines: &[(Block, bool, bool)], outline: Vec<(u32, usize, Option<u32>)>) -> (Document, Vec<String>) {
    let mut document = Document::new(Format::Pdf, "test");
    let (mut page, mut baseline) = (1, 80.0);
    let mut names: Vec<String> = Vec::new();
    for (i, (line, begins_page, repeats)) in lines.iter().enumerate() {
        if *begins_page {
            (page, baseline) = (page + 1, 80.0);
        }
        // Some lines repeat others, as contents repeat headings.
        let known = names.get(i / 2).filter(|_| *repeats).cloned();
        let name = known.unwrap_or_else(|| name(i));
        let placed = line.clone().with(|style| {
            baseline += 1.3 * style.size;
            style.baseline = baseline;
            style.tag = style.tag.map(|tag| HeadingTag { number: i as u32, ..tag });
        });
        document.blocks.push(Block { text: line.text.replace(NAME, &name), page: Some(page), ..placed });
        names.push(name);
    }
    document.pages = Some(page);
    document.page_labels = (1..=page).map(|page| Some(page.to_string())).collect();
    let title = |i: usize| names.get(i).cloned().unwrap_or_else(|| "elsewhere".to_owned());
    document.outline = outline.into_iter().map(|(level, i, page)| entry(level, &title(i), page)).collect();
    (document, names)
}

proptest! {
    /// The promise of the module, for any lines: no line is in two sections, and a line in none is a heading.
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

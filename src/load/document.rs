//! What loaders produce: a document of blocks, with its metadata.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::format::Format;
use crate::text::{count, truncate};

/// The most metadata fields, and the most characters in a name and in a value.
const MOST_METADATA: usize = 500;
const LONGEST_KEY: usize = 200;
const LONGEST_VALUE: usize = 10_000;

/// One source, parsed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The title that the document states.
    pub title: Option<String>,
    pub format: Format,
    /// What the document states about itself: author, date, tags, front matter.
    pub metadata: BTreeMap<String, String>,
    /// For formats with pages.
    pub pages: Option<u32>,
    /// In reading order.
    pub blocks: Vec<Block>,
    /// What the document states about the section of a heading, by the index of the heading among the blocks.
    pub section_metadata: BTreeMap<usize, BTreeMap<String, String>>,
    /// The outline (bookmarks) of a PDF, depth first, as the file has it.
    pub outline: Vec<OutlineEntry>,
    /// The number printed on each page, or given by the page labels: `12`, `xiv`.
    pub page_labels: Vec<Option<String>>,
    /// Lines at the tops of pages that are left out of the text because they repeat: running heads, and titles in their
    /// place. In page order.
    pub page_heads: Vec<Block>,
    /// The library that read the text: `pdf_oxide`, `pdf-extract`, `pulldown-cmark`, …
    pub engine: String,
    /// Warnings about the reading: pages without text, a page read by a second engine.
    pub warnings: Vec<String>,
}

impl Document {
    pub fn new(format: Format, engine: &str) -> Self {
        Document { format, engine: engine.to_owned(), ..Document::default() }
    }

    /// Adds a metadata field that the document states, unless it is empty.
    pub(super) fn add_metadata(&mut self, name: &str, value: String) {
        if !value.is_empty() {
            self.metadata.insert(name.to_owned(), value);
        }
    }

    /// The text of the only heading of the highest level. A document with one `#` heading has a title; one with several
    /// has chapters.
    pub(super) fn only_top_heading(&self) -> Option<String> {
        let top = self.headings().map(|(level, _)| level).min()?;
        let mut tops = self.headings().filter(|(level, _)| *level == top);
        let (_, first) = tops.next()?;
        tops.next().is_none().then(|| first.to_owned())
    }

    pub(super) fn headings(&self) -> impl Iterator<Item = (u8, &str)> {
        self.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Heading(level) => Some((level, block.text.as_str())),
            _ => None,
        })
    }

    /// Removes control characters from everything that may be shown: a document must not move the cursor of a terminal.
    /// Limits the metadata, because every command that lists documents reads all of it. Messages of a mailbox and
    /// chapters of a book share each warning.
    pub(super) fn cleaned(mut self) -> Self {
        let left_out: usize =
            std::iter::once(&mut self.metadata).chain(self.section_metadata.values_mut()).map(clean_metadata).sum();
        if left_out > 0 {
            self.warnings.push(format!("{} left out", count(left_out, "metadata field")));
        }
        for block in self.blocks.iter_mut().chain(&mut self.page_heads) {
            match block.kind {
                BlockKind::Heading(_) => clean_title(&mut block.text),
                _ => clean(&mut block.text),
            }
        }
        self.outline.iter_mut().for_each(|entry| clean_title(&mut entry.title));
        self.title.iter_mut().for_each(clean_title);
        self.warnings.iter_mut().for_each(clean);
        self.warnings = counted(self.warnings);
        self
    }

    pub fn has_text(&self) -> bool {
        self.blocks.iter().any(|block| block.text.chars().any(char::is_alphanumeric))
    }
}

#[cfg(test)]
impl Document {
    pub fn texts(&self) -> Vec<&str> {
        self.blocks.iter().map(|block| block.text.as_str()).collect()
    }
}

#[cfg(test)]
impl Block {
    /// Paragraphs, and headings such as `## Scope`.
    pub fn in_markdown<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<Block> {
        let block = |text: &str| match text.bytes().take_while(|byte| *byte == b'#').count() {
            0 => Block::paragraph(text),
            level => Block::heading(level as u8, text[level..].trim_start()),
        };
        texts.into_iter().map(block).collect()
    }
}

/// Each warning once, where it came first, and how often it came.
fn counted(warnings: Vec<String>) -> Vec<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    warnings.iter().for_each(|warning| *times.entry(warning.clone()).or_default() += 1);
    let once = |warning: String| match times.remove(&warning)? {
        1 => Some(warning),
        many => Some(format!("{warning} ({many} times)")),
    };
    warnings.into_iter().filter_map(once).collect()
}

/// Cleans and limits the fields. Returns how many are left out.
fn clean_metadata(fields: &mut BTreeMap<String, String>) -> usize {
    let all = fields.len();
    let fits = |(key, _): &(String, String)| key.chars().nth(LONGEST_KEY).is_none();
    let cleaned = |(mut name, value): (String, String)| {
        let mut value = truncate(&value, LONGEST_VALUE);
        clean(&mut name);
        clean(&mut value);
        (name, value)
    };
    *fields = std::mem::take(fields).into_iter().filter(fits).take(MOST_METADATA).map(cleaned).collect();
    all - fields.len()
}

fn clean(text: &mut String) {
    text.retain(|c| !c.is_control() || matches!(c, '\n' | '\t'));
}

/// Cleans and trims a title: a removed character may leave a space at its end.
fn clean_title(text: &mut String) {
    clean(text);
    *text = text.trim().to_owned();
}

/// A heading, a paragraph, a table, a code listing, or a line of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub kind: BlockKind,
    /// Without surrounding white space.
    pub text: String,
    /// From 1.
    pub page: Option<u32>,
    /// For formats with pages, and for paragraphs of a Word document that has no heading styles; those have no place.
    pub style: Option<LineStyle>,
}

/// The type and the place of a line on its page. Lengths are in points, in the frame of the line's text: `x` runs along
/// it, `y` downwards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LineStyle {
    pub left: f32,
    pub right: f32,
    /// Only differences between baselines mean anything.
    pub baseline: f32,
    /// The size of most of its letters.
    pub size: f32,
    /// The font of most of its letters: the same number for the same font in the whole document.
    pub font: u16,
    pub bold: bool,
    pub italic: bool,
    /// A font of fixed pitch.
    pub fixed: bool,
    /// The number of parts between wide gaps: the cells of a table row, a number and its title.
    pub cells: u32,
    /// The part of the page: a column, the text above the columns, rotated text.
    pub part: u32,
    /// Runs in the direction of most of its page's text.
    pub upright: bool,
    /// The length in bytes of the margin's line number at the start of the text.
    pub margin: u32,
    /// The heading that it belongs to in the structure tree of a tagged document.
    pub tag: Option<HeadingTag>,
    /// A whole table: its text holds all rows.
    pub table: bool,
}

/// The most that sizes of one type differ, in points.
const SAME_SIZE: f32 = 0.6;

impl LineStyle {
    /// Whether two lines are of one size and weight. Ideographs and letters of one line come in two fonts.
    pub fn is_like(&self, other: &LineStyle) -> bool {
        (self.size - other.size).abs() < SAME_SIZE && self.bold == other.bold
    }
}

/// A heading in the structure tree of a tagged PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadingTag {
    /// From 1.
    pub level: u8,
    /// The place of the heading in the order of the tree.
    pub number: u32,
}

/// The kind of a block, which decides how it is joined to the block before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// From 1, as in the markup.
    Heading(u8),
    /// A paragraph, table or listing: after a blank line.
    Paragraph,
    /// Another line of the block before it: an item of a list, a row of a table, a line of code.
    Line,
    /// Continues the sentence of a full line.
    Wrapped,
    /// Continues a word that the line before broke.
    Glued,
}

impl Block {
    pub fn new(kind: BlockKind, text: impl Into<String>, page: Option<u32>) -> Self {
        Block { kind, text: text.into(), page, style: None }
    }

    /// The text without the line number in the margin.
    pub fn words(&self) -> &str {
        let margin = self.style.as_ref().map_or(0, |style| style.margin as usize);
        self.text.get(margin..).unwrap_or(&self.text).trim_start()
    }

    pub fn paragraph(text: impl Into<String>) -> Self {
        Block::new(BlockKind::Paragraph, text, None)
    }

    /// Code between fences, as Markdown writes it; `None` without text.
    pub fn listing(language: &str, text: &str) -> Option<Self> {
        // Longer than any fence in it.
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat((longest + 1).max(3));
        let text = text.trim_end();
        (!text.trim().is_empty()).then(|| Block::paragraph(format!("{fence}{language}\n{text}\n{fence}")))
    }

    pub fn heading(level: u8, text: impl Into<String>) -> Self {
        Block::new(BlockKind::Heading(level), text, None)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// From 1.
    pub level: u32,
    /// With single spaces.
    pub title: String,
    /// From 1; `None` if the entry leads nowhere.
    pub page: Option<u32>,
}

/// What a loader needs beyond the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadOptions {
    /// For encrypted documents.
    pub password: Option<String>,
    /// Pages to leave out because they took too long, from 1.
    pub skip_pages: Vec<u32>,
    /// The program, with its arguments, that reads the image of a page without text.
    pub ocr_command: Option<String>,
}

/// The commonest number with its count; on a tie, the one nearest to 0.
pub(crate) fn most_votes(numbers: impl Iterator<Item = i64>) -> Option<(i64, usize)> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_default() += 1);
    counts.into_iter().max_by_key(|&(number, count)| (count, -number.abs()))
}

/// The commonest value; on a tie, the largest.
pub(crate) fn most_common<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|group| group.len()).and_then(|group| group.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_limited() {
        let mut document = Document::new(Format::Text, "text");
        document.metadata = (0..600).map(|i| (format!("key {i}"), "v".repeat(20_000))).collect();
        document.metadata.insert("a".repeat(201), "long name".into());
        let document = document.cleaned();
        assert_eq!((document.metadata.len(), document.warnings[0].as_str()), (500, "101 metadata fields left out"));
        assert_eq!(document.metadata["key 0"].chars().count(), LONGEST_VALUE + 1);
    }

    #[test]
    fn a_warning_about_each_message_is_given_once() {
        let mut document = Document::new(Format::Mbox, "mail-parser");
        document.warnings = ["deep", "odd", "deep", "de\u{7}ep"].map(str::to_owned).into();
        assert_eq!(document.cleaned().warnings, ["deep (3 times)", "odd"]);
    }
}

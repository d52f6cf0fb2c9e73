//! Bytes to a [`Document`]: metadata, blocks of text in reading order, and the outline if the format has one.
//!
//! This room does not decide what a section is; [`structure`](crate::structure) does. A loader never guesses at text
//! that it cannot read: it fails with the reason, or records a warning in the document.

pub mod asciidoc;
pub mod docx;
pub mod epub;
pub mod format;
pub mod html;
pub mod jsonl;
pub mod markdown;
mod package;
pub mod pdf;
pub mod plain;
pub mod restructured_text;
pub mod worker;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use format::Format;

use crate::error::{Result, Setting};

/// One source, parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// The outline (bookmarks) of a PDF, depth first, as the file has it.
    pub outline: Vec<OutlineEntry>,
    /// The number printed on each page, or given by the page labels: `12`, `xiv`.
    #[serde(default)]
    pub page_labels: Vec<Option<String>>,
    /// The library that read the text: `pdf_oxide`, `pdf-extract`, `pulldown-cmark`, …
    pub engine: String,
    /// What people should know about the reading: pages without text, a page read by a second engine.
    pub warnings: Vec<String>,
}

impl Document {
    pub fn new(format: Format, engine: &str) -> Self {
        Document {
            title: None,
            format,
            metadata: BTreeMap::new(),
            pages: None,
            blocks: Vec::new(),
            outline: Vec::new(),
            page_labels: Vec::new(),
            engine: engine.to_owned(),
            warnings: Vec::new(),
        }
    }

    /// The text of the only heading of the highest level. A document with one `#` heading has a title; one with several
    /// has chapters.
    fn only_top_heading(&self) -> Option<String> {
        let levels = self.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Heading(level) => Some((level, &block.text)),
            _ => None,
        });
        let top = levels.clone().map(|(level, _)| level).min()?;
        let mut tops = levels.filter(|&(level, _)| level == top);
        let (_, first) = tops.next()?;
        tops.next().is_none().then(|| first.clone())
    }

    /// Removes control characters from everything that may be shown: a document must not move the cursor of a terminal.
    fn without_control_characters(mut self) -> Self {
        self.blocks.iter_mut().for_each(|block| clean(&mut block.text));
        self.outline.iter_mut().for_each(|entry| clean(&mut entry.title));
        self.title.iter_mut().for_each(clean);
        self.metadata.values_mut().for_each(clean);
        self.warnings.iter_mut().for_each(clean);
        self
    }

    pub fn has_text(&self) -> bool {
        self.blocks.iter().any(|block| block.text.chars().any(char::is_alphanumeric))
    }
}

fn clean(text: &mut String) {
    if text.chars().any(is_unwanted) {
        text.retain(|c| !is_unwanted(c));
    }
}

fn is_unwanted(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// A heading, a paragraph, a table, a code listing, or a line of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub kind: BlockKind,
    /// Without surrounding white space.
    pub text: String,
    /// From 1.
    pub page: Option<u32>,
    /// `None` for formats without pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
}

/// The type and the place of a line on its page. Lengths are in points, in the frame of the line's text: `x` runs along
/// it, `y` downwards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    pub left: f32,
    pub right: f32,
    /// Only differences between baselines mean anything.
    pub baseline: f32,
    /// Of most of its letters.
    pub size: f32,
    /// The font of most of its letters: the same number for the same font in the whole document.
    pub font: u16,
    pub bold: bool,
    pub italic: bool,
    /// A font of fixed pitch.
    pub fixed: bool,
    /// The number of parts between wide gaps: the cells of a table row, a number and its title.
    pub cells: u32,
    /// The part of the page: a column, what stands above the columns, turned text.
    pub part: u32,
    /// Runs in the direction of most of its page's text.
    pub upright: bool,
    /// Bytes of its text that are a line number in the margin.
    pub margin: u32,
    /// The heading that it belongs to in the structure tree of a tagged document.
    pub tag: Option<HeadingTag>,
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
#[serde(rename_all = "snake_case")]
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
        Block { kind, text: text.into(), page, look: None }
    }

    /// The text without the line number in the margin.
    pub fn words(&self) -> &str {
        let margin = self.look.as_ref().map_or(0, |look| look.margin as usize);
        self.text.get(margin..).unwrap_or(&self.text).trim_start()
    }

    pub fn paragraph(text: impl Into<String>) -> Self {
        Block::new(BlockKind::Paragraph, text, None)
    }

    pub fn heading(level: u8, text: impl Into<String>) -> Self {
        Block::new(BlockKind::Heading(level), text, None)
    }
}

/// An entry of a PDF outline.
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
    #[serde(default)]
    pub skip_pages: Vec<u32>,
    /// The program, with its arguments, that reads the image of a page without text.
    #[serde(default)]
    pub ocr_command: Option<String>,
}

/// Checks that an OCR command can be split into words.
///
/// # Errors
/// If it is empty or has an unclosed quotation mark.
pub fn check_ocr_command(command: &str) -> Result<()> {
    pdf::check_ocr_command(command)
}

/// Parses `bytes` as `format`.
///
/// # Errors
/// If nothing can be read, with the reason. Some formats can hang, use much memory or end the process on hostile input
/// ([`Format::needs_worker`]): parse files of unknown origin through [`worker::Worker`].
pub fn parse(bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
    parse_with(bytes, format, options, &|_| {})
}

/// Like [`parse`]; calls `on_page` with the number of each page before reading it, and with 0 after the last.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(bytes: &[u8], format: Format, options: &LoadOptions, on_page: &dyn Fn(u32)) -> Result<Document> {
    let document = match format {
        Format::Pdf => pdf::parse(bytes, options, on_page)?,
        Format::Markdown => markdown::parse(&plain::to_text(bytes)?),
        Format::Html => html::parse(&plain::html_to_text(bytes)?),
        Format::Docx => docx::parse(bytes)?,
        Format::Epub => epub::parse(bytes)?,
        Format::RestructuredText => restructured_text::parse(&plain::to_text(bytes)?),
        Format::AsciiDoc => asciidoc::parse(&plain::to_text(bytes)?)?,
        Format::Jsonl => jsonl::parse(&plain::to_text(bytes)?)?,
        Format::Text => plain::parse(&plain::to_text(bytes)?),
    };
    Ok(document.without_control_characters())
}

/// The commonest value; the largest of equally common ones.
pub(crate) fn most_common<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|group| group.len()).and_then(|group| group.first().copied())
}

/// The hint for a file that is not what its name says.
fn wrong_format() -> String {
    format!("name its format with {}, or skip it with {}", Setting("as"), Setting("exclude"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_removed() {
        let document = parse(b"# a\x1b[2Jb\n\nx\x07\ty", Format::Markdown, &LoadOptions::default()).unwrap();
        assert_eq!(document.blocks[0].text, "a[2Jb");
        assert_eq!(document.blocks[1].text, "x\ty");
    }
}

//! Bytes to a [`Document`]: metadata, blocks of text in reading order, and the outline where the format has one.
//!
//! Nothing in here decides what a section is; that is `structure`'s work. A loader never guesses at text it cannot
//! read: it fails with the reason, or records a warning in the document.

mod archive;
pub mod asciidoc;
pub mod decode;
pub mod docx;
pub mod epub;
pub mod format;
pub mod html;
pub mod jsonl;
pub mod markdown;
pub mod pdf;
pub mod plain;
pub mod restructured_text;
mod table;
pub mod worker;
mod xhtml;
mod xml;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use format::Format;

use crate::error::Result;

/// One source, parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The title that the document itself gives, where it gives one.
    pub title: Option<String>,
    /// What it was parsed as.
    pub format: Format,
    /// What the document says about itself: author, date, tags, front matter.
    pub metadata: BTreeMap<String, String>,
    /// The number of pages, for formats that have pages.
    pub pages: Option<u32>,
    /// The text, in reading order.
    pub blocks: Vec<Block>,
    /// The outline (bookmarks) of a PDF, depth first, as it stands in the file.
    pub outline: Vec<OutlineEntry>,
    /// The number that each page bears, as the document's page labels or its own print say: `12`, `xiv`.
    #[serde(default)]
    pub page_labels: Vec<Option<String>>,
    /// What read the text: `pdf_oxide`, `pdf-extract`, `pulldown-cmark`, …
    pub engine: String,
    /// What a person should know about how it went: pages without text, a page read by a second engine.
    pub warnings: Vec<String>,
}

impl Document {
    /// An empty document of the given format, read by `engine`.
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

    /// The text of the only heading of the highest level: a document with one `#` heading has a title, one with several
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

    /// Takes control characters out of everything that may be shown: a document must not be able to move the cursor
    /// of the terminal that it is printed on.
    fn without_control_characters(mut self) -> Self {
        self.blocks.iter_mut().for_each(|block| clean(&mut block.text));
        self.outline.iter_mut().for_each(|entry| clean(&mut entry.title));
        self.title.iter_mut().for_each(clean);
        self.metadata.values_mut().for_each(clean);
        self.warnings.iter_mut().for_each(clean);
        self
    }

    /// Whether there is any letter or digit in it.
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

/// A piece of text that belongs together: a heading, a paragraph, a table, a code listing, a line of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text, without the white space around it.
    pub text: String,
    /// The page it stands on, from 1.
    pub page: Option<u32>,
    /// How a line of a page looks; `None` for formats without pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
}

/// How a line of a page looks and where it stands. Lengths in points, in the frame of the line's text: `x` runs along
/// it, `y` downwards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Where it begins.
    pub left: f32,
    /// Where it ends.
    pub right: f32,
    /// Its baseline. Only differences mean anything.
    pub baseline: f32,
    /// The size of most of its letters.
    pub size: f32,
    /// A number for the font of most of its letters, the same all through the document.
    pub font: u16,
    /// Whether it is set in a heavy face.
    pub bold: bool,
    /// Whether it is slanted.
    pub italic: bool,
    /// Whether its font has a fixed pitch.
    pub fixed: bool,
    /// How many pieces wide gaps cut it into: the cells of a row of a table, a number and its title.
    pub cells: u32,
    /// Which part of the page it belongs to: a column, what stands above the columns, turned text.
    pub part: u32,
    /// Whether it runs in the direction of most of its page's text.
    pub upright: bool,
    /// How many bytes of its text are a line number in the margin.
    pub margin: u32,
    /// The heading that the structure tree of a tagged document says it belongs to.
    pub tag: Option<HeadingTag>,
}

/// A heading in the structure tree of a tagged PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadingTag {
    /// From 1.
    pub level: u8,
    /// Which heading it is, in the order of the tree.
    pub number: u32,
}

/// What a block is, and with that how it is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading of the given level, from 1, as the markup says.
    Heading(u8),
    /// A paragraph, a table, a listing: set off by a blank line.
    Paragraph,
    /// One more line of the block before it: items of a list, rows of a table, lines of code.
    Line,
    /// The line before it was full, and the sentence goes on here.
    Wrapped,
    /// The line before it ended in the middle of a word, which goes on here.
    Glued,
}

impl Block {
    /// A block without looks.
    pub fn new(kind: BlockKind, text: impl Into<String>, page: Option<u32>) -> Self {
        Block { kind, text: text.into(), page, look: None }
    }

    /// Its text without the line number in the margin before it.
    pub fn words(&self) -> &str {
        let margin = self.look.as_ref().map_or(0, |look| look.margin as usize);
        self.text.get(margin..).unwrap_or(&self.text).trim_start()
    }

    /// A paragraph without a page.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Block::new(BlockKind::Paragraph, text, None)
    }

    /// A heading without a page.
    pub fn heading(level: u8, text: impl Into<String>) -> Self {
        Block::new(BlockKind::Heading(level), text, None)
    }
}

/// An entry of a PDF outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// Depth, from 1.
    pub level: u32,
    /// Title, with white space squeezed.
    pub title: String,
    /// The page it leads to, from 1; `None` where it leads nowhere.
    pub page: Option<u32>,
}

/// What a loader may need to know beyond the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadOptions {
    /// The password to try on encrypted documents.
    pub password: Option<String>,
    /// Pages that took too long, from 1: they are left out.
    #[serde(default)]
    pub skip_pages: Vec<u32>,
    /// The program that reads the image of a page without text, with its arguments.
    #[serde(default)]
    pub ocr_command: Option<String>,
}

/// Checks that a command for reading pages that are pictures can be run as words.
///
/// # Errors
/// Where it is empty or a quotation mark in it is not closed.
pub fn check_ocr_command(command: &str) -> Result<()> {
    pdf::check_ocr_command(command)
}

/// Parses `bytes` as `format`.
///
/// # Errors
/// Where nothing can be read from them, with the reason. Some formats may take long, use much memory or end the process
/// on hostile input ([`Format::needs_worker`]): call it through [`worker::Worker`] for files one did not make.
pub fn parse(bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
    parse_with(bytes, format, options, &|_| {})
}

/// Parses like [`parse`], and calls `on_page` with the number of each page that it begins to read, and
/// with 0 behind the last.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(bytes: &[u8], format: Format, options: &LoadOptions, on_page: &dyn Fn(u32)) -> Result<Document> {
    let document = match format {
        Format::Pdf => pdf::parse(bytes, options, on_page)?,
        Format::Markdown => markdown::parse(&decode::to_text(bytes)?),
        Format::Html => html::parse(&decode::html_to_text(bytes)?),
        Format::Docx => docx::parse(bytes)?,
        Format::Epub => epub::parse(bytes)?,
        Format::RestructuredText => restructured_text::parse(&decode::to_text(bytes)?),
        Format::AsciiDoc => asciidoc::parse(&decode::to_text(bytes)?)?,
        Format::Jsonl => jsonl::parse(&decode::to_text(bytes)?)?,
        Format::Text => plain::parse(&decode::to_text(bytes)?),
    };
    Ok(document.without_control_characters())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_survive() {
        let document = parse(b"# a\x1b[2Jb\n\nx\x07\ty", Format::Markdown, &LoadOptions::default()).unwrap();
        assert_eq!(document.blocks[0].text, "a[2Jb");
        assert_eq!(document.blocks[1].text, "x\ty");
    }
}

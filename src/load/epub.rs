//! EPUB 2 and 3: the package through `rbook`, the chapters through the HTML loader.
//!
//! The tree is that of the book's navigation (`nav.xhtml`, else `toc.ncx`). Its entries lead to files or to places in
//! files; where the text has a heading of the same words there, the entry takes its place. Headings that the navigation
//! does not know go below it.

use std::collections::HashMap;
use std::io::Cursor;

use rbook::Epub;
use rbook::epub::toc::EpubTocEntry;

use super::archive::Archive;
use super::html::{self, Chapter};
use super::{Block, BlockKind, Document, Format, decode, xhtml};
use crate::error::{Error, Result};
use crate::text::squeeze;

/// The file that makes an archive an EPUB.
const CONTAINER: &str = "META-INF/container.xml";
/// Entries nested deeper than this belong to no book.
const NAVIGATION_LIMIT: usize = 64;

/// Reads an EPUB.
///
/// # Errors
/// Where it is no zip archive or no EPUB, unpacks to too much, is protected against copying, or where none of its
/// chapters can be read.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut archive = Archive::open(bytes, "EPUB")?;
    archive.refuse_bomb()?;
    if !archive.has(CONTAINER) {
        return Err(Error::failed(format!("has no {CONTAINER} in it and so is no EPUB"))
            .hint("say what it is with --as, or leave it out with --exclude"));
    }
    refuse_protected(&mut archive)?;
    let mut document = Document::new(Format::Epub, "rbook");
    let epub = open(bytes, &mut document)?;
    read_metadata(&epub, &mut document);
    let places = read_chapters(&epub, &mut document)?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut deepest = 0;
    if let Some(root) = epub.toc().contents() {
        for entry in root.flatten() {
            deepest = deepest.max(entry.depth());
            let level = u8::try_from(entry.depth().clamp(1, NAVIGATION_LIMIT)).unwrap_or(u8::MAX);
            let title = squeeze(entry.label());
            if !title.is_empty() {
                entries.push(Entry { level, title, at: place_of(&entry, &places) });
            }
        }
    }
    document.blocks = with_navigation(std::mem::take(&mut document.blocks), entries);
    if deepest > NAVIGATION_LIMIT {
        // The library would give the nested entries back by recursion and overflow the stack.
        std::mem::forget(epub);
    }
    Ok(document)
}

/// Opens the book, without its navigation where only that is broken.
fn open(bytes: &[u8], document: &mut Document) -> Result<Epub> {
    let read = |without_navigation| {
        Epub::options()
            .skip_toc(without_navigation)
            .read(Cursor::new(bytes.to_vec()))
            .map_err(|error| innermost(&error))
    };
    let reason = match read(false) {
        Ok(epub) => return Ok(epub),
        Err(reason) => reason,
    };
    match read(true) {
        Ok(epub) => {
            document.warnings.push(format!("its navigation cannot be read ({reason}); the sections are its headings"));
            Ok(epub)
        }
        Err(reason) => Err(Error::failed(format!("cannot be read as EPUB: {reason}"))
            .hint("the file is damaged or of another format; see whether a reader opens it")),
    }
}

/// The first cause: what the library puts around it names its own types.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}

/// Books with digital rights management are zips whose chapters are noise. Fonts may be scrambled without harm.
fn refuse_protected(archive: &mut Archive<'_>) -> Result<()> {
    let Some(encryption) = archive.text("META-INF/encryption.xml")? else { return Ok(()) };
    let chapters = [".xhtml\"", ".html\"", ".htm\"", ".xml\""].iter().any(|ending| encryption.contains(ending));
    if chapters {
        return Err(Error::failed("the book is protected against copying (DRM), so its text cannot be read")
            .hint("kb reads books without protection only; leave it out with --exclude"));
    }
    Ok(())
}

fn read_metadata(epub: &Epub, document: &mut Document) {
    let metadata = epub.metadata();
    document.title = metadata.title().map(|title| squeeze(title.value())).filter(|title| !title.is_empty());
    let authors: Vec<String> = metadata.creators().map(|creator| squeeze(creator.value())).collect();
    let publishers: Vec<String> = metadata.publishers().map(|publisher| squeeze(publisher.value())).collect();
    let stated = [
        ("author", authors.join(", ")),
        ("publisher", publishers.join(", ")),
        ("language", metadata.language().map(|language| squeeze(language.value())).unwrap_or_default()),
        ("date", metadata.published_entry().map(|date| squeeze(date.value())).unwrap_or_default()),
        ("modified", metadata.modified_entry().map(|date| squeeze(date.value())).unwrap_or_default()),
        ("description", metadata.description().map(|text| squeeze(text.value())).unwrap_or_default()),
    ];
    for (name, value) in stated {
        if !value.is_empty() {
            document.metadata.insert(name.to_owned(), value);
        }
    }
}

/// Where a chapter's text is among the blocks.
struct Place {
    first: usize,
    /// Ids in the chapter, each with the block (counted from the chapter's first) where its element begins.
    anchors: HashMap<String, usize>,
}

/// Reads the chapters in the order of the spine into the document's blocks; gives where each lies, by its path.
fn read_chapters(epub: &Epub, document: &mut Document) -> Result<HashMap<String, Place>> {
    let mut places = HashMap::new();
    let mut last_error = None;
    for entry in epub.spine().iter() {
        let Some(item) = entry.manifest_entry() else { continue };
        // A printed table of contents repeats the headings.
        if item.properties().iter().any(|property| property == "nav") || !item.media_type().contains("html") {
            continue;
        }
        let path = item.href().path().decode().into_owned();
        let text = item.read_bytes().map_err(|error| innermost(&error));
        let text = text.and_then(|bytes| decode::html_to_text(&bytes).map_err(|error| error.message().to_owned()));
        match text {
            Ok(text) => {
                let Chapter { blocks, anchors } = html::parse_chapter(&xhtml::with_end_tags(&text));
                places.entry(path).or_insert(Place { first: document.blocks.len(), anchors });
                document.blocks.extend(blocks);
            }
            Err(reason) => {
                document.warnings.push(format!("{path} in it cannot be read: {reason}"));
                last_error = Some(reason);
            }
        }
    }
    match last_error {
        Some(reason) if places.is_empty() => Err(Error::failed(format!("none of its chapters can be read: {reason}"))
            .hint("the file is damaged; see whether a reader opens it")),
        _ => Ok(places),
    }
}

/// The block that an entry of the navigation leads to, if any.
fn place_of(entry: &EpubTocEntry<'_>, places: &HashMap<String, Place>) -> Option<usize> {
    let href = entry.href()?;
    let place = places.get(href.path().decode().as_ref())?;
    let fragment = href.fragment().unwrap_or_default();
    let inside = place.anchors.get(fragment).copied().unwrap_or(0);
    Some(place.first + inside)
}

/// An entry of the navigation.
struct Entry {
    level: u8,
    title: String,
    /// The block that it leads to.
    at: Option<usize>,
}

/// Puts the entries of the navigation into the text as headings.
fn with_navigation(blocks: Vec<Block>, mut entries: Vec<Entry>) -> Vec<Block> {
    // One that leads nowhere, like a part that only holds its chapters, stands where the next one does.
    let mut next = blocks.len();
    for entry in entries.iter_mut().rev() {
        next = *entry.at.get_or_insert(next);
    }
    entries.sort_by_key(|entry| entry.at);
    let mut out = Vec::with_capacity(blocks.len() + entries.len());
    let mut entries = entries.into_iter().peekable();
    let mut current = Current { level: 0, title: String::new(), shift: Some(0), at_start: false };
    for (i, block) in blocks.into_iter().enumerate() {
        while let Some(entry) = entries.next_if(|entry| entry.at.is_some_and(|at| at <= i)) {
            current = Current { level: entry.level, title: letters(&entry.title), shift: None, at_start: true };
            out.push(Block::heading(entry.level, entry.title));
        }
        match block.kind {
            BlockKind::Heading(level) => match current.meets(level, &block.text) {
                Meeting::Same => {}
                // The tree keeps the words of the navigation; those that it leaves out stay in the text.
                Meeting::Longer => out.push(Block { kind: BlockKind::Paragraph, ..block }),
                Meeting::Other => {
                    out.push(Block { kind: BlockKind::Heading(current.below(level)), ..block });
                }
            },
            _ => {
                current.at_start = false;
                out.push(block);
            }
        }
    }
    out.extend(entries.map(|entry| Block::heading(entry.level, entry.title)));
    out
}

/// The entry of the navigation that the text at hand belongs to.
struct Current {
    level: u8,
    /// Its letters and digits, as far as no heading has taken them.
    title: String,
    /// What to add to a heading's own level, once that is known.
    shift: Option<i16>,
    /// Whether nothing but headings has come since it.
    at_start: bool,
}

/// What a heading is to the entry of the navigation before it.
enum Meeting {
    /// The entry's title or a part of it: "Chapter 1" above "The Whale".
    Same,
    /// The entry's title and more.
    Longer,
    /// A title that the navigation does not know.
    Other,
}

impl Current {
    fn meets(&mut self, level: u8, heading: &str) -> Meeting {
        let heading = letters(heading);
        if self.title.is_empty() || heading.is_empty() {
            return Meeting::Other;
        }
        let meeting = if heading == self.title || (self.at_start && self.title.starts_with(&heading)) {
            self.title.drain(..heading.len());
            Meeting::Same
        } else if self.at_start && self.title.ends_with(&heading) {
            self.title.truncate(self.title.len() - heading.len());
            Meeting::Same
        } else if self.at_start && (heading.starts_with(&self.title) || heading.ends_with(&self.title)) {
            self.title.clear();
            Meeting::Longer
        } else {
            return Meeting::Other;
        };
        self.shift.get_or_insert(i16::from(self.level) - i16::from(level));
        meeting
    }

    /// The level of a heading that the navigation does not know.
    fn below(&mut self, level: u8) -> u8 {
        let shift = *self.shift.get_or_insert(i16::from(self.level) + 1 - i16::from(level));
        u8::try_from((i16::from(level) + shift).max(1)).unwrap_or(u8::MAX)
    }
}

/// What two writings of one title have in common.
fn letters(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(level: u8, title: &str, at: Option<usize>) -> Entry {
        Entry { level, title: title.to_owned(), at }
    }

    #[test]
    fn entries_take_the_place_of_their_headings_and_others_go_below() {
        let blocks = vec![
            Block::paragraph("cover"),
            Block::heading(2, "CHAPTER 1"),
            Block::heading(2, "The Whale"),
            Block::paragraph("a"),
            Block::heading(3, "A part"),
            Block::paragraph("b"),
            Block::paragraph("c"),
            Block::heading(4, "Unknown"),
            Block::heading(2, "Chapter 3: Ropes"),
        ];
        let entries = vec![
            entry(1, "Book", None),
            entry(2, "Chapter 1: The Whale", Some(1)),
            entry(2, "Second", Some(6)),
            entry(2, "Ropes", Some(8)),
            entry(1, "Lost", None),
        ];
        assert_eq!(
            with_navigation(blocks, entries),
            [
                Block::paragraph("cover"),
                Block::heading(1, "Book"),
                Block::heading(2, "Chapter 1: The Whale"),
                Block::paragraph("a"),
                Block::heading(3, "A part"),
                Block::paragraph("b"),
                Block::heading(2, "Second"),
                Block::paragraph("c"),
                Block::heading(3, "Unknown"),
                Block::heading(2, "Ropes"),
                Block::paragraph("Chapter 3: Ropes"),
                Block::heading(1, "Lost"),
            ]
        );
    }

    #[test]
    fn without_navigation_headings_are_what_they_are() {
        let blocks = vec![Block::heading(1, "A"), Block::heading(2, "B")];
        assert_eq!(with_navigation(blocks.clone(), Vec::new()), blocks);
    }
}

//! EPUB 2 and 3: the package through `rbook`, the chapters through the HTML loader.
//!
//! The tree is the book's navigation (`nav.xhtml`, else `toc.ncx`). Its entries lead to files or to places inside
//! files. An entry replaces a heading of the same words at its place; headings that the navigation does not list go
//! below it.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;

use rbook::Epub;
use rbook::epub::toc::EpubTocEntry;

use super::package::{Archive, wrong_format};
use super::{Block, BlockKind, Document, Format};
use super::{html, plain, xhtml};
use crate::error::{Error, Result, Setting, innermost};
use crate::text::squeeze;

/// The file that makes an archive an EPUB.
const CONTAINER: &str = "META-INF/container.xml";
/// No real book nests its navigation deeper.
const NAVIGATION_LIMIT: usize = 64;

/// Reads an EPUB.
///
/// # Errors
/// If it is not a zip archive or an EPUB, unpacks to too much, is protected against copying, or no chapter can be read.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut archive = Archive::open(bytes, "EPUB")?;
    archive.refuse_bomb()?;
    if !archive.has(CONTAINER) {
        return Err(Error::failed(format!("is not an EPUB: it contains no {CONTAINER}")).hint(wrong_format()));
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
        // Dropping the nested entries recurses and would overflow the stack.
        std::mem::forget(epub);
    }
    Ok(document)
}

/// Opens the book; without its navigation if only that is broken.
fn open(bytes: &[u8], document: &mut Document) -> Result<Epub> {
    let read = |without_navigation| {
        Epub::options()
            .skip_toc(without_navigation)
            .read(Cursor::new(bytes.to_vec()))
            .map_err(|error| innermost(&error))
    };
    read(false).or_else(|reason| {
        let epub = read(true).map_err(|reason| {
            Error::failed(format!("cannot be read as EPUB: {reason}"))
                .hint("the file is damaged or of another format; try to open it in an e-book reader")
        })?;
        document.warnings.push(format!("cannot read its navigation ({reason}); the sections come from its headings"));
        Ok(epub)
    })
}

/// The chapters of books with digital rights management are noise. Scrambled fonts do no harm.
fn refuse_protected(archive: &mut Archive<'_>) -> Result<()> {
    let Some(encryption) = archive.text("META-INF/encryption.xml")? else { return Ok(()) };
    let chapters = [".xhtml\"", ".html\"", ".htm\"", ".xml\""].iter().any(|ending| encryption.contains(ending));
    if chapters {
        return Err(Error::failed("the book is protected against copying (DRM), so its text cannot be read")
            .hint(format!("kb reads only unprotected books; skip it with {}", Setting("exclude"))));
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
        document.add_metadata(name, value);
    }
}

/// The place of a chapter among the blocks.
struct Place {
    first: usize,
    /// For each id in the chapter, the block where its element begins, counted from the chapter's first.
    anchors: HashMap<String, usize>,
}

/// Reads the chapters in the order of the spine into the document's blocks. Returns the place of each by its path.
fn read_chapters(epub: &Epub, document: &mut Document) -> Result<HashMap<String, Place>> {
    let (mut places, mut known) = (HashMap::new(), HashSet::new());
    let mut last_error = None;
    for entry in epub.spine().iter() {
        let Some(item) = entry.manifest_entry() else { continue };
        // A printed table of contents repeats the headings.
        if item.properties().iter().any(|property| property == "nav") || !item.media_type().contains("html") {
            continue;
        }
        let path = item.href().path().decode().into_owned();
        // A hostile book has a long chapter many times.
        if !known.insert(path.clone()) {
            continue;
        }
        let text = item.read_bytes().map_err(|error| innermost(&error));
        let text = text.and_then(|bytes| {
            plain::html_to_text(&bytes).map(String::from).map_err(|error| error.message().to_owned())
        });
        match text {
            Ok(text) => {
                let (blocks, anchors) = html::parse_chapter(&xhtml::with_end_tags(&text), &mut document.warnings);
                places.insert(path, Place { first: document.blocks.len(), anchors });
                document.blocks.extend(blocks);
            }
            Err(reason) => {
                document.warnings.push(format!("cannot read {path} in it: {reason}"));
                last_error = Some(reason);
            }
        }
    }
    match last_error {
        Some(reason) if places.is_empty() => Err(Error::failed(format!("none of its chapters can be read: {reason}"))
            .hint("the file is damaged; try to open it in an e-book reader")),
        _ => Ok(places),
    }
}

/// The block that a navigation entry leads to.
fn place_of(entry: &EpubTocEntry<'_>, places: &HashMap<String, Place>) -> Option<usize> {
    let href = entry.href()?;
    let place = places.get(href.path().decode().as_ref())?;
    // rbook encodes it; the id in the chapter is not encoded.
    let decoded = href.decode();
    let id = href.fragment().and(decoded.rsplit_once('#')).map_or("", |(_, id)| id);
    let inside = place.anchors.get(id).copied().unwrap_or(0);
    Some(place.first + inside)
}

struct Entry {
    level: u8,
    title: String,
    /// The block it leads to.
    at: Option<usize>,
}

/// Inserts the navigation entries into the text as headings.
fn with_navigation(blocks: Vec<Block>, mut entries: Vec<Entry>) -> Vec<Block> {
    // An entry that leads nowhere, like a part that only groups chapters, gets the place of the next entry.
    let mut next = blocks.len();
    for entry in entries.iter_mut().rev() {
        next = *entry.at.get_or_insert(next);
    }
    entries.sort_by_key(|entry| entry.at);
    let mut out = Vec::with_capacity(blocks.len() + entries.len());
    let mut entries = entries.into_iter().peekable();
    let mut current = CurrentEntry { level: 0, title: String::new(), shift: Some(0), at_start: false };
    for (i, block) in blocks.into_iter().enumerate() {
        while let Some(entry) = entries.next_if(|entry| entry.at.is_some_and(|at| at <= i)) {
            let title = letters_and_digits(&entry.title);
            current = CurrentEntry { level: entry.level, title, shift: None, at_start: true };
            out.push(Block::heading(entry.level, entry.title));
        }
        match block.kind {
            BlockKind::Heading(level) => match current.match_heading(level, &block.text) {
                HeadingMatch::Same => {}
                // The tree keeps the navigation's words; additional words stay in the text.
                HeadingMatch::Longer => out.push(Block { kind: BlockKind::Paragraph, ..block }),
                HeadingMatch::Other => {
                    out.push(Block { kind: BlockKind::Heading(current.level_below(level)), ..block });
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

/// The navigation entry of the current text.
struct CurrentEntry {
    level: u8,
    /// Its letters and digits that no heading has matched yet.
    title: String,
    /// The shift from a heading's own level to its level in the tree, once known.
    shift: Option<i16>,
    /// Whether only headings have followed it.
    at_start: bool,
}

/// How a heading relates to the entry before it.
enum HeadingMatch {
    /// The entry's title or a part: "Chapter 1" above "The Whale".
    Same,
    /// More than the entry's title.
    Longer,
    /// A title outside the navigation.
    Other,
}

impl CurrentEntry {
    fn match_heading(&mut self, level: u8, heading: &str) -> HeadingMatch {
        let heading = letters_and_digits(heading);
        if self.title.is_empty() || heading.is_empty() {
            return HeadingMatch::Other;
        }
        let matched = if heading == self.title || (self.at_start && self.title.starts_with(&heading)) {
            self.title.drain(..heading.len());
            HeadingMatch::Same
        } else if self.at_start && self.title.ends_with(&heading) {
            self.title.truncate(self.title.len() - heading.len());
            HeadingMatch::Same
        } else if self.at_start && (heading.starts_with(&self.title) || heading.ends_with(&self.title)) {
            self.title.clear();
            HeadingMatch::Longer
        } else {
            return HeadingMatch::Other;
        };
        self.shift.get_or_insert(i16::from(self.level) - i16::from(level));
        matched
    }

    /// The level of a heading outside the navigation.
    fn level_below(&mut self, level: u8) -> u8 {
        let shift = *self.shift.get_or_insert(i16::from(self.level) + 1 - i16::from(level));
        u8::try_from((i16::from(level) + shift).max(1)).unwrap_or(u8::MAX)
    }
}

/// In lower case, for comparing titles.
fn letters_and_digits(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::package::zip_of;
    use super::*;

    const ITEM: &str = r#"<itemref idref="a"/>"#;

    /// A book with one chapter, so many times in its order.
    fn book(times: usize) -> Vec<u8> {
        let rootfile = r#"<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;
        let package = r#"<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>T</dc:title><dc:language>zh</dc:language></metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="a" href="tea.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
        let navigation = r#"<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="tea.xhtml">采茶</a></li><li><a href="tea.xhtml#炒">炒茶</a></li></ol></nav></body></html>"#;
        let chapter = r#"<html><body><h1>采茶</h1><p>一芽一叶。</p><h1 id="炒">炒茶</h1><p>锅温。</p></body></html>"#;
        let package = package.replace(ITEM, &ITEM.repeat(times));
        zip_of(&[
            ("mimetype", "application/epub+zip"),
            (CONTAINER, rootfile),
            ("book.opf", &package),
            ("nav.xhtml", navigation),
            ("tea.xhtml", chapter),
        ])
    }

    fn texts(book: &[u8]) -> Vec<String> {
        parse(book).unwrap().blocks.into_iter().map(|block| block.text).collect()
    }

    #[test]
    fn entries_lead_to_ids_in_any_script() {
        assert_eq!(texts(&book(1)), ["采茶", "一芽一叶。", "炒茶", "锅温。"]);
    }

    #[test]
    fn a_chapter_that_a_book_has_a_thousand_times_is_read_once() {
        assert_eq!(texts(&book(1_000)), texts(&book(1)));
    }

    fn entry(level: u8, title: &str, at: Option<usize>) -> Entry {
        Entry { level, title: title.to_owned(), at }
    }

    #[test]
    fn entries_replace_their_headings_and_others_go_below() {
        let blocks = "cover|## CHAPTER 1|## The Whale|a|### A part|b|c|#### Unknown|## Chapter 3: Ropes";
        let entries = vec![
            entry(1, "Book", None),
            entry(2, "Chapter 1: The Whale", Some(1)),
            entry(2, "Second", Some(6)),
            entry(2, "Ropes", Some(8)),
            entry(1, "Lost", None),
        ];
        let wanted = "cover|# Book|## Chapter 1: The Whale|a|### A part|b|## Second|c|### Unknown|## Ropes\
            |Chapter 3: Ropes|# Lost";
        let read = |text: &str| Block::in_markdown(text.split('|'));
        assert_eq!(with_navigation(read(blocks), entries), read(wanted));
    }

    #[test]
    fn without_navigation_headings_stay() {
        let blocks = Block::in_markdown(["# A", "## B"]);
        assert_eq!(with_navigation(blocks.clone(), Vec::new()), blocks);
    }
}

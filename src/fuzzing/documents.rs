//! Documents of each format, the layout of pages, structure and chunks.

use clap::ValueEnum as _;
use pdf_oxide::layout::{FontWeight, TextChar};

use super::{parts, text};
use crate::chunk::{ChunkConfig, assert_rebuilt};
use crate::edits::{editable_toc, entries_of, parse_toc};
use crate::ingest::{SourceFacts, prepare};
use crate::knowledge::names::definitions;
use crate::knowledge::profile::{ParentChunkText, TitleText, profile};
use crate::load::{Document, Format, LoadOptions, OutlineEntry, laid_out, parse, zip_of};
use crate::search::find_section;
use crate::store::{DocumentName, NewDocument};
use crate::structure::{not_found, sections};

pub const NOW: &str = "2026-11-22T00:00:00Z";

/// Small chunks, so that a short input has several.
const SMALL: ChunkConfig = ChunkConfig {
    parent_chars: 60,
    child_chars: 20,
    overlap_chars: 10,
    context: crate::chunk::context::ContextKind::Headings,
};

pub fn email(bytes: &[u8]) {
    load(bytes, Format::Email);
    load(bytes, Format::Mbox);
}

/// Source code; the first byte chooses the language.
pub fn code(bytes: &[u8]) {
    let languages: Vec<Format> = Format::value_variants().iter().copied().filter(|format| format.is_code()).collect();
    if let Some((first, rest)) = bytes.split_first() {
        load(rest, languages[usize::from(*first) % languages.len()]);
    }
}

/// A slide and its notes.
pub fn powerpoint(bytes: &[u8]) {
    let [slide, notes] = parts(bytes).map(text);
    const RELATIONS: &str = r#"<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/><Relationship Id="r2" Type="x/notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>"#;
    let entries = [
        ("ppt/presentation.xml", r#"<p><sldId r:id="r1"/></p>"#),
        ("ppt/_rels/presentation.xml.rels", RELATIONS),
        ("ppt/slides/_rels/slide1.xml.rels", RELATIONS),
        ("ppt/slides/slide1.xml", &*slide),
        ("ppt/notesSlides/notesSlide1.xml", &*notes),
    ];
    load(&zip_of(&entries), Format::PowerPoint);
}

pub fn plain_text(bytes: &[u8]) {
    Format::sniff(bytes);
    load(bytes, Format::Text);
}

/// The body, the styles, the numbering and the footnotes of a package.
pub fn docx(bytes: &[u8]) {
    let [body, styles, numbering, notes] = parts(bytes).map(text);
    let entries = [
        ("word/document.xml", &*body),
        ("word/styles.xml", &*styles),
        ("word/numbering.xml", &*numbering),
        ("word/footnotes.xml", &*notes),
        ("docProps/core.xml", &*styles),
    ];
    let present: Vec<_> = entries.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    load(&zip_of(&present), Format::Docx);
}

const CONTAINER: &str = r#"<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;
const PACKAGE: &str = r#"<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>T</dc:title><dc:language>en</dc:language></metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="a" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="b" href="text/two.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#;

/// The navigation and two chapters of a book.
pub fn epub(bytes: &[u8]) {
    let [navigation, first, second] = parts(bytes).map(text);
    let entries = [
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", CONTAINER),
        ("book.opf", PACKAGE),
        ("nav.xhtml", &*navigation),
        ("text/one.xhtml", &*first),
        ("text/two.xhtml", &*second),
    ];
    load(&zip_of(&entries), Format::Epub);
}

/// Pages of printed lines. The first four bytes of a line say how it is printed: its left edge, the distance to the
/// line before, its size and its looks. If the first is `>`, the next two are the level and the page of an outline
/// entry. A form feed begins a page.
pub fn layout(bytes: &[u8]) {
    let mut outline = Vec::new();
    let pages = bytes.split(|byte| *byte == 0x0c).take(40).map(|page| {
        let mut chars = Vec::new();
        let mut down = 40.0;
        for line in page.split(|byte| *byte == b'\n') {
            let Some((head, words)) = line.split_first_chunk::<4>() else { continue };
            let words = text(words);
            if head[0] == b'>' {
                let page = (head[2] % 8 > 0).then_some(u32::from(head[2] % 8));
                outline.push(OutlineEntry { level: u32::from(head[1] % 5), title: words.into_owned(), page });
                continue;
            }
            // Letters and blanks print an ordinary line, so that any text is a page.
            let [left, distance, size, looks] = *head;
            down += f32::from(distance.cast_signed()) / 4.0;
            print(&mut chars, &words, (f32::from(left) * 2.0, 800.0 - down), f32::from(size) / 4.0, looks);
        }
        chars
    });
    let pages: Vec<Vec<TextChar>> = pages.collect();
    let mut document = laid_out(&pages);
    // The loader gives an entry no page that the document does not have.
    let pages = document.pages.unwrap_or(0);
    outline.iter_mut().for_each(|entry| entry.page = entry.page.filter(|page| *page <= pages));
    document.outline = outline;
    hold(&document);
}

fn print(chars: &mut Vec<TextChar>, words: &str, (left, up): (f32, f32), size: f32, looks: u8) {
    let has = |bit: u8| looks & bit != 0;
    let angle: f32 = if has(16) { 90.0 } else { 0.0 };
    let (sin, cos) = angle.to_radians().sin_cos();
    let mut along = 0.0;
    for char in words.chars() {
        let advance_width = size * if has(32) { 1.0 } else { 0.5 };
        chars.push(TextChar {
            char,
            origin_x: left + along * cos,
            origin_y: up + along * sin,
            font_name: if has(1) { "ABCDEF+Courier".to_owned() } else { "Times".to_owned() },
            font_size: size,
            font_weight: if has(2) { FontWeight::Bold } else { FontWeight::Normal },
            is_italic: has(4),
            mcid: has(8).then_some(u32::from(looks >> 5)),
            rotation_degrees: angle,
            advance_width,
            matrix: Some([cos, sin, -sin, cos, left, up]),
            ..TextChar::default()
        });
        along += advance_width;
    }
}

/// Reads a document and checks the laws of all documents.
pub fn load(bytes: &[u8], format: Format) {
    if let Ok(document) = parse(bytes, format, &LoadOptions::default()) {
        let texts = document.blocks.iter().map(|block| &block.text).chain(document.metadata.values());
        for text in texts.chain(&document.title).chain(document.outline.iter().map(|entry| &entry.title)) {
            assert!(
                !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'),
                "a control character: {text:?}"
            );
        }
        hold(&document);
    }
}

/// Checks the laws of every document.
fn hold(document: &Document) {
    for config in [SMALL, ChunkConfig::default()] {
        assert_rebuilt(&sections(document, "title", None), &config);
    }
    let facts = SourceFacts::sample();
    let new = prepare(document, &facts, &SMALL, NOW).new;
    let again = prepare(document, &facts, &SMALL, NOW).new;
    assert!(new == again, "the rows of a document differ from one time to the next");
    ids_are_unique(&new);
    describe(&new);
    contents_are_editable(document, &new);
}

/// Each section is found by its id.
fn ids_are_unique(new: &NewDocument) {
    let document = DocumentName::from(&new.document);
    for section in &new.sections {
        let found = find_section(&document, &new.sections, &section.section_id);
        let found = found.expect("the id of a section is a name of it").section;
        assert_eq!(found.section_id, section.section_id);
    }
}

/// The profile that `kb docs` shows.
fn describe(new: &NewDocument) {
    let texts: Vec<ParentChunkText> =
        new.parents.iter().map(|parent| ParentChunkText { title: "", text: &parent.content }).collect();
    let titles: Vec<TitleText> =
        new.sections.iter().map(|row| TitleText { title: &row.title, level: row.level, bytes: 10 }).collect();
    profile(&new.document.title, &new.document.language, &titles, &texts);
    for parent in &new.parents {
        definitions(&parent.content, &parent.titles);
    }
}

/// The editable text of a table of contents reads back as its entries, and works as a correction.
fn contents_are_editable(document: &Document, new: &NewDocument) {
    let entries = entries_of(&new.sections);
    let text = editable_toc(&new.document, &new.sections);
    let read = parse_toc(&text, new.document.pages).expect("an unchanged table of contents can be read");
    assert_eq!(read.into_iter().map(|line| line.entry).collect::<Vec<_>>(), entries, "{text}");
    assert!(not_found(document, &entries).len() <= entries.len());
    let facts = SourceFacts { corrected_toc: Some(entries), ..SourceFacts::sample() };
    let corrected = prepare(document, &facts, &SMALL, NOW).new;
    let named = corrected.sections.iter().filter(|section| !section.is_preamble()).count();
    assert!(named <= new.sections.len());
}

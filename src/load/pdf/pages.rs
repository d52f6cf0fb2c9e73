//! The pages of a PDF as lines, from the first engine that reads them well.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_oxide::PdfDocument;

use super::characters::{characters, shown_by_annotations};
use super::layout::{self, Fonts, Line, Page, furniture, paragraphs, tables};
use super::ocr;
use super::tags::Tags;
use crate::error::{Error, Result, Setting};
use crate::load::plain::lines_to_blocks;
use crate::load::{Block, BlockKind, Document, LoadOptions};
use crate::text::{count, percent, squeeze};

/// A page is broken if more than this share of its characters is not text: U+FFFD, private use, control.
const MOST_BROKEN_SHARE: f32 = 0.05;
/// From this share of broken pages on, the second engine reads the file.
const WORTH_A_SECOND_READING: f32 = 0.05;
/// The box of a page without a size: US Letter, in points.
const LETTER: (f32, f32, f32, f32) = (0.0, 0.0, 612.0, 792.0);
/// From this share of pages without text on, a document counts as a scan.
const SCAN: f32 = 0.8;

/// What an engine reads from a page.
enum Reading {
    /// Lines with their places.
    Laid(Page),
    /// Text without places, from the second engine or OCR.
    Plain(String),
}

impl Reading {
    fn is_empty(&self) -> bool {
        match self {
            Reading::Laid(page) => page.lines.is_empty(),
            Reading::Plain(text) => text.trim().is_empty(),
        }
    }

    fn broken_share(&self) -> f32 {
        match self {
            Reading::Laid(page) => broken_share(page.lines.iter().flat_map(|line| line.text.chars())),
            Reading::Plain(text) => broken_share(text.chars()),
        }
    }
}

/// Reads all pages into `document`. Calls `on_page` with each page's number before reading it, and with 0 at the end.
///
/// # Errors
/// If no engine can read the file, the password does not open it, or it has no text.
pub fn read(bytes: &[u8], options: &LoadOptions, document: &mut Document, on_page: &dyn Fn(u32)) -> Result<()> {
    let (mut pages, tags) = match first_engine(bytes, options, on_page, &mut document.warnings) {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return Err(error),
        Err(error) => {
            let first = error.message();
            let pages = second_engine(bytes, options).map_err(|second| {
                let second = second.message();
                Error::failed(format!("the PDF cannot be read: {first} (pdf_oxide), {second} (pdf-extract)"))
                    .hint(format!("the file is damaged; try to repair it, or skip it with {}", Setting("exclude")))
            })?;
            document.engine = "pdf-extract".to_owned();
            document.warnings.push(format!("read by pdf-extract, because pdf_oxide failed: {first}"));
            (pages.into_iter().map(Reading::Plain).collect(), Tags::default())
        }
    };
    if document.engine == "pdf_oxide" && pages.iter().all(Reading::is_empty) && options.skip_pages.is_empty() {
        // Either a scan, or fonts that the first engine cannot decode. Errors of the second engine are ignored here,
        // because the first read the file well enough to know that it is empty.
        let second = second_engine(bytes, options).unwrap_or_default();
        if second.len() == pages.len() && second.iter().any(|text| text.chars().any(char::is_alphanumeric)) {
            pages = second.into_iter().map(Reading::Plain).collect();
            document.engine = "pdf-extract".to_owned();
            document.warnings.push("read by pdf-extract, because pdf_oxide found no text".to_owned());
        }
    } else if document.engine == "pdf_oxide" {
        mend_broken(bytes, options, &mut pages, document);
    }
    document.pages = u32::try_from(pages.len()).ok();
    report_empty(&pages, bytes, options, document)?;
    add_blocks(pages, &tags, document);
    Ok(())
}

fn report_empty(pages: &[Reading], bytes: &[u8], options: &LoadOptions, document: &mut Document) -> Result<()> {
    let all = pages.len();
    let empty = pages.iter().filter(|page| page.is_empty()).count();
    let command = Setting("ocr_command");
    if empty == all {
        let (why, hint) = if !options.skip_pages.is_empty() {
            let late = options.skip_pages.len();
            (format!(", and reading {late} of them took too long"), format!("raise {}", Setting("page_timeout")))
        } else if !super::has_end(bytes) {
            let why = ", and its end is missing: it seems cut off or damaged".to_owned();
            (why, format!("download or copy it again, or skip it with {}", Setting("exclude")))
        } else {
            let hint = match options.ocr_command {
                Some(_) => format!("{command} found no text on them either: try it by hand on an image of a page"),
                None => format!("use an OCR program: {command} 'tesseract {{}} stdout'"),
            };
            (" (100 %); it is probably a scan".to_owned(), hint)
        };
        return Err(Error::failed(format!("the PDF has no text on its {}{why}", count(all, "page"))).hint(hint));
    }
    let have = if empty == 1 { "has" } else { "have" };
    let without = format!("{empty} of {} ({}) {have} no text", count(all, "page"), percent(empty, all));
    if empty as f32 >= SCAN * all as f32 {
        document.warnings.push(format!("{without}: probably a scan; {command} can read them"));
    } else if empty > 0 {
        document.warnings.push(without);
    }
    Ok(())
}

/// Removes the furniture, recognises tables and makes blocks of the rest.
fn add_blocks(pages: Vec<Reading>, tags: &Tags, document: &mut Document) {
    let parted = pages.into_iter().map(|page| match page {
        Reading::Laid(page) => (page, None),
        Reading::Plain(text) => (Page::default(), Some(text)),
    });
    let (laid, plain): (Vec<Page>, Vec<Option<String>>) = parted.unzip();
    let found = furniture::recognise(&laid);
    document.page_labels = found.iter().map(|furniture| furniture.number.clone()).collect();
    let blocks_of = |lines| paragraphs::blocks(tables::join(lines), |page, mark| tags.heading(page, mark));
    let mut lines = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    for (((number, page), plain), furniture) in (1u32..).zip(laid).zip(plain).zip(&found) {
        let middle = (page.top + page.bottom) / 2.0;
        for (i, line) in page.lines.into_iter().enumerate() {
            if !furniture.lines.contains(&i) {
                lines.push(line);
            } else if line.style.baseline < middle {
                let style = Some(line.style);
                document.page_heads.push(Block { style, ..Block::new(BlockKind::Line, line.text, Some(number)) });
            }
        }
        if let Some(text) = plain {
            blocks.extend(blocks_of(std::mem::take(&mut lines)));
            blocks.extend(lines_to_blocks(&text, Some(number)));
        }
    }
    blocks.extend(blocks_of(lines));
    document.blocks = blocks;
}

/// The document of pages with these characters, for the fuzzer.
#[cfg(feature = "fuzzing")]
pub fn laid_out(pages: &[Vec<pdf_oxide::layout::TextChar>]) -> Document {
    let mut fonts = Fonts::default();
    let page = |(chars, number): (&Vec<_>, u32)| layout::page(chars, (0.0, 0.0, 600.0, 800.0), number, &mut fonts);
    let pages: Vec<Reading> = pages.iter().zip(1..).map(page).map(Reading::Laid).collect();
    let mut document = Document::new(crate::load::Format::Pdf, "none");
    document.pages = u32::try_from(pages.len()).ok();
    add_blocks(pages, &Tags::default(), &mut document);
    document
}

/// The inner error does not depend on the engine: a missing password, or an OCR program that cannot be run or fails on
/// every page.
fn first_engine(
    bytes: &[u8],
    options: &LoadOptions,
    on_page: &dyn Fn(u32),
    warnings: &mut Vec<String>,
) -> Result<Result<(Vec<Reading>, Tags)>> {
    guarded("pdf_oxide", || {
        let pdf = PdfDocument::from_bytes(bytes.to_vec()).map_err(fail)?;
        let password = options.password.as_deref().unwrap_or_default();
        if pdf.is_encrypted() && !pdf.authenticate(password.as_bytes()).map_err(fail)? {
            return Ok(Err(encrypted(options)));
        }
        let pages = read_pages(&pdf, options, on_page, warnings)?;
        Ok(pages.map(|pages| (pages, Tags::read(&pdf))))
    })
}

/// The errors are those of [`first_engine`].
fn read_pages(
    pdf: &PdfDocument,
    options: &LoadOptions,
    on_page: &dyn Fn(u32),
    warnings: &mut Vec<String>,
) -> Result<Result<Vec<Reading>>> {
    let last = u32::try_from(pdf.page_count().map_err(fail)?).unwrap_or(u32::MAX);
    if last == 0 {
        return Err(Error::failed("no pages"));
    }
    let mut fonts = Fonts::default();
    let mut failures: Vec<(u32, Error)> = Vec::new();
    let mut of_pictures = false;
    let mut ocr = options.ocr_command.as_deref().map(ocr::Program::new);
    let mut pages = Vec::new();
    for number in 1..=last {
        if options.skip_pages.contains(&number) {
            warnings.push(format!("page {number} was left out because reading it took too long"));
            pages.push(Reading::Plain(String::new()));
            continue;
        }
        on_page(number);
        let read = match read_page(pdf, number, &mut fonts) {
            Ok(page) if page.is_empty() => match read_picture(pdf, number, ocr.as_mut()) {
                Ok(read) => {
                    of_pictures |= read.is_err();
                    read
                }
                Err(error) => return Ok(Err(error)),
            },
            read => read,
        };
        pages.push(read.unwrap_or_else(|error| {
            failures.push((number, error));
            Reading::Plain(String::new())
        }));
    }
    on_page(0);
    if let Some(untried) = ocr.map(|ocr| ocr.untried).filter(|untried| *untried > 0) {
        let command = Setting("ocr_command");
        let failures = ocr::MOST_FAILURES;
        warnings.push(format!("{command} failed on the first {failures} pages and was not tried on {untried} more"));
    }
    let is_empty = pages.iter().all(Reading::is_empty);
    let failed = count(failures.len(), "page");
    match failures.into_iter().next() {
        // No other engine reads pictures.
        Some((_, error)) if is_empty && of_pictures => return Ok(Err(error)),
        Some((_, error)) if is_empty => return Err(Error::failed(error.message())),
        Some((number, error)) => {
            warnings.push(format!("{failed} could not be read, first page {number}: {}", error.message()));
        }
        None => {}
    }
    Ok(Ok(pages))
}

fn fail(error: impl std::fmt::Display) -> Error {
    Error::failed(squeeze(&error.to_string()))
}

fn read_page(pdf: &PdfDocument, number: u32, fonts: &mut Fonts) -> Result<Reading> {
    let index = number as usize - 1;
    let chars = characters(pdf, index).map_err(fail)?;
    let visible = pdf.get_page_visible_box(index).unwrap_or(LETTER);
    let mut page = layout::page(&chars, visible, number, fonts);
    let known: Vec<&str> = page.lines.iter().map(|line| line.text.as_str()).collect();
    let more = shown_by_annotations(pdf, index, &known).map_err(fail)?;
    if page.lines.is_empty() {
        return Ok(Reading::Plain(more.join("\n")));
    }
    page.lines.extend(more.into_iter().map(|text| Line::without_place(text, number)));
    Ok(Reading::Laid(page))
}

/// Reads a page without text with the user's OCR program; without one, the page stays empty. The inner error concerns
/// the page alone.
fn read_picture(pdf: &PdfDocument, number: u32, program: Option<&mut ocr::Program<'_>>) -> Result<Result<Reading>> {
    let text = match program {
        Some(program) => program.read_page(pdf, number as usize - 1)?,
        None => Ok(None),
    };
    Ok(text.map(|text| Reading::Plain(text.unwrap_or_default())))
}

fn second_engine(bytes: &[u8], options: &LoadOptions) -> Result<Vec<String>> {
    guarded("pdf-extract", || {
        let pages = match &options.password {
            Some(password) => pdf_extract::extract_text_from_mem_by_pages_encrypted(bytes, password),
            None => pdf_extract::extract_text_from_mem_by_pages(bytes),
        };
        let pages = pages.map_err(fail)?;
        if pages.is_empty() { Err(Error::failed("no pages")) } else { Ok(pages) }
    })
}

pub(super) fn encrypted(options: &LoadOptions) -> Error {
    match options.password {
        None => Error::failed("the PDF is encrypted").hint(format!("give its password with {}", Setting("password"))),
        Some(_) => Error::failed("the PDF is encrypted and the password does not open it")
            .hint(format!("check the password given with {}", Setting("password"))),
    }
}

/// Runs an engine and turns a panic into an error.
fn guarded<T>(engine: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(Error::failed(format!("{engine} crashed"))))
}

/// Replaces broken pages by the second engine's reading if that is better.
fn mend_broken(bytes: &[u8], options: &LoadOptions, pages: &mut [Reading], document: &mut Document) {
    let broken: Vec<usize> = (0..pages.len()).filter(|&page| pages[page].broken_share() > MOST_BROKEN_SHARE).collect();
    if broken.is_empty() {
        return;
    }
    // The second engine always reads the whole file, and slowly.
    let worth_it = broken.len() as f32 >= WORTH_A_SECOND_READING * pages.len() as f32;
    let second = match worth_it.then(|| second_engine(bytes, options)) {
        Some(Ok(second)) if second.len() == pages.len() => second,
        Some(Ok(_)) | None => Vec::new(),
        Some(Err(error)) => {
            document.warnings.push(format!("cannot read the broken pages again: {}", error.message()));
            Vec::new()
        }
    };
    let mut mended = 0;
    for &page in &broken {
        if let Some(other) = second.get(page)
            && !other.trim().is_empty()
            && broken_share(other.chars()) < pages[page].broken_share()
        {
            pages[page] = Reading::Plain(other.clone());
            mended += 1;
        }
    }
    if mended > 0 {
        let read = count(mended, "page");
        document.warnings.push(format!("{read} read by pdf-extract, because pdf_oxide's text was broken"));
    }
    if mended < broken.len() {
        let broken = count(broken.len() - mended, "page");
        document.warnings.push(format!("the text of {broken} looks broken (fonts without character names)"));
    }
}

/// The share of a page's characters that are not text.
fn broken_share(text: impl Iterator<Item = char>) -> f32 {
    let (mut all, mut broken) = (0u32, 0u32);
    for c in text.filter(|c| !c.is_whitespace()) {
        all += 1;
        let bad =
            c == '\u{FFFD}' || c.is_control() || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}');
        broken += u32::from(bad);
    }
    if all == 0 { 0.0 } else { broken as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_text_is_recognised() {
        assert_eq!(broken_share("plain text 启动".chars()), 0.0);
        assert!(broken_share("\u{FFFD}\u{FFFD}ab".chars()) > 0.4);
        assert_eq!(broken_share("  ".chars()), 0.0);
    }

    #[test]
    fn a_panic_in_an_engine_is_an_error() {
        let result: Result<()> = guarded("engine", || panic!("inside"));
        assert_eq!(result.unwrap_err().message(), "engine crashed");
    }
}

//! The text of each page, from the first engine that reads it well.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_oxide::PdfDocument;

use super::encrypted;
use crate::error::{Error, Result};
use crate::load::plain::lines_to_blocks;
use crate::load::{Document, LoadOptions};
use crate::text::squeeze;

/// A page is broken when more than this share of its characters is no text: U+FFFD, private use, control.
const MOST_BROKEN_SHARE: f32 = 0.05;

/// Reads all pages into `document`, with the engine that served them.
pub fn read_pages(bytes: &[u8], options: &LoadOptions, document: &mut Document) -> Result<()> {
    let first = first_engine(bytes, options);
    let mut pages = match first {
        Ok(pages) => pages,
        Err(error) if is_encryption(&error) => return Err(error),
        Err(error) => {
            let pages = second_engine(bytes, options).map_err(|second| {
                Error::failed(format!(
                    "the PDF cannot be read: {} (pdf_oxide), {} (pdf-extract)",
                    error.message(),
                    second.message()
                ))
                .hint("the file is damaged; try to repair it, or leave it out with --exclude")
            })?;
            document.engine = "pdf-extract".to_owned();
            document.warnings.push(format!("read by pdf-extract, because pdf_oxide failed: {}", error.message()));
            pages
        }
    };
    if document.engine == "pdf_oxide" {
        mend_broken(bytes, options, &mut pages, document);
    }
    document.pages = u32::try_from(pages.len()).ok();
    let empty = pages.iter().filter(|page| page.trim().is_empty()).count();
    if empty == pages.len() {
        return Err(Error::failed(format!("the PDF has no text on its {} pages; it is probably a scan", pages.len()))
            .hint("run it through OCR first (for example `ocrmypdf in.pdf out.pdf`) and ingest the result"));
    }
    if empty > 0 {
        document.warnings.push(format!("{empty} of {} pages have no text", pages.len()));
    }
    for (number, text) in (1u32..).zip(&pages) {
        document.blocks.extend(lines_to_blocks(text, Some(number)));
    }
    Ok(())
}

fn is_encryption(error: &Error) -> bool {
    error.message().contains("encrypted")
}

fn first_engine(bytes: &[u8], options: &LoadOptions) -> Result<Vec<String>> {
    guarded("pdf_oxide", || {
        let fail = |error: pdf_oxide::Error| Error::failed(squeeze(&error.to_string()));
        let pdf = PdfDocument::from_bytes(bytes.to_vec()).map_err(fail)?;
        if pdf.is_encrypted() {
            let password = options.password.as_deref().unwrap_or("");
            if !pdf.authenticate(password.as_bytes()).map_err(fail)? {
                return Err(encrypted(options));
            }
        }
        let count = pdf.page_count().map_err(fail)?;
        if count == 0 {
            return Err(Error::failed("no pages"));
        }
        let mut failures = Vec::new();
        let pages: Vec<String> = (0..count)
            .map(|page| {
                pdf.extract_text(page).unwrap_or_else(|error| {
                    failures.push(error);
                    String::new()
                })
            })
            .collect();
        match failures.into_iter().next() {
            Some(error) if pages.iter().all(String::is_empty) => Err(fail(error)),
            _ => Ok(pages),
        }
    })
}

fn second_engine(bytes: &[u8], options: &LoadOptions) -> Result<Vec<String>> {
    guarded("pdf-extract", || {
        let pages = match &options.password {
            Some(password) => pdf_extract::extract_text_from_mem_by_pages_encrypted(bytes, password),
            None => pdf_extract::extract_text_from_mem_by_pages(bytes),
        };
        let pages = pages.map_err(|error| Error::failed(squeeze(&error.to_string())))?;
        if pages.is_empty() { Err(Error::failed("no pages")) } else { Ok(pages) }
    })
}

/// Runs an engine; a panic in it is a failure like any other.
fn guarded<T>(engine: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(Error::failed(format!("{engine} crashed"))))
}

/// Takes the pages that came out broken from the second engine, where it does better.
fn mend_broken(bytes: &[u8], options: &LoadOptions, pages: &mut [String], document: &mut Document) {
    let broken: Vec<usize> = (0..pages.len()).filter(|&page| broken_share(&pages[page]) > MOST_BROKEN_SHARE).collect();
    if broken.is_empty() {
        return;
    }
    let second = match second_engine(bytes, options) {
        Ok(second) if second.len() == pages.len() => second,
        Ok(_) => Vec::new(),
        Err(error) => {
            document.warnings.push(format!("no second reading of broken pages: {}", error.message()));
            Vec::new()
        }
    };
    let mut mended = 0;
    for &page in &broken {
        if let Some(other) = second.get(page)
            && !other.trim().is_empty()
            && broken_share(other) < broken_share(&pages[page])
        {
            pages[page] = other.clone();
            mended += 1;
        }
    }
    if mended > 0 {
        document.warnings.push(format!("{mended} pages read by pdf-extract, because pdf_oxide's text was broken"));
    }
    if mended < broken.len() {
        document
            .warnings
            .push(format!("the text of {} pages looks broken (fonts without character names)", broken.len() - mended));
    }
}

/// The share of a page's characters that stand for no text.
fn broken_share(text: &str) -> f32 {
    let (mut all, mut broken) = (0u32, 0u32);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
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
    fn broken_text_is_told_from_good_text() {
        assert_eq!(broken_share("plain text 启动"), 0.0);
        assert!(broken_share("\u{FFFD}\u{FFFD}ab") > 0.4);
        assert_eq!(broken_share("  "), 0.0);
    }

    #[test]
    fn a_panic_in_an_engine_is_an_error() {
        let result: Result<()> = guarded("engine", || panic!("inside"));
        assert_eq!(result.unwrap_err().message(), "engine crashed");
    }
}

//! PDF: the characters of each page through `pdf_oxide`, with `pdf-extract` as a fallback; outline, page labels and
//! metadata through `lopdf`; lines, columns and paragraphs by our own [`layout`] model.
//!
//! The choice of engines was measured: pdf_oxide reads nearly everything and never panicked; pdf-extract gives a second
//! reading of broken pages. Hostile bytes can break both, so this module runs in a worker process with limits
//! (`ingest::worker`).

mod characters;
mod layout;
mod objects;
mod ocr;
mod outline;
mod pages;
mod tags;

use lopdf::{Document as Pdf, LoadOptions as PdfLoadOptions};
use memchr::memmem::find;

pub use self::ocr::check_ocr_command;
#[cfg(feature = "fuzzing")]
pub use self::pages::laid_out;

use self::objects::{inner, text_entry};
use self::pages::encrypted;
use super::{Document, Format, LoadOptions};
use crate::error::{Error, Result};
use crate::text::{Period, squeeze};

/// Reads a PDF. Calls `on_page` with the number of each page before reading it.
///
/// # Errors
/// If the file is not a PDF, is damaged beyond reading, is encrypted and the password does not open it, or has no text
/// (a scan).
pub fn parse(bytes: &[u8], options: &LoadOptions, on_page: &dyn Fn(u32)) -> Result<Document> {
    if find(&bytes[..bytes.len().min(1024)], b"%PDF-").is_none() {
        return Err(Error::failed("not a PDF: the file has no %PDF header")
            .hint("check that the download is complete and the name is right"));
    }
    let mut document = Document::new(Format::Pdf, "pdf_oxide");
    let structure = open_structure(bytes, options, &mut document)?;
    pages::read(bytes, options, &mut document, on_page)?;
    if let Some(pdf) = &structure {
        read_metadata(pdf, &mut document);
        document.outline = outline::read(pdf, document.pages.unwrap_or(0));
        outline::fill_labels(pdf, &mut document.page_labels);
    }
    if structure.is_none() && !has_end(bytes) || is_shorter_than_stated(bytes) {
        document.warnings.push("the end of the file is missing: it seems cut off, and text may be lost".to_owned());
    }
    Ok(document)
}

/// Whether a file has less than the length that it states at its beginning, as files made for slow connections do (ISO
/// 32000-1, annex F). Their first part has an end mark of its own.
fn is_shorter_than_stated(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]);
    let dictionary = head.split("<<").find(|dictionary| dictionary.trim_start().starts_with("/Linearized"));
    let mut entries = dictionary.and_then(|dictionary| dictionary.split(">>").next()).unwrap_or_default().split('/');
    let length = entries.find_map(|entry| entry.strip_prefix('L')?.trim().parse::<usize>().ok());
    // Some programs drop the line end behind the end mark.
    length.is_some_and(|length| bytes.len() + 2 < length)
}

/// Readers look for the end mark in this many bytes at the end of a file.
const END_LENGTH: usize = 1024;

/// Whether a file has its end, which names the place of its table of objects. Some copies are padded after it.
fn has_end(bytes: &[u8]) -> bool {
    if is_shorter_than_stated(bytes) {
        return false;
    }
    let length = bytes.iter().rposition(|byte| !matches!(byte, 0 | b' ' | b'\r' | b'\n')).map_or(0, |last| last + 1);
    let end = &bytes[length.saturating_sub(END_LENGTH)..length];
    [&b"%%EOF"[..], b"startxref"].iter().any(|mark| find(end, mark).is_some())
}

/// Opens the object structure. If lopdf alone cannot read the file, its text is still there, so that is a warning.
fn open_structure(bytes: &[u8], options: &LoadOptions, document: &mut Document) -> Result<Option<Pdf>> {
    let load = |password: Option<String>| {
        let options = PdfLoadOptions { password, ..PdfLoadOptions::default() };
        Pdf::load_mem_with_options(bytes, options)
    };
    match load(options.password.clone()) {
        Ok(pdf) if pdf.is_encrypted() && options.password.is_none() => {
            load(Some(String::new())).map(Some).map_err(|_| encrypted(options))
        }
        Ok(pdf) => Ok(Some(pdf)),
        Err(lopdf::Error::InvalidPassword) => Err(encrypted(options)),
        Err(error) => {
            document.warnings.push(format!("cannot read the outline: {}", squeeze(&error.to_string())));
            Ok(None)
        }
    }
}

/// From the document information dictionary.
fn read_metadata(pdf: &Pdf, document: &mut Document) {
    let Some(info) = inner(pdf, &pdf.trailer, b"Info") else { return };
    let value =
        |key: &str| text_entry(pdf, info, key.as_bytes()).map(|text| squeeze(&text)).filter(|text| !text.is_empty());
    document.title = value("Title").or(document.title.take());
    for (key, name) in [
        ("Author", "author"),
        ("Subject", "subject"),
        ("Keywords", "keywords"),
        ("CreationDate", "created"),
        ("ModDate", "modified"),
    ] {
        if let Some(value) = value(key) {
            let value = if key.ends_with("Date") { date(&value).unwrap_or(value) } else { value };
            document.metadata.insert(name.to_owned(), value);
        }
    }
}

/// The day of `D:20240312090000+08'00'`, as it is written; `None` for what is no day in this form.
fn date(value: &str) -> Option<String> {
    let digits = value.strip_prefix("D:")?.get(..8).filter(|day| day.bytes().all(|byte| byte.is_ascii_digit()))?;
    let day = format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]);
    Period::parse(&day).map(|_| day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::in_repository;

    #[test]
    fn dates_are_written_as_elsewhere() {
        for written in ["D:20240312090000Z", "D:20240312010000+08'00'", "D:20240312"] {
            assert_eq!(date(written).as_deref(), Some("2024-03-12"), "{written}");
        }
        for other in ["D:2020", "March 2024", "D:99999999", "D:2024031泵", "D:泵泵泵"] {
            assert_eq!(date(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_is_cut_off_is_not_a_scan() {
        let beginning = |name: &str| {
            let bytes = std::fs::read(in_repository(name)).unwrap();
            parse(&bytes[..3000], &LoadOptions::default(), &|_| {})
        };
        let error = beginning("fixtures/docs/pump-station-manual.pdf").unwrap_err();
        assert!(error.message().contains("seems cut off or damaged"), "{error}");
        let whole = std::fs::read(in_repository("fixtures/docs/pump-station-manual.pdf")).unwrap();
        assert!(has_end(&[&whole[..], &[0; 4096]].concat()) && !has_end(&whole[..whole.len() / 2]));
        let in_parts =
            [&b"%PDF-1.5\n1 0 obj\n<</Linearized 1/L 9999/O 3>>\nendobj\n"[..], b"startxref\n0\n%%EOF\n"].concat();
        assert!(!has_end(&in_parts), "its first part has an end mark");
        assert!(has_end(&[&in_parts[..], &[b' '; 9999], b"%%EOF"].concat()));
        let warnings = beginning("fixtures/pdf/outline-deep.pdf").unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains("seems cut off")), "{warnings:?}");
    }

    #[test]
    fn outline_entries_beyond_the_last_page_lead_nowhere() {
        let bytes = std::fs::read(in_repository("fixtures/pdf/outline-page-numbers.pdf")).unwrap();
        let read = |bytes: &[u8]| parse(bytes, &LoadOptions::default(), &|_| {}).unwrap();
        let whole = read(&bytes);
        let last = whole.pages.unwrap();
        assert!(whole.outline.iter().any(|entry| entry.page == Some(last)));
        // One engine trusts the count, the other counts the pages.
        let (count, fewer) = (format!("/Count {last}"), format!("/Count {}", last - 1));
        let at = bytes.windows(count.len()).position(|window| window == count.as_bytes()).unwrap();
        let damaged = [&bytes[..at], fewer.as_bytes(), &bytes[at + count.len()..]].concat();
        let read = read(&damaged);
        assert_eq!(read.pages, Some(last - 1));
        assert_eq!(read.outline.len(), whole.outline.len());
        assert!(read.outline.iter().all(|entry| entry.page.is_none_or(|page| page < last)), "{:?}", read.outline);
    }
}

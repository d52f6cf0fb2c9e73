//! PDF: characters by pages through `pdf_oxide`, falling back to `pdf-extract`; outline, page labels and metadata
//! through `lopdf`; lines, columns and paragraphs by our own [`layout`] model.
//!
//! Which engine reads what was measured (`ARCHITECTURE.md`): pdf_oxide reads nearly everything and never panicked,
//! pdf-extract is the second opinion for pages whose text comes out broken. Both run on bytes that may be hostile, so
//! this module is called in a worker process with limits (see [`super::worker`]).

mod characters;
mod labels;
mod layout;
mod ocr;
mod outline;
mod pages;
mod strings;
mod tags;
mod trees;

use lopdf::{Dictionary, Document as Pdf, LoadOptions as PdfLoadOptions, Object};

use super::{Document, Format, LoadOptions};
use crate::error::{Error, Result};
use crate::text::squeeze;

/// Reads a PDF. `on_page` is called with the number of each page before it is read.
///
/// # Errors
/// Where the file is no PDF, is damaged beyond reading, is encrypted and the password does not open it, or holds no
/// text at all (a scan).
pub fn parse(bytes: &[u8], options: &LoadOptions, on_page: &dyn Fn(u32)) -> Result<Document> {
    if !bytes[..bytes.len().min(1024)].windows(5).any(|window| window == b"%PDF-") {
        return Err(Error::failed("not a PDF: the file has no %PDF header")
            .hint("check that it was downloaded whole and is what its name says"));
    }
    let mut document = Document::new(Format::Pdf, "pdf_oxide");
    let structure = open_structure(bytes, options, &mut document)?;
    pages::read(bytes, options, &mut document, on_page)?;
    if let Some(pdf) = &structure {
        read_metadata(pdf, &mut document);
        document.outline = outline::read(pdf);
        labels::fill(pdf, &mut document.page_labels);
    }
    Ok(document)
}

/// Checks a command for pages that are pictures.
///
/// # Errors
/// Where it cannot be cut into words.
pub fn check_ocr_command(command: &str) -> Result<()> {
    ocr::arguments(command, "page.png").map(drop)
}

/// The object structure through lopdf. A file that only lopdf cannot read still has its text: that is a warning.
fn open_structure(bytes: &[u8], options: &LoadOptions, document: &mut Document) -> Result<Option<Pdf>> {
    let load = |password: Option<String>| {
        let options = PdfLoadOptions { password, ..PdfLoadOptions::default() };
        Pdf::load_mem_with_options(bytes, options)
    };
    match load(options.password.clone()) {
        Ok(pdf) if pdf.is_encrypted() && options.password.is_none() => match load(Some(String::new())) {
            Ok(opened) => Ok(Some(opened)),
            Err(_) => Err(encrypted(options)),
        },
        Ok(pdf) => Ok(Some(pdf)),
        Err(lopdf::Error::InvalidPassword) => Err(encrypted(options)),
        Err(error) => {
            document.warnings.push(format!("no outline could be read: {}", squeeze(&error.to_string())));
            Ok(None)
        }
    }
}

fn encrypted(options: &LoadOptions) -> Error {
    match options.password {
        None => Error::failed("the PDF is encrypted").hint("give its password with --password"),
        Some(_) => Error::failed("the PDF is encrypted and the password does not open it")
            .hint("check the password given with --password"),
    }
}

/// Title, author, subject, keywords and dates from the document information dictionary.
fn read_metadata(pdf: &Pdf, document: &mut Document) {
    let Some(info) = pdf.trailer.get(b"Info").ok().and_then(|info| dictionary(pdf, info)) else { return };
    for (key, name) in [
        ("Title", "title"),
        ("Author", "author"),
        ("Subject", "subject"),
        ("Keywords", "keywords"),
        ("CreationDate", "created"),
        ("ModDate", "modified"),
    ] {
        let value = info.get(key.as_bytes()).ok().and_then(|value| resolve(pdf, value));
        if let Some(Object::String(bytes, _)) = value {
            let value = squeeze(&strings::decode(bytes));
            if value.is_empty() {
                continue;
            }
            match name {
                "title" => document.title = Some(value),
                _ => {
                    document.metadata.insert(name.to_owned(), value);
                }
            }
        }
    }
}

/// Follows references until something else is found; `None` for a reference to nothing or in a circle.
fn resolve<'a>(pdf: &'a Pdf, object: &'a Object) -> Option<&'a Object> {
    pdf.dereference(object).ok().map(|(_, object)| object)
}

fn dictionary<'a>(pdf: &'a Pdf, object: &'a Object) -> Option<&'a Dictionary> {
    match resolve(pdf, object)? {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

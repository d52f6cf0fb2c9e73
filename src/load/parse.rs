//! Bytes to a document: which loader reads them, and which format bytes have.

use memchr::memmem::find;

use super::package::Archive;
use super::{Document, Format, LoadOptions};
use super::{
    asciidoc, csv, docx, email, epub, excel, html, jsonl, markdown, notebook, pdf, plain, powerpoint,
    restructured_text, source_code,
};
use crate::error::Result;

/// Parses `bytes` as `format`.
///
/// # Errors
/// If nothing can be read, with the reason. Hostile input can make it hang, use much memory or end the process:
/// `ingest` parses files of unknown origin in a worker process.
pub fn parse(bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
    parse_with(bytes, format, options, &|_| {})
}

/// Like [`parse`]; calls `on_page` with the number of each page before reading it, and with 0 after the last.
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
        Format::Csv => csv::parse(&plain::to_text(bytes)?),
        Format::Excel => excel::parse(bytes)?,
        Format::PowerPoint => powerpoint::parse(bytes)?,
        Format::Notebook => notebook::parse(&plain::to_text(bytes)?)?,
        Format::Email => email::parse(bytes)?,
        Format::Mbox => email::parse_mailbox(bytes)?,
        Format::Text => plain::parse(&plain::to_text(bytes)?),
        Format::C
        | Format::Cpp
        | Format::CSharp
        | Format::Go
        | Format::Java
        | Format::JavaScript
        | Format::Php
        | Format::Python
        | Format::Rust
        | Format::TypeScript => source_code::parse(&plain::to_text(bytes)?, format),
    };
    Ok(document.cleaned())
}

impl Format {
    /// The format of bytes whose name does not help: PDF, HTML and archives by their content, JSON Lines by the first
    /// line, otherwise text unless the first kilobyte contains a NUL.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(1024)];
        if find(head, b"%PDF-").is_some() {
            return Some(Format::Pdf);
        }
        if head.starts_with(b"PK\x03\x04") {
            return in_archive(bytes);
        }
        let lower = head.to_ascii_lowercase();
        if find(&lower, b"<!doctype html").is_some() || find(&lower, b"<html").is_some() {
            return Some(Format::Html);
        }
        if head.contains(&0) {
            return None;
        }
        let first_line = bytes.split(|&byte| byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        Some(if first_line.is_some_and(jsonl::is_record) { Format::Jsonl } else { Format::Text })
    }
}

fn in_archive(bytes: &[u8]) -> Option<Format> {
    let archive = Archive::open(bytes, "archive").ok()?;
    if archive.has("META-INF/container.xml") {
        return Some(Format::Epub);
    }
    let folders = [("word/", Format::Docx), ("xl/", Format::Excel), ("ppt/", Format::PowerPoint)];
    let has = |folder: &str| archive.has_any(|name| name.starts_with(folder) && name.ends_with(".xml"));
    folders.into_iter().find(|(folder, _)| has(folder)).map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::super::package::zip_of;
    use super::*;

    #[test]
    fn escape_sequences_are_removed() {
        let document = parse(b"# a\x1b[2Jb\n\nx\x07\ty", Format::Markdown, &LoadOptions::default()).unwrap();
        assert_eq!(document.blocks[0].text, "a[2Jb");
        assert_eq!(document.blocks[1].text, "x\ty");
        let document = parse(b"# \x1e a \x1e\n", Format::Markdown, &LoadOptions::default()).unwrap();
        assert_eq!(document.blocks[0].text, "a");
    }

    #[test]
    fn the_first_bytes_decide_without_a_name() {
        assert_eq!(Format::sniff(b"\n%PDF-1.7 ..."), Some(Format::Pdf));
        assert_eq!(Format::sniff(b"<!DOCTYPE html><p>x"), Some(Format::Html));
        assert_eq!(Format::sniff("启动".as_bytes()), Some(Format::Text));
        assert_eq!(Format::sniff(b"\x7fELF\0\0"), None);
        assert_eq!(Format::sniff(b"{\"_id\": \"1\", \"text\": \"x\"}\n"), Some(Format::Jsonl));
        assert_eq!(Format::sniff(b"{\"a\": 1}\n"), Some(Format::Text));
    }

    #[test]
    fn archives_are_recognised_by_their_entries() {
        let mimetype = ("mimetype", "application/epub+zip");
        assert_eq!(Format::sniff(&zip_of(&[mimetype, ("META-INF/container.xml", "")])), Some(Format::Epub));
        assert_eq!(Format::sniff(&zip_of(&[("word/document.xml", "")])), Some(Format::Docx));
        assert_eq!(Format::sniff(&zip_of(&[("a.txt", "")])), None);
        assert_eq!(Format::sniff(b"PK\x03\x04 broken"), None);
    }
}

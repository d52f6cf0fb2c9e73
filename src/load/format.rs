//! Which format a source is in, by its name, and whether its first bytes agree.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::archive::Archive;
use super::jsonl;

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// Markdown (CommonMark with tables and front matter).
    Markdown,
    /// HTML.
    Html,
    /// Word documents, from Word 2007 on.
    Docx,
    /// Electronic books.
    Epub,
    /// reStructuredText.
    #[serde(rename = "rst")]
    #[value(name = "rst")]
    RestructuredText,
    /// AsciiDoc.
    #[serde(rename = "asciidoc")]
    #[value(name = "asciidoc")]
    AsciiDoc,
    /// JSON Lines with `_id`, `title` and `text`, as in a BEIR corpus.
    Jsonl,
    /// Plain text.
    Text,
}

impl Format {
    /// All of them, in the order in which messages name them.
    pub const ALL: [Format; 9] = [
        Format::Pdf,
        Format::Markdown,
        Format::Html,
        Format::Docx,
        Format::Epub,
        Format::RestructuredText,
        Format::AsciiDoc,
        Format::Jsonl,
        Format::Text,
    ];

    /// The name used in output and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pdf => "pdf",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Docx => "docx",
            Format::Epub => "epub",
            Format::RestructuredText => "rst",
            Format::AsciiDoc => "asciidoc",
            Format::Jsonl => "jsonl",
            Format::Text => "text",
        }
    }

    /// The format with the given [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The names of all, joined, for messages.
    pub fn names(separator: &str) -> String {
        Self::ALL.map(Self::name).join(separator)
    }

    /// The format that a file name's ending stands for.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "pdf" => Some(Format::Pdf),
            "md" | "markdown" | "mdown" | "mkd" => Some(Format::Markdown),
            "html" | "htm" | "xhtml" => Some(Format::Html),
            "docx" => Some(Format::Docx),
            "epub" => Some(Format::Epub),
            "rst" | "rest" => Some(Format::RestructuredText),
            "adoc" | "asciidoc" | "asc" => Some(Format::AsciiDoc),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "txt" | "text" | "log" => Some(Format::Text),
            _ => None,
        }
    }

    /// The format of bytes without a telling name: PDF, HTML and archives by what they hold, JSON Lines by the first
    /// line, text where they are text.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(1024)];
        if contains(head, b"%PDF-") {
            return Some(Format::Pdf);
        }
        if head.starts_with(b"PK\x03\x04") {
            return in_archive(bytes);
        }
        let lower = head.to_ascii_lowercase();
        if contains(&lower, b"<!doctype html") || contains(&lower, b"<html") {
            return Some(Format::Html);
        }
        if head.contains(&0) {
            return None;
        }
        let first_line = bytes.split(|&byte| byte == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        Some(if first_line.is_some_and(jsonl::is_record) { Format::Jsonl } else { Format::Text })
    }

    /// Whether hostile input can make its parser hang, crash or fill the memory, so that it belongs into a process of
    /// its own.
    pub fn needs_worker(self) -> bool {
        matches!(self, Format::Pdf | Format::Html | Format::Docx | Format::Epub | Format::AsciiDoc)
    }

    /// Whether most of a file is usually pictures, so that a large file need not hold much text.
    pub fn holds_pictures(self) -> bool {
        matches!(self, Format::Pdf | Format::Docx | Format::Epub)
    }
}

fn in_archive(bytes: &[u8]) -> Option<Format> {
    let archive = Archive::open(bytes, "archive").ok()?;
    if archive.has("META-INF/container.xml") {
        return Some(Format::Epub);
    }
    archive.has_any(|name| name.starts_with("word/") && name.ends_with(".xml")).then_some(Format::Docx)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::super::archive::zip_of;
    use super::*;

    #[test]
    fn the_ending_tells_the_format() {
        assert_eq!(Format::from_path(Path::new("a/B.PDF")), Some(Format::Pdf));
        assert_eq!(Format::from_path(Path::new("README.md")), Some(Format::Markdown));
        assert_eq!(Format::from_path(Path::new("a.adoc")), Some(Format::AsciiDoc));
        assert_eq!(Format::from_path(Path::new("a.exe")), None);
    }

    #[test]
    fn the_first_bytes_tell_it_where_there_is_no_name() {
        assert_eq!(Format::sniff(b"\n%PDF-1.7 ..."), Some(Format::Pdf));
        assert_eq!(Format::sniff(b"<!DOCTYPE html><p>x"), Some(Format::Html));
        assert_eq!(Format::sniff("启动".as_bytes()), Some(Format::Text));
        assert_eq!(Format::sniff(b"\x7fELF\0\0"), None);
        assert_eq!(Format::sniff(b"{\"_id\": \"1\", \"text\": \"x\"}\n"), Some(Format::Jsonl));
        assert_eq!(Format::sniff(b"{\"a\": 1}\n"), Some(Format::Text));
    }

    #[test]
    fn archives_are_told_by_what_they_hold() {
        let mimetype = ("mimetype", "application/epub+zip");
        assert_eq!(Format::sniff(&zip_of(&[mimetype, ("META-INF/container.xml", "")])), Some(Format::Epub));
        assert_eq!(Format::sniff(&zip_of(&[("word/document.xml", "")])), Some(Format::Docx));
        assert_eq!(Format::sniff(&zip_of(&[("a.txt", "")])), None);
        assert_eq!(Format::sniff(b"PK\x03\x04 broken"), None);
    }

    #[test]
    fn names_go_both_ways() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
    }
}

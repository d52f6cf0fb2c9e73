//! The format of a source, by its name or its first bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::jsonl;
use super::package::Archive;
use crate::text::lists;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Pdf,
    /// CommonMark with tables and front matter.
    Markdown,
    Html,
    /// Word 2007 and later.
    Docx,
    Epub,
    #[serde(rename = "rst")]
    #[value(name = "rst")]
    RestructuredText,
    #[serde(rename = "asciidoc")]
    #[value(name = "asciidoc")]
    AsciiDoc,
    /// `_id`, `title` and `text` on each line, as in a BEIR corpus.
    Jsonl,
    Text,
}

/// Each format with its name in output and in the store, and its file endings, in the order in which messages list them.
const FORMATS: [(Format, &str, &str); 9] = [
    (Format::Pdf, "pdf", "pdf"),
    (Format::Markdown, "markdown", "md markdown mdown mkd"),
    (Format::Html, "html", "html htm xhtml"),
    (Format::Docx, "docx", "docx"),
    (Format::Epub, "epub", "epub"),
    (Format::RestructuredText, "rst", "rst rest"),
    (Format::AsciiDoc, "asciidoc", "adoc asciidoc asc"),
    (Format::Jsonl, "jsonl", "jsonl ndjson"),
    (Format::Text, "text", "txt text log"),
];

impl Format {
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(format, ..)| *format == self).map_or("", |(_, name, _)| name)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|(_, known, _)| *known == name).map(|(format, ..)| *format)
    }

    /// All names, joined, for messages.
    pub fn names(separator: &str) -> String {
        FORMATS.map(|(_, name, _)| name).join(separator)
    }

    /// The format of a file by its name's ending.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|(.., endings)| lists(endings, &ending)).map(|(format, ..)| *format)
    }

    /// The format of bytes whose name does not help: PDF, HTML and archives by their content, JSON Lines by the first
    /// line, otherwise text if they are text.
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

    /// Whether hostile input can make the parser hang, crash or fill the memory, so that it must run in a worker.
    pub fn needs_worker(self) -> bool {
        matches!(self, Format::Pdf | Format::Html | Format::Docx | Format::Epub | Format::AsciiDoc)
    }

    /// Whether most of a file is usually pictures, so that a large file may hold little text.
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
    use super::super::package::zip_of;
    use super::*;

    #[test]
    fn the_ending_decides_the_format() {
        assert_eq!(Format::from_path(Path::new("a/B.PDF")), Some(Format::Pdf));
        assert_eq!(Format::from_path(Path::new("README.md")), Some(Format::Markdown));
        assert_eq!(Format::from_path(Path::new("a.adoc")), Some(Format::AsciiDoc));
        assert_eq!(Format::from_path(Path::new("a.exe")), None);
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

    #[test]
    fn names_and_formats_map_to_each_other() {
        for (format, name, _) in FORMATS {
            assert_eq!((format.name(), Format::from_name(name)), (name, Some(format)));
        }
    }
}

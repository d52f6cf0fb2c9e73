//! Which format a source is in, by its name, and whether its first bytes agree.

use std::path::Path;

use serde::{Deserialize, Serialize};

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
    /// Plain text.
    Text,
}

impl Format {
    /// The name used in output and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pdf => "pdf",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Text => "text",
        }
    }

    /// The format with the given [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        [Format::Pdf, Format::Markdown, Format::Html, Format::Text].into_iter().find(|format| format.name() == name)
    }

    /// The format that a file name's ending stands for.
    pub fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "pdf" => Some(Format::Pdf),
            "md" | "markdown" | "mdown" | "mkd" => Some(Format::Markdown),
            "html" | "htm" | "xhtml" => Some(Format::Html),
            "txt" | "text" | "log" => Some(Format::Text),
            _ => None,
        }
    }

    /// The format of bytes without a telling name: PDF and HTML by their first bytes, text where they are text.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(1024)];
        if contains(head, b"%PDF-") {
            return Some(Format::Pdf);
        }
        let lower = head.to_ascii_lowercase();
        if contains(&lower, b"<!doctype html") || contains(&lower, b"<html") {
            return Some(Format::Html);
        }
        if head.contains(&0) { None } else { Some(Format::Text) }
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_format() {
        assert_eq!(Format::from_path(Path::new("a/B.PDF")), Some(Format::Pdf));
        assert_eq!(Format::from_path(Path::new("README.md")), Some(Format::Markdown));
        assert_eq!(Format::from_path(Path::new("a.exe")), None);
    }

    #[test]
    fn the_first_bytes_tell_it_where_there_is_no_name() {
        assert_eq!(Format::sniff(b"\n%PDF-1.7 ..."), Some(Format::Pdf));
        assert_eq!(Format::sniff(b"<!DOCTYPE html><p>x"), Some(Format::Html));
        assert_eq!(Format::sniff("启动".as_bytes()), Some(Format::Text));
        assert_eq!(Format::sniff(b"\x7fELF\0\0"), None);
    }

    #[test]
    fn names_go_both_ways() {
        for format in [Format::Pdf, Format::Markdown, Format::Html, Format::Text] {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
    }
}

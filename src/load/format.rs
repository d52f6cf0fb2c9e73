//! The formats with their names and file extensions.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::text::lists;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
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
    AsciiDoc,
    /// `_id`, `title` and `text` on each line, as in a BEIR corpus.
    Jsonl,
    /// Comma- or tab-separated values.
    Csv,
    /// Excel 2007 and later.
    Excel,
    /// PowerPoint 2007 and later.
    PowerPoint,
    /// Jupyter.
    Notebook,
    Email,
    /// Many messages in one file.
    Mbox,
    C,
    Cpp,
    CSharp,
    Go,
    Java,
    JavaScript,
    Php,
    Python,
    Rust,
    TypeScript,
    #[default]
    Text,
}

/// Each format with its name in output and in the store, and its file endings, in the order in which messages list
/// them.
const FORMATS: [(Format, &str, &str); 25] = [
    (Format::Pdf, "pdf", "pdf"),
    (Format::Markdown, "markdown", "md markdown mdown mkd"),
    (Format::Html, "html", "html htm xhtml"),
    (Format::Docx, "docx", "docx"),
    (Format::Epub, "epub", "epub"),
    (Format::RestructuredText, "rst", "rst rest"),
    (Format::AsciiDoc, "asciidoc", "adoc asciidoc asc"),
    (Format::Jsonl, "jsonl", "jsonl ndjson"),
    (Format::Csv, "csv", "csv tsv"),
    (Format::Excel, "excel", "xlsx xlsm"),
    (Format::PowerPoint, "powerpoint", "pptx pptm"),
    (Format::Notebook, "notebook", "ipynb"),
    (Format::Email, "email", "eml"),
    (Format::Mbox, "mbox", "mbox"),
    (Format::C, "c", "c"),
    // The C++ grammar also reads C headers, with few exceptions.
    (Format::Cpp, "cpp", "cpp cc cxx h hpp hh hxx"),
    (Format::CSharp, "csharp", "cs"),
    (Format::Go, "go", "go"),
    (Format::Java, "java", "java"),
    (Format::JavaScript, "javascript", "js mjs cjs jsx"),
    (Format::Php, "php", "php"),
    (Format::Python, "python", "py pyi"),
    (Format::Rust, "rust", "rs"),
    (Format::TypeScript, "typescript", "ts mts cts tsx"),
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

    pub fn is_code(self) -> bool {
        use Format::{C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Rust, TypeScript};
        matches!(self, C | Cpp | CSharp | Go | Java | JavaScript | Php | Python | Rust | TypeScript)
    }

    /// Whether people write such files by hand, so that one may have no text yet, or only text for programs.
    pub fn may_be_empty(self) -> bool {
        use Format::{AsciiDoc, Csv, Jsonl, Markdown, RestructuredText, Text};
        self.is_code() || matches!(self, AsciiDoc | Csv | Jsonl | Markdown | RestructuredText | Text)
    }

    /// Whether most of a file is usually pictures, so that a large file may hold little text.
    pub fn holds_pictures(self) -> bool {
        matches!(self, Format::Pdf | Format::Docx | Format::Epub | Format::Excel | Format::PowerPoint)
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn the_ending_decides_the_format() {
        assert_eq!(Format::from_path(Path::new("a/B.PDF")), Some(Format::Pdf));
        assert_eq!(Format::from_path(Path::new("README.md")), Some(Format::Markdown));
        assert_eq!(Format::from_path(Path::new("a.adoc")), Some(Format::AsciiDoc));
        assert_eq!(Format::from_path(Path::new("a.exe")), None);
    }

    #[test]
    fn names_and_formats_map_to_each_other() {
        for (format, name, _) in FORMATS {
            assert_eq!((format.name(), Format::from_name(name)), (name, Some(format)));
            assert_eq!(serde_json::to_value(format).unwrap(), name);
            assert_eq!(format.to_possible_value().unwrap().get_name(), name);
        }
    }
}

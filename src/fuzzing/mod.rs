//! The parsers as functions from bytes, for the fuzzer in `fuzz/`.
//!
//! A target reads any bytes, checks the laws of what it called, and panics if one is broken. An error from a parser is
//! fine. Nothing here is part of the program: only the feature `fuzzing` builds it.

mod documents;
mod stored;
mod typed;

use self::documents::load;
use crate::load::Format;

/// A parser, or several that read the same.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

/// All targets. `fuzz/run` lists them and knows the seeds of each by its name.
pub const TARGETS: &[Target] = &[
    Target { name: "markdown", run: |bytes| load(bytes, Format::Markdown) },
    Target { name: "html", run: |bytes| load(bytes, Format::Html) },
    Target { name: "rst", run: |bytes| load(bytes, Format::RestructuredText) },
    Target { name: "asciidoc", run: |bytes| load(bytes, Format::AsciiDoc) },
    Target { name: "jsonl", run: |bytes| load(bytes, Format::Jsonl) },
    Target { name: "csv", run: |bytes| load(bytes, Format::Csv) },
    Target { name: "notebook", run: |bytes| load(bytes, Format::Notebook) },
    Target { name: "email", run: documents::email },
    Target { name: "code", run: documents::code },
    Target { name: "powerpoint", run: documents::powerpoint },
    Target { name: "text", run: documents::plain_text },
    Target { name: "docx", run: documents::docx },
    Target { name: "epub", run: documents::epub },
    Target { name: "pdf", run: |bytes| load(bytes, Format::Pdf) },
    Target { name: "layout", run: documents::layout },
    Target { name: "filter", run: typed::filter },
    Target { name: "question", run: typed::question },
    Target { name: "synonyms", run: typed::synonyms },
    Target { name: "config", run: typed::config },
    Target { name: "prompt", run: |bytes| crate::llm::check_prompts(&text(bytes)) },
    Target { name: "answer", run: |bytes| drop(crate::llm::read_answer(&text(bytes))) },
    Target { name: "toc", run: stored::toc },
    Target { name: "batch", run: stored::batch },
    Target { name: "manifest", run: stored::manifest },
];

/// Splits an input at its first NULs.
fn parts<const N: usize>(bytes: &[u8]) -> [&[u8]; N] {
    let mut parts = bytes.splitn(N, |byte| *byte == 0);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// The text of an input, with invalid UTF-8 replaced.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

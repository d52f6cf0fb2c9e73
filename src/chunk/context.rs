//! The context of a chunk: its titles and, from a language model, a situating sentence. It is embedded and indexed with
//! the chunk but separate from the content everywhere else.

use serde::{Deserialize, Serialize};

use crate::structure::{PREAMBLE, Section};
use crate::text::{join_filled, tables, truncate};

/// In characters. Titles as long as the chunk would outweigh it.
const LONGEST_TITLES: usize = 400;

/// The number of nearest titles that are embedded with a text, and the most characters of each title.
const NEAREST: usize = 2;
const LONGEST_EMBEDDED_TITLE: usize = 80;

pub const SEPARATOR: &str = " › ";

/// The context that is embedded and indexed with each chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ContextKind {
    /// Nothing
    None,
    /// The titles of the document and its sections
    #[default]
    // Documents of older stores have `subjects`: also a sentence by rule, which no search was better for.
    #[serde(alias = "subjects")]
    Headings,
    /// The titles and what a language model says about the parent chunk; needs `[llm]` in kb.toml
    Llm,
}

impl ContextKind {
    pub fn name(self) -> &'static str {
        match self {
            ContextKind::None => "none",
            ContextKind::Headings => "headings",
            ContextKind::Llm => "llm",
        }
    }

    /// What every chunk has in place of a situating sentence: `None` means titles only, an empty text no context at
    /// all.
    pub fn situating(self) -> Option<String> {
        (self == ContextKind::None).then(String::new)
    }
}

/// Titles followed by `more`, separated.
pub fn with_more(titles: &str, more: &str) -> String {
    join_filled([titles, more], SEPARATOR)
}

/// The titles above a section and its own title, joined; empty for the preamble.
pub fn section_titles(sections: &[Section], index: usize) -> String {
    let above = |section: &&Section| sections.get(section.parent?);
    let mut titles: Vec<&str> = std::iter::successors(sections.get(index), above)
        .filter(|section| section.path != PREAMBLE && !section.title.is_empty())
        .map(|section| section.title.as_str())
        .collect();
    titles.reverse();
    titles.join(SEPARATOR)
}

/// The document title and the section titles in one line. Section titles that begin with the document title do not
/// repeat it.
pub fn line(document_title: &str, section_titles: &str) -> String {
    truncate(&with_more(document_title, below_document(section_titles, document_title)), LONGEST_TITLES)
}

/// Titles without the document's title, if they begin with it.
pub fn below_document<'t>(titles: &'t str, document_title: &str) -> &'t str {
    match titles.strip_prefix(document_title) {
        Some("") => "",
        Some(rest) => rest.strip_prefix(SEPARATOR).unwrap_or(titles),
        None => titles,
    }
}

/// The titles that are embedded with a text: the document's and the nearest two, shortened. Long titles would make the
/// vectors of all chunks below them alike.
pub fn nearest_titles(titles: &str) -> String {
    let all: Vec<&str> = titles.split(SEPARATOR).collect();
    let nearest = all.iter().skip(1).skip(all.len().saturating_sub(1 + NEAREST));
    let kept = all.first().into_iter().chain(nearest);
    kept.map(|title| truncate(title, LONGEST_EMBEDDED_TITLE)).collect::<Vec<_>>().join(SEPARATOR)
}

/// The text of a chunk for a cross-encoder: the context line and the content. Tables are plain words.
pub fn embedded_text(context: &str, content: &str) -> String {
    join_filled([context, tables::plain(content).trim_end()], "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_line_has_the_document_title_once() {
        assert_eq!(line("Manual", "Start › Priming"), "Manual › Start › Priming");
        assert_eq!(line("Manual", "Manual › Priming"), "Manual › Priming");
        assert_eq!(line("Pump", "Pumps and valves"), "Pump › Pumps and valves");
        assert_eq!(line("Manual", ""), "Manual");
        assert_eq!(line("", "Priming"), "Priming");
    }
}

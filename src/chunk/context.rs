//! The context line: what a chunk is about, put in front of it for the vectors and the keyword index, and kept apart
//! from the content in everything that is shown.

use serde::{Deserialize, Serialize};

use super::subject::introduction;
use crate::structure::{PREAMBLE, Section};
use crate::text::truncate;

/// In characters. A line as long as the passage itself would say more about the titles than about the passage.
const LONGEST_LINE: usize = 400;

/// Between the names in a context line.
pub const SEPARATOR: &str = " › ";

/// What stands in front of chunks for the vectors and the keyword index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ContextKind {
    /// Nothing
    None,
    /// The titles of the document and its sections
    #[default]
    Headings,
    /// The titles and, for passages that speak of `it` or `其`, the sentence before them that says what that is
    Subjects,
    /// The titles and what a language model says about the passage; needs `[llm]` in kb.toml
    Llm,
}

impl ContextKind {
    /// The name that is typed.
    pub fn name(self) -> &'static str {
        match self {
            ContextKind::None => "none",
            ContextKind::Headings => "headings",
            ContextKind::Subjects => "subjects",
            ContextKind::Llm => "llm",
        }
    }

    /// What a chunk gets behind its titles by rule: `None` for nothing, and empty where it gets not even those. `before`
    /// is the text in front of it in its section; the end of that, `overlap`, is embedded with it anyway.
    pub fn lead(self, content: &str, before: &str, overlap: &str) -> Option<String> {
        match self {
            ContextKind::Headings => None,
            ContextKind::None => Some(String::new()),
            // What the model does not say, the best rule does.
            ContextKind::Subjects | ContextKind::Llm => {
                introduction(content, before).filter(|sentence| !overlap.contains(sentence.as_str()))
            }
        }
    }
}

/// Titles with something behind them.
pub fn with_more(titles: &str, more: &str) -> String {
    match (titles.is_empty(), more.is_empty()) {
        (_, true) => titles.to_owned(),
        (true, false) => more.to_owned(),
        (false, false) => format!("{titles}{SEPARATOR}{more}"),
    }
}

/// The titles above a section and its own, joined; empty for the preamble.
pub fn section_titles(sections: &[Section], index: usize) -> String {
    let mut titles = Vec::new();
    let mut next = Some(index);
    while let Some(i) = next {
        let Some(section) = sections.get(i) else { break };
        if section.path != PREAMBLE && !section.title.is_empty() {
            titles.push(section.title.as_str());
        }
        next = section.parent;
    }
    titles.reverse();
    titles.join(SEPARATOR)
}

/// Document title and section titles in one line. A title that says the same as the document's is said once.
pub fn line(document_title: &str, section_titles: &str) -> String {
    let rest = section_titles
        .strip_prefix(document_title)
        .map_or(section_titles, |rest| rest.strip_prefix(SEPARATOR).unwrap_or(rest));
    let line = match (document_title.is_empty(), rest.is_empty()) {
        (_, true) => document_title.to_owned(),
        (true, false) => rest.to_owned(),
        (false, false) => format!("{document_title}{SEPARATOR}{rest}"),
    };
    truncate(&line, LONGEST_LINE)
}

/// What is embedded for a child chunk: the context line, the end of the text before it, and its content.
pub fn embedded_text(context: &str, overlap: &str, content: &str) -> String {
    let mut text = String::with_capacity(context.len() + overlap.len() + content.len() + 2);
    for part in [context, overlap, content.trim_end()] {
        if !part.is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_document_and_sections_once() {
        assert_eq!(line("Manual", "Start › Priming"), "Manual › Start › Priming");
        assert_eq!(line("Manual", "Manual › Priming"), "Manual › Priming");
        assert_eq!(line("Manual", ""), "Manual");
        assert_eq!(line("", "Priming"), "Priming");
    }
}

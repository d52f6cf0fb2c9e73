//! The chunks that a hit is made of.

use serde::Serialize;

use crate::retrieve::fetch::section_title;
use crate::store::IndexedPassage;

/// A passage that a hit is made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// The parent chunk.
    pub chunk_id: String,
    /// Its place in the document.
    pub index: u32,
    /// Its section.
    pub section_id: String,
    /// Its score, where it was found itself and is no neighbour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// Its pieces that match best, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<SourceChild>,
    /// The titles of its section and those above it.
    #[serde(skip)]
    pub section_title: String,
    /// The titles that stand in front of it in the hit: of the subsections that begin with it.
    #[serde(skip)]
    pub headings: Vec<String>,
    /// What the hit shows of it, with the space behind it.
    #[serde(skip)]
    pub text: String,
}

/// A piece of a passage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceChild {
    /// The child chunk.
    pub chunk_id: String,
    /// How well it matches, from 0 to 1.
    pub score: f32,
    /// Its place in the passage.
    #[serde(skip)]
    pub index: u32,
    /// Its text.
    #[serde(skip)]
    pub text: String,
}

impl Source {
    /// The whole of a passage.
    pub(in crate::retrieve) fn of(row: &IndexedPassage, document_title: &str, score: Option<f32>) -> Self {
        Source {
            chunk_id: row.chunk_id.clone(),
            index: row.chunk_index,
            section_id: row.section_id.clone(),
            score,
            page_start: row.page_start,
            page_end: row.page_end,
            children: Vec::new(),
            section_title: section_title(&row.context, document_title),
            headings: Vec::new(),
            text: row.content.clone(),
        }
    }
}

/// The text of passages in the order in which they are given, as it stands in the document: what is joined again was cut
/// without loss, so nothing is put in between but titles.
pub(in crate::retrieve) fn text_of(sources: &[Source]) -> String {
    let mut text = String::with_capacity(sources.iter().map(|source| source.text.len()).sum());
    for source in sources {
        for heading in &source.headings {
            let end = text.trim_end().len();
            text.truncate(end);
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(heading);
            text.push_str("\n\n");
        }
        text.push_str(&source.text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The first and the last page of passages.
pub(in crate::retrieve) fn pages_of<'s>(sources: impl Iterator<Item = &'s Source>) -> (Option<u32>, Option<u32>) {
    sources.fold((None, None), |(first, last), source| {
        let lower = [first, source.page_start].into_iter().flatten().min();
        (lower, last.max(source.page_end))
    })
}

//! Cuts sections into parent chunks, and parent chunks into child chunks: match small, show large.
//!
//! Property tests check that the parents of a section, joined, are its text, that the children of a parent, joined, are
//! the parent, and that no chunk crosses a section boundary or splits a character. White space between two chunks
//! belongs to the first. A chunk crosses the break of a page only within a paragraph or a table.

pub mod context;
mod embedded;
mod split;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use embedded::EmbeddedText;

use crate::structure::{Section, SectionText};
use crate::text::SharedText;
use crate::text::tables::is_row;
use context::ContextKind;

/// How documents are cut, and the context of chunks. Lengths are in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkConfig {
    /// The longest parent.
    pub parent_chars: usize,
    /// The longest child, unless a single sentence is longer. A table may fill its parent.
    pub child_chars: usize,
    /// The text before a child that is embedded with it.
    pub overlap_chars: usize,
    /// What is embedded and indexed with each chunk.
    #[serde(default)]
    pub context: ContextKind,
}

/// A change of a [`ChunkConfig`]; `None` keeps a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkChange {
    pub parent_chars: Option<usize>,
    pub child_chars: Option<usize>,
    pub overlap_chars: Option<usize>,
    pub context: Option<ContextKind>,
}

impl ChunkChange {
    /// A change to all sizes of `config` that keeps the context.
    pub fn to_sizes_of(config: &ChunkConfig) -> Self {
        let ChunkConfig { parent_chars, child_chars, overlap_chars, .. } = *config;
        ChunkChange {
            parent_chars: Some(parent_chars),
            child_chars: Some(child_chars),
            overlap_chars: Some(overlap_chars),
            context: None,
        }
    }
}

impl ChunkConfig {
    /// The changed configuration. Children and overlaps are no longer than parents.
    pub fn with(self, change: &ChunkChange) -> Self {
        let parent_chars = change.parent_chars.unwrap_or(self.parent_chars);
        ChunkConfig {
            parent_chars,
            child_chars: change.child_chars.unwrap_or(self.child_chars).min(parent_chars),
            overlap_chars: change.overlap_chars.unwrap_or(self.overlap_chars).min(parent_chars),
            context: change.context.unwrap_or(self.context),
        }
    }
}

impl Default for ChunkConfig {
    fn default() -> Self {
        ChunkConfig { parent_chars: 1000, child_chars: 300, overlap_chars: 100, context: ContextKind::default() }
    }
}

/// A parent chunk of a section and its child chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutParent {
    /// Index of its section.
    pub section: usize,
    /// A part of the section's text, including the white space after it.
    pub content: SharedText,
    /// Its first and last page.
    pub pages: Option<(u32, u32)>,
    pub children: Vec<CutChild>,
}

/// A child chunk: a part of the text of its parent, behind the child before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutChild {
    /// In bytes, with the white space after it.
    pub length: usize,
    /// Its first and last page.
    pub pages: Option<(u32, u32)>,
}

impl CutParent {
    /// The texts of its children, up to one that does not lie in its own text.
    pub fn child_texts(&self) -> impl Iterator<Item = SharedText> {
        let mut start = 0;
        self.children.iter().map_while(move |child| {
            let end = child.length.checked_add(start)?;
            let text = self.content.part(start..end);
            start = end;
            text
        })
    }

    /// Whether the texts of its children, joined, are its own.
    pub fn has_whole_children(&self) -> bool {
        let lengths = || self.child_texts().map(|text| text.len());
        lengths().count() == self.children.len() && lengths().sum::<usize>() == self.content.len()
    }
}

pub fn cut(sections: &[Section], config: &ChunkConfig) -> Vec<CutParent> {
    let mut parents = Vec::new();
    for (section_index, section) in sections.iter().enumerate() {
        let text = &section.text.text;
        if text.trim().is_empty() {
            continue;
        }
        let pages = |start: usize, end: usize| {
            let last = start + text[start..end].trim_end().len();
            Some((section.text.page_at(start)?, section.text.page_at(last.max(start + 1) - 1)?))
        };
        for part in between_page_breaks(&section.text) {
            for range in split::parents(&text[part.clone()], config.parent_chars) {
                let (start, end) = (part.start + range.start, part.start + range.end);
                let child = |child: Range<usize>| CutChild {
                    length: child.len(),
                    pages: pages(start + child.start, start + child.end),
                };
                let children = split::children(&text[start..end], config.child_chars, config.parent_chars);
                parents.push(CutParent {
                    section: section_index,
                    content: SharedText::from(&text[start..end]),
                    pages: pages(start, end),
                    children: children.into_iter().map(child).collect(),
                });
            }
        }
    }
    parents
}

/// The parts of a text between the breaks of its pages, so that a hit names the page of its answer. A paragraph or a
/// table that goes on over a break stays whole, and no part is blank.
fn between_page_breaks(section: &SectionText) -> Vec<Range<usize>> {
    let text = &section.text;
    let (mut parts, mut start) = (Vec::new(), 0);
    for &(at, _) in &section.pages {
        let is_between_paragraphs = text[..at].ends_with("\n\n");
        if is_between_paragraphs && !text[start..at].trim().is_empty() && !text[at..].trim().is_empty() {
            parts.push(start..at);
            start = at;
        }
    }
    parts.push(start..text.len());
    parts
}

/// Cuts sections and checks that their parents, joined, are their text, and the children of a parent the parent. For
/// tests and the fuzzer.
#[cfg(any(test, feature = "fuzzing"))]
pub fn assert_rebuilt(sections: &[Section], config: &ChunkConfig) {
    let parents = cut(sections, config);
    for (i, section) in sections.iter().enumerate() {
        let own = parents.iter().filter(|parent| parent.section == i);
        let own: String = own.map(|parent| parent.content.as_str()).collect();
        let expected = if section.text.text.trim().is_empty() { "" } else { &section.text.text };
        assert_eq!(own, expected, "the parent chunks of section {:?}", section.path);
    }
    for parent in &parents {
        let children: String = parent.child_texts().map(|text| text.to_string()).collect();
        assert_eq!(children, parent.content, "the child chunks of a parent chunk");
        let length = crate::text::char_count(parent.content.trim_end());
        assert!(length <= config.parent_chars, "a parent chunk is too long");
    }
}

/// Cuts the text of a parent into the texts of its children.
pub fn child_chunks<'a>(parent: &'a str, config: &ChunkConfig) -> Vec<&'a str> {
    split::children(parent, config.child_chars, config.parent_chars).into_iter().map(|range| &parent[range]).collect()
}

/// The end of the text before a child in its section, which is embedded with it. Empty after a table, whose last row
/// says nothing by itself.
pub fn overlap<'a>(before: &'a str, config: &ChunkConfig) -> &'a str {
    // A longer line is no row, because rows are cut to the length of a parent; one more for the line break before it.
    let end = split::tail(before, config.parent_chars + 1);
    if end.rsplit('\n').next().is_some_and(is_row) {
        return "";
    }
    split::tail(before, config.overlap_chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::markdown;
    use crate::structure::sections;
    use proptest::prelude::*;

    #[test]
    fn an_overlap_costs_no_more_than_a_parent() {
        let config = ChunkConfig::default();
        // Reading the whole text each time would take minutes.
        let text = "a".repeat(40 << 20);
        assert!((0..5_000).all(|_| overlap(&text, &config).len() == config.overlap_chars));
        assert_eq!(overlap("Text.\n\n| a | b |\n\n", &config), "");
    }

    #[test]
    fn a_parent_ends_with_its_page_unless_a_paragraph_goes_on() {
        let text = "The first page ends here.\n\n12\n\nThe second page has a sentence that goes on.\n\nIt ends.\n\n";
        let at = |words: &str| text.find(words).unwrap();
        let pages = vec![(0, 1), (at("The second"), 2), (at("that goes"), 3), (text.len(), 4)];
        let mut sections = sections(&markdown::parse("x"), "t", None);
        sections[0].text = SectionText { text: text.to_owned(), pages };
        let config = ChunkConfig::default();
        assert_rebuilt(&sections, &config);
        let parents = cut(&sections, &config);
        let found: Vec<_> = parents.iter().map(|one| (one.content.as_str(), one.pages)).collect();
        let (first, second) = text.split_at(at("The second"));
        assert_eq!(found, [(first, Some((1, 1))), (second, Some((2, 3)))]);
        assert!(parents[0].children.iter().all(|child| child.pages == Some((1, 1))));
    }

    proptest! {
        #[test]
        fn chunks_rebuild_the_text(text in "([a-z]{1,12}[ .。\n]|启动水泵|。|\n\n|# h\n|\\| a \\| 12 \\|\n|\n\\| b \\| c \\|\n\\| --- \\| --- \\|\n){0,400}", limit in 20usize..300) {
            let document = markdown::parse(&text);
            let sections = sections(&document, "t", None);
            let config = ChunkConfig { parent_chars: limit * 3, child_chars: limit, overlap_chars: 10, ..ChunkConfig::default() };
            assert_rebuilt(&sections, &config);
        }
    }
}

//! Headings by the structure tree of a tagged PDF.

use super::{Heading, Provenance};
use crate::load::{Block, BlockKind};
use crate::text::join_line;

/// How sure a heading is that the document's own tags name.
const TAGGED: f32 = 0.9;
/// A heading has at most so many characters; a tag on more text was put there for its looks.
const LONGEST: usize = 300;
/// Fewer headings are no structure.
const FEWEST: usize = 2;

/// The runs of lines that carry a heading's tag. Empty where the tags name too few headings to be a structure, or so
/// many lines that they cannot be headings.
pub fn find(blocks: &[Block]) -> Vec<Heading> {
    let tag_of = |block: &Block| block.look.as_ref().and_then(|look| look.tag);
    let mut headings = Vec::new();
    let mut i = 0;
    let mut tagged_lines = 0;
    while i < blocks.len() {
        let Some(tag) = tag_of(&blocks[i]) else {
            i += 1;
            continue;
        };
        let mut title = blocks[i].text.clone();
        let mut lines = 1;
        while let Some(next) = blocks.get(i + lines) {
            if tag_of(next) != Some(tag) || next.page != blocks[i].page {
                break;
            }
            if next.kind == BlockKind::Glued {
                title.push_str(&next.text);
            } else {
                join_line(&mut title, &next.text);
            }
            lines += 1;
        }
        tagged_lines += lines;
        if title.chars().count() <= LONGEST && title.chars().any(char::is_alphanumeric) {
            headings.push(Heading {
                level: u32::from(tag.level),
                title,
                page: blocks[i].page,
                start: i + lines,
                heading_blocks: lines,
                provenance: Provenance::Tags,
                confidence: TAGGED,
            });
        }
        i += lines;
    }
    if headings.len() < FEWEST || tagged_lines * 2 > blocks.len() { Vec::new() } else { headings }
}

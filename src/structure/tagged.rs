//! Headings from the structure tree of a tagged PDF.

use super::tree::{Heading, Provenance};
use crate::load::{Block, BlockKind};
use crate::text::join_line;

/// The confidence of tagged headings.
const TAGGED: f32 = 0.9;
/// The most characters of a heading; a tag on more text only sets its type.
const LONGEST: usize = 300;
/// Fewer headings are not a structure.
const FEWEST: usize = 2;

/// The runs of lines with the same heading tag. Empty if the tags name too few headings, or so many lines that they
/// cannot be headings.
pub fn find(blocks: &[Block]) -> Vec<Heading> {
    let tag_of = |block: &Block| block.style.as_ref().and_then(|style| style.tag);
    let mut headings = Vec::new();
    let (mut end, mut tagged_lines) = (0, 0);
    for lines in blocks.chunk_by(|a, b| tag_of(a) == tag_of(b) && a.page == b.page) {
        end += lines.len();
        let Some(tag) = tag_of(&lines[0]) else { continue };
        tagged_lines += lines.len();
        let mut title = lines[0].text.clone();
        for line in &lines[1..] {
            match line.kind {
                BlockKind::Glued => title.push_str(&line.text),
                _ => join_line(&mut title, &line.text),
            }
        }
        if title.chars().count() <= LONGEST && title.chars().any(char::is_alphanumeric) {
            headings.push(Heading {
                level: u32::from(tag.level),
                title,
                page: lines[0].page,
                start: end,
                heading_blocks: lines.len(),
                provenance: Provenance::Tags,
                confidence: TAGGED,
            });
        }
    }
    if headings.len() < FEWEST || tagged_lines * 2 > blocks.len() { Vec::new() } else { headings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::tests::{body, line, page};

    fn titles(blocks: &[Block]) -> Vec<String> {
        find(blocks).into_iter().map(|heading| heading.title).collect()
    }

    #[test]
    fn a_heading_over_two_lines_is_one_and_two_headings_below_each_other_are_two() {
        let long =
            vec![line("What the station does and").tagged(1, 0), line("what it does not").goes_on().tagged(1, 0)];
        let broken = vec![line("Main").tagged(2, 1), Block { kind: BlockKind::Glued, ..line("tenance").tagged(2, 1) }];
        let blocks = page(1, [long, broken, body("valves"), body("pumps")]);
        assert_eq!(titles(&blocks), ["What the station does and what it does not", "Maintenance"]);
    }

    #[test]
    fn tags_on_one_line_or_on_all_lines_are_ignored() {
        assert_eq!(titles(&page(1, [vec![line("Scope").tagged(1, 0)], body("valves")])), [""; 0]);
        let all: Vec<Block> = (0..6).map(|i| line("A line of text").tagged(1, i)).collect();
        assert_eq!(titles(&page(1, [all, body("valves")])), [""; 0]);
        assert_eq!(titles(&page(1, [body("valves")])), [""; 0]);
    }

    #[test]
    fn a_tagged_paragraph_is_not_a_heading() {
        let paragraph: Vec<Block> =
            (0..8).map(|_| line("that is tagged for its looks and goes on and on").goes_on().tagged(1, 9)).collect();
        let blocks = page(
            1,
            [vec![line("A").tagged(1, 0)], body("a"), vec![line("B").tagged(1, 1)], body("b"), paragraph, body("c")],
        );
        assert_eq!(titles(&blocks), ["A", "B"]);
    }
}

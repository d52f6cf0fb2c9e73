//! Plain text: paragraphs, separated by blank lines.

use super::{Block, BlockKind, Document, Format};

/// Reads plain text. Lines are kept as they are; a blank line starts a paragraph.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::Text, "text");
    document.blocks = lines_to_blocks(text, None);
    document
}

/// The lines of `text` as blocks: the first of each paragraph a [`BlockKind::Paragraph`], the rest
/// [`BlockKind::Line`], all on `page`.
pub fn lines_to_blocks(text: &str, page: Option<u32>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut kind = BlockKind::Paragraph;
    for line in text.lines() {
        let line = line.trim_end();
        if line.trim_start().is_empty() {
            kind = BlockKind::Paragraph;
        } else {
            blocks.push(Block::new(kind, line, page));
            kind = BlockKind::Line;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_start_paragraphs() {
        let document = parse("one\ntwo\n\n \nthree\n");
        let kinds: Vec<(BlockKind, &str)> = document.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        assert_eq!(kinds, [(BlockKind::Paragraph, "one"), (BlockKind::Line, "two"), (BlockKind::Paragraph, "three")]);
    }
}

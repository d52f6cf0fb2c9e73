//! The text of a parent chunk for a model: its context, the end of the text before it, and its own text.
//!
//! The model reads a parent chunk as a whole, and the vector of a child chunk is the mean of its own tokens ("late
//! chunking", Günther et al. 2024): it depends on the text around the child chunk, and titles are read once. So each
//! vector depends on the text of the whole parent chunk, and a change in it changes all of its vectors. Models that do
//! not pool by the mean read each child chunk by itself, with the end of the text before it.

use std::borrow::Cow;
use std::ops::Range;

use super::{ChunkConfig, overlap};
use crate::text::join_filled;
use crate::text::tables::plain;

/// The text behind the vectors of a parent chunk and its child chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedText {
    /// The context line, the end of the text before the parent chunk, and its text, each on separate lines.
    pub text: String,
    /// The length of the context line at the start of `text`, in bytes.
    pub context: usize,
    /// The places of the child chunks in `text`.
    pub children: Vec<EmbeddedChild>,
}

/// The place of a child chunk, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedChild {
    /// The end of the text before it.
    pub overlap: Range<usize>,
    pub own: Range<usize>,
}

impl EmbeddedText {
    /// `before` is the end of the section's text before the parent chunk; `children` are the contents of its child
    /// chunks. Tables become plain words.
    pub fn new<'c>(context: &str, before: &str, children: impl Iterator<Item = &'c str>, config: &ChunkConfig) -> Self {
        let mut text = String::new();
        for line in [Cow::Borrowed(context), plain(before)].iter().filter(|line| !line.is_empty()) {
            text.push_str(line);
            text.push('\n');
        }
        let start = if context.is_empty() { 0 } else { context.len() + 1 };
        let mut places = Vec::new();
        for content in children {
            let front = text[start..].trim_end();
            let end = start + front.len();
            let overlap = end - overlap(front, config).len()..end;
            let at = text.len();
            text.push_str(&plain(content));
            places.push(EmbeddedChild { overlap, own: at..text.len() });
        }
        EmbeddedText { text, context: context.len(), children: places }
    }

    /// The text of a child chunk for models that read it by itself.
    pub fn alone(&self, child: usize) -> String {
        let EmbeddedChild { overlap, own } = &self.children[child];
        let parts = [&self.text[..self.context], &self.text[overlap.clone()], self.text[own.clone()].trim_end()];
        join_filled(parts, "\n")
    }

    /// The hashes of the texts behind the vectors of the parent chunk and of its child chunks.
    pub fn hashes(&self) -> Vec<String> {
        let of_children = (0..self.children.len()).map(|child| self.child_hash(child));
        std::iter::once(self.hash()).chain(of_children).collect()
    }

    /// The blake3 hash of the text behind the vector of the parent chunk, in hex.
    fn hash(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }

    /// The blake3 hash of the text and the place behind the vector of a child chunk, in hex.
    fn child_hash(&self, child: usize) -> String {
        let Range { start, end } = self.children[child].own;
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.text.as_bytes()).update(&start.to_le_bytes()).update(&end.to_le_bytes());
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: ChunkConfig = ChunkConfig {
        parent_chars: 100,
        child_chars: 30,
        overlap_chars: 13,
        context: super::super::context::ContextKind::Headings,
    };

    #[test]
    fn children_are_places_in_the_text_of_their_parent() {
        let children = ["Open the valve. ", "It is red.\n\n"];
        let text = EmbeddedText::new("Guide › Pump", "drain first.", children.into_iter(), &CONFIG);
        assert_eq!(text.text, "Guide › Pump\ndrain first.\nOpen the valve. It is red.\n\n");
        let own: Vec<&str> = text.children.iter().map(|child| &text.text[child.own.clone()]).collect();
        assert_eq!(own, children);
        assert_eq!(text.alone(0), "Guide › Pump\ndrain first.\nOpen the valve.");
        assert_eq!(text.alone(1), "Guide › Pump\nthe valve.\nIt is red.");
    }

    #[test]
    fn without_context_and_overlap_the_text_is_the_content() {
        let text = EmbeddedText::new("", "", ["Open."].into_iter(), &CONFIG);
        assert_eq!((text.text.as_str(), text.context, text.alone(0).as_str()), ("Open.", 0, "Open."));
    }

    #[test]
    fn each_vector_has_a_hash_of_its_own() {
        let hashes = |before: &str, second: &str| {
            EmbeddedText::new("Guide", before, ["One. ", second].into_iter(), &CONFIG).hashes()
        };
        let all = hashes("", "Two.");
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        for other in [hashes("Zero.", "Two."), hashes("", "Three.")] {
            assert!(all.iter().all(|hash| !other.contains(hash)));
        }
    }
}

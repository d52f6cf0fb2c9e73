//! Late chunking (Günther et al. 2024): the model reads a parent chunk as a whole, and the vector of a child chunk is
//! the mean of its own tokens. Only for models that pool by the mean.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2};
use tokenizers::Encoding;

use super::tokens::Encode;
use crate::chunk::EmbeddedText;
use crate::vectors::normalised;

/// The most tokens that a model adds to a text.
const SPECIAL_TOKENS: usize = 3;
/// The least number of tokens of the text in a pass, however long the context is.
const LEAST_ROOM: usize = 32;

/// The vectors of a parent chunk and its child chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentVectors {
    pub parent: Vec<f32>,
    pub children: Vec<Vec<f32>>,
}

/// One input of the model: the context, then a parent chunk or a part of one that is too long.
#[derive(Debug, PartialEq)]
pub(super) struct Pass {
    pub(super) text: String,
    /// The index of each child chunk in this pass, and the bytes of `text` that belong to it.
    pub(super) parts: Vec<(usize, Range<usize>)>,
}

/// Cuts a text into passes of at most `most_tokens`, between child chunks if possible. `tokenizer` must not truncate.
pub(super) fn passes(text: &EmbeddedText, tokenizer: &dyn Encode, most_tokens: usize) -> Vec<Pass> {
    let whole = || {
        let parts = text.children.iter().map(|child| child.own.clone()).enumerate().collect();
        vec![Pass { text: text.text.clone(), parts }]
    };
    // If the tokenizer fails here, it fails in the model too, which reports the error.
    let Ok(encoding) = tokenizer.encoded(&text.text) else { return whole() };
    let tokens: Vec<usize> = encoding.get_offsets().iter().map(|(start, _)| *start).collect();
    if tokens.len() + SPECIAL_TOKENS <= most_tokens {
        return whole();
    }
    let of_context = tokens.partition_point(|start| *start < text.context);
    let room = most_tokens.saturating_sub(of_context + SPECIAL_TOKENS).max(LEAST_ROOM);
    let mut passes: Vec<Pass> = Vec::new();
    let mut left = 0;
    for (child, range) in text.children.iter().map(|child| child.own.clone()).enumerate() {
        let own = &tokens[tokens.partition_point(|at| *at < range.start)..tokens.partition_point(|at| *at < range.end)];
        // A byte-level token may begin inside a character.
        let begin_of = |piece: usize| text.text.floor_char_boundary(own[piece * room]);
        // A child chunk that is too long is cut between tokens.
        let pieces = own.chunks(room).count().max(1);
        for piece in 0..pieces {
            let begin = if piece == 0 { range.start } else { begin_of(piece) };
            let end = if piece + 1 == pieces { range.end } else { begin_of(piece + 1) };
            let count = own.len().saturating_sub(piece * room).min(room);
            if count > left || passes.is_empty() {
                let mut head = text.text[..text.context].to_owned();
                head.push_str(if head.is_empty() { "" } else { "\n" });
                passes.push(Pass { text: head, parts: Vec::new() });
                left = room;
            }
            left = left.saturating_sub(count);
            let pass = passes.last_mut().expect("one was added above");
            let at = pass.text.len();
            pass.text.push_str(&text.text[begin..end]);
            pass.parts.push((child, at..pass.text.len()));
        }
    }
    passes
}

/// Sums of token vectors, for a parent chunk and each of its child chunks.
pub(super) struct Sums {
    parent: Vec<f32>,
    children: Vec<Vec<f32>>,
}

impl Sums {
    pub(super) fn new(children: usize, dimension: usize) -> Self {
        Sums { parent: vec![0.0; dimension], children: vec![vec![0.0; dimension]; children] }
    }

    /// Adds a pass: `vectors` has a row for each token of `encoding`, whose text has `prefix` bytes before that of the
    /// pass.
    pub(super) fn add(&mut self, pass: &Pass, encoding: &Encoding, prefix: usize, vectors: ArrayView2<'_, f32>) {
        let tokens = encoding.get_attention_mask().iter().zip(encoding.get_special_tokens_mask());
        for (((mask, special), (start, _)), vector) in tokens.zip(encoding.get_offsets()).zip(vectors.rows()) {
            if *mask == 0 {
                continue;
            }
            add(&mut self.parent, vector);
            let at = start.checked_sub(prefix).filter(|_| *special == 0);
            // The parts are in order.
            let part = at.and_then(|at| {
                let next = pass.parts.partition_point(|(_, range)| range.start <= at);
                pass.parts[..next].last().filter(|(_, range)| range.contains(&at))
            });
            if let Some((child, _)) = part {
                add(&mut self.children[*child], vector);
            }
        }
    }

    /// The means, of length 1. A child chunk without tokens has the vector of its parent chunk.
    pub(super) fn vectors(self) -> ParentVectors {
        let parent = normalised(self.parent);
        let own = |sum: Vec<f32>| if sum.iter().all(|x| *x == 0.0) { parent.clone() } else { normalised(sum) };
        ParentVectors { children: self.children.into_iter().map(own).collect(), parent }
    }
}

impl ParentVectors {
    /// The vector of the parent chunk, then those of its child chunks.
    pub fn in_order(self) -> Vec<Vec<f32>> {
        std::iter::once(self.parent).chain(self.children).collect()
    }

    /// For child chunks that were embedded by themselves: the parent chunk has their mean.
    pub(super) fn of_children(children: Vec<Vec<f32>>) -> Self {
        let mut sum = vec![0.0; children.first().map_or(0, Vec::len)];
        children.iter().for_each(|child| add(&mut sum, ArrayView1::from(child)));
        ParentVectors { parent: normalised(sum), children }
    }
}

fn add(sum: &mut [f32], vector: ArrayView1<'_, f32>) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::embed::tokens::embedded_tokenizer;

    fn text(context: &str, children: &[&str]) -> EmbeddedText {
        EmbeddedText::new(context, "", children.iter().copied(), &ChunkConfig::default())
    }

    /// The parts of each pass as text.
    fn read(passes: &[Pass]) -> Vec<Vec<(usize, &str)>> {
        fn parts(pass: &Pass) -> Vec<(usize, &str)> {
            pass.parts.iter().map(|(child, range)| (*child, &pass.text[range.clone()])).collect()
        }
        passes.iter().map(parts).collect()
    }

    #[test]
    fn a_short_parent_chunk_is_read_at_once() {
        let text = text("Guide", &["Open the valve. ", "Close it."]);
        let passes = passes(&text, &embedded_tokenizer(None), 256);
        assert_eq!(passes.len(), 1);
        assert_eq!(passes[0].text, text.text);
        assert_eq!(read(&passes), [[(0, "Open the valve. "), (1, "Close it.")]]);
    }

    #[test]
    fn a_long_parent_chunk_is_cut_between_children_and_repeats_the_context() {
        let sentence = "one two three four five six seven eight nine ten one two three four five six seven eight. ";
        let text = text("Guide", &[sentence, sentence, "short."]);
        let passes = passes(&text, &embedded_tokenizer(None), 36);
        assert_eq!(read(&passes), [vec![(0, sentence)], vec![(1, sentence), (2, "short.")]]);
        assert!(passes.iter().all(|pass| pass.text.starts_with("Guide\n")));
    }

    #[test]
    fn a_child_that_is_too_long_is_read_completely_in_parts() {
        let long = "1,234 ".repeat(60);
        let text = text("", &[&long]);
        let passes = passes(&text, &embedded_tokenizer(None), 40);
        assert!(passes.len() > 1);
        let joined: String = read(&passes).concat().into_iter().map(|(_, part)| part).collect();
        assert_eq!(joined, long);
    }

    #[test]
    fn a_child_has_the_mean_of_its_own_tokens() {
        let text = text("Guide", &["valve ", "pump"]);
        let tokenizer = embedded_tokenizer(None);
        let pass = passes(&text, &tokenizer, 256).remove(0);
        let encoding = tokenizer.encode(pass.text.as_str(), true).unwrap();
        // [CLS] guide valve pump [SEP]
        let vectors = ndarray::arr2(&[[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [0.0, 1.0], [0.0, 0.0]]);
        let mut sums = Sums::new(2, 2);
        sums.add(&pass, &encoding, 0, vectors.view());
        let vectors = sums.vectors();
        assert_eq!(vectors.children, [[1.0, 0.0], [0.0, 1.0]]);
        assert!((vectors.parent[0] - 3.0 / 34f32.sqrt()).abs() < 1e-6, "the mean of all: {:?}", vectors.parent);
    }

    #[test]
    fn a_child_without_tokens_has_the_vector_of_its_parent() {
        let mut sums = Sums::new(1, 2);
        sums.parent = vec![0.0, 2.0];
        assert_eq!(sums.vectors().children, [[0.0, 1.0]]);
    }
}

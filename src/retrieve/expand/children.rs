//! The pieces of a passage that match best.

use super::sources::{Source, SourceChild};
use crate::store::{ChunkRow, children_by_parent};
use crate::text::highlight::Terms;

/// What pieces are compared with.
pub(in crate::retrieve) struct Question<'q> {
    /// Its words.
    pub terms: Terms,
    /// Its vector, where the semantic arm was asked.
    pub vector: Option<&'q [f32]>,
    /// What the words count, as for passages.
    pub keyword: f32,
    /// What the vector counts.
    pub semantic: f32,
}

impl Question<'_> {
    /// How well a piece matches, from 0 to 1: the share of the question's words in it, and its cosine where both have
    /// vectors.
    fn score(&self, child: &ChunkRow) -> f32 {
        let words = self.terms.share_in(&child.content);
        match self.vector {
            Some(vector) if child.vector.len() == vector.len() => {
                let cosine: f32 = child.vector.iter().zip(vector).map(|(a, b)| a * b).sum();
                self.keyword * words + self.semantic * cosine.clamp(0.0, 1.0)
            }
            _ => words,
        }
    }
}

/// Names the best `count` of its pieces with each passage that was found, best first. Pieces that match nothing are not
/// named, unless the passage has no others: it was found by its title then, and the first piece stands for it.
pub(in crate::retrieve) fn name_children(sources: &mut [Source], rows: &[ChunkRow], question: &Question, count: usize) {
    let mut by_parent = children_by_parent(rows);
    for source in sources.iter_mut().filter(|source| source.score.is_some()) {
        let Some(own) = by_parent.remove(source.chunk_id.as_str()) else { continue };
        let mut scored: Vec<(f32, &ChunkRow)> = own.into_iter().map(|row| (question.score(row), row)).collect();
        // Sorting leaves equals in reading order.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let matching = scored.iter().filter(|(score, _)| *score > 0.0).count().max(1);
        source.children = scored
            .into_iter()
            .take(count.min(matching))
            .map(|(score, row)| SourceChild {
                chunk_id: row.chunk_id.clone(),
                score,
                index: row.chunk_index,
                text: row.content.clone(),
            })
            .collect();
    }
}

/// What a passage shows where only its best pieces are wanted: those, in reading order, with an ellipsis for what is left
/// out between two.
pub(in crate::retrieve) fn only_children(source: &mut Source) {
    let mut children: Vec<&SourceChild> = source.children.iter().collect();
    if children.is_empty() {
        return;
    }
    children.sort_by_key(|child| child.index);
    let mut text = String::new();
    for (at, child) in children.iter().enumerate() {
        if at > 0 && children[at - 1].index + 1 != child.index {
            text.truncate(text.trim_end().len());
            text.push_str(" … ");
        }
        text.push_str(&child.text);
    }
    source.text = text;
}

#[cfg(test)]
mod tests {
    use super::super::sample::source;
    use super::*;

    fn child(index: u32, content: &str, vector: Vec<f32>) -> ChunkRow {
        ChunkRow { vector, ..ChunkRow::sample(&format!("d:1.{index}"), content) }
    }

    fn named(rows: &[ChunkRow], vector: Option<&[f32]>, count: usize) -> Source {
        let question = Question { terms: Terms::of("prime the pump"), vector, keyword: 0.5, semantic: 0.5 };
        let mut sources = [source("d:1", 1, "whole", Some(0.7)), source("d:2", 2, "neighbour", None)];
        name_children(&mut sources, rows, &question, count);
        assert!(sources[1].children.is_empty());
        sources[0].clone()
    }

    fn ids(source: &Source) -> Vec<&str> {
        source.children.iter().map(|child| child.chunk_id.as_str()).collect()
    }

    #[test]
    fn the_best_pieces_are_named_by_words_and_vectors() {
        let rows = [
            child(0, "Open the valve. ", vec![1.0, 0.0]),
            child(1, "Grease it. ", vec![0.0, 1.0]),
            child(2, "Prime the pump. ", vec![0.0, 1.0]),
            child(3, "The pump is red.", vec![0.6, 0.8]),
        ];
        assert_eq!(ids(&named(&rows, None, 9)), ["d:1.2", "d:1.3"], "what has no word is not named");
        assert_eq!(ids(&named(&rows, Some(&[1.0, 0.0]), 3)), ["d:1.3", "d:1.0", "d:1.2"]);
        assert_eq!(ids(&named(&rows[..2], None, 2)), ["d:1.0"], "found by its title");
    }

    #[test]
    fn pieces_alone_are_shown_in_reading_order() {
        let rows = [
            child(0, "The pump. ", Vec::new()),
            child(1, "A rod. ", Vec::new()),
            child(2, "Prime the pump. ", Vec::new()),
        ];
        let mut source = named(&rows, None, 2);
        only_children(&mut source);
        assert_eq!(source.text, "The pump. … Prime the pump. ");
    }
}

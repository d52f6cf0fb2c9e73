//! The pieces of a passage that match best.

use std::collections::HashMap;

use super::sources::{Source, SourceChild};
use crate::store::IndexedPassage;
use crate::text::highlight::Terms;

/// What pieces are compared with.
pub(in crate::retrieve) struct Question {
    /// Its words.
    pub terms: Terms,
    /// What the words count, as for passages.
    pub keyword: f32,
    /// What the vector counts.
    pub semantic: f32,
}

impl Question {
    /// How well a piece matches, from 0 to 1: the share of the question's words in it, and its cosine where there is one.
    fn score(&self, text: &str, cosine: Option<f32>) -> f32 {
        let words = self.terms.share_in(text);
        cosine.map_or(words, |cosine| self.keyword * words + self.semantic * cosine.clamp(0.0, 1.0))
    }
}

/// What is known of the passages of a namespace: the passages by their ids, and the cosines of their pieces by theirs.
pub(in crate::retrieve) struct Pieces {
    pub passages: HashMap<String, IndexedPassage>,
    pub cosines: HashMap<String, f32>,
}

/// Names the best `count` of its pieces with each passage that was found, best first. Pieces that match nothing are not
/// named, unless the passage has no others: it was found by its title then, and the first piece stands for it.
pub(in crate::retrieve) fn name_children(sources: &mut [Source], known: &Pieces, question: &Question, count: usize) {
    for source in sources.iter_mut().filter(|source| source.score.is_some()) {
        let Some(passage) = known.passages.get(&source.chunk_id) else { continue };
        let mut scored: Vec<SourceChild> = passage
            .children()
            .into_iter()
            .map(|(index, text)| {
                let chunk_id = format!("{}.{index}", source.chunk_id);
                let score = question.score(text, known.cosines.get(&chunk_id).copied());
                SourceChild { chunk_id, score, index, text: text.to_owned() }
            })
            .collect();
        // Sorting leaves equals in reading order.
        scored.sort_by(|a, b| b.score.total_cmp(&a.score));
        let matching = scored.iter().filter(|child| child.score > 0.0).count().max(1);
        scored.truncate(count.min(matching));
        source.children = scored;
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
    use crate::store::Piece;

    /// The pieces of the passage `d:1`, each with its cosine.
    fn named(texts: &[(&str, f32)], semantic: bool, count: usize) -> Source {
        let question = Question { terms: Terms::of("prime the pump"), keyword: 0.5, semantic: 0.5 };
        let content: String = texts.iter().map(|(text, _)| *text).collect();
        let each = texts.iter().zip(0u32..);
        let passage = IndexedPassage {
            chunk_id: "d:1".to_owned(),
            doc_id: "d".to_owned(),
            section_id: "d#1".to_owned(),
            chunk_index: 1,
            content,
            context: String::new(),
            page_start: None,
            page_end: None,
            pieces: each.clone().map(|((text, _), index)| Piece { index, bytes: text.len() }).collect(),
        };
        let cosines = each.filter(|_| semantic).map(|((_, cosine), index)| (format!("d:1.{index}"), *cosine)).collect();
        let known = Pieces { passages: HashMap::from([("d:1".to_owned(), passage)]), cosines };
        let mut sources = [source("d:1", 1, "whole", Some(0.7)), source("d:2", 2, "neighbour", None)];
        name_children(&mut sources, &known, &question, count);
        assert!(sources[1].children.is_empty());
        sources[0].clone()
    }

    fn ids(source: &Source) -> Vec<&str> {
        source.children.iter().map(|child| child.chunk_id.as_str()).collect()
    }

    #[test]
    fn the_best_pieces_are_named_by_words_and_vectors() {
        let texts =
            [("Open the valve. ", 1.0), ("Grease it. ", 0.0), ("Prime the pump. ", 0.0), ("The pump is red.", 0.6)];
        assert_eq!(ids(&named(&texts, false, 9)), ["d:1.2", "d:1.3"], "what has no word is not named");
        assert_eq!(ids(&named(&texts, true, 3)), ["d:1.3", "d:1.0", "d:1.2"]);
        assert_eq!(ids(&named(&texts[..2], false, 2)), ["d:1.0"], "found by its title");
    }

    #[test]
    fn pieces_alone_are_shown_in_reading_order() {
        let mut source = named(&[("The pump. ", 0.0), ("A rod. ", 0.0), ("Prime the pump. ", 0.0)], false, 2);
        only_children(&mut source);
        assert_eq!(source.text, "The pump. … Prime the pump. ");
    }
}

//! Conflicts: what they are called, and where in the text they belong.

use std::collections::HashSet;
use std::ops::Range;

use super::align::{Sentence, only_place, sentences_in};
use crate::store::{ChunkRow, ChunkType, Edit, NewDocument};
use crate::text::tokens::tokenize;

/// Sentences at least as alike as this (the share of the words of either that both have, Dice) are taken for versions
/// of each other.
const ALIKE: f32 = 0.4;
/// So many sentences between its neighbours are still taken for what a conflict is about.
const MOST_BETWEEN: usize = 12;

/// Where a conflict belongs in the text as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictPlace {
    /// The passage's index.
    pub passage: u32,
    /// The passage's id.
    pub chunk_id: String,
    /// What the edit would replace, as bytes of the passage's text; empty where it would be put in between.
    pub range: Range<usize>,
}

/// The name of a conflict: `7f3k2m~3`.
pub fn conflict_id(doc_id: &str, number: u32) -> String {
    format!("{doc_id}~{number}")
}

/// The conflict of a document that `id` names.
pub fn find_conflict<'a>(new: &'a NewDocument, id: &str) -> Option<&'a Edit> {
    let is_it = |edit: &&Edit| edit.passage.is_none() && conflict_id(&new.document.doc_id, edit.number) == id;
    new.document.edits.iter().find(is_it)
}

/// Finds what the text says now where a conflict was: between the sentences that were around it; otherwise the
/// sentence most like the one it changed; otherwise behind the one that was in front of it, or at the end of its
/// section, or of the document. `None` only for a document without text.
pub fn place(edit: &Edit, new: &NewDocument) -> Option<ConflictPlace> {
    let parents: Vec<&ChunkRow> = new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent).collect();
    let sentences: Vec<(usize, Sentence)> = parents
        .iter()
        .enumerate()
        .flat_map(|(i, row)| sentences_in(&row.content).into_iter().map(move |sentence| (i, sentence)))
        .collect();
    let at = |parent: usize, range: Range<usize>| ConflictPlace {
        passage: parents[parent].chunk_index,
        chunk_id: parents[parent].chunk_id.clone(),
        range,
    };
    let flat: Vec<Sentence> = sentences.iter().map(|(_, sentence)| sentence.clone()).collect();
    let before = neighbour(&sentences_in(&edit.before), &flat, true);
    let after = neighbour(&sentences_in(&edit.after), &flat, false);
    if let (Some(before), Some(after)) = (before, after)
        && before < after
        && after - before - 1 <= MOST_BETWEEN
        && sentences[before].0 == sentences[after - 1].0
    {
        let parent = sentences[before].0;
        let start = sentences[before].1.range.end;
        return Some(at(parent, start..sentences[after - 1].1.range.end.max(start)));
    }
    if let Some((parent, sentence)) = most_alike(&edit.original, &sentences) {
        return Some(at(parent, sentence.range));
    }
    if let Some(before) = before {
        let (parent, sentence) = &sentences[before];
        return Some(at(*parent, sentence.range.end..sentence.range.end));
    }
    if let Some(after) = after {
        let (parent, sentence) = &sentences[after];
        return Some(at(*parent, sentence.range.start..sentence.range.start));
    }
    let parent = parents.iter().rposition(|row| row.context == edit.context).or(parents.len().checked_sub(1))?;
    let end = parents[parent].content.len();
    Some(at(parent, end..end))
}

/// Where the sentence next to the conflict is, if it can be told: the whole of what was kept, or else the nearest.
fn neighbour(kept: &[Sentence], all: &[Sentence], in_front: bool) -> Option<usize> {
    let nearest = if in_front { kept.len().checked_sub(1)?..kept.len() } else { 0..kept.len().min(1) };
    let whole = only_place(kept, all).map(|at| if in_front { at + kept.len() - 1 } else { at });
    whole.or_else(|| only_place(&kept[nearest], all))
}

fn most_alike(original: &str, sentences: &[(usize, Sentence)]) -> Option<(usize, Sentence)> {
    let words = |text: &str| tokenize(text).into_iter().map(|token| token.text).collect::<HashSet<String>>();
    let wanted = words(original);
    let likeness = |text: &str| {
        let own = words(text);
        let both = own.intersection(&wanted).count() as f32;
        2.0 * both / (own.len() + wanted.len()).max(1) as f32
    };
    sentences
        .iter()
        .map(|(parent, sentence)| (likeness(&sentence.key), parent, sentence))
        .filter(|(likeness, ..)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, parent, sentence)| (*parent, sentence.clone()))
}

//! Conflicts: what they are called, and where in the text they belong.

use std::collections::HashSet;
use std::ops::Range;

use super::align::{Sentence, only_place, sentences_in};
use crate::store::{ChunkRow, ChunkType, Edit, NewDocument};
use crate::text::tokens::tokenize;

/// Runs of sentences at least as alike as this (the share of the words of either that both have, Dice) are taken for
/// versions of each other.
const ALIKE: f32 = 0.4;
/// So many more sentences between its neighbours than there were are still taken for what a conflict is about.
const MORE_BETWEEN: usize = 12;

/// Where a conflict belongs in the text as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictPlace {
    /// What the edit would replace, passage by passage; never empty. The edit's text belongs into the first.
    pub parts: Vec<ConflictPart>,
}

/// What an edit in conflict would replace in one passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictPart {
    /// The passage's index.
    pub passage: u32,
    /// The passage's id.
    pub chunk_id: String,
    /// Which of its sentences; empty where the edit would be put in between.
    pub sentences: Range<usize>,
    /// The same as bytes of its text.
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

/// Finds what the text says now where a conflict was: what stands between its neighbours, which are the sentences that
/// were around it, or the start or end of its section. Where there is more of that than there was, or a neighbour is
/// gone, it is the run of sentences most like the original; otherwise the place beside the neighbour that is left, or
/// the end of its section, or of the document. `None` only for a document without text.
pub fn place(edit: &Edit, new: &NewDocument) -> Option<ConflictPlace> {
    let version = Version::of(new);
    let all = 0..version.sentences.len();
    let original = sentences_in(&edit.original);
    let before = neighbour(&sentences_in(&edit.before), &version.sentences, true);
    let after = neighbour(&sentences_in(&edit.after), &version.sentences, false);
    let section = version.section_of(edit, before, after);
    let edges = section.clone().unwrap_or(all.clone());
    // A neighbour in another section says that the conflict was at the edge of its own.
    let at_start = edit.before.is_empty().then_some(()).and(section.as_ref().map(|section| section.start));
    let start =
        before.map(|before| before + 1).or(at_start).map(|at| at.max(edges.start)).filter(|at| *at <= edges.end);
    let at_end = edit.after.is_empty().then_some(()).and(section.as_ref().map(|section| section.end));
    let end = after.or(at_end).map(|at| at.min(edges.end)).filter(|at| *at >= start.unwrap_or(edges.start));
    if let (Some(start), Some(end)) = (start, end)
        && end - start <= original.len() + MORE_BETWEEN
    {
        let alike = (end - start > original.len()).then(|| version.most_alike(edit, start..end)).flatten();
        return version.at(alike.unwrap_or(start..end), &edges);
    }
    let near = start.unwrap_or(edges.start)..end.unwrap_or(edges.end);
    let alike = version.most_alike(edit, near).or_else(|| version.most_alike(edit, all));
    let beside = || start.or(end).unwrap_or(edges.end);
    version.at(alike.unwrap_or_else(|| beside()..beside()), &edges)
}

/// Where the sentence next to the conflict is, if it can be told: the whole of what was kept, or else the nearest.
fn neighbour(kept: &[Sentence], all: &[Sentence], in_front: bool) -> Option<usize> {
    let nearest = if in_front { kept.len().checked_sub(1)?..kept.len() } else { 0..kept.len().min(1) };
    let whole = only_place(kept, all).map(|at| if in_front { at + kept.len() - 1 } else { at });
    whole.or_else(|| only_place(&kept[nearest], all))
}

/// A document as it is now: its passages, and all their sentences.
struct Version<'a> {
    parents: Vec<&'a ChunkRow>,
    sentences: Vec<Sentence>,
}

impl<'a> Version<'a> {
    fn of(new: &'a NewDocument) -> Self {
        let parents: Vec<&ChunkRow> = new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent).collect();
        let own = |(i, row): (usize, &&ChunkRow)| {
            sentences_in(&row.content).into_iter().map(move |sentence| Sentence { passage: Some(i), ..sentence })
        };
        let sentences = parents.iter().enumerate().flat_map(own).collect();
        Version { parents, sentences }
    }

    fn parent_of(&self, sentence: usize) -> Option<&'a ChunkRow> {
        self.parents.get(self.sentences.get(sentence)?.passage?).copied()
    }

    /// The sentences of the section that a conflict is in: the one with its titles, or else that of its neighbours.
    fn section_of(&self, edit: &Edit, before: Option<usize>, after: Option<usize>) -> Option<Range<usize>> {
        let of =
            |sentence: Option<usize>| sentence.and_then(|at| self.parent_of(at)).map(|row| row.section_id.as_str());
        let neighbours = [of(before), of(after)];
        let with_titles: Vec<&str> =
            self.parents.iter().filter(|row| row.context == edit.context).map(|row| row.section_id.as_str()).collect();
        let section = [Some(edit.section_id.as_str())]
            .into_iter()
            .chain(neighbours)
            .flatten()
            .find(|section| with_titles.contains(section))
            .or(with_titles.first().copied())
            .or(neighbours[0].or(neighbours[1]))?;
        let is_in = |sentence: &Sentence| {
            sentence.passage.and_then(|i| self.parents.get(i)).is_some_and(|row| row.section_id == section)
        };
        let start = self.sentences.iter().position(is_in)?;
        let end = self.sentences.iter().rposition(is_in)? + 1;
        Some(start..end)
    }

    /// The run of sentences in `among` that is most like what an edit changed; the first and shortest of several.
    fn most_alike(&self, edit: &Edit, among: Range<usize>) -> Option<Range<usize>> {
        let words = |text: &str| tokenize(text).into_iter().map(|token| token.text).collect::<HashSet<String>>();
        let wanted = words(&edit.original);
        let longest = sentences_in(&edit.original).len() + MORE_BETWEEN;
        let own: Vec<HashSet<String>> =
            self.sentences[among.clone()].iter().map(|sentence| words(&sentence.key)).collect();
        // A run is no more alike for ending in something that has none of the words.
        let touches: Vec<bool> = own.iter().map(|own| !own.is_disjoint(&wanted)).collect();
        let mut best: Option<(f32, Range<usize>)> = None;
        for start in (0..own.len()).filter(|&start| touches[start]) {
            let mut said: HashSet<&String> = HashSet::new();
            for end in start..own.len().min(start + longest) {
                said.extend(&own[end]);
                if !touches[end] {
                    continue;
                }
                let both = said.iter().filter(|word| wanted.contains(**word)).count() as f32;
                let likeness = 2.0 * both / (said.len() + wanted.len()) as f32;
                if likeness >= ALIKE && best.as_ref().is_none_or(|(most, _)| likeness > *most) {
                    best = Some((likeness, among.start + start..among.start + end + 1));
                }
            }
        }
        best.map(|(_, run)| run)
    }

    /// A run of sentences as places in their passages; an empty one is beside what is there within `edges`.
    fn at(&self, run: Range<usize>, edges: &Range<usize>) -> Option<ConflictPlace> {
        let nearest = if run.start > edges.start { run.start.checked_sub(1)? } else { run.start };
        let held = if run.is_empty() { nearest..nearest + 1 } else { run.clone() };
        let passages = self.sentences.get(held.start)?.passage?..=self.sentences.get(held.end - 1)?.passage?;
        let part = |i: usize| {
            let first = self.sentences.iter().position(|sentence| sentence.passage == Some(i))?;
            let own: Vec<&Sentence> =
                self.sentences[first..].iter().take_while(|sentence| sentence.passage == Some(i)).collect();
            let inside = |at: usize| at.saturating_sub(first).min(own.len());
            let sentences = inside(run.start)..inside(run.end);
            let start = match sentences.start.checked_sub(1) {
                Some(last) => own.get(last)?.range.end,
                None => 0,
            };
            let end = own[sentences.clone()].last().map_or(start, |sentence| sentence.range.end);
            let row = self.parents.get(i)?;
            let (passage, chunk_id) = (row.chunk_index, row.chunk_id.clone());
            Some(ConflictPart { passage, chunk_id, sentences, range: start..end })
        };
        let parts: Vec<ConflictPart> = passages.filter_map(part).collect();
        (!parts.is_empty()).then_some(ConflictPlace { parts })
    }
}

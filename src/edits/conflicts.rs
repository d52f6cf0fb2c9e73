//! Edits that conflict with a new source: their places and their resolution. Pure functions.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::chunks::{ChangedDocument, DocumentEdits, Edits, edit_chunks};
use super::derived::update_counts;
use super::parent_chunk::{delete_parent, source_parent};
use super::request::{ChunkEditRequest, NewText};
use super::sentences::{
    Sentence, only_place, replace_sentences, sentences_in, sentences_of_chunk, sentences_of_parent,
};
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::{ChunkId, DocId};
use crate::store::{Edit, NewDocument, ParentChunk};
use crate::text::tokens::tokenize;

/// Runs of sentences with at least this similarity (Dice coefficient of their words) count as versions of each other.
const LEAST_SIMILARITY: f32 = 0.4;
/// A conflict covers the sentences between its neighbours, if they are at most this many more than the original ones.
const MORE_BETWEEN: usize = 12;

/// Whose text wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Side {
    /// Your text
    Mine,
    /// The text of the source
    Theirs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    pub conflict_id: String,
    pub doc_id: DocId,
    pub source: String,
    /// The titles above it when it was made.
    pub titles: String,
    /// The source's text when it was made; empty for an insertion.
    pub original: String,
    /// The edit's text; `None` for a deletion.
    pub mine: Option<String>,
    /// The source's text now; empty if the edit would only insert.
    pub theirs: String,
    /// The parent chunk where that begins.
    pub chunk_id: Option<ChunkId>,
    /// The notes of the person.
    pub metadata: BTreeMap<String, String>,
    /// When the edit was made, RFC 3339.
    pub edited_at: String,
}

/// The conflicts of a document, by number.
pub fn conflicts(new: &NewDocument) -> Vec<Conflict> {
    let mut of: Vec<&Edit> = new.document.edits.iter().filter(|edit| edit.parent_chunk.is_none()).collect();
    of.sort_by_key(|edit| edit.number);
    of.into_iter().map(|edit| shown(edit, new)).collect()
}

fn shown(edit: &Edit, new: &NewDocument) -> Conflict {
    let parts = place(edit, new);
    let text = |part: &Part| Some(&new.parent(part.index)?.content[part.range.clone()]);
    let theirs: String = parts.iter().filter_map(text).collect();
    Conflict {
        conflict_id: conflict_id(&new.document.doc_id, edit.number),
        doc_id: new.document.doc_id.clone(),
        source: new.document.source.clone(),
        titles: edit.titles.clone(),
        original: edit.original.clone(),
        mine: edit.content.clone(),
        theirs: theirs.trim().to_owned(),
        chunk_id: parts.into_iter().next().map(|part| part.chunk_id),
        metadata: notes(edit),
        edited_at: edit.edited_at.clone(),
    }
}

fn notes(edit: &Edit) -> BTreeMap<String, String> {
    let mut notes: BTreeMap<String, String> = edit.child_chunk_metadata.values().flat_map(BTreeMap::clone).collect();
    notes.extend(edit.metadata.clone());
    notes
}

/// Resolves conflicts of the documents in `stored`: mine replaces the text, theirs leaves it. `now` is an RFC 3339
/// time. After an error nothing is changed.
pub fn resolve_conflicts(stored: Vec<NewDocument>, ids: &[String], side: Side, now: &str) -> Result<Edits> {
    let is_known = |id: &&String| stored.iter().any(|new| find_conflict(new, id).is_some());
    if let Some(id) = ids.iter().find(|id| !is_known(id)) {
        return Err(Error::not_found(format!("no conflict {id:?}; nothing was changed"))
            .hint(format!("`{}` lists the conflicts", NextStep::ListConflicts)));
    }
    let mut edits = Edits { changed: Vec::new(), documents: Vec::new() };
    for before in stored {
        let (mut after, mut named) = (before.clone(), Vec::new());
        for id in ids {
            let Some(edit) = find_conflict(&after, id).cloned() else { continue };
            if side == Side::Mine {
                after = with_mine(after, &edit, now)?;
            }
            after.document.edits.retain(|other| other.parent_chunk.is_some() || other.number != edit.number);
            named.push(id.clone());
        }
        if !named.is_empty() {
            edits.documents.push(DocumentEdits::between(&before, &after, named));
            edits.changed.push(ChangedDocument { before, after });
        }
    }
    Ok(edits)
}

fn with_mine(before: NewDocument, edit: &Edit, now: &str) -> Result<NewDocument> {
    let parts = place(edit, &before);
    if parts.is_empty() {
        let source = &before.document.source;
        let message = format!("{source} has no text left for the edit to replace; nothing was changed");
        return Err(Error::failed(message).hint(format!("keep the source's text with {} theirs", Setting("resolve"))));
    }
    let mine = edit.content.as_deref().unwrap_or_default();
    let mut after = before;
    for (i, part) in parts.iter().enumerate() {
        let Some(parent) = after.parent(part.index) else { continue };
        // An edit of notes alone changes no text.
        let text = match mine == edit.original {
            true => parent.content.to_string(),
            false => replace_sentences(&parent.content, part.sentences.clone(), if i == 0 { mine } else { "" }),
        };
        if text.trim().is_empty() {
            if let Some(source) = source_parent(&after, part.index) {
                delete_parent(&mut after, &source, now);
            }
            update_counts(&mut after);
            continue;
        }
        let notes = if i == 0 { notes(edit) } else { BTreeMap::new() };
        let request = ChunkEditRequest {
            chunk_id: parent.chunk_id.clone(),
            text: (text != parent.content).then_some(NewText::Given(text)),
            metadata: notes.into_iter().map(|(name, value)| (name, Some(value))).collect(),
        };
        let mut edits = edit_chunks(vec![after.clone()], &[request], now)?;
        after = edits.changed.pop().map_or(after, |changed| changed.after);
    }
    Ok(after)
}

/// What an edit in conflict would replace in one parent chunk.
pub(super) struct Part {
    pub index: u32,
    pub chunk_id: ChunkId,
    /// Its sentences by number; empty for an insertion.
    pub sentences: Range<usize>,
    /// The same in bytes of its text.
    pub range: Range<usize>,
}

/// The id of a conflict: `7f3k2m~3`.
pub(super) fn conflict_id(doc_id: &str, number: u32) -> String {
    format!("{doc_id}~{number}")
}

pub(super) fn find_conflict<'a>(new: &'a NewDocument, id: &str) -> Option<&'a Edit> {
    let is_it = |edit: &&Edit| edit.parent_chunk.is_none() && conflict_id(&new.document.doc_id, edit.number) == id;
    new.document.edits.iter().find(is_it)
}

/// Finds the present text of a conflict, by parent chunk: the text between its neighbours, which are the sentences
/// around it, or the start or end of its section. If that is much longer than before, or a neighbour is gone, it is the
/// run of sentences most like the original; without such a run, the place beside the remaining neighbour, or the end of
/// the section or document. The result is empty only for a document without text. The text of the edit goes into the
/// first part.
pub(super) fn place(edit: &Edit, new: &NewDocument) -> Vec<Part> {
    let version = Version::of(new);
    let all = 0..version.sentences.len();
    let original = sentences_in(&edit.original);
    let before = neighbour(&sentences_in(&edit.before), &version.sentences, true);
    let after = neighbour(&sentences_in(&edit.after), &version.sentences, false);
    let section = version.section_of(edit, before, after);
    let edges = section.clone().unwrap_or(all.clone());
    // If a neighbour is in another section, the conflict was at the edge of its own.
    let at_start = edit.before.is_empty().then_some(()).and(section.as_ref().map(|section| section.start));
    let start =
        before.map(|before| before + 1).or(at_start).map(|at| at.max(edges.start)).filter(|at| *at <= edges.end);
    let at_end = edit.after.is_empty().then_some(()).and(section.as_ref().map(|section| section.end));
    let end = after.or(at_end).map(|at| at.min(edges.end)).filter(|at| *at >= start.unwrap_or(edges.start));
    if let (Some(start), Some(end)) = (start, end)
        && end - start <= original.len() + MORE_BETWEEN
    {
        let alike = (end - start > original.len()).then(|| version.most_alike(edit, start..end)).flatten();
        return version.at(alike.unwrap_or(start..end), &edges).unwrap_or_default();
    }
    let near = start.unwrap_or(edges.start)..end.unwrap_or(edges.end);
    let alike = version.most_alike(edit, near).or_else(|| version.most_alike(edit, all));
    let beside = || start.or(end).unwrap_or(edges.end);
    version.at(alike.unwrap_or_else(|| beside()..beside()), &edges).unwrap_or_default()
}

/// The place of the sentence next to the conflict: by all kept sentences, or else by the nearest one.
fn neighbour(kept: &[Sentence], all: &[Sentence], in_front: bool) -> Option<usize> {
    let nearest = if in_front { kept.len().checked_sub(1)?..kept.len() } else { 0..kept.len().min(1) };
    let whole = only_place(kept, all).map(|at| if in_front { at + kept.len() - 1 } else { at });
    whole.or_else(|| only_place(&kept[nearest], all))
}

/// The present parent chunks of a document, and all their sentences.
struct Version<'a> {
    parents: &'a [ParentChunk],
    sentences: Vec<Sentence>,
}

impl<'a> Version<'a> {
    fn of(new: &'a NewDocument) -> Self {
        let parents = &new.parents;
        Version { parents, sentences: parents.iter().enumerate().flat_map(sentences_of_chunk).collect() }
    }

    fn parent_of(&self, sentence: usize) -> Option<&'a ParentChunk> {
        self.parents.get(self.sentences.get(sentence)?.parent_chunk?)
    }

    /// The sentences of the conflict's section: the one with its titles, or else that of its neighbours.
    fn section_of(&self, edit: &Edit, before: Option<usize>, after: Option<usize>) -> Option<Range<usize>> {
        let of =
            |sentence: Option<usize>| sentence.and_then(|at| self.parent_of(at)).map(|row| row.section_id.as_str());
        let neighbours = [of(before), of(after)];
        let with_titles: Vec<&str> =
            self.parents.iter().filter(|row| row.titles == edit.titles).map(|row| row.section_id.as_str()).collect();
        let mut known = [Some(edit.section_id.as_str()), neighbours[0], neighbours[1]].into_iter().flatten();
        let titled = known.find(|section| with_titles.contains(section)).or(with_titles.first().copied());
        let section = titled.or(neighbours[0].or(neighbours[1]))?;
        let is_in = |sentence: &Sentence| {
            sentence.parent_chunk.and_then(|i| self.parents.get(i)).is_some_and(|row| row.section_id == section)
        };
        let start = self.sentences.iter().position(is_in)?;
        let end = self.sentences.iter().rposition(is_in)? + 1;
        Some(start..end)
    }

    /// The run of sentences in `among` that is most like the original of an edit; the first and shortest of several.
    fn most_alike(&self, edit: &Edit, among: Range<usize>) -> Option<Range<usize>> {
        let words = |text: &str| tokenize(text).into_iter().map(|token| token.text).collect::<HashSet<String>>();
        let wanted = words(&edit.original);
        let longest = sentences_in(&edit.original).len() + MORE_BETWEEN;
        let own: Vec<HashSet<String>> =
            self.sentences[among.clone()].iter().map(|sentence| words(&sentence.key)).collect();
        // A run does not become more alike by a sentence without any of the words.
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
                let similarity = 2.0 * both / (said.len() + wanted.len()) as f32;
                if similarity >= LEAST_SIMILARITY && best.as_ref().is_none_or(|(most, _)| similarity > *most) {
                    best = Some((similarity, among.start + start..among.start + end + 1));
                }
            }
        }
        best.map(|(_, run)| run)
    }

    /// A run of sentences by parent chunk. An empty run stands beside the nearest sentence within `edges`.
    fn at(&self, run: Range<usize>, edges: &Range<usize>) -> Option<Vec<Part>> {
        let nearest = if run.start > edges.start { run.start.checked_sub(1)? } else { run.start };
        let held = if run.is_empty() { nearest..nearest + 1 } else { run.clone() };
        let parent_chunks =
            self.sentences.get(held.start)?.parent_chunk?..=self.sentences.get(held.end - 1)?.parent_chunk?;
        let part = |i: usize| {
            let place = sentences_of_parent(&self.sentences, i);
            if place.is_empty() {
                return None;
            }
            let own = &self.sentences[place.clone()];
            let inside = |at: usize| at.clamp(place.start, place.end) - place.start;
            let sentences = inside(run.start)..inside(run.end);
            let start = match sentences.start.checked_sub(1) {
                Some(last) => own.get(last)?.range.end,
                None => 0,
            };
            let end = own[sentences.clone()].last().map_or(start, |sentence| sentence.range.end);
            let row = self.parents.get(i)?;
            let (index, chunk_id) = (row.chunk_index, row.chunk_id.clone());
            Some(Part { index, chunk_id, sentences, range: start..end })
        };
        Some(parent_chunks.filter_map(part).collect())
    }
}

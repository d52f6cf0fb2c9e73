//! Applies edits to a new version of their document: a three-way merge by sentences.
//!
//! The sentences of the old and the new source are matched (Myers' diff), and each edit is split into runs of sentences
//! and the texts that replace them. A run that the source still has gets its edit. A run that the source changed too
//! becomes a conflict, unless the source has the person's text now. A parent chunk that the source still has word for
//! word keeps its edit as it is.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::derived::update_counts;
use super::parent_chunk::{
    NewChild, ParentChange, change_parent, delete_parent, distribute_notes, new_children, next_number, same_text,
    source_parents,
};
use super::sentences::{
    Run, Sentence, changed, matched, only_place, sentences_in, sentences_of, sentences_of_parent, trailing_space,
    with_runs_replaced,
};
use crate::store::{Edit, NewDocument, ParentChunk};

/// How many sentences before and after a conflict, of the same section, are kept with it.
const KEPT_AROUND: usize = 2;

type Notes = BTreeMap<String, String>;

/// The outcome of a document's edits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebased {
    /// Edits that apply to the new version.
    pub carried: usize,
    /// Changes that the source made too.
    pub already_in_source: usize,
    /// Changes that became conflicts.
    pub conflicts: usize,
}

/// Applies the edits and conflicts of `old` to `fresh`, the same document from its present source and without edits.
/// `now` is an RFC 3339 time.
pub fn rebase(old: &NewDocument, fresh: &mut NewDocument, now: &str) -> Rebased {
    if old.document.edits.is_empty() {
        return Rebased::default();
    }
    let (before, after) = (source_parents(old), source_parents(fresh));
    let mut plan = Plan::new(&before, &after, next_number(&old.document.edits));
    for edit in &old.document.edits {
        match edit.parent_chunk {
            Some(index) => plan.place_edit(edit, index),
            None => plan.place_conflict(edit),
        }
    }
    let Plan { targets, conflicts, carried, .. } = plan;
    fresh.document.edits = conflicts;
    for (source, target) in after.iter().zip(targets) {
        apply(fresh, source, target, now);
    }
    update_counts(fresh);
    carried
}

/// A parent chunk of the new version, and its changes.
#[derive(Debug, Default)]
struct Target {
    /// The indices of its sentences.
    sentences: Range<usize>,
    /// The text of an edit that applies as it is; `Some(None)` for a deletion.
    whole: Option<Option<String>>,
    /// Runs of its sentences that are replaced.
    runs: Vec<Run>,
    metadata: Notes,
    child_chunk_metadata: BTreeMap<String, Notes>,
    edited_at: String,
}

/// The place of a change in the new version.
enum Found {
    At(usize, Range<usize>),
    AlreadyInSource,
    Conflict,
}

struct Plan<'a> {
    before: &'a [ParentChunk],
    after: &'a [ParentChunk],
    old: Vec<Sentence>,
    new: Vec<Sentence>,
    places: Vec<Option<usize>>,
    /// For each sentence of the new version, whether an edit has replaced it.
    taken: Vec<bool>,
    targets: Vec<Target>,
    conflicts: Vec<Edit>,
    next_number: u32,
    carried: Rebased,
}

impl<'a> Plan<'a> {
    fn new(before: &'a [ParentChunk], after: &'a [ParentChunk], next_number: u32) -> Self {
        let (old, new) = (sentences_of(before), sentences_of(after));
        let places = matched(&old, &new);
        let target = |i| Target { sentences: sentences_of_parent(&new, i), ..Target::default() };
        let targets = (0..after.len()).map(target).collect();
        let taken = vec![false; new.len()];
        let (conflicts, carried) = (Vec::new(), Rebased::default());
        Plan { before, after, old, new, places, taken, targets, conflicts, next_number, carried }
    }

    fn place_edit(&mut self, edit: &Edit, index: u32) {
        let Some(at) = self.before.iter().position(|parent_chunk| parent_chunk.chunk_index == index) else {
            return self.place_conflict(edit);
        };
        let whole = sentences_of_parent(&self.old, at);
        if let Some(target) = self.same_parent_chunk(at, &whole) {
            self.taken[self.targets[target].sentences.clone()].fill(true);
            self.targets[target].whole = Some(edit.content.clone());
            self.note(target, edit);
            self.carried.carried += 1;
            return;
        }
        let mut lost = false;
        let mut first = None;
        for (run, space_before, text) in runs_of(edit, &self.old[whole.clone()], whole.start) {
            match self.find(&run, &whole, &text) {
                Found::At(target, place) => {
                    first = first.or(Some(target));
                    self.add_run(target, Run { place, space_before, text }, edit);
                }
                Found::AlreadyInSource => self.carried.already_in_source += 1,
                Found::Conflict => {
                    lost = true;
                    self.add_conflict(self.conflict(edit, &run, text));
                }
            }
        }
        if !edit.metadata.is_empty() || !edit.child_chunk_metadata.is_empty() {
            match self.most_of(&whole).or(first) {
                Some(target) => self.note(target, edit),
                None => {
                    lost = true;
                    let conflict = self.conflict(edit, &whole, edit.original.clone());
                    self.add_conflict(Edit {
                        metadata: edit.metadata.clone(),
                        child_chunk_metadata: edit.child_chunk_metadata.clone(),
                        ..conflict
                    });
                }
            }
        }
        self.carried.carried += usize::from(!lost);
    }

    /// A conflict applies after all if the source has the old text again.
    fn place_conflict(&mut self, edit: &Edit) {
        let (original, text) = (sentences_in(&edit.original), edit.content.clone().unwrap_or_default());
        let (before, after) = (sentences_in(&edit.before), sentences_in(&edit.after));
        // The place, and a sentence of its parent chunk.
        let found = match (original.is_empty(), before.is_empty()) {
            (false, _) => only_place(&original, &self.new).map(|at| (at..at + original.len(), at)),
            (true, false) => only_place(&before, &self.new).map(|at| at + before.len()).map(|end| (end..end, end - 1)),
            // It was inserted at the start of a section.
            (true, true) => only_place(&after, &self.new).map(|at| (at..at, at)),
        };
        let found = found.filter(|(place, _)| self.is_free(place));
        let found = found.and_then(|(place, sentence)| Some((place, self.new[sentence].parent_chunk?)));
        match found {
            Some((place, target)) => {
                if !same_text(&edit.original, &text) {
                    self.add_run(target, Run { place, space_before: String::new(), text }, edit);
                }
                self.note(target, edit);
                self.carried.carried += 1;
            }
            _ if edit.metadata.is_empty()
                && edit.child_chunk_metadata.is_empty()
                && only_place(&sentences_in(&text), &self.new).is_some() =>
            {
                self.carried.already_in_source += 1;
            }
            _ => self.conflicts.push(Edit { parent_chunk: None, ..edit.clone() }),
        }
    }

    /// The parent chunk of the new version with the same words.
    fn same_parent_chunk(&self, at: usize, whole: &Range<usize>) -> Option<usize> {
        let start = self.in_order(whole).map(|place| place.start)?;
        let target = self.new[start].parent_chunk?;
        let is_all = self.targets[target].sentences == (start..start + whole.len());
        let free = !self.taken[self.targets[target].sentences.clone()].contains(&true);
        (is_all && free && same_text(&self.before[at].content, &self.after[target].content)).then_some(target)
    }

    /// The place of a run of old sentences, if the new version has all of it in order.
    fn in_order(&self, run: &Range<usize>) -> Option<Range<usize>> {
        let matched = &self.places[run.clone()];
        let follow = |start: &usize| matched.iter().enumerate().all(|(i, place)| *place == Some(start + i));
        if let Some(start) = (*matched.first()?).filter(follow) {
            return Some(start..start + run.len());
        }
        let start = only_place(&self.old[run.clone()], &self.new)?;
        let place = start..start + run.len();
        // A sentence that matches another old one is not this one, however alike they are.
        let mut others = self.places[..run.start].iter().chain(&self.places[run.end..]).flatten();
        (!others.any(|other| place.contains(other))).then_some(place)
    }

    fn find(&self, run: &Range<usize>, whole: &Range<usize>, text: &str) -> Found {
        let at = |place: Range<usize>, sentence: usize| match self.new[sentence].parent_chunk {
            Some(target) if self.is_free(&place) => Found::At(target, place),
            _ => Found::Conflict,
        };
        if run.is_empty() {
            // The source has the inserted text too.
            if only_place(&sentences_in(text), &self.new).is_some() {
                return Found::AlreadyInSource;
            }
            let left = run.start.checked_sub(1).filter(|left| whole.contains(left)).and_then(|left| self.places[left]);
            let right = Some(run.start).filter(|right| whole.contains(right)).and_then(|right| self.places[right]);
            return match (left, right) {
                (Some(left), _) => at(left + 1..left + 1, left),
                (None, Some(right)) => at(right..right, right),
                (None, None) => Found::Conflict,
            };
        }
        if let Some(place) = self.in_order(run)
            && let Found::At(target, place) = at(place.clone(), place.start)
        {
            return Found::At(target, place);
        }
        let said = only_place(&sentences_in(text), &self.new).is_some();
        let gone =
            text.trim().is_empty() && self.gap(run).is_empty() && self.places[run.clone()].iter().all(Option::is_none);
        if said || gone { Found::AlreadyInSource } else { Found::Conflict }
    }

    /// The sentences of the new version between the neighbours of a run.
    fn gap(&self, run: &Range<usize>) -> Range<usize> {
        let start = self.places[..run.start].iter().rev().find_map(|place| *place).map_or(0, |at| at + 1);
        let end = self.places[run.end..].iter().find_map(|place| *place).unwrap_or(self.new.len());
        start..end.max(start)
    }

    fn is_free(&self, place: &Range<usize>) -> bool {
        let inside_whole = |target: &Target| target.whole.is_some() && target.sentences.contains(&place.start);
        let inside = place.is_empty() && self.targets.iter().any(inside_whole);
        !inside && !self.taken[place.clone()].contains(&true)
    }

    fn add_run(&mut self, target: usize, run: Run, edit: &Edit) {
        self.taken[run.place.clone()].fill(true);
        // A run can reach into the next parent chunks.
        for (at, other) in self.targets.iter_mut().enumerate().skip(target) {
            let reaches = match run.place.is_empty() {
                true => at == target,
                false => run.place.start < other.sentences.end && other.sentences.start < run.place.end,
            };
            if reaches {
                other.runs.push(run.clone());
                keep_latest(&mut other.edited_at, &edit.edited_at);
            }
        }
    }

    fn note(&mut self, target: usize, edit: &Edit) {
        let target = &mut self.targets[target];
        target.metadata.extend(edit.metadata.clone());
        target.child_chunk_metadata.extend(edit.child_chunk_metadata.clone());
        keep_latest(&mut target.edited_at, &edit.edited_at);
    }

    /// The parent chunk of the new version that has most of these sentences.
    fn most_of(&self, sentences: &Range<usize>) -> Option<usize> {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for place in self.places[sentences.clone()].iter().flatten() {
            if let Some(target) = self.new[*place].parent_chunk {
                *counts.entry(target).or_default() += 1;
            }
        }
        counts.into_iter().max_by_key(|&(target, count)| (count, std::cmp::Reverse(target))).map(|(target, _)| target)
    }

    fn conflict(&self, edit: &Edit, run: &Range<usize>, text: String) -> Edit {
        let own = |sentence: &&Sentence| sentence.parent_chunk.is_some();
        let mut before: Vec<&str> =
            self.old[..run.start].iter().rev().take_while(own).take(KEPT_AROUND).map(|s| s.key.as_str()).collect();
        before.reverse();
        let after: Vec<&str> =
            self.old[run.end..].iter().take_while(own).take(KEPT_AROUND).map(|s| s.key.as_str()).collect();
        let source = |sentence: &Sentence| Some(&self.before[sentence.parent_chunk?].content[sentence.range.clone()]);
        let original: String = self.old[run.clone()].iter().filter_map(source).collect();
        Edit {
            parent_chunk: None,
            original: original.trim_end().to_owned(),
            content: (!text.trim().is_empty()).then(|| text.trim_end().to_owned()),
            metadata: BTreeMap::new(),
            child_chunk_metadata: BTreeMap::new(),
            // A blank line always separates sentences.
            before: before.join("\n\n"),
            after: after.join("\n\n"),
            ..edit.clone()
        }
    }

    fn add_conflict(&mut self, conflict: Edit) {
        self.carried.conflicts += 1;
        self.conflicts.push(Edit { number: self.next_number, ..conflict });
        self.next_number += 1;
    }
}

/// An edit as runs of sentences, counted from `first`, each with the space before the text that replaces it, and the
/// text.
fn runs_of(edit: &Edit, old: &[Sentence], first: usize) -> Vec<(Range<usize>, String, String)> {
    let Some(content) = &edit.content else {
        return vec![(first..first + old.len(), String::new(), String::new())];
    };
    let new = sentences_in(content);
    changed(old, &new)
        .into_iter()
        .map(|(run, by)| {
            let text = match (new.get(by.start), by.end.checked_sub(1).and_then(|last| new.get(last))) {
                (Some(start), Some(end)) if !by.is_empty() => content[start.range.start..end.range.end].to_owned(),
                _ => String::new(),
            };
            let space_before =
                by.start.checked_sub(1).and_then(|i| new.get(i)).map(|s| trailing_space(&content[s.range.clone()]));
            (first + run.start..first + run.end, space_before.unwrap_or_default().to_owned(), text)
        })
        .collect()
}

fn keep_latest(time: &mut String, other: &str) {
    if other > time.as_str() {
        *time = other.to_owned();
    }
}

/// Applies the plan to a parent chunk of the new version.
fn apply(fresh: &mut NewDocument, source: &ParentChunk, mut target: Target, now: &str) {
    let nothing = target.whole.is_none()
        && target.runs.is_empty()
        && target.metadata.is_empty()
        && target.child_chunk_metadata.is_empty();
    if nothing {
        return;
    }
    let text = match target.whole.take() {
        Some(whole) => {
            whole.map_or(String::new(), |text| format!("{}{}", text.trim_end(), trailing_space(&source.content)))
        }
        None if target.runs.is_empty() => source.content.to_string(),
        None => with_runs_replaced(&source.content, target.sentences.start, &target.runs),
    };
    if text.trim().is_empty() {
        return delete_parent(fresh, source, &target.edited_at);
    }
    let mut children = match fresh.parent(source.chunk_index) {
        Some(parent) if same_text(&text, &source.content) => parent.children.iter().map(NewChild::from).collect(),
        _ => new_children(&text, &fresh.document.chunking),
    };
    distribute_notes(&mut children, target.child_chunk_metadata, &mut target.metadata);
    let change =
        ParentChange { source: source.clone(), children, metadata: target.metadata, edited_at: target.edited_at };
    change_parent(fresh, change, now);
}

//! Applies edits to a new version of their document: a three-way merge by sentences.
//!
//! The sentences of the old and the new source are matched (Myers' diff), and each edit is split into runs of sentences
//! and the texts that replace them. A run that the source still has gets its edit. A run that the source changed too
//! becomes a conflict. If the source has the person's text too, the change is settled. A parent chunk that the source
//! still has word for word keeps its edit as it is.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::derived::mend_counts;
use super::parent_chunk::{
    NewChild, ParentChange, as_the_source_says, change_parent, delete_parent, new_children, next_number, pass_notes,
    same,
};
use super::sentences::{
    Run, Sentence, changed, exchanged, matched, only_place, own, sentences_in, sentences_of, space_behind,
};
use crate::store::{Edit, NewDocument, ParentChunk};

/// Sentences around a conflict, of the same section, that are kept with it.
const AROUND: usize = 2;

type Notes = BTreeMap<String, String>;

/// The outcome of a document's edits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebased {
    /// Edits that apply to the new version.
    pub carried: usize,
    /// Changes that the source made too.
    pub settled: usize,
    /// Changes that became conflicts.
    pub conflicts: usize,
}

/// Applies the edits and conflicts of `old` to `fresh`, the same document from its present source and without edits.
/// `now` is an RFC 3339 time.
pub fn rebase(old: &NewDocument, fresh: &mut NewDocument, now: &str) -> Rebased {
    if old.document.edits.is_empty() {
        return Rebased::default();
    }
    let (before, after) = (as_the_source_says(old), as_the_source_says(fresh));
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
        put(fresh, source, target, now);
    }
    mend_counts(fresh);
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
    Settled,
    Lost,
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
        let targets = (0..after.len()).map(|i| Target { sentences: own(&new, i), ..Target::default() }).collect();
        let taken = vec![false; new.len()];
        let (conflicts, carried) = (Vec::new(), Rebased::default());
        Plan { before, after, old, new, places, taken, targets, conflicts, next_number, carried }
    }

    fn place_edit(&mut self, edit: &Edit, index: u32) {
        let Some(at) = self.before.iter().position(|parent_chunk| parent_chunk.chunk_index == index) else {
            return self.place_conflict(edit);
        };
        let whole = own(&self.old, at);
        if let Some(target) = self.same_parent_chunk(at, &whole) {
            self.taken[self.targets[target].sentences.clone()].fill(true);
            self.targets[target].whole = Some(edit.content.clone());
            self.note(target, edit);
            self.carried.carried += 1;
            return;
        }
        let mut lost = false;
        let mut first = None;
        for (run, space_before, text) in runs(edit, &self.old[whole.clone()], whole.start) {
            match self.find(&run, &whole, &text) {
                Found::At(target, place) => {
                    first = first.or(Some(target));
                    self.take(target, Run { place, space_before, text }, edit);
                }
                Found::Settled => self.carried.settled += 1,
                Found::Lost => {
                    lost = true;
                    let conflict = self.conflict(edit, &run, text);
                    self.keep(conflict);
                }
            }
        }
        if !edit.metadata.is_empty() || !edit.child_chunk_metadata.is_empty() {
            match self.most_of(&whole).or(first) {
                Some(target) => self.note(target, edit),
                None => {
                    lost = true;
                    let text = edit.original.clone();
                    let conflict = self.conflict(edit, &whole, text);
                    self.keep(Edit {
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
                if !same(&edit.original, &text) {
                    self.take(target, Run { place, space_before: String::new(), text }, edit);
                }
                self.note(target, edit);
                self.carried.carried += 1;
            }
            _ if edit.metadata.is_empty()
                && edit.child_chunk_metadata.is_empty()
                && only_place(&sentences_in(&text), &self.new).is_some() =>
            {
                self.carried.settled += 1;
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
        (is_all && free && same(&self.before[at].content, &self.after[target].content)).then_some(target)
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
            _ => Found::Lost,
        };
        if run.is_empty() {
            // The source has the inserted text too.
            if only_place(&sentences_in(text), &self.new).is_some() {
                return Found::Settled;
            }
            let left = run.start.checked_sub(1).filter(|left| whole.contains(left)).and_then(|left| self.places[left]);
            let right = Some(run.start).filter(|right| whole.contains(right)).and_then(|right| self.places[right]);
            return match (left, right) {
                (Some(left), _) => at(left + 1..left + 1, left),
                (None, Some(right)) => at(right..right, right),
                (None, None) => Found::Lost,
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
        if said || gone { Found::Settled } else { Found::Lost }
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

    fn take(&mut self, target: usize, run: Run, edit: &Edit) {
        self.taken[run.place.clone()].fill(true);
        // A run can reach into the next parent chunks.
        for other in &mut self.targets[target..] {
            let reaches =
                !run.place.is_empty() && run.place.start < other.sentences.end && other.sentences.start < run.place.end;
            if reaches {
                other.runs.push(run.clone());
                later(&mut other.edited_at, &edit.edited_at);
            }
        }
        if run.place.is_empty() {
            let target = &mut self.targets[target];
            target.runs.push(run);
            later(&mut target.edited_at, &edit.edited_at);
        }
    }

    fn note(&mut self, target: usize, edit: &Edit) {
        let target = &mut self.targets[target];
        target.metadata.extend(edit.metadata.clone());
        target.child_chunk_metadata.extend(edit.child_chunk_metadata.clone());
        later(&mut target.edited_at, &edit.edited_at);
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
            self.old[..run.start].iter().rev().take_while(own).take(AROUND).map(|s| s.key.as_str()).collect();
        before.reverse();
        let after: Vec<&str> =
            self.old[run.end..].iter().take_while(own).take(AROUND).map(|s| s.key.as_str()).collect();
        let original: String = self.old[run.clone()]
            .iter()
            .filter_map(|sentence| Some(&self.before[sentence.parent_chunk?].content[sentence.range.clone()]))
            .collect();
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

    fn keep(&mut self, conflict: Edit) {
        self.carried.conflicts += 1;
        self.conflicts.push(Edit { number: self.next_number, ..conflict });
        self.next_number += 1;
    }
}

/// An edit as runs of sentences, counted from `first`, each with the space before the text that replaces it, and the text.
fn runs(edit: &Edit, old: &[Sentence], first: usize) -> Vec<(Range<usize>, String, String)> {
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
                by.start.checked_sub(1).and_then(|i| new.get(i)).map(|s| space_behind(&content[s.range.clone()]));
            (first + run.start..first + run.end, space_before.unwrap_or_default().to_owned(), text)
        })
        .collect()
}

fn later(time: &mut String, other: &str) {
    if other > time.as_str() {
        *time = other.to_owned();
    }
}

/// Applies the plan to a parent chunk of the new version.
fn put(fresh: &mut NewDocument, source: &ParentChunk, mut target: Target, now: &str) {
    let nothing = target.whole.is_none()
        && target.runs.is_empty()
        && target.metadata.is_empty()
        && target.child_chunk_metadata.is_empty();
    if nothing {
        return;
    }
    let text = match target.whole.take() {
        Some(whole) => {
            whole.map_or(String::new(), |text| format!("{}{}", text.trim_end(), space_behind(&source.content)))
        }
        None if target.runs.is_empty() => source.content.clone(),
        None => exchanged(&source.content, target.sentences.start, &target.runs),
    };
    if text.trim().is_empty() {
        return delete_parent(fresh, source, &target.edited_at);
    }
    let mut children = match fresh.parent(source.chunk_index) {
        Some(parent) if same(&text, &source.content) => parent.children.iter().map(NewChild::from).collect(),
        _ => new_children(&text, &fresh.document.chunking),
    };
    pass_notes(&mut children, target.child_chunk_metadata, &mut target.metadata);
    let change =
        ParentChange { source: source.clone(), children, metadata: target.metadata, edited_at: target.edited_at };
    change_parent(fresh, change, now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::chunks::tests::{edit, note, order, stored};
    use crate::edits::conflicts::{conflict_id, find_conflict, place};
    use crate::edits::{Side, delete_chunks, settle};
    use crate::ids::ChunkId;
    use proptest::prelude::*;

    fn edited(new: NewDocument, id: &str, text: &str) -> NewDocument {
        edit(&new, &[order(id, text)])
    }

    fn deleted(new: NewDocument, id: &str) -> NewDocument {
        delete_chunks(vec![new], &[id.to_owned()], true, "now").unwrap().changed.remove(0).after
    }

    fn carried(old: &NewDocument, source: &str) -> (NewDocument, Rebased) {
        let mut fresh = stored(source);
        let carried = rebase(old, &mut fresh, "later");
        (fresh, carried)
    }

    fn text(new: &NewDocument) -> String {
        let parents = new.parents.iter();
        parents.map(|row| row.content.trim_end()).collect::<Vec<_>>().join("|")
    }

    /// The source's text at a conflict.
    fn theirs(conflict: &Edit, new: &NewDocument) -> String {
        let parts = place(conflict, new);
        let of = |id: &str| new.chunks().find(|row| row.chunk_id == id).unwrap().content.clone();
        parts.iter().map(|part| of(&part.chunk_id)[part.range.clone()].to_owned()).collect::<String>().trim().to_owned()
    }

    /// The document after its only conflict was settled for the person.
    fn with_mine(new: &NewDocument) -> NewDocument {
        let id = conflict_id(&new.document.doc_id, new.document.edits[0].number);
        settle(vec![new.clone()], &[id], Side::Mine, "later").unwrap().changed.remove(0).after
    }

    const TEXT: &str =
        "# One\n\nFirst one here. Second one here. Third one here.\n\n# Two\n\nAlone it stands. 再检查压力表。\n";

    #[test]
    fn an_edit_follows_its_text_to_another_place() {
        let old = "# D\n\n## Part 0\n\nThe first pump is red.\n\n## Part 1\n\nThe other one is blue.\n";
        let new = "# D\n\n## Part 0\n\nThe other one is blue.\n\n## Part 1\n\nA third is green.\n";
        let (fresh, what) = carried(&deleted(stored(old), "abc123:1"), new);
        assert_eq!((text(&fresh).as_str(), what.carried, what.conflicts), ("A third is green.", 1, 0));
        let (fresh, what) = carried(&edited(stored(old), "abc123:1", "It is black."), new);
        assert_eq!((text(&fresh).as_str(), what.carried), ("It is black.|A third is green.", 1));
    }

    #[test]
    fn an_edit_stays_if_the_source_changed_elsewhere() {
        let old = edited(stored(TEXT), "abc123:0", "First one here. Second is better. Third one here.");
        let source = "# Zero\n\nNew in front.\n\n# One renamed\n\nFirst has changed. Second one here. Third one\nhere. Fourth.\n";
        let (new, what) = carried(&old, source);
        assert_eq!(text(&new), "New in front.|First has changed. Second is better. Third one\nhere. Fourth.");
        assert_eq!((what.carried, what.conflicts), (1, 0));
        assert_eq!(new.document.edits[0].original, "First has changed. Second one here. Third one\nhere. Fourth.");
    }

    #[test]
    fn a_sentence_that_both_changed_becomes_a_conflict() {
        let old = edited(stored(TEXT), "abc123:0", "First one here. Second is better. Third one here.");
        let (new, what) = carried(&old, &TEXT.replace("Second one", "Second two"));
        assert_eq!(text(&new).split('|').next(), Some("First one here. Second two here. Third one here."));
        assert_eq!((what.carried, what.conflicts), (0, 1));
        let conflict = &new.document.edits[0];
        assert_eq!(
            (conflict.original.as_str(), conflict.content.as_deref()),
            ("Second one here.", Some("Second is better."))
        );
        assert!(conflict.before.ends_with("First one here.") && conflict.after.starts_with("Third one here."));
        assert_eq!(theirs(conflict, &new), "Second two here.");
        // It stays a conflict, and is applied when the source has the old text again.
        let (again, what) = carried(&new, &TEXT.replace("Second one", "Second three"));
        assert_eq!((what.carried, what.conflicts, again.document.edits.len()), (0, 0, 1));
        assert!(find_conflict(&again, &format!("abc123~{}", conflict.number)).is_some());
        let (back, what) = carried(&again, TEXT);
        assert_eq!(what.carried, 1);
        assert!(text(&back).contains("Second is better.") && back.document.edits[0].parent_chunk == Some(0));
    }

    #[test]
    fn a_conflict_about_a_whole_section_is_settled_for_all_of_it() {
        let old = edited(stored(TEXT), "abc123:0", "All was said anew.");
        let (new, _) = carried(&old, &TEXT.replace("First one here", "First one stands here"));
        assert_eq!(theirs(&new.document.edits[0], &new), "First one stands here. Second one here. Third one here.");
        assert_eq!(text(&with_mine(&new)), "All was said anew.|Alone it stands. 再检查压力表。");
        let chinese = "# 甲\n\n先启动水泵。再检查压力表。最后关阀门。\n\n# 乙\n\n到此为止。\n";
        let old = edited(stored(chinese), "abc123:0", "先启动水泵。后面两步不用做。");
        let (new, _) = carried(&old, &chinese.replace("再检查压力表。", "再检查电压表。"));
        assert_eq!(theirs(&new.document.edits[0], &new), "再检查电压表。最后关阀门。");
        assert_eq!(text(&with_mine(&new)), "先启动水泵。后面两步不用做。|到此为止。");
    }

    #[test]
    fn an_insertion_at_the_start_of_a_section_stays_in_it() {
        let old = edited(stored(TEXT), "abc123:1", "Look first. Alone it stands. 再检查压力表。");
        let (new, what) = carried(&old, "# One\n\nFirst one here.\n\n# Two\n\nIt fell down at last.\n");
        assert_eq!((what.conflicts, theirs(&new.document.edits[0], &new).as_str()), (1, ""));
        assert_eq!(text(&with_mine(&new)), "First one here.|Look first. It fell down at last.");
        let (back, what) = carried(&new, TEXT);
        assert_eq!(
            (text(&back).split('|').next_back(), what.carried),
            (Some("Look first. Alone it stands. 再检查压力表。"), 1)
        );
    }

    #[test]
    fn a_sentence_that_the_source_adds_beside_a_conflict_stays() {
        let old = edited(stored(TEXT), "abc123:0", "First is better. Second one here. Third one here.");
        let source = TEXT.replace("First one here.", "In front of all. And before it. First one stands here.");
        let (new, _) = carried(&old, &source);
        assert_eq!(theirs(&new.document.edits[0], &new), "First one stands here.");
        let mine = "In front of all. And before it. First is better. Second one here. Third one here.";
        assert_eq!(text(&with_mine(&new)).replace('|', " ").split(" Alone").next(), Some(mine));
    }

    #[test]
    fn an_edit_is_not_applied_to_equal_sentences_of_another_section() {
        let twice = "# One\n\nFirst one here. Second one here.\n\n# Two\n\nFirst one here. Second one here.\n";
        let old = edited(stored(twice), "abc123:0", "All was said anew.");
        let (new, what) = carried(&old, &twice.replacen("Second one", "Second two", 1));
        assert_eq!(what.conflicts, 1);
        assert_eq!(text(&new), "First one here. Second two here.|First one here. Second one here.");
    }

    #[test]
    fn a_conflict_with_a_note_on_a_child_chunk_is_not_settled() {
        let old = edited(stored(TEXT), "abc123:0", "First one here. Second is better. Third one here.");
        let (mut new, _) = carried(&old, &TEXT.replace("Second one", "Second two"));
        let source = TEXT.replace("Second one here", "Second is better");
        assert_eq!(carried(&new, &source).1.settled, 1);
        let note = BTreeMap::from([("owner".to_owned(), "Ann".to_owned())]);
        new.document.edits[0].child_chunk_metadata.insert("Second is better.".to_owned(), note);
        let (kept, what) = carried(&new, &source);
        assert_eq!((what.settled, kept.document.edits.len()), (0, 1));
    }

    #[test]
    fn an_edit_that_the_source_made_too_is_settled() {
        let old = edited(stored(TEXT), "abc123:0", "First one here. Second is better. Third one here.");
        let (new, what) = carried(&old, &TEXT.replace("Second one here", "Second is better"));
        assert_eq!((what.settled, what.conflicts, new.document.edits.len()), (1, 0, 0));
        let old = deleted(stored(TEXT), "abc123:1.1");
        let (new, what) = carried(&old, &TEXT.replace(" 再检查压力表。", ""));
        assert_eq!((what.settled, new.document.edits.len()), (1, 0));
    }

    #[test]
    fn an_insertion_stays_beside_its_neighbour() {
        let old = edited(stored(TEXT), "abc123:1", "Alone it stands. 再检查压力表。\n\nNobody knows why.");
        let (new, what) = carried(&old, &TEXT.replace("Alone it stands.", "Alone it goes."));
        assert_eq!(
            (text(&new).split('|').next_back(), what.conflicts),
            (Some("Alone it goes. 再检查压力表。\n\nNobody knows why."), 0)
        );
        let (new, what) = carried(&old, "# One\n\nFirst one here.\n");
        assert_eq!((what.conflicts, new.document.edits[0].content.as_deref()), (1, Some("Nobody knows why.")));
        let part = place(&new.document.edits[0], &new).remove(0);
        assert_eq!(part.range, "First one here.".len().."First one here.".len());
    }

    #[test]
    fn notes_go_with_their_parent_chunk_or_become_a_conflict() {
        let old = edit(&stored(TEXT), &[note("abc123:1", "reviewed", Some("yes"))]);
        let (new, _) = carried(&old, &format!("Before all.\n\n{TEXT}").replace("Alone it stands", "Alone it goes"));
        let noted: Vec<&str> =
            new.chunks().filter(|row| !row.metadata.is_empty()).map(|row| row.chunk_id.as_str()).collect();
        assert_eq!(noted, ["abc123:2"]);
        let (new, what) = carried(&old, "# One\n\nFirst one here.\n");
        assert_eq!((what.conflicts, new.document.edits[0].metadata.len()), (1, 1));
    }

    fn keys(text: &str) -> Vec<String> {
        sentences_in(text).into_iter().map(|sentence| sentence.key).collect()
    }

    proptest! {
        /// The promise of this module. Sentences have numbers, so that all are different.
        #[test]
        fn nothing_that_was_typed_is_lost(
            kept in proptest::collection::vec(0u8..4, 4..30),
            typed in proptest::collection::vec((any::<prop::sample::Index>(), 1usize..4), 1..5),
        ) {
            // 0 to 2: in both versions; 3: changed by the source; a new section now and then.
            let version = |new: bool| kept.iter().enumerate().map(|(i, kind)| {
                let head = if i % 7 == 3 { format!("\n\n# Head {i}\n\n") } else { String::new() };
                let said = if *kind == 3 && new { "Changed" } else { "Sentence" };
                format!("{head}{said} number {i} it is. ")
            }).collect::<String>();
            let mut old = stored(&version(false));
            let mut all = Vec::new();
            for (n, (pick, sentences)) in typed.iter().enumerate() {
                let ids: Vec<ChunkId> = old.chunks().map(|chunk| chunk.chunk_id.clone()).collect();
                let id = pick.get(&ids);
                let text: Vec<String> = (0..*sentences).map(|i| format!("Typed {n} part {i} is here.")).collect();
                old = edited(old, id, &text.join(" "));
            }
            for edit in &old.document.edits {
                all.extend(keys(edit.content.as_deref().unwrap_or_default()).into_iter().filter(|key| key.starts_with("Typed")));
            }
            let (new, _) = carried(&old, &version(true));
            let said: Vec<String> = new.chunks().flat_map(|row| keys(&row.content))
                .chain(new.document.edits.iter().flat_map(|edit| keys(edit.content.as_deref().unwrap_or_default())))
                .collect();
            for key in &all {
                prop_assert!(said.contains(key), "{key} is lost: {said:?}");
            }
            // Child chunks joined are their parent chunks, and edits have the texts of their parent chunks.
            for parent in &new.parents {
                let own: String = parent.children.iter().map(|row| row.content.as_str()).collect();
                prop_assert_eq!(&own, &parent.content);
                if let Some(edit) = new.document.edits.iter().find(|edit| edit.parent_chunk == Some(parent.chunk_index)) {
                    prop_assert_eq!(edit.content.as_ref(), Some(&parent.content));
                }
            }
            // Applying the edits to the same source again changes nothing.
            let (again, _) = carried(&new, &version(true));
            prop_assert_eq!(text(&again), text(&new));
        }

        /// An edit that becomes a conflict replaces exactly the sentences that it was about, however many these are and
        /// whatever else has changed, at the edge of a section and across parent chunks.
        #[test]
        fn mine_replaces_exactly_the_sentences_of_its_conflict(
            changes in proptest::collection::vec(any::<bool>(), 2..24),
            pick in any::<prop::sample::Index>(),
            (from, count, broken) in (any::<prop::sample::Index>(), 1usize..4, any::<prop::sample::Index>()),
        ) {
            let sentence = |i: usize, new: bool| match new {
                true => format!("By now pump{i} valve{i} lever{i} turn at once."),
                false => format!("Then pump{i} valve{i} lever{i} turned."),
            };
            let version = |changed: &dyn Fn(usize) -> bool| (0..changes.len()).map(|i| {
                let head = if i % 5 == 3 { format!("\n\n# Head {i}\n\n") } else { String::new() };
                format!("{head}{} ", sentence(i, changed(i)))
            }).collect::<String>();
            let old = stored(&version(&|_| false));
            let parent_chunk = pick.get(&old.parents);
            let own = keys(&parent_chunk.content);
            let from = from.index(own.len());
            let run = from..own.len().min(from + count);
            let first = (0..changes.len()).find(|i| sentence(*i, false) == own[run.start]).unwrap();
            let about = first..first + run.len();
            let broken = first + broken.index(run.len());
            let changed = |i: usize| changes[i] || i == broken;
            let mut typed = own.clone();
            typed.splice(run, ["Typed is this.".to_owned()]);
            let old = edited(old.clone(), &parent_chunk.chunk_id, &typed.join(" "));
            let (new, what) = carried(&old, &version(&changed));
            prop_assert_eq!(what.conflicts, 1);
            let mut wanted: Vec<String> = (0..changes.len()).map(|i| sentence(i, changed(i))).collect();
            prop_assert_eq!(keys(&theirs(&new.document.edits[0], &new)), &wanted[about.clone()]);
            wanted.splice(about, ["Typed is this.".to_owned()]);
            prop_assert_eq!(keys(&text(&with_mine(&new)).replace('|', "\n\n")), wanted);
        }
    }
}

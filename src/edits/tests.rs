//! Tests for edits whose source changes and for resolved conflicts: examples, and properties for any text.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::chunks::tests::{edit, note, request, stored};
use super::conflicts::{conflict_id, find_conflict, place};
use super::sentences::sentences_in;
use super::{Rebased, Side, delete_chunks, rebase, resolve_conflicts};
use crate::ids::ChunkId;
use crate::store::{Edit, NewDocument};

fn edited(new: NewDocument, id: &str, text: &str) -> NewDocument {
    edit(&new, &[request(id, text)])
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

/// The document after its only conflict was resolved with the person's text.
fn with_mine(new: &NewDocument) -> NewDocument {
    let id = conflict_id(&new.document.doc_id, new.document.edits[0].number);
    resolve_conflicts(vec![new.clone()], &[id], Side::Mine, "later").unwrap().changed.remove(0).after
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
    let source =
        "# Zero\n\nNew in front.\n\n# One renamed\n\nFirst has changed. Second one here. Third one\nhere. Fourth.\n";
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
    assert_eq!(carried(&new, &source).1.already_in_source, 1);
    let note = BTreeMap::from([("owner".to_owned(), "Ann".to_owned())]);
    new.document.edits[0].child_chunk_metadata.insert("Second is better.".to_owned(), note);
    let (kept, what) = carried(&new, &source);
    assert_eq!((what.already_in_source, kept.document.edits.len()), (0, 1));
}

#[test]
fn an_edit_that_the_source_made_too_is_settled() {
    let old = edited(stored(TEXT), "abc123:0", "First one here. Second is better. Third one here.");
    let (new, what) = carried(&old, &TEXT.replace("Second one here", "Second is better"));
    assert_eq!((what.already_in_source, what.conflicts, new.document.edits.len()), (1, 0, 0));
    let old = deleted(stored(TEXT), "abc123:1.1");
    let (new, what) = carried(&old, &TEXT.replace(" 再检查压力表。", ""));
    assert_eq!((what.already_in_source, new.document.edits.len()), (1, 0));
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
    /// The promise of this room. Sentences have numbers, so that all are different.
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
                prop_assert_eq!(edit.content.as_deref(), Some(parent.content.as_str()));
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

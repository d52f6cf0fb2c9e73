//! Sentences of two versions of a text, matched: which of one are still in the other.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::base::Passage;
use crate::text::sentences::sentences;
use crate::text::squeeze;

/// Two versions with little in common take longest to compare. After this what was matched so far must do: an edit
/// that is not placed becomes a conflict, which loses nothing.
const LONGEST: Duration = Duration::from_secs(5);

/// A sentence of a version, or the title of a section, which is no part of any passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Which of the passages it is in; `None` for a title.
    pub passage: Option<usize>,
    /// Where it is in the passage's text, with the space behind it.
    pub range: Range<usize>,
    /// Its text, whatever the lines it was broken into.
    pub key: String,
}

/// All sentences of a version, with the titles in front of those of each section.
pub(super) fn sentences_of(passages: &[Passage]) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut section = None;
    for (i, passage) in passages.iter().enumerate() {
        if section != Some(&passage.section_id) {
            section = Some(&passage.section_id);
            all.push(Sentence { passage: None, range: 0..0, key: format!("§ {}", passage.context) });
        }
        all.extend(sentences_in(&passage.text).into_iter().map(|sentence| Sentence { passage: Some(i), ..sentence }));
    }
    all
}

/// The sentences of one text.
pub(super) fn sentences_in(text: &str) -> Vec<Sentence> {
    sentences(text)
        .into_iter()
        .map(|range| Sentence { passage: None, key: squeeze(&text[range.clone()]), range })
        .collect()
}

/// For each sentence of `old` the one of `new` that it is.
pub(super) fn matched(old: &[Sentence], new: &[Sentence]) -> Vec<Option<usize>> {
    let mut places = vec![None; old.len()];
    for op in differences(old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for i in 0..len {
                places[old_index + i] = Some(new_index + i);
            }
        }
    }
    places
}

/// What is not the same in two versions: sentences of the old one, and those of the new one in their place.
pub(super) fn changed(old: &[Sentence], new: &[Sentence]) -> Vec<(Range<usize>, Range<usize>)> {
    differences(old, new)
        .into_iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| (op.old_range(), op.new_range()))
        .collect()
}

fn differences(old: &[Sentence], new: &[Sentence]) -> Vec<DiffOp> {
    // Numbers compare faster than sentences.
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut numbered = Vec::with_capacity(2);
    for version in [old, new] {
        let mut ids = Vec::with_capacity(version.len());
        for sentence in version {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            ids.push(*numbers.entry(sentence.key.as_str()).or_insert(next));
        }
        numbered.push(ids);
    }
    capture_diff_slices_deadline(Algorithm::Myers, &numbered[0], &numbered[1], Some(Instant::now() + LONGEST))
}

/// Where a run of sentences is in a version, if it is there exactly once.
pub(super) fn only_place(run: &[Sentence], version: &[Sentence]) -> Option<usize> {
    let keys: Vec<&str> = run.iter().map(|sentence| sentence.key.as_str()).collect();
    if keys.is_empty() {
        return None;
    }
    let mut places = version
        .windows(keys.len())
        .enumerate()
        .filter(|(_, window)| window.iter().map(|sentence| sentence.key.as_str()).eq(keys.iter().copied()))
        .map(|(at, _)| at);
    let first = places.next();
    first.filter(|_| places.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_matched_in_order_whatever_their_lines() {
        let old = sentences_in("First one. Second\none. Third one. Last.");
        let new = sentences_in("New. First one. Second one.\n\nLast.");
        assert_eq!(matched(&old, &new), [Some(1), Some(2), None, Some(3)]);
        assert_eq!(changed(&old, &new), [(0..0, 0..1), (2..3, 3..3)]);
    }

    #[test]
    fn a_run_has_a_place_only_where_it_is_once() {
        let version = sentences_in("Again. Once. Again. 再来。");
        assert_eq!(only_place(&sentences_in("Again."), &version), None);
        assert_eq!(only_place(&sentences_in("Once. Again."), &version), Some(1));
        assert_eq!(only_place(&sentences_in("再来。"), &version), Some(3));
        assert_eq!(only_place(&[], &version), None);
    }
}

//! Matches the sentences of two versions of a text, and replaces sentences without losing the white space between them.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::store::ParentChunk;
use crate::text::sentences::sentences;
use crate::text::{is_wide, squeeze};

/// Two versions with little in common take longest to compare. After this time the matches so far are used: an edit
/// without a place becomes a conflict, which loses nothing.
const LONGEST: Duration = Duration::from_secs(5);

/// A sentence of a version, or the title of a section, which is in no parent chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its parent chunk by number; `None` for a title.
    pub parent_chunk: Option<usize>,
    /// Its place in the text of the parent chunk, with the space after it.
    pub range: Range<usize>,
    /// Its text, without line breaks.
    pub key: String,
}

/// All sentences of a version, with a title before those of each section.
pub(super) fn sentences_of(parent_chunks: &[ParentChunk]) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut section = None;
    for (i, parent_chunk) in parent_chunks.iter().enumerate() {
        if section != Some(&parent_chunk.section_id) {
            section = Some(&parent_chunk.section_id);
            all.push(Sentence { parent_chunk: None, range: 0..0, key: format!("§ {}", parent_chunk.titles) });
        }
        all.extend(sentences_of_chunk((i, parent_chunk)));
    }
    all
}

pub(super) fn sentences_of_chunk((number, chunk): (usize, &ParentChunk)) -> Vec<Sentence> {
    let mut sentences = sentences_in(&chunk.content);
    sentences.iter_mut().for_each(|sentence| sentence.parent_chunk = Some(number));
    sentences
}

/// The indices of the sentences of a parent chunk, among all.
pub(super) fn sentences_of_parent(sentences: &[Sentence], parent_chunk: usize) -> Range<usize> {
    let is_own = |sentence: &Sentence| sentence.parent_chunk == Some(parent_chunk);
    let start = sentences.iter().position(is_own).unwrap_or(sentences.len());
    let end = sentences[start..].iter().position(|sentence| !is_own(sentence)).map_or(sentences.len(), |at| start + at);
    start..end
}

pub(super) fn sentences_in(text: &str) -> Vec<Sentence> {
    let sentence = |range: Range<usize>| Sentence { parent_chunk: None, key: squeeze(&text[range.clone()]), range };
    sentences(text).into_iter().map(sentence).collect()
}

/// For each sentence of `old` its place in `new`.
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

/// The differences: sentences of the old version, and those of the new one that replace them.
pub(super) fn changed(old: &[Sentence], new: &[Sentence]) -> Vec<(Range<usize>, Range<usize>)> {
    let changes = differences(old, new).into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changes.map(|op| (op.old_range(), op.new_range())).collect()
}

fn differences(old: &[Sentence], new: &[Sentence]) -> Vec<DiffOp> {
    // Numbers compare faster than sentences.
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let [old, new] = [old, new].map(|version| {
        let number = |key| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(key).or_insert(next)
        };
        version.iter().map(|sentence| sentence.key.as_str()).map(number).collect::<Vec<u32>>()
    });
    capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + LONGEST))
}

/// The place of a run of sentences in a version that has it exactly once.
pub(super) fn only_place(run: &[Sentence], version: &[Sentence]) -> Option<usize> {
    if run.is_empty() {
        return None;
    }
    let mut places = version
        .windows(run.len())
        .enumerate()
        .filter(|(_, window)| window.iter().zip(run).all(|(own, wanted)| own.key == wanted.key))
        .map(|(at, _)| at);
    let first = places.next();
    first.filter(|_| places.next().is_none())
}

/// Sentences of a version and the text that replaces them.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Sentences among all of the version; an empty range is a place between two.
    pub place: Range<usize>,
    /// The space before an inserted text.
    pub space_before: String,
    /// Empty for a deletion.
    pub text: String,
}

/// The text of a parent chunk with runs of its sentences replaced. `first` is the number of its first sentence. A run
/// that begins in the parent chunk before has its text there.
pub(super) fn with_runs_replaced(text: &str, first: usize, runs: &[Run]) -> String {
    let sentences: Vec<Range<usize>> = sentences_in(text).into_iter().map(|sentence| sentence.range).collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    loop {
        for run in runs.iter().filter(|run| run.place.is_empty() && run.place.start == first + at) {
            insert(&mut out, run, at < sentences.len());
        }
        let Some(sentence) = sentences.get(at) else { break };
        match runs.iter().find(|run| run.place.contains(&(first + at))) {
            Some(run) => {
                let end = (run.place.end - first).min(sentences.len());
                let space = trailing_space(&text[sentences[end - 1].clone()]);
                if run.place.start >= first && !run.text.trim().is_empty() {
                    out.push_str(run.text.trim_end());
                    out.push_str(space);
                } else {
                    widen(&mut out, space);
                }
                at = end;
            }
            None => {
                out.push_str(&text[sentence.clone()]);
                at += 1;
            }
        }
    }
    out
}

/// Replaces sentences, named by their numbers; an empty range is a place between two.
pub fn replace_sentences(text: &str, sentences: Range<usize>, by: &str) -> String {
    with_runs_replaced(text, 0, &[Run { place: sentences, space_before: String::new(), text: by.to_owned() }])
}

/// Inserts a text between two sentences, or after the last.
fn insert(out: &mut String, run: &Run, more: bool) {
    widen(out, &run.space_before);
    if !out.is_empty() && !out.ends_with(char::is_whitespace) && !out.ends_with(is_wide) {
        out.push(' ');
    }
    out.push_str(run.text.trim_end());
    if more {
        let space = trailing_space(&run.text);
        let needs_none = run.text.trim_end().ends_with(is_wide);
        out.push_str(if space.is_empty() && !needs_none { " " } else { space });
    }
}

/// Keeps paragraphs apart: the space after a deleted text replaces the one before it if it has more lines.
pub fn widen(out: &mut String, space: &str) {
    let lines = |space: &str| space.matches('\n').count();
    if !out.is_empty() && lines(space) > lines(trailing_space(out)) {
        out.truncate(out.trim_end().len());
        out.push_str(space);
    }
}

pub fn trailing_space(text: &str) -> &str {
    &text[text.trim_end().len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_matched_whatever_their_line_breaks() {
        let old = sentences_in("First one. Second\none. Third one. Last.");
        let new = sentences_in("New. First one. Second one.\n\nLast.");
        assert_eq!(matched(&old, &new), [Some(1), Some(2), None, Some(3)]);
        assert_eq!(changed(&old, &new), [(0..0, 0..1), (2..3, 3..3)]);
    }

    #[test]
    fn a_run_is_found_only_if_it_occurs_once() {
        let version = sentences_in("Again. Once. Again. 再来。");
        assert_eq!(only_place(&sentences_in("Again."), &version), None);
        assert_eq!(only_place(&sentences_in("Once. Again."), &version), Some(1));
        assert_eq!(only_place(&sentences_in("再来。"), &version), Some(3));
        assert_eq!(only_place(&[], &version), None);
    }

    fn with(text: &str, place: Range<usize>, space_before: &str, by: &str) -> String {
        with_runs_replaced(
            text,
            10,
            &[Run { place: 10 + place.start..10 + place.end, space_before: space_before.into(), text: by.into() }],
        )
    }

    #[test]
    fn paragraphs_and_scripts_keep_their_spacing() {
        let text = "One is. Two is.\n\nThree is.";
        assert_eq!(with(text, 1..2, "", "Other."), "One is. Other.\n\nThree is.");
        assert_eq!(with(text, 1..2, "", ""), "One is.\n\nThree is.");
        assert_eq!(with(text, 1..1, "", "Other."), "One is. Other. Two is.\n\nThree is.");
        assert_eq!(with(text, 3..3, "\n\n", "Four."), "One is. Two is.\n\nThree is.\n\nFour.");
        assert_eq!(with("启动水泵。检查压力。", 1..1, "", "先看表。"), "启动水泵。先看表。检查压力。");
    }
}

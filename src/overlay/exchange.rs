//! Sentences of a text exchanged for others, with the space between them kept as it reads.

use std::ops::Range;

use super::align::sentences_in;
use crate::text::is_wide;

/// Sentences of a version and what stands in their place.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Which sentences, among all of the version; an empty range is a place between two.
    pub place: Range<usize>,
    /// The space that was in front of the text, where it was put between sentences.
    pub lead: String,
    /// What stands there; empty where nothing does.
    pub text: String,
}

/// The text of a passage with runs of its sentences exchanged. `first` is the number of its first sentence. Of a run
/// that began in the passage before, the text stands there.
pub(super) fn exchanged(text: &str, first: usize, runs: &[Run]) -> String {
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
                let space = space_behind(&text[sentences[end - 1].clone()]);
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

/// A text with some of its sentences, by their numbers, exchanged for others; an empty range is a place between two.
pub fn exchange(text: &str, sentences: Range<usize>, by: &str) -> String {
    exchanged(text, 0, &[Run { place: sentences, lead: String::new(), text: by.to_owned() }])
}

/// Puts a text between two sentences, or behind the last.
fn insert(out: &mut String, run: &Run, more: bool) {
    widen(out, &run.lead);
    if !out.is_empty() && !out.ends_with(char::is_whitespace) && !out.ends_with(is_wide) {
        out.push(' ');
    }
    out.push_str(run.text.trim_end());
    if more {
        let space = space_behind(&run.text);
        let needs_none = run.text.trim_end().ends_with(is_wide);
        out.push_str(if space.is_empty() && !needs_none { " " } else { space });
    }
}

/// Keeps paragraphs apart: the space behind what went, where it has more lines than the one in front.
pub fn widen(out: &mut String, space: &str) {
    let lines = |space: &str| space.matches('\n').count();
    if !out.is_empty() && lines(space) > lines(space_behind(out)) {
        out.truncate(out.trim_end().len());
        out.push_str(space);
    }
}

/// The space at the end of a text.
pub fn space_behind(text: &str) -> &str {
    &text[text.trim_end().len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, place: Range<usize>, lead: &str, by: &str) -> String {
        exchanged(text, 10, &[Run { place: 10 + place.start..10 + place.end, lead: lead.into(), text: by.into() }])
    }

    #[test]
    fn paragraphs_and_scripts_keep_their_spaces() {
        let text = "One is. Two is.\n\nThree is.";
        assert_eq!(with(text, 1..2, "", "Other."), "One is. Other.\n\nThree is.");
        assert_eq!(with(text, 1..2, "", ""), "One is.\n\nThree is.");
        assert_eq!(with(text, 1..1, "", "Other."), "One is. Other. Two is.\n\nThree is.");
        assert_eq!(with(text, 3..3, "\n\n", "Four."), "One is. Two is.\n\nThree is.\n\nFour.");
        assert_eq!(with("启动水泵。检查压力。", 1..1, "", "先看表。"), "启动水泵。先看表。检查压力。");
    }
}

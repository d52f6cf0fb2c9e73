//! Classifies a parent chunk by a weighted sum of features of its form, words and title.
//!
//! The weights were set by hand on the two thirds of `fixtures/profile/parent-chunks.jsonl` that are not held out;
//! docs/measurements.md names the accuracy.

use super::kind::Kind;
use super::lines::{Form, Line, lines};
use super::words::{self, chinese, english};
use crate::text::first_chars;
use crate::text::han::in_simplified;
use crate::text::script::is_han;
use crate::text::sentences::sentences;

/// Words in sentences, if all sentences indicate a kind.
const WORDS: f32 = 1.0;
/// A title that indicates a kind.
const TITLE: f32 = 0.45;
/// Orders throughout a parent chunk, for a procedure.
const ORDERS: f32 = 1.15;
/// Numbered items, for a procedure, whatever they contain …
const STEPS: f32 = 0.25;
/// … and with code between them.
const STEPS_WITH_CODE: f32 = 0.9;
/// Entries and rows, for a reference.
const ENTRIES: f32 = 1.0;
/// Code, for an example.
const CODE: f32 = 0.8;
/// Questions with answers, for troubleshooting.
const QUESTIONS: f32 = 0.9;
/// The past tense, for a narrative.
const PAST: f32 = 0.9;
/// Prose, for theory: a text that explains has few signs of its own.
const PROSE: f32 = 0.22;
/// Sentences that only describe, for a reference: `Inserts the page number.`
const DESCRIPTIONS: f32 = 0.6;
/// The deduction for entries about troubles, for a reference.
const TROUBLED_ENTRIES: f32 = 0.8;
/// Characters of a parent chunk that are read. Parent chunks are far shorter, except in hostile documents.
const LONGEST_PARENT_CHUNK: usize = 8_000;

/// Characters of a parent chunk with each feature.
#[derive(Debug, Default)]
struct Sums {
    total: f32,
    steps: f32,
    entries: f32,
    code: f32,
    questions: f32,
    prose: f32,
    orders: f32,
    past: f32,
    troubled_entries: f32,
    descriptions: f32,
    /// Characters in sentences …
    in_sentences: f32,
    /// … weighted by their words.
    words: words::Strengths,
}

/// The kind of a parent chunk under a title.
pub fn classify(title: &str, text: &str) -> Kind {
    let (mut best, mut best_score) = (Kind::Reference, 0.0);
    for (kind, score) in Kind::ALL.into_iter().zip(scores(title, text)) {
        if score > best_score {
            (best, best_score) = (kind, score);
        }
    }
    best
}

fn scores(title: &str, text: &str) -> words::Strengths {
    let sums = sums(&lines(first_chars(text, LONGEST_PARENT_CHUNK)));
    let share = |sum: f32, whole: f32| if whole > 0.0 { sum / whole } else { 0.0 };
    let of = |sum: f32| share(sum, sums.total);
    let (steps, code) = (of(sums.steps), of(sums.code));
    let between = if steps > 0.0 { code.min(1.0 - steps) } else { 0.0 };
    let titles = words::title_strengths(&in_simplified(title)).map(|strength| TITLE * strength);
    let words = sums.words.map(|sum| WORDS * share(sum, sums.in_sentences));
    let forms = [
        (Kind::Procedure, ORDERS * of(sums.orders)),
        (Kind::Procedure, STEPS * steps + STEPS_WITH_CODE * between),
        (Kind::Reference, ENTRIES * of(sums.entries) - TROUBLED_ENTRIES * of(sums.troubled_entries)),
        (Kind::Reference, DESCRIPTIONS * of(sums.descriptions)),
        (Kind::Example, CODE * (code - between)),
        (Kind::Troubleshooting, QUESTIONS * of(sums.questions)),
        (Kind::Narrative, PAST * of(sums.past)),
        (Kind::Theory, PROSE * of(sums.prose)),
    ];
    let mut scores = words::Strengths::default();
    let all = Kind::ALL.into_iter().zip(titles).chain(Kind::ALL.into_iter().zip(words)).chain(forms);
    for (kind, weight) in all.filter(|(_, weight)| *weight > 0.0) {
        scores[kind.place()] += weight;
    }
    scores
}

fn sums(lines: &[Line]) -> Sums {
    let total: usize = lines.iter().map(|line| line.size).sum();
    let mut sums = Sums { total: total as f32, ..Sums::default() };
    for line in lines {
        let size = line.size as f32;
        match line.form {
            Form::Step => sums.steps += size,
            Form::Entry | Form::Row => sums.entries += size,
            Form::Code => sums.code += size,
            Form::Question | Form::Answer => sums.questions += size,
            Form::Bullet | Form::Prose => sums.prose += size,
        }
        if line.form == Form::Code {
            continue;
        }
        for range in sentences(&line.text) {
            // The word lists are in simplified Chinese.
            let sentence = &in_simplified(line.text[range].trim());
            let size = sentence.chars().filter(|c| !c.is_whitespace()).count() as f32;
            let strengths = words::strengths(sentence);
            for (sum, strength) in sums.words.iter_mut().zip(strengths) {
                *sum += size * strength;
            }
            sums.in_sentences += size;
            let chinese = sentence.chars().filter(|c| is_han(*c)).count() * 4 > sentence.chars().count();
            let (orders, past) = match chinese {
                true => (chinese::share_of_orders(sentence), chinese::is_past(sentence)),
                false => (f32::from(u8::from(english::is_imperative(sentence))), english::is_past(sentence)),
            };
            sums.orders += size * orders;
            sums.descriptions += if english::is_description(sentence) { size } else { 0.0 };
            sums.past += if past { size } else { 0.0 };
            if matches!(line.form, Form::Entry | Form::Row) {
                sums.troubled_entries += size * strengths[Kind::Troubleshooting.place()];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Labelled {
        kind: Kind,
        language: String,
        set: String,
        title: String,
        text: String,
    }

    /// The number of parent chunks of a set that are classified right, the number of all, and the wrong ones with
    /// scores.
    fn right(set: &str, language: &str) -> (usize, usize, String) {
        let text = include_str!("../../../fixtures/profile/parent-chunks.jsonl");
        let labelled = text.lines().map(|line| serde_json::from_str::<Labelled>(line).unwrap());
        let all: Vec<Labelled> = labelled.filter(|one| one.set == set && one.language == language).collect();
        let wrong = all.iter().filter_map(|Labelled { kind, title, text, .. }| {
            let (classified, scores) = (classify(title, text), scores(title, text));
            (classified != *kind).then(|| format!("{classified:?} for {kind:?}: {title} {scores:.2?}\n"))
        });
        let wrong: Vec<String> = wrong.collect();
        (all.len() - wrong.len(), all.len(), wrong.concat())
    }

    #[test]
    fn labelled_parent_chunks_get_their_kind() {
        for set in ["dev", "held_out"] {
            for language in ["en", "zh"] {
                let (right, all, wrong) = right(set, language);
                println!("{set}, {language}: {right} of {all}\n{wrong}");
                assert!(all >= 14 && right * 100 >= all * 85, "{set}, {language}: {right} of {all}\n{wrong}");
            }
        }
    }

    proptest! {
        #[test]
        fn scores_are_finite_and_always_the_same(title in "\\PC{0,20}", text in "(\\PC|\n){0,300}") {
            let scored = scores(&title, &text);
            prop_assert_eq!(scored, scores(&title, &text));
            prop_assert!(scored.iter().all(|score| score.is_finite() && *score >= 0.0));
        }
    }
}

//! Of which kind a passage is: signs of form, words and title, each with its weight, added up.
//!
//! Nothing is learnt and nothing is hidden: a judgement names what spoke for each kind. The weights were set on the
//! two thirds of `fixtures/profile/passages.jsonl` that are not held out; ARCHITECTURE.md says what they reach.

use super::kind::Kind;
use super::lines::{Form, Line, lines};
use super::signs::{self, chinese, english};
use crate::text::han::in_simplified;
use crate::text::script::is_han;
use crate::text::sentences::sentences;

/// What the words of sentences count, where all of them speak for a kind.
const WORDS: f32 = 1.0;
/// What a title counts that speaks for a kind.
const TITLE: f32 = 0.45;
/// What a passage counts for a procedure that tells somebody what to do throughout.
const ORDERS: f32 = 1.15;
/// What numbered items count for a procedure, whatever they say …
const STEPS: f32 = 0.25;
/// … and with what is written for a machine between them.
const STEPS_WITH_CODE: f32 = 0.9;
/// What entries and rows count for a reference.
const ENTRIES: f32 = 1.0;
/// What program text counts for an example.
const CODE: f32 = 0.8;
/// What questions with answers count for troubleshooting.
const QUESTIONS: f32 = 0.9;
/// What the past tense counts for a narrative.
const PAST: f32 = 0.9;
/// What prose counts for theory before anything is known: a text that explains has few signs of its own.
const PROSE: f32 = 0.22;
/// What sentences count for a reference that only describe: `Inserts the page number.`
const DESCRIPTIONS: f32 = 0.6;
/// Entries that speak of troubles count so much less for a reference.
const TROUBLED_ENTRIES: f32 = 0.8;
/// Of a passage no more characters than this are looked at. Passages are far shorter; a hostile one is not.
const LONGEST_PASSAGE: usize = 8_000;

/// Something that speaks for a kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sign {
    /// The kind.
    pub kind: Kind,
    /// What it is, in words.
    pub what: &'static str,
    /// How much it counts.
    pub weight: f32,
}

/// Of which kind a passage is, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The kind that most speaks for.
    pub kind: Kind,
    /// All that speaks for one.
    pub signs: Vec<Sign>,
}

impl Judgement {
    /// What speaks for a kind, together.
    pub fn score(&self, kind: Kind) -> f32 {
        self.signs.iter().filter(|sign| sign.kind == kind).map(|sign| sign.weight).sum()
    }
}

/// Shares, from 0 to 1, of a passage's characters.
#[derive(Debug, Default)]
struct Shares {
    steps: f32,
    entries: f32,
    code: f32,
    questions: f32,
    prose: f32,
    orders: f32,
    past: f32,
    words: signs::Strengths,
    troubled_entries: f32,
    descriptions: f32,
}

/// Judges a passage that stands under a title.
pub fn judge(title: &str, text: &str) -> Judgement {
    let text = match text.char_indices().nth(LONGEST_PASSAGE) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let shares = shares(&lines(text));
    let mut all = Vec::new();
    let mut add = |kind: Kind, what: &'static str, weight: f32| {
        if weight > 0.0 {
            all.push(Sign { kind, what, weight });
        }
    };
    for (kind, strength) in Kind::ALL.into_iter().zip(signs::title_strengths(&in_simplified(title))) {
        add(kind, "title", TITLE * strength);
    }
    for (kind, strength) in Kind::ALL.into_iter().zip(shares.words) {
        add(kind, "words", WORDS * strength);
    }
    add(Kind::Procedure, "tells what to do", ORDERS * shares.orders);
    let between = if shares.steps > 0.0 { shares.code.min(1.0 - shares.steps) } else { 0.0 };
    add(Kind::Procedure, "numbered", STEPS * shares.steps + STEPS_WITH_CODE * between);
    add(Kind::Reference, "entries and rows", ENTRIES * shares.entries - TROUBLED_ENTRIES * shares.troubled_entries);
    add(Kind::Reference, "descriptions", DESCRIPTIONS * shares.descriptions);
    add(Kind::Example, "code", CODE * (shares.code - between));
    add(Kind::Troubleshooting, "questions and answers", QUESTIONS * shares.questions);
    add(Kind::Narrative, "past tense", PAST * shares.past);
    add(Kind::Theory, "prose", PROSE * shares.prose);
    let mut judgement = Judgement { kind: Kind::Reference, signs: all };
    let mut best = 0.0;
    for kind in Kind::ALL {
        let score = judgement.score(kind);
        if score > best {
            (judgement.kind, best) = (kind, score);
        }
    }
    judgement
}

fn shares(lines: &[Line]) -> Shares {
    let mut sums = Shares::default();
    let total: usize = lines.iter().map(|line| line.size).sum();
    let mut speaking = 0.0;
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
            // The words that are looked for are simplified.
            let sentence = &in_simplified(line.text[range].trim());
            let size = sentence.chars().filter(|c| !c.is_whitespace()).count() as f32;
            let strengths = signs::strengths(sentence);
            for (sum, strength) in sums.words.iter_mut().zip(strengths) {
                *sum += size * strength;
            }
            speaking += size;
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
    let of = |sum: f32, whole: f32| if whole > 0.0 { sum / whole } else { 0.0 };
    let total = total as f32;
    Shares {
        steps: of(sums.steps, total),
        entries: of(sums.entries, total),
        code: of(sums.code, total),
        questions: of(sums.questions, total),
        prose: of(sums.prose, total),
        orders: of(sums.orders, total),
        past: of(sums.past, total),
        words: sums.words.map(|sum| of(sum, speaking)),
        troubled_entries: of(sums.troubled_entries, total),
        descriptions: of(sums.descriptions, total),
    }
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

    fn labelled() -> Vec<Labelled> {
        let text = include_str!("../../fixtures/profile/passages.jsonl");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How many of some passages are judged right, and those that are not, with what spoke for what.
    fn right(set: &str, language: &str) -> (usize, usize, String) {
        let (mut right, mut all, mut wrong) = (0, 0, String::new());
        for passage in labelled() {
            if passage.set != set || passage.language != language {
                continue;
            }
            let judged = judge(&passage.title, &passage.text);
            all += 1;
            if judged.kind == passage.kind {
                right += 1;
                continue;
            }
            wrong.push_str(&format!("{} for {}: {}\n", judged.kind, passage.kind, passage.title));
            for sign in &judged.signs {
                wrong.push_str(&format!("    {:<16} {:.2} {}\n", sign.kind.name(), sign.weight, sign.what));
            }
        }
        (right, all, wrong)
    }

    #[test]
    fn the_kind_of_labelled_passages_is_found() {
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
        fn anything_is_of_some_kind_always_the_same(title in "\\PC{0,20}", text in "(\\PC|\n){0,300}") {
            let judged = judge(&title, &text);
            prop_assert_eq!(&judged, &judge(&title, &text));
            prop_assert!(judged.signs.iter().all(|sign| sign.weight.is_finite() && sign.weight > 0.0));
        }
    }
}

//! What a table learns from: texts as short as questions, cut from the passages of a store.
//!
//! A passage's pieces have their vectors already, but they are long. So spans of two to twelve words are taken from
//! sentences, some of them asked about ("what is …"), some sentences whole, and the commonest words one by one; the model
//! reads those. The choice is random and always the same.

use std::collections::HashMap;

use super::pieces::{LONGEST_WORD, words};
use crate::text::sentences::sentences;

/// So many sentences are kept to choose from.
const MOST_SENTENCES: usize = 20_000;
/// Spans that the model is asked for at most: half a minute on two cores.
const MOST_SPANS: usize = 8_000;
/// From a few sentences not endlessly many spans are cut.
const SPANS_PER_SENTENCE: usize = 8;
/// Words that it is asked for at most.
const MOST_WORDS: usize = 6_000;
/// So many different words are counted to find those.
const MOST_COUNTED: usize = 500_000;
/// Spans that are kept aside at most, to see how good the table is.
const MOST_HELD_OUT: usize = 400;
/// One sentence in so many gives spans to see by, and none to learn from.
const HELD_OUT_SHARE: usize = 20;
/// Longer sentences are no questions.
const LONGEST_SENTENCE: usize = 45;
/// The words of a span.
const SPAN: std::ops::RangeInclusive<usize> = 2..=12;
/// What is asked about has fewer.
const LONGEST_SUBJECT: usize = 8;
/// Shares of whole sentences and of questions among the spans.
const WHOLE: f64 = 0.3;
const ASKED: f64 = 0.2;
/// Ways to ask. Their words would be strange to a table otherwise: manuals do not ask.
const QUESTIONS: [&str; 32] = [
    "what is {}",
    "what is the {}",
    "what are {}",
    "what does {} mean",
    "what effect does {} have",
    "what causes {}",
    "what do we know about {}",
    "what happened to {}",
    "what kind of {}",
    "how does {} work",
    "how do I {}",
    "how to {}",
    "how can {}",
    "how many {}",
    "how much {}",
    "how long {}",
    "how is {}",
    "why {}",
    "why is {}",
    "why does {}",
    "who {}",
    "who was {}",
    "where is {}",
    "where can I find {}",
    "when did {}",
    "when should {}",
    "which {}",
    "can {}",
    "is there {}",
    "do {}",
    "has anyone {}",
    "tell me about {}",
];

/// Collects from passages.
pub struct Teacher {
    random: fastrand::Rng,
    sentences: Vec<String>,
    seen: usize,
    words: HashMap<String, usize>,
}

/// The texts that the model is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    /// Spans, sentences and questions.
    pub spans: Vec<String>,
    /// Words.
    pub words: Vec<String>,
    /// Spans of sentences that none of those above are of.
    pub held_out: Vec<String>,
}

impl Default for Teacher {
    fn default() -> Self {
        Teacher { random: fastrand::Rng::with_seed(1), sentences: Vec::new(), seen: 0, words: HashMap::new() }
    }
}

impl Teacher {
    /// Takes in a passage.
    pub fn read(&mut self, passage: &str) {
        for word in words(passage).filter(|word| (2..=LONGEST_WORD).contains(&word.chars().count())) {
            *self.words.entry(word).or_default() += 1;
        }
        self.forget_rare_words(MOST_COUNTED);
        for range in sentences(passage) {
            let sentence = crate::text::squeeze(&passage[range]);
            if units(&sentence).len() < 3 || !sentence.chars().any(char::is_alphanumeric) {
                continue;
            }
            // Of very many, each has the same chance (Vitter's algorithm R).
            self.seen += 1;
            if self.sentences.len() < MOST_SENTENCES {
                self.sentences.push(sentence);
            } else if let Some(kept) = self.sentences.get_mut(self.random.usize(..self.seen)) {
                *kept = sentence;
            }
        }
    }

    /// Where more than `most` words are counted, leaves the more frequent half of them: in a store of logs with names that
    /// never come again, words would fill the memory.
    fn forget_rare_words(&mut self, most: usize) {
        let mut rare = 1;
        if self.words.len() > most {
            while self.words.len() > most / 2 {
                self.words.retain(|_, count| *count > rare);
                rare += 1;
            }
        }
    }

    /// What is to be learnt.
    pub fn lessons(mut self) -> Lessons {
        let mut words: Vec<(String, usize)> = self.words.into_iter().collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let words = words.into_iter().take(MOST_WORDS).map(|(word, _)| word).collect();
        let mut all = self.sentences;
        self.random.shuffle(&mut all);
        let learnt = all.split_off(all.len().div_ceil(HELD_OUT_SHARE).min(all.len() / 2));
        let wanted = |sentences: &[String], most: usize| most.min(sentences.len() * SPANS_PER_SENTENCE);
        let spans = spans_of(&learnt, wanted(&learnt, MOST_SPANS), &mut self.random);
        let held_out = spans_of(&all, wanted(&all, MOST_HELD_OUT), &mut self.random);
        Lessons { spans, words, held_out }
    }
}

/// The words of a sentence as they stand; of text without spaces, its characters.
fn units(sentence: &str) -> Vec<&str> {
    let mut units = Vec::new();
    for word in sentence.split_whitespace() {
        match word.chars().any(crate::text::is_wide) {
            true => units.extend(word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()])),
            false => units.push(word),
        }
    }
    units
}

fn spans_of(sentences: &[String], count: usize, random: &mut fastrand::Rng) -> Vec<String> {
    (0..count).filter_map(|_| span(random.choice(sentences)?, random)).collect()
}

/// A span of a sentence; `None` where nothing but signs came out.
fn span(sentence: &str, random: &mut fastrand::Rng) -> Option<String> {
    let units = units(sentence);
    let form = random.f64();
    if form < WHOLE && units.len() <= LONGEST_SENTENCE {
        return Some(sentence.to_owned());
    }
    let asked = form > 1.0 - ASKED;
    let length = random.usize(if asked { 1..=LONGEST_SUBJECT } else { SPAN }).min(units.len());
    let start = random.usize(..=units.len() - length);
    let mut text = String::new();
    for unit in &units[start..start + length] {
        crate::text::join_line(&mut text, unit);
    }
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    if text.is_empty() {
        return None;
    }
    if !asked {
        return Some(text.to_owned());
    }
    let question = QUESTIONS[random.usize(..QUESTIONS.len())].replace("{}", text);
    Some(if random.bool() { question + "?" } else { question })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "The pump moves water from the river to the tower. Its seal is made of rubber, and wears out \
        every second year. Never run it dry! 水泵把水送到水塔。";

    #[test]
    fn words_that_never_come_again_fill_no_memory() {
        let mut teacher = Teacher::default();
        for number in 0..40 {
            teacher.read(&format!("pump request{number}a ended {}", "x".repeat(LONGEST_WORD + 1)));
            teacher.forget_rare_words(10);
            assert!(teacher.words.len() <= 12, "{:?}", teacher.words);
        }
        let lessons = teacher.lessons();
        assert!(["pump", "ended"].iter().all(|word| lessons.words.contains(&(*word).to_owned())), "{lessons:?}");
        assert!(lessons.words.iter().all(|word| !word.contains("xx")));
    }

    fn lessons(passages: usize) -> Lessons {
        let mut teacher = Teacher::default();
        (0..passages).for_each(|number| teacher.read(&format!("{PASSAGE} Part {number} has a number of its own.")));
        teacher.lessons()
    }

    #[test]
    fn lessons_are_of_the_text_and_always_the_same() {
        let taught = lessons(40);
        assert_eq!(taught, lessons(40));
        assert!(taught.spans.len() > 1000 && taught.held_out.len() > 30, "{}", taught.spans.len());
        assert!(taught.words.contains(&"seal".to_owned()) && !taught.words.contains(&"a".to_owned()));
        let plain = |text: &str| PASSAGE.contains(text.trim_end_matches('?'));
        let share = taught.spans.iter().filter(|span| plain(span)).count() as f64 / taught.spans.len() as f64;
        assert!(share > 0.4, "{share}");
        assert!(taught.spans.iter().any(|span| span.starts_with("what is ")));
        assert!(
            taught.spans.iter().any(|span| span.contains("水") && !span.contains(' ')),
            "without spaces in Chinese"
        );
    }

    #[test]
    fn what_is_held_out_is_not_learnt_from() {
        let mut teacher = Teacher::default();
        (0..400).for_each(|number| teacher.read(&format!("alpha{number} beta{number} gamma{number} delta{number}.")));
        let Lessons { spans, held_out, .. } = teacher.lessons();
        let numbers = |texts: &[String]| -> std::collections::BTreeSet<String> {
            let digits = texts.iter().flat_map(|text| text.split_whitespace());
            digits
                .map(|word| word.chars().filter(char::is_ascii_digit).collect())
                .filter(|d: &String| !d.is_empty())
                .collect()
        };
        assert!(!held_out.is_empty() && numbers(&spans).is_disjoint(&numbers(&held_out)));
    }

    #[test]
    fn no_text_and_one_sentence_make_no_panic() {
        assert_eq!(lessons(0), Lessons::default());
        let mut teacher = Teacher::default();
        teacher.read("One sentence alone.");
        assert!(!teacher.lessons().spans.is_empty());
        let mut teacher = Teacher::default();
        teacher.read("… — ! ? * * * - - -");
        assert!(teacher.lessons().spans.is_empty());
    }

    #[test]
    fn of_very_many_sentences_some_are_kept() {
        let mut teacher = Teacher::default();
        (0..MOST_SENTENCES + 500).for_each(|number| teacher.read(&format!("Sentence {number} is here.")));
        assert_eq!(teacher.sentences.len(), MOST_SENTENCES);
        assert_eq!(teacher.lessons().spans.len(), MOST_SPANS);
    }
}

//! English: orders, the past tense, descriptions.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Cues, words};

/// The word lists of `english.toml`, documented there.
#[derive(Debug, Deserialize)]
pub(super) struct Lists {
    pub(super) sentences: Vec<Cues>,
    pub(super) titles: Vec<Cues>,
    verbs: HashSet<String>,
    fillers: HashSet<String>,
    openers: HashSet<String>,
    after_a_noun: HashSet<String>,
    past: HashSet<String>,
    present: HashSet<String>,
    before_a_participle: HashSet<String>,
    describing: HashSet<String>,
}

pub(super) static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("english.toml")).expect("english.toml is part of the program"));

pub(in crate::knowledge::profile) fn is_imperative(sentence: &str) -> bool {
    if sentence.ends_with('?') {
        return false;
    }
    let orders = |clause: &str| {
        let words = words(clause);
        let mut words = words.iter().map(String::as_str).skip_while(|word| LISTS.fillers.contains(*word));
        let first = words.next().unwrap_or_default();
        let second = words.next();
        LISTS.verbs.contains(first) && second.is_none_or(|second| !LISTS.after_a_noun.contains(second))
    };
    let mut clauses = sentence.split([',', ';', ':']);
    let Some(first) = clauses.next() else { return false };
    orders(first)
        || (LISTS.openers.contains(&first_word(first)) && clauses.next().is_some_and(orders))
        || sentence.split(['(', ';']).skip(1).any(orders)
}

pub(in crate::knowledge::profile) fn is_past(sentence: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let (mut past, mut present) = (0, 0);
    let mut before = String::new();
    for written in sentence.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()) {
        let word = written.to_lowercase();
        present += usize::from(LISTS.present.contains(word.as_str()));
        // Only lower case: `Required Ligatures` is a name.
        let small = written.starts_with(char::is_lowercase);
        let regular = small && word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") && !before.is_empty();
        past += usize::from(
            LISTS.past.contains(word.as_str()) || regular && !LISTS.before_a_participle.contains(before.as_str()),
        );
        before = word;
    }
    past > present
}

/// Whether a sentence describes what a thing does without naming the thing, as in lists of commands.
pub(in crate::knowledge::profile) fn is_description(sentence: &str) -> bool {
    LISTS.describing.contains(&first_word(sentence))
}

/// The letters at the beginning of a text, in lower case.
fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_recognised_after_conditions_too() {
        for sentence in [
            "Open the valve.",
            "Then close it.",
            "If it leaks, replace the seal.",
            "Please wait",
            "Do not use force",
            "To leave, press q.",
        ] {
            assert!(is_imperative(sentence), "{sentence}");
        }
        for sentence in [
            "The valve opens.",
            "Use of force is wrong.",
            "If it leaks, the seal is worn.",
            "Set theory has sets.",
            "Open it?",
        ] {
            assert_eq!(is_imperative(sentence), sentence.starts_with("Set theory"), "{sentence}");
        }
    }

    #[test]
    fn a_participle_is_not_the_past_tense() {
        assert!(is_past("The firm moved to Leeds and built a mill."));
        assert!(is_past("She was born in 1902."));
        assert!(!is_past("The account is locked after five failed attempts."));
        assert!(!is_past("Open the installed file."));
        assert!(!is_past("Contextual Alternates, Required Ligatures, Expert Forms"));
    }

    #[test]
    fn a_description_begins_with_its_verb() {
        assert!(is_description("Inserts the page number of the frame."));
        assert!(!is_description("The frame inserts a page."));
    }
}

//! Finding the words of a list in a text: one pass, whatever the length of the list.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Cues, Strengths, chinese, english, listed};
use crate::profile::kind::Kind;
use crate::text::script::is_han;

/// The words of a phrase behind its first, of which kind it speaks, and how strongly.
type Rest = (Vec<&'static str>, Kind, f32);

/// Words and phrases with what they say.
pub(super) struct Lexicon {
    /// By the first word; the words behind it, the longest first.
    phrases: HashMap<&'static str, Vec<Rest>>,
    /// By the first character, the longest first.
    han: HashMap<char, Vec<(&'static str, Kind, f32)>>,
}

impl Lexicon {
    /// The words of sentences.
    pub(super) fn of_sentences() -> &'static Self {
        static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(english::CUES, chinese::CUES));
        &LEXICON
    }

    /// The words of titles.
    pub(super) fn of_titles() -> &'static Self {
        static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(english::TITLES, chinese::TITLES));
        &LEXICON
    }

    fn new(english: &[Cues], chinese: &[Cues]) -> Self {
        let mut phrases: HashMap<&'static str, Vec<Rest>> = HashMap::new();
        for (kind, strength, list) in english {
            for phrase in listed(list) {
                let mut words = phrase.split(' ');
                let Some(first) = words.next() else { continue };
                phrases.entry(first).or_default().push((words.collect(), *kind, *strength));
            }
        }
        let mut han: HashMap<char, Vec<(&'static str, Kind, f32)>> = HashMap::new();
        for (kind, strength, list) in chinese {
            for phrase in listed(list) {
                let Some(first) = phrase.chars().next() else { continue };
                han.entry(first).or_default().push((phrase, *kind, *strength));
            }
        }
        phrases.values_mut().for_each(|all| all.sort_by_key(|(rest, ..)| std::cmp::Reverse(rest.len())));
        han.values_mut().for_each(|all| all.sort_by_key(|(phrase, ..)| std::cmp::Reverse(phrase.len())));
        Lexicon { phrases, han }
    }

    /// What all its words in a text say together. Of several that begin at one place, the longest counts.
    pub(super) fn sum(&self, text: &str) -> Strengths {
        let mut sum = Strengths::default();
        let words = words(text);
        let mut at = 0;
        while at < words.len() {
            let behind = &words[at + 1..];
            let starts = |rest: &[&str]| rest.len() <= behind.len() && rest.iter().zip(behind).all(|(a, b)| a == b);
            let found = self.phrases.get(words[at].as_str()).and_then(|all| all.iter().find(|(rest, ..)| starts(rest)));
            at += 1;
            if let Some((rest, kind, strength)) = found {
                sum[kind.place()] += strength;
                at += rest.len();
            }
        }
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let found = match is_han(c) || c == '∎' {
                true => self.han.get(&c).and_then(|all| all.iter().find(|(phrase, ..)| rest.starts_with(phrase))),
                false => None,
            };
            let length = match found {
                Some((phrase, kind, strength)) => {
                    sum[kind.place()] += strength;
                    phrase.len()
                }
                None => c.len_utf8(),
            };
            rest = &rest[length..];
        }
        sum
    }
}

/// The words of a text that are not Chinese, in lower case. An apostrophe, or a point within a word, is part of it.
pub(in crate::profile) fn words(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() && !is_han(c);
    let mut out = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let joins =
            matches!(c, '\'' | '’' | '.') && !word.is_empty() && chars.peek().is_some_and(|&next| is_part(next));
        if is_part(c) {
            word.extend(c.to_lowercase());
        } else if joins {
            word.push(if c == '.' { '.' } else { '\'' });
        } else if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_at_a_place_counts_alone() {
        let lexicon = Lexicon::new(
            &[(Kind::Policy, 1.0, "must, must not be"), (Kind::Example, 0.5, "e.g")],
            &[(Kind::Policy, 2.0, "不应"), (Kind::Theory, 0.25, "不应当")],
        );
        let sum = lexicon.sum("It must not be so, e.g. 不应当, must");
        assert_eq!(sum[Kind::Policy.place()], 2.0);
        assert_eq!(sum[Kind::Example.place()], 0.5);
        assert_eq!(sum[Kind::Theory.place()], 0.25);
    }

    #[test]
    fn words_keep_apostrophes_and_inner_points() {
        assert_eq!(words("Don’t wait, i.e. 启动 it. 4.2"), ["don't", "wait", "i.e", "it", "4.2"]);
    }
}

//! Finds words and phrases that indicate a kind.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Deserialize;

use crate::knowledge::profile::kind::Kind;
use crate::text::script::is_han;

/// Words and phrases that indicate a kind, and how strongly.
#[derive(Debug, Deserialize)]
pub(super) struct Cues {
    kind: Kind,
    strength: f32,
    words: Vec<String>,
}

/// How strongly a text indicates each kind, in the order of [`Kind::ALL`].
pub(in crate::knowledge::profile) type Strengths = [f32; Kind::ALL.len()];

/// A word or phrase with its kind and strength.
type Cue<W> = (W, Kind, f32);

/// All cues. The search takes one pass over a text, for any number of cues.
pub(super) struct Lexicon {
    /// English phrases by their first word, without it, longest first.
    phrases: HashMap<String, Vec<Cue<Vec<String>>>>,
    /// Chinese words by their first character, longest first.
    han: HashMap<char, Vec<Cue<String>>>,
}

impl Lexicon {
    pub(super) fn new(english: &[Cues], chinese: &[Cues]) -> Self {
        let (mut phrases, mut han) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for Cues { kind, strength, words } in english {
            for phrase in words {
                let mut words = phrase.split(' ').map(str::to_owned);
                let Some(first) = words.next() else { continue };
                phrases.entry(first).or_default().push((words.collect::<Vec<_>>(), *kind, *strength));
            }
        }
        for Cues { kind, strength, words } in chinese {
            for word in words {
                let Some(first) = word.chars().next() else { continue };
                han.entry(first).or_default().push((word.clone(), *kind, *strength));
            }
        }
        phrases.values_mut().for_each(|all| all.sort_by_key(|(rest, ..)| Reverse(rest.len())));
        han.values_mut().for_each(|all| all.sort_by_key(|(word, ..)| Reverse(word.len())));
        Lexicon { phrases, han }
    }

    /// The sums of the strengths of all cues in a text. Of several that begin at the same place, the longest counts.
    pub(super) fn sum(&self, text: &str) -> Strengths {
        let mut sum = Strengths::default();
        let words = words(text);
        let mut at = 0;
        while at < words.len() {
            let behind = &words[at + 1..];
            let starts = |rest: &[String]| rest.len() <= behind.len() && rest.iter().zip(behind).all(|(a, b)| a == b);
            let found = self.phrases.get(words[at].as_str()).and_then(|all| all.iter().find(|(rest, ..)| starts(rest)));
            at += 1;
            if let Some((rest, kind, strength)) = found {
                sum[kind.place()] += strength;
                at += rest.len();
            }
        }
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let cues = if is_han(c) || c == '∎' { self.han.get(&c) } else { None };
            let found = cues.and_then(|all| all.iter().find(|(phrase, ..)| rest.starts_with(phrase.as_str())));
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

/// The words of a text that are not Chinese, in lower case. Apostrophes and points inside a word are part of it.
pub(super) fn words(text: &str) -> Vec<String> {
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
        let cues = |kind, strength, words: &[&str]| Cues {
            kind,
            strength,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let lexicon = Lexicon::new(
            &[cues(Kind::Policy, 1.0, &["must", "must not be"]), cues(Kind::Example, 0.5, &["e.g"])],
            &[cues(Kind::Policy, 2.0, &["不应"]), cues(Kind::Theory, 0.25, &["不应当"])],
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

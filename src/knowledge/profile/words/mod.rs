//! Words and grammar that indicate the purpose of a sentence, in English and Chinese.
//!
//! The word lists are in `english.toml` and `chinese.toml`. They are general language without subject words: each word
//! fits a pump's manual as well as a software library's.

pub(super) mod chinese;
pub(super) mod english;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use serde::Deserialize;

use crate::knowledge::profile::kind::Kind;
use crate::text::script::is_han;

/// The upper limit of a strength.
const STRONGEST: f32 = 1.0;

/// How strongly the words of a sentence indicate each kind.
pub(super) fn strengths(sentence: &str) -> Strengths {
    static SENTENCES: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::new(&english::LISTS.sentences, &chinese::LISTS.sentences));
    SENTENCES.sum(sentence).map(|strength| strength.min(STRONGEST))
}

/// The same for a title.
pub(super) fn title_strengths(title: &str) -> Strengths {
    static TITLES: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&english::LISTS.titles, &chinese::LISTS.titles));
    TITLES.sum(title).map(|strength| strength.min(STRONGEST))
}

/// Words and phrases that indicate a kind, and how strongly.
#[derive(Debug, Deserialize)]
struct Cues {
    kind: Kind,
    strength: f32,
    words: Vec<String>,
}

/// How strongly a text indicates each kind, in the order of [`Kind::ALL`].
pub(super) type Strengths = [f32; Kind::ALL.len()];

/// All cues. The search takes one pass over a text, for any number of cues.
struct Lexicon {
    english: Finder,
    chinese: Finder,
}

struct Finder {
    automaton: AhoCorasick,
    /// The kind and the strength of each pattern.
    cues: Vec<(Kind, f32)>,
}

impl Lexicon {
    fn new(english: &[Cues], chinese: &[Cues]) -> Self {
        let english = Finder::new(english, |phrase| spaced(phrase.split(' ')));
        Lexicon { english, chinese: Finder::new(chinese, str::to_owned) }
    }

    /// The sums of the strengths of all cues in a text. Of several that begin at the same place, the longest counts.
    fn sum(&self, text: &str) -> Strengths {
        let mut sum = Strengths::default();
        self.english.add(&spaced(words(text).iter().map(String::as_str)), &mut sum);
        self.chinese.add(text, &mut sum);
        sum
    }
}

/// The words, each between two spaces of its own: a phrase has whole words only.
fn spaced<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!(" {word} ")).collect()
}

impl Finder {
    fn new(cues: &[Cues], pattern: impl Fn(&str) -> String) -> Self {
        let pattern = &pattern;
        let each = cues.iter().flat_map(|of| of.words.iter().map(move |word| (pattern(word), (of.kind, of.strength))));
        let (patterns, cues): (Vec<String>, Vec<(Kind, f32)>) = each.unzip();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns);
        Finder { automaton: automaton.expect("the lists of the program are short"), cues }
    }

    fn add(&self, text: &str, sum: &mut Strengths) {
        for found in self.automaton.find_iter(text) {
            let (kind, strength) = self.cues[found.pattern().as_usize()];
            sum[kind.place()] += strength;
        }
    }
}

/// The words of a text that are not Chinese, in lower case. Apostrophes and points inside a word are part of it.
fn words(text: &str) -> Vec<String> {
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

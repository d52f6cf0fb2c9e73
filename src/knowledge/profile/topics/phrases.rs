//! The phrases of a text that can be its topics: one to three neighbouring words without generic words, and Chinese
//! text between joining characters.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::han::is_han_digit;
use crate::text::script::{is_han, is_unspaced};
use crate::text::tokens::tokenize;

const MOST_WORDS: usize = 3;
/// The fewest characters of a Chinese phrase …
const SHORTEST_HAN: usize = 2;
/// … and the most.
const LONGEST_HAN: usize = 8;
/// The fewest letters of a word …
const SHORTEST: usize = 3;
/// … and the most: longer ones are data.
const LONGEST: usize = 24;

/// The word lists of `words.toml`, documented there.
#[derive(Deserialize)]
struct Lists {
    generic: HashSet<String>,
    common: HashSet<String>,
    generic_han: Vec<String>,
    joining_han: String,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("words.toml is part of the program"));

/// An empty place in a phrase.
const NONE: u32 = u32::MAX;

/// A phrase as the numbers of its stems, so that singular and plural are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Phrase {
    words: [u32; MOST_WORDS],
    /// Whether one of its words is in the list `common`, so that it is a topic only if a title has it.
    pub(super) is_common: bool,
}

impl Phrase {
    fn of(words: &[(u32, bool)]) -> Self {
        let mut all = [NONE; MOST_WORDS];
        all.iter_mut().zip(words).for_each(|(place, (word, _))| *place = *word);
        Phrase { words: all, is_common: words.iter().any(|(_, common)| *common) }
    }

    pub(super) fn words(self) -> impl Iterator<Item = u32> {
        self.words.into_iter().filter(|word| *word != NONE)
    }

    pub(super) fn length(self) -> usize {
        self.words().count()
    }

    /// Whether the phrases have a word in common.
    pub(super) fn overlaps(self, other: &Phrase) -> bool {
        self.words().any(|word| other.words().any(|own| own == word))
    }
}

/// Numbers the stems of words, and remembers which words cannot be part of a phrase.
#[derive(Debug, Default)]
pub(super) struct Interner {
    words: HashMap<String, Option<(u32, bool)>>,
    stems: HashMap<String, u32>,
}

impl Interner {
    /// The number of a word's stem and whether the word is common; `None` for a word that cannot be part of a phrase.
    fn word(&mut self, written: &str) -> Option<(u32, bool)> {
        if let Some(known) = self.words.get(written) {
            return *known;
        }
        let lower = written.to_lowercase();
        let length = lower.chars().count();
        let upper = written.chars().filter(|c| c.is_uppercase()).count();
        // Short words are names: `API`, `Go`.
        let long_enough = length >= SHORTEST || (length == 2 && upper == 2);
        let wordy = lower.chars().all(|c| c.is_alphabetic() || c == '-' || c == '+' || c.is_ascii_digit())
            && lower.starts_with(char::is_alphabetic);
        let numeral = upper == length && crate::text::roman(&lower).is_some();
        let telling = !numeral && long_enough && length <= LONGEST && wordy && !LISTS.generic.contains(&lower);
        let number = telling.then(|| {
            let tokens = tokenize(&lower);
            let stem = tokens.first().map_or(lower.as_str(), |token| token.text.as_str());
            (self.number(stem), LISTS.common.contains(&lower))
        });
        self.words.insert(written.to_owned(), number);
        number
    }

    fn number(&mut self, stem: &str) -> u32 {
        if let Some(number) = self.stems.get(stem) {
            return *number;
        }
        let number = u32::try_from(self.stems.len()).unwrap_or(NONE - 1);
        self.stems.insert(stem.to_owned(), number);
        number
    }
}

/// Passes every phrase of a text to `take`, with its spelling.
pub(super) fn phrases(text: &str, interner: &mut Interner, take: &mut impl FnMut(Phrase, &str)) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if is_han(c) {
            let end = rest.find(|c: char| !is_han(c)).unwrap_or(rest.len());
            han_phrases(&rest[..end], interner, take);
            rest = &rest[end..];
        } else {
            let end = rest.find(is_unspaced).unwrap_or(rest.len()).max(c.len_utf8());
            let (run, behind) = rest.split_at(end);
            word_phrases(run, interner, take);
            mixed_phrase(run, behind, interner, take);
            rest = behind;
        }
    }
}

/// Phrases of words: neighbours with nothing but a space between them.
fn word_phrases(text: &str, interner: &mut Interner, take: &mut impl FnMut(Phrase, &str)) {
    let mut open: Vec<((u32, bool), usize)> = Vec::new();
    let mut behind = 0;
    let mut at = 0;
    while at < text.len() {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '\'' | '’');
        let Some(start) = text[at..].find(is_part).map(|offset| at + offset) else { break };
        let end = text[start..].find(|c: char| !is_part(c)).map_or(text.len(), |offset| start + offset);
        let written = text[start..end].trim_matches(['-', '\'', '’']);
        // A word next to these characters is an identifier.
        let glued = text[..start].ends_with(['\\', '_', ':', '@', '#']) || text[end..].starts_with(['_', '@', '\\']);
        let word = if written.len() == end - start && !glued { interner.word(written) } else { None };
        if !text[behind..start].chars().all(|c| matches!(c, ' ' | '\n')) {
            open.clear();
        }
        match word {
            None => open.clear(),
            Some(word) => {
                if open.len() == MOST_WORDS {
                    open.remove(0);
                }
                open.push((word, start));
                for first in 0..open.len() {
                    let words: Vec<(u32, bool)> = open[first..].iter().map(|(word, _)| *word).collect();
                    let all = &text[open[first].1..end];
                    match all.contains('\n') {
                        true => take(Phrase::of(&words), &crate::text::squeeze(all)),
                        false => take(Phrase::of(&words), all),
                    }
                }
            }
        }
        (behind, at) = (end, end);
    }
}

/// Chinese phrases: the text between joining characters.
fn han_phrases(run: &str, interner: &mut Interner, take: &mut impl FnMut(Phrase, &str)) {
    for part in without_number(run).split(|c| LISTS.joining_han.contains(c)) {
        if let Some(phrase) = without_generic(part) {
            let length = phrase.chars().count();
            if (SHORTEST_HAN..=LONGEST_HAN).contains(&length) {
                let number = interner.number(phrase);
                take(Phrase::of(&[(number, false)]), phrase);
            }
        }
    }
}

/// `API 调用`: a word followed by a Chinese phrase, as in Chinese titles.
fn mixed_phrase(run: &str, behind: &str, interner: &mut Interner, take: &mut impl FnMut(Phrase, &str)) {
    let Some(word) = run.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric()).next().filter(|word| word.len() > 1)
    else {
        return;
    };
    if !word.chars().any(char::is_uppercase) || run.len() - run.trim_end().len() > 1 {
        return;
    }
    let han: String =
        behind.chars().take_while(|c| is_han(*c) && !LISTS.joining_han.contains(*c)).take(LONGEST_HAN).collect();
    let Some((number, common)) = interner.word(word) else { return };
    if (SHORTEST_HAN..=4).contains(&han.chars().count()) && !LISTS.generic_han.contains(&han) {
        let whole = interner.number(&han);
        let written = format!("{word} {han}");
        take(Phrase::of(&[(number, common), (whole, false)]), &written);
    }
}

/// The text after a number like `第三章`.
fn without_number(run: &str) -> &str {
    let Some(rest) = run.strip_prefix('第') else { return run };
    let rest = rest.trim_start_matches(is_han_digit);
    rest.strip_prefix(['章', '节', '部', '篇', '条', '步']).unwrap_or(run)
}

/// A Chinese run without generic words at its ends; `None` if nothing else is left.
fn without_generic(part: &str) -> Option<&str> {
    let mut rest = part.strip_prefix('在').and_then(|rest| rest.strip_suffix('中')).unwrap_or(part);
    loop {
        let ends = |word: &String| rest.strip_prefix(word.as_str()).or_else(|| rest.strip_suffix(word.as_str()));
        let shorter = LISTS.generic_han.iter().find_map(ends);
        match shorter {
            Some(shorter) if !shorter.is_empty() => rest = shorter,
            Some(_) => return None,
            None => return Some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        phrases(text, &mut Interner::default(), &mut |_, written| all.push(written.to_owned()));
        all
    }

    #[test]
    fn phrases_end_at_function_words_and_punctuation() {
        assert_eq!(found("the mechanical seal of pumps"), ["mechanical", "mechanical seal", "seal", "pumps"]);
        assert_eq!(found("seal, pump"), ["seal", "pump"]);
    }

    #[test]
    fn chinese_phrases_end_at_joining_characters() {
        assert_eq!(found("机械密封的安装和调试"), ["机械密封", "安装", "调试"]);
        assert_eq!(found("API 调用"), ["API", "API 调用", "调用"]);
    }
}

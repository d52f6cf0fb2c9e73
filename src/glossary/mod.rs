//! Other names for the same thing: as documents define them ("Transport Disconnect Order (TDO)", "以下简称…") and as
//! users list them.
//!
//! Pure rules over one passage, made to be right rather than complete: a name that is missed costs one recall, a wrong
//! one spoils the answer to every question with that word. Nothing here is kept; the keyword index asks for the
//! definitions of each passage as it is put in, so they come and go with it.

mod abbreviation;
mod chinese;
mod english;
mod list;
mod names;
pub mod synonyms;

use std::collections::HashSet;

use crate::text::han::in_simplified;
use crate::text::sentences::sentences;
use crate::text::{is_wide, join_line};

pub(crate) use names::is_word;
pub use names::{LONGEST_NAME, key};

/// A passage defines at most so many names; more of them are not prose.
const MOST_DEFINITIONS: usize = 100;

/// Two names of the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The abbreviation, or the name that was added.
    pub short: String,
    /// What it stands for.
    pub long: String,
}

impl Definition {
    /// Two names, where both can be names and they are not the same one.
    fn of(short: &str, long: &str) -> Option<Self> {
        let (short, long) = (names::trimmed(short), names::trimmed(long));
        let (one, other) = (key(short)?, key(long)?);
        (one != other).then(|| Definition { short: short.to_owned(), long: long.to_owned() })
    }
}

/// The names that a passage defines, each pair once. `titles` are those above it: a list of abbreviations says so
/// there.
pub fn definitions(text: &str, titles: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    if may_define(text) {
        for range in sentences(text) {
            let sentence = unwrapped(&text[range]);
            found.extend(english::definitions(&sentence));
            found.extend(chinese::definitions(&in_simplified(&sentence)));
        }
    }
    found.extend(list::definitions(text, titles));
    let mut known = HashSet::new();
    found.retain(|definition| known.insert((key(&definition.short), key(&definition.long))));
    found.truncate(MOST_DEFINITIONS);
    found
}

/// Whether a word is an abbreviation for a name: its letters are found there, or that is written in another script.
pub(crate) fn abbreviates(word: &str, name: &str) -> bool {
    name.contains(is_wide) || abbreviation::long_form(word, name) == Some(name)
}

/// Whether a text has anything by which prose defines names; most has not, and needs not be taken apart.
fn may_define(text: &str) -> bool {
    text.contains(['(', '（', '称', '即', '名', '缩', '叫'])
        || english::MARKERS.iter().any(|marker| text.contains(marker))
}

/// What stands before and behind each place of the markers in a text; of those that begin alike, the first is taken.
fn occurrences<'a>(text: &'a str, markers: &[&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let marker = markers.iter().find(|marker| text[at..].starts_with(**marker));
        found.extend(marker.map(|marker| (&text[..at], &text[at + marker.len()..])));
        at += marker.map_or(c.len_utf8(), |marker| marker.len());
    }
    found.into_iter()
}

/// A sentence in one line.
fn unwrapped(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    for part in sentence.lines() {
        let words: Vec<&str> = part.split_whitespace().collect();
        if !words.is_empty() {
            join_line(&mut line, &words.join(" "));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
        definitions(text, "").into_iter().map(|found| (found.short, found.long)).collect()
    }

    #[test]
    fn definitions_are_found_over_the_ends_of_lines_and_once() {
        let text = "A Transport Disconnect\nOrder (TDO) ends it. The Transport Disconnect Order (TDO) is sent.\n\n采用变频\n调速器（VFD）。";
        let expected = [("TDO", "Transport Disconnect Order"), ("VFD", "变频调速器")];
        assert_eq!(pairs(text), expected.map(|(short, long)| (short.to_owned(), long.to_owned())));
    }

    #[test]
    fn text_that_defines_nothing_gives_nothing() {
        for text in [
            "Open the valve (see figure 3). The pump (2 kW) starts.",
            "Prices rose (in 2019) and fell (II).",
            "打开阀门（见图 3）。水泵（备用）应停止，即不得启动。",
            "该方法（如下）称重后即可使用。",
            "",
        ] {
            assert_eq!(pairs(text), [], "{text}");
        }
    }

    #[test]
    fn a_passage_of_nothing_but_definitions_is_bounded() {
        let text: String = (0..2000).map(|i| format!("Transport Disconnect Order{i} (TDO{i}). ")).collect();
        assert!(definitions(&text, "").len() <= MOST_DEFINITIONS);
    }

    proptest! {
        #[test]
        fn whatever_the_text_names_are_short_and_of_the_text(
            text in "([A-Z]{2,4}|[Tt]ransport|Order|（|\\(|\\)|）|，|,|以下简称|又称|即|also known as|“|”|水泵|\\||:|\\PC| |\n){0,60}",
        ) {
            for found in definitions(&text, "缩略语") {
                for name in [&found.short, &found.long] {
                    prop_assert!(name.chars().count() <= LONGEST_NAME && key(name).is_some());
                    prop_assert!(text.split_whitespace().collect::<String>().contains(&name.split_whitespace().collect::<String>()));
                }
                prop_assert_ne!(key(&found.short), key(&found.long));
            }
        }
    }
}

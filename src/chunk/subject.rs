//! What a passage speaks of, where it does not say so itself: "It must be vented first" needs the sentence that says
//! what must be. Rules for English and Chinese.

use crate::text::sentences::sentences;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};
use crate::text::{is_wide, squeeze, truncate};

/// The sentence is cut to so many characters; of Chinese, which says as much in fewer, to half of them.
const LONGEST: usize = 160;
/// So much of the text in front of a passage is looked at, in characters: what was introduced farther back is hardly
/// meant by a pronoun.
const LOOKED_AT: usize = 1500;
/// A sentence with fewer telling words introduces nothing.
const LEAST_WORDS: usize = 2;

/// Words that stand for what was named before.
const PRONOUNS: [&str; 18] = [
    "it", "its", "itself", "they", "their", "them", "this", "these", "those", "that", "such", "he", "she", "his",
    "her", "both", "neither", "here",
];
/// Words in front of the first one that says something.
const CONNECTIVES: [&str; 24] = [
    "and",
    "but",
    "or",
    "so",
    "then",
    "also",
    "however",
    "therefore",
    "thus",
    "hence",
    "moreover",
    "furthermore",
    "nevertheless",
    "if",
    "when",
    "because",
    "since",
    "although",
    "while",
    "as",
    "for",
    "in",
    "on",
    "to",
];
/// The same of more than one word.
const STANDING_FOR: [&str; 4] = ["the former", "the latter", "the same", "the above"];

/// Beginnings of Chinese sentences that stand for what was named before …
const CHINESE: [&str; 22] = [
    "其",
    "它",
    "他们",
    "她们",
    "他",
    "她",
    "该",
    "此",
    "上述",
    "前述",
    "这",
    "那",
    "本文",
    "本章",
    "本节",
    "本条",
    "本款",
    "本品",
    "本机",
    "本设备",
    "本产品",
    "本系统",
];
/// … unless they begin so …
const CHINESE_NOT: [&str; 12] =
    ["其他", "其它", "其实", "其余", "其次", "他人", "此外", "此后", "此前", "那么", "该死", "他乡"];
/// … and what may stand in front of them.
const CHINESE_CONNECTIVES: [&str; 18] = [
    "但是", "但", "因此", "所以", "而且", "并且", "同时", "此外", "另外", "然而", "而", "如果", "若", "当", "由于",
    "因为", "虽然", "对于",
];

/// The sentence in front of a passage that introduces what the passage speaks of, in one line; `None` where the passage
/// names its subject itself, or nothing in front of it does.
pub(super) fn introduction(content: &str, before: &str) -> Option<String> {
    if before.is_empty() || !leans(content) {
        return None;
    }
    let start = before.char_indices().rev().nth(LOOKED_AT - 1).map_or(0, |(at, _)| at);
    let looked_at = &before[start..];
    let mut found = sentences(looked_at).into_iter().map(|range| &looked_at[range]).collect::<Vec<_>>();
    if start > 0 && found.len() > 1 {
        // Its beginning was cut off.
        found.remove(0);
    }
    let named = found.into_iter().rev().find(|sentence| !stands_for_something(sentence) && says_something(sentence))?;
    let sentence = squeeze(named);
    let wide = sentence.chars().filter(|c| is_wide(*c)).count() * 2 > sentence.chars().count();
    Some(truncate(&sentence, if wide { LONGEST / 2 } else { LONGEST }))
}

/// Whether a passage needs what stands in front of it: its first sentence begins with a word that stands for something,
/// or half of its sentences do.
fn leans(content: &str) -> bool {
    let sentences = sentences(content);
    let mut begins = sentences.iter().map(|range| stands_for_something(&content[range.clone()]));
    if begins.next().unwrap_or(false) {
        return true;
    }
    let standing = begins.filter(|stands| *stands).count();
    standing > 0 && standing * 2 >= sentences.len()
}

/// Whether a sentence begins with a word for what was named before.
fn stands_for_something(sentence: &str) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    if start.chars().next().is_some_and(is_wide) {
        let rest = CHINESE_CONNECTIVES.iter().find_map(|word| start.strip_prefix(word)).unwrap_or(start);
        let rest = rest.trim_start_matches(['，', '、', ' ']);
        return CHINESE.iter().any(|word| rest.starts_with(word))
            && !CHINESE_NOT.iter().any(|word| rest.starts_with(word));
    }
    let words: Vec<String> = start
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_lowercase)
        .collect();
    let said: &[String] = match words.split_first() {
        Some((first, rest)) if CONNECTIVES.contains(&first.as_str()) => rest,
        _ => &words,
    };
    let first = said.first().map_or("", String::as_str);
    let first = first.strip_suffix("'s").unwrap_or(first);
    let two = said.get(..2).map(|two| two.join(" ")).unwrap_or_default();
    PRONOUNS.contains(&first) || STANDING_FOR.contains(&two.as_str())
}

/// Whether a sentence has enough words of its own to say what something is.
fn says_something(sentence: &str) -> bool {
    let telling = tokenize(sentence)
        .into_iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Whole | TokenKind::Bigram))
        .filter(|token| token.text.chars().any(char::is_alphabetic) && !is_stopword(&token.text));
    telling.take(LEAST_WORDS).count() == LEAST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passages_that_lean_on_what_was_named_are_told_from_those_that_name_it() {
        for leaning in [
            "It must be vented first.",
            "However, this is done by hand.",
            "The latter is closed.",
            "When it stops, wait.",
            "Its seal wears.\nReplace the seal.",
            "Close the valve. It is hot. They are sharp.",
            "其额定压力为 5 bar。",
            "该设备应每年检修。",
            "但是，它不能空转。",
            "上述规定不适用于备用泵。",
            "本条所称泵站，是指排水泵站。",
        ] {
            assert!(leans(leaning), "{leaning}");
        }
        for naming in [
            "The pump must be vented first.",
            "Italy exports pumps.",
            "Thistle seeds clog the filter.",
            "Close the valve. Open the vent. It is hot.",
            "其他设备应每年检修。",
            "此外，水泵不能空转。",
            "水泵不能空转。",
            "本地控制柜在泵房内。",
            "",
        ] {
            assert!(!leans(naming), "{naming}");
        }
    }

    #[test]
    fn the_nearest_sentence_that_names_something_introduces_it() {
        let found = |content, before| introduction(content, before);
        let before = "The main pump moves water to the tower. It has\ntwo stages. They are alike.\n\n";
        assert_eq!(found("It must be vented.", before).as_deref(), Some("The main pump moves water to the tower."));
        assert_eq!(found("The pump must be vented.", before), None);
        assert_eq!(found("It must be vented.", ""), None);
        assert_eq!(found("It must be vented.", "Yes. It does."), None);
        let before = "主泵把水送到水塔。它有两级叶轮。";
        assert_eq!(found("其额定压力为 5 bar。", before).as_deref(), Some("主泵把水送到水塔。"));
    }

    #[test]
    fn a_long_sentence_is_cut_and_far_ones_are_not_looked_for() {
        let long = format!("The pump {} runs.", "of the tower ".repeat(40));
        let found = introduction("It is hot.", &long).unwrap();
        assert!(found.chars().count() <= LONGEST + 1 && found.ends_with('…'), "{found}");
        let far = format!("The pump runs dry. {}", "It is hot. ".repeat(1000));
        assert_eq!(introduction("It is hot.", &far), None);
    }

    proptest! {
        #[test]
        fn whatever_the_text_the_line_is_short_and_of_the_text(
            content in "(It is|This|其|该|水泵|pump)[ a-z。.水\n]{0,60}",
            before in "(([Tt]he|it|pump|主泵|它|\\PC)[ .。\n]?){0,200}",
        ) {
            if let Some(found) = introduction(&content, &before) {
                prop_assert!(found.chars().count() <= LONGEST + 1);
                prop_assert!(squeeze(&before).contains(found.trim_end_matches('…')));
                prop_assert!(!stands_for_something(&found));
            }
        }
    }
}

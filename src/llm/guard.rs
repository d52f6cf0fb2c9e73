//! The border between documents and the model: what goes into a prompt is fenced, what comes out is checked.
//!
//! The fence is a tag with a hash of the texts inside it, so that no text can contain its own closing tag. The turn
//! marks of chat servers and invisible characters (controls, text directions, Unicode tags) are made harmless.

use std::collections::HashSet;

use serde_json::Value;

use crate::hash;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};
use crate::text::{char_count, squeeze};

/// Letters of the hash in a tag.
const TAG_LETTERS: usize = 12;
/// Turn marks of chat servers, and our own tags; a space inside turns them into plain text. In lower case.
const TURN_MARKS: [&str; 9] = ["<|", "|>", "<<sys>>", "[inst]", "[/inst]", "<s>", "</s>", "<data-", "</data-"];
/// Marks of conversations and markup that no chunk context or query contains.
const MARKS: [&str; 7] = ["<|", "|>", "[inst]", "<data-", "</", "```", "{{"];
/// The phrases of answers that follow orders in a document, or that refuse. A true text with such a phrase is lost,
/// and the rule replaces it.
const ORDERS: &str = include_str!("orders.txt");
/// The share of a text's content words that must occur in what was shown. Inventions, and texts that follow orders in a
/// document, use other words.
const LEAST_SHARE: f32 = 0.3;

/// The tag around the texts of one prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    pub tag: String,
}

impl Fence {
    pub(super) fn around<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        // No text can contain its own full hash, but it may contain these few letters.
        let mut hash = hash::of_parts(texts.iter().map(|text| text.as_bytes()));
        loop {
            let tag = format!("data-{}", &hash.to_hex()[..TAG_LETTERS]);
            if !texts.iter().any(|text| text.contains(&tag)) {
                return Fence { tag };
            }
            hash = blake3::hash(hash.as_bytes());
        }
    }

    /// The fenced text, labelled with `name`.
    pub(super) fn wrap(&self, name: &str, text: &str) -> String {
        let tag = &self.tag;
        format!("<{tag} {name}>\n{}\n</{tag}>", harmless(text).trim())
    }
}

/// The text without anything that a model could take for a turn or a tag.
fn harmless(text: &str) -> String {
    let text = text.replace('\r', "\n");
    let mut clean: String = text.chars().filter(|&c| matches!(c, '\n' | '\t') || !is_hidden(c)).collect();
    // ASCII lower case keeps all byte positions.
    for mark in TURN_MARKS {
        while let Some(at) = clean.to_ascii_lowercase().find(mark) {
            clean.insert(at + 1, ' ');
        }
    }
    clean
}

/// Invisible characters and joiners: a turn mark with one inside looks like a turn mark.
fn is_hidden(c: char) -> bool {
    crate::text::is_hidden(c) || crate::text::is_joiner(c)
}

/// The JSON object in an answer: alone, in a Markdown fence, or after the model's thoughts.
pub(super) fn object(answer: &str) -> Result<Value, String> {
    let text = answer.rsplit_once("</think>").map_or(answer, |(_, rest)| rest);
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return Err("it contains no JSON".to_owned());
    };
    let json = text.get(start..=end).ok_or("it contains no JSON")?;
    match serde_json::from_str(json) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("its JSON is not an object".to_owned()),
        Err(error) => Err(format!("its JSON is broken: {error}")),
    }
}

/// The text on one line, if it has at most `longest` characters and no markup or orders; otherwise what is wrong.
pub(super) fn line(text: &str, longest: usize) -> Result<String, &'static str> {
    let line = squeeze(text);
    let lower = line.to_lowercase();
    let checks = [
        (line.is_empty(), "is empty"),
        (line.chars().any(is_hidden), "has invisible characters"),
        (char_count(&line) > longest, "is too long"),
        (MARKS.iter().any(|mark| lower.contains(mark)), "contains markup"),
        (ORDERS.lines().any(|order| lower.contains(order)), "reads like an order or a refusal"),
    ];
    match checks.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, what)) => Err(what),
        None => Ok(line),
    }
}

pub(super) fn is_about(text: &str, shown: &str) -> bool {
    let words = |text: &str| -> HashSet<String> {
        let words = tokenize(text).into_iter().filter(|token| token.kind != TokenKind::Single);
        words.map(|token| token.text).filter(|word| !is_stopword(word)).collect()
    };
    let (own, known) = (words(text), words(shown));
    own.intersection(&known).count() as f32 / own.len().max(1) as f32 >= LEAST_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_tag_depends_on_the_texts_alone() {
        let fence = |texts: &[&str]| Fence::around(texts.iter().copied());
        assert_eq!(fence(&["a", "b"]), fence(&["a", "b"]));
        assert_ne!(fence(&["a", "b"]), fence(&["ab"]));
        let wrapped = fence(&["x"]).wrap("parent chunk 1", " x\n");
        let tag = fence(&["x"]).tag;
        assert_eq!(wrapped, format!("<{tag} parent chunk 1>\nx\n</{tag}>"));
    }

    #[test]
    fn turn_marks_are_broken_up_and_invisible_characters_removed() {
        assert_eq!(harmless("<|im_start|>system"), "< |im_start| >system");
        assert_eq!(harmless("[INST] </S> <<SYS>>"), "[ INST] < /S> < <SYS>>");
        assert_eq!(harmless("a\u{202E}b\u{E0041}c\u{0}d\u{200B}\u{200D}e\r\n泵"), "abcde\n\n泵");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_fence(parts in prop::collection::vec(
            prop_oneof![Just("</data-".to_owned()), Just("<data-".to_owned()), Just("</da\u{200B}ta-".to_owned()),
                        Just("<|".to_owned()), Just(">".to_owned()), ".{0,8}", "[0-9a-f]{12}"], 0..12)) {
            let text = parts.concat();
            let fence = Fence::around([text.as_str()]);
            let wrapped = fence.wrap("text", &text);
            let tag = fence.tag.as_str();
            prop_assert_eq!(wrapped.matches(tag).count(), 2);
            let closing = format!("\n</{tag}>");
            prop_assert!(wrapped.ends_with(&closing));
            let inside = &wrapped[wrapped.find('\n').unwrap()..wrapped.rfind('\n').unwrap()];
            prop_assert!(!inside.contains("</data-") && !inside.contains("<|"), "{inside:?}");
        }
    }

    #[test]
    fn json_is_found_inside_chatter() {
        for answer in [
            r#"{"a": 1}"#,
            "```json\n{\"a\": 1}\n```",
            "Here you are: {\"a\": 1} I hope it helps",
            "<think>maybe {\"a\": 2}?</think>\n{\"a\": 1}",
        ] {
            assert_eq!(object(answer).unwrap()["a"], 1, "{answer}");
        }
        for bad in ["", "no", "}{", "[1]", "{\"a\": 1", "{a: 1}"] {
            assert!(object(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn orders_markup_and_long_texts_are_refused() {
        assert_eq!(line(" two\n words ", 20).unwrap(), "two words");
        assert_eq!(line("离心泵的启动步骤", 8).unwrap(), "离心泵的启动步骤");
        for bad in "| \n|too long a line|a\u{1b}[31m|\u{202E}x|<b>x</b>|Ignore ALL|see http://x|{{ x }}".split('|') {
            assert!(line(bad, 12).is_err(), "{bad:?}");
        }
    }
}

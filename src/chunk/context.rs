//! The context of a chunk: its titles and, for some kinds of context, a situating sentence. It is embedded and indexed
//! with the chunk but separate from the content everywhere else.
//!
//! A situating sentence by rule helps a chunk that does not name its subject: "It must be vented first" needs the
//! sentence that says what must be. The rules are for English and Chinese.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::structure::{PREAMBLE, Section};
use crate::text::sentences::sentences;
use crate::text::stopwords::is_stopword;
use crate::text::tables;
use crate::text::tokens::{TokenKind, tokenize};
use crate::text::{is_wide, squeeze, truncate};

/// In characters. Titles as long as the chunk would outweigh it.
const LONGEST_TITLES: usize = 400;

/// The number of nearest titles that are embedded with a text, and the most characters of each title.
const NEAREST: usize = 2;
const LONGEST_EMBEDDED_TITLE: usize = 80;

pub const SEPARATOR: &str = " › ";

/// The context that is embedded and indexed with each chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ContextKind {
    /// Nothing
    None,
    /// The titles of the document and its sections
    #[default]
    Headings,
    /// The titles and, for parent chunks that speak of `it` or `其`, the sentence before them that says what that is
    Subjects,
    /// The titles and what a language model says about the parent chunk; needs `[llm]` in kb.toml
    Llm,
}

impl ContextKind {
    /// The name that is typed.
    pub fn name(self) -> &'static str {
        match self {
            ContextKind::None => "none",
            ContextKind::Headings => "headings",
            ContextKind::Subjects => "subjects",
            ContextKind::Llm => "llm",
        }
    }

    /// The situating sentence by rule. `None` means titles only, an empty text no context at all. `before` is the text
    /// before the chunk in its section; the end of that, `overlap`, is embedded with the chunk anyway.
    pub fn situating(self, content: &str, before: &str, overlap: &str) -> Option<String> {
        match self {
            ContextKind::Headings => None,
            ContextKind::None => Some(String::new()),
            // The rule is the fallback for chunks without a sentence by the model.
            ContextKind::Subjects | ContextKind::Llm => {
                introduction(content, before).filter(|sentence| !overlap.contains(sentence.as_str()))
            }
        }
    }
}

/// Titles followed by `more`, separated.
pub fn with_more(titles: &str, more: &str) -> String {
    let parts: Vec<&str> = [titles, more].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(SEPARATOR)
}

/// The titles above a section and its own title, joined; empty for the preamble.
pub fn section_titles(sections: &[Section], index: usize) -> String {
    let above = |section: &&Section| sections.get(section.parent?);
    let mut titles: Vec<&str> = std::iter::successors(sections.get(index), above)
        .filter(|section| section.path != PREAMBLE && !section.title.is_empty())
        .map(|section| section.title.as_str())
        .collect();
    titles.reverse();
    titles.join(SEPARATOR)
}

/// The document title and the section titles in one line. Section titles that begin with the document title do not
/// repeat it.
pub fn line(document_title: &str, section_titles: &str) -> String {
    truncate(&with_more(document_title, below_document(section_titles, document_title)), LONGEST_TITLES)
}

/// Titles without the document's title, if they begin with it.
pub fn below_document<'t>(titles: &'t str, document_title: &str) -> &'t str {
    match titles.strip_prefix(document_title) {
        Some("") => "",
        Some(rest) => rest.strip_prefix(SEPARATOR).unwrap_or(titles),
        None => titles,
    }
}

/// The titles that are embedded with a text: the document's and the nearest two, shortened. Long titles would make the
/// vectors of all chunks below them alike.
pub fn nearest_titles(titles: &str) -> String {
    let all: Vec<&str> = titles.split(SEPARATOR).collect();
    let nearest = all.iter().skip(1).skip(all.len().saturating_sub(1 + NEAREST));
    let kept = all.first().into_iter().chain(nearest);
    kept.map(|title| truncate(title, LONGEST_EMBEDDED_TITLE)).collect::<Vec<_>>().join(SEPARATOR)
}

/// The text of a chunk for a cross-encoder: the context line and the content. Tables are plain words.
pub fn embedded_text(context: &str, content: &str) -> String {
    let content = tables::plain(content);
    let parts: Vec<&str> = [context, content.trim_end()].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The longest situating sentence, in characters; half as many in Chinese, which needs fewer.
const LONGEST_SENTENCE: usize = 160;
/// Characters before a chunk that are searched: a pronoun rarely refers farther back.
const SEARCHED: usize = 1500;
/// The fewest content words of a situating sentence.
const LEAST_WORDS: usize = 2;

/// The word lists of `subject.toml`, documented there.
#[derive(Deserialize)]
struct Lists {
    pronouns: Vec<String>,
    phrases: Vec<String>,
    connectives: Vec<String>,
    chinese: Vec<String>,
    not_chinese: Vec<String>,
    chinese_connectives: Vec<String>,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("subject.toml")).expect("subject.toml is part of the program"));

/// The nearest sentence in `before` that names the subject of a chunk, on one line. `None` if the chunk names its
/// subject itself, or no sentence does.
fn introduction(content: &str, before: &str) -> Option<String> {
    if before.is_empty() || !needs_introduction(content) {
        return None;
    }
    let start = before.char_indices().rev().nth(SEARCHED - 1).map_or(0, |(at, _)| at);
    let searched = &before[start..];
    let mut found = sentences(searched).into_iter().map(|range| &searched[range]).collect::<Vec<_>>();
    if start > 0 && found.len() > 1 {
        // The first sentence may be cut off.
        found.remove(0);
    }
    let named = found.into_iter().rev().find(|sentence| !refers_back(sentence) && has_content(sentence))?;
    let sentence = squeeze(named);
    let wide = sentence.chars().filter(|c| is_wide(*c)).count() * 2 > sentence.chars().count();
    Some(truncate(&sentence, if wide { LONGEST_SENTENCE / 2 } else { LONGEST_SENTENCE }))
}

/// Whether a chunk needs the text before it: its first sentence or half of its sentences begin with a reference to
/// something named before.
fn needs_introduction(content: &str) -> bool {
    let sentences = sentences(content);
    let mut refers = sentences.iter().map(|range| refers_back(&content[range.clone()]));
    if refers.next().unwrap_or(false) {
        return true;
    }
    let referring = refers.filter(|refers| *refers).count();
    referring > 0 && referring * 2 >= sentences.len()
}

/// Whether a sentence begins with a reference to something named before: a pronoun, `该设备`.
fn refers_back(sentence: &str) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    if start.chars().next().is_some_and(is_wide) {
        let rest = LISTS.chinese_connectives.iter().find_map(|word| start.strip_prefix(word.as_str())).unwrap_or(start);
        let rest = rest.trim_start_matches(['，', '、', ' ']);
        let begins = |words: &[String]| words.iter().any(|word| rest.starts_with(word.as_str()));
        return begins(&LISTS.chinese) && !begins(&LISTS.not_chinese);
    }
    let words: Vec<String> = start
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_lowercase)
        .collect();
    let rest: &[String] = match words.split_first() {
        Some((first, rest)) if LISTS.connectives.contains(first) => rest,
        _ => &words,
    };
    let first = rest.first().map_or("", String::as_str);
    let first = first.strip_suffix("'s").unwrap_or(first);
    let two = rest.get(..2).map(|two| two.join(" ")).unwrap_or_default();
    LISTS.pronouns.iter().any(|word| word == first) || LISTS.phrases.contains(&two)
}

/// Whether a sentence has enough content words.
fn has_content(sentence: &str) -> bool {
    let content = tokenize(sentence)
        .into_iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Whole | TokenKind::Bigram))
        .filter(|token| token.text.chars().any(char::is_alphabetic) && !is_stopword(&token.text));
    content.take(LEAST_WORDS).count() == LEAST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_title_line_has_the_document_title_once() {
        assert_eq!(line("Manual", "Start › Priming"), "Manual › Start › Priming");
        assert_eq!(line("Manual", "Manual › Priming"), "Manual › Priming");
        assert_eq!(line("Pump", "Pumps and valves"), "Pump › Pumps and valves");
        assert_eq!(line("Manual", ""), "Manual");
        assert_eq!(line("", "Priming"), "Priming");
    }

    #[test]
    fn a_chunk_that_names_its_subject_needs_no_sentence() {
        for referring in [
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
            assert!(needs_introduction(referring), "{referring}");
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
            assert!(!needs_introduction(naming), "{naming}");
        }
    }

    #[test]
    fn the_nearest_sentence_with_content_introduces_a_chunk() {
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
    fn a_long_sentence_is_cut_and_a_far_one_is_not_found() {
        let long = format!("The pump {} runs.", "of the tower ".repeat(40));
        let found = introduction("It is hot.", &long).unwrap();
        assert!(found.chars().count() <= LONGEST_SENTENCE + 1 && found.ends_with('…'), "{found}");
        let far = format!("The pump runs dry. {}", "It is hot. ".repeat(1000));
        assert_eq!(introduction("It is hot.", &far), None);
    }

    proptest! {
        #[test]
        fn a_situating_sentence_is_short_and_from_the_text(
            content in "(It is|This|其|该|水泵|pump)[ a-z。.水\n]{0,60}",
            before in "(([Tt]he|it|pump|主泵|它|\\PC)[ .。\n]?){0,200}",
        ) {
            if let Some(found) = introduction(&content, &before) {
                prop_assert!(found.chars().count() <= LONGEST_SENTENCE + 1);
                prop_assert!(squeeze(&before).contains(found.trim_end_matches('…')));
                prop_assert!(!refers_back(&found));
            }
        }
    }
}

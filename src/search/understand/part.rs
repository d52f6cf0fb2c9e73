//! Finds the part of a document that a question asks for: "what is chapter 3 about", "总结第三章", and a query that is
//! nothing but its number.

use serde::Serialize;

use super::words::WORDS;
use crate::search::section_number::NUMBERS;
use crate::text::han::{in_simplified, is_han_digit};

/// A part that a question asks for. In JSON it is its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AskedPart {
    /// `chapter 3`, `第三章`.
    pub name: String,
    /// Whether the question says of what: "section 12 of the Clayton Act", "《手册》第三章". Words for any document, as in
    /// "chapter 3 of the manual", do not.
    #[serde(skip)]
    pub says_of_what: bool,
}

/// `query` is in simplified characters.
pub(super) fn part(query: &str) -> Option<AskedPart> {
    let lower = query.trim().to_lowercase();
    english_part(&english_words(&lower)).or_else(|| chinese_part(query))
}

pub(super) fn english_words(lower: &str) -> Vec<&str> {
    let words = lower.split(|c: char| !(c.is_alphanumeric() || ".-_/".contains(c)));
    words.map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty()).collect()
}

/// What may stand before the number of a part.
const PARTS: [&str; 5] = ["chapter", "section", "part", "appendix", "item"];
pub(super) const UNITS: [&str; 5] = ["chapters", "sections", "subsections", "headings", "appendices"];

/// "what is chapter 3 about", "what does section 2.1 cover", "subsections of chapter 4", "summarise chapter 8".
fn english_part(words: &[&str]) -> Option<AskedPart> {
    let unit = words.iter().position(|word| PARTS.contains(word))?;
    let number = words.get(unit + 1).filter(|word| is_number(word))?;
    let name = format!("{} {number}", words[unit]);
    let rest = &words[unit + 2..];
    // Chapter 2 of part II is another one than that of part I: only the text is searched. There is one section 3.1,
    // that of chapter 3.
    let is_outer = |two: &[&str]| PARTS.contains(&two[0]) && is_number(two[1]);
    if let Some(outer) = rest.windows(2).find(|two| is_outer(two))
        && number.split_once('.').is_none_or(|(first, _)| first != outer[1])
    {
        return None;
    }
    let of_document = rest.first().is_some_and(|word| ["of", "in"].contains(word));
    let asked = match &words[..unit] {
        ["what", "is" | "s", "in"] => rest.is_empty() || of_document,
        ["what", "is" | "s"] => rest == ["about"] || (of_document && rest.last() == Some(&"about")),
        // What follows the verb may only name the document: "what does section 2 say about pumps" is about pumps.
        ["what", "does"] => {
            rest.first().is_some_and(|word| COVERS.contains(word)) && !rest.contains(&"about")
                || (of_document && rest.last().is_some_and(|word| COVERS.contains(word)))
        }
        ["contents", "of"] | ["outline", "of"] => true,
        [.., unit, "of" | "in" | "has" | "does"] if UNITS.contains(unit) => true,
        before => asks_for_summary(before) && (rest.is_empty() || of_document),
    };
    asked.then(|| AskedPart { name, says_of_what: says_of_what(rest) })
}

/// Whether the words behind a part name what it is of. "In 300 words" and "in plain language" name nothing, and neither
/// does "the user manual": that is the one of the reader.
fn says_of_what(rest: &[&str]) -> bool {
    const OWNERS: [&str; 6] = ["the", "this", "that", "my", "our", "your"];
    let in_what = |two: &[&str]| two[0] == "in" && (OWNERS.contains(&two[1]) || two[1].contains('.'));
    let of = rest.iter().position(|word| *word == "of").or_else(|| rest.windows(2).position(in_what));
    let what = of.map_or(&rest[..0], |of| &rest[of + 1..]);
    let end = what.iter().rposition(|word| *word != "about" && !COVERS.contains(word)).map_or(0, |last| last + 1);
    let [.., last] = &what[..end] else { return false };
    let is_among = |list: &[String], word: &str| list.iter().any(|own| own == word);
    let is_document = |word: &str| is_among(&WORDS.documents, word);
    let is_part = |word: &str| PARTS.contains(&word) || is_number(word);
    let is_known = |word: &str| is_document(word) || is_among(&WORDS.names_no_document, word) || is_part(word);
    !is_document(last) && !what[..end].iter().all(|word| is_known(word))
}

/// "summarise", "please give me a short summary of", "tell me about".
fn asks_for_summary(words: &[&str]) -> bool {
    const POLITE: [&str; 12] =
        ["please", "can", "could", "you", "give", "show", "me", "a", "an", "the", "short", "brief"];
    let words: Vec<&str> = words.iter().copied().filter(|word| !POLITE.contains(word)).collect();
    matches!(
        words.as_slice(),
        ["summarise" | "summarize" | "explain" | "describe" | "outline"]
            | ["summary" | "overview", "of"]
            | ["tell", "about"]
    )
}

const COVERS: [&str; 6] = ["cover", "say", "describe", "contain", "discuss", "include"];

/// `3`, `3.2`, `7a`, `iv`, `b`, `three`.
fn is_number(word: &str) -> bool {
    let bare = word.strip_suffix(['a', 'b', 'c']).unwrap_or(word);
    let digits = bare.chars().all(|c| c.is_ascii_digit() || c == '.') && bare.starts_with(|c: char| c.is_ascii_digit());
    digits || NUMBERS.contains(&word) || word.len() == 1 || word.chars().all(|c| "ivxlc".contains(c))
}

/// "第三章讲什么", "2.6节的内容是什么", "第4章 插图 讲了什么", "总结第八章". The document may have a 第 in its name too.
fn chinese_part(query: &str) -> Option<AskedPart> {
    let text: String = query.chars().filter(|c| !c.is_whitespace()).collect();
    let mut text = text.trim_end_matches(['？', '?', '。', '！', '!']).trim_end_matches(['吗', '呢', '吧']);
    while let Some(rest) = POLITE_IN_CHINESE.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest;
    }
    let near = last_characters(text);
    let before = text.len() - near.len();
    near.char_indices().find_map(|(start, _)| part_at(text, before + start))
}

/// The end of a text, the only place where a part is looked for: it is near the words that ask about it, and a text may
/// consist of numbers alone.
fn last_characters(text: &str) -> &str {
    let from = text.char_indices().rev().nth(MOST_CHARACTERS - 1).map_or(0, |(at, _)| at);
    &text[from..]
}

/// Words that a question may begin with.
const POLITE_IN_CHINESE: [&str; 4] = ["请问", "请", "帮我", "给我"];
/// Words that begin a question that ends with the part.
const SUMMARISE: [&str; 9] = ["总结一下", "总结", "概括一下", "概括", "概述", "介绍一下", "介绍", "讲讲", "说说"];
/// Words between a part and the question about it that are no title.
const ADVERBS: [&str; 5] = ["主要", "具体", "大概", "到底", "都"];
/// A part is looked for in this many characters at the end.
const MOST_CHARACTERS: usize = 200;
/// The longest title in a question, in characters.
const LONGEST_TITLE: usize = 30;

fn names_no_document(before: &str) -> bool {
    let words = || WORDS.names_no_document_in_chinese.iter().map(String::as_str).chain(SUMMARISE);
    let mut rest = before;
    while let Some(next) = words().find_map(|word| rest.strip_prefix(word)) {
        rest = next;
    }
    rest.is_empty()
}

/// What follows the number of a part, and its unit, at the start of a text: 讲什么 in "第三章讲什么".
fn after_number(from: &str) -> Option<&str> {
    let after_ordinal = from.strip_prefix('第');
    let after = after_ordinal.unwrap_or(from);
    let end = after.find(|c: char| !(is_han_digit(c) || c.is_ascii_digit() || c == '.')).filter(|end| *end > 0)?;
    let is_whole = after_ordinal.is_some() && !after[..end].contains('.');
    let units: &[&str] = if is_whole { &["部分", "章", "节", "篇", "编"] } else { &["章", "节"] };
    units.iter().find_map(|unit| after[end..].strip_prefix(*unit))
}

/// The part whose name begins at `start`: a number, and perhaps its title.
fn part_at(text: &str, start: usize) -> Option<AskedPart> {
    let (before, from) = text.split_at(start);
    let is_ordinal = from.starts_with('第');
    // Without 第, "2.6节" is a number, and so is "8章" in front; "这3节" counts, and "v2.6" has another meaning.
    let is_inside = before.ends_with(|c: char| c.is_ascii_digit() || "第.-_vV".contains(c));
    if !is_ordinal && (is_inside || !from.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let rest = after_number(from)?;
    let has_dot = from[..from.len() - rest.len()].contains('.');
    if !is_ordinal && !has_dot && !before.is_empty() {
        return None;
    }
    let verb = SUMMARISE.iter().copied().find(|verb| before.starts_with(*verb));
    let asking = WORDS.asks_for_part.iter().filter(|asking| rest.ends_with(asking.as_str()));
    let title = match asking.max_by_key(|asking| asking.len()) {
        Some(asking) => &rest[..rest.len() - asking.len()],
        None if verb.is_some() && rest.is_empty() => "",
        None => return None,
    };
    let title = if ADVERBS.contains(&title) { "" } else { title };
    // "第三章关于水泵讲什么" is about the text.
    let is_about = ["关于", "有关", "对于", "第"].iter().any(|word| title.contains(*word));
    // 第三章第二节 is another section than that of chapter 1: only the text is searched.
    let near = last_characters(before);
    let is_within = near.match_indices('第').any(|(at, _)| after_number(&near[at..]).is_some());
    let has_part = after_number(title).is_some();
    if is_about || is_within || has_part || title.chars().count() > LONGEST_TITLE {
        return None;
    }
    let name = from[..from.len() - rest.len() + title.len()].to_owned();
    let before = before[verb.map_or(0, str::len)..].trim_end_matches('的');
    Some(AskedPart { name, says_of_what: !names_no_document(before) })
}

/// The section in a query that is only its number: `Item 7`, `第三章`. Its text is searched for.
pub(in crate::search) fn section_named(query: &str) -> Option<String> {
    let lower = in_simplified(query).trim_matches(is_mark).to_lowercase();
    let english = || {
        let (unit, number) = lower.split_once(' ')?;
        (PARTS.contains(&unit) && is_number(number)).then(|| lower.clone())
    };
    let chinese = || {
        let rest = lower.strip_prefix('第')?.strip_suffix(['章', '节', '篇', '编'])?.trim();
        let is_number = !rest.is_empty() && rest.chars().all(|c| is_han_digit(c) || c.is_ascii_digit());
        is_number.then(|| lower.clone())
    };
    english().or_else(chinese)
}

/// The document and the section in a query that consists of both: "pump manual section 3.2", "section 3.2 of the pump
/// manual", 手册第3.2节. `query` is in simplified characters.
pub(in crate::search) fn section_of_document(query: &str) -> Option<(String, String)> {
    let lower = query.trim_matches(is_mark).to_lowercase();
    let english = || {
        let words = english_words(&lower);
        let unit = words.windows(2).position(|two| PARTS.contains(&two[0]) && is_number(two[1]))?;
        let document = match (&words[..unit], &words[unit + 2..]) {
            (before, []) => before,
            ([], ["of" | "in", after @ ..]) => after,
            _ => return None,
        };
        let document = document.iter().copied().skip_while(|word| *word == "the").collect::<Vec<_>>().join(" ");
        Some((document, format!("{} {}", words[unit], words[unit + 1])))
    };
    let chinese = || {
        let text: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
        let near = last_characters(&text);
        let is_number = |at: &usize| after_number(&near[*at..]) == Some("");
        let number = near.char_indices().map(|(at, _)| at).find(is_number)?;
        let (document, section) = text.split_at(text.len() - near.len() + number);
        Some((document.trim_end_matches('的').to_owned(), section.to_owned()))
    };
    english().or_else(chinese).filter(|(document, _)| !document.is_empty())
}

pub(super) fn is_mark(c: char) -> bool {
    "?？.。!！\"'“”《》".contains(c) || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_of_numbers_is_read_once() {
        let numbers = "1一".repeat(20_000);
        for end in ["", "讲什么", "章", "第"] {
            assert_eq!(part(&format!("{numbers}{end}")), None);
        }
        let text = format!("{}手册第三章讲什么", "水泵的".repeat(200));
        assert_eq!(part(&text).map(|part| part.name).as_deref(), Some("第三章"));
    }

    #[test]
    fn a_question_for_a_part_may_say_of_what() {
        let says_of_what = |query| part(query).is_some_and(|part| part.says_of_what);
        for query in [
            "what does section 12 of the Clayton Act say",
            "what does section 2.1 cover in manual.pdf",
            "what is in chapter 3 of policy?",
            "《手册》第三章讲什么",
            "总结手册A第八章",
        ] {
            assert!(says_of_what(query), "{query}");
        }
        for query in [
            "what is in chapter 12",
            "what does chapter 3 of the manual say",
            "what is chapter 3 of this book about?",
            "summarise chapter 3 in three sentences",
            "summarise chapter 3 in 300 words",
            "explain chapter 3 in plain language",
            "what does section 3.1 of chapter 3 say",
            "what does item 7 of the annual report say",
            "explain chapter 3 in detail",
            "第20章讲什么",
            "请告诉我第三章讲什么",
            "帮我总结该手册第三章的内容",
            "请总结一下这本书的第八章",
            "请问这本书的第三章讲什么？",
            "how do I prime the pump?",
        ] {
            assert!(!says_of_what(query), "{query}");
        }
    }

    #[test]
    fn a_query_may_be_a_document_and_the_number_of_a_section() {
        for (query, document, section) in [
            ("Pump manual, section 3.2", "pump manual", "section 3.2"),
            ("appendix A of the pump manual?", "pump manual", "appendix a"),
            ("KL-30说明书第 3.2 节", "kl-30说明书", "第3.2节"),
            ("《手册》的第三章", "手册》", "第三章"),
        ] {
            assert_eq!(section_of_document(query), Some((document.to_owned(), section.to_owned())), "{query}");
        }
        for query in
            ["section 3.2", "第三章", "pump manual section 3.2 valves", "section of the manual", "手册第三章讲什么"]
        {
            assert_eq!(section_of_document(query), None, "{query}");
        }
    }

    #[test]
    fn a_query_may_be_the_number_of_a_section() {
        for (query, name) in [
            ("Item 7A.", "item 7a"),
            ("chapter three", "chapter three"),
            ("第三章？", "第三章"),
            ("第３章", "第3章"),
            ("第三節", "第三节"),
        ] {
            assert_eq!(section_named(query).as_deref(), Some(name), "{query}");
        }
        for query in ["item price", "part of it", "第三方", "第一次世界大战章", "chapter 3 pumps"] {
            assert_eq!(section_named(query), None, "{query}");
        }
    }
}

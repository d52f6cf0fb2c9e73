//! Finds what a question names: keywords, quoted phrases, identifiers, and numbers with units. Holds the lists of words
//! that questions are understood by.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::script::is_unspaced;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// The word lists of `words.toml`.
#[derive(Deserialize)]
pub(super) struct Words {
    pub units: Vec<String>,
    pub function_words: Vec<String>,
    pub asking: Vec<String>,
    pub opening: Vec<String>,
    pub documents: Vec<String>,
    pub names_no_document: Vec<String>,
    pub names_no_document_in_chinese: Vec<String>,
    pub greetings: Vec<String>,
    pub asks_for_contents: Vec<String>,
    pub asks_for_part: Vec<String>,
    /// By kind of question.
    pub cues: HashMap<String, Vec<Cues>>,
}

/// Cues that make the kind of a question equally sure.
#[derive(Deserialize)]
pub(super) struct Cues {
    pub sure: f32,
    pub words: Vec<String>,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("words.toml is part of the program"));

/// Whether an indexed word may be said of any document: `manual`, `annual`, `手册`.
pub(in crate::search) fn is_of_any_document(word: &str) -> bool {
    static OF_ANY: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let words = WORDS.documents.iter().chain(&WORDS.names_no_document_in_chinese);
        words.flat_map(|word| tokenize(word)).map(|token| token.text).collect()
    });
    OF_ANY.contains(word)
}

/// Opening quotation marks and what closes each. Apostrophes are left out: they stand inside words.
const QUOTES: [(char, &str); 7] =
    [('"', "\"”"), ('“', "”\"“"), ('”', "”“"), ('„', "“”"), ('«', "»"), ('「', "」"), ('『', "』")];
/// A standard has at most this many capitals before its number: `RFC 2119`, `IEEE 802.11`, `GB/T 50265`.
const LONGEST_PUBLISHER: usize = 6;

/// The byte ranges between quotation marks that contain a word, in order.
pub(super) fn quotes(query: &str) -> Vec<Range<usize>> {
    // The full-width quotation mark counts as the plain one.
    let chars: Vec<(usize, char)> = query.char_indices().map(|(at, c)| (at, if c == '＂' { '"' } else { c })).collect();
    let mut found = Vec::new();
    // Each kind of mark is searched to the end once only: a text may consist of marks that nothing closes.
    let mut unclosed: Vec<char> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (start, open) = chars[at];
        // A mark after a digit means inches: 5" pipe.
        let inches = open == '"' && at > 0 && chars[at - 1].1.is_numeric();
        let closers = QUOTES.iter().find(|(known, _)| *known == open && !inches && !unclosed.contains(known));
        let close = closers.and_then(|(_, ends)| (at + 1..chars.len()).find(|&next| ends.contains(chars[next].1)));
        let Some(close) = close else {
            unclosed.extend(closers.map(|(mark, _)| mark));
            at += 1;
            continue;
        };
        let after_mark = start + query[start..].chars().next().map_or(1, char::len_utf8);
        let range = after_mark..chars[close].0;
        if query[range.clone()].chars().any(char::is_alphanumeric) {
            found.push(range);
        }
        at = close + 1;
    }
    found
}

/// The identifiers of a question as they were typed, in order, each once: `E-417`, `max_retry_count`, `v1.2.3`,
/// `RFC 2119`, `--flag`.
pub(super) fn identifiers(query: &str, quantities: &[String]) -> Vec<String> {
    let words: Vec<&str> = words(query);
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (word, mut text) = (words[at], None);
        // In `at 5 A 16` and `MPa 16`, the letters are a unit.
        let is_unit = || quantities.iter().any(|one| one.ends_with(word));
        if let Some(number) = words.get(at + 1).filter(|next| is_publisher(word) && is_number(next) && !is_unit()) {
            text = Some(format!("{word} {number}"));
            at += 1;
        } else if is_identifier(word) && !is_quantity(word) {
            text = Some(word.to_owned());
        }
        found.extend(text.filter(|text| !found.contains(text)));
        at += 1;
    }
    found
}

/// The runs between spaces, quotation marks and characters of unspaced scripts, without punctuation at their ends.
fn words(query: &str) -> Vec<&str> {
    let breaks =
        |c: char| c.is_whitespace() || is_unspaced(c) || "\"“”„«»「」『』《》，。、；：？！（）()[]{}<>,;`".contains(c);
    query
        .split(breaks)
        .map(|word| {
            word.trim_end_matches(['.', '?', '!', ':', '\'', '’', '-', '/']).trim_start_matches(['\'', '/', ':'])
        })
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_identifier(word: &str) -> bool {
    if let Some(option) = word.strip_prefix("--") {
        return option.starts_with(|c: char| c.is_ascii_alphabetic());
    }
    let has_digit = word.contains(char::is_numeric);
    if !word.contains(char::is_alphabetic) {
        // Two or more dots make a version or an address; one makes a decimal number.
        return has_digit && word.split('.').count() > 2 && word.split('.').all(|part| !part.is_empty());
    }
    let joined_by = |joint: &str| {
        word.contains(joint) && word.split(joint).all(|part| part.contains(|c: char| c.is_alphanumeric()))
    };
    let dotted = joined_by(".") && word.split('.').any(|part| part.chars().count() > 1);
    // Camel case needs two small letters, a capital and a letter: TarnClient and maxRetry, but not LaTeX.
    let chars: Vec<char> = word.chars().collect();
    let camel = chars.windows(4).any(|four| {
        four.iter().all(|c| c.is_alphabetic()) && four[0..2].iter().all(|c| c.is_lowercase()) && four[2].is_uppercase()
    });
    word.contains('_') || joined_by("::") || dotted || camel || (has_digit && !is_ordinal(word))
}

/// `2nd`, `1990s`, `19th-century`, `3D`, `2n`: words with a number in them.
fn is_ordinal(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    let first = rest.split('-').next().unwrap_or_default();
    word.starts_with(|c: char| c.is_ascii_digit())
        && (["st", "nd", "rd", "th", "s", "d", "'s", "’s"].contains(&first)
            || (first.is_empty() && rest.len() > 2)
            || rest.len() == 1)
}

fn is_publisher(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_ascii_uppercase()).count();
    (2..=LONGEST_PUBLISHER).contains(&letters) && word.chars().all(|c| c.is_ascii_uppercase() || c == '/')
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || ".-:".contains(c))
}

/// The numbers with units in a question, as they were written, in order: `16 MPa`, `5kW`, `30 天`.
pub(super) fn quantities(query: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    let mut skip_to = 0;
    for (start, c) in query.char_indices() {
        let begins = start >= skip_to
            && c.is_ascii_digit()
            && !before.is_some_and(|b| b.is_ascii_alphanumeric() || "._-".contains(b));
        before = Some(c);
        if !begins {
            continue;
        }
        let number = number_at(&query[start..]);
        skip_to = start + number.len();
        let rest = &query[skip_to..];
        let space = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
        let Some(unit) = unit_at(&rest[space..]) else { continue };
        // A year is a date, and so are the 1970s and the 70年代.
        let date =
            (unit == "年" && (number.len() == 4 || rest[space..].starts_with("年代"))) || (unit == "s" && space == 0);
        if !date && number.replace(',', "").parse::<f64>().is_ok() {
            skip_to += space + unit.len();
            found.push(query[start..skip_to].to_owned());
        }
    }
    found
}

/// Whether a word is only a quantity: `16MPa`.
fn is_quantity(word: &str) -> bool {
    quantities(word).first().is_some_and(|one| one == word)
}

/// The digits at the beginning, with separators that digits follow.
fn number_at(text: &str) -> &str {
    let belongs = |&(at, c): &(usize, char)| {
        c.is_ascii_digit() || (".,".contains(c) && text[at + 1..].starts_with(|c: char| c.is_ascii_digit()))
    };
    &text[..text.char_indices().take_while(belongs).count()]
}

/// The longest unit at the beginning.
fn unit_at(text: &str) -> Option<&'static str> {
    let ends = |unit: &str| {
        let letters = unit.ends_with(|c: char| c.is_ascii_alphanumeric());
        !(letters && text[unit.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || "_-/".contains(c)))
    };
    let units = WORDS.units.iter().map(String::as_str);
    units.filter(|unit| text.starts_with(unit) && ends(unit)).max_by_key(|unit| unit.len())
}

/// The words that say what a question is about, as they were typed, each once, in order.
pub(super) fn keywords(query: &str) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    // A run of single characters is Chinese; it ends where the next token does not follow directly.
    let mut run: Option<(usize, usize)> = None;
    for token in tokenize(query) {
        match (token.kind, run) {
            (TokenKind::Single, Some((start, end))) if end == token.start => run = Some((start, token.end)),
            (TokenKind::Single, _) => {
                found.extend(content_words(query, run));
                run = Some((token.start, token.end));
            }
            (TokenKind::Word | TokenKind::Whole, _) => {
                found.extend(content_words(query, run.take()));
                found.extend((!is_stopword(&token.text)).then(|| &query[token.start..token.end]));
            }
            (TokenKind::Part | TokenKind::Bigram, _) => {}
        }
    }
    found.extend(content_words(query, run));
    let mut known = HashSet::new();
    found.into_iter().filter(|word| !word.is_empty() && known.insert(*word)).map(str::to_owned).collect()
}

/// Words that ask for a number or a time behind `how`, and are not searched for there.
const AFTER_HOW: [&str; 5] = ["far", "long", "many", "much", "often"];

/// The byte ranges of the words that ask, and hardly stand across two others, in a query of simplified characters: 什么,
/// 请告诉我. Of those that open a question, only where a run of Chinese begins: 请问 is not in 申请问题. In English, the
/// second word of `how many`. In order.
pub(super) fn ranges_of_asking_words(query: &str) -> Vec<Range<usize>> {
    let (mut found, mut end) = (after_how(query), 0);
    for (at, _) in query.char_indices().filter(|(_, c)| is_unspaced(*c)) {
        let begins = !query[..at].ends_with(is_unspaced);
        let mut words = WORDS.asking.iter().chain(WORDS.opening.iter().filter(|_| begins));
        if at >= end
            && let Some(word) = words.find(|word| query[at..].starts_with(word.as_str()))
        {
            end = at + word.len();
            found.push(at..end);
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

fn after_how(query: &str) -> Vec<Range<usize>> {
    let words: Vec<(usize, &str)> = query.unicode_word_indices().collect();
    let asks = |pair: &&[(usize, &str)]| {
        let is_after_how = AFTER_HOW.iter().any(|word| pair[1].1.eq_ignore_ascii_case(word));
        let between = &query[pair[0].0 + pair[0].1.len()..pair[1].0];
        pair[0].1.eq_ignore_ascii_case("how") && is_after_how && between.trim().is_empty()
    };
    words.windows(2).filter(asks).map(|pair| pair[1].0..pair[1].0 + pair[1].1.len()).collect()
}

/// The Chinese function word, or word that asks, at the beginning of a text.
fn function_word(text: &str) -> Option<&'static str> {
    WORDS.asking.iter().chain(&WORDS.function_words).map(String::as_str).find(|word| text.starts_with(*word))
}

/// A run of Chinese without its function words.
fn content_words(query: &str, run: Option<(usize, usize)>) -> Vec<&str> {
    let Some((start, end)) = run else { return Vec::new() };
    let (mut words, mut from, mut at) = (Vec::new(), start, start);
    while at < end {
        let rest = &query[at..end];
        if let Some(function) = function_word(rest) {
            words.push(&query[from..at]);
            at += function.len();
            from = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    words.push(&query[from..end]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<&str> {
        quotes(query).into_iter().map(|range| &query[range]).collect()
    }

    #[test]
    fn words_that_ask_are_known_in_chinese_and_behind_how() {
        let asking = |query: &'static str| -> Vec<&str> {
            ranges_of_asking_words(query).into_iter().map(|range| &query[range]).collect()
        };
        assert_eq!(asking("How many pumps run, and how  long? 是什么"), ["many", "long", "是什么"]);
        assert!(asking("many long pumps, and how to stop. I know how. Many do").is_empty());
    }

    #[test]
    fn the_marks_of_several_languages_quote() {
        assert_eq!(found("who wrote \"the pump\" and “the valve”"), ["the pump", "the valve"]);
        assert_eq!(found("什么是“乡里制”？「推力轴承」和『阀门』"), ["乡里制", "推力轴承", "阀门"]);
        assert_eq!(found("„Pumpe“ und «pompe»"), ["Pumpe", "pompe"]);
        assert_eq!(found("为什么又叫”角瓜“？"), ["角瓜"], "marks the wrong way round");
    }

    #[test]
    fn inches_apostrophes_and_lonely_marks_do_not_quote() {
        assert_eq!(found("a 5\" and a 6\" pipe"), [""; 0]);
        assert_eq!(found("the pump's valve isn't open"), [""; 0]);
        assert_eq!(found("a \" b"), [""; 0]);
        assert_eq!(found("« a „b“ « c"), ["b"]);
        assert_eq!(found("an empty \"\" or \"…\" quote"), [""; 0]);
    }

    fn identified(query: &str) -> Vec<String> {
        identifiers(query, &quantities(query))
    }

    #[test]
    fn codes_names_versions_options_and_standards_are_identifiers() {
        let query = "E-417, foo_bar and TarnClient::connect in v1.2.3 of kb.toml with --flag, RFC 2119, GB/T 50265-2022, \
                     CVE-2021-44228, maxRetry, 10.0.0.1, H200?";
        assert_eq!(
            identified(query).join(", "),
            "E-417, foo_bar, TarnClient::connect, v1.2.3, kb.toml, --flag, RFC 2119, GB/T 50265-2022, CVE-2021-44228, \
             maxRetry, 10.0.0.1, H200"
        );
        assert_eq!(identified("报警E-417是什么意思？参数max_retry_count呢"), ["E-417", "max_retry_count"]);
    }

    #[test]
    fn words_numbers_and_quantities_are_not_identifiers() {
        let query = "How many people's 2nd pumps in the 1990s, e.g. a well-known 16 MPa pump at 3.14 or 16MPa, don't use LaTeX?";
        assert_eq!(identified(query), [""; 0]);
        assert_eq!(identified("a 19th-century and a 30-year lease of the US in 1998"), [""; 0]);
        assert_eq!(identified("1998年的30天"), [""; 0]);
    }

    #[test]
    fn numbers_with_units_are_found_in_both_languages() {
        assert_eq!(
            quantities("16 MPa, 5kW and 1,250.5 m³/h for 30 days at 80 %"),
            ["16 MPa", "5kW", "1,250.5 m³/h", "30 days", "80 %"]
        );
        assert_eq!(quantities("运行30 天后压力超过16兆帕"), ["30 天", "16兆帕"]);
    }

    #[test]
    fn codes_years_and_bare_numbers_are_not_quantities() {
        assert_eq!(
            quantities("E-417 in 1998年, 70年代, the 1970s and 3.2.1, 5 apples, 802.11ac and 12 Volts"),
            [""; 0]
        );
    }

    #[test]
    fn function_words_are_left_out() {
        assert_eq!(keywords("How do I prime the pump?"), ["prime", "pump"]);
        assert_eq!(keywords("如何启动水泵的电机？"), ["启动水泵", "电机"]);
        assert_eq!(keywords("max_retry_count的默认值是多少"), ["max_retry_count", "默认值"]);
        assert_eq!(keywords("什么是什么"), [""; 0]);
        assert_eq!(keywords("请帮我找一下umask的说明"), ["请", "umask", "说明"]);
        assert_eq!(keywords("partman是干什么用的"), ["partman"]);
    }
}

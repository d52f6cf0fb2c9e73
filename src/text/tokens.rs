//! Tokens for the keyword index: words in lower case and stemmed, identifiers whole and in parts, Han as bigrams and
//! single characters, simplified.
//!
//! Documents and questions use the same function. Han bigrams with single characters need no dictionary and are within
//! a point of one (P@1 .961 against .968 on CMRC 2018).

use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::han::simplified;
use super::script::{self, Script};

/// In characters. Longer words are cut; they are encoded data.
const LONGEST_WORD: usize = 80;

/// Ideographs without compatibility forms.
const UNIFIED_IDEOGRAPHS: std::ops::RangeInclusive<char> = '\u{4E00}'..='\u{9FFF}';

/// The kind of a token; queries weigh kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, stemmed.
    Word,
    /// An identifier or compound in lower case: `max_retry_count`, `e-417`, `tarnclient::connect`.
    Whole,
    /// A stemmed part of an identifier: `max`, `retri`, `count`.
    Part,
    /// Two adjacent characters of a script without spaces.
    Bigram,
    /// One character of a script without spaces.
    Single,
}

/// A token. `start..end` are byte offsets into its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The indexed form.
    pub text: String,
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
    /// The position in words. A whole, its first part and a character's bigram share one.
    pub position: usize,
}

/// All tokens of `text`, in reading order.
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut out = Vec::with_capacity(text.len() / 4);
    let mut position = 0;
    let mut chars = text.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        if script::is_unspaced(c) {
            let run: Vec<(usize, char)> =
                std::iter::from_fn(|| chars.next_if(|(_, c)| script::is_unspaced(*c))).collect();
            push_unspaced(&run, &mut position, &mut out);
        } else if is_word_char(c) {
            let mut end = start;
            while let Some((at, c)) = chars.next_if(|&(at, c)| is_word_char(c) || joins(text, at, c)) {
                end = at + c.len_utf8();
            }
            push_word(&text[start..end], start, &mut position, &mut out);
        } else {
            chars.next();
        }
    }
    out
}

fn is_word_char(c: char) -> bool {
    (c.is_alphanumeric() && !script::is_unspaced(c)) || is_mark(c)
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}')
}

/// Whether the character `c` at byte `at` joins two word characters: `a_b`, `a-b`, `a.b`, `a::b`, `a/b`.
fn joins(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    match c {
        '_' => after.is_some_and(|a| is_word_char(a) || a == '_') || before == Some('_'),
        '-' | '.' | '\'' | '’' | '@' | '\u{00AD}' => {
            before.is_some_and(is_word_char) && after.is_some_and(is_word_char)
        }
        ':' if before == Some(':') => after.is_some_and(is_word_char),
        ':' => before.is_some_and(is_word_char) && after == Some(':'),
        _ => false,
    }
}

fn push_unspaced(run: &[(usize, char)], position: &mut usize, out: &mut Vec<Token>) {
    for (i, &(start, c)) in run.iter().enumerate() {
        let end = start + c.len_utf8();
        let mut push = |text: String, kind, end| out.push(Token { text, kind, start, end, position: *position });
        push(fold(&c.to_string()), TokenKind::Single, end);
        if let Some(&(next, d)) = run.get(i + 1) {
            push(fold(&format!("{c}{d}")), TokenKind::Bigram, next + d.len_utf8());
        }
        *position += 1;
    }
}

fn push_word(word: &str, start: usize, position: &mut usize, out: &mut Vec<Token>) {
    let word = word.trim_end_matches('_');
    let end = start + word.len();
    let parts = identifier_parts(word);
    if parts.len() < 2 {
        // A possessive counts as its word.
        let base = without_possessive(word);
        let text = stem(&fold(base));
        if !text.is_empty() {
            out.push(Token { text, kind: TokenKind::Word, start, end, position: *position });
            *position += 1;
        }
        return;
    }
    out.push(Token { text: fold(word), kind: TokenKind::Whole, start, end, position: *position });
    for (from, to) in parts {
        let text = stem(&fold(&word[from..to]));
        if !text.is_empty() {
            let (start, end) = (start + from, start + to);
            out.push(Token { text, kind: TokenKind::Part, start, end, position: *position });
            *position += 1;
        }
    }
}

/// A word without the ending of `Heinz's`.
pub fn without_possessive(word: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|tail| word.strip_suffix(tail)).unwrap_or(word)
}

/// The byte ranges of the parts of an identifier or compound: split at `_ - . : @ '`, between a lower-case and an
/// upper-case letter, and between letters and digits. If there is no such place, the whole word.
fn identifier_parts(word: &str) -> Vec<(usize, usize)> {
    let word = without_possessive(word);
    if word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase()) {
        return vec![(0, word.len())];
    }
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let runs = chars.chunk_by(|(_, a), (_, b)| is_word_char(*a) == is_word_char(*b));
    let parts: Vec<(usize, usize)> = runs
        .filter(|run| is_word_char(run[0].1))
        .map(|run| (run[0].0, run[run.len() - 1].0 + run[run.len() - 1].1.len_utf8()))
        .collect();
    // A number stays whole: 3.14, 2.0.1, 1,000.
    if parts.len() > 1 && word.chars().all(|c| c.is_numeric() || c == '.') {
        return vec![(0, word.len())];
    }
    parts.into_iter().flat_map(|(from, to)| split_case(word, from, to)).collect()
}

/// Splits `TarnClient` into `Tarn` and `Client`, and `HTTP2Server` into `HTTP`, `2` and `Server`, but not words with a
/// part of a single letter: `LaTeX`, `iPhone`, `3D`.
fn split_case(word: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let chars: Vec<(usize, char)> = word[from..to].char_indices().map(|(at, c)| (from + at, c)).collect();
    let mut parts = Vec::new();
    let mut start = from;
    for i in 1..chars.len() {
        let (at, c) = chars[i];
        let before = chars[i - 1].1;
        let after = chars.get(i + 1).map(|&(_, c)| c);
        let camel = c.is_uppercase() && before.is_lowercase();
        let acronym = c.is_uppercase() && before.is_uppercase() && after.is_some_and(char::is_lowercase);
        let digits = c.is_numeric() != before.is_numeric();
        if camel || acronym || digits {
            parts.push((start, at));
            start = at;
        }
    }
    parts.push((start, to));
    let letters_too_short = parts
        .iter()
        .any(|&(from, to)| word[from..to].chars().any(char::is_alphabetic) && word[from..to].chars().count() < 2);
    if letters_too_short { split_year(word, from, to) } else { parts }
}

/// Splits a year out of `FY2023Q1` and `10K2022`, where other parts would be too short to be words.
fn split_year(word: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    const DIGITS: usize = 4;
    let text = &word[from..to];
    let is_year = |at: usize| {
        let digits = text.as_bytes()[at..].iter().take(DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        let begins = at == 0 || !text.as_bytes()[at - 1].is_ascii_digit();
        let is_recent = [b"19", b"20"].iter().any(|century| text.as_bytes()[at..].starts_with(*century));
        begins && digits == DIGITS && is_recent
    };
    let year = (0..text.len()).find(|at| is_year(*at));
    let Some(year) = year else { return vec![(from, to)] };
    let bounds = [(from, from + year), (from + year, from + year + DIGITS), (from + year + DIGITS, to)];
    let parts: Vec<(usize, usize)> = bounds.into_iter().filter(|(from, to)| from < to).collect();
    let are_words = parts.len() > 1 && parts.iter().all(|&(from, to)| word[from..to].chars().count() > 1);
    if are_words { parts } else { vec![(from, to)] }
}

/// Folds compatibility forms (full-width letters, ligatures), lower case, accents and traditional characters, and cuts
/// to length.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.chars().take(LONGEST_WORD).map(|c| c.to_ascii_lowercase()).collect();
    }
    // The fast path for most Chinese text.
    if word.chars().all(|c| UNIFIED_IDEOGRAPHS.contains(&c)) {
        return word.chars().take(LONGEST_WORD).map(simplified).collect();
    }
    fold_any(word)
}

fn fold_any(word: &str) -> String {
    let latin = word.chars().any(|c| script::script_of(c) == Some(Script::Latin));
    let lower = word.nfkc().flat_map(char::to_lowercase).collect::<String>();
    let folded: String = if latin { lower.nfd().filter(|&c| !is_mark(c)).nfc().collect() } else { lower };
    let plain = folded.replace('ß', "ss").replace('’', "'").replace('\u{00AD}', "");
    plain.chars().take(LONGEST_WORD).map(simplified).collect()
}

fn stem(word: &str) -> String {
    static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::new(Algorithm::English));
    if word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic()) {
        ENGLISH.stem(word).to_string()
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<String> {
        tokenize(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_lowercased_and_stemmed() {
        assert_eq!(texts("The Pumps were running, again."), ["the", "pump", "were", "run", "again"]);
        assert_eq!(texts("pump's don't"), ["pump", "don't", "don", "t"]);
    }

    #[test]
    fn unified_ideographs_fold_alike_both_ways() {
        for c in UNIFIED_IDEOGRAPHS {
            assert_eq!(fold_any(&c.to_string()), fold(&c.to_string()));
        }
    }

    #[test]
    fn identifiers_are_kept_whole_and_in_parts() {
        assert_eq!(texts("max_retry_count"), ["max_retry_count", "max", "retri", "count"]);
        assert_eq!(texts("TarnClient::connect"), ["tarnclient::connect", "tarn", "client", "connect"]);
        assert_eq!(texts("E-417"), ["e-417", "e", "417"]);
        assert_eq!(texts("LaTeX 3.14"), ["latex", "3.14"]);
        assert_eq!(texts("HTTP2Server"), ["http2server", "http", "2", "server"]);
    }

    #[test]
    fn a_year_in_the_name_of_a_file_is_a_word() {
        assert_eq!(texts("PEPSICO_2023Q1"), ["pepsico_2023q1", "pepsico", "2023", "q1"]);
        assert_eq!(texts("XiaomiAnnualReport2020"), ["xiaomiannualreport2020", "xiaomi", "annual", "report", "2020"]);
        assert_eq!(texts("FY2023Q1"), ["fy2023q1", "fy", "2023", "q1"]);
        assert_eq!(texts("10K2022"), ["10k2022", "10k", "2022"]);
        assert_eq!(texts("2010s 1234Q1 12023a1 B2024"), ["2010s", "1234q1", "12023a1", "b2024"]);
    }

    #[test]
    fn han_is_bigrams_and_single_characters() {
        assert_eq!(texts("启动水泵"), ["启", "启动", "动", "动水", "水", "水泵", "泵"]);
        assert_eq!(texts("用LaTeX排版"), ["用", "latex", "排", "排版", "版"]);
    }

    #[test]
    fn full_width_forms_and_accents_fold() {
        assert_eq!(texts("ＡＢＣ café Straße ﬁle"), ["abc", "cafe", "strass", "file"]);
    }

    #[test]
    fn a_period_ends_a_word_and_a_colon_joins_only_when_doubled() {
        assert_eq!(texts("Stop. Go: now"), ["stop", "go", "now"]);
        assert_eq!(texts("a::b"), ["a::b", "a", "b"]);
    }

    proptest! {
        #[test]
        fn tokens_lie_inside_the_text_in_order(text in "\\PC{0,80}") {
            let mut last = 0;
            for token in tokenize(&text) {
                prop_assert!(text.get(token.start..token.end).is_some());
                prop_assert!(token.position >= last);
                prop_assert!(!token.text.is_empty());
                last = token.position;
            }
        }
    }
}

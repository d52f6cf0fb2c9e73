//! The keywords of a question, and what looks like a name in it: capitalised words, capitals, titles in 《》.

use super::WORDS;
use super::exact::Quantity;
use crate::text::script::is_unspaced;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// Words that may stand between the parts of a name.
const INSIDE_NAMES: [&str; 9] = ["of", "de", "la", "del", "von", "van", "der", "du", "and"];

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
    each_once(found.into_iter().filter(|word| !word.is_empty()).map(str::to_owned))
}

/// A run of Chinese without its function words.
fn content_words(query: &str, run: Option<(usize, usize)>) -> Vec<&str> {
    let Some((start, end)) = run else { return Vec::new() };
    let (mut words, mut from, mut at) = (Vec::new(), start, start);
    while at < end {
        let rest = &query[at..end];
        if let Some(function) = WORDS.function_words.iter().find(|word| rest.starts_with(word.as_str())) {
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

/// What looks like a name, each once, in order. Identifiers and units do not count.
pub(super) fn names(query: &str, identifiers: &[String], quantities: &[Quantity]) -> Vec<String> {
    let exact = |name: &String| {
        identifiers.iter().any(|one| one == name || one.split(' ').any(|part| part == name))
            || quantities.iter().any(|one| one.unit == *name || one.text == *name)
    };
    each_once(titles(query).chain(capitalised(query)).filter(|name| !exact(name)))
}

fn each_once(words: impl Iterator<Item = String>) -> Vec<String> {
    words.fold(Vec::new(), |mut known, word| {
        if !known.contains(&word) {
            known.push(word);
        }
        known
    })
}

/// The titles of works and documents: 《泵站维护手册》.
fn titles(query: &str) -> impl Iterator<Item = String> {
    let closed = query.split('《').skip(1).filter_map(|rest| rest.split_once('》'));
    closed.map(|(title, _)| title.trim().to_owned()).filter(|title| !title.is_empty())
}

/// Runs of capitalised words. Where all words are in capitals, capitals mean nothing.
fn capitalised(query: &str) -> Vec<String> {
    if !query.chars().any(char::is_lowercase) && query.split_whitespace().count() > 1 {
        return Vec::new();
    }
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    let mut opens_sentence = true;
    for raw in query.split(|c: char| c.is_whitespace() || is_unspaced(c)) {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let word = ["'s", "’s"].iter().find_map(|tail| word.strip_suffix(tail)).unwrap_or(word);
        let name = word.starts_with(char::is_uppercase)
            && word.chars().count() > 1
            && !is_function_word(word)
            && !(opens_sentence && WORDS.openings.contains(&word.to_lowercase()));
        match found.last_mut() {
            Some(run) if name || (!run.is_empty() && INSIDE_NAMES.contains(&word)) => run.push(word),
            _ => found.push(Vec::new()),
        }
        if raw.ends_with([',', '.', '?', '!', ';', ':', '"', '”']) || raw.ends_with("'s") || raw.ends_with("’s") {
            found.push(Vec::new());
        }
        opens_sentence = if word.is_empty() { opens_sentence } else { raw.ends_with(['.', '?', '!']) };
    }
    for run in &mut found {
        let length = run.iter().rposition(|word| !INSIDE_NAMES.contains(word)).map_or(0, |last| last + 1);
        run.truncate(length);
    }
    found.into_iter().filter(|run| !run.is_empty()).map(|run| run.join(" ")).collect()
}

fn is_function_word(word: &str) -> bool {
    tokenize(word).iter().all(|token| is_stopword(&token.text)) && !word.chars().all(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_left_out() {
        assert_eq!(keywords("How do I prime the pump?"), ["prime", "pump"]);
        assert_eq!(keywords("如何启动水泵的电机？"), ["启动水泵", "电机"]);
        assert_eq!(keywords("max_retry_count的默认值是多少"), ["max_retry_count", "默认值"]);
        assert_eq!(keywords("什么是什么"), [""; 0]);
    }

    #[test]
    fn names_are_runs_of_capitals() {
        let names = |query| names(query, &[], &[]);
        assert_eq!(names("Who founded the Bank of England in London?"), ["Bank of England", "London"]);
        assert_eq!(names("What did Tesla's NASA say"), ["Tesla", "NASA"]);
        assert_eq!(names("Explain how Norwick Pump Station works. The pump is big."), ["Norwick Pump Station"]);
        assert_eq!(names("how is the pump primed?"), [""; 0]);
        assert_eq!(names("HOW IS THE PUMP PRIMED"), [""; 0]);
    }

    #[test]
    fn titles_are_names_and_identifiers_are_not() {
        assert_eq!(names("《红楼梦》和《泵站 维护手册》的作者", &[], &[]), ["红楼梦", "泵站 维护手册"]);
        assert_eq!(names("does RFC 2119 say MUST", &["RFC 2119".to_owned()], &[]), ["MUST"]);
    }
}

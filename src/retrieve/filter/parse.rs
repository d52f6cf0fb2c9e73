//! The text of a filter to what it says.
//!
//! ```text
//! any   = all { "or" all }
//! all   = one { "and" one }
//! one   = "not" one | "(" any ")" | key test
//! test  = ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value | [ "not" ] "in" "(" value { "," value } ")"
//!       | [ "not" ] "contains" value | "exists"
//! ```
//!
//! Length and depth are bounded: a filter may come from anywhere, and a parser has a stack.

use std::ops::Range;

use jiff::Timestamp;
use unicode_width::UnicodeWidthChar;

use super::keys::Key;
use super::syntax::{Comparison, Filter, Relation, Test};
use super::tokens::{Kind, Token, cut};
use super::values::{format_named, glob};
use crate::error::{Error, Result};
use crate::text::{Period, printable};

/// A longer filter, in bytes, is refused.
pub const LONGEST_FILTER: usize = 8192;
/// Parentheses and `not`s in each other beyond this are refused.
const DEEPEST: usize = 50;
/// So many columns of the filter are shown on each side of a mistake.
const SHOWN: usize = 50;

const TESTS: &str = "=, !=, <, <=, >, >=, in, contains or exists";

/// Something that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    at: Range<usize>,
    expected: String,
    found: String,
}

impl Mistake {
    pub(super) fn new(at: Range<usize>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Mistake { at, expected: expected.into(), found: found.into() }
    }

    /// With the text and a mark under the mistake.
    fn told(self, text: &str) -> Error {
        let start = self.at.start.min(text.len());
        let place = text[..start].chars().count() + 1;
        Error::usage(format!("filter, character {place}: expected {}, found {}", self.expected, self.found))
            .hint("`kb search --help` shows what filters look like")
            .figure(figure(text, start..self.at.end.min(text.len())))
    }
}

/// The text around a place, with a line under it that marks the place.
fn figure(text: &str, at: Range<usize>) -> String {
    let columns = |c: char| c.width().unwrap_or(1);
    // What would move the cursor is shown as a space.
    let mut used = 0;
    let before: Vec<char> = text[..at.start]
        .chars()
        .rev()
        .take_while(|c| {
            used += columns(*c);
            used <= SHOWN
        })
        .collect();
    let before: String = printable(&before.into_iter().rev().collect::<String>());
    let left = if before.len() < at.start { "…" } else { "" };
    used = 0;
    let rest = &text[at.start..];
    let shown: usize = rest
        .chars()
        .take_while(|c| {
            used += columns(*c);
            used <= SHOWN
        })
        .map(char::len_utf8)
        .sum();
    let right = if shown < rest.len() { "…" } else { "" };
    let indent: usize = left.chars().chain(before.chars()).map(columns).sum();
    let marked: usize = text[at.start..at.end.min(at.start + shown)].chars().map(columns).sum();
    format!(
        "  {left}{before}{}{right}\n  {}{}",
        printable(&rest[..shown]),
        " ".repeat(indent),
        "^".repeat(marked.max(1))
    )
}

/// The words with a meaning of their own, as they are compared: in small letters.
pub(super) fn keyword(word: &str) -> Option<&'static str> {
    const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "contains", "exists"];
    KEYWORDS.into_iter().find(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// Parses a filter.
///
/// # Errors
/// Where it is none: a usage error that names the place, with the text and a mark under the mistake.
pub(super) fn parse(text: &str) -> Result<Filter> {
    if text.len() > LONGEST_FILTER {
        return Err(Error::usage(format!("the filter is {} kB long; at most 8 kB are read", text.len() / 1024))
            .hint("say it shorter"));
    }
    understood(text).map_err(|mistake| mistake.told(text))
}

fn understood(text: &str) -> Result<Filter, Mistake> {
    let mut parser = Parser { tokens: cut(text)?, next: 0, end: text.len(), depth: 0 };
    let filter = parser.any()?;
    match parser.peek() {
        None => Ok(filter),
        Some(Kind::Word(_)) if parser.after_value() => {
            Err(parser.mistake("and, or, or the end (a value with spaces needs quotes)"))
        }
        Some(_) => Err(parser.mistake("and, or, or the end")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn keyword(&self) -> Option<&'static str> {
        match self.peek() {
            Some(Kind::Word(word)) => keyword(word),
            _ => None,
        }
    }

    /// Goes behind a keyword, where it is the next piece.
    fn passes(&mut self, wanted: &str) -> bool {
        let there = self.keyword() == Some(wanted);
        self.next += usize::from(there);
        there
    }

    /// Whether the piece before the next one is a value.
    fn after_value(&self) -> bool {
        let before = self.next.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| matches!(&token.kind, Kind::Word(word) if keyword(word).is_none()))
    }

    /// The next piece is not what was expected.
    fn mistake(&self, expected: impl Into<String>) -> Mistake {
        let Some(token) = self.tokens.get(self.next) else {
            return Mistake::new(self.end..self.end, expected, "the end");
        };
        let found = match &token.kind {
            Kind::Word(word) => format!("{:?}", crate::text::truncate(word, 40)),
            Kind::Quoted(_) => "a quoted text".to_owned(),
            Kind::Sign(comparison) => comparison.sign().to_owned(),
            Kind::Open => "(".to_owned(),
            Kind::Close => ")".to_owned(),
            Kind::Comma => "a comma".to_owned(),
        };
        Mistake::new(token.at.clone(), expected, found)
    }

    /// The value before the next piece cannot be compared with its key.
    fn bad_value(&self, expected: impl Into<String>) -> Mistake {
        Parser { tokens: self.tokens.clone(), next: self.next.saturating_sub(1), end: self.end, depth: 0 }
            .mistake(expected)
    }

    fn any(&mut self) -> Result<Filter, Mistake> {
        let mut parts = vec![self.all()?];
        while self.passes("or") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() > 1 { Filter::Any(parts) } else { parts.remove(0) })
    }

    fn all(&mut self) -> Result<Filter, Mistake> {
        let mut parts = vec![self.one()?];
        while self.passes("and") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() > 1 { Filter::All(parts) } else { parts.remove(0) })
    }

    fn one(&mut self) -> Result<Filter, Mistake> {
        let nested = self.keyword() == Some("not") || self.peek() == Some(&Kind::Open);
        if !nested {
            return self.test();
        }
        if self.depth >= DEEPEST {
            return Err(self.mistake(format!("at most {DEEPEST} parentheses and nots in each other")));
        }
        self.depth += 1;
        let filter = if self.passes("not") {
            Filter::Not(Box::new(self.one()?))
        } else {
            self.next += 1;
            let inner = self.any()?;
            if self.peek() != Some(&Kind::Close) {
                return Err(self.mistake("and, or, or )"));
            }
            self.next += 1;
            inner
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn test(&mut self) -> Result<Filter, Mistake> {
        let key = match self.peek() {
            Some(Kind::Word(word)) if keyword(word).is_none() => word.clone(),
            Some(Kind::Quoted(text)) if !text.trim().is_empty() => text.clone(),
            _ => return Err(self.mistake("a key such as author, tags, path or page")),
        };
        self.next += 1;
        let known = Key::named(&key);
        let negated = self.passes("not");
        let relation = match (self.peek(), self.keyword()) {
            (Some(&Kind::Sign(comparison)), _) if !negated => {
                if known == Key::Section && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
                    return Err(self.mistake("=, !=, in, contains or exists after `section`"));
                }
                self.next += 1;
                Relation::Is(comparison, self.value(&known)?)
            }
            (_, Some("in")) => Relation::In(self.list(&known)?),
            (_, Some("contains")) if known == Key::Page || known == Key::Time => {
                return Err(self.mistake("=, !=, <, <=, >, >=, in or exists after `page` and `time`"));
            }
            (_, Some("contains")) => {
                self.next += 1;
                Relation::Contains(self.value(&Key::Title)?)
            }
            (_, Some("exists")) => {
                self.next += 1;
                Relation::Exists
            }
            _ => return Err(self.mistake(if negated { "in, contains or exists" } else { TESTS })),
        };
        let test = Filter::Test(Test { key, relation });
        Ok(if negated { Filter::Not(Box::new(test)) } else { test })
    }

    fn list(&mut self, key: &Key) -> Result<Vec<String>, Mistake> {
        self.next += 1;
        if self.peek() != Some(&Kind::Open) {
            return Err(self.mistake("a list such as (draft, final) after `in`"));
        }
        let mut values = Vec::new();
        loop {
            self.next += 1;
            values.push(self.value(key)?);
            match self.peek() {
                Some(Kind::Comma) => {}
                Some(Kind::Close) => break,
                _ => return Err(self.mistake("a comma or )")),
            }
        }
        self.next += 1;
        Ok(values)
    }

    /// A value that can be compared with a key.
    fn value(&mut self, key: &Key) -> Result<String, Mistake> {
        let value = match self.peek() {
            Some(Kind::Word(text) | Kind::Quoted(text)) => text.clone(),
            _ => return Err(self.mistake("a value")),
        };
        self.next += 1;
        match key {
            Key::Page if value.trim().parse::<u32>().is_err() => Err(self.bad_value("the number of a page")),
            // Only whether it is a time; which one is seen from the moment of the search.
            Key::Time if Period::asked(&value, Timestamp::UNIX_EPOCH).is_none() => {
                Err(self.bad_value("a time such as 2026-11-21, 2026-11, 2026 or \"90d ago\""))
            }
            Key::Format if format_named(&value).is_none() => {
                Err(self.bad_value(format!("a format: {}", crate::load::Format::names(", "))))
            }
            Key::Path => match glob(&value) {
                Ok(_) => Ok(value),
                Err(reason) => Err(self.bad_value(format!("a path or a glob ({reason})"))),
            },
            _ => Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(text: &str) -> String {
        parse(text).map_or_else(|error| error.message().to_owned(), |filter| filter.to_string())
    }

    #[test]
    fn and_binds_closer_than_or_and_not_closest() {
        assert_eq!(printed("a=1 or b=2 and not c=3"), "a = 1 or (b = 2 and not c = 3)");
        assert_eq!(printed("(a=1 OR b=2) AND c exists"), "(a = 1 or b = 2) and c exists");
        assert_eq!(printed("tags not in (x, \"y z\")"), "not tags in (x, \"y z\")");
        assert_eq!(printed("NOT NOT (a contains 'b c')"), "not not a contains \"b c\"");
        assert_eq!(printed("作者＝张三 and 状态 in （草稿，定稿）"), "作者 = 张三 and 状态 in (草稿, 定稿)");
        assert_eq!(printed("path = docs/**/*.{md,pdf}"), "path = docs/**/*.{md,pdf}");
        assert_eq!(printed("\"and\" = 'or'"), "\"and\" = \"or\"");
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        let cases = [
            ("", "filter, character 1: expected a key such as author, tags, path or page, found the end"),
            ("author", "filter, character 7: expected =, !=, <, <=, >, >=, in, contains or exists, found the end"),
            ("author = ", "filter, character 10: expected a value, found the end"),
            (
                "title = pump manual",
                "filter, character 14: expected and, or, or the end (a value with spaces needs quotes), found \"manual\"",
            ),
            ("(a = 1", "filter, character 7: expected and, or, or ), found the end"),
            ("a = 1)", "filter, character 6: expected and, or, or the end, found )"),
            ("a in draft", "filter, character 6: expected a list such as (draft, final) after `in`, found \"draft\""),
            ("a in (b", "filter, character 8: expected a comma or ), found the end"),
            ("page = last", "filter, character 8: expected the number of a page, found \"last\""),
            (
                "time > soon",
                "filter, character 8: expected a time such as 2026-11-21, 2026-11, 2026 or \"90d ago\", found \"soon\"",
            ),
            ("section > 3", "filter, character 9: expected =, !=, in, contains or exists after `section`, found >"),
            (
                "标题 = \"水泵",
                "filter, character 6: expected \" at the end of the quoted text, found the end of the filter",
            ),
            ("a = 1 and and", "filter, character 11: expected a key such as author, tags, path or page, found \"and\""),
        ];
        for (text, expected) in cases {
            assert_eq!(printed(text), expected, "{text}");
        }
        assert!(printed("format = pfd").contains("expected a format: pdf, markdown"));
        assert!(printed("path = 'a[b'").contains("expected a path or a glob ("), "{}", printed("path = 'a[b'"));
    }

    #[test]
    fn the_mark_stands_under_the_mistake() {
        let error = parse("标题 = 水泵 手册").unwrap_err();
        assert_eq!(error.shown().unwrap(), "  标题 = 水泵 手册\n              ^^^^");
        let long = format!("{}x y", "a = 1 and ".repeat(30));
        let error = parse(&long).unwrap_err();
        let lines: Vec<&str> = error.shown().unwrap().lines().collect();
        assert!(lines[0].starts_with("  …") && lines[0].ends_with("x y"), "{lines:?}");
        assert_eq!(
            lines[1].find('^').map(|at| at - 1),
            lines[0].char_indices().position(|(_, c)| c == 'y').map(|at| at - 1)
        );
    }

    #[test]
    fn hostile_filters_are_refused() {
        assert!(printed(&"(".repeat(8000)).contains("at most 50 parentheses"));
        assert!(printed(&"not ".repeat(2000)).contains("at most 50 parentheses"));
        assert!(printed(&"a".repeat(9000)).contains("8 kB"));
        assert!(parse(&format!("{}a = 1{}", "(".repeat(50), ")".repeat(50))).is_ok());
    }

    fn filters() -> impl Strategy<Value = Filter> {
        let text = prop_oneof!["[a-z]{1,8}", "\\PC{1,10}", "and|or|not|in|exists|contains", "[\"'\\\\ 水（，]{1,4}"];
        let comparison = prop_oneof![
            Just(Comparison::Equal),
            Just(Comparison::NotEqual),
            Just(Comparison::Less),
            Just(Comparison::AtMost),
            Just(Comparison::Greater),
            Just(Comparison::AtLeast)
        ];
        let relation = prop_oneof![
            (comparison, text.clone()).prop_map(|(comparison, value)| Relation::Is(comparison, value)),
            proptest::collection::vec(text.clone(), 1..4).prop_map(Relation::In),
            text.clone().prop_map(Relation::Contains),
            Just(Relation::Exists),
        ];
        // Keys of which any value can be said.
        let key = text
            .prop_filter("a key of its own", |key| !key.trim().is_empty() && matches!(Key::named(key), Key::Other(_)));
        let test = (key, relation).prop_map(|(key, relation)| Filter::Test(Test { key, relation }));
        test.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|filter| Filter::Not(Box::new(filter))),
                proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::All),
                proptest::collection::vec(inner, 2..4).prop_map(Filter::Any),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_says_the_same(filter in filters()) {
            prop_assert_eq!(understood(&filter.to_string()), Ok(filter));
        }

        #[test]
        fn nothing_typed_ends_the_program(text in "\\PC{0,60}", pieces in proptest::collection::vec(
            prop_oneof![
                Just("and"), Just("or"), Just("not"), Just("in"), Just("("), Just(")"), Just(","), Just("="), Just("a"),
                Just("time"), Just("2026"), Just("page"), Just("\"x\""), Just("\""), Just("路径"), Just("path"), Just("**")
            ], 0..20)) {
            for text in [text, pieces.join(" ")] {
                match parse(&text) {
                    Ok(filter) => prop_assert_eq!(parse(&filter.to_string()).ok(), Some(filter)),
                    Err(error) => prop_assert!(error.shown().is_some()),
                }
            }
        }
    }
}

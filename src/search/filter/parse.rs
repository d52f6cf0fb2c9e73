//! Parses a filter.
//!
//! ```text
//! any   = all { "or" all }
//! all   = one { "and" one }
//! one   = "not" one | "(" any ")" | key test
//! test  = ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value | [ "not" ] "in" "(" value { "," value } ")"
//!       | [ "not" ] "contains" value | "exists"
//! ```
//!
//! Depth is bounded, because the parser recurses and filters are not trusted.

use super::check::{Comparison, Key, Relation, Test, Value};
use super::syntax::{Filter, KEYWORDS, Token, TokenKind, Unclosed, tokens};
use crate::error::{Error, NextStep};
use crate::text::truncate;

/// The deepest nesting of parentheses and `not`s.
const DEEPEST: usize = 50;

const TESTS: &str = "=, !=, <, <=, >, >=, in, contains or exists";

impl std::str::FromStr for Filter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let tokens = tokens(text).map_err(|Unclosed(start, end)| {
            syntax_error(text, start, &format!("{end} at the end of the quoted text"), "the end of the filter")
        })?;
        let mut parser = Parser { text, tokens, next: 0, depth: 0 };
        let filter = parser.any()?;
        let after_word = matches!(parser.tokens[parser.next - 1].kind, TokenKind::Word(_));
        match parser.peek() {
            None => Ok(filter),
            Some(TokenKind::Word(_)) if after_word => {
                Err(parser.unexpected("and, or, or the end (a value with spaces needs quotes)"))
            }
            Some(_) => Err(parser.unexpected("and, or, or the end")),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    /// Skips a sign if it comes next.
    fn accept(&mut self, sign: &'static str) -> bool {
        let accepted = self.peek() == Some(&TokenKind::Sign(sign));
        self.next += usize::from(accepted);
        accepted
    }

    fn expect(&mut self, sign: &'static str, expected: &str) -> Result<(), Error> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// The error for the next token, which is not what was expected.
    fn unexpected(&self, expected: &str) -> Error {
        let Some(Token { kind, at }) = self.tokens.get(self.next) else {
            return syntax_error(self.text, self.text.len(), expected, "the end");
        };
        let typed = &self.text[at.clone()];
        let found = match kind {
            TokenKind::Quoted(_) => "a quoted text".to_owned(),
            TokenKind::Sign(",") => "a comma".to_owned(),
            TokenKind::Sign(sign) if !KEYWORDS.contains(sign) => (*sign).to_owned(),
            TokenKind::Sign(_) | TokenKind::Word(_) => format!("{:?}", truncate(typed, 40)),
        };
        syntax_error(self.text, at.start, expected, &found)
    }

    fn any(&mut self) -> Result<Filter, Error> {
        self.joined("or", Parser::all, Filter::Any)
    }

    fn all(&mut self) -> Result<Filter, Error> {
        self.joined("and", Parser::one, Filter::All)
    }

    fn joined(
        &mut self,
        word: &'static str,
        part: impl Fn(&mut Self) -> Result<Filter, Error>,
        join: fn(Vec<Filter>) -> Filter,
    ) -> Result<Filter, Error> {
        let mut parts = vec![part(self)?];
        while self.accept(word) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() > 1 { join(parts) } else { parts.remove(0) })
    }

    fn one(&mut self) -> Result<Filter, Error> {
        let nests = matches!(self.peek(), Some(TokenKind::Sign("not" | "(")));
        if nests && self.depth >= DEEPEST {
            return Err(self.unexpected(&format!("at most {DEEPEST} nested parentheses and nots")));
        }
        self.depth += 1;
        let filter = if self.accept("not") {
            Filter::Not(Box::new(self.one()?))
        } else if self.accept("(") {
            let inner = self.any()?;
            self.expect(")", "and, or, or )")?;
            inner
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn test(&mut self) -> Result<Filter, Error> {
        let name = match self.peek() {
            Some(TokenKind::Word(text)) => text.clone(),
            Some(TokenKind::Quoted(text)) if !text.trim().is_empty() => text.clone(),
            _ => return Err(self.unexpected("a key such as author, tags, path or page")),
        };
        let written = self.tokens[self.next].at.clone();
        self.next += 1;
        let key = Key::named(&name);
        let negated = self.accept("not");
        let start = self.tokens.get(self.next).map_or(self.text.len(), |token| token.at.start);
        let Some(&TokenKind::Sign(sign)) = self.peek() else {
            return Err(self.unexpected(if negated { "in, contains or exists" } else { TESTS }));
        };
        let relation = match (sign, Comparison::of_sign(sign)) {
            (_, Some(comparison)) if !negated => {
                if key == Key::Section && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
                    return Err(self.unexpected("=, !=, in, contains or exists after `section`"));
                }
                self.next += 1;
                Relation::Is(comparison, Box::new(self.value(&key)?))
            }
            ("in", _) => {
                self.next += 1;
                Relation::In(self.list(&key)?)
            }
            ("contains", _) if key == Key::Page || key == Key::Time => {
                return Err(self.unexpected("=, !=, <, <=, >, >=, in or exists after `page` and `time`"));
            }
            ("contains", _) => {
                self.next += 1;
                Relation::Contains(self.value(&Key::Title)?.folded)
            }
            ("exists", _) => {
                self.next += 1;
                Relation::Exists
            }
            _ => return Err(self.unexpected(if negated { "in, contains or exists" } else { TESTS })),
        };
        let text = format!("{} {}", &self.text[written], &self.text[start..self.tokens[self.next - 1].at.end]);
        let test = Filter::Test(Test { key, relation, text });
        Ok(if negated { Filter::Not(Box::new(test)) } else { test })
    }

    fn list(&mut self, key: &Key) -> Result<Vec<Value>, Error> {
        self.expect("(", "a list such as (draft, final) after `in`")?;
        let mut values = vec![self.value(key)?];
        while self.accept(",") {
            values.push(self.value(key)?);
        }
        self.expect(")", "a comma or )")?;
        Ok(values)
    }

    /// A value that its key can compare.
    fn value(&mut self, key: &Key) -> Result<Value, Error> {
        let Some(TokenKind::Word(text) | TokenKind::Quoted(text)) = self.peek() else {
            return Err(self.unexpected("a value"));
        };
        let value = Value::new(key, text).map_err(|expected| self.unexpected(&expected))?;
        self.next += 1;
        Ok(value)
    }
}

fn syntax_error(text: &str, at: usize, expected: &str, found: &str) -> Error {
    let place = text[..at].chars().count() + 1;
    Error::usage(format!("character {place}: expected {expected}, found {found}"))
        .hint(format!("`{}` explains filters", NextStep::ShowFilters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(text: &str) -> String {
        text.parse::<Filter>().map_or_else(|error| error.message().to_owned(), |filter| filter.to_string())
    }

    #[test]
    fn and_binds_closer_than_or_and_not_closest() {
        assert_eq!(printed("a = 1 or b = 2 and not c = 3"), "a = 1 or (b = 2 and not c = 3)");
        assert_eq!(printed("(a = 1 OR b = 2) AND c exists"), "(a = 1 or b = 2) and c exists");
        assert_eq!(printed("tags not in (x, \"y z\")"), "not tags in (x, \"y z\")");
        assert_eq!(printed("NOT NOT (a contains 'b c')"), "not not a contains 'b c'");
        assert_eq!(printed("path = docs/**/*.{md,pdf}"), "path = docs/**/*.{md,pdf}");
        assert_eq!(printed("\"and\" = 'or'"), "\"and\" = 'or'");
    }

    #[test]
    fn an_error_names_the_place_of_the_mistake() {
        let cases = [
            ("", "character 1: expected a key such as author, tags, path or page, found the end"),
            ("author", "character 7: expected =, !=, <, <=, >, >=, in, contains or exists, found the end"),
            ("author = ", "character 10: expected a value, found the end"),
            (
                "title = pump manual",
                "character 14: expected and, or, or the end (a value with spaces needs quotes), found \"manual\"",
            ),
            ("(a = 1", "character 7: expected and, or, or ), found the end"),
            ("a = 1)", "character 6: expected and, or, or the end, found )"),
            ("a in draft", "character 6: expected a list such as (draft, final) after `in`, found \"draft\""),
            ("a in (b", "character 8: expected a comma or ), found the end"),
            ("page = last", "character 8: expected the number of a page, found \"last\""),
            (
                "time > soon",
                "character 8: expected a time such as 2026-11-21, 2026-11, 2026 or \"90d ago\", found \"soon\"",
            ),
            ("section > 3", "character 9: expected =, !=, in, contains or exists after `section`, found >"),
            ("标题 = \"水泵", "character 6: expected \" at the end of the quoted text, found the end of the filter"),
            ("a = 1 and and", "character 11: expected a key such as author, tags, path or page, found \"and\""),
        ];
        for (text, expected) in cases {
            assert_eq!(printed(text), expected, "{text}");
        }
        assert!(printed("format = pfd").contains("expected a format: pdf, markdown"));
        assert!(printed("path = 'a[b'").contains("expected a path or a glob ("), "{}", printed("path = 'a[b'"));
    }

    #[test]
    fn hostile_filters_are_refused() {
        assert!(printed(&"(".repeat(8000)).contains("at most 50 nested parentheses"));
        assert!(printed(&"not ".repeat(2000)).contains("at most 50 nested parentheses"));
        assert!(format!("{}a = 1{}", "(".repeat(50), ")".repeat(50)).parse::<Filter>().is_ok());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,60}", words in proptest::collection::vec(
            prop_oneof![
                Just("and"), Just("or"), Just("not"), Just("in"), Just("("), Just(")"), Just(","), Just("="), Just("a"),
                Just("time"), Just("2026"), Just("page"), Just("\"x\""), Just("\""), Just("路径"), Just("path"), Just("**")
            ], 0..20)) {
            for text in [text, words.join(" ")] {
                match text.parse::<Filter>() {
                    Ok(filter) => prop_assert_eq!(filter.to_string().parse().ok(), Some(filter)),
                    Err(error) => prop_assert!(error.message().starts_with("character ")),
                }
            }
        }
    }
}

//! A filter as it was written, and how it is written.

use std::fmt;

use super::parse;
use super::tokens::{self, Kind};
use crate::error::Error;

/// What a filter says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Something about one key.
    Test(Test),
    /// The opposite.
    Not(Box<Filter>),
    /// All of these.
    All(Vec<Filter>),
    /// One of these.
    Any(Vec<Filter>),
}

/// What is said about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The key, as it was written.
    pub key: String,
    /// What holds of it.
    pub relation: Relation,
}

/// What holds of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// It compares so with a value.
    Is(Comparison, String),
    /// It is one of these values.
    In(Vec<String>),
    /// It has this text in it.
    Contains(String),
    /// It has any value.
    Exists,
}

/// How a value compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }
}

impl Filter {
    /// Joins filters by `and`; `None` where there is none.
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        let mut filters: Vec<Filter> = filters.into_iter().collect();
        if filters.len() > 1 { Some(Filter::All(filters)) } else { filters.pop() }
    }

    /// The parts that all have to hold.
    pub(super) fn parts(&self) -> &[Filter] {
        match self {
            Filter::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// Shows each test.
    pub(super) fn each_test<'a>(&'a self, show: &mut impl FnMut(&'a Test)) {
        match self {
            Filter::Test(test) => show(test),
            Filter::Not(inner) => inner.each_test(show),
            Filter::All(parts) | Filter::Any(parts) => parts.iter().for_each(|part| part.each_test(show)),
        }
    }
}

impl std::str::FromStr for Filter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Filter], word: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {word} ")?;
                }
                match part {
                    Filter::All(_) | Filter::Any(_) => write!(f, "({part})")?,
                    other => write!(f, "{other}")?,
                }
            }
            Ok(())
        };
        match self {
            Filter::Test(test) => write!(f, "{test}"),
            Filter::Not(inner) => match inner.as_ref() {
                Filter::All(_) | Filter::Any(_) => write!(f, "not ({inner})"),
                other => write!(f, "not {other}"),
            },
            Filter::All(parts) => list(f, parts, "and"),
            Filter::Any(parts) => list(f, parts, "or"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = written(&self.key);
        match &self.relation {
            Relation::Is(comparison, value) => write!(f, "{key} {} {}", comparison.sign(), written(value)),
            Relation::In(values) => {
                let values: Vec<String> = values.iter().map(|value| written(value)).collect();
                write!(f, "{key} in ({})", values.join(", "))
            }
            Relation::Contains(value) => write!(f, "{key} contains {}", written(value)),
            Relation::Exists => write!(f, "{key} exists"),
        }
    }
}

/// A key or a value, in quotes where it would be read as something else without.
fn written(text: &str) -> String {
    // With a comma behind it, as in a list: behind a brace that is not closed it would belong to the word.
    let bare = match tokens::cut(&format!("{text},")).as_deref() {
        Ok([first, _]) => matches!(&first.kind, Kind::Word(word) if word == text) && parse::keyword(text).is_none(),
        _ => false,
    };
    if bare { text.to_owned() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

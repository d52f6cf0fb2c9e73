//! A filter as it was written.

use std::fmt;

use super::tokens::written;
use super::value::Comparison;

/// A condition on documents and chunks. `T` is what it says about one key: as written, or ready to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter<T = Test> {
    Test(T),
    Not(Box<Filter<T>>),
    All(Vec<Filter<T>>),
    Any(Vec<Filter<T>>),
}

/// What a filter says about one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The key, as it was written.
    pub key: String,
    pub relation: Relation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    Is(Comparison, String),
    /// The key has one of these values.
    In(Vec<String>),
    Contains(String),
    /// The key has any value.
    Exists,
}

impl Filter {
    /// Joins filters by `and`; `None` for no filters.
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        let mut filters: Vec<Filter> = filters.into_iter().collect();
        if filters.len() > 1 { Some(Filter::All(filters)) } else { filters.pop() }
    }

    /// The conditions that it joins by `and`.
    pub fn conditions(&self) -> &[Filter] {
        match self {
            Filter::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

impl<T> Filter<T> {
    /// The same filter with other tests.
    pub fn map<U>(&self, each: &dyn Fn(&T) -> U) -> Filter<U> {
        let all = |parts: &[Filter<T>]| parts.iter().map(|part| part.map(each)).collect();
        match self {
            Filter::Test(test) => Filter::Test(each(test)),
            Filter::Not(inner) => Filter::Not(Box::new(inner.map(each))),
            Filter::All(parts) => Filter::All(all(parts)),
            Filter::Any(parts) => Filter::Any(all(parts)),
        }
    }

    pub fn tests(&self) -> Vec<&T> {
        match self {
            Filter::Test(test) => vec![test],
            Filter::Not(inner) => inner.tests(),
            Filter::All(parts) | Filter::Any(parts) => parts.iter().flat_map(Filter::tests).collect(),
        }
    }

    /// Decides with what each test says; `None` where those leave it open.
    pub fn decide(&self, test: &dyn Fn(&T) -> Option<bool>) -> Option<bool> {
        match self {
            Filter::Test(one) => test(one),
            Filter::Not(inner) => inner.decide(test).map(|holds| !holds),
            Filter::All(parts) => first_or_open(parts.iter().map(|part| part.decide(test)), false),
            Filter::Any(parts) => first_or_open(parts.iter().map(|part| part.decide(test)), true),
        }
    }
}

/// `wanted` where any verdict is that; otherwise the opposite, unless a verdict is open.
pub fn first_or_open(verdicts: impl Iterator<Item = Option<bool>>, wanted: bool) -> Option<bool> {
    let mut open = false;
    for verdict in verdicts {
        if verdict == Some(wanted) {
            return verdict;
        }
        open |= verdict.is_none();
    }
    (!open).then_some(!wanted)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = |part: &Filter| match part {
            Filter::All(_) | Filter::Any(_) => format!("({part})"),
            other => other.to_string(),
        };
        let joined = |parts: &[Filter], word: &str| parts.iter().map(nested).collect::<Vec<_>>().join(word);
        match self {
            Filter::Test(test) => write!(f, "{test}"),
            Filter::Not(inner) => write!(f, "not {}", nested(inner)),
            Filter::All(parts) => f.write_str(&joined(parts, " and ")),
            Filter::Any(parts) => f.write_str(&joined(parts, " or ")),
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

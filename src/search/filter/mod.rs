//! Decides which documents and chunks a filter or a period allows. This happens before recall, so that nothing takes a
//! place in the ranking and is removed later.
//!
//! A filter is parsed ([`parse`]) into tests ([`check`]) and [decided](decide) on what the store knows of documents
//! ([`facts`]). The result is a [`Scope`] for each namespace.

mod check;
mod decide;
pub(super) mod facts;
#[cfg(test)]
mod laws;
mod parse;
pub(super) mod syntax;

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::store::{Scope, Snapshot};
use crate::text::{Period, alike, count, first_of, fold};
use check::{Comparison, Key, Relation, Test};
use decide::NamespaceFacts;
use facts::Facts;
pub use facts::{HeadingForm, HeadingForms};
use syntax::Filter;

/// Names less alike than this are not suggested.
const LEAST_SIMILARITY: f64 = 0.75;

/// What a search or a list is restricted to. All fields must hold; `None` allows everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restriction {
    pub filter: Option<Filter>,
    /// Where the filter is set, if the user did not type it.
    pub filter_from: Option<FilterOrigin>,
    /// Documents from before the beginning of this.
    pub before: Option<Period>,
    /// Documents from the beginning of this on.
    pub after: Option<Period>,
    /// Documents from no later than the end of this.
    pub as_of: Option<Period>,
    /// A time on another axis than dates.
    pub time_field: Option<TimeField>,
    /// The forms of headings that state fields.
    pub headings: HeadingForms,
}

/// A place that sets a filter for every search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterOrigin {
    /// A file or a variable.
    pub place: String,
    /// How to search without it.
    pub without: String,
}

/// A time that is a number: the value of a field of the metadata of documents, sections and chunks, and its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeField {
    /// [Folded](fold).
    pub name: String,
    /// Less than this.
    pub before: Option<f64>,
    /// This or more.
    pub after: Option<f64>,
    /// Not more than this, or without the field.
    pub as_of: Option<f64>,
}

impl TimeField {
    /// # Errors
    /// If the name is empty or that of another key.
    pub fn named(name: &str) -> Result<Self, String> {
        match Key::named(name) {
            Key::Other(name) if !name.is_empty() => Ok(TimeField { name, before: None, after: None, as_of: None }),
            _ => Err(format!("{name:?} is no field of metadata with a number, such as story_time")),
        }
    }

    fn tests(&self) -> impl Iterator<Item = Test> {
        let TimeField { name, before, after, as_of } = self;
        let limits = [(before, "<", false), (after, ">=", false), (as_of, "<=", true)];
        limits.into_iter().filter_map(|(limit, sign, timeless)| Some(Test::of_number(name, sign, (*limit)?, timeless)))
    }
}

impl Restriction {
    pub fn is_empty(&self) -> bool {
        conditions(self).is_empty()
    }

    /// The origin of one of the [`conditions`], or of all of them.
    fn origin(&self, at: Option<usize>) -> Option<&FilterOrigin> {
        let of_filter = self.filter.as_ref().map_or(0, |filter| filter.conditions().len());
        self.filter_from.as_ref().filter(|_| at.is_none_or(|at| at < of_filter))
    }

    /// The moment at which ages are taken.
    pub(super) fn seen_from(&self, now: Timestamp) -> Timestamp {
        self.as_of.map_or(now, |period| period.end.min(now))
    }
}

/// Which parent chunks of each namespace may be found.
pub struct Scopes {
    /// By namespace.
    pub each: Vec<Scope>,
    /// How many documents the namespaces have.
    pub all: usize,
    /// How many of them may be found, whole or in part.
    pub documents: usize,
    pub parent_chunks: usize,
    /// Reports a key that no document, section or note has.
    pub note: Option<String>,
}

impl Scopes {
    /// The counts in words, for the trace.
    pub fn in_words(&self) -> String {
        let chunks = count(self.parent_chunks, "parent chunk");
        format!("{} of {}, {chunks} match", self.documents, count(self.all, "document"))
    }
}

/// The parent chunks that a restriction allows in each namespace, within the `named` documents or all.
///
/// # Errors
/// If nothing matches, with the condition to blame; if the store cannot be read.
pub async fn scopes(
    namespaces: &[(&Snapshot, &Facts)],
    restriction: &Restriction,
    named: Option<&[DocId]>,
) -> Result<Scopes> {
    let conditions = conditions(restriction);
    let every: Vec<&Filter> = conditions.iter().collect();
    let forms = &restriction.headings;
    let mut namespace_facts = Vec::with_capacity(namespaces.len());
    for (snapshot, facts) in namespaces {
        namespace_facts.push(NamespaceFacts::read(snapshot, facts, &every, named, forms).await?);
    }
    let each: Vec<Scope> = namespace_facts.iter().map(|own| own.scope(&every)).collect();
    let unknown = unknown_key(&every, &namespace_facts).map(|(at, message, hint)| match restriction.origin(Some(at)) {
        Some(FilterOrigin { place, without }) => {
            (format!("{message}, which the filter in {place} uses"), format!("{without}; {hint}"))
        }
        None => (message, hint),
    });
    if each.iter().all(Scope::is_empty) {
        if let Some((message, hint)) = unknown {
            return Err(Error::usage(message).hint(hint));
        }
        // One condition alone may leave other documents open than all of them together.
        for (own, (snapshot, facts)) in namespace_facts.iter_mut().zip(namespaces) {
            own.read_chunks(snapshot, facts, &every, None).await?;
        }
        return Err(nothing_matches(restriction, &conditions, &namespace_facts));
    }
    let counts = namespace_facts.iter().zip(&each).map(|(own, scope)| own.counts(scope));
    let (documents, parent_chunks) = counts.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    let all = namespace_facts.iter().map(|own| own.documents.len()).sum();
    let note = unknown.map(|(message, hint)| format!("{message}; {hint}"));
    Ok(Scopes { each, all, documents, parent_chunks, note })
}

/// The parent chunks that a restriction allows, by namespace, and a note for the user.
///
/// # Errors
/// If nothing matches in any, with the condition to blame; if the store cannot be read.
pub async fn scopes_within(snapshots: &[&Snapshot], restriction: &Restriction) -> Result<(Vec<Scope>, Option<String>)> {
    let facts: Vec<Facts> = snapshots.iter().map(|_| Facts::default()).collect();
    let namespaces: Vec<(&Snapshot, &Facts)> = snapshots.iter().copied().zip(&facts).collect();
    let found = scopes(&namespaces, restriction, None).await?;
    Ok((found.each, found.note))
}

/// The conditions, all of which must hold.
fn conditions(restriction: &Restriction) -> Vec<Filter> {
    let filters = restriction.filter.iter().flat_map(Filter::conditions).cloned();
    let Restriction { before, after, as_of, .. } = *restriction;
    let numbers = restriction.time_field.iter().flat_map(TimeField::tests);
    let last_second = |end: Timestamp| Timestamp::from_second(end.as_second() - 1).unwrap_or(end);
    let times = [
        before.map(|period| Test::of_time(period, "<", &day_or_moment(period.start))),
        after.map(|period| Test::of_time(period, ">=", &day_or_moment(period.start))),
        as_of.map(|period| Test::of_time(period, "<=", &day_or_moment(last_second(period.end)))),
    ];
    filters.chain(times.into_iter().flatten().chain(numbers).map(Filter::Test)).collect()
}

/// The day alone for its first or last second.
fn day_or_moment(moment: Timestamp) -> String {
    let time = moment.to_zoned(TimeZone::UTC);
    let of_day = (time.hour(), time.minute(), time.second());
    if of_day == (0, 0, 0) || of_day == (23, 59, 59) { time.date().to_string() } else { moment.to_string() }
}

/// Blames one condition alone, or all of them together.
fn nothing_matches(restriction: &Restriction, conditions: &[Filter], namespace_facts: &[NamespaceFacts<'_>]) -> Error {
    let nothing = |some: &[&Filter]| namespace_facts.iter().all(|own| own.scope(some).is_empty());
    let document = match namespace_facts.iter().any(|own| own.named.is_some()) {
        true => "none of the named documents",
        false => "no document",
    };
    let alone = conditions.iter().position(|condition| nothing(&[condition]));
    let blamed = alone.map_or(conditions, |at| &conditions[at..=at]);
    let words: Vec<String> = blamed.iter().map(|condition| format!("`{condition}`")).collect();
    let (from, without) = match restriction.origin(alone) {
        Some(FilterOrigin { place, without }) => (format!(" (the filter in {place})"), without.as_str()),
        None => (String::new(), "leave that condition out"),
    };
    let fields = NextStep::DescribeDocument("DOC");
    let hint = match alone.and_then(|at| other_value(&conditions[at], namespace_facts)) {
        Some(other) => format!("{other} `{fields}` shows the fields of a document; {without}"),
        None => format!("`{fields}` shows the fields of a document; {without}"),
    };
    Error::not_found(format!("{document} matches {}{from}", words.join(" and "))).hint(hint).as_answer()
}

/// What to ask for instead of a value that no document has: a text that contains it, or the nearest value.
fn other_value(condition: &Filter, namespace_facts: &[NamespaceFacts<'_>]) -> Option<String> {
    let Filter::Test(test) = condition else { return None };
    let Relation::Is(Comparison::Equal, typed) = &test.relation else { return None };
    let rows = namespace_facts.iter().flat_map(|own| own.documents.values());
    let values = rows.filter_map(|row| match &test.key {
        Key::Source => Some(row.source.as_str()),
        Key::Title => Some(row.title.as_str()),
        Key::Other(name) => row.metadata.get(name).map(String::as_str),
        _ => None,
    });
    let values: BTreeSet<&str> = values.collect();
    if let Some((key, value)) = test.text.split_once('=').filter(|_| !typed.folded.is_empty())
        && values.iter().any(|value| fold(value).contains(&typed.folded))
    {
        return Some(format!("try `{} contains {}`;", key.trim_end(), value.trim_start()));
    }
    let file_name = |value: &str| value.rsplit('/').next().unwrap_or(value).to_owned();
    let named = values.iter().flat_map(|value| [(fold(value), *value), (fold(&file_name(value)), *value)]);
    alike(named, &typed.folded, LEAST_SIMILARITY).first().map(|value| format!("did you mean {value:?}?"))
}

/// The first key of the conditions that no document, section or note has: the place of its condition, a message, and a
/// hint with similar names or all names.
fn unknown_key(conditions: &[&Filter], namespace_facts: &[NamespaceFacts<'_>]) -> Option<(usize, String, String)> {
    let tests = conditions
        .iter()
        .zip(0..)
        .flat_map(|(condition, at)| condition.tests().into_iter().map(move |test| (at, test)));
    let name =
        |(at, test): (usize, &'_ Test)| if let Key::Other(name) = &test.key { Some((at, name.clone())) } else { None };
    let mut others = tests.filter_map(name).peekable();
    others.peek()?;
    let fields = namespace_facts.iter().flat_map(|own| own.documents.values().flat_map(|row| row.metadata.keys()));
    let notes = namespace_facts.iter().flat_map(|own| own.noted.keys().copied());
    let names: BTreeSet<&str> = fields.map(String::as_str).chain(notes).collect();
    let (at, key) = others.find(|(_, key)| !names.contains(key.as_str()))?;
    let own = names.iter().filter(|name| matches!(Key::named(name), Key::Other(_)));
    let known: Vec<String> = Key::names().chain(own.map(|name| (*name).to_owned())).collect();
    let alike = alike(known.iter().map(|known| (known.clone(), known)), &key, LEAST_SIMILARITY);
    let hint = match alike.is_empty() {
        true => format!("the keys are {}", known.join(", ")),
        false => format!("did you mean {}?", first_of(alike.into_iter().cloned())),
    };
    Some((at, format!("no document, section or note has the key {key:?}"), hint))
}

//! Decides what a filter says on a document or a passage.
//!
//! There are three answers: yes, no, and not yet, where a document alone does not tell because the filter speaks of its
//! passages too.

use jiff::Timestamp;

use super::facts::Place;
use super::keys::{Key, fold};
use super::syntax::{Comparison, Filter, Relation, Test};
use super::values::{Paths, Typed, format_named, glob, parts};
use crate::store::DocumentFacts;
use crate::structure::normalise_title;
use crate::text::{Period, fold_name};

/// A filter that is ready to decide.
pub(super) enum Check {
    One(One),
    Not(Box<Check>),
    All(Vec<Check>),
    Any(Vec<Check>),
}

/// A test that is ready to decide.
pub(super) struct One {
    pub(super) key: Key,
    relation: Ready,
}

enum Ready {
    /// It compares so with one of the values. What is the opposite of another comparison is said as that and turned
    /// round, so that of several values none may be the one.
    Is {
        comparison: Comparison,
        values: Vec<Value>,
        opposite: bool,
    },
    Contains(String),
    Exists,
}

/// A value with what it means for the key.
struct Value {
    typed: Typed,
    /// Of a path.
    paths: Option<Paths>,
    /// Of a format, its name.
    format: Option<&'static str>,
    /// Of a section, its title as titles are compared; empty where it is named by its path.
    title: String,
}

fn is_path(text: &str) -> bool {
    text.trim().chars().all(|c| c.is_ascii_digit() || c == '.')
}

impl Check {
    /// Makes a filter ready; times are seen from `now`.
    pub(super) fn new(filter: &Filter, now: Timestamp) -> Self {
        let all = |parts: &[Filter]| parts.iter().map(|part| Check::new(part, now)).collect();
        match filter {
            Filter::Test(test) => Check::One(One::new(test, now)),
            Filter::Not(inner) => Check::Not(Box::new(Check::new(inner, now))),
            Filter::All(parts) => Check::All(all(parts)),
            Filter::Any(parts) => Check::Any(all(parts)),
        }
    }

    /// Decides with what is known of each test; `None` where that leaves it open.
    pub(super) fn decide(&self, one: &dyn Fn(&One) -> Option<bool>) -> Option<bool> {
        match self {
            Check::One(test) => one(test),
            Check::Not(inner) => inner.decide(one).map(|held| !held),
            Check::All(parts) => settled(parts, one, false),
            Check::Any(parts) => settled(parts, one, true),
        }
    }

    /// Whether any of its tests is as wanted.
    pub(super) fn any(&self, wanted: &dyn Fn(&One) -> bool) -> bool {
        match self {
            Check::One(test) => wanted(test),
            Check::Not(inner) => inner.any(wanted),
            Check::All(parts) | Check::Any(parts) => parts.iter().any(|part| part.any(wanted)),
        }
    }
}

/// The answer `by` where one part gives it, the other one where none leaves it open.
fn settled(parts: &[Check], one: &dyn Fn(&One) -> Option<bool>, by: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.decide(one) {
            Some(held) if held == by => return Some(by),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!by)
}

impl One {
    fn new(test: &Test, now: Timestamp) -> Self {
        let key = Key::named(&test.key);
        let value = |text: &String| Value {
            typed: if key == Key::Entity { Typed::new(&fold_name(text), now) } else { Typed::new(text, now) },
            // A glob that is none was refused when the filter was read.
            paths: if key == Key::Path { glob(text).ok() } else { None },
            format: if key == Key::Format { format_named(text).map(|format| format.name()) } else { None },
            // What looks like a path is one: `2` must not find "Error T-1102".
            title: if is_path(text) { String::new() } else { normalise_title(text) },
        };
        let relation = match &test.relation {
            Relation::Is(Comparison::NotEqual, text) => {
                Ready::Is { comparison: Comparison::Equal, values: vec![value(text)], opposite: true }
            }
            Relation::Is(comparison, text) => {
                Ready::Is { comparison: *comparison, values: vec![value(text)], opposite: false }
            }
            Relation::In(texts) => {
                Ready::Is { comparison: Comparison::Equal, values: texts.iter().map(value).collect(), opposite: false }
            }
            Relation::Contains(text) => Ready::Contains(fold(text.trim())),
            Relation::Exists => Ready::Exists,
        };
        One { key, relation }
    }

    /// That the document's time compares so with a stretch of time.
    pub(super) fn of_time(period: Period, comparison: Comparison) -> Self {
        let value = Value { typed: Typed::of_period(period), paths: None, format: None, title: String::new() };
        One { key: Key::Time, relation: Ready::Is { comparison, values: vec![value], opposite: false } }
    }

    /// Whether it asks for the titles of sections.
    pub(super) fn compares_titles(&self) -> bool {
        let by_title = match &self.relation {
            Ready::Is { values, .. } => values.iter().any(|value| !value.title.is_empty()),
            Ready::Contains(_) => true,
            Ready::Exists => false,
        };
        self.key == Key::Section && by_title
    }

    /// Whether it holds of a document, for a key that a document has.
    pub(super) fn holds_of_document(&self, document: &DocumentFacts) -> bool {
        match &self.key {
            Key::Format => self.holds(&[document.format.as_str()]),
            Key::Path => self.holds_of_path(&document.source),
            Key::Source => self.holds(&[document.source.as_str()]),
            Key::Title => self.holds(&[document.title.as_str()]),
            Key::Tags => {
                let lists = ["tags", "tag", "keywords"].into_iter().filter_map(|name| document.metadata.get(name));
                self.holds(&lists.flat_map(|list| parts(list)).collect::<Vec<_>>())
            }
            Key::Time => self.holds_of_moment(document.time.as_ref().map(|time| time.at)),
            Key::Other(name) => self.holds_of_field(document.metadata.get(name).map(String::as_str)),
            Key::Section | Key::Page | Key::Language | Key::Entity => false,
        }
    }

    /// Whether it holds of a passage, for any key but the document's own.
    pub(super) fn holds_of_passage(&self, document: &DocumentFacts, place: &Place<'_>) -> bool {
        match &self.key {
            Key::Section => self.holds_of_section(place),
            Key::Page => self.holds_of_pages(place.passage.page_start.zip(place.passage.page_end)),
            Key::Language => self.holds_of_language(place.language),
            Key::Entity => self.holds_of_entities(place.entities),
            Key::Other(name) => {
                let noted: Vec<&str> =
                    place.notes.iter().filter_map(|notes| notes.get(name)).map(String::as_str).collect();
                // What a person noted about the passage stands above what its document says.
                if noted.is_empty() { self.holds_of_document(document) } else { self.holds(&noted) }
            }
            _ => self.holds_of_document(document),
        }
    }

    /// Whether it holds of a value, or of one of several.
    fn holds(&self, has: &[&str]) -> bool {
        match &self.relation {
            Ready::Is { comparison, values, opposite } => {
                let found = values.iter().any(|value| {
                    has.iter().any(|text| match value.format {
                        Some(format) if *comparison == Comparison::Equal => *text == format,
                        _ => value.typed.compares(text, *comparison),
                    })
                });
                found != *opposite
            }
            Ready::Contains(part) => has.iter().any(|text| fold(text).contains(part)),
            Ready::Exists => !has.is_empty(),
        }
    }

    /// Whether it holds of what mentions the entities of these names.
    pub(super) fn holds_of_entities(&self, names: &[String]) -> bool {
        self.holds(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether it asks for an entity, and none has such a name.
    pub(super) fn asks_for_none_of(&self, names: &[String]) -> bool {
        let asks = match &self.relation {
            Ready::Is { opposite, .. } => !opposite,
            Ready::Contains(_) => true,
            Ready::Exists => false,
        };
        self.key == Key::Entity && asks && !self.holds_of_entities(names)
    }

    /// Of a field, the whole counts for any comparison, and for equality also each part of a list.
    fn holds_of_field(&self, value: Option<&str>) -> bool {
        let whole: Vec<&str> = value.into_iter().collect();
        match &self.relation {
            Ready::Is { comparison: Comparison::Equal, .. } => {
                self.holds(&whole.iter().copied().chain(whole.iter().flat_map(|list| parts(list))).collect::<Vec<_>>())
            }
            _ => self.holds(&whole),
        }
    }

    fn holds_of_path(&self, source: &str) -> bool {
        match &self.relation {
            Ready::Is { comparison: Comparison::Equal, values, opposite } => {
                values.iter().filter_map(|value| value.paths.as_ref()).any(|paths| paths.has(source)) != *opposite
            }
            _ => self.holds(&[source]),
        }
    }

    fn holds_of_moment(&self, moment: Option<Timestamp>) -> bool {
        match &self.relation {
            Ready::Is { comparison, values, opposite } => {
                let compares =
                    |value: &Value| moment.is_some_and(|moment| value.typed.compares_moment(moment, *comparison));
                values.iter().any(compares) != *opposite
            }
            Ready::Contains(_) => false,
            Ready::Exists => moment.is_some(),
        }
    }

    fn holds_of_pages(&self, pages: Option<(u32, u32)>) -> bool {
        match &self.relation {
            Ready::Is { comparison, values, opposite } => {
                let compares =
                    |value: &Value| pages.is_some_and(|pages| value.typed.compares_pages(pages, *comparison));
                values.iter().any(compares) != *opposite
            }
            Ready::Contains(_) => false,
            Ready::Exists => pages.is_some(),
        }
    }

    /// `zh` is also `zh-Hant`.
    fn holds_of_language(&self, language: &str) -> bool {
        let short = language.split('-').next().unwrap_or(language);
        match &self.relation {
            Ready::Is { comparison: Comparison::Equal, .. } => self.holds(&[language, short]),
            Ready::Exists => !language.is_empty() && language != "und",
            _ => self.holds(&[language]),
        }
    }

    /// A section is meant by its path or its title, and its subsections with it.
    fn holds_of_section(&self, place: &Place<'_>) -> bool {
        let path = place.passage.section_id.rsplit_once('#').map_or("", |(_, path)| path);
        match &self.relation {
            Ready::Is { values, opposite, .. } => {
                let is_it = |value: &Value| {
                    let below = path.strip_prefix(value.typed.folded.as_str());
                    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                        || (!value.title.is_empty() && place.titles.iter().any(|title| title.is(&value.title)))
                };
                values.iter().any(is_it) != *opposite
            }
            Ready::Contains(part) => place.titles.iter().any(|title| title.folded.contains(part)),
            Ready::Exists => path != crate::structure::PREAMBLE,
        }
    }
}

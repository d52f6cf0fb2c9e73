//! Decides whether one test of a filter holds of a document or a chunk.

use jiff::Timestamp;

use super::facts::ChunkFacts;
use super::syntax::{Relation, Test};
use super::value::{Comparison, Key, Value, fold, parts};
use crate::store::DocumentFacts;
use crate::text::Period;

/// A test with its values ready to compare.
pub struct Ready {
    pub key: Key,
    relation: Compares,
}

enum Compares {
    /// One of the values compares so. `opposite` negates that, so that with several values none may be the one.
    Is {
        comparison: Comparison,
        values: Vec<Value>,
        opposite: bool,
    },
    Contains(String),
    Exists,
}

impl Ready {
    /// Times are relative to `now`.
    pub fn new(test: &Test, now: Timestamp) -> Self {
        let key = Key::named(&test.key);
        let value = |text: &String| Value::new(&key, text, now);
        let is = |comparison, values, opposite| Compares::Is { comparison, values, opposite };
        let relation = match &test.relation {
            Relation::Is(Comparison::NotEqual, text) => is(Comparison::Equal, vec![value(text)], true),
            Relation::Is(comparison, text) => is(*comparison, vec![value(text)], false),
            Relation::In(texts) => is(Comparison::Equal, texts.iter().map(value).collect(), false),
            Relation::Contains(text) => Compares::Contains(fold(text.trim())),
            Relation::Exists => Compares::Exists,
        };
        Ready { key, relation }
    }

    /// The document's time compares with a period.
    pub fn of_time(period: Period, comparison: Comparison) -> Self {
        let values = vec![Value::of_period(period)];
        Ready { key: Key::Time, relation: Compares::Is { comparison, values, opposite: false } }
    }

    /// Whether it needs the titles of sections.
    pub fn compares_titles(&self) -> bool {
        let by_title = match &self.relation {
            Compares::Is { values, .. } => values.iter().any(|value| !value.title.is_empty()),
            Compares::Contains(_) => true,
            Compares::Exists => false,
        };
        self.key == Key::Section && by_title
    }

    /// Decides by how one value compares, whether the text contains another, and whether there is any value.
    fn decide(&self, is: impl Fn(&Value, Comparison) -> bool, contains: impl Fn(&str) -> bool, exists: bool) -> bool {
        match &self.relation {
            Compares::Is { comparison, values, opposite } => {
                values.iter().any(|value| is(value, *comparison)) != *opposite
            }
            Compares::Contains(part) => contains(part),
            Compares::Exists => exists,
        }
    }

    /// Whether it holds of any of several values.
    fn holds(&self, has: &[&str]) -> bool {
        let is = |value: &Value, comparison| match value.format {
            Some(format) if comparison == Comparison::Equal => has.contains(&format),
            _ => has.iter().any(|text| value.compares(text, comparison)),
        };
        self.decide(is, |part| has.iter().any(|text| fold(text).contains(part)), !has.is_empty())
    }

    /// Whether it holds of a document; false for a key that only chunks have.
    pub fn holds_of_document(&self, document: &DocumentFacts) -> bool {
        match &self.key {
            Key::Format => self.holds(&[document.format.as_str()]),
            Key::Path => self.holds_of_path(&document.source),
            Key::Source => self.holds(&[document.source.as_str()]),
            Key::Title => self.holds(&[document.title.as_str()]),
            Key::Tags => {
                let lists = ["tags", "tag", "keywords"].into_iter().filter_map(|name| document.metadata.get(name));
                self.holds(&lists.flat_map(|list| parts(list)).collect::<Vec<_>>())
            }
            Key::Time => {
                let moment = document.time.as_ref().map(|time| time.at);
                let is = |value: &Value, comparison| moment.is_some_and(|at| value.compares_moment(at, comparison));
                self.decide(is, |_| false, moment.is_some())
            }
            Key::Other(name) => self.holds_of_field(document.metadata.get(name).map(String::as_str)),
            Key::Section | Key::Page | Key::Language | Key::Entity => false,
        }
    }

    /// Whether it holds of a chunk of a document.
    pub fn holds_of_chunk(&self, document: &DocumentFacts, chunk: &ChunkFacts<'_>) -> bool {
        match &self.key {
            Key::Section => self.holds_of_section(chunk),
            Key::Page => {
                let pages = chunk.row.page_start.zip(chunk.row.page_end);
                let is = |value: &Value, comparison| pages.is_some_and(|own| value.compares_pages(own, comparison));
                self.decide(is, |_| false, pages.is_some())
            }
            Key::Language => self.holds_of_language(chunk.language),
            Key::Entity => self.holds_of_entities(chunk.entities),
            Key::Other(name) => {
                let noted: Vec<&str> =
                    chunk.notes.iter().filter_map(|notes| notes.get(name)).map(String::as_str).collect();
                // A person's note about a chunk overrides the document's metadata.
                if noted.is_empty() { self.holds_of_document(document) } else { self.holds(&noted) }
            }
            _ => self.holds_of_document(document),
        }
    }

    /// Whether it holds of what mentions the entities with these names.
    pub fn holds_of_entities(&self, names: &[String]) -> bool {
        self.holds(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether it demands an entity, and none has such a name.
    pub fn names_no_entity(&self, names: &[String]) -> bool {
        let demands = match &self.relation {
            Compares::Is { opposite, .. } => !opposite,
            Compares::Contains(_) => true,
            Compares::Exists => false,
        };
        self.key == Key::Entity && demands && !self.holds_of_entities(names)
    }

    /// Comparisons see the whole field; equality also sees each part of a list.
    fn holds_of_field(&self, field: Option<&str>) -> bool {
        let is = |value: &Value, comparison| {
            field.is_some_and(|field| {
                value.compares(field, comparison)
                    || (comparison == Comparison::Equal && parts(field).any(|part| value.compares(part, comparison)))
            })
        };
        self.decide(is, |part| field.is_some_and(|field| fold(field).contains(part)), field.is_some())
    }

    fn holds_of_path(&self, source: &str) -> bool {
        let is = |value: &Value, comparison| match &value.paths {
            Some(paths) if comparison == Comparison::Equal => paths.has(source),
            _ => value.compares(source, comparison),
        };
        self.decide(is, |part| fold(source).contains(part), true)
    }

    /// `zh` also matches `zh-Hant`.
    fn holds_of_language(&self, language: &str) -> bool {
        let short = language.split('-').next().unwrap_or(language);
        let is = |value: &Value, comparison| {
            value.compares(language, comparison)
                || (comparison == Comparison::Equal && value.compares(short, comparison))
        };
        let known = !language.is_empty() && language != "und";
        self.decide(is, |part| fold(language).contains(part), known)
    }

    /// A section is named by its path or title; its subsections count too.
    fn holds_of_section(&self, chunk: &ChunkFacts<'_>) -> bool {
        let path = chunk.row.section_id.path();
        let is = |value: &Value, _| {
            let below = path.strip_prefix(value.folded.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || (!value.title.is_empty() && chunk.titles.iter().any(|title| title.is(&value.title)))
        };
        let contains = |part: &str| chunk.titles.iter().any(|title| title.folded.contains(part));
        self.decide(is, contains, path != crate::structure::PREAMBLE)
    }
}

//! One test of a filter, and whether a document or a chunk matches it. Its values are ready to compare: numbers as
//! numbers, times as times, paths as globs, everything else as text without case.

use std::cmp::Ordering;
use std::path::Path;

use clap::ValueEnum;
use jiff::Timestamp;

use super::facts::ChunkFacts;
use crate::knowledge::profile::Kind;
use crate::load::Format;
use crate::store::{DocumentFacts, SourcePattern, parts};
use crate::structure::{PREAMBLE, normalise_title};
use crate::text::{Period, as_number, fold, fold_name};

/// A document is of a kind if at least this share of its text is.
const GOOD_PART: f32 = 0.25;

/// A key that every document or chunk has, or the name of a metadata field or note.
#[derive(Debug, Clone, PartialEq, Eq, ValueEnum)]
pub enum Key {
    Format,
    /// The source as a path, for globs.
    Path,
    /// The source as text.
    Source,
    Title,
    /// The kinds of knowledge that a good part of the document is.
    Kind,
    #[value(alias = "tag")]
    Tags,
    /// The section of a chunk; those above it count too.
    Section,
    Page,
    /// The main language of a chunk.
    Language,
    /// When the document is from.
    Time,
    /// The entities that a chunk mentions.
    Entity,
    /// A metadata field or a note, [folded](fold).
    #[value(skip)]
    Other(String),
}

impl Key {
    pub fn named(name: &str) -> Self {
        let folded = fold(name.trim());
        <Key as ValueEnum>::from_str(&folded, false).unwrap_or(Key::Other(folded))
    }

    /// The names of the built-in keys.
    pub fn names() -> impl Iterator<Item = String> {
        Key::value_variants().iter().filter_map(|key| Some(key.to_possible_value()?.get_name().to_owned()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    pub fn of_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "=" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        })
    }

    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::AtMost => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::AtLeast => ordering.is_ge(),
        }
    }
}

/// A typed value, in every form that its key compares.
#[derive(Debug, Clone, Default)]
pub struct Value {
    pub folded: String,
    number: Option<f64>,
    period: Option<Period>,
    /// Of a path.
    sources: Option<SourcePattern>,
    /// Of a format, its name.
    format: Option<&'static str>,
    /// Of a section, its normalised title; empty for a path.
    title: String,
}

impl Value {
    /// Times are relative to now.
    ///
    /// # Errors
    /// What is expected instead, if its key cannot compare the value.
    pub fn new(key: &Key, text: &str) -> Result<Self, String> {
        let text = text.trim();
        let looks_like_path = text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let mut value = Value {
            folded: if *key == Key::Entity { fold_name(text) } else { fold(text) },
            number: as_number(text),
            period: Period::parse_at(text, Timestamp::now()),
            // `2` must not find "Error T-1102".
            title: if looks_like_path { String::new() } else { normalise_title(text) },
            ..Value::default()
        };
        match key {
            Key::Page if text.parse::<u32>().is_err() => return Err("the number of a page".to_owned()),
            Key::Time if value.period.is_none() => {
                return Err("a time such as 2026-11-21, 2026-11, 2026 or \"90d ago\"".to_owned());
            }
            Key::Format => {
                let format = format_named(text).ok_or_else(|| format!("a format: {}", Format::names(", ")))?;
                value.format = Some(format.name());
            }
            Key::Kind if Kind::ALL.iter().all(|kind| kind.name() != value.folded) => {
                let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
                return Err(format!("a kind: {}", names.join(", ")));
            }
            Key::Path => {
                let sources = SourcePattern::new(text).map_err(|reason| format!("a path or a glob ({reason})"))?;
                value.sources = Some(sources);
            }
            _ => {}
        }
        Ok(value)
    }

    /// Compares a value of a document with it. A document is later than a year if it is from after the end of the year.
    fn compares(&self, value: &str, comparison: Comparison) -> bool {
        if let (Comparison::Equal, Some(sources)) = (comparison, &self.sources) {
            return sources.has(value);
        }
        if let (Comparison::Equal, Some(format)) = (comparison, self.format) {
            return value == format;
        }
        if let (Some(typed), Some(number)) = (self.number, as_number(value)) {
            return number.partial_cmp(&typed).is_some_and(|ordering| comparison.holds(ordering));
        }
        if let (Some(typed), Some(period)) = (self.period, Period::parse(value)) {
            let inside = typed.start <= period.start && period.end <= typed.end;
            return match comparison {
                Comparison::Equal => inside,
                Comparison::NotEqual => !inside,
                _ => self.compares_moment(period.start, comparison),
            };
        }
        comparison.holds(fold(value.trim()).cmp(&self.folded))
    }

    /// Compares a moment with the typed time; false if that is not a time.
    fn compares_moment(&self, moment: Timestamp, comparison: Comparison) -> bool {
        self.period.is_some_and(|period| {
            let ordering = if period.has(moment) { Ordering::Equal } else { moment.cmp(&period.start) };
            comparison.holds(ordering)
        })
    }

    /// Whether any page from `first` to `last` compares with the typed number.
    fn compares_pages(&self, (first, last): (u32, u32), comparison: Comparison) -> bool {
        let holds = |page: u32| f64::from(page).partial_cmp(&self.number?).map(|ordering| comparison.holds(ordering));
        (first..=last).any(|page| holds(page) == Some(true))
    }
}

/// The format with this name or file extension.
fn format_named(name: &str) -> Option<Format> {
    let folded = fold(name.trim());
    Format::from_name(&folded)
        .or_else(|| Format::from_path(Path::new(&format!("x.{}", folded.trim_start_matches('.')))))
}

/// The condition of a filter on one key.
#[derive(Debug, Clone)]
pub struct Test {
    pub key: Key,
    pub relation: Relation,
    /// The whole test as it was written.
    pub text: String,
}

impl PartialEq for Test {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[derive(Debug, Clone)]
pub enum Relation {
    Is(Comparison, Box<Value>),
    /// The key has one of these values.
    In(Vec<Value>),
    /// [Folded](fold).
    Contains(String),
    /// The key has any value.
    Exists,
    /// The key has a number that compares; without a number the answer is `timeless`.
    Number {
        comparison: Comparison,
        number: f64,
        timeless: bool,
    },
}

impl Test {
    /// The document's time compares with a period, which the test shows as `shown`.
    pub fn of_time(period: Period, sign: &str, shown: &str) -> Self {
        let comparison = Comparison::of_sign(sign).expect("a sign of comparison");
        let value = Value { period: Some(period), ..Value::default() };
        let relation = Relation::Is(comparison, Box::new(value));
        Test { key: Key::Time, relation, text: format!("time {sign} {shown}") }
    }

    /// The number of a time field compares with another.
    pub fn of_number(field: &str, sign: &str, number: f64, timeless: bool) -> Self {
        let comparison = Comparison::of_sign(sign).expect("a comparison sign");
        let relation = Relation::Number { comparison, number, timeless };
        Test { key: Key::Other(field.to_owned()), relation, text: format!("{field} {sign} {number}") }
    }

    /// Whether it needs the titles of sections.
    pub fn compares_titles(&self) -> bool {
        let by_title = match &self.relation {
            Relation::Is(_, value) => !value.title.is_empty(),
            Relation::In(values) => values.iter().any(|value| !value.title.is_empty()),
            Relation::Contains(_) => true,
            Relation::Exists | Relation::Number { .. } => false,
        };
        self.key == Key::Section && by_title
    }

    /// Decides by how one value compares, whether the text contains another, and whether there is any value.
    fn decide(&self, is: impl Fn(&Value, Comparison) -> bool, contains: impl Fn(&str) -> bool, exists: bool) -> bool {
        match &self.relation {
            Relation::Is(Comparison::NotEqual, value) => !is(value, Comparison::Equal),
            Relation::Is(comparison, value) => is(value, *comparison),
            Relation::In(values) => values.iter().any(|value| is(value, Comparison::Equal)),
            Relation::Contains(part) => contains(part),
            Relation::Exists => exists,
            Relation::Number { timeless, .. } => *timeless,
        }
    }

    /// Whether it holds of any of several values.
    fn holds(&self, has: &[&str]) -> bool {
        if let Relation::Number { comparison, number, timeless } = self.relation {
            let own = has.iter().find_map(|text| as_number(text));
            return own.map_or(timeless, |own| comparison.holds(own.total_cmp(&number)));
        }
        let is = |value: &Value, comparison| has.iter().any(|text| value.compares(text, comparison));
        self.decide(is, |part| has.iter().any(|text| fold(text).contains(part)), !has.is_empty())
    }

    /// Whether it holds of a document; false for a key that only chunks have.
    pub fn holds_of_document(&self, document: &DocumentFacts) -> bool {
        match &self.key {
            Key::Format => self.holds(&[document.format.as_str()]),
            Key::Path | Key::Source => self.holds(&[document.source.as_str()]),
            Key::Title => self.holds(&[document.title.as_str()]),
            Key::Kind => {
                let kinds = document.kinds.iter().filter(|share| share.share >= GOOD_PART);
                self.holds(&kinds.map(|share| share.kind.name()).collect::<Vec<_>>())
            }
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

    pub fn holds_of_chunk(&self, document: &DocumentFacts, chunk: &ChunkFacts<'_>) -> bool {
        match &self.key {
            Key::Section => self.holds_of_section(chunk),
            Key::Page => {
                let pages = chunk.row.page_start.zip(chunk.row.page_end);
                let is = |value: &Value, comparison| pages.is_some_and(|own| value.compares_pages(own, comparison));
                self.decide(is, |_| false, pages.is_some())
            }
            Key::Language => {
                // `zh` also matches `zh-Hant`.
                let language = chunk.language;
                let short = language.split('-').next().unwrap_or(language);
                let is_known = !language.is_empty() && language != "und";
                self.holds(&[language, short]) && (is_known || !matches!(self.relation, Relation::Exists))
            }
            Key::Entity => self.holds_of_entities(chunk.entities),
            Key::Other(name) => {
                let noted: Vec<&str> =
                    chunk.notes.iter().filter_map(|notes| notes.get(name)).map(String::as_str).collect();
                if matches!(self.relation, Relation::Number { .. }) {
                    // A value that is not a number says nothing about time.
                    let fields = chunk.fields.iter().filter_map(|fields| fields.get(name));
                    let all = fields.chain(document.metadata.get(name)).map(String::as_str);
                    return self.holds(&noted.into_iter().chain(all).collect::<Vec<_>>());
                }
                // Notes of a chunk override the fields of its section, and these override the document's metadata.
                if !noted.is_empty() {
                    return self.holds(&noted);
                }
                match chunk.fields.iter().find_map(|fields| fields.get(name)) {
                    Some(field) => self.holds_of_field(Some(field)),
                    None => self.holds_of_document(document),
                }
            }
            _ => self.holds_of_document(document),
        }
    }

    /// Whether it holds of a text that mentions the entities with these names.
    pub fn holds_of_entities(&self, names: &[String]) -> bool {
        self.holds(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Comparisons see the whole field; equality also sees each part of a list.
    fn holds_of_field(&self, field: Option<&str>) -> bool {
        use Comparison::{Equal, NotEqual};
        let is_equal = matches!(self.relation, Relation::Is(Equal | NotEqual, _) | Relation::In(_));
        let parts = field.filter(|_| is_equal).into_iter().flat_map(parts);
        self.holds(&field.into_iter().chain(parts).collect::<Vec<_>>())
    }

    /// A section is named by its path or title; its subsections count too.
    fn holds_of_section(&self, chunk: &ChunkFacts<'_>) -> bool {
        let path = chunk.row.section_id.path();
        let is = |value: &Value, _| {
            let below = path.strip_prefix(value.folded.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || (!value.title.is_empty() && chunk.titles.iter().any(|title| title.is(&value.title)))
        };
        let contains = |part: &str| chunk.titles.iter().any(|title| title.folded().contains(part));
        self.decide(is, contains, path != PREAMBLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{check_field, check_field_of_part};

    #[test]
    fn nobody_sets_a_field_with_the_name_of_a_key() {
        for name in Key::names() {
            assert_eq!(check_field(&name).is_ok(), name == "tags", "{name}");
            assert!(check_field_of_part(&name).is_err(), "{name}");
        }
        assert!(check_field("tag").is_ok() && check_field_of_part("tag").is_err());
        assert!(check_field(" Page ").is_err() && check_field("ｐａｇｅ").is_err() && check_field("").is_err());
        assert!(check_field("pages").is_ok() && check_field_of_part("story_time").is_ok());
    }

    fn compares(value: &str, sign: &str, typed: &str) -> bool {
        let comparison = Comparison::of_sign(sign).unwrap();
        Value::new(&Key::Title, typed).unwrap().compares(value, comparison)
    }

    #[test]
    fn numbers_compare_as_numbers_and_texts_without_case() {
        assert!(compares("10", ">", "9") && compares("9", "=", "9.0") && !compares("10", "<", "9"));
        assert!(compares("Ann", "=", "ANN") && compares("ＡＮＮ", "=", "ann") && compares("张三", "=", "张三"));
        assert!(compares("b", ">", "A") && compares("b", ">=", "B") && compares("a", "!=", "b"));
        // A number on one side only is compared as text.
        assert!(compares("10 bar", "<", "9") && compares("nan", "=", "NaN"));
    }

    #[test]
    fn times_compare_as_periods() {
        assert!(compares("2026-03-01", "=", "2026") && compares("1 March 2026", "=", "2026-03-01"));
        assert!(compares("2026-03-01", ">=", "2026") && !compares("2026-03-01", ">", "2026"));
        assert!(compares("2025-12-31", "<", "2026") && compares("2026-12-31", "<=", "2026"));
        assert!(!compares("2026", "=", "2026-03") && compares("D:20270101", ">", "2026"));
        assert!(compares("2026年3月1日", "<", "2026-03-02"));
    }

    #[test]
    fn a_list_is_split_however_it_is_written() {
        let all = |value| parts(value).collect::<Vec<_>>();
        assert_eq!(all("a, b"), ["a", "b"]);
        assert_eq!(all("[\"a\", 'b c']"), ["a", "b c"]);
        assert_eq!(all("水泵、维护；启动"), ["水泵", "维护", "启动"]);
        assert_eq!(format_named(".MD"), Some(Format::Markdown));
    }
}

//! Keys and values of a filter, made ready to compare: numbers as numbers, times as times, paths as globs, everything
//! else as text without case.

use std::cmp::Ordering;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use jiff::Timestamp;
use unicode_normalization::UnicodeNormalization;

use crate::load::Format;
use crate::structure::normalise_title;
use crate::text::{Period, fold_name};

/// A key that every document or chunk has, or the name of a metadata field or note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Format,
    /// The source as a path, for globs.
    Path,
    /// The source as text.
    Source,
    Title,
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
    Other(String),
}

const KEYS: [(&str, Key); 10] = [
    ("format", Key::Format),
    ("path", Key::Path),
    ("source", Key::Source),
    ("title", Key::Title),
    ("tags", Key::Tags),
    ("section", Key::Section),
    ("page", Key::Page),
    ("language", Key::Language),
    ("time", Key::Time),
    ("entity", Key::Entity),
];

impl Key {
    pub fn named(name: &str) -> Self {
        let folded = fold(name.trim());
        let known = KEYS.into_iter().find(|(known, _)| *known == folded || (*known == "tags" && folded == "tag"));
        known.map_or(Key::Other(folded), |(_, key)| key)
    }

    /// The names of the keys that are always there.
    pub fn names<'a>() -> impl Iterator<Item = &'a str> {
        KEYS.iter().map(|(name, _)| *name)
    }
}

/// Text as filters compare it: full-width forms made plain, in small letters.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().flat_map(char::to_lowercase).collect()
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

    fn holds(self, ordering: Ordering) -> bool {
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

/// A value that was typed, in every form that its key compares.
#[derive(Debug, Clone, Default)]
pub struct Value {
    pub folded: String,
    number: Option<f64>,
    period: Option<Period>,
    /// Of a path.
    pub paths: Option<Paths>,
    /// Of a format, its name.
    pub format: Option<&'static str>,
    /// Of a section, its normalised title; empty for a path.
    pub title: String,
}

impl Value {
    /// Times are relative to `now`.
    pub fn new(key: &Key, text: &str, now: Timestamp) -> Self {
        let looks_like_path = text.trim().chars().all(|c| c.is_ascii_digit() || c == '.');
        Value {
            folded: if *key == Key::Entity { fold_name(text) } else { fold(text.trim()) },
            number: number(text),
            period: Period::asked(text, now),
            // The parser refused globs that cannot be read.
            paths: (*key == Key::Path).then(|| glob(text).ok()).flatten(),
            format: format_named(text).filter(|_| *key == Key::Format).map(|format| format.name()),
            // `2` must not find "Error T-1102".
            title: if looks_like_path { String::new() } else { normalise_title(text) },
        }
    }

    pub fn of_period(period: Period) -> Self {
        Value { period: Some(period), ..Value::default() }
    }

    /// Compares a value of a document with it. A document is later than a year when it is from after its end.
    pub fn compares(&self, value: &str, comparison: Comparison) -> bool {
        if let (Some(typed), Some(number)) = (self.number, number(value)) {
            return number.partial_cmp(&typed).is_some_and(|ordering| comparison.holds(ordering));
        }
        if let (Some(typed), Some(period)) = (self.period, Period::stated(value)) {
            let inside = typed.start <= period.start && period.end <= typed.end;
            return match comparison {
                Comparison::Equal => inside,
                Comparison::NotEqual => !inside,
                _ => self.compares_moment(period.start, comparison),
            };
        }
        comparison.holds(fold(value.trim()).cmp(&self.folded))
    }

    /// Compares a moment with the time that was typed; false where it is no time.
    pub fn compares_moment(&self, moment: Timestamp, comparison: Comparison) -> bool {
        self.period.is_some_and(|period| match comparison {
            Comparison::Equal => period.has(moment),
            Comparison::NotEqual => !period.has(moment),
            Comparison::Less => moment < period.start,
            Comparison::AtMost => moment < period.end,
            Comparison::Greater => moment >= period.end,
            Comparison::AtLeast => moment >= period.start,
        })
    }

    /// Whether any page from `first` to `last` compares with the number that was typed.
    pub fn compares_pages(&self, (first, last): (u32, u32), comparison: Comparison) -> bool {
        let (first, last) = (f64::from(first), f64::from(last));
        self.number.is_some_and(|page| match comparison {
            Comparison::Equal => first <= page && page <= last,
            Comparison::NotEqual => !(first <= page && page <= last),
            Comparison::Less => first < page,
            Comparison::AtMost => first <= page,
            Comparison::Greater => last > page,
            Comparison::AtLeast => last >= page,
        })
    }
}

/// The number that a text is; `inf` and `nan` are words.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    text.parse::<f64>().ok().filter(|number| looks_like_one && number.is_finite())
}

/// The parts of a value that is a list: `a, b`, `["a", "b"]`, `甲、乙`.
pub fn parts(value: &str) -> impl Iterator<Item = &str> {
    let inner = value.trim().strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    inner
        .split([',', ';', '，', '、', '；'])
        .map(|part| part.trim().trim_matches(['"', '\'']).trim())
        .filter(|part| !part.is_empty())
}

/// The format with this name or file extension.
pub fn format_named(name: &str) -> Option<Format> {
    let folded = fold(name.trim());
    Format::from_name(&folded)
        .or_else(|| Format::from_path(Path::new(&format!("x.{}", folded.trim_start_matches('.')))))
}

/// Paths that were typed.
#[derive(Debug, Clone)]
pub enum Paths {
    /// Case does not matter; a glob without a slash is compared with the file's name.
    Glob { matcher: GlobMatcher, names: bool },
    /// A file, the end of its path, or a folder; [folded](fold).
    Place(String),
}

/// The paths that a text means.
///
/// # Errors
/// The reason, for a glob that cannot be read.
pub fn glob(text: &str) -> Result<Paths, String> {
    let text = text.trim().strip_prefix("./").unwrap_or(text.trim());
    if !text.contains(['*', '?', '[', '{']) {
        return Ok(Paths::Place(fold(text.trim_end_matches('/'))));
    }
    let glob = GlobBuilder::new(&fold(text)).literal_separator(true).build();
    let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
    Ok(Paths::Glob { matcher, names: !text.contains('/') })
}

impl Paths {
    pub fn has(&self, source: &str) -> bool {
        let source = fold(source);
        match self {
            Paths::Glob { matcher, names: true } => matcher.is_match(source.rsplit('/').next().unwrap_or(&source)),
            Paths::Glob { matcher, names: false } => matcher.is_match(&source),
            Paths::Place(place) => {
                source == *place
                    || source.strip_prefix(place.as_str()).is_some_and(|rest| rest.starts_with('/'))
                    || source.strip_suffix(place.as_str()).is_some_and(|rest| rest.ends_with('/'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compares(value: &str, sign: &str, typed: &str) -> bool {
        let comparison = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Greater,
            Comparison::AtLeast,
        ]
        .into_iter()
        .find(|comparison| comparison.sign() == sign)
        .unwrap();
        Value::new(&Key::Title, typed, Timestamp::UNIX_EPOCH).compares(value, comparison)
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
    fn globs_and_places_find_sources() {
        let has = |typed: &str, source: &str| glob(typed).unwrap().has(source);
        assert!(has("docs/**/*.pdf", "docs/a/b.PDF") && has("docs/**/*.pdf", "docs/b.pdf"));
        assert!(!has("docs/*.pdf", "docs/a/b.pdf") && has("*.pdf", "docs/a/b.pdf") && has("手册*.md", "文档/手册1.md"));
        assert!(has("*.{md,txt}", "a.txt") && !has("*.{md,txt}", "a.pdf"));
        assert!(has("docs", "docs/a.pdf") && has("docs/", "docs/a.pdf") && !has("docs", "docs2/a.pdf"));
        assert!(has("a.pdf", "docs/a.pdf") && has("./docs/a.pdf", "docs/a.pdf") && !has("a.pdf", "docs/ba.pdf"));
        assert!(glob("a[b").is_err());
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

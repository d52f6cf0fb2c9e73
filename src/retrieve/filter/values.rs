//! A value that was typed, made ready to be compared with those of documents: numbers as numbers, times as times, paths
//! as globs, everything else as text without case.

use std::cmp::Ordering;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use jiff::Timestamp;

use super::keys::fold;
use super::syntax::Comparison;
use crate::load::Format;
use crate::text::Period;

/// A value that was typed.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    /// As text is compared.
    pub folded: String,
    number: Option<f64>,
    period: Option<Period>,
}

impl Typed {
    pub(super) fn new(text: &str, now: Timestamp) -> Self {
        Typed { folded: fold(text.trim()), number: number(text), period: Period::asked(text, now) }
    }

    /// A stretch of time that is known already.
    pub(super) fn of_period(period: Period) -> Self {
        Typed { folded: String::new(), number: None, period: Some(period) }
    }

    /// Whether a value of a document compares so with it. Texts and numbers have an order, and times theirs: later than
    /// a year is what comes after its end.
    pub(super) fn compares(&self, value: &str, comparison: Comparison) -> bool {
        if let (Some(typed), Some(number)) = (self.number, number(value)) {
            return number.partial_cmp(&typed).is_some_and(|ordering| holds(ordering, comparison));
        }
        if let (Some(typed), Some(period)) = (self.period, Period::stated(value)) {
            let inside = typed.start <= period.start && period.end <= typed.end;
            return match comparison {
                Comparison::Equal => inside,
                Comparison::NotEqual => !inside,
                _ => self.compares_moment(period.start, comparison),
            };
        }
        holds(fold(value.trim()).cmp(&self.folded), comparison)
    }

    /// Whether a moment compares so with the time that was typed; never, where it was none.
    pub(super) fn compares_moment(&self, moment: Timestamp, comparison: Comparison) -> bool {
        self.period.is_some_and(|period| match comparison {
            Comparison::Equal => period.has(moment),
            Comparison::NotEqual => !period.has(moment),
            Comparison::Less => moment < period.start,
            Comparison::AtMost => moment < period.end,
            Comparison::Greater => moment >= period.end,
            Comparison::AtLeast => moment >= period.start,
        })
    }

    /// Whether any of the pages from `first` to `last` compares so with the number that was typed.
    pub(super) fn compares_pages(&self, (first, last): (u32, u32), comparison: Comparison) -> bool {
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

fn holds(ordering: Ordering, comparison: Comparison) -> bool {
    match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::AtMost => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::AtLeast => ordering.is_ge(),
    }
}

/// The number that a text is; `inf` and `nan` are words.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    text.parse::<f64>().ok().filter(|number| looks_like_one && number.is_finite())
}

/// The parts of a value that is a list: `a, b`, `["a", "b"]`, `甲、乙`.
pub(super) fn parts(value: &str) -> impl Iterator<Item = &str> {
    let inner = value.trim().strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    inner
        .split([',', ';', '，', '、', '；'])
        .map(|part| part.trim().trim_matches(['"', '\'']).trim())
        .filter(|part| !part.is_empty())
}

/// The format that is called so, or whose files end so.
pub(super) fn format_named(name: &str) -> Option<Format> {
    let folded = fold(name.trim());
    Format::from_name(&folded)
        .or_else(|| Format::from_path(Path::new(&format!("x.{}", folded.trim_start_matches('.')))))
}

/// Paths that were typed: a glob, or a file or a folder.
#[derive(Debug, Clone)]
pub(super) enum Paths {
    /// Those that match, whatever the case; a glob without a slash is compared with the file's name.
    Glob { matcher: GlobMatcher, names: bool },
    /// The file, one that ends so, or all that is below the folder; [folded](fold).
    Place(String),
}

/// The paths that a text means.
///
/// # Errors
/// Where it is a glob that cannot be understood, the reason.
pub(super) fn glob(text: &str) -> Result<Paths, String> {
    let text = text.trim().strip_prefix("./").unwrap_or(text.trim());
    if !text.contains(['*', '?', '[', '{']) {
        return Ok(Paths::Place(fold(text.trim_end_matches('/'))));
    }
    let glob = GlobBuilder::new(&fold(text)).literal_separator(true).build();
    let matcher = glob.map_err(|error| error.kind().to_string())?.compile_matcher();
    Ok(Paths::Glob { matcher, names: !text.contains('/') })
}

impl Paths {
    /// Whether a source is one of them.
    pub(super) fn has(&self, source: &str) -> bool {
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
        Typed::new(typed, Timestamp::UNIX_EPOCH).compares(value, comparison)
    }

    #[test]
    fn numbers_compare_as_numbers_and_texts_without_case() {
        assert!(compares("10", ">", "9") && compares("9", "=", "9.0") && !compares("10", "<", "9"));
        assert!(compares("Ann", "=", "ANN") && compares("ＡＮＮ", "=", "ann") && compares("张三", "=", "张三"));
        assert!(compares("b", ">", "A") && compares("b", ">=", "B") && compares("a", "!=", "b"));
        // What is a number on one side only is text.
        assert!(compares("10 bar", "<", "9") && compares("nan", "=", "NaN"));
    }

    #[test]
    fn times_compare_as_stretches_of_time() {
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
    fn a_list_has_parts_however_it_is_written() {
        let all = |value| parts(value).collect::<Vec<_>>();
        assert_eq!(all("a, b"), ["a", "b"]);
        assert_eq!(all("[\"a\", 'b c']"), ["a", "b c"]);
        assert_eq!(all("水泵、维护；启动"), ["水泵", "维护", "启动"]);
        assert_eq!(format_named(".MD"), Some(Format::Markdown));
    }
}

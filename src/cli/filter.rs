//! What commands have in common that show or search only some of what there is: filters and times.

use clap::Args;
use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::retrieve::{Filter, Restriction};
use crate::text::{Period, period};

/// What filters look like, for the help of the commands that have them.
pub(super) const FILTERS: &str = "\
Filters: KEY =, !=, <, <=, >, >= VALUE, KEY in (A, B), KEY contains TEXT, KEY exists, joined
by and, or, not and ( ). Values with spaces need quotes. Keys: format, path (a glob, a folder
or a file), source, title, tags, time, section (path or title, subsections included), page,
language, entity (one that the passage mentions, by any of its names), every field of a
document's metadata, every note of a chunk. Numbers compare as
numbers, times as times, all else as text without case.

Times: 2026-11-21, 2026-11, 2026, RFC 3339, \"90d ago\", yesterday; without a zone they are UTC.
A document's time is what `kb ingest --time` or the document itself says, otherwise its
file's; `kb docs DOC` shows it.";

/// Only some of the documents.
#[derive(Debug, Default, Args)]
pub struct FilterArgs {
    /// Only what this holds of, such as 'author = Ann and page < 20'; several are joined by and; '' puts the one of kb.toml
    /// aside
    #[arg(long, value_name = "FILTER")]
    filter: Vec<String>,
    /// Only documents from before the beginning of this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    before: Option<Period>,
    /// Only documents from the beginning of this time on
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    after: Option<Period>,
    /// Only what was there at the end of this time: nothing later
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    as_of: Option<Period>,
}

impl FilterArgs {
    /// What was typed, with the filter that is configured where none was.
    ///
    /// # Errors
    /// Where a filter cannot be understood.
    pub(super) fn or(self, configured: Option<&str>) -> Result<Restriction> {
        let parse = |text: &str, from: &str| text.parse::<Filter>().map_err(|error| error.at(from));
        let filter = if self.filter.is_empty() {
            configured
                .filter(|text| !text.trim().is_empty())
                .map(|text| parse(text, "kb.toml, [search]"))
                .transpose()?
        } else {
            let typed = self.filter.iter().filter(|text| !text.trim().is_empty());
            Filter::all(typed.map(|text| parse(text, "--filter")).collect::<Result<Vec<_>>>()?)
        };
        Ok(Restriction { filter, before: self.before, after: self.after, as_of: self.as_of })
    }
}

/// A time that was typed.
pub(super) fn parse_time(text: &str) -> Result<Period, String> {
    Period::asked(text, Timestamp::now()).ok_or_else(|| {
        "no time; say for example 2026-11-21, 2026-11, 2026, 2026-11-21T10:30:00Z, \"90d ago\"".to_owned()
    })
}

/// How fast scores decay: the seconds in which they are halved; `None` for not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfLife(Option<f64>);

/// A half-life that was typed.
pub(super) fn parse_half_life(text: &str) -> Result<HalfLife, String> {
    if text.trim().eq_ignore_ascii_case("none") {
        return Ok(HalfLife(None));
    }
    let seconds = period::seconds(text);
    seconds
        .map(|seconds| HalfLife(Some(seconds)))
        .ok_or_else(|| "no duration above 0; say for example 90d, 6 months, 1y or none".to_owned())
}

/// The half-life that was typed, otherwise the one that is configured.
///
/// # Errors
/// Where the configured one is none.
pub(super) fn half_life(typed: Option<HalfLife>, configured: Option<&str>) -> Result<Option<f64>> {
    let configured = || {
        let parsed = configured.map(parse_half_life).transpose();
        parsed.map_err(|reason| Error::usage(format!("kb.toml, [search] half_life: {reason}")).hint("correct the file"))
    };
    let HalfLife(seconds) = match typed {
        Some(typed) => typed,
        None => configured()?.unwrap_or(HalfLife(None)),
    };
    Ok(seconds)
}

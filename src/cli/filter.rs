//! Times on the command line, and the filters that `kb search` and `kb docs` share.

use clap::Args;
use jiff::Timestamp;

use crate::error::{Error, Result, Setting};
use crate::knowledge::entities::RequestTime;
use crate::search::{Filter, HeadingForms, Restriction, TimeField};
use crate::store::StateTime;
use crate::text::Period;

/// The syntax of filters and times, for `--help`.
pub(super) const FILTERS: &str = "\
Filters: KEY = VALUE (also !=, <, <=, >, >=), KEY in (A, B), KEY contains TEXT, KEY exists, joined by and, or, not and
( ). Values with spaces need quotes. Keys: format, path (a glob, a folder or a file), source, title, kind, tags, time,
section (path or title, with subsections), page, language, entity, any metadata field of a document or section, any note
of a chunk. Times: 2026-11-21, 2026-11, 2026, RFC 3339, \"90d ago\", yesterday; in UTC unless they name a zone.";

/// Limits in time.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub struct TimeArgs {
    /// Only documents from before this time
    #[arg(long, value_name = "TIME", value_parser = parse_limit, allow_hyphen_values = true, hide_short_help = true)]
    before: Option<Limit>,
    /// Only documents from this time or later
    #[arg(long, value_name = "TIME", value_parser = parse_limit, allow_hyphen_values = true, hide_short_help = true)]
    after: Option<Limit>,
    /// Only documents that existed at the end of this time
    #[arg(long, value_name = "TIME", value_parser = parse_limit, allow_hyphen_values = true, hide_short_help = true)]
    as_of: Option<Limit>,
    /// Use the numbers in this metadata field as times, such as story_time
    #[arg(long, value_name = "FIELD", value_parser = TimeField::named, hide_short_help = true)]
    time_field: Option<TimeField>,
}

/// A typed time: a date, a number, or a text that can be both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    period: Option<Period>,
    number: Option<f64>,
}

impl TimeArgs {
    /// Combines these limits with a filter. `headings` are the forms of headings that state fields.
    ///
    /// # Errors
    /// If a limit is not a date or, on a time field, not a number.
    pub(super) fn restriction(self, filter: Option<Filter>, headings: HeadingForms) -> Result<Restriction> {
        let TimeArgs { before, after, as_of, time_field } = self;
        let Some(field) = time_field else {
            let date = |limit: Option<Limit>, name| limit.map(|limit| limit.date(name)).transpose();
            let (before, after, as_of) = (date(before, "before")?, date(after, "after")?, date(as_of, "as_of")?);
            return Ok(Restriction { filter, before, after, as_of, headings, ..Restriction::default() });
        };
        let number = |limit: Option<Limit>, name| limit.map(|limit| limit.number(name, &field.name)).transpose();
        let (before, after, as_of) = (number(before, "before")?, number(after, "after")?, number(as_of, "as_of")?);
        let time_field = Some(TimeField { before, after, as_of, ..field });
        Ok(Restriction { filter, time_field, headings, ..Restriction::default() })
    }
}

/// The moment whose states count.
#[derive(Debug, Default, Args)]
pub struct MomentArgs {
    /// Show the states at the end of this time [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_limit, allow_hyphen_values = true)]
    as_of: Option<Limit>,
    /// The time is a number in this metadata field, such as story_time
    #[arg(long, value_name = "FIELD", value_parser = TimeField::named)]
    time_field: Option<TimeField>,
}

impl MomentArgs {
    /// # Errors
    /// If the limit is not a date or, on a time field, not a number.
    pub(super) fn of(&self) -> Result<StateTime> {
        match (&self.time_field, self.as_of) {
            (None, None) => Ok(Timestamp::now().into()),
            (None, Some(limit)) => Ok(limit.date("as_of")?.last().into()),
            (Some(TimeField { name, .. }), limit) => {
                Ok(StateTime::on(name, limit.map(|limit| limit.number("as_of", name)).transpose()?))
            }
        }
    }
}

impl Limit {
    /// The time of a state.
    ///
    /// # Errors
    /// If it is not a date or, on a time field, not a number.
    pub(super) fn of_state(self, field: Option<&TimeField>) -> Result<RequestTime> {
        match field {
            None => self.date("time").map(RequestTime::Period),
            Some(TimeField { name, .. }) => Ok(RequestTime::On { field: name.clone(), at: self.number("time", name)? }),
        }
    }

    fn date(self, setting: &'static str) -> Result<Period> {
        self.period.ok_or_else(|| {
            Error::usage(format!("{}: expected a time such as 2026-11-21", Setting(setting)))
                .hint(format!("{} FIELD uses the numbers in a metadata field as times", Setting("time_field")))
        })
    }

    fn number(self, setting: &'static str, field: &str) -> Result<f64> {
        let expected = || {
            Error::usage(format!("{}: expected a number, because the field {field} holds numbers", Setting(setting)))
        };
        self.number.ok_or_else(expected)
    }
}

pub(super) fn parse_limit(text: &str) -> Result<Limit, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match (parse_time(text), number) {
        (Err(reason), None) => Err(reason),
        (period, number) => Ok(Limit { period: period.ok(), number }),
    }
}

pub(super) fn parse_time(text: &str) -> Result<Period, String> {
    let expected =
        || "expected a time such as 2026-11-21, 2026-11, 2026, 2026-11-21T10:30:00Z or \"90d ago\"".to_owned();
    Period::parse_at(text, Timestamp::now()).ok_or_else(expected)
}

//! Times on the command line, and the filters that `kb search` and `kb docs` share.

use clap::Args;
use jiff::Timestamp;

use crate::error::Result;
use crate::search::{Filter, Restriction};
use crate::text::Period;

/// The syntax of filters and times, for `--help`.
pub(super) const FILTERS: &str = "\
Filters: KEY = VALUE (also !=, <, <=, >, >=), KEY in (A, B), KEY contains TEXT, KEY exists, joined by and, or, not and
( ). Values with spaces need quotes. Keys: format, path (a glob, a folder or a file), source, title, kind, tags, time,
section (path or title, with subsections), page, language, entity, every field of a document's metadata, every note of
a chunk. Times: 2026-11-21, 2026-11, 2026, RFC 3339, \"90d ago\", yesterday; UTC without a zone.";

/// Spans of time.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub struct TimeArgs {
    /// Only documents from before this time
    #[arg(long, value_name = "TIME", value_parser = parse_time, hide_short_help = true)]
    before: Option<Period>,
    /// Only documents from this time or later
    #[arg(long, value_name = "TIME", value_parser = parse_time, hide_short_help = true)]
    after: Option<Period>,
    /// Only documents that existed at the end of this time
    #[arg(long, value_name = "TIME", value_parser = parse_time, hide_short_help = true)]
    as_of: Option<Period>,
}

impl TimeArgs {
    pub(super) fn restriction(self, filter: Option<Filter>) -> Restriction {
        Restriction { filter, before: self.before, after: self.after, as_of: self.as_of }
    }
}

pub(super) fn parse_time(text: &str) -> Result<Period, String> {
    let expected =
        || "expected a time such as 2026-11-21, 2026-11, 2026, 2026-11-21T10:30:00Z or \"90d ago\"".to_owned();
    Period::asked(text, Timestamp::now()).ok_or_else(expected)
}

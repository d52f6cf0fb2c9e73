//! What a correction of a table of contents did.

use std::io::{Result, Write};

use serde_json::Value;

use super::{Screen, View, value};
use crate::edit::{CorrectionReport, Outcome};
use crate::text::count;

/// What `kb toc --edit`, `--set` and `--reset` show.
pub struct CorrectionView<'a>(pub &'a CorrectionReport);

impl View for CorrectionView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.0;
        let made = format!(
            "{}, {}; {} embedded, {} reused",
            count(report.sections as usize, "section"),
            count(report.parents as usize, "passage"),
            count(report.embedded, "piece"),
            report.reused
        );
        let source = &report.source;
        match report.outcome {
            Outcome::Stored => writeln!(out, "corrected {source}: {made}"),
            Outcome::Unchanged => writeln!(out, "nothing changed in the table of contents of {source}"),
            Outcome::Reset => writeln!(out, "dropped the correction of {source}: {made}"),
            Outcome::ResetLater => writeln!(
                out,
                "dropped the correction of {source}; its source is not at hand, so its sections stay until it is ingested again"
            ),
        }
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.0.source.clone()]
    }
}

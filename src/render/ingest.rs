//! What an ingest did.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{BAD, grid, markdown_grid, paint};
use super::{Screen, View, lines, value};
use crate::ingest::{Action, IngestReport, LanguagesReport, SourceReport};
use crate::text::count;

/// More sources than this are summed up instead of listed.
const MOST_LISTED: usize = 40;

/// What `kb ingest` shows.
pub struct IngestView<'a>(pub &'a IngestReport);

const HEADER: [&str; 6] = ["what", "id", "source", "pages", "sections", "passages"];

impl IngestView<'_> {
    /// What changed; what stayed the same is only counted.
    fn changed(&self) -> Vec<&SourceReport> {
        self.0.sources.iter().filter(|report| report.action != Action::Unchanged).collect()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        self.changed()
            .into_iter()
            .filter(|report| report.action != Action::Failed)
            .take(MOST_LISTED)
            .map(|report| {
                let number =
                    |number: u32| if report.action == Action::Removed { String::new() } else { number.to_string() };
                vec![
                    report.action.name().to_owned(),
                    report.doc_id.clone().unwrap_or_default(),
                    report.source.clone(),
                    report.pages.map(|pages| pages.to_string()).unwrap_or_default(),
                    number(report.sections),
                    number(report.parents),
                ]
            })
            .collect()
    }

    fn summary(&self) -> String {
        let report = self.0;
        let mut parts: Vec<String> = Action::ALL
            .iter()
            .filter(|action| report.count(**action) > 0)
            .map(|action| format!("{} {}", report.count(*action), action.name()))
            .collect();
        if report.skipped > 0 {
            parts.push(format!("{} of other formats", report.skipped));
        }
        if parts.is_empty() {
            parts.push("nothing to do".to_owned());
        }
        let what = if report.dry_run { "would be: " } else { "" };
        let mut summary = format!("{what}{}", parts.join(", "));
        if !report.dry_run {
            summary.push_str(&format!(
                "; {} embedded, {} reused, {:.1} s",
                count(report.embedded, "piece"),
                report.reused,
                report.seconds
            ));
            if report.profiled > 0 {
                summary.push_str(&format!("\n{}", super::profiled(report.profiled)));
            }
            if report.without_vectors > 0 {
                let (have, are) = if report.without_vectors == 1 { ("has", "is") } else { ("have", "are") };
                summary.push_str(&format!(
                    "\n{} {have} no vectors and {are} found by words alone; kb ingest without --no-embed makes them",
                    count(report.without_vectors, "document")
                ));
            }
        }
        if let Some(languages) = &report.languages {
            summary.push_str(&format!("\n{}", not_read(languages)));
        }
        for line in report.lines.iter().flat_map(lines::told) {
            summary.push_str(&format!("\n{line}"));
        }
        summary
    }

    /// A line per failure and warning.
    fn troubles(&self) -> Vec<(bool, String)> {
        let mut lines = Vec::new();
        for report in &self.0.sources {
            if let Some(error) = &report.error {
                let hint = report.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
                lines.push((true, format!("failed: {}: {error}{hint}", report.source)));
            }
            if report.action != Action::Unchanged {
                lines.extend(report.warnings.iter().map(|w| (false, format!("warning: {}: {w}", report.source))));
            }
        }
        lines
    }

    fn left_out(&self) -> usize {
        let listed = self.changed().into_iter().filter(|report| report.action != Action::Failed).count();
        listed.saturating_sub(MOST_LISTED)
    }
}

/// What is said of documents in languages that the model of the vectors does not know.
fn not_read(report: &LanguagesReport) -> String {
    let LanguagesReport { model, share_not_read, better, .. } = report;
    let told = format!(
        "the model {model} does not cover {:.0} % of the text of these documents, which is found by words alone",
        100.0 * share_not_read
    );
    match better {
        Some(better) => format!(
            "{told}; a model that does: {better} (kb models add {better}, then kb reindex --vectors --model {better})"
        ),
        None => told,
    }
}

impl View for IngestView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let rows = self.rows();
        if !rows.is_empty() {
            writeln!(out, "{}", grid(screen, &HEADER, &[3, 4, 5], rows))?;
        }
        if self.left_out() > 0 {
            writeln!(out, "… and {} more", self.left_out())?;
        }
        for (bad, line) in self.troubles() {
            writeln!(out, "{}", if bad { paint(BAD, line) } else { line })?;
        }
        writeln!(out, "{}", self.summary())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let rows = self.rows();
        if !rows.is_empty() {
            writeln!(out, "{}", markdown_grid(&HEADER, &rows))?;
        }
        if self.left_out() > 0 {
            writeln!(out, "… and {} more\n", self.left_out())?;
        }
        for (_, line) in self.troubles() {
            writeln!(out, "- {line}")?;
        }
        writeln!(out, "{}", self.summary())
    }

    fn json(&self) -> Value {
        let mut json = value(self.0);
        let counts: serde_json::Map<String, Value> =
            Action::ALL.iter().map(|action| (action.name().to_owned(), json!(self.0.count(*action)))).collect();
        if let Value::Object(fields) = &mut json {
            fields.insert("counts".to_owned(), Value::Object(counts));
        }
        json
    }

    fn lines(&self) -> Vec<Value> {
        self.0.sources.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.changed().into_iter().filter(|r| r.action != Action::Failed).map(|r| r.source.clone()).collect()
    }
}

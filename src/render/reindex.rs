//! What a reindex did.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{BAD, grid, markdown_grid, paint};
use super::{Screen, View, lines, value};
use crate::ingest::{ReindexReport, TextFrom};
use crate::text::count;

/// More documents than this are summed up instead of listed.
const MOST_LISTED: usize = 40;
const HEADER: [&str; 5] = ["id", "source", "read from", "sections", "passages"];

/// What `kb reindex` shows.
pub struct ReindexView<'a>(pub &'a ReindexReport);

impl ReindexView<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let good = self.0.documents.iter().filter_map(|document| Some((document, document.from?)));
        good.take(MOST_LISTED)
            .map(|(document, from)| {
                let from = match from {
                    TextFrom::Source => "its source",
                    TextFrom::Store if document.kept => "the store; kept as it is",
                    TextFrom::Store => "the store",
                };
                let sections = if document.sections == document.sections_before {
                    document.sections.to_string()
                } else {
                    format!("{} → {}", document.sections_before, document.sections)
                };
                vec![
                    document.doc_id.clone(),
                    document.source.clone(),
                    from.to_owned(),
                    sections,
                    document.parents.to_string(),
                ]
            })
            .collect()
    }

    fn troubles(&self) -> Vec<String> {
        let failed = self.0.documents.iter().filter_map(|document| Some((document, document.error.as_ref()?)));
        failed
            .map(|(document, error)| {
                let hint = document.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
                format!("failed: {}: {error}{hint}", document.source)
            })
            .collect()
    }

    fn summary(&self) -> String {
        let report = self.0;
        let done = report.documents.len() - report.failed();
        let mut parts = vec![format!("{done} {}", if report.dry_run { "would be rebuilt" } else { "rebuilt" })];
        if report.failed() > 0 {
            parts.push(format!("{} failed", report.failed()));
        }
        if report.current > 0 {
            parts.push(format!("{} up to date", report.current));
        }
        let mut summary = parts.join(", ");
        if !report.dry_run {
            let (embedded, reused) = (count(report.embedded, "piece"), report.reused);
            summary.push_str(&format!("; {embedded} embedded, {reused} reused, {:.1} s", report.seconds));
            if report.profiled > 0 {
                summary.push_str(&format!("\n{}", super::profiled(report.profiled)));
            }
        }
        for line in report.lines.iter().flat_map(lines::told) {
            summary.push_str(&format!("\n{line}"));
        }
        summary
    }

    fn not_listed(&self) -> usize {
        (self.0.documents.len() - self.0.failed()).saturating_sub(MOST_LISTED)
    }
}

impl View for ReindexView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let rows = self.rows();
        if !rows.is_empty() {
            writeln!(out, "{}", grid(screen, &HEADER, &[3, 4], rows))?;
        }
        if self.not_listed() > 0 {
            writeln!(out, "… and {} more", self.not_listed())?;
        }
        for line in self.troubles() {
            writeln!(out, "{}", paint(BAD, line))?;
        }
        writeln!(out, "{}", self.summary())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let rows = self.rows();
        if !rows.is_empty() {
            writeln!(out, "{}", markdown_grid(&HEADER, &rows))?;
        }
        if self.not_listed() > 0 {
            writeln!(out, "… and {} more\n", self.not_listed())?;
        }
        for line in self.troubles() {
            writeln!(out, "- {line}")?;
        }
        writeln!(out, "{}", self.summary())
    }

    fn json(&self) -> Value {
        let mut json = value(self.0);
        if let Value::Object(fields) = &mut json {
            fields.insert("failed".to_owned(), json!(self.0.failed()));
        }
        json
    }

    fn lines(&self) -> Vec<Value> {
        self.0.documents.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.documents.iter().filter(|document| document.error.is_none()).map(|d| d.source.clone()).collect()
    }
}

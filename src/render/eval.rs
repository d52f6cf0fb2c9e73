//! What an evaluation measured.

use std::io::{Result, Write};

use serde_json::Value;

use super::style::{grid, markdown_grid};
use super::{Screen, View, value};
use crate::eval::{EvalReport, Metric};

/// What `kb eval` shows.
pub struct EvalView<'a>(pub &'a EvalReport);

const HEADER: [&str; 6] = ["method", "nDCG@10", "recall@10", "MRR@10", "P@1", "queries/s"];

impl EvalView<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        self.0
            .methods
            .iter()
            .map(|row| {
                let mut cells = vec![row.method.name().to_owned()];
                cells.extend(Metric::ALL.iter().map(|(metric, _)| format!("{:.4}", row.metrics.get(*metric))));
                cells.push(format!("{:.1}", row.queries_per_second));
                cells
            })
            .collect()
    }

    fn about(&self) -> String {
        let report = self.0;
        let reranked = report.reranker.as_ref().map(|folder| format!(", reranked by {folder}")).unwrap_or_default();
        format!(
            "{}: {} documents ingested in {:.1} s, {} queries, {} on {}{reranked}",
            report.set, report.documents, report.ingest_seconds, report.queries, report.model, report.engine
        )
    }
}

impl View for EvalView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.about())?;
        writeln!(out, "{}", grid(screen, &HEADER, &[1, 2, 3, 4, 5], self.rows()))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}\n", self.about())?;
        write!(out, "{}", markdown_grid(&HEADER, &self.rows()))
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn lines(&self) -> Vec<Value> {
        self.0.methods.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        vec![self.0.set.clone()]
    }
}

//! What an evaluation measured, and whether the language model answers.

use super::page::{Grid, Page};
use crate::eval::{EvalReport, MethodReport};
use crate::llm::Checked;

/// What `kb eval` shows.
pub fn evaluation(report: &EvalReport) -> Page {
    let mut page = Page::new(report).with_lines(&report.methods).with_paths([&report.set]);
    let reranked = report.reranker.as_ref().map(|folder| format!(", reranked by {folder}")).unwrap_or_default();
    page.line(format!(
        "{}: {} documents ingested in {:.1} s, {} queries, {} on {}{reranked}",
        report.set, report.documents, report.ingest_seconds, report.queries, report.model, report.engine
    ));
    let row = |method: &MethodReport| {
        let mut cells = vec![method.method.name().to_owned()];
        cells.extend(method.metrics.0.iter().map(|figure| format!("{figure:.4}")));
        cells.push(format!("{:.1}", method.queries_per_second));
        cells
    };
    let header = ["method", "nDCG@10", "recall@10", "MRR@10", "P@1", "queries/s"];
    page.grid(Grid::new(&header, &[1, 2, 3, 4, 5], report.methods.iter().map(row).collect()));
    page
}

/// What `kb llm check` shows.
pub fn llm_check(checked: &Checked) -> Page {
    let Checked { model, endpoint, with_key, milliseconds, answer, tokens } = checked;
    let mut page = Page::new(checked).with_paths([endpoint]);
    let key = if *with_key { "with a key" } else { "without a key" };
    let tokens = tokens.map_or_else(
        || "the server does not report tokens".to_owned(),
        |(sent, answered)| format!("{sent} tokens sent, {answered} answered"),
    );
    page.line(format!("{model} answers in {milliseconds:.0} ms: {answer:?}"));
    page.line(format!("endpoint: {endpoint}, {key}; {tokens}"));
    page
}

//! The figures of an evaluation.

use super::grid::Grid;
use super::page::Page;
use crate::eval::{Answered, Comparison, EvalReport, MethodReport, QuestionsReport};
use crate::text::{count, printable};

/// What `kb eval` shows.
pub fn evaluation(report: &EvalReport) -> Page {
    let mut page = Page::listing("eval", report, "methods", "method").without_namespace().with_paths([&report.set]);
    let reranked = report.reranker.as_ref().map(|folder| format!(", reranked by {folder}")).unwrap_or_default();
    page.line(format!(
        "{}: {} documents ingested in {:.1} s, {} queries, {} on {}{reranked}",
        report.set, report.documents, report.ingest_seconds, report.queries, report.model, report.engine
    ));
    let row = |method: &MethodReport| {
        let mut cells = vec![method.method.name().to_owned()];
        cells.extend(method.figures.0.iter().map(|(_, value)| format!("{value:.4}")));
        cells.push(format!("{:.1}", method.queries_per_second));
        cells
    };
    let mut header = vec!["method"];
    header.extend(report.methods.iter().take(1).flat_map(|method| method.figures.0.iter().map(|(name, _)| *name)));
    header.push("queries/s");
    let numbers: Vec<usize> = (1..header.len()).collect();
    page.grid(Grid::new(&header, &numbers, report.methods.iter().map(row)));
    page
}

/// What `kb eval --questions` shows.
pub fn answered_questions(report: &QuestionsReport) -> Page {
    let sources = report.questions.iter().map(|one| &one.question);
    let mut page = Page::listing("eval_questions", report, "questions", "question").with_paths(sources);
    let place = |one: &Answered| match (one.answerable, one.place, one.hits) {
        (true, Some(place), _) => place.to_string(),
        (true, None, _) => "missing".to_owned(),
        (false, _, 0) => "refused".to_owned(),
        (false, ..) => "not refused".to_owned(),
    };
    let row = |one: &Answered| {
        let first = printable(one.first.as_deref().unwrap_or_default());
        vec![one.question.clone(), place(one), format!("{:.2}", one.confidence), first]
    };
    let header = ["question", "answer", "confidence", "first hit"];
    page.grid(Grid::new(&header, &[2], report.questions.iter().map(row)));
    page.gap();
    let figures = report.figures.0.iter().map(|(name, value)| format!("{name} {value:.4}"));
    page.line(format!("{}: {}", count(report.questions.len(), "question"), figures.collect::<Vec<_>>().join(", ")));
    if let Some(Comparison { better, worse, new }) = &report.baseline {
        page.line(format!("since the earlier run: {} better, {} worse, {new} new", better.len(), worse.len()));
        worse.iter().for_each(|question| page.line(format!("worse: {question}")));
    }
    page
}

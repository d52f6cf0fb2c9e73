//! What `kb reindex` rebuilt: documents, or only their vectors.

use super::grid::Grid;
use super::ingest::{add_contexts, failure};
use super::page::{MOST_LISTED, Page};
use super::style::{BAD, around, counted};
use crate::error::Setting;
use crate::ingest::{ReindexReport, ReindexedDocument, RevectorReport, TextFrom};
use crate::text::count;

/// What `kb reindex` shows.
pub fn reindexed(report: &ReindexReport) -> Page {
    let sources = report.documents.iter().filter(|document| document.reason.is_none()).map(|document| &document.source);
    let mut page = Page::listing("reindex", report, "documents", "document")
        .with_field("failed", report.failed())
        .with_sources(sources);
    let rows = report.documents.iter().filter_map(row).take(MOST_LISTED);
    page.grid(Grid::new(&["id", "source", "read from", "sections", "parent chunks"], &[3, 4], rows));
    let done = report.documents.len() - report.failed();
    page.count_rest(done);
    for document in &report.documents {
        if let Some(reason) = &document.reason {
            page.item(BAD, failure(&document.source, reason, document.hint.as_deref()));
        }
    }
    let verb = if report.dry_run { "would be rebuilt" } else { "rebuilt" };
    let mut summary = format!("{done} {verb}");
    let others = counted([(report.failed(), "failed"), (report.current, "up to date")]);
    summary.push_str(&around(", ", &others, ""));
    if report.dry_run {
        page.line(summary);
    } else {
        let (embedded, reused) = (count(report.embedded, "child chunk"), report.reused);
        page.line(format!("{summary}; {embedded} embedded, {reused} reused, {:.1} s", report.seconds));
    }
    report.contexts.iter().for_each(|contexts| add_contexts(contexts, &mut page));
    page
}

fn row(document: &ReindexedDocument) -> Option<Vec<String>> {
    let from = match document.from? {
        TextFrom::Source => "its source",
        TextFrom::Store if document.kept => "the store; unchanged",
        TextFrom::Store => "the store",
    };
    let (before, now) = (document.sections_before, document.sections);
    let sections = if now == before { now.to_string() } else { format!("{before} → {now}") };
    let (id, source) = (document.doc_id.to_string(), document.source.clone());
    Some(vec![id, source, from.to_owned(), sections, document.parents.to_string()])
}

/// What `kb reindex --vectors` shows.
pub fn reembedded(report: &RevectorReport) -> Page {
    let mut page = Page::new("reindex_vectors", report).with_paths(report.generation);
    let RevectorReport { model, dimension, dry_run, .. } = report;
    if report.documents == 0 {
        page.line(format!("all documents have vectors of {model}; {} embeds them again", Setting("force")));
        return page;
    }
    let documents = count(report.documents, "document");
    let verb = if *dry_run { "would get" } else { "got" };
    let mut first = format!("{documents} {verb} vectors of {model}, of {dimension} numbers");
    if report.model_before != *model {
        first.push_str(&format!(", instead of {}", report.model_before));
    }
    if report.without_vectors > 0 {
        first.push_str(&format!("; {} of them lacked some", report.without_vectors));
    }
    page.line(first);
    let verb = if *dry_run { "would be embedded" } else { "embedded" };
    let mut second = format!("{} {verb}", count(report.embedded, "text"));
    if report.resumed > 0 {
        second.push_str(&format!(", {} by an earlier run that was interrupted", report.resumed));
    }
    if let Some(generation) = report.generation {
        second.push_str(&format!("; published as generation {generation}, {:.1} s", report.seconds));
    }
    page.line(second);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_run_reports_what_the_interrupted_one_embedded() {
        let report = RevectorReport {
            model_before: "a".to_owned(),
            model: "b".to_owned(),
            dimension: 8,
            documents: 2,
            without_vectors: 1,
            texts: 9,
            embedded: 5,
            resumed: 3,
            generation: Some(4),
            ..RevectorReport::default()
        };
        assert_eq!(
            reembedded(&report).markdown(),
            "2 documents got vectors of b, of 8 numbers, instead of a; 1 of them lacked some\n\
             5 texts embedded, 3 by an earlier run that was interrupted; published as generation 4, 0.0 s\n"
        );
        let none = RevectorReport { documents: 0, ..report };
        assert_eq!(reembedded(&none).markdown(), "all documents have vectors of b; force embeds them again\n");
    }
}

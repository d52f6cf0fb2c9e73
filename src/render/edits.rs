//! Edits of chunks and tables of contents: what a command changed, and the conflicts it left.

use serde_json::json;

use super::page::Page;
use super::style::DIM;
use crate::edits::{Conflict, DocumentDeletion, DocumentEdits};
use crate::ingest::{CorrectionReport, Outcome};
use crate::text::count;

/// What `kb chunk-edit` shows. `embedded` is `None` in a dry run, `generation` if nothing was published.
pub fn edited_chunks(edits: &[DocumentEdits], generation: Option<u64>, embedded: Option<usize>) -> Page {
    let json = json!({ "dry_run": embedded.is_none(), "generation": generation, "embedded": embedded });
    let mut page = Page::new("chunk_edit", &json)
        .with_items("document", edits)
        .with_paths(edits.iter().flat_map(|row| row.changed.iter().chain(&row.added)));
    let verb = if embedded.is_some() { "edited" } else { "would edit" };
    for row in edits {
        let changes: Vec<String> = [("changed", &row.changed), ("added", &row.added), ("removed", &row.gone)]
            .into_iter()
            .filter(|(_, ids)| !ids.is_empty())
            .map(|(what, ids)| format!("{what} {}", ids.join(", ")))
            .collect();
        let (named, source) = (row.named.join(", "), &row.source);
        page.line(match changes.as_slice() {
            [] if generation.is_some() => format!("resolved {named} of {source}"),
            [] => format!("no change: {named} of {source}"),
            changes => format!("{verb} {named} of {source}: {}", changes.join("; ")),
        });
    }
    if let Some(embedded) = embedded.filter(|embedded| *embedded > 0) {
        page.line(format!("{} embedded", count(embedded, "child chunk")));
    }
    page
}

/// What `kb chunk-delete` shows. `generation` is `None` in a dry run.
pub fn deleted_chunks(documents: &[DocumentDeletion], generation: Option<u64>) -> Page {
    let mut page = Page::new("chunk_delete", &json!({ "dry_run": generation.is_none(), "generation": generation }))
        .with_items("document", documents)
        .with_paths(documents.iter().flat_map(|row| &row.deleted));
    let verb = if generation.is_some() { "deleted" } else { "would delete" };
    for row in documents {
        let rest = if row.emptied {
            "the document is empty now; ingesting the same file again restores nothing".to_owned()
        } else {
            let (parents, children) = (row.parents as usize, row.children as usize);
            format!("{} (in {}) left", count(parents, "parent chunk"), count(children, "child chunk"))
        };
        page.line(format!("{verb} {} of {}; {rest}", row.deleted.join(", "), row.source));
    }
    page
}

/// What `kb toc --edit`, `--set` and `--reset` show.
pub fn corrected_contents(report: &CorrectionReport) -> Page {
    let mut page = Page::new("toc_edit", report).with_sources([&report.source]);
    let CorrectionReport { source, .. } = report;
    let (sections, parents) = (report.sections as usize, report.parents as usize);
    let (sections, parents) = (count(sections, "section"), count(parents, "parent chunk"));
    let (embedded, reused) = (count(report.embedded, "child chunk"), report.reused);
    let result = format!("{sections}, {parents}; {embedded} embedded, {reused} reused");
    page.line(match report.outcome {
        Outcome::Stored => format!("corrected {source}: {result}"),
        Outcome::Unchanged => format!("no change: the table of contents of {source}"),
        Outcome::Reset => format!("removed the correction of {source}: {result}"),
        Outcome::ResetLater => format!(
            "removed the correction of {source}; its source is missing, so its sections stay until the next ingest"
        ),
    });
    page
}

/// What `kb chunks-list --conflicts` shows.
pub fn conflicts(conflicts: &[Conflict]) -> Page {
    let mut page =
        Page::list("conflicts", "conflict", conflicts).with_paths(conflicts.iter().map(|row| &row.conflict_id));
    for row in conflicts {
        page.gap();
        let place = row.chunk_id.as_ref().map(|id| format!(" · parent chunk `{id}`")).unwrap_or_default();
        page.heading(&row.conflict_id);
        page.styled(DIM, format!("`{}` · {}{place} · edited {}", row.source, row.titles, row.edited_at));
        let or = |text: &str, words: &str| if text.is_empty() { format!("({words})") } else { text.to_owned() };
        page.quote("was", or(&row.original, "nothing: the chunk was added"));
        page.quote("mine", or(row.mine.as_deref().unwrap_or_default(), "deleted"));
        page.quote("theirs", or(&row.theirs, "nothing: the source dropped the text"));
        if !row.metadata.is_empty() {
            let notes: Vec<String> = row.metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
            page.quote("notes", notes.join(", "));
        }
    }
    page
}

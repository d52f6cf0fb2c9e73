//! The generations of a namespace: the list, one that was restored, and the difference between two.

use super::grid::{Column, Grid};
use super::page::Page;
use super::style::{ADDED, BAD, CHANGED, DIM, LEAST_TEXT, around, counted, cut, paint};
use crate::store::{ChangeKind, Counts, DocumentDiff, GenerationDiff, Item, LogEntry, Note, Restored, TextChange};
use crate::text::{count, moment};

/// What `kb log` shows.
pub fn log(entries: &[LogEntry]) -> Page {
    let now = jiff::Zoned::now();
    let state = |entry: &LogEntry| match (entry.published, entry.restorable) {
        (true, _) => "published",
        (_, true) => "can be restored",
        _ => "gone",
    };
    let columns: &[Column<'_, LogEntry>] = &[
        ("generation", &|entry| entry.generation.to_string()),
        ("published", &|entry| in_words(&entry.published_at, &now)),
        ("command", &|entry| entry.note.as_ref().map_or_else(|| "not recorded".to_owned(), command)),
        ("documents", &|entry| entry.note.as_ref().map(documents).unwrap_or_default()),
        ("state", &|entry| state(entry).to_owned()),
    ];
    let mut page = Page::list("log", "generation", entries).with_paths(entries.iter().map(|entry| entry.generation));
    page.grid(Grid::of(entries, &[0], columns));
    page
}

/// `restore of generation 12`, `undo, back to generation 12`.
fn command(note: &Note) -> String {
    match note.restored {
        Some(generation) if note.command == "undo" => format!("undo, back to generation {generation}"),
        Some(generation) => format!("{} of generation {generation}", note.command),
        None => note.command.clone(),
    }
}

/// `2 added, 1 removed: a.md, b.md, …`.
fn documents(note: &Note) -> String {
    let counts: Vec<String> = note.counts.iter().map(|(action, count)| format!("{count} {action}")).collect();
    let more = if note.documents() > note.sources.len() as u64 { ", …" } else { "" };
    let sources = if note.sources.is_empty() { String::new() } else { format!(": {}{more}", note.sources.join(", ")) };
    format!("{}{sources}", counts.join(", "))
}

/// An RFC 3339 time in words; other text unchanged.
pub(super) fn in_words(time: &str, now: &jiff::Zoned) -> String {
    time.parse().map_or_else(|_| time.to_owned(), |time| moment(time, now))
}

/// What `kb restore` shows.
pub fn restored(restored: &Restored, dry_run: bool) -> Page {
    let mut page = Page::new("restore", restored).with_field("dry_run", dry_run).with_paths(restored.generation);
    let when = in_words(&restored.published_at, &jiff::Zoned::now());
    let old = format!("generation {} ({when})", restored.restored);
    let what = match (restored.generation, dry_run) {
        (Some(generation), _) => format!("restored {old} as generation {generation}"),
        (None, true) => format!("would restore {old}"),
        (None, false) => format!("no change: {old} is the published one"),
    };
    let documents = [(restored.added, "put back"), (restored.changed, "changed back"), (restored.removed, "removed")];
    let documents = documents.into_iter().filter(|(number, _)| *number > 0);
    let mut counts: Vec<String> =
        documents.map(|(number, what)| format!("{} {what}", count(number, "document"))).collect();
    match restored.entities {
        0 => {}
        1 => counts.push("1 entity changed back".to_owned()),
        some => counts.push(format!("{some} entities changed back")),
    }
    let counts = if counts.is_empty() { "no document differs".to_owned() } else { counts.join(", ") };
    let vectors = restored.model.as_ref().map(|model| format!("; its vectors were made by the model {}", model.name));
    page.line(format!("{what}; {counts}{}", vectors.unwrap_or_default()));
    page
}

/// The changes of an item that its line shows without their names.
const OBVIOUS_FIELDS: [&str; 2] = ["text", "place"];
/// The columns of an item's line besides its id and text.
const INDENT: usize = 8;

fn sign(what: ChangeKind) -> String {
    match what {
        ChangeKind::Added => paint(ADDED, "+"),
        ChangeKind::Changed => paint(CHANGED, "~"),
        ChangeKind::Gone => paint(BAD, "-"),
    }
}

/// `chunks: 2 added, 1 moved`, or nothing.
fn counts(of: &str, counts: &Counts) -> String {
    let numbers =
        [(counts.added, "added"), (counts.changed, "changed"), (counts.moved, "moved"), (counts.gone, "gone")];
    around(&format!("{of}: "), &counted(numbers), "")
}

/// `table of contents, notes`.
fn in_words_of<'f>(fields: impl Iterator<Item = &'f &'static str>) -> String {
    fields.map(|field| field.replace('_', " ")).collect::<Vec<String>>().join(", ")
}

/// What differs in a document: its own fields, then the counts of its sections and chunks.
fn facts(document: &DocumentDiff) -> String {
    let fields = document.fields.iter().filter(|field| **field != "source");
    let facts = [
        document.source_before.as_ref().map(|before| format!("was {before}")).unwrap_or_default(),
        in_words_of(fields),
        counts("sections", &document.sections),
        counts("chunks", &document.chunks),
    ];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<String>>().join("; ")
}

/// What `kb diff` shows: nothing if the generations do not differ.
pub fn diff(diff: &GenerationDiff, width: usize) -> Page {
    let mut page = Page::listing("diff", diff, "documents", "document")
        .with_lines("document", &diff.documents)
        .with_lines("entity", &diff.entities)
        .with_fields_in_lines(&["entities"])
        .with_sources(diff.documents.iter().map(|document| &document.source));
    if diff.is_empty() {
        return page;
    }
    page.title(format!("Generation {} to {}", diff.from, diff.to));
    for document in &diff.documents {
        let DocumentDiff { source, doc_id, what, .. } = document;
        let facts = facts(document);
        page.both(
            format!("{} {source}  {}  {}", sign(*what), paint(DIM, doc_id), paint(DIM, &facts)),
            format!("- {} `{source}` ({doc_id}){}", what.name(), around(": ", &facts, "")),
        );
        for Item { id, text, what, fields, change } in document.section_items.iter().chain(&document.chunk_items) {
            let fields = around("  ", &in_words_of(fields.iter().filter(|field| !OBVIOUS_FIELDS.contains(*field))), "");
            let fitting = |text, used: usize| cut(text, width.saturating_sub(used + INDENT).max(LEAST_TEXT));
            let version = |what, text| format!("\n      {} {}", sign(what), fitting(text, 0));
            let (table, markdown) = match change {
                None => (format!("  {}", fitting(text, id.len() + fields.len())), format!(" {text}")),
                Some(TextChange { before, after }) => (
                    version(ChangeKind::Gone, before) + &version(ChangeKind::Added, after),
                    format!("\n    - before: {before}\n    - after: {after}"),
                ),
            };
            page.both(
                format!("    {} {}{}{table}", sign(*what), paint(DIM, id), paint(DIM, &fields)),
                format!("  - {} `{id}`{}{markdown}", what.name(), around(" (", fields.trim_start(), ")")),
            );
        }
    }
    for entity in &diff.entities {
        let fields = format!("entity{}", around(": ", &entity.fields.join(", "), ""));
        page.both(
            format!("{} {}  {}", sign(entity.what), entity.name, paint(DIM, &fields)),
            format!("- {} {} ({fields})", entity.what.name(), entity.name),
        );
    }
    page.line(diff_summary(diff));
    page
}

fn diff_summary(diff: &GenerationDiff) -> String {
    let entities = |what| diff.entities.iter().filter(|entity| entity.what == what).count();
    let all = [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Gone];
    let models = diff.models.as_ref().map(|models| match (&models.before.name, &models.after.name) {
        (before, after) if before == after => format!("vectors: made by another version of {after}"),
        (before, after) => format!("vectors: made by {after} instead of {before}"),
    });
    let parts = [
        around("documents: ", &counted(all.map(|what| (diff.count(what), what.name()))), ""),
        around("entities: ", &counted(all.map(|what| (entities(what), what.name()))), ""),
        models.unwrap_or_default(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join("; ")
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::render::{OutputFormat, Screen};

    #[test]
    fn both_versions_of_a_text_fit_the_screen() {
        let text = |valve: &str| format!("…启动水泵之前必须灌水。然后{valve}阀门，并检查压力。");
        let change = TextChange { before: text("关闭"), after: text("打开") };
        let item = Item {
            what: ChangeKind::Changed,
            id: "7f3k2m:0".to_owned(),
            text: String::new(),
            fields: vec!["text"],
            change: Some(change),
        };
        let document = DocumentDiff {
            doc_id: "7f3k2m".into(),
            source: "a.md".to_owned(),
            what: ChangeKind::Changed,
            fields: Vec::new(),
            source_before: None,
            sections: Counts::default(),
            chunks: Counts::default(),
            section_items: Vec::new(),
            chunk_items: vec![item],
        };
        let diff = super::diff(
            &GenerationDiff { from: 1, to: 2, documents: vec![document], entities: Vec::new(), models: None },
            44,
        );
        let screen = Screen { columns: 44, lines: 24, is_terminal: true, has_links: false };
        let shown = anstream::adapter::strip_str(&diff.text(OutputFormat::Table, screen)).to_string();
        assert!(shown.contains("然后关闭") && shown.contains("然后打开"), "{shown}");
        assert!(shown.lines().all(|line| line.width() <= 44), "{shown}");
    }
}

//! The report of an ingest.

use serde_json::{Map, Value, json};

use super::grid::{Column, Grid};
use super::page::{MOST_LISTED, Page};
use super::style::{BAD, counted};
use crate::error::{NextStep, Setting};
use crate::ingest::{Action, ContextsReport, IngestReport, LanguagesReport, SourceReport};
use crate::text::count;
use anstyle::Style;

/// The most files that are named without `--verbose`, of those that an ingest leaves alone.
const MOST_NAMED: usize = 5;

/// What `kb ingest` shows; `names_all` files that it leaves alone.
pub fn ingested(report: &IngestReport, names_all: bool) -> Page {
    let changed: Vec<&SourceReport> = report
        .sources
        .iter()
        .filter(|one| !matches!(one.action, Action::Unchanged | Action::Stale | Action::Skipped | Action::Failed))
        .collect();
    let counts: Map<String, Value> =
        Action::ALL.iter().map(|action| (action.name().to_owned(), json!(report.count(*action)))).collect();
    let notes = report.notes.iter().map(|(code, message)| json!({ "code": code, "message": message }));
    let notes: Vec<Value> = notes.collect();
    let mut page = Page::listing("ingest", report, "sources", "source")
        .with_field("counts", counts)
        .with_field("notes", notes)
        .with_sources(changed.iter().map(|one| &one.source));
    let number = |of: &SourceReport, number: u32| match of.action {
        Action::Removed => String::new(),
        _ => number.to_string(),
    };
    let columns: &[Column<'_, &SourceReport>] = &[
        ("action", &|one| one.action.name().to_owned()),
        ("id", &|one| one.doc_id.clone().map_or_else(String::new, String::from)),
        ("source", &|one| one.source.clone()),
        ("pages", &|one| one.pages.map(|pages| pages.to_string()).unwrap_or_default()),
        ("sections", &|one| number(one, one.sections)),
        ("parent chunks", &|one| number(one, one.parents)),
    ];
    page.grid(Grid::of(&changed[..changed.len().min(MOST_LISTED)], &[3, 4, 5], columns));
    page.count_rest(changed.len());
    for one in &report.sources {
        if one.action == Action::Failed {
            page.item(BAD, failure(&one.source, one.reason.as_deref().unwrap_or_default(), one.hint.as_deref()));
        }
        if one.action != Action::Unchanged {
            for warning in &one.warnings {
                page.item(Style::new(), format!("warning: {}: {warning}", one.source));
            }
        }
    }
    summarise(report, &mut page);
    name_left_alone(report, names_all, &mut page);
    page
}

/// `failed: a.pdf: cannot open it; check the permissions`
pub(super) fn failure(source: &str, error: &str, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("failed: {source}: {error}{hint}")
}

/// An outcome in the summary.
fn label(action: Action) -> &'static str {
    match action {
        Action::Skipped => "of other formats",
        Action::Stale => "without a file",
        action => action.name(),
    }
}

/// Names the documents without a file and the files of other formats, if they are few or `all` are to be named.
fn name_left_alone(report: &IngestReport, all: bool, page: &mut Page) {
    for action in [Action::Stale, Action::Skipped] {
        let of_action = report.sources.iter().filter(|one| one.action == action);
        let sources: Vec<&str> = of_action.map(|one| one.source.as_str()).collect();
        let names = match sources.len() {
            0 => continue,
            number if all || number <= MOST_NAMED => sources.join(", "),
            _ => format!("{} names them", Setting("verbose")),
        };
        let next = match action {
            Action::Stale => format!("; {} removes them from the store", Setting("prune")),
            _ => String::new(),
        };
        page.line(format!("{}: {names}{next}", label(action)));
    }
}

fn summarise(report: &IngestReport, page: &mut Page) {
    let counts = counted(Action::ALL.iter().map(|action| (report.count(*action), label(*action))));
    let counts = if counts.is_empty() { "nothing to do".to_owned() } else { counts };
    if report.dry_run {
        page.line(format!("would be: {counts}"));
    } else {
        let (embedded, reused) = (count(report.embedded, "child chunk"), report.reused);
        page.line(format!("{counts}; {embedded} embedded, {reused} reused, {:.1} s", report.seconds));
        if report.without_vectors > 0 {
            let (lack, their) = if report.without_vectors == 1 { ("lacks", "its") } else { ("lack", "their") };
            let (documents, next) = (count(report.without_vectors, "document"), NextStep::MakeVectors);
            let lack = format!("{documents} {lack} vectors, so only keyword search finds all of {their} text");
            page.line(format!("{lack}; `{next}` makes the vectors"));
        }
    }
    if let Some(languages) = &report.languages {
        page.line(unread(languages));
    }
    report.contexts.iter().for_each(|contexts| add_contexts(contexts, page));
}

/// Documents in languages that the embedding model does not know.
fn unread(report: &LanguagesReport) -> String {
    let LanguagesReport { model, documents, documents_not_read, .. } = report;
    format!(
        "the model {model} cannot read most of the text of {documents_not_read} of {}: it is not embedded, and only \
         keyword search finds it; `{}` names models that read it",
        count(*documents, "document"),
        NextStep::SuggestModels
    )
}

/// Adds the outcome of asking a language model for the contexts of parent chunks.
pub(super) fn add_contexts(report: &ContextsReport, page: &mut Page) {
    let parents = count(report.parents, "parent chunk");
    if let Some(estimate) = &report.estimate {
        return page.line(format!("the language model would write contexts for {parents}: {}", estimate.in_words()));
    }
    let (have, keep) = if report.without == 1 { ("has", "keeps its") } else { ("have", "keep their") };
    let without = count(report.without, "parent chunk");
    let without = format!("{without} {have} no context of a language model and {keep} rule-based one");
    const NO_MODEL: &str = "no language model is configured ([llm] in kb.toml)";
    match &report.model {
        None if report.without == 0 => page.line(format!("{NO_MODEL}; it would write the contexts of {parents}")),
        None => page.line(format!("{NO_MODEL}: {without}")),
        Some(model) => {
            page.line(model.in_words());
            if report.without > 0 {
                page.line(format!("{without}; `{}` asks again", NextStep::RequestContextsAgain));
                model.last_failures.iter().for_each(|(reason, cause)| page.line(format!("{reason}: {cause}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_left_alone_are_named_if_they_are_few_or_on_request() {
        let named = |files: usize, all| {
            let of = |action, source: String| SourceReport { source, action, ..SourceReport::default() };
            let skipped = (0..files).map(|number| of(Action::Skipped, format!("{number}.png")));
            let sources = std::iter::once(of(Action::Stale, "gone.md".into())).chain(skipped).collect();
            let mut page = Page::default();
            name_left_alone(&IngestReport { sources, ..IngestReport::default() }, all, &mut page);
            page.markdown()
        };
        let few = named(2, false);
        assert!(few.starts_with("without a file: gone.md; ") && few.contains("prune"), "{few}");
        assert!(few.ends_with("\nof other formats: 0.png, 1.png\n"), "{few}");
        let many = named(6, false);
        assert!(!many.contains(".png") && many.contains("verbose"), "{many}");
        assert!(named(6, true).contains("4.png, 5.png"), "on request");
    }
}

//! The store: its figures, its namespaces, what a check found and what was optimized.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::grid::{Column, Grid};
use super::history::in_words;
use super::json::value_with;
use super::page::{Note, Page};
use super::style::{BAD, DIM, around};
use crate::error::NextStep;
use crate::store::check::{Checked, Finding, Fix};
use crate::store::{Archived, CodeRecall, Holder, Optimized};
use crate::text::{count, first_of, size};

/// A namespace in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Status {
    /// The store's folder.
    pub store: String,
    pub namespace: String,
    pub generation: u64,
    /// RFC 3339.
    pub published_at: String,
    pub documents: usize,
    /// Documents whose chunks have no vectors.
    pub without_vectors: usize,
    /// Documents for each context of parent chunks, as `kb ingest --context` names it.
    pub contexts: BTreeMap<&'static str, usize>,
    /// Sections, preambles included.
    pub sections: usize,
    pub parents: usize,
    /// Parent and child chunks.
    pub chunks: usize,
    /// Parent chunks in the keyword index.
    pub keyword_chunks: u64,
    /// The recall of the binary codes of vectors; `None` for a small namespace, which compares all vectors.
    #[serde(rename = "vector_index")]
    pub code_recall: Option<CodeRecall>,
    /// Bytes on disk.
    pub bytes: u64,
    pub tables_bytes: u64,
    pub keyword_bytes: u64,
    /// Bytes of the tables that only old generations need.
    pub history_bytes: u64,
    pub restorable_generations: usize,
    pub model: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// Why semantic search is unavailable, and what to do.
    pub model_problem: Option<String>,
    /// What runs the model.
    pub engine: String,
    /// Why the requested device is unavailable.
    pub engine_problem: Option<String>,
    /// A generation whose publication is running or was interrupted; the next writer finishes it or drops it.
    pub pending_generation: Option<u64>,
    pub writing: bool,
    /// The writing process, if it is known.
    pub writer: Option<Holder>,
}

/// What `kb status` shows for each namespace.
pub fn status(namespaces: &[Status]) -> Page {
    let mut stores: Vec<&str> = namespaces.iter().map(|status| status.store.as_str()).collect();
    stores.dedup();
    let only = if let [only] = namespaces { Some(only.generation) } else { None };
    let mut page = Page::list("status", "namespace", namespaces).with_paths(stores).at(only);
    for status in namespaces {
        page.gap();
        page.facts(status.facts());
    }
    page
}

impl Status {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let now = jiff::Zoned::now();
        let published = in_words(&self.published_at, &now);
        let contexts: Vec<String> =
            self.contexts.iter().map(|(context, documents)| format!("{context} {documents}")).collect();
        let documents = match self.without_vectors {
            0 => self.documents.to_string(),
            some if self.writer.is_some() => format!("{} ({some} without vectors yet)", self.documents),
            some => format!("{} ({some} without vectors; `{}` makes them)", self.documents, NextStep::MakeVectors),
        };
        let children = count(self.chunks.saturating_sub(self.parents), "child chunk");
        let (tables, keyword) = (size(self.tables_bytes), size(self.keyword_bytes));
        let old = size(self.history_bytes);
        let history = match self.restorable_generations {
            0 => format!("no generation to restore ({old})"),
            some => {
                format!("{} to restore ({old}); `{}` lists them", count(some, "generation"), NextStep::ListGenerations)
            }
        };
        let code_recall = match self.code_recall {
            None => "none, all vectors are compared".to_owned(),
            Some(CodeRecall { chunks, recall: Some(recall) }) => {
                format!("binary codes; recall@10 {recall:.3} of {chunks} chunks")
            }
            Some(CodeRecall { chunks, recall: None }) => format!("binary codes of {chunks} chunks"),
        };
        let model = format!("{}, {} dimensions", self.model, self.dimension);
        let no_model = self.model_problem.as_deref().unwrap_or_default();
        let no_device = self.engine_problem.as_deref().unwrap_or_default();
        let writer = || self.writer.as_ref().map_or_else(|| "another kb".to_owned(), |writer| writer.in_words(&now));
        let unfinished = "is unfinished; the next command that writes finishes or drops it";
        let pending = self.pending_generation.map(|pending| {
            format!("generation {pending} {}", if self.writing { "is being published" } else { unfinished })
        });
        vec![
            ("store", self.store.clone()),
            ("namespace", self.namespace.clone()),
            ("generation", format!("{}, published {published}", self.generation)),
            ("documents", documents),
            ("contexts", contexts.join(", ")),
            ("sections", self.sections.to_string()),
            ("parent chunks", format!("{} (in {children})", self.parents)),
            ("vector index", code_recall),
            ("size", format!("{} (tables {tables}, keyword index {keyword})", size(self.bytes))),
            ("history", history),
            ("model", format!("{model}{}", around("; only keyword search works: ", no_model, ""))),
            ("engine", format!("{}{}", self.engine, around("; requested device unavailable: ", no_device, ""))),
            ("writing", if self.writing { writer() } else { String::new() }),
            ("pending", pending.unwrap_or_default()),
        ]
    }
}

/// A namespace in a list. Figures are missing if it cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NamespaceLine {
    pub name: String,
    pub documents: Option<usize>,
    /// Parent and child chunks.
    pub chunks: Option<usize>,
    pub generation: Option<u64>,
    /// RFC 3339.
    pub published_at: Option<String>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// What `kb namespaces` shows. Namespaces below another one are indented.
pub fn namespace_list(namespaces: &[NamespaceLine]) -> Page {
    let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let indent = |name: &str| "  ".repeat(name.matches('/').count());
    let columns: &[Column<'_, NamespaceLine>] = &[
        ("name", &|line| format!("{}{}", indent(&line.name), line.name)),
        ("documents", &|line| number(line.documents.map(|documents| documents as u64))),
        ("chunks", &|line| number(line.chunks.map(|chunks| chunks as u64))),
        ("generation", &|line| number(line.generation)),
        ("size", &|line| size(line.bytes)),
    ];
    let mut page = Page::list("namespaces", "namespace", namespaces)
        .without_namespace()
        .with_paths(namespaces.iter().map(|line| &line.name));
    page.grid(Grid::of(namespaces, &[1, 2, 3, 4], columns));
    for line in namespaces {
        line.error.iter().for_each(|error| page.styled(BAD, format!("{}: {error}", line.name)));
    }
    page
}

/// What `kb export` and `kb import` show. `left_behind` is a file of the store that the namespace uses and the export
/// lacks.
pub fn archived(kind: &'static str, done: &Archived, file: &Path, left_behind: Option<&Path>) -> Page {
    let mut page = Page::new(kind, done).with_field("file", file.display().to_string()).at(Some(done.generation));
    page.namespace = Some(done.namespace.clone());
    let (verb, into) = if kind == "export" { ("exported", "to") } else { ("imported", "from") };
    let documents = count(done.documents, "document");
    let (namespace, size) = (&done.namespace, size(done.bytes));
    page.line(format!("{verb} the namespace {namespace:?} with {documents} {into} {} ({size})", file.display()));
    page.notes.extend(left_behind.map(|path| Note {
        code: "left_behind",
        message: format!("{} belongs to the store and was not exported; copy it by hand", path.display()),
    }));
    page.with_paths([file.display().to_string()])
}

/// What `kb namespaces rename` shows.
pub fn namespace_renamed(from: &str, to: &str) -> Page {
    let mut page = Page::new("namespace", &json!({ "outcome": "renamed", "from": from, "to": to }))
        .without_namespace()
        .with_paths([to]);
    page.line(format!("the namespace {from:?} is now {to:?}"));
    page
}

/// What `kb namespaces remove` shows.
pub fn namespace_removed(name: &str) -> Page {
    let mut page =
        Page::new("namespace", &json!({ "outcome": "removed", "name": name })).without_namespace().with_paths([name]);
    page.line(format!("removed the namespace {name:?}"));
    page
}

/// A namespace that was checked and perhaps repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamespaceCheck {
    #[serde(flatten)]
    pub found: Checked,
    pub mended: Vec<Fix>,
    /// What a check finds after a repair; `None` without one.
    pub left: Option<Checked>,
}

impl NamespaceCheck {
    /// The check after a repair, or the only one.
    fn last_check(&self) -> &Checked {
        self.left.as_ref().unwrap_or(&self.found)
    }

    pub fn is_sound(&self) -> bool {
        self.last_check().findings.is_empty()
    }
}

/// What `kb check` shows: faults that a repair removed, what it did, and the faults that are left.
pub fn checks(checks: &[NamespaceCheck]) -> Page {
    let left =
        || checks.iter().flat_map(|check| check.last_check().findings.iter().map(move |finding| (check, finding)));
    let sound = checks.iter().all(NamespaceCheck::is_sound);
    let lines = left().map(|(check, finding)| value_with(finding, "namespace", &check.found.namespace));
    let mut page = Page::new("check", &json!({ "sound": sound }))
        .with_items("namespace", checks)
        .with_lines("finding", lines)
        .with_paths(left().map(|(_, finding)| &finding.id))
        .at(if let [only] = checks { Some(only.last_check().generation) } else { None });
    for check in checks {
        let now = check.last_check();
        let fault = |one: &Finding| format!("{}: {} {}", one.part.name(), one.id, one.what);
        for one in check.found.findings.iter().filter(|finding| !now.findings.contains(finding)) {
            page.item(DIM, format!("was wrong: {}", fault(one)));
        }
        for one in &check.mended {
            page.item(DIM, format!("repaired: {}: {}", one.id, one.what));
        }
        for one in &now.findings {
            page.item(BAD, format!("{}; {}", fault(one), one.command));
        }
        let state = match now.findings.len() {
            0 => "sound".to_owned(),
            some => format!("{} found", count(some, "fault")),
        };
        let counts = [(now.documents, "document"), (now.sections, "section"), (now.chunks, "chunk")];
        let counts = counts.map(|(number, of)| count(number, of)).join(", ");
        page.line(format!("{}: {state}; generation {}, {counts}", now.namespace, now.generation));
    }
    page
}

/// What `kb optimize` shows.
pub fn optimized(optimized: &Optimized) -> Page {
    let mut page = Page::new("optimize", optimized).with_paths(optimized.generation);
    if optimized.is_nothing() {
        page.line("nothing to do");
        return page;
    }
    let changed = |before: usize, after: usize, what: &str| {
        (before != after).then(|| format!("{} became {after}", count(before, what)))
    };
    let generation = optimized.generation;
    let generation = generation.map(|generation| format!("published generation {generation} with the same documents"));
    let files = changed(optimized.files_before, optimized.files_after, "data file");
    let indexes = optimized.indexes.iter().cloned();
    let indexes = (!optimized.indexes.is_empty()).then(|| format!("indexed {}", first_of(indexes)));
    let segments = changed(optimized.segments_before, optimized.segments_after, "segment");
    let segments = segments.map(|segments| format!("{segments} in the keyword index"));
    let deleted = (optimized.deleted_parent_chunks > 0).then(|| {
        let chunks = count(optimized.deleted_parent_chunks, "deleted parent chunk");
        format!("removed the text of {chunks} from the keyword index")
    });
    let done = [generation, files, indexes, segments, deleted];
    page.line(done.into_iter().flatten().collect::<Vec<_>>().join("; "));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_namespace_that_lacks_chunks_has_a_status() {
        let status = Status { parents: 2, chunks: 1, ..Status::default() };
        assert!(status.facts().contains(&("parent chunks", "2 (in 0 child chunks)".to_owned())));
    }
}

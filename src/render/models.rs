//! Models: the list, and what became of one.

use serde::Serialize;
use serde_json::json;

use super::page::{Grid, Page};
use super::style::{BAD, DIM, around};
use crate::text::size;

/// A model in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModelLine {
    pub name: String,
    /// `embedding` or `reranking`.
    pub kind: &'static str,
    /// Numbers in a vector.
    pub dimension: Option<usize>,
    /// Longer texts are cut to this many tokens.
    pub max_tokens: Option<usize>,
    /// Languages in words.
    pub languages: Option<String>,
    /// The scripts of those languages.
    pub scripts: Vec<&'static str>,
    /// Bytes on disk; an estimate for a model that is not installed.
    pub bytes: Option<u64>,
    pub licence: Option<String>,
    /// Whether it is installed.
    pub here: bool,
    /// The namespaces of the store that have vectors of it.
    pub used_by: Vec<String>,
    /// Where it came from, or would come from.
    pub from: Option<String>,
    /// Why it cannot be used.
    pub error: Option<String>,
}

/// What runs models on this machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Machine {
    /// The folder of models.
    pub folder: String,
    pub engine: String,
    /// The devices the engine offers; the one in use comes first.
    pub devices: Vec<String>,
    pub notes: Vec<String>,
}

/// Columns that keep a licence in one line: `CC-BY-NC-4.0` with a space on both sides.
const LICENCE: u16 = 14;

/// What `kb models` shows: a grid for each kind, so that names stay whole on a screen of a hundred columns.
pub fn model_list(models: &[ModelLine], machine: &Machine) -> Page {
    let mut page = Page::new(&json!({
        "models": models, "folder": machine.folder, "engine": machine.engine,
        "devices": machine.devices, "notes": machine.notes,
    }))
    .with_lines(models)
    .with_paths(models.iter().map(|line| &line.name));
    for kind in ["embedding", "reranking"] {
        let rows: Vec<Vec<String>> = models.iter().filter(|line| line.kind == kind).map(row).collect();
        if rows.is_empty() {
            continue;
        }
        page.gap();
        page.heading(format!("{kind} models"));
        let header = ["name", "dimension", "languages", "size", "licence", "here"];
        page.grid(Grid { whole: vec![0, 1, 3], at_least: vec![(4, LICENCE)], ..Grid::new(&header, &[1, 3], rows) });
    }
    page.gap();
    for line in models {
        line.error.iter().for_each(|error| page.styled(BAD, format!("{}: {error}", line.name)));
    }
    page.styled(DIM, format!("models are in {}", machine.folder));
    page.styled(DIM, format!("engine: {}; devices: {}", machine.engine, machine.devices.join(", ")));
    machine.notes.iter().for_each(|note| page.styled(DIM, note));
    page
}

fn row(line: &ModelLine) -> Vec<String> {
    let unknown = || "?".to_owned();
    let bytes = |bytes| if line.here { size(bytes) } else { format!("~{} MB", bytes / 1_000_000) };
    let dimension = if line.kind == "reranking" { String::new() } else { unknown() };
    let scripts = if line.scripts.is_empty() { unknown() } else { line.scripts.join(", ") };
    vec![
        line.name.clone(),
        line.dimension.map_or(dimension, |dimension| dimension.to_string()),
        line.languages.clone().unwrap_or(scripts),
        line.bytes.map_or_else(unknown, bytes),
        line.licence.clone().unwrap_or_else(unknown),
        here(line),
    ]
}

fn here(line: &ModelLine) -> String {
    match (line.here, line.error.is_some(), line.used_by.is_empty()) {
        (_, true, _) => "damaged".to_owned(),
        (true, false, true) => "yes".to_owned(),
        (true, false, false) => format!("yes, for {}", line.used_by.join(", ")),
        (false, false, true) => "no".to_owned(),
        (false, false, false) => format!("no, but needed by {}", line.used_by.join(", ")),
    }
}

/// A model that was added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddedModel {
    /// Whether it was installed before.
    pub was_here: bool,
    pub model: ModelLine,
    /// The text in front of questions.
    pub query_prefix: String,
    /// The text in front of parent chunks.
    pub document_prefix: String,
    /// How the vectors of tokens become one.
    pub pooling: Option<&'static str>,
    /// Assumptions about the model.
    pub notes: Vec<String>,
}

/// What `kb models add` shows.
pub fn added_model(added: &AddedModel) -> Page {
    let model = &added.model;
    let mut page = Page::new(added).with_paths([&model.name]);
    let verb = if added.was_here { "is already installed" } else { "was added" };
    page.title(format!("the {} model {} {verb}", model.kind, model.name));
    let mut facts = Vec::new();
    if let (Some(dimension), Some(most)) = (model.dimension, model.max_tokens) {
        let pooling = around(", pooled by ", added.pooling.unwrap_or_default(), "");
        let scripts = if model.scripts.is_empty() { "unknown".to_owned() } else { model.scripts.join(", ") };
        let (query, document) = (&added.query_prefix, &added.document_prefix);
        facts.push(("vectors", format!("{dimension} numbers, texts of up to {most} tokens{pooling}")));
        facts.push(("prefixes", format!("{query:?} for questions, {document:?} for parent chunks")));
        facts.push(("scripts", scripts));
    }
    facts.extend(model.licence.iter().map(|licence| ("licence", licence.clone())));
    facts.extend(added.notes.iter().map(|note| ("note", note.clone())));
    page.facts(facts);
    page
}

/// What `kb models remove` shows. `bytes` is the size of the removed files.
pub fn removed_model(name: &str, bytes: u64) -> Page {
    let mut page = Page::new(&json!({ "name": name, "bytes": bytes })).with_paths([name]);
    page.line(format!("removed the model {name} ({})", size(bytes)));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_values_are_question_marks_and_namespaces_name_their_model() {
        let row_of = |here, used_by: &[&str]| {
            row(&ModelLine {
                name: "m".to_owned(),
                kind: "embedding",
                here,
                used_by: used_by.iter().map(|name| (*name).to_owned()).collect(),
                ..ModelLine::default()
            })
        };
        assert_eq!(row_of(true, &["default"]), ["m", "?", "?", "?", "?", "yes, for default"]);
        assert_eq!(row_of(false, &["default"])[5], "no, but needed by default");
        assert_eq!([&row_of(false, &[])[5], &row_of(true, &[])[5]], ["no", "yes"]);
    }
}

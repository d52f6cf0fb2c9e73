//! Models: the list, one that was added or removed, and the check of a language model.

use serde::Serialize;
use serde_json::json;

use super::grid::{Column, Grid};
use super::json::value;
use super::page::Page;
use super::style::{BAD, DIM};
use crate::embed::EmbeddingConfig;
use crate::error::NextStep;
use crate::llm::Checked;
use crate::text::size;

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

/// All models, and what runs them on this machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelList {
    pub models: Vec<ModelLine>,
    pub folder: String,
    pub engine: String,
    /// The devices the engine offers; the one in use comes first.
    pub devices: Vec<String>,
    pub notes: Vec<String>,
}

/// What `kb models` shows: a grid for each kind, so that names stay whole on a screen of a hundred columns.
pub fn model_list(list: &ModelList) -> Page {
    let models = &list.models;
    let notes: Vec<_> = list.notes.iter().map(|note| json!({ "code": "models", "message": note })).collect();
    let mut page = Page::listing("models", list, "models", "model")
        .with_field("notes", notes)
        .without_namespace()
        .with_paths(models.iter().map(|line| &line.name));
    for kind in ["embedding", "reranking"] {
        let rows: Vec<Vec<String>> = models.iter().filter(|line| line.kind == kind).map(row).collect();
        if rows.is_empty() {
            continue;
        }
        page.gap();
        page.heading(format!("{kind} models"));
        let header = ["name", "dimension", "languages", "size", "licence", "installed"];
        page.grid(Grid { whole: vec![0, 1, 3, 4], ..Grid::new(&header, &[1, 3], rows) });
    }
    page.gap();
    for line in models {
        line.error.iter().for_each(|error| page.styled(BAD, format!("{}: {error}", line.name)));
    }
    page.styled(DIM, format!("models are in {}", list.folder));
    page.styled(DIM, format!("engine: {}; devices: {}", list.engine, list.devices.join(", ")));
    list.notes.iter().for_each(|note| page.styled(DIM, note));
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
        availability(line),
    ]
}

fn availability(line: &ModelLine) -> String {
    match (line.here, line.error.is_some(), line.used_by.is_empty()) {
        (_, true, _) => "damaged".to_owned(),
        (true, false, true) => "yes".to_owned(),
        (true, false, false) => format!("yes, for {}", line.used_by.join(", ")),
        (false, false, true) => "no".to_owned(),
        (false, false, false) => format!("no, but needed by {}", line.used_by.join(", ")),
    }
}

/// A model that reads the documents of the store, or that made their vectors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuggestedModel {
    pub name: String,
    /// `in use`, `small` or `best`.
    pub choice: &'static str,
    /// In words.
    pub languages: Option<String>,
    /// Bytes to download, estimated.
    pub bytes: Option<u64>,
    /// The share of the text that it reads, from 0 to 1; `None` if the model is not here.
    pub reads: Option<f32>,
    pub installed: bool,
    /// Where it would come from.
    pub from: Option<String>,
}

impl SuggestedModel {
    /// A model that made vectors of the store; `reads` is `None` if it is not here.
    pub fn in_use(name: &str, reads: Option<f32>) -> Self {
        let (name, installed) = (name.to_owned(), reads.is_some());
        SuggestedModel { name, choice: "in use", languages: None, bytes: None, reads, installed, from: None }
    }
}

/// What `kb models suggest` shows.
pub fn suggested_models(models: &[SuggestedModel]) -> Page {
    let mut page = Page::new("suggested_models", &json!({}))
        .without_namespace()
        .with_items("suggested_model", models)
        .with_paths(models.iter().map(|line| &line.name));
    let columns: &[Column<'_, SuggestedModel>] = &[
        ("choice", &|line| line.choice.to_owned()),
        ("model", &|line| line.name.clone()),
        ("reads of the text", &|line| line.reads.map_or("?".to_owned(), |share| format!("{:.0} %", 100.0 * share))),
        ("download", &|line| line.bytes.map_or_else(String::new, |bytes| format!("~{} MB", bytes / 1_000_000))),
        ("languages", &|line| line.languages.clone().unwrap_or_default()),
        ("from", &|line| line.from.clone().unwrap_or_default()),
    ];
    page.grid(Grid { whole: vec![0, 1, 2, 3], ..Grid::of(models, &[2, 3], columns) });
    match models.iter().find(|line| line.choice != "in use") {
        Some(SuggestedModel { name, installed: true, .. }) => {
            page.styled(DIM, format!("to use {name}: `{}`", NextStep::ReplaceModel(name)));
        }
        Some(SuggestedModel { name, .. }) => {
            let (add, replace) = (NextStep::AddModel(name), NextStep::ReplaceModel(name));
            page.styled(DIM, format!("to use {name}: `{add}`, then `{replace}`"));
            let folder = NextStep::AddModel("FOLDER");
            page.styled(DIM, format!("without a network, add a folder with its files: `{folder}`"));
        }
        None => page.styled(DIM, "no other known model reads more of the text"),
    }
    page
}

/// What `kb models add` shows: the model, whether it was installed before, its embedding settings, and
/// assumptions about it.
pub fn added_model(model: &ModelLine, was_here: bool, config: Option<&EmbeddingConfig>, notes: &[String]) -> Page {
    let json = json!({
        "was_here": was_here,
        "model": model,
        "query_prefix": config.map_or("", |config| &config.query_prefix),
        "document_prefix": config.map_or("", |config| &config.document_prefix),
        "pooling": config.map(|config| config.pooling),
        "notes": notes.iter().map(|note| json!({ "code": "model", "message": note })).collect::<Vec<_>>(),
    });
    let mut page = Page::new("model", &json).without_namespace().with_paths([&model.name]);
    let verb = if was_here { "is already installed" } else { "was added" };
    page.title(format!("the {} model {} {verb}", model.kind, model.name));
    let mut facts = Vec::new();
    if let Some(EmbeddingConfig { dimension, max_tokens, query_prefix, document_prefix, pooling, .. }) = config {
        let pooling = value(pooling).as_str().map(|pooling| format!(", pooled by {pooling}")).unwrap_or_default();
        let scripts = if model.scripts.is_empty() { "unknown".to_owned() } else { model.scripts.join(", ") };
        facts.push(("vectors", format!("{dimension} numbers, texts of up to {max_tokens} tokens{pooling}")));
        facts.push(("prefixes", format!("{query_prefix:?} for questions, {document_prefix:?} for parent chunks")));
        facts.push(("scripts", scripts));
    }
    facts.extend(model.licence.iter().map(|licence| ("licence", licence.clone())));
    facts.extend(notes.iter().map(|note| ("note", note.clone())));
    page.facts(facts);
    page
}

/// What `kb models remove` shows. `bytes` is the size of the removed files.
pub fn removed_model(name: &str, bytes: u64) -> Page {
    let mut page =
        Page::new("model_removed", &json!({ "name": name, "bytes": bytes })).without_namespace().with_paths([name]);
    page.line(format!("removed the model {name} ({})", size(bytes)));
    page
}

/// What `kb llm check` shows.
pub fn llm_check(checked: &Checked) -> Page {
    let Checked { model, endpoint, with_key, milliseconds, answer, tokens } = checked;
    let mut page = Page::new("llm", checked).without_namespace().with_paths([endpoint]);
    let key = if *with_key { "with a key" } else { "without a key" };
    let tokens = tokens.map_or_else(
        || "the server does not report tokens".to_owned(),
        |(sent, answered)| format!("{sent} tokens sent, {answered} received"),
    );
    page.line(format!("{model} answers in {milliseconds:.0} ms: {answer:?}"));
    page.line(format!("endpoint: {endpoint}, {key}; {tokens}"));
    page
}

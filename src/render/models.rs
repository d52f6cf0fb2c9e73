//! Models: the list, and what became of one.

use std::io::{Result, Write};

use comfy_table::{ColumnConstraint, Width};
use serde::Serialize;
use serde_json::{Value, json};

use super::style::{BAD, DIM, TITLE, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::text::size;

/// A model in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ModelLine {
    /// Its name.
    pub name: String,
    /// `embedding` or `reranking`.
    pub kind: &'static str,
    /// How many numbers a vector has.
    pub dimension: Option<usize>,
    /// Longer texts are cut to this many tokens.
    pub max_tokens: Option<usize>,
    /// Its languages, in words.
    pub languages: Option<String>,
    /// What scripts those are written in.
    pub scripts: Vec<&'static str>,
    /// Bytes on disk; of one that is not here, about what the download has.
    pub bytes: Option<u64>,
    /// Its licence.
    pub licence: Option<String>,
    /// Whether it can be used without a download.
    pub here: bool,
    /// The namespaces of the store that have their vectors of it.
    pub used_by: Vec<String>,
    /// Where it came from, or would.
    pub from: Option<String>,
    /// Why it cannot be used.
    pub error: Option<String>,
}

/// What runs models here.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Machine {
    /// The folder of models.
    pub folder: String,
    /// The engine.
    pub engine: String,
    /// What the engine can run models on; the one that is used comes first.
    pub devices: Vec<String>,
    /// What a person should know of it.
    pub notes: Vec<String>,
}

/// What `kb models` shows.
pub struct ModelList<'a> {
    /// The models.
    pub models: &'a [ModelLine],
    /// What runs them.
    pub machine: &'a Machine,
}

/// Columns for a licence, so that none is broken at a hyphen: `CC-BY-NC-4.0` with a space on both sides.
const LICENCE: u16 = 14;
/// The column that says what a model is for.
const KIND: usize = 1;
const HEADER: [&str; 7] = ["name", "for", "dimension", "languages", "size", "licence", "here"];

impl ModelList<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let unknown = || "?".to_owned();
        self.models
            .iter()
            .map(|line| {
                // What is not here has about that size.
                let told = |bytes| if line.here { size(bytes) } else { format!("~{} MB", bytes / 1_000_000) };
                let dimension = if line.kind == "reranking" { String::new() } else { unknown() };
                vec![
                    line.name.clone(),
                    line.kind.to_owned(),
                    line.dimension.map_or(dimension, |dimension| dimension.to_string()),
                    line.languages
                        .clone()
                        .unwrap_or_else(|| if line.scripts.is_empty() { unknown() } else { line.scripts.join(", ") }),
                    line.bytes.map_or_else(unknown, told),
                    line.licence.clone().unwrap_or_else(unknown),
                    here(line),
                ]
            })
            .collect()
    }

    fn below(&self) -> Vec<String> {
        let machine = self.machine;
        let devices = machine.devices.join(", ");
        let mut lines = vec![
            format!("models are in {}", machine.folder),
            format!("engine: {}; devices: {devices}", machine.engine),
        ];
        lines.extend(machine.notes.iter().cloned());
        lines
    }

    fn errors(&self) -> impl Iterator<Item = String> {
        self.models.iter().filter_map(|line| line.error.as_ref().map(|error| format!("{}: {error}", line.name)))
    }
}

fn here(line: &ModelLine) -> String {
    match (line.here, line.error.is_some(), line.used_by.is_empty()) {
        (_, true, _) => "damaged".to_owned(),
        (true, false, true) => "yes".to_owned(),
        (true, false, false) => format!("yes, for {}", line.used_by.join(", ")),
        (false, false, true) => "no".to_owned(),
        (false, false, false) => format!("no, but wanted for {}", line.used_by.join(", ")),
    }
}

impl View for ModelList<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        // One grid for each kind, so that names, which are copied, stay whole on a screen of a hundred columns.
        for kind in ["embedding", "reranking"] {
            let of_kind = self.rows().into_iter().filter(|row| row[KIND] == kind);
            let without_kind = |mut row: Vec<String>| {
                row.remove(KIND);
                row
            };
            let rows: Vec<Vec<String>> = of_kind.map(without_kind).collect();
            let header: Vec<&str> = HEADER.iter().copied().filter(|name| *name != HEADER[KIND]).collect();
            let mut table = grid(screen, &header, &[1, 3], rows);
            for column in [0, 1, 3] {
                if let Some(column) = table.column_mut(column) {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                }
            }
            if let Some(licence) = table.column_mut(4) {
                licence.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(LICENCE)));
            }
            writeln!(out, "{}\n{table}\n", paint(TITLE, format!("{kind} models")))?;
        }
        self.errors().try_for_each(|error| writeln!(out, "{}", paint(BAD, error)))?;
        self.below().iter().try_for_each(|line| writeln!(out, "{}", paint(DIM, line)))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{}", markdown_grid(&HEADER, &self.rows()))?;
        self.errors().try_for_each(|error| writeln!(out, "\n{error}"))?;
        self.below().iter().try_for_each(|line| writeln!(out, "\n{line}"))
    }

    fn json(&self) -> Value {
        let machine = self.machine;
        json!({
            "models": self.models, "folder": machine.folder, "engine": machine.engine,
            "devices": machine.devices, "notes": machine.notes,
        })
    }

    fn lines(&self) -> Vec<Value> {
        self.models.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.models.iter().map(|line| line.name.clone()).collect()
    }
}

/// A model that was added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddedModel {
    /// Whether it was here already.
    pub was_here: bool,
    /// The model.
    pub model: ModelLine,
    /// What stands in front of questions.
    pub query_prefix: String,
    /// What stands in front of passages.
    pub passage_prefix: String,
    /// How the vectors of tokens become one.
    pub pooling: Option<&'static str>,
    /// What had to be assumed.
    pub notes: Vec<String>,
}

impl AddedModel {
    fn sentence(&self) -> String {
        let verb = if self.was_here { "is here already" } else { "was added" };
        format!("the {} model {} {verb}", self.model.kind, self.model.name)
    }

    fn facts(&self) -> Vec<String> {
        let model = &self.model;
        let mut facts = Vec::new();
        if let (Some(dimension), Some(most)) = (model.dimension, model.max_tokens) {
            let pooling = self.pooling.map(|pooling| format!(", pooled by {pooling}")).unwrap_or_default();
            facts.push(format!("vectors of {dimension} numbers, texts of up to {most} tokens{pooling}"));
            facts.push(format!(
                "prefixes: {:?} for questions, {:?} for passages",
                self.query_prefix, self.passage_prefix
            ));
            let scripts = if model.scripts.is_empty() { "unknown".to_owned() } else { model.scripts.join(", ") };
            facts.push(format!("scripts it was taught: {scripts}"));
        }
        facts.extend(model.licence.iter().map(|licence| format!("licence: {licence}")));
        facts.extend(self.notes.iter().map(|note| format!("note: {note}")));
        facts
    }
}

/// What `kb models add` shows.
pub struct AddedModelView<'a>(pub &'a AddedModel);

impl View for AddedModelView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", paint(TITLE, self.0.sentence()))?;
        self.0.facts().iter().try_for_each(|fact| writeln!(out, "  {fact}"))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.0.sentence())?;
        let facts = self.0.facts();
        if !facts.is_empty() {
            writeln!(out)?;
        }
        facts.iter().try_for_each(|fact| writeln!(out, "- {fact}"))
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.0.model.name.clone()]
    }
}

/// What `kb models remove` shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemovedModelView {
    /// The model that is gone.
    pub name: String,
    /// Bytes that its files had.
    pub bytes: u64,
}

impl RemovedModelView {
    fn sentence(&self) -> String {
        format!("removed the model {} ({})", self.name, size(self.bytes))
    }
}

impl View for RemovedModelView {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.sentence())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.sentence())
    }

    fn json(&self) -> Value {
        value(self)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.name.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_a_question_mark_and_what_is_here_says_for_whom() {
        let line = |here, used_by: &[&str]| ModelLine {
            name: "m".to_owned(),
            kind: "embedding",
            here,
            used_by: used_by.iter().map(|name| (*name).to_owned()).collect(),
            ..ModelLine::default()
        };
        let models = [line(true, &["default"]), line(false, &["default"]), line(false, &[]), line(true, &[])];
        let machine = Machine::default();
        let rows = ModelList { models: &models, machine: &machine }.rows();
        assert_eq!(rows[0], ["m", "embedding", "?", "?", "?", "?", "yes, for default"]);
        assert_eq!([&rows[1][6], &rows[2][6], &rows[3][6]], ["no, but wanted for default", "no", "yes"]);
    }
}

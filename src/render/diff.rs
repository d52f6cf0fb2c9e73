//! What lies between two generations.

use std::io::{Result, Write};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::chunks::{LEAST_TEXT, cut};
use super::style::{BAD, DIM, TITLE, paint};
use super::{Screen, View, value};
use crate::store::{Counts, DocumentDiff, EntityDiff, Field, GenerationDiff, Item, What};

/// Something is new.
const GOOD: Style = AnsiColor::Green.on_default();
/// Something is other than it was.
const OTHER: Style = AnsiColor::Yellow.on_default();

/// Columns of an item's line beside its id and its text.
const INDENT: usize = 8;

/// What `kb diff` shows.
pub struct DiffView<'a>(pub &'a GenerationDiff);

fn sign(what: What) -> (&'static str, Style) {
    match what {
        What::Added => ("+", GOOD),
        What::Changed => ("~", OTHER),
        What::Gone => ("-", BAD),
    }
}

/// `chunks 2 added, 1 moved`, or nothing.
fn counts(of: &str, counts: &Counts) -> Option<String> {
    let numbers =
        [(counts.added, "added"), (counts.changed, "changed"), (counts.moved, "moved"), (counts.gone, "gone")];
    let parts: Vec<String> = numbers
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    (!parts.is_empty()).then(|| format!("{of}: {}", parts.join(", ")))
}

/// What is other in a document: its own fields, then sections and chunks in figures.
fn facts(document: &DocumentDiff) -> String {
    let mut facts: Vec<String> = Vec::new();
    if let Some(before) = &document.source_before {
        facts.push(format!("was {before}"));
    }
    let named: Vec<&str> =
        document.fields.iter().filter(|field| **field != Field::Source).map(|field| field.name()).collect();
    if !named.is_empty() {
        facts.push(named.join(", "));
    }
    facts.extend(counts("sections", &document.sections));
    facts.extend(counts("chunks", &document.chunks));
    facts.join("; ")
}

impl DiffView<'_> {
    fn title(&self) -> String {
        format!("Generation {} to {}", self.0.from, self.0.to)
    }

    /// `vectors: of b instead of a`.
    fn models(&self) -> Option<String> {
        let models = self.0.models.as_ref()?;
        Some(match (&models.before.name, &models.after.name) {
            (before, after) if before == after => format!("vectors: of another {after}"),
            (before, after) => format!("vectors: of {after} instead of {before}"),
        })
    }

    fn summary(&self) -> String {
        let parts = |count: &dyn Fn(What) -> usize| {
            let parts: Vec<String> = [What::Added, What::Changed, What::Gone]
                .into_iter()
                .filter(|what| count(*what) > 0)
                .map(|what| format!("{} {}", count(what), what.name()))
                .collect();
            parts.join(", ")
        };
        let of_entities = |what| self.0.entities.iter().filter(|entity| entity.what == what).count();
        let documents =
            (!self.0.documents.is_empty()).then(|| format!("documents: {}", parts(&|what| self.0.count(what))));
        let entities = (!self.0.entities.is_empty()).then(|| format!("entities: {}", parts(&of_entities)));
        documents.into_iter().chain(entities).chain(self.models()).collect::<Vec<String>>().join("; ")
    }
}

/// `entity: states`.
fn of_entity(entity: &EntityDiff) -> String {
    if entity.fields.is_empty() { "entity".to_owned() } else { format!("entity: {}", entity.fields.join(", ")) }
}

fn items(document: &DocumentDiff) -> impl Iterator<Item = &Item> {
    document.section_items.iter().chain(&document.chunk_items)
}

impl View for DiffView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", paint(TITLE, self.title()))?;
        for document in &self.0.documents {
            let (sign_of, style) = sign(document.what);
            let (id, facts) = (paint(DIM, &document.doc_id), paint(DIM, facts(document)));
            writeln!(out, "{} {}  {id}  {facts}", paint(style, sign_of), document.source)?;
            for item in items(document) {
                let (sign, style) = sign(item.what);
                let left = screen.width.saturating_sub(item.id.len() + INDENT).max(LEAST_TEXT);
                writeln!(out, "    {} {}  {}", paint(style, sign), paint(DIM, &item.id), cut(&item.text, left))?;
            }
        }
        for entity in &self.0.entities {
            let (sign, style) = sign(entity.what);
            writeln!(out, "{} {}  {}", paint(style, sign), entity.name, paint(DIM, of_entity(entity)))?;
        }
        writeln!(out, "{}", self.summary())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(out, "# {}\n", self.title())?;
        for document in &self.0.documents {
            let facts = facts(document);
            let facts = if facts.is_empty() { facts } else { format!(": {facts}") };
            writeln!(out, "- {} `{}` ({}){facts}", document.what.name(), document.source, document.doc_id)?;
            for item in items(document) {
                writeln!(out, "  - {} `{}` {}", item.what.name(), item.id, item.text)?;
            }
        }
        for entity in &self.0.entities {
            writeln!(out, "- {} {} ({})", entity.what.name(), entity.name, of_entity(entity))?;
        }
        writeln!(out, "\n{}", self.summary())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn lines(&self) -> Vec<Value> {
        self.0.documents.iter().map(value).chain(self.0.entities.iter().map(value)).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.documents.iter().map(|document| document.source.clone()).collect()
    }
}

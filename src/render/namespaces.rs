//! Namespaces: the list, and what became of one.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::Value;

use super::style::{BAD, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::text::size;

/// A namespace in figures, which are missing where it cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NamespaceLine {
    /// Its name.
    pub name: String,
    /// Documents.
    pub documents: Option<usize>,
    /// Chunks, parents and children.
    pub chunks: Option<usize>,
    /// The published generation.
    pub generation: Option<u64>,
    /// When it was published, RFC 3339.
    pub published_at: Option<String>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// What `kb namespaces` shows.
pub struct NamespaceList<'a>(pub &'a [NamespaceLine]);

const HEADER: [&str; 5] = ["name", "documents", "chunks", "generation", "size"];

impl NamespaceList<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        self.0
            .iter()
            .map(|line| {
                vec![
                    line.name.clone(),
                    number(line.documents.map(|documents| documents as u64)),
                    number(line.chunks.map(|chunks| chunks as u64)),
                    number(line.generation),
                    size(line.bytes),
                ]
            })
            .collect()
    }

    fn errors(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|line| line.error.as_ref().map(|error| format!("{}: {error}", line.name)))
    }
}

impl View for NamespaceList<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", grid(screen, &HEADER, &[1, 2, 3, 4], self.rows()))?;
        self.errors().try_for_each(|error| writeln!(out, "{}", paint(BAD, error)))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{}", markdown_grid(&HEADER, &self.rows()))?;
        self.errors().try_for_each(|error| writeln!(out, "\n{error}"))
    }

    fn json(&self) -> Value {
        value(&self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|line| line.name.clone()).collect()
    }
}

/// What became of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum NamespaceOutcome {
    /// It has another name.
    Renamed {
        /// The name it had.
        from: String,
        /// The name it has.
        to: String,
    },
    /// It is gone.
    Removed {
        /// The name it had.
        name: String,
    },
}

/// What `kb namespaces rename` and `remove` show.
pub struct NamespaceView<'a>(pub &'a NamespaceOutcome);

impl NamespaceView<'_> {
    fn sentence(&self) -> String {
        match self.0 {
            NamespaceOutcome::Renamed { from, to } => format!("the namespace {from:?} is now {to:?}"),
            NamespaceOutcome::Removed { name } => format!("removed the namespace {name:?}"),
        }
    }
}

impl View for NamespaceView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.sentence())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.sentence())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        match self.0 {
            NamespaceOutcome::Renamed { to, .. } => vec![to.clone()],
            NamespaceOutcome::Removed { name } => vec![name.clone()],
        }
    }
}

//! The findings of a check and the commands that repair them.

use serde::Serialize;

use crate::error::NextStep;
use crate::store::convert::to_json;
use crate::store::{DocumentRow, STANDARD_INPUT};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Manifest, pending manifest and keyword index belong to one generation.
    Generation,
    /// Ids are unique, well formed, and lead to rows that are there.
    Ids,
    /// The counts in a document's row are right.
    Counts,
    /// Parent chunks are complete, and their child chunks add up to their text.
    ParentChunks,
    /// Sections name their parent chunks.
    Sections,
    /// Edits agree with their parent chunks.
    Edits,
    /// Vectors have the right dimension and length 1, and none is missing.
    Vectors,
    /// The keyword index holds each parent chunk once, with its words.
    Keyword,
    /// The indexes of the tables can be read.
    Index,
    /// Every recorded generation can be restored.
    History,
    /// Each entity has one row, which lists the documents that mention it.
    Entities,
}

impl Part {
    /// Its name in JSON, as words.
    pub fn name(self) -> String {
        to_json(&self).trim_matches('"').replace('_', " ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The document, section, chunk or file.
    pub id: String,
    pub part: Part,
    pub what: String,
    pub repairable: bool,
    pub command: String,
}

impl Finding {
    /// A finding that can be repaired from the store alone.
    pub(super) fn repairable(id: &str, part: Part, what: impl Into<String>) -> Self {
        Finding { id: id.to_owned(), part, what: what.into(), repairable: true, command: NextStep::Repair.to_string() }
    }

    /// A finding that needs the source to be read again.
    pub(super) fn source_needed(document: &DocumentRow, id: &str, part: Part, what: impl Into<String>) -> Self {
        Finding { repairable: false, command: ingest_command(document), ..Finding::repairable(id, part, what) }
    }

    /// A finding that needs the sections to be found again.
    pub(super) fn structure_needed(document: &DocumentRow, id: &str, part: Part, what: impl Into<String>) -> Self {
        let command = NextStep::FindSectionsAgain(&document.doc_id).to_string();
        Finding { repairable: false, command, ..Finding::repairable(id, part, what) }
    }
}

/// The command that reads a document's source again.
fn ingest_command(document: &DocumentRow) -> String {
    match document.source.strip_prefix(STANDARD_INPUT) {
        Some(name) => NextStep::IngestStandardInputAgain(&shell_words::quote(name)).to_string(),
        None => NextStep::IngestAgain(&shell_words::quote(&document.source)).to_string(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The document, section, chunk or index.
    pub id: String,
    pub what: String,
}

impl Fix {
    pub(super) fn new(id: &str, what: impl Into<String>) -> Self {
        Fix { id: id.to_owned(), what: what.into() }
    }
}

/// What is wrong with a document, and what was repaired of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) findings: Vec<Finding>,
    pub(super) fixes: Vec<Fix>,
}

impl Faults {
    /// Adds a fault that was repaired.
    pub(super) fn repaired(&mut self, id: &str, part: Part, what: impl Into<String>, fix: impl Into<String>) {
        self.findings.push(Finding::repairable(id, part, what));
        self.fixes.push(Fix::new(id, fix));
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub namespace: String,
    pub generation: u64,
    pub documents: usize,
    pub sections: usize,
    /// Parents and children.
    pub chunks: usize,
    pub findings: Vec<Finding>,
}

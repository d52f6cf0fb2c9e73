//! What a check finds, and what mends it.

use serde::Serialize;

use crate::error::NextStep;
use crate::store::DocumentRow;

/// Which promise is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Manifest, pending manifest and keyword index belong to one generation.
    Generation,
    /// Ids are unique, well formed, and lead to rows that are there.
    Ids,
    /// The counts in a document's row are those of its rows.
    Counts,
    /// Parent chunks are complete, and their child chunks joined are their text.
    ParentChunks,
    /// Sections know which parent chunks are theirs.
    Sections,
    /// Edits agree with their parent chunks.
    Edits,
    /// Vectors are of length 1, and a parent chunk's is the mean of its child chunks'.
    Vectors,
    /// The keyword index holds each parent chunk once, with its words.
    Keyword,
    /// The indexes of the tables can be read.
    Index,
    /// Every generation that is recorded can be brought back.
    History,
    /// Each entity has one row, which lists the documents that mention it.
    Entities,
}

impl Part {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Part::Generation => "generation",
            Part::Ids => "ids",
            Part::Counts => "counts",
            Part::ParentChunks => "parent chunks",
            Part::Sections => "sections",
            Part::Edits => "edits",
            Part::Vectors => "vectors",
            Part::Keyword => "keyword",
            Part::Index => "index",
            Part::History => "history",
            Part::Entities => "entities",
        }
    }
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The document, section, chunk or file.
    pub id: String,
    /// The broken promise.
    pub part: Part,
    /// What is wrong.
    pub what: String,
    /// Whether `--repair` mends it.
    pub repairable: bool,
    /// The command that mends it.
    pub command: String,
}

impl Finding {
    /// Something that the store alone suffices to mend.
    pub(super) fn repairable(id: &str, part: Part, what: impl Into<String>) -> Self {
        Finding { id: id.to_owned(), part, what: what.into(), repairable: true, command: NextStep::Repair.to_string() }
    }

    /// Something for which the source must be read again.
    pub(super) fn source_needed(document: &DocumentRow, id: &str, part: Part, what: impl Into<String>) -> Self {
        Finding { repairable: false, command: ingest_command(document), ..Finding::repairable(id, part, what) }
    }

    /// Something for which the sections must be found again.
    pub(super) fn structure_needed(document: &DocumentRow, id: &str, part: Part, what: impl Into<String>) -> Self {
        let command = NextStep::FindSectionsAgain(&document.doc_id).to_string();
        Finding { repairable: false, command, ..Finding::repairable(id, part, what) }
    }
}

/// What reads a document's source again.
fn ingest_command(document: &DocumentRow) -> String {
    match document.source.strip_prefix("stdin:") {
        Some(name) => NextStep::IngestStandardInputAgain(&shell_words::quote(name)).to_string(),
        None => NextStep::IngestAgain(&shell_words::quote(&document.source)).to_string(),
    }
}

/// Something that a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mended {
    /// The document, section, chunk or index.
    pub id: String,
    /// What was done.
    pub what: String,
}

impl Mended {
    pub(super) fn new(id: &str, what: impl Into<String>) -> Self {
        Mended { id: id.to_owned(), what: what.into() }
    }
}

/// What a check found in a namespace.
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

//! Whether a namespace keeps its promises, and repairs.
//!
//! A check reads one generation, takes no lock and changes nothing. It reads documents one after the other, so its
//! memory is that of the largest document, plus small facts: the rows of documents and sections, and the ids of
//! parent chunks. What is wrong in a document is decided by pure functions over its rows. A repair publishes one
//! generation, with everything in it that the store alone suffices to mend.

mod chunks;
mod entities;
mod finding;
mod history;
mod keyword;
mod mend;
mod repair;
#[cfg(test)]
mod sample;
mod survey;
mod vectors;

pub use finding::{Finding, Part};
pub use mend::Mended;
pub use repair::repair;

use chunks::StoredRows;

use super::layout::Namespace;
use super::rows::NewDocument;
use crate::error::Result;
use crate::text::count;

/// What a check found in a namespace.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Checked {
    /// Its name.
    pub namespace: String,
    /// The generation that was checked.
    pub generation: u64,
    /// How many documents it has.
    pub documents: usize,
    /// How many sections.
    pub sections: usize,
    /// How many chunks, parent chunks and child chunks.
    pub chunks: usize,
    /// What is wrong; nothing, where it is sound.
    pub findings: Vec<Finding>,
}

/// Checks a namespace.
///
/// # Errors
/// Where nothing was ingested into it yet, or its tables cannot be read.
pub async fn check(namespace: &Namespace) -> Result<Checked> {
    Ok(survey::survey(namespace).await?.checked)
}

/// Everything that is wrong in a document, and the document without doubles and orphans.
fn audit(mut rows: StoredRows, dimension: usize) -> (Vec<Finding>, NewDocument) {
    let several = rows.remove_doubles();
    let mut findings: Vec<Finding> = several
        .into_iter()
        .map(|(id, times)| Finding::repairable(&id, Part::Ids, format!("is the id of {}", count(times, "row"))))
        .collect();
    findings.extend(chunks::check_ids(&rows));
    // Child chunks without a parent chunk are reported above; what follows is about the others.
    let orphans = rows.orphans();
    let new = rows.nested();
    if orphans.is_empty() {
        findings.extend(chunks::check_counts(&new));
    }
    findings.extend(chunks::check(&new));
    findings.extend(chunks::check_sections(&new));
    findings.extend(mend::check_edits(&new));
    findings.extend(vectors::check(&new, dimension));
    (findings, new)
}

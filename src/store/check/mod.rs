//! Whether a namespace keeps its promises, and repairs.
//!
//! A check reads one generation, takes no lock and changes nothing. It reads documents one after the other, so its
//! memory is that of the largest document, plus small facts: the rows of documents and sections, and the ids of
//! passages. What is wrong in a document is decided by pure functions over its rows. A repair publishes one
//! generation, with everything in it that the store alone suffices to mend.

mod edits;
mod finding;
mod history;
mod ids;
mod keyword;
mod mend;
mod passages;
mod repair;
#[cfg(test)]
mod sample;
mod survey;
mod vectors;
mod walk;

pub use finding::{Finding, Part};
pub use mend::Mended;
pub use repair::{Repaired, repair};

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
    /// How many chunks, passages and pieces.
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

/// Everything that is wrong in a document.
fn audit(new: &NewDocument, dimension: usize) -> Vec<Finding> {
    let (mut new, several) = ids::unique(new.clone());
    let mut findings: Vec<Finding> = several
        .into_iter()
        .map(|(id, times)| Finding::repairable(&id, Part::Ids, format!("is the id of {}", count(times, "row"))))
        .collect();
    findings.extend(ids::check(&new));
    // Pieces without a passage are told of; what follows is about the others.
    let orphans = ids::without_parent(&new);
    if orphans.is_empty() {
        findings.extend(passages::check_counts(&new));
    }
    new.chunks.retain(|row| !orphans.contains(&row.chunk_id));
    findings.extend(passages::check(&new));
    findings.extend(passages::check_sections(&new));
    findings.extend(edits::check(&new));
    findings.extend(vectors::check(&new, dimension));
    findings
}

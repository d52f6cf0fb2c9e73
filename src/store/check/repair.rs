//! Repairs a namespace as far as possible from the store alone, in one publication.

use super::document::audit;
use super::finding::{Checked, Fix, Part};
use super::history;
use super::survey::{DocumentRows, KEYWORD, Survey, survey};
use crate::error::Result;
use crate::store::convert::ENTITIES;
use crate::store::history::Note;
use crate::store::layout::{Namespace, PUBLISHED};
use crate::store::lock::LockTimeout;
use crate::store::manifest::PENDING;
use crate::store::rows::DocumentRow;
use crate::store::tables::Tables;
use crate::store::writer::{Change, KeywordStep, Writer};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    pub before: Checked,
    pub mended: Vec<Fix>,
    /// The remaining findings, which cannot be repaired from the store alone.
    pub after: Checked,
}

/// Repairs what can be repaired. Without repairable findings it takes no writer lock and writes nothing. After an error
/// the published generation stays.
pub async fn repair(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Repaired> {
    let before = survey(namespace).await?;
    if !before.checked.findings.iter().any(|finding| finding.repairable) {
        let after = before.checked.clone();
        return Ok(Repaired { before: before.checked, mended: Vec::new(), after });
    }
    // Opening the writer finishes interrupted publications and rebuilds a keyword index that does not match the
    // manifest.
    let mut writer = Writer::open_existing(namespace, lock_timeout).await?;
    let mut locked = survey(namespace).await?;
    // A generation that can be opened may still be unreadable.
    if locked.manifest.generation != writer.generation() {
        writer.publish_again(&locked.manifest).await?;
        locked = survey(namespace).await?;
    }
    let mut mended = fixed_by_opening(&before, &locked);
    // Before the publication, so that it can remove old versions.
    mended.extend(history::repair(namespace, writer.manifest(), &locked.checked.findings)?);
    let change = changes(&locked, &writer, &mut mended).await?;
    for finding in locked.checked.findings.iter().filter(|finding| finding.part == Part::Index) {
        writer.tables.drop_indexes().await?;
        mended.push(Fix::new(&finding.id, "made again"));
    }
    if locked.finds(Part::Keyword) {
        writer.publish_with(&change, KeywordStep::Rebuild).await?;
        mended.push(Fix::new(KEYWORD, "the keyword index rebuilt from the tables"));
    } else if !change.is_empty() || locked.finds(Part::Index) {
        writer.publish(&change).await?;
    }
    let after = survey(namespace).await?.checked;
    Ok(Repaired { before: before.checked, mended, after })
}

fn fixed_by_opening(before: &Survey, locked: &Survey) -> Vec<Fix> {
    let gone = |id: &str| {
        let finds = |survey: &Survey| survey.checked.findings.iter().any(|finding| finding.id == id);
        finds(before) && !finds(locked)
    };
    let mut mended = Vec::new();
    if gone(PENDING) {
        mended.push(Fix::new(PENDING, "the interrupted publication finished or given up"));
    }
    if gone(KEYWORD) {
        mended.push(Fix::new(KEYWORD, "the keyword index rebuilt from the tables"));
    }
    if gone(PUBLISHED) {
        let what = format!("generation {} published again, the newest that can be read", before.manifest.generation);
        mended.push(Fix::new(PUBLISHED, what));
    }
    mended
}

/// The change that replaces the damaged documents by repaired ones.
async fn changes(survey: &Survey, writer: &Writer, mended: &mut Vec<Fix>) -> Result<Change> {
    let tables = Tables::open_at(writer.namespace(), writer.manifest()).await?;
    let walk = DocumentRows::open(&tables).await?;
    let (remove, note) = (survey.missing_documents.clone(), Note::of("check --repair"));
    let mut change = Change { remove, note, ..Change::default() };
    for id in &survey.missing_documents {
        mended.push(Fix::new(id, "rows without a document removed"));
        change.note.add("removed", id);
    }
    if survey.finds(Part::Entities) {
        change.entities.rewrite_all = true;
        mended.push(Fix::new(ENTITIES, "the mentions of all entities counted again"));
    }
    for some in walk.batches(&survey.repairable) {
        for stored in walk.stored(some, walk.chunks_of(some).await?) {
            let DocumentRow { doc_id, source, .. } = &stored.document;
            if walk.duplicates.contains(doc_id) {
                mended.push(Fix::new(doc_id, "all rows of the document but one removed"));
            }
            change.note.add("mended", source);
            change.remove.push(doc_id.clone());
            let (new, faults) = audit(stored, survey.manifest.model.dimension);
            mended.extend(faults.fixes);
            change.add.push(new);
        }
    }
    Ok(change)
}

//! The repair of a namespace: what the store alone suffices to mend, as one generation.

use super::finding::{Checked, Mended, Part};
use super::history;
use super::mend::mend;
use super::survey::Walk;
use super::survey::{KEYWORD, Survey, survey};
use crate::error::Result;
use crate::store::convert::ENTITIES;
use crate::store::history::Note;
use crate::store::layout::{Namespace, PUBLISHED};
use crate::store::lock::LockTimeout;
use crate::store::manifest::PENDING;
use crate::store::tables::Tables;
use crate::store::writer::{Change, Writer};

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// What was found before.
    pub before: Checked,
    /// What was done.
    pub mended: Vec<Mended>,
    /// What is found afterwards: what the store alone does not suffice to mend.
    pub after: Checked,
}

/// Mends what can be mended. Where nothing is wrong, nothing is locked or written.
///
/// # Errors
/// Where another process writes for longer than `lock_timeout` has, or the disk refuses; what was published before stays.
pub async fn repair(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Repaired> {
    let before = survey(namespace).await?;
    if !before.checked.findings.iter().any(|finding| finding.repairable) {
        let after = before.checked.clone();
        return Ok(Repaired { before: before.checked, mended: Vec::new(), after });
    }
    // The writer finishes interrupted publications and rebuilds a keyword index that is not the manifest's.
    let mut writer = Writer::open_existing(namespace, lock_timeout).await?;
    let mut locked = survey(namespace).await?;
    // What the writer has opened can be opened, but perhaps not read.
    if locked.manifest.generation != writer.generation() {
        writer.publish_again(&locked.manifest).await?;
        locked = survey(namespace).await?;
    }
    let mut mended = opening_mended(&before, &locked);
    // Before anything is published, so that the publication can take old versions away.
    mended.extend(history::mend(namespace, writer.manifest(), &locked.checked.findings)?);
    let change = changes(&locked, &writer, &mut mended).await?;
    for finding in locked.checked.findings.iter().filter(|finding| finding.part == Part::Index) {
        writer.tables.drop_indexes().await?;
        mended.push(Mended::new(&finding.id, "made again"));
    }
    if locked.finds(Part::Keyword) {
        writer.publish_with_rebuilt_keyword_index(&change).await?;
        mended.push(Mended::new(KEYWORD, "the keyword index rebuilt from the tables"));
    } else if !change.is_empty() || locked.finds(Part::Index) {
        writer.publish(&change).await?;
    }
    let after = survey(namespace).await?.checked;
    Ok(Repaired { before: before.checked, mended, after })
}

/// What opening the writer has mended.
fn opening_mended(before: &Survey, locked: &Survey) -> Vec<Mended> {
    let gone = |id: &str| {
        let finds = |survey: &Survey| survey.checked.findings.iter().any(|finding| finding.id == id);
        finds(before) && !finds(locked)
    };
    let mut mended = Vec::new();
    if gone(PENDING) {
        mended.push(Mended::new(PENDING, "the interrupted publication finished or given up"));
    }
    if gone(KEYWORD) {
        mended.push(Mended::new(KEYWORD, "the keyword index rebuilt from the tables"));
    }
    if gone(PUBLISHED) {
        let what = format!("generation {} published again, the newest that can be read", before.manifest.generation);
        mended.push(Mended::new(PUBLISHED, what));
    }
    mended
}

/// The change that puts the mended documents in the place of the damaged ones.
async fn changes(survey: &Survey, writer: &Writer, mended: &mut Vec<Mended>) -> Result<Change> {
    let tables = Tables::open_at(writer.namespace(), writer.manifest()).await?;
    let walk = Walk::open(&tables).await?;
    let mut change = Change { remove: survey.strangers.clone(), note: Note::of("check --repair"), ..Change::default() };
    for id in &survey.strangers {
        mended.push(Mended::new(id, "rows without a document removed"));
        change.note.add("removed", id);
    }
    if survey.finds(Part::Entities) {
        change.entities.rewrite_all = true;
        mended.push(Mended::new(ENTITIES, "the mentions of all entities counted again"));
    }
    for id in &survey.mendable {
        let ids = std::slice::from_ref(id);
        let Some(new) = walk.stored(ids, walk.chunks_of(ids).await?).pop() else { continue };
        if walk.several.contains(id) {
            mended.push(Mended::new(id, "all rows of the document but one removed"));
        }
        change.note.add("mended", &new.document.source);
        let (new, done) = mend(new, survey.manifest.model.dimension);
        mended.extend(done);
        change.remove.push(id.clone());
        change.add.push(new);
    }
    Ok(change)
}

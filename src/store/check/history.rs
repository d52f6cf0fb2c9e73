//! Checks the records of the history and the versions of the tables that they name.
//!
//! Damage here affects only old generations, never the published one: an unreadable record, or one that names missing
//! versions, cannot be restored, and an unreadable version of a table prevents the removal of older ones.

use super::finding::{Finding, Fix, Part};
use crate::error::Result;
use crate::store::files::{remove_file, sync_folder};
use crate::store::history::{Record, RecordFile, record_files, record_id};
use crate::store::layout::Namespace;
use crate::store::manifest::Manifest;
use crate::store::tables::Tables;
use crate::store::version_files::DamagedVersion;
use crate::store::versions::ExistingVersions;

/// The findings in the history of a namespace. `tables` are those of the published generation.
pub(super) async fn check(namespace: &Namespace, tables: &Tables, published: &Manifest) -> Result<Vec<Finding>> {
    // Records first: a publication in between removes a record before the versions it names.
    let files = record_files(namespace, published.generation)?;
    let existing = tables.existing().await?;
    let mut damaged = tables.damaged().await?;
    // Leftovers of an interrupted publication are not a fault: the next writer removes them.
    damaged.retain(|one| !one.is_newer_than(published));
    let findings = files.iter().filter_map(|file| {
        let what = wrong(file, &existing, &damaged)?;
        let id = record_id(file.generation);
        namespace.root().join(&id).exists().then(|| Finding::repairable(&id, Part::History, what))
    });
    let findings: Vec<Finding> = findings.collect();
    let versions = damaged.iter().map(|one| Finding::repairable(&one.id(), Part::History, one.problem()));
    Ok(findings.into_iter().chain(versions).collect())
}

/// What is wrong with a record; `None` if it is sound.
fn wrong(file: &RecordFile, existing: &ExistingVersions, damaged: &[DamagedVersion]) -> Option<String> {
    let generation = file.generation;
    let Some(record) = &file.record else {
        return Some(format!("cannot be read; generation {generation} cannot be brought back"));
    };
    let gone = existing.missing(&record.manifest).into_iter().map(|(table, version)| (table, version, "is gone"));
    let unreadable = damaged.iter().filter(|one| one.is_needed_by(&record.manifest));
    let unreadable = unreadable.map(|one| (one.table, one.version, "cannot be read"));
    let (table, version, how) = gone.chain(unreadable).next()?;
    Some(format!(
        "names version {version} of the table {table}, which {how}; generation {generation} cannot be brought back"
    ))
}

/// Removes damaged records and versions, and rewrites the record of the published generation. The caller must hold the
/// writer's lock.
pub(super) fn repair(namespace: &Namespace, published: &Manifest, findings: &[Finding]) -> Result<Vec<Fix>> {
    let of_published = record_id(published.generation);
    let mut mended = Vec::new();
    for finding in findings.iter().filter(|finding| finding.part == Part::History) {
        let path = namespace.root().join(&finding.id);
        if finding.id == of_published {
            Record::of_unknown(published).write(namespace)?;
            mended.push(Fix::new(&finding.id, "the record of the published generation written again"));
            continue;
        }
        remove_file(&path)?;
        mended.push(Fix::new(&finding.id, "removed; it cannot bring back a generation"));
        if let Some(folder) = path.parent() {
            sync_folder(folder)?;
        }
    }
    Ok(mended)
}

//! A generation, opened as it lies there, and all that is wrong in it.

use std::time::Duration;

use super::finding::{Finding, Part};
use super::keyword::Entries;
use super::walk::Walk;
use super::{Checked, audit, history};
use crate::error::Result;
use crate::store::ChunkType;
use crate::store::history::Lease;
use crate::store::keyword::KeywordReader;
use crate::store::layout::Namespace;
use crate::store::lock::Holder;
use crate::store::manifest::{Manifest, ModelRecord, PENDING};
use crate::store::namespaces::nothing_ingested;
use crate::store::tables::Tables;

/// How often opening is tried again when a publication comes in between.
const ATTEMPTS: usize = 20;
/// The namespace that commands mean where none is named.
const DEFAULT: &str = "default";
/// How the keyword index is called in findings.
pub(super) const KEYWORD: &str = "keyword";

/// What a check found, and what a repair needs to know of it.
pub(super) struct Survey {
    pub(super) checked: Checked,
    pub(super) model: ModelRecord,
    /// Documents in which something can be mended.
    pub(super) mendable: Vec<String>,
    /// Ids of documents that rows name and that are not there.
    pub(super) strangers: Vec<String>,
}

impl Survey {
    /// Whether something is wrong with a part.
    pub(super) fn finds(&self, part: Part) -> bool {
        self.checked.findings.iter().any(|finding| finding.part == part)
    }
}

/// Reads everything, and changes nothing.
pub(super) async fn survey(namespace: &Namespace) -> Result<Survey> {
    let (manifest, keyword, mut findings) = open(namespace).await?;
    findings.extend(interrupted(namespace)?);
    let _lease = Lease::take(namespace, manifest.generation);
    let tables = Tables::open_at(namespace, &manifest).await?;
    let mut walk = Walk::open(&tables).await?;
    let mut entries = keyword.as_ref().map(Entries::read).transpose()?;
    let (mut chunks, mut in_keyword, mut in_documents) = (0, Vec::new(), Vec::new());
    let mut mendable: Vec<String> = walk.several.iter().cloned().collect();
    walk.run(
        |row| {
            chunks += 1;
            if let Some(entries) = entries.as_mut().filter(|_| row.chunk_type == ChunkType::Parent) {
                in_keyword.extend(entries.compare(row)?);
            }
            Ok(())
        },
        |new| {
            let own = audit(new, manifest.model.dimension);
            if own.iter().any(|finding| finding.repairable) {
                mendable.push(new.document.doc_id.clone());
            }
            in_documents.extend(own);
            if let Some(index) = &keyword {
                in_documents.extend(Entries::compare_pieces(index, &new.chunks)?);
            }
            Ok(())
        },
    )
    .await?;
    mendable.sort();
    mendable.dedup();
    findings.extend(walk.findings());
    findings.extend(in_documents);
    findings.extend(in_keyword);
    findings.extend(entries.iter().flat_map(Entries::strangers));
    findings.extend(history::check(namespace, &tables, &manifest).await?);
    if namespace.name() != DEFAULT {
        findings.iter_mut().for_each(|finding| finding.command.push_str(&format!(" -n {}", namespace.name())));
    }
    let [documents, sections] = walk.counts;
    let (namespace, generation) = (namespace.name().to_owned(), manifest.generation);
    let checked = Checked { namespace, generation, documents, sections, chunks, findings };
    Ok(Survey { checked, model: manifest.model, mendable, strangers: walk.strangers() })
}

/// The published generation and its keyword index; without one, and with the reason, where it is not of that
/// generation. A [`Snapshot`](crate::store::Snapshot) would mend that first, and nothing could be told of it.
async fn open(namespace: &Namespace) -> Result<(Manifest, Option<KeywordReader>, Vec<Finding>)> {
    let mut attempt = 0;
    loop {
        let manifest = Manifest::read(namespace)?;
        let pending = Manifest::read_pending(namespace)?;
        let keyword = KeywordReader::open(namespace);
        let carried = keyword.as_ref().map(|(_, generation)| *generation);
        let both = [manifest.clone(), pending].into_iter().flatten().find(|one| Some(one.generation) == carried);
        if let (Some(manifest), Some((keyword, _))) = (both, keyword) {
            return Ok((manifest, Some(keyword), Vec::new()));
        }
        attempt += 1;
        // A publication may have come in between.
        if attempt < ATTEMPTS {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        }
        let manifest = manifest.ok_or_else(|| nothing_ingested(namespace))?;
        let finding = match carried {
            None => Finding::repairable(KEYWORD, Part::Keyword, "the keyword index is missing or damaged"),
            Some(other) => {
                let what = format!("carries generation {other}, the manifest {}", manifest.generation);
                Finding::repairable(KEYWORD, Part::Generation, what)
            }
        };
        return Ok((manifest, None, vec![finding]));
    }
}

/// A publication that was announced and that nobody is carrying out.
fn interrupted(namespace: &Namespace) -> Result<Option<Finding>> {
    let Some(pending) = Manifest::read_pending(namespace)? else { return Ok(None) };
    // Read again when nobody writes: between the two, somebody may have finished.
    if Holder::of(namespace).is_some() || Manifest::read_pending(namespace)?.as_ref() != Some(&pending) {
        return Ok(None);
    }
    let what = format!("the publication of generation {} was interrupted", pending.generation);
    Ok(Some(Finding::repairable(PENDING, Part::Generation, what)))
}

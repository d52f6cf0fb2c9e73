//! Restores an old generation as a new one. The generations in between stay in the history.

use std::collections::HashMap;

use lancedb::Table;
use serde::Serialize;

use super::compare::ChangeKind;
use super::diff::{GenerationDiff, between};
use super::generations::OpenGeneration;
use super::record::Note;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::convert::Columns;
use crate::store::layout::Namespace;
use crate::store::manifest::ModelRecord;
use crate::store::scan::Wanted;
use crate::store::tables::Tables;
use crate::store::writer::{KeywordStep, Writer};

/// If more than one document in this many differs, rebuilding the keyword index is faster than replacing entries.
const MOST_REPLACED: usize = 4;
/// The columns of chunks that the keyword index is made of.
const INDEXED: [&str; 8] =
    ["doc_id", "chunk_id", "section_id", "titles", "content", "situating", "page_start", "page_end"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The old generation.
    pub restored: u64,
    /// When it was published, RFC 3339.
    pub published_at: String,
    /// The new generation; `None` if nothing was written.
    pub generation: Option<u64>,
    /// Documents that are put back.
    pub added: usize,
    /// Documents that are changed back.
    pub changed: usize,
    pub removed: usize,
    /// Entities that are put back, changed back or removed.
    pub entities: usize,
    /// The model of its vectors, if the published vectors are of another.
    pub model: Option<ModelRecord>,
}

impl Restored {
    fn new(now: &OpenGeneration, then: &OpenGeneration, diff: &GenerationDiff) -> Self {
        let model = &then.manifest.model;
        Restored {
            restored: then.manifest.generation,
            published_at: then.manifest.published_at.clone(),
            generation: None,
            added: diff.count(ChangeKind::Added),
            changed: diff.count(ChangeKind::Changed),
            removed: diff.count(ChangeKind::Gone),
            entities: diff.entities.len(),
            model: (*model != now.manifest.model).then(|| model.clone()),
        }
    }
}

/// What [`Writer::restore`] would do at this moment.
pub async fn plan_restore(namespace: &Namespace, generation: u64) -> Result<Restored> {
    let (now, then) = (OpenGeneration::published(namespace).await?, OpenGeneration::open(namespace, generation).await?);
    Ok(Restored::new(&now, &then, &between(&now, &then, false).await?))
}

impl Writer {
    /// Publishes an old generation again as the newest, with its own vectors. The history says which command did it.
    /// After an error nothing is changed.
    pub async fn restore(&mut self, generation: u64, command: &str) -> Result<Restored> {
        let namespace = self.namespace().clone();
        let now = OpenGeneration::published(&namespace).await?;
        let then = OpenGeneration::open(&namespace, generation).await?;
        let diff = between(&now, &then, false).await?;
        let mut restored = Restored::new(&now, &then, &diff);
        if generation == self.generation() {
            return Ok(restored);
        }
        let documents_to_reindex = documents_to_reindex(&now, &then).await?;
        let keyword = documents_to_reindex.as_deref().map_or(KeywordStep::Rebuild, KeywordStep::Replace);
        // Otherwise its lease would count as a reader of the replaced generation.
        drop(now);
        let note = note(command, generation, &diff);
        restored.generation = Some(self.publish_restored(&then.manifest, keyword, &note).await?);
        Ok(restored)
    }
}

/// The documents whose entries in the keyword index differ; `None` if rebuilding the index is faster.
async fn documents_to_reindex(now: &OpenGeneration, then: &OpenGeneration) -> Result<Option<Vec<DocId>>> {
    // The sums of the hashes of a document's rows in files that only one of the generations has.
    let mut sums: HashMap<DocId, u128> = HashMap::new();
    let documents: fn(&Tables) -> &Table = |tables| &tables.documents;
    for (of, wanted) in [(documents, &["doc_id", "profile"][..]), (|tables| &tables.chunks, &INDEXED)] {
        for (one, other, is_now) in [(now, then, true), (then, now, false)] {
            let add = |columns: &Columns, row| {
                let hash = hash(columns, row, wanted)?;
                let sum = sums.entry(columns.str("doc_id", row)?.into()).or_default();
                *sum = if is_now { sum.wrapping_add(hash) } else { sum.wrapping_sub(hash) };
                Ok(())
            };
            one.tables.each_unshared(of, &other.tables, Wanted::Named(wanted), add).await?;
        }
    }
    let differing: Vec<DocId> = sums.into_iter().filter_map(|(doc_id, sum)| (sum != 0).then_some(doc_id)).collect();
    let all = then.tables.rows_of(&then.tables.documents).await?;
    Ok((differing.len() <= all / MOST_REPLACED).then_some(differing))
}

fn hash(columns: &Columns, row: usize, names: &[&str]) -> Result<u128> {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        let text = match *name {
            "page_start" | "page_end" => columns.optional_number(name, row)?.map(|number| number.to_string()),
            _ => columns.optional_text(name, row)?,
        };
        let length = text.as_ref().map_or(u64::MAX, |text| text.len() as u64);
        hasher.update(&length.to_le_bytes()).update(text.unwrap_or_default().as_bytes());
    }
    Ok(u128::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().expect("a hash has 32 bytes")))
}

fn note(command: &str, generation: u64, diff: &GenerationDiff) -> Note {
    let mut note = Note { restored: Some(generation), ..Note::of(command) };
    let documents = diff.documents.iter().map(|document| (document.what, &document.source));
    let entities = diff.entities.iter().map(|entity| (entity.what, &entity.name));
    for (what, name) in documents.chain(entities) {
        note.add(if what == ChangeKind::Gone { "removed" } else { what.name() }, name);
    }
    note
}

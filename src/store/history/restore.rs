//! Restores an old generation as a new one. The generations in between stay in the history.

use serde::Serialize;

use super::between::{GenerationDiff, between};
use super::compare::What;
use super::past::Past;
use super::record::Note;
use crate::error::Result;
use crate::store::layout::Namespace;
use crate::store::manifest::ModelRecord;
use crate::store::writer::Writer;

/// The outcome of a restore.
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
    fn new(now: &Past, then: &Past, diff: &GenerationDiff) -> Self {
        let model = &then.manifest.model;
        Restored {
            restored: then.manifest.generation,
            published_at: then.manifest.published_at.clone(),
            generation: None,
            added: diff.count(What::Added),
            changed: diff.count(What::Changed),
            removed: diff.count(What::Gone),
            entities: diff.entities.len(),
            model: (*model != now.manifest.model).then(|| model.clone()),
        }
    }
}

/// What [`Writer::restore`] would do at this moment.
///
/// # Errors
/// As for [`Writer::restore`].
pub async fn plan_restore(namespace: &Namespace, generation: u64) -> Result<Restored> {
    let (now, then) = (Past::published(namespace).await?, Past::open(namespace, generation).await?);
    Ok(Restored::new(&now, &then, &between(&now, &then, false).await?))
}

impl Writer {
    /// Publishes an old generation again as the newest, with its own vectors.
    ///
    /// # Errors
    /// If the generation does not exist or is no longer kept, or the disk refuses. Then nothing changes.
    pub async fn restore(&mut self, generation: u64) -> Result<Restored> {
        let namespace = self.namespace().clone();
        let (now, then) = (Past::published(&namespace).await?, Past::open(&namespace, generation).await?);
        let diff = between(&now, &then, false).await?;
        let mut restored = Restored::new(&now, &then, &diff);
        if generation == self.generation() {
            return Ok(restored);
        }
        // Otherwise its lease would count as a reader of the replaced generation.
        drop(now);
        restored.generation = Some(self.publish_restored(&then.manifest, &note(generation, &diff)).await?);
        Ok(restored)
    }
}

fn note(generation: u64, diff: &GenerationDiff) -> Note {
    let mut note = Note { restored: Some(generation), ..Note::of("restore") };
    let documents = diff.documents.iter().map(|document| (document.what, &document.source));
    let entities = diff.entities.iter().map(|entity| (entity.what, &entity.name));
    for (what, name) in documents.chain(entities) {
        let action = match what {
            What::Added => "added",
            What::Changed => "changed",
            What::Gone => "removed",
        };
        note.add(action, name);
    }
    note
}

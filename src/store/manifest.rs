//! The manifest, which names the published generation.

use serde::{Deserialize, Serialize};

use super::files::{read_json, remove_file, sync_folder, write_json};
use super::layout::{Namespace, PUBLISHED};
use crate::error::{Error, Result};

/// The file that names the next generation, from the moment its tables are written until it is published.
pub(super) const PENDING: &str = "PENDING.json";

/// A generation: the version of each table and the model of the vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Counts up by one with each publication.
    pub generation: u64,
    /// The version of the table.
    pub documents: u64,
    pub sections: u64,
    pub chunks: u64,
    pub entities: u64,
    pub model: ModelRecord,
    /// False if nothing has a vector yet, so that no question needs one. Stays true if all vectors are removed later.
    pub may_have_vectors: bool,
    /// RFC 3339.
    pub published_at: String,
}

/// The model of a namespace's vectors. Vectors of different models cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRecord {
    pub name: String,
    /// The length of a vector.
    pub dimension: usize,
    /// The hash of everything that its vectors depend on.
    pub fingerprint: String,
}

impl Manifest {
    /// That of a namespace in which nothing is published.
    pub(super) fn unpublished(model: &ModelRecord) -> Self {
        Manifest {
            generation: 0,
            documents: 0,
            sections: 0,
            chunks: 0,
            entities: 0,
            model: model.clone(),
            may_have_vectors: false,
            published_at: String::new(),
        }
    }

    /// The versions of the tables, in the order documents, sections, chunks, entities.
    pub(super) fn versions(&self) -> [u64; 4] {
        [self.documents, self.sections, self.chunks, self.entities]
    }

    /// False if the table of entities is still as created, empty.
    pub fn may_have_entities(&self) -> bool {
        self.entities > 1
    }

    /// The published generation; `None` if there is none yet.
    pub fn read(namespace: &Namespace) -> Result<Option<Self>> {
        read_json(&namespace.root().join(PUBLISHED))
    }

    /// The generation that is being published or whose publication was interrupted.
    pub fn read_pending(namespace: &Namespace) -> Result<Option<Self>> {
        read_json(&namespace.root().join(PENDING))
    }

    pub(super) fn write_pending(&self, namespace: &Namespace) -> Result<()> {
        write_json(&namespace.root().join(PENDING), self)
    }

    pub(super) fn publish_pending(namespace: &Namespace) -> Result<()> {
        let (pending, published) = (namespace.root().join(PENDING), namespace.root().join(PUBLISHED));
        std::fs::rename(&pending, &published).map_err(|error| Error::io("publish", &published, &error))?;
        sync_folder(namespace.root())
    }

    pub(super) fn drop_pending(namespace: &Namespace) -> Result<()> {
        let pending = namespace.root().join(PENDING);
        remove_file(&pending)?;
        sync_folder(namespace.root())
    }
}

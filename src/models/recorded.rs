//! Which model a store has its vectors of.

use std::sync::Arc;

use super::Models;
use crate::embed::Model;
use crate::error::{Error, Result};
use crate::store::ModelRecord;

/// What a store writes down of a model.
pub fn record_of(model: &Model) -> ModelRecord {
    ModelRecord {
        name: model.name.clone(),
        dimension: model.habits.dimension,
        fingerprint: Some(model.fingerprint.clone()),
    }
}

impl Models {
    /// The model of a record.
    ///
    /// # Errors
    /// Where there is none of that name, or it is another one than what made the vectors.
    pub fn recorded(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let model = self.find(&record.name)?;
        if record_of(&model).agrees_with(record) {
            return Ok(model);
        }
        let name = &record.name;
        Err(Error::failed(format!("the model {name} here is another one than that which made the vectors"))
            .hint(format!("`kb reindex --vectors --model {name}` makes them anew with the one that is here")))
    }
}

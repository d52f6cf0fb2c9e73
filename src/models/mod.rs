//! The models that can be had by name, and which one a store has its vectors of.

mod place;
mod recorded;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use recorded::record_of;

use crate::embed::{EMBEDDED, Model};
use crate::error::{Error, Result};

/// The models in a folder, and the embedded one.
#[derive(Debug, Clone)]
pub struct Models {
    folder: PathBuf,
}

impl Models {
    /// Those in `folder`, which need not exist.
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Models { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model with a name.
    ///
    /// # Errors
    /// Where there is none of that name.
    pub fn find(&self, name: &str) -> Result<Arc<Model>> {
        if name == EMBEDDED {
            return Ok(Model::embedded());
        }
        Err(Error::not_found(format!("there is no model {name:?} in {}", self.folder.display())))
    }
}

//! Which names somebody says mean the same: the program's list and those of a store and its namespaces.

use std::path::PathBuf;

use super::Kernel;
use crate::error::{Error, Result};
use crate::glossary::synonyms::Synonyms;

/// The name of such a list, in the folder of a store and in that of a namespace.
const SYNONYMS: &str = "synonyms.txt";

impl Kernel {
    /// What the user lists: for all that is searched together, because there is one question.
    pub(super) fn synonyms(&self) -> Result<&Synonyms> {
        if let Some(known) = self.synonyms.get() {
            return Ok(known);
        }
        let mut paths: Vec<PathBuf> = match &self.synonyms_at {
            Some(path) => vec![path.clone()],
            None => self.searched.iter().map(|searched| searched.namespace().store().join(SYNONYMS)).collect(),
        };
        paths.extend(self.searched.iter().map(|searched| searched.namespace().root().join(SYNONYMS)));
        paths.dedup();
        let mut all = Synonyms::common()?;
        for path in paths {
            match Synonyms::read(&path)? {
                Some(list) => all.extend(list),
                None if Some(&path) == self.synonyms_at.as_ref() => {
                    return Err(Error::usage(format!("the list of synonyms {} does not exist", path.display()))
                        .hint("write it, or correct search.synonyms in kb.toml"));
                }
                None => {}
            }
        }
        Ok(self.synonyms.get_or_init(|| all))
    }
}

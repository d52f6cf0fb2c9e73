//! The keyword index against the tables: each parent chunk once, with its words, and nothing else.

use std::collections::HashMap;

use tantivy::DocAddress;

use super::finding::{Finding, Part};
use crate::error::Result;
use crate::ids::ChunkId;
use crate::store::keyword::KeywordReader;
use crate::store::{ChunkRow, ParentChunk};

/// What the index holds, and what of it was met in the tables.
pub(super) struct Entries<'a> {
    index: &'a KeywordReader,
    by_id: HashMap<ChunkId, Entry>,
}

#[derive(Default)]
struct Entry {
    places: Vec<DocAddress>,
    met: bool,
}

impl<'a> Entries<'a> {
    /// Reads the ids of all entries.
    pub(super) fn read(index: &'a KeywordReader) -> Result<Self> {
        let mut by_id: HashMap<ChunkId, Entry> = HashMap::new();
        index.each_entry(|chunk_id, place| by_id.entry(chunk_id.into()).or_default().places.push(place))?;
        Ok(Entries { index, by_id })
    }

    /// What is wrong with the entry of a parent chunk.
    pub(super) fn compare(&mut self, row: &ChunkRow) -> Result<Option<Finding>> {
        let finding = |what: &str| Ok(Some(Finding::repairable(&row.chunk_id, Part::Keyword, what)));
        let Some(entry) = self.by_id.get_mut(&row.chunk_id) else {
            return finding("is not in the keyword index");
        };
        // Only the first of several rows with one id is compared; another check reports that there are several.
        if std::mem::replace(&mut entry.met, true) {
            return Ok(None);
        }
        match entry.places.as_slice() {
            [place] if !self.index.holds(*place, &row.content)? => finding("is in the keyword index with other words"),
            [place] if !self.index.shows(*place, row)? => finding("is in the keyword index with another text or place"),
            [_] => Ok(None),
            several => finding(&format!("is in the keyword index {} times", several.len())),
        }
    }

    /// What is wrong with the child chunks that the index knows of the parent chunks of a document.
    pub(super) fn compare_child_chunks(index: &KeywordReader, parents: &[ParentChunk]) -> Result<Vec<Finding>> {
        let what = "is in the keyword index with other child chunks";
        let differing = index.with_other_child_chunks(parents)?;
        Ok(differing.into_iter().map(|id| Finding::repairable(&id, Part::Keyword, what)).collect())
    }

    /// Entries of parent chunks that are not in the tables.
    pub(super) fn strangers(&self) -> Vec<Finding> {
        let mut ids: Vec<&ChunkId> = self.by_id.iter().filter(|(_, entry)| !entry.met).map(|(id, _)| id).collect();
        ids.sort();
        let what = "is in the keyword index and not in the tables";
        ids.into_iter().map(|id| Finding::repairable(id, Part::Keyword, what)).collect()
    }
}

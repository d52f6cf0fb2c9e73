//! Checks the data derived from the tables: the keyword index must hold exactly the parent chunks, each once and with
//! its words, and the rows of entities must count the parent chunks that mention them.

use std::collections::HashMap;

use tantivy::DocAddress;

use super::finding::{Finding, Part};
use crate::error::Result;
use crate::ids::ChunkId;
use crate::store::ChunkRow;
use crate::store::entities::EntityRow;
use crate::store::keyword::KeywordReader;
use crate::text::count;

/// The entries of the index, and which of them are in the tables.
pub(super) struct Entries<'a> {
    index: &'a KeywordReader,
    by_id: HashMap<ChunkId, Entry>,
}

#[derive(Default)]
struct Entry {
    places: Vec<DocAddress>,
    seen: bool,
}

impl<'a> Entries<'a> {
    /// Reads the ids of all entries.
    pub(super) fn read(index: &'a KeywordReader) -> Result<Self> {
        let mut by_id: HashMap<ChunkId, Entry> = HashMap::new();
        index.each_entry(|chunk_id, place| by_id.entry(chunk_id).or_default().places.push(place))?;
        Ok(Entries { index, by_id })
    }

    /// The finding on the entry of a parent chunk.
    pub(super) fn compare(&mut self, row: &ChunkRow) -> Result<Option<Finding>> {
        let finding = |what: &str| Ok(Some(Finding::repairable(&row.chunk_id, Part::Keyword, what)));
        let Some(entry) = self.by_id.get_mut(&row.chunk_id) else {
            return finding("is not in the keyword index");
        };
        // Compares only the first of several rows with one id; another check reports duplicates.
        if std::mem::replace(&mut entry.seen, true) {
            return Ok(None);
        }
        match entry.places.as_slice() {
            [place] if !self.index.holds(*place, &row.content)? => finding("is in the keyword index with other words"),
            [place] if !self.index.shows(*place, row)? => finding("is in the keyword index with another text or place"),
            [_] => Ok(None),
            duplicates => finding(&format!("is in the keyword index {} times", duplicates.len())),
        }
    }

    /// Entries without a parent chunk in the tables.
    pub(super) fn extra_entries(&self) -> Vec<Finding> {
        let mut ids: Vec<&ChunkId> = self.by_id.iter().filter(|(_, entry)| !entry.seen).map(|(id, _)| id).collect();
        ids.sort();
        let what = "is in the keyword index but not in the tables";
        ids.into_iter().map(|id| Finding::repairable(id, Part::Keyword, what)).collect()
    }
}

/// The findings on `rows`. `counted` are the unique rows with their mentions counted again.
pub(super) fn check_entities(rows: &[EntityRow], counted: &[EntityRow]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in counted {
        let own: Vec<&EntityRow> = rows.iter().filter(|known| known.key == row.key).collect();
        if own.len() > 1 {
            findings.push(Finding::repairable(
                &row.name,
                Part::Entities,
                format!("is the entity of {}", count(own.len(), "row")),
            ));
        }
        if let Some(known) = own.iter().find(|known| known.mentions != row.mentions) {
            let in_words = |row: &EntityRow| {
                let parent_chunks = usize::try_from(row.parent_chunks()).unwrap_or(usize::MAX);
                format!("{} of {}", count(parent_chunks, "parent chunk"), count(row.mentions.len(), "document"))
            };
            let what = match in_words(known) == in_words(row) {
                true => "its row lists other documents than those that mention it".to_owned(),
                false => format!("its row counts {} that mention it, but there are {}", in_words(known), in_words(row)),
            };
            findings.push(Finding::repairable(&row.name, Part::Entities, what));
        }
    }
    findings
}

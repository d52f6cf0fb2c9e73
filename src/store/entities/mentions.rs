//! Which parent chunks mention which entities. Pure: names and texts in, counts out.
//!
//! A parent chunk mentions an entity where its own text or the titles above it have one of the names ([`Names`]): what a
//! manual of pump P-12 contains is about P-12, also where the text has only "the pump". Counts, filters and contexts
//! follow this one rule.

use std::collections::HashSet;

use super::{EntityChange, EntityRow};
use crate::error::Result;
use crate::ids::DocId;
use crate::text::{Names, fold_name};

impl EntityChange {
    /// Whether it changes names, so that all mentions must be counted again.
    pub(super) fn renames(&self, before: &[EntityRow], after: &[EntityRow]) -> bool {
        let touched: HashSet<&String> = self.remove.iter().chain(self.put.iter().map(|row| &row.key)).collect();
        let naming = |rows: &[EntityRow]| -> HashSet<(String, String)> {
            let rows = rows.iter().filter(|row| touched.contains(&row.key));
            rows.flat_map(|row| row.names().map(|name| (row.key.clone(), fold_name(name)))).collect()
        };
        naming(before) != naming(after)
    }
}

/// Counts mentions into rows of entities.
pub(in crate::store) struct MentionCounter {
    rows: Vec<EntityRow>,
    names: Names,
}

impl MentionCounter {
    /// Takes the rows with the counts they have.
    pub(in crate::store) fn new(rows: Vec<EntityRow>) -> Result<Self> {
        let names = rows.iter().enumerate().flat_map(|(place, row)| row.names().map(move |name| (place, name)));
        let names = Names::new(names)?;
        Ok(MentionCounter { rows, names })
    }

    /// Forgets all counts.
    pub(in crate::store) fn forget(&mut self) {
        self.rows.iter_mut().for_each(|row| row.mentions.clear());
    }

    /// Forgets the counts of some documents.
    pub(in crate::store) fn forget_documents(&mut self, doc_ids: &[DocId]) {
        if doc_ids.is_empty() {
            return;
        }
        let gone: HashSet<&DocId> = doc_ids.iter().collect();
        self.rows.iter_mut().for_each(|row| row.mentions.retain(|doc_id, _| !gone.contains(doc_id)));
    }

    /// Counts a parent chunk of a document by its titles and its text.
    pub(in crate::store) fn count(&mut self, doc_id: &str, titles: &str, text: &str) {
        for place in self.names.in_parent_chunk(titles, text) {
            *self.rows[place].mentions.entry(doc_id.into()).or_default() += 1;
        }
    }

    /// The rows with the counts they have now.
    pub(in crate::store) fn into_rows(self) -> Vec<EntityRow> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn entity(name: &str, aliases: &[&str]) -> EntityRow {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        EntityRow { aliases, ..EntityRow::named(name, Timestamp::UNIX_EPOCH) }
    }

    #[test]
    fn parent_chunks_are_counted_by_document() {
        let mut counter = MentionCounter::new(vec![entity("Pump 1", &["一号泵"]), entity("Valve", &[])]).unwrap();
        counter.count("doc111", "", "PUMP 1 is 一号泵.");
        counter.count("doc111", "", "检查一号泵。");
        counter.count("doc222", "", "the valve of pump 1");
        let counts = |counter: &MentionCounter| {
            let of =
                |row: &EntityRow| row.mentions.iter().map(|(doc, count)| format!("{doc} {count}")).collect::<Vec<_>>();
            counter.rows.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(counts(&counter), [vec!["doc111 2", "doc222 1"], vec!["doc222 1"]]);
        counter.forget_documents(&["doc222".into()]);
        assert_eq!(counts(&counter), [vec!["doc111 2"], vec![]]);
        counter.forget();
        assert_eq!(counter.into_rows()[0].parent_chunks(), 0);
    }

    #[test]
    fn titles_count_as_the_text_does_and_a_parent_chunk_counts_once() {
        let mut counter = MentionCounter::new(vec![entity("Pump 1", &[]), entity("Valve", &[])]).unwrap();
        counter.count("doc111", "Manual of pump 1 › Oil", "It is changed once a year.");
        counter.count("doc111", "Pump 1", "Pump 1 has a valve.");
        let counts: Vec<u64> = counter.into_rows().iter().map(EntityRow::parent_chunks).collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn states_and_types_do_not_decide_who_is_mentioned() {
        let before = [entity("Pump 1", &["P1"]), entity("Valve", &[])];
        let renames = |row: EntityRow| {
            let change = EntityChange { put: vec![row], ..EntityChange::default() };
            change.renames(&before, &change.applied(&before))
        };
        assert!(!renames(EntityRow { kind: "machine".into(), ..entity("PUMP  1", &["p1"]) }));
        assert!(renames(entity("Pump 1", &[])));
        assert!(renames(entity("Pump 2", &[])));
        let removal = EntityChange { remove: vec!["valve".to_owned()], ..EntityChange::default() };
        assert!(removal.renames(&before, &removal.applied(&before)));
    }
}

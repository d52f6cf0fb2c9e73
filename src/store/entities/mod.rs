//! Entities: things that documents speak of, with names, a type and states over time.
//!
//! They are a table of the generation, so that a publication, a crash, a restore or a removal takes them along. A row is a
//! whole entity with all its states and the number of parent chunks of each document that mention it. Those counts are made
//! in the publication of the parent chunks and names that they follow from; `kb check` counts again.

use std::collections::BTreeMap;

use jiff::Timestamp;
pub(super) use mentions::MentionCounter;
use serde::{Deserialize, Serialize};
pub(super) use table::entities_schema;

use crate::ids::DocId;
use crate::text::fold_name;

mod mentions;
mod table;
#[cfg(test)]
mod tests;

/// A thing that documents speak of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRow {
    /// Its name as it is compared: what it is known by.
    pub key: String,
    /// Its name as it was typed.
    pub name: String,
    /// Its type; empty where none was given.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its states, the earliest first, no two of one time.
    pub states: Vec<EntityState>,
    /// How many parent chunks of each document mention it, by the documents' ids.
    pub mentions: BTreeMap<DocId, u32>,
    /// When somebody last changed it.
    pub updated_at: Timestamp,
}

/// What an entity was from a time on, until the next state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityState {
    /// From when on.
    pub time: Timestamp,
    /// What it was.
    pub state: String,
    /// When it was recorded.
    pub set_at: Timestamp,
}

impl EntityRow {
    /// An entity of which only the name is known.
    pub fn named(name: &str, now: Timestamp) -> Self {
        EntityRow {
            key: fold_name(name),
            name: name.to_owned(),
            kind: String::new(),
            aliases: Vec::new(),
            states: Vec::new(),
            mentions: BTreeMap::new(),
            updated_at: now,
        }
    }

    /// Its name and its other names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// What it was at a moment: the last state that was set for then or before.
    pub fn state_at(&self, moment: Timestamp) -> Option<&EntityState> {
        let behind = self.states.partition_point(|state| state.time <= moment);
        behind.checked_sub(1).and_then(|place| self.states.get(place))
    }

    /// Records its state from a time on, in the place of an earlier record of that very time.
    pub fn set_state(&mut self, new: EntityState) {
        match self.states.binary_search_by_key(&new.time, |state| state.time) {
            Ok(place) => self.states[place] = new,
            Err(place) => self.states.insert(place, new),
        }
    }

    /// How many parent chunks mention it.
    pub fn parent_chunks(&self) -> u64 {
        self.mentions.values().map(|count| u64::from(*count)).sum()
    }
}

/// What one generation changes in the entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityChange {
    /// Keys of entities to take out.
    pub remove: Vec<String>,
    /// Entities to put in, in the place of those with their keys. Their mentions are counted when they are written.
    pub put: Vec<EntityRow>,
    /// Whether all rows are rewritten, with their mentions counted again: for repairs.
    pub anew: bool,
}

impl EntityChange {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.put.is_empty() && !self.anew
    }

    /// The entities after it, each once, by key.
    pub(in crate::store) fn applied(&self, before: &[EntityRow]) -> Vec<EntityRow> {
        let mut rows: BTreeMap<&str, EntityRow> = before.iter().map(|row| (row.key.as_str(), row.clone())).collect();
        for key in &self.remove {
            rows.remove(key.as_str());
        }
        for new in &self.put {
            let known = rows.remove(new.key.as_str()).map(|row| row.mentions);
            let mentions = known.unwrap_or_default();
            rows.insert(&new.key, EntityRow { mentions, ..new.clone() });
        }
        rows.into_values().collect()
    }
}

#[cfg(test)]
mod row_tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn state(second: i64, text: &str) -> EntityState {
        EntityState { time: at(second), state: text.to_owned(), set_at: at(100) }
    }

    #[test]
    fn before_the_first_state_there_is_none() {
        let mut row = EntityRow::named("Pump", at(0));
        row.set_state(state(10, "new"));
        assert_eq!(row.state_at(at(9)), None);
        assert_eq!(row.state_at(at(10)).unwrap().state, "new");
        row.set_state(state(10, "broken"));
        assert_eq!((row.states.len(), row.state_at(at(99)).unwrap().state.as_str()), (1, "broken"));
    }

    proptest! {
        /// Whatever the order in which states are set, the state at a moment is the last at or before it.
        #[test]
        fn the_order_of_setting_does_not_matter(
            times in proptest::collection::btree_set(0i64..50, 0..12),
            seed in any::<u64>(),
            asked in -1i64..51,
        ) {
            let mut shuffled: Vec<i64> = times.iter().copied().collect();
            shuffled.sort_by_key(|time| (*time as u64).wrapping_mul(seed | 1));
            let mut row = EntityRow::named("x", at(0));
            for time in shuffled {
                row.set_state(state(time, &time.to_string()));
            }
            let expected = times.range(..=asked).next_back().map(i64::to_string);
            prop_assert_eq!(row.state_at(at(asked)).map(|state| state.state.clone()), expected);
        }
    }

    #[test]
    fn a_change_puts_rows_in_the_place_of_those_with_their_keys() {
        let mut known = EntityRow::named("Pump", at(0));
        known.mentions.insert("doc".into(), 3);
        let put = EntityRow { kind: "machine".to_owned(), ..EntityRow::named("PUMP", at(1)) };
        let change = EntityChange { put: vec![put], ..EntityChange::default() };
        let after = change.applied(&[known.clone()]);
        assert_eq!((after.len(), after[0].name.as_str(), after[0].parent_chunks()), (1, "PUMP", 3));
        let removal = EntityChange { remove: vec!["pump".to_owned()], ..EntityChange::default() };
        assert_eq!(removal.applied(&[known]), []);
    }
}

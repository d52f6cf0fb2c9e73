//! Entities: things that documents mention, with names, a type and states over time.
//!
//! They are a table of the generation, so publications, crashes, restores and removals apply to them too. A row is a
//! whole entity with all its states and, for each document, the number of parent chunks that mention it. A parent chunk
//! mentions an entity if its own text or the titles above it contain one of the names ([`Names`]): a manual of pump
//! P-12 is about P-12, even where the text only says "the pump". Counts, filters and contexts all follow this rule.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::ids::DocId;
use crate::text::{Names, date_or_moment, fold_name};

/// A thing that documents mention.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRow {
    /// Its folded name, which identifies it.
    pub key: String,
    /// Its name as typed.
    pub name: String,
    /// Its type, or empty.
    #[serde(rename = "type")]
    pub kind: String,
    pub aliases: Vec<String>,
    /// Its states, the earliest first, one for each time.
    pub states: Vec<EntityState>,
    /// The number of parent chunks that mention it, by document.
    pub mentions: BTreeMap<DocId, u32>,
    /// The time of its last change by a person.
    pub updated_at: Timestamp,
}

/// The state of an entity from a time on, until the next state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityState {
    /// Its beginning.
    pub time: StateTime,
    pub state: String,
    /// The time of the record.
    pub set_at: Timestamp,
}

/// The time of a state: a moment, or a number in a time field. Times of different kinds or fields cannot be compared.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StateTime {
    At(Timestamp),
    On { field: String, at: f64 },
}

impl StateTime {
    /// A number in a time field; infinity without a number.
    pub fn on(field: &str, at: Option<f64>) -> Self {
        StateTime::On { field: field.to_owned(), at: at.unwrap_or(f64::INFINITY) }
    }

    /// Whether the two can be compared.
    pub fn is_comparable_with(&self, other: &StateTime) -> bool {
        match (self, other) {
            (StateTime::At(_), StateTime::At(_)) => true,
            (StateTime::On { field: own, .. }, StateTime::On { field, .. }) => own == field,
            _ => false,
        }
    }

    /// For people: only the day if the moment is the beginning of one.
    pub fn in_words(&self) -> String {
        match self {
            StateTime::At(moment) => date_or_moment(*moment),
            StateTime::On { .. } => self.to_string(),
        }
    }
}

impl Default for StateTime {
    fn default() -> Self {
        StateTime::At(Timestamp::UNIX_EPOCH)
    }
}

impl From<Timestamp> for StateTime {
    fn from(moment: Timestamp) -> Self {
        StateTime::At(moment)
    }
}

impl fmt::Display for StateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateTime::At(moment) => moment.fmt(f),
            StateTime::On { field, at } => write!(f, "{field} {at}"),
        }
    }
}

// No number is NaN.
impl Eq for StateTime {}

impl EntityRow {
    pub fn named(name: &str, now: Timestamp) -> Self {
        EntityRow { key: fold_name(name), name: name.to_owned(), updated_at: now, ..EntityRow::default() }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// The names of several entities, by their places.
    pub fn names_of(rows: &[EntityRow]) -> Result<Names> {
        Names::new(rows.iter().enumerate().flat_map(|(place, row)| row.names().map(move |name| (place, name))))
    }

    /// Its state at a moment: the last one that begins then or before.
    pub fn state_at(&self, moment: impl Into<StateTime>) -> Option<&EntityState> {
        let moment = moment.into();
        let behind = self.states.partition_point(|state| state.time <= moment);
        self.states[..behind].last().filter(|state| state.time.is_comparable_with(&moment))
    }

    /// Records its state from a time on. Replaces a state with the same time.
    pub fn set_state(&mut self, new: EntityState) {
        let place = self.states.partition_point(|state| state.time < new.time);
        match self.states.get_mut(place).filter(|state| state.time == new.time) {
            Some(known) => *known = new,
            None => self.states.insert(place, new),
        }
    }

    pub fn parent_chunks(&self) -> u64 {
        self.mentions.values().map(|count| u64::from(*count)).sum()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityChange {
    /// Keys of entities to remove.
    pub remove: Vec<String>,
    /// Entities to add, or to replace by key. Their mentions are counted when they are written.
    pub put: Vec<EntityRow>,
    /// Rewrites all rows and counts their mentions again, for repairs.
    pub rewrite_all: bool,
}

impl EntityChange {
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.put.is_empty() && !self.rewrite_all
    }

    /// The entities after the change, each once, by key.
    pub(super) fn applied(&self, before: &[EntityRow]) -> Vec<EntityRow> {
        let mut rows: BTreeMap<&str, EntityRow> = before.iter().map(|row| (row.key.as_str(), row.clone())).collect();
        for key in &self.remove {
            rows.remove(key.as_str());
        }
        for new in &self.put {
            let mentions = rows.remove(new.key.as_str()).map_or_else(BTreeMap::new, |row| row.mentions);
            rows.insert(&new.key, EntityRow { mentions, ..new.clone() });
        }
        rows.into_values().collect()
    }

    /// Whether the change affects names, so that all mentions must be counted again.
    pub(super) fn renames(&self, before: &[EntityRow], after: &[EntityRow]) -> bool {
        let touched: HashSet<&String> = self.remove.iter().chain(self.put.iter().map(|row| &row.key)).collect();
        let naming = |rows: &[EntityRow]| -> HashSet<(String, String)> {
            let rows = rows.iter().filter(|row| touched.contains(&row.key));
            rows.flat_map(|row| row.names().map(|name| (row.key.clone(), fold_name(name)))).collect()
        };
        naming(before) != naming(after)
    }
}

pub(super) struct MentionCounter {
    rows: Vec<EntityRow>,
    names: Names,
}

impl MentionCounter {
    /// Starts from the current counts of the rows.
    pub(super) fn new(rows: Vec<EntityRow>) -> Result<Self> {
        Ok(MentionCounter { names: EntityRow::names_of(&rows)?, rows })
    }

    /// Clears all counts.
    pub(super) fn forget(&mut self) {
        self.rows.iter_mut().for_each(|row| row.mentions.clear());
    }

    /// Clears the counts of some documents.
    pub(super) fn forget_documents(&mut self, doc_ids: &[DocId]) {
        if doc_ids.is_empty() {
            return;
        }
        let gone: HashSet<&DocId> = doc_ids.iter().collect();
        self.rows.iter_mut().for_each(|row| row.mentions.retain(|doc_id, _| !gone.contains(doc_id)));
    }

    /// Counts the entities that a parent chunk mentions in its titles and its text.
    pub(super) fn count(&mut self, doc_id: &str, titles: &str, text: &str) {
        for place in self.names.in_parent_chunk(titles, text) {
            *self.rows[place].mentions.entry(doc_id.into()).or_default() += 1;
        }
    }

    /// The rows with their new counts.
    pub(super) fn into_rows(self) -> Vec<EntityRow> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn state(second: i64, text: &str) -> EntityState {
        EntityState { time: at(second).into(), state: text.to_owned(), set_at: at(100) }
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

    #[test]
    fn states_of_time_fields_and_dates_are_separate() {
        let on = |at: f64| StateTime::On { field: "story_time".to_owned(), at };
        let mut row = EntityRow::named("Frodo", at(0));
        row.set_state(state(10, "read"));
        row.set_state(EntityState { time: on(1200.0), state: "in Bree".to_owned(), set_at: at(100) });
        assert_eq!(row.state_at(at(99)).unwrap().state, "read");
        assert_eq!(row.state_at(on(1300.0)).unwrap().state, "in Bree");
        assert_eq!(row.state_at(on(1199.0)), None);
        assert_eq!(row.state_at(StateTime::On { field: "other".to_owned(), at: 5.0 }), None);
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

    fn entity(name: &str, aliases: &[&str]) -> EntityRow {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        EntityRow { aliases, ..EntityRow::named(name, Timestamp::UNIX_EPOCH) }
    }

    #[test]
    fn a_parent_chunk_counts_once_for_titles_and_text() {
        let mut counter = MentionCounter::new(vec![entity("Pump 1", &[]), entity("Valve", &[])]).unwrap();
        counter.count("doc111", "Manual of pump 1 › Oil", "It is changed once a year.");
        counter.count("doc111", "Pump 1", "Pump 1 has a valve.");
        let counts: Vec<u64> = counter.into_rows().iter().map(EntityRow::parent_chunks).collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn states_and_types_do_not_change_mentions() {
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

//! What was added, changed, moved and removed between two lists: of sections and chunks, by ids and hashes, and of entities.
//!
//! Ids of chunks and sections are places (`7f3k2m:12`): a new parent chunk at the beginning gives all that follow another id.
//! What has the same content under another id has moved; only the rest was added, changed or removed.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::past::Past;
use crate::error::Result;
use crate::store::entities::EntityRow;

/// Hashes of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Mark {
    /// Of its content.
    pub(super) own: [u8; 16],
    /// Of what else is compared: its place, the titles above it.
    pub(super) rest: [u8; 16],
}

/// What happened to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// It is new.
    Added,
    /// It is another than it was.
    Changed,
    /// It is no longer there.
    Gone,
}

impl What {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            What::Added => "added",
            What::Changed => "changed",
            What::Gone => "gone",
        }
    }
}

/// A section or a chunk that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// What happened to it.
    pub what: What,
    /// Its id; of one that is gone, that which it had.
    pub id: String,
    /// The title of a section, the beginning of a chunk.
    pub text: String,
}

/// How many things had what happen to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// New ones.
    pub added: usize,
    /// Those that are others than they were.
    pub changed: usize,
    /// Those with the same content under another id.
    pub moved: usize,
    /// Those that are no longer there.
    pub gone: usize,
}

impl Counts {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }
}

/// What is left of two lists when all that is the same under the same id is taken out.
#[derive(Debug, Default)]
pub(super) struct Leftover {
    pub(super) before: Vec<(String, Mark)>,
    pub(super) after: Vec<(String, Mark)>,
}

impl Leftover {
    /// Brings both lists into the order of their places.
    pub(super) fn sort(&mut self) {
        for list in [&mut self.before, &mut self.after] {
            list.sort_by_cached_key(|(id, _)| (place(id), id.clone()));
        }
    }

    /// What happened, with the ids in the order of their places.
    pub(super) fn settle(self) -> (Counts, Vec<(What, String)>) {
        let before: HashMap<&str, Mark> = self.before.iter().map(|(id, mark)| (id.as_str(), *mark)).collect();
        let mut counts = Counts::default();
        let mut items: Vec<(What, String)> = Vec::new();
        // The same words in the same place, under other titles or on another page.
        let mut settled: HashSet<&str> = HashSet::new();
        for (id, mark) in &self.after {
            if before.get(id.as_str()).is_some_and(|was| was.own == mark.own) {
                settled.insert(id);
                items.push((What::Changed, id.clone()));
            }
        }
        // The same words in another place.
        let mut elsewhere: HashMap<[u8; 16], Vec<&str>> = HashMap::new();
        for (id, mark) in self.before.iter().rev().filter(|(id, _)| !settled.contains(id.as_str())) {
            elsewhere.entry(mark.own).or_default().push(id);
        }
        let mut went: HashSet<&str> = settled.clone();
        let mut came: HashSet<&str> = settled;
        for (id, mark) in &self.after {
            if !came.contains(id.as_str())
                && let Some(was) = elsewhere.get_mut(&mark.own).and_then(Vec::pop)
            {
                counts.moved += 1;
                came.insert(id);
                went.insert(was);
            }
        }
        for (id, _) in self.after.iter().filter(|(id, _)| !came.contains(id.as_str())) {
            let replaces = before.contains_key(id.as_str()) && !went.contains(id.as_str());
            if replaces {
                went.insert(id);
            }
            items.push((if replaces { What::Changed } else { What::Added }, id.clone()));
        }
        items.extend(
            self.before.iter().filter(|(id, _)| !went.contains(id.as_str())).map(|(id, _)| (What::Gone, id.clone())),
        );
        items.sort_by_cached_key(|(what, id)| (place(id), id.clone(), *what == What::Added));
        for (what, _) in &items {
            match what {
                What::Added => counts.added += 1,
                What::Changed => counts.changed += 1,
                What::Gone => counts.gone += 1,
            }
        }
        (counts, items)
    }
}

/// The numbers behind the document in an id: `7f3k2m:12.3` comes behind `7f3k2m:9`.
fn place(id: &str) -> Vec<u32> {
    let numbers = id.split_once([':', '#']).map_or("", |(_, numbers)| numbers);
    numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

/// The document that an id of a section or a chunk names.
pub(super) fn document_of(id: &str) -> &str {
    id.split([':', '#']).next().unwrap_or(id)
}

/// An entity that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityDiff {
    /// Its name; of one that is gone, that which it had.
    pub name: String,
    /// What happened to it.
    pub what: What,
    /// What of it is other than before: `name`, `type`, `aliases`, `states`; empty, unless it has changed.
    pub fields: Vec<&'static str>,
}

/// The entities that are not the same in both, by name.
pub(super) async fn entities_between(before: &Past, after: &Past) -> Result<Vec<EntityDiff>> {
    if before.manifest.entities == after.manifest.entities {
        return Ok(Vec::new());
    }
    Ok(compare_entities(&before.tables.entity_rows().await?, &after.tables.entity_rows().await?))
}

fn compare_entities(before: &[EntityRow], after: &[EntityRow]) -> Vec<EntityDiff> {
    let by_key = |rows: &[EntityRow]| -> BTreeMap<String, EntityRow> {
        rows.iter().map(|row| (row.key.clone(), row.clone())).collect()
    };
    let (was, is) = (by_key(before), by_key(after));
    let mut found = Vec::new();
    for (key, row) in &is {
        let (what, fields) = match was.get(key) {
            None => (What::Added, Vec::new()),
            Some(before) => (What::Changed, changed_fields(before, row)),
        };
        if what == What::Added || !fields.is_empty() {
            found.push(EntityDiff { name: row.name.clone(), what, fields });
        }
    }
    let gone = was.iter().filter(|(key, _)| !is.contains_key(*key));
    found.extend(gone.map(|(_, row)| EntityDiff { name: row.name.clone(), what: What::Gone, fields: Vec::new() }));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn changed_fields(before: &EntityRow, after: &EntityRow) -> Vec<&'static str> {
    [
        (before.name != after.name, "name"),
        (before.kind != after.kind, "type"),
        (before.aliases != after.aliases, "aliases"),
        (before.states != after.states, "states"),
    ]
    .into_iter()
    .filter_map(|(differs, field)| differs.then_some(field))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of things `id=words/place`.
    fn list(of: &str) -> Vec<(String, Mark)> {
        let hash = |text: &str| {
            let mut hash = [0; 16];
            hash[..text.len()].copy_from_slice(text.as_bytes());
            hash
        };
        of.split_whitespace()
            .map(|thing| {
                let (id, says) = thing.split_once('=').unwrap();
                let (own, rest) = says.split_once('/').unwrap_or((says, ""));
                (format!("d:{id}"), Mark { own: hash(own), rest: hash(rest) })
            })
            .collect()
    }

    fn told(before: &str, after: &str) -> (Counts, String) {
        let (before, after) = (list(before), list(after));
        let same = |all: &[(String, Mark)], other: &[(String, Mark)]| {
            all.iter().filter(|one| !other.contains(one)).cloned().collect::<Vec<_>>()
        };
        let leftover = Leftover { before: same(&before, &after), after: same(&after, &before) };
        let (counts, items) = leftover.settle();
        let words: Vec<String> =
            items.iter().map(|(what, id)| format!("{} {}", what.name(), id.trim_start_matches("d:"))).collect();
        (counts, words.join(", "))
    }

    #[test]
    fn what_is_the_same_under_another_id_has_moved() {
        let (counts, items) = told("0=a 1=b 2=c", "0=new 1=a 2=b 3=c");
        assert_eq!((counts.moved, items.as_str()), (3, "added 0"));
        let (counts, items) = told("0=a 1=b 2=c", "0=b 1=c");
        assert_eq!((counts.moved, items.as_str()), (2, "gone 0"));
    }

    #[test]
    fn what_says_something_else_in_the_same_place_has_changed() {
        assert_eq!(told("0=a 1=b", "0=a 1=x").1, "changed 1");
        assert_eq!(told("0=a/p1 1=b/p1", "0=a/p2 1=b/p1").1, "changed 0");
        assert_eq!(told("9=a 10=b 10.2=c", "9=x 10=y 10.10=z").1, "changed 9, changed 10, gone 10.2, added 10.10");
    }

    #[test]
    fn equal_texts_are_matched_one_to_one() {
        let (counts, items) = told("0=a 1=a 2=b", "0=b 1=a");
        assert_eq!((counts.moved, items.as_str()), (1, "gone 0"));
        assert_eq!(told("0=a", "0=a 1=a").1, "added 1");
        assert!(told("0=a 1=b", "0=a 1=b").0.is_empty());
    }

    proptest::proptest! {
        /// Whatever two lists are, each thing of them is accounted for once.
        #[test]
        fn nothing_is_counted_twice_or_lost(before in things(), after in things()) {
            let same = before.iter().filter(|thing| after.contains(thing)).count();
            let lists = (before.len() - same, after.len() - same);
            let without = |all: &[(String, Mark)], other: &[(String, Mark)]| {
                all.iter().filter(|one| !other.contains(one)).cloned().collect::<Vec<_>>()
            };
            let (counts, items) =
                Leftover { before: without(&before, &after), after: without(&after, &before) }.settle();
            let Counts { added, changed, moved, gone } = counts;
            proptest::prop_assert_eq!((changed + moved + gone, changed + moved + added), lists);
            proptest::prop_assert_eq!(items.len(), added + changed + gone);
        }
    }

    /// Lists of up to eight things that say one of four things.
    fn things() -> impl proptest::strategy::Strategy<Value = Vec<(String, Mark)>> {
        use proptest::prelude::*;
        proptest::collection::btree_map(0..8u8, (0..4u8, 0..2u8), 0..8).prop_map(|all| {
            let mark = |own, rest| Mark { own: [own; 16], rest: [rest; 16] };
            all.into_iter().map(|(id, (own, rest))| (format!("d:{id}"), mark(own, rest))).collect()
        })
    }
}

#[cfg(test)]
mod entity_tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn entities_are_compared_by_what_people_said_of_them() {
        let entity = |name: &str| EntityRow::named(name, Timestamp::UNIX_EPOCH);
        let mut mentioned = entity("Same");
        mentioned.mentions.insert("doc".into(), 1);
        let retyped = EntityRow { kind: "valve".to_owned(), ..entity("Other") };
        let found =
            compare_entities(&[entity("Same"), entity("Other"), entity("Old")], &[mentioned, retyped, entity("New")]);
        let told: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.what.name(), one.name, one.fields.join(","))).collect();
        assert_eq!(told, ["added New ", "gone Old ", "changed Other type"]);
    }
}

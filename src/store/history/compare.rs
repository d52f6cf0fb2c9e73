//! Compares two lists: of sections and chunks, by ids and hashes, and of entities.
//!
//! Ids of chunks and sections are places (`7f3k2m:12`): a new parent chunk at the beginning changes the ids of all that
//! follow. The same content under another id has moved; only the rest was added, changed or removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::text_change::TextChange;
use crate::ids::place_of;
use crate::store::entities::EntityRow;

/// What is compared besides the content: pages and titles above it, notes of people, the situating sentence.
pub(super) const PROPERTIES: [&str; 3] = [PLACE, "notes", "situating_sentences"];
pub(super) const PLACE: &str = "place";

/// The compared hashes of a section or a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    /// The hash of its content.
    pub(super) own: [u8; 16],
    /// The hashes of the other compared [`PROPERTIES`].
    pub(super) rest: [[u8; 16]; PROPERTIES.len()],
    /// The title of a section, the beginning of a chunk; empty if it is not shown.
    pub(super) text: String,
}

/// What happened to a document, a section, a chunk or an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Added,
    Changed,
    Gone,
}

impl ChangeKind {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Gone => "gone",
        }
    }
}

/// A section or a chunk that was added, has changed or is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    pub what: ChangeKind,
    pub id: String,
    /// The title of a section, the beginning of a chunk.
    pub text: String,
    /// The changed properties of a changed one: `text`, `place`, `notes`, `situating_sentences`.
    pub fields: Vec<&'static str>,
    /// Where a changed text differs.
    pub change: Option<TextChange>,
}

impl Content {
    fn changed_fields(&self, is: &Content) -> Vec<&'static str> {
        let text = (self.own != is.own).then_some("text");
        let rest = PROPERTIES.into_iter().zip(self.rest.iter().zip(&is.rest));
        text.into_iter().chain(rest.filter(|(_, (was, is))| was != is).map(|(name, _)| name)).collect()
    }
}

/// How many sections or chunks were added, have changed, moved (the same content under another id), or are gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub added: usize,
    pub changed: usize,
    pub moved: usize,
    pub gone: usize,
}

impl Counts {
    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }
}

/// Sorts ids by their numbers: `7f3k2m:12.3` comes after `7f3k2m:9`.
type Place = (Vec<u32>, String);

/// The sections or chunks of two generations that are not equal under the same id.
#[derive(Debug, Default)]
pub(super) struct Unmatched {
    before: BTreeMap<Place, Content>,
    after: BTreeMap<Place, Content>,
}

impl Unmatched {
    pub(super) fn add(&mut self, id: &str, before: Option<Content>, after: Option<Content>) {
        let place = || (place_of(id), id.to_owned());
        self.before.extend(before.map(|content| (place(), content)));
        self.after.extend(after.map(|content| (place(), content)));
    }

    /// Counts and lists the differences, in the order of the places. Also returns which properties of the same content
    /// have changed, wherever it is now.
    pub(super) fn count_and_list(self) -> (Counts, Vec<Item>, BTreeSet<&'static str>) {
        let Unmatched { mut before, mut after } = self;
        let mut found = BTreeMap::new();
        let mut properties = BTreeSet::new();
        // The same text in the same place: under other titles, on another page, with other notes or another sentence.
        for (place, is) in after.extract_if(.., |place, is| before.get(place).is_some_and(|was| was.own == is.own)) {
            let fields = before.get(&place).map(|was| was.changed_fields(&is)).unwrap_or_default();
            properties.extend(fields.iter().copied());
            found.insert(place, (ChangeKind::Changed, is.text, fields, None));
        }
        before.retain(|place, _| !found.contains_key(place));
        // The same text in another place.
        let mut elsewhere: HashMap<[u8; 16], Vec<Place>> = HashMap::new();
        for (place, was) in before.iter().rev() {
            elsewhere.entry(was.own).or_default().push(place.clone());
        }
        let mut moved = 0;
        after.retain(|_, is| {
            let was = elsewhere.get_mut(&is.own).and_then(Vec::pop).and_then(|place| before.remove(&place));
            moved += usize::from(was.is_some());
            properties.extend(was.iter().flat_map(|was| was.changed_fields(is)));
            was.is_none()
        });
        for (place, is) in after {
            let (what, fields, change) = match before.remove(&place) {
                Some(was) => (ChangeKind::Changed, was.changed_fields(&is), TextChange::between(&was.text, &is.text)),
                None => (ChangeKind::Added, Vec::new(), None),
            };
            found.insert(place, (what, is.text, fields, change));
        }
        found.extend(before.into_iter().map(|(place, was)| (place, (ChangeKind::Gone, was.text, Vec::new(), None))));
        let items = found.into_iter();
        let items = items.map(|((_, id), (what, text, fields, change))| Item { what, id, text, fields, change });
        let items: Vec<Item> = items.collect();
        let count = |what| items.iter().filter(|item| item.what == what).count();
        let [added, changed, gone] = [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Gone].map(count);
        (Counts { added, changed, moved, gone }, items, properties)
    }
}

/// An entity that was added, has changed or is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityDiff {
    pub name: String,
    pub what: ChangeKind,
    /// The changed fields of a changed entity: `name`, `type`, `aliases`, `states`.
    pub fields: Vec<&'static str>,
}

/// The entities that differ, by name. Both lists must be sorted by key.
pub(super) fn compare_entities(before: &[EntityRow], after: &[EntityRow]) -> Vec<EntityDiff> {
    let of = |rows: &[EntityRow], key: &str| rows.binary_search_by(|row| row.key.as_str().cmp(key)).ok();
    let mut found = Vec::new();
    for row in after {
        let (what, fields) = match of(before, &row.key) {
            None => (ChangeKind::Added, Vec::new()),
            Some(place) => (ChangeKind::Changed, changed_fields(&before[place], row)),
        };
        if what == ChangeKind::Added || !fields.is_empty() {
            found.push(EntityDiff { name: row.name.clone(), what, fields });
        }
    }
    let gone = before.iter().filter(|row| of(after, &row.key).is_none());
    found.extend(gone.map(|row| EntityDiff { name: row.name.clone(), what: ChangeKind::Gone, fields: Vec::new() }));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn changed_fields(before: &EntityRow, after: &EntityRow) -> Vec<&'static str> {
    let differing = [
        ("name", before.name != after.name),
        ("type", before.kind != after.kind),
        ("aliases", before.aliases != after.aliases),
        ("states", before.states != after.states),
    ];
    differing.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    /// A list of things `id=words/place/notes/sentence`.
    fn list(of: &str) -> Vec<(String, Content)> {
        let hash = |text: &str| {
            let mut hash = [0; 16];
            hash[..text.len()].copy_from_slice(text.as_bytes());
            hash
        };
        of.split_whitespace()
            .map(|content| {
                let (id, says) = content.split_once('=').unwrap();
                let mut hashes = says.split('/').map(hash).chain(std::iter::repeat([0; 16]));
                let own = hashes.next().unwrap();
                let rest = [(); 3].map(|()| hashes.next().unwrap());
                (format!("d:{id}"), Content { own, rest, text: String::new() })
            })
            .collect()
    }

    fn unmatched(before: &[(String, Content)], after: &[(String, Content)]) -> Unmatched {
        let mut unmatched = Unmatched::default();
        for (id, content) in before.iter().filter(|one| !after.contains(one)) {
            unmatched.add(id, Some(content.clone()), None);
        }
        for (id, content) in after.iter().filter(|one| !before.contains(one)) {
            unmatched.add(id, None, Some(content.clone()));
        }
        unmatched
    }

    fn compared(before: &str, after: &str) -> (Counts, String) {
        let (counts, items, _) = unmatched(&list(before), &list(after)).count_and_list();
        let words: Vec<String> =
            items.iter().map(|item| format!("{} {}", item.what.name(), item.id.trim_start_matches("d:"))).collect();
        (counts, words.join(", "))
    }

    #[test]
    fn the_same_content_under_another_id_has_moved() {
        let (counts, items) = compared("0=a 1=b 2=c", "0=new 1=a 2=b 3=c");
        assert_eq!((counts.moved, items.as_str()), (3, "added 0"));
        let (counts, items) = compared("0=a 1=b 2=c", "0=b 1=c");
        assert_eq!((counts.moved, items.as_str()), (2, "gone 0"));
    }

    #[test]
    fn other_content_under_the_same_id_has_changed() {
        assert_eq!(compared("0=a 1=b", "0=a 1=x").1, "changed 1");
        assert_eq!(compared("0=a/p1 1=b/p1", "0=a/p2 1=b/p1").1, "changed 0");
        assert_eq!(compared("9=a 10=b 10.2=c", "9=x 10=y 10.10=z").1, "changed 9, changed 10, gone 10.2, added 10.10");
    }

    #[test]
    fn changed_notes_and_sentences_are_named() {
        let fields = |before: &str, after: &str| {
            let (_, items, properties) = unmatched(&list(before), &list(after)).count_and_list();
            let of_items: Vec<String> = items.iter().map(|item| item.fields.join(" ")).collect();
            (of_items.join(", "), Vec::from_iter(properties).join(" "))
        };
        let same = |fields: &str| (fields.to_owned(), fields.to_owned());
        assert_eq!(fields("0=a/p/n", "0=a/p/m"), same("notes"));
        assert_eq!(fields("0=a/p/n/s", "0=a/p/n/t"), same("situating_sentences"));
        assert_eq!(fields("0=a/p/n", "0=x/p/m"), ("text notes".to_owned(), String::new()));
        assert_eq!(fields("0=a/p/n", "0=new 1=a/p/m"), ("".to_owned(), "notes".to_owned()), "in another place");
    }

    #[test]
    fn equal_texts_are_matched_one_to_one() {
        let (counts, items) = compared("0=a 1=a 2=b", "0=b 1=a");
        assert_eq!((counts.moved, items.as_str()), (1, "gone 0"));
        assert_eq!(compared("0=a", "0=a 1=a").1, "added 1");
        assert!(compared("0=a 1=b", "0=a 1=b").0.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_counted_twice_or_lost(before in contents(), after in contents()) {
            let same = before.iter().filter(|content| after.contains(content)).count();
            let lists = (before.len() - same, after.len() - same);
            let (counts, items, _) = unmatched(&before, &after).count_and_list();
            let Counts { added, changed, moved, gone } = counts;
            proptest::prop_assert_eq!((changed + moved + gone, changed + moved + added), lists);
            proptest::prop_assert_eq!(items.len(), added + changed + gone);
        }
    }

    /// Lists of up to eight things that say one of four things.
    fn contents() -> impl proptest::strategy::Strategy<Value = Vec<(String, Content)>> {
        use proptest::prelude::*;
        proptest::collection::btree_map(0..8u8, (0..4u8, 0..2u8), 0..8).prop_map(|all| {
            let content = |own, rest| Content { own: [own; 16], rest: [[rest; 16]; 3], text: String::new() };
            all.into_iter().map(|(id, (own, rest))| (format!("d:{id}"), content(own, rest))).collect()
        })
    }

    #[test]
    fn mentions_do_not_change_an_entity() {
        let entity = |name: &str| EntityRow::named(name, Timestamp::UNIX_EPOCH);
        let mut mentioned = entity("Same");
        mentioned.mentions.insert("doc".into(), 1);
        let retyped = EntityRow { kind: "valve".to_owned(), ..entity("Other") };
        let before = [entity("Old"), entity("Other"), entity("Same")];
        let found = compare_entities(&before, &[entity("New"), retyped, mentioned]);
        let words: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.what.name(), one.name, one.fields.join(","))).collect();
        assert_eq!(words, ["added New ", "gone Old ", "changed Other type"]);
    }
}

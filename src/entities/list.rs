//! The entities as they are shown, as of a moment.

use jiff::Timestamp;
use serde::Serialize;

use crate::store::{DocumentRow, EntityRow, EntityState};
use crate::text::fold_name;

/// How alike a name must be to be suggested, from 0 to 1.
const ALIKE: f64 = 0.75;

/// An entity in the list. Its fields are those of a line of `kb entity-set --from`, and what is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedEntity {
    /// Its name.
    pub name: String,
    /// Its type; empty where nobody said.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What it was at the moment that was asked for.
    pub state: Option<String>,
    /// Since when.
    pub time: Option<Timestamp>,
    /// How many documents mention it.
    pub documents: usize,
    /// How many passages.
    pub passages: u64,
    /// The namespace it is in.
    pub namespace: String,
}

/// Everything that is known of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityFacts {
    /// As in the list.
    #[serde(flatten)]
    pub listed: ListedEntity,
    /// Its states up to the moment that was asked for, the earliest first.
    pub states: Vec<EntityState>,
    /// The documents that mention it, those with most passages first.
    pub mentions: Vec<EntityMention>,
}

/// A document that mentions an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityMention {
    /// Its id.
    pub doc_id: String,
    /// Its source.
    pub source: String,
    /// Its title.
    pub title: String,
    /// How many of its passages do.
    pub passages: u32,
}

/// The entities of a namespace as of a moment, those of a type where one is given, by name.
pub fn list(rows: &[EntityRow], namespace: &str, moment: Timestamp, kind: Option<&str>) -> Vec<ListedEntity> {
    let kind = kind.map(fold_name);
    let wanted = |row: &&EntityRow| kind.as_ref().is_none_or(|kind| fold_name(&row.kind) == *kind);
    rows.iter().filter(wanted).map(|row| listed(row, namespace, moment)).collect()
}

fn listed(row: &EntityRow, namespace: &str, moment: Timestamp) -> ListedEntity {
    let state = row.state_at(moment);
    ListedEntity {
        name: row.name.clone(),
        kind: row.kind.clone(),
        aliases: row.aliases.clone(),
        state: state.map(|state| state.state.clone()),
        time: state.map(|state| state.time),
        documents: row.mentions.len(),
        passages: row.passages(),
        namespace: namespace.to_owned(),
    }
}

/// Everything about the entity that has a name, as of a moment; `None` where there is none.
pub fn describe(
    rows: &[EntityRow],
    documents: &[DocumentRow],
    name: &str,
    namespace: &str,
    moment: Timestamp,
) -> Option<EntityFacts> {
    let folded = fold_name(name);
    let row = rows.iter().find(|row| row.names().any(|own| fold_name(own) == folded))?;
    let mention = |document: &DocumentRow| {
        let passages = *row.mentions.get(&document.doc_id)?;
        let DocumentRow { doc_id, source, title, .. } = document.clone();
        Some(EntityMention { doc_id, source, title, passages })
    };
    let mut mentions: Vec<EntityMention> = documents.iter().filter_map(mention).collect();
    mentions.sort_by(|a, b| b.passages.cmp(&a.passages).then_with(|| a.source.cmp(&b.source)));
    let states = row.states.iter().filter(|state| state.time <= moment).cloned().collect();
    Some(EntityFacts { listed: listed(row, namespace, moment), states, mentions })
}

/// The name that is most like one that was typed, where one is near.
pub fn nearest<'n>(names: impl Iterator<Item = &'n str>, typed: &str) -> Option<&'n str> {
    let typed = fold_name(typed);
    let alike = names.map(|name| (strsim::jaro_winkler(&fold_name(name), &typed), name));
    alike.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(alike, _)| *alike > ALIKE).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn pump() -> EntityRow {
        let mut row = EntityRow::named("Pump P-12", at("2026-01-01T00:00:00Z"));
        row.kind = "machine".to_owned();
        row.aliases = vec!["一号泵".to_owned()];
        for (time, state) in [("2026-03-01T00:00:00Z", "on"), ("2026-06-01T00:00:00Z", "off")] {
            row.set_state(EntityState { time: at(time), state: state.to_owned(), set_at: at(time) });
        }
        row.mentions = [("doc111".to_owned(), 1), ("doc222".to_owned(), 4)].into();
        row
    }

    #[test]
    fn a_list_says_what_was_at_a_moment() {
        let rows = [pump()];
        let state = |moment: &str| list(&rows, "default", at(moment), None)[0].state.clone();
        assert_eq!(state("2026-02-01T00:00:00Z"), None);
        assert_eq!(state("2026-05-31T23:59:59Z").as_deref(), Some("on"));
        assert_eq!(state("2026-06-01T00:00:00Z").as_deref(), Some("off"));
        assert_eq!(list(&rows, "n", at("2026-06-01T00:00:00Z"), Some("ＭＡＣＨＩＮＥ")).len(), 1);
        assert_eq!(list(&rows, "n", at("2026-06-01T00:00:00Z"), Some("valve")).len(), 0);
    }

    #[test]
    fn an_entity_is_told_whole_by_any_of_its_names() {
        let documents = [DocumentRow::sample("doc111"), DocumentRow::sample("doc222"), DocumentRow::sample("doc333")];
        let found = describe(&[pump()], &documents, "一号泵", "default", at("2026-04-01T00:00:00Z")).unwrap();
        assert_eq!((found.states.len(), found.listed.passages, found.listed.documents), (1, 5, 2));
        let mentions: Vec<&str> = found.mentions.iter().map(|mention| mention.doc_id.as_str()).collect();
        assert_eq!(mentions, ["doc222", "doc111"]);
        assert_eq!(describe(&[pump()], &documents, "P-12", "default", Timestamp::UNIX_EPOCH), None);
        assert_eq!(nearest(pump().names(), "pump p12"), Some("Pump P-12"));
        assert_eq!(nearest(pump().names(), "valve"), None);
    }
}

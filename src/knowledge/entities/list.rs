//! Lists entities, and describes one with its mentions.

use serde::Serialize;

use crate::ids::DocId;
use crate::store::{DocumentName, EntityRow, EntityState, StateTime};
use crate::text::{alike, fold_name};

/// The least similarity (Jaro-Winkler) of a suggested name.
const ALIKE: f64 = 0.75;

/// An entity in the list: the fields of a batch line, and counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedEntity {
    pub name: String,
    /// Its type; empty if unknown.
    #[serde(rename = "entity_type")]
    pub kind: String,
    pub aliases: Vec<String>,
    /// Its state at the moment of the list.
    pub state: Option<String>,
    /// The beginning of that state.
    pub time: Option<StateTime>,
    /// Documents that mention it.
    pub documents: usize,
    /// Parent chunks that mention it.
    pub parents: u64,
    pub namespace: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityFacts {
    #[serde(flatten)]
    pub listed: ListedEntity,
    /// Its states up to the moment and all states in other time fields, earliest first.
    pub states: Vec<EntityState>,
    /// The documents that mention it, by falling number of parent chunks.
    pub mentions: Vec<EntityMention>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityMention {
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    /// Its parent chunks that mention the entity.
    pub parents: u32,
}

/// The entities of a namespace as of a moment; with `kind`, only those of that type.
pub fn list(rows: &[EntityRow], namespace: &str, moment: &StateTime, kind: Option<&str>) -> Vec<ListedEntity> {
    let kind = kind.map(fold_name);
    let wanted = |row: &&EntityRow| kind.as_ref().is_none_or(|kind| fold_name(&row.kind) == *kind);
    rows.iter().filter(wanted).map(|row| listed(row, namespace, moment)).collect()
}

fn listed(row: &EntityRow, namespace: &str, moment: &StateTime) -> ListedEntity {
    let state = row.state_at(moment.clone());
    ListedEntity {
        name: row.name.clone(),
        kind: row.kind.clone(),
        aliases: row.aliases.clone(),
        state: state.map(|state| state.state.clone()),
        time: state.map(|state| state.time.clone()),
        documents: row.mentions.len(),
        parents: row.parent_chunks(),
        namespace: namespace.to_owned(),
    }
}

/// The entity with a name.
pub fn find<'r>(rows: &'r [EntityRow], name: &str) -> Option<&'r EntityRow> {
    let folded = fold_name(name);
    rows.iter().find(|row| row.names().any(|own| fold_name(own) == folded))
}

/// The facts about an entity as of a moment. `documents` are those that mention it.
pub fn describe(row: &EntityRow, documents: &[DocumentName], namespace: &str, moment: &StateTime) -> EntityFacts {
    let mention = |document: &DocumentName| {
        let parents = *row.mentions.get(&document.doc_id)?;
        let DocumentName { doc_id, source, title, .. } = document.clone();
        Some(EntityMention { doc_id, source, title, parents })
    };
    let mut mentions: Vec<EntityMention> = documents.iter().filter_map(mention).collect();
    mentions.sort_by(|a, b| b.parents.cmp(&a.parents).then_with(|| a.source.cmp(&b.source)));
    // States in another time field are neither past nor future.
    let is_reached = |state: &&EntityState| state.time <= *moment || !state.time.is_comparable_with(moment);
    let states = row.states.iter().filter(is_reached).cloned().collect();
    EntityFacts { listed: listed(row, namespace, moment), states, mentions }
}

/// The name most similar to a typed one, if any is similar enough.
pub fn nearest<'n>(names: impl Iterator<Item = &'n str>, typed: &str) -> Option<&'n str> {
    alike(names.map(|name| (fold_name(name), name)), &fold_name(typed), ALIKE).into_iter().next()
}

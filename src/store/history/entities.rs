//! What lies between the entities of two generations. How often they are mentioned does not count: that follows from
//! the documents.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compare::What;
use super::past::Past;
use crate::error::Result;
use crate::store::entities::EntityRow;

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
pub(super) async fn between(before: &Past, after: &Past) -> Result<Vec<EntityDiff>> {
    if before.manifest.entities == after.manifest.entities {
        return Ok(Vec::new());
    }
    Ok(compare(&before.tables.entity_rows().await?, &after.tables.entity_rows().await?))
}

fn compare(before: &[EntityRow], after: &[EntityRow]) -> Vec<EntityDiff> {
    let by_key = |rows: &[EntityRow]| -> BTreeMap<String, EntityRow> {
        rows.iter().map(|row| (row.key.clone(), row.clone())).collect()
    };
    let (was, is) = (by_key(before), by_key(after));
    let mut found = Vec::new();
    for (key, row) in &is {
        let (what, fields) = match was.get(key) {
            None => (What::Added, Vec::new()),
            Some(before) => (What::Changed, fields(before, row)),
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

fn fields(before: &EntityRow, after: &EntityRow) -> Vec<&'static str> {
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
    use jiff::Timestamp;

    #[test]
    fn entities_are_compared_by_what_people_said_of_them() {
        let entity = |name: &str| EntityRow::named(name, Timestamp::UNIX_EPOCH);
        let mut mentioned = entity("Same");
        mentioned.mentions.insert("doc".to_owned(), 1);
        let retyped = EntityRow { kind: "valve".to_owned(), ..entity("Other") };
        let found = compare(&[entity("Same"), entity("Other"), entity("Old")], &[mentioned, retyped, entity("New")]);
        let told: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.what.name(), one.name, one.fields.join(","))).collect();
        assert_eq!(told, ["added New ", "gone Old ", "changed Other type"]);
    }
}

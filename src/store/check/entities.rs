//! Whether the entities' rows agree with the parent chunks.

use std::collections::BTreeMap;

use super::finding::{Finding, Part};
use crate::store::entities::EntityRow;
use crate::text::count;

/// The rows, each key once.
pub(super) fn unique(rows: &[EntityRow]) -> Vec<EntityRow> {
    let rows: BTreeMap<&str, &EntityRow> = rows.iter().map(|row| (row.key.as_str(), row)).collect();
    rows.into_values().cloned().collect()
}

/// What is wrong with `rows`, of which `counted` are the unique ones with their mentions counted again.
pub(super) fn check(rows: &[EntityRow], counted: &[EntityRow]) -> Vec<Finding> {
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
            let told = |row: &EntityRow| {
                let parent_chunks = usize::try_from(row.parent_chunks()).unwrap_or(usize::MAX);
                format!("{} of {}", count(parent_chunks, "parent chunk"), count(row.mentions.len(), "document"))
            };
            let what = match told(known) == told(row) {
                true => "other documents mention it than its row says".to_owned(),
                false => format!("its row counts {} that mention it; there are {}", told(known), told(row)),
            };
            findings.push(Finding::repairable(&row.name, Part::Entities, what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn rows_that_stand_twice_and_wrong_counts_are_found() {
        let mut pump = EntityRow::named("Pump", Timestamp::UNIX_EPOCH);
        pump.mentions.insert("doc111".into(), 2);
        assert_eq!(check(&[pump.clone()], &[pump.clone()]), []);
        let twice = [pump.clone(), pump.clone()];
        assert_eq!(unique(&twice), [pump.clone()]);
        assert_eq!(check(&twice, &unique(&twice))[0].what, "is the entity of 2 rows");
        let mut counted = pump.clone();
        counted.mentions.insert("doc222".into(), 1);
        let found = check(&[pump], &[counted]);
        assert_eq!(
            found[0].what,
            "its row counts 2 parent chunks of 1 document that mention it; there are 3 parent chunks of 2 documents"
        );
        assert!(found[0].repairable && found[0].part == Part::Entities);
    }
}

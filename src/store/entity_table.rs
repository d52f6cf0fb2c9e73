//! Reads the table of entities, and writes it within a publication.

use std::collections::{BTreeMap, HashSet};

use super::convert::{self, entities_to_batch};
use super::entities::{EntityChange, EntityRow, MentionCounter};
use super::reading::is_parent;
use super::rows::NewDocument;
use super::scan::Wanted;
use super::tables::Tables;
use crate::error::Result;
use crate::ids::DocId;

impl Tables {
    pub(super) async fn entity_rows(&self) -> Result<Vec<EntityRow>> {
        let mut rows = self.read(&self.entities, None, Wanted::All, convert::entity).await?;
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(rows)
    }

    /// Updates the entities after a change of entities and documents. The chunks of the change must be written already.
    pub(super) async fn write_entities(
        &self,
        change: &EntityChange,
        removed: &[DocId],
        added: &[NewDocument],
    ) -> Result<()> {
        let before = self.entity_rows().await?;
        let after = change.applied(&before);
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        let counts_anew = !after.is_empty() && (change.rewrite_all || change.renames(&before, &after));
        let mut counter = MentionCounter::new(after)?;
        if counts_anew {
            counter.forget();
            self.count_mentions(&mut counter).await?;
        } else {
            counter.forget_documents(removed);
            let parents = added.iter().flat_map(|new| &new.parents);
            parents.for_each(|parent| counter.count(&parent.doc_id, &parent.titles, &parent.content));
        }
        let after = counter.into_rows();
        let (stale, fresh) = differing(&before, &after, change.rewrite_all);
        self.delete(&self.entities, "entity", &stale).await?;
        self.append(&self.entities, entities_to_batch(&fresh)?).await
    }

    /// Counts mentions in all parent chunks, in one pass over the table.
    async fn count_mentions(&self, counter: &mut MentionCounter) -> Result<()> {
        let columns = Wanted::Named(&["doc_id", "titles", "content"]);
        let count = |columns: &convert::Columns, row| {
            counter.count(columns.str("doc_id", row)?, columns.str("titles", row)?, columns.str("content", row)?);
            Ok(())
        };
        self.each(&self.chunks, Some(is_parent()), columns, count).await
    }
}

/// The keys of the rows to delete and the rows to write; with `rewrite_all`, all rows.
fn differing<'a>(before: &[EntityRow], after: &'a [EntityRow], rewrite_all: bool) -> (Vec<String>, Vec<&'a EntityRow>) {
    let known: BTreeMap<&str, &EntityRow> = before.iter().map(|row| (row.key.as_str(), row)).collect();
    let fresh: Vec<&EntityRow> =
        after.iter().filter(|row| rewrite_all || known.get(row.key.as_str()) != Some(row)).collect();
    let staying: HashSet<&str> = after.iter().map(|row| row.key.as_str()).collect();
    let gone = known.keys().filter(|key| !staying.contains(*key)).map(|key| (*key).to_owned());
    let replaced = fresh.iter().filter(|row| known.contains_key(row.key.as_str())).map(|row| row.key.clone());
    (gone.chain(replaced).collect(), fresh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::check::{Finding, Part, check, repair};
    use crate::store::files::write_json;
    use crate::store::layout::PUBLISHED;
    use crate::store::manifest::Manifest;
    use crate::store::samples::{namespace, publish};
    use crate::store::{Change, LockTimeout, Namespace, Snapshot};
    use jiff::Timestamp;

    fn entity(name: &str) -> EntityRow {
        EntityRow::named(name, Timestamp::UNIX_EPOCH)
    }

    fn put(entities: &[EntityRow]) -> Change {
        Change { entities: EntityChange { put: entities.to_vec(), ..EntityChange::default() }, ..Change::default() }
    }

    /// `Pump 2 1` is mentioned in two parent chunks of one document.
    async fn counts(namespace: &Namespace) -> Vec<String> {
        let rows = Snapshot::open(namespace).await.unwrap().entities().await.unwrap();
        rows.iter().map(|row| format!("{} {} {}", row.name, row.parent_chunks(), row.mentions.len())).collect()
    }

    /// The findings on entities. Others are expected: the documents of these tests have neither sections nor child
    /// chunks.
    async fn findings(namespace: &Namespace) -> Vec<Finding> {
        let findings = check(namespace).await.unwrap().findings;
        findings.into_iter().filter(|finding| finding.part == Part::Entities).collect()
    }

    #[tokio::test]
    async fn mentions_follow_documents_and_are_written_only_where_they_change() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![NewDocument::sample("doc111", &["pump and valve", "pump"])]).await;
        publish(&namespace, put(&[entity("Pump"), entity("Valve")])).await;
        let version = || Manifest::read(&namespace).unwrap().unwrap().entities;
        let before = version();
        publish(&namespace, vec![NewDocument::sample("doc222", &["nothing"])]).await;
        assert_eq!(version(), before, "nothing is mentioned, nothing is written");
        let change = Change {
            remove: vec!["doc111".into()],
            add: vec![NewDocument::sample("doc111", &["valve"]), NewDocument::sample("doc333", &["pump"])],
            ..Change::default()
        };
        publish(&namespace, change).await;
        assert_eq!(counts(&namespace).await, ["Pump 1 1", "Valve 1 1"]);
        // A new name and documents in one publication.
        let change = Change {
            remove: vec!["doc333".into()],
            add: vec![NewDocument::sample("doc444", &["the seal of the valve"])],
            ..put(&[entity("Seal")])
        };
        publish(&namespace, change).await;
        assert_eq!(counts(&namespace).await, ["Pump 0 0", "Seal 1 1", "Valve 2 2"]);
        assert_eq!(findings(&namespace).await, []);
    }

    #[tokio::test]
    async fn a_check_counts_again_and_repairs() {
        let (_folder, namespace) = namespace();
        publish(&namespace, vec![NewDocument::sample("doc111", &["the pump"])]).await;
        publish(&namespace, put(&[entity("Pump")])).await;
        // A second, different row of the same entity, written outside a publication.
        let tables = Tables::open(&namespace).await.unwrap();
        let mut wrong = entity("Pump");
        wrong.mentions.insert("doc999".into(), 7);
        tables.append(&tables.entities, entities_to_batch(&[&wrong]).unwrap()).await.unwrap();
        let [.., entities] = tables.versions().await.unwrap();
        let damaged = Manifest { entities, ..Manifest::read(&namespace).unwrap().unwrap() };
        write_json(&namespace.root().join(PUBLISHED), &damaged).unwrap();
        let found = findings(&namespace).await;
        assert!(found.iter().any(|finding| finding.what == "is the entity of 2 rows"), "{found:?}");
        assert!(found.iter().any(|finding| finding.what.contains("7 parent chunks of 1 document")), "{found:?}");
        assert!(found.iter().all(|finding| finding.repairable), "{found:?}");
        let repaired = repair(&namespace, &LockTimeout::none()).await.unwrap();
        assert!(repaired.mended.iter().any(|mended| mended.id == "entities"), "{:?}", repaired.mended);
        assert_eq!(findings(&namespace).await, []);
        assert_eq!(counts(&namespace).await, ["Pump 1 1"]);
    }
}

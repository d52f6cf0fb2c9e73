//! Tests of the table of entities in a store: damage, repair, restoring, pruning.

use super::table::to_batch;
use super::*;
use crate::store::check::{Finding, Part, check, repair};
use crate::store::manifest::{self, Manifest};
use crate::store::rows::{DocumentRow, NewDocument, ParentChunk};
use crate::store::tables::Tables;
use crate::store::{Change, LockTimeout, ModelRecord, Namespace, Snapshot, Store, Writer};
use jiff::Timestamp;

fn model() -> ModelRecord {
    ModelRecord { name: "m".into(), dimension: 4, fingerprint: "f".into() }
}

fn document(id: &str, texts: &[&str]) -> NewDocument {
    let row = DocumentRow { parents: texts.len() as u32, embedded: false, ..DocumentRow::sample(id) };
    let parent = |(place, text): (usize, &&str)| ParentChunk::sample(&format!("{id}:{place}"), text);
    NewDocument { document: row, sections: Vec::new(), parents: texts.iter().enumerate().map(parent).collect() }
}

fn entity(name: &str) -> EntityRow {
    EntityRow::named(name, Timestamp::UNIX_EPOCH)
}

fn namespace(folder: &tempfile::TempDir) -> Namespace {
    Store::open_or_create(None, folder.path()).unwrap().0.namespace("default").unwrap()
}

async fn publish(namespace: &Namespace, change: Change) {
    Writer::open(namespace, &model()).await.unwrap().publish(&change).await.unwrap();
}

fn put(entities: &[EntityRow]) -> Change {
    Change { entities: EntityChange { put: entities.to_vec(), ..EntityChange::default() }, ..Change::default() }
}

/// `Pump 2 1` is mentioned in two parent chunks of one document.
async fn counts(namespace: &Namespace) -> Vec<String> {
    let rows = Snapshot::open(namespace).await.unwrap().entities().await.unwrap();
    rows.iter().map(|row| format!("{} {} {}", row.name, row.parent_chunks(), row.mentions.len())).collect()
}

/// What is wrong with the entities; the documents of these tests have neither sections nor child chunks.
async fn findings(namespace: &Namespace) -> Vec<Finding> {
    let findings = check(namespace).await.unwrap().findings;
    findings.into_iter().filter(|finding| finding.part == Part::Entities).collect()
}

#[tokio::test]
async fn mentions_follow_documents_and_are_written_only_where_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    publish(&namespace, Change { add: vec![document("doc111", &["pump and valve", "pump"])], ..Change::default() })
        .await;
    publish(&namespace, put(&[entity("Pump"), entity("Valve")])).await;
    let version = || Manifest::read(&namespace).unwrap().unwrap().entities;
    let before = version();
    publish(&namespace, Change { add: vec![document("doc222", &["nothing"])], ..Change::default() }).await;
    assert_eq!(version(), before, "nothing is mentioned, nothing is written");
    let change = Change {
        remove: vec!["doc111".into()],
        add: vec![document("doc111", &["valve"]), document("doc333", &["pump"])],
        ..Change::default()
    };
    publish(&namespace, change).await;
    assert_eq!(counts(&namespace).await, ["Pump 1 1", "Valve 1 1"]);
    // A new name and documents in one publication.
    let change = Change {
        remove: vec!["doc333".into()],
        add: vec![document("doc444", &["the seal of the valve"])],
        ..put(&[entity("Seal")])
    };
    publish(&namespace, change).await;
    assert_eq!(counts(&namespace).await, ["Pump 0 0", "Seal 1 1", "Valve 2 2"]);
    assert_eq!(findings(&namespace).await, []);
}

#[tokio::test]
async fn a_check_counts_again_and_repairs() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    publish(&namespace, Change { add: vec![document("doc111", &["the pump"])], ..Change::default() }).await;
    publish(&namespace, put(&[entity("Pump")])).await;
    // A second row of the same entity that says something else, written behind the back of a publication.
    let tables = Tables::open(&namespace).await.unwrap();
    let mut wrong = entity("Pump");
    wrong.mentions.insert("doc999".into(), 7);
    tables.append(&tables.entities, to_batch(&[&wrong]).unwrap()).await.unwrap();
    let [.., entities] = tables.versions().await.unwrap();
    let damaged = Manifest { entities, ..Manifest::read(&namespace).unwrap().unwrap() };
    manifest::write_json(&namespace.root().join(manifest::PUBLISHED), &damaged).unwrap();
    let found = findings(&namespace).await;
    assert!(found.iter().any(|finding| finding.what == "is the entity of 2 rows"), "{found:?}");
    assert!(found.iter().any(|finding| finding.what.contains("7 parent chunks of 1 document")), "{found:?}");
    assert!(found.iter().all(|finding| finding.repairable), "{found:?}");
    let repaired = repair(&namespace, &LockTimeout::none()).await.unwrap();
    assert!(repaired.mended.iter().any(|mended| mended.id == "entities"), "{:?}", repaired.mended);
    assert_eq!(findings(&namespace).await, []);
    assert_eq!(counts(&namespace).await, ["Pump 1 1"]);
}

#[tokio::test]
async fn names_with_quotes_and_backslashes_are_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    let odd = entity("O'Brien \\ \"x\" % _ ; --");
    publish(&namespace, put(&[odd.clone(), entity("Pump")])).await;
    publish(&namespace, put(&[EntityRow { kind: "person".into(), ..odd.clone() }])).await;
    assert_eq!(counts(&namespace).await.len(), 2);
    let removal = EntityChange { remove: vec![odd.key], ..EntityChange::default() };
    publish(&namespace, Change { entities: removal, ..Change::default() }).await;
    assert_eq!(counts(&namespace).await, ["Pump 0 0"]);
}

//! Tests of the table of entities in a store: older stores, damage, repair, restoring, pruning.

use super::table::to_batch;
use super::*;
use crate::store::check::{Finding, Part, check, repair};
use crate::store::manifest::{self, Manifest};
use crate::store::rows::{ChunkRow, DocumentRow, NewDocument};
use crate::store::tables::Tables;
use crate::store::{Change, ModelRecord, Namespace, Patience, Snapshot, Store, Writer};
use jiff::Timestamp;

fn model() -> ModelRecord {
    ModelRecord { name: "m".into(), dimension: 4, fingerprint: None }
}

fn document(id: &str, texts: &[&str]) -> NewDocument {
    let row = DocumentRow { parents: texts.len() as u32, embedded: false, ..DocumentRow::sample(id) };
    let chunk = |(place, text): (usize, &&str)| ChunkRow {
        vector: Vec::new(),
        ..ChunkRow::sample(&format!("{id}:{place}"), text)
    };
    NewDocument { document: row, sections: Vec::new(), chunks: texts.iter().enumerate().map(chunk).collect() }
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

/// `Pump 2 1` is mentioned in two passages of one document.
async fn counts(namespace: &Namespace) -> Vec<String> {
    let rows = Snapshot::open(namespace).await.unwrap().entities().await.unwrap();
    rows.iter().map(|row| format!("{} {} {}", row.name, row.passages(), row.mentions.len())).collect()
}

/// What is wrong with the entities; the documents of these tests have neither sections nor pieces.
async fn findings(namespace: &Namespace) -> Vec<Finding> {
    let findings = check(namespace).await.unwrap().findings;
    findings.into_iter().filter(|finding| finding.part == Part::Entities).collect()
}

/// Makes the store one of a version that knew no entities.
fn make_older(namespace: &Namespace) {
    std::fs::remove_dir_all(namespace.tables().join("entities.lance")).unwrap();
    let manifest = Manifest { entities: None, ..Manifest::read(namespace).unwrap().unwrap() };
    manifest::write_json(&namespace.root().join(manifest::PUBLISHED), &manifest).unwrap();
    std::fs::remove_dir_all(namespace.root().join("history")).unwrap();
}

#[tokio::test]
async fn an_older_store_has_none_and_gains_the_table_with_the_first_write() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    publish(
        &namespace,
        Change { add: vec![document("older1", &["The pump.", "no", "一号泵和 Pump"])], ..Change::default() },
    )
    .await;
    make_older(&namespace);
    assert_eq!(counts(&namespace).await, [""; 0]);
    assert_eq!(findings(&namespace).await, []);
    publish(&namespace, put(&[entity("Pump"), entity("一号泵")])).await;
    assert_eq!(counts(&namespace).await, ["Pump 2 1", "一号泵 1 1"]);
    assert!(Manifest::read(&namespace).unwrap().unwrap().entities.is_some());
    // The old generation is brought back, and there were none then.
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    assert_eq!(writer.restore(1).await.unwrap().entities, 2);
    drop(writer);
    assert_eq!(counts(&namespace).await, [""; 0]);
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    assert_eq!(writer.restore(2).await.unwrap().entities, 2);
    drop(writer);
    assert_eq!(counts(&namespace).await, ["Pump 2 1", "一号泵 1 1"]);
}

#[tokio::test]
async fn a_table_that_a_crash_left_half_made_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    publish(&namespace, Change { add: vec![document("older1", &["The pump."])], ..Change::default() }).await;
    make_older(&namespace);
    std::fs::create_dir_all(namespace.tables().join("entities.lance/data")).unwrap();
    std::fs::write(namespace.tables().join("entities.lance/data/half.lance"), "x").unwrap();
    assert_eq!(counts(&namespace).await, [""; 0]);
    publish(&namespace, put(&[entity("Pump")])).await;
    assert_eq!(counts(&namespace).await, ["Pump 1 1"]);
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
        remove: vec!["doc111".to_owned()],
        add: vec![document("doc111", &["valve"]), document("doc333", &["pump"])],
        ..Change::default()
    };
    publish(&namespace, change).await;
    assert_eq!(counts(&namespace).await, ["Pump 1 1", "Valve 1 1"]);
    // A new name and documents in one publication.
    let change = Change {
        remove: vec!["doc333".to_owned()],
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
    wrong.mentions.insert("doc999".to_owned(), 7);
    tables.append(tables.entities.as_ref().unwrap(), to_batch(&[&wrong]).unwrap()).await.unwrap();
    let entities = tables.entities_version().await.unwrap();
    let damaged = Manifest { entities, ..Manifest::read(&namespace).unwrap().unwrap() };
    manifest::write_json(&namespace.root().join(manifest::PUBLISHED), &damaged).unwrap();
    let found = findings(&namespace).await;
    assert!(found.iter().any(|finding| finding.what == "is the entity of 2 rows"), "{found:?}");
    assert!(found.iter().any(|finding| finding.what.contains("7 passages of 1 document")), "{found:?}");
    assert!(found.iter().all(|finding| finding.repairable), "{found:?}");
    let repaired = repair(&namespace, &Patience::none()).await.unwrap();
    assert!(repaired.mended.iter().any(|mended| mended.id == "entities"), "{:?}", repaired.mended);
    assert_eq!(findings(&namespace).await, []);
    assert_eq!(counts(&namespace).await, ["Pump 1 1"]);
}

#[tokio::test]
async fn what_an_earlier_version_counted_is_counted_again_with_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let namespace = namespace(&folder);
    publish(&namespace, Change { add: vec![document("pump11", &["the valve", "no"])], ..Change::default() }).await;
    // It counted the text alone, and wrote no number.
    publish(&namespace, put(&[entity("Valve"), entity("pump11")])).await;
    let tables = Tables::open(&namespace).await.unwrap();
    let table = tables.entities.as_ref().unwrap();
    table.update().only_if("name = 'pump11'").column("mentions", "'{}'").execute().await.unwrap();
    table.drop_columns(&["rule"]).await.unwrap();
    let entities = tables.entities_version().await.unwrap();
    let older = Manifest { entities, ..Manifest::read(&namespace).unwrap().unwrap() };
    manifest::write_json(&namespace.root().join(manifest::PUBLISHED), &older).unwrap();
    assert_eq!(counts(&namespace).await, ["pump11 0 0", "Valve 1 1"]);
    assert!(findings(&namespace).await[0].repairable);
    publish(&namespace, Change { add: vec![document("other1", &["a valve"])], ..Change::default() }).await;
    assert_eq!(counts(&namespace).await, ["pump11 2 1", "Valve 2 2"], "two passages are under its title");
    assert_eq!(findings(&namespace).await, []);
    // Once is enough.
    let version = || Manifest::read(&namespace).unwrap().unwrap().entities;
    let before = version();
    publish(&namespace, Change { add: vec![document("other2", &["nothing"])], ..Change::default() }).await;
    assert_eq!(version(), before);
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

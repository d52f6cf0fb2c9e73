//! Tests on tables as an earlier version made them, and on rows without vectors.

use super::*;

use std::sync::Arc;

use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::arrow::arrow_schema::{Field, Schema};
use tables::{CHUNKS, Tables};

use crate::profile::{PassageText, Profile};

const DIMENSION: usize = 4;

fn model() -> ModelRecord {
    ModelRecord { name: "m".into(), dimension: DIMENSION, fingerprint: None }
}

fn profile(language: &str, text: &str) -> Option<Profile> {
    crate::profile::profile("t", language, &[], &[PassageText { title: "", text }])
}

fn document(id: &str, vector: Vec<f32>) -> NewDocument {
    let row = DocumentRow {
        mtime_ns: 1_000_000_000,
        parents: 1,
        corrected_toc: Some("[]".into()),
        structure_version: 7,
        embedded: !vector.is_empty(),
        time: Some(DocumentTime::given(jiff::Timestamp::UNIX_EPOCH)),
        profile: profile("en", "text"),
        vector_of: Some("h".into()),
        vector: vec![0.0, 1.0, 0.0, 0.0],
        ..DocumentRow::sample(id)
    };
    let chunk = ChunkRow { vector, ..ChunkRow::sample(&format!("{id}:0"), "text") };
    NewDocument { document: row, sections: Vec::new(), chunks: vec![chunk] }
}

async fn publish(namespace: &Namespace, new: NewDocument) {
    let mut writer = Writer::open(namespace, &model()).await.unwrap();
    writer.publish(&Change { add: vec![new], ..Change::default() }).await.unwrap();
}

/// Takes the columns out that came later, and the permission to have no vector.
async fn make_older(namespace: &Namespace) {
    let tables = Tables::open(namespace).await.unwrap();
    tables.chunks.drop_columns(&["edited", "metadata", "lead"]).await.unwrap();
    let later = ["corrected_toc", "structure_version", "embedded", "edits", "time", "profile", "vector_of", "vector"];
    tables.documents.drop_columns(&later).await.unwrap();
    let rows: Vec<RecordBatch> = tables.rows(&tables.chunks, None, None).await.unwrap();
    let field =
        |field: &Arc<Field>| field.as_ref().clone().with_nullable(field.is_nullable() && field.name() != "vector");
    let schema = Arc::new(Schema::new(rows[0].schema().fields().iter().map(field).collect::<Vec<_>>()));
    let strict: Vec<RecordBatch> =
        rows.iter().map(|batch| RecordBatch::try_new(schema.clone(), batch.columns().to_vec()).unwrap()).collect();
    let connection = lancedb::connect(&namespace.tables().to_string_lossy()).execute().await.unwrap();
    let mode = lancedb::database::CreateTableMode::Overwrite;
    connection.create_table(CHUNKS, strict).mode(mode).execute().await.unwrap();
    let tables = Tables::open(namespace).await.unwrap();
    assert!(!tables.chunks.schema().await.unwrap().field_with_name("vector").unwrap().is_nullable());
    let [documents, sections, chunks] = tables.versions().await.unwrap();
    let manifest = Manifest::read(namespace).unwrap().unwrap();
    let older = Manifest { documents, sections, chunks, ..manifest };
    manifest::write_json(&namespace.root().join(manifest::PUBLISHED), &older).unwrap();
}

#[tokio::test]
async fn a_store_of_an_earlier_version_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    let namespace = store.namespace("default").unwrap();
    publish(&namespace, document("older1", vec![1.0, 0.0, 0.0, 0.0])).await;
    make_older(&namespace).await;
    let read = async || Snapshot::open(&namespace).await.unwrap().documents().await.unwrap();
    let rows = read().await;
    assert_eq!((rows[0].corrected_toc.as_deref(), rows[0].structure_version, rows[0].embedded), (None, 0, true));
    publish(&namespace, document("newer1", Vec::new())).await;
    let rows = read().await;
    let facts = |i: usize| (rows[i].source.as_str(), rows[i].structure_version, rows[i].embedded);
    assert_eq!((facts(0), facts(1)), (("newer1.md", 7, false), ("older1.md", 0, true)));
    assert_eq!(rows[0].corrected_toc.as_deref(), Some("[]"));
    assert_eq!((&rows[0].profile, &rows[1].profile), (&profile("en", "text"), &None));
    let vectors = Snapshot::open(&namespace).await.unwrap().document_vectors().await.unwrap();
    assert_eq!(vectors.keys().collect::<Vec<_>>(), ["newer1"]);
    let time = |i: usize| rows[i].time.as_ref().map(|time| (time.at.as_second(), time.from.as_str()));
    assert_eq!((time(0), time(1)), (Some((0, DocumentTime::GIVEN)), Some((1, DocumentTime::FILE))));
}

#[tokio::test]
async fn a_row_that_is_written_without_its_vector_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    let namespace = store.namespace("default").unwrap();
    publish(&namespace, document("abc123", Vec::new())).await;
    let read = async || Snapshot::open(&namespace).await.unwrap();
    let update = async |change: fn(DocumentRow) -> DocumentRow| {
        let row = change(read().await.documents().await.unwrap().remove(0));
        let mut writer = Writer::open(&namespace, &model()).await.unwrap();
        writer.publish(&Change { update: vec![row], ..Change::default() }).await.unwrap();
        let snapshot = read().await;
        let row = snapshot.documents().await.unwrap().remove(0);
        (row.mtime_ns, row.vector_of, snapshot.document_vectors().await.unwrap().remove("abc123"))
    };
    let touched = update(|row| DocumentRow { mtime_ns: 2, ..row }).await;
    assert_eq!(touched, (2, Some("h".to_owned()), Some(vec![0.0, 1.0, 0.0, 0.0])));
    let other =
        update(|row| DocumentRow { vector_of: Some("i".into()), vector: vec![1.0, 0.0, 0.0, 0.0], ..row }).await;
    assert_eq!(other, (2, Some("i".to_owned()), Some(vec![1.0, 0.0, 0.0, 0.0])));
    let without = update(|row| DocumentRow { vector_of: None, ..row }).await;
    assert_eq!(without, (2, None, None));
    // What is not there cannot be kept.
    assert_eq!(update(|row| DocumentRow { vector_of: Some("j".into()), ..row }).await, (2, None, None));
}

#[tokio::test]
async fn a_generation_of_an_earlier_version_is_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    let namespace = store.namespace("default").unwrap();
    publish(&namespace, document("older1", vec![1.0, 0.0, 0.0, 0.0])).await;
    make_older(&namespace).await;
    std::fs::remove_dir_all(namespace.root().join("history")).unwrap();
    publish(&namespace, document("newer1", Vec::new())).await;
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    assert_eq!(writer.restore(1).await.unwrap().generation, Some(3));
    drop(writer);
    let rows = Snapshot::open(&namespace).await.unwrap().documents().await.unwrap();
    assert_eq!(rows.iter().map(|row| row.source.as_str()).collect::<Vec<_>>(), ["older1.md"]);
    let tables = Tables::open(&namespace).await.unwrap();
    assert!(tables.documents.schema().await.unwrap().field_with_name("embedded").is_ok());
    assert!(tables.chunks.schema().await.unwrap().field_with_name("vector").unwrap().is_nullable());
    // And what is written to it goes into the columns of today.
    publish(&namespace, document("newer2", Vec::new())).await;
    let rows = Snapshot::open(&namespace).await.unwrap().documents().await.unwrap();
    assert_eq!(rows.iter().map(|row| row.embedded).collect::<Vec<_>>(), [false, true]);
}

#[tokio::test]
async fn chunks_without_vectors_are_found_by_no_vector_search() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    let namespace = store.namespace("default").unwrap();
    publish(&namespace, document("with11", vec![0.0, 1.0, 0.0, 0.0])).await;
    publish(&namespace, document("none22", Vec::new())).await;
    let snapshot = Snapshot::open(&namespace).await.unwrap();
    let question = [0.0, 1.0, 0.0, 0.0];
    let ids = |hits: Vec<VectorHit>| hits.into_iter().map(|hit| hit.chunk_id).collect::<Vec<_>>();
    assert_eq!(
        {
            let mut ids = Vec::new();
            let vectors = snapshot.load_vectors(None).await.unwrap();
            vectors.each(&question, &Scope::Everything, |id, _, _| ids.push(id.to_owned())).unwrap();
            ids
        },
        ["with11:0"]
    );
    assert_eq!(ids(snapshot.nearest(&question, &Scope::Everything, 10).await.unwrap()), ["with11:0"]);
    let parents = ["with11:0".to_owned(), "none22:0".to_owned()];
    assert_eq!(ids(snapshot.similarities(&question, &parents).await.unwrap()), ["with11:0"]);
    assert!(
        snapshot.nearest(&question, &Scope::of_documents(Some(&["none22".to_owned()])), 10).await.unwrap().is_empty()
    );
    let vectors: Vec<usize> =
        [snapshot.chunks_of("with11").await.unwrap(), snapshot.chunks_of("none22").await.unwrap()]
            .iter()
            .map(|chunks| chunks[0].vector.len())
            .collect();
    assert_eq!(vectors, [DIMENSION, 0]);
}

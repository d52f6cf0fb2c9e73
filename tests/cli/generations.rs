//! The generations that a writer of the library leaves, and what readers see of them meanwhile.

use crate::common::names_in;
use kb::internals::store::{
    Change, Chunk, DocumentRow, ModelRecord, Namespace, NewDocument, Note, ParentChunk, Snapshot, Store, Writer, diff,
    log,
};

fn model() -> ModelRecord {
    ModelRecord { name: "m".into(), dimension: 4, fingerprint: "f".into() }
}

/// A document whose text says its version.
fn document(version: usize) -> NewDocument {
    let chunk = Chunk {
        chunk_id: "doc111:0".into(),
        content: format!("version{version}x").into(),
        language: "en".into(),
        embedding_hash: "h".into(),
        updated_at: "now".into(),
        vector: vec![1.0, 0.0, 0.0, 0.0],
        ..Chunk::default()
    };
    let parent = ParentChunk {
        doc_id: "doc111".into(),
        section_id: "doc111#0".into(),
        titles: "title".into(),
        chunk,
        children: Vec::new(),
    };
    let document = DocumentRow {
        doc_id: "doc111".into(),
        source: "a.md".into(),
        title: "title".into(),
        content_hash: version.to_string(),
        parents: 1,
        embedded: true,
        ..DocumentRow::default()
    };
    NewDocument { document, sections: Vec::new(), parents: vec![parent] }
}

/// An empty namespace of a store with these settings, in a folder of its own.
fn namespace(settings: &str) -> (tempfile::TempDir, Namespace) {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
    std::fs::write(store.root().join("kb.toml"), settings).unwrap();
    (folder, store.namespace("default").unwrap())
}

async fn publish(writer: &mut Writer, version: usize) {
    let note = Note::of("test").with("updated", "a.md");
    let change = Change { remove: vec!["doc111".into()], add: vec![document(version)], note, ..Change::default() };
    writer.publish(&change).await.unwrap();
}

#[tokio::test]
async fn a_reader_keeps_what_it_reads() {
    let (_folder, namespace) = namespace("[history]\ngenerations = 1\n");
    let content = async |snapshot: &Snapshot| {
        let chunks = snapshot.parents_of("doc111").await.unwrap();
        assert_eq!(snapshot.documents().await.unwrap().len(), 1);
        chunks[0].content.clone()
    };
    publish(&mut Writer::open(&namespace, &model()).await.unwrap(), 1).await;
    let reader = Snapshot::open(&namespace).await.unwrap();
    // Thirty runs, and one that publishes thirty times.
    for version in 2..32 {
        publish(&mut Writer::open(&namespace, &model()).await.unwrap(), version).await;
        assert_eq!(content(&reader).await, "version1x");
    }
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    for version in 32..62 {
        publish(&mut writer, version).await;
        assert_eq!(content(&reader).await, "version1x");
        assert_eq!(content(&Snapshot::open(&namespace).await.unwrap()).await, format!("version{version}x"));
    }
    let kept = || names_in(&namespace.root().join("history"));
    assert_eq!(kept(), ["0000001.json", "0000061.json"]);
    drop(reader);
    publish(&mut writer, 62).await;
    assert_eq!(kept(), ["0000062.json"]);
}

#[tokio::test]
async fn the_batches_of_a_run_are_one_generation_in_the_end() {
    let (_folder, namespace) = namespace("");
    for run in [1..4, 4..7] {
        let mut writer = Writer::open(&namespace, &model()).await.unwrap();
        for version in run {
            publish(&mut writer, version).await;
        }
    }
    let entries = log(&namespace).await.unwrap();
    let runs: Vec<(u64, u64)> = entries.iter().map(|e| (e.generation, e.note.as_ref().unwrap().documents())).collect();
    assert_eq!(runs, [(6, 3), (3, 3)], "the last line of each counts all");
    assert_eq!(diff(&namespace, 3, None, true).await.unwrap().documents.len(), 1);
}

#[tokio::test]
async fn a_generation_is_kept_however_old_its_tables_are() {
    // By their file times the tables were not written for long; then one of them is.
    let (_folder, namespace) = namespace("[history]\ngenerations = 2\n");
    let update = async |title: &str| {
        let row = DocumentRow { title: title.into(), ..document(1).document };
        let mut writer = Writer::open(&namespace, &model()).await.unwrap();
        writer.publish(&Change { update: vec![row], note: Note::of("test"), ..Change::default() }).await.unwrap();
    };
    publish(&mut Writer::open(&namespace, &model()).await.unwrap(), 1).await;
    for i in 0..5 {
        // Only the table of documents gets new versions.
        update(&format!("title {i}")).await;
    }
    let entries = log(&namespace).await.unwrap();
    let kept: Vec<(u64, bool)> = entries.iter().map(|entry| (entry.generation, entry.restorable)).collect();
    assert_eq!(kept, [(6, false), (5, true)]);
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    writer.restore(5, "restore").await.unwrap();
    let snapshot = Snapshot::open(&namespace).await.unwrap();
    assert_eq!(snapshot.documents().await.unwrap()[0].title, "title 3");
    assert_eq!(snapshot.parents_of("doc111").await.unwrap()[0].content, "version1x");
}

#[tokio::test]
async fn leftovers_of_crashed_writes_are_removed() {
    let (_folder, namespace) = namespace("");
    publish(&mut Writer::open(&namespace, &model()).await.unwrap(), 1).await;
    // A whole file, written a moment ago and never committed.
    let data = namespace.tables().join("chunks.lance/data");
    let whole = std::fs::read_dir(&data).unwrap().next().unwrap().unwrap().path();
    let left = data.join("0123456789abcdef0123456789abcdef.lance");
    std::fs::copy(&whole, &left).unwrap();
    publish(&mut Writer::open(&namespace, &model()).await.unwrap(), 2).await;
    assert!(!left.exists());
    assert!(whole.exists(), "the generation before is kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_come_and_go_while_generations_are_removed() {
    let (_folder, namespace) = namespace("[history]\ngenerations = 1\n");
    let mut writer = Writer::open(&namespace, &model()).await.unwrap();
    publish(&mut writer, 1).await;
    let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (namespace, done) = (namespace.clone(), done.clone());
            tokio::spawn(async move {
                let mut reads = 0;
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let snapshot = Snapshot::open(&namespace).await.unwrap();
                    let of = snapshot.documents().await.unwrap()[0].content_hash.clone();
                    let chunks = snapshot.parents_of("doc111").await.unwrap();
                    assert_eq!(chunks[0].content, format!("version{of}x"), "one generation, whole");
                    reads += 1;
                }
                reads
            })
        })
        .collect();
    for version in 2..25 {
        publish(&mut writer, version).await;
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 3);
    }
}

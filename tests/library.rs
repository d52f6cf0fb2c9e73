//! The facade for programs in Rust. This test is such a program, without a test harness, because copies of it read the
//! files.

// A step that fails ends the test, as it should.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use kb::{Action, KnowledgeBase};

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // A worker has an argument.
    if std::env::args().len() == 1 {
        runtime.block_on(ingest_is_refused_without_workers(folder.path()));
    }
    kb::serve_worker();
    runtime.block_on(a_program_ingests_searches_reads_and_edits(folder.path()));
}

async fn ingest_is_refused_without_workers(folder: &Path) {
    let mut empty = KnowledgeBase::open_or_create(&folder.join("empty"), "default").unwrap();
    let error = empty.ingest(&[folder.to_owned()]).await.unwrap_err();
    assert_eq!(error.next_step(), Some("call kb::serve_worker() first in main"));
}

async fn a_program_ingests_searches_reads_and_edits(folder: &Path) {
    let (docs, store) = (folder.join("docs"), folder.join(".kb"));
    let text =
        "# Pumps\n\nOf the station.\n\n## 1 Priming\n\nOpen the vent first.\n\n### 1.1 Water\n\nIt must be clean.\n";
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("pumps.md"), text).unwrap();
    std::fs::write(docs.join("broken.pdf"), "no PDF").unwrap();
    assert!(KnowledgeBase::open(&store, "default").is_err(), "no store");

    let mut pumps = KnowledgeBase::open_or_create(&store, "default").unwrap();
    let files = pumps.ingest(std::slice::from_ref(&docs)).await.unwrap();
    let outcomes: Vec<(bool, Action)> = files.iter().map(|file| (file.reason.is_some(), file.action)).collect();
    assert_eq!(outcomes, [(true, Action::Failed), (false, Action::Added)], "{files:?}");

    let hits = pumps.search("which valve must be open first?", 1).await.unwrap();
    assert!(hits[0].content.contains("vent"), "{}", hits[0].content);
    let documents = pumps.documents().await.unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!((Some(&documents[0].id), &documents[0].source), (files[1].document.as_ref(), &files[1].source));
    let contents = pumps.toc(&documents[0].id).await.unwrap();
    let titles: Vec<(u32, &str)> = contents.iter().map(|entry| (entry.level, entry.title.as_str())).collect();
    assert_eq!(titles, [(1, "Pumps"), (2, "1 Priming"), (3, "1.1 Water")]);
    let parts = pumps.section(&contents[1].id).await.unwrap();
    let texts: Vec<&str> = parts.iter().map(|part| part.text.trim()).collect();
    assert_eq!(texts, ["Open the vent first.", "It must be clean."]);
    assert!(pumps.toc("valves.md").await.is_err() && pumps.section("pumps.md").await.is_err());

    pumps.edit(&hits[0].chunk_id, "Open the relief valve first.").await.unwrap();
    assert!(pumps.edit("7f3k2m:99", "Nothing.").await.is_err() && pumps.edit(&hits[0].chunk_id, "").await.is_err());
    let again = pumps.ingest(&[docs]).await.unwrap();
    assert_eq!(again[1].action, Action::Unchanged);
    let hits = pumps.search("which valve must be open first?", 1).await.unwrap();
    assert!(hits[0].content.contains("relief valve"), "{}", hits[0].content);
}

//! The facade for programs in Rust, over a store that the program made.

use kb::KnowledgeBase;

use crate::common::Sandbox;

#[tokio::test]
async fn a_program_searches_and_reads_what_was_ingested() {
    let sandbox = Sandbox::new();
    let text =
        "# Pumps\n\nOf the station.\n\n## 1 Priming\n\nOpen the vent first.\n\n### 1.1 Water\n\nIt must be clean.\n";
    sandbox.write("docs/pumps.md", text);
    sandbox.json(&["ingest", "docs"]);
    let pumps = KnowledgeBase::open(&sandbox.path(".kb"), "default").unwrap();
    let hits = pumps.search("which valve must be open first?", 1).await.unwrap();
    assert!(hits[0].content.contains("vent"), "{}", hits[0].content);
    let documents = pumps.documents().await.unwrap();
    assert_eq!((documents.len(), documents[0].source.as_str()), (1, "docs/pumps.md"));
    let contents = pumps.toc(&documents[0].id).await.unwrap();
    let titles: Vec<(u32, &str)> = contents.iter().map(|entry| (entry.level, entry.title.as_str())).collect();
    assert_eq!(titles, [(1, "Pumps"), (2, "1 Priming"), (3, "1.1 Water")]);
    let parts = pumps.section(&contents[1].id).await.unwrap();
    let texts: Vec<&str> = parts.iter().map(|part| part.text.trim()).collect();
    assert_eq!(texts, ["Open the vent first.", "It must be clean."]);
    assert!(pumps.toc("valves.md").await.is_err() && pumps.section("pumps.md").await.is_err());
    assert!(KnowledgeBase::open(&sandbox.path("docs"), "default").is_err(), "no store");
}

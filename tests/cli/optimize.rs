//! `kb optimize`: small files are joined and indexes made, in one generation.

use serde_json::{Value, json};

use crate::common::Sandbox;

/// A store of several publications.
fn sandbox() -> Sandbox {
    Sandbox::prepared("optimize::sandbox", |sandbox| {
        for number in 0..4 {
            sandbox.write(&format!("docs/{number}.md"), format!("# Valve {number}\n\nClose valve {number} slowly.\n"));
            sandbox.json(&["ingest", "docs", "--no-embed"]);
        }
    })
}

fn found(sandbox: &Sandbox) -> String {
    sandbox.json(&["search", "close the valve", "--method", "keyword"])["hits"].to_string()
}

#[test]
fn optimize_joins_files_once_and_changes_no_document() {
    let sandbox = sandbox();
    let before = found(&sandbox);
    let done = sandbox.json(&["optimize"]);
    assert_eq!((done["generation"].as_u64(), done["segments_after"].as_u64()), (Some(5), Some(1)), "{done}");
    assert!(done["files_after"].as_u64() < done["files_before"].as_u64(), "{done}");
    assert_eq!(found(&sandbox), before);
    assert_eq!(sandbox.kb(&["diff", "4"]).code, 1, "no document differs");
    sandbox.kb(&["check"]).ok();
    let again = sandbox.kb(&["optimize"]);
    assert_eq!((again.code, again.out.trim()), (0, "nothing to do"));
    assert_eq!(sandbox.items(&["log"])[0]["generation"], 5);
    sandbox.json(&["restore", "2"]);
    assert_eq!(sandbox.count(&["docs"]), 2);
    sandbox.kb(&["check"]).ok();
}

#[test]
fn optimize_drops_the_text_of_removed_documents_from_the_keyword_index() {
    let sandbox = sandbox();
    sandbox.json(&["optimize"]);
    sandbox.json(&["remove", "0.md"]);
    // Scores change a little: the rarity of words counted the removed text until then.
    let ids = || sandbox.kb(&["search", "close the valve", "--method", "keyword", "--format", "paths"]).out;
    let before = ids();
    let done = sandbox.json(&["optimize"]);
    let segments = ["segments_before", "segments_after"].map(|name| done[name].as_u64());
    assert_eq!((segments, done["deleted_parent_chunks"].as_u64()), ([Some(1), Some(1)], Some(1)), "{done}");
    assert_eq!((ids(), sandbox.kb(&["check"]).code), (before, 0));
    assert_eq!(sandbox.kb(&["optimize"]).out.trim(), "nothing to do");
}

#[test]
fn optimize_makes_the_indexes_of_a_large_store() {
    let sandbox = sandbox();
    let optimize = || {
        let run = sandbox.kb_with(&[("KB_TEST_INDEX_ROWS", "1")], &["optimize", "--format", "json"]);
        serde_json::from_str::<Value>(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err))["indexes"].take()
    };
    let made = optimize().to_string();
    assert!(made.contains("chunks.doc_id") && made.contains("sections.doc_id") && !made.contains("vector"), "{made}");
    assert_eq!((optimize(), sandbox.kb(&["check"]).code), (json!([]), 0));
}

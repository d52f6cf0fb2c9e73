//! The store: what is removed is gone, what is damaged is mended, one writer at a time, readers never blocked.

use crate::common::Sandbox;

fn two_documents() -> Sandbox {
    ingested(Sandbox::new())
}

/// With two documents in the store.
fn ingested(sandbox: Sandbox) -> Sandbox {
    sandbox.write("a.md", "# Valves\n\nClose the valve slowly.");
    sandbox.write("b.md", "# Pumps\n\nPrime the pump first.");
    sandbox.json(&["ingest", "."]);
    sandbox
}

#[test]
fn removed_documents_are_gone_from_both_indexes() {
    let sandbox = two_documents();
    assert_eq!(sandbox.kb(&["remove", "a.md", "--dry-run"]).code, 0);
    assert_eq!(sandbox.json(&["status"])["documents"], 2);
    assert_eq!(sandbox.kb(&["remove", "a.md"]).code, 0);
    let status = sandbox.json(&["status"]);
    assert_eq!((status["documents"].as_u64(), status["keyword_chunks"].as_u64()), (Some(1), Some(1)));
    assert_eq!(sandbox.kb(&["search", "valve slowly", "--method", "keyword"]).code, 1);
    let semantic = sandbox.json(&["search", "close the valve", "--method", "semantic"]);
    assert!(!semantic.to_string().contains("valve slowly"));
    assert!(sandbox.path("a.md").exists(), "the file stays");
}

#[test]
fn a_part_of_a_title_shows_a_document_and_never_changes_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves of 1994\n\nClose the valve slowly.");
    sandbox.json(&["ingest", "."]);
    let id = sandbox.json(&["docs"])[0]["doc_id"].as_str().unwrap().to_owned();
    for name in ["9", "99", "v", "Valves"] {
        assert_ne!(sandbox.kb(&["remove", name]).code, 0, "{name}");
        assert_ne!(sandbox.kb(&["remove", name, "--dry-run"]).code, 0, "{name}");
    }
    for change in [&["remove", "valves"][..], &["toc", "valves", "--reset"], &["toc", "valves", "--set", "a.md"]] {
        let run = sandbox.kb(change);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{change:?}");
        assert!(run.err.contains("part of a title") && run.err.contains(&id), "{change:?}: {}", run.err);
    }
    assert_eq!(sandbox.json(&["status"])["documents"], 1);
    for read in
        [&["toc", "valves"][..], &["docs", "valves"], &["section", "valves", "1"], &["toc", "valves", "--editable"]]
    {
        let run = sandbox.kb(read);
        assert_eq!(run.code, 0, "{read:?}: {}", run.err);
        assert!(run.err.contains(&format!("taken for {id} (Valves of 1994)")), "{read:?}: {}", run.err);
    }
    let search = sandbox.kb(&["search", "close slowly", "--method", "keyword", "--doc", "valves"]);
    assert!(search.code == 0 && search.err.contains("taken for"), "{}", search.err);
    assert_eq!(sandbox.kb(&["remove", "valves of 1994"]).code, 0, "the whole title is enough");
}

#[test]
fn a_lost_keyword_index_is_rebuilt_by_the_next_command() {
    let sandbox = two_documents();
    std::fs::remove_dir_all(sandbox.path(".kb/namespaces/default/keyword")).unwrap();
    let found = sandbox.kb(&["search", "valve", "--method", "keyword"]);
    assert!(found.out.contains("slowly"), "{}", found.err);
    assert_eq!(sandbox.json(&["status"])["keyword_chunks"], 2);
}

#[test]
fn an_interrupted_publication_is_rolled_back_or_forward() {
    let sandbox = two_documents();
    let namespace = sandbox.path(".kb/namespaces/default");
    let manifest = std::fs::read_to_string(namespace.join("MANIFEST.json")).unwrap();
    // Tables written and announced, the keyword index not committed: back.
    let announced = manifest.replace("\"generation\": 1", "\"generation\": 2");
    std::fs::write(namespace.join("PENDING.json"), &announced).unwrap();
    assert!(sandbox.kb(&["search", "valve"]).out.contains("slowly"));
    sandbox.write("c.md", "# Filters\n\nRinse the filter.");
    sandbox.json(&["ingest", "."]);
    assert!(!namespace.join("PENDING.json").exists());
    assert_eq!(sandbox.json(&["status"])["generation"], 2);
    // Keyword index committed, the announcement not yet made the manifest: forward.
    std::fs::rename(namespace.join("MANIFEST.json"), namespace.join("PENDING.json")).unwrap();
    std::fs::write(namespace.join("MANIFEST.json"), &manifest).unwrap();
    assert!(sandbox.kb(&["search", "filter"]).out.contains("Rinse"), "a reader sees the generation both indexes have");
    sandbox.write("d.md", "# Seals\n\nGrease the seal.");
    sandbox.json(&["ingest", "."]);
    let status = sandbox.json(&["status"]);
    assert_eq!((status["documents"].as_u64(), status["generation"].as_u64()), (Some(4), Some(3)));
}

#[test]
fn one_writer_at_a_time_and_readers_are_not_blocked() {
    let sandbox = two_documents();
    let lock = std::fs::File::options().write(true).open(sandbox.path(".kb/namespaces/default/lock")).unwrap();
    lock.lock().unwrap();
    sandbox.write("c.md", "# Filters\n\nRinse the filter.");
    let refused = sandbox.kb(&["ingest", "."]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("being written by process") && refused.err.contains("wait"), "{}", refused.err);
    assert_eq!(sandbox.kb(&["search", "valve"]).code, 0);
    drop(lock);
    assert_eq!(sandbox.kb(&["ingest", "."]).code, 0);
}

#[test]
fn many_small_changes_leave_few_files() {
    let sandbox = Sandbox::new();
    for change in 0..20 {
        sandbox.write(&format!("{change}.md"), format!("# Valve {change}\n\nClose valve {change} slowly."));
        sandbox.json(&["ingest", ".", "--no-embed"]);
    }
    let meta = std::fs::read(sandbox.path(".kb/namespaces/default/keyword/meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
    let parts = meta["segments"].as_array().unwrap().len();
    assert!(parts < 9, "the keyword index is in {parts} parts");
    assert_eq!(sandbox.json(&["status"])["keyword_chunks"], 20);
}

#[test]
fn namespaces_are_apart() {
    let sandbox = two_documents();
    sandbox.write("other/c.md", "# Filters\n\nRinse the filter.");
    sandbox.json(&["ingest", "other", "-n", "second"]);
    assert_eq!(sandbox.json(&["docs", "-n", "second"]).as_array().unwrap().len(), 1);
    assert_eq!(sandbox.json(&["docs"]).as_array().unwrap().len(), 2);
    let missing = sandbox.kb(&["search", "x", "-n", "third"]);
    assert_eq!(missing.code, 3);
    assert!(missing.err.contains("third"));
}

#[test]
fn settings_come_from_the_store_and_flags_win() {
    let sandbox = two_documents();
    sandbox.write(".kb/kb.toml", "[search]\nlimit = 1\nmethod = \"keyword\"\n");
    let hits = |args: &[&str]| sandbox.json(&[&["search", "the pump and the valve"], args].concat());
    assert_eq!(hits(&[])["hits"].as_array().unwrap().len(), 1);
    assert_eq!(hits(&[])["method"], "keyword");
    assert_eq!(hits(&["-k", "2"])["hits"].as_array().unwrap().len(), 2);
    assert_eq!(hits(&["--method", "semantic"])["method"], "semantic");
    sandbox.write(".kb/kb.toml", "[search]\nlimt = 1\n");
    let refused = sandbox.kb(&["search", "x"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("line 2") && refused.err.contains("limt"), "{}", refused.err);
}

#[cfg(unix)]
#[test]
fn a_read_only_store_can_be_searched_and_is_not_written() {
    let sandbox = ingested(Sandbox::without_privileges());
    sandbox.write("c.md", "# Filters\n\nRinse the filter.");
    sandbox.set_store_writable(false);
    let found = sandbox.kb(&["search", "valve"]);
    assert!(found.out.contains("slowly"), "{}", found.err);
    let refused = sandbox.kb(&["ingest", "."]);
    assert_eq!(refused.code, 3, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("permission denied") && refused.err.contains("--kb"), "{}", refused.err);
    sandbox.set_store_writable(true);
    assert_eq!(sandbox.json(&["status"])["generation"], 1);
}

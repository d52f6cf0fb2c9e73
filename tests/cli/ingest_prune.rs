//! `kb ingest --prune`: which documents it removes, which it names, and when it asks first.

use crate::common::{Sandbox, row, run, text};

#[test]
fn prune_removes_only_documents_whose_file_is_gone() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "About valves.");
    sandbox.write("docs/b.md", "About pumps.");
    sandbox.write("other/c.md", "About filters.");
    sandbox.json(&["ingest", "docs", "other", "--no-embed"]);
    std::fs::remove_file(sandbox.path("docs/a.md")).unwrap();
    std::fs::remove_file(sandbox.path("other/c.md")).unwrap();
    let ingest = |flags: &[&str]| sandbox.json(&[&["ingest", "docs", "--no-embed"], flags].concat());
    assert_eq!(ingest(&[])["counts"]["removed"], 0, "not without --prune");
    let dry = ingest(&["--prune", "--dry-run"]);
    assert_eq!((&dry["dry_run"], &dry["counts"]["removed"]), (&true.into(), &1.into()));
    assert_eq!(sandbox.count(&["docs"]), 3, "a dry run changes nothing");
    assert_eq!(ingest(&["--prune", "--yes"])["counts"]["removed"], 1);
    let left = sandbox.kb(&["docs", "--format", "paths"]).out;
    assert_eq!(left, "docs/b.md\nother/c.md\n", "what lies elsewhere is not this run's");
}

#[test]
fn prune_keeps_documents_from_outside_the_named_folder() {
    let (sandbox, elsewhere) = (Sandbox::new(), tempfile::tempdir().unwrap());
    sandbox.write("a.md", "About valves.");
    let outside = elsewhere.path().join("b.md");
    std::fs::write(&outside, "About pumps.").unwrap();
    sandbox.json(&["ingest", ".", outside.to_str().unwrap(), "--no-embed"]);
    std::fs::remove_file(&outside).unwrap();
    // The folder of the store.
    let counts = &sandbox.json(&["ingest", ".", "--prune", "--yes", "--no-embed"])["counts"];
    assert_eq!((counts["removed"].as_u64(), sandbox.count(&["docs"])), (Some(0), 2), "{counts}");
    let counts =
        &sandbox.json(&["ingest", elsewhere.path().to_str().unwrap(), "--prune", "--yes", "--no-embed"])["counts"];
    assert_eq!((counts["removed"].as_u64(), sandbox.count(&["docs"])), (Some(1), 1), "{counts}");
}

#[test]
fn prune_removes_a_document_whose_name_a_folder_has_now() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Pump\n\nPrime it.\n");
    sandbox.write("docs/b.md", "# Valve\n\nOpen it.\n");
    sandbox.kb(&["ingest", "docs", "--no-embed", "-q"]).ok();
    std::fs::remove_file(sandbox.path("docs/a.md")).unwrap();
    sandbox.write("docs/a.md/c.md", "# Casing\n\nFill it.\n");
    assert_eq!(sandbox.items(&["docs"])[0]["stale"], "gone");
    assert_eq!(sandbox.json(&["ingest", "docs", "--no-embed", "--prune"])["counts"]["removed"], 1);
}

#[test]
fn prune_names_documents_whose_files_are_left_out_and_were_not_named() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "About valves.");
    sandbox.write("docs/b.md", "About pumps.");
    sandbox.write("docs/notes.xyz", "About seals.");
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    sandbox.json(&["ingest", "docs/notes.xyz", "--as", "text", "--no-embed"]);
    sandbox.write("docs/.kbignore", "b.md\n");
    let notes = sandbox.json(&["ingest", "docs", "--no-embed"])["notes"].to_string();
    assert!(!notes.contains("left_out"), "not without --prune: {notes}");
    let report = sandbox.json(&["ingest", "docs", "--no-embed", "--prune"]);
    assert_eq!(report["counts"]["removed"], 0);
    let message = text(row(&report["notes"], "code", "left_out"), "message");
    assert!(message.starts_with("1 document stays") && message.contains(": docs/b.md; `kb remove DOC`"), "{message}");
}

#[test]
fn a_folder_above_the_store_holds_its_documents_too() {
    let sandbox = Sandbox::new();
    sandbox.write("project/a.md", "About valves.");
    sandbox.write("project/b.md", "About pumps.");
    let project = sandbox.path("project");
    let kb = |args: &[&str]| run(sandbox.command(args).current_dir(&project));
    kb(&["ingest", ".", "--no-embed"]).ok();
    std::fs::remove_file(sandbox.path("project/b.md")).unwrap();
    kb(&["ingest", "..", "--no-embed"]).shows(0, "b.md");
    kb(&["ingest", "..", "--no-embed", "--prune", "--yes"]).ok();
    assert_eq!(kb(&["docs", "--format", "paths"]).out, "a.md\n");
    // The last file is gone.
    std::fs::remove_file(sandbox.path("project/a.md")).unwrap();
    kb(&["ingest", ".", "--no-embed"]).shows(0, "a.md").shows(0, "--prune");
}

#[test]
fn prune_does_not_trust_the_absence_of_many_files() {
    let sandbox = Sandbox::new();
    for n in 0..12 {
        sandbox.write(&format!("docs/{n}.md"), format!("About valve number {n}."));
    }
    sandbox.write("other/c.md", "About filters.");
    sandbox.json(&["ingest", "docs", "other", "--no-embed"]);
    let prune = |args: &[&str]| sandbox.kb(&[&["ingest", "--prune", "--no-embed", "--format", "json"], args].concat());
    let documents = || sandbox.count(&["docs"]);
    // Two of thirteen are few.
    (0..2).for_each(|n| std::fs::remove_file(sandbox.path(&format!("docs/{n}.md"))).unwrap());
    assert_eq!((prune(&["docs"]).code, documents()), (0, 11));
    // Three of eleven are many. New files are still ingested.
    (2..5).for_each(|n| std::fs::remove_file(sandbox.path(&format!("docs/{n}.md"))).unwrap());
    sandbox.write("docs/new.md", "About pumps.");
    prune(&["docs"])
        .tells(3, "remove 3 of 11 documents")
        .tells(3, "--dry-run")
        .tells(3, "--yes")
        .shows(3, "\"not_removed\"");
    assert_eq!(documents(), 12);
    // One folder is empty, and then it is gone: both look like a disk that is not mounted.
    std::fs::remove_file(sandbox.path("other/c.md")).unwrap();
    let refuses_the_other = || {
        prune(&["other"]).tells(3, "nothing is left in other");
    };
    refuses_the_other();
    std::fs::remove_dir(sandbox.path("other")).unwrap();
    refuses_the_other();
    prune(&["oter"]).tells(2, "oter does not exist");
    assert_eq!((prune(&["docs", "other", "--yes"]).code, documents()), (0, 8));
    // Files in another folder are moved, not gone.
    std::fs::rename(sandbox.path("docs"), sandbox.path("manuals")).unwrap();
    assert_eq!((prune(&["."]).code, documents()), (0, 8));
}

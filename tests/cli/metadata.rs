//! Metadata that rules, side files, options and people give to documents.

use serde_json::{Value, json};

use crate::common::Sandbox;

fn metadata(sandbox: &Sandbox, document: &str) -> Value {
    sandbox.items(&["docs", document])[0]["metadata"].clone()
}

fn found(sandbox: &Sandbox, filter: &str) -> Vec<String> {
    let run = sandbox.kb(&["docs", "--filter", filter, "--format", "paths"]);
    run.out.lines().map(str::to_owned).collect()
}

/// A contract, and a manual that states some metadata itself.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("contracts/a.md", "# Contract\n\nThe buyer pays within thirty days.\n");
    sandbox.write("manual.md", "---\nauthor: Ann\ntags: pump, valve\n---\n# Manual\n\nOpen the valve slowly.\n");
    sandbox
}

#[test]
fn rules_side_files_and_options_describe_documents_and_keep_types() {
    let sandbox = sandbox();
    sandbox.write(
        ".kb/kb.toml",
        "[[ingest.metadata]]\npath = \"contracts/**\"\ntags = [\"legal\"]\nproject = \"apollo\"\n\
         [[ingest.metadata]]\npath = \"*.md\"\nlevel = 3\n",
    );
    sandbox.write("manual.md.meta.toml", "author = \"Bo\"\nlevel = 10\nsigned = 2026-11-21\ntags = [\"safety\"]\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "--meta", "reviewed=true", "--tag", "year 2026"]).ok();
    let contract = json!({"level": 3, "project": "apollo", "reviewed": true, "tags": ["legal", "year 2026"]});
    assert_eq!(metadata(&sandbox, "a.md"), contract);
    let manual = json!({
        "author": "Bo", "level": 10, "reviewed": true, "signed": "2026-11-21",
        "tags": ["pump", "valve", "safety", "year 2026"],
    });
    assert_eq!(metadata(&sandbox, "manual.md"), manual);
    for (filter, expected) in [
        ("level > 5", "manual.md"),
        ("tags = legal", "contracts/a.md"),
        ("project = APOLLO", "contracts/a.md"),
        ("signed >= 2026-11 and tags = valve", "manual.md"),
    ] {
        assert_eq!(found(&sandbox, filter), [expected], "{filter}");
    }
    assert_eq!(found(&sandbox, "ingested_at > 2026-01-01 and reviewed = true").len(), 2);
    let hits = sandbox.json(&["search", "valve"]);
    assert_eq!(hits["hits"][0]["metadata"], manual);
    // The same again publishes nothing; another rule and another side file change only the rows.
    assert_eq!(sandbox.json(&["ingest", ".", "--no-embed"])["generation"], Value::Null);
    sandbox.write(".kb/kb.toml", "[[ingest.metadata]]\npath = \"Contracts\"\nproject = \"gemini\"\n");
    std::fs::remove_file(sandbox.path("manual.md.meta.toml")).unwrap();
    let report = sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(report["counts"]["updated"], 2, "{report}");
    assert_eq!(metadata(&sandbox, "a.md"), json!({"project": "gemini", "reviewed": true, "tags": ["year 2026"]}));
    assert_eq!(metadata(&sandbox, "manual.md")["tags"], json!(["pump", "valve", "year 2026"]));
    sandbox.kb(&["check"]).ok();
}

#[test]
fn what_a_person_sets_survives_ingests_and_can_be_taken_back() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let dry = sandbox.json(&["doc-set", "manual.md", "--meta", "author=Bo", "--dry-run"]);
    assert_eq!(dry["items"][0]["changed"], true);
    assert_eq!(metadata(&sandbox, "manual.md")["author"], "Ann");
    let set =
        ["doc-set", "manual.md", "--meta", "author=Bo", "--meta", "pages=[1, 2]", "--tag", "moon", "--untag", "pump"];
    let done = sandbox.json(&set);
    let expected = json!({"author": "Bo", "pages": [1, 2], "tags": ["valve", "moon"]});
    assert_eq!(done["items"][0]["metadata"], expected);
    assert_eq!(sandbox.json(&set)["items"][0]["changed"], false, "said twice");
    sandbox.write("manual.md", "---\nauthor: Cy\ntags: pump, valve, seal\n---\n# Manual\n\nOpen the valve now.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let expected = json!({"author": "Bo", "pages": [1, 2], "tags": ["valve", "seal", "moon"]});
    assert_eq!(metadata(&sandbox, "manual.md"), expected);
    sandbox.json(&["reindex", "--structure", "--force"]);
    assert_eq!(metadata(&sandbox, "manual.md"), expected);
    sandbox.json(&["doc-set", "manual.md", "--unset", "author", "--tag", "pump"]);
    assert_eq!(metadata(&sandbox, "manual.md"), json!({"pages": [1, 2], "tags": ["pump", "valve", "seal", "moon"]}));
    sandbox.kb(&["log"]).shows_all(0, &["doc-set", "1 described"]);
    // A date that is set is the time of the document.
    sandbox.json(&["doc-set", "manual.md", "--meta", "date=1969-07-20"]);
    assert_eq!(found(&sandbox, "time < 1970"), ["manual.md"]);
    sandbox.kb(&["check"]).ok();
}

#[test]
fn what_a_document_does_not_have_is_not_taken_away() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", ".", "--no-embed"]);
    sandbox.json(&["doc-set", "manual.md", "--meta", "team=blue"]);
    assert_eq!(found(&sandbox, "team exists"), ["manual.md"]);
    sandbox.json(&["doc-set", "manual.md", "--meta", "team="]);
    assert!(found(&sandbox, "team exists").is_empty(), "an empty value removes a field");
    for nothing in [["--unset", "nosuch"], ["--untag", "nosuch"], ["--meta", "team="]] {
        sandbox.kb(&[&["doc-set", "manual.md"][..], &nothing].concat()).shows(0, "no change: ");
    }
    assert_eq!(sandbox.count(&["log"]), 3, "nothing was published for nothing");
}

#[test]
fn wrong_metadata_is_refused_and_changes_nothing() {
    let sandbox = sandbox();
    sandbox.write("manual.md.meta.toml", "level =\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).tells(4, "manual.md.meta.toml");
    assert_eq!(sandbox.count(&["docs"]), 1, "the other file is in");
    for (args, says) in [
        (&["doc-set", "a.md"][..], "no option says what to set"),
        (&["doc-set", "a.md", "--meta", "x"], "NAME=VALUE"),
        (&["doc-set", "a.md", "--meta", "time=tomorrow"], "set date"),
        (&["doc-set", "a.md", "--meta", "title=Pumps"], "comes from its source: correct it there"),
        (&["doc-set", "a.md", "--meta", "page=3"], "filters take page from the document"),
        (&["doc-set", "a.md", "--tag", "a, b"], "a tag without commas"),
        (&["doc-set", "a.md", "--tag", "a", "--untag", "a"], "both set and removed"),
    ] {
        sandbox.kb(args).tells(2, says);
    }
    // Named files are documents under any name, but the side file of one is not.
    sandbox.write("manual.md.meta.toml", "level = 1\n");
    sandbox.kb(&["ingest", "manual.md", "manual.md.meta.toml", "--no-embed"]).ok();
    assert_eq!(sandbox.count(&["docs"]), 2);
    sandbox.write(".kb/kb.toml", "[[ingest.metadata]]\npath = \"a[b\"\nx = 1\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).tells(2, "is not a glob");
}

#[test]
fn a_field_that_filters_would_not_see_is_kept_if_the_document_states_it_and_otherwise_refused() {
    let sandbox = sandbox();
    sandbox.write("memo.md", "---\nkind: memo\nsection: 7\n---\n# Memo\n\nClose the valve.\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    assert_eq!(metadata(&sandbox, "memo.md"), json!({"kind": "memo", "section": 7}));
    sandbox.write("memo.md.meta.toml", "language = \"Latin\"\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    assert_eq!(metadata(&sandbox, "memo.md"), json!({"kind": "memo", "section": 7, "language": "Latin"}));
    sandbox.write(".kb/kb.toml", "[[ingest.metadata]]\npath = \"*.md\"\nsection = 7\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).tells(2, "filters take section from the document");
    sandbox.write(".kb/kb.toml", "[headings]\ntags = \"Year {}\"\n");
    sandbox.kb(&["docs"]).tells(2, "filters take tags from the document");
}

#[test]
fn the_report_names_what_people_did_to_a_removed_document() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", ".", "--no-embed"]);
    sandbox.json(&["doc-set", "manual.md", "--meta", "owner=ann", "--tag", "keep", "--untag", "pump"]);
    std::fs::remove_file(sandbox.path("manual.md")).unwrap();
    std::fs::remove_file(sandbox.path("contracts/a.md")).unwrap();
    sandbox.write("b.md", "About filters.");
    let report = sandbox.json(&["ingest", ".", "--no-embed", "--prune", "--yes"]);
    let warnings: Vec<&Value> = report["items"].as_array().unwrap().iter().map(|item| &item["warnings"]).collect();
    let expected = [json!([]), json!([]), json!(["1 field, 2 tags removed with it"])];
    assert_eq!(warnings, expected.iter().collect::<Vec<_>>(), "{report}");
}

/// The name of a file with its metadata would be too long for the file system.
#[test]
fn a_file_with_the_longest_name_is_ingested() {
    let sandbox = Sandbox::new();
    let name = format!("{}.md", "泵".repeat(84));
    sandbox.write(&name, "# Valves\n\nClose the valve slowly.\n");
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    assert_eq!(found(&sandbox, "format = markdown"), [name]);
}

//! `kb reindex --query-encoder`, and questions that are asked with what it made.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::PathBuf;

use common::Sandbox;
use serde_json::Value;

/// The bytes of a table that say more than what it is: hash, time and names.
const BEGINNING: usize = 1024;
const QUESTION: &str = "how is the pump casing filled?";

/// A store of a few dozen sentences.
fn manual() -> Sandbox {
    let sandbox = Sandbox::new();
    let steps = |thing: &str, deed: &str| {
        format!(
            "## {thing}\n\nThe {thing} is {deed} before the first start of the day. Open the small valve and wait until \
             water comes out. Never stand in front of the {thing} while it is {deed}.\n\n"
        )
    };
    let things = [
        ("pump casing", "filled"),
        ("relief valve", "opened"),
        ("motor bearing", "greased"),
        ("inlet filter", "cleaned"),
    ];
    let text: String = things.into_iter().map(|(thing, deed)| steps(thing, deed)).collect();
    sandbox.write("docs/manual.md", format!("# Manual\n\n{text}"));
    assert_eq!(sandbox.kb(&["ingest", "docs", "-q"]).code, 0);
    sandbox
}

fn table(sandbox: &Sandbox) -> PathBuf {
    sandbox.path(".kb/namespaces/default/query-encoder.table")
}

/// What the stage that makes the question's vector says.
fn said(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let result = sandbox.json(&[&["search", "--explain"], arguments].concat());
    let stages: Vec<Value> = result["stages"].as_array().unwrap().clone();
    let stage = stages.iter().find(|stage| stage["name"] == "encode");
    stage.map_or_else(String::new, |stage| stage["says"].to_string())
}

#[test]
fn a_table_is_fitted_and_asked_where_it_knows_all_words() {
    let sandbox = manual();
    let fitted = |sandbox: &Sandbox| sandbox.json(&["status"])["query_encoder"].clone();
    assert_eq!(fitted(&sandbox), Value::Null);
    let dry = sandbox.json(&["reindex", "--query-encoder", "--dry-run"]);
    assert!(dry["texts"].as_u64() > Some(50) && dry["agreement"].is_null() && !table(&sandbox).exists());

    let report = sandbox.json(&["reindex", "--query-encoder"]);
    assert!(report["agreement"].as_f64() > Some(0.5), "{report}");
    assert_eq!(report["bytes"].as_u64(), std::fs::metadata(table(&sandbox)).ok().map(|facts| facts.len()));
    let status = fitted(&sandbox);
    assert_eq!((&status["generation"], &status["passed_over"]), (&Value::from(1), &Value::Null));
    assert!(sandbox.kb(&["status"]).out.contains("by a table fitted to generation 1; mean cosine to the model 0."));

    // The words are all there, or in a question that the table was taught to expect.
    assert!(said(&sandbox, &[QUESTION]).contains("by the table"), "{}", said(&sandbox, &[QUESTION]));
    let found = sandbox.json(&["search", QUESTION, "--method", "semantic"]);
    assert_eq!(found["hits"][0]["section_title"], "pump casing");
    assert!(said(&sandbox, &[QUESTION, "--query-encoder", "model"]).contains("by the model"));
    let strange = "how is the centrifugal pump primed?";
    assert!(said(&sandbox, &[strange]).contains("by the model, because the table does not know"));
    assert!(said(&sandbox, &[strange, "--query-encoder", "table"]).contains("by the table, which does not know"));

    // Fitting it again gives the same, and no generation is published.
    let first = std::fs::read(table(&sandbox)).unwrap();
    let again = sandbox.json(&["reindex", "--query-encoder"]);
    assert_eq!(again["agreement"], report["agreement"]);
    // But for its beginning, with the time and the hash: the time may have a digit less.
    let second = std::fs::read(table(&sandbox)).unwrap();
    let same = first.len().min(second.len()) - BEGINNING;
    assert!(first[first.len() - same..] == second[second.len() - same..] && first.len().abs_diff(second.len()) < 16);
    assert_eq!(sandbox.json(&["status"])["generation"], 1);
    assert_eq!(sandbox.kb(&["check"]).code, 0, "it is no stranger in the store");
}

#[test]
fn the_setting_is_taken_from_flag_environment_and_file() {
    let sandbox = manual();
    let refused = sandbox.kb(&["search", QUESTION, "--query-encoder", "table"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("there is no query encoder") && refused.err.contains("kb reindex --query-encoder"));
    assert!(said(&sandbox, &[QUESTION]).contains("by the model"), "without a table the model is asked");

    let by_environment = |value: &str, arguments: &[&str]| {
        let mut command = sandbox.command(&[&["search", QUESTION], arguments].concat());
        common::Run::of(command.env("KB_SEARCH_QUERY_ENCODER", value).output().unwrap())
    };
    assert_eq!(by_environment("table", &[]).code, 3);
    assert_eq!(by_environment("table", &["--query-encoder", "auto"]).code, 0, "what is typed wins");
    assert!(by_environment("tables", &[]).err.contains("KB_SEARCH_QUERY_ENCODER"));
    sandbox.write(".kb/kb.toml", "[search]\nquery_encoder = \"table\"\n");
    assert_eq!(sandbox.kb(&["search", QUESTION]).code, 3);
    assert_eq!(by_environment("model", &[]).code, 0, "the environment wins over the file");
    let both = sandbox.kb(&["reindex", "--query-encoder", "--structure"]);
    assert_eq!(both.code, 2, "{}", both.err);
}

#[test]
fn a_damaged_table_is_passed_over_told_and_made_again() {
    let sandbox = manual();
    assert_eq!(sandbox.kb(&["reindex", "--query-encoder", "-q"]).code, 0);
    let whole = std::fs::read(table(&sandbox)).unwrap();
    let mut bent = whole.clone();
    *bent.last_mut().unwrap() ^= 1;
    for damaged in [&bent[..], &whole[..whole.len() / 2], b"", b"no table"] {
        std::fs::write(table(&sandbox), damaged).unwrap();
        let found = sandbox.kb(&["search", QUESTION]);
        assert_eq!(found.code, 0, "{}", found.err);
        assert!(found.err.contains("asked the model") && found.err.contains("is damaged"), "{}", found.err);
        assert!(sandbox.kb(&["status"]).out.contains("none that can be used"));
        let refused = sandbox.kb(&["search", QUESTION, "--query-encoder", "table"]);
        assert!(refused.code == 3 && refused.err.contains("make it again"), "{}", refused.err);
    }
    assert_eq!(sandbox.kb(&["reindex", "--query-encoder", "-q"]).code, 0);
    assert!(said(&sandbox, &[QUESTION]).contains("by the table"));
}

#[test]
fn several_namespaces_are_asked_by_the_model_and_an_empty_one_is_told() {
    let sandbox = manual();
    assert_eq!(sandbox.kb(&["reindex", "--query-encoder", "-q"]).code, 0);
    assert_eq!(sandbox.kb(&["ingest", "docs", "-q", "-n", "other"]).code, 0);
    assert!(said(&sandbox, &[QUESTION, "-n", "all"]).contains("several namespaces"));
    let refused = sandbox.kb(&["search", QUESTION, "-n", "all", "--query-encoder", "table"]);
    assert!(refused.code == 3 && refused.err.contains("of its own"), "{}", refused.err);
    sandbox.write("short/note.md", "Only this.\n");
    assert_eq!(sandbox.kb(&["ingest", "short", "-q", "-n", "short"]).code, 0);
    let refused = sandbox.kb(&["reindex", "--query-encoder", "-n", "short"]);
    assert!(refused.code == 3 && refused.err.contains("too little text"), "{}", refused.err);
}

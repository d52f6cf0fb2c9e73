//! `kb search --explain`, `--why` and `--rerank`: how a result came about.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use common::Sandbox;
use serde_json::Value;

/// Passages that speak of a pump, one that says everything the question asks, and one that says a word of it often.
fn pumps() -> Sandbox {
    let sandbox = Sandbox::new();
    let often = "The pump is a pump. ".repeat(6);
    let text = format!(
        "# Overview\n\n{often}\n\n# Relief\n\nThe valve relieves the pump casing of trapped air.\n\n# Paint\n\nGreen or blue.\n"
    );
    sandbox.write("pumps.md", text);
    assert_eq!(sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).code, 0);
    sandbox
}

fn stage<'v>(result: &'v Value, name: &str) -> &'v Value {
    let stages = result["stages"].as_array().unwrap();
    stages.iter().find(|stage| stage["name"] == name).unwrap_or_else(|| panic!("no stage {name}: {stages:?}"))
}

fn hits(result: &Value) -> Vec<&str> {
    result["hits"].as_array().unwrap().iter().map(|hit| hit["chunk_id"].as_str().unwrap()).collect()
}

#[test]
fn every_stage_says_what_it_took_and_gave() {
    let sandbox = pumps();
    let result = sandbox.json(&["search", "air in the pump", "--explain"]);
    let fused = stage(&result, "fuse")["candidates"].as_array().unwrap();
    assert_eq!(fused.len(), 2, "{fused:?}");
    assert!(stage(&result, "keyword")["milliseconds"].as_f64() > Some(0.0));
    let cut = stage(&result, "cut")["candidates"].as_array().unwrap();
    assert_eq!(cut.iter().map(|one| one["id"].as_str().unwrap()).collect::<Vec<_>>(), hits(&result));
    assert!(sandbox.json(&["search", "air in the pump"])["stages"].is_null());
    for format in ["table", "markdown"] {
        let shown = sandbox.kb(&["search", "air in the pump", "--explain", "--format", format]).out;
        assert!(shown.contains("How it was found") && shown.contains("second_look"), "{shown}");
    }
}

#[test]
fn the_second_look_can_be_left_out() {
    let sandbox = pumps();
    let result = sandbox.json(&["search", "air in the pump", "--explain", "--rerank", "off"]);
    assert!(result["stages"].as_array().unwrap().iter().all(|stage| stage["name"] != "second_look"));
    // An arm that was asked for alone stays itself, unless the second look is asked for too.
    let result = sandbox.json(&["search", "pump", "--explain", "--method", "keyword"]);
    assert!(result["stages"].as_array().unwrap().iter().all(|stage| stage["name"] != "second_look"));
    stage(&sandbox.json(&["search", "pump", "--explain", "--method", "keyword", "--rerank", "light"]), "second_look");
}

#[test]
fn a_passage_that_is_missing_says_where_it_was_lost() {
    let sandbox = pumps();
    let all = sandbox.json(&["search", "air in the pump", "-k", "9"]);
    let [first, second] = hits(&all)[..] else { panic!("{all}") };
    let why = |args: &[&str]| {
        let run = sandbox.kb(&[&["search", "air in the pump", "--format", "json"], args].concat());
        (run.code, serde_json::from_str::<Value>(&run.out).unwrap_or_default(), run.err)
    };
    let (code, found, _) = why(&["--why", first]);
    assert_eq!((code, found["rank"].as_u64()), (0, Some(1)));
    let (code, cut, _) = why(&["--why", second, "-k", "1"]);
    assert_eq!((code, cut["lost_in"].as_str(), cut["remedy"].as_str()), (1, Some("cut"), Some("-k 2 shows it")));
    // A piece stands for its passage, a section for its best.
    assert_eq!(why(&["--why", &format!("{first}.0")]).1["chunk_id"], first);
    let section = all["hits"][0]["section_id"].as_str().unwrap();
    assert_eq!(why(&["--why", section]).1["chunk_id"], first);
    let document = first.split(':').next().unwrap();
    let (_, paint, _) = why(&["--why", &format!("{document}#3")]);
    assert_eq!(paint["lost_in"], "recall", "{paint}");
    let (code, _, error) = why(&["--why", "zzzzzz:1"]);
    assert!(code == 1 && error.contains("no chunk or section"), "{code} {error}");
}

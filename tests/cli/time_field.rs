//! Times that are not dates: numbers in a field of documents, sections and chunks.

use serde_json::Value;

use crate::common::{Sandbox, of_hits, row, titles};

/// Three documents of one story, one without a time, and what each says of the sword.
fn story() -> Sandbox {
    Sandbox::prepared("time_field::story", |sandbox| {
        sandbox.write("early.md", "---\nstory_time: 1000\n---\n# Early\n\nThe sword was forged in the mountain.");
        sandbox.write("middle.md", "---\nstory_time: 1200\n---\n# Middle\n\nThe sword was broken in the battle.");
        sandbox.write("late.md", "---\nstory_time: 1300\n---\n# Late\n\nThe sword was forged anew by the smiths.");
        sandbox.write("always.md", "# Always\n\nA sword is a weapon with a blade.");
        sandbox.json(&["ingest", ".", "--no-embed"]);
    })
}

/// The sources found about the sword, best first.
fn found(sandbox: &Sandbox, flags: &[&str]) -> Vec<String> {
    let json = sandbox.json(&[&["search", "sword", "--method", "keyword", "-k", "9"], flags].concat());
    of_hits(&json, "source")
}

#[test]
fn later_times_are_left_out_and_documents_without_a_time_stay() {
    let sandbox = story();
    for (flag, expected) in [
        ("--as-of", &["always.md", "early.md", "middle.md"][..]),
        ("--after", &["late.md", "middle.md"]),
        ("--before", &["early.md"]),
    ] {
        let mut sources = found(&sandbox, &["--time-field", "story_time", flag, "1200"]);
        sources.sort();
        assert_eq!(sources, expected, "{flag}");
    }
    let listed = sandbox.items(&["docs", "--time-field", "story_time", "--after", "1200"]);
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed}");
}

/// The scores of two documents, with and without a decay.
fn kept(sandbox: &Sandbox, half_life: &str) -> [f64; 3] {
    let scores = |flags: &[&str]| {
        let json =
            sandbox.json(&[&["search", "sword", "--method", "keyword", "-k", "9", "--rerank", "off"], flags].concat());
        ["early.md", "middle.md", "always.md"].map(|name| row(&json["hits"], "source", name)["score"].as_f64().unwrap())
    };
    let plain = scores(&["--time-field", "story_time", "--as-of", "1200"]);
    let decayed = scores(&["--time-field", "story_time", "--as-of", "1200", "--half-life", half_life]);
    [0, 1, 2].map(|at| decayed[at] / plain[at])
}

#[test]
fn scores_decay_with_the_distance_in_the_field() {
    let sandbox = story();
    let near =
        |is: [f64; 3], expected: [f64; 3]| is.iter().zip(expected).all(|(is, expected)| (is - expected).abs() < 0.01);
    let exponential = kept(&sandbox, "100");
    assert!(near(exponential, [0.25, 1.0, 1.0]), "{exponential:?}");
    let hyperbolic = kept(&sandbox, "hyperbolic:100");
    assert!(near(hyperbolic, [1.0 / 3.0, 1.0, 1.0]), "{hyperbolic:?}");
}

#[test]
fn headings_state_the_time_of_their_sections() {
    let sandbox = Sandbox::of_document(
        "chronicle.md",
        "# Year 1000\n\nThe sword was forged.\n\n## Summer\n\nThe sword shone.\n\n# Year 1300\n\nThe sword was lost.\n",
        &["--no-embed"],
    );
    sandbox.configure("[headings]\nstory_time = [\"Year {}\", \"第{}年\"]\n");
    let search = ["search", "sword", "--method", "keyword"];
    let json =
        sandbox.json(&[&search[..], &["--time-field", "story_time", "--as-of", "1200", "--merge=false"]].concat());
    let titles = titles(&json);
    assert!(titles.len() == 2 && !titles.contains(&"Year 1300"), "{titles:?}");
    sandbox.kb(&["search", "sword", "--method", "keyword", "--filter", "story_time = 1300"]).ok();
    sandbox.write("plenty.md", "---\nstory_time: 900\n---\n# Year of plenty\n\nNobody drew a sword.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let before = found(&sandbox, &["--time-field", "story_time", "--before", "950"]);
    assert_eq!(before, ["plenty.md"], "a heading without a number says nothing");
    sandbox.configure("[headings]\nstory_time = \"Year\"\n");
    sandbox.kb(&["search", "sword"]).tells(2, "form of a heading");
}

#[test]
fn fields_of_records_are_times_and_metadata() {
    let sandbox = Sandbox::of_document(
        "facts.jsonl",
        "{\"_id\": \"a\", \"text\": \"The sword was forged.\", \"story_time\": 1000, \"metadata\": {\"place\": \"mountain\"}}\n\
         {\"_id\": \"b\", \"text\": \"The sword was lost.\", \"story_time\": 1300, \"place\": \"river\"}\n",
        &["--no-embed"],
    );
    let search = |flags: &[&str]| sandbox.hits(&[&["sword", "--method", "keyword"], flags].concat());
    let past = search(&["--time-field", "story_time", "--as-of", "1200"]);
    assert!(past.len() == 1 && past[0]["section"]["path"] == "1", "{past:?}");
    assert_eq!((&past[0]["metadata"]["story_time"], &past[0]["metadata"]["place"]), (&1000.into(), &"mountain".into()));
    let river = search(&["--filter", "place = river"]);
    assert!(river.len() == 1 && river[0]["section"]["path"] == "2", "{river:?}");
    assert_eq!(search(&["--filter", "place != river"]).len(), 1);
    sandbox.json(&["reindex", "--chunks"]);
    assert_eq!(search(&["--filter", "place = river"]).len(), 1, "records keep their fields");
}

#[test]
fn a_chunk_may_have_a_time_of_its_own() {
    let sandbox = story();
    let json = sandbox.json(&["search", "broken sword", "--method", "keyword", "-k", "1"]);
    let id = json["hits"][0]["chunk_id"].as_str().unwrap();
    sandbox.json(&["chunk-edit", id, "--meta", "story_time=1250"]);
    let past = found(&sandbox, &["--time-field", "story_time", "--as-of", "1200"]);
    assert!(!past.contains(&"middle.md".to_owned()), "{past:?}");
}

#[test]
fn states_of_entities_follow_the_field() {
    let sandbox = story();
    for (time, state) in [("1000", "whole"), ("1200", "broken")] {
        sandbox.json(&["entity-set", "sword", "--state", state, "--time", time, "--time-field", "story_time"]);
    }
    let state =
        |time: &str| sandbox.items(&["entities", "--time-field", "story_time", "--as-of", time])[0]["state"].clone();
    assert_eq!([state("999"), state("1199"), state("1300")], [Value::Null, "whole".into(), "broken".into()]);
    let context =
        sandbox.kb(&["context", "sword", "--method", "keyword", "--time-field", "story_time", "--as-of", "1100"]);
    context.shows_all(0, &["whole", "story_time 1000"]);
    sandbox.json(&["entity-set", "sword", "--state", "mended", "--time", "1250.123456", "--time-field", "story_time"]);
    let lines = sandbox.kb(&["entities", "sword", "--format", "jsonl"]).out;
    assert!(lines.contains("1250.123456"), "{lines}");
    assert_eq!(sandbox.kb_with_input(&["entity-set", "--from", "-", "-n", "copy"], lines.as_bytes()).code, 2);
    sandbox.json(&["ingest", "early.md", "--no-embed", "-n", "copy"]);
    sandbox.kb_with_input(&["entity-set", "--from", "-", "-n", "copy"], lines.as_bytes()).ok();
    for namespace in ["default", "copy"] {
        let states = sandbox.items(&["entities", "sword", "-n", namespace])[0]["states"].take();
        assert_eq!(states.as_array().map(Vec::len), Some(3), "{namespace}");
    }
}

#[test]
fn an_invalid_time_is_an_error() {
    let sandbox = story();
    let fails = |flags: &[&str], words: &str| {
        sandbox.kb(&[&["search", "sword", "--method", "keyword"], flags].concat()).tells(2, words);
    };
    fails(&["--half-life", "100"], "without a unit");
    fails(&["--time-field", "story_time", "--half-life", "100"], "has no starting point");
    fails(&["--time-field", "story_time", "--as-of", "1200", "--half-life", "90d"], "write a number");
    fails(&["--time-field", "story_time", "--as-of", "yesterday"], "expected a number");
    fails(&["--as-of", "99999"], "expected a time");
    fails(&["--time-field", "page", "--as-of", "3"], "no field of metadata");
    fails(&["--half-life", "slow:90d"], "hyperbolic:90d");
    let run = sandbox.kb(&["search", "sword", "--method", "keyword", "--time-field", "storytime", "--as-of", "1200"]);
    run.tells(0, "did you mean story_time?");
}

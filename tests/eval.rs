//! `kb eval` on the small set among the fixtures.

mod common;

use common::{Sandbox, fixtures};

#[test]
fn quality_on_the_fixtures_and_minimums() {
    let sandbox = Sandbox::new();
    let set = fixtures().join("retrieval").display().to_string();
    let report = sandbox.json(&["eval", &set]);
    assert_eq!(report["documents"], 40);
    let of = |method: &str| {
        let rows = report["methods"].as_array().unwrap();
        rows.iter().find(|row| row["method"] == method).unwrap()["ndcg@10"].as_f64().unwrap()
    };
    assert!(of("hybrid") >= 0.9, "{report}");
    assert!(of("hybrid") >= of("keyword").max(of("semantic")) - 0.005, "{report}");
    let fine = sandbox.kb(&["eval", &set, "--methods", "keyword", "--min", "keyword.ndcg@10>=0.5"]);
    assert_eq!(fine.code, 0, "{}", fine.err);
    let low = sandbox.kb(&["eval", &set, "--methods", "keyword", "--min", "keyword.p@1>=1.01"]);
    assert_eq!(low.code, 1);
    assert!(low.err.contains("keyword.p@1 is below 1.01"), "{}", low.err);
    assert!(!sandbox.path(".kb").exists(), "the scratch store is not the user's");
}

#[test]
fn a_set_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    let run = sandbox.kb(&["eval", "."]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("corpus.jsonl"), "{}", run.err);
    let run = sandbox.kb(&["eval", ".", "--min", "nonsense"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("METHOD.FIGURE>=NUMBER"), "{}", run.err);
}

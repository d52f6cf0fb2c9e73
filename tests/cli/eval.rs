//! `kb eval` on the small set among the fixtures.

use crate::common::{Sandbox, fixtures, row, texts};

#[test]
fn fixtures_reach_their_minimum_quality() {
    let sandbox = Sandbox::new();
    let set = fixtures().join("retrieval").display().to_string();
    let report = sandbox.json(&["eval", &set, "--min", "keyword.ndcg@10>=0.5"]);
    assert_eq!(report["documents"], 40);
    let of = |method: &str| row(&report["items"], "method", method)["ndcg@10"].as_f64().unwrap();
    assert!(of("hybrid") >= 0.9, "{report}");
    assert!(of("hybrid") >= of("keyword").max(of("semantic")) - 0.005, "{report}");
    sandbox.kb(&["eval", &set, "--methods", "keyword", "--min", "keyword.p@1>=1.01"]).tells(1, ", below 1.01");
    assert!(!sandbox.path(".kb").exists(), "the scratch store is not the user's");
}

#[test]
fn own_questions_are_asked_of_the_store_and_compared_with_an_earlier_run() {
    let sandbox = Sandbox::with_fixtures();
    let line = |line: &str| format!("{line}\n");
    let questions = [
        r#"{"question": "how do I prime the pump", "source": "pump-station-manual.pdf", "text": "Open the priming valve"}"#,
        r#"{"question": "retry limit", "source": "network-guide.md"}"#,
        r#"{"question": "how do I prime the pump", "source": "network-guide.md"}"#,
        r#"{"question": "how do I grow tomatoes on mars"}"#,
    ];
    sandbox.write("q.jsonl", questions.map(line).concat());
    let run = sandbox.kb(&["eval", "--questions", "q.jsonl", "--format", "json", "--min", "hit@1>=0.9"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report = run.json();
    let places: Vec<_> = report["items"].as_array().unwrap().iter().map(|one| one["place"].as_u64()).collect();
    assert_eq!((places[0], places[1], places[3]), (Some(1), Some(1), None), "{report}");
    assert_eq!((&report["figures"]["refused"], report["baseline"].is_null()), (&1.0.into(), true));
    assert!(report["generation"].is_u64(), "the one that was asked: {report}");
    assert!(report["unmet"][0].as_str().unwrap().starts_with("hit@1 is 0.66"), "{report}");
    // Another setting of the store gives other answers, and the comparison shows it.
    sandbox.write("before.json", &run.out);
    sandbox.write(".kb/kb.toml", "[search]\nmin_confidence = 1\n");
    let run = sandbox.kb(&["eval", "--questions", "q.jsonl", "--baseline", "before.json"]);
    let are_worse = |number: usize| run.out.contains(&format!("0 better, {number} worse, 0 new"));
    assert!(are_worse(2) || are_worse(3), "{}", run.out);
    assert!(run.out.contains("worse: retry limit") && run.out.contains("refused 1.0000"), "{}", run.out);
    for (args, says) in [
        (&["eval", "--questions", "q.jsonl", "--min", "hybrid.mrr@10>=0.5"][..], "measured only on a set"),
        (&["eval", "set", "--min", "mrr@10 >= 0.5"], "measured only on questions"),
        (&["eval", "--questions", "q.jsonl", "--jobs", "2"], "--jobs works on a set only"),
        (&["eval", "--questions", "q.jsonl", "--baseline", "q.jsonl"], "is not a report of earlier questions"),
        (&["eval", "--questions", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (&["eval", "--questions", "q.jsonl", "--baseline", "nowhere.json"], "cannot read nowhere.json"),
        (&["eval"], "required"),
    ] {
        sandbox.kb(args).tells(2, says);
    }
    for (text, says) in [
        ("{\"question\": \"a\"}\n\n{\"questio\": \"b\"}", "wrong.jsonl, line 3"),
        ("{\"question\": \"a\"}\nnonsense", "line 2: expected ident (column 2)"),
        ("{\"question\": \"a\", \"pages\": \"x-y\"}", "line 1: pages are like"),
        ("{\"question\": \"?!\"}", "line 1: the question contains no word"),
        ("\n", "has no question"),
    ] {
        sandbox.write("wrong.jsonl", text);
        sandbox.kb(&["eval", "--questions", "wrong.jsonl"]).tells(2, says);
    }
}

#[test]
fn answers_that_no_document_can_give_are_named() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let questions = [
        r#"{"question": "retry limit", "source": "gone.pdf"}"#,
        r#"{"question": "how do I prime the pump", "source": "pump-station-manual.pdf", "section": "Roling"}"#,
        r#"{"question": "how do I prime the pump", "source": "pump-station-manual.pdf", "section": "Priming the pump"}"#,
        r#"{"question": "how do I prime the pump", "source": "network-guide.md"}"#,
        r#"{"question": "how do I grow tomatoes on mars"}"#,
    ];
    sandbox.write("q.jsonl", questions.join("\n"));
    let run = sandbox.kb(&["eval", "--questions", "q.jsonl", "--format", "json"]);
    let report = run.json();
    let notes = texts(&report["notes"], "/code").into_iter().zip(texts(&report["notes"], "/message"));
    let notes: Vec<(&str, &str)> = notes.collect();
    let expected = [
        ("source_unknown", "no document has the source \"gone.pdf\", which the question \"retry limit\" names"),
        (
            "section_unknown",
            "pump-station-manual.pdf has no section \"Roling\", which the question \"how do I prime the pump\" names",
        ),
    ];
    assert_eq!(notes, expected);
    assert!(run.code == 2 && expected.iter().all(|(_, message)| run.err.contains(message)), "{}", run.err);
    let quiet = sandbox.kb(&["eval", "--questions", "q.jsonl", "--quiet"]);
    assert_eq!((quiet.code, quiet.err.lines().count()), (2, 1), "{}", quiet.err);
    assert!(quiet.err.starts_with("error: no search can answer 2 questions of q.jsonl: no document"), "{}", quiet.err);
}

#[test]
fn a_folder_without_a_set_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.kb(&["eval", "."]).tells(2, "corpus.jsonl");
    for bad in
        ["hybrid", "ndcg@10>=1", "hybrid.hit@5>=1", "hybrid.x>=1", "none.p@1>=1", "hybrid.p@1>=x", "hybrid.p@1>1"]
    {
        sandbox.kb(&["eval", ".", "--min", bad]).tells(2, "METHOD.FIGURE>=NUMBER");
    }
}

#[test]
fn a_published_beir_set_is_read_and_its_gaps_are_reported() {
    let sandbox = Sandbox::new();
    for name in ["corpus.jsonl", "queries.jsonl"] {
        let text = std::fs::read_to_string(fixtures().join("retrieval").join(name)).unwrap();
        // PowerShell writes a byte-order mark.
        sandbox.write(&format!("set/{name}"), format!("\u{feff}{text}"));
    }
    sandbox.write("set/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq01\ten01\t1\nq02\tgone\t1\nq99\ten01\t1\n");
    let run = sandbox.kb(&["eval", "set", "--methods", "keyword", "--format", "json"]);
    let report = run.json();
    assert_eq!(report["missing"], 1);
    assert_eq!((run.code, report["queries"].as_u64()), (0, Some(2)));
    assert!(run.err.contains("corpus.jsonl lacks 1 document that the judgements name"), "{}", run.err);
    sandbox.write("set/qrels.tsv", "MED-1\ten01\t1\n");
    sandbox.kb(&["eval", "set"]).tells(2, "qrels.tsv judges no query of queries.jsonl");
}

#[test]
fn questions_without_an_answer_are_measured_apart() {
    let sandbox = Sandbox::new();
    let set = fixtures().join("retrieval").display().to_string();
    let flags = ["--unanswerable", "--methods", "hybrid", "--min", "hybrid.auroc>=1.01", "--format", "json"];
    let report = sandbox.kb(&[&["eval", &set], &flags[..]].concat()).tells(1, "hybrid.auroc is 0.9").json();
    let documents = report["documents"].as_u64().unwrap();
    assert!((10..=30).contains(&documents), "{report}");
    assert!(report["items"][0]["auroc"].as_f64() > Some(0.9), "{report}");
    assert!(report["items"][0]["refused@95"].as_f64() > Some(0.5), "{report}");
    for args in [&["--min", "hybrid.auroc>=0.9"][..], &["--unanswerable", "--min", "hybrid.p@1>=0.9"]] {
        sandbox.kb(&[&["eval", &set], args].concat()).tells(2, "--unanswerable");
    }
}

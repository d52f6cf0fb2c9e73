//! `--rerank FOLDER`: a cross-encoder reads the best candidates, on both engines. The fixture's model counts the words
//! that question and parent chunk share, so its scores are easy to predict.

use std::path::Path;

use crate::common::{Sandbox, copy_files, fixtures, has_stage, of_hits, stage, titles};
use serde_json::Value;

const QUESTION: &str = "air in the pump";

/// A folder `model` with the cross-encoder, beside `pumps.md`: a parent chunk that repeats one word of the question,
/// one that has two of them once, and one that has one.
fn pumps() -> Sandbox {
    Sandbox::prepared("search_rerank::pumps", |sandbox| {
        let often = "The pump is a pump. ".repeat(6);
        let text = format!(
            "# Manual\n\n## Overview\n\n{often}\n\n## Relief\n\nThe valve relieves the pump casing of trapped air.\n\n## Paint\n\nA pump is green or blue.\n"
        );
        sandbox.write("docs/pumps.md", text);
        copy_model(&sandbox.path("model"));
        sandbox.kb(&["ingest", "docs", "-q", "--no-embed"]).ok();
    })
}

fn copy_model(to: &Path) {
    copy_files(&fixtures().join("rerank"), to);
}

fn ids(result: &Value) -> Vec<String> {
    of_hits(result, "chunk_id")
}

fn scores(result: &Value) -> Vec<f64> {
    result["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect()
}

on_both_engines!(the_model_decides_the_order);
fn the_model_decides_the_order(engine: &str) {
    let sandbox = pumps();
    assert_eq!(titles(&sandbox.json(&["search", QUESTION, "--all"])), ["Relief", "Overview", "Paint"]);
    let result =
        sandbox.json(&["search", QUESTION, "--all", "--rerank", "model", "--onnxruntime", engine, "--explain"]);
    assert_eq!(titles(&result), ["Overview", "Relief", "Paint"], "{engine}");
    // Twelve pumps; a pump and air; a pump: less four, as shares of one.
    let expected = [8.0f64, -2.0, -3.0].map(|logit| 1.0 / (1.0 + (-logit).exp()));
    for (found, expected) in scores(&result).iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{engine}: {found} {expected}");
    }
    let read = stage(&result, "cross_encoder");
    assert_eq!((read["taken"].as_u64(), read["given"].as_u64()), (Some(3), Some(3)), "{read}");
    assert!(read["notes"].to_string().contains("read 3 of the first 3"), "{read}");
    assert!(stage(&result, "cross_encoder_load")["milliseconds"].as_f64() > Some(0.0));
    assert_eq!(stage(&result, "rerank")["candidates"][0]["id"], result["hits"][1]["chunk_id"]);
    let shown = sandbox.kb(&["search", QUESTION, "--all", "--rerank", "model", "--explain", "--format", "table"]);
    shown.shows_all(0, &["rerank", "tract"]);
}

on_both_engines!(weights_beside_the_model_are_found);
fn weights_beside_the_model_are_found(engine: &str) {
    let sandbox = pumps();
    std::fs::remove_file(sandbox.path("model/model.onnx")).unwrap();
    copy_files(&fixtures().join("rerank/external"), &sandbox.path("model/onnx"));
    let result = sandbox.json(&["search", QUESTION, "--all", "--rerank", "model", "--onnxruntime", engine]);
    assert_eq!(titles(&result), ["Overview", "Relief", "Paint"], "{engine}");
    std::fs::remove_file(sandbox.path("model/onnx/model.onnx_data")).unwrap();
    sandbox.kb(&["search", QUESTION, "--all", "--rerank", "model", "--onnxruntime", engine]).refuses(3, "model.onnx");
}

#[test]
fn candidates_below_the_depth_follow_in_their_old_order() {
    let sandbox = pumps();
    let before = sandbox.json(&["search", "pump", "--method", "keyword"]);
    let after = sandbox.json(&["search", "pump", "--method", "keyword", "--rerank", "model", "--rerank-budget", "1"]);
    assert_eq!(ids(&before), ids(&after));
    assert_eq!(ids(&before).len(), 3);
    let scores = scores(&after);
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    // The hits of a single requested retriever are reranked by the model only.
    let alone = sandbox.json(&["search", "pump", "--method", "keyword", "--rerank", "model", "--explain"]);
    assert!(!has_stage(&alone, "rerank"));
}

#[test]
fn unread_candidates_follow_in_their_old_order() {
    let sandbox = Sandbox::new();
    let sections: Vec<String> = (0..400)
        .map(|i| format!("# Part {i}\n\n{}{i}.\n", "The pump is green, the water blue. ".repeat(1 + i % 7)))
        .collect();
    sandbox.write("docs/parts.md", sections.join("\n"));
    copy_model(&sandbox.path("model"));
    sandbox.kb(&["ingest", "docs", "-q", "--no-embed"]).ok();
    let asked = ["search", "green pump", "-k", "400", "--keep-duplicates"];
    let before = ids(&sandbox.json(&asked));
    assert_eq!(before.len(), 400);
    let hurried = [&asked[..], &["--rerank", "model", "--rerank-budget", "400,1ms"]].concat();
    let result = sandbox.json(&[&hurried[..], &["--explain"]].concat());
    let after = ids(&result);
    let read = stage(&result, "cross_encoder")["taken"].as_u64().unwrap() as usize;
    assert!(read < 400, "a millisecond is not enough for 400 parent chunks");
    assert_eq!(after[read..], before[read..]);
    let sorted = |ids: &[String]| {
        let mut ids = ids.to_vec();
        ids.sort();
        ids
    };
    assert_eq!(sorted(&after[..read]), sorted(&before[..read]));
    let scores = scores(&result);
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    sandbox.kb(&hurried).tells(0, "of the first 400 parent chunks in 1ms");
    // With enough time it reads them all.
    let all = [&hurried[..7], &["--rerank-budget", "400,none", "--explain"]].concat();
    assert_eq!(stage(&sandbox.json(&all), "cross_encoder")["taken"], 400);
}

#[test]
fn a_budget_without_a_model_is_noted_and_bad_models_are_refused() {
    let sandbox = pumps();
    let search = |args: &[&str]| sandbox.kb(&[&["search", QUESTION, "--all"], args].concat());
    for args in [&["--rerank-budget", "1s"][..], &["--rerank-budget", "9", "--rerank", "light"]] {
        search(args).tells(0, "--rerank-budget has no effect without a reranking model");
    }
    search(&["--rerank", "model", "--rerank-budget", "0"]).tells(2, "from 1 to 1000");
    search(&["--rerank", "./nowhere"]).refuses(2, "no such folder ./nowhere");
    search(&["--rerank", "model/model.onnx"]).refuses(2, "is a file");
    search(&["--rerank", "model", "--rerank-budget", "0s"]).tells(2, "500ms");
}

#[test]
fn an_installed_model_can_be_named() {
    let sandbox = pumps();
    let named = |name: &str| sandbox.kb(&["search", QUESTION, "--all", "--rerank", name, "--no-progress"]);
    named("BAAI/bge-reranker-base").refuses(2, ": none; download it with `kb models add bge-reranker-base`");
    sandbox.kb(&["models", "add", "model", "--name", "counts"]).ok();
    let is_reranked = |args: &[&str]| {
        let found = sandbox.json(&[&["search", QUESTION, "--all"], args].concat());
        assert_eq!(titles(&found), ["Overview", "Relief", "Paint"], "{args:?}");
    };
    is_reranked(&["--rerank", "counts"]);
    named("count").refuses(2, "no such folder and no such reranking model \"count\"").tells(2, ": counts; ");
    // In kb.toml a folder is relative to the store's folder.
    for setting in ["counts", "../model"] {
        sandbox.configure(format!("[search]\nrerank = {setting:?}\n"));
        is_reranked(&[]);
    }
    // A folder does not hide an installed model of the same name.
    copy_files(&fixtures().join("rerank/broken"), &sandbox.path("counts"));
    named("counts").ok();
    named("./counts").refuses(3, "no model.onnx");
}

on_both_engines!(a_broken_model_is_an_error_of_one_line);
fn a_broken_model_is_an_error_of_one_line(engine: &str) {
    let sandbox = pumps();
    let broken = |file: &str, content: &[u8], says: &str| {
        let folder = sandbox.path("broken");
        copy_model(&folder);
        std::fs::write(folder.join(file), content).unwrap();
        let run = sandbox
            .kb(&["search", QUESTION, "--all", "--rerank", "broken", "--onnxruntime", engine])
            .refuses(3, "error: ")
            .tells_all(3, &["broken", says]);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        let run = sandbox.kb(&["search", QUESTION, "--all", "--rerank", "broken", "--format", "json"]);
        let message: Value = serde_json::from_str(&run.err).unwrap_or_else(|error| panic!("{error}: {}", run.err));
        assert_eq!((run.code, message["error"]["kind"].as_str()), (3, Some("failed")));
    };
    let whole = std::fs::read(fixtures().join("rerank/model.onnx")).unwrap();
    let other = |name: &str| std::fs::read(fixtures().join("rerank/broken").join(name)).unwrap();
    broken("model.onnx", &whole[..whole.len() / 2], "model.onnx");
    broken("model.onnx", &other("other-output.onnx"), "last_hidden_state");
    // tract panics on this one, where Rust would abort the process.
    broken("model.onnx", &other("crash.onnx"), "reranking model");
    broken("tokenizer.json", b"{}", "tokenizer.json");
    broken("tokenizer.json", b"[[[[", "tokenizer.json");
    broken("config.json", b"no", "config.json");
    std::fs::remove_file(sandbox.path("broken/tokenizer.json")).unwrap();
    sandbox.kb(&["context", QUESTION, "--all", "--rerank", "broken"]).refuses(3, "tokenizer.json: the file is missing");
}

on_both_engines!(a_mutated_model_never_panics);
fn a_mutated_model_never_panics(engine: &str) {
    let sandbox = pumps();
    let whole = std::fs::read(fixtures().join("rerank/model.onnx")).unwrap();
    for at in (0..whole.len()).step_by(97) {
        let mut bent = whole.clone();
        bent[at] ^= 0x15;
        std::fs::write(sandbox.path("model/model.onnx"), bent).unwrap();
        let run = sandbox.kb(&["search", QUESTION, "--all", "--rerank", "model", "--onnxruntime", engine]);
        assert!([0, 2, 3].contains(&run.code), "byte {at}, {engine}: {} {}", run.code, run.err);
        assert!(run.code == 0 || run.err.lines().count() == 1, "byte {at}, {engine}: {}", run.err);
    }
}

#[test]
fn a_parent_chunk_in_two_namespaces_is_read_once() {
    let sandbox = pumps();
    sandbox.kb(&["ingest", "docs", "-q", "--no-embed", "-n", "copy"]).ok();
    let asked = |namespaces: &str| {
        let args = ["--all", "--rerank", "model", "--rerank-budget", "2", "--explain", "-n", namespaces];
        sandbox.json(&[&["search", QUESTION], &args[..]].concat())
    };
    let (one, both) = (asked("default"), asked("default,copy"));
    // Unread chunks keep the retrievers' scores, which depend on the number of parent chunks.
    assert_eq!((ids(&one), &scores(&one)[..2]), (ids(&both), &scores(&both)[..2]));
    assert_eq!(titles(&both), ["Overview", "Relief", "Paint"]);
    assert_eq!(stage(&one, "cross_encoder")["taken"], 2);
    assert_eq!(stage(&both, "cross_encoder")["taken"], 4);
}

#[test]
fn why_names_chunks_that_the_model_did_not_read() {
    let sandbox = pumps();
    let all = sandbox.json(&["search", QUESTION, "--all", "-k", "9"]);
    let overview = &ids(&all)[1];
    let why = |args: &[&str]| {
        let run = sandbox
            .kb(&[&["search", QUESTION, "--all", "-k", "1", "--format", "json", "--why", overview], args].concat());
        (run.code, run.json())
    };
    let (code, found) = why(&["--rerank", "model"]);
    assert_eq!((code, found["rank"].as_u64()), (0, Some(1)), "{found}");
    assert_eq!(stage(&found, "cross_encoder")["place"].as_u64(), Some(1), "{found}");
    let (code, lost) = why(&["--rerank", "model", "--rerank-budget", "1"]);
    assert_eq!((code, lost["setting"].as_str()), (1, Some("limit")), "{lost}");
}

#[test]
fn an_evaluation_measures_a_model() {
    let sandbox = Sandbox::new();
    copy_model(&sandbox.path("model"));
    // The answer is the parent chunk that the model likes and keyword search does not.
    let parent_chunks =
        [("often", "The pump is a pump. ".repeat(6)), ("once", "The pump is free of trapped air.".to_owned())];
    let corpus =
        parent_chunks.map(|(id, text)| format!("{}\n", serde_json::json!({ "_id": id, "text": text, "title": "" })));
    sandbox.write("set/corpus.jsonl", corpus.concat());
    sandbox.write("set/queries.jsonl", format!("{}\n", serde_json::json!({ "_id": "q", "text": QUESTION })));
    sandbox.write("set/qrels.tsv", "query-id\tcorpus-id\tscore\nq\toften\t1\n");
    let measured = |rerank: &[&str]| sandbox.json(&[&["eval", "set", "--methods", "keyword"], rerank].concat());
    let (plain, report) = (measured(&[]), measured(&["--rerank", "model"]));
    assert_eq!((plain["reranker"].as_str(), report["reranker"].as_str()), (None, Some("model")));
    let first = |report: &Value| report["items"][0]["p@1"].as_f64();
    assert_eq!((first(&plain), first(&report)), (Some(0.0), Some(1.0)), "{plain} {report}");
    sandbox.kb(&["eval", "set", "--rerank-budget", "5"]).tells(2, "--rerank");
    let run = sandbox.kb(&["eval", "set", "--rerank", "nowhere"]);
    run.refuses(2, "no such folder and no such reranking model \"nowhere\"");
}

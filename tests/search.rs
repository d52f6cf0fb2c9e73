//! `kb search`: the right section first, in every format.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Run, Sandbox};

#[test]
fn questions_find_the_section_that_answers_them() {
    let sandbox = Sandbox::with_fixtures();
    let first = |query: &str| {
        let hit = sandbox.json(&["search", query])["hits"][0].clone();
        (hit["source"].as_str().unwrap().to_owned(), hit["section"].as_str().unwrap().to_owned())
    };
    assert_eq!(first("how do I prime the pump?"), ("docs/pump-station-manual.pdf".into(), "3.2.1".into()));
    // An identifier, which only the keyword arm can know.
    let (source, _) = first("E-417");
    assert_eq!(source, "docs/pump-station-manual.pdf");
    // Chinese is not second-class: the model does not know it, and the keyword arm alone decides.
    let (source, _) = first("推力轴承温度过高怎么办");
    assert_eq!(source, "docs/泵站维护手册.pdf");
    let (source, _) = first("max_retry_count");
    assert_eq!(source, "docs/network-guide.md");

    // One sandbox for the rest too: an ingest costs seconds.
    chinese_ranks_like_keywords(&sandbox);
    methods_and_limits(&sandbox);
    formats(&sandbox);
    colour(&sandbox);
    closed_pipe(&sandbox);
}

fn chinese_ranks_like_keywords(sandbox: &Sandbox) {
    let order = |method: &str| {
        let result =
            sandbox.json(&["search", "水泵启动以前要检查什么", "--method", method, "-k", "10", "--rerank", "off"]);
        let hits = result["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["chunk_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let keyword = order("keyword");
    assert!(!keyword.is_empty());
    assert_eq!(order("auto"), keyword);
    assert_eq!(order("hybrid"), keyword);
    let told = sandbox.kb(&["search", "水泵启动", "--method", "hybrid"]).err;
    assert!(told.contains("does not know this question's language"), "{told}");
}

fn methods_and_limits(sandbox: &Sandbox) {
    let hits = |args: &[&str]| {
        let result = sandbox.json(&[&["search", "how do I prime the pump?"], args].concat());
        result["hits"].as_array().unwrap().clone()
    };
    assert_eq!(hits(&["-k", "2"]).len(), 2);
    assert!(hits(&["--method", "keyword"]).iter().all(|hit| hit["semantic_score"].is_null()));
    assert!(hits(&["--method", "semantic"]).iter().all(|hit| hit["keyword_score"].is_null()));
    let elsewhere = hits(&["--doc", "network-guide.md"]);
    assert!(!elsewhere.is_empty() && elsewhere.iter().all(|hit| hit["source"] == "docs/network-guide.md"));
    let all = hits(&["-k", "20"]);
    let good = hits(&["-k", "20", "--min-score", "0.7"]);
    assert!(!good.is_empty() && good.len() < all.len());
    assert!(good.iter().all(|hit| hit["score"].as_f64().unwrap() >= 0.7));
    let nothing = sandbox.kb(&["search", "zzyzxqwv", "--method", "keyword"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.contains("nothing found"));
}

fn formats(sandbox: &Sandbox) {
    let out = |format: &str| sandbox.kb(&["search", "how do I prime the pump?", "-k", "2", "--format", format]).out;
    assert!(out("markdown").starts_with("## 1. Norwick Pump Station"), "{}", out("markdown"));
    assert_eq!(out("jsonl").lines().count(), 2);
    let line: serde_json::Value = serde_json::from_str(out("jsonl").lines().next().unwrap()).unwrap();
    for field in [
        "rank",
        "score",
        "chunk_id",
        "doc_id",
        "source",
        "title",
        "section_id",
        "section",
        "section_title",
        "page_start",
        "page_end",
        "content",
        "snippet",
        "matches",
    ] {
        assert!(line.get(field).is_some(), "{field}");
    }
    let (start, end) =
        (line["matches"][0][0].as_u64().unwrap() as usize, line["matches"][0][1].as_u64().unwrap() as usize);
    assert!(line["snippet"].as_str().unwrap()[start..end].to_lowercase().starts_with("prim"));
    assert_eq!(out("paths"), "docs/pump-station-manual.pdf\n");
    assert!(out("table").contains(" 1. Norwick Pump Station"));
    assert!(out("table").contains("p. 5") || out("table").contains("pp. 5"), "{}", out("table"));
}

fn colour(sandbox: &Sandbox) {
    let args = ["search", "prime the pump", "--format", "table"];
    assert!(!sandbox.kb(&args).out.contains('\u{1b}'), "no colour in a pipe");
    let always = sandbox.kb(&[&args[..], &["--color", "always"]].concat());
    assert!(always.out.contains('\u{1b}'));
    let mut command = sandbox.command(&args);
    command.env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1");
    assert!(!Run::of(command.output().unwrap()).out.contains('\u{1b}'), "NO_COLOR wins");
}

/// `kb search x | head -1` ends quietly.
fn closed_pipe(sandbox: &Sandbox) {
    let mut child = sandbox
        .command(&["search", "pump", "-k", "50", "--format", "json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

//! One writer at a time: others wait or get an error that names it; a dead writer blocks no one, readers never wait.

use std::collections::BTreeSet;
use std::process::Child;
use std::time::Duration;

use crate::common::{Sandbox, end, wait_until};

const LOCK: &str = ".kb/namespaces/default/lock";

fn start(sandbox: &Sandbox, args: &[&str]) -> Child {
    crate::common::start(&mut sandbox.command(args))
}

fn one_document() -> Sandbox {
    Sandbox::prepared("locking::one_document", |sandbox| {
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
        sandbox.json(&["ingest", "docs"]);
    })
}

/// A document that keeps the model busy for far longer than any test lasts.
fn long_document(sandbox: &Sandbox) {
    let text: String = (0..20_000).map(|n| format!("Sentence {n} is about the valve of pump {}.\n\n", n * 7)).collect();
    sandbox.write("long/long.md", format!("# Long\n\n{text}"));
}

/// An ingest that has the lock.
fn start_long_ingest(sandbox: &Sandbox) -> Child {
    long_document(sandbox);
    let child = start(sandbox, &["ingest", "long"]);
    let mark = format!("process {} ", child.id());
    let holder = || std::fs::read_to_string(sandbox.path(LOCK)).unwrap_or_default();
    wait_until("the ingest has the lock", || holder().starts_with(&mark));
    child
}

#[test]
fn the_error_names_the_writer_and_its_start() {
    let sandbox = one_document();
    let mut holder = start_long_ingest(&sandbox);
    let id = sandbox.id("docs/a.md");
    sandbox.write("toc.txt", "1 Valves\n");
    for command in [
        &["ingest", "docs"][..],
        &["ingest", "docs", "--wait", "1"],
        &["remove", &id],
        &["reindex", "--structure", "--wait", "1"],
    ] {
        let refused = sandbox.kb(command);
        assert_eq!(refused.code, 5, "{command:?}: {}", refused.err);
        let who = format!("being written by process {} since ", holder.id());
        assert!(refused.err.contains(&who) && refused.err.contains(", "), "{command:?}: {}", refused.err);
        assert!(refused.err.contains("ago") || refused.err.contains("just now"), "{command:?}: {}", refused.err);
        assert!(!refused.err.contains('Z'), "no machine's time: {}", refused.err);
        assert_eq!(refused.err.contains("after 1 second "), command.contains(&"--wait"), "{}", refused.err);
    }
    let refused = sandbox.kb(&["ingest", "docs", "--format", "json"]);
    let error: serde_json::Value = serde_json::from_str(&refused.err).unwrap();
    assert_eq!((&error["error"]["kind"], &error["error"]["code"]), (&"locked".into(), &5.into()));
    assert_eq!(sandbox.kb(&["search", "valve", "--method", "keyword"]).code, 0, "readers wait for nobody");
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn every_command_that_writes_waits_as_long_as_it_is_told() {
    let sandbox = one_document();
    let chunk = sandbox.items(&["chunks-list", "--type", "parent"])[0]["chunk_id"].as_str().unwrap().to_owned();
    // A second generation, so that there is something to undo.
    sandbox.kb(&["doc-set", "a.md", "--tag", "pump"]).ok();
    let lock = sandbox.locked("default");
    let commands = [
        &["chunk-edit", &chunk, "--content", "Open it."][..],
        &["chunk-delete", &chunk, "--yes"],
        &["entity-set", "Pump", "--state", "on"],
        &["doc-set", "a.md", "--tag", "safety"],
        &["undo"],
        &["restore", "1"],
        &["export", "copy.kb"],
        &["optimize"],
        &["namespaces", "rename", "default", "other"],
        &["namespaces", "remove", "default", "--yes"],
    ];
    let started = commands.map(|command| (command, start(&sandbox, &[command, &["--wait", "1"]].concat())));
    for (command, child) in started {
        let run = end(child);
        assert!(run.code == 5 && run.err.contains("after 1 second "), "{command:?}: {}", run.err);
    }
    sandbox.kb(&["namespaces", "rename", "default", "other"]).tells(5, "being written by process");
    drop(lock);
    assert_eq!(sandbox.count(&["log"]), 2, "none of them wrote");
    assert_eq!(sandbox.count(&["namespaces"]), 1);
    sandbox.kb(&["namespaces", "rename", "default", "other"]).ok();
}

#[test]
fn status_shows_the_writer_and_the_pending_generation() {
    let sandbox = one_document();
    let status = sandbox.status();
    assert_eq!((status["writing"].as_bool(), status["writer"].is_null()), (Some(false), true));
    assert!(status["pending_generation"].is_null() && status["without_vectors"] == 0);
    let bytes = ["bytes", "tables_bytes", "keyword_bytes"].map(|name| status[name].as_u64().unwrap());
    assert!(bytes[0] > bytes[1] + bytes[2] && bytes[1] > 0 && bytes[2] > 0, "{bytes:?}");
    let shown = sandbox.kb(&["status"]).shows_all(0, &["generation: 1, published ", "keyword index"]);
    shown.lacks("writing").lacks("pending");

    let mut holder = start_long_ingest(&sandbox);
    let status = sandbox.status();
    assert_eq!(status["writing"], true);
    assert_eq!(status["writer"]["process"], holder.id());
    sandbox.kb(&["status"]).shows(0, &format!("writing: process {} since ", holder.id()));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(sandbox.status()["writing"], false);

    let namespace = sandbox.path(".kb/namespaces/default");
    let manifest = std::fs::read_to_string(namespace.join("MANIFEST.json")).unwrap();
    let announced = manifest.replace("\"generation\": 1", "\"generation\": 2");
    std::fs::write(namespace.join("PENDING.json"), announced).unwrap();
    assert_eq!(sandbox.status()["pending_generation"], 2);
    assert!(sandbox.kb(&["status"]).out.contains("pending: generation 2 is unfinished; the next command that writes"));
}

#[test]
fn a_waiting_writer_reports_it_and_reads_the_new_state() {
    let sandbox = one_document();
    sandbox.write("docs/b.md", "# Pumps\n\nPrime the pump.");
    let lock = sandbox.locked("default");
    let waiting = start(&sandbox, &["remove", "a.md", "--wait", "60"]);
    let quiet = start(&sandbox, &["ingest", "docs", "--wait", "60", "--quiet"]);
    std::thread::sleep(Duration::from_secs(1));
    drop(lock);
    let (removed, ingested) = (end(waiting), end(quiet));
    assert_eq!((removed.code, ingested.code), (0, 0), "{}{}", removed.err, ingested.err);
    assert!(removed.err.contains("is being written by") && removed.err.contains("; waiting"), "{}", removed.err);
    assert_eq!(ingested.err, "");
    assert_eq!(sandbox.status()["generation"], 3, "neither undid the other");
    assert!(sandbox.kb(&["docs", "--format", "paths"]).out.contains("docs/b.md"));
}

#[test]
fn two_first_ingests_at_once_both_succeed() {
    let sandbox = Sandbox::new();
    for n in 0..12 {
        sandbox.write(&format!("docs/{n}.md"), format!("# Part {n}\n\nThis is about part {n} of the pump."));
    }
    let arguments = ["ingest", "docs", "--wait", "60", "--format", "json"];
    let both = [start(&sandbox, &arguments), start(&sandbox, &arguments)].map(end);
    let mut added = 0;
    for run in &both {
        assert_eq!(run.code, 0, "{}", run.err);
        added += run.out.matches("\"action\": \"added\"").count();
    }
    assert_eq!(added, 12, "each document is taken in once:\n{}\n{}", both[0].out, both[1].out);
    let status = sandbox.status();
    let figures = ["documents", "keyword_chunks", "generation"].map(|name| status[name].as_u64().unwrap());
    assert_eq!(figures, [12, 12, 1], "the one that came second changed nothing");
}

#[test]
fn only_writing_commands_can_wait() {
    let sandbox = one_document();
    assert_eq!(sandbox.kb(&["search", "valve", "--wait", "1"]).code, 2);
    sandbox.kb(&["toc", "a.md", "--wait", "1"]).tells(2, "--wait");
    assert_eq!(sandbox.kb(&["ingest", "docs", "--wait", "soon"]).code, 2);
}

/// The editions that an answer mentions.
fn editions(answer: &str) -> BTreeSet<&str> {
    answer.split("Edition ").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()).collect()
}

#[test]
fn every_answer_is_of_one_generation() {
    let sandbox = Sandbox::new();
    let write = |edition: usize| {
        for n in 0..5 {
            // Each edition is longer, so that none is mistaken for the one before.
            let text = "Close the valve slowly. ".repeat(edition + 1);
            sandbox.write(&format!("docs/{n}.md"), format!("# Edition {edition} of {n}\n\n{text}"));
        }
    };
    write(0);
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    let mut seen = BTreeSet::new();
    for edition in 1..=6 {
        write(edition);
        let mut ingest = start(&sandbox, &["ingest", "docs", "--no-embed"]);
        while ingest.try_wait().unwrap().is_none() {
            let found = sandbox.kb(&["search", "valve", "--method", "keyword", "-k", "20", "--format", "json"]).ok();
            let docs = sandbox.items(&["docs"]).to_string();
            assert_eq!((docs.matches("\"doc_id\"").count(), editions(&docs).len()), (5, 1), "{docs}");
            let of_search = editions(&found.out);
            assert_eq!(of_search.len(), 1, "{}", found.out);
            seen.extend(of_search.into_iter().map(str::to_owned));
        }
        assert_eq!(end(ingest).code, 0);
    }
    assert!(seen.len() > 1, "nothing was published meanwhile: {seen:?}");
}

#[test]
fn readers_see_each_batch_of_an_ingest() {
    const BATCH: usize = 256;
    let sandbox = Sandbox::new();
    for n in 0..4 * BATCH {
        sandbox.write(&format!("docs/{n}.md"), format!("# Part {n}\n\nAbout the valve of part {n}."));
    }
    let mut ingest = start(&sandbox, &["ingest", "docs", "--no-embed"]);
    while !sandbox.path(".kb/namespaces/default/MANIFEST.json").exists() {
        assert!(ingest.try_wait().unwrap().is_none(), "the ingest ended without a publication");
    }
    let mut seen = BTreeSet::new();
    while ingest.try_wait().unwrap().is_none() {
        let documents = sandbox.count(&["docs"]);
        assert_eq!(documents % BATCH, 0, "a half of a generation");
        seen.insert(documents);
        sandbox.kb(&["search", "valve", "--method", "keyword"]).ok();
    }
    assert_eq!(end(ingest).code, 0);
    assert!(!seen.is_empty());
    assert_eq!(sandbox.count(&["docs"]), 4 * BATCH);
}

#[test]
fn keywords_are_published_first_and_vectors_follow_also_after_a_kill() {
    const DOCUMENTS: usize = 300;
    let sandbox = Sandbox::new();
    for n in 0..DOCUMENTS {
        sandbox.write(&format!("docs/{n}.md"), format!("# Part {n}\n\nAbout the valve of part {n}."));
    }
    let without = || sandbox.status()["without_vectors"].as_u64().unwrap() as usize;
    let mut ingest = start(&sandbox, &["ingest", "docs"]);
    while !sandbox.path(".kb/namespaces/default/MANIFEST.json").exists() || without() < DOCUMENTS {
        assert!(ingest.try_wait().unwrap().is_none(), "the ingest ended without publishing all keywords first");
    }
    assert!(sandbox.kb(&["status"]).out.contains("300 without vectors yet"), "{}", sandbox.kb(&["status"]).out);
    assert_eq!(sandbox.hits(&["valve", "-k", "20"]).len(), 20);
    ingest.kill().unwrap();
    ingest.wait().unwrap();
    // The same command continues without reading a file again.
    let report = sandbox.json(&["ingest", "docs"]);
    assert_eq!(report["counts"]["updated"], 0, "{report}");
    assert!(report["counts"]["embedded"].as_u64() > Some(0) && report["embedded"].as_u64() > Some(0), "{report}");
    assert_eq!((without(), sandbox.json(&["ingest", "docs"])["counts"]["unchanged"].as_u64()), (0, Some(300)));
    sandbox.kb(&["check"]).ok();
}

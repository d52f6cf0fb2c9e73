//! Profiles of documents: shown, kept true through every change, and made again where it is missing.

use crate::common::{Sandbox, rewrite};
use kb::internals::store::{Snapshot, Store};
use serde_json::Value;

const GUIDE: &str = "# Pump guide\n\n## Changing the mechanical seal\n\n1. Switch the pump off and lock it.\n2. Drain the \
    casing.\n3. Undo the four screws and lift the plate off.\n4. Press the new mechanical seal in by hand.\n5. Tighten the \
    screws.\n\n## Why seals fail\n\nThe faces of a mechanical seal run on a film of water. It follows that a seal which runs \
    dry is destroyed, because the heat depends on the friction.\n";
const RULES: &str = "# 考勤制度\n\n## 请假\n\n员工因事不能到岗的，应当提前一天请假，未经批准不得离岗。病假须提供证明。\n\n## 罚则\n\n\
    违反本制度的，公司有权解除劳动合同。员工应当遵守规定。\n";

fn guide() -> Sandbox {
    Sandbox::prepared("document_profile::guide", |sandbox| {
        sandbox.write("guide.md", GUIDE);
        sandbox.json(&["ingest", "."]);
    })
}

fn profile(sandbox: &Sandbox, document: &str) -> Value {
    sandbox.items(&["docs", document])[0]["profile"].clone()
}

fn kinds(sandbox: &Sandbox, document: &str) -> Vec<String> {
    let profile = profile(sandbox, document);
    let kinds = profile["kinds"].as_array().unwrap();
    kinds.iter().map(|share| share["kind"].as_str().unwrap().to_owned()).collect()
}

fn summary(sandbox: &Sandbox, document: &str) -> String {
    profile(sandbox, document)["summary"].as_str().unwrap().to_owned()
}

/// The vectors of the documents in the store, by id.
fn vectors(sandbox: &Sandbox) -> std::collections::HashMap<String, Vec<f32>> {
    let work = async {
        let store = Store::open(Some(&sandbox.path(".kb")), &sandbox.path(".")).unwrap();
        let snapshot = Snapshot::open(&store.namespace("default").unwrap()).await.unwrap();
        let rows = snapshot.documents_with_vectors(None).await.unwrap().into_iter();
        rows.filter(|row| !row.vector.is_empty()).map(|row| (row.doc_id.into(), row.vector)).collect()
    };
    tokio::runtime::Runtime::new().unwrap().block_on(work)
}

#[test]
fn a_profile_is_in_the_language_of_its_document() {
    let sandbox = Sandbox::new();
    sandbox.write("guide.md", GUIDE);
    sandbox.write("rules.md", RULES);
    sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(kinds(&sandbox, "guide.md"), ["procedure", "theory"]);
    let profile = profile(&sandbox, "guide.md");
    let shares: f64 = profile["kinds"].as_array().unwrap().iter().map(|kind| kind["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-5, "{profile}");
    assert!(profile["topics"].as_array().unwrap().contains(&"mechanical seal".into()), "{profile}");
    assert!(summary(&sandbox, "guide.md").starts_with("Mainly procedure ("), "{profile}");
    let rules = summary(&sandbox, "rules.md");
    assert!(rules.starts_with("全篇为规定。核心主题：请假、罚则。适合"), "{rules}");
    sandbox.kb(&["docs", "guide.md", "--format", "table"]).shows_all(0, &["procedure ", "mechanical seal"]);
    let shown = ["- kinds: policy 100 %", "- summary: 全篇为规定。"];
    sandbox.kb(&["docs", "rules.md", "--format", "markdown"]).shows_all(0, &shown);
    let context = ["context", "changing the seal", "--method", "keyword"];
    sandbox.kb(&context).shows(0, "*Mainly procedure (");
    let tight = sandbox.kb(&[&context[..], &["--max-tokens", "150"]].concat());
    tight.shows(0, "Undo the four screws").lacks("*Mainly procedure (");
}

#[test]
fn every_change_of_the_text_changes_the_profile() {
    let sandbox = guide();
    let (first, id) = (summary(&sandbox, "guide.md"), sandbox.id("guide.md"));
    let before = vectors(&sandbox)[&id].clone();
    assert_eq!(before.len(), 384);
    let list = sandbox.items(&["chunks-list", "--doc", "guide.md"]);
    let parent_chunk = |title: &str| {
        let rows = list["chunks"].as_array().or(list.as_array()).unwrap();
        let found = rows.iter().find(|row| {
            row["parent_id"].is_null() && row["section"]["title"].as_str().unwrap_or_default().contains(title)
        });
        found.unwrap()["chunk_id"].as_str().unwrap().to_owned()
    };
    let (seal, why) = (parent_chunk("Changing"), parent_chunk("Why"));

    // An edited text.
    let rule = "Nobody shall touch the seal. Employees must not open the pump without written approval.";
    sandbox.kb(&["chunk-edit", &why, "--content", rule]).ok();
    assert!(summary(&sandbox, "guide.md").contains("policy"), "{}", summary(&sandbox, "guide.md"));
    assert_ne!(vectors(&sandbox)[&id], before, "the vector follows the paragraph");
    sandbox.kb(&["chunk-edit", &why, "--reset"]).ok();
    assert_eq!((summary(&sandbox, "guide.md"), &vectors(&sandbox)[&id]), (first.clone(), &before));

    // A deleted text, and a restored generation.
    sandbox.kb(&["chunk-delete", &seal, "--yes"]).ok();
    assert_eq!(kinds(&sandbox, "guide.md"), ["theory"]);
    let generation = sandbox.status()["generation"].as_u64().unwrap();
    sandbox.kb(&["restore", &(generation - 1).to_string()]).ok();
    assert_eq!((summary(&sandbox, "guide.md"), &vectors(&sandbox)[&id]), (first.clone(), &before));

    // Other titles, from which the topics come.
    let toc = sandbox.kb(&["toc", "guide.md", "--editable"]).out;
    let fewer: Vec<&str> = toc.lines().filter(|line| !line.contains("Changing")).collect();
    sandbox.write("toc.txt", fewer.join("\n"));
    sandbox.kb(&["toc", "guide.md", "--set", "toc.txt"]).ok();
    assert_ne!(summary(&sandbox, "guide.md"), first);
    sandbox.kb(&["toc", "guide.md", "--reset"]).ok();
    assert_eq!((summary(&sandbox, "guide.md"), &vectors(&sandbox)[&id]), (first, &before));
    std::fs::remove_file(sandbox.path("toc.txt")).unwrap();

    // Another source.
    sandbox.write("guide.md", RULES);
    sandbox.json(&["ingest", "."]);
    assert!(summary(&sandbox, "guide.md").starts_with("全篇为规定"), "{}", summary(&sandbox, "guide.md"));
    assert_ne!(vectors(&sandbox)[&id], before);
    assert_eq!(sandbox.kb(&["check"]).code, 0, "the store is sound");
}

#[test]
fn a_moved_or_touched_document_keeps_its_id_and_its_vectors() {
    let sandbox = guide();
    let before = vectors(&sandbox);
    std::fs::create_dir(sandbox.path("sub")).unwrap();
    std::fs::rename(sandbox.path("guide.md"), sandbox.path("sub/moved.md")).unwrap();
    // A missing library would be an error if anything asked for the model.
    let nothing_embedded = ["ingest", ".", "--onnxruntime", "/nowhere/libonnxruntime.so"];
    assert_eq!(sandbox.json(&nothing_embedded)["counts"]["moved"], 1);
    assert_eq!(vectors(&sandbox), before);
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "sub/moved.md\n");
    // Its old folder is not named.
    std::fs::create_dir(sandbox.path("archive")).unwrap();
    std::fs::rename(sandbox.path("sub/moved.md"), sandbox.path("archive/guide.md")).unwrap();
    assert_eq!(
        sandbox.json(&["ingest", "archive", "--onnxruntime", "/nowhere/libonnxruntime.so"])["counts"]["moved"],
        1
    );
    assert_eq!((vectors(&sandbox), sandbox.count(&["docs"])), (before.clone(), 1));
    std::fs::rename(sandbox.path("archive/guide.md"), sandbox.path("sub/moved.md")).unwrap();
    sandbox.write("sub/moved.md", GUIDE);
    sandbox.json(&nothing_embedded);
    assert_eq!(vectors(&sandbox), before);
}

#[test]
fn a_document_without_a_profile_gets_one() {
    let sandbox = guide();
    let (whole, before) = (profile(&sandbox, "guide.md"), vectors(&sandbox));
    let forget = || {
        rewrite(&sandbox, "guide.md", |new| {
            (new.document.profile, new.document.embedding_hash) = (None, None);
            new.document.vector.clear();
        });
        assert_eq!(profile(&sandbox, "guide.md"), Value::Null);
        assert!(vectors(&sandbox).is_empty());
    };
    forget();
    let dry = sandbox.json(&["ingest", ".", "--dry-run"]);
    assert_eq!((dry["counts"]["updated"].as_u64(), profile(&sandbox, "guide.md")), (Some(1), Value::Null));
    // Without embedding it gets its profile now, and the vector next time.
    let words = sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(words["counts"]["updated"], 1);
    assert_eq!((profile(&sandbox, "guide.md"), vectors(&sandbox).len()), (whole.clone(), 0));
    assert_eq!(sandbox.json(&["ingest", "."])["embedded"], 0);
    assert_eq!(vectors(&sandbox), before);
    let again = sandbox.json(&["ingest", "."]);
    assert_eq!(again["generation"], Value::Null);

    forget();
    let report = sandbox.json(&["reindex", "--structure"]);
    assert_eq!((report["items"].as_array().unwrap().len(), report["embedded"].as_u64()), (1, Some(0)));
    assert_eq!((profile(&sandbox, "guide.md"), vectors(&sandbox)), (whole, before));
    assert_eq!(sandbox.kb(&["check"]).code, 0, "the store is sound");
}

#[test]
fn hostile_text_has_a_profile() {
    let sandbox = Sandbox::new();
    sandbox.write("line.txt", "x".repeat(100_000));
    sandbox.write("numbers.txt", "12345 67890 !!! ---\n".repeat(3_000));
    sandbox.json(&["ingest", ".", "--no-embed"]);
    for document in ["line.txt", "numbers.txt"] {
        let profile = profile(&sandbox, document);
        assert!(profile["kinds"][0]["share"].as_f64().unwrap() > 0.9, "{profile}");
        assert_eq!(profile["topics"].as_array().unwrap().len(), 0, "{profile}");
    }
}

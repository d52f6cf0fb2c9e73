//! The model of a namespace's vectors, how to change it, and what is refused.

use crate::common::{Sandbox, of_hits};
use kb::internals::embed::EMBEDDED;
use kb::internals::store::REWRITE_STEPS;
use serde_json::Value;

/// A text that the small model relates to a pump, without a word of the question.
const PUMP: &str = "# Station\n\nThe impeller conveys liquid.\n";
const LAW: &str = "# Court\n\nThe judge knows the statute.\n";
const QUESTION: &str = "pump water";

/// Two documents, and the small model.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.add_model("tiny", |_| ());
    sandbox.write("docs/pump.md", PUMP);
    sandbox.write("docs/law.md", LAW);
    sandbox
}

/// The sources of the hits, best first.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    of_hits(&sandbox.json(&[&["search", QUESTION], args].concat()), "source")
}

fn best_by_meaning(sandbox: &Sandbox, args: &[&str]) -> String {
    found(sandbox, &[&["--method", "semantic"], args].concat()).remove(0)
}

fn status(sandbox: &Sandbox) -> (String, u64, u64) {
    let status = sandbox.status();
    let number = |name: &str| status[name].as_u64().unwrap();
    (status["model"].as_str().unwrap().to_owned(), number("dimension"), number("without_vectors"))
}

fn is_sound(sandbox: &Sandbox) -> bool {
    let run = sandbox.kb(&["check", "--format", "json"]);
    let report = run.json();
    assert_eq!(report["sound"], true, "{}", run.out);
    run.code == 0
}

#[test]
fn a_namespace_remembers_its_model() {
    let sandbox = sandbox();
    let report = sandbox.json(&["ingest", "docs", "--model", "tiny"]);
    assert_eq!((report["model"].as_str(), report["embedded"].as_u64()), (Some("tiny"), Some(2)));
    assert_eq!(status(&sandbox), ("tiny".to_owned(), 12, 0));
    assert_eq!(best_by_meaning(&sandbox, &[]), "docs/pump.md");
    // A later ingest, and an edit, use the same model.
    sandbox.write("docs/book.md", "# Shelf\n\nA novel author printed a book.\n");
    assert_eq!(sandbox.json(&["ingest", "docs"])["embedded"], 1);
    let law = sandbox.json(&["search", "judge", "--method", "keyword"])["hits"][0]["chunk_id"].clone();
    let likeness = || {
        sandbox.json(&["search", QUESTION, "--doc", "law.md", "--all"])["hits"][0]["semantic_score"].as_f64().unwrap()
    };
    let before = likeness();
    sandbox.kb(&["chunk-edit", law.as_str().unwrap(), "--content", "The pump moves water to the river."]).ok();
    assert!(likeness() > before + 0.2, "{before} and {}", likeness());
    assert!(is_sound(&sandbox));
    // Another namespace gets the default model.
    sandbox.json(&["ingest", "docs", "-n", "other"]);
    assert_eq!(sandbox.items(&["status", "-n", "other"])[0]["model"], EMBEDDED);
}

#[test]
fn the_model_of_kb_toml_is_for_new_namespaces_only() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs"]);
    sandbox.kb(&["ingest", "docs", "--model", "tiny"]).tells_all(
        3,
        &[
            "vectors of the namespace \"default\" were made by the model all-MiniLM",
            "`kb reindex --vectors --model tiny`",
        ],
    );
    let run = sandbox.kb_with(&[("KB_MODEL", "tiny")], &["ingest", "docs"]);
    run.tells_all(3, &["not by tiny", "`kb reindex --vectors --model tiny`"]);
    sandbox.write(".kb/kb.toml", "model = \"tiny\"\n");
    sandbox.kb(&["ingest", "docs"]).tells(0, "`kb reindex --vectors --model tiny`");
    assert_eq!(sandbox.json(&["ingest", "docs", "-n", "second"])["model"], "tiny");
    // Flags come first.
    assert_eq!(sandbox.json(&["ingest", "docs", "-n", "third", "--model", EMBEDDED])["model"], EMBEDDED);
    let run = sandbox.kb(&["ingest", "docs", "-n", "fourth", "--model", "nowhere"]);
    assert!(run.code != 0 && run.err.contains("nowhere") && run.err.contains("kb models"), "{}", run.err);
    assert!(!sandbox.path(".kb/namespaces/fourth").exists());
}

#[test]
fn another_model_replaces_the_first_and_can_be_reverted() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs"]);
    sandbox.write("later.md", "# Later\n\nRain and river.\n");
    sandbox.json(&["ingest", "later.md", "--no-embed"]);
    let plan = sandbox.json(&["reindex", "--vectors", "--model", "tiny", "--dry-run"]);
    let number = |report: &Value, name: &str| report[name].as_u64().unwrap();
    assert_eq!((number(&plan, "documents"), number(&plan, "without_vectors")), (3, 1));
    assert_eq!((plan["generation"].clone(), status(&sandbox).0), (Value::Null, EMBEDDED.to_owned()));

    let report = sandbox.json(&["reindex", "--vectors", "--model", "tiny"]);
    assert_eq!((report["model_before"].as_str(), report["model"].as_str()), (Some(EMBEDDED), Some("tiny")));
    assert_eq!((number(&report, "embedded"), number(&report, "resumed")), (number(&plan, "embedded"), 0));
    assert_eq!(status(&sandbox), ("tiny".to_owned(), 12, 0));
    assert_eq!(best_by_meaning(&sandbox, &[]), "docs/pump.md");
    assert_eq!(found(&sandbox, &["--method", "semantic"]).len(), 3, "what had no vectors has some");
    assert!(is_sound(&sandbox) && !sandbox.path(".kb/namespaces/default/revector").exists());
    // Nothing is left to do.
    let again = sandbox.json(&["reindex", "--vectors"]);
    assert_eq!((number(&again, "documents"), again["generation"].clone()), (0, Value::Null));
    assert!(sandbox.kb(&["reindex", "--vectors"]).out.contains("all documents have vectors of tiny"));

    let log = sandbox.items(&["log"]);
    assert_eq!((log[0]["command"].as_str(), log[0]["counts"]["embedded"].as_u64()), (Some("reindex"), Some(3)));
    let generation = number(&report, "generation");
    sandbox.kb(&["diff", &(generation - 1).to_string()]).shows_all(0, &["later.md", "tiny"]);

    let restored = sandbox.json(&["restore", &(generation - 1).to_string()]);
    assert_eq!(restored["model"]["name"], EMBEDDED);
    assert_eq!(status(&sandbox), (EMBEDDED.to_owned(), 384, 1));
    assert_eq!(found(&sandbox, &["--method", "semantic"]).len(), 2);
    assert_eq!(sandbox.json(&["ingest", "later.md"])["embedded"], 1);
    assert!(is_sound(&sandbox));
}

#[test]
fn only_missing_vectors_are_made_unless_forced() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs/law.md", "--model", "tiny"]);
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    assert_eq!(status(&sandbox).2, 1);
    assert_eq!(sandbox.json(&["reindex", "--vectors", "--dry-run"])["embedded"], 1);
    let report = sandbox.json(&["reindex", "--vectors"]);
    assert_eq!((report["documents"].as_u64(), report["embedded"].as_u64()), (Some(1), Some(1)));
    let log = sandbox.items(&["log"]);
    assert_eq!(log[0]["counts"]["embedded"], 1, "as when all vectors are made: {log:?}");
    assert_eq!((status(&sandbox).2, best_by_meaning(&sandbox, &[])), (0, "docs/pump.md".to_owned()));
    assert_eq!(sandbox.json(&["section", "docs/pump.md", "1"])["title"], "Station");
    let forced = sandbox.json(&["reindex", "--vectors", "--force"]);
    assert_eq!((forced["documents"].as_u64(), forced["model"].as_str()), (Some(2), Some("tiny")));
    assert!(is_sound(&sandbox));
    for wrong in [&["--vectors", "docs/law.md"][..], &["--vectors", "--structure"], &["--model", "tiny"]] {
        assert_eq!(sandbox.kb(&[&["reindex"], wrong].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn keyword_search_works_without_the_model() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs", "--model", "tiny"]);
    std::fs::remove_dir_all(sandbox.path("models")).unwrap();
    sandbox
        .kb(&["search", "judge", "statute"])
        .shows(0, "law.md")
        .tells_all(0, &["by keywords only: the model tiny", "kb models add tiny"]);
    sandbox.kb(&["search", QUESTION, "--method", "semantic"]).tells_all(3, &["tiny", "kb models add tiny", "keyword"]);
    sandbox.kb(&["search", "judge", "--method", "keyword"]).ok().lacks("tiny");

    sandbox.write("docs/book.md", "# Shelf\n\nA novel.\n");
    sandbox.kb(&["ingest", "docs"]).tells_all(3, &["kb models add tiny", "--no-embed"]);
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    sandbox.kb(&["reindex", "--vectors"]).tells(3, "kb models add tiny");
    // Commands that make no vectors need no model.
    sandbox.kb(&["remove", "docs/law.md"]).ok();
    sandbox.kb(&["entity-set", "Station", "--state", "in service"]).ok();
    sandbox.kb(&["restore", "1"]).ok();
    assert!(is_sound(&sandbox));
    let report = sandbox.json(&["reindex", "--vectors", "--model", EMBEDDED]);
    assert_eq!((report["model_before"].as_str(), status(&sandbox).0.as_str()), (Some("tiny"), EMBEDDED));
}

#[test]
fn another_model_of_the_same_name_is_refused() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs", "--model", "tiny"]);
    sandbox.add_model("tiny", |embedding_config| embedding_config.document_prefix = "passage: ".to_owned());
    let helps = "`kb reindex --vectors --model tiny`";
    let run = sandbox.kb(&["search", QUESTION, "--method", "semantic"]);
    run.tells_all(3, &["is not the one that made the vectors", helps]);
    sandbox.kb(&["search", "judge"]).tells(0, helps);
    sandbox.kb(&["ingest", "docs", "--force"]).tells(3, helps);
    sandbox.kb(&["ingest", "docs", "--model", "tiny"]).tells_all(3, &["another version of tiny", helps]);
    assert_eq!(sandbox.json(&["reindex", "--vectors"])["documents"], 2);
    assert_eq!(best_by_meaning(&sandbox, &[]), "docs/pump.md");
}

#[test]
fn namespaces_with_different_models_are_searched_together_by_keywords_only() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs/pump.md", "--model", "tiny", "-n", "a"]);
    sandbox.json(&["ingest", "docs/law.md", "-n", "b"]);
    sandbox.json(&["ingest", "docs/law.md", "-n", "c", "--model", "tiny"]);
    for method in ["auto", "hybrid", "semantic"] {
        sandbox.kb(&["search", QUESTION, "--method", method, "-n", "a,b"]).tells_all(
            3,
            &["a has tiny", &format!("b has {EMBEDDED}"), "separately", "--method keyword", "kb reindex"],
        );
    }
    sandbox.kb(&["search", "statute", "--method", "keyword", "-n", "a,b"]).ok();
    assert_eq!(best_by_meaning(&sandbox, &["-n", "a,c"]), "docs/pump.md");
    // Re-embedded, they are searched together.
    sandbox.json(&["reindex", "--vectors", "--model", "tiny", "-n", "b"]);
    assert_eq!(best_by_meaning(&sandbox, &["-n", "a,b"]), "docs/pump.md");
}

#[test]
fn an_interrupted_run_resumes_and_the_old_vectors_serve_until_then() {
    let sandbox = sandbox();
    sandbox.json(&["ingest", "docs"]);
    let texts = sandbox.json(&["reindex", "--vectors", "--model", "tiny", "--dry-run"])["embedded"].as_u64().unwrap();
    // Between the steps of the publication everything is embedded already, so the next run embeds nothing.
    let command = ["reindex", "--vectors", "--model", "tiny"];
    for (place, step) in REWRITE_STEPS.iter().chain(&["history written", "pending written"]).enumerate() {
        let fault = format!("abort:{step}");
        let run = sandbox.kb_with(&[("KB_TEST_FAULT", &fault)], &command);
        assert_ne!(run.code, 0, "{step}");
        assert_eq!(status(&sandbox).0, EMBEDDED, "{step}");
        assert_eq!(found(&sandbox, &["--method", "semantic"]).len(), 2, "{step}");
        let plan = sandbox.json(&[&command[..], &["--dry-run"]].concat());
        assert_eq!((plan["embedded"].as_u64(), plan["resumed"].as_u64()), (Some(0), Some(texts)), "{place}: {step}");
    }
    // Meanwhile another process writes.
    sandbox.write("docs/book.md", "# Shelf\n\nA novel author printed a book.\n");
    assert_eq!(sandbox.json(&["ingest", "docs"])["embedded"], 1);
    let report = sandbox.json(&command);
    assert_eq!(report["resumed"].as_u64(), Some(texts));
    assert!(report["embedded"].as_u64().unwrap() > 0 && report["documents"] == 3);
    assert!(is_sound(&sandbox));
    assert_eq!(best_by_meaning(&sandbox, &[]), "docs/pump.md");
    assert!(!sandbox.path(".kb/namespaces/default/revector").exists());
}

#[test]
fn equal_texts_are_embedded_once() {
    let sandbox = sandbox();
    let section = |number: usize| format!("## Part {number}\n\nValve number {number} closes the tap.\n\n");
    let manual: String = (0..60).map(section).collect();
    sandbox.write("docs/manual.md", format!("# Manual\n\n{manual}"));
    sandbox.json(&["ingest", "docs", "--model", "tiny"]);
    sandbox.write("docs/second.md", format!("# Manual\n\n{manual}{}", section(60)));
    let report = sandbox.json(&["ingest", "docs"]);
    assert_eq!((report["embedded"].as_u64(), report["reused"].as_u64()), (Some(1), Some(60)), "{report}");
    let hit =
        sandbox.json(&["search", "seal number 33", "--doc", "second.md", "--method", "semantic"])["hits"][0].clone();
    assert!(hit["semantic_score"].as_f64().unwrap() > 0.5, "{hit}");
    // Without embedding, no vectors are reused.
    sandbox.write("docs/third.md", format!("# Manual\n\n{manual}"));
    assert_eq!(sandbox.json(&["ingest", "docs", "--no-embed"])["reused"], 0);
    assert!(status(&sandbox).2 == 1 && is_sound(&sandbox));
}

//! Contexts of parent chunks for vectors and keywords: chosen at ingest, changed by `kb reindex`, shown nowhere.

use crate::common::{Sandbox, of_hits};
use serde_json::Value;

/// Two parent chunks a section: the second is about what the first one names.
fn guide() -> String {
    let filler = |text: &str, times: usize| (0..times).map(|i| text.replace('%', &i.to_string())).collect::<String>();
    format!(
        "# Pump station\n\n## Priming\n\nThe centrifugal pump in the lower hall moves water to the tower. {}\n\n\
        It must be vented by hand. {}\n\n## 主泵\n\n主泵房的离心泵把水送到水塔。{}\n\n其轴承每月加油一次。{}\n",
        filler("It draws % litres from the lake. ", 26),
        filler("Open vent % and wait. ", 10),
        filler("它从湖里取水%次经过滤网。", 66),
        filler("第%次加油之前应先停机。", 20)
    )
}

fn sandbox(flags: &[&str]) -> Sandbox {
    Sandbox::prepared(&format!("ingest_context::sandbox {flags:?}"), |sandbox| {
        sandbox.write("docs/guide.md", guide());
        sandbox.kb(&[&["ingest", "docs"], flags].concat()).ok();
    })
}

fn counts(report: &Value) -> (u64, u64) {
    (report["embedded"].as_u64().unwrap(), report["reused"].as_u64().unwrap())
}

/// The parent chunks that keywords find, best first.
fn found(sandbox: &Sandbox, query: &str) -> Vec<String> {
    let args = ["search", query, "--method=keyword", "-k20", "--expand=off", "--merge=false", "--format=json"];
    of_hits(&serde_json::from_str(&sandbox.kb(&args).out).unwrap_or_default(), "content")
}

fn starts(found: &[String], start: &str) -> bool {
    found.iter().any(|content| content.starts_with(start))
}

#[test]
fn a_context_is_searched_but_not_shown() {
    let sandbox = sandbox(&["--context", "subjects", "--no-embed"]);
    assert!(starts(&found(&sandbox, "centrifugal lower hall"), "It must be vented"));
    assert!(starts(&found(&sandbox, "水塔"), "其轴承"));
    // A phrase is found only where it stands.
    assert!(!starts(&found(&sandbox, "\"lower hall\""), "It must"));
    let shown = sandbox.kb(&["search", "vented by hand", "--method", "keyword", "-k", "1"]).out;
    assert!(shown.contains("Pump station › Priming") && !shown.contains("lower hall"), "{shown}");
    let listed = sandbox.kb(&["chunks-list", "--format", "jsonl"]).out;
    let vented = listed.lines().find(|line| line.contains("It must be vented")).unwrap();
    assert!(!vented.contains("lower hall"), "{vented}");
    // A correction that names another subject also changes the parent chunk after it.
    let first = sandbox.json(&["search", "centrifugal", "--method", "keyword"])["hits"][0]["chunk_id"].clone();
    let text = "The diaphragm pump in the attic moves air to the tower. It draws from the roof.";
    sandbox.kb(&["chunk-edit", first.as_str().unwrap(), "--content", text]).ok();
    assert!(starts(&found(&sandbox, "diaphragm attic"), "It must be vented"));
    assert!(!starts(&found(&sandbox, "centrifugal lower hall"), "It must be vented"));
    sandbox.kb(&["check"]).ok();
}

#[test]
fn docs_and_status_show_the_context() {
    let sandbox = sandbox(&["--context", "subjects", "--no-embed"]);
    sandbox.write("docs/other.md", "# Other\n\nA valve stops water.\n");
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    for (document, context) in [("guide.md", "subjects"), ("other.md", "headings")] {
        assert!(sandbox.kb(&["docs", document]).out.contains(&format!("\n- context: {context}\n")));
        assert_eq!(sandbox.items(&["docs", document])[0]["context"], context);
    }
    assert_eq!(sandbox.status()["contexts"], serde_json::json!({ "headings": 1, "subjects": 1 }));
    assert!(sandbox.kb(&["status"]).out.contains("- contexts: headings 1, subjects 1\n"));
}

#[test]
fn changing_the_context_embeds_only_changed_chunks() {
    let sandbox = sandbox(&[]);
    assert!(!starts(&found(&sandbox, "centrifugal lower hall"), "It must"));
    let all = counts(&sandbox.json(&["ingest", "docs", "--force"])).1;
    let dry = sandbox.json(&["reindex", "--context", "subjects", "--dry-run"]);
    assert_eq!((dry["items"].as_array().unwrap().len(), &dry["generation"]), (1, &Value::Null));
    let (embedded, reused) = counts(&sandbox.json(&["reindex", "--context", "subjects"]));
    assert!(embedded > 0 && reused > 0 && embedded + reused == all, "{embedded} of {all}");
    assert!(starts(&found(&sandbox, "centrifugal lower hall"), "It must"));
    assert_eq!(sandbox.json(&["reindex", "--context", "subjects"])["current"], 1);
    // An ingest without the option keeps the context; one with it changes it.
    let unchanged = |report: &Value| report["counts"]["unchanged"].as_u64() == Some(1);
    assert!(unchanged(&sandbox.json(&["ingest", "docs"])));
    assert_eq!(counts(&sandbox.json(&["ingest", "docs", "--force"])), (0, all));
    assert!(starts(&found(&sandbox, "centrifugal lower hall"), "It must"));
    let back = sandbox.json(&["ingest", "docs", "--context", "headings"]);
    assert_eq!(counts(&back), (embedded, reused), "{back}");
    assert!(!starts(&found(&sandbox, "centrifugal lower hall"), "It must"));
    // From the settings file, and without any context.
    sandbox.write(".kb/kb.toml", "[ingest]\ncontext = \"none\"\n");
    assert_eq!(counts(&sandbox.json(&["ingest", "docs"])).1, 0);
    assert!(unchanged(&sandbox.json(&["ingest", "docs"])));
    assert_eq!(found(&sandbox, "priming"), [""; 0], "titles are in front of nothing");
    let hit = &sandbox.json(&["search", "vented by hand", "--method", "keyword"])["hits"][0];
    assert_eq!(hit["section"]["title"], "Priming", "and still are shown");
    let structure = sandbox.json(&["reindex", "--structure", "--context", "headings"]);
    assert_eq!(counts(&structure), (all, 0), "{structure}");
    sandbox.kb(&["check"]).ok();
}

#[test]
fn context_llm_without_a_model_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/guide.md", guide());
    sandbox.kb(&["ingest", "docs", "--context", "llm"]).tells(2, "--context llm").tells(2, "base_url");
    assert!(!sandbox.path(".kb").exists(), "nothing was made");
    sandbox.kb(&["ingest", "docs", "--context", "titles"]).tells(2, "headings");
}

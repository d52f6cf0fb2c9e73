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
    of_hits(&sandbox.kb(&args).json(), "content")
}

#[test]
fn docs_and_status_show_the_context() {
    let sandbox = sandbox(&["--context", "none", "--no-embed"]);
    sandbox.write("docs/other.md", "# Other\n\nA valve stops water.\n");
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    for (document, context) in [("guide.md", "none"), ("other.md", "headings")] {
        assert!(sandbox.kb(&["docs", document]).out.contains(&format!("\n- context: {context}\n")));
        assert_eq!(sandbox.items(&["docs", document])[0]["context"], context);
    }
    assert_eq!(sandbox.status()["contexts"], serde_json::json!({ "headings": 1, "none": 1 }));
    assert!(sandbox.kb(&["status"]).out.contains("- contexts: headings 1, none 1\n"));
}

#[test]
fn changing_the_context_embeds_chunks_again() {
    let sandbox = sandbox(&[]);
    let all = counts(&sandbox.json(&["ingest", "docs", "--force"])).1;
    let dry = sandbox.json(&["reindex", "--context", "none", "--dry-run"]);
    assert_eq!((dry["items"].as_array().unwrap().len(), &dry["generation"]), (1, &Value::Null));
    // Without titles in English, the model reads less.
    let (embedded, reused) = counts(&sandbox.json(&["reindex", "--context", "none"]));
    assert!(embedded > 0 && reused == 0, "{embedded} {reused}");
    assert_eq!(found(&sandbox, "priming"), [""; 0], "titles are in front of nothing");
    let hit = &sandbox.json(&["search", "vented by hand", "--method", "keyword"])["hits"][0];
    assert_eq!(hit["section"]["title"], "Priming", "and still are shown");
    assert_eq!(sandbox.json(&["reindex", "--context", "none"])["current"], 1);
    // An ingest without the option keeps the context; one with it changes it.
    let unchanged = |report: &Value| report["counts"]["unchanged"].as_u64() == Some(1);
    assert!(unchanged(&sandbox.json(&["ingest", "docs"])));
    assert_eq!(counts(&sandbox.json(&["ingest", "docs", "--force"])), (0, embedded));
    let back = sandbox.json(&["ingest", "docs", "--context", "headings"]);
    assert_eq!(counts(&back), (all, 0), "{back}");
    assert!(!found(&sandbox, "priming").is_empty());
    // From the settings file.
    sandbox.write(".kb/kb.toml", "[ingest]\ncontext = \"none\"\n");
    assert_eq!(counts(&sandbox.json(&["ingest", "docs"])).1, 0);
    assert!(unchanged(&sandbox.json(&["ingest", "docs"])));
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

//! `kb ingest --no-embed`: documents without vectors are found by keywords, and get vectors later.

use crate::common::{Sandbox, of_hits, texts};
use serde_json::Value;

const VALVE: &str = "# Valves\n\nClose the valve slowly, or the pipe will hammer.\n";
const PUMP: &str = "# Pumps\n\nPrime the pump before it is switched on.\n";

fn without_vectors() -> Sandbox {
    Sandbox::prepared("ingest_no_embed::without_vectors", |sandbox| {
        sandbox.write("a.md", VALVE);
        sandbox.write("b.md", PUMP);
        // A missing library would be an error if anything asked for the model.
        let run = sandbox.kb(&["ingest", ".", "--no-embed", "--onnxruntime", "/nowhere/libonnxruntime.so"]);
        run.shows(0, "2 documents lack vectors");
    })
}

#[test]
fn keyword_search_finds_documents_without_vectors() {
    let sandbox = without_vectors();
    assert_eq!(sandbox.status()["without_vectors"], 2);
    assert!(sandbox.kb(&["status"]).out.contains("2 without vectors"));
    for method in ["keyword", "auto", "hybrid"] {
        let found = sandbox.json(&["search", "close the valve", "--method", method]);
        assert_eq!((&found["hits"][0]["source"], &found["method"]), (&"a.md".into(), &"keyword".into()), "{method}");
        assert!(found["hits"][0]["score"].as_f64() > Some(0.9), "{method}: {found}");
    }
    let search = |method: &str| sandbox.kb(&["search", "close the valve", "--method", method]);
    search("hybrid").tells(0, "the searched documents have no vectors");
    search("semantic").refuses(1, "the searched documents have no vectors");
    assert_eq!(sandbox.json(&["section", "a.md", "Valves"])["items"][0]["path"], "1");
    let embeds_the_question = || sandbox.kb(&["search", "close the valve", "--explain"]).out.contains("| encode |");
    assert!(!embeds_the_question(), "there is nothing to compare its vector with");

    let later = sandbox.json(&["ingest", "."]);
    assert_eq!((later["counts"]["embedded"].as_u64(), later["embedded"].as_u64()), (Some(2), Some(2)));
    assert_eq!(sandbox.status()["without_vectors"], 0);
    assert!(embeds_the_question());
    let found = sandbox.json(&["search", "filling it with water at first", "--method", "semantic"]);
    assert_eq!(of_hits(&found, "source").len(), 2);
    assert_eq!(sandbox.json(&["ingest", "."])["counts"]["unchanged"], 2, "the third time there is nothing to do");
}

#[test]
fn documents_without_vectors_rank_beside_embedded_ones() {
    let sandbox = Sandbox::of_document("a.md", VALVE, &[]);
    sandbox.write("b.md", PUMP);
    sandbox.json(&["ingest", "b.md", "--no-embed"]);
    // The valve's parent chunk has a vector and shares a word; the answer has none.
    let found = sandbox.json(&["search", "prime the pump, not the valve"]);
    assert_eq!(of_hits(&found, "source"), ["b.md", "a.md"]);
    assert_eq!(found["method"], "hybrid");
    assert_eq!(found["hits"][0]["semantic_score"], Value::Null);
    assert!(found["hits"][1]["semantic_score"].is_number());
    assert_eq!((&found["notes"][0]["code"], found["notes"].as_array().unwrap().len()), (&"vectors_missing".into(), 1));
    // And one that the keywords do not favour gains nothing by having none.
    assert_eq!(of_hits(&sandbox.json(&["search", "close the valve, not the pump"]), "source")[0], "a.md");
    let semantic = sandbox.kb(&["search", "prime the pump", "--method", "semantic", "--format", "paths"]);
    assert_eq!(semantic.out, "a.md\n");
    assert!(semantic.err.contains("1 document lacks vectors"), "{}", semantic.err);
    let none = sandbox.kb(&["search", "prime the pump", "--method", "semantic", "--doc", "b.md"]);
    none.tells(1, "the searched documents have no vectors");
    // Only searched documents and those of hits count.
    let filtered = sandbox.kb(&["search", "close the valve", "--method", "semantic", "--filter", "path = a.md"]);
    assert!(filtered.code == 0 && !filtered.err.contains("vectors"), "{}", filtered.err);
    sandbox.write("a.md", "# Lamps\n\nSwitch off the lamp.\n");
    sandbox.json(&["ingest", "a.md", "--no-embed", "-n", "other"]);
    let by_words = sandbox.kb(&["search", "prime the pump", "-n", "all", "-k", "1"]);
    by_words.tells(0, "1 document of the hits");
}

#[test]
fn only_missing_vectors_are_made() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", format!("{VALVE}\n# Seals\n\nGrease the seal.\n"));
    assert_eq!(sandbox.json(&["ingest", "a.md"])["embedded"], 2);
    sandbox.write("a.md", format!("{VALVE}\n# Seals\n\nGrease the seal every month.\n"));
    let changed = sandbox.json(&["ingest", "a.md", "--no-embed"]);
    assert_eq!((changed["embedded"].as_u64(), changed["reused"].as_u64()), (Some(0), Some(1)));
    assert_eq!(sandbox.items(&["docs"])[0]["embedded"], false);
    // A document that still has its vector is found by it.
    assert_eq!(sandbox.hits(&["pipe hammer", "--method", "semantic"]).len(), 1);
    let later = sandbox.json(&["ingest", "a.md"]);
    assert_eq!((later["embedded"].as_u64(), later["reused"].as_u64()), (Some(1), Some(1)));
    assert_eq!(sandbox.items(&["docs"])[0]["embedded"], true);
}

#[test]
fn a_moved_file_gets_its_missing_vectors() {
    let sandbox = without_vectors();
    let id = sandbox.items(&["docs", "a.md"])[0]["doc_id"].clone();
    std::fs::rename(sandbox.path("a.md"), sandbox.path("c.md")).unwrap();
    let report = sandbox.json(&["ingest", "."]);
    assert_eq!((report["counts"]["moved"].as_u64(), report["embedded"].as_u64()), (Some(1), Some(2)));
    let docs = sandbox.items(&["docs"]);
    assert_eq!(texts(&docs, "/source"), ["b.md", "c.md"]);
    assert_eq!((&docs[1]["doc_id"], &docs[1]["embedded"]), (&id, &true.into()));
}

#[test]
fn an_ingest_says_what_text_the_model_cannot_read() {
    let sandbox = Sandbox::new();
    let chinese =
        "# 离心泵\n\n离心泵在启动前必须灌满水，并打开排气阀，直到没有气泡为止。\n\n# 轴承\n\n轴承每月加油一次。\n";
    sandbox.write("zh/a.md", chinese);
    sandbox.write("en/a.md", "# Pump\n\nIt must be vented.\n");
    let report = sandbox.json(&["ingest", "zh"]);
    let languages = &report["languages"];
    assert!(languages["share_not_read"].as_f64() > Some(0.9) && languages["documents_not_read"] == 1, "{report}");
    assert_eq!(report["embedded"], 0, "no search uses vectors of what the model cannot read: {report}");
    let words = ["cannot read", "`kb models suggest`"];
    sandbox.kb(&["ingest", "zh", "--force", "-n", "other"]).shows_all(0, &words);
    assert!(sandbox.json(&["ingest", "en"])["languages"].is_null());
    // Little of the text, but all of a document.
    sandbox.write("mixed/long.md", "The pump must be vented before it is started, every single time.\n\n".repeat(100));
    sandbox.write("mixed/short.md", "离心泵在启动前必须灌满水。\n");
    sandbox.kb(&["ingest", "mixed", "-n", "mixed"]).shows(0, "most of the text of 1 of 2 documents");
    let status = sandbox.status();
    assert_eq!(status["without_vectors"], 0, "nothing is missing that this model could make: {status}");
    assert_eq!(sandbox.json(&["ingest", "zh"])["counts"]["unchanged"], 1, "it is not tried again");
    assert!(sandbox.kb(&["check"]).code == 0);
    // A question that the model can only spell is left to keyword search.
    let spelt = sandbox.json(&["search", "ўзбекча vented", "--explain"]);
    assert_eq!(spelt["weights"]["semantic"], 0.0, "{spelt}");
}

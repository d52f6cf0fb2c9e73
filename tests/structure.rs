//! `kb toc` and `kb section`: PDF outlines of every kind, headings, and the text between them.

mod common;

use common::{Sandbox, copy_folder, fixtures};
use serde_json::Value;

#[test]
fn outlines_of_every_kind_are_read_without_loss() {
    let sandbox = Sandbox::new();
    copy_folder(&fixtures().join("pdf"), &sandbox.path("pdf"));
    let run = sandbox.kb(&["ingest", "pdf"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let expected = std::fs::read_to_string(fixtures().join("pdf/expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&expected).unwrap();
    assert!(expected.len() >= 7);
    for (file, toc) in expected {
        let run = sandbox.kb(&["toc", &file, "--format", "json"]);
        let found: Vec<Value> = serde_json::from_str(&run.out).unwrap();
        let squeeze = |title: &Value| title.as_str().unwrap().split_whitespace().collect::<String>();
        // An entry that leads nowhere has page -1.
        let page = |page: &Value| page.as_i64().unwrap_or(-1);
        let found: Vec<_> =
            found.iter().map(|e| (e["level"].as_u64(), squeeze(&e["title"]), page(&e["page"]))).collect();
        let wanted = toc.as_array().unwrap();
        let wanted: Vec<_> =
            wanted.iter().map(|e| (e["level"].as_u64(), squeeze(&e["title"]), page(&e["page"]))).collect();
        assert_eq!(found, wanted, "{file}");
        assert_eq!(run.code, if wanted.is_empty() { 1 } else { 0 }, "{file}");
    }
}

#[test]
fn sections_are_given_whole_by_path_and_by_title() {
    let sandbox = Sandbox::with_fixtures();
    let by_path = sandbox.kb(&["section", "pump-station-manual.pdf", "3.2.1"]).out;
    let by_title = sandbox.kb(&["section", "pump-station-manual.pdf", "priming the pump"]).out;
    assert_eq!(by_path, by_title);
    assert!(by_path.contains("Close the discharge valve"), "{by_path}");
    assert!(!by_path.contains("Turn the selector"), "the next section's text: {by_path}");
    let chapter = sandbox.json(&["section", "pump-station-manual.pdf", "3.2"]);
    let paths: Vec<&str> = chapter["parts"].as_array().unwrap().iter().map(|p| p["path"].as_str().unwrap()).collect();
    assert!(paths.starts_with(&["3.2", "3.2.1", "3.2.2"]), "{paths:?}");
    let chinese = sandbox.kb(&["section", "泵站维护手册", "泵站简介"]).out;
    assert!(chinese.contains("柳溪"), "{chinese}");
    let html = sandbox.kb(&["toc", "release-notes.html"]).out;
    assert!(html.contains("`1`"), "{html}");
    // Every level is in JSON; a table stops at the third and says so.
    let deep = sandbox.kb(&["toc", "pump-station-manual.pdf", "--max-level", "1"]).out;
    assert!(deep.contains("deeper entries are not shown"), "{deep}");
}

#[test]
fn the_outputs_look_as_they_should() {
    let sandbox = Sandbox::with_fixtures();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.add_filter(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME");
    settings.add_filter(r"\d+\.\d s\b", "N.N s");
    settings.bind(|| {
        insta::assert_snapshot!("toc_table", sandbox.kb(&["toc", "pump-station-manual.pdf", "--format", "table"]).out);
        insta::assert_snapshot!("toc_markdown", sandbox.kb(&["toc", "泵站维护手册.pdf"]).out);
        insta::assert_snapshot!("section_markdown", sandbox.kb(&["section", "network-guide.md", "1.2"]).out);
        insta::assert_snapshot!("docs_table", sandbox.kb(&["docs", "--format", "table"]).out);
        insta::assert_snapshot!("docs_one", sandbox.kb(&["docs", "network-guide.md"]).out);
        insta::assert_snapshot!(
            "search_keyword_table",
            sandbox.kb(&["search", "推力轴承温度过高", "-k", "1", "--format", "table"]).out
        );
        insta::assert_snapshot!("ingest_again", sandbox.kb(&["ingest", "docs"]).out);
    });
}

//! Tables: their cells in every format, whole in one chunk, with their heads before later parts, and as they are shown.

use crate::common::{Sandbox, copy_files, expected_of, fixtures, texts};
use serde_json::{Value, json};

/// The documents of `fixtures/tables`, without vectors.
fn read() -> Sandbox {
    Sandbox::prepared("tables::read", |sandbox| {
        copy_files(&fixtures().join("tables"), &sandbox.path("tables"));
        std::fs::remove_file(sandbox.path("tables/expected.json")).unwrap();
        sandbox.kb(&["ingest", "tables", "--no-embed"]).ok();
    })
}

/// The tables of a document in order, including those before the first heading.
fn tables(sandbox: &Sandbox, document: &str) -> Value {
    let contents = sandbox.sections(document);
    let headings = contents.iter().map(|entry| entry["path"].as_str().unwrap());
    let mut tables: Vec<Value> = Vec::new();
    for path in std::iter::once("0").chain(headings.filter(|path| *path != "0")) {
        let run = sandbox.kb(&["section", document, path, "--no-children", "--format", "json"]);
        let section: Value = serde_json::from_str(&run.out).unwrap_or_default();
        let parts = section["items"].as_array().into_iter().flatten();
        tables.extend(parts.flat_map(|part| part["tables"].as_array().cloned().unwrap_or_default()));
    }
    tables.into()
}

#[test]
fn the_cells_of_forty_tables_in_pdfs_are_read() {
    let sandbox = read();
    let mut count = 0;
    for (file, wanted) in expected_of("tables").iter().filter(|(file, _)| file.ends_with(".pdf")) {
        assert_eq!(tables(&sandbox, file), *wanted, "{file}");
        count += wanted.as_array().unwrap().len();
    }
    assert_eq!(count, 40);
}

#[test]
fn the_same_tables_are_the_same_in_every_format() {
    let sandbox = read();
    for file in ["same.html", "same.md", "same.docx"] {
        assert_eq!(tables(&sandbox, file), expected_of("tables")["same.*"], "{file}");
    }
}

#[test]
fn a_table_is_in_one_child_with_its_caption_and_shown_in_columns() {
    let sandbox = read();
    let chunks = sandbox.items(&["chunks-list", "--doc", "lists-zh.pdf", "--type", "child"]);
    let chunks = chunks.as_array().unwrap();
    let seasons: Vec<&Value> = chunks.iter().filter(|chunk| chunk["tables"].to_string().contains("季节")).collect();
    assert_eq!(seasons.len(), 2, "it is there twice, ruled and not: {chunks:?}");
    for chunk in seasons {
        let content = chunk["content"].as_str().unwrap();
        assert!(content.contains("各季节用水\n\n| 季节 | 水量 | 小时 |\n| --- | --- | --- |\n| 春季 |"), "{content}");
        let tables = chunk["tables"].as_array().unwrap();
        assert!(tables.iter().any(|table| table[0] == json!(["季节", "水量", "小时"])), "{tables:?}");
    }
    let shown = sandbox.kb(&["section", "lists-zh.pdf", "0", "--format", "table"]).out;
    assert!(shown.lines().any(|line| line.starts_with("季节  ") && !line.contains('|')), "{shown}");
    let markdown = sandbox.kb(&["section", "lists-zh.pdf", "0", "--format", "markdown"]).out;
    assert!(markdown.contains("| 季节 | 水量 | 小时 |\n| --- | --- | --- |"), "{markdown}");
}

#[test]
fn a_later_part_of_a_long_table_is_found_by_its_heads() {
    let rows: String = (1..=60).map(|row| format!("| plank {row} of the northern store | {} |\n", row * 7)).collect();
    let text = format!("# Store\n\nStocktaking in crowns\n\n| Article | Zloty |\n|---|---|\n{rows}");
    let sandbox = Sandbox::of_document("store.md", text, &["--no-embed"]);
    let hits = sandbox.hits(&["zloty plank 59", "--method", "keyword", "--merge=false", "-k", "10"]);
    assert!(hits.len() > 1, "all parts have the head: {hits:?}");
    assert!(hits[0]["content"].as_str().unwrap().contains("plank 59"), "{hits:?}");
    let parents = sandbox.items(&["chunks-list", "--doc", "store.md", "--type", "parent"]);
    assert_eq!(texts(&parents, "/content").concat().matches("Zloty").count(), 1, "the stored text has it once");
}

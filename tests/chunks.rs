//! `kb chunks-list` and `kb chunk-delete`: chunks seen and taken out one by one.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use common::Sandbox;
use serde_json::Value;

/// Two documents; section 2 of the first is long enough for several passages of several pieces.
fn guides() -> Sandbox {
    let sandbox = Sandbox::new();
    let long: String = (0..40).map(|i| format!("Step {i} turns the handle number {i} by one notch.\n\n")).collect();
    let text = format!("# Start\n\nUnpack the zebra.\n\n# Turning\n\n{long}\n\n## Backwards\n\nNever it's ÄRGER.\n");
    sandbox.write("guide.md", text);
    sandbox.write("other.md", "# Other\n\nOnly a quokka is here. 启动水泵。\n");
    assert_eq!(sandbox.kb(&["ingest", ".", "-q"]).code, 0);
    sandbox
}

fn list(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    sandbox.json(&[&["chunks-list"], args].concat()).as_array().unwrap().clone()
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_default()
}

fn ids(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| text(row, "chunk_id").to_owned()).collect()
}

fn id_of(sandbox: &Sandbox, source: &str) -> String {
    let documents = sandbox.json(&["docs"]);
    let document = documents.as_array().unwrap().iter().find(|row| text(row, "source") == source).unwrap();
    text(document, "doc_id").to_owned()
}

#[test]
fn chunks_are_listed_in_order_with_all_about_them() {
    let sandbox = guides();
    let (guide, other) = (id_of(&sandbox, "guide.md"), id_of(&sandbox, "other.md"));
    let all = list(&sandbox, &[]);
    // Each parent, followed by its children, document by document.
    let parents: Vec<&Value> = all.iter().filter(|row| text(row, "chunk_type") == "parent").collect();
    assert!(parents.len() >= 5 && parents.iter().all(|row| row["parent_id"].is_null()));
    let mut expected = Vec::new();
    for parent in &parents {
        expected.push(text(parent, "chunk_id").to_owned());
        let own: Vec<&Value> = all.iter().filter(|row| row["parent_id"] == parent["chunk_id"]).collect();
        let joined: String = own.iter().map(|row| text(row, "content")).collect();
        assert_eq!(joined, text(parent, "content"));
        expected.extend((0..own.len()).map(|i| format!("{}.{i}", text(parent, "chunk_id"))));
    }
    assert_eq!(ids(&all), expected);
    assert!(ids(&all)[0].starts_with(&guide) && ids(&all).last().unwrap().starts_with(&other));
    let first = &all[0];
    assert_eq!((text(first, "doc_id"), text(first, "source_id")), (guide.as_str(), "guide.md"));
    assert_eq!((text(first, "section_id"), text(first, "section_title")), (format!("{guide}#1").as_str(), "Start"));
    assert_eq!((text(first, "content").trim(), first["chunk_index"].as_u64()), ("Unpack the zebra.", Some(0)));
    assert_eq!(first["metadata"]["language"], "en");
    assert!(text(first, "updated_at").contains('T'));
}

#[test]
fn a_list_can_be_narrowed_ordered_and_paged() {
    let sandbox = guides();
    let guide = id_of(&sandbox, "guide.md");
    let children = ids(&list(&sandbox, &["--doc", "guide.md", "--type", "child"]));
    assert!(children.len() > 6 && children.iter().all(|id| id.starts_with(&guide) && id.contains('.')));
    let all = ids(&list(&sandbox, &["--doc", "guide.md"]));
    assert_eq!(children, all.iter().filter(|id| id.contains('.')).cloned().collect::<Vec<_>>());
    // Page by page it is the same list, in any order.
    for order in ["document", "chunk_id:desc", "section:desc,index", "chunk_type,updated_at:desc"] {
        let whole = ids(&list(&sandbox, &["--order-by", order]));
        let mut paged = Vec::new();
        while paged.len() < whole.len() {
            let offset = paged.len().to_string();
            paged.extend(ids(&list(&sandbox, &["--order-by", order, "--limit", "9", "--offset", &offset])));
        }
        assert_eq!(paged, whole, "{order}");
    }
    let mut sorted = all.clone();
    sorted.sort();
    sorted.reverse();
    assert_eq!(ids(&list(&sandbox, &["--doc", "guide.md", "--order-by", "chunk_id:desc"])), sorted);
    let run = sandbox.kb(&["chunks-list", "--limit", "2", "--offset", "1"]);
    assert!(run.err.contains("2 to 3 of ") && run.err.contains("--offset 3"), "{}", run.err);
    // A section with its subsections, by path or title.
    let sections = |args: &[&str]| {
        let rows = list(&sandbox, &[&["--doc", "guide.md", "--type", "parent", "--section"], args].concat());
        let mut paths: Vec<String> = rows.iter().map(|row| text(row, "section_id")[guide.len()..].to_owned()).collect();
        paths.dedup();
        paths.join(" ")
    };
    assert_eq!((sections(&["2"]), sections(&["backwards"])), ("#2 #2.1".into(), "#2.1".into()));
}

#[test]
fn the_filter_is_plain_text_whatever_the_case() {
    let sandbox = guides();
    let found = |filter: &str| ids(&list(&sandbox, &["--filter", filter])).len();
    for filter in ["UNPACK the Zebra", "it's ärger", "启动水泵"] {
        assert_eq!(found(filter), 2, "{filter}: a parent and its child");
    }
    for nothing in ["%", "zebra_", "100 %", ".*"] {
        let run = sandbox.kb(&["chunks-list", "--filter", nothing]);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{nothing}: {}", run.err);
    }
    let rows = list(&sandbox, &["--filter", "step 39", "--type", "child"]);
    assert!(rows.len() == 1 && text(&rows[0], "content").contains("Step 39 "), "{rows:?}");
}

#[test]
fn a_list_is_written_in_every_format() {
    let sandbox = guides();
    let run = |format: &str| sandbox.kb(&["chunks-list", "--doc", "guide.md", "--format", format]).out;
    let rows = list(&sandbox, &["--doc", "guide.md"]);
    let lines: Vec<Value> = run("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, rows);
    assert_eq!(run("paths").lines().collect::<Vec<_>>(), ids(&rows));
    let table = run("table");
    assert_eq!(table.lines().count(), rows.len());
    assert!(table.lines().all(|line| line.chars().count() <= 100) && table.contains('…'), "{table}");
    let markdown = run("markdown");
    assert!(markdown.contains(&format!("## {} (parent)\n", ids(&rows)[0])), "{markdown}");
    assert!(markdown.contains("\n> Unpack the zebra.\n") && markdown.contains("#1` Start\n"), "{markdown}");
    for wrong in [&["--order-by", "nonsense"][..], &["--section", "2"], &["--limit", "0"], &["--filter", ""]] {
        assert_eq!(sandbox.kb(&[&["chunks-list"], wrong].concat()).code, 2, "{wrong:?}");
    }
}

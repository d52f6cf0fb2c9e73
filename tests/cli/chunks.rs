//! `kb chunks-list` and `kb chunk-delete`: lists and deletes single chunks.

use crate::common::{Sandbox, of_hits, row, text};
use serde_json::Value;

/// Two documents; section 2 of the first is long enough for several parent chunks of several child chunks.
fn guides() -> Sandbox {
    Sandbox::prepared("chunks::guides", |sandbox| {
        let long: String = (0..40).map(|i| format!("Step {i} turns the handle number {i} by one notch.\n\n")).collect();
        let text =
            format!("# Start\n\nUnpack the zebra.\n\n# Turning\n\n{long}\n\n## Backwards\n\nNever it's ÄRGER.\n");
        sandbox.write("guide.md", text);
        sandbox.write("other.md", "# Other\n\nOnly a quokka is here. 启动水泵。\n");
        sandbox.kb(&["ingest", ".", "-q"]).ok();
    })
}

fn list(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    sandbox.items(&[&["chunks-list"], args].concat()).as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| text(row, "chunk_id").to_owned()).collect()
}

#[test]
fn chunks_are_listed_in_order_with_their_facts() {
    let sandbox = guides();
    let (guide, other) = (sandbox.id("guide.md"), sandbox.id("other.md"));
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
    assert_eq!((text(first, "doc_id"), text(first, "source")), (guide.as_str(), "guide.md"));
    assert_eq!((&first["section"]["id"], text(&first["section"], "title")), (&format!("{guide}#1").into(), "Start"));
    assert_eq!((text(first, "content").trim(), first["chunk_index"].as_u64()), ("Unpack the zebra.", Some(0)));
    assert_eq!(first["metadata"]["language"], "en");
    assert!(text(first, "updated_at").contains('T'));
}

#[test]
fn numbers_are_ordered_as_numbers_and_children_behind_their_parents() {
    let sandbox = Sandbox::new();
    let steps = |mark: &str| (1..=11).map(|n| format!("{mark} Step {n}\n\nTurn handle {n}.\n\n")).collect::<String>();
    sandbox.write("a.md", steps("#"));
    sandbox.write("b.md", format!("# Pump\n\n{}", steps("##")));
    sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).ok();
    let rows = list(&sandbox, &["--type", "parent", "--order-by", "section"]);
    let paths: Vec<&str> = rows.iter().map(|row| text(&row["section"], "path")).collect();
    assert_eq!(paths.join(" "), "1 1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 1.10 1.11 2 3 4 5 6 7 8 9 10 11");
    let numbers = |order: &str| -> String {
        let rows = list(&sandbox, &["--doc", "b.md", "--order-by", order]);
        ids(&rows).iter().map(|id| id.split_once(':').unwrap().1).collect::<Vec<_>>().join(" ")
    };
    let down = "10 10.0 9 9.0 8 8.0 7 7.0 6 6.0 5 5.0 4 4.0 3 3.0 2 2.0 1 1.0 0 0.0";
    assert_eq!(numbers("parent:desc"), down);
    let children = "0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0";
    assert_eq!(numbers("chunk_type:desc,index:desc"), format!("{children} 10 9 8 7 6 5 4 3 2 1 0"));
    assert!(numbers("document").starts_with("0 0.0 1 1.0 2 2.0") && numbers("document").ends_with("9 9.0 10 10.0"));
}

#[test]
fn a_list_can_be_narrowed_ordered_and_paged() {
    let sandbox = guides();
    let guide = sandbox.id("guide.md");
    let children = ids(&list(&sandbox, &["--doc", "guide.md", "--type", "child"]));
    assert!(children.len() > 6 && children.iter().all(|id| id.starts_with(&guide) && id.contains('.')));
    let all = ids(&list(&sandbox, &["--doc", "guide.md"]));
    assert_eq!(children, all.iter().filter(|id| id.contains('.')).cloned().collect::<Vec<_>>());
    // Page by page, in any order, the list is the same.
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
    sandbox.kb(&["chunks-list", "--limit", "2", "--offset", "1"]).tells_all(0, &["2 to 3 of ", "--offset 3"]);
    // A section with its subsections, by path or title.
    let sections = |args: &[&str]| {
        let rows = list(&sandbox, &[&["--doc", "guide.md", "--type", "parent", "--section"], args].concat());
        let mut paths: Vec<String> =
            rows.iter().map(|row| text(&row["section"], "id")[guide.len()..].to_owned()).collect();
        paths.dedup();
        paths.join(" ")
    };
    assert_eq!((sections(&["2"]), sections(&["backwards"])), ("#2 #2.1".into(), "#2.1".into()));
}

#[test]
fn the_filter_ignores_case() {
    let sandbox = guides();
    let found = |filter: &str| ids(&list(&sandbox, &["--filter", filter])).len();
    for filter in ["UNPACK the Zebra", "it's ärger", "启动水泵"] {
        assert_eq!(found(filter), 2, "{filter}: a parent and its child");
    }
    for nothing in ["%", "zebra_", "100 %", ".*", "' OR '1'='1"] {
        sandbox.kb(&["chunks-list", "--filter", nothing]).refuses(1, "no chunk contains the text");
    }
    let rows = list(&sandbox, &["--filter", "step 39", "--type", "child"]);
    assert!(rows.len() == 1 && text(&rows[0], "content").contains("Step 39 "), "{rows:?}");
}

#[test]
fn a_list_is_written_in_every_format() {
    let sandbox = guides();
    let run = |format: &str| sandbox.kb(&["chunks-list", "--doc", "guide.md", "--format", format]).out;
    let rows = list(&sandbox, &["--doc", "guide.md"]);
    let mut lines: Vec<Value> = run("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.pop().unwrap()["type"], "summary");
    for line in &mut lines {
        assert_eq!(line.as_object_mut().unwrap().remove("type"), Some("chunk".into()));
    }
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

/// The contents of all hits.
fn search(sandbox: &Sandbox, query: &str, method: &str) -> Vec<String> {
    of_hits(&sandbox.kb(&["search", query, "--method", method, "-k", "50", "--format", "json"]).json(), "content")
}

fn section(sandbox: &Sandbox, path: &str) -> String {
    text(&sandbox.json(&["section", "guide.md", path, "--no-children"])["items"][0], "content").to_owned()
}

fn counts(sandbox: &Sandbox, source: &str) -> (usize, usize) {
    let row = &sandbox.items(&["docs", source])[0];
    (row["parents"].as_u64().unwrap() as usize, row["children"].as_u64().unwrap() as usize)
}

#[test]
fn chunk_sizes_are_settings_that_documents_keep_until_they_are_cut_again() {
    let sandbox = Sandbox::new();
    let step = |n: usize| format!("Step number {n} turns the handle of valve {n} by one notch and then waits. ");
    sandbox.write("a.md", format!("# Steps\n\n{}\n", (1..40).map(step).collect::<String>()));
    let longest = |of: &str, source: &str| {
        let rows = list(&sandbox, &["--type", of, "--doc", source]);
        rows.iter().map(|row| text(row, "content").trim_end().chars().count()).max().unwrap()
    };
    sandbox.json(&["ingest", "a.md", "--no-embed", "--parent-chars", "400", "--child-chars", "100"]);
    assert!(longest("parent", "a.md") <= 400 && longest("child", "a.md") <= 100);
    let edited = ids(&list(&sandbox, &["--type", "child"]))[2].clone();
    sandbox.json(&["chunk-edit", &edited, "--content", "A correction of step seven."]);
    // A changed file keeps the sizes of its document, a new one has the default ones.
    sandbox.write("a.md", format!("# Steps\n\n{}\n", (1..42).map(step).collect::<String>()));
    sandbox.write("b.md", format!("# Others\n\n{}\n", (1..40).map(step).collect::<String>()));
    sandbox.json(&["ingest", ".", "--no-embed"]);
    assert!(longest("parent", "a.md") <= 400 && longest("parent", "b.md") > 800);
    sandbox.write(".kb/kb.toml", "[ingest]\nparent_chars = 600\nchild_chars = 200\n");
    let dry = sandbox.json(&["reindex", "--chunks", "--dry-run"]);
    assert_eq!(dry["items"].as_array().unwrap().len(), 2, "{dry}");
    sandbox.json(&["reindex", "--chunks"]);
    for source in ["a.md", "b.md"] {
        assert!((401..=600).contains(&longest("parent", source)) && longest("child", source) <= 200, "{source}");
    }
    assert_eq!(sandbox.hits(&["correction of step seven"]).len(), 1);
    assert_eq!(sandbox.json(&["reindex", "--chunks"])["current"], 2);
    sandbox.kb(&["check"]).ok();
    let says = "--child-chars 5000 is longer than a parent chunk of 600 characters";
    sandbox.kb(&["ingest", "a.md", "--child-chars", "5000"]).tells(2, says);
}

#[test]
fn each_length_of_chunks_can_be_given_to_an_ingest_and_to_a_new_cut() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Steps\n\nTurn the handle of the valve.\n");
    let lengths = || {
        let chunking = sandbox.items(&["docs"])[0]["chunking"].clone();
        ["parent_chars", "child_chars", "overlap_chars"].map(|name| chunking[name].as_u64().unwrap())
    };
    sandbox.json(&["ingest", "a.md", "--no-embed", "--overlap-chars", "40"]);
    assert_eq!(lengths(), [1000, 300, 40]);
    let options = ["--parent-chars", "500", "--child-chars", "150", "--overlap-chars", "0"];
    sandbox.json(&[&["reindex", "--chunks"], &options[..]].concat());
    assert_eq!(lengths(), [500, 150, 0]);
    sandbox.write(".kb/kb.toml", "[ingest]\noverlap_chars = 20\n");
    sandbox.json(&["reindex", "--chunks"]);
    assert_eq!(lengths()[2], 20);
}

#[test]
fn neither_retriever_finds_a_deleted_child_chunk() {
    let sandbox = guides();
    let before = list(&sandbox, &["--doc", "guide.md"]);
    let child = before.iter().find(|row| !row["parent_id"].is_null() && text(row, "content").contains("Step 7 "));
    let (id, gone) = (text(child.unwrap(), "chunk_id").to_owned(), text(child.unwrap(), "content").to_owned());
    assert!(gone.trim_end().lines().all(|line| line.is_empty() || line.starts_with("Step ")), "{gone}");
    let whole = section(&sandbox, "2");
    let dry = sandbox.json(&["chunk-delete", &id, "--dry-run"]);
    assert_eq!((&dry["dry_run"], &dry["generation"]), (&Value::Bool(true), &Value::Null));
    assert_eq!(list(&sandbox, &["--doc", "guide.md"]), before);
    let done = sandbox.json(&["chunk-delete", &id, "--yes"]);
    assert_eq!(done["items"][0]["deleted"], serde_json::json!([id]));
    assert_eq!(done["items"][0]["rebuilt"], serde_json::json!([text(child.unwrap(), "parent_id")]));
    assert_eq!(done["generation"], sandbox.status()["generation"]);
    for method in ["keyword", "semantic", "hybrid"] {
        let found = search(&sandbox, "step 7 turns the handle number 7", method);
        assert!(!found.is_empty() && found.iter().all(|content| !content.contains("Step 7 ")), "{method}: {found:?}");
    }
    // The other ids stay; the section is the remaining text.
    let after = list(&sandbox, &["--doc", "guide.md"]);
    let mut expected = ids(&before);
    expected.retain(|other| other != &id);
    assert_eq!(ids(&after), expected);
    assert_eq!(section(&sandbox, "2"), whole.replace(&gone, ""));
    let kinds = |kind: &str| after.iter().filter(|row| text(row, "chunk_type") == kind).count();
    assert_eq!(counts(&sandbox, "guide.md"), (kinds("parent"), kinds("child")));
    // The file has not changed, so the next ingest changes nothing.
    sandbox.json(&["ingest", "."]);
    assert_eq!(list(&sandbox, &["--doc", "guide.md"]), after);
}

#[test]
fn deleting_a_parent_chunk_deletes_its_child_chunks() {
    let sandbox = guides();
    let parents = list(&sandbox, &["--doc", "guide.md", "--type", "parent", "--section", "2"]);
    let (first, second) = (text(&parents[0], "chunk_id"), text(&parents[1], "chunk_id"));
    sandbox.kb(&["chunk-delete", second, "--no-cascade", "--yes"]).tells(2, &format!("{second}.0"));
    sandbox.json(&["chunk-delete", second, "--yes"]);
    let left = ids(&list(&sandbox, &["--doc", "guide.md"]));
    assert!(left.iter().all(|id| id != second && !id.starts_with(&format!("{second}."))));
    assert!(left.contains(&first.to_owned()));
    let own: Vec<&Value> = parents
        .iter()
        .filter(|row| text(&row["section"], "id").ends_with("#2") && text(row, "chunk_id") != second)
        .collect();
    let rest: String = own.iter().map(|row| text(row, "content")).collect();
    assert_eq!(section(&sandbox, "2"), rest.trim_end());
    // All of its own chunks: the section remains, empty; its subsection keeps its text.
    let own: Vec<&str> = own.iter().map(|row| text(row, "chunk_id")).collect();
    sandbox.json(&[&["chunk-delete", "--yes"], own.as_slice()].concat());
    assert_eq!((section(&sandbox, "2"), section(&sandbox, "2.1")), (String::new(), "Never it's ÄRGER.".into()));
    // The last child chunk takes its parent chunk with it.
    let last = list(&sandbox, &["--filter", "ärger", "--type", "child"]);
    let done = sandbox.json(&["chunk-delete", text(&last[0], "chunk_id"), "--yes"]);
    assert_eq!(done["items"][0]["deleted"].as_array().unwrap().len(), 2);
    assert_eq!(counts(&sandbox, "guide.md"), (1, 1));
}

#[test]
fn a_document_without_chunks_stays_deleted() {
    let sandbox = guides();
    let parents = list(&sandbox, &["--doc", "other.md", "--type", "parent"]);
    assert_eq!(parents.len(), 1);
    sandbox.kb(&["chunk-delete", text(&parents[0], "chunk_id"), "--yes"]).shows(0, "the document is empty now");
    let assert_away = |sandbox: &Sandbox| {
        assert!(search(sandbox, "quokka", "keyword").is_empty());
        assert!(search(sandbox, "quokka", "semantic").iter().all(|content| !content.contains("quokka")));
        assert_eq!(counts(sandbox, "other.md"), (0, 0));
        sandbox.kb(&["check"]).ok();
    };
    assert_away(&sandbox);
    for again in [&["ingest", "."][..], &["ingest", ".", "--force"], &["reindex", "--structure", "--force"]] {
        assert_eq!(sandbox.kb(again).code, 0, "{again:?}");
        assert_away(&sandbox);
    }
    let report = sandbox.json(&["ingest", ".", "--force"]);
    assert_eq!(row(&report["items"], "source", "other.md")["parents"], 0, "the report counts what is stored");
    assert_eq!(sandbox.json(&["ingest", "."])["counts"]["unchanged"], 2, "nothing is left to be done");
    // A sentence that is new in the source is not the deleted one.
    let source = std::fs::read_to_string(sandbox.path("other.md")).unwrap();
    sandbox.write("other.md", format!("{source}\n\n# New\n\nA wombat has come.\n"));
    sandbox.kb(&["ingest", "."]).ok();
    assert!(search(&sandbox, "quokka", "keyword").is_empty() && search(&sandbox, "wombat", "keyword").len() == 1);
    // The deletion can be undone, and a command that misses the chunk says how.
    sandbox.kb(&["show", text(&parents[0], "chunk_id")]).tells(1, "was deleted by hand; `kb chunk-edit");
    sandbox.json(&["chunk-edit", text(&parents[0], "chunk_id"), "--reset"]);
    assert_eq!(search(&sandbox, "quokka", "keyword").len(), 1);
}

#[test]
fn a_deletion_asks_first_and_is_all_or_nothing() {
    let sandbox = guides();
    let before = list(&sandbox, &[]);
    let first = text(&before[0], "chunk_id");
    sandbox.kb(&["chunk-delete", first]).refuses(3, "not confirmed: delete").tells(3, "--yes");
    for unknown in ["zzzzzz:1", "nonsense", &format!("{first}.99")] {
        let run = sandbox.kb(&["chunk-delete", first, unknown, "--yes"]);
        assert!(run.code == 1 && run.err.contains(unknown) && !run.err.contains(&format!("{first:?}")), "{}", run.err);
    }
    assert_eq!(list(&sandbox, &[]), before);
    assert_eq!(sandbox.status()["generation"], 1);
    // All child chunks are named too.
    let own: Vec<String> = ids(&before).into_iter().filter(|id| id.split('.').next() == Some(first)).collect();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    sandbox.json(&[&["chunk-delete", "--no-cascade", "--yes"], &own[..]].concat());
}

#[test]
fn an_empty_list_says_why_it_is_empty() {
    let sandbox = Sandbox::of_document("a.md", "# Valves\n\nClose the valve.", &["--no-embed"]);
    let says = |args: &[&str], why: &str| {
        sandbox.kb(args).tells(1, why);
    };
    says(&["chunks-list", "--edited"], "no edited chunks");
    says(&["chunks-list", "--conflicts"], "no conflicts");
    says(&["chunks-list", "--filter", "pump"], "no chunk contains the text \"pump\"\n");
    says(&["chunks-list", "--filter", "page < 3"], "no chunk contains the text \"page < 3\"; --where takes filters");
    says(&["chunks-list", "--offset", "99"], "--offset 99 is past the end");
    says(&["docs", "--offset", "9"], "--offset 9 is past the end of the list, which has 1");
    sandbox.kb(&["remove", "a.md"]).ok();
    says(&["docs"], "no documents; `kb ingest PATH` reads some");
    says(&["toc"], "no documents; `kb ingest PATH` reads some");
}

#[test]
fn a_namespace_may_cut_chunks_to_its_own_length() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "The pump runs. ".repeat(100));
    sandbox.configure(
        "[ingest]\nparent_chars = 800\n[[ingest.namespaces]]\nname = \"Acme/*\"\nparent_chars = 400\nchild_chars = 200\n",
    );
    let lengths = |namespace: &str| {
        sandbox.json(&["ingest", "a.md", "--no-embed", "-n", namespace]);
        let chunking = sandbox.items(&["docs", "-n", namespace])[0]["chunking"].clone();
        [&chunking["parent_chars"], &chunking["child_chars"]].map(|number| number.as_u64().unwrap())
    };
    assert_eq!([lengths("default"), lengths("acme"), lengths("acme/reports")], [[800, 300], [800, 300], [400, 200]]);
    let flag = sandbox.kb(&["ingest", "a.md", "--no-embed", "-n", "acme/x", "--parent-chars", "500"]);
    assert_eq!((flag.code, &sandbox.items(&["docs", "-n", "acme/x"])[0]["chunking"]["parent_chars"]), (0, &500.into()));
    sandbox.configure("[[ingest.namespaces]]\nname = \"acme\"\nparent_char = 400\n");
    assert_eq!(sandbox.kb(&["docs"]).code, 2, "a misspelt setting");
}

//! A question asked of several namespaces: ranked as if they were one, and each hit says where it is.

use crate::common::{Sandbox, text};
use serde_json::Value;

const PUMPS: &str = "# Pumps\n\n## Priming\n\nPrime the pump before it is started: open the vent and fill the casing.\n\n\
                     ## Bearings\n\nGrease the bearings of the pump every month.\n";
const VALVES: &str = "# Valves\n\n## Closing\n\nClose the valve slowly, or the pump suffers from water hammer.\n\n\
                      ## Leaks\n\nA leaking valve is repacked; the gland is tightened by hand.\n";

/// `pumps` and `valves` with a document each, and `both` with the two of them.
fn sandbox(flags: &[&str]) -> Sandbox {
    Sandbox::prepared(&format!("search_namespaces::sandbox {flags:?}"), |sandbox| {
        sandbox.write("pumps.md", PUMPS);
        sandbox.write("valves.md", VALVES);
        for (namespace, files) in [("pumps", &["pumps.md"][..]), ("valves", &["valves.md"]), ("both", &["."])] {
            sandbox.json(&[&["ingest", "-n", namespace], files, flags].concat());
        }
    })
}

/// Must be the same for any distribution of the parent chunks.
fn ranking(hits: &[Value]) -> Vec<(String, [f64; 3])> {
    let score = |hit: &Value, field: &str| (hit[field].as_f64().unwrap_or(-1.0) * 1e5).round() / 1e5;
    hits.iter()
        .map(|hit| {
            let scores = ["score", "keyword_score", "semantic_score"].map(|field| score(hit, field));
            (text(hit, "chunk_id").to_owned(), scores)
        })
        .collect()
}

#[test]
fn several_namespaces_rank_as_one_that_holds_all() {
    let sandbox = sandbox(&[]);
    for method in ["hybrid", "keyword", "semantic"] {
        for question in ["how do I prime the pump?", "water hammer valve", "bearngs", "\"water hammer\" pump"] {
            let asked = |names: &str| sandbox.hits(&[question, "--method", method, "-n", names, "--all"]);
            let (apart, together) = (asked("pumps,valves"), asked("both"));
            assert!(together.len() > usize::from(method != "keyword" && !question.contains('"')), "{question}");
            assert_eq!(ranking(&apart), ranking(&together), "{question} by {method}");
            for hit in &apart {
                let expected = text(hit, "source").strip_suffix(".md").unwrap();
                assert_eq!(text(hit, "namespace"), expected, "{hit}");
            }
        }
    }
    // A limit cuts the common ranking.
    let two = sandbox.hits(&["pump", "-n", "pumps,valves", "-k", "2"]);
    assert_eq!(ranking(&two), ranking(&sandbox.hits(&["pump", "-n", "both", "-k", "2"])));
    a_parent_chunk_in_several_is_shown_once(&sandbox);
}

fn a_parent_chunk_in_several_is_shown_once(sandbox: &Sandbox) {
    let found = sandbox.hits(&["how do I prime the pump?", "-n", "valves,both,pumps", "-k", "3", "--all"]);
    assert_eq!(found.len(), 3, "the twins take no place from others");
    assert_eq!(text(&found[0]["section"], "title"), "Priming");
    assert_eq!((text(&found[0], "namespace"), &found[0]["also_in"]), ("both", &serde_json::json!(["pumps"])));
    let ranks: Vec<u64> = found.iter().map(|hit| hit["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [1, 2, 3]);
    // With equal scores, in the order in which `-n` names them.
    let turned = sandbox.hits(&["how do I prime the pump?", "-n", "pumps,both", "-k", "1"]);
    assert_eq!((text(&turned[0], "namespace"), &turned[0]["also_in"]), ("pumps", &serde_json::json!(["both"])));
}

#[test]
fn a_namespace_without_vectors_is_ranked_beside_one_with() {
    let sandbox = Sandbox::new();
    sandbox.write("pumps.md", PUMPS);
    sandbox.write("valves.md", VALVES);
    sandbox.json(&["ingest", "pumps.md", "-n", "pumps"]);
    sandbox.json(&["ingest", "valves.md", "-n", "valves", "--no-embed"]);
    let found = sandbox.hits(&["repack a leaking valve", "-n", "all", "--all"]);
    assert_eq!((text(&found[0], "namespace"), text(&found[0]["section"], "title")), ("valves", "Leaks"));
    assert!(found.iter().any(|hit| text(hit, "namespace") == "pumps"));
    sandbox.kb(&["search", "valve", "-n", "all", "--method", "semantic"]).tells(0, "1 document lacks vectors");
}

#[test]
fn two_versions_of_a_file_are_two_hits() {
    let sandbox = Sandbox::new();
    sandbox.write("pumps.md", PUMPS);
    sandbox.json(&["ingest", "pumps.md", "--no-embed", "-n", "old"]);
    sandbox.write("pumps.md", PUMPS.replace("open the vent", "close the drain, open the vent"));
    sandbox.json(&["ingest", "pumps.md", "--no-embed", "-n", "new"]);
    let found = sandbox.hits(&["drain vent", "-n", "old,new", "--method", "keyword"]);
    let names: Vec<&str> = found.iter().map(|hit| text(hit, "namespace")).collect();
    assert_eq!(names, ["new", "old"]);
    assert_eq!(text(&found[0], "chunk_id"), text(&found[1], "chunk_id"), "the ids alone do not tell them apart");
    assert!(found.iter().all(|hit| hit["also_in"] == serde_json::json!([])), "{found:?}");
    // Unchanged sections are the same in both.
    let grease = sandbox.hits(&["grease", "-n", "old,new", "--method", "keyword"]);
    assert_eq!((grease.len(), &grease[0]["also_in"]), (1, &serde_json::json!(["new"])));
}

#[test]
fn all_means_every_namespace_with_documents() {
    let sandbox = sandbox(&["--no-embed"]);
    std::fs::create_dir_all(sandbox.path(".kb/namespaces/begun")).unwrap();
    for all in ["all", "ALL"] {
        let found = sandbox.json(&["search", "valve", "-n", all]);
        assert_eq!(found["namespaces"], serde_json::json!(["both", "pumps", "valves"]));
        assert_eq!(found["hits"][0]["also_in"], serde_json::json!(["valves"]));
    }
    let run = sandbox.kb_with(&[("KB_NAMESPACE", "all")], &["search", "valve", "--format", "json"]);
    let found = run.json();
    assert_eq!(found["namespaces"].as_array().unwrap().len(), 3, "{}", run.err);

    let empty = Sandbox::new();
    empty.write(".kb/kb.json", r#"{"min_reader": 1, "min_writer": 1, "created_by": "test"}"#);
    empty.kb(&["search", "valve", "-n", "all"]).tells(3, "kb ingest");
}

#[test]
fn the_namespace_is_shown_where_several_are_searched() {
    let sandbox = sandbox(&["--no-embed"]);
    let out = |names: &str, format: &str| sandbox.kb(&["search", "gland", "-n", names, "--format", format]).out;
    for (names, format, shown) in [
        ("pumps,valves", "markdown", "` · in valves · confidence"),
        ("both,valves", "table", "  in both, valves  confidence"),
    ] {
        assert!(out(names, format).contains(shown), "{}", out(names, format));
    }
    assert_eq!(out("all", "paths"), "valves.md\n");
    for names in ["valves", "valves,valves"] {
        assert!(!out(names, "markdown").contains(" · in ") && !out(names, "table").contains("  in valves"));
        for format in ["json", "jsonl"] {
            let out = out(names, format);
            let first = if format == "json" { out.as_str() } else { out.lines().next().unwrap() };
            let value: Value = serde_json::from_str(first).unwrap();
            let hit = if format == "json" { &value["hits"][0] } else { &value };
            assert_eq!(text(hit, "namespace"), "valves", "{format}");
        }
    }
}

#[test]
fn documents_are_found_in_each_namespace() {
    let sandbox = sandbox(&["--no-embed"]);
    let sources = |args: &[&str]| {
        let found = sandbox.hits(&[&["pump"], args].concat());
        let mut sources: Vec<String> = found.iter().map(|hit| text(hit, "source").to_owned()).collect();
        sources.dedup();
        sources
    };
    assert_eq!(sources(&["-n", "pumps,valves", "--doc", "valves.md"]), ["valves.md"]);
    assert_eq!(sources(&["-n", "all", "--doc", "Pumps"]), ["pumps.md"]);
    assert_eq!(sources(&["-n", "all", "--doc", "Pumps", "--doc", "valves.md"]).len(), 2);
    let run = sandbox.kb(&["search", "pump", "-n", "pumps,valves", "--doc", "Valvse"]);
    run.tells_all(2, &["any of the namespaces", "did you mean"]);
    // The note on a part of a title comes once, though three namespaces have it.
    let guessed = sandbox.kb(&["search", "pump", "-n", "all", "--doc", "ump"]);
    assert_eq!((guessed.code, guessed.err.matches("; using ").count()), (0, 1), "{}", guessed.err);
}

#[test]
fn a_missing_namespace_in_a_list_is_an_error() {
    let sandbox = sandbox(&["--no-embed"]);
    for (names, code, message) in [
        ("pumps,valvs", 2, "did you mean valves?"),
        ("zzz,pumps", 2, "\"zzz\""),
        ("pumps,", 2, "a name is missing"),
        ("pumps,all", 2, "use --namespace all"),
        ("pumps,../valves", 2, "\"../valves\""),
    ] {
        sandbox.kb(&["search", "pump", "-n", names]).refuses(code, message);
    }
}

#[test]
fn commands_for_one_namespace_refuse_several() {
    let sandbox = sandbox(&["--no-embed"]);
    let before = std::fs::read_dir(sandbox.path(".kb/namespaces")).unwrap().count();
    for names in ["pumps,valves", "All"] {
        sandbox.kb(&["toc", "-n", names]).refuses(2, "name one").tells(2, "kb search");
    }
    for command in [
        &["ingest", "pumps.md", "--no-embed"][..],
        &["toc"],
        &["section", "pumps.md", "1"],
        &["chunks-list"],
        &["chunk-delete", "aaaaaa:0", "--yes"],
        &["chunk-edit", "aaaaaa:0", "--content", "x"],
        &["remove", "pumps.md"],
        &["check"],
        &["check", "--repair"],
        &["reindex", "--structure"],
    ] {
        sandbox.kb(&[command, &["-n", "all"]].concat()).refuses(2, "name one").tells(2, "kb search");
    }
    for change in [&["rename", "pumps", "all"][..], &["rename", "pumps,valves", "new"], &["remove", "all", "--yes"]] {
        sandbox.kb(&[&["namespaces"], change].concat()).refuses(2, "");
    }
    assert_eq!(std::fs::read_dir(sandbox.path(".kb/namespaces")).unwrap().count(), before);
    let empty = Sandbox::new();
    empty.write("a.md", "# A");
    assert_eq!(empty.kb(&["ingest", "a.md", "--no-embed", "-n", "all"]).code, 2);
    assert!(!empty.path(".kb").exists(), "nothing is made for a name that is none");
}

#[test]
fn docs_and_status_take_several_namespaces() {
    let sandbox = sandbox(&["--no-embed"]);
    let sources = |args: &[&str]| -> Vec<(String, String)> {
        let list = sandbox.items(&[&["docs"], args].concat());
        let one = |row: &Value| (row["namespace"].as_str().unwrap_or("").to_owned(), text(row, "source").to_owned());
        list.as_array().unwrap().iter().map(one).collect()
    };
    let pair = |namespace: &str, source: &str| (namespace.to_owned(), source.to_owned());
    assert_eq!(sources(&["-n", "pumps"]), [pair("pumps", "pumps.md")]);
    assert_eq!(sources(&["-n", "valves,pumps"]), [pair("valves", "valves.md"), pair("pumps", "pumps.md")]);
    assert_eq!(sources(&["-n", "all"]).len(), 4);
    assert_eq!(sources(&["-n", "all", "pumps.md"]), [pair("both", "pumps.md"), pair("pumps", "pumps.md")]);
    assert_eq!(sources(&["-n", "all", "--filter", "source = valves.md"]).len(), 2);
    sandbox.kb(&["docs", "-n", "all", "--format", "table"]).shows_all(0, &["namespace", "both"]);
    let shown = sandbox.kb(&["docs", "-n", "all", "pumps.md"]).out;
    assert!(shown.contains("namespace: both") && shown.contains("namespace: pumps"), "{shown}");
    sandbox.kb(&["docs", "-n", "pumps,valves", "nothing.md"]).tells(1, "in any of the namespaces");
    let status = sandbox.items(&["status", "-n", "pumps,both"]);
    let figures: Vec<(&str, Option<u64>)> =
        status.as_array().unwrap().iter().map(|one| (text(one, "namespace"), one["documents"].as_u64())).collect();
    assert_eq!(figures, [("pumps", Some(1)), ("both", Some(2))]);
    assert_eq!(sandbox.items(&["status", "-n", "both"])[0]["documents"], 2, "of one");
    let message = sandbox.kb(&["status", "-n", "all"]).out;
    assert_eq!(message.matches("- namespace: ").count(), 3, "{message}");
    sandbox.kb(&["status", "-n", "pumps,nothing"]).tells(2, "nothing");
}

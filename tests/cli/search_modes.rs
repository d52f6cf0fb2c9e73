//! From a ranking to a result: modes, neighbours, windows, merging, duplicates, groups and budgets.

use crate::common::{Sandbox, row, stage, text};
use serde_json::Value;

/// A manual with sections of known parent chunks, a second one with the same words, and a third that is another copy.
fn manuals() -> Sandbox {
    Sandbox::prepared("search_modes::manuals", |sandbox| {
        sandbox.write_manuals("");
        sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    })
}

fn search(sandbox: &Sandbox, args: &[&str]) -> Value {
    sandbox.json(&[&["search"], args].concat())
}

fn texts(hits: &[Value], field: &str) -> Vec<String> {
    hits.iter().map(|hit| text(hit, field).to_owned()).collect()
}

/// The numbers of the parent chunks in a hit.
fn parent_chunks(hit: &Value) -> Vec<u64> {
    hit["sources"].as_array().unwrap().iter().map(|source| source["index"].as_u64().unwrap()).collect()
}

#[test]
fn neighbours_are_shown_on_both_sides_within_the_section() {
    let sandbox = manuals();
    let args = ["handle number 3", "-k", "1", "--doc", "pumps.md"];
    let alone = &sandbox.hits(&args)[0];
    let [own] = parent_chunks(alone)[..] else { panic!("{alone}") };
    assert_eq!(text(alone, "chunk_id"), alone["sources"][0]["chunk_id"]);
    let around = &sandbox.hits(&[&args[..], &["--context", "1"]].concat())[0];
    assert_eq!(parent_chunks(around), [own - 1, own, own + 1]);
    assert_eq!((text(around, "content"), &around["page_start"]), (text(alone, "content"), &alone["page_start"]));
    assert!(text(around, "before").starts_with("Step 2") && text(around, "after").starts_with("Step 4"), "{around}");
    assert!(alone["matches"].as_array().is_some_and(|matches| !matches.is_empty()), "{alone}");
    assert_eq!(around["matches"], alone["matches"], "places in the content, without its neighbours");
    assert!(alone["before"] == "" && alone["after"] == "", "{alone}");
    let markdown = sandbox.kb(&[&["search"], &args[..], &["--context", "1"]].concat()).out;
    let places = ["Step 2", "Step 3", "Step 4"].map(|step| markdown.find(step).unwrap());
    assert!(places.is_sorted(), "{markdown}");
    assert_eq!(around["matched_chunks"], 1);
    assert!(around["sources"][0]["score"].is_null() && around["sources"][1]["score"].is_number());
    // Neighbours end with the section.
    let most = &sandbox.hits(&[&args[..], &["--context", "50"]].concat())[0];
    let whole = format!("{}{}{}", text(most, "before"), text(most, "content"), text(most, "after"));
    assert!(!whole.contains("A pump moves water") && !whole.contains("vent"), "{most}");
}

#[test]
fn adjacent_hits_of_a_section_merge() {
    let sandbox = manuals();
    let args = ["priming handle", "-k", "20", "--doc", "pumps.md"];
    let apart = sandbox.hits(&[&args[..], &["--merge=false"]].concat());
    let in_section: Vec<u64> =
        apart.iter().filter(|hit| text(&hit["section"], "path") == "1.2").map(|hit| parent_chunks(hit)[0]).collect();
    assert!(in_section.len() >= 5, "{in_section:?}");
    let merged = sandbox.hits(&args);
    let one: Vec<&Value> = merged.iter().filter(|hit| text(&hit["section"], "path") == "1.2").collect();
    assert_eq!(one.len(), 1, "{merged:?}");
    let mut sorted = in_section.clone();
    sorted.sort_unstable();
    assert_eq!(parent_chunks(one[0]), sorted, "every parent chunk is named");
    let best = apart.iter().find(|hit| text(&hit["section"], "path") == "1.2").unwrap();
    assert_eq!(one[0]["score"], best["score"]);
    // Adjacent hits do not take the places of others.
    let few = sandbox.hits(&["priming handle", "-k", "2"]);
    assert!(few.len() == 2 && few[0]["section"]["id"] != few[1]["section"]["id"], "{few:?}");
}

#[test]
fn a_window_shows_the_best_sentence_and_its_neighbours() {
    let sandbox = manuals();
    let content =
        |window| text(&sandbox.hits(&["never force it", "-k", "1", "--window", window])[0], "content").to_owned();
    assert_eq!(content("0"), "Never force it.");
    assert_eq!(content("1"), "A valve stops water. Never force it.");
}

#[test]
fn repeated_chunks_are_left_out_with_a_note() {
    let sandbox = manuals();
    let args = ["apprentice priming handle", "--format", "json"];
    let run = sandbox.kb(&[&["search"], &args[..]].concat());
    assert!(run.err.contains("left out: 1 parent chunk that repeats a better hit"), "{}", run.err);
    let found = run.json();
    assert_eq!(found["hits"][0]["duplicates"].as_array().unwrap().len(), 1);
    let duplicate = found["hits"][0]["duplicates"][0].as_str().unwrap();
    assert_ne!(found["hits"][1]["doc_id"], duplicate.split(':').next().unwrap());
    let all = sandbox.hits(&["apprentice priming handle", "--keep-duplicates"]);
    let mut sources = texts(&all[..2], "source");
    sources.sort();
    assert_eq!(sources, ["copy.md", "notes.md"]);
    assert!(all[0]["duplicates"] == serde_json::json!([]));
}

#[test]
fn groups_stay_together_and_documents_have_a_limit() {
    let sandbox = manuals();
    let grouped = |by| search(&sandbox, &["priming handle", "-k", "20", "--group-by", by])["groups"].take();
    let by_document = grouped("doc");
    assert_eq!(texts(by_document.as_array().unwrap(), "source").len(), 2, "{by_document}");
    for (group, rank) in by_document.as_array().unwrap().iter().zip(1..) {
        let hits = group["hits"].as_array().unwrap();
        assert_eq!(group["rank"], rank);
        assert!(hits.iter().all(|hit| hit["source"] == group["source"]), "{group}");
    }
    let by_section = grouped("section");
    let sections = by_section.as_array().unwrap().iter();
    let mut sections: Vec<&str> = sections.map(|group| text(&group["section"], "id")).collect();
    sections.dedup();
    assert_eq!(sections.len(), by_section.as_array().unwrap().len());
    let markdown = sandbox.kb(&["search", "priming handle", "-k", "20", "--group-by", "section"]).out;
    assert_eq!(markdown.lines().filter(|line| line.starts_with("## ")).count(), sections.len(), "{markdown}");
    let shares = texts(&sandbox.hits(&["priming handle", "-k", "20", "--per-document", "1"]), "source");
    assert_eq!(shares.len(), 2, "{shares:?}");
    let broad = search(&sandbox, &["priming handle", "--mode", "broad:0.7", "-k", "2"]);
    let mut sources = texts(broad["hits"].as_array().unwrap(), "source");
    sources.sort();
    assert_eq!((broad["mode"].as_str(), sources.len()), (Some("broad"), 2));
    assert_ne!(sources[0], sources[1], "several documents");
}

#[test]
fn sections_are_returned_whole_by_their_titles_and_parent_chunks() {
    let sandbox = manuals();
    let found = sandbox.hits(&["Priming the pump", "--mode", "section", "--doc", "pumps.md"]);
    assert_eq!((text(&found[0]["section"], "path"), text(&found[0]["section"], "title")), ("1.2", "Priming the pump"));
    let whole = text(&found[0], "content");
    assert!(whole.starts_with("Step 1") && whole.ends_with("Venting\n\nOpen the vent before the casing is filled."));
    assert_eq!(found[0]["score"], 1.0);
    // Two sections have the title: both come first, before sections with better parent chunks.
    let twice = sandbox.hits(&["introduction", "--mode", "section", "--doc", "pumps.md"]);
    let mut paths = twice[..2].iter().map(|hit| text(&hit["section"], "path")).collect::<Vec<_>>();
    paths.sort();
    assert_eq!(paths, ["1.1", "2.1"]);
    // A search for sections returns sections, even if the question is about chapters.
    let asked = search(&sandbox, &["what chapters are about valves", "--mode", "section"]);
    assert!(asked["contents"][0].is_null() && asked["hits"][0].is_object(), "{asked}");
    // By content alone.
    let content = sandbox.hits(&["grease every month", "--mode", "section"]);
    assert_eq!(text(&content[0]["section"], "path"), "1.3");
    // As much as fits, between parent chunks; the rest is named.
    let run =
        sandbox.kb(&["search", "Priming the pump", "--mode", "section", "--max-tokens", "400", "--format", "json"]);
    assert!(run.err.contains("left out: "), "{}", run.err);
    let cut = run.json();
    let shown = text(&cut["hits"][0], "content");
    assert!(whole.starts_with(shown) && shown.len() < whole.len() && shown.ends_with("waits."), "{shown}");
    assert!(!cut["left_out"][0]["chunk_ids"].as_array().unwrap().is_empty());
    let run = sandbox.kb(&["search", "Priming the pump", "--mode", "section", "--max-tokens", "3"]);
    run.tells(2, "not even the first parent chunk");
}

#[test]
fn sections_are_listed_with_counts_and_a_preview() {
    let sandbox = manuals();
    let found = sandbox.hits(&["priming handle", "--in", "sections"]);
    assert_eq!(text(&found[0]["section"], "path"), "1.2");
    let matched = found[0]["matched_chunks"].as_u64().unwrap();
    assert!(matched >= 5 && found[0]["sources"].as_array().unwrap().len() as u64 == matched, "{}", found[0]);
    assert!(text(&found[0], "content").len() < 300 && text(&found[0], "content").contains("handle"), "{}", found[0]);
    let matching = format!("{matched} parent chunks match");
    sandbox.kb(&["search", "priming handle", "--in", "sections"]).shows(0, &matching);
    // A section that has only its title is found too.
    let titled = sandbox.hits(&["valves", "--in", "sections"]);
    assert_eq!((text(&titled[0]["section"], "path"), text(&titled[0]["section"], "title")), ("2", "Valves"));
    let markdown = sandbox.kb(&["search", "valves", "--in", "sections"]).out;
    assert!(!markdown.contains("``"), "{markdown}");
}

#[test]
fn drilling_follows_documents_parent_chunks_and_child_chunks() {
    let sandbox = manuals();
    let single = sandbox.hits(&["priming handle number 4", "--mode", "drill:1,1,2"]);
    assert_eq!(single.len(), 1);
    assert_eq!(text(&single[0], "source"), "pumps.md");
    assert_eq!(single[0]["sources"][0]["children"].as_array().unwrap().len(), 2);
    let whole = sandbox.hits(&["priming handle number 4", "-k", "1", "--merge=false"]);
    assert_eq!(text(&single[0], "content"), text(&whole[0], "content"), "parent chunks are whole");
    let wide = texts(&sandbox.hits(&["priming handle number 4", "--mode", "drill:2,3,1", "--all"]), "source");
    assert_eq!(wide.iter().filter(|source| *source == "pumps.md").count(), 3, "{wide:?}");
    assert_eq!(wide.len(), 4, "one of the other document: {wide:?}");
}

#[test]
fn a_drill_answers_in_three_tiers() {
    let sandbox = manuals();
    let args = ["priming handle number 4", "--mode", "drill:1,1,2"];
    let document = &search(&sandbox, &args)["groups"][0];
    assert!(text(document, "summary").len() > 20 && document["kinds"][0]["share"].as_f64() > Some(0.1), "{document}");
    let parent = &document["hits"][0];
    let children = parent["children"].as_array().unwrap();
    assert_eq!(children.len(), 2);
    for child in children {
        assert!(text(parent, "content").contains(text(child, "content")), "{parent}");
        assert!(text(child, "chunk_id").starts_with(&format!("{}.", text(parent, "chunk_id"))));
    }
    let markdown = sandbox.kb(&[&["search"], &args[..]].concat()).out;
    let places =
        [text(document, "summary"), text(parent, "content").split('\n').next().unwrap(), "Matching child chunks:"]
            .map(|part| markdown.find(part).unwrap_or_else(|| panic!("{part}: {markdown}")));
    assert!(places.is_sorted(), "{markdown}");
    // A context has the same tiers, for templates too.
    let context = sandbox.json(&[&["context"], &args[..]].concat());
    assert_eq!(context["items"][0]["parent_chunks"][0]["children"].as_array().unwrap().len(), 2, "{context}");
    sandbox.write(
        "t.txt",
        "{% for d in documents %}{{ d.kinds[0].kind }}{% for p in d.parent_chunks %}{% for c in p.children %}<{{ c.content }}>\
         {% endfor %}{% endfor %}{% endfor %}",
    );
    let by_template = sandbox.kb(&[&["context"], &args[..], &["--template", "t.txt"]].concat()).out;
    assert!(by_template.starts_with("procedure") && by_template.matches('<').count() == 2, "{by_template}");
    // Neighbours are shown as in other modes.
    let around = sandbox.hits(&[&args[..], &["--context", "1"]].concat());
    assert!(!text(&around[0], "before").is_empty() && !text(&around[0], "after").is_empty(), "{around:?}");
}

/// The ranges of docs/configuration.md.
#[test]
fn values_outside_of_their_range_are_refused_and_flags_without_effect_are_noted() {
    let sandbox = manuals();
    for (option, value, message) in [
        ("--context", "101", "from 0 to 100"),
        ("--window", "101", "from 0 to 100"),
        ("--fusion", "rrf:10001", "a K from 0 to 10000"),
        ("--fusion", "rrf:-1", "rrf:K"),
        ("--fusion", "weighted:10", "expected weighted, rrf or rrf:K"),
        ("--weights", "0,0", "one of them above 0"),
        ("--weights", "-1,2", "two numbers of at least 0"),
        ("--fallback", "hits=9", "min_hits"),
        ("--mode", "deep", "expected precise, broad"),
    ] {
        sandbox.kb(&["search", "pump", option, value]).tells(2, option).tells(2, message);
    }
    // The unit tests of requests have every such setting; here each is told, and once.
    let run = sandbox.kb(&["search", "pump", "--max-tokens", "9", "--in", "sections", "--pool", "3", "-k", "5"]).ok();
    for note in ["--max-tokens has no effect on a list of sections", "--pool is raised to 5"] {
        assert_eq!(run.err.matches(note).count(), 1, "{}", run.err);
    }
}

#[test]
fn the_environment_overrides_the_file_and_flags_override_both() {
    let sandbox = manuals();
    sandbox.write(
        ".kb/kb.toml",
        "[search]\nmethod = \"keyword\"\nmerge = false\nlimit = 2\nfilter = \"source = pumps.md\"\n",
    );
    let ask = |variables: &[(&str, &str)], args: &[&str]| {
        let run = sandbox.kb_with(variables, &[&["search", "priming handle", "--format", "json"], args].concat());
        (run.code, serde_json::from_str::<Value>(&run.out).unwrap_or_default(), run.err)
    };
    let count = |variables: &[(&str, &str)], args: &[&str]| ask(variables, args).1["hits"].as_array().unwrap().len();
    let three = [("KB_SEARCH_LIMIT", "3")];
    assert_eq!((count(&[], &[]), count(&three, &[]), count(&three, &["-k", "1"])), (2, 3, 1));
    let (code, found, _) = ask(&[("KB_SEARCH_FILTER", "source = notes.md"), ("KB_SEARCH_MODE", "broad")], &[]);
    assert_eq!((code, found["mode"].as_str(), text(&found["hits"][0], "source")), (0, Some("broad"), "notes.md"));
    // The method decides against weights, the number of hits against a smaller pool.
    let weights = [("KB_SEARCH_WEIGHTS", "1,1"), ("KB_SEARCH_POOL", "2")];
    let (code, found, message) = ask(&weights, &["--method", "keyword", "-k", "4"]);
    assert_eq!((code, found["hits"].as_array().unwrap().len()), (0, 4), "{message}");
    // An invalid variable is refused by its name.
    for (variables, named) in [
        (&[("KB_SEARCH_LIMIT", "lots")][..], "KB_SEARCH_LIMIT"),
        (&[("KB_SEARCH_LIMTI", "3")], "did you mean KB_SEARCH_LIMIT?"),
    ] {
        let (code, _, message) = ask(variables, &[]);
        assert!(code == 2 && message.contains(named), "{variables:?}: {message}");
    }
    sandbox.kb_with(&[("KB_SEARCH_MODE", "drill:3")], &["context", "priming handle"]).tells(2, "KB_SEARCH_MODE");
    for command in ["search", "context"] {
        assert!(sandbox.kb(&[command, "--help"]).out.contains("KB_SEARCH_LIMIT=3"));
    }
}

#[test]
fn several_namespaces_show_a_section_once() {
    let sandbox = manuals();
    sandbox.json(&["ingest", "pumps.md", "--no-embed", "-n", "other"]);
    let found = sandbox.hits(&["bearings", "--mode", "section", "-n", "default,other"]);
    assert_eq!((text(&found[0], "namespace"), &found[0]["also_in"]), ("default", &serde_json::json!(["other"])));
    assert!(found[1..].iter().all(|hit| text(&hit["section"], "title") != text(&found[0]["section"], "title")));
}

#[test]
fn a_section_without_text_has_no_chunk_id() {
    let pumps = "# Pumps\n\nPrime it.\n\n## Bearings\n\nGrease them.\n";
    let sandbox = Sandbox::of_document("a.md", pumps, &["--no-embed"]);
    let chunks = sandbox.items(&["chunks-list"]);
    sandbox.kb(&["chunk-delete", text(row(&chunks, "content", "Grease them."), "chunk_id"), "--yes"]).ok();
    let found = sandbox.hits(&["bearings", "--mode", "section"]);
    assert_eq!((&found[0]["section"]["title"], &found[0]["chunk_id"]), (&"Bearings".into(), &Value::Null));
}

/// In a large store only some documents are compared: those of the candidates, and those with the question's words in
/// their titles.
#[test]
fn sections_and_documents_are_found_by_titles_among_many() {
    let sandbox = Sandbox::new();
    for number in 0..150 {
        let text =
            format!("# Sheet {number}\n\n## General\n\nThe valve {number} is made of steel.\n\n## Care\n\nOil it.\n");
        sandbox.write(&format!("docs/{number:03}.md"), &text);
    }
    // Its words stand in the titles of all others too, and its own text has none of them.
    sandbox.write("docs/own.md", "# Sheets\n\n## General care of sheet 7\n\n### Part\n\nWeekly.\n");
    sandbox.write("docs/乙.md", "# 阀门\n\n## 日常保养\n\n每周一次。\n");
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    let first = |question: &str, options: &[&str]| -> (String, String) {
        let found = sandbox.hits(&[&[question], options].concat());
        (text(&found[0], "source").to_owned(), text(&found[0]["section"], "title").to_owned())
    };
    let is = |source: &str, title: &str| (source.to_owned(), title.to_owned());
    let section = ["--mode", "section"];
    assert_eq!(first("General care of sheet 7", &section), is("docs/own.md", "General care of sheet 7"));
    assert_eq!(first("日常保养", &section), is("docs/乙.md", "日常保养"));
    assert_eq!(first("Sheet 77", &section), is("docs/077.md", "Sheet 77"));
    let drilled = sandbox.hits(&["General care of sheet 7", "--mode", "drill:2,1,1"]);
    let mut drilled: Vec<&str> = drilled.iter().map(|hit| text(hit, "source")).collect();
    drilled.sort();
    assert_eq!(drilled, ["docs/007.md", "docs/own.md"]);
    // A filter that leaves few documents compares all of them.
    assert_eq!(first("care", &["--mode", "section", "--doc", "docs/010.md"]), is("docs/010.md", "Care"));
}

/// An agenda, or slides that have only titles.
#[test]
fn a_heading_without_text_is_named_if_nothing_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("agenda.md", "# Agenda\n\n## Budget review\n\n## Hiring plan\n");
    sandbox.write("cats.md", "# Cats\n\nSome words about cats.\n");
    sandbox.kb(&["ingest", ".", "--no-embed", "-q"]).ok();
    sandbox.kb(&["search", "hiring plan"]).tells(1, "the heading \"Hiring plan\" has words of the question");
    let run = sandbox.kb(&["search", "diesel engine"]).tells(1, "nothing found");
    assert!(!run.err.contains("the heading"), "{}", run.err);
}

#[test]
fn a_drill_finds_a_document_by_its_title_without_a_top_parent_chunk() {
    let sandbox = Sandbox::new();
    let mentions = "Priming the pump: for priming the pump, see priming the pump.\n";
    sandbox.write("a.md", format!("# Valves\n\n## Overview\n\n{mentions}"));
    sandbox.write("b.md", "# Pumps\n\n## Priming the pump\n\nFill the casing with water and close the plug.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let search =
        |flags: &[&str]| sandbox.json(&[&["search", "priming the pump", "--pool", "1", "--explain"], flags].concat());
    assert_eq!(search(&["-k", "1"])["hits"][0]["source"], "a.md", "the only one that is recalled by its words");
    let found = search(&["--mode", "drill:1,1,1"]);
    assert_eq!(found["groups"][0]["source"], "b.md", "{found}");
    let by_documents = stage(&found, "by_documents");
    assert_eq!((by_documents["taken"].as_u64(), by_documents["given"].as_u64()), (Some(1), Some(1)));
    assert!(by_documents["notes"][0].as_str().unwrap().ends_with(", 1 parent chunk more of it"), "{by_documents}");
    let drill = stage(&found, "drill");
    assert!(drill["notes"][1].as_str().unwrap().contains("titles 1.00"), "{drill}");
    let again = search(&["--mode", "drill:1,1,1"]);
    assert_eq!(again["groups"], found["groups"], "a later process reads what the first has kept");
    // Filters hold for this way of finding too.
    let confined = search(&["--mode", "drill:1,1,1", "--doc", "a.md"]);
    assert_eq!(confined["groups"][0]["source"], "a.md", "{confined}");
}

//! `kb section`: the whole text of a span and nothing else, several at once, and as much as fits.

use crate::common::Sandbox;
use serde_json::Value;

/// Sections of known text, and the text of 2.2, which is long enough for several parent chunks.
fn guide() -> (Sandbox, String) {
    let long: String = (0..40).map(|i| format!("Step {i} turns the handle number {i} by one notch.\n\n")).collect();
    let long = long.trim_end().to_owned();
    let text = format!(
        "# Start\n\nUnpack it.\n\n# Running\n\nBefore you run it.\n\n## Priming the pump\n\nOpen the valve.\n\n\
         ## Turning\n\n{long}\n\n### Backwards\n\nNever.\n\n# Stopping\n\nPull the plug.\n"
    );
    let sandbox = Sandbox::prepared("section::guide", |sandbox| {
        sandbox.write("guide.md", text);
        sandbox.json(&["ingest", ".", "--no-embed"]);
    });
    (sandbox, long)
}

fn texts(content: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    content["items"].as_array().unwrap().iter().map(|part| (text(&part["path"]), text(&part["content"]))).collect()
}

#[test]
fn a_section_is_the_concatenation_of_its_parts() {
    let (sandbox, long) = guide();
    let wanted = [("2", "Before you run it."), ("2.1", "Open the valve."), ("2.2", &long), ("2.2.1", "Never.")];
    let wanted: Vec<(String, String)> = wanted.iter().map(|(p, t)| (p.to_string(), t.to_string())).collect();
    assert_eq!(texts(&sandbox.json(&["section", "guide.md", "2"])), wanted);
    let mut parts = Vec::new();
    for path in ["2", "2.1", "2.2", "2.2.1"] {
        parts.extend(texts(&sandbox.json(&["section", "guide.md", path, "--no-children"])));
    }
    assert_eq!(parts, wanted);
    // In Markdown too: titles, the origin, the text, and not a line more.
    let markdown = sandbox.kb(&["section", "guide.md", "2"]).out;
    let id = sandbox.id("guide.md");
    let expected = format!(
        "# Running\n\n`guide.md` · section `{id}#2`\n\nBefore you run it.\n\n## Priming the pump\n\nOpen the valve.\n\n\
         ## Turning\n\n{long}\n\n### Backwards\n\nNever.\n"
    );
    assert_eq!(markdown, expected);
}

#[test]
fn several_sections_come_in_the_given_order() {
    let (sandbox, _) = guide();
    let paths = |args: &[&str]| {
        let run = sandbox.kb(&[&["section", "guide.md", "--format", "paths"], args].concat());
        let paths: Vec<String> = run.out.lines().map(|id| id.split('#').nth(1).unwrap().to_owned()).collect();
        (run.code, paths.join(" "))
    };
    assert_eq!(paths(&["3", "priming the pump", "1"]), (0, "3 2.1 1".into()));
    assert_eq!(paths(&["2.2.1", "2", "2.1", "2"]), (0, "2 2.1 2.2 2.2.1".into()));
    assert_eq!(paths(&["2", "2.1", "--no-children"]), (0, "2 2.1".into()));
    // Nothing is printed if one of them is missing.
    let list = format!("no section \"7\"; `kb toc {}` shows the sections", sandbox.id("guide.md"));
    sandbox.kb(&["section", "guide.md", "1", "7"]).refuses(1, &list);
}

#[test]
fn a_misspelt_title_is_found_with_a_note() {
    let (sandbox, _) = guide();
    let run = sandbox.kb(&["section", "guide.md", "Primming the pump"]).shows(0, "Open the valve.");
    run.tells_all(0, &["Primming", "2.1 (Priming the pump)"]);
    sandbox.write("two.md", "# Turning left\n\na\n\n# Turning right\n\nb");
    sandbox.json(&["ingest", "two.md", "--no-embed"]);
    sandbox.kb(&["section", "two.md", "Turnign"]).refuses(1, "1 (Turning left), 2 (Turning right)");
    let list = format!("`kb toc {}` shows the sections", sandbox.id("two.md"));
    sandbox.kb(&["section", "two.md", "2.4"]).tells(1, &list);
}

#[test]
fn max_tokens_cuts_between_parent_chunks() {
    let (sandbox, long) = guide();
    let whole = sandbox.json(&["section", "guide.md", "2"]);
    assert_eq!(whole["left_out"], Value::Array(Vec::new()));
    let cut = sandbox.json(&["section", "guide.md", "2", "--max-tokens", "300"]);
    let parts = texts(&cut);
    assert_eq!(parts.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["2", "2.1", "2.2"]);
    let (shown, rest) = (&parts[2].1, &cut["left_out"]);
    assert!(long.starts_with(shown.as_str()) && shown.len() > 200 && shown.len() < long.len(), "{shown}");
    assert!(shown.ends_with("one notch."), "cut at a parent chunk's end");
    let ids: Vec<&str> = rest.as_array().unwrap().iter().map(|r| r["section"]["id"].as_str().unwrap()).collect();
    assert!(ids[0].ends_with("#2.2") && ids[1].ends_with("#2.2.1") && ids.len() == 2, "{ids:?}");
    // The shown and the omitted part together are the whole.
    let all = sandbox.json(&["section", "guide.md", "2.2", "--no-children", "--max-tokens", "100000"]);
    assert_eq!(texts(&all)[0].1, long);
    assert!(!rest[0]["chunk_ids"].as_array().unwrap().is_empty());
    let run = sandbox.kb(&["section", "guide.md", "2", "--max-tokens", "300"]);
    let last = run.out.lines().last().unwrap();
    assert!(last.starts_with("[left out: ") && last.contains("#2.2.1 (Backwards, 1 parent chunk)"), "{last}");
    assert!(!run.err.contains("left out: "), "it is said twice: {}", run.err);
    sandbox.kb(&["section", "guide.md", "2", "--max-tokens", "3"]).refuses(2, "error: not even the first parent chunk");
}

#[test]
fn a_printed_number_names_a_section() {
    let sandbox = Sandbox::of_document(
        "spec.md",
        "# Preface\n\na\n\n# 3.2 Character protrusion\n\nb\n\n# 第三章 启动\n\nc\n\n# 1 Scope\n\nd\n",
        &["--no-embed"],
    );
    for (name, text) in [("3.2", "b"), ("第三章", "c"), ("2", "b")] {
        let run = sandbox.kb(&["section", "spec.md", name]);
        assert!(run.code == 0 && run.out.ends_with(&format!("\n{text}\n")), "{name}: {}{}", run.out, run.err);
        assert_eq!(run.err, "", "{name}");
    }
    let run = sandbox.kb(&["section", "spec.md", "1"]);
    assert!(run.out.ends_with("\nd\n"), "the printed number wins: {}", run.out);
    assert!(run.err.contains("1 is also the path of \"Preface\""), "{}", run.err);
}

#[test]
fn lines_of_code_do_not_become_headings_of_markdown() {
    let sandbox = Sandbox::new();
    let text = "To give a file away, as root:\n\n# chown newowner foo\n";
    sandbox.write("manual.txt", text);
    sandbox.write("manual.md", format!("# Giving\n\n```\n{text}```\n"));
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let search = |document| ["search", "chown newowner", "--method", "keyword", "--doc", document];
    for run in [sandbox.kb(&["section", "manual.txt", "0"]), sandbox.kb(&search("manual.txt"))] {
        assert!(run.out.contains("\n\\# "), "{}{}", run.out, run.err);
    }
    assert!(sandbox.kb(&["section", "manual.md", "1"]).out.contains("\n# chown newowner foo\n"));
    assert!(!sandbox.kb(&search("manual.md")).out.contains("\\#"));
    // Only Markdown is concerned.
    let json = sandbox.json(&["section", "manual.txt", "0"]);
    assert!(json["items"][0]["content"].as_str().unwrap().contains("\n# chown newowner foo"), "{json}");
    assert!(!sandbox.kb(&["section", "manual.txt", "0", "--format", "table"]).out.contains("\\#"));
}

#[test]
fn a_section_without_a_document_is_looked_up_in_all() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let found = sandbox.kb(&["section", "第4章"]).shows(0, "故障处理");
    let id = sandbox.json(&["section", "第4章"])["items"][0]["section_id"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.kb(&["section", &id]).out, found.out);
    sandbox.kb(&["section", "1.1"]).refuses(2, "error: ").tells(2, "name the document first: docs/");
    sandbox.kb(&["section", "第99章"]).tells(1, "no document has a section");
    let document = id.split('#').next().unwrap();
    sandbox.kb(&["section", document]).tells(1, &format!("name a section too; `kb toc {document}`"));
}

#[test]
fn what_the_contents_call_a_section_leads_to_it() {
    // The preface has the path that the first chapter prints.
    let text = "# Preface\n\nThanks to all.\n\n# 1 Pumps\n\n## 1.1 Priming\n\nOpen the vent.\n\n# 2 Valves\n\nClose them slowly.\n";
    let sandbox = Sandbox::of_document("guide.md", text, &["--no-embed"]);
    let contents = sandbox.kb(&["toc", "guide.md"]).out;
    let preface = contents.lines().find(|line| line.starts_with("- `")).unwrap();
    let name = preface.split('`').nth(1).unwrap();
    assert!(name.ends_with("#1"), "its path is the number of another section: {contents}");
    assert!(sandbox.kb(&["section", "guide.md", name]).out.contains("Thanks to all"), "{name}");
    assert!(sandbox.kb(&["section", name]).out.contains("Thanks to all"), "an id needs no document");
    assert!(sandbox.kb(&["section", "guide.md", "1.1"]).out.contains("Open the vent"));
    for section in sandbox.sections("guide.md") {
        let found = sandbox.json(&["section", section["section_id"].as_str().unwrap()]);
        assert_eq!(found["items"][0]["section_id"], section["section_id"]);
    }
}

#[test]
fn on_a_terminal_paragraphs_are_wrapped_and_tables_are_not() {
    let sentence = "The pump is primed with clean water, and the vent stays open until no air comes out. ";
    let table = format!("| part | {} |\n| --- | --- |\n| vent | open |\n", "what is to be done ".repeat(10).trim());
    let text = format!("# 1 Pumps\n\n{}\n\n{table}\n```\n{}\n```\n", sentence.repeat(5), "x".repeat(200));
    let sandbox = Sandbox::of_document("guide.md", text, &["--no-embed"]);
    let shown = sandbox.kb(&["section", "guide.md", "1", "--format", "table"]).out;
    let (long, short): (Vec<&str>, Vec<&str>) = shown.lines().partition(|line| line.chars().count() > 100);
    assert_eq!(long.len(), 2, "the row of the table and the code: {long:#?}");
    assert!(short.iter().filter(|line| line.contains("primed") || line.contains("vent")).count() >= 5, "{shown}");
    let markdown = sandbox.kb(&["section", "guide.md", "1"]).out;
    assert!(markdown.lines().any(|line| line.matches("primed").count() == 5), "in a pipe the text is as it was");
}

#[test]
fn several_sections_are_named_by_their_ids_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# One\n\nFirst text.\n\n# Two\n\nSecond text.\n");
    sandbox.write("b.md", "# Three\n\nThird text.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let ids = |document: &str| -> Vec<String> {
        sandbox.kb(&["toc", document, "--format", "paths"]).out.lines().map(str::to_owned).collect()
    };
    let (own, other) = (ids("a.md"), ids("b.md"));
    sandbox.kb(&["section", &own[0], &own[1]]).shows_all(0, &["First text.", "Second text."]);
    sandbox.kb(&["section", &own[0], &other[0]]).tells(2, "not in the same document");
}

#[test]
fn a_long_section_is_read_on_from_a_chunk() {
    let (sandbox, _) = guide();
    let whole = sandbox.json(&["section", "guide.md", "2"]);
    let ids = sandbox.kb(&["chunks-list", "--doc", "guide.md", "--type", "parent", "--format", "paths"]).out;
    let ids: Vec<&str> = ids.lines().collect();
    // A part, and then what it says.
    let first = sandbox.json(&["section", "guide.md", "2", "--max-tokens", "300"]);
    let next = first["left_out"][0]["chunk_ids"][0].as_str().unwrap().to_owned();
    let shown = sandbox.kb(&["section", "guide.md", "2", "--max-tokens", "300"]).out;
    assert!(shown.trim_end().ends_with(&format!("; --from {next} reads on]")), "{shown}");
    let rest = sandbox.json(&["section", "guide.md", "2", "--from", &next]);
    let text = |of: &Value| -> String {
        let parts = of["items"].as_array().unwrap().iter().map(|part| part["content"].as_str().unwrap());
        parts.collect::<Vec<_>>().concat().split_whitespace().collect()
    };
    assert_eq!(text(&first) + &text(&rest), text(&whole));
    for (from, code, tells) in [
        ("zzzzzz:1", 2, "is no chunk of guide.md"),
        ("12", 2, "is no chunk"),
        (&format!("{}99", ids[0]), 1, "end before"),
    ] {
        sandbox.kb(&["section", "guide.md", "2", "--from", from]).tells(code, tells);
    }
}

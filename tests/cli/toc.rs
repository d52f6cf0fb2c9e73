//! `kb toc`: all documents, the provenance of entries, and corrections.

use crate::common::{Run, Sandbox, run, texts, titles_of};
use serde_json::Value;

const PDF: &str = "pump-station-manual.pdf";

fn guide() -> Sandbox {
    Sandbox::prepared("toc::guide", |sandbox| {
        sandbox
            .write("guide.md", "# Start\n\nUnpack it.\n\n**Before use**\n\nRead this.\n\n# Stop\n\nPull the plug.\n");
        sandbox.json(&["ingest", "guide.md"]);
    })
}

/// Path, title, provenance and confidence of each entry.
fn toc(sandbox: &Sandbox, document: &str) -> Vec<(String, String, String, f64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entry =
        |e: &Value| (text(&e["path"]), text(&e["title"]), text(&e["provenance"]), e["confidence"].as_f64().unwrap());
    sandbox.sections(document).iter().map(entry).collect()
}

fn edited(path: &str, title: &str) -> (String, String, String, f64) {
    (path.into(), title.into(), "edited".into(), 1.0)
}

/// Runs `kb toc DOC --edit` with a shell command as the editor; the file's name is its last argument.
#[cfg(unix)]
fn edit(sandbox: &Sandbox, document: &str, editor: &str) -> Run {
    sandbox.kb_with(&[("EDITOR", editor)], &["toc", document, "--edit"])
}

#[test]
fn without_a_document_all_documents_are_listed() {
    let sandbox = guide();
    sandbox.write("notes.txt", "Nothing but lines here.");
    sandbox.json(&["ingest", "notes.txt"]);
    let list = sandbox.items(&["toc"]);
    let titles = texts(&list[0]["entries"], "/title");
    assert_eq!((list[0]["source"].as_str(), titles), (Some("guide.md"), vec!["Start", "Stop"]));
    assert_eq!(list[1]["entries"], Value::Array(Vec::new()));
    crate::output::snapshots().bind(|| {
        insta::assert_snapshot!("toc_list_table", sandbox.kb(&["toc", "--format", "table", "--provenance"]).out);
        insta::assert_snapshot!("toc_list_markdown", sandbox.kb(&["toc"]).out);
        insta::assert_snapshot!("toc_provenance_markdown", sandbox.kb(&["toc", "guide.md", "--provenance"]).out);
        insta::assert_snapshot!("toc_editable", sandbox.kb(&["toc", "guide.md", "--editable"]).out);
    });
    let id = list[0]["doc_id"].as_str().unwrap();
    assert_eq!(sandbox.kb(&["toc", "--format", "paths"]).out, format!("{id}#1\n{id}#2\n"));
}

#[test]
fn a_section_of_the_whole_document_is_skipped_in_the_list() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "guide.md",
        "# Guide\n\nAll of it.\n\n## Install\n\nPut it in.\n\n### Linux\n\nHere.\n\n## Run\n\nGo.\n",
    );
    sandbox.write("note.md", "# Note\n\nNothing is below its title.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let paths = |args: &[&str]| {
        let list = sandbox.items(&[&["toc"], args].concat());
        list.as_array().unwrap().iter().flat_map(|document| titles_of(&document["entries"])).collect::<Vec<_>>()
    };
    assert_eq!(paths(&[]), ["Install", "Run", "Note"]);
    assert_eq!(paths(&["--max-level", "2"]), ["Install", "Linux", "Run", "Note"]);
    let shown = sandbox.kb(&["toc"]).out;
    assert!(shown.contains("\n- `1.1` Install\n- `1.2` Run\n"), "{shown}");
    // A single document is shown completely, or the part of it that is asked for.
    assert!(sandbox.kb(&["toc", "guide.md"]).out.contains("- `1` Guide\n  - `1.1` Install\n"));
    let part = sandbox.kb(&["toc", "guide.md", "--limit", "1", "--offset", "1"]);
    assert!(part.out.contains("- `1.1` Install\n") && !part.out.contains("Linux"), "{}", part.out);
    assert_eq!(part.err, "2 more: --offset 2 shows them\n");
    sandbox.kb(&["toc", "guide.md", "--offset", "50"]).tells(1, "--offset 50 is past the end of the list, which has 4");
}

#[test]
fn a_correction_is_stored_survives_and_can_be_dropped() {
    let sandbox = guide();
    let before = toc(&sandbox, "guide.md");
    sandbox.write("t.txt", "# a comment\nStart\n  Before use\nStop\n");
    let report = sandbox.json(&["toc", "guide.md", "--set", "t.txt"]);
    assert_eq!((report["outcome"].as_str(), report["sections"].as_u64()), (Some("stored"), Some(3)));
    assert!(report["reused"].as_u64().unwrap() >= 1, "unchanged text keeps its vectors: {report}");
    let after = [edited("1", "Start"), edited("1.1", "Before use"), edited("2", "Stop")];
    assert_eq!(toc(&sandbox, "guide.md"), after);
    // `section` and both retrievers of a search use the corrected sections.
    let section = sandbox.json(&["section", "guide.md", "1.1"]);
    assert_eq!(section["items"][0]["content"], "Read this.");
    assert_eq!(section["items"].as_array().unwrap().len(), 1);
    for method in ["keyword", "semantic"] {
        let hit = sandbox.json(&["search", "read this before use", "--method", method])["hits"][0].clone();
        assert_eq!(hit["section"]["path"], "1.1", "{method}: {hit}");
    }
    // The second time nothing changes.
    let again = sandbox.json(&["toc", "guide.md", "--set", "t.txt"]);
    assert_eq!((again["outcome"].as_str(), &again["embedded"]), (Some("unchanged"), &Value::from(0)));
    // The correction survives --force and a change of the file that loses one entry, which is named.
    sandbox.json(&["ingest", "guide.md", "--force"]);
    assert_eq!(toc(&sandbox, "guide.md"), after);
    sandbox
        .write("guide.md", "# Start\n\nUnpack it well.\n\n**Before use**\n\nRead this.\n\n# Halt\n\nPull the plug.\n");
    let report = sandbox.json(&["ingest", "guide.md"]);
    assert!(report["items"][0]["warnings"].to_string().contains("Stop"), "{report}");
    assert_eq!(toc(&sandbox, "guide.md"), after[..2]);
    let dropped = sandbox.json(&["toc", "guide.md", "--reset"]);
    assert_eq!(dropped["outcome"], "reset");
    let titles =
        |toc: &[(String, String, String, f64)]| toc.iter().map(|e| (e.1.clone(), e.2.clone())).collect::<Vec<_>>();
    assert_eq!(titles(&before)[0], titles(&toc(&sandbox, "guide.md"))[0]);
    assert_eq!(toc(&sandbox, "guide.md")[1].1, "Halt");
    assert_eq!(sandbox.kb(&["toc", "guide.md", "--reset"]).code, 1);
}

#[test]
fn pages_of_a_pdf_can_be_corrected_by_script() {
    let sandbox = Sandbox::with_fixtures();
    let text = sandbox.kb(&["toc", PDF, "--editable"]).out;
    assert!(text.lines().any(|line| line == "    3.2.1 Priming the pump  [p. 5]"), "{text}");
    assert_eq!(sandbox.json(&["toc", PDF, "--editable"])["text"], text);
    // The unchanged text changes nothing, also from standard input.
    let same = sandbox.kb_with_input(&["toc", PDF, "--set", "-"], text.as_bytes());
    same.shows(0, &format!("no change: the table of contents of docs/{PDF}"));
    let before = sandbox.status()["generation"].as_u64().unwrap();
    let report = sandbox.items(&["section", PDF, "3.2.1"]);
    sandbox.write("t.txt", text.replace("3.2.1 Priming the pump", "3.2.1 Filling the casing"));
    let set = sandbox.json(&["toc", PDF, "--set", "t.txt"]);
    assert_eq!(set["outcome"], "stored");
    assert!(set["reused"].as_u64().unwrap() > set["embedded"].as_u64().unwrap(), "{set}");
    assert_eq!(sandbox.status()["generation"].as_u64().unwrap(), before + 1);
    let entry = toc(&sandbox, PDF).into_iter().find(|entry| entry.0 == "3.2.1").unwrap();
    assert_eq!(entry, edited("3.2.1", "3.2.1 Filling the casing"));
    let hits = sandbox.json(&["search", "how do I prime the pump?"]);
    assert!(hits["hits"].as_array().unwrap().iter().any(|hit| hit["section"]["path"] == "3.2.1"), "{hits}");
    sandbox.json(&["toc", PDF, "--reset"]);
    assert_eq!(sandbox.items(&["section", PDF, "3.2.1"]), report, "as it was before");
}

#[test]
fn bad_lines_are_reported_and_nothing_is_written() {
    let sandbox = guide();
    let before = sandbox.status();
    for (text, message) in [
        ("Start\n   Before use\n", "line 2: is indented by an odd number"),
        ("Start\nNowhere\n", "line 2, \"Nowhere\""),
        ("Stop\nStart\n", "line 2, \"Start\""),
        ("# only comments\n", "no entries"),
    ] {
        sandbox.write("t.txt", text);
        sandbox.kb(&["toc", "guide.md", "--set", "t.txt"]).refuses(2, message);
    }
    let pdf = Sandbox::with_fixtures();
    pdf.kb_with_input(&["toc", PDF, "--set", "-"], b"Start  [p. 4000]\n")
        .tells(2, "line 1: names no page of this document");
    assert_eq!(sandbox.status()["generation"], before["generation"]);
    for wrong in [&["toc", "--edit"][..], &["toc", "guide.md", "--edit", "--reset"]] {
        assert_eq!(sandbox.kb(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn an_empty_text_is_reported_and_the_input_of_set_is_not_copied() {
    let sandbox = guide();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    let set = |input: &[u8], file: &str| {
        let mut command = sandbox.command(&["toc", "guide.md", "--set", file]);
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, sandbox.path("tmp"));
        }
        sandbox.write("input", input);
        run(command.stdin(std::fs::File::open(sandbox.path("input")).unwrap()))
    };
    for (input, file, message) in [
        (&b""[..], "-", "standard input is empty; nothing was changed"),
        (b" \n\n", "-", "standard input is empty; nothing was changed"),
        (b"", "input", "input is empty; nothing was changed"),
        (b"Start\nNowhere\n", "-", "line 2, \"Nowhere\""),
        (b"Start\nNowhere\n", "input", "line 2, \"Nowhere\""),
    ] {
        set(input, file).refuses(2, message).lacks("your text is in");
    }
    assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0, "no file is left behind");
}

#[test]
fn a_changed_or_missing_source_is_reported() {
    let sandbox = guide();
    sandbox.write("t.txt", "Start\n  Before use\nStop\n");
    let text = std::fs::read(sandbox.path("guide.md")).unwrap();
    sandbox.write("guide.md", "# Other\n\nText.");
    sandbox.kb(&["toc", "guide.md", "--set", "t.txt"]).tells(3, "has changed").tells(3, "kb ingest guide.md");
    sandbox.write("guide.md", &text);
    sandbox.json(&["toc", "guide.md", "--set", "t.txt"]);
    std::fs::remove_file(sandbox.path("guide.md")).unwrap();
    sandbox.write("t.txt", "Start\nStop\n");
    sandbox.kb(&["toc", "guide.md", "--set", "t.txt"]).tells(3, "is gone").tells(3, "restore the file");
    // The correction can still be dropped; the sections follow when the file is back.
    sandbox.kb(&["toc", "guide.md", "--reset"]).shows(0, "its sections stay until the next ingest");
    assert_eq!(toc(&sandbox, "guide.md").len(), 3);
    sandbox.write("guide.md", &text);
    sandbox.json(&["ingest", "guide.md"]);
    assert_eq!(toc(&sandbox, "guide.md").len(), 2);
}

#[test]
fn piped_documents_can_be_corrected_from_the_store() {
    let sandbox = Sandbox::new();
    let text = b"intro\n\n# Start\n\nUnpack it.\n\nBefore use\n\nRead this.\n";
    sandbox.kb_with_input(&["ingest", "-", "--name", "n.md"], text).ok();
    sandbox.write("t.txt", "Start\n  Before use\n");
    assert_eq!(sandbox.json(&["toc", "n.md", "--set", "t.txt"])["outcome"], "stored");
    assert_eq!(sandbox.json(&["section", "n.md", "1.1"])["items"][0]["content"], "Read this.");
    assert_eq!(sandbox.json(&["section", "n.md", "0"])["items"][0]["content"], "intro");
    // Piped again, the document keeps its correction; after dropping it, the next pipe finds the headings.
    sandbox.kb_with_input(&["ingest", "-", "--name", "n.md", "--force"], text).ok();
    assert_eq!(toc(&sandbox, "n.md").len(), 2);
    assert_eq!(sandbox.json(&["toc", "n.md", "--reset"])["outcome"], "reset_later");
    sandbox.kb_with_input(&["ingest", "-", "--name", "n.md"], text).ok();
    assert_eq!(toc(&sandbox, "n.md"), [("1".into(), "Start".into(), "markup".into(), 1.0)]);
}

#[cfg(unix)]
#[test]
fn the_text_of_the_editor_is_never_lost() {
    let sandbox = guide();
    edit(&sandbox, "guide.md", "true").shows(0, "no change: the table of contents of guide.md");
    // An editor with arguments and quotes, as git allows.
    edit(&sandbox, "guide.md", "sed -i -e 's/^Stop/  Before use\\nStop/'").ok();
    let after = [edited("1", "Start"), edited("1.1", "Before use"), edited("2", "Stop")];
    assert_eq!(toc(&sandbox, "guide.md"), after);
    let run = edit(&sandbox, "guide.md", "sed -i -e 's/Stop/Nonsense/'").tells(2, "\"Nonsense\"");
    let kept = run.err.split_once("your text is in ").unwrap().1.split_once("; ").unwrap().0;
    assert!(std::fs::read_to_string(kept).unwrap().contains("Nonsense"), "{kept}");
    std::fs::remove_file(kept).unwrap();
    edit(&sandbox, "guide.md", "false").tells(3, "nothing was changed");
    edit(&sandbox, "guide.md", "no-such-editor-here").tells(3, "EDITOR");
    assert_eq!(toc(&sandbox, "guide.md"), after);
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_is_as_wide_as_the_terminal() {
    use crate::common::terminal::Terminal;

    let manual = std::fs::read(crate::common::fixtures().join("docs").join(PDF)).unwrap();
    let sandbox = Sandbox::of_document("manual.pdf", manual, &["--no-embed"]);
    let ends = |columns: &str| {
        let mut command = sandbox.command(&["toc", "manual.pdf", "--color", "never"]);
        command.env("COLUMNS", columns).env("PAGER", "").env("FORCE_HYPERLINK", "0");
        let (_, shown) = Terminal::with(command, 60).end();
        let width = |line: &str| line.trim_end().chars().count();
        let ends: Vec<usize> = shown.lines().skip(1).filter(|line| line.contains("p. ")).map(width).collect();
        assert!(ends.len() > 20, "{shown}");
        ends
    };
    let narrow = ends("");
    assert!(narrow.iter().all(|&end| end == 58), "{narrow:?}");
    assert!(ends("48").iter().all(|&end| end == 46));
    // Without a terminal, the exported width does not count.
    let piped = sandbox.kb_with(&[("COLUMNS", "48")], &["toc", "manual.pdf", "--format", "table"]);
    assert!(piped.out.lines().skip(1).any(|line| line.chars().count() > 50), "{}", piped.out);
}

#[test]
fn a_document_without_headings_has_no_contents() {
    let sandbox = Sandbox::of_document("notes.txt", "Nothing but text.\n", &["--no-embed"]);
    sandbox.kb(&["toc", "notes.txt"]).tells(1, "no table of contents");
}

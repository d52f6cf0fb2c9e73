//! `kb chunk-edit`: chunks changed by people, and what happens to the edits when sources change.

use crate::common::{Sandbox, assert_sound, hits, row, text};
use serde_json::Value;

const GUIDE: &str = "# Start\n\nUnpack the zebra. Feed it with hay. Water it at noon.\n\n# Turning\n\n\
                     Turn the handle by one notch. Listen to the click. 启动水泵之前检查压力表。\n";

/// Goes before the end of each sentence, so that each sentence fills a chunk of its own.
const FILLER: &str = ", which is what the engineers of this works have written down for those who come after them, so \
                      that nobody has to find it out for a second time in the middle of a night";

fn full(text: &str) -> String {
    text.replace('.', &format!("{FILLER}.")).replace('。', &format!("{FILLER}。"))
}

fn short(text: &str) -> String {
    text.replace(FILLER, "")
}

fn guide() -> Sandbox {
    Sandbox::prepared("edits::guide", |sandbox| {
        sandbox.write("guide.md", full(GUIDE));
        sandbox.write("other.md", "# Other\n\nOnly a quokka is here.\n");
        ingest(sandbox, &[]);
    })
}

fn ingest(sandbox: &Sandbox, more: &[&str]) -> Value {
    sandbox.json(&[&["ingest", "."], more].concat())
}

fn edit(sandbox: &Sandbox, id: &str, text: &str) -> Value {
    sandbox.json(&["chunk-edit", id, "--content", &full(text)])
}

fn list(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let run = sandbox.kb(&[&["chunks-list", "--doc", "guide.md", "--format", "json"], args].concat());
    run.json()["items"].as_array().unwrap().clone()
}

/// The id of the chunk of a type with a text in it.
fn id_of(sandbox: &Sandbox, kind: &str, part: &str) -> String {
    let rows = list(sandbox, &["--type", kind]);
    let row = rows.iter().find(|row| text(row, "content").contains(part));
    text(row.unwrap_or_else(|| panic!("no {kind} with {part:?} in {rows:?}")), "chunk_id").to_owned()
}

fn section(sandbox: &Sandbox, path: &str) -> String {
    short(text(&sandbox.json(&["section", "guide.md", path, "--no-children"])["items"][0], "content"))
}

/// The hits of a search, as content and score.
fn search(sandbox: &Sandbox, query: &str, method: &str) -> Vec<(String, String)> {
    let hits = sandbox.hits_if_any(&[query, "--method", method]);
    hits.iter().map(|hit| (text(hit, "content").to_owned(), hit["semantic_score"].to_string())).collect()
}

#[test]
fn both_retrievers_find_an_edited_child_chunk() {
    let sandbox = guide();
    let id = id_of(&sandbox, "child", "Feed it");
    let before = list(&sandbox, &[]);
    let oats = format!("Give it{FILLER} a bucket of oats.");
    let done = sandbox.json(&["chunk-edit", &id, "--content", &oats]);
    // All child chunks of its parent chunk, because the parent chunk is embedded as a whole.
    assert_eq!((done["embedded"].as_u64(), done["generation"].as_u64()), (Some(3), Some(2)), "{done}");
    assert_eq!(section(&sandbox, "1"), "Unpack the zebra. Give it a bucket of oats. Water it at noon.");
    let after = list(&sandbox, &[]);
    let ids = |rows: &[Value]| rows.iter().map(|row| text(row, "chunk_id").to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before));
    let edited = list(&sandbox, &["--edited"]);
    assert_eq!(ids(&edited), [id.split('.').next().unwrap(), id.as_str()]);
    assert_eq!(list(&sandbox, &["--edited", "--type", "child"]).len(), 1);
    assert!(search(&sandbox, "oats", "keyword")[0].0.contains("oats"));
    assert!(search(&sandbox, "hay", "keyword").is_empty());
    assert_sound(&sandbox);
    // Its vectors are those of a document that always had that text.
    let other = guide();
    other.write("guide.md", full(GUIDE).replace(&full("Feed it with hay."), &oats));
    ingest(&other, &[]);
    let query = "what does the animal eat?";
    assert_eq!(search(&sandbox, query, "semantic"), search(&other, query, "semantic"));
}

#[test]
fn a_text_comes_from_a_file_a_pipe_or_an_editor() {
    let sandbox = guide();
    let id = id_of(&sandbox, "parent", "zebra");
    sandbox.write("new.txt", "From a file.\r\n\r\nIn two paragraphs.\n\n");
    sandbox.json(&["chunk-edit", &id, "--content-file", "new.txt"]);
    assert_eq!(section(&sandbox, "1"), "From a file.\n\nIn two paragraphs.");
    for args in [&["chunk-edit", &id][..], &["chunk-edit", &id, "--content-file", "-"]] {
        sandbox.kb_with_input(args, format!("Piped to {}.", args.len()).as_bytes()).ok();
        assert_eq!(section(&sandbox, "1"), format!("Piped to {}.", args.len()));
    }
    sandbox.kb(&["chunk-edit", &id, "--content", " \n"]).tells(2, "chunk-delete");
    // The same text again changes nothing.
    for publishes in [true, false] {
        let run = sandbox.json(&["chunk-edit", &id, "--content", "x"]);
        assert_eq!(run["generation"].is_u64(), publishes, "{run}");
    }
    sandbox.kb(&["chunk-edit", &id]).tells(2, "is empty");
    sandbox.kb(&["chunk-edit", &id, "--content-file", "nowhere.txt"]).tells(2, "nowhere.txt");
    assert_eq!(section(&sandbox, "1"), "x");
    assert_sound(&sandbox);
}

/// On a terminal, without any text, the editor gets the chunk.
#[cfg(target_os = "linux")]
#[test]
fn text_typed_in_the_editor_is_never_lost() {
    use crate::common::terminal::Terminal;

    let sandbox = guide();
    let id = id_of(&sandbox, "child", "Feed it");
    let on_terminal = |editor: &str| {
        let mut command = sandbox.command(&["chunk-edit", &id]);
        command.env("EDITOR", editor).env("NO_COLOR", "1");
        let (code, shown) = Terminal::with(command, 100).end();
        (code, shown.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (code, out) = on_terminal("sed -i s/hay/clover/");
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(section(&sandbox, "1"), "Unpack the zebra. Feed it with clover. Water it at noon.");
    let (code, out) = on_terminal("false");
    assert!(code == Some(3) && out.contains("failed ("), "{out}");
    // Another writer is quicker.
    let kb = env!("CARGO_BIN_EXE_kb");
    let script = format!("{kb} chunk-edit {id} --content Quicker. -q; echo Typed for hours. >");
    sandbox.write("slow.sh", format!("#!/bin/sh\n{script} \"$1\"\n"));
    let (code, out) = on_terminal("sh slow.sh");
    assert!(code == Some(3) && out.contains("has changed in the store meanwhile"), "{out}");
    let kept = out.split_whitespace().find(|word| word.contains("kb-chunk-")).unwrap().trim_end_matches(';');
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "Typed for hours.\n");
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn a_batch_is_applied_whole_or_not_at_all() {
    let sandbox = guide();
    let listed = sandbox.kb(&["chunks-list", "--doc", "guide.md", "--format", "jsonl"]).out;
    sandbox.write("same.jsonl", &listed);
    let done = sandbox.json(&["chunk-edit", "--batch", "same.jsonl"]);
    assert_eq!((&done["generation"], done["items"].as_array().unwrap().len()), (&Value::Null, 0));
    // Only children are edited: parent chunks follow.
    let children: Vec<&str> = listed.lines().filter(|line| line.contains("\"child\"")).collect();
    let changed = children
        .join("\n")
        .replace("hay", "clover")
        .replace("click", "clock")
        .replace("\"language\":", "\"seen\":\"yes\",\"language\":");
    sandbox.write("changed.jsonl", &changed);
    let dry = sandbox.json(&["chunk-edit", "--batch", "changed.jsonl", "--dry-run"]);
    assert_eq!(dry["dry_run"], true);
    assert_eq!(list(&sandbox, &["--edited"]).len(), 0);
    sandbox.kb_with_input(&["chunk-edit", "--batch", "-"], changed.as_bytes()).ok();
    assert!(section(&sandbox, "1").contains("clover") && section(&sandbox, "2").contains("clock"));
    let rows = list(&sandbox, &["--type", "child"]);
    assert!(rows.iter().all(|row| row["metadata"]["seen"] == "yes"), "{rows:?}");
    assert_sound(&sandbox);
    // The earlier list is out of date.
    sandbox.kb(&["chunk-edit", "--batch", "changed.jsonl"]).tells(2, "line 1 of the batch");
    let id = id_of(&sandbox, "child", "clover");
    let line = |more: &str| format!("{{\"chunk_id\": \"{id}\", {more}}}");
    let good = line("\"content\": \"Fine.\"");
    for (bad, words) in [
        (line("\"chunk_type\": \"parent\""), "chunk_type cannot be changed"),
        (line("\"chunk_index\": 9"), "chunk_index cannot be changed"),
        (line("\"parent_id\": \"x:1\""), "edit the texts"),
        (line("\"doc_id\": \"x\""), "doc_id cannot be changed"),
        (line("\"metadata\": {\"language\": \"fr\"}"), "kb derives"),
        (line("\"colour\": 1"), "no field \"colour\""),
        ("{}".to_owned(), "missing field"),
        ("nonsense".to_owned(), "line 2"),
        ("{\"chunk_id\": \"x:1\"}".to_owned(), "no chunk \"x:1\""),
    ] {
        let run = sandbox.kb_with_input(&["chunk-edit", "--batch", "-"], format!("{good}\n{bad}\n").as_bytes());
        assert!(run.code == 2 || run.code == 1, "{bad}: {}", run.code);
        assert!(run.err.contains(words) && run.err.contains("line 2 of the batch"), "{bad}: {}", run.err);
    }
    assert!(section(&sandbox, "1").contains("clover"), "nothing of a bad batch is done");
}

#[test]
fn notes_are_kept_and_structure_is_not_a_note() {
    let sandbox = guide();
    let id = id_of(&sandbox, "parent", "zebra");
    sandbox.json(&["chunk-edit", &id, "--meta", "reviewed=by Ann", "--meta", "level=3"]);
    let row = list(&sandbox, &["--edited"]).remove(0);
    assert_eq!((text(&row["metadata"], "reviewed"), text(&row["metadata"], "level")), ("by Ann", "3"));
    assert!(sandbox.kb(&["chunks-list", "--edited", "--format", "markdown"]).out.contains("reviewed=by Ann"));
    sandbox.json(&["chunk-edit", &id, "--meta", "level=", "--content", "Unpack the okapi."]);
    let row = list(&sandbox, &["--edited", "--type", "parent"]).remove(0);
    assert!(row["metadata"]["level"].is_null() && text(&row["metadata"], "reviewed") == "by Ann", "{row}");
    for name in ["chunk_index", "parent_id", "language", "page", "tags", "two words"] {
        sandbox.kb(&["chunk-edit", &id, "--meta", &format!("{name}=1")]).tells(2, name);
    }
    sandbox.kb(&["chunk-edit", &id, "--meta", "novalue"]).tells(2, "NAME=VALUE");
}

#[test]
fn a_section_that_lost_a_chunk_is_marked_as_edited() {
    let sandbox = guide();
    let id = id_of(&sandbox, "parent", "zebra");
    let marks = || {
        let items = sandbox.json(&["section", "guide.md", "1", "2"])["items"].take();
        (items[0]["edited"].as_bool(), items[1]["edited"].as_bool())
    };
    assert_eq!(marks(), (Some(false), Some(false)));
    sandbox.json(&["chunk-delete", &id, "--yes"]);
    assert_eq!(marks(), (Some(true), Some(false)));
    let shown = sandbox.kb(&["section", "guide.md", "1"]).out;
    assert_eq!(shown.matches("edited").count(), 1, "{shown}");
    sandbox.json(&["chunk-edit", &id, "--reset"]);
    assert_eq!(marks(), (Some(false), Some(false)), "the source's text is back");
}

#[test]
fn an_edited_text_is_marked_wherever_it_is_shown() {
    let sandbox = guide();
    let id = id_of(&sandbox, "parent", "zebra");
    let found = ["search", "okapi quokka", "--method", "keyword", "--all"];
    let grouped = [&found[..], &["--group-by", "doc"]].concat();
    let views: [&[&str]; 4] = [&found, &grouped, &["section", "guide.md", "1"], &["show", &id]];
    let shown = |args: &[&str], format: &str| sandbox.kb(&[args, &["--format", format]].concat()).out;
    let marks = |args: &[&str]| ["markdown", "table"].map(|format| shown(args, format).matches("edited").count());
    views.iter().for_each(|&args| assert_eq!(marks(args), [0, 0], "{args:?}"));
    edit(&sandbox, &id, "Unpack the okapi.");
    for args in views {
        assert_eq!(marks(args), [1, 1], "{args:?}: {}", shown(args, "markdown"));
    }
    let found = hits(&sandbox.json(&found));
    let edited: Vec<(&str, bool)> = found.iter().map(|hit| (text(hit, "source"), hit["edited"] == true)).collect();
    assert!(edited.contains(&("guide.md", true)) && edited.contains(&("other.md", false)), "{found:?}");
    let sections = sandbox.json(&["section", "guide.md", "1", "2"]);
    assert_eq!((&sections["items"][0]["edited"], &sections["items"][1]["edited"]), (&true.into(), &false.into()));
    for (query, document, is_edited) in [("okapi", "guide.md", true), ("quokka", "other.md", false)] {
        let context = sandbox.json(&["context", query, "--doc", document, "--method", "keyword"]);
        assert_eq!(context["items"][0]["parent_chunks"][0]["edited"], is_edited, "{context}");
        assert_eq!(text(&context, "text").matches(" · edited · ").count(), usize::from(is_edited), "{context}");
    }
}

#[test]
fn edits_and_deletions_survive_reingest_and_reindex() {
    let sandbox = guide();
    let (child_chunk, parent_chunk) = (id_of(&sandbox, "child", "Feed it"), id_of(&sandbox, "parent", "zebra"));
    sandbox.json(&["chunk-edit", &child_chunk, "--content", &full("Give it oats."), "--meta", "by=Ann"]);
    sandbox.json(&["chunk-delete", &id_of(&sandbox, "child", "Listen"), "--yes"]);
    let contents =
        ["Unpack the zebra. Give it oats. Water it at noon.", "Turn the handle by one notch. 启动水泵之前检查压力表。"];
    let assert_said = |why: &str| {
        assert_eq!([section(&sandbox, "1"), section(&sandbox, "2")], contents, "{why}");
        assert!(list(&sandbox, &["--edited"]).iter().any(|row| text(&row["metadata"], "by") == "Ann"), "{why}");
        assert_eq!(sandbox.kb(&["check"]).code, 0, "{why}");
    };
    assert_said("at first");
    let report = ingest(&sandbox, &["--force"]);
    let line = row(&report["items"], "source", "guide.md");
    assert_eq!((line["edits_carried"].as_u64(), line["edits_in_conflict"].as_u64()), (Some(2), Some(0)), "{line}");
    assert_eq!(report["embedded"], 0, "all vectors are known");
    assert_said("after ingest --force");
    sandbox.json(&["reindex", "--structure", "--force", "guide.md"]);
    assert_said("after reindex from the source");
    std::fs::rename(sandbox.path("guide.md"), sandbox.path("guide.txt.away")).unwrap();
    sandbox.json(&["reindex", "--structure", "--force", "guide.md"]);
    assert_said("after reindex from the store");
    std::fs::rename(sandbox.path("guide.txt.away"), sandbox.path("guide.md")).unwrap();
    sandbox.json(&["chunk-edit", &parent_chunk, "--reset"]);
    assert_eq!(section(&sandbox, "1"), "Unpack the zebra. Feed it with hay. Water it at noon.");
    sandbox.kb(&["chunk-edit", &parent_chunk, "--reset"]).tells(1, "never changed");
    // A deleted parent chunk can be restored.
    sandbox.json(&["chunk-delete", &parent_chunk, "--yes"]);
    ingest(&sandbox, &["--force"]);
    assert_eq!(section(&sandbox, "1"), "");
    sandbox.kb(&["chunk-edit", &parent_chunk, "--content", "x"]).tells(1, "--reset");
    sandbox.json(&["chunk-edit", &parent_chunk, "--reset"]);
    assert_eq!(section(&sandbox, "1"), "Unpack the zebra. Feed it with hay. Water it at noon.");
    assert_sound(&sandbox);
}

#[test]
fn a_changed_source_keeps_edits_that_fit_and_makes_conflicts() {
    let sandbox = guide();
    edit(&sandbox, &id_of(&sandbox, "child", "Feed it"), "Give it oats.");
    edit(&sandbox, &id_of(&sandbox, "child", "启动"), "启动水泵之前检查阀门。");
    sandbox.json(&["chunk-delete", &id_of(&sandbox, "child", "Turn the"), "--yes"]);
    let source = GUIDE.replace("# Start", "# Preface\n\nNew words.\n\n# Start").replace("检查压力表", "检查电压表");
    sandbox.write("guide.md", full(&source.replace("Turn the handle", "Turn the crank")));
    let report = sandbox.kb(&["ingest", ".", "--format", "json"]).json();
    let line = row(&report["items"], "source", "guide.md");
    assert_eq!((line["edits_carried"].as_u64(), line["edits_in_conflict"].as_u64()), (Some(1), Some(2)), "{line}");
    assert!(line["warnings"].to_string().contains("--conflicts"), "{line}");
    assert_eq!(section(&sandbox, "2"), "Unpack the zebra. Give it oats. Water it at noon.");
    assert_eq!(section(&sandbox, "3"), "Turn the crank by one notch. Listen to the click. 启动水泵之前检查电压表。");
    let conflicts = list(&sandbox, &["--conflicts"]);
    assert_eq!(conflicts.len(), 2, "{conflicts:?}");
    assert!(sandbox.kb(&["chunks-list", "--conflicts", "--limit", "1"]).err.contains("1 more: --offset 1"));
    let of = |part: &str| {
        let found = list(&sandbox, &["--conflicts"]);
        found.into_iter().find(|row| text(row, "original").contains(part)).unwrap()
    };
    let valve = of("压力表");
    let sides = (short(text(&valve, "mine")), short(text(&valve, "theirs")));
    assert_eq!(sides, ("启动水泵之前检查阀门。".to_owned(), "启动水泵之前检查电压表。".to_owned()), "{valve}");
    let turn = of("Turn the handle");
    assert!(turn["mine"].is_null() && short(text(&turn, "theirs")) == "Turn the crank by one notch.", "{turn}");
    let shown = short(&sandbox.kb(&["chunks-list", "--conflicts"]).out);
    assert!(shown.contains("> 启动水泵之前检查阀门。") && shown.contains("(deleted)"), "{shown}");
    // Conflicts stay until they are resolved; another ingest does not remove them.
    ingest(&sandbox, &["--force"]);
    assert_eq!(list(&sandbox, &["--conflicts"]).len(), 2);
    sandbox.json(&["chunk-edit", text(&valve, "conflict_id"), "--resolve", "mine"]);
    assert_eq!(section(&sandbox, "3"), "Turn the crank by one notch. Listen to the click. 启动水泵之前检查阀门。");
    let turn = of("Turn the handle");
    sandbox.json(&["chunk-edit", text(&turn, "conflict_id"), "--resolve", "theirs"]);
    sandbox.kb(&["chunks-list", "--conflicts"]).refuses(1, "no conflicts");
    sandbox.kb(&["chunk-edit", text(&turn, "conflict_id"), "--resolve", "mine"]).tells(1, "no conflict");
    ingest(&sandbox, &["--force"]);
    assert_eq!(section(&sandbox, "3"), "Turn the crank by one notch. Listen to the click. 启动水泵之前检查阀门。");
    assert_sound(&sandbox);
    // When the file is removed, the report names the edits removed with it.
    std::fs::remove_file(sandbox.path("guide.md")).unwrap();
    let report = ingest(&sandbox, &["--prune", "--yes"]);
    assert!(report["items"].to_string().contains("2 edits removed with it"), "{report}");
}

#[test]
fn a_corrected_table_of_contents_keeps_edits() {
    let sandbox = guide();
    edit(&sandbox, &id_of(&sandbox, "child", "Feed it"), "Give it oats.");
    let toc = "Turning\n";
    sandbox.kb_with_input(&["toc", "guide.md", "--set", "-"], toc.as_bytes()).ok();
    let rows = list(&sandbox, &["--edited", "--type", "parent"]);
    assert!(rows.len() == 1 && rows[0]["content"].as_str().unwrap().contains("Give it oats"), "{rows:?}");
    assert_sound(&sandbox);
}

#[test]
fn a_document_without_vectors_stays_without() {
    let sandbox = Sandbox::new();
    sandbox.write("guide.md", full(GUIDE));
    ingest(&sandbox, &["--no-embed"]);
    let done = sandbox.json(&["chunk-edit", &id_of(&sandbox, "parent", "zebra"), "--content", "An okapi."]);
    assert_eq!(done["embedded"], 0);
    assert!(search(&sandbox, "okapi", "keyword")[0].0.contains("okapi"));
    // The next ingest makes vectors for the current text of the chunks.
    let report = ingest(&sandbox, &[]);
    assert!(report["embedded"].as_u64() > Some(0), "{report}");
    assert!(search(&sandbox, "an animal of the forest", "semantic").iter().any(|(text, _)| text == "An okapi."));
    assert_sound(&sandbox);
}

#[test]
fn the_text_that_a_parent_chunk_has_is_no_edit() {
    let sandbox = guide();
    let id = id_of(&sandbox, "parent", "handle");
    let chunks = sandbox.items(&["chunks-list", "--type", "parent"]);
    let run = sandbox.json(&["chunk-edit", &id, "--content", text(row(&chunks, "chunk_id", &id), "content")]);
    assert_eq!(run["generation"], Value::Null, "{run}");
}

#[test]
fn a_refused_edit_changes_nothing() {
    let sandbox = guide();
    let before = list(&sandbox, &[]);
    let (child_chunk, parent_chunk) = (id_of(&sandbox, "child", "Feed it"), id_of(&sandbox, "parent", "zebra"));
    for (args, code, words) in [
        (&["zzzzzz:1", "--content", "x"][..], 1, "no chunk \"zzzzzz:1\""),
        (&[&child_chunk, "--reset"], 2, "is a child chunk"),
        (&[&parent_chunk, &child_chunk, "--content", "x"], 2, "several chunks cannot get the same text"),
        (&[&parent_chunk, "--content", "x", "--reset"], 2, "cannot be used with"),
        (&["--content", "x"], 2, "ID"),
        (&["zzzzzz~1", "--resolve", "mine"], 1, "no conflict"),
    ] {
        sandbox.kb(&[&["chunk-edit"], args].concat()).tells(code, words);
    }
    let huge = "word ".repeat(300_000);
    sandbox.kb_with_input(&["chunk-edit", &parent_chunk], huge.as_bytes()).tells(2, "more than");
    assert_eq!(list(&sandbox, &[]), before);
    assert_eq!(sandbox.status()["generation"], 1);
    Sandbox::new().kb(&["chunk-edit", "x:1", "--content", "x"]).tells(3, "no knowledge base");
}

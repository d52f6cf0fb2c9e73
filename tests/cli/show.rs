//! `kb show` and `kb open`: the item of an id, and its file. Paths, other names of commands.

use serde_json::Value;

use crate::common::{Sandbox, run};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn an_id_of_any_kind_is_shown() {
    let sandbox = Sandbox::with_keyword_fixtures();
    let found = sandbox.json(&["search", "prime the pump", "--limit", "1"]);
    let hit = &found["hits"][0];
    let (chunk, section, document) = (text(&hit["chunk_id"]), text(&hit["section"]["id"]), text(&hit["doc_id"]));
    let parent = sandbox.json(&["show", chunk]);
    assert_eq!((&parent["chunk_id"], &parent["content"]), (&hit["chunk_id"], &hit["content"]));
    let child = text(&hit["sources"][0]["children"][0]["chunk_id"]);
    let shown = sandbox.kb(&["show", child]).out;
    let content = sandbox.json(&["show", child]);
    assert!(shown.contains(text(&content["content"]).trim()) && text(&content["parent_id"]) == chunk, "{shown}");
    assert_eq!(sandbox.kb(&["show", section]).out, sandbox.kb(&["section", section]).out);
    assert_eq!(sandbox.kb(&["show", document]).out, sandbox.kb(&["docs", document]).out);
    for (id, message) in
        [("zzzzzz:1", "no chunk"), ("zzzzzz#1", "no document has a section"), ("zzzzzz", "no document")]
    {
        sandbox.kb(&["show", id]).refuses(1, message);
    }
}

#[test]
fn a_hit_that_a_terminal_cuts_names_the_command_that_shows_it_whole() {
    let sandbox = Sandbox::new();
    let text: String = (0..60).map(|i| format!("Step {i} turns handle {i} by one notch. ")).collect();
    sandbox.write("long.md", format!("# Turning\n\n{text}\n"));
    sandbox.write("short.md", "# Notches\n\nA notch is small.\n");
    sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).ok();
    let id = |query| text_of(&sandbox.json(&["search", query, "--limit", "1"])["hits"][0]["chunk_id"]);
    let table = |query| sandbox.kb(&["search", query, "--limit", "1", "--format", "table"]).out;
    assert!(table("handle turns").contains(&format!("kb show {}", id("handle turns"))));
    assert!(!table("small notch").contains("kb show"));
}

fn text_of(value: &Value) -> String {
    text(value).to_owned()
}

#[test]
fn paths_work_from_the_current_folder_and_can_end_with_nul() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/one two.md", "# Pump\n\nPrime it.\n");
    sandbox.write("docs/sub/other.md", "# Valve\n\nOpen it.\n");
    sandbox.kb(&["ingest", "docs", "-q", "--no-embed"]).ok();
    let from = |folder: &str, args: &[&str]| run(sandbox.command(args).current_dir(sandbox.path(folder))).out;
    assert_eq!(from(".", &["docs", "--format", "paths"]), "docs/one two.md\ndocs/sub/other.md\n");
    assert_eq!(from("docs/sub", &["docs", "--format", "paths"]), "../one two.md\nother.md\n");
    assert_eq!(from("docs/sub", &["search", "prime", "-0"]), "../one two.md\0");
    sandbox.kb(&["docs", "-0", "--format", "json"]).tells(2, "--null");
}

/// `kb docs -0 | xargs -0 kb remove`
#[cfg(unix)]
#[test]
fn a_document_with_a_strange_name_is_found_by_the_shown_name() {
    let sandbox = Sandbox::new();
    for name in ["docs/escape\u{1b}[31m.md", "docs/soft\u{ad}hyphen.md", " space.md", "docs/ space.md"] {
        sandbox.write(name, "# Pump\n\nPrime it.\n");
    }
    sandbox.kb(&["ingest", ".", "-q", "--no-embed"]).ok();
    let names = sandbox.kb(&["docs", "-0"]).out;
    assert_eq!(names.matches('\0').count(), 4, "{names:?}");
    for name in names.split_terminator('\0') {
        sandbox.kb(&["remove", name, "--dry-run"]).ok();
    }
}

#[test]
fn commands_answer_to_the_names_that_people_try() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Pump\n\nPrime it.\n");
    sandbox.kb(&["add", "a.md", "-q", "--no-embed"]).ok();
    assert!(sandbox.kb(&["query", "prime"]).out.contains("Prime it."));
    assert!(sandbox.kb(&["chunks"]).out.contains("Prime it."));
    for name in ["ls", "list"] {
        assert_eq!(sandbox.kb(&[name]).out, sandbox.kb(&["docs"]).out, "{name}");
    }
    sandbox.kb(&["rm", "a.md", "-q"]).ok();
    assert_eq!(sandbox.kb(&["ls"]).code, 1);
}

/// A viewer that records what it is asked to open.
#[cfg(target_os = "linux")]
#[test]
fn a_file_is_opened_at_its_page() {
    use std::os::unix::fs::PermissionsExt;

    let sandbox = Sandbox::with_keyword_fixtures();
    let viewer = sandbox.write("bin/xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$1\" >> \"$(dirname \"$0\")/opened\"\n");
    std::fs::set_permissions(&viewer, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", viewer.parent().unwrap().display());
    let open = |name: &str| run(sandbox.command(&["open", name]).env("PATH", &path));
    let hit = &sandbox.json(&["search", "prime the pump", "--limit", "1"])["hits"][0];
    for name in [text(&hit["chunk_id"]), text(&hit["section"]["id"]), "pump-station-manual.pdf", "network-guide.md"] {
        open(name).ok();
    }
    let opened = sandbox.path("bin/opened");
    // kb does not wait for the viewer.
    let lines = crate::common::wait_for("four files are opened", || {
        let text = std::fs::read_to_string(&opened).unwrap_or_default();
        (text.lines().count() == 4).then_some(text)
    });
    let mut ends: Vec<&str> = lines.lines().map(|line| line.rsplit('/').next().unwrap()).collect();
    ends.sort_unstable();
    let page = format!("pump-station-manual.pdf#page={}", hit["page_start"]);
    assert_eq!(ends, ["network-guide.md", "pump-station-manual.pdf", &page, &page]);
    let nothing = run(sandbox.command(&["open", "network-guide.md"]).env("PATH", sandbox.path("none")));
    let guide = sandbox.path("docs/network-guide.md").canonicalize().unwrap();
    nothing.tells(3, &format!("no program on this machine could show {};", guide.display()));
    std::fs::remove_file(sandbox.path("docs/network-guide.md")).unwrap();
    open("network-guide.md").tells(1, "is gone");
}

//! Namespaces: listed, renamed and removed, never by mistake, and never outside of the store.

use crate::common::{Sandbox, end, names_in, start, text, texts};

const FOLDER: &str = ".kb/namespaces";

/// `default` with two documents, `manuals` with one.
fn two_namespaces() -> Sandbox {
    Sandbox::prepared("namespaces::two_namespaces", |sandbox| {
        sandbox.write("a.md", "# Valves\n\nClose the valve slowly.");
        sandbox.write("b.md", "# Pumps\n\nPrime the pump first.");
        sandbox.json(&["ingest", ".", "--no-embed"]);
        sandbox.json(&["ingest", "b.md", "--no-embed", "-n", "manuals"]);
    })
}

fn names(sandbox: &Sandbox) -> Vec<String> {
    sandbox.kb(&["namespaces", "--format", "paths"]).out.lines().map(str::to_owned).collect()
}

/// All that lies in the folder of the namespaces.
fn folders(sandbox: &Sandbox) -> Vec<String> {
    names_in(&sandbox.path(FOLDER))
}

#[test]
fn namespaces_are_listed_with_counts_and_sizes() {
    let sandbox = two_namespaces();
    let list = sandbox.items(&["namespaces"]);
    let figures = |n: usize| (list[n]["name"].as_str().unwrap(), list[n]["documents"].as_u64().unwrap());
    assert_eq!([figures(0), figures(1)], [("default", 2), ("manuals", 1)]);
    for line in list.as_array().unwrap() {
        assert!(line["chunks"].as_u64().unwrap() >= 2 && line["bytes"].as_u64().unwrap() > 1000, "{line}");
        assert!(line["generation"] == 1 && line["published_at"].is_string() && line["error"].is_null(), "{line}");
    }
    sandbox.kb(&["namespaces", "--format", "table"]).shows_all(0, &["manuals", "documents", " kB"]);
}

#[test]
fn named_documents_are_described_once_in_the_order_of_their_names() {
    let sandbox = two_namespaces();
    let described = |names: &[&str]| -> Vec<String> {
        let items = sandbox.items(&[&["docs", "-n", "all"], names].concat());
        let of = |item: &serde_json::Value| format!("{} {}", text(item, "namespace"), text(item, "source"));
        items.as_array().unwrap().iter().map(of).collect()
    };
    let id = text(&sandbox.items(&["docs"])[0], "doc_id").to_owned();
    assert_eq!(described(&["b.md", &id, "a.md"]), ["default b.md", "manuals b.md", "default a.md"]);
    assert_eq!(described(&[&id, "Pumps", &id]), ["default a.md", "default b.md", "manuals b.md"]);
    assert_eq!(described(&["a.md", "b.md", "--filter", "title = Valves"]), ["default a.md"]);
    assert_eq!(described(&[]), ["default a.md", "default b.md", "manuals b.md"]);
    assert_eq!(described(&["--limit", "1", "--offset", "1"]), ["default b.md"]);
    let run = sandbox.kb(&["docs", "b.md", "--filter", "title = Valves"]);
    run.tells(1, "none of these documents matches the filter");
}

#[test]
fn a_damaged_namespace_does_not_hide_the_others() {
    let sandbox = two_namespaces();
    sandbox.write(".kb/namespaces/manuals/MANIFEST.json", "{");
    let list = sandbox.items(&["namespaces"]);
    assert_eq!((list[0]["documents"].as_u64(), list[1]["documents"].as_u64()), (Some(2), None));
    assert!(list[1]["error"].as_str().unwrap().contains("damaged"), "{list}");
    sandbox.kb(&["namespaces", "remove", "manuals", "--yes"]).ok();
    assert_eq!(names(&sandbox), ["default"]);
}

#[test]
fn a_renamed_namespace_keeps_its_content() {
    let sandbox = two_namespaces();
    let before = sandbox.items(&["docs", "-n", "manuals"]);
    let renamed = sandbox.json(&["namespaces", "rename", "manuals", "泵站-2026"]);
    assert_eq!((renamed["outcome"].as_str(), renamed["to"].as_str()), (Some("renamed"), Some("泵站-2026")));
    assert_eq!(names(&sandbox), ["default", "泵站-2026"]);
    let documents = || sandbox.items(&["docs", "-n", "泵站-2026"]);
    assert_eq!(texts(&documents(), "/doc_id"), texts(&before, "/doc_id"));
    sandbox.kb(&["search", "pump", "--method", "keyword", "-n", "泵站-2026"]).ok();
    assert_eq!(sandbox.kb(&["docs", "-n", "manuals"]).code, 2);
    assert_eq!(sandbox.kb(&["ingest", "a.md", "--no-embed", "-n", "泵站-2026"]).code, 0, "it can be written to");
    sandbox.json(&["restore", "1", "-n", "泵站-2026"]);
    assert_eq!(texts(&documents(), "/doc_id"), texts(&before, "/doc_id"), "its history came along");
}

#[test]
fn a_taken_or_missing_name_is_an_error() {
    let sandbox = two_namespaces();
    for to in ["default", "manuals"] {
        sandbox.kb(&["namespaces", "rename", "manuals", to]).tells(2, "already");
    }
    for change in [&["rename", "manual", "other"][..], &["remove", "manual", "--yes"]] {
        sandbox.kb(&[&["namespaces"], change].concat()).tells(2, "did you mean manuals?");
    }
    assert_eq!(folders(&sandbox), ["default", "manuals"], "nothing was made or moved");
}

#[test]
fn a_missing_namespace_is_wrong_use_with_suggestions() {
    let sandbox = two_namespaces();
    let commands: [&[&str]; 17] = [
        &["docs"],
        &["search", "pump"],
        &["context", "pump"],
        &["toc"],
        &["section", "b.md", "1"],
        &["show", "aaaaaa:0"],
        &["status"],
        &["entities"],
        &["chunks-list"],
        &["chunk-delete", "aaaaaa:0", "--yes"],
        &["chunk-edit", "aaaaaa:0", "--content", "x"],
        &["remove", "b.md"],
        &["doc-set", "b.md", "--tag", "x"],
        &["reindex", "--structure"],
        &["check"],
        &["log"],
        &["export", "x.kb"],
    ];
    for command in commands {
        sandbox.kb(&[command, &["-n", "Manual"]].concat()).tells(2, "did you mean manuals?");
    }
    sandbox.kb(&["docs", "-n", "zzz"]).tells(2, "default, manuals");
    sandbox.kb(&["search", "valve", "-n", "manuals/*"]).tells_all(2, &["below \"manuals\"", "kb namespaces"]);
    assert_eq!(folders(&sandbox), ["default", "manuals"]);
    // What an ingest that was cut off leaves behind has the right name.
    std::fs::create_dir_all(sandbox.path(".kb/namespaces/other/tables")).unwrap();
    sandbox.kb(&["search", "pump", "-n", "other"]).tells(3, "nothing was ingested");
}

#[test]
fn removing_asks_first_and_removes_one_namespace() {
    let sandbox = two_namespaces();
    for run in [
        sandbox.kb(&["namespaces", "remove", "manuals"]),
        sandbox.kb_with_input(&["namespaces", "remove", "manuals"], b"y\n"),
    ] {
        run.refuses(3, "not confirmed: remove the namespace \"manuals\" with 1 document").tells(3, "--yes");
    }
    assert_eq!(names(&sandbox), ["default", "manuals"]);
    let removed = sandbox.json(&["namespaces", "remove", "manuals", "--yes"]);
    assert_eq!((removed["outcome"].as_str(), removed["name"].as_str()), (Some("removed"), Some("manuals")));
    assert_eq!(folders(&sandbox), ["default"]);
    assert!(sandbox.path("b.md").exists(), "the file stays");
    assert_eq!(sandbox.count(&["docs"]), 2);
    assert_eq!(sandbox.kb(&["ingest", "b.md", "--no-embed", "-n", "manuals"]).code, 0, "the name is free again");
}

#[test]
fn the_rest_of_an_interrupted_removal_is_cleared() {
    for next in [&["ingest", ".", "--no-embed"][..], &["namespaces", "remove", "default", "--yes"]] {
        let sandbox = two_namespaces();
        std::fs::rename(sandbox.path(".kb/namespaces/manuals"), sandbox.path(".kb/namespaces/.removing-manuals-1"))
            .unwrap();
        assert_eq!(names(&sandbox), ["default"]);
        sandbox.kb(next).ok();
        assert!(!folders(&sandbox).iter().any(|name| name.starts_with('.')), "{:?}", folders(&sandbox));
    }
}

#[test]
fn a_name_cannot_leave_the_store() {
    let sandbox = two_namespaces();
    sandbox.write("precious/MANIFEST.json", "{}");
    for name in "..|.||/etc|a//b|a/../b|manuals/..|..\\x|.removing-x|x\n|a:b|~".split('|') {
        sandbox.kb(&["docs", &format!("--namespace={name}")]).refuses(2, "");
    }
    let name = "../../precious";
    for command in [
        &["namespaces", "remove", "--yes", "--", name][..],
        &["namespaces", "rename", "--", name, "new"],
        &["namespaces", "rename", "--", "manuals", name],
        &["docs", "-n", name],
        &["ingest", "a.md", "--no-embed", "-n", name],
    ] {
        sandbox.kb(command).refuses(2, "");
    }
    assert_eq!(folders(&sandbox), ["default", "manuals"]);
    assert!(sandbox.path("precious/MANIFEST.json").exists());
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_namespace_is_not_followed() {
    let sandbox = two_namespaces();
    sandbox.write("precious/MANIFEST.json", "{}");
    std::os::unix::fs::symlink(sandbox.path("precious"), sandbox.path(".kb/namespaces/link")).unwrap();
    assert_ne!(sandbox.kb(&["namespaces", "remove", "link", "--yes"]).code, 0);
    assert_ne!(sandbox.kb(&["namespaces", "rename", "link", "other"]).code, 0);
    assert_eq!(std::fs::read_dir(sandbox.path("precious")).unwrap().count(), 1);
}

/// What a first ingest leaves behind if it is killed early.
#[test]
fn a_namespace_without_a_publication_does_not_take_its_name() {
    let sandbox = two_namespaces();
    std::fs::create_dir_all(sandbox.path(".kb/namespaces/other/tables")).unwrap();
    sandbox.kb(&["namespaces", "rename", "manuals", "default"]).tells(2, "already");
    sandbox.kb(&["namespaces", "rename", "manuals", "other"]).ok();
    sandbox.kb(&["docs", "-n", "other"]).ok();
}

#[test]
fn a_writer_waiting_for_a_renamed_namespace_fails() {
    let sandbox = two_namespaces();
    let lock = sandbox.locked("manuals");
    let waiting = start(&mut sandbox.command(&["remove", "b.md", "-n", "manuals", "--wait", "60"]));
    std::thread::sleep(std::time::Duration::from_millis(500));
    std::fs::rename(sandbox.path(".kb/namespaces/manuals"), sandbox.path(".kb/namespaces/other")).unwrap();
    drop(lock);
    end(waiting).tells(2, "nothing was ingested");
    assert_eq!(sandbox.count(&["docs", "-n", "other"]), 1);
    assert_eq!(folders(&sandbox), ["default", "other"]);
}

#[test]
fn a_namespace_below_another_has_documents_of_its_own() {
    let sandbox = two_namespaces();
    sandbox.json(&["ingest", "a.md", "--no-embed", "-n", "acme"]);
    sandbox.json(&["ingest", "b.md", "--no-embed", "-n", "acme/reports"]);
    sandbox.json(&["ingest", "a.md", "--no-embed", "-n", "acme/reports/2026"]);
    sandbox.json(&["ingest", "b.md", "--no-embed", "-n", "acme-other"]);
    assert_eq!(names(&sandbox), ["acme", "acme/reports", "acme/reports/2026", "acme-other", "default", "manuals"]);
    let sources = |namespace: &str| -> Vec<String> {
        let listed = sandbox.items(&["docs", "-n", namespace]);
        let line = |row: &serde_json::Value| format!("{} {}", text(row, "namespace"), text(row, "source"));
        listed.as_array().unwrap().iter().map(line).collect()
    };
    assert_eq!(sources("acme"), ["acme a.md"]);
    assert_eq!(sources("acme/*"), ["acme/reports b.md", "acme/reports/2026 a.md"]);
    assert_eq!(sources("acme,acme/reports/*"), ["acme a.md", "acme/reports/2026 a.md"]);
    let found = sandbox.json(&["search", "valve", "--method", "keyword", "-n", "acme/*", "--keep-duplicates"]);
    assert_eq!(texts(&found["hits"], "/namespace"), ["acme/reports/2026"], "the others are not searched");
    let indented = ["  acme/reports ", "    acme/reports/2026 "];
    sandbox.kb(&["namespaces", "--format", "table"]).shows_all(0, &indented);
}

#[test]
fn a_name_means_the_same_on_every_file_system() {
    let flags = ["--no-embed", "-n", "Acme/Re\u{301}sume\u{301}s"];
    let sandbox = Sandbox::of_document("a.md", "# Valves\n\nClose the valve slowly.", &flags);
    assert_eq!(names(&sandbox), ["acme/r\u{e9}sum\u{e9}s"]);
    let again = sandbox.json(&["docs", "-n", "ACME/R\u{c9}SUM\u{c9}S"]);
    assert_eq!(again["namespace"], "acme/r\u{e9}sum\u{e9}s");
    assert_eq!(sandbox.kb(&["search", "valve"]).code, 2, "nothing was ingested into default");
    sandbox.kb(&["ingest", "a.md", "--no-embed", "-n", "acme/NUL"]).tells(2, "cannot be a namespace's name");
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_says_no_has_changed_nothing() {
    use crate::common::terminal::Terminal;

    let sandbox = two_namespaces();
    let chunk = sandbox.items(&["chunks-list"])[0]["chunk_id"].as_str().unwrap().to_owned();
    for (command, said) in [
        (&["namespaces", "remove", "manuals"][..], "nothing was removed"),
        (&["chunk-delete", &chunk], "nothing was deleted"),
    ] {
        let mut terminal = Terminal::run(&sandbox, 100, command);
        terminal.waits_for("[y/N]");
        terminal.press("n\n");
        terminal.waits_for(said);
        assert_eq!(terminal.exit_code(), Some(3), "{command:?}");
        assert!(!terminal.shown().contains("error"), "{}", terminal.shown());
    }
}

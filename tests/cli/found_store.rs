//! Stores that another user made: they reach no file outside of themselves.

use crate::common::Sandbox;

const NAMESPACE: &str = ".kb/namespaces/default";

/// Commands that write, and one that reads.
const COMMANDS: [&[&str]; 4] =
    [&["ingest", "."], &["reindex", "--structure"], &["check", "--repair"], &["search", "valve"]];

#[cfg(unix)]
fn link(sandbox: &Sandbox, target: &str, link: &str) {
    let link = sandbox.path(link);
    if link.is_dir() {
        std::fs::remove_dir_all(&link).unwrap();
    } else if link.exists() {
        std::fs::remove_file(&link).unwrap();
    }
    std::os::unix::fs::symlink(sandbox.path(target), link).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_in_a_namespace_is_named_and_not_followed() {
    for place in ["lock", "MANIFEST.json", "history", "keyword/.tantivy-writer.lock", "tables/chunks.lance/data"] {
        let sandbox = Sandbox::of_two_documents();
        sandbox.write("precious/file", "precious");
        let is_folder = sandbox.path(&format!("{NAMESPACE}/{place}")).is_dir();
        link(&sandbox, if is_folder { "precious" } else { "precious/file" }, &format!("{NAMESPACE}/{place}"));
        for command in COMMANDS {
            sandbox.kb(command).tells(3, &format!("{place} is a symbolic link"));
        }
        assert_eq!(std::fs::read_to_string(sandbox.path("precious/file")).unwrap(), "precious", "{place}");
        assert_eq!(std::fs::read_dir(sandbox.path("precious")).unwrap().count(), 1, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn folders_of_the_store_are_no_links() {
    for place in [".kb/namespaces", ".kb/cache", ".kb/cache/questions"] {
        let sandbox = Sandbox::of_two_documents();
        sandbox.json(&["search", "valve", "--method", "semantic"]);
        std::fs::create_dir(sandbox.path("precious")).unwrap();
        link(&sandbox, "precious", place);
        for command in COMMANDS {
            sandbox.kb(command).tells(3, &format!("{place} is a symbolic link"));
        }
        assert_eq!(std::fs::read_dir(sandbox.path("precious")).unwrap().count(), 0, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn an_error_quotes_nothing_from_behind_a_link() {
    let settings = (".kb/kb.toml", "kb.toml is a link to a file without valid settings");
    for (place, tells) in [settings, (".kb/synonyms.txt", "synonyms.txt, line 1: not a group of names")] {
        let sandbox = Sandbox::of_two_documents();
        sandbox.write("precious/file", "password-4711\n");
        link(&sandbox, "precious/file", place);
        let run = sandbox.kb(&["search", "valve"]).tells(2, tells);
        assert!(!run.err.contains("4711"), "{}", run.err);
    }
}

/// A store may be shared, and the libraries that write its files would keep some of them to their owner.
#[cfg(unix)]
#[test]
fn all_files_of_a_namespace_have_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::of_two_documents();
    sandbox.write("a.md", "# Valves\n\nClose the valve.");
    sandbox.json(&["ingest", "."]);
    sandbox.json(&["search", "valve"]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = crate::common::files_below(&sandbox.path(NAMESPACE));
    assert!(files.len() > 10);
    for file in files {
        assert_eq!(mode(&file), mode(&sandbox.path("a.md")), "{}", file.display());
    }
}

/// Namespaces are searched by what the read cache keeps. Nothing is written into a store of others, so it is kept for
/// the user.
#[cfg(target_os = "linux")]
#[test]
fn what_readers_keep_of_a_store_of_others_lies_in_the_folder_of_caches() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.kb(&["trust", "--revoke"]).ok();
    let search = ["search", "close the valve", "--method", "semantic"];
    let first = sandbox.kb(&search).ok();
    assert!(!sandbox.path(NAMESPACE).join("read-cache").exists());
    let caches: Vec<_> = std::fs::read_dir(sandbox.path(".cache/kb/read-cache")).unwrap().flatten().collect();
    let files = crate::common::names_in(&caches[0].path());
    for kept in ["names-", "chunk-ids-", "codes-", "half-vectors-"] {
        assert!(files.iter().any(|file| file.starts_with(kept)), "{kept}: {files:?}");
    }
    assert_eq!(caches.len(), 1);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(caches[0].path()).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700, "others may not be able to read the store");
    assert_eq!(sandbox.kb(&search).ok().out, first.out);
}

/// A hard link is not a symbolic link, and emptying it empties the file.
#[cfg(unix)]
#[test]
fn a_lock_that_is_another_file_is_not_emptied() {
    for place in ["lock", "keyword/.tantivy-writer.lock"] {
        let sandbox = Sandbox::of_two_documents();
        let precious = sandbox.write("precious", "precious");
        let lock = sandbox.path(&format!("{NAMESPACE}/{place}"));
        std::fs::remove_file(&lock).unwrap_or_default();
        std::fs::hard_link(&precious, &lock).unwrap();
        sandbox.kb(&["ingest", ".", "--force"]).tells(3, "hard link");
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_store_blocks_nobody() {
    for place in [".kb/kb.json", ".kb/kb.toml", ".kb/synonyms.txt", ".kb/namespaces/default/MANIFEST.json"] {
        let sandbox = Sandbox::of_two_documents();
        std::fs::remove_file(sandbox.path(place)).unwrap_or_default();
        let made = std::process::Command::new("mkfifo").arg(sandbox.path(place)).status().unwrap();
        assert!(made.success());
        let run = sandbox.kb(&["search", "valve"]);
        assert!(run.code > 1 && run.err.contains(place), "{place}: {} {}", run.code, run.err);
    }
}

/// The list is tantivy's: it deletes files that the list names and no segment needs.
#[test]
fn a_list_of_files_to_delete_names_none_outside() {
    let sandbox = Sandbox::of_two_documents();
    let precious = sandbox.write("precious", "precious");
    let list = format!("{NAMESPACE}/keyword/.managed.json");
    let named: Vec<String> = serde_json::from_slice(&std::fs::read(sandbox.path(&list)).unwrap()).unwrap();
    let absolute = precious.display().to_string();
    for hostile in ["../../../../precious", &absolute] {
        let all: Vec<&str> = named.iter().map(String::as_str).chain([hostile]).collect();
        sandbox.write(&list, serde_json::to_string(&all).unwrap());
        for command in COMMANDS {
            sandbox.kb(command).tells(3, ".managed.json names");
        }
        assert!(precious.exists());
    }
}

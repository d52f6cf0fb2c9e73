//! Bad input: one clear line with the next step, the right exit code, and nothing changed.

use crate::common::{Sandbox, fixtures};

#[test]
fn a_run_without_a_good_file_makes_no_store() {
    let sandbox = Sandbox::new();
    sandbox.kb(&["ingest", "nowhere.pdf"]).tells_all(2, &["nowhere.pdf", "does not exist", "check the path"]);
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.kb(&["ingest", "empty"]).tells_all(1, &["no document found in empty", ".kbignore"]);
    sandbox.write("only/a.exe", "MZ");
    sandbox.kb(&["ingest", "only/a.exe/b.md"]).tells(2, "not a directory");
    sandbox.kb(&["ingest", "only"]).tells_all(1, &["kb does not read the format of 1 file", "--as names"]);
    let junk = fixtures().join("hostile/junk.pdf").display().to_string();
    sandbox.kb(&["ingest", &junk]).shows(4, "junk.pdf").shows(4, "not a PDF");
    assert!(!sandbox.path(".kb").exists());
}

#[test]
fn encrypted_pdfs_open_with_their_password() {
    let sandbox = Sandbox::new();
    for name in ["encrypted-rc4.pdf", "encrypted-aes256.pdf"] {
        let path = fixtures().join("hostile").join(name).display().to_string();
        sandbox.kb(&["ingest", &path]).shows(4, "--password");
        sandbox.kb(&["ingest", &path, "--password", "wrong"]).shows(4, "does not open");
        sandbox.kb(&["ingest", &path, "--password", "harbour", "--no-embed"]).ok();
    }
    assert!(!std::fs::read_dir(sandbox.path(".kb")).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.is_file() && std::fs::read_to_string(path).unwrap_or_default().contains("harbour")
    }));
}

#[test]
fn a_file_over_the_size_limit_is_an_error() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("big.txt", "");
    // Sparse: 200 MB that take no room.
    std::fs::File::options().write(true).open(&path).unwrap().set_len(200 << 20).unwrap();
    sandbox.kb(&["ingest", "big.txt"]).shows(4, "big.txt: is 200 MB, more than 20 MB").shows(4, "--max-file-size");
}

#[test]
fn empty_and_endless_queries_are_refused() {
    let sandbox = Sandbox::of_document("a.md", "About valves.", &[]);
    sandbox.kb(&["search", ""]).tells_all(2, &["no word", "kb search"]);
    sandbox.kb(&["search", " ?! "]).tells(2, "no word");
    let long = "valve ".repeat(17_000);
    sandbox.kb(&["search", &long]).tells_all(2, &["99 kB", "shorter"]);
    let longest = "valve ".repeat(10_000);
    sandbox.kb(&["search", &longest]).ok();
    sandbox.kb(&["search", "x", "--min-confidence", "7"]).tells(2, "--min-confidence").tells(2, "from 0 to 1");
}

#[test]
fn foreign_folders_and_stores_of_another_format_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.kb(&["search", "x"]).tells_all(3, &["no knowledge base", "kb ingest"]);
    sandbox.write("a.md", "About valves.");
    sandbox.write("project/precious.txt", "x");
    sandbox.kb(&["ingest", "a.md", "--kb", "project"]).tells_all(3, &["project is not a knowledge base", "--kb"]);
    sandbox.kb(&["search", "x", "--kb", "project"]).tells(3, "not a knowledge base");
    sandbox.write("newer/kb.json", r#"{"min_reader": 99, "min_writer": 99, "created_by": "9.0.0"}"#);
    let run = sandbox.kb(&["ingest", "a.md", "--kb", "newer"]);
    run.tells_all(3, &["cannot read", "format 99", "newer kb", "kb ingest"]);
    sandbox.kb(&["docs", "--kb", "newer"]).tells_all(3, &["cannot read", "format 99", "newer kb", "kb ingest"]);
    assert_eq!(std::fs::read_dir(sandbox.path("newer")).unwrap().count(), 1);
    sandbox.kb(&["ingest", "a.md", "-n", "../out"]).tells(2, "namespace");
    sandbox.kb(&["ingest", "a.md", "--kb", "ftp://host/x"]).tells(2, "unknown kind");
}

/// Two versions on one store: the older one reads what it understands, and takes nothing away.
#[test]
fn a_store_that_a_newer_version_writes_is_read_and_not_written() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write(".kb/kb.json", r#"{"min_reader": 2, "min_writer": 99, "created_by": "9.0.0"}"#);
    assert_eq!(sandbox.count(&["docs"]), 2);
    assert!(sandbox.kb(&["search", "prime the pump"]).out.contains("Prime"));
    let id = sandbox.id("a.md");
    sandbox.write("a.md", "# Valves\n\nOpen the valve slowly.");
    for change in [
        &["ingest", "."][..],
        &["remove", &id],
        &["chunk-delete", &format!("{id}:0"), "--yes"],
        &["reindex", "--structure"],
        &["namespaces", "remove", "default", "--yes"],
    ] {
        sandbox.kb(change).tells_all(3, &["cannot write to the store", "format 99", "kb 9.0.0", "newer kb"]);
    }
    assert_eq!(sandbox.status()["generation"], 1);
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_is_named_in_the_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "About valves.");
    // No one can make a folder there, not even root.
    sandbox.kb(&["ingest", "a.md", "--kb", "/proc/kb"]).tells_all(3, &["/proc/kb", "cannot create"]);
}

#[test]
fn errors_are_json_with_format_json() {
    let sandbox = Sandbox::new();
    let run = sandbox.kb(&["search", "x", "--format", "json"]);
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!(error["error"]["kind"], "failed");
    assert!(error["error"]["hint"].as_str().unwrap().contains("kb ingest"));
    assert_eq!(run.out, "");
    let run = sandbox.kb(&["search", "x", "--format", "json", "--min-confidence", "7"]);
    let error: serde_json::Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!((run.code, &error["error"]["kind"]), (2, &"usage".into()));
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("--min-confidence") && message.contains("from 0 to 1"), "{message}");
}

#[test]
fn unknown_documents_and_sections_get_suggestions_and_are_wrong_use_in_an_option() {
    let text = "# Valves\n\nText.\n\n## Closing slowly\n\nMore text.";
    let sandbox = Sandbox::of_document("valves.md", text, &["--no-embed"]);
    sandbox.kb(&["toc", "valvs.md"]).tells_all(1, &["no document", "valves.md"]);
    sandbox.kb(&["section", "valves.md", "Closed slow"]).tells_all(1, &["no section", "Closing slowly"]);
    sandbox.kb(&["remove", "nothing"]).tells(1, "no document");
    // A script must not take a misspelt option for "no answer".
    for command in [&["search", "text"][..], &["context", "text"], &["chunks-list"]] {
        let run = sandbox.kb(&[command, &["--doc", "valvs.md"]].concat());
        run.tells_all(2, &["error: no document \"valvs.md\"", "valves.md"]);
    }
}

/// The length of a file in `/proc` never agrees with what is read from it.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_changes_while_it_is_read_fails() {
    let sandbox = Sandbox::new();
    let run = sandbox.kb(&["ingest", "/proc/meminfo", "--as", "text"]);
    run.shows_all(4, &["changed while kb read it", "run the command again"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_store_can_be_searched_and_is_not_written() {
    let sandbox = Sandbox::without_privileges();
    sandbox.ingest_two_documents();
    sandbox.write("c.md", "# Filters\n\nRinse the filter.");
    sandbox.set_store_writable(false);
    sandbox.kb(&["search", "valve"]).shows(0, "slowly");
    sandbox.kb(&["ingest", "."]).tells(3, "permission denied").tells(3, "--kb");
    sandbox.set_store_writable(true);
    assert_eq!(sandbox.status()["generation"], 1);
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_as_an_ignore_file_is_named_and_read_by_nobody() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    for folder in ["good", "pipe", "endless", "worktree"] {
        sandbox.write(&format!("docs/{folder}/a.md"), "# Pump\n\nIt turns.\n");
    }
    sandbox.write("docs/good/.gitignore", "b.md\n");
    sandbox.write("docs/good/b.md", "# Ignored\n");
    let pipe =
        |path: &str| assert!(std::process::Command::new("mkfifo").arg(sandbox.path(path)).status().unwrap().success());
    pipe("docs/pipe/.ignore");
    symlink("/dev/zero", sandbox.path("docs/endless/.kbignore")).unwrap();
    sandbox.write("docs/worktree/.git", "gitdir: elsewhere\n");
    sandbox.write("docs/worktree/elsewhere/x.md", "# X\n");
    pipe("docs/worktree/elsewhere/commondir");
    let files = ["pipe/.ignore", "endless/.kbignore", "elsewhere/commondir"];
    sandbox.kb(&["ingest", "docs", "--no-embed"]).tells_all(4, &files);
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/good/a.md\n");
    // Those above the folder are read too.
    pipe("docs/.gitignore");
    sandbox.kb(&["ingest", "docs/good", "--no-embed"]).tells(4, "docs/.gitignore");
}

#[test]
fn a_glob_with_too_many_braces_is_refused_wherever_it_comes_from() {
    let sandbox = Sandbox::new();
    let glob = format!("{}a{}", "{".repeat(30_000), "}".repeat(30_000));
    sandbox.write("docs/good/a.md", "# Pump\n\nIt turns.\n");
    sandbox.write("docs/deep/b.md", "# Pump\n\nIt turns.\n");
    sandbox.write("docs/deep/.gitignore", &glob);
    sandbox.kb(&["ingest", "docs", "--no-embed"]).tells(4, "docs/deep/.gitignore");
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/good/a.md\n");
    let deep = "{".repeat(300) + &"}".repeat(300);
    sandbox.kb(&["search", "pump", "--filter", &format!("path = '{deep}'")]).tells(2, "50 braces");
    for settings in
        ["[ingest]\nexclude = ['GLOB']", "[ingest]\ninclude = ['GLOB']", "[[ingest.metadata]]\npath = 'GLOB'"]
    {
        sandbox.write(".kb/kb.toml", settings.replace("GLOB", &glob));
        let run =
            sandbox.kb(&["ingest", "docs/good", "--no-embed"]).tells(2, "is not a glob: it has more than 4096 bytes");
        assert!(run.err.len() < 1000, "{}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn metadata_beside_a_file_is_not_read_through_a_link() {
    let sandbox = Sandbox::new();
    sandbox.write("secret/.env", "API_KEY = \"sk-secret\"\n");
    sandbox.write("docs/a.md", "# Pump\n\nIt turns.\n");
    std::os::unix::fs::symlink("../secret/.env", sandbox.path("docs/a.md.meta.toml")).unwrap();
    sandbox.kb(&["ingest", "docs", "--no-embed"]).tells(4, "a.md.meta.toml is a link");
    assert!(!sandbox.kb(&["docs", "--format", "json"]).out.contains("sk-secret"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_allowed_folder_is_not_read() {
    let sandbox = Sandbox::new();
    sandbox.write("outside/secret.md", "# Secret\n\nA secret valve.\n");
    sandbox.write("docs/a.md", "# Pump\n\nIt turns.\n");
    std::os::unix::fs::symlink("../outside", sandbox.path("docs/sub")).unwrap();
    for path in ["docs/sub", "docs/sub/secret.md", "outside"] {
        sandbox.kb(&["ingest", path, "--within", "docs", "--no-embed"]).tells(2, "lies outside of the folders");
    }
    sandbox.kb(&["ingest", "docs", "--within", "docs", "--no-embed"]).ok();
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/a.md\n");
}

#[test]
fn an_error_about_an_option_shows_no_control_characters() {
    let sandbox = Sandbox::new();
    for typed in ["\u{9b}2J", "\u{202e}x", "\u{1b}[2J"] {
        for args in [&["search", "pump", "--limit", typed][..], &["search", "pump", "--mode", typed], &[typed]] {
            let run = sandbox.kb(args);
            assert_eq!(run.code, 2, "{args:?}");
            assert!(!run.err.contains(['\u{9b}', '\u{202e}', '\u{1b}']), "{args:?}: {:?}", run.err);
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused_with_what_is_expected() {
    let sandbox = Sandbox::of_document("a.md", "About valves.", &["--no-embed"]);
    sandbox.kb(&["diff", "yesterday"]).tells(2, "expected a whole number of at least 0");
    sandbox.kb(&["log", "--limit", "0"]).tells(2, "expected a whole number of at least 1");
    sandbox.kb(&["log", "--limit", "99999999999"]).tells(2, "the number is too large");
}

#[test]
fn help_is_a_command_too() {
    let sandbox = Sandbox::new();
    for (command, option) in [(vec!["help"], vec!["--help"]), (vec!["help", "toc"], vec!["toc", "--help"])] {
        assert_eq!(sandbox.kb(&command).ok().out, sandbox.kb(&option).ok().out);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_kb")).arg("--help").stdout(full).output().unwrap();
    assert_eq!(program.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&program.stderr).contains("cannot write the output"), "{program:?}");
}

//! `kb ingest` on real files: what is read, what is skipped, what is reported.

use crate::common::{Sandbox, copy_files, fixtures, row, run, text};

#[test]
fn a_list_names_the_files_by_lines_or_with_nul() {
    let sandbox = Sandbox::new();
    for name in ["a.md", "b c.md", "d.md"] {
        sandbox.write(name, format!("# {name}\n\nAbout the valve.\n"));
    }
    let listed =
        |args: &[&str], list: &str| sandbox.kb_with_input(&[&["ingest", "--no-embed"], args].concat(), list.as_bytes());
    listed(&["--files-from", "-"], "a.md\nb c.md\n").ok();
    assert_eq!(sandbox.count(&["docs"]), 2);
    assert_eq!(listed(&["-0", "--files-from", "-"], "d.md\0a.md\0").out, "d.md\0", "what is unchanged is not listed");
    assert_eq!(sandbox.count(&["docs"]), 3);
    // PowerShell writes a byte-order mark.
    listed(&["--files-from", "-"], "\u{feff}a.md\n").ok();
    listed(&["--files-from", "-"], "").tells(0, "lists no file");
    listed(&["--files-from", "nowhere"], "").tells(2, "cannot read nowhere");
    listed(&["--files-from", "-"], "-\n").tells(2, "lists `-`");
    if cfg!(unix) {
        listed(&["--files-from", "/dev/zero"], "").tells(3, "cannot read /dev/zero: it is longer than 256 MB");
    }
    let first = sandbox.kb(&["docs", "--limit", "2", "--format", "paths"]);
    assert!(first.out == "a.md\nb c.md\n" && first.err.contains("1 more: --offset 2 shows them"), "{}", first.err);
    assert_eq!(sandbox.kb(&["docs", "--limit", "2", "--offset", "2", "--format", "paths"]).out, "d.md\n");
    assert_eq!(sandbox.items(&["toc", "--limit", "1", "--offset", "1"])[0]["source"], "b c.md");
    assert_eq!(sandbox.kb(&["docs", "a.md", "--limit", "1"]).code, 2);
}

#[test]
fn the_fixtures_are_ingested_and_the_second_run_reads_nothing() {
    let sandbox = Sandbox::new();
    let folder = fixtures().display().to_string();
    // The whole folder, as the README's first command does: .kbignore leaves the hostile files out.
    let report = sandbox.json(&["ingest", &folder]);
    assert_eq!((report["counts"]["added"].as_u64(), report["counts"]["failed"].as_u64()), (Some(8), Some(0)));
    assert!(report["embedded"].as_u64().unwrap() > 50);
    let again = sandbox.json(&["ingest", &folder]);
    assert_eq!(again["counts"]["unchanged"], 8);
    assert_eq!(again["embedded"], 0);
    assert_eq!(again["generation"], serde_json::Value::Null, "nothing changed, so nothing is published");
}

#[test]
fn changed_files_embed_only_what_changed_and_keep_their_id() {
    let sandbox = Sandbox::new();
    let head = "# A\n\nThe first parent chunk stays as it is.\n\n# B\n\n";
    sandbox.write("a.md", format!("{head}The old text of the second."));
    let before = sandbox.json(&["ingest", "."]);
    sandbox.write("a.md", format!("{head}The new and longer text of the second."));
    let after = sandbox.json(&["ingest", "."]);
    assert_eq!(after["counts"]["updated"], 1);
    assert_eq!((after["embedded"].as_u64(), after["reused"].as_u64()), (Some(1), Some(1)));
    assert_eq!(before["sources"][0]["doc_id"], after["sources"][0]["doc_id"]);
    let hits = sandbox.json(&["search", "old text second"]);
    assert!(!hits.to_string().contains("The old text"), "{hits}");
}

#[test]
fn copies_of_one_file_are_documents_of_their_own() {
    let sandbox = Sandbox::of_document("a.md", "Some text about valves.", &["--no-embed"]);
    std::fs::remove_file(sandbox.path("a.md")).unwrap();
    sandbox.write("b.md", "Some text about valves.");
    sandbox.write("c.md", "Some text about valves.");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let docs = sandbox.items(&["docs"]);
    let parents: Vec<u64> = docs.as_array().unwrap().iter().map(|doc| doc["parents"].as_u64().unwrap()).collect();
    assert_eq!(parents, [1, 1]);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_and_does_not_hang() {
    let sandbox = Sandbox::new();
    assert!(std::process::Command::new("mkfifo").arg(sandbox.path("pipe.md")).status().unwrap().success());
    for path in ["pipe.md", "/dev/null"] {
        sandbox.kb(&["ingest", path]).tells(2, "is neither a file nor a folder");
    }
    sandbox.write("a.md", "About valves.");
    assert_eq!(sandbox.json(&["ingest", ".", "--no-embed"])["counts"]["added"], 1, "in a folder it is left out");
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_fails_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::without_privileges();
    sandbox.write("docs/a.md", "About valves.");
    sandbox.write("docs/secret/b.md", "About pumps.");
    let lock = |mode| std::fs::set_permissions(sandbox.path("docs/secret"), PermissionsExt::from_mode(mode)).unwrap();
    lock(0o000);
    let run = sandbox.kb(&["ingest", "docs", "--no-embed", "--format", "json"]);
    lock(0o755);
    let report = run.json();
    assert_eq!((run.code, &report["counts"]["added"], &report["counts"]["failed"]), (4, &1.into(), &1.into()));
    assert_eq!(report["items"][1]["source"], "docs/secret");
    assert!(report["items"][1]["reason"].as_str().unwrap().contains("cannot be read"), "{report}");
}

#[test]
fn touched_files_publish_nothing_and_changed_ones_are_stale_until_they_are_read() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("a.md", "About valves.");
    sandbox.write("b.md", "About pumps.");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let time = || sandbox.items(&["docs", "a.md"])[0]["time"]["at"].as_str().unwrap().to_owned();
    let first = time();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    let touched = sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!((&touched["counts"]["unchanged"], &touched["generation"]), (&2.into(), &serde_json::Value::Null));
    let stale = || {
        let docs = sandbox.items(&["docs"]);
        docs.as_array().unwrap().iter().map(|doc| doc["stale"].as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(stale(), ["-", "-"]);
    assert_eq!(time(), first, "the content is as old as before");
    sandbox.json(&["ingest", "--force", "a.md", "--no-embed"]);
    assert_ne!(time(), first);
    // It fails now, and the store keeps the old text.
    sandbox.write("a.md", "\0\0\0");
    assert_eq!(sandbox.kb(&["ingest", ".", "--no-embed"]).code, 4);
    sandbox.kb(&["chunks-list"]).shows(0, "About valves");
    std::fs::remove_file(sandbox.path("b.md")).unwrap();
    assert_eq!(stale(), ["changed", "gone"]);
    assert!(sandbox.kb(&["docs"]).out.contains("a.md (stale: the file has changed since it was ingested)"));
    sandbox.write("a.md", "About valves and vents.");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(stale(), ["-", "gone"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_what_is_saved_and_the_same_command_continues() {
    for (signal, code) in [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143)] {
        interrupted_run(signal, code);
    }
}

#[cfg(unix)]
fn interrupted_run(signal: rustix::process::Signal, code: i32) {
    use crate::common::{end, signal_to, start, wait_until};
    let sandbox = Sandbox::new();
    for n in 0..300 {
        sandbox.write(&format!("docs/{n:03}.md"), format!("About valve number {n}."));
    }
    let mark = sandbox.write("mark", "");
    // The first batch is published; the process waits then, as it would for the model.
    let mut command = sandbox.command(&["ingest", "docs", "--no-embed"]);
    let running = start(command.env("KB_TEST_FAULT", "pause:history pruned").env("KB_TEST_PAUSE", &mark));
    let published = sandbox.path(".kb/namespaces/default/MANIFEST.json");
    wait_until("the first batch is published", || published.exists());
    signal_to(&running, signal);
    end(running).tells_all(code, &["interrupted", "run the same command again to continue"]);
    std::fs::remove_file(mark).unwrap();
    let report = sandbox.json(&["ingest", "docs", "--no-embed"]);
    assert_eq!((report["counts"]["unchanged"].as_u64(), report["counts"]["added"].as_u64()), (Some(256), Some(44)));
}

#[cfg(unix)]
#[test]
fn files_with_non_utf_8_names_stay_apart() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let path = |name: &[u8]| sandbox.path("d").join(OsStr::from_bytes(name));
    sandbox.write("d/caf%E9.txt", "About pipes.");
    std::fs::write(path(b"caf\xe8.txt"), "About valves.").unwrap();
    std::fs::write(path(b"caf\xe9.txt"), "About pumps.").unwrap();
    let ingest = |flags: &[&str]| sandbox.json(&[&["ingest", "d", "--no-embed"], flags].concat())["counts"].take();
    assert_eq!(ingest(&[])["added"], 3);
    let names = ["d/caf%25E9.txt", "d/caf%E8.txt", "d/caf%E9.txt"];
    assert_eq!(crate::common::texts(&sandbox.items(&["docs"]), "/source"), names);
    assert!(sandbox.kb(&["chunks-list", "--doc", "d/caf%E9.txt"]).out.contains("pumps"));
    let counts = ingest(&["--prune"]);
    assert_eq!((counts["unchanged"].as_u64(), counts["removed"].as_u64()), (Some(3), Some(0)), "{counts}");
    // A renamed file counts as moved, and a deleted one is removed.
    std::fs::rename(path(b"caf\xe9.txt"), path(b"\xc4\xe3.txt")).unwrap();
    std::fs::remove_file(path(b"caf\xe8.txt")).unwrap();
    let counts = ingest(&["--prune", "--yes"]);
    assert_eq!((counts["moved"].as_u64(), counts["removed"].as_u64()), (Some(1), Some(1)), "{counts}");
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "d/%C4%E3.txt\nd/caf%E9.txt\n");
}

#[cfg(unix)]
#[test]
fn a_store_lies_where_its_name_says() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Pumps\n\nPrime the pump.\n");
    for named in ["~/notes", "notes:2026"] {
        sandbox.json(&["ingest", "a.md", "--no-embed", "--kb", named]);
        assert!(sandbox.path(named).join("namespaces/default/tables/chunks.lance").is_dir(), "{named}");
        assert_eq!(sandbox.count(&["docs", "--kb", named]), 1, "{named}");
    }
    assert!(!sandbox.path("notes").exists(), "nothing lies in the home folder");
}

#[cfg(unix)]
#[test]
fn a_store_in_a_folder_with_a_name_that_tables_cannot_have_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for (name, reason) in [(&b"caf\xe9"[..], "is not UTF-8"), (&b"a\nb"[..], "has a control character")] {
        let sandbox = Sandbox::new();
        let folder = sandbox.path("d").join(OsStr::from_bytes(name));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.md"), "# Pumps\n\nPrime the pump.\n").unwrap();
        let refused = run(sandbox.command(&["ingest", "a.md", "--no-embed"]).current_dir(&folder));
        refused.tells_all(3, &[reason, "--kb"]);
        assert_eq!(std::fs::read_dir(sandbox.path("d")).unwrap().count(), 1, "no folder of a similar name");
    }
}

#[test]
fn hints_for_standard_input_differ_from_hints_for_files() {
    let sandbox = Sandbox::new();
    for (name, input, hint) in [
        ("x.md", &b""[..], "check the input"),
        ("x.md", b" \n", "check the input"),
        ("x.epub", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "name its format with --as"),
    ] {
        let run = sandbox.kb_with_input(&["ingest", "-", "--name", name], input);
        let message = format!("{}{}", run.out, run.err);
        assert_eq!(run.code, 4, "{message}");
        assert!(message.contains(hint) && !message.contains("--exclude") && !message.contains("delete"), "{message}");
    }
}

#[test]
fn a_missing_engine_leaves_no_empty_store() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "About valves.");
    let refused = |args: &[&str]| {
        sandbox.kb(&[&["ingest", "a.md", "--onnxruntime", "off"], args].concat()).tells(2, "offers no device cuda");
    };
    refused(&["--device", "cuda"]);
    assert!(!sandbox.path(".kb").exists(), "it would shadow a store further up");
    sandbox.json(&["ingest", "a.md"]);
    refused(&["--device", "cuda", "-n", "other"]);
    assert_eq!(sandbox.count(&["namespaces"]), 1, "no empty namespace either");
    // Without vectors no engine is needed.
    sandbox.kb(&["ingest", "a.md", "--no-embed", "--device", "cuda", "-n", "words"]).ok();
}

#[test]
fn ignore_files_and_globs_choose_the_files() {
    let sandbox = Sandbox::new();
    for name in ["a.md", "b.txt", "drafts/c.md", "ignored.md", "private.md", ".hidden.md", "program.exe"] {
        sandbox.write(name, "About valves and pumps.");
    }
    sandbox.write(".gitignore", "ignored.md\n");
    sandbox.write(".kbignore", "private.md\n");
    let paths = |args: &[&str]| {
        let run = sandbox.kb(&[&["ingest", ".", "--dry-run", "--format", "paths"], args].concat());
        run.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(paths(&[]), ["a.md", "b.txt", "drafts/c.md"]);
    assert!(!sandbox.path(".kb").exists(), "a dry run writes nothing");
    assert_eq!(paths(&["--include", "*.md"]), ["a.md", "drafts/c.md"]);
    assert_eq!(paths(&["--exclude", "drafts/**"]), ["a.md", "b.txt"]);
    assert_eq!(paths(&["--include", "*.md", "--exclude", "drafts"]), ["a.md"]);
    sandbox.configure("[ingest]\ninclude = [\"*.md\"]\nexclude = [\"drafts/**\"]\njobs = 1\nmax_file_size = 1\n");
    assert_eq!(paths(&[]), ["a.md"]);
    assert_eq!(paths(&["--include", "*.txt"]), ["b.txt"]);
    sandbox.write("large.md", "About valves and pumps. ".repeat(70_000));
    sandbox.kb(&["ingest", ".", "--dry-run"]).shows(4, "large.md: is 2 MB, more than 1 MB");
    for option in ["--include", "--exclude"] {
        sandbox.kb(&["ingest", ".", option, "[*"]).tells(2, &format!("{option} \"[*\" is not a glob"));
    }
}

#[test]
fn standard_input_is_a_document_with_a_name() {
    let sandbox = Sandbox::new();
    sandbox.kb_with_input(&["ingest", "-", "--name", "notes.md"], b"# Valves\n\nClose the valve slowly.").ok();
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "stdin:notes.md\n");
    assert!(sandbox.kb(&["section", "notes.md", "valves"]).out.contains("Close the valve slowly."));
    sandbox.kb_with_input(&["ingest", "-"], b"x").tells(2, "--name");
}

#[test]
fn failing_files_are_named_and_the_others_ingested() {
    let sandbox = Sandbox::new();
    copy_files(&fixtures().join("hostile"), &sandbox.path("in"));
    sandbox.write("in/good.md", "# Valves\n\nClose the valve slowly.");
    let run = sandbox.kb(&["ingest", "in", "--format", "json"]);
    assert_eq!(run.code, 4, "{}", run.err);
    let report = run.json();
    let said = |name: &str| {
        let line = row(&report["items"], "source", &format!("in/{name}"));
        format!("{}; {}", text(line, "reason"), text(line, "hint"))
    };
    for (name, words) in [
        ("junk.pdf", "not a PDF"),
        ("empty.pdf", "empty"),
        ("encrypted-rc4.pdf", "encrypted"),
        ("encrypted-aes256.pdf", "encrypted"),
        ("scanned.pdf", "has no text on its 2 pages (100 %); it is probably a scan; use an OCR program: --ocr-command"),
        ("nul-bytes.txt", "binary"),
        ("deep-nesting.html", "no text in it: elements are nested more than"),
        ("bomb.docx", "unpacks to more than 64 MB"),
        ("bomb.epub", "unpacks to more than 64 MB"),
        ("bomb.xlsx", "unpacks to more than 64 MB"),
        ("bomb.pptx", "unpacks to more than 64 MB"),
        ("deep-nesting.docx", "nested more than 1,000 deep"),
        ("empty.docx", "no text"),
        ("no-document.docx", "is not a DOCX"),
        ("no-container.epub", "is not an EPUB"),
        ("old-word.docx", "save it as DOCX"),
        ("broken.docx", "cannot be read as DOCX"),
        ("broken.epub", "cannot be read as EPUB"),
        ("protected.epub", "DRM"),
        ("bad-line.jsonl", "line 3"),
        ("no-cells.ipynb", "is not a notebook"),
        ("no-message.eml", "is not an email"),
    ] {
        assert!(said(name).contains(words), "{name}: {}", said(name));
    }
    for (name, words) in [
        ("good.md", "slowly"),
        ("empty.md", ""),
        ("blank.md", ""),
        ("invalid-utf8.txt", ""),
        ("deep-nesting.md", ""),
        ("long-line.txt", ""),
        ("owner-only.pdf", ""),
        ("billion-laughs.docx", "joke is over"),
        ("paths-outside.epub", "chapter that is there"),
        ("quotation-marks.adoc", "before the marks"),
    ] {
        assert_eq!(said(name), "; ", "{name}");
        if !words.is_empty() {
            sandbox.kb(&["chunks-list", "--doc", name]).shows(0, words);
        }
    }
    // Every failure is reported with its file as it happens, and the good ones can be searched.
    assert!(run.err.contains("failed: in/junk.pdf"), "{}", run.err);
    assert!(sandbox.kb(&["search", "close the valve"]).out.contains("slowly"));
}

#[test]
fn an_empty_file_is_a_document_without_text_and_is_named_once() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/README.md", "");
    sandbox.write("docs/stub.md", "---\ntitle: Valves\n---\n");
    sandbox.write("docs/a.txt", "Close the valve slowly.");
    sandbox.write("docs/b.txt", "Oil the pump.");
    let ingest = || sandbox.kb(&["ingest", "docs", "--no-embed"]);
    let warning = |name: &str| format!("warning: docs/{name}: there is no text in it");
    ingest().shows_all(0, &["4 added", &warning("README.md"), &warning("stub.md")]);
    ingest().shows(0, "4 unchanged").lacks("README.md");
    // A file that became empty may be half written.
    sandbox.write("docs/a.txt", " \n");
    ingest().tells(4, "docs/a.txt: the file is empty now; the text that it had is kept");
    assert!(sandbox.kb(&["search", "valve slowly"]).ok().out.contains("Close the valve"));
    sandbox.write("docs/stub.md", "---\ntitle: Valves\n---\nOpen the valve.\n");
    sandbox.write("docs/a.txt", "Open the valve slowly.");
    ingest().shows(0, "2 updated");
    assert!(sandbox.kb(&["search", "valve slowly"]).ok().out.contains("Open the valve"));
    // A program that wrote nothing has failed.
    sandbox.kb_with_input(&["ingest", "-", "--name", "notes.md"], b"").tells(4, "the file is empty");
    sandbox.kb_with_input(&["ingest", "-", "--name", "notes.md"], b" \n").tells(4, "there is no text in it");
}

#[test]
fn skipped_and_stale_files_are_listed_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "About valves.");
    let gone = sandbox.write("docs/b.md", "About pumps.");
    sandbox.write("docs/c.xyz", "About seals.");
    sandbox.json(&["ingest", "docs", "--no-embed"]);
    std::fs::remove_file(gone).unwrap();
    let report = sandbox.json(&["ingest", "docs", "--no-embed"]);
    let of = |source: &str| {
        let line = row(&report["items"], "source", source);
        ["action", "reason", "hint"].map(|field| text(line, field).to_owned())
    };
    assert_eq!(of("docs/b.md"), ["stale", "its file is gone", "--prune removes it"]);
    assert_eq!(of("docs/c.xyz"), ["skipped", "kb does not read its format", "--as names the format of files"]);
    assert_eq!((&report["counts"]["stale"], &report["counts"]["skipped"]), (&1.into(), &1.into()));
    let shown = sandbox.kb(&["ingest", "docs", "--no-embed"]).shows(0, "1 without a file, 1 of other formats");
    shown.shows_all(0, &["without a file: docs/b.md; --prune removes them", "of other formats: docs/c.xyz"]);
}

#[test]
fn only_new_failures_count_on_request() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/good.md", "About valves.");
    sandbox.write("docs/bad.pdf", "no PDF");
    let ingest = || sandbox.kb(&["ingest", "docs", "--no-embed", "--new-failures", "--format", "json"]);
    for (code, failed_before) in [(4, false), (0, true)] {
        let run = ingest();
        assert_eq!(run.code, code, "{}", run.err);
        assert_eq!(row(&run.json()["items"], "action", "failed")["failed_before"], failed_before);
    }
    assert_eq!(sandbox.kb(&["ingest", "docs", "--no-embed"]).code, 4, "all count otherwise");
    sandbox.write("docs/bad.pdf", "# Now it is text");
    sandbox.json(&["ingest", "docs/bad.pdf", "--as", "markdown", "--no-embed"]);
    sandbox.write("docs/bad.pdf", "no PDF again");
    assert_eq!(ingest().code, 4, "it was read in between");
    sandbox.write("docs/other.pdf", "no PDF");
    assert_eq!(ingest().code, 4);
    for name in ["bad.pdf", "other.pdf"] {
        std::fs::remove_file(sandbox.path(&format!("docs/{name}"))).unwrap();
    }
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok();
    sandbox.write("docs/bad.pdf", "no PDF, and a new one");
    assert_eq!(ingest().code, 4, "it was gone in between");
}

#[test]
fn many_small_changes_leave_few_files() {
    let sandbox = Sandbox::new();
    for change in 0..12 {
        sandbox.write(&format!("{change}.md"), format!("# Valve {change}\n\nClose valve {change} slowly."));
        sandbox.json(&["ingest", ".", "--no-embed"]);
    }
    let meta = std::fs::read(sandbox.path(".kb/namespaces/default/keyword/meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_slice(&meta).unwrap();
    let parts = meta["segments"].as_array().unwrap().len();
    assert!(parts < 9, "the keyword index is in {parts} parts");
    assert_eq!(sandbox.status()["keyword_chunks"], 12);
}

/// The first run, before the folder exists, names sources as later runs do.
#[test]
fn sources_are_the_same_however_the_store_is_named() {
    let absolute = |sandbox: &Sandbox| sandbox.path(".kb").display().to_string();
    type Named<'a> = &'a dyn Fn(&Sandbox) -> String;
    let ways: [(&str, Named<'_>); 5] = [
        ("relative", &|_| ".kb".to_owned()),
        ("with dots", &|_| "./x/../.kb".to_owned()),
        ("absolute", &absolute),
        ("through a link", &|_| "link/.kb".to_owned()),
        ("found", &|_| String::new()),
    ];
    for (way, named) in ways {
        let sandbox = Sandbox::new();
        #[cfg(unix)]
        std::os::unix::fs::symlink(".", sandbox.path("link")).unwrap();
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
        let named = named(&sandbox);
        let flags: &[&str] = if named.is_empty() { &[] } else { &["--kb", &named] };
        if cfg!(not(unix)) && way == "through a link" {
            continue;
        }
        sandbox.json(&[&["ingest", "docs", "--no-embed"], flags].concat());
        assert_eq!(sandbox.items(&["docs"])[0]["source"], "docs/a.md", "{way}");
        let again = sandbox.json(&["ingest", "docs", "--no-embed"]);
        assert_eq!((again["counts"]["unchanged"].as_u64(), again["generation"].as_u64()), (Some(1), None), "{way}");
        let again = sandbox.json(&[&["ingest", "docs", "--no-embed"], flags].concat());
        assert_eq!(again["counts"]["unchanged"], 1, "{way}");
        assert!(!sandbox.path("x").exists(), "{way}");
    }
}

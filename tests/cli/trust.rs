//! `kb trust`, and what counts without it: a store that another user made runs and sends nothing and stays as it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::common::{Run, Sandbox, fixtures, run, texts};

/// What a cloned folder may bring along.
const HOSTILE: &str = "onnxruntime = \"x.so\"\n[ingest]\nocr_command = \"./ocr.sh {}\"\nworker_memory = 100000\n\
    jobs = 1024\n[llm]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\napi_key_env = \"SECRET\"\n\
    [search]\nexpand = \"llm\"\nrerank = \"model\"\ntokenizer = \"tokenizer.json\"\nlimit = 1\n";

/// Runs without the engine that the sandbox names, so that the setting decides.
fn kb(sandbox: &Sandbox, args: &[&str]) -> Run {
    run(sandbox.command(args).env_remove("KB_ONNXRUNTIME"))
}

#[test]
fn a_found_store_loads_no_library() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write(".kb/x.so", "not a library");
    sandbox.write(".kb/kb.toml", "onnxruntime = \"x.so\"\n");
    for command in [&["status"][..], &["search", "valve"], &["ingest", "."], &["models"]] {
        let run = kb(&sandbox, command);
        assert_eq!(run.code, 0, "{command:?}: {}", run.err);
        let note = "kb.toml: ignored onnxruntime, because this store is not trusted; `kb trust --dry-run` shows";
        assert_eq!(run.err.matches(note).count(), 1, "{command:?}: {}", run.err);
    }
    assert_eq!(kb(&sandbox, &["status", "-q"]).err, "");
    // The user's own choices count: a flag, and trusted settings.
    kb(&sandbox, &["status", "--onnxruntime", ".kb/x.so"]).tells(3, "cannot load ONNX Runtime");
    sandbox.kb(&["trust"]).ok();
    let below = run(sandbox.command(&["status"]).env_remove("KB_ONNXRUNTIME").current_dir(sandbox.path(".kb")));
    below.tells(3, "cannot load ONNX Runtime");
}

/// The constructor of a library runs when it is opened.
#[cfg(target_os = "linux")]
#[test]
fn a_library_in_a_found_store_does_not_run() {
    let sandbox = Sandbox::of_two_documents();
    let mark = sandbox.path("ran");
    let code = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen({:?}, \"w\")); }}\n",
        mark.display().to_string()
    );
    let source = sandbox.write("x.c", code);
    let library = sandbox.path(".kb/x.so");
    let cc = std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(cc.unwrap().success(), "a build of kb needs a C compiler");
    sandbox.write(".kb/kb.toml", "onnxruntime = \"x.so\"\n");
    for command in [&["status"][..], &["search", "valve"], &["ingest", ".", "--force"]] {
        assert_eq!(kb(&sandbox, command).code, 0);
        assert!(!mark.exists(), "{command:?}");
    }
    sandbox.kb(&["trust"]).ok();
    kb(&sandbox, &["status"]);
    assert!(mark.exists(), "the same library where the user trusts the store");
}

#[cfg(unix)]
#[test]
fn a_found_store_runs_no_program() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::of_two_documents();
    sandbox.write("scan.pdf", std::fs::read(fixtures().join("hostile/scanned.pdf")).unwrap());
    let script = sandbox.write(".kb/prompts/ocr.sh", "#!/bin/sh\necho The landing stage was repaired.\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write(".kb/kb.toml", "[ingest]\nocr_command = \"./prompts/ocr.sh {}\"\n");
    sandbox.kb(&["ingest", "scan.pdf", "--no-embed"]).tells(4, "ignored ingest.ocr_command");
    sandbox.kb(&["trust"]).ok();
    // The program is beside kb.toml, in any working folder.
    std::fs::create_dir(sandbox.path("below")).unwrap();
    let args = ["ingest", "../scan.pdf", "--no-embed"];
    run(sandbox.command(&args).current_dir(sandbox.path("below"))).ok();
    assert!(sandbox.kb(&["search", "landing stage"]).out.contains("repaired"));
}

#[test]
fn trust_shows_what_counts_and_ends_with_the_settings() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write(".kb/kb.toml", HOSTILE);
    let run = kb(&sandbox, &["search", "slowly prime"]).ok();
    let ignored = "ignored onnxruntime, ingest.ocr_command, llm, search.expand, search.rerank, search.tokenizer, \
        ingest.worker_memory, ingest.jobs, because this store is not trusted";
    assert!(run.err.contains(ignored), "{}", run.err);
    assert_eq!(sandbox.hits(&["slowly prime"]).len(), 1, "harmless settings count");
    let shown = sandbox.json(&["trust", "--dry-run"]);
    assert_eq!(shown["trusted"], false);
    sandbox.kb(&["trust", "--dry-run"]).shows_all(0, &["./ocr.sh", "is not trusted with these settings; `kb trust`"]);
    assert!(kb(&sandbox, &["search", "slowly prime"]).err.contains("this store is not trusted"), "a look is no trust");
    assert_eq!(sandbox.json(&["trust"])["items"], shown["items"]);
    assert_eq!(sandbox.json(&["trust", "--dry-run"])["trusted"], true);
    let (settings, values) = (texts(&shown["items"], "/setting"), texts(&shown["items"], "/value"));
    let settings: BTreeMap<&str, &str> = settings.into_iter().zip(values).collect();
    assert_eq!((settings["onnxruntime"], settings["llm.api_key_env"]), ("\"x.so\"", "\"SECRET\""));
    assert!(!settings.contains_key("search.limit"));
    sandbox.kb(&["trust", "--format", "table"]).shows_all(0, &["runs a program", "trusted"]);
    let run = sandbox.kb(&["search", "slowly prime"]);
    assert!(run.code == 2 && run.err.contains("reranking model") && !run.err.contains("ignored"), "{}", run.err);
    sandbox.write(".kb/kb.toml", HOSTILE.replace("127.0.0.1", "127.0.0.2"));
    kb(&sandbox, &["search", "slowly prime"]).tells(0, "because it has changed since you trusted it");
    assert_eq!(sandbox.json(&["trust", "--dry-run"])["trusted"], false);
    sandbox.write(".kb/kb.toml", HOSTILE);
    assert_eq!(sandbox.kb(&["search", "slowly prime"]).code, 2, "trusted as it was");
    assert!(sandbox.kb(&["trust", "--revoke"]).out.contains("no longer trusted"));
    assert!(kb(&sandbox, &["search", "slowly prime"]).err.contains("this store is not trusted"));
    assert_eq!(sandbox.kb(&["trust", "--kb", "nowhere"]).code, 3);
}

#[test]
fn prompts_of_a_found_store_do_not_count() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write(".kb/prompts/expand-query.md", "no prompt at all");
    let search = || {
        let endpoint = [("KB_LLM_BASE_URL", "http://127.0.0.1:9/v1"), ("KB_LLM_MODEL", "m"), ("KB_LLM_RETRIES", "0")];
        sandbox.kb_with(&endpoint, &["search", "valve", "--expand", "llm"])
    };
    search().tells(0, "ignored prompts, because this store is not trusted");
    assert!(sandbox.kb(&["trust"]).out.contains("expand-query.md"));
    search().tells(2, "no line \"---\"");
    sandbox.write(".kb/prompts/expand-query.md", "another text");
    assert!(search().err.contains("changed since you trusted it"));
}

#[test]
fn the_users_own_settings_count_and_the_stores_come_first() {
    let sandbox = Sandbox::of_two_documents();
    let own = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    sandbox.write(&format!("{own}/kb/config.toml"), "onnxruntime = \"mine.so\"\n[search]\nlimit = 1\n");
    let run = kb(&sandbox, &["status"]);
    let mine = sandbox.path(own).join("kb/mine.so").display().to_string();
    assert!(run.code == 3 && run.err.contains(&format!("{mine} is not a file")), "beside the file: {}", run.err);
    // Setting by setting.
    for (settings, count) in [("", 1), ("[search]\nlimit = 2\n", 2), ("[search]\nmethod = \"keyword\"\n", 1)] {
        sandbox.write(".kb/kb.toml", settings);
        assert_eq!(sandbox.hits(&["slowly prime"]).len(), count, "{settings}");
    }
    // A variable names another file.
    sandbox.write("mine.toml", "[search]\nlimt = 1\n");
    let with = |file: &str| sandbox.kb_with(&[("KB_CONFIG", file)], &["search", "valve"]);
    with("mine.toml").tells(2, "mine.toml, line 2, limt");
    with("nowhere.toml").tells(2, "KB_CONFIG names nowhere.toml");
}

/// Every file of a folder, with its time and content.
fn files(folder: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let (mut all, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        let facts = std::fs::metadata(&path).unwrap();
        let content = if facts.is_dir() { Vec::new() } else { std::fs::read(&path).unwrap() };
        if facts.is_dir() {
            left.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        all.insert(path.display().to_string(), (facts.modified().unwrap(), content));
    }
    all
}

const READING: [&[&str]; 14] = [
    &["search", "how is the pump primed?"],
    &["search", "how is the pump primed?"],
    &["search", "prime", "--mode", "section", "--filter", "format = markdown"],
    &["search", "prime", "--in", "sections", "--explain"],
    &["context", "prime the pump"],
    &["toc"],
    &["toc", "a.md"],
    &["section", "a.md", "1"],
    &["docs"],
    &["docs", "a.md"],
    &["chunks-list"],
    &["entities"],
    &["log"],
    &["check"],
];

#[test]
fn reading_leaves_a_store_of_others_as_it_is() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.write("a.md", "# Valves\n\nClose the valve slowly, and then the other.");
    sandbox.json(&["ingest", "."]);
    sandbox.json(&["search", "a question that is kept", "--all"]);
    // As a clone of the folder is to another user.
    sandbox.kb(&["trust", "--revoke"]).ok();
    let before = files(&sandbox.path(".kb"));
    let rest: [&[&str]; 6] = [
        &["status"],
        &["status", "-n", "all"],
        &["diff", "1"],
        &["namespaces"],
        &["models"],
        &["search", "a question that is kept", "--all"],
    ];
    for command in READING.iter().chain(&rest) {
        let run = sandbox.kb(command);
        assert!(run.code < 2, "{command:?}: {}", run.err);
        assert!(files(&sandbox.path(".kb")) == before, "{command:?} has written");
    }
    // The same commands keep caches in a store of the user's own.
    sandbox.kb(&["trust"]).ok();
    sandbox.kb(READING[0]);
    assert!(files(&sandbox.path(".kb")) != before);
}

#[test]
fn reading_mends_a_store_of_the_users_own_alone() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.kb(&["trust", "--revoke"]).ok();
    let keyword = sandbox.path(".kb/namespaces/default/keyword");
    std::fs::remove_dir_all(&keyword).unwrap();
    sandbox.kb(&["search", "valve"]).tells(0, "`kb check --repair`");
    assert!(!keyword.exists());
    // Writing to a store makes it known.
    sandbox.kb(&["ingest", "."]).ok();
    std::fs::remove_dir_all(&keyword).unwrap();
    assert!(sandbox.kb(&["search", "valve"]).ok().out.contains("slowly"));
    assert_eq!(sandbox.status()["keyword_chunks"], 2);
    assert!(keyword.exists());
}

/// As git's safe.directory: whoever may write to a folder above cannot choose the store of those below.
#[cfg(unix)]
#[test]
fn a_found_store_of_another_user_is_refused_and_a_named_one_is_not() {
    use std::os::unix::fs::{MetadataExt, chown};
    let sandbox = Sandbox::of_two_documents();
    let store = sandbox.path(".kb");
    if std::fs::metadata(&store).unwrap().uid() != 0 {
        // Only root can give a folder away.
        return;
    }
    chown(&store, Some(65534), None).unwrap();
    for command in [&["search", "valve"][..], &["ingest", "."], &["status"], &["models"]] {
        sandbox.kb(command).tells_all(3, &[".kb belongs to another user", "--kb", "`kb trust`"]);
    }
    sandbox.kb(&["search", "valve", "--kb", ".kb"]).ok();
    sandbox.kb(&["trust"]).ok();
    sandbox.kb(&["search", "valve"]).ok();
}

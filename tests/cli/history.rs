//! The history: what each generation did, restoring one, the difference of two, and a store that does not grow.

use crate::common::{Sandbox, assert_sound, files_below, text, texts};
use serde_json::Value;

const INGEST: [&str; 4] = ["ingest", "docs", "--prune", "--no-embed"];

/// How many documents a version of the folder has.
const DOCUMENTS: usize = 6;

/// Writes version `version` of the folder: half of the files change.
fn write_version(sandbox: &Sandbox, version: usize) {
    for i in 0..DOCUMENTS {
        let version = if i % 2 == 0 { version } else { 0 };
        let parts: String = (0..20)
            .map(|part| format!("## Part {part}\n\nThe valve {part} of version{version}x, closed slowly.\n\n"))
            .collect();
        sandbox.write(&format!("docs/{i}.md"), format!("# Manual {i}\n\n{parts}"));
    }
}

/// The generations that `kb log` shows, the newest first.
fn generations(sandbox: &Sandbox) -> Vec<u64> {
    let log = sandbox.items(&["log"]);
    log.as_array().unwrap().iter().map(|entry| entry["generation"].as_u64().unwrap()).collect()
}

#[test]
fn a_store_does_not_grow_under_nightly_ingests() {
    let sandbox = Sandbox::new();
    let namespace = sandbox.path(".kb/namespaces/default");
    let mut sizes = Vec::new();
    for night in 1..=50 {
        write_version(&sandbox, night);
        sandbox.json(&INGEST);
        let files = files_below(&namespace);
        sizes.push((files.iter().map(|file| file.metadata().unwrap().len()).sum::<u64>(), files.len()));
    }
    // The size rises and falls with each compaction, so the largest of some nights are compared.
    let most = |nights: std::ops::Range<usize>| {
        let some = &sizes[nights];
        (some.iter().map(|size| size.0).max().unwrap(), some.iter().map(|size| size.1).max().unwrap())
    };
    let (earlier, later) = (most(13..25), most(38..50));
    println!("bytes and files: nights 14 to 25 {earlier:?}, nights 39 to 50 {later:?}; all {sizes:?}");
    assert!(later.0 * 10 <= earlier.0 * 13, "{earlier:?} {later:?}");
    assert!(later.1 * 10 <= earlier.1 * 13, "{earlier:?} {later:?}");
    assert_eq!(generations(&sandbox), (31..=50).rev().collect::<Vec<u64>>());
    assert_eq!(std::fs::read_dir(namespace.join("history")).unwrap().count(), 20);
    assert_sound(&sandbox);
    // The oldest kept generation is whole.
    sandbox.json(&["restore", "31"]);
    assert!(sandbox.kb(&["section", "docs/0.md", "1.1"]).out.contains("version31x"));
    assert_sound(&sandbox);
}

/// A store with three generations: two documents, a third one, one less.
fn three_generations() -> Sandbox {
    Sandbox::prepared("history::three_generations", |sandbox| {
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
        sandbox.write("docs/b.md", "# Pumps\n\nPrime the pump first.");
        sandbox.json(&INGEST);
        sandbox.write("docs/c.md", "# Filters\n\nRinse the filter.");
        sandbox.json(&INGEST);
        sandbox.kb(&["remove", "b.md"]);
    })
}

#[test]
fn the_log_lists_what_each_generation_did() {
    let sandbox = three_generations();
    let log = sandbox.items(&["log"]);
    let line = |entry: &Value| {
        let [generation, counts, published, restorable] =
            ["generation", "counts", "published", "restorable"].map(|name| &entry[name]);
        format!("{generation} {} {counts} {published} {restorable}", text(entry, "command"))
    };
    let lines: Vec<String> = log.as_array().unwrap().iter().map(line).collect();
    let expected = [
        r#"3 remove {"removed":1} true false"#,
        r#"2 ingest {"added":1} false true"#,
        r#"1 ingest {"added":2} false true"#,
    ];
    assert_eq!(lines, expected);
    assert_eq!(log[1]["sources"], serde_json::json!(["docs/c.md"]));
    sandbox.kb(&["log", "--limit", "1"]).shows(0, "| remove | 1 removed: docs/b.md | published |");
    assert_eq!(sandbox.kb(&["log", "--format", "paths"]).out, "3\n2\n1\n");
    sandbox.kb(&["log", "--format", "table"]).shows(0, "can be restored");
    for read in [&["log"][..], &["log", "--limit", "1"], &["status"], &["check"]] {
        assert_eq!(sandbox.json(read)["generation"], 3, "{read:?}");
    }
    let status = sandbox.items(&["status"])[0].take();
    assert_eq!(status["restorable_generations"], 2);
    assert!(status["history_bytes"].as_u64().unwrap() > 0);
    assert_ne!(sandbox.kb(&["log", "-n", "other"]).code, 0);
    assert!(!sandbox.path(".kb/namespaces/other").exists(), "nothing is made by looking");
}

#[test]
fn every_publishing_command_is_in_the_log() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.\n\n# Pumps\n\nPrime the pump.");
    sandbox.json(&INGEST);
    sandbox.write("docs/a.md", "# Valves\n\nClose the valve at once.\n\n# Pumps\n\nPrime the pump.");
    sandbox.write("docs/b.md", "# Filters\n\nRinse the filter.");
    sandbox.json(&INGEST);
    std::fs::rename(sandbox.path("docs/b.md"), sandbox.path("docs/c.md")).unwrap();
    sandbox.json(&INGEST);
    let id = sandbox.id("docs/a.md");
    sandbox.kb(&["chunk-delete", &format!("{id}:0"), "--yes"]).ok();
    sandbox.kb(&["reindex", "--structure", "--force"]).ok();
    let log = sandbox.items(&["log"]);
    let line = |entry: &Value| format!("{} {}", text(entry, "command"), entry["counts"]);
    let message: Vec<String> = log.as_array().unwrap().iter().rev().map(line).collect();
    let expected = [
        r#"ingest {"added":1}"#,
        r#"ingest {"added":1,"updated":1}"#,
        r#"ingest {"moved":1}"#,
        r#"chunk-delete {"updated":1}"#,
        r#"reindex {"rebuilt":2}"#,
    ];
    assert_eq!(message, expected);
}

#[test]
fn restore_brings_a_removed_document_back() {
    let sandbox = three_generations();
    assert_eq!(sandbox.kb(&["search", "prime the pump", "--method", "keyword"]).code, 1);
    let planned = sandbox.json(&["restore", "1", "--dry-run"]);
    assert_eq!((planned["generation"].as_u64(), planned["dry_run"].as_bool()), (None, Some(true)));
    assert_eq!(generations(&sandbox), [3, 2, 1]);
    let restored = sandbox.json(&["restore", "1"]);
    let number = |name: &str| restored[name].as_u64();
    assert_eq!((number("restored"), number("generation")), (Some(1), Some(4)));
    assert_eq!((number("added"), number("changed"), number("removed")), (Some(1), Some(0), Some(1)));
    let found = sandbox.json(&["search", "prime the pump", "--method", "keyword"]).to_string();
    assert!(found.contains("Prime the pump first"), "{found}");
    assert_eq!(sandbox.kb(&["search", "rinse the filter", "--method", "keyword"]).code, 1);
    let sources: Vec<String> = sandbox.kb(&["docs", "--format", "paths"]).out.lines().map(str::to_owned).collect();
    assert_eq!(sources, ["docs/a.md", "docs/b.md"]);
    assert!(sandbox.kb(&["section", "b.md", "1"]).out.contains("Prime the pump first"));
    assert_sound(&sandbox);
    sandbox.kb(&["log"]).shows(0, "restore of generation 1 | 1 added, 1 removed: docs/b.md, docs/c.md");
    // It differs in nothing from the restored one, and the replaced one can be restored in turn.
    sandbox.kb(&["diff", "1", "4"]).refuses(1, "do not differ");
    sandbox.json(&["restore", "3"]);
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/a.md\ndocs/c.md\n");
    // The next publication continues from there.
    sandbox.json(&INGEST);
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/a.md\ndocs/b.md\ndocs/c.md\n");
    assert_sound(&sandbox);
}

#[test]
fn restore_undoes_and_redoes_an_edit() {
    let sandbox = three_generations();
    let id = sandbox.id("docs/a.md");
    sandbox.kb(&["chunk-edit", &format!("{id}:0"), "--content", "Close the valve at once."]).ok();
    sandbox.kb(&["log", "--limit", "1"]).shows(0, "| chunk-edit | 1 updated: docs/a.md |");
    let diff = sandbox.json(&["diff", "3"]);
    let document = &diff["items"][0];
    assert_eq!((&document["what"], &document["fields"][0]), (&"changed".into(), &"edits".into()), "{diff}");
    assert_eq!(document["chunk_items"][0]["text"], "Close the valve at once.");
    let text = || sandbox.kb(&["section", "a.md", "1"]).out;
    sandbox.json(&["restore", "3"]);
    assert!(text().contains("slowly"), "{}", text());
    assert_sound(&sandbox);
    sandbox.json(&["restore", "4"]);
    assert!(text().contains("at once"), "{}", text());
    assert_sound(&sandbox);
    // It is still an edit, and survives another reading of the source.
    sandbox.json(&["ingest", "docs/a.md", "--no-embed", "--force"]);
    assert!(text().contains("at once"), "{}", text());
}

#[test]
fn undo_says_what_it_takes_back_and_that_a_second_one_brings_back() {
    let sandbox = three_generations();
    let documents = || sandbox.kb(&["docs", "--format", "paths"]).out;
    let removed = documents();
    sandbox.kb(&["undo", "--dry-run"]).ok();
    assert_eq!(documents(), removed, "a dry run changes nothing");
    let told = "generation 3 (remove) is undone; a second `kb undo` brings it back; `kb restore N` goes further back";
    sandbox.kb(&["undo"]).tells(0, told);
    assert_eq!(documents(), "docs/a.md\ndocs/b.md\ndocs/c.md\n");
    let told = "this reverts the last `kb undo`; `kb restore N` goes further back";
    sandbox.kb(&["undo"]).tells(0, told).lacks("a second");
    assert_eq!(documents(), removed);
    Sandbox::of_two_documents().kb(&["undo"]).tells(1, "nothing to undo");
    sandbox.kb(&["log", "--limit", "1"]).shows(0, "| undo, back to generation 3 |");
}

/// A restore of few documents changes their entries of the keyword index alone, whatever was compacted in between.
#[test]
fn restoring_one_of_many_documents_keeps_the_keyword_index() {
    let sandbox = Sandbox::new();
    let text = |number: usize, word: &str| format!("# Valve {number}\n\nValve {number} is {word}.\n");
    for number in 0..30 {
        sandbox.write(&format!("docs/{number}.md"), text(number, "green"));
    }
    sandbox.json(&INGEST);
    let found = |word: &str| -> Vec<String> {
        let run = sandbox.kb(&["search", word, "--method", "keyword", "-k", "30", "--format", "paths"]);
        run.out.lines().map(str::to_owned).collect()
    };
    // Deletions leave marks in files, and many publications make small files, which are compacted.
    for word in (0..14).map(|round| format!("painted{round}")).chain(["violet".to_owned()]) {
        sandbox.write("docs/7.md", text(7, &word));
        sandbox.json(&INGEST);
    }
    std::fs::remove_file(sandbox.path("docs/8.md")).unwrap();
    sandbox.json(&INGEST);
    assert_eq!(sandbox.kb(&["diff", "1", "--format", "paths"]).out, "docs/7.md\ndocs/8.md\n");
    assert_eq!(sandbox.kb(&["diff", "16", "17", "--format", "paths"]).out, "docs/8.md\n");
    // A rebuilt index is a new folder.
    let mark = sandbox.write(".kb/namespaces/default/keyword/mark.lock", "");
    sandbox.json(&["restore", "16"]);
    assert!(mark.exists());
    assert_eq!((found("violet").len(), found("green").len()), (1, 29));
    sandbox.json(&["restore", "1"]);
    assert_eq!((found("violet").len(), found("green").len()), (0, 30));
    assert_sound(&sandbox);
}

#[test]
fn restoring_the_published_or_an_unknown_generation_changes_nothing() {
    let sandbox = three_generations();
    sandbox.kb(&["restore", "3"]).shows(0, "no change");
    for unknown in ["0", "4", "99"] {
        for command in [&["restore", unknown][..], &["restore", unknown, "--dry-run"], &["diff", unknown]] {
            sandbox.kb(command).refuses(2, "`kb log` lists the generations").tells(2, "there is no generation");
        }
    }
    assert_eq!(sandbox.kb(&["restore", "one"]).code, 2);
    assert_eq!(generations(&sandbox), [3, 2, 1]);
}

#[test]
fn a_diff_lists_added_changed_and_removed_items() {
    let sandbox = Sandbox::new();
    let long = |what: &str| format!("{} ", format!("The {what} is described here at length.").repeat(12));
    sandbox.write("docs/a.md", format!("# Valves\n\n{}\n\n# Pumps\n\n{}", long("valve"), long("pump")));
    sandbox.write("docs/b.md", "# Filters\n\nRinse the filter.");
    sandbox.write("docs/same.md", "# Same\n\nNothing happens here.");
    sandbox.json(&INGEST);
    std::fs::remove_file(sandbox.path("docs/b.md")).unwrap();
    let a = format!("# Seals\n\nNew: seals.\n\n# Valves\n\n{}\n\n# Pumps\n\n{}", long("valve"), long("motor"));
    sandbox.write("docs/a.md", a);
    sandbox.write("docs/c.md", "# Cables\n\nPull the cable.");
    sandbox.json(&INGEST);
    let diff = sandbox.json(&["diff", "1"]);
    assert_eq!((diff["from"].as_u64(), diff["to"].as_u64()), (Some(1), Some(2)));
    let documents = diff["items"].as_array().unwrap();
    let what: Vec<(&str, &str)> =
        documents.iter().map(|d| (d["source"].as_str().unwrap(), d["what"].as_str().unwrap())).collect();
    assert_eq!(what, [("docs/a.md", "changed"), ("docs/b.md", "gone"), ("docs/c.md", "added")]);
    let a = &documents[0];
    assert_eq!(a["fields"][0], "text");
    let titles = |what: &str| -> Vec<&str> {
        let items = a["section_items"].as_array().unwrap().iter();
        items.filter(|item| item["what"] == what).map(|item| item["text"].as_str().unwrap()).collect()
    };
    assert_eq!(titles("added"), ["Seals"]);
    assert!(titles("changed").is_empty() && titles("gone").is_empty(), "{a}");
    assert_eq!(a["sections"]["moved"], 2, "those behind it have other numbers: {a}");
    let chunks = a["chunk_items"].as_array().unwrap();
    let joined = |what: &str| -> String {
        let items = chunks.iter().filter(|item| item["what"] == what);
        items.map(|item| item["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    };
    assert!(joined("added").contains("New: seals"), "{a}");
    let (old, new) = (joined("gone") + &joined("changed"), joined("added") + &joined("changed"));
    assert!(new.contains("motor") && !new.contains("valve") && !old.contains("valve"), "{a}");
    assert!(a["chunks"]["moved"].as_u64().unwrap() > 0, "the valves are where they were, behind the seals: {a}");
    // In the other direction, added items are removed ones.
    let back = sandbox.json(&["diff", "2", "1"]);
    assert_eq!(texts(&back["items"], "/what"), ["changed", "added", "gone"]);
    let markdown = sandbox.kb(&["diff", "1"]).out;
    assert!(markdown.starts_with("# Generation 1 to 2\n") && markdown.contains("added `docs/c.md`"), "{markdown}");
    assert!(markdown.ends_with("\ndocuments: 1 added, 1 changed, 1 gone\n"), "{markdown}");
    let stat = sandbox.kb(&["diff", "1", "--stat"]).out;
    assert!(stat.contains("sections: 1 added, 2 moved") && !stat.contains("Seals"), "{stat}");
    assert_eq!(sandbox.kb(&["diff", "1", "--format", "jsonl"]).out.lines().count(), 4);
    assert_eq!(sandbox.kb(&["diff", "1", "--format", "paths"]).out, "docs/a.md\ndocs/b.md\ndocs/c.md\n");
    sandbox.kb(&["diff", "1", "--format", "table"]).shows(0, "+ docs/c.md");
    sandbox.kb(&["diff", "2"]).refuses(1, "do not differ");
}

#[test]
fn a_diff_shows_where_a_long_text_has_changed() {
    let sandbox = Sandbox::new();
    let long = |last: &str| format!("# 水泵\n\n{}{last}\n", "启动水泵之前必须灌水并检查压力。".repeat(12));
    sandbox.write("docs/a.md", long("然后关闭阀门。"));
    sandbox.json(&INGEST);
    sandbox.write("docs/a.md", long("然后慢慢打开阀门。"));
    sandbox.json(&INGEST);
    let diff = sandbox.json(&["diff", "1"]);
    let expected = serde_json::json!({
        "before": "…必须灌水并检查压力。然后关闭阀门。",
        "after": "…必须灌水并检查压力。然后慢慢打开阀门。",
    });
    assert_eq!(diff["items"][0]["chunk_items"][0]["change"], expected, "{diff}");
    sandbox.kb(&["diff", "1"]).shows_all(0, &["    - before: …", "然后慢慢打开阀门。\n"]);
    sandbox.kb(&["diff", "1", "--format", "table"]).shows_all(0, &["      - …", "      + …"]);
}

#[test]
fn a_diff_names_changed_notes() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
    sandbox.json(&INGEST);
    let id = sandbox.id("docs/a.md");
    sandbox.json(&["chunk-edit", &format!("{id}:0"), "--meta", "reviewed=by Ann"]);
    let diff = sandbox.json(&["diff", "1"]);
    let document = &diff["items"][0];
    assert!(document["fields"].as_array().unwrap().contains(&"notes".into()), "{diff}");
    assert_eq!(document["chunk_items"][0]["fields"], serde_json::json!(["notes"]), "{diff}");
    sandbox.kb(&["diff", "1"]).shows(0, &format!("changed `{id}:0` (notes) Close the valve slowly."));
}

#[test]
fn settings_limit_the_history() {
    let sandbox = Sandbox::new();
    let ingest = |version: usize| {
        write_version(&sandbox, version);
        sandbox.kb(&INGEST)
    };
    ingest(1);
    sandbox.write(".kb/kb.toml", "[history]\ngenerations = 3\n");
    (2..=6).for_each(|version| assert_eq!(ingest(version).code, 0));
    assert_eq!(generations(&sandbox), [6, 5, 4]);
    // By age alone, the newest five stay: the clock may be wrong.
    sandbox.write(".kb/kb.toml", "[history]\nkeep = \"0s\"\n");
    (7..=9).for_each(|version| assert_eq!(ingest(version).code, 0));
    assert_eq!(generations(&sandbox), [9, 8, 7, 6, 5]);
    sandbox.write(".kb/kb.toml", "[history]\ngenerations = 1\n");
    assert_eq!(ingest(10).code, 0);
    assert_eq!(generations(&sandbox), [10]);
    sandbox.kb(&["restore", "9"]).tells(2, "generation 9 is no longer kept");
    assert_eq!(sandbox.status()["restorable_generations"], 0);
    // Commands that change one document leave nothing behind either.
    sandbox.kb(&["remove", "docs/1.md"]).ok();
    let id = text(&sandbox.items(&["docs"])[0], "doc_id").to_owned();
    sandbox.kb(&["chunk-delete", &format!("{id}:0"), "--yes"]).ok();
    assert_eq!(generations(&sandbox), [12]);
    assert_sound(&sandbox);
    // Invalid settings are an error before anything is published.
    sandbox.write(".kb/kb.toml", "[history]\nkeep = \"a while\"\n");
    sandbox.kb(&["remove", "docs/2.md"]).tells(2, "line 2").tells(2, "a while");
    sandbox.write(".kb/kb.toml", "");
    assert_eq!(generations(&sandbox), [12]);
}

#[test]
fn nothing_is_removed_where_the_system_has_no_locks() {
    let sandbox = three_generations();
    sandbox.write(".kb/kb.toml", "[history]\ngenerations = 1\n");
    sandbox.write("docs/d.md", "# Bolts\n\nTighten the bolts.");
    let run = sandbox.kb_with(&[("KB_TEST_FAULT", "no-locks:published")], &INGEST).ok();
    assert_eq!(run.err.matches("has no locks").count(), 1, "{}", run.err);
    assert_eq!(generations(&sandbox), [4, 3, 2, 1]);
    sandbox.write("docs/e.md", "# Seals\n\nGrease the seals.");
    sandbox.json(&INGEST);
    assert_eq!(generations(&sandbox), [5], "with locks, they go");
}

/// That a crash leaves one generation is tested with losses of power (`tests/crash/power.rs`).
#[test]
fn a_failed_restore_is_mended_and_an_interrupted_one_is_not_in_the_log() {
    let steps = "begun, tables restored, keyword written, history written, tables synced, pending written, \
                 keyword moved aside, keyword committed, published, history pruned";
    let steps: Vec<&str> = steps.split(", ").collect();
    let committed = steps.iter().position(|step| *step == "keyword committed").unwrap();
    for (place, step) in steps.into_iter().enumerate() {
        let restore = |sandbox: &Sandbox, fault: &str| {
            sandbox.kb_with(&[("KB_TEST_FAULT", format!("{fault}:{step}"))], &["restore", "1"])
        };
        let sandbox = three_generations();
        assert_eq!(restore(&sandbox, "abort").code, -1, "it dies at {step:?}");
        assert_eq!(generations(&sandbox)[0], if place >= committed { 4 } else { 3 }, "after a crash at {step:?}");
        let sandbox = three_generations();
        let failing = restore(&sandbox, "fail");
        let tidying = step == "history pruned";
        assert_eq!(failing.code, if tidying { 0 } else { 3 }, "{}", failing.err);
        assert_eq!(failing.err.contains("is published, but"), tidying, "{}", failing.err);
        // A check finds interrupted publications; the next writer mends them.
        sandbox.write("docs/d.md", "# Bolts\n\nTighten the bolts.");
        sandbox.json(&["ingest", "docs/d.md", "--no-embed"]);
        assert_sound(&sandbox);
    }
}

#[test]
fn a_store_without_history_starts_one() {
    let sandbox = three_generations();
    std::fs::remove_dir_all(sandbox.path(".kb/namespaces/default/history")).unwrap();
    let log = sandbox.items(&["log"]);
    assert_eq!((log.as_array().unwrap().len(), log[0]["generation"].as_u64()), (1, Some(3)));
    assert_eq!(log[0].get("command"), None);
    assert!(sandbox.kb(&["log"]).out.contains("not recorded"));
    sandbox.json(&INGEST);
    assert_eq!(generations(&sandbox), [4, 3]);
    assert_eq!(sandbox.items(&["log"])[1]["restorable"], true);
    sandbox.json(&["restore", "3"]);
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "docs/a.md\ndocs/c.md\n");
    assert_sound(&sandbox);
}

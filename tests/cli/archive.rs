//! `kb export` and `kb import`: what comes out is what went in, or nothing.

use crate::common::{Sandbox, names_in, run};

/// Two documents with an edit, and the archive of them.
fn exported() -> Sandbox {
    Sandbox::prepared("archive::exported", |sandbox| {
        sandbox.ingest_two_documents();
        let chunk = sandbox.items(&["chunks-list", "--type", "child"])[0]["chunk_id"].as_str().unwrap().to_owned();
        sandbox.json(&["chunk-edit", &chunk, "--content", "Close the valve at once."]);
        sandbox.json(&["export", "backup.kb"]);
    })
}

/// An empty sandbox with an archive of another.
fn elsewhere(sandbox: &Sandbox, archive: &str) -> Sandbox {
    let other = Sandbox::new();
    std::fs::copy(sandbox.path(archive), other.path(archive)).unwrap();
    other
}

fn answer(sandbox: &Sandbox, flags: &[&str]) -> Vec<serde_json::Value> {
    sandbox.hits(&[&["close the valve"], flags].concat())
}

#[test]
fn a_namespace_survives_export_and_import() {
    let sandbox = exported();
    let before = answer(&sandbox, &[]);
    let other = elsewhere(&sandbox, "backup.kb");
    let imported = other.json(&["import", "backup.kb"]);
    assert_eq!((&imported["namespace"], &imported["documents"]), (&"default".into(), &2.into()));
    assert_eq!(answer(&other, &[]), before, "text, vectors and ranking are the same");
    assert_eq!(other.json(&["check"])["sound"], true);
    assert_eq!(other.count(&["log"]), sandbox.count(&["log"]));
    other.write("a.md", "# Valves\n\nOpen the valve slowly.");
    assert_eq!(other.kb(&["ingest", "a.md"]).code, 0, "it can be written to");
}

#[test]
fn an_export_says_that_the_names_of_the_store_stay_behind() {
    let sandbox = exported();
    assert!(sandbox.json(&["export", "plain.kb"])["notes"].as_array().unwrap().is_empty());
    sandbox.write(".kb/synonyms.txt", "valve, gate");
    sandbox.kb(&["export", "named.kb"]).tells(0, "synonyms.txt belongs to the store and was not exported");
    assert_eq!(sandbox.json(&["export", "json.kb"])["notes"][0]["code"], "left_behind");
}

#[test]
fn a_namespace_may_come_back_under_another_name_but_replaces_none() {
    let sandbox = exported();
    sandbox.kb(&["import", "backup.kb"]).tells(2, "already");
    sandbox.json(&["import", "backup.kb", "-n", "acme/restored"]);
    assert_eq!(answer(&sandbox, &["-n", "acme/restored"])[0]["content"], answer(&sandbox, &[])[0]["content"]);
    sandbox.kb(&["export", "backup.kb"]).tells(2, "already exists");
    assert_eq!(sandbox.kb(&["export", "none.kb", "-n", "nothing"]).code, 2);
    assert!(!sandbox.path("none.kb").exists());
    sandbox.kb_with(&[("KB_NAMESPACE", "mine")], &["import", "backup.kb"]).ok();
    sandbox.kb(&["docs", "-n", "mine"]).ok();
    let empty = Sandbox::new();
    assert_eq!(empty.kb(&["import", "none.kb"]).code, 2);
    assert!(!empty.path(".kb").exists());
}

#[test]
fn a_damaged_archive_changes_nothing() {
    let sandbox = exported();
    let bytes = std::fs::read(sandbox.path("backup.kb")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        let other = Sandbox::new();
        other.write("bad.kb", bytes);
        other.kb(&["import", "bad.kb"]).tells(3, "bad.kb").lacks("made a new knowledge base");
        assert!(!other.path(".kb").exists(), "{what}");
    };
    refused(b"no archive", "text");
    refused(&bytes[..bytes.len() / 2], "a half");
    // A byte between the files, such as a date in the zip format, is part of nothing that an import takes.
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    for index in 0..zip.len() {
        let entry = zip.by_index(index).unwrap();
        let mut changed = bytes.clone();
        changed[(entry.data_start().unwrap() + entry.size() / 2) as usize] ^= 0x55;
        refused(&changed, &format!("the middle of {:?}", entry.name()));
    }
}

#[test]
fn a_failed_import_leaves_no_folder_and_keeps_what_was_there() {
    let sandbox = exported();
    let mut bytes = std::fs::read(sandbox.path("backup.kb")).unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes.clone())).unwrap();
    let manifest = zip.by_name("MANIFEST.json").unwrap().data_start().unwrap() as usize;
    bytes[manifest] ^= 0x55;
    let other = elsewhere(&sandbox, "backup.kb");
    other.write("bad.kb", &bytes);
    other.write("set/kb.toml", "");
    for store in ["deep/in/store", "set"] {
        other.kb(&["import", "bad.kb", "--kb", store]).tells(3, "nothing was changed");
    }
    assert!(!other.path("deep").exists());
    assert_eq!(names_in(&other.path("set")), ["kb.toml"]);
    // What a killed import leaves is no obstacle.
    other.write("deep/in/store/.writing-import-x/namespace/MANIFEST.json", "{");
    for store in ["deep/in/store", "set"] {
        other.json(&["import", "backup.kb", "--kb", store]);
        assert_eq!(other.json(&["check", "--kb", store])["sound"], true);
    }
}

#[test]
fn a_generation_that_none_can_follow_is_refused() {
    let sandbox = exported();
    let path = ".kb/namespaces/default/MANIFEST.json";
    let mut manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.path(path)).unwrap()).unwrap();
    manifest["generation"] = u64::MAX.into();
    sandbox.write(path, manifest.to_string());
    sandbox.json(&["export", "last.kb"]);
    let other = elsewhere(&sandbox, "last.kb");
    other.kb(&["import", "last.kb"]).tells_all(3, &["last.kb", "highest possible number", "take another export"]);
    assert!(!other.path(".kb").exists());
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_an_export_with_one_line_and_no_file() {
    let sandbox = exported();
    // A limit on the size of files stands for the full disk.
    let run = run(&mut sandbox.command_behind("ulimit -f 8", &["export", "full.kb"]));
    let run = run.tells_all(3, &["cannot write full.kb: file too large", "free some space"]);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    let left = names_in(&sandbox.path("."));
    assert!(!left.iter().any(|name| name == "full.kb" || name.starts_with(".writing-")), "{left:?}");
    sandbox.json(&["export", "full.kb"]);
}

//! `kb check`: damage is found, named and repaired; what needs the source names the command.

use crate::common::{Sandbox, files_below, rewrite, texts};
use kb::internals::embed::Model;
use kb::internals::store::ParentChunk;
use serde_json::Value;

const KEYWORD: &str = ".kb/namespaces/default/keyword";

fn two_documents() -> Sandbox {
    Sandbox::prepared("check::two_documents", |sandbox| {
        sandbox.write(
            "a.md",
            "# Valves\n\nClose the valve slowly.\n\n## Seals\n\nGrease the seal.\n\n# Pipes\n\nRinse them.",
        );
        sandbox.write("b.md", "# Pumps\n\nPrime the pump first.");
        sandbox.json(&["ingest", "."]);
        sandbox.kb(&["check"]).ok();
    })
}

/// The check's JSON for the namespace, with any exit code, and that code.
fn check(sandbox: &Sandbox, args: &[&str]) -> (i32, Value) {
    let run = sandbox.kb(&[&["check", "--format", "json"], args].concat());
    let json = run.json();
    (run.code, json["items"][0].clone())
}

/// The ids and the problems of the findings.
fn findings(sandbox: &Sandbox) -> Vec<(String, String)> {
    let (code, found) = check(sandbox, &[]);
    let list = found["findings"].as_array().unwrap();
    assert_eq!(code, if list.is_empty() { 0 } else { 3 });
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    list.iter().map(|finding| (text(finding, "id"), text(finding, "what"))).collect()
}

fn found(sandbox: &Sandbox, id: &str, what: &str) {
    let all = findings(sandbox);
    assert!(all.iter().any(|(one, text)| one == id && text.contains(what)), "{id} {what}: {all:?}");
}

/// Repairs, expects that nothing is left to do, and returns what was done.
fn repaired(sandbox: &Sandbox) -> String {
    let (code, report) = check(sandbox, &["--repair"]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(findings(sandbox), []);
    assert_eq!(check(sandbox, &["--repair"]).1["mended"], Value::Array(Vec::new()));
    report["mended"].to_string()
}

#[test]
fn checking_a_sound_store_writes_nothing() {
    let sandbox = Sandbox::with_fixtures();
    assert_eq!(findings(&sandbox), []);
    sandbox.kb(&["check", "--repair"]).shows(0, "default: sound; generation 1");
    sandbox.json(&["ingest", "docs", "-n", "words", "--no-embed"]);
    let both = sandbox.json(&["check", "--all-namespaces"]);
    assert_eq!((texts(&both["items"], "/namespace"), &both["sound"]), (vec!["default", "words"], &Value::Bool(true)));
    std::fs::remove_dir_all(sandbox.path(".kb/namespaces/words/keyword")).unwrap();
    sandbox.kb(&["check", "--all-namespaces"]).shows(3, "; kb check --repair -n words");
    assert_eq!(sandbox.kb(&["check", "-n", "nobody"]).code, 2);
    assert_eq!(sandbox.kb(&["check", "--wait", "1"]).code, 2);
}

#[test]
fn a_lost_keyword_index_is_found_and_rebuilt() {
    let sandbox = two_documents();
    std::fs::remove_dir_all(sandbox.path(KEYWORD)).unwrap();
    found(&sandbox, "keyword", "missing or damaged");
    assert!(!sandbox.path(KEYWORD).exists(), "a check changes nothing");
    assert!(repaired(&sandbox).contains("rebuilt from the tables"));
    assert!(sandbox.kb(&["search", "valve", "--method", "keyword"]).out.contains("slowly"));
}

#[test]
fn a_wrong_keyword_index_is_found_and_rebuilt() {
    let sandbox = two_documents();
    let other = Sandbox::new();
    // The same path gives the same id, so the parent chunks have the same ids too.
    other.write("a.md", "# Valves\n\nClose the hatch slowly.\n\n## Seals\n\nGrease the seal.");
    other.write("c.md", "# Filters\n\nRinse the filter.");
    other.json(&["ingest", "."]);
    std::fs::remove_dir_all(sandbox.path(KEYWORD)).unwrap();
    crate::common::copy_files(&other.path(KEYWORD), &sandbox.path(KEYWORD));
    let (a, b, c) = (sandbox.id("a.md"), sandbox.id("b.md"), other.id("c.md"));
    found(&sandbox, &format!("{a}:0"), "other words");
    found(&sandbox, &format!("{a}:2"), "not in the keyword index");
    found(&sandbox, &format!("{b}:0"), "not in the keyword index");
    found(&sandbox, &format!("{c}:0"), "not in the tables");
    assert_eq!(findings(&sandbox).len(), 4);
    assert!(repaired(&sandbox).contains("rebuilt from the tables"));
    assert_eq!(sandbox.status()["generation"], 2);
    assert!(sandbox.kb(&["search", "pump", "--method", "keyword"]).out.contains("Prime"));
}

#[test]
fn disagreeing_generations_are_found_and_repaired() {
    let sandbox = two_documents();
    let namespace = sandbox.path(".kb/namespaces/default");
    let manifest = std::fs::read_to_string(namespace.join("MANIFEST.json")).unwrap();
    let announced = manifest.replace("\"generation\": 1", "\"generation\": 2");
    std::fs::write(namespace.join("PENDING.json"), &announced).unwrap();
    found(&sandbox, "PENDING.json", "generation 2 was interrupted");
    let lock = sandbox.locked("default");
    assert_eq!(findings(&sandbox), [], "somebody is publishing it");
    assert_eq!(sandbox.kb(&["check", "--repair"]).code, 0, "nothing to repair, so nothing is locked");
    drop(lock);
    assert!(repaired(&sandbox).contains("given up"));
    std::fs::write(namespace.join("MANIFEST.json"), &announced).unwrap();
    found(&sandbox, "keyword", "carries generation 1, the manifest 2");
    assert!(repaired(&sandbox).contains("rebuilt from the tables"));
}

#[test]
fn damaged_rows_are_repaired_in_one_generation() {
    let sandbox = two_documents();
    let stranger = |parent: &ParentChunk| ParentChunk { doc_id: "zzz999".into(), ..parent.clone() };
    let id = rewrite(&sandbox, "a.md", |new| {
        new.document.parents = 9;
        new.sections.iter_mut().find(|row| row.path == "1.1").unwrap().chunk_end = 40;
        let first = ParentChunk { children: Vec::new(), ..new.parents[0].clone() };
        new.parents.extend([first.clone(), stranger(&first)]);
        new.parents[1].vector = vec![0.0; Model::embedded().embedding_config.dimension];
    });
    found(&sandbox, "zzz999", "0 sections and 1 chunk but is not a document");
    found(&sandbox, &format!("{id}:0"), "the id of 2 rows");
    found(&sandbox, &format!("{id}#1.1"), "has parent chunk 1");
    found(&sandbox, &format!("{id}:1"), "length 0.000");
    let generation = sandbox.status()["generation"].as_u64().unwrap();
    let done = repaired(&sandbox);
    for what in [
        "rows without a document removed",
        "of the same id removed",
        "counts corrected",
        "its vector removed",
        "counted again",
    ] {
        assert!(done.contains(what), "{what}: {done}");
    }
    let status = sandbox.status();
    assert_eq!(status["generation"].as_u64().unwrap(), generation + 1);
    assert_eq!((status["parents"].as_u64(), status["keyword_chunks"].as_u64()), (Some(4), Some(4)));
}

#[test]
fn child_chunks_without_their_parent_are_found_and_removed() {
    let sandbox = two_documents();
    let id = sandbox.items(&["docs"])[1]["doc_id"].as_str().unwrap().to_owned();
    let namespace = sandbox.path(".kb/namespaces/default");
    let version = tokio::runtime::Runtime::new().unwrap().block_on(async {
        let tables = lancedb::connect(namespace.join("tables").to_str().unwrap()).execute().await.unwrap();
        let chunks = tables.open_table("chunks").execute().await.unwrap();
        chunks.delete(&format!("chunk_id = '{id}:0'")).await.unwrap();
        chunks.version().await.unwrap()
    });
    let manifest = namespace.join("MANIFEST.json");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    json["chunks"] = version.into();
    std::fs::write(&manifest, json.to_string()).unwrap();
    found(&sandbox, &format!("{id}:0.0"), &format!("child chunk of the parent chunk {id}:0, which does not exist"));
    found(&sandbox, &format!("{id}:0"), "is missing");
    assert!(check(&sandbox, &["--repair"]).1["mended"].to_string().contains("its parent chunk does not exist"));
    sandbox.json(&["ingest", "--force", "b.md"]);
    assert_eq!(findings(&sandbox), []);
}

#[test]
fn the_next_ingest_makes_a_lost_vector() {
    let sandbox = two_documents();
    let id = rewrite(&sandbox, "b.md", |new| {
        new.chunks_mut().for_each(|row| row.vector = vec![1.0; Model::embedded().embedding_config.dimension]);
    });
    found(&sandbox, &format!("{id}:0.0"), "length 19.596");
    assert!(repaired(&sandbox).contains("kb reindex --vectors"));
    assert_eq!(sandbox.status()["without_vectors"], 1);
    sandbox.json(&["ingest", "."]);
    assert_eq!(sandbox.status()["without_vectors"], 0);
    assert_eq!(findings(&sandbox), []);
}

#[test]
fn damage_that_needs_the_source_names_the_command() {
    let sandbox = two_documents();
    let id = rewrite(&sandbox, "a.md", |new| {
        new.parents.retain(|row| row.chunk_index != 2);
        new.parents[0].children[0].content = "Something else.".into();
    });
    found(&sandbox, &format!("{id}:0"), "differs from its child chunks joined");
    found(&sandbox, &format!("{id}:2"), "is missing");
    let (code, report) = check(&sandbox, &["--repair"]);
    assert_eq!(code, 3);
    let left = report["left"]["findings"].as_array().unwrap();
    assert!(!left.is_empty() && left.iter().all(|one| one["command"] == "kb ingest --force a.md"), "{report:#}");
    sandbox.json(&["ingest", "--force", "a.md"]);
    assert_eq!(findings(&sandbox), []);
}

#[test]
fn every_format_has_a_line_for_each_finding() {
    let sandbox = two_documents();
    let id = rewrite(&sandbox, "b.md", |new| (new.document.sections, new.document.children) = (5, 7));
    let lines = |format: &str| sandbox.kb(&["check", "--format", format]).out.lines().count();
    assert_eq!(["table", "markdown", "jsonl", "paths"].map(lines), [3, 4, 3, 2]);
    sandbox.kb(&["check"]).shows(3, &format!("- counts: {id} states 5 sections but has 1; kb check --repair"));
    sandbox.kb(&["check", "--repair"]).shows(0, &format!("repaired: {id}: its counts corrected"));
}

/// A store with a history of four generations, and the folder of a table's versions.
fn with_history() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::prepared("check::with_history", |sandbox| {
        for version in 1..=4 {
            sandbox.write("docs/a.md", format!("# A\n\nAbout version {version} of the valves.\n"));
            sandbox.json(&["ingest", "docs", "--no-embed"]);
        }
    });
    let versions = sandbox.path(".kb/namespaces/default/tables/chunks.lance/_versions");
    (sandbox, versions)
}

/// The files of versions, the oldest first.
fn oldest_first(versions: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = files_below(versions);
    files.retain(|path| path.extension().is_some_and(|end| end == "manifest"));
    // Lance counts the names down.
    files.reverse();
    files
}

#[test]
fn a_damaged_version_is_reported_and_stops_no_command() {
    let (sandbox, versions) = with_history();
    let damaged = oldest_first(&versions)[1].clone();
    // Cut off in the middle, as if the disk had lost its last blocks.
    let whole = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &whole[..whole.len() / 2]).unwrap();
    let name = damaged.file_name().unwrap().to_str().unwrap().to_owned();
    // Publications still work; each says why old versions stay, and tidies the other tables.
    sandbox.write(".kb/kb.toml", "[history]\ngenerations = 1\n");
    for version in 5..=6 {
        sandbox.write("docs/a.md", format!("# A\n\nAbout version {version} of the valves.\n"));
        sandbox.kb(&["ingest", "docs", "--no-embed"]).tells(0, &name).tells(0, "kb check --repair");
    }
    assert!(oldest_first(&versions).len() > 4, "nothing of this table could be removed");
    let documents = versions.parent().unwrap().with_file_name("documents.lance").join("_versions");
    assert_eq!(oldest_first(&documents).len(), 1);
    sandbox.kb(&["check"]).shows(3, &name).shows(3, "history");
    sandbox.kb(&["check", "--repair"]).ok();
    assert!(!damaged.exists());
    sandbox.write("docs/a.md", "# A\n\nAbout the last version of the valves.\n");
    sandbox.kb(&["ingest", "docs", "--no-embed"]).ok().lacks(&name);
    assert_eq!(oldest_first(&versions).len(), 1, "now they could be removed");
    sandbox.kb(&["check"]).ok();
}

#[test]
fn a_nonsensical_version_is_found() {
    for nonsense in [&b"no version of anything"[..], b"", &[b'x'; 100], &[&[0u8; 90][..], b"LANC"].concat()] {
        let (sandbox, versions) = with_history();
        let damaged = oldest_first(&versions)[1].clone();
        std::fs::write(&damaged, nonsense).unwrap();
        found(
            &sandbox,
            &format!("tables/chunks.lance/_versions/{}", damaged.file_name().unwrap().to_str().unwrap()),
            "cannot be read",
        );
        repaired(&sandbox);
    }
}

#[test]
fn unusable_history_records_are_found_and_removed() {
    let (sandbox, versions) = with_history();
    let record = |generation: u64| sandbox.path(&format!(".kb/namespaces/default/history/{generation:07}.json"));
    std::fs::write(record(1), "no record").unwrap();
    std::fs::write(record(4), "{").unwrap();
    let needed: Value = serde_json::from_str(&std::fs::read_to_string(record(2)).unwrap()).unwrap();
    let version = needed["manifest"]["chunks"].as_u64().unwrap();
    std::fs::remove_file(versions.join(format!("{:020}.manifest", u64::MAX - version))).unwrap();
    let check = sandbox.kb(&["check", "--format", "json"]);
    let message = check.json();
    for text in ["history/0000001.json", "history/0000002.json", "history/0000004.json", "which is gone"] {
        assert!(check.code == 3 && message.to_string().contains(text), "{text}: {message}");
    }
    assert!(!message.to_string().contains("history/0000003.json"), "{message}");
    sandbox.kb(&["check", "--repair"]).ok();
    assert!(!record(1).exists() && !record(2).exists() && record(3).exists());
    assert!(record(4).exists(), "the published one is written again");
    sandbox.kb(&["check"]).ok();
    // A sound generation can still be restored.
    sandbox.kb(&["restore", "3"]).ok();
    assert!(sandbox.kb(&["section", "a.md", "1"]).out.contains("version 3"));
}

/// The files of a kind in a folder of the namespace.
fn files_of(sandbox: &Sandbox, folder: &str, ending: &str) -> Vec<std::path::PathBuf> {
    let mut files = files_below(&sandbox.path(".kb/namespaces/default").join(folder));
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files
}

#[test]
fn a_damaged_file_of_the_keyword_index_is_found_and_mended() {
    type Damage = fn(&mut Vec<u8>);
    let crashes_the_library: Damage = |bytes| {
        // Behind it stand the length and the checksum.
        let end = bytes.windows(10).position(|window| window == b"{\"version\"").unwrap();
        bytes[..end].fill(0xff);
    };
    let changes_a_byte: Damage = |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x80;
    };
    for (ending, damage, says) in [
        (".pos", crashes_the_library, "keyword index is missing or damaged"),
        (".term", changes_a_byte, "keyword index is damaged"),
    ] {
        let sandbox = Sandbox::of_two_documents();
        for file in files_of(&sandbox, "keyword", ending) {
            let mut bytes = std::fs::read(&file).unwrap();
            damage(&mut bytes);
            std::fs::remove_file(&file).unwrap();
            std::fs::write(&file, bytes).unwrap();
        }
        sandbox.kb(&["check", "--format", "json"]).shows(3, says).lacks("panicked");
        assert_eq!(sandbox.json(&["check", "--repair"])["sound"], true);
        assert!(sandbox.kb(&["search", "prime the pump"]).out.contains("Prime"));
    }
}

#[test]
fn a_crash_of_a_library_is_an_error_like_others() {
    let sandbox = Sandbox::of_two_documents();
    for file in files_of(&sandbox, "tables/documents.lance/_versions", ".manifest") {
        let bytes = std::fs::read(&file).unwrap();
        let places: Vec<usize> =
            bytes.windows(6).enumerate().filter(|(_, six)| *six == b"uint32").map(|(at, _)| at).collect();
        let mut changed = bytes;
        places.into_iter().for_each(|at| changed[at + 5] = b'\'');
        std::fs::write(&file, changed).unwrap();
    }
    for command in [&["docs"][..], &["check"], &["check", "--repair"], &["search", "pump"]] {
        let run = sandbox.kb(&[command, &["--format", "json"]].concat());
        run.tells_all(3, &["{\"error\"", "the table documents in "]).lacks("panicked");
    }
}

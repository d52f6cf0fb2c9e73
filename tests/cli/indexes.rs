//! Indexes of the tables, as in large stores: they change no answer, and stores work without them.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Sandbox, of_hits, texts};

/// Documents with vectors and indexes of them.
fn indexed() -> Sandbox {
    Sandbox::indexed().filled("indexes::indexed", ingest)
}

fn ingest(sandbox: &Sandbox) {
    for number in 0..12 {
        sandbox.write(&format!("docs/{number}.md"), text(number));
    }
    sandbox.json(&["ingest", "docs"]);
}

fn text(number: usize) -> String {
    const THINGS: [&str; 4] = ["valve", "pump", "bearing", "gauge"];
    let thing = THINGS[number % 4];
    format!(
        "# The {thing} of house {number}\n\nTurn the {thing} of house {number} slowly, and write down what it shows.\n"
    )
}

fn status(sandbox: &Sandbox) -> Value {
    sandbox.status()["vector_index"].take()
}

/// The chunks found, in order.
fn found(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let args = ["search", "how do I turn the pump?", "--method", "semantic", "--all", "-k", "5", "--format", "json"];
    let run = sandbox.kb(&[&args, more].concat());
    of_hits(&run.json(), "chunk_id")
}

/// The files of the indexes of the chunks.
fn index_files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let folder = sandbox.path(".kb/namespaces/default/tables/chunks.lance/_indices");
    let each = std::fs::read_dir(folder).unwrap().map(|index| index.unwrap().path());
    each.flat_map(|index| std::fs::read_dir(index).unwrap().map(|file| file.unwrap().path())).collect()
}

#[test]
fn an_index_does_not_change_what_a_search_finds() {
    let sandbox = indexed();
    let plain = Sandbox::new();
    ingest(&plain);
    assert_eq!((status(&sandbox)["chunks"].as_u64(), status(&plain)), (Some(24), Value::Null));
    assert!(status(&sandbox)["recall"].as_f64() > Some(0.9), "{}", status(&sandbox));
    assert_eq!(found(&sandbox, &[]), found(&plain, &[]));
    assert_eq!(found(&sandbox, &["--doc", "docs/5.md"]), found(&plain, &["--doc", "docs/5.md"]));
    sandbox.kb(&["status"]).shows(0, "binary codes; recall@10 1.000 of 24 chunks");
}

#[test]
fn indexes_follow_changes() {
    let sandbox = indexed();
    sandbox.write("docs/5.md", text(5).replace("house 5", "house 55"));
    sandbox.write("docs/13.md", text(13));
    std::fs::remove_file(sandbox.path("docs/9.md")).unwrap();
    sandbox.json(&["ingest", "docs", "--prune"]);
    assert_eq!(status(&sandbox)["chunks"].as_u64(), Some(24));
    let documents: Vec<String> =
        found(&sandbox, &[]).iter().map(|id| id.split(':').next().unwrap().to_owned()).collect();
    let held = sandbox.items(&["docs"]);
    let held = texts(&held, "/doc_id");
    assert!(documents.iter().all(|id| held.contains(&id.as_str())), "{documents:?}");
    let edited = found(&sandbox, &[]).remove(0);
    sandbox.json(&["chunk-edit", &edited, "--content", "Turn the pump with the long lever."]);
    sandbox.json(&["chunk-delete", &found(&sandbox, &[])[1], "--yes"]);
    sandbox.json(&["restore", "1"]);
    sandbox.kb(&["check"]).ok();
    assert_eq!(sandbox.count(&["docs"]), 12);
}

#[test]
fn a_search_works_without_a_lost_index_and_an_ingest_rebuilds_it() {
    let sandbox = indexed();
    let remove = |path: &PathBuf| std::fs::remove_file(path).unwrap();
    let cut_off = |path: &PathBuf| std::fs::write(path, "").unwrap();
    for (round, spoil) in [remove, cut_off].into_iter().enumerate() {
        let before = found(&sandbox, &[]);
        index_files(&sandbox).iter().for_each(spoil);
        let run = sandbox.kb(&["search", "turn the pump", "--method", "semantic"]);
        run.tells(0, "is missing or cut off; this command reads all rows");
        assert_eq!(found(&sandbox, &[]), before);
        sandbox.write("docs/0.md", format!("{}It weighs {round} tons.\n", text(0)));
        sandbox.kb(&["ingest", "docs"]).tells(0, "the next publication rebuilds the index");
        assert_eq!(status(&sandbox)["chunks"].as_u64(), Some(24));
        assert_eq!(sandbox.kb(&["search", "turn the pump", "--method", "semantic"]).err, "");
        sandbox.kb(&["check"]).ok();
    }
}

#[test]
fn a_damaged_index_is_named_and_mended() {
    let sandbox = indexed();
    let before = found(&sandbox, &[]);
    for file in index_files(&sandbox) {
        let length = std::fs::metadata(&file).unwrap().len();
        std::fs::write(&file, vec![0; length as usize]).unwrap();
    }
    assert_eq!(found(&sandbox, &[]), before, "a search needs no index");
    let check = sandbox.kb(&["check"]);
    assert!(check.code != 0 && check.out.contains("cannot be read"), "{} {} {}", check.code, check.out, check.err);
    sandbox.kb(&["check", "--repair"]).shows(0, "made again");
    assert_eq!((found(&sandbox, &[]), sandbox.kb(&["check"]).code), (before, 0));
    assert_eq!(status(&sandbox)["chunks"].as_u64(), Some(24));
}

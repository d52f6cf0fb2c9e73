//! The caches that make a search in a fresh process quick; nothing depends on them.

use crate::common::{Sandbox, onnxruntime, stage};
use serde_json::Value;

const QUESTION: &str = "how is the pump vented";

fn sandbox() -> Sandbox {
    Sandbox::prepared("read_cache::sandbox", |sandbox| {
        let pump = "# Pump\n\n## Venting\n\nOpen the vent until water leaves it.\n\n## Paint\n\nIt is green.\n";
        sandbox.write("docs/a.md", pump);
        sandbox.write("docs/b.md", "# Tower\n\nThe tower holds 400 litres.\n");
        sandbox.json(&["ingest", "docs"]);
    })
}

fn search(sandbox: &Sandbox) -> Value {
    sandbox.json(&["search", QUESTION, "--explain"])
}

/// How long the model took to load.
fn loading(result: &Value) -> Option<f64> {
    stage(result, "model_load")["milliseconds"].as_f64()
}

/// The hits, with their scores.
fn found(result: &Value) -> Vec<(String, String)> {
    let hits = result["hits"].as_array().unwrap().iter();
    hits.map(|hit| (hit["chunk_id"].to_string(), format!("{:.4}", hit["score"].as_f64().unwrap()))).collect()
}

#[test]
fn a_repeated_question_needs_no_model() {
    let sandbox = sandbox();
    let first = search(&sandbox);
    assert!(loading(&first) > Some(0.0) && !found(&first).is_empty(), "{first}");
    let again = search(&sandbox);
    assert_eq!((loading(&again), found(&again)), (Some(0.0), found(&first)));
    // Another question, and the same one in a store without its caches, go to the model again.
    assert!(loading(&sandbox.json(&["search", "who painted it", "--explain"])) > Some(0.0));
    std::fs::remove_dir_all(sandbox.path(".kb/cache")).unwrap();
    std::fs::remove_dir_all(sandbox.path(".kb/namespaces/default/read-cache")).unwrap();
    let anew = search(&sandbox);
    assert!(loading(&anew) > Some(0.0));
    assert_eq!(found(&anew), found(&first));
}

#[test]
fn a_damaged_read_cache_is_ignored() {
    let sandbox = sandbox();
    let first = search(&sandbox);
    let folder = sandbox.path(".kb/namespaces/default/read-cache");
    let files = || std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(files().len(), 5, "names, ids, codes, vectors, and sections with metadata");
    for damage in [b"".as_slice(), b"\xff\xff\xff\xff\x10\x27\0\0", &[0; 4096]] {
        files().iter().for_each(|file| std::fs::write(file, damage).unwrap());
        assert_eq!(found(&search(&sandbox)), found(&first));
    }
    // Some parts have checksums of their own.
    for file in files() {
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    assert_eq!(found(&search(&sandbox)), found(&first));
    // A later generation is seen at once.
    sandbox.write("docs/c.md", "# Vents\n\nHow is the pump vented? By hand, says the old foreman.\n");
    sandbox.json(&["ingest", "docs"]);
    let after = search(&sandbox);
    assert_eq!(after["hits"][0]["source"], "docs/c.md", "{after}");
    sandbox.json(&["remove", "docs/c.md"]);
    assert_eq!(found(&search(&sandbox)), found(&first));
    sandbox.kb(&["check"]).ok();
    // A deleted document is gone, though its rows stay in the cache with their file.
    sandbox.json(&["remove", "docs/b.md"]);
    let left = sandbox.json(&["search", "how much does the tower hold", "--method", "semantic", "--all"]);
    assert!(left["hits"].as_array().unwrap().iter().all(|hit| hit["source"] == "docs/a.md"), "{left}");
}

#[test]
#[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
fn onnxruntime_gives_the_same_answer() {
    let sandbox = sandbox();
    let direct = search(&sandbox);
    std::fs::remove_dir_all(sandbox.path(".kb/cache")).unwrap();
    let engine = sandbox.json(&["search", QUESTION, "--explain", "--onnxruntime", &onnxruntime()]);
    assert_eq!(found(&engine), found(&direct));
}

//! The list of models: available, installed, in use by the store.

use super::{copy_model, everything, here};
use crate::common::{Sandbox, row};

#[test]
fn every_model_is_listed_in_every_format_without_a_store() {
    let sandbox = Sandbox::new();
    let list = sandbox.json(&["models"]);
    let models = list["items"].as_array().unwrap();
    assert_eq!(models.len(), 51, "the embedded one, 46 that fastembed embeds with and 4 that it reranks with");
    assert_eq!((&models[0]["name"], &models[0]["here"]), (&"all-MiniLM-L6-v2-int8".into(), &true.into()));
    assert_eq!(list["engine"], "tract (pure Rust)");
    let e5 = row(&list["items"], "name", "multilingual-e5-small");
    assert_eq!((&e5["dimension"], &e5["licence"], &e5["here"]), (&384.into(), &"MIT".into(), &false.into()));
    assert_eq!(e5["used_by"].as_array().unwrap().len(), 0);
    let lines = sandbox.kb(&["models", "--format", "jsonl"]);
    assert_eq!((lines.code, lines.out.lines().count()), (0, 52));
    let paths = sandbox.kb(&["models", "--format", "paths"]);
    assert!(paths.out.starts_with("all-MiniLM-L6-v2-int8\nall-MiniLM-L6-v2\n"), "{}", paths.out);
    let reranker = ["jina-reranker-v2-base-multilingual ", "CC-BY-NC-4.0"];
    sandbox.kb(&["models", "--format", "table"]).shows_all(0, &reranker);
    assert_eq!(sandbox.kb(&["models"]).out, sandbox.kb(&["models", "--format", "markdown"]).out);
    assert!(everything(&sandbox).is_empty(), "listing creates nothing");
}

#[test]
fn the_model_of_the_store_is_marked_and_a_damaged_one_is_listed() {
    let sandbox = Sandbox::of_document("docs/a.md", "# A\n\nThe pump moves water.\n", &[]);
    copy_model(&sandbox.path("mine"));
    sandbox.kb(&["models", "add", "mine", "-q"]).ok();
    let list = sandbox.json(&["models"]);
    assert_eq!(list["items"][0]["used_by"], serde_json::json!(["default"]));
    assert_eq!(here(&sandbox), ["mine"]);
    sandbox.write("models/mine/model.onnx", "no model");
    let damaged = &sandbox.json(&["models"])["items"][1];
    assert_eq!((&damaged["name"], &damaged["here"]), (&"mine".into(), &false.into()));
    assert!(damaged["error"].as_str().unwrap().contains("has 8 bytes"), "{damaged}");
    assert!(sandbox.kb(&["models"]).out.contains("| mine |"));
}

on_both_engines!(an_unavailable_device_is_refused_with_the_available_ones);
fn an_unavailable_device_is_refused_with_the_available_ones(engine: &str) {
    let sandbox = Sandbox::new();
    copy_model(&sandbox.path("mine"));
    // The sandbox sets the engine by its variable.
    sandbox
        .kb(&["models", "add", "mine", "--device", "cuda"])
        .refuses(2, "tract (pure Rust) offers no device cuda, only cpu")
        .tells(2, "set KB_ONNXRUNTIME to the path of an ONNX Runtime");
    for device in ["auto", "cpu"] {
        let list = sandbox.json(&["models", "--device", device, "--onnxruntime", engine]);
        assert_eq!(list["devices"][0], "cpu", "{engine}");
    }
    // The library of the tests is built for the processor only.
    for device in ["coreml", "directml", "rocm"] {
        let args = ["models", "add", "mine", "--device", device, "--onnxruntime", engine];
        sandbox.kb(&args).tells(2, &format!("offers no device {device}, only cpu"));
    }
    sandbox.write("docs/a.md", "# A\n\nThe pump moves water.\n");
    sandbox.kb(&["ingest", "docs", "-q", "--device", "cpu"]).ok();
    sandbox.write(".kb/kb.toml", "device = \"cuda\"\n");
    sandbox.kb(&["search", "what moves water?", "--method", "semantic"]).refuses(2, "offers no device cuda");
    sandbox.kb(&["search", "what moves water?", "--method", "semantic", "--device", "cpu"]).ok();
    // The list of devices also reports that this one is unavailable.
    let list = sandbox.json(&["models"]);
    assert_eq!(list["devices"], serde_json::json!(["cpu"]));
    assert!(list["notes"][0]["message"].to_string().contains("offers no device cuda, only cpu"), "{list}");
    let status = sandbox.status();
    let problem = status["engine_problem"].as_str();
    assert!(problem.is_some_and(|problem| problem.contains("offers no device cuda")), "{status}");
    sandbox.kb_with(&[("KB_DEVICE", "coreml")], &["models"]).shows(0, "offers no device coreml");
    sandbox.kb(&["models", "--device", "abacus"]).tells(2, "directml");
}

#[test]
fn a_model_that_a_damaged_namespace_may_need_is_removed_only_with_yes() {
    let sandbox = Sandbox::new();
    copy_model(&sandbox.path("mine"));
    sandbox.kb(&["models", "add", "mine", "-q"]).ok();
    sandbox.write("docs/a.md", "# A\n\nThe pump moves water.\n");
    for namespace in ["default", "other"] {
        sandbox.kb(&["ingest", "docs", "-q", "--model", "mine", "-n", namespace]).ok();
    }
    sandbox.write(".kb/namespaces/other/MANIFEST.json", "{");
    let run = sandbox.kb(&["models", "remove", "mine"]);
    run.refuses(3, "has vectors of mine (namespaces: default); the namespace other cannot be read");
    sandbox.write(".kb/namespaces/default/MANIFEST.json", "{");
    sandbox
        .kb(&["models", "remove", "mine"])
        .refuses(3, "may have vectors of mine: the namespace default cannot be read: ")
        .tells_all(3, &["MANIFEST.json is damaged", "--yes"]);
    assert_eq!(here(&sandbox), ["mine"]);
    sandbox.kb(&["models", "remove", "mine", "--yes"]).tells(0, "the namespace other cannot be read");
    assert!(everything(&sandbox).is_empty());
}

#[test]
fn two_models_are_suggested_that_read_the_documents() {
    let sandbox = Sandbox::of_document("docs/a.md", "# 水泵\n\n离心泵在启动前必须灌满水，否则泵轮空转。\n", &[]);
    let suggested = |sandbox: &Sandbox| -> Vec<(String, String, bool)> {
        let list = sandbox.json(&["models", "suggest"]);
        let text = |model: &serde_json::Value, key: &str| model[key].as_str().unwrap().to_owned();
        let models = list["items"].as_array().unwrap().iter();
        models.map(|model| (text(model, "choice"), text(model, "name"), model["reads"].as_f64() > Some(0.9))).collect()
    };
    let named = |choice: &str, name: &str, reads| (choice.to_owned(), name.to_owned(), reads);
    let embedded = named("in use", "all-MiniLM-L6-v2-int8", false);
    let chinese = [named("small", "bge-small-zh-v1.5", true), named("best", "bge-large-zh-v1.5", true)];
    assert_eq!(suggested(&sandbox), [[embedded.clone()].as_slice(), &chinese].concat());
    sandbox.write("docs/b.md", "# Pumps\n\nA centrifugal pump must be filled with water before it is started.\n");
    sandbox.json(&["ingest", "docs"]);
    let both = [named("small", "multilingual-e5-small", true), named("best", "bge-m3", true)];
    assert_eq!(suggested(&sandbox), [[embedded].as_slice(), &both].concat());
    let shown = sandbox.kb(&["models", "suggest"]).shows(0, "| small | multilingual-e5-small | 100 % | ~470 MB |");
    shown.shows(0, "`kb models add multilingual-e5-small`, then `kb reindex --vectors");
}

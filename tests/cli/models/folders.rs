//! Models from folders: added after a trial, or refused without a trace.

use std::path::Path;
use std::sync::Arc;

use kb::internals::embed::{Embedder, EmbeddingConfig, EngineChoice, Model, ModelFiles, select};

use super::{copy_model, everything, here};
use crate::common::{Run, Sandbox, copy_files, fixtures, names_in, onnxruntime, row};

/// A folder `mine` with the embedding model.
fn mine() -> Sandbox {
    let sandbox = Sandbox::new();
    copy_model(&sandbox.path("mine"));
    sandbox
}

/// The model's folder with the graph of another fixture.
fn with_graph(graph: &str) -> Sandbox {
    let sandbox = mine();
    std::fs::copy(fixtures().join("embedding").join(graph), sandbox.path("mine/model.onnx")).unwrap();
    sandbox
}

fn refused(sandbox: &Sandbox, args: &[&str]) -> Run {
    let run = sandbox.kb(&[&["models", "add", "mine"], args].concat()).refuses(3, "error: ");
    // The next addition removes what a crash left.
    let left: Vec<String> = everything(sandbox).into_iter().filter(|name| !name.starts_with(".adding-")).collect();
    assert!(left.is_empty(), "{left:?}");
    run
}

on_both_engines!(a_folder_is_added_with_its_embedding_config);
fn a_folder_is_added_with_its_embedding_config(engine: &str) {
    let sandbox = mine();
    let added = sandbox.json(&["models", "add", "mine", "--onnxruntime", engine]);
    let model = &added["model"];
    assert_eq!((&model["dimension"], &model["max_tokens"]), (&12.into(), &48.into()), "{added}");
    assert_eq!((&added["query_prefix"], &added["document_prefix"]), (&"query: ".into(), &"passage: ".into()));
    assert_eq!((&added["pooling"], &added["was_here"]), (&"mean".into(), &false.into()));
    assert_eq!((&model["licence"], &model["languages"]), (&"mit".into(), &"en".into()));
    assert_eq!(model["scripts"], serde_json::json!(["Latin"]));
    assert_eq!(everything(&sandbox), ["mine"]);
    assert_eq!(here(&sandbox), ["mine"]);
    // Files that do not describe the model are not copied.
    let wanted = [
        "config.json",
        "kb-model.json",
        "model.onnx",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ];
    assert_eq!(names_in(&sandbox.path("models/mine")), wanted);
    sandbox.kb(&["models", "add", "mine"]).refuses(2, "a model mine already exists").tells(2, "--name");
}

#[test]
fn flags_override_what_the_folder_declares() {
    let sandbox = mine();
    let flags = ["--name", "ours", "--query-prefix", "q: ", "--document-prefix", ""];
    let added = sandbox.json(&[&["models", "add", "mine"], &flags[..]].concat());
    assert_eq!((&added["query_prefix"], &added["document_prefix"]), (&"q: ".into(), &"".into()));
    assert_eq!(here(&sandbox), ["ours"]);
}

#[test]
fn undeclared_settings_come_from_the_name_or_are_noted() {
    let sandbox = mine();
    for file in
        ["modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json"]
    {
        std::fs::remove_file(sandbox.path("mine").join(file)).unwrap();
    }
    let plain = sandbox.json(&["models", "add", "mine"]);
    let notes = plain["notes"].to_string();
    assert!(notes.contains("--query-prefix") && notes.contains("mean is taken"), "{notes}");
    assert_eq!((&plain["query_prefix"], &plain["model"]["max_tokens"]), (&"".into(), &64.into()));
    let named = sandbox.json(&["models", "add", "mine", "--name", "e5-small-v2"]);
    assert_eq!((&named["query_prefix"], &named["document_prefix"]), (&"query: ".into(), &"passage: ".into()));
    assert_eq!(named["notes"], serde_json::json!([]));
    // The first token of a bag of words is the same in every text, so the trial refuses pooling by it.
    sandbox.kb(&["models", "add", "mine", "--name", "bge-small-zh-v1.5"]).tells(3, "the same vector for every text");
}

on_both_engines!(weights_beside_the_graph_and_pooled_graphs_are_added);
fn weights_beside_the_graph_and_pooled_graphs_are_added(engine: &str) {
    for graph in ["external", "whole"] {
        let sandbox = mine();
        copy_files(&fixtures().join("embedding").join(graph), &sandbox.path("mine"));
        let added = sandbox.json(&["models", "add", "mine", "--onnxruntime", engine]);
        assert_eq!(added["model"]["dimension"], 12, "{graph} {engine}");
        assert!(!sandbox.path("models/mine/model.onnx_data").exists(), "they are in the graph now");
    }
}

#[test]
#[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
fn weights_that_stay_beside_a_graph_are_read_from_there() {
    // As in models above two gigabytes, which only ONNX Runtime loads.
    let library = onnxruntime();
    let engine = select(&EngineChoice::parse(Some(Path::new(&library)))).unwrap();
    let embedded = |external: &[&str], graph: &str| {
        let sandbox = mine();
        copy_files(&fixtures().join("embedding").join(graph), &sandbox.path("mine"));
        let external = external.iter().map(|name| (*name).to_owned()).collect();
        let files = ModelFiles { folder: sandbox.path("mine"), external };
        let embedding_config =
            EmbeddingConfig { dimension: 12, max_tokens: 48, ..Model::embedded().embedding_config.clone() };
        let model = Arc::new(Model::in_folder("m", embedding_config, files).unwrap());
        Embedder::on_engine(&engine, &model, 1).unwrap().embed_query("a valve closes").unwrap()
    };
    let (beside, within) = (embedded(&["model.onnx_data"], "external"), embedded(&[], "whole"));
    let cosine: f32 = beside.iter().zip(&within).map(|(a, b)| a * b).sum();
    assert!(cosine > 0.9999, "{cosine}");
}

#[test]
#[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
fn a_graph_that_rounds_by_batches_is_recorded_as_dynamic() {
    let engine = onnxruntime();
    let sandbox = with_graph("dynamic/model.onnx");
    sandbox.kb(&["models", "add", "mine", "--onnxruntime", &engine]).ok();
    let record = std::fs::read_to_string(sandbox.path("models/mine/kb-model.json")).unwrap();
    assert!(record.contains("\"quantization\": \"dynamic\""), "{record}");
}

on_both_engines!(unusable_models_are_refused);
fn unusable_models_are_refused(engine: &str) {
    for (graph, says) in [
        ("broken/same.onnx", "the same vector for every text"),
        ("broken/zero.onnx", "vectors that are zero"),
        ("broken/none.onnx", "invalid numbers"),
        ("broken/batch.onnx", "a different vector when other texts are in the batch"),
        // One engine reports the fault, the other one crashes.
        ("broken/fewer-tokens.onnx", "mine"),
        ("../rerank/broken/other-output.onnx", "mine"),
        ("../rerank/broken/wants-positions.onnx", "it wants position_ids"),
        ("../rerank/broken/three-labels.onnx", "3 numbers for a pair"),
    ] {
        let sandbox = with_graph(graph);
        refused(&sandbox, &["--onnxruntime", engine]).tells(3, says);
    }
}

#[test]
fn hostile_folders_are_refused_and_leave_nothing() {
    let graph = std::fs::read(fixtures().join("embedding/model.onnx")).unwrap();
    let deep = "[".repeat(100_000);
    for (file, content, says) in [
        ("model.onnx", &graph[..graph.len() / 2], "model.onnx: not a complete ONNX model"),
        ("model.onnx", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("model.onnx", b"", "not a complete ONNX model"),
        ("tokenizer.json", b"{}", "tokenizer.json: not a tokenizer"),
        ("config.json", deep.as_bytes(), "config.json: invalid JSON"),
        ("config.json", br#"{"vocab_size": 20}"#, "it belongs to another model"),
        ("config.json", br#"{"max_position_embeddings": 3}"#, "takes 3 tokens"),
        ("config.json", br#"{"pad_token_id": 5000000000}"#, "pad_token_id is too large"),
        ("sentence_bert_config.json", b"[1]", "not a JSON object"),
        ("1_Pooling/config.json", br#"{"pooling_mode_lasttoken": true}"#, "cannot pool tokens by lasttoken"),
        ("1_Pooling/config.json", br#"{"pooling_mode_max_tokens": true}"#, "cannot pool tokens by max_tokens"),
        (
            "1_Pooling/config.json",
            br#"{"pooling_mode_mean_tokens": true, "include_prompt": false}"#,
            "all tokens but those of the prefix",
        ),
        ("modules.json", br#"[{"type": "sentence_transformers.models.Dense"}]"#, "a layer \"Dense\""),
        ("modules.json", b"{}", "modules.json: not a list"),
    ] {
        let sandbox = mine();
        sandbox.write(&format!("mine/{file}"), content);
        refused(&sandbox, &[]).tells(3, says);
    }
    let sandbox = mine();
    let file = std::fs::File::options().write(true).open(sandbox.path("mine/tokenizer.json")).unwrap();
    // A hole: it takes no space on the disk.
    file.set_len(3 << 30).unwrap();
    refused(&sandbox, &[]).tells(3, "more than any tokenizer");
}

#[test]
fn escape_sequences_in_a_folder_do_not_reach_a_terminal() {
    let sandbox = mine();
    // A new name of an input, as long as the old one.
    let mut graph = std::fs::read(sandbox.path("mine/model.onnx")).unwrap();
    while let Some(at) = graph.windows(14).position(|name| name == b"attention_mask") {
        graph[at..at + 14].copy_from_slice(b"\x1b[2J\xc2\x9b1mgone..");
    }
    sandbox.write("mine/model.onnx", graph);
    let run = refused(&sandbox, &[]).tells(3, "it wants [2J 1mgone..");
    assert!(!run.err.lines().any(|line| line.contains(char::is_control)), "{:?}", run.err);

    let sandbox = mine();
    let long = "x".repeat(2 << 20);
    let card = format!("---\nlicense: mit\x1b[2J\nlanguage:\n- en\x1b[31m\n- \"\u{9b}fr\"\n- {long}\n---\n");
    sandbox.write("mine/README.md", card);
    let added = sandbox.kb(&["models", "add", "mine"]);
    let listed = sandbox.kb(&["models"]);
    assert!(listed.out.contains("en [31m, fr"), "{}", listed.out);
    for run in [added, listed] {
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(!run.out.contains(|c: char| c.is_control() && c != '\n'), "{:?}", run.out);
        assert!(run.out.contains("mit [2J"), "{}", run.out);
    }
}

on_both_engines!(a_removed_model_is_reported_by_the_store_that_uses_it);
fn a_removed_model_is_reported_by_the_store_that_uses_it(engine: &str) {
    let sandbox = mine();
    sandbox.kb(&["models", "add", "mine", "--onnxruntime", engine]).ok();
    sandbox.write("docs/a.md", "# A\n\nThe pump moves water.\n");
    sandbox.kb(&["ingest", "docs", "-q", "--model", "mine", "--onnxruntime", engine]).ok();
    sandbox.kb(&["models", "remove", "mine"]).refuses(3, "has vectors of mine (namespaces: default)").tells(3, "--yes");
    assert!(sandbox.status()["model_problem"].is_null());
    sandbox.kb(&["models", "remove", "mine", "--yes"]).ok();
    let status = sandbox.status();
    let problem = status["model_problem"].as_str().unwrap();
    assert!(problem.contains("is not installed") && problem.contains("kb models add mine"), "{problem}");
    let models = sandbox.items(&["models"]);
    let lost = row(&models, "name", "mine");
    assert_eq!((&lost["here"], &lost["used_by"]), (&false.into(), &serde_json::json!(["default"])));
}

#[test]
fn weights_without_a_graph_are_refused_with_the_export_command() {
    for weights in ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"] {
        let sandbox = mine();
        std::fs::rename(sandbox.path("mine/model.onnx"), sandbox.path("mine").join(weights)).unwrap();
        let reason = if weights.starts_with("model") { "no ONNX graph" } else { "pickle" };
        refused(&sandbox, &[]).tells_all(3, &["`optimum-cli export onnx --model mine OUT`", reason]);
    }
}

#[test]
fn files_missing_folders_and_bad_names_are_refused() {
    let sandbox = mine();
    sandbox.kb(&["models", "add", "mine/config.json"]).tells(2, "is a file; a model is a folder");
    sandbox.kb(&["models", "add", "./nowhere"]).tells(2, "nowhere");
    for name in ["light", "../evil", "a b", "all-MiniLM-L6-v2-int8", ""] {
        copy_model(&sandbox.path("mine"));
        sandbox.kb(&["models", "add", "mine", "--name", name]).refuses(2, "--name NAME");
    }
    assert!(everything(&sandbox).is_empty());
    let sandbox = mine();
    sandbox.write("models", "a file where the folder should be");
    sandbox.kb(&["models", "add", "mine"]).tells(3, "models: not a directory");
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_only() {
    use std::os::unix::fs::symlink;
    // As in the cache of Hugging Face: a snapshot of links to blobs.
    let sandbox = Sandbox::new();
    let snapshot = "cache/models--ours--tiny/snapshots/abc";
    copy_model(&sandbox.path("blobs"));
    std::fs::create_dir_all(sandbox.path(snapshot)).unwrap();
    for entry in std::fs::read_dir(sandbox.path("blobs")).unwrap().flatten() {
        symlink(entry.path(), sandbox.path(snapshot).join(entry.file_name())).unwrap();
    }
    sandbox.kb(&["models", "add", snapshot]).ok();
    assert_eq!(here(&sandbox), ["tiny"]);
    assert!(!sandbox.path("models/tiny/model.onnx").is_symlink());

    let sandbox = mine();
    std::fs::remove_file(sandbox.path("mine/tokenizer.json")).unwrap();
    symlink("/dev/zero", sandbox.path("mine/tokenizer.json")).unwrap();
    refused(&sandbox, &[]).tells(3, "tokenizer.json: not a regular file");
    let sandbox = mine();
    std::fs::remove_file(sandbox.path("mine/model.onnx")).unwrap();
    symlink("/dev/zero", sandbox.path("mine/model.onnx")).unwrap();
    refused(&sandbox, &[]).tells(3, "no model.onnx");
}

#[cfg(unix)]
#[test]
fn pipes_in_place_of_files_are_refused_without_waiting() {
    use crate::common::{end, start, wait_until};
    let pipe = |path: std::path::PathBuf| {
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let beside = mine();
    copy_files(&fixtures().join("embedding/external"), &beside.path("mine"));
    pipe(beside.path("mine/model.onnx_data"));
    let reranker = Sandbox::new();
    copy_files(&fixtures().join("rerank"), &reranker.path("mine"));
    pipe(reranker.path("mine/tokenizer.json"));
    for (sandbox, says) in
        [(beside, "model.onnx_data, which is not a regular file"), (reranker, "tokenizer.json: not a regular file")]
    {
        let mut child = start(&mut sandbox.command(&["models", "add", "mine"]));
        wait_until(says, || child.try_wait().unwrap().is_some());
        end(child).tells(3, says);
        assert!(everything(&sandbox).is_empty());
    }
}

on_both_engines!(rerankers_are_added_and_removed);
fn rerankers_are_added_and_removed(engine: &str) {
    let sandbox = Sandbox::new();
    let folder = fixtures().join("rerank");
    let added = sandbox.json(&["models", "add", &folder.display().to_string(), "--onnxruntime", engine]);
    assert_eq!(added["model"]["kind"], "reranking");
    assert_eq!(here(&sandbox), ["rerank"]);
    sandbox.kb(&["models", "remove", "rerenk"]).tells(2, "no such model \"rerenk\"");
    assert_eq!(sandbox.json(&["models", "remove", "rerank"])["name"], "rerank");
    assert!(everything(&sandbox).is_empty());
    let sandbox = Sandbox::new();
    sandbox.kb(&["models", "remove", "all-MiniLM-L6-v2-int8", "--yes"]).tells(2, "built into kb");
}

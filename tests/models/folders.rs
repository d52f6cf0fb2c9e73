//! Models from folders: taken whole, tried, or refused without a trace.

use std::path::Path;
use std::sync::Arc;

use kb::embed::{Embedder, EngineChoice, Habits, Model, ModelFiles, select};

use super::common::{Sandbox, copy_folder, fixtures};
use super::{copy_model, engines, error, everything, here};

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

fn refused(sandbox: &Sandbox, args: &[&str]) -> String {
    let told = error(&sandbox.kb(&[&["models", "add", "mine"], args].concat()), 3);
    // What a crash has left, the next one takes away.
    let left: Vec<String> = everything(sandbox).into_iter().filter(|name| !name.starts_with(".adding-")).collect();
    assert!(left.is_empty() && here(sandbox).is_empty(), "{left:?}");
    told
}

#[test]
fn a_folder_is_taken_with_its_habits_on_both_engines() {
    for engine in engines() {
        let sandbox = mine();
        let added = sandbox.json(&["models", "add", "mine", "--onnxruntime", &engine]);
        let model = &added["model"];
        assert_eq!((&model["dimension"], &model["max_tokens"]), (&12.into(), &48.into()), "{added}");
        assert_eq!((&added["query_prefix"], &added["passage_prefix"]), (&"query: ".into(), &"passage: ".into()));
        assert_eq!((&added["pooling"], &added["was_here"]), (&"mean".into(), &false.into()));
        assert_eq!((&model["licence"], &model["languages"]), (&"mit".into(), &"en".into()));
        assert_eq!(model["scripts"], serde_json::json!(["Latin"]));
        assert_eq!(everything(&sandbox), ["mine"]);
        assert_eq!(here(&sandbox), ["mine"]);
        // What says nothing about the model is not taken.
        let mut files: Vec<String> = std::fs::read_dir(sandbox.path("models/mine"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        files.sort();
        let wanted = [
            "config.json",
            "kb-model.json",
            "model.onnx",
            "special_tokens_map.json",
            "tokenizer.json",
            "tokenizer_config.json",
        ];
        assert_eq!(files, wanted);
        let again = error(&sandbox.kb(&["models", "add", "mine"]), 2);
        assert!(again.contains("there is a model mine already") && again.contains("--name"), "{again}");
    }
}

#[test]
fn what_is_typed_comes_before_what_the_folder_says() {
    let sandbox = mine();
    let flags = ["--name", "ours", "--query-prefix", "q: ", "--passage-prefix", ""];
    let added = sandbox.json(&[&["models", "add", "mine"], &flags[..]].concat());
    assert_eq!((&added["query_prefix"], &added["passage_prefix"]), (&"q: ".into(), &"".into()));
    assert_eq!(here(&sandbox), ["ours"]);
}

#[test]
fn habits_that_no_file_says_come_from_the_name_or_are_told() {
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
    assert_eq!((&named["query_prefix"], &named["passage_prefix"]), (&"query: ".into(), &"passage: ".into()));
    assert_eq!(named["notes"], serde_json::json!([]));
    // The first token of a bag of words is the same in every text, so taking that alone is found out.
    let told = error(&sandbox.kb(&["models", "add", "mine", "--name", "bge-small-zh-v1.5"]), 3);
    assert!(told.contains("the same vector for every text"), "{told}");
}

#[test]
fn weights_beside_the_graph_and_pooled_graphs_are_taken_on_both_engines() {
    for engine in engines() {
        for graph in ["external", "whole"] {
            let sandbox = mine();
            copy_folder(&fixtures().join("embedding").join(graph), &sandbox.path("mine"));
            let added = sandbox.json(&["models", "add", "mine", "--onnxruntime", &engine]);
            assert_eq!(added["model"]["dimension"], 12, "{graph} {engine}");
            assert!(!sandbox.path("models/mine/model.onnx_data").exists(), "they are in the graph now");
        }
    }
}

#[test]
fn weights_that_stay_beside_a_graph_are_read_from_there() {
    // As of models above two gigabytes, which ONNX Runtime alone takes.
    let Some(library) = engines().into_iter().nth(1) else { return };
    let engine = select(&EngineChoice::parse(Some(Path::new(&library)))).unwrap();
    let embedded = |external: &[&str], graph: &str| {
        let sandbox = mine();
        copy_folder(&fixtures().join("embedding").join(graph), &sandbox.path("mine"));
        let external = external.iter().map(|name| (*name).to_owned()).collect();
        let files = ModelFiles { folder: sandbox.path("mine"), graph: "model.onnx".to_owned(), external };
        let habits = Habits { dimension: 12, max_tokens: 48, ..Model::embedded().habits.clone() };
        let model = Arc::new(Model::in_folder("m", habits, files).unwrap());
        Embedder::for_queries(&engine, &model).unwrap().embed_query("a valve closes").unwrap()
    };
    let (beside, within) = (embedded(&["model.onnx_data"], "external"), embedded(&[], "whole"));
    let cosine: f32 = beside.iter().zip(&within).map(|(a, b)| a * b).sum();
    assert!(cosine > 0.9999, "{cosine}");
}

#[test]
fn a_graph_that_rounds_by_batches_is_known_as_such() {
    let Some(engine) = engines().into_iter().nth(1) else { return };
    let sandbox = with_graph("dynamic/model.onnx");
    assert_eq!(sandbox.kb(&["models", "add", "mine", "--onnxruntime", &engine]).code, 0);
    let record = std::fs::read_to_string(sandbox.path("models/mine/kb-model.json")).unwrap();
    assert!(record.contains("\"quantization\": \"dynamic\""), "{record}");
}

#[test]
fn models_that_only_look_like_one_are_refused_on_both_engines() {
    for engine in engines() {
        for (graph, says) in [
            ("broken/same.onnx", "the same vector for every text"),
            ("broken/zero.onnx", "vectors that are zero"),
            ("broken/none.onnx", "numbers that are none"),
            ("broken/batch.onnx", "when other texts are read with it"),
            // One engine says what is wrong, the other one crashes.
            ("broken/fewer-tokens.onnx", "mine"),
            ("../rerank/broken/other-output.onnx", "mine"),
            ("../rerank/broken/wants-positions.onnx", "it wants position_ids"),
            ("../rerank/broken/three-labels.onnx", "3 numbers for a pair"),
        ] {
            let sandbox = with_graph(graph);
            let told = refused(&sandbox, &["--onnxruntime", &engine]);
            assert!(told.contains(says), "{graph} {engine}: {told}");
        }
    }
}

#[test]
fn hostile_folders_are_told_and_leave_nothing() {
    let graph = std::fs::read(fixtures().join("embedding/model.onnx")).unwrap();
    let deep = "[".repeat(100_000);
    for (file, content, says) in [
        ("model.onnx", &graph[..graph.len() / 2], "model.onnx: it is no ONNX model, or not the whole of one"),
        ("model.onnx", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("model.onnx", b"", "it is no ONNX model"),
        ("tokenizer.json", b"{}", "tokenizer.json: it is no tokenizer"),
        ("config.json", deep.as_bytes(), "config.json: it is no JSON"),
        ("config.json", br#"{"vocab_size": 20}"#, "it is that of another model"),
        ("config.json", br#"{"max_position_embeddings": 3}"#, "takes 3 tokens"),
        ("config.json", br#"{"pad_token_id": 5000000000}"#, "pad_token_id is no token"),
        ("sentence_bert_config.json", b"[1]", "it is no JSON object"),
        ("1_Pooling/config.json", br#"{"pooling_mode_lasttoken": true}"#, "pooled by lasttoken, which kb cannot do"),
        ("1_Pooling/config.json", br#"{"pooling_mode_max_tokens": true}"#, "pooled by max_tokens"),
        (
            "1_Pooling/config.json",
            br#"{"pooling_mode_mean_tokens": true, "include_prompt": false}"#,
            "all tokens but those of the prefix",
        ),
        ("modules.json", br#"[{"type": "sentence_transformers.models.Dense"}]"#, "a layer \"Dense\""),
        ("modules.json", b"{}", "modules.json: it is no list"),
    ] {
        let sandbox = mine();
        sandbox.write(&format!("mine/{file}"), content);
        let told = refused(&sandbox, &[]);
        assert!(told.contains(says), "{file}: {told} does not say {says}");
    }
    let sandbox = mine();
    let file = std::fs::File::options().write(true).open(sandbox.path("mine/tokenizer.json")).unwrap();
    // A hole: it takes no room on the disk.
    file.set_len(3 << 30).unwrap();
    assert!(refused(&sandbox, &[]).contains("more than any tokenizer"));
}

#[test]
fn escape_sequences_in_a_folder_do_not_reach_a_terminal() {
    let sandbox = mine();
    // The name of an input, as long as the one that was there.
    let mut graph = std::fs::read(sandbox.path("mine/model.onnx")).unwrap();
    while let Some(at) = graph.windows(14).position(|name| name == b"attention_mask") {
        graph[at..at + 14].copy_from_slice(b"\x1b[2J\xc2\x9b1mgone..");
    }
    sandbox.write("mine/model.onnx", graph);
    let told = refused(&sandbox, &[]);
    assert!(told.contains("it wants [2J 1mgone..") && !told.contains(char::is_control), "{told:?}");

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

#[test]
fn weights_as_they_are_published_are_taken_on_both_engines() {
    for engine in engines() {
        let sandbox = Sandbox::new();
        for (name, kind) in
            [("bert", "embedding"), ("distilbert", "embedding"), ("roberta", "embedding"), ("reranker", "reranking")]
        {
            let folder = fixtures().join("embedding-safetensors").join(name).display().to_string();
            let added = sandbox.json(&["models", "add", &folder, "--onnxruntime", &engine]);
            assert_eq!((&added["model"]["kind"], &added["model"]["name"]), (&kind.into(), &name.into()), "{engine}");
        }
        assert_eq!(everything(&sandbox), ["bert", "distilbert", "reranker", "roberta"]);
        // What was made can be used.
        sandbox.write("docs/a.md", "# A\n\nThe pump moves water.\n");
        assert_eq!(sandbox.kb(&["ingest", "docs", "-q", "--model", "bert", "--onnxruntime", &engine]).code, 0);
        let found = sandbox.json(&["search", "pump", "--rerank", "reranker", "--onnxruntime", &engine]);
        assert_eq!(found["hits"].as_array().unwrap().len(), 1);
        let told = error(&sandbox.kb(&["models", "remove", "bert"]), 2);
        assert!(told.contains("has vectors of bert (namespaces: default)") && told.contains("--yes"), "{told}");
        assert!(sandbox.json(&["status"]).get("model_problem").is_none());
        assert_eq!(sandbox.kb(&["models", "remove", "bert", "--yes"]).code, 0);
        let status = sandbox.json(&["status"]);
        let problem = status["model_problem"].as_str().unwrap();
        assert!(problem.contains("is not here") && problem.contains("kb models add bert"), "{problem}");
        let lost = &sandbox.json(&["models"])["models"];
        let lost = lost.as_array().unwrap().iter().find(|model| model["name"] == "bert").unwrap();
        assert_eq!((&lost["here"], &lost["used_by"]), (&false.into(), &serde_json::json!(["default"])));
    }
    let sandbox = mine();
    std::fs::remove_file(sandbox.path("mine/model.onnx")).unwrap();
    sandbox.write("mine/model.safetensors", "no weights");
    let told = refused(&sandbox, &[]);
    assert!(told.contains("model.safetensors"), "{told}");
}

#[test]
fn weights_of_other_kinds_are_told_from_models() {
    let sandbox = mine();
    std::fs::rename(sandbox.path("mine/model.onnx"), sandbox.path("mine/pytorch_model.bin")).unwrap();
    let told = refused(&sandbox, &[]);
    assert!(told.contains("pickle") && told.contains("optimum-cli"), "{told}");
    let told = error(&sandbox.kb(&["models", "add", "mine/config.json"]), 2);
    assert!(told.contains("is a file; a model is a folder"), "{told}");
    let told = error(&sandbox.kb(&["models", "add", "./nowhere"]), 3);
    assert!(told.contains("nowhere"), "{told}");
    for name in ["light", "../evil", "a b", "all-MiniLM-L6-v2-int8", ""] {
        copy_model(&sandbox.path("mine"));
        let told = error(&sandbox.kb(&["models", "add", "mine", "--name", name]), 2);
        assert!(told.contains("--name NAME"), "{name}: {told}");
    }
    assert!(everything(&sandbox).is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_and_to_nothing_else() {
    use std::os::unix::fs::symlink;
    // As in the cache of Hugging Face: a snapshot of links to blobs.
    let sandbox = Sandbox::new();
    let snapshot = "cache/models--ours--tiny/snapshots/abc";
    copy_model(&sandbox.path("blobs"));
    std::fs::create_dir_all(sandbox.path(snapshot)).unwrap();
    for entry in std::fs::read_dir(sandbox.path("blobs")).unwrap().flatten() {
        symlink(entry.path(), sandbox.path(snapshot).join(entry.file_name())).unwrap();
    }
    assert_eq!(sandbox.kb(&["models", "add", snapshot]).code, 0);
    assert_eq!(here(&sandbox), ["tiny"]);
    assert!(!sandbox.path("models/tiny/model.onnx").is_symlink());

    let sandbox = mine();
    std::fs::remove_file(sandbox.path("mine/tokenizer.json")).unwrap();
    symlink("/dev/zero", sandbox.path("mine/tokenizer.json")).unwrap();
    assert!(refused(&sandbox, &[]).contains("tokenizer.json: it is no file"));
    let sandbox = mine();
    std::fs::remove_file(sandbox.path("mine/model.onnx")).unwrap();
    symlink("/dev/zero", sandbox.path("mine/model.onnx")).unwrap();
    assert!(refused(&sandbox, &[]).contains("no model.onnx"));
}

#[cfg(unix)]
#[test]
fn pipes_in_place_of_files_are_refused_and_not_waited_for() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::common::Run;
    let pipe = |path: std::path::PathBuf| {
        std::fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let beside = mine();
    copy_folder(&fixtures().join("embedding/external"), &beside.path("mine"));
    pipe(beside.path("mine/model.onnx_data"));
    let published = Sandbox::new();
    copy_folder(&fixtures().join("embedding-safetensors/reranker"), &published.path("mine"));
    pipe(published.path("mine/tokenizer.json"));
    for (sandbox, says) in [(beside, "model.onnx_data, which is no file"), (published, "tokenizer.json: it is no file")]
    {
        let mut command = sandbox.command(&["models", "add", "mine"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > Duration::from_secs(120) {
                child.kill().unwrap();
                panic!("it waits for {says}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let told = error(&Run::of(child.wait_with_output().unwrap()), 3);
        assert!(told.contains(says), "{told}");
        assert!(everything(&sandbox).is_empty());
    }
}

#[test]
fn rerankers_are_taken_and_removed() {
    for engine in engines() {
        let sandbox = Sandbox::new();
        let folder = fixtures().join("rerank");
        let added = sandbox.json(&["models", "add", &folder.display().to_string(), "--onnxruntime", &engine]);
        assert_eq!(added["model"]["kind"], "reranking");
        assert_eq!(here(&sandbox), ["rerank"]);
        let told = error(&sandbox.kb(&["models", "remove", "rerenk"]), 2);
        assert!(told.contains("there is no model \"rerenk\""), "{told}");
        assert_eq!(sandbox.json(&["models", "remove", "rerank"])["name"], "rerank");
        assert!(everything(&sandbox).is_empty());
    }
    let sandbox = Sandbox::new();
    let told = error(&sandbox.kb(&["models", "remove", "all-MiniLM-L6-v2-int8", "--yes"]), 2);
    assert!(told.contains("part of kb"), "{told}");
}

#[test]
fn a_disk_that_does_not_take_a_model_is_told() {
    let sandbox = mine();
    sandbox.write("models", "a file where the folder should be");
    let told = error(&sandbox.kb(&["models", "add", "mine"]), 3);
    assert!(told.contains("models"), "{told}");
    assert!(Path::new(&sandbox.path("models")).is_file());
}

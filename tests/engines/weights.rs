//! What both engines must give for graphs that kb has made of weights: what `fixtures/embedding_safetensors.py` has
//! computed by the networks' definitions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kb::embed::bert::{Checkpoint, MODEL, Task};
use kb::embed::{
    Coverage, CrossEncoder, Embedder, EngineChoice, Habits, Model, ModelFiles, Pooling, Quantization, VectorOutput,
    select,
};
use serde_json::Value;

use super::cosine;
use super::repository::in_repository;

/// The graphs are in single precision, the expected numbers in double.
const ALLOWED: f64 = 1e-4;

pub fn agree_with_the_definition(choice: &EngineChoice) {
    let engine = select(choice).unwrap();
    let expected: Value = serde_json::from_slice(&std::fs::read(fixtures().join("expected.json")).unwrap()).unwrap();
    for (name, pooling) in [("bert", Pooling::Mean), ("roberta", Pooling::Cls), ("distilbert", Pooling::Mean)] {
        let (folder, checkpoint) = made(name);
        assert_eq!(checkpoint.task(), Task::Embedding);
        let model = model(name, folder.path(), &checkpoint, pooling);
        let embedder = Embedder::for_documents(&engine, &model, 2).unwrap();
        let texts: Vec<&str> = texts(&expected[name]);
        let together = embedder.embed_passages(&texts, &|_| {}).unwrap();
        for ((text, found), expected) in texts.iter().zip(&together).zip(expected[name].as_array().unwrap()) {
            let expected: Vec<f64> =
                expected["vector"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            assert_eq!(found.len(), expected.len(), "{name}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < ALLOWED, "{name}, {text:?}: {found}, not {expected}");
            }
            assert!(cosine(found, &embedder.embed_query(text).unwrap()) > 0.9995, "{name}, {text:?}");
        }
        // As many tokens as it takes, and more, which are cut off.
        let long = "pump ".repeat(50);
        assert_eq!(embedder.embed_query(&long).unwrap().len(), checkpoint.dimension(), "{name}");
    }

    let (folder, checkpoint) = made("reranker");
    assert_eq!(checkpoint.task(), Task::Classification);
    let reranker = CrossEncoder::load(&engine, folder.path(), 2).unwrap();
    let passages: Vec<String> = texts(&expected["reranker"]).into_iter().map(str::to_owned).collect();
    let scores = reranker.scores(expected["question"].as_str().unwrap(), &passages, None).unwrap();
    assert_eq!(scores.len(), passages.len());
    for (score, expected) in scores.iter().zip(expected["reranker"].as_array().unwrap()) {
        let expected = expected["logit"].as_f64().unwrap();
        assert!((f64::from(*score) - expected).abs() < ALLOWED, "{score}, not {expected}");
    }
}

/// The model of a folder in which its weights were made into a graph.
fn model(name: &str, folder: &Path, checkpoint: &Checkpoint, pooling: Pooling) -> Arc<Model> {
    let habits = Habits {
        dimension: checkpoint.dimension(),
        max_tokens: checkpoint.max_tokens(),
        pooling,
        quantization: Quantization::None,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        languages: Coverage::latin(),
        output: VectorOutput::Usual,
    };
    let files = ModelFiles { folder: folder.to_owned(), graph: MODEL.to_owned(), external: Vec::new() };
    Arc::new(Model::in_folder(name, habits, files).unwrap())
}

/// A copy of a fixture with the graph in it.
fn made(name: &str) -> (tempfile::TempDir, Checkpoint) {
    let folder = tempfile::tempdir().unwrap();
    let from = fixtures().join(name);
    for entry in std::fs::read_dir(&from).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let checkpoint = Checkpoint::open(&from).unwrap();
    checkpoint.write(folder.path()).unwrap();
    (folder, checkpoint)
}

fn texts(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect()
}

fn fixtures() -> PathBuf {
    in_repository("fixtures/embedding-safetensors")
}

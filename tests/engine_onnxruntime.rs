//! The embedded model on ONNX Runtime. These tests are ignored unless asked for; `.ci/run` takes the library from the
//! PyPI wheel `onnxruntime`, names it in KB_TEST_ONNXRUNTIME and runs them.

// A failing helper ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod engines;

use std::process::Command;

use kb::internals::embed::EngineChoice;

/// Where a process writes its vectors for another one.
const VECTORS: &str = "KB_TEST_VECTORS";

/// The library to test with.
fn library() -> EngineChoice {
    let named = std::env::var_os("KB_TEST_ONNXRUNTIME").filter(|path| !path.is_empty());
    EngineChoice::Library(named.expect("KB_TEST_ONNXRUNTIME must name the library; see tests/common/mod.rs").into())
}

#[test]
#[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
fn onnxruntime_gives_the_reference_similarities() {
    engines::agrees_with_the_reference(&engines::on_engine(&library()));
}

#[test]
#[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
fn vectors_are_alike_in_every_batch_and_on_both_engines() {
    let vectors = engines::alike::in_every_batch(&engines::on_engine(&library()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.json");
    let out = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "vectors_of_tract", "--ignored"])
        .env(VECTORS, &path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let others: Vec<Vec<f32>> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    engines::alike::same("on another engine", &vectors, &others);
}

/// Writes its vectors for the process that started this one. Does nothing otherwise: a process has one engine.
#[test]
#[ignore = "the test above runs it in a process of its own"]
fn vectors_of_tract() {
    let Some(path) = std::env::var_os(VECTORS) else { return };
    let vectors = engines::alike::in_every_batch(&engines::on_engine(&EngineChoice::Tract));
    std::fs::write(path, serde_json::to_vec(&vectors).unwrap()).unwrap();
}

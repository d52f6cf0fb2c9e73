//! The embedded model on ONNX Runtime. `.ci/run` takes the library out of the PyPI wheel `onnxruntime` and names it
//! in KB_TEST_ONNXRUNTIME.

// What goes wrong in here ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod engines;

use std::process::Command;

use kb::embed::{Engine, EngineChoice, select};

/// Where a process writes its vectors for another one.
const VECTORS: &str = "KB_TEST_VECTORS";

/// The library; nothing where there is none on this machine, and it need not be.
fn library() -> Option<EngineChoice> {
    let named = std::env::var_os("KB_TEST_ONNXRUNTIME").filter(|path| !path.is_empty());
    let choice = match named {
        Some(path) => EngineChoice::Library(path.into()),
        None => EngineChoice::Auto,
    };
    if !matches!(select(&choice).unwrap(), Engine::Tract) {
        return Some(choice);
    }
    let why = "no ONNX Runtime library on this machine: name one in KB_TEST_ONNXRUNTIME (the PyPI wheel \
               onnxruntime has it as onnxruntime/capi/libonnxruntime.so.*)";
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("NOT RUN: {why}");
    None
}

#[test]
fn onnx_runtime_gives_the_reference_similarities() {
    if let Some(choice) = library() {
        engines::agrees_with_the_reference(&choice);
    }
}

#[test]
fn onnx_runtime_gives_what_networks_are_defined_to_give() {
    if let Some(choice) = library() {
        engines::weights::agree_with_the_definition(&choice);
    }
}

#[test]
fn vectors_are_alike_in_every_batch_and_on_both_engines() {
    let Some(choice) = library() else { return };
    let vectors = engines::alike::in_every_batch(&choice);
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

/// Hands its vectors to the process that has started this one.
#[test]
#[ignore = "the test above runs it, in a process of its own: a process has one engine"]
fn vectors_of_tract() {
    let vectors = engines::alike::in_every_batch(&EngineChoice::Tract);
    if let Some(path) = std::env::var_os(VECTORS) {
        std::fs::write(path, serde_json::to_vec(&vectors).unwrap()).unwrap();
    }
}

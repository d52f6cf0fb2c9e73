//! The embedded model on ONNX Runtime. `.ci/run` takes the library out of the PyPI wheel `onnxruntime` and names it
//! in KB_TEST_ONNXRUNTIME.

mod engines;

use kb::embed::{Engine, EngineChoice, select};

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

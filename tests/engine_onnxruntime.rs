//! The embedded model on ONNX Runtime. `.ci/run` takes the library out of the PyPI wheel `onnxruntime` and names it
//! in KB_TEST_ONNXRUNTIME.

mod engines;

use kb::embed::{Engine, EngineChoice, select};

#[test]
fn onnx_runtime_gives_the_reference_similarities() {
    let named = std::env::var_os("KB_TEST_ONNXRUNTIME").filter(|path| !path.is_empty());
    let choice = match named {
        Some(path) => EngineChoice::Library(path.into()),
        None => EngineChoice::Auto,
    };
    if matches!(select(&choice).unwrap(), Engine::Tract) {
        let why = "no ONNX Runtime library on this machine: name one in KB_TEST_ONNXRUNTIME (the PyPI wheel \
                   onnxruntime has it as onnxruntime/capi/libonnxruntime.so.*)";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        eprintln!("NOT RUN: {why}");
        return;
    }
    engines::agrees_with_the_reference(&choice);
}

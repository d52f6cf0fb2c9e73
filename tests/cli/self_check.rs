//! `kb self-check`: what works on this machine, and what does not.

use crate::common::{Sandbox, texts};

#[test]
fn a_machine_that_runs_the_tests_passes_and_nothing_is_left_behind() {
    let sandbox = Sandbox::new();
    let checked = sandbox.json(&["self-check"]);
    assert_eq!(checked["ok"], true, "{checked}");
    let names = ["processor", "engine", "model", "disk", "locks", "ingest and search"];
    assert_eq!(texts(&checked["items"], "/name"), names);
    assert_eq!(std::fs::read_dir(sandbox.path(".")).unwrap().count(), 0, "the user's own folders too");
    // It is in no store.
    sandbox.write("kb.toml", "[search]\nlimits = 3\n");
    sandbox.kb(&["self-check"]).shows_all(0, &["kb works here", "| engine | ok |"]);
}

#[test]
fn what_does_not_work_is_named() {
    let sandbox = Sandbox::new();
    sandbox
        .kb(&["self-check", "--onnxruntime", "none.so"])
        .shows_all(3, &["| engine | failed |", "; computed by kb itself |", "| ingest and search | ok |"]);
    // The model is tried on the requested device.
    sandbox
        .kb(&["self-check", "--device", "cuda"])
        .shows_all(3, &["| engine | failed |", "| model | failed |", "| ingest and search | ok |"]);
}

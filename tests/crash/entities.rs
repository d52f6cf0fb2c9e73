//! Entities through crashes: they are set whole or not at all.

use kb::internals::store::STEPS;
use serde_json::Value;

use crate::common::Sandbox;
use crate::versions::{assert_sound, ingest_version};
use crate::{DECIDED, a_fault_at_each};

/// Two entities that are added and one that is changed, in one publication.
const LINES: &str = "{\"name\": \"valves\", \"state\": \"shut\", \"time\": \"2025\"}\n\
                     {\"name\": \"pumps\", \"entity_type\": \"machine\"}\n\
                     {\"name\": \"version1x\", \"aliases\": [\"first\"], \"state\": \"old\", \"time\": \"2025\"}\n";
const SET: [&str; 3] = ["entity-set", "--from", "lines.jsonl"];

/// The entities of a [`sandbox`] with version 1 and with version 2 of the folder.
pub const MENTIONED: [[&str; 2]; 2] = [["version1x new 4", "version2x new 0"], ["version1x new 0", "version2x new 4"]];

/// A store with version 1 of the folder, where both versions' words are entities: each is mentioned by the four
/// documents of its version.
pub fn sandbox() -> Sandbox {
    Sandbox::indexed().filled("entities", |sandbox| {
        ingest_version(sandbox, 1);
        for version in ["version1x", "version2x"] {
            sandbox.json(&["entity-set", version, "--state", "new", "--time", "2024"]);
        }
        sandbox.write("lines.jsonl", LINES);
    })
}

/// Each entity as `name state documents`.
pub fn entities(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.items(&["entities"]);
    let line = |one: &Value| {
        format!("{} {} {}", one["name"].as_str().unwrap(), one["state"].as_str().unwrap_or("-"), one["documents"])
    };
    list.as_array().unwrap().iter().map(line).collect()
}

fn is_set(sandbox: &Sandbox) -> bool {
    let entities = entities(sandbox);
    let after = ["pumps - 1", "valves shut 3", "version1x old 4", "version2x new 0"];
    assert!(entities == MENTIONED[0] || entities == after, "{entities:?}");
    entities == after
}

#[test]
fn entities_are_set_whole_or_not_at_all() {
    a_fault_at_each(STEPS, &["abort"], sandbox, &SET, |sandbox, is_new| is_set(sandbox) == is_new);
    // An error is rolled back like a crash; at these steps there is something to roll back.
    for step in ["entities written", "pending written", DECIDED] {
        let sandbox = sandbox();
        let failed = sandbox.command(&SET).env("KB_TEST_FAULT", format!("fail:{step}")).output().unwrap();
        assert!(!failed.status.success(), "at {step:?}");
        is_set(&sandbox);
        sandbox.json(&SET);
        assert!(is_set(&sandbox), "the next run after an error at {step:?}");
        assert_sound(&sandbox);
    }
}

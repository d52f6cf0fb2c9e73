//! `kb config`: which settings count, and where each comes from.

use crate::common::Sandbox;

#[test]
fn a_variable_comes_before_the_file() {
    let sandbox = Sandbox::new();
    sandbox.configure("[search]\nlimit = 3\n");
    let run = sandbox.kb_with(&[("KB_SEARCH_LIMIT", "9")], &["config", "--set"]);
    // Only what is set.
    run.shows_all(0, &["KB_SEARCH_LIMIT", "9"]).lacks("search.mode");
}

#[test]
fn an_empty_variable_sets_nothing() {
    let sandbox = Sandbox::new();
    let names =
        ["KB_SEARCH_LIMIT", "KB_SEARCH_MODE", "KB_SEARCH_FALLBACK", "KB_INGEST_CONTEXT", "KB_MODEL", "KB_LLM_TIMEOUT"];
    let empty = sandbox.kb_with(&names.map(|name| (name, "")), &["config"]).ok();
    assert_eq!(empty.out, sandbox.kb(&["config"]).out);
}

#[test]
fn settings_work_without_a_store() {
    let sandbox = Sandbox::new();
    let listed = sandbox.items(&["config"]);
    assert!(listed.as_array().unwrap().iter().all(|one| one["from"] == "default" || one["is_set"] == true), "{listed}");
}

#[test]
fn forbidden_settings_of_an_untrusted_store_do_not_count() {
    let sandbox = Sandbox::new();
    sandbox.write(".kb/kb.toml", "[search]\nlimit = 3\n[ingest]\nocr_command = \"rm {}\"\n");
    let run = sandbox.kb(&["config", "--set", "--format", "json"]);
    run.shows(0, "search.limit").tells(0, "kb trust").lacks("rm {}");
}

#[test]
fn a_key_in_the_place_of_its_variable_is_not_shown() {
    let sandbox = Sandbox::new();
    sandbox.configure("[llm]\nbase_url = \"https://example.org/v1?key=sk-1\"\napi_key_env = \"sk-2\"\n");
    sandbox.kb(&["config", "--set"]).shows(0, "llm.api_key_env").lacks("sk-");
}
